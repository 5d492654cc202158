//! The verdict of one vector, and the conclusion of a run: the rows of both tables, the words and the exit codes.

use std::sync::LazyLock;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::{Conclusion, Run, Scope, Tally, VectorResult};
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Counts, Failure, Listed, Outcome, Verdict};

static SUITE: LazyLock<Suite> = LazyLock::new(cosmos_ttl_testing::small_suite);

const MUST: &str = "lifetime/item-shorter-than-default";
const OTHER: &str = "settings/refused-batch";
const SHOULD: &str = "lifetime/patched-item";

fn fails() -> Verdict {
    let [expected, got] = ["found", "not-found"].map(String::from);
    let signature = Signature { expected: expected.clone(), got: got.clone() };
    Verdict::Fail(Failure { step: 3, at_s: 1, expected, got, signature, beside: None, removal: None })
}

fn run(verdicts: &[(&str, Verdict)]) -> Run<'static> {
    let vectors: Vec<_> = verdicts.iter().map(|(name, _)| SUITE.get(name).unwrap()).collect();
    let mut run = Run::unasked(Reference::default().about(), &vectors, "why");
    for (result, (_, verdict)) in run.results.iter_mut().zip(verdicts) {
        result.verdict = verdict.clone();
    }
    run
}

fn why(of: fn(String) -> Verdict) -> Verdict {
    of("why".into())
}

#[test]
fn the_gravest_that_applies_is_concluded() {
    use Conclusion as C;
    use Scope::{Quick, Selected, Whole};
    use Verdict::{Broken, Inconclusive, NotApplicable, NotOffered, NotRun, Pass, Unsupported};
    let quick = "no failure in the quick profile";
    for (scope, verdicts, conclusion, words) in [
        (Whole, vec![(MUST, Pass)], C::Conformant, "conformant"),
        (Whole, vec![(MUST, Pass), (OTHER, Pass)], C::Conformant, "conformant"),
        (Whole, vec![(MUST, Pass), (OTHER, why(NotOffered))], C::Conformant, "conformant"),
        (Whole, vec![(MUST, Pass), (SHOULD, why(Unsupported))], C::Conformant, "conformant"),
        (Whole, vec![(MUST, Pass), (MUST, why(Unsupported))], C::Conformant, "conformant"),
        (Whole, vec![(MUST, Pass), (OTHER, why(Unsupported))], C::Undecided, "undecided"),
        (Whole, vec![(MUST, Pass), (OTHER, why(NotApplicable))], C::Undecided, "undecided"),
        (Whole, vec![(MUST, Pass), (OTHER, why(Inconclusive))], C::Undecided, "undecided"),
        (Whole, vec![(MUST, Pass), (OTHER, why(NotRun))], C::Undecided, "undecided"),
        (Whole, vec![(MUST, why(NotApplicable))], C::Undecided, "undecided"),
        (Whole, vec![(MUST, why(NotOffered))], C::Undecided, "undecided"),
        (Whole, vec![], C::Undecided, "undecided"),
        (Whole, vec![(MUST, why(Broken)), (OTHER, why(Inconclusive))], C::Broke, "broke"),
        (Whole, vec![(MUST, Pass), (OTHER, why(Broken))], C::Broke, "broke"),
        (Whole, vec![(MUST, fails()), (OTHER, why(Broken))], C::Nonconformant, "nonconformant"),
        (Quick, vec![(MUST, Pass)], C::NoFailure, quick),
        (Quick, vec![(MUST, Pass), (OTHER, fails())], C::Nonconformant, "nonconformant"),
        (Selected, vec![(MUST, Pass)], C::NoFailure, "no failure"),
        (Selected, vec![(MUST, Pass), (OTHER, why(NotOffered))], C::NoFailure, "no failure"),
        (Selected, vec![(MUST, Pass), (OTHER, why(Unsupported))], C::Undecided, "undecided"),
        (Selected, vec![(MUST, Pass), (OTHER, why(NotApplicable))], C::Undecided, "undecided"),
        (Selected, vec![(MUST, Pass), (OTHER, why(Inconclusive))], C::Undecided, "undecided"),
        (Selected, vec![(MUST, Pass), (OTHER, fails())], C::Nonconformant, "nonconformant"),
    ] {
        let tally = Tally::of(&Run { scope, ..run(&verdicts) });
        assert_eq!(tally.conclusion(false), conclusion, "{scope:?}, {tally:?}");
        assert_eq!(
            (tally.words(conclusion).as_str(), Conclusion::of_words(words)),
            (words, Some(conclusion))
        );
    }
    let tally = Tally::of(&run(&[(MUST, fails()), (MUST, why(Unsupported)), (OTHER, why(Unsupported))]));
    let clauses = &SUITE.get(OTHER).unwrap().clauses;
    assert_eq!(tally.unjudged.iter().collect::<Vec<_>>(), clauses.iter().collect::<Vec<_>>());
}

