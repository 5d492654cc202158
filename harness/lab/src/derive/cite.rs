//! Which clauses a transition shows: the table of kinds of transitions by what is known of the item.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::View;
use cosmos_ttl_model::container::Request;
use cosmos_ttl_model::knowledge::Known;
use cosmos_ttl_model::rule::ItemTtl;

use super::project::ITEM;
use super::track::Track;
use cosmos_ttl_explore::cite::{of_cell, of_change, of_operation, ttl_known};

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

fn ttl_of(view: &View) -> Option<ItemTtl> {
    ttl_known(view.known(ITEM))
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

fn of_settings(before: &View, after: &Track) -> Vec<&'static str> {
    let mut all = vec!["current-settings-decide"];
    let Track::Sure(after) = after else { return all };
    all.extend(of_change(
        (before.default_ttl(), before.known(ITEM)),
        (after.default_ttl(), after.known(ITEM)),
    ));
    all
}
