//! Every way in which a list can be wrong, where exactly that is said to be, and in which words.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cosmos_ttl_harness::diagnostic::Location;
use cosmos_ttl_harness::known_failures::KnownFailures;

use super::{read, suite};

const GOOD: &str = "\
target: somebody's server
known:
- id: lifetime/patched-item
  kind: bug
  reason: a patch restarts nothing
  link: https://example.org/1
  step: {at: 7, expected: found, got: not-found}
- match: 'settings/*'
  max: 2
  kind: wont-fix
  reason: it refuses nothing
  step: {expected: bad-request, got: '*'}
";

/// Refusals, for people to read as a whole.
struct Page(String);

impl Page {
    /// The good list with a part replaced is refused there, `line:column`.
    #[track_caller]
    fn check(&mut self, from: &str, to: &str, at: &str) {
        assert_eq!(GOOD.matches(from).count(), 1, "`{from}` stands there once");
        let flaw = read(&suite(), &GOOD.replace(from, to)).unwrap_err();
        let text = flaw.to_string();
        assert!(text.starts_with(&format!("known.yaml:{at}: ")), "not at {at}: {text}");
        if let Location::Text { source, span } = &flaw.location {
            let (line, column) = source.position(span.start);
            let shown = source.text.lines().nth(line - 1).unwrap_or("");
            let _ = writeln!(self.0, "{shown}\n{}^", " ".repeat(column - 1));
        }
        let _ = writeln!(self.0, "{text}\n");
    }
}

#[test]
fn a_good_list_is_read() {
    let suite = suite();
    let known = read(&suite, GOOD).unwrap();
    assert_eq!((known.len(), known.target.as_deref()), (2, Some("somebody's server")));
    let names: Vec<_> = known.names().collect();
    assert_eq!(names, ["lifetime/patched-item", "settings/expired-then-off", "settings/refused-batch"]);
    assert!(read(&suite, "known: []\n").unwrap().is_empty());
    let covered = "known:\n- {match: 'lifetime/*', max: 1, kind: bug, reason: r}\n\
                   - {id: lifetime/patched-item, kind: flaky, reason: r, step: {at: 9, expected: s, got: s}}\n";
    assert_eq!(read(&suite, covered).unwrap().len(), 2, "whoever is named may be matched too");
}

#[test]
fn what_is_wrong_with_a_list_is_shown_at_its_place() {
    let mut page = Page(String::new());
    page.check("target:", "format: 2\ntarget:", "1:1");
    page.check("target:", "targets:", "1:1");
    page.check("  kind: bug\n", "", "3:3");
    page.check("kind: bug", "kind: bugs", "4:9");
    page.check("kind: bug", "kind: bug\n  kind: bug", "5:3");
    page.check("  reason: a patch restarts nothing\n", "", "3:3");
    page.check("reason: a patch restarts nothing", "reason: '  '", "5:11");
    page.check("reason: a patch restarts nothing", "reason: &a b", "5:11");
    page.check("reason: a patch restarts nothing", "reason: [b]", "5:11");
    page.check("link: https://example.org/1", "link: ftp://example.org", "6:9");
    page.check("link: https://example.org/1", "link: https://", "6:9");
    page.check("link: https://example.org/1", "links: x", "6:3");
    page.check("  step: {at: 7, expected: found, got: not-found}\n", "", "3:7");
    page.check("{at: 7, expected: found, got: not-found}", "' '", "7:9");
    page.check("{at: 7, expected: found, got: not-found}", "{at: 7, expected: found}", "7:9");
    page.check("{at: 7, expected: found, got: not-found}", "{at: 7, expected: found, got: }", "7:37");
    page.check("at: 7, expected", "at: seven, expected", "7:14");
    page.check("at: 7, expected", "when: 7, expected", "7:10");
    page.check("step: {at: 7", "signature: {at: 7", "7:3");
    page.check("id: lifetime/patched-item", "id: lifetime/patched-itme", "3:7");
    page.check("id: lifetime/patched-item", "id: xyzzy", "3:7");
    page.check("id: lifetime/patched-item", "id: 'lifetime/*'", "3:7");
    page.check("id: lifetime/patched-item", "id: lifetime/patched-item\n  max: 1", "4:8");
    page.check("id: lifetime/patched-item", "id: lifetime/patched-item\n  match: '*/*'", "4:10");
    page.check("- id: lifetime/patched-item\n  kind", "- kind", "3:3");
    page.check("  max: 2\n", "", "8:10");
    page.check("max: 2", "max: 0", "9:8");
    page.check("max: 2", "max: -1", "9:8");
    page.check("max: 2", "max: many", "9:8");
    page.check("match: 'settings/*'", "match: 'cost/*'", "8:10");
    page.check("match: 'settings/*'", "match: '*'", "8:10");
    page.check("match: 'settings/*'", "match: settings/refused-batch", "8:10");
    page.check("{expected: bad-request, got: '*'}", "{expected: ''}", "12:20");
    page.check("{expected: bad-request, got: '*'}", "{}", "12:9");
    let twice = "- {id: lifetime/patched-item, kind: bug, reason: r, step: {at: 9, expected: s, got: s}}\n- match: 'settings/*'";
    page.check("- match: 'settings/*'", twice, "8:8");
    let twice = "- {match: '*/refused-*', max: 1, kind: bug, reason: r}\n- match: 'settings/*'";
    page.check("- match: 'settings/*'", twice, "9:10");
    insta::assert_snapshot!(page.0);
}

/// A run against the server is needed to hold it; that it can be read is known without.
#[test]
fn the_list_of_a_real_server_can_be_read() {
    let path = cosmos_ttl_testing::project().join("harness/implementations/cosmosdb-server/known.yaml");
    KnownFailures::load(&path, cosmos_ttl_testing::suite()).unwrap_or_else(|flaw| panic!("{flaw}"));
}

#[test]
fn a_list_that_is_not_there_or_no_text_is_refused() {
    let suite = suite();
    let directory = cosmos_ttl_testing::temporary().join("known-flaws");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let refused = |path: &Path| KnownFailures::load(path, &suite).unwrap_err().to_string();
    assert!(refused(&directory.join("none.yaml")).contains("there is no such list of known failures"));
    assert!(refused(&directory).contains("a directory, and not a regular file"));
    fs::write(directory.join("bytes.yaml"), b"known: [] # \xff\n").unwrap();
    assert!(refused(&directory.join("bytes.yaml")).contains(":1:13: not UTF-8"));
    fs::write(directory.join("long.yaml"), "# ten bytes\n".repeat(100_000)).unwrap();
    assert!(refused(&directory.join("long.yaml")).contains("bytes are too many"));
}
