//! Lists of known failures: how they are read, what they say of a run, and how they are brought up to date.

use std::fmt::Write as _;
use std::sync::Arc;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::diagnostic::{Diagnostic, Location, Source};
use cosmos_ttl_harness::known_failures::{KnownFailures, UpdateRefusal, UpdatedList, updated};
use cosmos_ttl_harness::run::{Conclusion, Run, Tally, VectorResult};
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{About, Clock, Target as _};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Failure, Outcome, Verdict};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, RngSeed, TestRunner};

const SHORTER: &str = "lifetime/item-shorter-than-default";
const NULL: &str = "lifetime/null-is-refused";
/// A `should`.
const PATCHED: &str = "lifetime/patched-item";
const OFF: &str = "settings/expired-then-off";
const BATCH: &str = "settings/refused-batch";

fn suite() -> Suite {
    cosmos_ttl_testing::small_suite()
}

fn read(suite: &Suite, text: &str) -> Result<KnownFailures, Diagnostic> {
    KnownFailures::parse(&Arc::new(Source::new("known.yaml", text)), suite)
}

/// Returns a run of only these vectors, with these verdicts.
fn run<'a>(suite: &'a Suite, clock: Clock, verdicts: &[(&str, Verdict)]) -> Run<'a> {
    let vectors: Vec<_> = verdicts.iter().map(|(name, _)| suite.get(name).unwrap()).collect();
    let mut run = Run::unasked(About { clock, ..Reference::default().about() }, &vectors, "");
    for (result, (_, verdict)) in run.results.iter_mut().zip(verdicts) {
        result.verdict = verdict.clone();
    }
    run
}

/// Fails at second 1, where `not-found` is expected.
fn fails(got: &str) -> Verdict {
    Verdict::Fail(Failure {
        step: 0,
        at_s: 1,
        expected: "absence".into(),
        got: "something else".into(),
        signature: Signature { expected: "not-found".into(), got: got.into() },
        beside: None,
        removal: None,
    })
}

const GOOD: &str = "\
target: somebody's server
known:
- name: lifetime/patched-item
  reason: a patch restarts nothing
  second: 7
  expected: found
  got: not-found
- match: 'settings/*'
  failing: 2
  reason: it refuses nothing
  expected: bad-request
";

#[test]
fn a_good_list_is_read() {
    let suite = suite();
    let known = read(&suite, GOOD).unwrap();
    assert_eq!(known.entry_count(), 2);
    assert_eq!(known.names().collect::<Vec<_>>(), [PATCHED, OFF, BATCH]);
    assert_eq!(read(&suite, "known: []\n").unwrap().entry_count(), 0);
    for (pattern, names) in [
        ("lifetime/*", &[SHORTER, NULL, PATCHED][..]),
        ("*/null-is-refused", &[NULL]),
        ("life*e/n*d", &[NULL]),
        ("*", &[SHORTER, NULL, PATCHED, OFF, BATCH]),
    ] {
        let list = format!("known:\n- {{match: '{pattern}', failing: 1, reason: r}}\n");
        assert_eq!(read(&suite, &list).unwrap().names().collect::<Vec<_>>(), names, "{pattern}");
    }
}

