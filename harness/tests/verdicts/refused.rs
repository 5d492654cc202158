//! Bad input that cannot be a text of its own in `runner/must-not-load`: bytes that are no text, files without end,
//! catalogues, directories; where exactly each is said to be wrong, and in which words.

mod refusals;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cosmos_ttl_harness::clauses::Catalogue;
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_testing::{GOOD, scratch};
use refusals::Page;

#[test]
fn the_good_files_are_good() {
    let suite = Suite::load(&scratch("refused-good", &[])).unwrap();
    assert_eq!(suite.vectors.len(), 1);
}

#[test]
fn text_that_is_not_what_it_seems() {
    let mut page = Page::new("yaml");
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
fn characters_that_readers_take_for_different_things() {
    let mut page = Page::new("characters");
    for character in [
        "\u{85}", "\u{2028}", "\u{2029}", "\r", "\u{b}", "\u{c}", "\u{1b}", "\u{7f}", "\u{9b}", "\u{feff}",
        "\0",
    ] {
        let hidden = format!("# a comment{character}- id: hidden\nformat: 1\n");
        page.whole(GOOD[1].0, format!("\n{hidden}").as_bytes(), "2:12");
        let text = format!("format: 1\nsection: \"life{character}time\"\n");
        page.whole(GOOD[1].0, text.as_bytes(), "2:15");
    }
    page.done();
}

#[test]
fn every_file_with_a_character_that_ends_a_line_for_some_readers_only_is_refused_there() {
    let suite = cosmos_ttl_testing::suite();
    let places = ["\u{85}", "\u{2028}", "\u{2029}", "\r", "\u{b}", "\u{c}", "\u{1b}"];
    for character in places {
        let comment = format!("# one{character}two\n");
        let read = |name: &str, flaw: Diagnostic| {
            let said = flaw.to_string();
            assert!(said.starts_with(&format!("{name}:1:6: U+")), "{character:?}: {said}");
        };
        let source = |name: &str, text: &str| Arc::new(Source::new(name, format!("{comment}{text}")));
        let known = source("known.yaml", "known: []\n");
        read("known.yaml", KnownFailures::parse(&known, suite).unwrap_err());
        let clauses = source("clauses.yaml", GOOD[0].1);
        read("clauses.yaml", Catalogue::read(&clauses).unwrap_err());
        let quick = format!("{comment}format: 1\nvectors: [lifetime/own-ttl]\n");
        let directory = scratch("refused-quick", &[("quick.yaml", quick.as_bytes())]);
        let name = directory.join("quick.yaml").display().to_string();
        read(&name, Suite::load(&directory).unwrap_err());
    }
}

#[test]
fn a_vector_of_too_many_steps_is_refused() {
    let mut page = Page::new("steps");
    let (head, tail) = GOOD[1].1.split_once("  - at: 10").unwrap();
    let long = |step: &str, times: usize| format!("{head}{}  - at: 10{tail}", step.repeat(times));
    page.whole(GOOD[1].0, long("  - read: {id: a, expect: found}\n", 1_200).as_bytes(), "8:5");
    let operations = vec!["{read: {id: a}}"; 1_200].join(", ");
    let batch = format!("  - batch: {{operations: [{operations}], expect: {{committed: []}}}}\n");
    page.whole(GOOD[1].0, long(&batch, 1).as_bytes(), "8:5");
    page.done();
    let most = 1_200 - GOOD[1].1.matches("\n  - ").count() - 2;
    let text = long("  - read: {id: a, expect: found}\n", most);
    Suite::load(&scratch("refused-most", &[(GOOD[1].0, text.as_bytes())])).unwrap();
}

#[test]
fn files_that_editors_leave_are_ignored() {
    let left = [".lifetime.yaml.swp", "lifetime.yaml~", ".DS_Store", ".#lifetime.yaml", "#lifetime.yaml#"];
    let files = left.map(|name| (name, &b"no vectors"[..]));
    let suite = Suite::load(&scratch("refused-left", &files)).unwrap();
    assert_eq!(suite.vectors.len(), 1);
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
