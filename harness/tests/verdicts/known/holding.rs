//! The outcome of a run with a list: every rule in a row.

use cosmos_ttl_harness::known_failures::apply;
use cosmos_ttl_harness::run::{Conclusion, Tally, VectorResult};
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::verdict::{Failure, Outcome, Verdict};

use super::{BATCH, NULL, OFF, PATCHED, SHORTER, fails, read, run, suite};

const FOUND: &str = "{at: 1, expected: not-found, got: found}";

fn one(name: &str, kind: &str) -> String {
    format!("- {{id: {name}, kind: {kind}, reason: r, step: {FOUND}}}\n")
}

fn many(pattern: &str, max: usize, kind: &str) -> String {
    format!("- {{match: '{pattern}', max: {max}, kind: {kind}, reason: r, step: {FOUND}}}\n")
}

/// The outcome of a run with a list.
struct Says {
    said: Vec<Outcome>,
    conclusion: Conclusion,
    stale: Vec<String>,
}

fn says(list: &str, verdicts: &[(&str, Verdict)], strict: bool) -> Says {
    let suite = suite();
    let known = read(&suite, &format!("known:\n{list}")).unwrap_or_else(|flaw| panic!("{flaw}"));
    let mut run = run(&suite, verdicts);
    apply(&known, &mut run);
    let said = run.results.iter().map(VectorResult::outcome).collect();
    let conclusion = Tally::of(&run).conclusion(strict);
    Says { said, conclusion, stale: run.stale }
}

/// Checks the outcome of each vector and of the run; no entry is stale.
#[track_caller]
fn check(list: &str, verdicts: &[(&str, Verdict)], said: &[Outcome], conclusion: Conclusion) {
    let says = says(list, verdicts, false);
    assert_eq!((says.said.as_slice(), says.conclusion), (said, conclusion));
    assert_eq!(says.stale, Vec::<String>::new());
}

/// Checks the outcome of each vector; and these stale entries, which fail the run.
#[track_caller]
fn check_stale(list: &str, verdicts: &[(&str, Verdict)], said: &[Outcome], stale: &str) {
    let says = says(list, verdicts, false);
    assert_eq!((says.said.as_slice(), says.conclusion), (said, Conclusion::Nonconformant));
    assert_eq!(says.stale, [stale]);
}

fn why() -> String {
    "why".into()
}

#[test]
fn a_list_outlives_the_messages() {
    let Verdict::Fail(failure) = fails("found") else { panic!("it fails") };
    let reworded = Failure { expected: "absence".into(), got: "an item that is there".into(), ..failure };
    let verdicts = [(SHORTER, Verdict::Fail(reworded))];
    check(&one(SHORTER, "bug"), &verdicts, &[Outcome::KnownFailure], Conclusion::AsKnown);
}

#[test]
fn whoever_is_on_the_list_fails_as_it_says() {
    for kind in ["bug", "wont-fix"] {
        let list = one(SHORTER, kind);
        let with = |verdict| [(SHORTER, verdict), (NULL, Verdict::Pass)];
        check(&list, &with(fails("found")), &[Outcome::KnownFailure, Outcome::Pass], Conclusion::AsKnown);
        check(
            &list,
            &with(Verdict::Pass),
            &[Outcome::UnexpectedPass, Outcome::Pass],
            Conclusion::Nonconformant,
        );
        check(
            &list,
            &with(fails("ok")),
            &[Outcome::ChangedFailure, Outcome::Pass],
            Conclusion::Nonconformant,
        );
    }
}

#[test]
fn whoever_is_not_on_the_list_fails_as_ever() {
    let verdicts = [(SHORTER, fails("found")), (NULL, fails("found"))];
    check(
        &one(SHORTER, "bug"),
        &verdicts,
        &[Outcome::KnownFailure, Outcome::Fail],
        Conclusion::Nonconformant,
    );
}

