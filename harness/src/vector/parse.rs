//! Makes steps of the nodes of a text; `vectors/README.md` describes the format field by field.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use super::{Details, Expect, ExpectedResponse, Pages, Precondition, Step};
use crate::etags::Condition;
use crate::literal::Literal;
use crate::target::{
    Container, DEFAULT_PARTITION, Document, Operation, PartitionKey, Patch, PatchOperation, Properties,
    Request, Select, Status,
};
use crate::yaml::fields::{Flaw, Parsed, unknown};
use crate::yaml::{Node, NodeKey, NodeKind};

const WRITE: &[&str] = &["ttl", "ttl-json", "value", "more"];
const PATCH: &[&str] = &["ttl", "ttl-json", "value", "more", "remove", "operations"];
const STEPS: [&str; 17] = [
    "at",
    "create-container",
    "replace-container",
    "read-container",
    "delete-container",
    "create",
    "upsert",
    "replace",
    "patch",
    "read",
    "delete",
    "query",
    "select",
    "read-many",
    "list",
    "count",
    "batch",
];

/// Reads a step that is a request, asked at this second.
pub(super) fn request(word: &NodeKey, text: &Node, at_s: u64, line: usize) -> Parsed<Step> {
    let step = |request, expect| Step {
        at_s,
        request,
        container: None,
        partition: None,
        pages: None,
        conditions: Vec::new(),
        precondition: None,
        expect,
        line,
    };
    let mut step = match word.name.as_ref() {
        kind @ ("create-container" | "replace-container") => {
            text.only(&["defaultTtl", "defaultTtl-json", "indexing", "container", "expect"])?;
            let indexing = text.optional("indexing", Node::word)?.unwrap_or_default();
            let container = Container { default_ttl: literal(text, "defaultTtl")?, indexing };
            let request = if kind == "create-container" {
                Request::CreateContainer(container)
            } else {
                Request::ReplaceContainer(container)
            };
            step(request, expect(text, None, answer)?)
        }
        kind @ ("read-container" | "delete-container") => {
            text.only(&["container", "expect"])?;
            let reads = kind == "read-container";
            let request = if reads { Request::ReadContainer } else { Request::DeleteContainer };
            step(request, expect(text, None, answer)?)
        }
        "select" => {
            let select = select(text)?;
            let expect = match (&select.values, select.count) {
                (_, true) => expect(text, None, count)?,
                (Some(_), false) => expect(text, None, values)?,
                (None, false) => expect(text, None, ids)?,
            };
            step(Request::Select(select), expect)
        }
        "read-many" => {
            text.only(&["ids", "partition", "container", "expect"])?;
            let ids_asked = names(text, "ids")?;
            if ids_asked.iter().collect::<BTreeSet<_>>().len() < ids_asked.len() {
                return Err(text.flaw("an id that is asked for twice", "name each once"));
            }
            step(Request::ReadMany(ids_asked), expect(text, None, ids)?)
        }
        kind @ ("query" | "list") => {
            text.only(&["partition", "container", "page-size", "continue", "expect"])?;
            let request = if kind == "query" { Request::Query } else { Request::List };
            Step { pages: pages(text)?, ..step(request, expect(text, None, ids)?) }
        }
        "count" => {
            text.only(&["partition", "container", "expect"])?;
            step(Request::Count, expect(text, None, count)?)
        }
        "batch" => {
            text.only(&["partition", "container", "operations", "expect"])?;
            let (operations, conditions) = batch(text.need("operations")?)?;
            let expect = expect(text, None, |node| batch_answer(node, operations.len()))?;
            Step { conditions, ..step(Request::Batch(operations), expect) }
        }
        _ => {
            let (operation, condition) = operation(word, text, &STEPS, true)?;
            let expect = expect(text, Some(operation.id()), answer)?;
            let if_none_match = text.optional("if-none-match", none_match)?;
            let (conditions, precondition) = match (condition, &operation) {
                (Some(condition), Operation::Upsert(_)) => {
                    (Vec::new(), Some(Precondition::IfMatch(condition)))
                }
                (condition, _) => {
                    let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
                    (conditions, if_none_match.map(Precondition::IfNoneMatch))
                }
            };
            Step { conditions, precondition, ..step(Request::Item(operation), expect) }
        }
    };
    step.partition = text.optional("partition", partition)?;
    step.container = text.optional("container", Node::visible)?;
    Ok(step)
}

/// Which etag must not be there: `any`, or one that was seen.
fn none_match(node: &Node) -> Parsed<Option<Condition>> {
    if node.text()? == "any" { Ok(None) } else { node.word().map(Some) }
}