#[test]
fn a_should_fails_a_strict_run_only() {
    let tally = Tally::of(&run(&[(MUST, Verdict::Pass), (SHOULD, fails())]));
    assert_eq!(tally.conclusion(false), Conclusion::Conformant);
    assert_eq!(tally.conclusion(true), Conclusion::Nonconformant);
    assert_eq!((tally.counts.differ, tally.counts.fail), (1, 0));
    let passes = Tally::of(&run(&[(SHOULD, Verdict::Pass)]));
    assert_eq!(passes.conclusion(true), Conclusion::Conformant);
}

#[test]
fn a_stale_list_and_a_mishap_count_where_all_passes() {
    for (stale, mishaps, conclusion) in [
        (vec!["old".to_owned()], Vec::new(), Conclusion::Nonconformant),
        (Vec::new(), vec!["broke".to_owned()], Conclusion::Broke),
    ] {
        let run = Run { stale, mishaps, ..run(&[(MUST, Verdict::Pass)]) };
        assert_eq!(Tally::of(&run).conclusion(false), conclusion);
    }
}

#[test]
fn what_stands_on_a_list_is_said_by_the_list() {
    use Outcome as S;
    for (verdict, holds, said, conclusion) in [
        (fails(), true, S::KnownFailure, Conclusion::AsKnown),
        (fails(), false, S::ChangedFailure, Conclusion::Nonconformant),
        (Verdict::Pass, false, S::UnexpectedPass, Conclusion::Nonconformant),
        (why(Verdict::Broken), false, S::Broken, Conclusion::Broke),
        (why(Verdict::Unsupported), false, S::Unsupported, Conclusion::Undecided),
    ] {
        let mut run = run(&[(MUST, verdict), (OTHER, Verdict::Pass)]);
        run.results[0].listed = Some(Listed { reason: "r".into(), signature: None, holds });
        assert_eq!(run.results[0].outcome(), said);
        let tally = Tally::of(&run);
        assert_eq!(tally.conclusion(false), conclusion, "{said}");
        assert_eq!((tally.counts.get(said), tally.counts.vectors), (1, 2), "{said}");
        let judged = !matches!(said, S::Broken | S::Unsupported);
        assert_eq!(tally.counts.judged(), 1 + usize::from(judged), "{said}");
        assert_eq!(tally.counts.fails(false), conclusion == Conclusion::Nonconformant, "{said}");
        assert!(!tally.counts.fails_anew(true), "{said}");
    }
}

#[test]
fn without_a_list_each_verdict_has_a_word_of_its_own() {
    use Outcome as S;
    for (name, verdict, said, word) in [
        (MUST, Verdict::Pass, S::Pass, "pass"),
        (MUST, fails(), S::Fail, "fail"),
        (SHOULD, fails(), S::Differ, "differ"),
        (SHOULD, Verdict::Pass, S::Pass, "pass"),
        (MUST, why(Verdict::Unsupported), S::Unsupported, "unsupported"),
        (MUST, why(Verdict::Inconclusive), S::Inconclusive, "inconclusive"),
        (MUST, why(Verdict::Broken), S::Broken, "broken"),
        (MUST, why(Verdict::NotApplicable), S::NotApplicable, "not applicable"),
        (MUST, why(Verdict::NotOffered), S::NotOffered, "not offered"),
        (MUST, why(Verdict::NotRun), S::NotRun, "not run"),
    ] {
        let result = VectorResult::unasked(SUITE.get(name).unwrap(), verdict.clone());
        assert_eq!((result.outcome(), said.word()), (said, word));
        assert_eq!(result.differs(), said == S::Differ);
        assert_eq!(format!("{said:<15}|"), format!("{word:<15}|"));
        assert_eq!(run(&[(name, verdict)]).is_complete(), said != S::NotRun);
    }
}

#[test]
fn every_outcome_is_counted_once_and_they_add_up() {
    let counts: Counts =
        Outcome::ALL.into_iter().enumerate().flat_map(|(n, said)| vec![said; n + 1]).collect();
    for (n, said) in Outcome::ALL.into_iter().enumerate() {
        assert_eq!(counts.get(said), n + 1, "{said}");
    }
    assert_eq!(counts.vectors, Outcome::ALL.map(|said| counts.get(said)).iter().sum::<usize>());
    assert_eq!(counts.judged(), (1..=6).sum::<usize>());
}

#[test]
fn a_conclusion_is_an_exit_code() {
    use Conclusion as C;
    let all = [C::Nonconformant, C::Broke, C::Undecided, C::AsKnown, C::NoFailure, C::Conformant];
    assert_eq!(all.map(C::exit_code), [1, 4, 3, 0, 0, 0]);
}
