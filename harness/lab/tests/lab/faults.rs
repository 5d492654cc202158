//! The scores that `cargo lab faults` prints.
//!
//! The lists below are what is known today. A list may only become shorter because the vectors, derivation or exploration
//! became better, and never because a fault was changed.

use std::sync::LazyLock;

use cosmos_ttl_explore::play;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::{FAULTS, LogStore};
use cosmos_ttl_harness::target::Removal;
use cosmos_ttl_harness::vector::{Suite, embedded_with_derived};
use cosmos_ttl_lab::faults::{FaultSet, Finder, Scores, explored_script, text};
use cosmos_ttl_report::style::RenderOptions;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded_with_derived().unwrap());

/// All scores of the first set, which take half a minute of one core: computed once.
static SCORES: LazyLock<Scores> = LazyLock::new(|| Scores::of(FaultSet::First, &SUITE, 20_000).unwrap());

/// Missed by hand-written vectors, and found by derived ones.
const FOUND_BY_DERIVED_VECTORS: &[&str] = &[];

/// Missed by all vectors, and found by random requests.
const FOUND_BY_EXPLORATION: &[&str] = &["patched-alias-counts"];

/// Found by nothing.
const MISSED: &[&str] = &[];

/// Correct stores that a vector of level must or random requests accuse.
const ACCUSED: &[&str] = &[];

fn found_by(is_it: impl Fn(&Option<Finder>) -> bool) -> Vec<&'static str> {
    let found = SCORES.faults.iter().filter(|(_, finder)| is_it(finder));
    found.map(|(fault, _)| fault.name).collect()
}

#[test]
fn faults_that_only_derived_vectors_find() {
    assert_eq!(found_by(|finder| matches!(finder, Some(Finder::Derived(_)))), FOUND_BY_DERIVED_VECTORS);
}

#[test]
fn faults_that_only_random_requests_find() {
    assert_eq!(found_by(|finder| matches!(finder, Some(Finder::Explored { .. }))), FOUND_BY_EXPLORATION);
}

#[test]
fn faults_that_nothing_finds() {
    assert_eq!(found_by(Option::is_none), MISSED);
    assert_eq!(SCORES.missed_by_all(), MISSED);
}

#[test]
fn correct_stores_that_are_accused() {
    assert_eq!(SCORES.accused().map(|one| one.name).collect::<Vec<_>>(), ACCUSED);
}

#[test]
fn scores_are_counted() {
    let text = text(&SCORES, RenderOptions::default());
    let all = FAULTS.iter().count();
    let written = all - FOUND_BY_DERIVED_VECTORS.len() - FOUND_BY_EXPLORATION.len() - MISSED.len();
    assert!(text.contains(&format!("{written} of {all}\n")), "{text}");
    for name in [FOUND_BY_DERIVED_VECTORS, FOUND_BY_EXPLORATION, MISSED, ACCUSED].concat() {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
}

/// The belief state lets a target add properties that the client did not send, `ttl` and `value` aside.
const UNSEEN_BY_THE_MODEL: &[&str] = &["create-merges-expired", "batch-create-merges-expired"];

/// More items than this are too many for a belief state.
const MOST_ITEMS: usize = 64;

/// The model is another opinion on each fault: it must refuse the answers that show the fault.
#[test]
fn the_model_gives_no_answers_as_a_fault_does() {
    let mut unseen = Vec::new();
    for fault in FAULTS.iter() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        if script.steps.len() > MOST_ITEMS {
            continue;
        }
        let explored = explored_script(&script).unwrap();
        let refused = |store: &LogStore, removal| play(store, &explored, Some(removal)).unwrap().is_some();
        let mut is_seen = false;
        // Of a script that removes expired items, a schedule that does so is as good.
        for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
            is_seen |= refused(&fault.store(), removal);
            assert!(!refused(&LogStore::CORRECT, removal), "{}: {}", fault.name, fault.shown_by);
        }
        unseen.extend((!is_seen).then_some(fault.name));
    }
    assert_eq!(unseen, UNSEEN_BY_THE_MODEL);
}

