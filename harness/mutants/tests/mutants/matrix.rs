//! The kill matrix, what is asked of it, and the quick profile that is picked from it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use cosmos_ttl_harness::clauses::{Level, Observe};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::vector::{Suite, Vector, embedded};
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::signatures::{SIGNATURES_FILE, page};
use cosmos_ttl_mutants::{CONTROLS, Mutant, mutants};
use cosmos_ttl_testing::{GOOD, scratch};

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

pub(crate) static MATRIX: LazyLock<Matrix<'static>> = LazyLock::new(|| {
    let all: Vec<_> = mutants().collect();
    Matrix::of(&SUITE, &all).unwrap()
});

/// The part of the matrix that belongs to some of its vectors; nothing is replayed again.
pub(crate) fn restricted(suite: &Suite) -> Matrix<'_> {
    let own = |vector: &Vector| suite.get(&vector.name);
    let row = |row: &KillMatrixRow<'_>| {
        let failures = row.failures.iter();
        let failures = failures.filter_map(|(vector, failure)| Some((own(vector)?, failure.clone())));
        KillMatrixRow { mutant: row.mutant, failures: failures.collect() }
    };
    let controls = MATRIX.controls.iter();
    let controls =
        controls.map(|(control, killers)| (*control, killers.iter().filter_map(|one| own(one)).collect()));
    Matrix { rows: MATRIX.rows.iter().map(row).collect(), controls: controls.collect(), whole: true, suite }
}

/// Nothing is on the list; each entry says what is wrong.
#[track_caller]
pub(crate) fn check_none(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_clause_that_a_mutant_names_is_cited_by_a_vector_that_fails_it() {
    let killed = MATRIX.killed();
    let named = killed.flat_map(|row| row.mutant.clauses.iter().map(move |clause| (row, clause)));
    let wrong = named.filter(|(row, clause)| row.witnesses(clause).next().is_none());
    check_none(
        wrong.map(|(row, clause)| format!("{} breaks {clause}, and no vector says so", row.mutant.name)),
    );
}

#[test]
fn nothing_that_must_hold_is_missing() {
    check_none(MATRIX.missing());
}

#[test]
fn what_no_vector_notices_is_missed() {
    let mut suite = embedded().unwrap();
    suite.vectors.retain(|vector| vector.section == "lifetime");
    let missing = restricted(&suite).missing();
    for missed in [
        "no vector fails no-index-is-fine: Time to live does not ask for an index.",
        "no mutant that breaks ttl-needs-an-index is failed by a vector that cites it",
    ] {
        assert!(missing.iter().any(|one| one == missed), "{missed}");
    }
}

#[test]
fn a_vector_that_needs_a_should_and_does_not_cite_it_is_missed() {
    let mut suite = embedded().unwrap();
    suite.vectors.iter_mut().for_each(|vector| vector.clauses.retain(|id| id != "patch-restarts-count"));
    let missing = restricted(&suite).missing();
    let said = "writes/patch-restarts fails patch-does-not-restart, and does not cite patch-restarts-count, a should";
    assert!(missing.iter().any(|one| one == said), "{}", missing.join("\n"));
}

#[test]
fn a_vector_that_asks_too_much_is_missed_as_it_fails_what_is_right() {
    let wrong = GOOD[1].1.replace("at: 10", "at: 9");
    let suite = Suite::load(&scratch("mutants", &[("lifetime.yaml", wrong.as_bytes())])).unwrap();
    let missing = Matrix::of(&suite, &[]).unwrap().missing();
    // Of a store that shows no item less can be said.
    assert_eq!(missing.len(), CONTROLS.len() - 1, "{missing:#?}");
    assert!(missing[0].contains(" fails right, which is right: "), "{}", missing[0]);
}

#[test]
fn a_vector_that_shows_nothing_is_idle() {
    let mut suite = embedded().unwrap();
    suite.vectors.truncate(1);
    suite.vectors[0].steps.truncate(1);
    let all: Vec<_> = mutants().collect();
    let name = suite.vectors[0].name.clone();
    assert_eq!(Matrix::of(&suite, &all).unwrap().idle(), [name]);
}

#[test]
fn the_controls_choose_every_value_of_every_open_clause() {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let mut seen = BTreeSet::new();
    for control in CONTROLS.iter() {
        for result in run_virtual(&control.store, &vectors).unwrap().results {
            seen.extend(result.choices.into_iter().map(|choice| (choice.clause, choice.value)));
        }
    }
    let open = SUITE.catalogue.clauses().filter(|clause| clause.level == Level::Open);
    for clause in open.filter(|clause| clause.observe == Observe::Client) {
        for value in &clause.values {
            assert!(seen.contains(&(clause.id.clone(), value.clone())), "{}: {value}", clause.id);
        }
    }
}

#[test]
fn names_and_clauses_are_as_they_must_be() {
    let names: Vec<_> = mutants().map(|one| one.name).chain(CONTROLS.iter().map(|one| one.name)).collect();
    let unique: BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "a name is there twice");
    for name in names {
        let kebab = name.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        assert!(kebab, "{name}");
    }
    for mutant in mutants() {
        assert!(!mutant.clauses.is_empty(), "{} breaks nothing", mutant.name);
        for clause in mutant.clauses {
            let seen = SUITE.catalogue.get(clause).unwrap().observe == Observe::Client;
            assert!(seen, "{} breaks {clause}, which no client can see", mutant.name);
        }
        assert!(mutant.says.ends_with('.') && mutant.says.len() < 130, "{}", mutant.name);
        assert!(
            mutant.says.starts_with(|c: char| c.is_uppercase() || "`-0123456789".contains(c)),
            "{}",
            mutant.name
        );
        let is_same = |other: &&Mutant| (other.mutation, other.path) == (mutant.mutation, mutant.path);
        let same = mutants().filter(is_same).count();
        assert!(same == 1, "{} is there under another name", mutant.name);
    }
}

/// The suite with the quick vectors alone.
fn quick() -> Suite {
    let mut suite = embedded().unwrap();
    suite.vectors.retain(|vector| suite.quick.contains(&vector.name));
    suite
}

#[test]
fn what_is_committed_is_what_follows_from_the_matrix() {
    let stored = |file: &str| fs::read_to_string(cosmos_ttl_testing::project().join(file)).unwrap();
    assert!(stored("vectors/quick.yaml") == MATRIX.quick().page(), "quick.yaml is stale: cargo lab update");
    assert!(stored(SIGNATURES_FILE) == page(&MATRIX), "{SIGNATURES_FILE} is stale: cargo lab update");
}

#[test]
fn the_quick_vectors_alone_fail_every_mutant_and_no_control() {
    let suite = quick();
    let matrix = restricted(&suite);
    check_none(matrix.missing());
    assert_eq!((matrix.rows.len(), matrix.alive()), (MATRIX.rows.len(), CONTROLS.len()));
    assert_eq!(matrix.quick().vectors.len(), suite.vectors.len(), "of few, all are needed");
}
