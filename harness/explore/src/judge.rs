//! Judges a log: which answers in it are possible, by the model, whoever wrote it?
//!
//! A log is no run of ours. It may begin in the middle, its clock is not the server's, requests overlap, answers are lost, lines
//! cannot be read, and others may write to the same items. Of what is not known for certain nothing is said: a right store
//! is never accused, as long as the log keeps the rules of `LOGS.md`.
//!
//! Each item is judged for itself, in a world of its own (`guess`); the settings of its container are those of all its items.
//! `settings` knows which were in force, `clock` which second it was, `item` tries the orders of requests that overlap, `place`
//! takes the lines of one container, and `clauses` says what a contradiction breaks. The model decides what is right.

mod clauses;
mod clock;
mod guess;
mod item;
mod place;
mod settings;

use std::collections::BTreeMap;
use std::fmt;

use cosmos_ttl_harness::request_log::{LogClock, LogTime, LoggedExchange, RequestLog};
use cosmos_ttl_harness::target::{
    MOST_OPERATIONS, Operation, PartitionKey, Request, Response, Status, names_refused_id,
};
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::Settings;

use place::{Entry, Place, Smudge};

/// What is known besides the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeOptions {
    /// Whether nobody else writes to the items or changes settings, and reads see every write. Otherwise only what no other
    /// writer explains is a contradiction.
    pub is_sole_writer: bool,
    /// The settings of every container until the log changes them, if they are known.
    pub settings: Option<Settings>,
}

/// Why nothing is said of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Why {
    NotALine,
    Lost,
    Refused,
    Counted,
    NotShown,
    OtherWriters,
    Overlap,
    Smudged,
    Impossible,
    Unclear,
    NotModelled,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotALine => "cannot be read",
            Self::Lost => "the answer was lost, or several were",
            Self::Refused => "refused for a reason that is not about time to live",
            Self::Counted => "a count, or a list of an index that may lag or is not known",
            Self::NotShown => "the log has not shown yet what the item, the settings or the clock is",
            Self::OtherWriters => "another client may have written",
            Self::Overlap => "too many requests overlap",
            Self::Smudged => "an unreadable line may be about it",
            Self::Impossible => "an earlier answer was not possible, and the item was not shown since",
            Self::Unclear => "the answer does not say what it must to be judged",
            Self::NotModelled => "a request that the model does not know",
        })
    }
}

/// What is said of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineVerdict {
    /// It is possible.
    Possible,
    /// Nothing is said of it.
    NotJudged(Why),
    /// No right store answers so.
    Impossible,
}

/// An answer that no right store gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The line, counted from 1.
    pub line: usize,
    /// Which item, when it was written, what was answered, and what may be answered, in a sentence. Text from the log in it is bounded,
    /// but not yet escaped.
    pub says: String,
    /// The clauses that it breaks.
    pub clauses: Vec<&'static str>,
}

/// What a log says.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// What is said of each line; blank ones are left out.
    pub lines: BTreeMap<usize, LineVerdict>,
    /// The lines that cannot be read, counted from 1, and why; the first of them.
    pub unreadable: Vec<(usize, String)>,
    /// The contradictions, in the order of the lines; the first of them.
    pub impossible: Vec<Impossible>,
    /// The choices that were seen under open clauses: in how many lines, and the first of them.
    pub choices: BTreeMap<(OpenChoice, bool), (usize, usize)>,
}

/// Of unreadable and of impossible lines so many are kept.
const MOST_KEPT: usize = 1_000;

impl Judgement {
    /// Returns how many lines this is said of.
    pub fn count(&self, is: impl Fn(LineVerdict) -> bool) -> usize {
        self.lines.values().filter(|verdict| is(**verdict)).count()
    }

    fn say(&mut self, line: usize, verdict: LineVerdict) {
        let said = self.lines.entry(line).or_insert(verdict);
        // A contradiction counts most, and a judgement more than none.
        *said = match (*said, verdict) {
            (LineVerdict::Impossible, _) | (_, LineVerdict::Impossible) => LineVerdict::Impossible,
            (LineVerdict::Possible, _) | (_, LineVerdict::Possible) => LineVerdict::Possible,
            (first, _) => first,
        };
    }
}

