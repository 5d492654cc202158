//! A failure speaks against one of the clauses that its vector cites; against none, where only the setup failed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{
    About, Body, Container, Fault, Operation, Request, Response, Session, Status, Target,
};
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_harness::verdict::{Failure, Outcome, VectorResult, Verdict};
use cosmos_ttl_testing::hooked::hooked_box;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// The reference behind a function.
struct Hooked(fn(&mut dyn Session, &Request) -> Result<Response, Fault>);

impl Target for Hooked {
    fn about(&self) -> About {
        Reference::default().about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        static REFERENCE: LazyLock<Reference> = LazyLock::new(Reference::default);
        Ok(hooked_box(REFERENCE.open()?, self.0))
    }
}

/// Answers that every upsert made a new item.
fn says_created(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
    let mut response = session.send(request)?;
    let created = |operation: &Operation, status: &mut Status| {
        if matches!(operation, Operation::Upsert(_)) && status.is_success() {
            *status = Status::Created;
        }
    };
    match (request, &mut response) {
        (Request::Item(operation), response) => created(operation, &mut response.status),
        (Request::Batch(operations), Response { body: Body::Committed(statuses), .. }) => {
            operations.iter().zip(statuses).for_each(|(operation, status)| created(operation, status));
        }
        _ => {}
    }
    Ok(response)
}

/// Refuses no value: what the reference refuses is stored without it.
fn takes_any_value(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
    let response = session.send(request)?;
    let mut request = request.clone();
    let operations = match &mut request {
        _ if response.status != Status::BadRequest => return Ok(response),
        Request::CreateContainer(Container { default_ttl, .. })
        | Request::ReplaceContainer(Container { default_ttl, .. }) => {
            *default_ttl = None;
            &mut []
        }
        request => request.operations_mut(),
    };
    for properties in operations.iter_mut().filter_map(Operation::properties_mut) {
        properties.remove("ttl");
    }
    session.send(&request)
}

/// Failures of a target speak against each of these clauses, and against none if there are none.
#[track_caller]
fn check(hook: fn(&mut dyn Session, &Request) -> Result<Response, Fault>, broken: &[&str]) {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let run = run_virtual(&Hooked(hook), &vectors).unwrap();
    let accused: BTreeSet<_> = run.results.iter().flat_map(VectorResult::accused).collect();
    let spared: Vec<_> = broken.iter().filter(|clause| !accused.contains(**clause)).collect();
    assert!(spared.is_empty(), "{spared:?}");
    assert_eq!(accused.is_empty(), broken.is_empty());
}

/// The clauses that refuse a value, and the one that a store which takes `ttl: 10.0` for neither the number 10 nor a refusal breaks.
const OF_VALUES: [&str; 11] = [
    "container-above-maximum-rejected",
    "container-below-minus-one-rejected",
    "container-not-an-integer-rejected",
    "container-zero-rejected",
    "item-above-maximum-rejected",
    "item-below-minus-one-rejected",
    "item-integral-fraction",
    "item-not-an-integer-rejected",
    "item-null-rejected",
    "item-zero-rejected",
    "ttl-needs-an-index",
];

#[test]
fn a_choice_that_contradicts_another_vector_speaks_against_the_open_clause_only() {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let mut run = run_virtual(&Reference::default(), &vectors).unwrap();
    let chosen = |result: &&mut VectorResult<'_>| {
        result.choices.iter().any(|choice| choice.clause == "container-null-in-replacement")
    };
    let result = run.results.iter_mut().find(chosen).unwrap();
    let choice =
        result.choices.iter().find(|choice| choice.clause == "container-null-in-replacement").unwrap();
    let signature = Signature { expected: "x".into(), got: "y".into() };
    result.verdict = Verdict::Fail(Failure {
        step: choice.step,
        at_s: 0,
        expected: "x".into(),
        got: "y".into(),
        signature,
        beside: Some("domain/other".into()),
        removal: None,
    });
    assert_eq!(result.accused(), ["container-null-in-replacement"]);
}

#[test]
fn a_request_that_only_sets_a_vector_up_speaks_against_no_clause() {
    fn refuses_creation(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
        match request {
            Request::Item(Operation::Create(_)) => Ok(Response::new(Status::BadRequest)),
            request => session.send(request),
        }
    }
    let run = run_virtual(&Hooked(refuses_creation), &SUITE.vectors.iter().collect::<Vec<_>>()).unwrap();
    let accused = |name: &str| {
        let result = run.results.iter().find(|result| result.vector.name == name).unwrap();
        assert_eq!(result.outcome(), Outcome::Fail, "{name}");
        result.accused()
    };
    let none: [&str; 0] = [];
    assert_eq!(accused("lifetime/default-item-absent"), none);
    assert_eq!(accused("domain/item-minus-one"), ["item-minus-one-allowed"]);
    assert_eq!(accused("expired/create-at-the-deadline"), none);
}

#[test]
fn a_store_that_says_created_to_every_upsert_breaks_no_clause() {
    check(says_created, &[]);
}

#[test]
fn a_store_that_refuses_no_value_breaks_only_the_clauses_that_refuse_one() {
    check(takes_any_value, &OF_VALUES);
}
