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

fn unsupported() -> Verdict {
    Verdict::Unsupported("why".into())
}

fn inconclusive() -> Verdict {
    Verdict::Inconclusive("why".into())
}

fn broken() -> Verdict {
    Verdict::Broken("why".into())
}

fn not_applicable() -> Verdict {
    Verdict::NotApplicable("why".into())
}

fn run(verdicts: &[(&str, Verdict)]) -> Run<'static> {
    let vectors: Vec<_> = verdicts.iter().map(|(name, _)| SUITE.get(name).unwrap()).collect();
    let mut run = Run::unasked(Reference::default().about(), &vectors, "why");
    for (result, (_, verdict)) in run.results.iter_mut().zip(verdicts) {
        result.verdict = verdict.clone();
    }
    run
}

fn listed(holds: bool) -> Listed {
    Listed { reason: "r".into(), signature: None, holds }
}

#[track_caller]
fn check(verdicts: &[(&str, Verdict)], conclusion: Conclusion) {
    let tally = Tally::of(&run(verdicts));
    assert_eq!(tally.conclusion(false), conclusion, "{tally:?}");
}

#[test]
fn the_gravest_that_applies_is_concluded() {
    use Conclusion as C;
    check(&[(MUST, Verdict::Pass)], C::Conformant);
    check(&[(MUST, Verdict::Pass), (OTHER, not_applicable())], C::Undecided);
    check(&[(MUST, fails()), (OTHER, broken())], C::Nonconformant);
    check(&[(MUST, broken()), (OTHER, inconclusive())], C::Broke);
    check(&[(MUST, Verdict::Pass), (OTHER, broken())], C::Broke);
    check(&[(MUST, Verdict::Pass), (OTHER, inconclusive())], C::Undecided);
    check(&[(MUST, Verdict::Pass), (OTHER, Verdict::NotRun("why".into()))], C::Undecided);
    check(&[(MUST, not_applicable())], C::Undecided);
    let not_offered = || Verdict::NotOffered("why".into());
    check(&[(MUST, Verdict::Pass), (OTHER, not_offered())], C::Conformant);
    check(&[(MUST, not_offered())], C::Undecided);
    check(&[], C::Undecided);
}

#[test]
fn what_the_target_does_not_support_leaves_a_binding_clause_undecided_unless_another_vector_shows_it() {
    check(&[(MUST, Verdict::Pass), (OTHER, unsupported())], Conclusion::Undecided);
    check(&[(MUST, Verdict::Pass), (SHOULD, unsupported())], Conclusion::Conformant);
    check(&[(MUST, unsupported()), (MUST, Verdict::Pass), (OTHER, Verdict::Pass)], Conclusion::Conformant);
    let tally = Tally::of(&run(&[(MUST, fails()), (MUST, unsupported()), (OTHER, unsupported())]));
    let clauses = &SUITE.get(OTHER).unwrap().clauses;
    assert_eq!(tally.unjudged.iter().collect::<Vec<_>>(), clauses.iter().collect::<Vec<_>>());
}

#[test]
fn only_a_run_of_the_whole_suite_is_conformant() {
    use Conclusion as C;
    let not_offered = || Verdict::NotOffered("why".into());
    for (scope, other, conclusion, words) in [
        (Scope::Whole, Verdict::Pass, C::Conformant, "conformant"),
        (Scope::Quick, Verdict::Pass, C::NoFailure, "no failure in the quick profile"),
        (Scope::Selected, Verdict::Pass, C::NoFailure, "no failure"),
        (Scope::Selected, not_offered(), C::NoFailure, "no failure"),
        (Scope::Selected, unsupported(), C::Undecided, "undecided"),
        (Scope::Selected, not_applicable(), C::Undecided, "undecided"),
        (Scope::Selected, inconclusive(), C::Undecided, "undecided"),
        (Scope::Selected, fails(), C::Nonconformant, "nonconformant"),
        (Scope::Quick, fails(), C::Nonconformant, "nonconformant"),
    ] {
        let run = Run { scope, ..run(&[(MUST, Verdict::Pass), (OTHER, other)]) };
        let tally = Tally::of(&run);
        assert_eq!(tally.conclusion(false), conclusion, "{scope:?}, {tally:?}");
        assert_eq!(tally.words(conclusion), words);
        assert_eq!(Conclusion::of_words(words), Some(conclusion));
    }
}

