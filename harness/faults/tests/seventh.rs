//! The seventh set: every fault shows, and no correct store answers as a fault does.

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::seventh::{LedgerStore, all_correct, all_faults};

#[test]
fn table() {
    for fault in all_faults() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        let right = script.play(&LedgerStore::CORRECT, None);
        let wrong = script.play(&fault.store(), None);
        println!(
            "{}\n  {}\n  right {right:?}\n  wrong {wrong:?}{}",
            fault.name,
            fault.shown_by,
            if right == wrong { " SAME" } else { "" }
        );
        for one in all_correct() {
            if script.play(&one.store(), None) == wrong && right != wrong {
                println!("  ALLOWED by {}", one.name);
            }
        }
    }
}
