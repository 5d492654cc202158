//! Which clauses a transition shows: the table of kinds of transitions by what is known of the item.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::View;
use cosmos_ttl_model::container::{Operation, Request};
use cosmos_ttl_model::knowledge::Known;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

use super::tours::ITEM;
use super::track::Track;

/// The section in which it stands.
pub(super) fn section(before: &View, requests: &[Request]) -> &'static str {
    let configures = |request: &Request| matches!(request, Request::Configure(_));
    match before.known(ITEM) {
        Known::Open { .. } => "purge",
        _ if !requests.is_empty() && requests.iter().all(configures) => "settings",
        Known::Absent => "lifetime",
        Known::Living { .. } => "writes",
        Known::Expired { .. } => "expired",
    }
}

/// The clause that says how long the item lives; of nothing, how long the witness does.
pub(super) fn of_life(view: &View) -> &'static str {
    of_cell(view.default_ttl(), ttl_of(view).unwrap_or(ItemTtl::Never))
}

/// The clause of this cell of the table.
pub(crate) fn of_cell(default_ttl: DefaultTtl, ttl: ItemTtl) -> &'static str {
    match (default_ttl, ttl) {
        (DefaultTtl::Off, _) => "off-never-expires",
        (_, ItemTtl::Never) => "item-minus-one-overrides",
        (_, ItemTtl::Seconds(_)) => "item-seconds-override",
        (DefaultTtl::Seconds(_), ItemTtl::Inherit) => "item-inherits-seconds",
        (DefaultTtl::NoDefault, ItemTtl::Inherit) => "item-inherits-no-default",
    }
}

fn ttl_of(view: &View) -> Option<ItemTtl> {
    ttl_known(view.known(ITEM))
}

pub(crate) fn ttl_known(known: Known) -> Option<ItemTtl> {
    match known {
        Known::Absent => None,
        Known::Living { ttl, .. } | Known::Expired { ttl, .. } | Known::Open { ttl, .. } => Some(ttl),
    }
}

/// What these requests show, where they were asked.
pub(super) fn of_move(before: &View, requests: &[Request], after: &Track) -> BTreeSet<&'static str> {
    let changes = *after != Track::Sure(before.clone());
    let one = |request: &Request| match request {
        Request::Item(operation) => {
            let after = if let Track::Sure(view) = after { ttl_of(view) } else { None };
            of_operation(before.known(ITEM), operation, after, changes)
        }
        Request::Configure(_) if changes => of_settings(before, after),
        _ => match before.known(ITEM) {
            Known::Living { .. } => vec!["read-does-not-restart"],
            Known::Expired { .. } => vec!["expired-not-in-queries", "hidden-immediately"],
            Known::Absent | Known::Open { .. } => Vec::new(),
        },
    };
    requests.iter().flat_map(one).collect()
}

/// What an operation on an item shows of which this is known, and which has this `ttl` after it.
pub(crate) fn of_operation(
    before: Known,
    operation: &Operation,
    after: Option<ItemTtl>,
    changes: bool,
) -> Vec<&'static str> {
    use Operation as O;
    match (before, operation) {
        (Known::Expired { .. }, O::Read(_)) => vec!["expired-read-not-found"],
        (Known::Expired { .. }, O::Replace { .. }) => vec!["expired-replace-not-found", "no-write-revives"],
        (Known::Expired { .. }, O::Patch { .. }) => vec!["expired-patch-not-found", "no-write-revives"],
        (Known::Expired { .. }, O::Delete { .. }) => vec!["expired-delete-not-found", "no-write-revives"],
        (Known::Expired { .. }, O::Create(_)) => vec!["expired-id-is-free", "purge-spares-recreated"],
        (Known::Expired { .. }, O::Upsert(_)) => vec!["expired-upsert-creates", "purge-spares-recreated"],
        (Known::Living { .. }, O::Read(_)) => vec!["read-does-not-restart"],
        (Known::Living { .. }, O::Create(_)) => vec!["failed-write-does-not-restart"],
        (Known::Living { ttl, .. }, O::Upsert(_) | O::Replace { .. }) if changes => {
            let mut all = vec!["write-restarts-count"];
            all.extend(of_new_ttl(ttl, after));
            all
        }
        (Known::Living { .. }, O::Patch { .. }) if changes => vec!["patch-restarts-count"],
        _ => Vec::new(),
    }
}

fn of_new_ttl(old: ItemTtl, after: Option<ItemTtl>) -> Option<&'static str> {
    match after? {
        new if new == old => None,
        ItemTtl::Inherit => Some("removed-ttl-inherits"),
        ItemTtl::Never | ItemTtl::Seconds(_) => Some("changed-ttl-counts-from-that-write"),
    }
}

fn of_settings(before: &View, after: &Track) -> Vec<&'static str> {
    let mut all = vec!["current-settings-decide"];
    let Track::Sure(after) = after else { return all };
    all.extend(of_change(
        (before.default_ttl(), before.known(ITEM)),
        (after.default_ttl(), after.known(ITEM)),
    ));
    all
}

/// What a change of the container's settings shows of an item of which this is known before and after it.
pub(crate) fn of_change(
    (was, before): (DefaultTtl, Known),
    (is, after): (DefaultTtl, Known),
) -> Vec<&'static str> {
    let mut all = Vec::new();
    if is == DefaultTtl::Off {
        all.push("leaving-default-out-switches-off");
    }
    match (before, after) {
        (Known::Living { .. }, Known::Expired { .. }) => all.push("switching-on-hides-old-items"),
        (Known::Living { ttl: ItemTtl::Inherit, .. }, Known::Living { .. }) if raised(was, is) => {
            all.push("raising-extends");
        }
        (Known::Living { .. }, Known::Living { .. }) => all.push("settings-do-not-touch-ts"),
        _ => {}
    }
    if was == DefaultTtl::Off && matches!(ttl_known(before), Some(ItemTtl::Seconds(_))) {
        all.push("dormant-ttl-wakes");
    }
    all
}

fn raised(was: DefaultTtl, is: DefaultTtl) -> bool {
    matches!((was, is), (DefaultTtl::Seconds(was), DefaultTtl::Seconds(is)) if was < is)
}
