//! Which clauses a request shows: by what is known of its items before and after it.

use std::collections::BTreeSet;

use crate::belief::{ClientKnowledge as Known, default_ttl};
use crate::reference::Names;
use cosmos_ttl_model::container::Operation as O;
use cosmos_ttl_model::rule::Ttl;

use super::annotate::Branches;
use crate::Call;
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Indexing, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse};

/// The clause of this cell of the table.
fn of_cell(default_ttl: Option<Ttl>, ttl: Option<Ttl>) -> &'static str {
    match (default_ttl, ttl) {
        (None, _) => "off-never-expires",
        (_, Some(Ttl::Forever)) => "item-minus-one-overrides",
        (_, Some(Ttl::Seconds(_))) => "item-seconds-override",
        (Some(Ttl::Seconds(_)), None) => "item-inherits-seconds",
        (Some(Ttl::Forever), None) => "item-inherits-no-default",
    }
}

/// Returns the clauses that an operation shows, by the knowledge of its item before and after it.
pub(crate) fn of_operation(before: Known, operation: &O, after: Known, changes: bool) -> Vec<&'static str> {
    match (before, operation) {
        (Known::Expired { .. }, O::Read(_)) => vec!["expired-read-not-found"],
        (Known::Expired { .. }, O::Replace { .. }) => vec!["expired-replace-not-found", "no-write-revives"],
        (Known::Expired { .. }, O::Patch { .. }) => vec!["expired-patch-not-found", "no-write-revives"],
        (Known::Expired { .. }, O::Delete { .. }) => vec!["expired-delete-not-found", "no-write-revives"],
        // In a batch that aborts.
        (Known::Expired { .. }, O::Create(_) | O::Upsert(_)) if !changes => vec!["no-write-revives"],
        (Known::Expired { .. }, O::Create(_)) => vec!["expired-id-is-free", "purge-spares-recreated"],
        (Known::Expired { .. }, O::Upsert(_)) => vec!["expired-upsert-creates", "purge-spares-recreated"],
        (Known::Living { .. }, O::Read(_)) => vec!["read-does-not-restart"],
        (Known::Living { .. }, O::Create(_)) => vec!["failed-write-does-not-restart"],
        (Known::Living { ttl, .. }, O::Upsert(_) | O::Replace { .. }) if changes => {
            let other = match after {
                Known::Living { ttl: new, .. } | Known::Expired { ttl: new, .. } if new != ttl => {
                    Some(new.map_or("removed-ttl-inherits", |_| "changed-ttl-counts-from-that-write"))
                }
                _ => None,
            };
            ["write-restarts-count"].into_iter().chain(other).collect()
        }
        (Known::Living { .. } | Known::Open { .. }, O::Patch { .. }) if changes => {
            vec!["patch-restarts-count"]
        }
        _ => Vec::new(),
    }
}

/// Returns the clauses that a change of settings shows, by the knowledge of an item before and after it.
fn of_change((was, before): (Option<Ttl>, Known), (is, after): (Option<Ttl>, Known)) -> Vec<&'static str> {
    let raised = matches!((was, is), (Some(Ttl::Seconds(was)), Some(Ttl::Seconds(is))) if was < is);
    let change = match (before, after) {
        (Known::Living { .. }, Known::Expired { .. }) => Some("switching-on-hides-old-items"),
        (Known::Living { ttl: None, .. }, Known::Living { .. }) if raised => Some("raising-extends"),
        (Known::Living { .. }, Known::Living { .. }) => Some("settings-do-not-touch-ts"),
        _ => None,
    };
    let has_seconds = match before {
        Known::Absent => false,
        Known::Living { ttl, .. } | Known::Expired { ttl, .. } | Known::Open { ttl, .. } => {
            matches!(ttl, Some(Ttl::Seconds(_)))
        }
    };
    let wakes = was.is_none() && has_seconds;
    let off = is.is_none().then_some("leaving-default-out-switches-off");
    [off, change, wakes.then_some("dormant-ttl-wakes")].into_iter().flatten().collect()
}

