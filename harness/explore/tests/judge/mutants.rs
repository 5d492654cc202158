//! Each mutant behind a log: an answer of it is a contradiction, unless a log cannot show it.

use cosmos_ttl_mutants::mutants;
use cosmos_ttl_testing::suite;

use crate::{judged, logged};

/// The mutants that a log cannot show, and why.
const HIDDEN: [(&str, &[&str]); 1] = [("", &[])];

#[test]
fn a_log_shows_each_mutant() {
    let hidden: Vec<&str> = HIDDEN.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut wrong = Vec::new();
    let mut cited = 0;
    for mutant in mutants() {
        let about = |cites: &str| mutant.clauses.contains(&cites);
        let vectors = suite().vectors.iter().filter(|vector| vector.clauses.iter().any(|one| about(one)));
        let log = logged(&mutant.store(), &vectors.collect::<Vec<_>>());
        let judgement = judged(&log, true);
        let is_found = !judgement.impossible.is_empty();
        let mut clauses = judgement.impossible.iter().flat_map(|one| &one.clauses);
        cited += usize::from(clauses.any(|clause| mutant.clauses.contains(clause)));
        if is_found == hidden.contains(&mutant.name) {
            wrong.push(mutant.name);
        }
    }
    println!("{cited} cite a clause of the mutant");
    assert!(wrong.is_empty(), "found though they are listed, or not found: {wrong:#?}");
}
