//! What must come with an answer beside its status, as far as every world agrees on it.

use super::maybe::Answer;
use super::open::Key;
use cosmos_ttl_harness::target::{Body, Item};
use cosmos_ttl_harness::vector::{Details, EtagIs, Expect, ExpectedResponse};
use cosmos_ttl_reference::START;

/// The same expectation with everything that may be said of the item.
pub(super) fn added(expect: &Expect, told: Option<&Key>, answers: &[Answer]) -> Expect {
    let with = |one: &ExpectedResponse, value: Option<bool>| match one {
        ExpectedResponse::Status(status, _) => {
            let under = |answer: &&Answer| {
                let chosen = told.and_then(|key| answer.values.get(key)).copied();
                answer.outcome == *one && (value.is_none() || chosen == value)
            };
            let like: Vec<&Answer> = answers.iter().filter(under).collect();
            ExpectedResponse::Status(*status, details(&like).unwrap_or_default())
        }
        other => other.clone(),
    };
    match expect {
        Expect::One(one) => Expect::One(with(one, None)),
        Expect::Open { clause, of, outcomes } => {
            // The usual value stands first.
            let values = [false, true].into_iter();
            let outcomes = outcomes.iter().zip(values);
            let outcomes = outcomes.map(|((name, one), value)| (name.clone(), with(one, Some(value))));
            Expect::Open { clause: clause.clone(), of: of.clone(), outcomes: outcomes.collect() }
        }
    }
}

fn item(answer: &Answer) -> Option<&Item> {
    if let Body::Item(item) = &answer.response.body { Some(item) } else { None }
}

fn details(answers: &[&Answer]) -> Option<Details> {
    let items: Vec<&Item> = answers.iter().map(|answer| item(answer)).collect::<Option<_>>()?;
    let first = items.first()?;
    let mut details = Details::default();
    for (name, value) in &first.document.properties {
        if items.iter().all(|item| item.document.properties.get(name) == Some(value)) {
            details.has.insert(name.clone(), value.clone());
        }
    }
    if items.iter().all(|item| !item.document.properties.contains_key("ttl")) {
        details.absent.push("ttl".into());
    }
    if items.iter().all(|item| item.ts == first.ts) {
        let since = first.ts.and_then(|ts| ts.checked_sub(START));
        details.written_at_s = since.and_then(|since| u64::try_from(since).ok());
    }
    let same = |answer: &&Answer| item(answer).is_some_and(|item| item.etag.as_ref() == answer.seen.last());
    let known = |answer: &&Answer| {
        let etag = item(answer).and_then(|item| item.etag.as_ref());
        etag.is_none_or(|etag| answer.seen.contains(etag))
    };
    if answers.iter().all(same) {
        details.etag = Some(EtagIs::Same);
    } else if !answers.iter().any(known) {
        details.etag = Some(EtagIs::New);
    }
    Some(details)
}