/// Judges every line of a log.
pub fn judge(log: &RequestLog, options: JudgeOptions) -> Judgement {
    let mut judgement = Judgement::default();
    let mut containers: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let mut anywhere = Vec::new();
    for line in (0..log.len()).filter(|line| !log.line(*line).is_empty()) {
        match LoggedExchange::parse(log.line(line)) {
            Ok(one) => {
                let mut entry = Entry {
                    line,
                    clock: one.clock,
                    sent: one.sent,
                    received: one.received,
                    smudge: None,
                    is_lost: false,
                };
                if !one.is_modelled() {
                    entry.is_lost = matches!(effect(&one), Effect::Lost);
                    judgement.say(line + 1, LineVerdict::NotJudged(Why::NotModelled));
                    entry.smudge = Some(Smudge::read(log.line(line)).2);
                }
                containers.entry(one.container).or_default().push(entry);
            }
            Err(why) => {
                judgement.say(line + 1, LineVerdict::NotJudged(Why::NotALine));
                if judgement.unreadable.len() < MOST_KEPT {
                    judgement.unreadable.push((line + 1, why));
                }
                match Smudge::read(log.line(line)) {
                    (None, ..) => anywhere.push(line),
                    (Some(container), times, smudge) => {
                        // Without both times neither tells much.
                        let (sent, received) = match times {
                            [Some(sent), Some(received)] if sent <= received => (sent, Some(received)),
                            _ => (LogTime { us: 0 }, None),
                        };
                        let entry = Entry {
                            line,
                            clock: LogClock::Writer,
                            sent,
                            received,
                            smudge: Some(smudge),
                            is_lost: false,
                        };
                        containers.entry(container).or_default().push(entry);
                    }
                }
            }
        }
    }
    for (name, entries) in containers {
        Place::new(log, &name, options, &mut judgement).judge(with_smudges(entries, &anywhere));
    }
    judgement.impossible.sort_by_key(|one| one.line);
    judgement.impossible.truncate(MOST_KEPT);
    judgement
}

/// Adds the unreadable lines that may be about any container: one between two lines is as good as many.
fn with_smudges(entries: Vec<Entry>, anywhere: &[usize]) -> Vec<Entry> {
    let mut all = Vec::with_capacity(entries.len());
    let mut next = 0;
    for entry in entries {
        let before = anywhere.partition_point(|line| *line < entry.line);
        if let Some(line) = anywhere.get(next..before).and_then(<[usize]>::last) {
            all.push(unreadable(*line, &entry));
        }
        next = before;
        all.push(entry);
    }
    // Also a last line that was cut was sent before.
    let last = anywhere.get(next..).and_then(<[usize]>::last).zip(all.last());
    all.extend(last.map(|(line, entry)| unreadable(*line, entry)));
    all
}

/// A line that may be about anything, beside this one.
fn unreadable(line: usize, beside: &Entry) -> Entry {
    Entry { line, smudge: Some(Smudge::Container), received: None, is_lost: false, ..beside.clone() }
}

/// From the beginning of a request to its end, in the order of all beginnings and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    begin: usize,
    end: usize,
}

/// What is known of the effect of a request.
enum Effect<'a> {
    /// It is that of the answer.
    Answered(&'a Response),
    /// It had its effect or not, now or later.
    Lost,
    /// It had none.
    Nothing,
}

fn effect(one: &LoggedExchange) -> Effect<'_> {
    let makes = matches!(&one.request, Request::Item(Operation::Create(_) | Operation::Upsert(_)));
    match one.answer.as_ref().map(|answer| (answer, answer.status)) {
        // There is no container.
        Some((_, Status::NotFound)) if makes => Effect::Nothing,
        // Much else than a lifetime may be wrong with a request.
        Some((_, Status::BadRequest))
            if !one.request.sends_ttl()
                || names_refused_id(&one.request)
                || one.request.operations().len() > MOST_OPERATIONS =>
        {
            Effect::Nothing
        }
        None | Some((_, Status::Other(408 | 449 | 500..))) => Effect::Lost,
        Some((_, Status::TooManyRequests | Status::Other(_))) => Effect::Nothing,
        Some((answer, _)) => Effect::Answered(answer),
    }
}

/// An item's partition; the default one has no key.
fn partition_of(partition: Option<&PartitionKey>) -> Option<PartitionKey> {
    partition.filter(|key| *key != cosmos_ttl_harness::target::DEFAULT_PARTITION).cloned()
}

/// Whether a request may change an item or settings.
fn is_change(operation: &Operation) -> bool {
    !matches!(operation, Operation::Read(_))
}
