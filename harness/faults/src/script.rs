//! Scripts: sequences of requests as text, to show a fault.
//!
//! Statements end with `;`. An item's properties are `name=JSON`; `-name` takes one away in a patch.
//!
//! | statement | meaning |
//! |---|---|
//! | `never` `eager` `alternate` | the schedule of removal; without it, the first that the target offers |
//! | `2020` | the edition; 2024 otherwise |
//! | `open 5` `open off lazy` | creates the container |
//! | `set -1` `set off none` | replaces its settings |
//! | `create a ttl=5 x=1` | creates; also `upsert`, `replace`, `patch`, `read`, `delete` |
//! | `replace a if-match` | under the etag that was seen last; `if-stale`: the one before |
//! | `batch [create a \| delete b]` | a batch |
//! | `query` `list` `count` `purge` | as they say |
//! | `query by 2` `query rest` | the first page of two items; all pages that follow it; also `list` |
//! | `in q create a` | about the items of the partition `q`; also batches, queries, lists and counts |
//! | `+5` | five seconds pass |
//! | `120 create a ttl=5` | creates `a0` to `a119` |

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use cosmos_ttl_harness::etags::{Condition, EtagLog};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Edition, Fault, Indexing, Opening, Operation, PageRequest, PartitionKey,
    Patch, Properties, Removal, Request, RequestOptions, Response, Session, Target,
};

/// More pages than this are not asked for.
const MOST_PAGES: usize = 100;

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demonstration {
    /// The schedule of removal.
    pub removal: Option<Removal>,
    /// The edition.
    pub edition: Edition,
    /// What happens, in order.
    pub steps: Vec<ScriptStep>,
}

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptStep {
    /// A request, and the conditions of its operations by their numbers.
    Send(Request, Vec<(usize, Condition)>),
    /// The same in a partition, or for a page.
    SendIn(ScriptScope, Request, Vec<(usize, Condition)>),
    /// Seconds pass.
    Pass(u64),
    /// All expired items are removed now.
    Purge,
}

/// The partition and the page that a request of a script is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptScope {
    /// The partition; if absent, the default one.
    pub partition: Option<PartitionKey>,
    /// The page; if absent, all items at once.
    pub page: Option<ScriptPage>,
}

/// A page that a script asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptPage {
    /// The first one, of at most this number of items.
    First(NonZeroU32),
    /// All pages after the one that came last for this request in this partition, as one answer.
    Rest,
}

