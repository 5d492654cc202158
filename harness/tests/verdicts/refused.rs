//! Bad input that cannot be a text of its own in `runner/must-not-load`: bytes that are no text, files without end,
//! catalogues, directories; where exactly each is said to be wrong, and in which words.

mod refusals;

use std::fs;
use std::path::Path;

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