#[test]
fn what_is_wrong_with_a_list_is_shown_at_its_place() {
    let mut page = String::new();
    for (from, to, at) in [
        ("target:", "format: 2\ntarget:", "1:1"),
        ("target:", "targets:", "1:1"),
        ("  reason: a patch restarts nothing\n", "", "3:3"),
        ("reason: a patch restarts nothing", "reason: '  '", "4:11"),
        ("reason: a patch restarts nothing", "reason: [b]", "4:11"),
        ("reason: a patch restarts nothing", "link: https://example.org", "4:3"),
        ("second: 7", "second: seven", "5:11"),
        ("expected: found", "expected: {found: {}}", "6:13"),
        ("got: not-found", "got: ''", "7:8"),
        ("name: lifetime/patched-item", "name: lifetime/patched-itme", "3:9"),
        ("name: lifetime/patched-item", "name: xyzzy", "3:9"),
        ("name: lifetime/patched-item", "name: 'lifetime/*'", "3:9"),
        ("name: lifetime/patched-item", "name: lifetime/patched-item\n  failing: 1", "4:3"),
        ("name: lifetime/patched-item", "name: lifetime/patched-item\n  match: '*/*'", "3:3"),
        ("- name: lifetime/patched-item\n  reason", "- reason", "3:3"),
        ("name: lifetime/patched-item", "match: 'lifetime/patched-itme*'", "3:10"),
        ("  failing: 2\n", "", "8:3"),
        ("failing: 2", "failing: 0", "9:12"),
        ("failing: 2", "failing: 3", "9:12"),
        ("failing: 2", "failing: many", "9:12"),
        (
            "- match: 'settings/*'",
            "- {name: lifetime/patched-item, reason: r}\n- match: 'settings/*'",
            "8:10",
        ),
        (
            "- match: 'settings/*'",
            "- {match: '*/refused-*', failing: 1, reason: r}\n- match: 'settings/*'",
            "10:12",
        ),
    ] {
        assert_eq!(GOOD.matches(from).count(), 1, "`{from}` stands there once");
        let flaw = read(&suite(), &GOOD.replace(from, to)).unwrap_err();
        assert!(flaw.to_string().starts_with(&format!("known.yaml:{at}: ")), "not at {at}: {flaw}");
        let Location::Text { source, span } = &flaw.location else { panic!("{flaw}") };
        let (line, column) = source.position(span.start);
        let shown = source.text.lines().nth(line - 1).unwrap_or("");
        let _ = writeln!(page, "{shown}\n{}^\n{flaw}\n", " ".repeat(column - 1));
    }
    insta::assert_snapshot!(page);
}

/// A run against the server is needed to hold it; that it can be read is known without.
#[test]
fn the_lists_of_real_servers_can_be_read() {
    for server in ["cosmosdb-server", "azure-in-memory"] {
        let path = cosmos_ttl_testing::project().join("harness/implementations").join(server);
        KnownFailures::load(&path.join("known.yaml"), cosmos_ttl_testing::suite())
            .unwrap_or_else(|flaw| panic!("{flaw}"));
    }
}

fn one(name: &str) -> String {
    format!("- {{name: {name}, reason: r, second: 1, expected: not-found, got: found}}\n")
}

fn many(failing: usize) -> String {
    format!("- {{match: 'settings/*', failing: {failing}, reason: r, got: found}}\n")
}

/// What is said of each vector under a list, and of the run; and which entry is not so any more.
fn says(clock: Clock, list: &str, verdicts: &[(&str, Verdict)]) -> (Vec<Outcome>, Conclusion, String) {
    let suite = suite();
    let known = read(&suite, &format!("known:\n{list}")).unwrap_or_else(|flaw| panic!("{flaw}"));
    let mut run = run(&suite, clock, verdicts);
    known.apply(&mut run);
    let outcomes = run.results.iter().map(VectorResult::outcome).collect();
    (outcomes, Tally::of(&run).conclusion(false), run.stale.concat())
}

