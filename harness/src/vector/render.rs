//! Writes steps and vectors as YAML in the format of `vectors/README.md`.

use std::fmt;
use std::sync::Arc;

use super::{Condition, Details, Expect, ExpectedResponse, Pages, Precondition, Step};
use crate::diagnostic::Source;
use crate::literal::{Literal, LiteralKind};
use crate::target::{Container, Indexing, Operation, PatchOperation, Properties, Request, Select, Status};
use crate::yaml::{self, other_reading};

/// The reason why the format cannot hold a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// A vector as text, save for its layout.
#[derive(Clone, Copy, Debug)]
pub struct VectorText<'a> {
    /// The id, unique in its section.
    pub id: &'a str,
    /// The title, one sentence.
    pub title: &'a str,
    /// The clauses that it cites.
    pub clauses: &'a [&'a str],
    /// The steps, as [`step`] and [`at`] write them, and comments.
    pub steps: &'a [String],
}

/// Returns the head of a file of vectors, with the path from the file to the schema.
pub fn head(schema: &str, note: &str, section: &str) -> String {
    format!("# yaml-language-server: $schema={schema}\n{note}format: 1\nsection: {section}\nvectors:\n")
}

/// Returns the lines of a vector.
pub fn vector(vector: &VectorText<'_>) -> Vec<String> {
    let mut lines = vec![
        format!("- id: {}", vector.id),
        format!("  title: {}", sentence(vector.title)),
        format!("  clauses: [{}]", vector.clauses.join(", ")),
    ];
    lines.push("  steps:".into());
    lines.extend(vector.steps.iter().map(|step| format!("  {step}")));
    lines
}

/// Returns the step that moves the clock to this second.
pub fn at(second: u64) -> String {
    format!("- at: {second}")
}

/// Returns a request and its expectation as a step. Expected ids follow `order`; other ids come after those, sorted.
///
/// # Errors
///
/// [`Unwritable`] if the format has no field for something.
pub fn step(
    request: &Request,
    conditions: &[(usize, Condition)],
    expect: &Expect,
    order: &[&str],
) -> Result<String, Unwritable> {
    write(request, Vec::new(), conditions, expect, order)
}

/// Returns a step of a vector with all its fields.
///
/// # Errors
///
/// [`Unwritable`] if the format has no field for something.
pub fn whole_step(step: &Step) -> Result<String, Unwritable> {
    let container = step.container.iter().map(|container| format!("container: {}", text(container)));
    let partition = step.partition.iter().map(|partition| format!("partition: {}", text(partition)));
    let pages = step.pages.iter().map(|pages| match pages {
        Pages::First(size) => format!("page-size: {size}"),
        Pages::Rest => "continue: rest".into(),
    });
    let precondition = step.precondition.iter().map(|precondition| match precondition {
        Precondition::IfMatch(condition) => format!("if-match: {condition}"),
        Precondition::IfNoneMatch(None) => "if-none-match: any".into(),
        Precondition::IfNoneMatch(Some(condition)) => format!("if-none-match: {condition}"),
    });
    let options = partition.chain(container).chain(pages).chain(precondition).collect();
    write(&step.request, options, &step.conditions, &step.expect, &[])
}

/// Returns the lines of these steps, with the moves of the clock between them.
///
/// # Errors
///
/// [`Unwritable`] if the format has no field for something.
pub fn timed_steps(steps: &[Step]) -> Result<Vec<String>, Unwritable> {
    let mut now_s = 0;
    let mut lines = Vec::new();
    for step in steps {
        if step.at_s > now_s {
            now_s = step.at_s;
            lines.push(at(now_s));
        }
        lines.push(whole_step(step)?);
    }
    Ok(lines)
}