fn select(text: &Node) -> Parsed<Select> {
    text.only(&[
        "where",
        "order-by",
        "offset",
        "limit",
        "values",
        "distinct",
        "count",
        "across",
        "partition",
        "container",
        "expect",
    ])?;
    let mut filter = Properties::new();
    if let Some(conditions) = text.get("where") {
        let NodeKind::Map(entries) = &conditions.kind else {
            return Err(conditions.expected("a map of properties"));
        };
        for (key, value) in entries {
            filter.insert(key.name.to_string(), value.literal()?);
        }
    }
    let number = |name| {
        text.optional(name, |node| {
            u32::try_from(node.whole()?).map_err(|_| node.expected("a whole number of at most 32 bits"))
        })
    };
    let flag = |name| text.optional(name, Node::truth).map(Option::unwrap_or_default);
    let select = Select {
        filter,
        order_by: text.optional("order-by", Node::visible)?,
        offset: number("offset")?,
        limit: number("limit")?,
        values: text.optional("values", Node::visible)?,
        distinct: flag("distinct")?,
        count: flag("count")?,
        across: flag("across")?,
    };
    if select == Select::default() {
        return Err(text.flaw("a `select` of everything", "that is `query`; name a shape, such as `where`"));
    }
    let is_part = select.offset.is_some() || select.limit.is_some();
    if select.count && (is_part || select.distinct || select.order_by.is_some() || select.values.is_some()) {
        return Err(
            text.flaw("a count with a shape", "SQL counts before all else: leave `where` and `across`")
        );
    }
    if select.distinct && select.values.is_none() {
        return Err(text.flaw("`distinct` without `values`", "ids are distinct anyway"));
    }
    if select.distinct && is_part {
        return Err(
            text.flaw("distinct values of a part", "SQL takes the part afterwards: leave one of them out")
        );
    }
    Ok(select)
}

fn partition(node: &Node) -> Parsed<PartitionKey> {
    let key = node.visible()?;
    if key == DEFAULT_PARTITION {
        let help = "leave `partition` out, or name another one";
        return Err(node.flaw(format!("`{DEFAULT_PARTITION}` is the default partition"), help));
    }
    Ok(key)
}

fn pages(text: &Node) -> Parsed<Option<Pages>> {
    let size = text.optional("page-size", |node| {
        let size = u32::try_from(node.whole()?).ok().and_then(NonZeroU32::new);
        size.ok_or_else(|| node.expected("a whole number, not below 1"))
    })?;
    let rest = text.optional("continue", |node| match node.text()? {
        "rest" => Ok(Pages::Rest),
        other => Err(node.flaw(unknown("word", other, &["rest"]), "")),
    })?;
    if size.is_some() && rest.is_some() {
        let help = "`page-size` asks for the first page, and `continue` for those that follow";
        return Err(text.flaw("`page-size` and `continue` at once", help));
    }
    Ok(size.map(Pages::First).or(rest))
}

type Conditions = Vec<(usize, Condition)>;

fn batch(text: &Node) -> Parsed<(Vec<Operation>, Conditions)> {
    let (mut operations, mut conditions) = (Vec::new(), Vec::new());
    for (number, node) in text.list::<_, Vec<_>>(Ok)?.into_iter().enumerate() {
        let (word, fields) = node.single()?;
        let (operation, condition) = operation(word, fields, &Operation::WORDS, false)?;
        for name in ["partition", "container", "expect"] {
            if let Some(own) = fields.get(name) {
                let what = format!("an operation of a batch with a field `{name}` of its own");
                return Err(own.flaw(what, "the batch has that field"));
            }
        }
        conditions.extend(condition.map(|condition| (number, condition)));
        operations.push(operation);
    }
    if operations.is_empty() {
        return Err(text.flaw("a batch of nothing", "name at least one operation"));
    }
    Ok((operations, conditions))
}

/// Reads an operation on one item, alone or in a batch; `words` are those that might stand here.
fn operation(
    word: &NodeKey,
    text: &Node,
    words: &[&str],
    is_alone: bool,
) -> Parsed<(Operation, Option<Condition>)> {
    let (fields, condition): (&[&str], &[&str]) = match word.name.as_ref() {
        "create" => (WRITE, if is_alone { &["if-none-match"] } else { &[] }),
        "upsert" => (WRITE, if is_alone { &["if-match"] } else { &[] }),
        "replace" => (WRITE, &["if-match"]),
        "patch" => (PATCH, &["if-match"]),
        "read" => (&[], if is_alone { &["if-none-match"] } else { &[] }),
        "delete" => (&[], &["if-match"]),
        _ => return Err(word.unknown("word", words)),
    };
    text.only(&[&["id", "partition", "container"], fields, condition, &["expect"]].concat())?;
    let id = text.need("id")?.visible()?;
    let document = |id| Ok(Document { id, properties: properties(text)? });
    let operation = match word.name.as_ref() {
        "create" => Operation::Create(document(id)?),
        "upsert" => Operation::Upsert(document(id)?),
        "replace" => Operation::Replace(document(id)?, None),
        "patch" => Operation::Patch(patch(id, text)?, None),
        "read" => Operation::Read(id),
        _ => Operation::Delete(id, None),
    };
    Ok((operation, text.optional("if-match", Node::word)?))
}

