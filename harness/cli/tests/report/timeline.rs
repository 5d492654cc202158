//! A drawing agrees with the expectations of the vectors: two ways to say the same, written apart.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use cosmos_ttl::report::timeline::{Does, Life, timeline};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{Operation, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Suite, Vector, embedded};
use cosmos_ttl_testing::run_all;

/// Every vector.
static ALL: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// Every vector against the reference.
static RUN: LazyLock<Run<'static>> = LazyLock::new(|| run_all(&Reference::default(), &ALL));

/// Whether an item is there when this request comes; `None` where that is open.
fn is_there(life: &Life, number: usize, at_s: u64) -> Option<bool> {
    let now = life
        .spans
        .iter()
        .filter(|span| span.from_step < number && span.until_step.is_none_or(|until| number <= until));
    let mut living = now.filter(|span| span.deadline_s.is_none_or(|deadline_s| at_s < deadline_s));
    living.next().map_or(Some(false), |span| (!span.open).then_some(true))
}

/// Returns the items that an expected answer shows; none if the answer is open.
fn shown(step: &Step) -> Vec<(String, bool)> {
    let Expect::One(outcome) = &step.expect else { return Vec::new() };
    match (&step.request, outcome) {
        (Request::Item(Operation::Read(id)), ExpectedResponse::Status(status, _)) => {
            vec![(step.item(id).to_string(), *status != Status::NotFound)]
        }
        (Request::Query | Request::List, ExpectedResponse::Ids(ids)) if step.pages.is_none() => {
            ids.iter().map(|id| (step.item(id).to_string(), true)).collect()
        }
        _ => Vec::new(),
    }
}

/// How many looks of a vector were compared.
#[track_caller]
fn check(vector: &Vector, lives: &[Life]) -> usize {
    let mut compared = 0;
    for (number, step) in vector.steps.iter().enumerate() {
        let shown = shown(step);
        let mut expected: BTreeSet<(&str, bool)> =
            shown.iter().map(|(id, there)| (id.as_str(), *there)).collect();
        let is_feed =
            matches!((&step.request, &step.expect), (Request::Query | Request::List, Expect::One(_)));
        if is_feed && step.pages.is_none() {
            let ids: BTreeSet<_> = shown.iter().map(|(id, _)| id.as_str()).collect();
            let here = step.item("").to_string();
            let is_here = |item: &&str| match step.place() {
                (None, None) => !item.contains(" in "),
                _ => item.ends_with(&here),
            };
            let others = lives.iter().map(|life| life.item.as_str()).filter(|id| !ids.contains(id));
            let others = others.filter(is_here);
            expected.extend(others.map(|id| (id, false)));
        }
        for (id, there) in expected {
            let life = lives.iter().find(|life| life.item == id);
            let drawn = life.map_or(Some(false), |life| is_there(life, number, step.at_s));
            assert!(drawn.is_none_or(|drawn| drawn == there), "{} step {number}: {id} {life:?}", vector.name);
            compared += usize::from(drawn.is_some());
        }
    }
    compared
}

#[test]
fn the_drawing_of_every_vector_agrees_with_all_it_expects_whatever_was_chosen() {
    let mut compared = 0;
    for result in &RUN.results {
        for choices in [&[][..], &result.choices] {
            compared += check(result.vector, &timeline(result.vector, choices).lives);
        }
    }
    assert!(1500 < compared, "only {compared} looks were compared");
}

fn life(vector: &str, item: &str) -> Life {
    let vector = ALL.get(vector).unwrap();
    let lives = timeline(vector, &[]).lives;
    lives.into_iter().find(|life| life.item == item).unwrap()
}

#[test]
fn the_longest_life_ends_beyond_32_bits_and_a_write_begins_another() {
    let longest = life("domain/container-maximum", "a");
    let last = longest.spans.last().unwrap();
    assert_eq!((last.deadline_s, last.until_s, last.open), (Some(2_147_483_647), None, false));
    let written = life("writes/writes-restart-own-ttl", "a");
    let writes: Vec<_> = written.touches.iter().filter(|touch| touch.does == Does::Writes).collect();
    assert!(1 < writes.len());
    assert_eq!(written.spans.len(), writes.len(), "{written:?}");
    let moved: BTreeSet<_> = written.spans.iter().map(|span| span.deadline_s).collect();
    assert!(1 < moved.len(), "{written:?}");
}

#[test]
fn what_is_open_is_drawn_as_open_until_a_choice_was_seen() {
    let vector = ALL.get("settings/expired-then-off").unwrap();
    let drawn =
        |choices: &[_]| timeline(vector, choices).lives.into_iter().find(|life| life.item == "a").unwrap();
    assert!(drawn(&[]).spans.iter().any(|span| span.open));
    let result = RUN.results.iter().find(|result| result.vector.name == vector.name).unwrap();
    let mut choices = result.choices.clone();
    for value in ["back", "gone"] {
        for choice in &mut choices {
            choice.value = value.into();
        }
        let spans = drawn(&choices).spans;
        assert!(spans.iter().all(|span| !span.open), "{value} {spans:?}");
        assert_eq!(spans.len(), if value == "back" { 2 } else { 1 }, "{value} {spans:?}");
    }
}
