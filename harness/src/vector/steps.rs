//! Makes requests and expectations of the steps as they stand in YAML.

use std::collections::BTreeSet;

use super::format::{
    AnswerYaml, BatchAnswerYaml, BatchYaml, ContainerYaml, OneKey, OperationYaml as O, PatchYaml,
    StepYaml as S, Unasked, WriteYaml,
};
use super::{Condition, Details, Expect, ExpectedResponse};
use crate::literal::Literal;
use crate::target::{Container, Document, Operation, Patch, Properties, Request};

/// What was read; or what is wrong, and what to do.
type ParseResult<T> = Result<T, (String, String)>;

fn refuse<T>(what: impl Into<String>, help: &str) -> ParseResult<T> {
    Err((what.into(), help.into()))
}

type ReadStep = (Request, Vec<(usize, Condition)>, Expect);

/// Reads a step that is a request; [`S::At`] is none.
pub(super) fn read(step: S) -> ParseResult<ReadStep> {
    let count = |count| Ok(ExpectedResponse::Count(count));
    let (request, expect) = match step {
        S::At(_) => return refuse("`at` asks nothing", ""),
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

fn container(text: ContainerYaml, request: impl Fn(Container) -> Request) -> ParseResult<(Request, Expect)> {
    let default_ttl = json("defaultTtl", text.default_ttl, text.default_ttl_json)?;
    let container = Container { default_ttl, indexing: text.indexing };
    Ok((request(container), expect(text.expect, None, answer)?))
}

fn item(text: O<Expect<AnswerYaml>>) -> ParseResult<ReadStep> {
    let (operation, condition, text) = operation(text)?;
    let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
    let expect = expect(text, Some(operation.id()), answer)?;
    Ok((Request::Item(operation), conditions, expect))
}

fn batch(text: BatchYaml) -> ParseResult<ReadStep> {
    if text.operations.is_empty() {
        return refuse("a batch of nothing", "name at least one operation");
    }
    let mut operations = Vec::new();
    let mut conditions = Vec::new();
    for (number, OneKey(text)) in text.operations.into_iter().enumerate() {
        let (operation, condition, _): (_, _, Option<Unasked>) = operation(text)?;
        conditions.extend(condition.map(|condition| (number, condition)));
        operations.push(operation);
    }
    let expect = expect(text.expect, None, |OneKey(answer)| match answer {
        BatchAnswerYaml::Committed(words) if words.len() != operations.len() => {
            refuse(format!("{} answers to {} operations", words.len(), operations.len()), "one for each")
        }
        BatchAnswerYaml::Committed(words) => {
            Ok(ExpectedResponse::Committed(words.into_iter().map(|word| word.0).collect()))
        }
        BatchAnswerYaml::Aborted(aborted) if aborted.at >= operations.len() => {
            refuse(format!("the batch has no operation {}", aborted.at), "operations are counted from 0")
        }
        BatchAnswerYaml::Aborted(aborted) => Ok(ExpectedResponse::Aborted(aborted.at, aborted.with.0)),
    })?;
    Ok((Request::Batch(operations), conditions, expect))
}

type ReadOperation<E> = (Operation, Option<Condition>, E);

fn operation<E>(text: O<E>) -> ParseResult<ReadOperation<E>> {
    let (operation, condition, expect) = match text {
        O::Create(text) => write(text, Operation::Create)?,
        O::Upsert(text) => write(text, Operation::Upsert)?,
        O::Replace(text) => write(text, |document| Operation::Replace(document, None))?,
        O::Patch(text) => patch(text)?,
        O::Read(text) => (Operation::Read(text.id), None, text.expect),
        O::Delete(text) => (Operation::Delete(text.id, None), text.if_match, text.expect),
    };
    if condition.is_some() && matches!(operation, Operation::Create(_) | Operation::Upsert(_)) {
        return refuse("`if-match` does not go here", "it goes with replace, patch and delete");
    }
    Ok((operation, condition, expect))
}

fn write<E>(text: WriteYaml<E>, operation: impl Fn(Document) -> Operation) -> ParseResult<ReadOperation<E>> {
    let properties = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    Ok((operation(Document { id: text.id, properties }), text.if_match, text.expect))
}

fn patch<E>(text: PatchYaml<E>) -> ParseResult<ReadOperation<E>> {
    let set = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    if set.is_empty() && text.remove.is_empty() {
        let help = "name content to set, or properties to remove";
        return refuse("a patch that changes nothing", help);
    }
    if let Some(name) = text.remove.iter().find(|name| set.contains_key(*name)) {
        return refuse(format!("`{name}` is set and removed at once"), "do one of them");
    }
    let patch = Patch { id: text.id, set, remove: text.remove };
    Ok((Operation::Patch(patch, None), text.if_match, text.expect))
}

/// The properties of an item, or those that an answer is asked for.
fn properties(
    ttl: Option<Literal>,
    ttl_json: Option<String>,
    value: Option<i64>,
    mut more: Properties,
) -> ParseResult<Properties> {
    let ttl = json("ttl", ttl, ttl_json)?;
    if let Some(name) = ["id", "ttl", "value"].into_iter().find(|name| more.contains_key(*name)) {
        return refuse(format!("`{name}` does not go into `more`"), "it has a field of its own");
    }
    more.extend(ttl.map(|ttl| ("ttl".into(), ttl)));
    more.extend(value.map(|value| ("value".into(), value.into())));
    Ok(more)
}

fn json(name: &str, value: Option<Literal>, text: Option<String>) -> ParseResult<Option<Literal>> {
    match (value, text) {
        (Some(_), Some(_)) => refuse(format!("`{name}` and `{name}-json` at once"), "use one of them"),
        (value, None) => Ok(value),
        (None, Some(text)) => match Literal::parse(&text) {
            Ok(value) => Ok(Some(value)),
            Err(err) => refuse(format!("`{name}-json` is not JSON: {err}"), "write one JSON value, quoted"),
        },
    }
}

fn expect<T>(
    text: Expect<T>,
    subject: Option<&str>,
    outcome: impl Fn(T) -> ParseResult<ExpectedResponse>,
) -> ParseResult<Expect> {
    match text {
        Expect::One(text) => Ok(Expect::One(outcome(text)?)),
        Expect::Open { clause, of, outcomes } => {
            let of = of.or(subject.map(str::to_owned));
            let outcomes = outcomes.into_iter().map(|(value, text)| Ok((value, outcome(text)?)));
            Ok(Expect::Open { clause, of, outcomes: outcomes.collect::<ParseResult<_>>()? })
        }
    }
}

fn answer(AnswerYaml(status, text): AnswerYaml) -> ParseResult<ExpectedResponse> {
    let has = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    let (absent, written_at_s, etag) = (text.absent, text.written_at, text.etag);
    Ok(ExpectedResponse::Status(status.0, Details { has, absent, written_at_s, etag }))
}

fn ids(text: Vec<String>) -> ParseResult<ExpectedResponse> {
    let count = text.len();
    let ids: BTreeSet<String> = text.into_iter().collect();
    if ids.len() == count {
        Ok(ExpectedResponse::Ids(ids))
    } else {
        refuse("an id that is expected twice", "name each once")
    }
}
