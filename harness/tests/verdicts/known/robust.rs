//! No text makes the reader panic or point outside the text; no list and no run make an update write what is not true.

use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::{Location, Source};
use cosmos_ttl_harness::known_failures::{
    Adding, FailureKind, KnownFailures, ListChangeKind, UpdateRefusal, apply, plan,
};
use cosmos_ttl_harness::run::{Conclusion, Run, Tally};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Verdict;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select, subsequence};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::{BATCH, NULL, OFF, PATCHED, SHORTER, fails, run, suite};

fn runner(cases: u32) -> TestRunner {
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(10) } else { told.rng_seed };
    println!("PROPTEST_RNG_SEED={rng_seed}");
    TestRunner::new(Config { cases: told.cases.max(cases), rng_seed, failure_persistence: None, ..told })
}

fn read(suite: &Suite, text: String) -> Result<KnownFailures, TestCaseError> {
    match KnownFailures::parse(&Arc::new(Source::new("known.yaml", text)), suite) {
        Ok(known) => Ok(known),
        Err(flaw) => {
            let there = match &flaw.location {
                Location::Text { source, span } => source.text.get(span.clone()).is_some(),
                Location::Path(_) => true,
            };
            let why = format!("{flaw}");
            Err(if there && !flaw.what.is_empty() {
                TestCaseError::reject(why)
            } else {
                TestCaseError::fail(why)
            })
        }
    }
}

/// An entry of a vector, laid out in one of many ways, with what may stand around it.
fn entry(name: &'static str) -> impl Strategy<Value = String> {
    let above = select(vec!["", "\n", "# above\n", "# far\n\n", "# far\n\n# above\n  # too\n"]);
    let kind = select(vec!["bug", "wont-fix", "flaky"]);
    let got = select(vec!["found", "ok", "{500: \"it's\"}", "{500: \"(\\\\n)\"}"]);
    let layout = select(vec![
        "- id: ID\n  kind: KIND\n  reason: it is so\n  step: {at: 1, expected: not-found, got: GOT}\n",
        "- {id: ID, kind: KIND, reason: r, step: {at: 1, expected: not-found, got: GOT}} # beside\n",
        "-   step: {at: 1, expected: not-found, got: GOT} # beside\n\n    # between\n    kind: KIND\n    reason: >\n      long\n      # no comment\n    id: ID\n",
        "-\n  reason: |-\n    a\n    b\n  id: \"ID\"\n  kind: KIND\n  step:\n    got: GOT # so\n    at: 1\n    expected: >-\n      not-found\n",
    ]);
    (above, kind, got, layout).prop_map(move |(above, kind, got, layout)| {
        let entry = layout.replace("ID", name).replace("KIND", kind).replace("GOT", got);
        format!("{above}{entry}")
    })
}

/// An entry of many vectors.
fn wildcard() -> impl Strategy<Value = String> {
    (select(vec!["*/*", "settings/*", "*/*n*"]), 1..5_usize, select(vec!["bug", "flaky"])).prop_map(
        |(pattern, max, kind)| {
            format!("# of many\n- match: '{pattern}'\n  max: {max} # so many\n  kind: {kind}\n  reason: r\n")
        },
    )
}

fn list() -> impl Strategy<Value = String> {
    let names = vec![SHORTER, NULL, PATCHED, OFF, BATCH];
    let entries = subsequence(names, 0..=5).prop_shuffle();
    let entries = entries.prop_flat_map(|names| names.into_iter().map(entry).collect::<Vec<_>>());
    let head = select(vec!["", "# head\n", "target: t\n"]);
    let end = select(vec!["", "# end\n", "\n# end", "target: t"]);
    let wild = prop_oneof![2 => Just(String::new()), 1 => wildcard()];
    (head, entries, wild, end, any::<bool>()).prop_map(|(head, entries, wild, end, returns)| {
        let end = if head.contains("target") && end.contains("target") { "" } else { end };
        let entries = entries.concat() + &wild;
        let known = if entries.is_empty() {
            "known: [] # none\n".to_owned()
        } else {
            format!("known: # all\n{entries}")
        };
        let text = format!("{head}{known}{end}");
        if returns { text.replace('\n', "\r\n") } else { text }
    })
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        3 => Just(Verdict::Pass),
        5 => select(vec!["found", "ok", "it's", "(\n)"]).prop_map(fails),
        1 => Just(Verdict::Unsupported("no".into())),
        1 => Just(Verdict::NotApplicable("no".into())),
    ]
}

/// Returns the conclusion of a run with this list.
fn conclusion(known: &KnownFailures, run: &Run<'_>) -> Conclusion {
    let mut run = run.clone();
    apply(known, &mut run);
    Tally::of(&run).conclusion(true)
}

#[test]
fn whatever_is_written_is_true_of_the_run_and_is_not_written_twice() {
    let suite = suite();
    let adding = Adding { reason: Some("why: not"), kind: FailureKind::WontFix, strict: true };
    let given = (list(), vec(verdict(), 5), subsequence(vec![0, 1, 2, 3, 4], 1..=5));
    let found = runner(2000).run(&given, |(text, verdicts, chosen)| {
        let known = read(&suite, text.clone())?;
        let names = [SHORTER, NULL, PATCHED, OFF, BATCH];
        let verdicts: Vec<_> =
            chosen.iter().map(|number| (names[*number], verdicts[*number].clone())).collect();
        let run = run(&suite, &verdicts);
        let made = match plan(&known, &suite, &run, adding) {
            Ok(plan) => plan,
            Err(UpdateRefusal::TooMany(_)) => return Ok(()),
            Err(refusal) => return Err(TestCaseError::fail(format!("{refusal:?}"))),
        };
        let after = read(&suite, made.text.clone()).map_err(|err| TestCaseError::fail(format!("{err}")))?;
        let left = made.count(&[ListChangeKind::Left]) > 0;
        let nonconformant = conclusion(&after, &run) == Conclusion::Nonconformant;
        let again = plan(&after, &suite, &run, adding).map(|plan| plan.text).unwrap_or_default();
        // Comments that are not directly above an entry stay, whatever goes.
        let far = |text: &str| text.matches("# far").count() + text.matches("# end").count();
        if nonconformant == left && again == made.text && far(&made.text) == far(&text) {
            Ok(())
        } else {
            Err(TestCaseError::fail(format!("{}\n{again}", made.text)))
        }
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}

#[test]
fn no_text_makes_the_reader_panic() {
    let suite = suite();
    let cut = (
        list(),
        any::<Index>(),
        any::<Index>(),
        select(vec!["", "\n", "- ", "'", "[", ": ", "\u{feff}", "é", "*", "0"]),
    );
    let found = runner(2000).run(&cut, |(text, from, to, piece)| {
        let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
        let (before, rest) = (text.get(..from.min(to)), text.get(from.max(to)..));
        match read(&suite, format!("{}{piece}{}", before.unwrap_or(""), rest.unwrap_or(""))) {
            Err(err @ TestCaseError::Fail(_)) => Err(err),
            _ => Ok(()),
        }
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}
