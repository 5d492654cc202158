//! What a vector must expect, from everything that may be answered.

use std::collections::BTreeMap;

use super::maybe::Answer;
use super::open::{Field, Key, REAPPEARANCE};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse};

/// What is expected, and the choice that it tells of, if any.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) expect: Expect,
    pub(super) told: Option<Key>,
}

/// One thing for all answers, or one for each value of the one clause that decides.
///
/// # Errors
///
/// Why no vector can say it.
pub(super) fn of(answers: &[Answer]) -> Result<Expected, String> {
    let mut distinct: Vec<&ExpectedResponse> = Vec::new();
    for answer in answers {
        if !distinct.contains(&&answer.outcome) {
            distinct.push(&answer.outcome);
        }
    }
    if let [one] = distinct.as_slice() {
        return Ok(Expected { expect: Expect::One((*one).clone()), told: None });
    }
    let mut keys: Vec<&Key> = Vec::new();
    for key in answers.iter().flat_map(|answer| answer.values.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    // A choice that binds says more than one that may be another the next time.
    let explains = |key: &&&Key| bound(answers, key, &distinct);
    let by_bound = keys.iter().find_map(|key| Some((*key, explains(&key)?)));
    let found = by_bound.or_else(|| keys.iter().find_map(|key| Some((*key, free(answers, key)?))));
    match found {
        Some((key, _)) if key.clause == Field::LazyIndex.clause().0 => {
            Err("what a lazy index answers while it is built anew is open, and no client can tell".into())
        }
        Some((key, outcomes)) => Ok(open(key, outcomes)),
        None => Err(format!(
            "{} answers are allowed here, and no single open clause says which is when",
            distinct.len()
        )),
    }
}

fn open(key: &Key, [usual, other]: [ExpectedResponse; 2]) -> Expected {
    let [first, second] = values(key.clause);
    let outcomes = vec![(first.into(), usual), (second.into(), other)];
    let expect = Expect::Open { clause: key.clause.into(), of: key.of.clone(), outcomes };
    Expected { expect, told: Some(key.clone()) }
}

/// The values of an open clause, the usual one first.
pub(super) fn values(clause: &str) -> [&'static str; 2] {
    const FIELDS: [Field; 7] = [
        Field::ContainerNull,
        Field::IntegralFraction,
        Field::InvalidWhileOff,
        Field::Aggregates,
        Field::ExpiredUpsert,
        Field::ExpiredPrecondition,
        Field::LazyIndex,
    ];
    let known = FIELDS.into_iter().map(Field::clause).find(|(id, _)| *id == clause);
    known.map_or(["back", "gone"], |(_, values)| values)
}

/// Whether one choice holds from then on, for an item or for all of the target.
fn binds(key: &Key) -> bool {
    key.clause == REAPPEARANCE || key.of.is_some() || key.clause == Field::ContainerNull.clause().0
}

/// What each value answers, if that is one thing each.
fn bound(answers: &[Answer], key: &Key, distinct: &[&ExpectedResponse]) -> Option<[ExpectedResponse; 2]> {
    if !binds(key) || distinct.len() != 2 {
        return None;
    }
    let by_value = by_value(answers, key)?;
    match by_value.as_slice() {
        [(false, usual), (true, other)] => match (usual.as_slice(), other.as_slice()) {
            ([usual], [other]) => Some([(*usual).clone(), (*other).clone()]),
            _ => None,
        },
        _ => None,
    }
}

/// The same where a choice binds nothing: one of the values answers one thing, the other may answer that, too.
fn free(answers: &[Answer], key: &Key) -> Option<[ExpectedResponse; 2]> {
    if binds(key) {
        return None;
    }
    let by_value = by_value(answers, key)?;
    let [(false, usual), (true, other)] = by_value.as_slice() else { return None };
    let besides = |one: &ExpectedResponse, all: &[&ExpectedResponse]| {
        let rest: Vec<&ExpectedResponse> = all.iter().copied().filter(|outcome| *outcome != one).collect();
        if let [rest] = rest.as_slice() { Some((*rest).clone()) } else { None }
    };
    match (usual.as_slice(), other.as_slice()) {
        ([usual], other) => Some([(*usual).clone(), besides(usual, other)?]),
        (usual, [other]) => Some([besides(other, usual)?, (*other).clone()]),
        _ => None,
    }
}

/// The distinct answers under each value; `None` where a world knows of no such choice.
fn by_value<'a>(answers: &'a [Answer], key: &Key) -> Option<Vec<(bool, Vec<&'a ExpectedResponse>)>> {
    let mut all: BTreeMap<bool, Vec<&ExpectedResponse>> = BTreeMap::new();
    for answer in answers {
        let outcomes = all.entry(*answer.values.get(key)?).or_default();
        if !outcomes.contains(&&answer.outcome) {
            outcomes.push(&answer.outcome);
        }
    }
    Some(all.into_iter().collect())
}
