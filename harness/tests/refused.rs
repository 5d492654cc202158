//! Bad input: every way in which a file, a vector or a directory can be wrong, where exactly that is said to be, and in
//! which words. The words are snapshots, for people to read as a whole.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod common;
mod refusals;

use std::fs;
use std::path::Path;

use common::{GOOD, scratch};
use cosmos_ttl_harness::vector::Suite;
use refusals::Page;

const STEP: &str = "- read: {id: a, expect: not-found}";
const LAST: &str = "- query: {expect: {open: maybe, of: a, back: [a, b], gone: [b]}}";
const OPEN: &str = "{open: maybe, back: found, gone: not-found}";
const BATCH: &str = "operations: [{create: {id: b}}, {delete: {id: witness}}]";

#[test]
fn the_good_files_are_good() {
    let suite = Suite::load(&scratch("refused-good", &[])).unwrap();
    assert_eq!(suite.vectors.len(), 1);
    assert!(suite.require_complete().unwrap_err().to_string().contains("no vector cites soon"));
}

#[test]
fn text_that_is_not_what_it_seems() {
    let mut page = Page::new("yaml");
    page.vectors(STEP, "- read: {id: &x a, expect: not-found}", "12:16");
    page.vectors(STEP, "- read: {id: *x, expect: not-found}", "12:16");
    page.vectors(STEP, "- read: {<<: {id: a}, expect: not-found}", "12:12");
    page.vectors(STEP, "- read: {id: !!str a, expect: not-found}", "12:16");
    page.vectors(STEP, "- read: {id: a, id: a, expect: not-found}", "12:19");
    page.vectors(STEP, "- read: {id: a, expect: not-found, [x]: 1}", "12:38");
    page.vectors(STEP, "- read: {id: a, expect: not-found", "13:10");
    page.vectors(STEP, "\t- read: {id: a, expect: not-found}", "11:9");
    page.vectors("ttl: 10", "ttl: 1e400", "9:26");
    page.vectors("ttl: 10", "ttl: 18446744073709551616", "9:26");
    page.vectors("ttl: 10", "ttl: -9223372036854775809", "9:26");
    page.vectors("ttl: 10", "ttl: 1e1", "9:26");
    page.vectors("ttl: 10", "ttl: 010", "9:26");
    page.vectors("ttl: 10", "ttl: 0x10", "9:26");
    page.vectors("ttl: 10", "ttl: .inf", "9:26");
    page.vectors("ttl: 10", "more: {x: 1.10}", "9:31");
    page.vectors(LAST, &format!("{LAST}\n---\nformat: 1"), "21:1");
    page.whole(GOOD[1].0, b"", "1:1");
    page.whole(GOOD[1].0, b"# nothing here\n", "2:1");
    page.whole(GOOD[1].0, b"format: 1\nsection: lifetime\nvectors: []\n# \xff\n", "4:3");
    page.whole(GOOD[1].0, "[".repeat(100_000).as_bytes(), "1:256");
    page.whole(GOOD[1].0, "- ".repeat(100_000).as_bytes(), "1:65");
    page.whole(GOOD[1].0, "{a: ".repeat(100_000).as_bytes(), "1:1021");
    page.whole(GOOD[1].0, "# ten million bytes\n".repeat(500_000).as_bytes(), "");
    page.done();
}

#[test]
fn fields_and_files_that_the_format_does_not_have() {
    let mut page = Page::new("shape");
    page.vectors("format: 1", "format: 2", "1:9");
    page.vectors("format: 1\n", "", "1:1");
    page.vectors("section: lifetime", "section: lifetimes", "2:10");
    page.vectors("section: lifetime", "section: clock", "2:10");
    page.vectors("section: lifetime", "section: lifetime\nauthor: me", "3:1");
    page.vectors("  title: An item's own ttl wins\n", "", "4:3");
    page.vectors("title: An item's own ttl wins", "title: ''", "4:3");
    page.vectors("title: An item's own ttl wins", "title: It wins.", "4:3");
    page.vectors("title:", "titel:", "5:3");
    page.vectors("id: own-ttl", "id: Own ttl", "4:7");
    page.vectors("id: own-ttl", "id: ''", "4:7");
    page.vectors("clauses: [own, maybe]", "clauses: []", "6:12");
    page.vectors("clauses: [own, maybe]", "clauses: [own, maybee]", "6:12");
    page.vectors("clauses: [own, maybe]", "clauses: [own, own, maybe]", "6:12");
    page.vectors("clauses: [own, maybe]", "clauses: [own, maybe, removed]", "6:12");
    page.vectors("clauses: [own, maybe]", "clauses: [own, maybe]\n  edition: 2019", "7:12");
    page.vectors("clauses: [own, maybe]", "clauses: [own, maybe]\n  documents: [D1999]", "7:15");
    page.vectors(LAST, &format!("{LAST}\n- {}", twin()), "21:7");
    page.whole(GOOD[1].0, b"format: 1\nsection: lifetime\nvectors: []\n", "3:10");
    page.whole(GOOD[1].0, b"format: 1\nsection: lifetime\n", "1:1");
    page.whole(GOOD[1].0, b"- format: 1\n", "1:1");
    page.done();
}