fn patch(id: String, text: &Node) -> Parsed<Patch> {
    let patch = Patch {
        id,
        set: properties(text)?,
        remove: names(text, "remove")?,
        operations: text.optional("operations", |node| node.list(patch_operation))?.unwrap_or_default(),
    };
    if patch.set.is_empty() && patch.remove.is_empty() && patch.operations.is_empty() {
        let help = "name content to set, properties to remove, or operations";
        return Err(text.flaw("a patch that changes nothing", help));
    }
    match patch.remove.iter().find(|name| patch.set.contains_key(*name)) {
        Some(name) => Err(text.flaw(format!("`{name}` is set and removed at once"), "do one of them")),
        None => Ok(patch),
    }
}

fn patch_operation(node: &Node) -> Parsed<PatchOperation> {
    let (word, text) = node.single()?;
    let value = || literal(text, "value")?.ok_or_else(|| text.expected("a field `value`"));
    let path = text.need("path")?.visible()?;
    let fields: &[&str] = match word.name.as_ref() {
        "move" => &["from", "path"],
        "remove" => &["path"],
        _ => &["path", "value", "value-json"],
    };
    text.only(fields)?;
    Ok(match word.name.as_ref() {
        "add" => PatchOperation::Add { path, value: value()? },
        "replace" => PatchOperation::Replace { path, value: value()? },
        "set" => PatchOperation::Set { path, value: value()? },
        "incr" => PatchOperation::Incr { path, value: text.need("value")?.integer()? },
        "remove" => PatchOperation::Remove { path },
        "move" => PatchOperation::Move { from: text.need("from")?.visible()?, path },
        _ => return Err(word.unknown("word", &["add", "replace", "set", "incr", "remove", "move"])),
    })
}

fn names(text: &Node, field: &str) -> Parsed<Vec<String>> {
    Ok(text.optional(field, |node| node.list(Node::owned))?.unwrap_or_default())
}

/// The properties of an item, or those that an answer is asked for.
fn properties(text: &Node) -> Parsed<Properties> {
    let mut all = Properties::new();
    if let Some(more) = text.get("more") {
        let NodeKind::Map(entries) = &more.kind else { return Err(more.expected("a map of properties")) };
        for (key, value) in entries {
            if ["id", "ttl", "value"].contains(&key.name.as_ref()) {
                let what = format!("`{}` does not go into `more`", key.name);
                return Err(Flaw::new(&key.span, what, "it has a field of its own"));
            }
            all.insert(key.name.to_string(), value.literal()?);
        }
    }
    all.extend(literal(text, "ttl")?.map(|ttl| ("ttl".into(), ttl)));
    all.extend(text.optional("value", Node::integer)?.map(|value| ("value".into(), value.into())));
    Ok(all)
}

/// A JSON value, as YAML or, under `NAME-json`, as JSON text for what YAML cannot hold exactly.
fn literal(text: &Node, name: &str) -> Parsed<Option<Literal>> {
    match (text.get(name), text.get(&format!("{name}-json"))) {
        (Some(_), Some(json)) => {
            Err(json.flaw(format!("`{name}` and `{name}-json` at once"), "use one of them"))
        }
        (value, None) => value.map(Node::literal).transpose(),
        (None, Some(text)) => json(text, &format!("{name}-json")).map(Some),
    }
}

fn json(text: &Node, name: &str) -> Parsed<Literal> {
    Literal::parse(text.text()?)
        .map_err(|err| text.flaw(format!("`{name}` is not JSON: {err}"), "write one JSON value, quoted"))
}

/// Reads the field `expect`: one answer, or `{open: CLAUSE, VALUE: answer, ..}`.
fn expect(
    text: &Node,
    subject: Option<&str>,
    answer: impl Fn(&Node) -> Parsed<ExpectedResponse>,
) -> Parsed<Expect> {
    let text = text.need("expect")?;
    let [(first, clause), rest @ ..] = text.entries() else { return answer(text).map(Expect::One) };
    if first.name != "open" {
        return answer(text).map(Expect::One);
    }
    let of = text.optional("of", Node::visible)?.or(subject.map(str::to_owned));
    let outcomes = rest.iter().filter(|(value, _)| value.name != "of");
    let outcomes = outcomes.map(|(value, text)| Ok((value.name.to_string(), answer(text)?)));
    Ok(Expect::Open { clause: clause.owned()?, of, outcomes: outcomes.collect::<Parsed<_>>()? })
}

