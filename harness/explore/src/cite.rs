//! Which clauses a request shows: by what is known of the item before and after it.

use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::Operation;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

/// The clause of this cell of the table.
pub fn of_cell(default_ttl: DefaultTtl, ttl: ItemTtl) -> &'static str {
    match (default_ttl, ttl) {
        (DefaultTtl::Off, _) => "off-never-expires",
        (_, ItemTtl::Never) => "item-minus-one-overrides",
        (_, ItemTtl::Seconds(_)) => "item-seconds-override",
        (DefaultTtl::Seconds(_), ItemTtl::Inherit) => "item-inherits-seconds",
        (DefaultTtl::NoDefault, ItemTtl::Inherit) => "item-inherits-no-default",
    }
}

/// The `ttl` of an item of which this is known; `None` where there is none.
pub fn ttl_known(known: ClientKnowledge) -> Option<ItemTtl> {
    match known {
        ClientKnowledge::Absent => None,
        ClientKnowledge::Living { ttl, .. }
        | ClientKnowledge::Expired { ttl, .. }
        | ClientKnowledge::Open { ttl, .. } => Some(ttl),
    }
}

/// What an operation on an item shows of which this is known, and which has this `ttl` after it.
pub fn of_operation(
    before: ClientKnowledge,
    operation: &Operation,
    after: Option<ItemTtl>,
    changes: bool,
) -> Vec<&'static str> {
    use Operation as O;
    match (before, operation) {
        (ClientKnowledge::Expired { .. }, operation) => match operation {
            O::Read(_) => vec!["expired-read-not-found"],
            O::Replace { .. } => vec!["expired-replace-not-found", "no-write-revives"],
            O::Patch { .. } => vec!["expired-patch-not-found", "no-write-revives"],
            O::Delete { .. } => vec!["expired-delete-not-found", "no-write-revives"],
            O::Create(_) => vec!["expired-id-is-free", "purge-spares-recreated"],
            O::Upsert(_) => vec!["expired-upsert-creates", "purge-spares-recreated"],
        },
        (ClientKnowledge::Living { .. }, O::Read(_)) => vec!["read-does-not-restart"],
        (ClientKnowledge::Living { .. }, O::Create(_)) => vec!["failed-write-does-not-restart"],
        (ClientKnowledge::Living { ttl, .. }, O::Upsert(_) | O::Replace { .. }) if changes => {
            [Some("write-restarts-count"), of_new_ttl(ttl, after)].into_iter().flatten().collect()
        }
        (ClientKnowledge::Living { .. }, O::Patch { .. }) if changes => vec!["patch-restarts-count"],
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

/// What a change of the container's settings shows of an item of which this is known before and after it.
pub fn of_change(
    (was, before): (DefaultTtl, ClientKnowledge),
    (is, after): (DefaultTtl, ClientKnowledge),
) -> Vec<&'static str> {
    let change = match (before, after) {
        (ClientKnowledge::Living { .. }, ClientKnowledge::Expired { .. }) => {
            Some("switching-on-hides-old-items")
        }
        (ClientKnowledge::Living { ttl, .. }, ClientKnowledge::Living { .. }) => {
            let extends = ttl == ItemTtl::Inherit && raised(was, is);
            Some(if extends { "raising-extends" } else { "settings-do-not-touch-ts" })
        }
        _ => None,
    };
    let wakes = was == DefaultTtl::Off && matches!(ttl_known(before), Some(ItemTtl::Seconds(_)));
    let off = (is == DefaultTtl::Off).then_some("leaving-default-out-switches-off");
    [off, change, wakes.then_some("dormant-ttl-wakes")].into_iter().flatten().collect()
}

fn raised(was: DefaultTtl, is: DefaultTtl) -> bool {
    matches!((was, is), (DefaultTtl::Seconds(was), DefaultTtl::Seconds(is)) if was < is)
}