/// The good vector once more, without its dash.
fn twin() -> &'static str {
    GOOD[1].1.split_once("- ").unwrap().1
}

#[test]
fn steps_that_the_format_does_not_have() {
    let mut page = Page::new("steps");
    let mut step = |to, at| page.vectors(STEP, to, at);
    step("- raed: {id: a, expect: not-found}", "12:5");
    step("- read: {id: a}", "12:11");
    step("- read: {id: a, expcet: not-found}", "12:19");
    step("- read: {id: a, expect: not-fuond}", "12:27");
    step("- read: {id: a, expect: 404}", "12:27");
    step("- read: {id: a, expect: {}}", "12:27");
    step("- read: {id: a, expect: {found: {}, not-found: {}}}", "12:27");
    step("- read: {id: a, expect: {found: {valeu: 1}}}", "12:36");
    step("- read: {id: a, ttl: 1, expect: not-found}", "12:19");
    step("- read: {expect: not-found}", "12:11");
    step("- {read: {id: a, expect: not-found}, query: {expect: []}}", "12:5");
    step("- read", "12:5");
    step("- create: {id: a, ttl: 1, ttl-json: '1', expect: created}", "12:5");
    step("- create: {id: a, ttl-json: '1e', expect: created}", "12:5");
    step("- create: {id: a, ttl-json: '1 2', expect: created}", "12:5");
    step("- create: {id: a, more: {ttl: 1}, expect: created}", "12:5");
    step("- create: {id: a, more: {id: b}, expect: created}", "12:5");
    step("- create: {id: a, value: x, expect: created}", "12:28");
    step("- create: {id: a, if-match: seen, expect: created}", "12:5");
    step("- replace: {id: a, if-match: latest, expect: ok}", "12:32");
    step("- patch: {id: a, expect: not-found}", "12:5");
    step("- patch: {id: a, ttl: 1, remove: [ttl], expect: not-found}", "12:5");
    step("- query: {expect: [witness, witness]}", "12:5");
    step("- count: {expect: -1}", "12:21");
    step("- replace-container: {indexing: eager, expect: ok}", "12:35");
    page.vectors(BATCH, "operations: []", "15:5");
    page.vectors(BATCH, "operations: [{create: {id: b, expect: created}}]", "16:29");
    page.vectors(BATCH, "operations: [{query: {}}]", "16:21");
    page.vectors("[created, no-content]", "[created]", "15:5");
    page.vectors("{committed: [created, no-content]}", "{aborted: {at: 2, with: conflict}}", "15:5");
    page.done();
}

#[test]
fn clocks_that_do_not_move_and_vectors_that_ask_nothing() {
    let mut page = Page::new("clock");
    page.vectors("- at: 10", "- at: 0", "11:5");
    page.vectors(STEP, "- at: 10", "12:5");
    page.vectors(STEP, "- at: 9", "12:5");
    page.vectors(STEP, "- at: -1", "12:9");
    page.vectors(STEP, "- at: 10.5", "12:9");
    page.vectors(LAST, &format!("{LAST}\n  - at: 11"), "21:5");
    page.whole(GOOD[1].0, format!("{}  steps: []\n", head()).as_bytes(), "4:3");
    page.whole(GOOD[1].0, format!("{}  steps:\n  - at: 1\n", head()).as_bytes(), "4:3");
    page.done();
}

/// The good vector as far as its steps.
fn head() -> &'static str {
    GOOD[1].1.split_once("  steps:").unwrap().0
}