#[test]
fn a_list_says_what_it_says_of_a_run() {
    use Clock::{Real, Virtual};
    use Conclusion::{AsKnown, Broke, Conformant, Nonconformant, Undecided};
    use Outcome::{
        ChangedFailure, Fail, Inconclusive, KnownFailure, NotApplicable, NotOffered, Pass, UnexpectedPass,
    };
    let why = || "why".to_owned();
    let (broken, inconclusive) = (Verdict::Broken(why()), Verdict::Inconclusive(why()));
    let (not_applicable, not_offered) = (Verdict::NotApplicable(why()), Verdict::NotOffered(why()));
    let (found, ok, own) = (|| fails("found"), || fails("ok"), one(SHORTER));
    // One vector, beside one that passes.
    for (list, verdict, said, concluded) in [
        (own.clone(), found(), KnownFailure, AsKnown),
        (own.clone(), ok(), ChangedFailure, Nonconformant),
        (own.replace("second: 1", "second: 2"), found(), ChangedFailure, Nonconformant),
        (own.replace("expected: n", "expected: f"), found(), ChangedFailure, Nonconformant),
        (own.replace(", got: found", ""), ok(), KnownFailure, AsKnown),
        (format!("- {{name: {SHORTER}, reason: r}}\n"), ok(), KnownFailure, AsKnown),
        (own.clone(), Verdict::Pass, UnexpectedPass, Nonconformant),
        (own.replace("reason:", &format!("beside: {BATCH}, reason:")), Verdict::Pass, Pass, Conformant),
        (
            own.replace("reason:", &format!("beside: {NULL}, reason:")),
            Verdict::Pass,
            UnexpectedPass,
            Nonconformant,
        ),
        (one(OFF), found(), Fail, Nonconformant),
        (own.clone(), broken.clone(), Outcome::Broken, Broke),
        (own.clone(), inconclusive.clone(), Inconclusive, Undecided),
        (own.clone(), Verdict::NotRun(why()), Outcome::NotRun, Undecided),
        (own.clone(), not_applicable.clone(), NotApplicable, Undecided),
        (own.clone(), not_offered.clone(), NotOffered, Conformant),
    ] {
        for clock in [Virtual, Real] {
            let verdicts = [(SHORTER, verdict.clone()), (NULL, Verdict::Pass)];
            assert_eq!(says(clock, &list, &verdicts), (vec![said, Pass], concluded, String::new()), "{list}");
        }
    }
    // Two vectors under a pattern: on a virtual clock exactly so many, on a real one at least one and at most so many.
    let pass = || Verdict::Pass;
    for (clock, failing, off, batch, said, concluded, now) in [
        (Virtual, 2, found(), found(), [KnownFailure; 2], AsKnown, None),
        (Virtual, 1, found(), pass(), [KnownFailure, Pass], AsKnown, None),
        (Virtual, 1, found(), ok(), [KnownFailure, Fail], Nonconformant, None),
        (Virtual, 1, found(), found(), [Fail; 2], Nonconformant, Some(2)),
        (Virtual, 2, found(), pass(), [KnownFailure, Pass], Nonconformant, Some(1)),
        (Virtual, 2, found(), not_offered, [KnownFailure, NotOffered], Nonconformant, Some(1)),
        (Virtual, 2, found(), not_applicable, [KnownFailure, NotApplicable], Undecided, None),
        (Virtual, 2, found(), inconclusive, [KnownFailure, Inconclusive], Undecided, None),
        (Virtual, 1, pass(), broken, [Pass, Outcome::Broken], Broke, None),
        (Virtual, 1, pass(), pass(), [Pass; 2], Nonconformant, Some(0)),
        (Real, 2, found(), pass(), [KnownFailure, Pass], AsKnown, None),
        (Real, 1, found(), found(), [Fail; 2], Nonconformant, Some(2)),
        (Real, 2, pass(), pass(), [Pass; 2], Nonconformant, Some(0)),
    ] {
        let told = |now| format!("known.yaml:2: `settings/*` lists {failing} failing, and now it is {now}");
        let expected = (said.to_vec(), concluded, now.map(told).unwrap_or_default());
        assert_eq!(says(clock, &many(failing), &[(OFF, off), (BATCH, batch)]), expected);
    }
    // A should; vectors that were not asked for, which leave their entries alone; who is named does not count for a pattern.
    let both = own + &many(2);
    let named = one(OFF) + &many(1);
    for (list, verdicts, said, concluded) in [
        (one(PATCHED), vec![(PATCHED, found())], vec![KnownFailure], AsKnown),
        (both.clone(), vec![(NULL, pass())], vec![Pass], Conformant),
        (both, vec![(OFF, found())], vec![KnownFailure], AsKnown),
        (named, vec![(OFF, ok()), (BATCH, found())], vec![ChangedFailure, KnownFailure], Nonconformant),
    ] {
        assert_eq!(says(Virtual, &list, &verdicts), (said, concluded, String::new()), "{list}");
    }
}

