//! x
use cosmos_ttl_simulation::soundness::*;
fn main() {
    let suite = cosmos_ttl_harness::embedded().unwrap();
    let vectors: Vec<_> = suite.vectors.iter().filter(|v| v.span_s <= 11).collect();
    let faulty = killed(&vectors).unwrap();
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    println!("{} vectors, {} mutants", vectors.len(), faulty.len());
    for class in CLASSES.iter().filter(|c| c.name.contains(&filter)) {
        let start = std::time::Instant::now();
        let row = row(*class, &vectors, &faulty, 0..n, 16).unwrap();
        println!("{:40} {:?} fails {} passes {} time {}% {:?} {:.1}s", row.class, row.runs, row.false_fails, row.false_passes, row.time_percent, row.outcomes, start.elapsed().as_secs_f64());
        for w in row.wrong.iter().take(3) { println!("    {w}"); }
    }
}
