//! Each mutant behind a log: an answer of it is a contradiction, unless a log cannot show it.

use cosmos_ttl_mutants::mutants;
use cosmos_ttl_testing::suite;

use crate::{judged, logged};

/// The mutants that a log cannot show, and why.
#[rustfmt::skip]
const HIDDEN: [(&str, &[&str]); 9] = [
    ("a status that is no word is no answer about time to live: a right store may be broken, too",
        &["invalid-while-off-is-an-error", "two-refusals-are-an-error", "removed-items-answer-gone", "reads-answer-gone"]),
    ("counts are not judged",
        &["counts-overwritten", "counts-subtract-twice", "counts-subtract-refused-deletes", "count-honours-own-ttl-while-off",
          "count-takes-the-shorter", "count-knows-the-first-settings", "count-knows-the-previous-settings"]),
    ("a page says nothing of what it does not show", &["continuation-counts-items", "empty-page-is-the-last", "pages-follow-writes", "pages-hold-one-too-many"]),
    ("a request that the model does not know is not judged",
        &["query-by-id-shows-expired", "query-with-a-filter-shows-expired", "query-in-an-order-shows-expired",
          "query-with-a-limit-shows-expired", "query-for-a-property-shows-expired", "query-for-distinct-values-shows-expired",
          "query-across-partitions-shows-expired", "read-many-shows-expired", "patch-that-adds-takes-any-ttl",
          "patch-that-replaces-takes-any-ttl", "patch-that-increments-takes-any-ttl", "patch-that-moves-takes-any-ttl",
          "patch-that-increments-does-not-restart", "patch-that-moves-does-not-restart", "create-container-shows-no-default",
          "replace-container-shows-no-default", "read-container-shows-no-default", "container-shows-minus-two",
          "conditional-read-compares-with-expired", "conditional-create-compares-with-expired",
          "conditional-upsert-takes-any-etag"]),
    ("numbers are compared as numbers", &["ttl-gets-a-fraction"]),
    ("nor does the model know how many operations a batch may have", &["batches-have-no-end"]),
    ("the log does not say whether a container was there before", &["refused-container-exists"]),
    ("nor queries of an index that may lag", &["lazy-is-taken-for-none", "lazy-is-for-good"]),
    ("the answer to a batch shows no `_ts` and no etag, and whether a patch sets `_ts` is a `should`",
        &["patch-in-a-batch-does-not-restart", "create-in-a-batch-keeps-the-expired-etag", "upsert-in-a-batch-keeps-the-expired-etag"]),
];

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
