//! Makes requests and expectations of the steps as they stand in YAML.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{self, OneKey, Unasked};
use super::{Condition, Details, Expect, ExpectedResponse};
use crate::literal::Literal;
use crate::target::{Container, Document, Operation, Patch, Properties, Request};

/// What is wrong, and what to do.
pub(super) type Complaint = (String, String);

pub(super) fn complaint(what: impl Into<String>, help: impl Into<String>) -> Complaint {
    (what.into(), help.into())
}

type ReadStep = (Request, Vec<(usize, Condition)>, Expect);

/// Reads a step that is a request; [`format::StepYaml::At`] is none.
pub(super) fn read(step: format::StepYaml) -> Result<ReadStep, Complaint> {
    use format::OperationYaml as O;
    use format::StepYaml as S;
    let count = |count| Ok(ExpectedResponse::Count(count));
    let (request, expect) = match step {
        S::At(_) => return Err(complaint("`at` asks nothing", "")),
        S::CreateContainer(text) => container(text, Request::CreateContainer)?,
        S::ReplaceContainer(text) => container(text, Request::ReplaceContainer)?,
        S::Create(text) => return item(O::Create(text)),
        S::Upsert(text) => return item(O::Upsert(text)),
        S::Replace(text) => return item(O::Replace(text)),
        S::Patch(text) => return item(O::Patch(text)),
        S::Read(text) => return item(O::Read(text)),
        S::Delete(text) => return item(O::Delete(text)),
        S::Query(ask) => (Request::Query, expect(ask.expect, None, ids)?),
        S::List(ask) => (Request::List, expect(ask.expect, None, ids)?),
        S::Count(ask) => (Request::Count, expect(ask.expect, None, count)?),
        S::Batch(text) => return batch(text),
    };
    Ok((request, Vec::new(), expect))
}

fn container(
    text: format::ContainerYaml,
    request: impl Fn(Container) -> Request,
) -> Result<(Request, Expect), Complaint> {
    let default_ttl = json("defaultTtl", text.default_ttl, text.default_ttl_json)?;
    let container = Container { default_ttl, indexing: text.indexing };
    Ok((request(container), expect(text.expect, None, answer)?))
}

fn item(text: format::OperationYaml<Expect<format::AnswerYaml>>) -> Result<ReadStep, Complaint> {
    let (operation, condition, text) = operation(text)?;
    let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
    let expect = expect(text, Some(operation.id()), answer)?;
    Ok((Request::Item(operation), conditions, expect))
}

fn batch(text: format::BatchYaml) -> Result<ReadStep, Complaint> {
    if text.operations.is_empty() {
        return Err(complaint("a batch of nothing", "name at least one operation"));
    }
    let mut operations = Vec::new();
    let mut conditions = Vec::new();
    for (number, OneKey(text)) in text.operations.into_iter().enumerate() {
        let (operation, condition, _): (_, _, Option<Unasked>) = operation(text)?;
        conditions.extend(condition.map(|condition| (number, condition)));
        operations.push(operation);
    }
    let expect = expect(text.expect, None, |OneKey(answer)| {
        Ok(match answer {
            format::BatchAnswerYaml::Committed(words) => {
                ExpectedResponse::Committed(words.into_iter().map(|word| word.0).collect())
            }
            format::BatchAnswerYaml::Aborted(aborted) => {
                ExpectedResponse::Aborted(aborted.at, aborted.with.0)
            }
        })
    })?;
    for outcome in expect.outcomes() {
        match outcome {
            ExpectedResponse::Committed(statuses) if statuses.len() != operations.len() => {
                let what = format!("{} answers to {} operations", statuses.len(), operations.len());
                return Err(complaint(what, "one for each"));
            }
            ExpectedResponse::Aborted(at, _) if operations.len() <= *at => {
                return Err(complaint(
                    format!("the batch has no operation {at}"),
                    "operations are counted from 0",
                ));
            }
            _ => {}
        }
    }
    Ok((Request::Batch(operations), conditions, expect))
}

type ReadOperation<E> = (Operation, Option<Condition>, E);