#[test]
fn a_should_fails_a_strict_run_only() {
    let tally = Tally::of(&run(&[(MUST, Verdict::Pass), (SHOULD, fails())]));
    assert_eq!(tally.conclusion(false), Conclusion::Conformant);
    assert_eq!(tally.conclusion(true), Conclusion::Nonconformant);
    assert_eq!((tally.counts.differ, tally.counts.fail), (1, 0));
    assert!(tally.counts.fails_anew(true) && !tally.counts.fails_anew(false));
    let passes = Tally::of(&run(&[(SHOULD, Verdict::Pass)]));
    assert_eq!(passes.conclusion(true), Conclusion::Conformant);
}

#[test]
fn a_stale_list_and_a_mishap_count_where_all_passes() {
    let passes = || run(&[(MUST, Verdict::Pass)]);
    let stale = Run { stale: vec!["old".into()], ..passes() };
    assert_eq!(Tally::of(&stale).conclusion(false), Conclusion::Nonconformant);
    let mishap = Run { mishaps: vec!["broke".into()], ..passes() };
    assert_eq!(Tally::of(&mishap).conclusion(false), Conclusion::Broke);
    let both = Run { mishaps: vec!["broke".into()], results: run(&[(MUST, fails())]).results, ..passes() };
    assert_eq!(Tally::of(&both).conclusion(false), Conclusion::Nonconformant);
}

#[test]
fn what_stands_on_a_list_is_said_by_the_list() {
    use Outcome as S;
    for (verdict, holds, said, conclusion) in [
        (fails(), true, S::KnownFailure, Conclusion::AsKnown),
        (fails(), false, S::ChangedFailure, Conclusion::Nonconformant),
        (Verdict::Pass, false, S::UnexpectedPass, Conclusion::Nonconformant),
        (broken(), false, S::Broken, Conclusion::Broke),
        (unsupported(), false, S::Unsupported, Conclusion::Undecided),
    ] {
        let mut run = run(&[(MUST, verdict), (OTHER, Verdict::Pass)]);
        run.results[0].listed = Some(listed(holds));
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
        (MUST, unsupported(), S::Unsupported, "unsupported"),
        (MUST, inconclusive(), S::Inconclusive, "inconclusive"),
        (MUST, broken(), S::Broken, "broken"),
        (MUST, not_applicable(), S::NotApplicable, "not applicable"),
        (MUST, Verdict::NotOffered("why".into()), S::NotOffered, "not offered"),
        (MUST, Verdict::NotRun(String::new()), S::NotRun, "not run"),
    ] {
        let result = VectorResult::unasked(SUITE.get(name).unwrap(), verdict.clone());
        assert_eq!((result.outcome(), said.word()), (said, word));
        assert_eq!(result.differs(), said == S::Differ);
        assert_eq!(format!("{said:<15}|"), format!("{word:<15}|"));
        assert_eq!(run(&[(name, verdict)]).is_complete(), said != S::NotRun);
    }
}

#[test]
fn every_word_is_counted_once_and_they_add_up() {
    let counts: Counts =
        Outcome::ALL.into_iter().enumerate().flat_map(|(n, said)| vec![said; n + 1]).collect();
    for (n, said) in Outcome::ALL.into_iter().enumerate() {
        assert_eq!(counts.get(said), n + 1, "{said}");
    }
    assert_eq!(counts.vectors, Outcome::ALL.map(|said| counts.get(said)).iter().sum::<usize>());
    assert_eq!(counts.judged(), (1..=6).sum::<usize>());
    let known = ["known failure", "unexpected pass", "changed failure"];
    assert_eq!(Outcome::ALL[3..6].iter().map(|said| said.word()).collect::<Vec<_>>(), known);
}

#[test]
fn a_conclusion_is_a_word_and_an_exit_code() {
    use Conclusion as C;
    let all = [C::Nonconformant, C::Broke, C::Undecided, C::AsKnown, C::NoFailure, C::Conformant];
    assert_eq!(all.map(C::exit_code), [1, 4, 3, 0, 0, 0]);
    assert_eq!(
        all.map(C::word),
        ["nonconformant", "broke", "undecided", "as known", "no failure", "conformant"]
    );
}
