//! The sixth set: every demonstration shows its fault, and no freedom of a correct store explains one.

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::sixth::{LsmStore, all_faults};
use cosmos_ttl_harness::target::{Fault, Removal};

const SCHEDULES: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

fn answers(store: &LsmStore, script: &str, removal: Option<Removal>) -> Result<Vec<String>, Fault> {
    Demonstration::parse(script).map_err(Fault::Misuse)?.play(store, removal)
}

/// The schedule of removal shows in no answer of the usual store.
#[test]
fn the_correct_store_hides_its_removals() {
    for fault in all_faults() {
        let [never, eager, alternate] = SCHEDULES
            .map(|removal| answers(&LsmStore::CORRECT, fault.shown_by, Some(removal)).expect(fault.name));
        assert_eq!(never, eager, "{}", fault.shown_by);
        assert_eq!(never, alternate, "{}", fault.shown_by);
    }
}

/// A table of single scripts, from the clauses: only the last answer, without the item that it shows.
#[test]
fn the_correct_store_answers_as_the_clauses_say() {
    let table = [
        ("open 0", "bad-request"),
        ("open -2", "bad-request"),
        ("open 2147483648", "bad-request"),
        ("open 2147483647", "created"),
        ("open null", "created"),
        ("open 5 none", "bad-request"),
        ("open off none", "created"),
        ("open 5 lazy", "created"),
        ("open 5; set 5 none", "bad-request"),
        ("open 5; open 5", "conflict"),
        ("read a", "not-found"),
        ("open 5; create a ttl=0", "bad-request"),
        ("open 5; create a ttl=null", "bad-request"),
        ("2020; open 5; create a ttl=null; +5; read a", "not-found"),
        ("open 5; create a ttl=-2", "bad-request"),
        ("open 5; create a ttl=2147483648", "bad-request"),
        ("open 5; create a ttl=1e400", "bad-request"),
        ("open 5; create a ttl=1.5", "bad-request"),
        ("open 5; create a ttl=-1; +1000; read a", "found"),
        ("open -1; create a ttl=2147483647; +2147483646; read a", "found"),
        ("open -1; create a ttl=2147483647; +2147483647; read a", "not-found"),
        ("open 5; create a; +4; read a", "found"),
        ("open 5; create a; +5; read a", "not-found"),
        ("open 5; create a ttl=9; +8; read a", "found"),
        ("open 5; create a ttl=2; +2; read a", "not-found"),
        ("open off; create a ttl=2; +2; read a", "found"),
        ("open off; create a ttl=2; +2; set -1; read a", "not-found"),
        ("open 5; create a; +4; replace a; +4; read a", "found"),
        ("open 5; create a; +4; upsert a; +4; read a", "found"),
        ("open 5; create a; +4; patch a x=1; +4; read a", "found"),
        ("open 5; create a; +4; create a", "conflict"),
        ("open 5; create a; +4; create a; +1; read a", "not-found"),
        ("open 5; create a; +5; create a", "created"),
        ("open 5; create a; +5; replace a", "not-found"),
        ("open 5; create a; +5; patch a x=1", "not-found"),
        ("open 5; create a; +5; delete a", "not-found"),
        ("open 5; create a; +5; delete a if-match", "not-found"),
        ("open 5; create a; replace a; replace a if-stale", "precondition-failed"),
        ("open 5; create a; +2; set 10; +3; read a", "found"),
        ("open 10; create a; +5; set 5; read a", "not-found"),
        ("open 5; create a ttl=2; replace a; +4; read a", "found"),
        ("open 5; create a; create b ttl=-1; +5; query", "ok b"),
        ("open 5; create a; create b ttl=-1; +5; list", "ok b"),
        ("open 5; create a; create b; query by 1; query rest", "ok b"),
        ("open 5; batch [create a | read a | patch a x=1 | delete a]", "ok [Created, Found, Ok, NoContent]"),
        ("open 5; batch [create a | create a]; read a", "not-found"),
        ("open 5; batch [create a | read b]", "not-found at 1"),
        ("open 5; create a ttl=9; in q create a; +5; in q read a", "not-found"),
        ("open 5; create a ttl=9; in q create a; +5; read a", "found"),
    ];
    for (script, expected) in table {
        for removal in SCHEDULES {
            let all = answers(&LsmStore::CORRECT, script, Some(removal)).expect(script);
            let last = all.last().expect(script);
            assert_eq!(last.split(" {").next(), Some(expected), "{script}");
        }
    }
}
