//! The scores that `cargo lab faults` prints.
//!
//! The lists below are what is known today. A list may only become shorter because the vectors, derivation or exploration
//! became better, and never because a fault was changed.

use std::sync::LazyLock;

use cosmos_ttl_explore::play;
use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Removal, Target};
use cosmos_ttl_harness::vector::{Suite, embedded_with_derived};
use cosmos_ttl_lab::faults::{Effort, Finder, Scores, explored_script, text};
use cosmos_ttl_report::style::RenderOptions;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded_with_derived().unwrap());

/// The same faults are found, and the same stores accused, as by `cargo lab faults`, which tries more.
const EFFORT: Effort = Effort { steps: 500, is_whole: false };

/// The scores of one set that are known.
struct KnownScores {
    /// Missed by hand-written vectors, and found by derived ones.
    found_by_derived_vectors: &'static [&'static str],
    /// Missed by all vectors, and found by random requests.
    found_by_exploration: &'static [&'static str],
    /// Reported as a difference from a should, and found by nothing else.
    only_differ: &'static [&'static str],
    /// Found by nothing.
    missed: &'static [&'static str],
    /// Correct stores that a vector of level must or random requests accuse.
    accused: &'static [&'static str],
    /// Shown by answers that the model gives, too: a target may add properties that the client did not send.
    unseen_by_the_model: &'static [&'static str],
    /// The least percentages that hand-written vectors find, and all vectors together.
    least: [usize; 2],
    /// Whether a script may name a partition or a page, which exploration does not know.
    has_partitions: bool,
}

/// The scores of a set of which hand-written vectors find each fault, and no vector accuses a store.
const ALL_FOUND: KnownScores = KnownScores {
    found_by_derived_vectors: &[],
    found_by_exploration: &[],
    only_differ: &[],
    missed: &[],
    accused: &[],
    unseen_by_the_model: &[],
    least: [95, 99],
    has_partitions: true,
};

static KNOWN: &[KnownScores] = &[
    KnownScores {
        unseen_by_the_model: &["create-merges-expired", "batch-create-merges-expired"],
        has_partitions: false,
        ..ALL_FOUND
    },
    KnownScores {
        // No document says what becomes of the items that stay while others expire between two pages.
        only_differ: &["pages-by-offset", "lost-page-starts-again", "lost-page-ends"],
        ..ALL_FOUND
    },
    KnownScores {
        // The first needs a removal between two changes of settings, which no schedule of the model's opinion makes.
        unseen_by_the_model: &[
            "third-collects-marked-rows",
            "third-keeps-old-body",
            "third-patch-applied-in-part",
        ],
        ..ALL_FOUND
    },
    KnownScores {
        // It needs a removal between two changes of settings.
        missed: &["purges-old-queue"],
        unseen_by_the_model: &["expired-leaves-properties", "purges-old-queue", "purges-by-name"],
        ..ALL_FOUND
    },
    KnownScores {
        unseen_by_the_model: &[
            "second-creation-settles",
            "sweep-by-name",
            "create-merges-expired-content",
            "refused-patch-merges",
            "failed-condition-stores",
        ],
        ..ALL_FOUND
    },
    KnownScores {
        only_differ: &["lsm-token-of-ghost-ends"],
        // It needs a removal after two requests.
        missed: &["lsm-met-ghost-recreated"],
        unseen_by_the_model: &[
            "lsm-refused-patch-stores-rest",
            "lsm-create-keeps-ghost-properties",
            "lsm-met-ghost-recreated",
        ],
        ..ALL_FOUND
    },
    KnownScores {
        only_differ: &["seventh-offset-tokens"],
        unseen_by_the_model: &[
            "seventh-second-creation-applies",
            "seventh-ghost-content-kept",
            "seventh-sweep-marked",
        ],
        ..ALL_FOUND
    },
    ALL_FOUND,
    ALL_FOUND,
    ALL_FOUND,
    KnownScores {
        // It needs a removal after two requests.
        missed: &["eleventh-queue-takes-recreated"],
        unseen_by_the_model: &["eleventh-queue-takes-recreated"],
        ..ALL_FOUND
    },
    KnownScores {
        only_differ: &["twelfth-physical-offset"],
        // It needs a removal between two requests.
        missed: &["twelfth-undo-sweeps"],
        unseen_by_the_model: &["twelfth-undo-sweeps"],
        // 98 of the 99 faults that differ from a must are just less than 99 %.
        least: [95, 98],
        ..ALL_FOUND
    },
    ALL_FOUND,
    KnownScores { unseen_by_the_model: &["fourteenth-recreation-merges-properties"], ..ALL_FOUND },
    ALL_FOUND,
    KnownScores {
        // Each needs a removal between two changes of settings.
        unseen_by_the_model: &["sixteenth-picked-removed-by-etag", "sixteenth-sweeper-keeps-settings"],
        ..ALL_FOUND
    },
    KnownScores {
        // Each shows another property of an item.
        unseen_by_the_model: &[
            "seventeenth-abort-keeps-bodies",
            "seventeenth-refused-patch-applies",
            "seventeenth-create-merges-body",
        ],
        ..ALL_FOUND
    },
];

