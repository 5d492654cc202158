//! The table of lifetimes, computed by the rule of the model: a container's default against an item's own `ttl`.

use cosmos_ttl_model::rule::{Sent, Ttl, lifetime, read};

use crate::report::style::{Align, headed_table};

/// The default and the item's own `ttl` of the table in seconds; different, so that a cell shows which one counts.
const DEFAULT_S: i64 = 100;
const OWN_S: i64 = 10;

/// Returns the table, a container setting a line, in lines of at most this width.
pub fn lifetime_matrix(width: Option<usize>) -> Vec<String> {
    let names = ["defaultTtl absent: off", "defaultTtl -1: on, no default", "defaultTtl 100"];
    let cells = lifetime_cells(&DEFAULT_S.to_string(), &OWN_S.to_string());
    let rows =
        names.iter().zip(cells).map(|(name, cells)| [(*name).to_owned()].into_iter().chain(cells).collect());
    let columns = ["container", "ttl absent", "ttl -1", "ttl 10"].map(|name| (name, Align::Left));
    headed_table(&columns, rows.collect(), width)
}

/// Returns what the rule says of each `defaultTtl` (absent, -1, a number: a row each) and each `ttl` (the same). The numbers
/// bear these names.
pub fn lifetime_cells(default_name: &str, own_name: &str) -> [[String; 3]; 3] {
    let cell = |container, item| match (read(container), read(item)) {
        (Ok(default_ttl), Ok(ttl)) => match lifetime(default_ttl, ttl) {
            Ttl::Forever => "never expires".to_owned(),
            Ttl::Seconds(seconds) => {
                let name = if seconds == OWN_S { own_name } else { default_name };
                format!("expires after {name} s")
            }
        },
        _ => "is refused".to_owned(),
    };
    let settings = |seconds| [Sent::Absent, Sent::Whole(-1), Sent::Whole(seconds)];
    settings(DEFAULT_S).map(|container| settings(OWN_S).map(|item| cell(container, item)))
}