fn write(
    request: &Request,
    options: Vec<String>,
    conditions: &[(usize, Condition)],
    expect: &Expect,
    order: &[&str],
) -> Result<String, Unwritable> {
    let has_word = |response: &ExpectedResponse| match (request, response) {
        (Request::Batch(_), ExpectedResponse::Status(status, _)) => *status == Status::BadRequest,
        (
            Request::Query | Request::List | Request::Count | Request::Select(_) | Request::ReadMany(_),
            ExpectedResponse::Status(..),
        ) => false,
        _ => true,
    };
    if !expect.outcomes().all(has_word) {
        let why =
            "there may be no container, and the format has no word for what a query or a batch answers then";
        return Err(Unwritable(why.into()));
    }
    let condition =
        |number: usize| conditions.iter().find(|(of, _)| *of == number).map(|(_, condition)| *condition);
    let mut fields = match request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => settings(container),
        Request::Item(operation) => self::operation(operation, condition(0))?,
        Request::Batch(operations) => {
            let each = operations.iter().enumerate().map(|(number, operation)| {
                let fields = self::operation(operation, condition(number))?;
                Ok(format!("{{{}: {}}}", operation.word(), map(&fields)))
            });
            vec![format!("operations: [{}]", each.collect::<Result<Vec<_>, _>>()?.join(", "))]
        }
        Request::Select(select) => self::select(select)?,
        Request::ReadMany(ids) => vec![format!("ids: {}", list(ids))],
        Request::Query
        | Request::List
        | Request::Count
        | Request::ReadContainer
        | Request::DeleteContainer => Vec::new(),
    };
    fields.extend(options);
    fields.push(format!("expect: {}", expectation(request, expect, order)?));
    Ok(format!("- {}: {}", request.word(), map(&fields)))
}

/// Returns an expected response as it follows `expect:`. Ids follow `order`, as in [`step`].
///
/// # Errors
///
/// [`Unwritable`] if the format has no field for something.
pub fn expected_response(response: &ExpectedResponse, order: &[&str]) -> Result<String, Unwritable> {
    Ok(match response {
        ExpectedResponse::Status(status, details) if details.is_empty() => status.word().into(),
        ExpectedResponse::Status(status, details) => {
            format!("{{{}: {}}}", status.word(), map(&self::details(details)?))
        }
        ExpectedResponse::Ids(ids) => {
            let first = order.iter().copied().filter(|id| ids.contains(*id));
            let rest = ids.iter().map(String::as_str).filter(|id| !order.contains(id));
            list(first.chain(rest))
        }
        ExpectedResponse::Count(count) => count.to_string(),
        ExpectedResponse::CountWithin(least, most) => format!("{{at-least: {least}, at-most: {most}}}"),
        ExpectedResponse::Values(values) => {
            let values = values.iter().map(|value| json("values", value)).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", values.join(", "))
        }
        ExpectedResponse::Committed(statuses) => {
            format!("{{committed: {}}}", list(statuses.iter().map(|status| status.word())))
        }
        ExpectedResponse::Aborted(at, status) => {
            format!("{{aborted: {{at: {at}, with: {}}}}}", status.word())
        }
    })
}

/// Returns a text that YAML reads as this text.
pub fn text(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && !["null", "true", "false", "y", "n"].contains(&text)
        && !other_reading::has_one(text);
    if plain { text.into() } else { quoted(text) }
}