/// Computed once, since they take seconds.
static SCORES: LazyLock<Vec<Scores>> =
    LazyLock::new(|| FaultSet::ALL.iter().map(|set| Scores::of(*set, &SUITE, EFFORT).unwrap()).collect());

/// Returns the scores of each set, and what is known of them.
fn sets() -> impl Iterator<Item = (&'static Scores, &'static KnownScores)> {
    assert_eq!(SCORES.len(), KNOWN.len());
    SCORES.iter().zip(KNOWN)
}

/// Checks which faults of each set have such a finder.
#[track_caller]
fn check_found(
    is_it: impl Fn(&Option<Finder>) -> bool,
    known: impl Fn(&KnownScores) -> &'static [&'static str],
) {
    for (scores, set) in sets() {
        let found = scores.faults.iter().filter(|(_, finder)| is_it(finder));
        let found: Vec<_> = found.map(|(fault, _)| fault.name).collect();
        assert_eq!(found, known(set), "{} set", scores.set.word());
    }
}

#[test]
fn faults_that_only_derived_vectors_find() {
    check_found(|finder| matches!(finder, Some(Finder::Derived(_))), |set| set.found_by_derived_vectors);
}

#[test]
fn faults_that_only_random_requests_find() {
    check_found(|finder| matches!(finder, Some(Finder::Explored { .. })), |set| set.found_by_exploration);
}

#[test]
fn faults_that_only_differ_from_a_should() {
    check_found(|finder| matches!(finder, Some(Finder::Differs(_))), |set| set.only_differ);
}

#[test]
fn faults_that_nothing_finds() {
    check_found(Option::is_none, |set| set.missed);
}

#[test]
fn correct_stores_that_are_accused() {
    for (scores, set) in sets() {
        let accused: Vec<_> = scores.accused().map(|one| one.name).collect();
        assert_eq!(accused, set.accused, "{} set", scores.set.word());
    }
}

/// Hand-written vectors find 95 % of each set, and all vectors together 99 %.
#[test]
fn vectors_find_nearly_all_faults() {
    for (scores, KnownScores { only_differ, least: [by_hand, together], .. }) in sets() {
        let all = scores.faults.len() - only_differ.len();
        let found =
            |missed: Vec<&str>| all - missed.iter().filter(|name| !only_differ.contains(name)).count();
        assert!(by_hand * all <= 100 * found(scores.missed_by_written()), "{} set", scores.set.word());
        assert!(together * all <= 100 * found(scores.missed_by_vectors()), "{} set", scores.set.word());
    }
}

#[test]
fn scores_are_counted() {
    for (scores, set) in sets() {
        let text = text(scores, RenderOptions::default());
        let all = scores.faults.len();
        let others = [set.found_by_derived_vectors, set.found_by_exploration, set.only_differ, set.missed];
        let written = all - others.concat().len();
        assert!(text.contains(&format!("{written} of {all}\n")), "{text}");
        for name in others.concat().iter().chain(set.accused) {
            assert!(text.contains(name), "{name} is not in\n{text}");
        }
        let missed_by_all = scores.missed_by_all();
        assert!(others[2..].concat().iter().all(|name| missed_by_all.contains(name)), "{missed_by_all:?}");
        assert_eq!(missed_by_all.len(), others[2..].concat().len());
    }
}

/// More items than this are too many for a belief state.
const MOST_ITEMS: usize = 64;

/// The model is another opinion on each fault: it must refuse the answers that show the fault.
#[test]
fn the_model_gives_no_answers_as_a_fault_does() {
    for (scores, set) in sets() {
        let mut unseen = Vec::new();
        let usual = scores.set.usual_store();
        for (fault, _) in &scores.faults {
            let script = Demonstration::parse(fault.shown_by).unwrap();
            if script.steps.len() > MOST_ITEMS {
                continue;
            }
            let Some(explored) = explored_script(&script) else {
                assert!(set.has_partitions, "{}", fault.shown_by);
                continue;
            };
            let refused =
                |store: &dyn Target, removal| play(store, &explored, Some(removal)).unwrap().is_some();
            let mut is_seen = false;
            // Of a script that removes expired items, a schedule that does so is as good.
            for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
                is_seen |= refused(fault.store.target(), removal);
                assert!(!refused(usual.target(), removal), "{}: {}", fault.name, fault.shown_by);
            }
            unseen.extend((!is_seen).then_some(fault.name));
        }
        assert_eq!(unseen, set.unseen_by_the_model, "{} set", scores.set.word());
    }
}
