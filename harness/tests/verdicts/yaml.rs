//! The YAML reader: what it refuses, where things stand, and what the canonical form keeps.

use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::yaml::{self, Node};

fn tree(text: &str) -> Result<Node, Diagnostic> {
    let source = Arc::new(Source::new("f.yaml", text));
    yaml::parse(&source)
}

#[track_caller]
fn check_refused(text: &str, complaint: &str) {
    let flaw = tree(text).unwrap_err().to_string();
    assert!(flaw.contains(complaint), "{flaw}");
}

#[test]
fn a_number_that_would_change_on_its_way_is_refused() {
    let refused = "1e3 1e400 18446744073709551616 -9223372036854775809 010 +5 0x10 0o7 1_000 1.50 .5 5. .inf -.INF .nan";
    for text in refused.split(' ') {
        check_refused(&format!("ttl: {text}\n"), "would not arrive as it is written");
    }
    let exact = "0 -1 10 10.0 1.5 -2.25 18446744073709551615 -9223372036854775808 '1e3' a1 e";
    for text in exact.split(' ') {
        tree(&format!("ttl: {text}\n")).unwrap();
    }
}

#[test]
fn a_text_that_yaml_1_1_takes_for_something_else_needs_quotes() {
    let others = "off Off OFF on yes No = 2024-01-01 2024-1-1T00:00:00Z 1:30 -1:30:10.5 12:30";
    for text in others.split(' ') {
        check_refused(&format!("a: {text}\n"), "no text for a reader of YAML 1.1 (quote it");
        check_refused(&format!("a: {{{text}: ok}}\n"), "no text for a reader of YAML 1.1 (quote it");
        tree(&format!("a: {{\"{text}\": [\"{text}\"]}}\n")).unwrap();
    }
    for text in "oFF offer note nope yon a=b 24-01-01 y N 2024-w 2024-0w-01 a:1 1:a".split(' ') {
        tree(&format!("a: [{text}, {{{text}: ok}}]\n")).unwrap();
    }
}

#[test]
fn a_place_is_counted_in_characters_and_kept_in_bytes() {
    let node = tree("é: ü\nb: [ä, {c: d}]\n# end\n").unwrap();
    let b = node.get("b").unwrap();
    assert_eq!(b.span, 10..22);
    assert_eq!(b.items().len(), 2);
    check_refused("é: [ü, *x]\n", "f.yaml:1:8: ");
}

#[test]
fn a_block_ends_where_its_text_ends() {
    let text = "a:\n- b: 1\n  c: 2\n# a comment\n\n- d\n";
    let node = tree(text).unwrap();
    let first = &node.get("a").unwrap().items()[0];
    assert_eq!(&text[first.span.clone()], "b: 1\n  c: 2");
}