/// Returns the clauses that a step shows.
pub(super) fn of_step(
    call: &Call,
    expect: &Expect,
    before: &Branches,
    after: &Branches,
) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let refused = expect.outcomes().any(is_bad_request);
    let succeeds = expect.outcomes().all(is_success);
    let (was, is) = (default_ttl(before.beliefs()), default_ttl(after.beliefs()));
    for operation in call.request.operations() {
        let (known, then) = (before.known(operation.id()), after.known(operation.id()));
        // Only the kind of the operation counts.
        let kind = Names::default().operation(operation, |_| None);
        all.extend(of_operation(known, &kind, then, known != then));
        let conditional =
            expect.outcomes().any(is_failed_precondition) && matches!(known, Known::Living { .. });
        all.extend((conditional && known == then).then_some("failed-write-does-not-restart"));
        if !refused {
            all.extend(of_life(known, was));
            all.extend(operation.ttl().filter(|_| succeeds).and_then(of_allowed));
        } else if let Some(ttl) = operation.ttl() {
            all.extend(of_refused(ttl).map(|[of_item, _]| of_item));
        }
    }
    match &call.request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            let known = |id| (before.known(id), after.known(id));
            if refused {
                // Else the settings do not go together.
                let of_value =
                    |value| of_refused(value).map_or("ttl-needs-an-index", |[_, of_default]| of_default);
                all.extend(container.default_ttl.as_ref().map(of_value));
            } else if after.ids().map(|id| known(id)).all(|(known, then)| known == then) {
                all.extend(of_settings(container, matches!(call.request, Request::CreateContainer(_))));
            }
            let changes = after.ids().map(|id| known(id));
            all.extend(changes.flat_map(|(known, then)| of_change((was, known), (is, then))));
        }
        Request::Query | Request::List | Request::Count => {
            for known in before.ids().map(|id| before.known(id)) {
                all.extend(of_life(known, was));
                all.extend(matches!(known, Known::Expired { .. }).then_some("expired-not-in-queries"));
            }
        }
        _ => {}
    }
    all
}

/// Returns the clause that a write with this value shows by its success.
pub(crate) fn of_allowed(value: &Literal) -> Option<&'static str> {
    match value.kind() {
        LiteralKind::Whole(-1) => Some("item-minus-one-allowed"),
        LiteralKind::Whole(1..=2_147_483_647) => Some("item-seconds-range"),
        _ => None,
    }
}

fn is_success(outcome: &ExpectedResponse) -> bool {
    match outcome {
        ExpectedResponse::Status(status, _) => status.is_success(),
        ExpectedResponse::Committed(_) => true,
        _ => false,
    }
}

fn is_failed_precondition(outcome: &ExpectedResponse) -> bool {
    matches!(
        outcome,
        ExpectedResponse::Status(Status::PreconditionFailed, _)
            | ExpectedResponse::Aborted(_, Status::PreconditionFailed)
    )
}

fn is_bad_request(outcome: &ExpectedResponse) -> bool {
    matches!(
        outcome,
        ExpectedResponse::Status(Status::BadRequest, _) | ExpectedResponse::Aborted(_, Status::BadRequest)
    )
}

/// Why it is there, or is not.
pub(crate) fn of_life(known: Known, default_ttl: Option<Ttl>) -> Vec<&'static str> {
    match (known, default_ttl) {
        // Nothing expires in the second of its write.
        (Known::Living { age_s: ..=0, .. }, None) | (Known::Absent | Known::Open { .. }, _) => Vec::new(),
        (Known::Expired { ttl, .. }, _) => vec![of_cell(default_ttl, ttl), "gone-at-deadline"],
        (Known::Living { ttl, .. }, None)
        | (Known::Living { ttl: ttl @ Some(Ttl::Forever), .. }, _)
        | (Known::Living { ttl: ttl @ None, .. }, Some(Ttl::Forever)) => {
            vec![of_cell(default_ttl, ttl)]
        }
        (Known::Living { ttl, .. }, _) => vec![of_cell(default_ttl, ttl), "visible-before-deadline"],
    }
}

/// Returns the clauses that a container with these settings shows, if none of its items changes.
pub(crate) fn of_settings(container: &Container, created: bool) -> Vec<&'static str> {
    let setting = match container.default_ttl.as_ref().map(Literal::kind) {
        None if created => "container-absent-is-off",
        None => "leaving-default-out-switches-off",
        Some(LiteralKind::Null) if created => "container-null-at-creation",
        Some(LiteralKind::Null) => "container-null-in-replacement",
        Some(LiteralKind::Whole(-1)) => "container-minus-one-is-on-without-default",
        Some(_) => "container-seconds-range",
    };
    let indexed = container.indexing == Indexing::Lazy && container.default_ttl.is_some();
    [setting].into_iter().chain(indexed.then_some("indexed-modes-allow-ttl")).collect()
}

/// Returns the clauses that the refusal of this value shows, for an item and for a container; `None` if the value is
/// allowed.
pub(crate) fn of_refused(value: &Literal) -> Option<[&'static str; 2]> {
    match value.kind() {
        LiteralKind::Null => Some(["item-null-rejected", "container-null-in-replacement"]),
        // 0.0 is zero before it is a fraction.
        LiteralKind::Whole(0) | LiteralKind::WholeAsFraction(0) => {
            Some(["item-zero-rejected", "container-zero-rejected"])
        }
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) if number < -1 => {
            Some(["item-below-minus-one-rejected", "container-below-minus-one-rejected"])
        }
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) if number > 2_147_483_647 => {
            Some(["item-above-maximum-rejected", "container-above-maximum-rejected"])
        }
        LiteralKind::Whole(_) => None,
        LiteralKind::WholeAsFraction(_) | LiteralKind::Other => {
            Some(["item-not-an-integer-rejected", "container-not-an-integer-rejected"])
        }
    }
}
