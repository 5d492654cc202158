//! Processes as targets: good ones, and every way in which one can misbehave.

pub(crate) mod act;
mod bounds;
mod good;
mod misbehaved;
mod program;
mod protocol;
mod schema;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let groups =
        [bounds::trials(), good::trials(), misbehaved::trials(), protocol::trials(), schema::trials()];
    groups.into_iter().flatten().collect()
}
