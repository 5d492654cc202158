//! What the checker notices: wrong semantics, planted one at a time.

mod planted;

use std::thread;

use cosmos_ttl_checker::{PropertyResult, Report, Scope, Trace, check, check_with, storyboard};
use planted::{Fault, Planted};

/// A fault, and the law that must notice it: the model, a clause, and the steps of a shortest trace.
type Row = (Fault, Scope, &'static str, &'static str, usize);

#[rustfmt::skip]
const TABLE: [Row; 39] = [
    (Fault::ExpiredASecondLate, Scope::Small, "one item", "gone-at-deadline", 2),
    (Fault::ExpiredASecondEarly, Scope::Small, "one item", "visible-before-deadline", 1),
    (Fault::OffHonoursItemTtl, Scope::Small, "one item", "off-never-expires", 3),
    (Fault::NeverIsIgnored, Scope::Small, "one item", "item-minus-one-overrides", 3),
    (Fault::DefaultOverridesLongerTtl, Scope::Small, "one item", "item-seconds-override", 3),
    (Fault::ReplaceKeepsTs, Scope::Small, "one item", "write-restarts-count", 3),
    (Fault::ReadRestarts, Scope::Small, "one item", "read-does-not-restart", 3),
    (Fault::PatchDropsTtl, Scope::Small, "one item", "patch-restarts-count", 2),
    (Fault::ReplaceKeepsTtl, Scope::Small, "one item", "removed-ttl-inherits", 2),
    (Fault::SettingsTouchTs, Scope::Small, "one item", "settings-do-not-touch-ts", 3),
    (Fault::SwitchingOffForgetsTtl, Scope::Small, "one item", "settings-do-not-touch-ts", 2),
    (Fault::RefusedWriteStores, Scope::Small, "one item", "item-rejected-stores-nothing", 1),
    (Fault::ZeroMeansNever, Scope::Small, "one item", "item-zero-rejected", 1),
    (Fault::PatchToNullIsNever, Scope::Small, "other readings", "item-null-inherits", 2),
    (Fault::FractionIsNever, Scope::Small, "other readings", "item-integral-fraction", 2),
    (Fault::ZeroWhileOffIsNever, Scope::Small, "other readings", "item-invalid-while-off", 2),
    (Fault::BelowMinusOneWhileOffIsASecond, Scope::Small, "other readings", "item-invalid-while-off", 1),
    (Fault::TextWhileOffIsTwoSeconds, Scope::Small, "other readings", "item-invalid-while-off", 1),
    (Fault::NullDefaultIsRefusedWhereItWasTwoSeconds, Scope::Small, "one item", "container-null-is-off", 1),
    (Fault::BatchStopsHalfway, Scope::Small, "one item", "batch-shares-one-ts", 1),
    (Fault::QueryShowsExpired, Scope::Small, "one item", "expired-not-in-queries", 3),
    (Fault::CreateConflictsWithExpired, Scope::Small, "one item", "expired-id-is-free", 3),
    (Fault::PatchRevivesExpired, Scope::Small, "one item", "no-write-revives", 3),
    (Fault::EtagRevivesExpired, Scope::Small, "one item", "expired-precondition", 3),
    (Fault::UpsertInheritsFromExpired, Scope::Small, "one item", "expired-upsert-creates", 3),
    (Fault::RemovesTheLiving, Scope::Small, "one item", "purge-only-expired", 2),
    (Fault::RemovesWhileOff, Scope::Small, "one item", "off-stops-purge", 3),
    (Fault::TimeRemoves, Scope::Small, "one item", "purge-may-wait", 3),
    (Fault::ItemsDoNotAge, Scope::Small, "memory", "counted-from-last-write", 3),
    (Fault::WriteAgesOthers, Scope::Standard, "two items", "ts-never-decreases", 2),
    (Fault::NoIndexIsAllowed, Scope::Small, "indexing", "ttl-needs-an-index", 1),
    (Fault::ConsistentIndexLags, Scope::Small, "indexing", "lazy-index-may-lag", 1),
    (Fault::RemovalIsChargedToUsers, Scope::Small, "provisioned throughput", "purge-never-throttles-users", 3),
    (Fault::RemovalIgnoresTheBudget, Scope::Small, "provisioned throughput", "overload-delays-purge", 4),
    (Fault::RemovalIsFreeOnServerless, Scope::Small, "serverless", "serverless-purge-is-billed", 3),
    (Fault::RemovalNeverHappens, Scope::Small, "provisioned throughput", "purge-eventually", 2),
    (Fault::RemovalMissesItsSecond, Scope::Small, "provisioned throughput", "purge-eventually", 3),
    (Fault::ClockStopsCountingAfterTwoSeconds, Scope::Small, "clock", "counted-from-last-write", 5),
    (Fault::CountChangesAfterTwoSeconds, Scope::Small, "clock, other readings", "counted-from-last-write", 5),
];

/// The shortest violation of a law that states this clause, in this model.
fn noticed<'a>(report: &'a Report, model: &str, clause: &str) -> Option<&'a Trace> {
    let violations = report.failures().filter_map(|(checked, property)| match &property.outcome {
        PropertyResult::Violated(trace) if checked.name == model && property.clauses.contains(&clause) => {
            Some(trace)
        }
        _ => None,
    });
    violations.min_by_key(|trace| trace.steps)
}

/// The storyboard of a fault that is noticed as its row says.
fn told(&(fault, scope, model, clause, steps): &Row) -> String {
    let report = check_with(Planted(fault), scope);
    assert!(!report.holds());
    // stateright breaks the same laws and sees the same sights.
    assert_eq!(report.models.iter().find_map(|model| model.disagreement.as_ref()), None, "{fault:?}");
    let trace = noticed(&report, model, clause).unwrap_or_else(|| panic!("{fault:?}: {clause} holds"));
    assert_eq!((fault, trace.steps), (fault, steps));
    format!("{fault:?}, in the model of {model}, steps: {steps}\n{}", storyboard(trace))
}

#[test]
fn every_planted_fault_breaks_a_law_of_its_clause_and_reads_as_a_storyboard() {
    let (one, other) = TABLE.split_at(TABLE.len() / 2);
    let told = thread::scope(|scope| {
        let other = scope.spawn(|| other.iter().map(told).collect::<Vec<_>>());
        let one: Vec<_> = one.iter().map(told).collect();
        [one, other.join().unwrap()].concat()
    });
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn every_fault_is_planted() {
    let planted: Vec<Fault> = TABLE.iter().map(|row| row.0).collect();
    assert_eq!(planted, Fault::ALL);
}

#[test]
fn nothing_is_noticed_where_nothing_is_planted() {
    let report = check(Scope::Small);
    assert_eq!(report.failures().count(), 0);
    assert!(report.holds());
}
