//! Makes requests and expectations of the steps as they stand in YAML.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{self, OneKey, Unasked};
use super::{Condition, Details, Expect, ExpectedResponse};
use crate::literal::Literal;
use crate::target::{Container, Document, Indexing, Operation, Patch, Properties, Request};

/// What is wrong, and what to do.
pub(super) type Complaint = (String, String);

pub(super) fn complaint(what: impl Into<String>, help: impl Into<String>) -> Complaint {
    (what.into(), help.into())
}

type ReadStep = (Request, Vec<(usize, Condition)>, Expect);

/// Reads a step that is a request; [`format::StepYaml::At`] is none.
pub(super) fn read(step: format::StepYaml) -> Result<ReadStep, Complaint> {
    use format::StepYaml as S;
    match step {
        S::At(_) => Err(complaint("`at` asks nothing", "")),
        S::CreateContainer(text) => {
            let (container, expect) = container(text)?;
            Ok((Request::CreateContainer(container), vec![], expect))
        }
        S::ReplaceContainer(text) => {
            let (container, expect) = container(text)?;
            Ok((Request::ReplaceContainer(container), vec![], expect))
        }
        S::Create(text) => item(format::OperationYaml::Create(text)),
        S::Upsert(text) => item(format::OperationYaml::Upsert(text)),
        S::Replace(text) => item(format::OperationYaml::Replace(text)),
        S::Patch(text) => item(format::OperationYaml::Patch(text)),
        S::Read(text) => item(format::OperationYaml::Read(text)),
        S::Delete(text) => item(format::OperationYaml::Delete(text)),
        S::Query(ask) => Ok((Request::Query, vec![], expect(ask.expect, None, ids)?)),
        S::List(ask) => Ok((Request::List, vec![], expect(ask.expect, None, ids)?)),
        S::Count(ask) => {
            let expect = expect(ask.expect, None, |count| Ok(ExpectedResponse::Count(count)))?;
            Ok((Request::Count, vec![], expect))
        }
        S::Batch(text) => batch(text),
    }
}

fn container(text: format::ContainerYaml) -> Result<(Container, Expect), Complaint> {
    let default_ttl = json("defaultTtl", text.default_ttl, text.default_ttl_json)?;
    let indexing: Indexing = text.indexing;
    Ok((Container { default_ttl, indexing }, expect(text.expect, None, answer)?))
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
    let expect = expect(text.expect, None, |OneKey(text)| Ok(batch_answer(text)))?;
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

fn operation<E>(text: format::OperationYaml<E>) -> Result<(Operation, Option<Condition>, E), Complaint> {
    use format::OperationYaml as O;
    match text {
        O::Create(text) => {
            unconditional(text).map(|(document, expect)| (Operation::Create(document), None, expect))
        }
        O::Upsert(text) => {
            unconditional(text).map(|(document, expect)| (Operation::Upsert(document), None, expect))
        }
        O::Replace(text) => {
            let (document, condition, expect) = write(text)?;
            Ok((Operation::Replace(document, None), condition, expect))
        }
        O::Patch(text) => {
            let (patch, condition, expect) = patch(text)?;
            Ok((Operation::Patch(patch, None), condition, expect))
        }
        O::Read(text) => Ok((Operation::Read(text.id), None, text.expect)),
        O::Delete(text) => Ok((Operation::Delete(text.id, None), text.if_match, text.expect)),
    }
}

fn unconditional<E>(text: format::WriteYaml<E>) -> Result<(Document, E), Complaint> {
    match write(text)? {
        (document, None, expect) => Ok((document, expect)),
        (_, Some(_), _) => {
            Err(complaint("`if-match` does not go here", "it goes with replace, patch and delete"))
        }
    }
}

fn write<E>(text: format::WriteYaml<E>) -> Result<(Document, Option<Condition>, E), Complaint> {
    let properties = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    Ok((Document { id: text.id, properties }, text.if_match, text.expect))
}

fn patch<E>(text: format::PatchYaml<E>) -> Result<(Patch, Option<Condition>, E), Complaint> {
    let set = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    if set.is_empty() && text.remove.is_empty() {
        return Err(complaint(
            "a patch that changes nothing",
            "name content to set, or properties to remove",
        ));
    }
    if let Some(name) = text.remove.iter().find(|name| set.contains_key(*name)) {
        return Err(complaint(format!("`{name}` is set and removed at once"), "do one of them"));
    }
    Ok((Patch { id: text.id, set, remove: text.remove }, text.if_match, text.expect))
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

fn batch_answer(text: format::BatchAnswerYaml) -> ExpectedResponse {
    match text {
        format::BatchAnswerYaml::Committed(words) => {
            ExpectedResponse::Committed(words.into_iter().map(|word| word.0).collect())
        }
        format::BatchAnswerYaml::Aborted(aborted) => ExpectedResponse::Aborted(aborted.at, aborted.with.0),
    }
}
