//! The ablations break every law that matters: none of these ways to get the model wrong may go unnoticed.

use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::{CheckReport, CheckScope, PropertyResult, broken_by, check_with};

/// A clause, and why an ablation of it must break a law that states it: what can be wrong there.
type MustBeNoticed = (&'static str, &'static str);

#[rustfmt::skip]
const MUST_BE_NOTICED: [MustBeNoticed; 34] = [
    ("gone-at-deadline", "expiry a second late"),
    ("visible-before-deadline", "expiry a second early"),
    ("off-never-expires", "an item's own `ttl` that counts while the container is off"),
    ("item-minus-one-overrides", "-1 of an item that is ignored"),
    ("item-seconds-override", "a default that beats an item's longer `ttl`"),
    ("write-restarts-count", "a replace that keeps `_ts`"),
    ("read-does-not-restart", "a read that restarts the count"),
    ("patch-restarts-count", "a patch that keeps `_ts`, or drops a `ttl`"),
    ("removed-ttl-inherits", "a replace that keeps a `ttl` that was left out"),
    ("settings-do-not-touch-ts", "settings that change items: their `_ts`, or their `ttl` when switched off"),
    ("item-rejected-stores-nothing", "a refused write that is stored"),
    ("item-zero-rejected", "0 that is taken"),
    ("item-null-inherits", "null, of 2020, that does not inherit"),
    ("item-integral-fraction", "10.0 that is not read as chosen"),
    ("item-invalid-while-off", "nonsense that is not read as chosen while the container is off"),
    ("container-null-is-off", "null that is refused, or under one default only"),
    ("batch-shares-one-ts", "a batch that is no single write: several `_ts`, or only its first half"),
    ("expired-not-in-queries", "a query that lists the expired"),
    ("expired-id-is-free", "a create that conflicts with an expired item"),
    ("no-write-revives", "a patch that revives an expired item"),
    ("expired-precondition", "an etag that revives an expired item"),
    ("expired-upsert-creates", "an upsert that does not make a new item in the place of an expired one"),
    ("purge-only-expired", "removal of living items"),
    ("off-stops-purge", "removal while the container is off"),
    ("purge-may-wait", "time that removes"),
    ("counted-from-last-write", "items that do not age, or stop to after a while of the clock"),
    ("ts-never-decreases", "a write that makes other items older, which two items show"),
    ("expired-in-aggregates", "an answer that changes with the clock alone, which only a real clock shows"),
    ("ttl-needs-an-index", "time to live without an index"),
    ("lazy-index-may-lag", "a consistent index that lags"),
    ("purge-never-throttles-users", "removal that users pay for"),
    ("overload-delays-purge", "removal that spends more than users left over"),
    ("serverless-purge-is-billed", "removal that costs nothing on serverless accounts"),
    ("purge-eventually", "removal that never happens, or not after the second of the deadline"),
];

/// The laws that a report shows as broken, with the clauses that they state.
fn broken_laws(report: &CheckReport) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let broken = report.failures().filter(|(_, law)| matches!(law.result, PropertyResult::Violated(_)));
    broken.map(|(_, law)| (law.sentence, law.clauses))
}

fn states(clause: &str, report: &CheckReport) -> bool {
    broken_laws(report).any(|(_, clauses)| clauses.contains(&clause))
}

/// One item suffices for all but the one that changes another item than the request names.
fn scope(ablation: &ModelAblation) -> CheckScope {
    if ablation.clause == "ts-never-decreases" { CheckScope::Standard } else { CheckScope::Small }
}

#[test]
fn each_clause_has_an_ablation_that_breaks_a_law_that_states_it() {
    for (clause, wrong) in MUST_BE_NOTICED {
        let mut reports = ablation::all().filter(|one| one.clause == clause).map(|one| broken_by(*one));
        let further = || ablation::further().filter(|one| one.clause == clause);
        let noticed = reports.any(|report| states(clause, &report))
            || further().any(|one| broken_laws(&broken_by(*one)).next().is_some());
        assert!(noticed, "{clause}: {wrong}");
    }
}

/// Each breaks other laws than the first ablation of its clause. stateright breaks the same laws, too.
#[test]
fn each_further_ablation_breaks_other_laws_than_the_first() {
    for one in ablation::further() {
        let further = check_with(*one, scope(one));
        assert_eq!(further.models.iter().find_map(|model| model.disagreement.as_ref()), None, "{one:?}");
        let other = ablation::all().find(|other| other.clause == one.clause).unwrap();
        let other = check_with(*other, scope(one));
        let broken = |report: &CheckReport| {
            let failures = report.failures().map(|(model, law)| (model.name, law.sentence));
            failures.collect::<std::collections::BTreeSet<_>>()
        };
        assert_ne!(broken(&further), broken(&other), "{one:?}");
        assert!(broken_laws(&further).next().is_some(), "{one:?}");
    }
}