/// An answer in a word, or in a word with details.
fn answer(text: &Node) -> Parsed<ExpectedResponse> {
    let wrong = || text.expected("`found`, `{found: {value: 1}}` or `{open: CLAUSE, VALUE: found, ..}`");
    match text.entries() {
        [(word, details)] => Ok(ExpectedResponse::Status(status(text, &word.name)?, self::details(details)?)),
        _ => {
            Ok(ExpectedResponse::Status(status(text, text.text().map_err(|_| wrong())?)?, Details::default()))
        }
    }
}

/// Reads any status with a word, unless the target is too busy to say anything about time to live.
fn status(place: &Node, word: &str) -> Parsed<Status> {
    let says = |status: &Status| *status != Status::TooManyRequests;
    Status::from_word(word).filter(says).ok_or_else(|| {
        let words = Status::WORDS.iter().filter(|(status, ..)| says(status)).map(|(_, word, _)| *word);
        place.flaw(unknown("word", word, &words.collect::<Vec<_>>()), "")
    })
}

fn details(text: &Node) -> Parsed<Details> {
    text.only(&[
        "ttl",
        "ttl-json",
        "ttl-text",
        "value",
        "more",
        "absent",
        "written-at",
        "etag",
        "defaultTtl",
        "defaultTtl-json",
    ])?;
    let mut absent: Vec<String> = names(text, "absent")?;
    // An item has no property of that name unless a client sends one, which no vector does.
    let has_none = absent.iter().any(|name| name == "defaultTtl");
    absent.retain(|name| name != "defaultTtl");
    let default_ttl = literal(text, "defaultTtl")?;
    if has_none && default_ttl.is_some() {
        return Err(text.flaw("`defaultTtl` with a value and absent at once", "use one of them"));
    }
    Ok(Details {
        has: properties(text)?,
        ttl_text: text.optional("ttl-text", |text| json(text, "ttl-text"))?,
        absent,
        default_ttl: if has_none { Some(None) } else { default_ttl.map(Some) },
        written_at_s: text.optional("written-at", Node::whole)?,
        etag: text.optional("etag", Node::word)?,
    })
}

fn ids(text: &Node) -> Parsed<ExpectedResponse> {
    let all: Vec<String> = text.list(Node::owned)?;
    let count = all.len();
    let ids: BTreeSet<String> = all.into_iter().collect();
    if ids.len() < count {
        return Err(text.flaw("an id that is expected twice", "name each once"));
    }
    Ok(ExpectedResponse::Ids(ids))
}

fn values(text: &Node) -> Parsed<ExpectedResponse> {
    Ok(ExpectedResponse::Values(text.list(Node::literal)?))
}

fn count(text: &Node) -> Parsed<ExpectedResponse> {
    match &text.kind {
        NodeKind::Map(_) => {
            text.only(&["at-least", "at-most"])?;
            let (least, most) = (text.need("at-least")?.whole()?, text.need("at-most")?.whole()?);
            if most <= least {
                return Err(text.flaw("a count within no range", "`at-least` is below `at-most`"));
            }
            Ok(ExpectedResponse::CountWithin(least, most))
        }
        _ => match text.whole() {
            Ok(count) => Ok(ExpectedResponse::Count(count)),
            Err(_) => Err(text.expected("a number, or `{at-least: 1, at-most: 2}`")),
        },
    }
}

fn batch_answer(text: &Node, operations: usize) -> Parsed<ExpectedResponse> {
    if text.entries().is_empty()
        && let Ok(word) = text.text()
    {
        return Ok(ExpectedResponse::Status(status(text, word)?, Details::default()));
    }
    let (word, answer) = text.single()?;
    let status = |node: &Node| status(node, node.text()?);
    match word.name.as_ref() {
        "committed" => {
            let statuses: Vec<_> = answer.list(status)?;
            if statuses.len() != operations {
                let what = format!("{} answers to {operations} operations", statuses.len());
                return Err(answer.flaw(what, "one for each"));
            }
            Ok(ExpectedResponse::Committed(statuses))
        }
        "aborted" => {
            answer.only(&["at", "with"])?;
            let at = answer.need("at")?;
            let number = usize::try_from(at.whole()?).unwrap_or(usize::MAX);
            if number >= operations {
                return Err(
                    at.flaw(format!("the batch has no operation {number}"), "operations are counted from 0")
                );
            }
            Ok(ExpectedResponse::Aborted(number, status(answer.need("with")?)?))
        }
        _ => Err(word.unknown("word", &["committed", "aborted"])),
    }
}