#[test]
fn what_could_not_be_judged_bears_nothing_out_and_disproves_nothing() {
    let unjudged = [
        (Verdict::Broken(why()), Outcome::Broken, Conclusion::Broke),
        (Verdict::Inconclusive(why()), Outcome::Inconclusive, Conclusion::Undecided),
        (Verdict::NotRun(why()), Outcome::NotRun, Conclusion::Undecided),
        (Verdict::NotApplicable(why()), Outcome::NotApplicable, Conclusion::Conformant),
    ];
    for (verdict, said, conclusion) in unjudged {
        let applies = said != Outcome::NotApplicable;
        let wildcard = applies.then(|| many("lifetime/*", 1, "bug"));
        for list in [one(SHORTER, "bug"), one(SHORTER, "flaky")].into_iter().chain(wildcard) {
            let verdicts = [(SHORTER, verdict.clone()), (NULL, Verdict::Pass), (PATCHED, Verdict::Pass)];
            check(&list, &verdicts, &[said, Outcome::Pass, Outcome::Pass], conclusion);
        }
    }
}

#[test]
fn a_wildcard_takes_no_more_than_could_still_fail() {
    let verdicts = [(SHORTER, Verdict::Broken(why())), (NULL, Verdict::Pass), (PATCHED, Verdict::Pass)];
    let stale = "known.yaml:2: `lifetime/*` lists 3, but at most 1 fails so now; lower `max` to 1";
    check_stale(
        &many("lifetime/*", 3, "bug"),
        &verdicts,
        &[Outcome::Broken, Outcome::Pass, Outcome::Pass],
        stale,
    );
    let verdicts =
        [(SHORTER, Verdict::NotApplicable(why())), (NULL, fails("found")), (PATCHED, Verdict::Pass)];
    let stale = "known.yaml:2: `lifetime/*` lists 2, but 1 fails so now; lower `max` to 1";
    let said = [Outcome::NotApplicable, Outcome::KnownFailure, Outcome::Pass];
    check_stale(&many("lifetime/*", 2, "bug"), &verdicts, &said, stale);
}

#[test]
fn what_the_target_does_not_support_is_no_failure_of_its() {
    for kind in ["bug", "wont-fix", "flaky"] {
        let stale = format!(
            "known.yaml:2: `{SHORTER}` is listed as {kind}, but the target does not support it (no \\u{{1b}}); \
             take the entry away"
        );
        let verdicts = [(SHORTER, Verdict::Unsupported("no \u{1b}".into())), (NULL, Verdict::Pass)];
        check_stale(&one(SHORTER, kind), &verdicts, &[Outcome::Unsupported, Outcome::Pass], &stale);
    }
}

#[test]
fn a_flaky_vector_passes_or_fails_as_it_says_and_is_neither_a_pass_nor_a_failure() {
    let list = one(SHORTER, "flaky");
    let with = |verdict| [(SHORTER, verdict), (NULL, Verdict::Pass)];
    check(&list, &with(fails("found")), &[Outcome::Flaky, Outcome::Pass], Conclusion::AsKnown);
    check(&list, &with(Verdict::Pass), &[Outcome::Flaky, Outcome::Pass], Conclusion::AsKnown);
    check(&list, &with(fails("ok")), &[Outcome::ChangedFailure, Outcome::Pass], Conclusion::Nonconformant);
}

#[test]
fn vectors_that_were_not_asked_for_leave_their_entries_alone() {
    let list = one(SHORTER, "bug") + &many("settings/*", 2, "bug");
    check(&list, &[(NULL, Verdict::Pass)], &[Outcome::Pass], Conclusion::Conformant);
    let verdicts = [(NULL, Verdict::Pass), (OFF, fails("found"))];
    check(&list, &verdicts, &[Outcome::Pass, Outcome::KnownFailure], Conclusion::AsKnown);
}

#[test]
fn a_wildcard_takes_failures_that_fit_it_and_no_others() {
    let list = many("settings/*", 1, "bug");
    let verdicts = [(OFF, fails("found")), (BATCH, fails("ok"))];
    check(&list, &verdicts, &[Outcome::KnownFailure, Outcome::Fail], Conclusion::Nonconformant);
    let any = "- {match: 'settings/*', max: 2, kind: bug, reason: r}\n";
    check(any, &verdicts, &[Outcome::KnownFailure; 2], Conclusion::AsKnown);
    let star = "- {match: 'settings/*', max: 2, kind: bug, reason: r, step: {expected: not-found}}\n";
    check(star, &verdicts, &[Outcome::KnownFailure; 2], Conclusion::AsKnown);
    let star =
        "- {match: 'settings/*', max: 1, kind: bug, reason: r, step: {expected: 'not-*', got: 'f*d'}}\n";
    check(star, &verdicts, &[Outcome::KnownFailure, Outcome::Fail], Conclusion::Nonconformant);
}