/// Returns several words as YAML reads them, on one line whatever is in them.
fn sentence(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.contains(' ')
        && !text.ends_with(' ')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " '(),-./;[]_{}`".contains(c));
    if plain { text.into() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(all: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    format!("[{}]", all.into_iter().map(|one| text(one.as_ref())).collect::<Vec<_>>().join(", "))
}

fn map(fields: &[String]) -> String {
    format!("{{{}}}", fields.join(", "))
}

fn expectation(request: &Request, expect: &Expect, order: &[&str]) -> Result<String, Unwritable> {
    let (clause, of, outcomes) = match expect {
        Expect::One(response) => return expected_response(response, order),
        Expect::Open { clause, of, outcomes } => (clause, of.as_deref(), outcomes),
    };
    let subject = if let Request::Item(operation) = request { Some(operation.id()) } else { None };
    let mut fields = vec![format!("open: {clause}")];
    fields.extend(of.filter(|of| Some(*of) != subject).map(|of| format!("of: {}", text(of))));
    for (value, response) in outcomes {
        fields.push(format!("{}: {}", text(value), expected_response(response, order)?));
    }
    Ok(map(&fields))
}

fn settings(container: &Container) -> Vec<String> {
    let default_ttl = container.default_ttl.as_ref().map(|value| property("defaultTtl", value));
    let indexing =
        (container.indexing != Indexing::Consistent).then(|| format!("indexing: {}", container.indexing));
    default_ttl.into_iter().chain(indexing).collect()
}

fn operation(operation: &Operation, condition: Option<Condition>) -> Result<Vec<String>, Unwritable> {
    let mut fields = vec![format!("id: {}", text(operation.id()))];
    if let Some(sent) = operation.properties() {
        fields.extend(properties(sent)?);
    }
    if let Operation::Patch(patch, _) = operation
        && !patch.remove.is_empty()
    {
        fields.push(format!("remove: {}", list(&patch.remove)));
    }
    if let Operation::Patch(patch, _) = operation
        && !patch.operations.is_empty()
    {
        let each: Vec<_> = patch.operations.iter().map(patch_operation).collect();
        fields.push(format!("operations: [{}]", each.join(", ")));
    }
    fields.extend(condition.map(|condition| format!("if-match: {condition}")));
    Ok(fields)
}

fn patch_operation(operation: &PatchOperation) -> String {
    use PatchOperation as P;
    let path = format!("path: {}", text(operation.path()));
    let (word, field) = match operation {
        P::Add { value, .. } => ("add", Some(property("value", value))),
        P::Replace { value, .. } => ("replace", Some(property("value", value))),
        P::Set { value, .. } => ("set", Some(property("value", value))),
        P::Incr { value, .. } => ("incr", Some(format!("value: {value}"))),
        P::Remove { .. } => ("remove", None),
        P::Move { from, .. } => ("move", Some(format!("from: {}", text(from)))),
    };
    let fields: Vec<String> = field.into_iter().chain([path]).collect();
    format!("{{{word}: {}}}", map(&fields))
}

fn select(select: &Select) -> Result<Vec<String>, Unwritable> {
    let Select { filter, order_by, offset, limit, values, distinct, count, across } = select;
    let conditions = filter.iter().map(|(name, value)| Ok(format!("{}: {}", text(name), json(name, value)?)));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    let mut fields = Vec::new();
    fields.extend((!conditions.is_empty()).then(|| format!("where: {}", map(&conditions))));
    fields.extend(order_by.iter().map(|name| format!("order-by: {}", text(name))));
    fields.extend(offset.iter().map(|number| format!("offset: {number}")));
    fields.extend(limit.iter().map(|number| format!("limit: {number}")));
    fields.extend(values.iter().map(|name| format!("values: {}", text(name))));
    let flags = [("distinct", distinct), ("count", count), ("across", across)];
    fields.extend(flags.iter().filter(|(_, is_set)| **is_set).map(|(name, _)| format!("{name}: true")));
    Ok(fields)
}

/// Whole numbers as they are; whatever YAML might read in another way as JSON text.
fn property(name: &str, value: &Literal) -> String {
    if value.kind() == LiteralKind::Null || is_whole(value) {
        format!("{name}: {value}")
    } else {
        format!("{name}-json: {}", quoted(value.as_str()))
    }
}

fn is_whole(value: &Literal) -> bool {
    matches!(value.kind(), LiteralKind::Whole(number) if number.to_string() == value.as_str())
}

fn properties(all: &Properties) -> Result<Vec<String>, Unwritable> {
    let mut fields: Vec<String> = all.get("ttl").iter().map(|ttl| property("ttl", ttl)).collect();
    if let Some(value) = all.get("value") {
        if !is_whole(value) {
            let why = format!("`value` is {value}, and the format has only whole numbers there");
            return Err(Unwritable(why));
        }
        fields.push(format!("value: {value}"));
    }
    let others = all.iter().filter(|(name, _)| !matches!(name.as_str(), "ttl" | "value"));
    let more = others.map(|(name, value)| Ok(format!("{}: {}", text(name), json(name, value)?)));
    let more = more.collect::<Result<Vec<_>, _>>()?;
    if !more.is_empty() {
        fields.push(format!("more: {}", map(&more)));
    }
    Ok(fields)
}

/// A value that YAML keeps exactly.
fn json(name: &str, value: &Literal) -> Result<String, Unwritable> {
    let source = Arc::new(Source::new("value", value.as_str()));
    let kept = yaml::parse(&source).ok().and_then(|node| node.literal().ok());
    if kept.as_ref() != Some(value) {
        return Err(Unwritable(format!("`{name}` is {value}, which YAML would not keep as it is written")));
    }
    Ok(value.to_string())
}

fn details(details: &Details) -> Result<Vec<String>, Unwritable> {
    let mut fields = properties(&details.has)?;
    fields.extend(details.ttl_text.iter().map(|ttl| format!("ttl-text: {}", quoted(ttl.as_str()))));
    if !details.absent.is_empty() {
        fields.push(format!("absent: {}", list(&details.absent)));
    }
    fields.extend(details.written_at_s.map(|at_s| format!("written-at: {at_s}")));
    fields.extend(details.etag.map(|etag| format!("etag: {etag}")));
    fields.extend(details.default_ttl.iter().map(|value| match value {
        Some(value) => property("defaultTtl", value),
        None => "absent: [defaultTtl]".into(),
    }));
    Ok(fields)
}