fn operation<E>(text: format::OperationYaml<E>) -> Result<ReadOperation<E>, Complaint> {
    use format::OperationYaml as O;
    let (operation, condition, expect) = match text {
        O::Create(text) => write(text, Operation::Create)?,
        O::Upsert(text) => write(text, Operation::Upsert)?,
        O::Replace(text) => write(text, |document| Operation::Replace(document, None))?,
        O::Patch(text) => patch(text)?,
        O::Read(text) => (Operation::Read(text.id), None, text.expect),
        O::Delete(text) => (Operation::Delete(text.id, None), text.if_match, text.expect),
    };
    if condition.is_some() && matches!(operation, Operation::Create(_) | Operation::Upsert(_)) {
        return Err(complaint("`if-match` does not go here", "it goes with replace, patch and delete"));
    }
    Ok((operation, condition, expect))
}

fn write<E>(
    text: format::WriteYaml<E>,
    operation: impl Fn(Document) -> Operation,
) -> Result<ReadOperation<E>, Complaint> {
    let properties = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    Ok((operation(Document { id: text.id, properties }), text.if_match, text.expect))
}

fn patch<E>(text: format::PatchYaml<E>) -> Result<ReadOperation<E>, Complaint> {
    let set = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    if set.is_empty() && text.remove.is_empty() {
        let help = "name content to set, or properties to remove";
        return Err(complaint("a patch that changes nothing", help));
    }
    if let Some(name) = text.remove.iter().find(|name| set.contains_key(*name)) {
        return Err(complaint(format!("`{name}` is set and removed at once"), "do one of them"));
    }
    let patch = Patch { id: text.id, set, remove: text.remove };
    Ok((Operation::Patch(patch, None), text.if_match, text.expect))
}

/// The properties of an item, or those that an answer is asked for.
fn properties(
    ttl: Option<Literal>,
    ttl_json: Option<String>,
    value: Option<i64>,
    more: BTreeMap<String, Literal>,
) -> Result<Properties, Complaint> {
    let mut properties = more;
    let known = [("ttl", json("ttl", ttl, ttl_json)?), ("value", value.map(Literal::from))];
    for name in ["id", "ttl", "value"] {
        if properties.contains_key(name) {
            return Err(complaint(format!("`{name}` does not go into `more`"), "it has a field of its own"));
        }
    }
    properties.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(properties)
}

fn json(name: &str, value: Option<Literal>, text: Option<String>) -> Result<Option<Literal>, Complaint> {
    match (value, text) {
        (Some(_), Some(_)) => {
            Err(complaint(format!("`{name}` and `{name}-json` at once"), "use one of them"))
        }
        (value, None) => Ok(value),
        (None, Some(text)) => match Literal::parse(&text) {
            Ok(value) => Ok(Some(value)),
            Err(err) => {
                Err(complaint(format!("`{name}-json` is not JSON: {err}"), "write one JSON value, quoted"))
            }
        },
    }
}

fn expect<T>(
    text: Expect<T>,
    subject: Option<&str>,
    outcome: impl Fn(T) -> Result<ExpectedResponse, Complaint>,
) -> Result<Expect, Complaint> {
    match text {
        Expect::One(text) => Ok(Expect::One(outcome(text)?)),
        Expect::Open { clause, of, outcomes } => {
            let of = of.or(subject.map(str::to_owned));
            let outcomes = outcomes.into_iter().map(|(value, text)| Ok((value, outcome(text)?)));
            Ok(Expect::Open { clause, of, outcomes: outcomes.collect::<Result<_, Complaint>>()? })
        }
    }
}

fn answer(text: format::AnswerYaml) -> Result<ExpectedResponse, Complaint> {
    let details = match text.details {
        None => Details::default(),
        Some(text) => Details {
            has: properties(text.ttl, text.ttl_json, text.value, text.more)?,
            absent: text.absent,
            written_at_s: text.written_at,
            etag: text.etag,
        },
    };
    Ok(ExpectedResponse::Status(text.word.0, details))
}

fn ids(text: Vec<String>) -> Result<ExpectedResponse, Complaint> {
    let count = text.len();
    let ids: BTreeSet<String> = text.into_iter().collect();
    if ids.len() == count {
        Ok(ExpectedResponse::Ids(ids))
    } else {
        Err(complaint("an id that is expected twice", "name each once"))
    }
}
