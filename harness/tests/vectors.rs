//! The vectors of this project, as files.

use std::path::Path;

use cosmos_ttl_harness::vector::Suite;

#[test]
fn every_file_loads() {
    let suite = Suite::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors"))
        .unwrap_or_else(|flaw| panic!("{flaw}"));
    println!("{} vectors", suite.vectors.len());
    for vector in &suite.vectors {
        println!("{} {:?} {} {}", vector.name, vector.margin_s, vector.span_s, vector.digest);
    }
}
