//! How many of the mutants exploration finds.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::mutants::Table;

#[test]
fn exploration_finds_all_mutants_but_these_and_accuses_nobody() {
    let table = Table::of(1, 10_000, &AtomicBool::new(false)).unwrap();
    let accused: Vec<_> = table.accused().collect();
    assert!(accused.is_empty(), "{accused:?}");
    let missed: Vec<String> =
        table.missed().map(|mutant| format!("{}: {}", mutant.name, mutant.says)).collect();
    insta::assert_snapshot!(format!("{}\n\n{}", missed.join("\n"), table.last_line()));
}
