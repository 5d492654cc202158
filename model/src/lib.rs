//! Time to live (TTL) in Azure Cosmos DB for NoSQL, executable.
//!
//! Read [`rule`] first: it is the whole of the feature on one page. [`container`] is the smallest world in which the
//! rule matters, [`throughput`] what its background removal may cost. [`interpretation`] names what the documents
//! leave open, [`knowledge`] what a client can know of an item, [`semantics`] is where something else can be put in
//! place of all of them. The crate `cosmos-ttl-checker` walks every reachable world of bounded size.
//!
//! What is absent: nothing here reads a clock, does I/O, or depends on another crate. Words in `code font` such as
//! `gone-at-deadline` are ids of `vectors/clauses.yaml`, where each has its sentence, its level and its evidence.

#![no_std]

extern crate alloc;

pub mod rule;

pub mod container;
pub mod interpretation;
pub mod throughput;

pub mod knowledge;
pub mod semantics;

/// The texts of the files that state the rules, whose digest identifies them.
pub const SOURCES: [&str; 4] = [
    include_str!("rule.rs"),
    include_str!("container.rs"),
    include_str!("interpretation.rs"),
    include_str!("throughput.rs"),
];
