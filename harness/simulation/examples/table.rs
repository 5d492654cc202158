//! x
use cosmos_ttl_simulation::soundness::*;
fn main() {
    let suite = cosmos_ttl_harness::embedded().unwrap();
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    let soundness = Soundness::new(&suite, 11).unwrap();
    for class in CLASSES.iter().filter(|c| c.name.contains(&filter)) {
        let start = std::time::Instant::now();
        let row = soundness.row(*class, 0..n).unwrap();
        println!(
            "{:40} {} fails {} passes {} time {}% {:?} {:.1}s",
            row.class,
            row.runs,
            row.false_fails,
            row.false_passes,
            row.time_percent,
            row.outcomes,
            start.elapsed().as_secs_f64()
        );
        for w in row.wrong.iter().take(3) {
            println!("    {w}");
        }
    }
}
