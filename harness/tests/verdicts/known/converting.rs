//! How a list of format 1, which held messages, becomes one that holds what identifies a failure.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use cosmos_ttl_harness::known_failures::{Conversion, KnownFailures, apply, convert};
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::run::{Conclusion, Run, Tally, run_virtual};
use cosmos_ttl_harness::target::{Status, Target};
use cosmos_ttl_harness::vector::{Suite, Vector, embedded};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_mutants::{Mutant, mutants};
use cosmos_ttl_testing::wrong::{AlwaysNo, AlwaysYes, ExpiresAtOnce};

use super::{SHORTER, fails, read, run, suite};

fn file(name: &str, text: &str) -> PathBuf {
    let directory = cosmos_ttl_testing::temporary().join("known-converting");
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn converted(name: &str, text: &str, suite: &Suite) -> Conversion {
    convert(&file(name, text), suite).unwrap_or_else(|flaw| panic!("{flaw}\n{text}"))
}

#[test]
fn a_list_is_converted_where_it_changes_and_nowhere_else() {
    let suite = suite();
    let list = |format: u32, one: &str, other: &str, many: &str| {
        format!(
            "# ours\r\nformat: {format} # of this file\r\nknown: # all\r\n# of patches\r\n- id: lifetime/patched-item\r\n  \
             {one} # since May\r\n  kind: bug\r\n  reason: r\r\n- kind: flaky\r\n  {other}\r\n  reason: now\r\n  \
             id: {SHORTER}\r\n- {{match: 'settings/*', max: 2, {many}, kind: bug, reason: r}}\r\n\
             - {{match: '*/null-*', max: 1, kind: bug, reason: any}} # end\r\n"
        )
    };
    let before = list(
        1,
        "signature: 'at second 7: expected found, got not-found'",
        "signature: >-\r\n    at second 10: expected\r\n    [a], got []",
        "signature: 'at second *: expected bad-request, got *'",
    );
    let after = list(
        2,
        "step: {at: 7, expected: found, got: not-found}",
        "step: {at: 10, expected: [a], got: []}",
        "step: {expected: bad-request}",
    );
    let made = converted("layout.yaml", &before, &suite);
    assert_eq!((made.entries, made.after.as_str()), (3, after.as_str()));
    let again = converted("layout.yaml", &after, &suite);
    assert_eq!((again.entries, again.after), (0, after));
}

#[test]
fn every_message_of_format_1_has_a_step() {
    let suite = embedded().unwrap();
    for (message, step) in [
        ("at second 1: expected not-found, got status 500", "{at: 1, expected: not-found, got: 500}"),
        (
            "at second 1: expected not-found, got status 500 (it''s: off)",
            "{at: 1, expected: not-found, got: {500: \"it's: off\"}}",
        ),
        ("at second 1: expected [b, no], got []", "{at: 1, expected: [b, \"no\"], got: []}"),
        ("at second 1: expected count 2, got count 3", "{at: 1, expected: 2, got: 3}"),
        (
            "at second 0: expected committed [created, ok], got aborted at operation 1 with conflict",
            "{at: 0, expected: {committed: [created, ok]}, got: {aborted: {at: 1, with: conflict}}}",
        ),
        (
            "at second 1: expected found with ttl: 10, got found with ttl: \"10\"",
            "{at: 1, expected: {found: {ttl: 10}}, got: {found: {ttl-json: \"\\\"10\\\"\"}}}",
        ),
        (
            "at second 1: expected found without ttl, got found with ttl: -1",
            "{at: 1, expected: {found: {absent: [ttl]}}, got: {found: {ttl: -1}}}",
        ),
        (
            "at second 9: expected ok with the `_ts` of second 9, got ok with `_ts` -2 s from that",
            "{at: 9, expected: {ok: {written-at: 9}}, got: {ok: {written-at: 7}}}",
        ),
        (
            "at second 9: expected ok with a new etag, got ok with an etag seen before",
            "{at: 9, expected: {ok: {etag: new}}, got: {ok: {etag: seen}}}",
        ),
        (
            "at second 9: expected found with the etag seen last, got found with another etag",
            "{at: 9, expected: {found: {etag: same}}, got: {found: {etag: new}}}",
        ),
        (
            "at second 9: expected found, got found with the item `b`",
            "{at: 9, expected: found, got: {found: {id: b}}}",
        ),
        (
            "at second 9: expected found, got found without an item",
            "{at: 9, expected: found, got: {found: {absent: [id]}}}",
        ),
        (
            "at second 4: expected [b, witness] (accepted), since it chose accepted before, got [a, b, witness]",
            "{at: 4, expected: {open: item-integral-fraction, accepted: [b, witness]}, got: [a, b, witness]}",
        ),
        (
            "at second 0: expected container-null-is-off: off, as it chose in settings/x, got refused",
            "{at: 0, expected: {open: container-null-is-off, chosen: \"off\", in: settings/x}, got: refused}",
        ),
    ] {
        let list = |format: u32, how: &str| {
            format!(
                "format: {format}\nknown:\n- id: domain/item-integral-fraction-new\n  kind: bug\n  reason: r\n  {how}\n"
            )
        };
        let made = converted("message.yaml", &list(1, &format!("signature: '{message}'")), &suite);
        assert_eq!(made.after, list(2, &format!("step: {step}")));
    }
}

#[test]
fn a_message_that_says_no_one_failure_is_shown_at_its_place() {
    let suite = suite();
    for message in ["s", "at second *: expected found, got *", "at second 1: expected it, got that"] {
        let text =
            format!("format: 1\nknown:\n- {{id: {SHORTER}, kind: bug, reason: r, signature: '{message}'}}\n");
        let flaw = convert(&file("message.yaml", &text), &suite).unwrap_err().to_string();
        assert!(flaw.contains("message.yaml:3:") && flaw.contains("no message of format 1"), "{flaw}");
    }
}

/// A list of format 1 of all that fails: such lists hold the messages that are shown today.
fn first_format(run: &Run<'_>) -> String {
    let mut text = String::from("format: 1\nknown:\n");
    for result in &run.results {
        if let Verdict::Fail(failure) = &result.verdict {
            let message = plain(&failure.to_string()).replace('\'', "''");
            let name = &result.vector.name;
            let _ = writeln!(text, "- {{id: {name}, kind: bug, reason: r, signature: '{message}'}}");
        }
    }
    text
}

#[test]
fn a_converted_list_judges_the_same_run_as_before() {
    let suite = embedded().unwrap();
    let stores: Vec<_> = mutants().step_by(31).map(Mutant::store).collect();
    let (yes, no) = (AlwaysYes, AlwaysNo(Status::Other(503)));
    let others: [&dyn Target; 3] = [&yes, &no, &ExpiresAtOnce];
    let targets = stores.iter().map(|store| store as &dyn Target).chain(others);
    // Messages about pages, and of as many items, are younger than format 1, which cannot hold them.
    let of_pages =
        |vector: &&Vector| vector.name.starts_with("paging/") || vector.name.ends_with("more-than-a-page");
    let vectors: Vec<_> = suite.vectors.iter().filter(|vector| !of_pages(vector)).collect();
    for (number, target) in targets.enumerate() {
        let mut run = run_virtual(target, &vectors).unwrap();
        let list = first_format(&run);
        let failed = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail).count();
        let made = converted(&format!("{number}.yaml"), &list, &suite);
        assert_eq!(made.entries, failed);
        let known = read(&suite, &made.after).unwrap();
        apply(&known, &mut run);
        assert_eq!(run.stale, Vec::<String>::new());
        for result in &run.results {
            let held = result.listed.as_ref().is_none_or(|listed| listed.holds);
            assert!(held, "{:?}\n{:?}", result.verdict, result.listed);
        }
        assert_eq!(run.results.iter().filter(|result| result.listed.is_some()).count(), failed);
    }
}

#[test]
fn a_list_outlives_the_messages() {
    let suite = suite();
    let list = "format: 2\nknown:\n- id: lifetime/item-shorter-than-default\n  kind: bug\n  reason: r\n  \
                step: {at: 1, expected: not-found, got: found}\n";
    let known: KnownFailures = read(&suite, list).unwrap();
    let Verdict::Fail(failure) = fails("found") else { panic!("it fails") };
    let mut reworded = failure;
    reworded.expected = "absence".into();
    reworded.got = "an item that is there".into();
    let mut run = run(&suite, &[(SHORTER, Verdict::Fail(reworded))]);
    apply(&known, &mut run);
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::AsKnown);
}
