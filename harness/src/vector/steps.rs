//! Makes requests and expectations of the steps as they stand in YAML.

use std::collections::BTreeSet;

use super::format::{
    AnswerYaml, AskYaml, BatchAnswerYaml, BatchYaml, ContainerYaml, ContinueYaml, NumberYaml, OneKey,
    OperationYaml as O, PatchYaml, StepYaml as S, Unasked, WithinYaml, WriteYaml,
};
use super::{Condition, Details, Expect, ExpectedResponse, Pages};
use crate::literal::Literal;
use crate::target::{
    Container, DEFAULT_PARTITION, Document, Operation, PartitionKey, Patch, Properties, Request,
};

/// The parsed value, or the error and the advice.
type ParseResult<T> = Result<T, (String, String)>;

fn refuse<T>(what: impl Into<String>, help: &str) -> ParseResult<T> {
    Err((what.into(), help.into()))
}

/// A step without its second and its place in the file.
pub(super) struct ReadStep {
    pub(super) request: Request,
    pub(super) partition: Option<PartitionKey>,
    pub(super) pages: Option<Pages>,
    pub(super) conditions: Vec<(usize, Condition)>,
    pub(super) expect: Expect,
}

impl ReadStep {
    fn new(request: Request, expect: Expect) -> Self {
        Self { request, partition: None, pages: None, conditions: Vec::new(), expect }
    }

    fn in_partition(self, partition: Option<PartitionKey>) -> ParseResult<Self> {
        if partition.as_deref() == Some(DEFAULT_PARTITION) {
            let help = "leave `partition` out, or name another one";
            return refuse(format!("`{DEFAULT_PARTITION}` is the default partition"), help);
        }
        Ok(Self { partition, ..self })
    }
}

/// Reads a step that is a request; [`S::At`] is none.
pub(super) fn read(step: S) -> ParseResult<ReadStep> {
    match step {
        S::At(_) => refuse("`at` asks nothing", ""),
        S::CreateContainer(text) => container(text, Request::CreateContainer),
        S::ReplaceContainer(text) => container(text, Request::ReplaceContainer),
        S::Create(text) => item(O::Create(text)),
        S::Upsert(text) => item(O::Upsert(text)),
        S::Replace(text) => item(O::Replace(text)),
        S::Patch(text) => item(O::Patch(text)),
        S::Read(text) => item(O::Read(text)),
        S::Delete(text) => item(O::Delete(text)),
        S::Query(text) => ask(text, Request::Query),
        S::List(text) => ask(text, Request::List),
        S::Count(text) => {
            let expect = expect(text.expect, None, count)?;
            ReadStep::new(Request::Count, expect).in_partition(text.partition)
        }
        S::Batch(text) => batch(text),
    }
}

fn ask(text: AskYaml, request: Request) -> ParseResult<ReadStep> {
    let pages = match (text.page_size, text.continued) {
        (Some(_), Some(ContinueYaml::Rest)) => {
            let help = "`page-size` asks for the first page, and `continue` for those that follow";
            return refuse("`page-size` and `continue` at once", help);
        }
        (Some(size), None) => Some(Pages::First(size)),
        (None, Some(ContinueYaml::Rest)) => Some(Pages::Rest),
        (None, None) => None,
    };
    let step = ReadStep::new(request, expect(text.expect, None, ids)?).in_partition(text.partition)?;
    Ok(ReadStep { pages, ..step })
}

fn container(text: ContainerYaml, request: impl Fn(Container) -> Request) -> ParseResult<ReadStep> {
    let default_ttl = json("defaultTtl", text.default_ttl, text.default_ttl_json)?;
    let container = Container { default_ttl, indexing: text.indexing };
    Ok(ReadStep::new(request(container), expect(text.expect, None, answer)?))
}

fn item(text: O<Expect<AnswerYaml>>) -> ParseResult<ReadStep> {
    let ReadOperation { operation, partition, condition, expect: text } = operation(text)?;
    let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
    let expect = expect(text, Some(operation.id()), answer)?;
    let step = ReadStep::new(Request::Item(operation), expect).in_partition(partition)?;
    Ok(ReadStep { conditions, ..step })
}

fn batch(text: BatchYaml) -> ParseResult<ReadStep> {
    if text.operations.is_empty() {
        return refuse("a batch of nothing", "name at least one operation");
    }
    let mut operations = Vec::new();
    let mut conditions = Vec::new();
    for (number, OneKey(text)) in text.operations.into_iter().enumerate() {
        let read: ReadOperation<Option<Unasked>> = operation(text)?;
        if read.partition.is_some() {
            let help = "all operations of a batch are in one partition; the batch names it";
            return refuse("an operation of a batch with a `partition` of its own", help);
        }
        conditions.extend(read.condition.map(|condition| (number, condition)));
        operations.push(read.operation);
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
    let step = ReadStep::new(Request::Batch(operations), expect).in_partition(text.partition)?;
    Ok(ReadStep { conditions, ..step })
}

struct ReadOperation<E> {
    operation: Operation,
    partition: Option<PartitionKey>,
    condition: Option<Condition>,
    expect: E,
}

fn operation<E>(text: O<E>) -> ParseResult<ReadOperation<E>> {
    let read = match text {
        O::Create(text) => write(text, Operation::Create)?,
        O::Upsert(text) => write(text, Operation::Upsert)?,
        O::Replace(text) => write(text, |document| Operation::Replace(document, None))?,
        O::Patch(text) => patch(text)?,
        O::Read(text) => ReadOperation {
            operation: Operation::Read(text.id),
            partition: text.partition,
            condition: None,
            expect: text.expect,
        },
        O::Delete(text) => ReadOperation {
            operation: Operation::Delete(text.id, None),
            partition: text.partition,
            condition: text.if_match,
            expect: text.expect,
        },
    };
    if read.condition.is_some() && matches!(read.operation, Operation::Create(_) | Operation::Upsert(_)) {
        return refuse("`if-match` does not go here", "it goes with replace, patch and delete");
    }
    Ok(read)
}

fn write<E>(text: WriteYaml<E>, operation: impl Fn(Document) -> Operation) -> ParseResult<ReadOperation<E>> {
    let properties = properties(text.ttl, text.ttl_json, text.value, text.more)?;
    Ok(ReadOperation {
        operation: operation(Document { id: text.id, properties }),
        partition: text.partition,
        condition: text.if_match,
        expect: text.expect,
    })
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
    Ok(ReadOperation {
        operation: Operation::Patch(patch, None),
        partition: text.partition,
        condition: text.if_match,
        expect: text.expect,
    })
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

fn count(text: NumberYaml) -> ParseResult<ExpectedResponse> {
    match text {
        NumberYaml::Exactly(count) => Ok(ExpectedResponse::Count(count)),
        NumberYaml::Within(WithinYaml { at_least, at_most }) if at_least < at_most => {
            Ok(ExpectedResponse::CountWithin(at_least, at_most))
        }
        NumberYaml::Within(_) => refuse("a count within no range", "`at-least` is below `at-most`"),
    }
}