/// What a script saw so far.
#[derive(Debug, Default)]
struct PlayedSoFar {
    etags: BTreeMap<Option<PartitionKey>, EtagLog>,
    pages: BTreeMap<(Option<PartitionKey>, &'static str), PageRequest>,
    /// Etags in the order in which they appeared.
    numbers: Vec<String>,
    start_s: Option<i64>,
}

impl Demonstration {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// The first statement that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut script = Self { removal: None, edition: Edition::Y2024, steps: Vec::new() };
        for statement in text.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            script.read(statement).ok_or_else(|| format!("`{statement}` is no statement of a script"))?;
        }
        Ok(script)
    }

    fn read(&mut self, statement: &str) -> Option<()> {
        let words: Vec<&str> = statement.split_whitespace().collect();
        if let ["in", partition, ..] = *words.as_slice() {
            let inner = statement.strip_prefix("in")?.trim_start().strip_prefix(partition)?;
            return self.read_in(partition, inner.trim_start());
        }
        let request = match *words.as_slice() {
            ["never"] => {
                self.removal = Some(Removal::Never);
                return Some(());
            }
            ["eager"] => {
                self.removal = Some(Removal::Eager);
                return Some(());
            }
            ["alternate"] => {
                self.removal = Some(Removal::Alternate);
                return Some(());
            }
            ["2020"] => {
                self.edition = Edition::Y2020;
                return Some(());
            }
            ["purge"] => {
                self.steps.push(ScriptStep::Purge);
                return Some(());
            }
            ["query"] => Request::Query,
            ["list"] => Request::List,
            ["count"] => Request::Count,
            [feed @ ("query" | "list"), ref page @ ..] => {
                let request = if feed == "query" { Request::Query } else { Request::List };
                let page = match *page {
                    ["by", size] => ScriptPage::First(size.parse().ok()?),
                    ["rest"] => ScriptPage::Rest,
                    _ => return None,
                };
                let scope = ScriptScope { partition: None, page: Some(page) };
                self.steps.push(ScriptStep::SendIn(scope, request, Vec::new()));
                return Some(());
            }
            ["open", ref settings @ ..] => Request::CreateContainer(container(settings)?),
            ["set", ref settings @ ..] => Request::ReplaceContainer(container(settings)?),
            ["batch", ..] => {
                let inner = statement.strip_prefix("batch")?.trim().strip_prefix('[')?.strip_suffix(']')?;
                let mut conditions = Vec::new();
                let mut operations = Vec::new();
                for (number, part) in inner.split('|').enumerate() {
                    let words: Vec<&str> = part.split_whitespace().collect();
                    let (operation, condition) = operation(&words)?;
                    operations.push(operation);
                    conditions.extend(condition.map(|condition| (number, condition)));
                }
                self.steps.push(ScriptStep::Send(Request::Batch(operations), conditions));
                return Some(());
            }
            [seconds] if seconds.starts_with('+') => {
                self.steps.push(ScriptStep::Pass(seconds.get(1..)?.parse().ok()?));
                return Some(());
            }
            [times, kind, id, ref rest @ ..] if times.parse::<u32>().is_ok() => {
                for number in 0..times.parse::<u32>().ok()? {
                    let id = format!("{id}{number}");
                    let words: Vec<&str> = [kind, &id].into_iter().chain(rest.iter().copied()).collect();
                    self.steps.push(ScriptStep::Send(Request::Item(operation(&words)?.0), Vec::new()));
                }
                return Some(());
            }
            _ => {
                let (operation, condition) = operation(&words)?;
                let conditions = condition.map(|condition| (0, condition)).into_iter().collect();
                self.steps.push(ScriptStep::Send(Request::Item(operation), conditions));
                return Some(());
            }
        };
        self.steps.push(ScriptStep::Send(request, Vec::new()));
        Some(())
    }

    /// Reads a statement that names a partition.
    fn read_in(&mut self, partition: &str, statement: &str) -> Option<()> {
        let before = self.steps.len();
        self.read(statement)?;
        for step in self.steps.get_mut(before..)? {
            let page = if let ScriptStep::SendIn(scope, ..) = &step { scope.page } else { None };
            let (ScriptStep::Send(request, conditions) | ScriptStep::SendIn(_, request, conditions)) = &step
            else {
                return None;
            };
            let scope = ScriptScope { partition: Some(partition.to_owned()), page };
            *step = ScriptStep::SendIn(scope, request.clone(), conditions.clone());
        }
        Some(())
    }

    /// Plays it against a target and returns its answers, a line each; etags are numbered as they appear.
    ///
    /// `removal` replaces the schedule of the script.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target, [`Fault::Unsupported`] among them.
    pub fn play(&self, target: &dyn Target, removal: Option<Removal>) -> Result<Vec<String>, Fault> {
        let removal = removal.or(self.removal).filter(|removal| target.about().removals.contains(removal));
        let removal = removal.or_else(|| target.about().removals.first().copied());
        let mut session = target.open(&Opening::new(self.edition, removal))?;
        let mut seen = PlayedSoFar::default();
        let mut answers = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            match step {
                ScriptStep::Pass(seconds) => session.pass(*seconds)?,
                ScriptStep::Purge => purge(session.as_mut())?,
                ScriptStep::Send(request, conditions) => {
                    answers.push(seen.send(
                        session.as_mut(),
                        &ScriptScope::default(),
                        request,
                        conditions,
                    )?);
                }
                ScriptStep::SendIn(scope, request, conditions) => {
                    answers.push(seen.send(session.as_mut(), scope, request, conditions)?);
                }
            }
        }
        Ok(answers)
    }
}

