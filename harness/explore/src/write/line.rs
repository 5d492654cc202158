//! A step as text: a request with its fields, and what it must answer.

use crate::Call;
use crate::draft::Line;
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{Container, Document, Indexing, Operation, Properties, Request};
use cosmos_ttl_harness::vector::{Condition, Details, EtagIs, Expect, ExpectedResponse};

/// The step.
///
/// # Errors
///
/// What the format has no field for.
pub(super) fn line(ask: &Call, expect: &Expect) -> Result<Line, String> {
    let whole =
        !matches!(ask.request, Request::Item(_) | Request::CreateContainer(_) | Request::ReplaceContainer(_));
    if whole && expect.outcomes().any(|one| matches!(one, ExpectedResponse::Status(..))) {
        return Err(
            "there may be no container, and the format has no word for what a query or a batch answers then"
                .into(),
        );
    }
    let (name, fields) = request(ask)?;
    Ok(Line::ask(name, fields, expected(ask, expect)?))
}

type Fields = (&'static str, Vec<String>);

fn request(ask: &Call) -> Result<Fields, String> {
    Ok(match &ask.request {
        Request::CreateContainer(container) => ("create-container", self::container(container)),
        Request::ReplaceContainer(container) => ("replace-container", self::container(container)),
        Request::Item(operation) => self::operation(operation, condition(ask, 0))?,
        Request::Batch(operations) => {
            let each = |(number, one): (usize, &Operation)| {
                let (name, fields) = operation(one, condition(ask, number))?;
                Ok(format!("{name}: {{{}}}", fields.join(", ")))
            };
            let each = operations.iter().enumerate().map(each);
            let each =
                each.map(|one| one.map(|one| format!("{{{one}}}"))).collect::<Result<Vec<_>, String>>()?;
            ("batch", vec![format!("operations: [{}]", each.join(", "))])
        }
        Request::Query => ("query", Vec::new()),
        Request::List => ("list", Vec::new()),
        Request::Count => ("count", Vec::new()),
    })
}

fn condition(ask: &Call, number: usize) -> Option<Condition> {
    ask.conditions.iter().find(|(of, _)| *of == number).map(|(_, condition)| *condition)
}

fn container(container: &Container) -> Vec<String> {
    let mut fields: Vec<String> =
        container.default_ttl.iter().map(|value| property("defaultTtl", value)).collect();
    match container.indexing {
        Indexing::Consistent => {}
        Indexing::Lazy => fields.push("indexing: lazy".into()),
        Indexing::None => fields.push("indexing: none".into()),
    }
    fields
}

/// Whole numbers as they are; whatever YAML might read in another way as JSON text.
fn property(name: &str, value: &Literal) -> String {
    match value.kind() {
        Kind::Null => format!("{name}: null"),
        Kind::Whole(number) if number.to_string() == value.as_str() => format!("{name}: {number}"),
        _ => format!("{name}-json: {}", quoted(value.as_str())),
    }
}

/// A text that YAML reads as this text.
pub(super) fn text(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(&text);
    if plain { text.into() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn operation(operation: &Operation, condition: Option<Condition>) -> Result<Fields, String> {
    let mut fields = vec![format!("id: {}", text(operation.id()))];
    let of = |document: &Document| properties(&document.properties);
    let name = match operation {
        Operation::Create(document) => {
            fields.extend(of(document)?);
            "create"
        }
        Operation::Upsert(document) => {
            fields.extend(of(document)?);
            "upsert"
        }
        Operation::Replace(document, _) => {
            fields.extend(of(document)?);
            "replace"
        }
        Operation::Patch(patch, _) => {
            fields.extend(properties(&patch.set)?);
            if !patch.remove.is_empty() {
                fields.push(format!("remove: {}", list(patch.remove.iter().map(String::as_str))));
            }
            "patch"
        }
        Operation::Read(_) => "read",
        Operation::Delete(..) => "delete",
    };
    fields.extend(condition.map(|condition| match condition {
        Condition::Seen => "if-match: seen".into(),
        Condition::Stale => "if-match: stale".into(),
    }));
    Ok((name, fields))
}

fn properties(all: &Properties) -> Result<Vec<String>, String> {
    let mut fields: Vec<String> = all.get("ttl").iter().map(|ttl| property("ttl", ttl)).collect();
    match all.get("value").map(|value| (value, value.kind())) {
        None => {}
        Some((value, Kind::Whole(number))) if number.to_string() == value.as_str() => {
            fields.push(format!("value: {number}"));
        }
        Some((value, _)) => {
            return Err(format!("`value` is {value}, and the format has only whole numbers there"));
        }
    }
    let mut more = Vec::new();
    for (name, value) in all.iter().filter(|(name, _)| !matches!(name.as_str(), "ttl" | "value")) {
        more.push(format!("{}: {}", text(name), json(name, value)?));
    }
    if !more.is_empty() {
        fields.push(format!("more: {{{}}}", more.join(", ")));
    }
    Ok(fields)
}

/// A value as YAML holds it exactly.
fn json(name: &str, value: &Literal) -> Result<String, String> {
    let parsed: serde_json::Value = serde_json::from_str(value.as_str()).map_err(|err| err.to_string())?;
    if Literal::from(&parsed) == *value {
        Ok(value.to_string())
    } else {
        Err(format!("`{name}` is {value}, which YAML would not keep as it is written"))
    }
}

pub(super) fn list<'a>(all: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", all.map(text).collect::<Vec<_>>().join(", "))
}

fn expected(ask: &Call, expect: &Expect) -> Result<String, String> {
    match expect {
        Expect::One(one) => outcome(one),
        Expect::Open { clause, of, outcomes } => {
            let mut fields = vec![format!("open: {clause}")];
            let subject =
                if let Request::Item(operation) = &ask.request { Some(operation.id()) } else { None };
            if let Some(of) = of.as_deref().filter(|of| Some(*of) != subject) {
                fields.push(format!("of: {}", text(of)));
            }
            for (value, one) in outcomes {
                fields.push(format!("{value}: {}", outcome(one)?));
            }
            Ok(format!("{{{}}}", fields.join(", ")))
        }
    }
}

/// An answer as the format writes it.
pub(super) fn outcome(outcome: &ExpectedResponse) -> Result<String, String> {
    Ok(match outcome {
        ExpectedResponse::Status(status, details) if details.is_empty() => status.word().into(),
        ExpectedResponse::Status(status, details) => {
            format!("{{{}: {{{}}}}}", status.word(), self::details(details)?.join(", "))
        }
        ExpectedResponse::Ids(ids) => list(ids.iter().map(String::as_str)),
        ExpectedResponse::Count(count) => count.to_string(),
        ExpectedResponse::Committed(statuses) => {
            let words: Vec<&str> = statuses.iter().map(|status| status.word()).collect();
            format!("{{committed: [{}]}}", words.join(", "))
        }
        ExpectedResponse::Aborted(at, status) => {
            format!("{{aborted: {{at: {at}, with: {}}}}}", status.word())
        }
    })
}

fn details(details: &Details) -> Result<Vec<String>, String> {
    let mut fields = properties(&details.has)?;
    if !details.absent.is_empty() {
        fields.push(format!("absent: {}", list(details.absent.iter().map(String::as_str))));
    }
    fields.extend(details.written_at_s.map(|at_s| format!("written-at: {at_s}")));
    fields.extend(details.etag.map(|etag| match etag {
        EtagIs::Same => "etag: same".into(),
        EtagIs::New => "etag: new".into(),
    }));
    Ok(fields)
}
