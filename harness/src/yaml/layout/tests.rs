//! Whatever is read without the parsers is what they read.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::diagnostic::Source;
use crate::yaml::{read_any, read_usual};

/// Whether the text is laid out as usual; reads it both ways if so.
#[track_caller]
fn is_usual(text: &str) -> bool {
    let Some((value, tree)) = read_usual::<serde_json::Value>(text) else { return false };
    let source = Arc::new(Source { name: "f.yaml".into(), text: text.into() });
    match read_any::<serde_json::Value>(&source, "") {
        Ok((other_value, other_tree)) => {
            assert!(tree == other_tree, "{text}\n{tree:?}\n{other_tree:?}");
            assert_eq!(value, other_value, "{text}");
        }
        Err(flaw) => panic!("{flaw}\n{text}"),
    }
    true
}

/// The names and texts of our own files.
fn files() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let paths = [directory.clone(), directory.join("derived")].into_iter().flat_map(|directory| {
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    });
    // The certificate is for people.
    let read = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "yaml") && !path.ends_with("certificate.yaml")
    };
    let yaml = paths.filter(read);
    yaml.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn our_own_files_are_laid_out_as_usual() {
    let odd = files().into_iter().filter(|(_, text)| !is_usual(text)).map(|(name, _)| name);
    assert_eq!(odd.collect::<Vec<_>>(), [""; 0]);
}

const USUAL: [&str; 15] = [
    "a: 1\n",
    "a: 1",
    "\n# b\na: b c # d\n\n  # e \n",
    "a:\n  b: c\n  d: -1\ne: 'f # g: \"'\n",
    "a: # b\n- c\n-   d: e\n    f: [g, 1.5, null]\n- true\nh: \"i's\"\n",
    "a:\n  - b:\n      - c: {d: {}, e: []}\n    f: g\n",
    "- {a: b,\n   c: [d, \"e\",\n  f]}\n- g\n",
    "a: {   b: c,   d: [ e , f ] }   # g\n",
    "# ä · é\na: b ends in - or ? or 'c' or \"d\" or {e} or [f], g*h &i !j %k @l `m`\n",
    "a: b:c\n",
    "a: -b\nc-d_e./f: g/h (i)\n",
    "a: 18446744073709551615\nb: -9223372036854775808\nc: -2.25\n",
    "a: '1'\nb: \"null\"\nc: 'true'\nd: \"\"\n",
    "a: nulls\nb: Null\nc: FALSE\nd: 2024-01-01\ne: inf\nf: -inf\ng: nan\n",
    "a:   b   \nc:\n\n\n  d: e   \n   \n",
];

#[test]
fn what_is_read_is_what_the_parsers_read() {
    for text in USUAL {
        assert!(is_usual(text), "{text}");
    }
    // Longer than a key may be.
    let long = "a".repeat(2000);
    let text = format!(
        "- {long}\n- '{long}'\n- [{long}, \"{long}\"]\n- {{a: {long}}}\n- a: {long}\n  b: '{long}'\n"
    );
    assert!(is_usual(&text));
}

#[test]
fn what_leaves_room_for_doubt_is_not_read() {
    for text in [
        "",
        "# a\n",
        "a",
        "a: b\n c\n",
        "a:\n",
        "a: b: c\n",
        "a: ~b\n",
        "a: b:\n",
        "a: [b: c]\n",
        "a: [b, c,]\n",
        "a: [b\n c]\n",
        "a: [b,\nc]\n",
        "a: {b: c, b: d}\n",
        "a: {b}\n",
        "a: {b: }\n",
        "a: {\"b\": c}\n",
        "a: 'b''c'\n",
        "a: 'b' # c\n",
        "a: ['b' ]\n",
        "a: \"b\\n\"\n",
        "a: 'b\n  c'\n",
        "a: 1e3\n",
        "a: 010\n",
        "1: a\n",
        "null: a\n",
        "a: >\n  b\n",
        "a: &b c\n",
        "a: !b c\n",
        "---\na: b\n",
        "a: b\n...\n",
        "a: b\n--- \n",
        "a:\tb\n",
        "a: b\r\n",
        "a: b\n# \u{2028}\n",
        "a: ä\n",
        "a: b#c\n",
        "- - a\n",
        "-\n  a: b\n",
        "- a\nb: c\n",
        "a: b\n- c\n",
        "  a: b\nc: d\n",
        "a:\n  b: c\n d: e\n",
        "a: b\na: c\n",
    ] {
        assert!(!is_usual(text), "{text}");
    }
    assert!(!is_usual(&format!("a: {}{}\n", "[".repeat(20), "]".repeat(20))));
    let keys: Vec<String> = (0..100).map(|n| format!("a{n}: b\n")).collect();
    assert!(!is_usual(&keys.concat()));
    assert!(!is_usual(&format!("{}: b\n", "a".repeat(2000))));
}

const MARKS: &[&str] = &[
    "", " ", "  ", "\n", "\n  ", "\n\n", ":", ": ", ", ", ",", "-", "- ", "#", " # ", "'", "\"", "{", "}",
    "[", "]", "[]", "{}", "a", "a: ", "b: c\n", "- d\n", "\t", "\r", "\\", "?", "? ", "&", "*", "!", "|",
    ">", "%", "@", "`", "0", "1", "-1", ".", "1.0", "e", "~", "null", "true", "<<: ", "---\n", "...\n", "é",
    "·", "\u{a0}", "\u{85}", "\u{2028}", "\u{feff}", "\u{0}", "\u{7f}",
];

/// Puts each text at its place, instead of so many bytes or a few more.
fn changed(mut text: String, changes: &[(Index, usize, &str)]) -> String {
    for (place, cut, put) in changes {
        let places: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        let start = *place.get(&places);
        let end = *places.iter().find(|end| start.saturating_add(*cut) <= **end).unwrap_or(&start);
        text.replace_range(start..end, put);
    }
    text
}

#[test]
fn a_text_that_was_changed_is_read_as_the_parsers_read_it_or_not_at_all() {
    let whole = files();
    let parts = whole.iter().flat_map(|(_, text)| text.split("\n\n")).map(|part| format!("{part}\n"));
    let parts: Vec<String> = parts.chain(USUAL.map(String::from)).collect();
    let put = prop_oneof![3 => select(MARKS), 1 => Just("")];
    let changes = vec((any::<Index>(), 0_usize..6, put), 0..4);
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(10) } else { told.rng_seed };
    let config = Config { cases: told.cases.max(20_000), rng_seed, failure_persistence: None, ..told };
    let texts = prop_oneof![
        4 => (select(parts), changes).prop_map(|(text, changes)| changed(text, &changes)),
        1 => vec(select(MARKS), 0..12).prop_map(|marks| marks.concat()),
    ];
    let count = Cell::new(0_usize);
    let found = TestRunner::new(config).run(&texts, |text| {
        count.set(count.get().saturating_add(usize::from(is_usual(&text))));
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
    assert!(1000 < count.get(), "{} of them were laid out as usual", count.get());
}