impl PlayedSoFar {
    /// Sends a request and returns the answer as text.
    fn send(
        &mut self,
        session: &mut dyn Session,
        scope: &ScriptScope,
        request: &Request,
        conditions: &[(usize, Condition)],
    ) -> Result<String, Fault> {
        let mut request = request.clone();
        let etags = self.etags.entry(scope.partition.clone()).or_default();
        for (number, condition) in conditions {
            require(&mut request, *number, *condition, etags)?;
        }
        let feed = (scope.partition.clone(), request.word());
        let partition = scope.partition.clone();
        let (page, is_rest) = match scope.page {
            None => (None, false),
            Some(ScriptPage::First(size)) => (Some(PageRequest { size, continuation: None }), false),
            Some(ScriptPage::Rest) => match self.pages.remove(&feed) {
                Some(page) => (Some(page), true),
                None => return Ok("no page follows".into()),
            },
        };
        let mut options = RequestOptions { partition, page };
        let mut response = session.send_with(&request, &options)?;
        etags.record_answer(&request, &response);
        let mut ids = Vec::new();
        for _ in 0..MOST_PAGES {
            let Some(page) = &mut options.page else { break };
            page.continuation = response.continuation.take();
            if page.continuation.is_none() {
                break;
            }
            if !is_rest {
                self.pages.insert(feed, page.clone());
                break;
            }
            if let Body::Ids(page) = &mut response.body {
                ids.append(page);
            }
            response = session.send_with(&request, &options)?;
        }
        if let Body::Ids(page) = &mut response.body {
            page.append(&mut ids);
        }
        Ok(written(response, &mut self.numbers, &mut self.start_s))
    }
}

fn purge(session: &mut dyn Session) -> Result<(), Fault> {
    match session.purge() {
        Err(Fault::Unsupported(_)) => Ok(()),
        done => done,
    }
}

fn require(request: &mut Request, number: usize, condition: Condition, etags: &EtagLog) -> Result<(), Fault> {
    let operation = match request {
        Request::Item(operation) => Some(operation),
        Request::Batch(operations) => operations.get_mut(number),
        _ => None,
    };
    let operation = operation.ok_or_else(|| Fault::Misuse("no such operation".into()))?;
    let etag = etags.meant(operation.id(), condition);
    let etag = etag.ok_or_else(|| Fault::Unsupported("no etag was seen".into()))?.clone();
    operation.require(etag);
    Ok(())
}

/// Writes an answer with `_ts` counted from the first one seen, and with numbered etags.
fn written(response: Response, numbers: &mut Vec<String>, start_s: &mut Option<i64>) -> String {
    let shown = match response.body {
        Body::Item(item) => {
            let ts = item.ts.map(|ts| ts.saturating_sub(*start_s.get_or_insert(ts)));
            let etag = item.etag.map(|etag| {
                let known = numbers.iter().position(|known| *known == etag);
                known.unwrap_or_else(|| {
                    numbers.push(etag);
                    numbers.len().saturating_sub(1)
                })
            });
            format!(" {:?} _ts {ts:?} _etag {etag:?}", item.document.properties)
        }
        Body::Ids(mut ids) => {
            ids.sort();
            format!(" {}", ids.join(" "))
        }
        Body::Count(count) => format!(" {count}"),
        Body::Committed(statuses) => format!(" {statuses:?}"),
        Body::Aborted { at } => format!(" at {at}"),
        Body::Nothing => String::new(),
    };
    format!("{}{shown}", response.status)
}

fn container(words: &[&str]) -> Option<Container> {
    let (default, indexing) = match *words {
        [default] => (default, Indexing::Consistent),
        [default, "lazy"] => (default, Indexing::Lazy),
        [default, "none"] => (default, Indexing::None),
        _ => return None,
    };
    let default_ttl = if default == "off" { None } else { Some(Literal::parse(default).ok()?) };
    Some(Container { default_ttl, indexing })
}

fn operation(words: &[&str]) -> Option<(Operation, Option<Condition>)> {
    let [kind, id, rest @ ..] = words else { return None };
    let id = (*id).to_owned();
    let mut properties = Properties::new();
    let mut remove = Vec::new();
    let mut condition = None;
    for word in rest {
        if *word == "if-match" {
            condition = Some(Condition::Seen);
        } else if *word == "if-stale" {
            condition = Some(Condition::Stale);
        } else if let Some((name, value)) = word.split_once('=') {
            properties.insert(name.into(), Literal::parse(value).ok()?);
        } else {
            remove.push(word.strip_prefix('-')?.to_owned());
        }
    }
    let operation = match *kind {
        "create" => Operation::Create(Document { id, properties }),
        "upsert" => Operation::Upsert(Document { id, properties }),
        "replace" => Operation::Replace(Document { id, properties }, None),
        "patch" => Operation::Patch(Patch { id, set: properties, remove }, None),
        "read" => Operation::Read(id),
        "delete" => Operation::Delete(id, None),
        _ => return None,
    };
    Some((operation, condition))
}
