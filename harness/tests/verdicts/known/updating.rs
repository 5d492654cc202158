//! How a list is brought up to date: before and after, byte by byte.

use cosmos_ttl_harness::known_failures::{
    Adding, FailureKind, ListChange, ListChangeKind, UpdatePlan, UpdateRefusal, apply, blank, plan,
};
use cosmos_ttl_harness::run::{Conclusion, Tally};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};

use super::{BATCH, NULL, OFF, PATCHED, SHORTER, fails, read, run, suite};

const REASON: Adding<'static> = Adding { reason: Some("it is new"), kind: FailureKind::Bug, strict: false };

fn planned(
    before: &str,
    verdicts: &[(&str, Verdict)],
    adding: Adding<'_>,
) -> Result<UpdatePlan, UpdateRefusal> {
    let suite = suite();
    let known = read(&suite, before).unwrap_or_else(|flaw| panic!("{flaw}\n{before}"));
    plan(&known, &suite, &run(&suite, verdicts), adding)
}

/// This results; it is true of the run, and another update changes no byte.
#[track_caller]
fn check_with(before: &str, verdicts: &[(&str, Verdict)], adding: Adding<'_>, after: &str) -> UpdatePlan {
    let plan = planned(before, verdicts, adding).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert_eq!(plan.text, after, "\n{}", plan.text);
    let again = planned(after, verdicts, Adding { reason: None, ..adding }).unwrap();
    assert_eq!((again.text.as_str(), again.changes.is_empty()), (after, true));
    let suite = suite();
    let mut run = run(&suite, verdicts);
    apply(&read(&suite, after).unwrap(), &mut run);
    assert_ne!(Tally::of(&run).conclusion(adding.strict), Conclusion::Nonconformant);
    plan
}

#[track_caller]
fn check(before: &str, verdicts: &[(&str, Verdict)], after: &str) -> UpdatePlan {
    check_with(before, verdicts, REASON, after)
}

const BEFORE: &str = "\
# What a server does wrong.
known:
# Of patches.
# It is hopeless.
- id: lifetime/patched-item
  kind: wont-fix     # we asked
  reason: >
    a patch
    restarts nothing
  step: {at: 1, expected: not-found, got: found} # as of May

# Of the rest.

- step: {at: 8, expected: s, got: s}
  id: lifetime/null-is-refused
  reason: \"null\"
  # between
  kind: bug
-   id: settings/expired-then-off

    kind: flaky
    link: https://example.org
    reason: now and then
    step:
      at: 1
      expected: \"not-found\"
      got: found
# the end
";

#[test]
fn what_stays_is_not_touched() {
    let plan = check(
        &BEFORE.replace("{at: 8, expected: s, got: s}", "{at: 1, expected: not-found, got: ok}"),
        &[(PATCHED, fails("found")), (NULL, fails("ok")), (OFF, Verdict::Pass), (BATCH, Verdict::Pass)],
        &BEFORE.replace("{at: 8, expected: s, got: s}", "{at: 1, expected: not-found, got: ok}"),
    );
    assert_eq!((plan.kept, plan.count(&[ListChangeKind::Added])), (3, 0));
}