#[test]
fn expectations_that_no_target_could_meet_or_that_test_nothing() {
    let mut page = Page::new("lint");
    page.vectors("create-container: {defaultTtl: 100, expect: created}", "query: {expect: []}", "8:5");
    page.vectors("- create-container", "- at: 1\n  - create-container", "9:5");
    page.vectors(STEP, "- create-container: {expect: created}", "12:5");
    page.vectors(STEP, "- read: {id: a, expect: created}", "12:5");
    page.vectors(STEP, "- read: {id: a, expect: precondition-failed}", "12:5");
    page.vectors(STEP, "- delete: {id: a, expect: ok}", "12:5");
    page.vectors(STEP, "- read: {id: a, expect: {not-found: {value: 1}}}", "12:5");
    page.vectors("[created, no-content]", "[ok, no-content]", "15:5");
    page.vectors("[created, no-content]", "[created, not-found]", "15:5");
    page.vectors("{committed: [created, no-content]}", "{aborted: {at: 0, with: created}}", "15:5");
    page.vectors("{committed: [created, no-content]}", "{aborted: {at: 1, with: conflict}}", "15:5");
    page.vectors(OPEN, "{open: own, back: found, gone: not-found}", "19:5");
    page.vectors(OPEN, "{open: perhaps, back: found, gone: not-found}", "19:5");
    page.vectors("clauses: [own, maybe]", "clauses: [own]", "19:5");
    page.vectors(OPEN, "{open: maybe, back: found}", "19:5");
    page.vectors(OPEN, "{open: maybe, back: found, away: not-found}", "19:5");
    page.vectors(OPEN, "{open: maybe, back: found, gone: not-found, other: found}", "19:5");
    page.vectors(OPEN, "{back: found, gone: not-found, open: maybe}", "19:27");
    page.vectors("{open: maybe, of: a, back", "{open: maybe, back", "20:5");
    page.vectors(STEP, "- replace: {id: c, if-match: seen, expect: not-found}", "12:5");
    page.vectors(STEP, "- replace: {id: a, if-match: stale, expect: not-found}", "12:5");
    page.vectors("written-at: 10", "written-at: 5", "14:5");
    page.vectors(LAST, "- read: {id: a, expect: found}", "19:5");
    page.vectors("gone: [b]", "gone: []", "19:5");
    page.done();
}

#[test]
fn catalogues_that_cannot_be_cited() {
    let mut page = Page::new("clauses");
    page.clauses("format: 1", "format: 7", "2:9");
    page.clauses("id: soon", "id: own", "12:5");
    page.clauses("values: [back, gone], binds: item, ", "", "7:5");
    page.clauses("level: should", "level: should, values: [x, y], binds: item", "12:5");
    page.clauses("level: should", "level: shall", "12:23");
    page.clauses("level: should", "levle: should", "12:16");
    page.clauses("observe: model", "observe: nobody", "9:61");
    page.done();
}

#[test]
fn directories_that_hold_something_else() {
    let mut page = Page::new("directory");
    page.directory("a stray file", &scratch("refused-stray", &[("notes.txt", b"x")]));
    page.directory("a stray vector file", &scratch("refused-yml", &[("clock.yml", b"x")]));
    page.directory("a hidden file", &scratch("refused-hidden", &[(".lifetime.yaml", b"x")]));
    let nested = scratch("refused-nested", &[]);
    fs::create_dir(nested.join("more.yaml")).unwrap();
    page.directory("a directory in it", &nested);
    let none = scratch("refused-none", &[]);
    fs::remove_file(none.join("clauses.yaml")).unwrap();
    page.directory("no clauses", &none);
    let empty = scratch("refused-empty", &[]);
    fs::remove_file(empty.join("lifetime.yaml")).unwrap();
    page.directory("no vectors", &empty);
    page.directory("no such directory", Path::new("no/such/directory"));
    page.directory("a file", &scratch("refused-file", &[]).join("lifetime.yaml"));
    page.done();
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let mut page = Page::new("unreadable");
    let dangling = scratch("refused-dangling", &[]);
    std::os::unix::fs::symlink("nowhere", dangling.join("clock.yaml")).unwrap();
    page.directory("a link to nothing", &dangling);
    let device = scratch("refused-device", &[]);
    std::os::unix::fs::symlink("/dev/zero", device.join("clock.yaml")).unwrap();
    page.directory("a link to something endless", &device);
    let named = scratch("refused-named", &[]);
    if fs::write(named.join(OsStr::from_bytes(b"\xff.yaml")), "x").is_ok() {
        page.directory("a name that is not UTF-8", &named);
    }
    page.done();
}