fn update(
    before: &str,
    clock: Clock,
    verdicts: &[(&str, Verdict)],
    reason: Option<&str>,
    strict: bool,
) -> Result<UpdatedList, UpdateRefusal> {
    let suite = suite();
    let known = read(&suite, before).unwrap_or_else(|flaw| panic!("{flaw}\n{before}"));
    updated(&known, &run(&suite, clock, verdicts), reason, strict)
}

const HEAD: &str = "# What a server does wrong.\ntarget: server\nknown:\n";

fn entry(name: &str, reason: &str, got: &str) -> String {
    format!("- name: {name}\n  reason: {reason}\n  second: 1\n  expected: not-found\n  got: {got}\n")
}

fn pattern(failing: usize) -> String {
    format!("- match: settings/*\n  failing: {failing}\n  reason: of them\n")
}

#[test]
fn a_list_is_written_whole_and_keeps_reasons() {
    use Clock::{Real, Virtual};
    let (found, ok, pass) = (fails("found"), fails("ok"), Verdict::Pass);
    let unsupported = Verdict::Unsupported("no".into());
    let new = |name: &str| entry(name, "it is new", "found");
    let patched = entry(PATCHED, "it is so", "found");
    let laid_out =
        format!("- {{reason: it is so, name: {PATCHED}, got: found}} # comments are kept at the head only\n");
    let as_written = format!("- name: {PATCHED}\n  reason: it is so\n  got: found\n");
    let folded = patched.replace("it is so", ">\n    it is\n    so");
    let (none, changed) = (String::new(), entry(PATCHED, "it is so", "ok"));
    for (before, clock, verdicts, after, counts) in [
        (&laid_out, Virtual, &[(PATCHED, &found)][..], &as_written, [0, 0, 0]),
        (&folded, Virtual, &[(NULL, &pass)], &patched, [0, 0, 0]),
        (&patched, Virtual, &[(PATCHED, &pass)], &none, [1, 0, 0]),
        (&patched, Virtual, &[(PATCHED, &unsupported)], &none, [1, 0, 0]),
        (&patched, Virtual, &[(PATCHED, &ok)], &changed, [0, 1, 0]),
        (&patched, Virtual, &[(PATCHED, &pass), (NULL, &found)], &new(NULL), [1, 0, 1]),
        (&patched, Virtual, &[(PATCHED, &found), (NULL, &found)], &(patched.clone() + &new(NULL)), [0, 0, 1]),
        (&none, Virtual, &[(PATCHED, &found)], &none, [0, 0, 0]),
        (&pattern(2), Virtual, &[(OFF, &found), (BATCH, &pass)], &pattern(1), [0, 1, 0]),
        (&pattern(2), Real, &[(OFF, &found), (BATCH, &pass)], &pattern(2), [0, 0, 0]),
        (&pattern(2), Virtual, &[(OFF, &found)], &pattern(2), [0, 0, 0]),
        (&pattern(1), Virtual, &[(OFF, &pass), (BATCH, &pass)], &none, [1, 0, 0]),
    ] {
        let whole = |entries: &str| match entries {
            "" => HEAD.replace("known:", "known: []"),
            entries => format!("{HEAD}{entries}"),
        };
        let verdicts: Vec<_> = verdicts.iter().map(|(name, verdict)| (*name, (*verdict).clone())).collect();
        let list = update(&whole(before), clock, &verdicts, Some(" it is\nnew "), false).unwrap();
        assert_eq!(list.text, whole(after), "{before}");
        assert_eq!([list.removed.len(), list.changed.len(), list.added.len()], counts, "{list:?}");
    }
    let strict = update("known: []\n", Virtual, &[(PATCHED, found)], Some("it is new"), true).unwrap();
    assert_eq!(strict.text, format!("known:\n{}", new(PATCHED)));
    assert_eq!(strict.added, [format!("{PATCHED}: at second 1: expected absence, got something else")]);
    let list = KnownFailures::new("known.yaml", "it's\n\u{1b}[1m");
    let suite = suite();
    let list = updated(&list, &run(&suite, Virtual, &[(NULL, Verdict::Pass)]), None, false).unwrap();
    assert!(list.text.ends_with("\ntarget: \"it's\\\\n\\\\u{1b}[1m\"\nknown: []\n"), "{}", list.text);
}