/// The second set, with its own lists.
mod second_set {
    use cosmos_ttl_faults::second::{self, DocumentStore};

    use super::{
        Demonstration, FaultSet, Finder, LazyLock, MOST_ITEMS, Removal, SUITE, Scores, explored_script, play,
    };

    static SECOND_SCORES: LazyLock<Scores> =
        LazyLock::new(|| Scores::of(FaultSet::Second, &SUITE, 20_000).unwrap());

    /// Missed by hand-written vectors, and found by derived ones.
    const FOUND_BY_DERIVED_VECTORS: &[&str] = &[];

    /// Missed by all vectors, and found by random requests.
    const FOUND_BY_EXPLORATION: &[&str] = &[
        "etag-of-content",
        "empty-partition-forgets-etags",
        "old-null-not-shown",
        "unindexed-items-lost",
        "lazy-hides-from-reads",
    ];

    /// Reported as a difference from a should, and found by nothing else.
    const ONLY_DIFFER: &[&str] = &[
        "batch-upsert-keeps-expired-ttl",
        "pages-by-offset",
        "lost-page-ends",
        "empty-page-ends",
        "short-page-ends",
        "later-pages-unfiltered",
        "pages-from-snapshot",
        "later-pages-in-default-partition",
    ];

    /// Found by nothing.
    const MISSED: &[&str] = &[
        "patch-sets-ts",
        "underscore-counts-in-patch",
        "change-reaches-a-hundred",
        "counts-every-partition",
        "patch-in-default-partition",
        "partition-in-any-case",
        "numeric-ids",
        "long-ids-cut",
        "lost-page-starts-again",
        "later-pages-by-first-settings",
    ];

    /// Correct stores that a vector of level must or random requests accuse: each differs from a should alone.
    const ACCUSED: &[&str] = &[
        "second-parses-text",
        "second-truncates-fractions",
        "second-ignores-odd-values",
        "second-patch-keeps-ts",
        "second-lenient-numbers",
        "second-patch-keeps-ts-and-silent",
    ];

    fn found_by(is_it: impl Fn(&Option<Finder>) -> bool) -> Vec<&'static str> {
        let found = SECOND_SCORES.faults.iter().filter(|(_, finder)| is_it(finder));
        found.map(|(fault, _)| fault.name).collect()
    }

    #[test]
    fn faults_that_only_derived_vectors_find() {
        assert_eq!(found_by(|finder| matches!(finder, Some(Finder::Derived(_)))), FOUND_BY_DERIVED_VECTORS);
    }

    #[test]
    fn faults_that_only_random_requests_find() {
        assert_eq!(found_by(|finder| matches!(finder, Some(Finder::Explored { .. }))), FOUND_BY_EXPLORATION);
    }

    #[test]
    fn faults_that_only_differ_from_a_should() {
        assert_eq!(found_by(|finder| matches!(finder, Some(Finder::Differs(_)))), ONLY_DIFFER);
    }

    #[test]
    fn faults_that_nothing_finds() {
        assert_eq!(found_by(Option::is_none), MISSED);
    }

    #[test]
    fn the_model_gives_no_answers_as_a_fault_of_the_second_set_does() {
        let mut unseen = Vec::new();
        for fault in second::all_faults() {
            let script = Demonstration::parse(fault.shown_by).unwrap();
            let Some(explored) = explored_script(&script).filter(|_| script.steps.len() <= MOST_ITEMS) else {
                continue;
            };
            let refused =
                |store: &DocumentStore, removal| play(store, &explored, Some(removal)).unwrap().is_some();
            let mut is_seen = false;
            for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
                is_seen |= refused(&fault.store(), removal);
                assert!(!refused(&DocumentStore::CORRECT, removal), "{}: {}", fault.name, fault.shown_by);
            }
            unseen.extend((!is_seen).then_some(fault.name));
        }
        assert!(unseen.is_empty(), "{unseen:?}");
    }

    #[test]
    fn correct_stores_that_are_accused() {
        assert_eq!(SECOND_SCORES.accused().map(|one| one.name).collect::<Vec<_>>(), ACCUSED);
    }
}
