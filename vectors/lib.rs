//! The files of this directory as text, so that a program has them wherever it runs.
//!
//! ```
//! let (name, text) = cosmos_ttl_vectors::FILES[0];
//! assert_eq!(name, "clauses.yaml");
//! assert!(text.contains("gone-at-deadline"));
//! ```
//!
//! Nothing here reads a format: `cosmos-ttl-harness` does. A test of the harness compares these tables with the directory.

#![no_std]

/// Returns each file with its text.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!($name))),*] };
}

/// The clauses and the vectors, by name: `(file name, text)`.
pub static FILES: &[(&str, &str)] = files![
    "clauses.yaml",
    "clock.yaml",
    "domain.yaml",
    "evidence.yaml",
    "expired.yaml",
    "identity.yaml",
    "indexing.yaml",
    "lifetime.yaml",
    "paging.yaml",
    "purge.yaml",
    "quick.yaml",
    "settings.yaml",
    "soak.yaml",
    "surface.yaml",
    "writes.yaml",
];

/// The clauses, the evidence and every vector, with tables, loops and ranges written out.
pub static JSON: &str = include_str!("vectors.json");

/// The JSON Schema of the vector format.
pub static SCHEMA: &str = include_str!("schema.json");
