//! The words of ids and titles for settings, and for an item as a client knows it.

use cosmos_ttl_complete::{ItemState, Machine};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

use super::station::StationState;

/// Returns what a client sends for this `ttl`.
pub(crate) fn wire(ttl: ItemTtl) -> Wire {
    match ttl {
        ItemTtl::Inherit => Wire::Absent,
        ItemTtl::Never => Wire::Whole(-1),
        ItemTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}

/// Returns what a client sends for this `defaultTtl`.
pub(super) fn default_wire(default_ttl: DefaultTtl) -> Wire {
    match default_ttl {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}

/// `plain`, `never`, `ttl-1`
pub(super) fn ttl_slug(ttl: Wire) -> String {
    by_value(ttl, ["plain", "never", "ttl-"])
}

/// `off`, `no-default`, `default-1`
pub(super) fn default_slug(ttl: Wire) -> String {
    by_value(ttl, ["off", "no-default", "default-"])
}

/// ``without `ttl` ``, ``with `ttl` 1``
pub(super) fn ttl_words(ttl: Wire) -> String {
    by_value(ttl, ["without `ttl`", "with `ttl` -1", "with `ttl` "])
}

/// `off`, `` `defaultTtl` 1``
pub(super) fn default_words(ttl: Wire) -> String {
    by_value(ttl, ["off", "`defaultTtl` -1", "`defaultTtl` "])
}

fn by_value(ttl: Wire, [absent, never, seconds]: [&str; 3]) -> String {
    match ttl {
        Wire::Whole(-1) => never.into(),
        Wire::Whole(number) => format!("{seconds}{number}"),
        _ => absent.into(),
    }
}

/// `nothing`, `plain-aged-1`, `expired-ttl-1-aged-1`, `lapsed-ttl-1-aged-1`
pub(super) fn state_slug(machine: &Machine, state: StationState) -> String {
    let (prefix, item) = described(machine, state, ["", "expired-", "lapsed-"]);
    item.map_or_else(
        || "nothing".into(),
        |(ttl, age_s)| format!("{prefix}{}-aged-{age_s}", ttl_slug(wire(ttl))),
    )
}

/// ``an item with `ttl` 1 of age 1 s``
pub(super) fn state_words(machine: &Machine, state: StationState) -> String {
    let (suffix, item) = described(machine, state, ["", ", which is expired", ", which was expired before"]);
    item.map_or_else(
        || "an id without an item".into(),
        |(ttl, age_s)| format!("an item {} of age {age_s} s{suffix}", ttl_words(wire(ttl))),
    )
}

/// Returns the word for a visible, an expired or a lapsed item, and the item.
fn described<'w>(
    machine: &Machine,
    state: StationState,
    [visible, expired, lapsed]: [&'w str; 3],
) -> (&'w str, Option<(ItemTtl, i64)>) {
    let (number, word) = match state {
        StationState::Sure(number) if machine.is_visible(number) => (number, visible),
        StationState::Sure(number) => (number, expired),
        StationState::Lapsed { back, .. } => (back, lapsed),
    };
    (word, machine.states().get(usize::from(number)).and_then(|state: &ItemState| state.item))
}