#[test]
fn what_passes_goes_with_the_comments_directly_above_it_and_what_changed_is_changed_in_place() {
    let after = BEFORE
        .replace("{at: 8, expected: s, got: s}", r#"{at: 1, expected: not-found, got: {500: "'it'\\n"}}"#);
    let after = after.replace(
        "\
# Of patches.
# It is hopeless.
- id: lifetime/patched-item
  kind: wont-fix     # we asked
  reason: >
    a patch
    restarts nothing
  step: {at: 1, expected: not-found, got: found} # as of May
",
        "",
    );
    let verdicts = [(PATCHED, Verdict::Pass), (NULL, fails("'it'\n")), (OFF, fails("found"))];
    let plan = check(BEFORE, &verdicts, &after);
    assert_eq!(plan.kept, 1);
    assert!(
        matches!(&plan.changes[0], ListChange { kind: ListChangeKind::Removed, subject, .. } if subject == PATCHED),
        "{plan:?}"
    );
    assert!(
        matches!(&plan.changes[1], ListChange { kind: ListChangeKind::Changed, subject, .. } if subject == NULL),
        "{plan:?}"
    );
}

#[test]
fn what_is_new_stands_at_the_end_as_the_last_entry_stands() {
    let before = "known:\n  - {id: lifetime/null-is-refused, kind: bug, reason: r, step: {at: 1, expected: not-found, got: ok}} # x\n  # end\ntarget: t";
    let verdicts = [(SHORTER, fails("found")), (NULL, fails("ok"))];
    let plan = check(
        before,
        &verdicts,
        "known:\n  - {id: lifetime/null-is-refused, kind: bug, reason: r, step: {at: 1, expected: not-found, got: ok}} # x\n  - id: lifetime/item-shorter-than-default\n    kind: bug\n    reason: it is new\n    step: {at: 1, expected: not-found, got: found}\n  # end\ntarget: t",
    );
    let [ListChange { kind: ListChangeKind::Added, subject, .. }] = plan.changes.as_slice() else {
        panic!("{plan:?}")
    };
    assert_eq!(subject, SHORTER);
}

#[test]
fn a_reason_is_quoted_where_it_has_to_be() {
    for (reason, written) in [
        ("true", "'true'"),
        ("it's: a #1", "'it''s: a #1'"),
        ("- a", "'- a'"),
        ("two\nlines", "'two\\nlines'"),
        ("none (yet); see 2.0", "none (yet); see 2.0"),
    ] {
        let adding = Adding { reason: Some(reason), kind: FailureKind::WontFix, strict: false };
        let after = format!(
            "known:\n- id: {SHORTER}\n  kind: wont-fix\n  reason: {written}\n  step: {{at: 1, expected: not-found, got: found}}\n"
        );
        check_with("known: []\n", &[(SHORTER, fails("found"))], adding, &after);
    }
}

#[test]
fn a_list_empties_and_fills_again() {
    let full = "known: # all of it\n- id: lifetime/item-shorter-than-default\n  kind: bug\n  reason: it is new\n  step: {at: 1, expected: not-found, got: found}\n";
    let empty = "known: [] # all of it\n";
    check(full, &[(SHORTER, Verdict::Pass)], empty);
    check(empty, &[(SHORTER, fails("found"))], full);
    // One goes and another comes.
    check(full, &[(SHORTER, Verdict::Pass), (NULL, fails("found"))], &full.replace(SHORTER, NULL));
}

#[test]
fn the_ends_of_lines_stay_what_they_are() {
    let before = "known:\r\n- id: lifetime/null-is-refused\r\n  kind: bug\r\n  reason: r\r\n  step: {at: 1, expected: not-found, got: ok}";
    let verdicts = [(SHORTER, fails("found")), (NULL, fails("ok"))];
    let new = "\r\n- id: lifetime/item-shorter-than-default\r\n  kind: bug\r\n  reason: it is new\r\n  step: {at: 1, expected: not-found, got: found}\r\n";
    check(before, &verdicts, &format!("{before}{new}"));
}

#[test]
fn what_the_target_no_longer_supports_goes() {
    let list = |name: &str| {
        format!("known:\n- id: {name}\n  kind: bug\n  reason: r\n  step: {{at: 9, expected: s, got: s}}\n")
    };
    let verdicts = [(BATCH, Verdict::Unsupported("no batches".into()))];
    check(&list(BATCH), &verdicts, "known: []\n");
}

#[test]
fn what_was_not_asked_for_stays() {
    let before = BEFORE.replace("{at: 8, expected: s, got: s}", "{at: 1, expected: not-found, got: ok}");
    let plan = check(&before, &[(BATCH, Verdict::Pass)], &before);
    assert_eq!(plan.kept, 3);
}

#[test]
fn a_wildcard_is_only_lowered() {
    let list = |max: usize| {
        format!("known:\n- match: 'settings/*'\n  max: {max}  # of them\n  kind: bug\n  reason: r\n")
    };
    let half = [(OFF, fails("found")), (BATCH, Verdict::Pass)];
    check(&list(2), &half, &list(1));
    check(&list(2), &half[..1], &list(2));
    check(&list(1), &[(OFF, Verdict::Pass), (BATCH, Verdict::Pass)], "known: []\n");
    let refused = planned(&list(1), &[(OFF, fails("found")), (BATCH, fails("found"))], REASON).unwrap_err();
    assert_eq!(refused, UpdateRefusal::TooMany("line 2: `settings/*` lists at most 1, but 2 fail so".into()));
    let flaky = list(2).replace("bug", "flaky");
    check(&flaky, &half, &flaky);
}

#[test]
fn a_flaky_vector_that_fails_otherwise_is_left_to_people() {
    let list =
        format!("known:\n- id: {OFF}\n  kind: flaky\n  reason: r\n  step: {{at: 9, expected: s, got: s}}\n");
    let plan = planned(&list, &[(OFF, fails("found"))], REASON).unwrap();
    assert_eq!(plan.text, list);
    assert!(matches!(plan.changes.as_slice(), [ListChange { kind: ListChangeKind::Left, .. }]), "{plan:?}");
}

#[test]
fn a_difference_from_a_should_is_added_to_a_strict_run_only() {
    let empty = "known: []\n";
    check(empty, &[(PATCHED, fails("found"))], empty);
    let adding = Adding { strict: true, ..REASON };
    let plan = planned(empty, &[(PATCHED, fails("found"))], adding).unwrap();
    assert_eq!(plan.count(&[ListChangeKind::Added]), 1);
}

#[test]
fn nothing_new_is_added_without_a_reason() {
    let adding = Adding { reason: None, ..REASON };
    let verdicts = [(SHORTER, fails("found")), (NULL, Verdict::Pass)];
    let UpdateRefusal::NoReason(new) = planned("known: []\n", &verdicts, adding).unwrap_err() else {
        panic!("another refusal")
    };
    assert_eq!(new.len(), 1);
    assert_eq!(
        (new[0].subject.as_str(), new[0].message.as_str()),
        (SHORTER, "at second 1: expected not-found, got found")
    );
}

#[test]
fn a_run_that_says_too_little_changes_nothing() {
    let list =
        format!("known:\n- id: {OFF}\n  kind: bug\n  reason: r\n  step: {{at: 9, expected: s, got: s}}\n");
    let wild = "known:\n- {match: 'settings/*', max: 1, kind: bug, reason: r}\n";
    let why = || "why".to_owned();
    let told = || format!("{OFF}: why");
    for list in [&list, wild] {
        for (verdict, refusal) in [
            (Verdict::NotRun(why()), UpdateRefusal::Unjudged(Outcome::NotRun, told())),
            (Verdict::Broken(why()), UpdateRefusal::Unjudged(Outcome::Broken, told())),
            (Verdict::Inconclusive(why()), UpdateRefusal::Unjudged(Outcome::Inconclusive, told())),
        ] {
            let verdicts = [(NULL, Verdict::Pass), (OFF, verdict)];
            assert_eq!(planned(list, &verdicts, REASON).unwrap_err(), refusal);
        }
    }
    let empty = "known: []\n";
    let unlisted = planned(empty, &[(OFF, Verdict::NotRun(why()))], REASON).unwrap_err();
    assert_eq!(unlisted, UpdateRefusal::Unjudged(Outcome::NotRun, told()));
    assert!(planned(empty, &[(OFF, Verdict::Broken(why()))], REASON).is_ok(), "it is not on the list");
}

#[test]
fn a_layout_that_cannot_be_edited_is_refused() {
    let flow = format!(
        "known: [{{id: {OFF}, kind: bug, reason: r, step: {{at: 9, expected: s, got: s}}}}, {{id: {NULL}, kind: bug, reason: r, step: {{at: 9, expected: s, got: s}}}}]\n"
    );
    let verdicts = [(OFF, Verdict::Pass), (NULL, fails("found")), (BATCH, fails("found"))];
    assert!(matches!(planned(&flow, &verdicts, REASON), Err(UpdateRefusal::Layout(_))));
    assert!(matches!(planned("{known: []}\n", &verdicts, REASON), Err(UpdateRefusal::Layout(_))));
}

#[test]
fn a_new_list_names_its_target() {
    let text = blank("it's\n\u{1b}[1m");
    let known = read(&suite(), &text).unwrap();
    assert_eq!((known.len(), known.target.as_deref()), (0, Some("it's\\n\\u{1b}[1m")));
}
