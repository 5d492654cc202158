//! The table of lifetimes, computed by the rule of the model: a container's default against an item's own `ttl`.

use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Lifetime, Wire, lifetime};

use crate::style::{Align, headed_table};

/// The default and the item's own `ttl` of the table in seconds; different, so that a cell shows which one counts.
const DEFAULT_S: i64 = 100;
const OWN_S: i64 = 10;

/// Returns the table, a container setting a line, in lines of at most this width.
pub fn lifetime_matrix(width: Option<usize>) -> Vec<String> {
    let containers = [
        ("defaultTtl absent: off", Wire::Absent),
        ("defaultTtl -1: on, no default", Wire::Whole(-1)),
        ("defaultTtl 100", Wire::Whole(DEFAULT_S)),
    ];
    let items = [Wire::Absent, Wire::Whole(-1), Wire::Whole(OWN_S)];
    let cell = |container, item| match (
        DefaultTtl::from_wire(container),
        ItemTtl::from_wire(item, Edition::default()),
    ) {
        (Ok(default_ttl), Ok(ttl)) => match lifetime(default_ttl, ttl) {
            Lifetime::Forever => "never expires".to_owned(),
            Lifetime::Seconds(seconds) => format!("expires after {} s", seconds.get()),
        },
        _ => "is refused".to_owned(),
    };
    let rows = containers.map(|(name, container)| {
        let cells = items.iter().map(|item| cell(container, *item));
        [name.to_owned()].into_iter().chain(cells).collect()
    });
    let columns = ["container", "ttl absent", "ttl -1", "ttl 10"].map(|name| (name, Align::Left));
    headed_table(&columns, rows.to_vec(), width)
}