#[test]
fn a_star_in_the_step_of_one_vector_is_a_star() {
    let list =
        format!("- {{id: {OFF}, kind: bug, reason: r, step: {{at: 1, expected: not-found, got: '*'}}}}\n");
    check(&list, &[(OFF, fails("found"))], &[Outcome::ChangedFailure], Conclusion::Nonconformant);
}

#[test]
fn a_wildcard_that_would_take_more_than_it_allows_takes_none() {
    let verdicts = [(OFF, fails("found")), (BATCH, fails("found"))];
    let stale = format!(
        "known.yaml:2: `settings/*` lists at most 1, but 2 fail so: {OFF}, {BATCH}; none of them counts as known until \
         some are mended or `max` is 2"
    );
    for kind in ["bug", "flaky"] {
        check_stale(&many("settings/*", 1, kind), &verdicts, &[Outcome::Fail, Outcome::Fail], &stale);
    }
}

#[test]
fn a_wildcard_that_takes_fewer_than_it_says_is_stale() {
    let list = many("settings/*", 2, "bug");
    let stale = "known.yaml:2: `settings/*` lists 2, but 1 fails so now; lower `max` to 1";
    let verdicts = [(OFF, fails("found")), (BATCH, Verdict::Pass)];
    check_stale(&list, &verdicts, &[Outcome::KnownFailure, Outcome::Pass], stale);
    let stale = "known.yaml:2: `settings/*` lists 2, but none fails so now; take it away";
    let verdicts = [(OFF, Verdict::Pass), (BATCH, Verdict::Pass)];
    check_stale(&list, &verdicts, &[Outcome::Pass, Outcome::Pass], stale);
}

#[test]
fn a_wildcard_of_which_not_all_were_judged_is_not_stale() {
    let list = many("settings/*", 2, "bug");
    check(&list, &[(OFF, fails("found"))], &[Outcome::KnownFailure], Conclusion::AsKnown);
    let verdicts = [(OFF, fails("found")), (BATCH, Verdict::Inconclusive(why()))];
    check(&list, &verdicts, &[Outcome::KnownFailure, Outcome::Inconclusive], Conclusion::Undecided);
}

#[test]
fn a_flaky_wildcard_may_take_fewer() {
    let verdicts = [(OFF, fails("found")), (BATCH, Verdict::Pass)];
    check(&many("settings/*", 2, "flaky"), &verdicts, &[Outcome::Flaky, Outcome::Pass], Conclusion::AsKnown);
}

#[test]
fn one_flaky_wildcard_excuses_at_most_ten_vectors() {
    let suite = cosmos_ttl_harness::embedded().unwrap();
    let list = |max| format!("known:\n- {{match: '*/*', max: {max}, kind: flaky, reason: r}}\n");
    assert!(read(&suite, &list(10)).is_ok());
    for max in [11, 242] {
        let flaw = read(&suite, &list(max)).unwrap_err().to_string();
        let place = "known.yaml:2:23: ";
        let what = format!("a `max` of {max}, and one flaky `match` lists at most 10");
        assert!(flaw.starts_with(place) && flaw.contains(&what), "{flaw}");
        let bug = list(max).replace("flaky", "bug");
        assert!(read(&suite, &bug).is_ok(), "a failure that is no longer there is noticed");
    }
}

