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
//! | `+5` | five seconds pass |
//! | `120 create a ttl=5` | creates `a0` to `a119` |

use cosmos_ttl_harness::etags::{Condition, EtagLog};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Edition, Fault, Indexing, Opening, Operation, Patch, Properties, Removal,
    Request, Response, Session, Target,
};

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
    /// Seconds pass.
    Pass(u64),
    /// All expired items are removed now.
    Purge,
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
        let mut etags = EtagLog::default();
        let mut numbers: Vec<String> = Vec::new();
        let mut answers = Vec::with_capacity(self.steps.len());
        let mut start_s = None;
        for step in &self.steps {
            match step {
                ScriptStep::Pass(seconds) => session.pass(*seconds)?,
                ScriptStep::Purge => purge(session.as_mut())?,
                ScriptStep::Send(request, conditions) => {
                    let mut request = request.clone();
                    for (number, condition) in conditions {
                        require(&mut request, *number, *condition, &etags)?;
                    }
                    let response = session.send(&request)?;
                    etags.record_answer(&request, &response);
                    answers.push(written(response, &mut numbers, &mut start_s));
                }
            }
        }
        Ok(answers)
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
