//! Which clauses a step shows, by what is known of its items before and after it.

use std::collections::BTreeSet;

use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};
use cosmos_ttl_reference::Names;

use super::annotate::Branches;
use crate::Call;
use crate::cite;
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Edition, Indexing, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse};

/// What the step shows.
pub(super) fn of(
    call: &Call,
    expect: &Expect,
    before: &Branches,
    after: &Branches,
    edition: Edition,
) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let refused = expect.outcomes().any(is_bad_request);
    for operation in call.request.operations() {
        let (was, is) = (before.known(operation.id()), after.known(operation.id()));
        // Only the kind of the operation counts.
        let kind = Names::default().operation(operation, |_| None);
        all.extend(cite::of_operation(was, &kind, cite::ttl_known(is), was != is));
        if refused {
            all.extend(operation.ttl().and_then(|value| of_item_value(value, edition)));
        } else {
            all.extend(of_life(was, before.default_ttl()));
        }
    }
    match &call.request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            if refused {
                all.extend(container.default_ttl.as_ref().map(of_container_value));
            } else if after.ids().iter().all(|id| before.known(id) == after.known(id)) {
                all.extend(of_settings(container, matches!(call.request, Request::CreateContainer(_))));
            }
            for id in after.ids() {
                let was = (before.default_ttl(), before.known(id));
                let is = (after.default_ttl(), after.known(id));
                all.extend(cite::of_change(was, is));
            }
        }
        Request::Query | Request::List | Request::Count => {
            for known in before.ids().iter().map(|id| before.known(id)) {
                all.extend(of_life(known, before.default_ttl()));
                if matches!(known, ClientKnowledge::Expired { .. }) {
                    all.insert("expired-not-in-queries");
                }
            }
        }
        Request::Item(_) | Request::Batch(_) => {}
    }
    all
}

fn is_bad_request(outcome: &ExpectedResponse) -> bool {
    matches!(
        outcome,
        ExpectedResponse::Status(Status::BadRequest, _) | ExpectedResponse::Aborted(_, Status::BadRequest)
    )
}

/// Why it is there, or is not.
fn of_life(known: ClientKnowledge, default_ttl: DefaultTtl) -> Vec<&'static str> {
    let ends = |ttl: ItemTtl| {
        !matches!(
            (default_ttl, ttl),
            (DefaultTtl::Off, _) | (_, ItemTtl::Never) | (DefaultTtl::NoDefault, ItemTtl::Inherit)
        )
    };
    match known {
        ClientKnowledge::Living { ttl, .. } if ends(ttl) => {
            vec![cite::of_cell(default_ttl, ttl), "visible-before-deadline"]
        }
        ClientKnowledge::Expired { ttl, .. } => vec![cite::of_cell(default_ttl, ttl), "gone-at-deadline"],
        ClientKnowledge::Living { ttl, .. } => vec![cite::of_cell(default_ttl, ttl)],
        ClientKnowledge::Absent | ClientKnowledge::Open { .. } => Vec::new(),
    }
}

fn of_item_value(value: &Literal, edition: Edition) -> Option<&'static str> {
    match value.kind() {
        LiteralKind::Null if edition == Edition::Y2020 => Some("item-null-inherits"),
        LiteralKind::Null => Some("item-null-rejected"),
        LiteralKind::Whole(0) => Some("item-zero-rejected"),
        LiteralKind::Whole(number) if number < -1 => Some("item-below-minus-one-rejected"),
        LiteralKind::Whole(number) if number > 2_147_483_647 => Some("item-above-maximum-rejected"),
        LiteralKind::Whole(_) => None,
        LiteralKind::WholeAsFraction(_) | LiteralKind::Other => Some("item-not-an-integer-rejected"),
    }
}

/// What a container that takes these settings shows, if nothing becomes of its items.
fn of_settings(container: &Container, created: bool) -> Vec<&'static str> {
    let setting = match container.default_ttl.as_ref().map(Literal::kind) {
        None if created => "container-absent-is-off",
        None => "leaving-default-out-switches-off",
        Some(LiteralKind::Null) => "container-null-is-off",
        Some(LiteralKind::Whole(-1)) => "container-minus-one-is-on-without-default",
        Some(_) => "container-seconds-range",
    };
    let indexed = container.indexing == Indexing::Lazy && container.default_ttl.is_some();
    [setting].into_iter().chain(indexed.then_some("indexed-modes-allow-ttl")).collect()
}

fn of_container_value(value: &Literal) -> &'static str {
    match value.kind() {
        LiteralKind::Null => "container-null-is-off",
        LiteralKind::Whole(0) => "container-zero-rejected",
        LiteralKind::Whole(number) if number < -1 => "container-below-minus-one-rejected",
        LiteralKind::Whole(number) if number > 2_147_483_647 => "container-above-maximum-rejected",
        // Settings that do not go together.
        LiteralKind::Whole(_) => "ttl-needs-an-index",
        LiteralKind::WholeAsFraction(_) | LiteralKind::Other => "container-not-an-integer-rejected",
    }
}