#[test]
fn a_run_says_how_many_failures_each_flaky_entry_excused() {
    let remarks = |list: &str, verdicts: &[(&str, Verdict)]| {
        let suite = suite();
        let known = read(&suite, &format!("known:\n{list}")).unwrap();
        let mut run = run(&suite, verdicts);
        apply(&known, &mut run);
        run.remarks
    };
    let list = one(SHORTER, "flaky") + &many("settings/*", 2, "flaky");
    let fail = [(SHORTER, fails("found")), (OFF, fails("found")), (BATCH, fails("found"))];
    let excused = [
        format!("known.yaml:2: the flaky `{SHORTER}` excused 1 failure"),
        "known.yaml:3: the flaky `settings/*` excused 2 failures".into(),
    ];
    assert_eq!(remarks(&list, &fail), excused);
    let pass = [SHORTER, OFF, BATCH].map(|name| (name, Verdict::Pass));
    assert_eq!(remarks(&list, &pass), Vec::<String>::new());
    assert_eq!(remarks(&list.replace("flaky", "bug"), &fail), Vec::<String>::new());
}

#[test]
fn whoever_is_named_does_not_count_for_a_wildcard() {
    let list = one(OFF, "bug") + &many("settings/*", 1, "bug");
    let verdicts = [(OFF, fails("found")), (BATCH, fails("found"))];
    check(&list, &verdicts, &[Outcome::KnownFailure; 2], Conclusion::AsKnown);
    let verdicts = [(OFF, fails("ok")), (BATCH, fails("found"))];
    let said = [Outcome::ChangedFailure, Outcome::KnownFailure];
    check(&list, &verdicts, &said, Conclusion::Nonconformant);
}

#[test]
fn a_difference_from_a_should_may_be_listed_too() {
    let list = one(PATCHED, "bug");
    check(&list, &[(PATCHED, fails("found"))], &[Outcome::KnownFailure], Conclusion::AsKnown);
    check(&list, &[(PATCHED, fails("ok"))], &[Outcome::ChangedFailure], Conclusion::Nonconformant);
    let strict = says(&list, &[(PATCHED, fails("found"))], true);
    assert_eq!(strict.conclusion, Conclusion::AsKnown);
}

#[test]
fn what_a_target_wrote_is_compared_without_what_could_harm() {
    let shown = r#"{at: 1, expected: not-found, got: {500: "\\u{1b}\\n'x'"}}"#;
    let list = format!("- {{id: {OFF}, kind: bug, reason: r, step: {shown}}}\n");
    let verdicts = [(OFF, fails("\u{1b}\n'x'"))];
    check(&list, &verdicts, &[Outcome::KnownFailure], Conclusion::AsKnown);
}

#[test]
fn a_star_stands_for_anything_on_its_side_of_the_slash() {
    let suite = suite();
    let taken = |pattern: &str| {
        let list = format!("known:\n- {{match: '{pattern}', max: 1, kind: bug, reason: r}}\n");
        read(&suite, &list).map(|known| known.names().map(str::to_owned).collect::<Vec<_>>())
    };
    for (pattern, names) in [
        ("lifetime/*", &[SHORTER, NULL, PATCHED][..]),
        ("*/null-is-refused", &[NULL]),
        ("life*e/n*d", &[NULL]),
        ("*/*", &[SHORTER, NULL, PATCHED, OFF, BATCH]),
    ] {
        assert_eq!(taken(pattern).unwrap(), names, "{pattern}");
    }
    for pattern in ["lifetim/*", "*", "*lifetime"] {
        let flaw = taken(pattern).unwrap_err().to_string();
        assert!(flaw.contains("matches no vector"), "{pattern}: {flaw}");
    }
}

#[test]
fn in_a_step_nothing_but_a_star_is_special() {
    for (pattern, expected, outcome) in [
        ("[a, *]", "[a, b]", Outcome::KnownFailure),
        ("[?]", "[a]", Outcome::Fail),
        ("[a?]", "[a?]", Outcome::KnownFailure),
        ("found", "found, and more", Outcome::Fail),
    ] {
        let list = format!(
            "known:\n- {{match: '*/expired*', max: 1, kind: bug, reason: r, step: {{expected: '{pattern}'}}}}\n"
        );
        let suite = suite();
        let Verdict::Fail(failure) = fails("found") else { panic!("it fails") };
        let signature = Signature { expected: expected.into(), got: "found".into() };
        let mut run = run(&suite, &[(OFF, Verdict::Fail(Failure { signature, ..failure }))]);
        apply(&read(&suite, &list).unwrap(), &mut run);
        assert_eq!(run.results[0].outcome(), outcome, "{pattern} {expected}");
    }
}