#[test]
fn a_run_that_says_too_little_changes_nothing() {
    use UpdateRefusal::{NoReason, TooMany, Unjudged};
    let why = || "why".to_owned();
    let told = || format!("{OFF}: why");
    let list = format!("{HEAD}{}", entry(OFF, "it is so", "found"));
    let unjudged = [
        (Verdict::NotRun(why()), Outcome::NotRun),
        (Verdict::Broken(why()), Outcome::Broken),
        (Verdict::Inconclusive(why()), Outcome::Inconclusive),
    ];
    for (verdict, outcome) in unjudged {
        for list in [&list, &format!("{HEAD}{}", pattern(1))] {
            let refusal =
                update(list, Clock::Virtual, &[(OFF, verdict.clone())], Some("r"), false).unwrap_err();
            assert_eq!(refusal, Unjudged(outcome, told()));
        }
        let unlisted = update("known: []\n", Clock::Virtual, &[(OFF, verdict)], Some("r"), false);
        assert_eq!(unlisted.is_err(), outcome == Outcome::NotRun, "it is not on the list");
    }
    let verdicts = [(OFF, fails("found")), (BATCH, fails("found"))];
    let refusal = update(&format!("{HEAD}{}", pattern(1)), Clock::Virtual, &verdicts, Some("r"), false);
    let told = "line 4: `settings/*` lists 1 failing, and now it is 2";
    assert_eq!(refusal, Err(TooMany(told.into())));
    let refusal = update(&list, Clock::Virtual, &verdicts, None, false);
    assert_eq!(
        refusal,
        Err(NoReason(vec![format!("{BATCH}: at second 1: expected absence, got something else")]))
    );
}

#[test]
fn whatever_is_written_is_true_of_the_run_and_is_not_written_twice() {
    let suite = suite();
    let names = [SHORTER, NULL, PATCHED, OFF, BATCH];
    let verdict = prop_oneof![
        3 => Just(Verdict::Pass),
        5 => select(vec!["found", "{500: \"it's\\\\n\"}", "[a, 'b']", "2024-01-01", "off", "- 1"]).prop_map(fails),
        1 => Just(Verdict::Unsupported("no".into())),
        1 => Just(Verdict::NotApplicable("no".into())),
    ];
    let reasons = vec!["it's: a #1", "true", "two\nlines", "\u{1b}\u{2028}", "none (yet); see 2.0", "- a"];
    let given = (
        vec(verdict, 10),
        subsequence(vec![0, 1, 2, 3, 4], 1..=5),
        select(reasons),
        any::<bool>(),
        any::<bool>(),
    );
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(10) } else { told.rng_seed };
    let config = Config { cases: told.cases.max(500), rng_seed, failure_persistence: None, ..told };
    let found = TestRunner::new(config).run(&given, |(verdicts, chosen, reason, strict, is_real)| {
        let clock = if is_real { Clock::Real } else { Clock::Virtual };
        let mut text = "known: []\n".to_owned();
        // After a first run comes a second one, of other vectors.
        let all: Vec<_> = names.into_iter().zip(verdicts.iter().cloned()).collect();
        let some: Vec<_> =
            chosen.iter().map(|number| (names[*number], verdicts[number + 5].clone())).collect();
        for verdicts in [all, some] {
            let run = run(&suite, clock, &verdicts);
            let update =
                |text: &str| updated(&read(&suite, text).unwrap(), &run, Some(reason), strict).unwrap();
            text = update(&text).text;
            let again = update(&text);
            assert_eq!(
                (&again.text, again.removed.len() + again.changed.len() + again.added.len()),
                (&text, 0)
            );
            let mut run = run.clone();
            read(&suite, &text).unwrap().apply(&mut run);
            assert_ne!(Tally::of(&run).conclusion(strict), Conclusion::Nonconformant, "{text}");
        }
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}
