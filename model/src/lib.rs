//! Time to live (TTL) in Azure Cosmos DB for NoSQL, executable.
//!
//! Read [`rule`] first: it is the whole of the feature on one page. [`container`] is the smallest world in which the rule
//! matters: what a client has sent, and which answers are allowed. [`choices`] names what the documents leave open,
//! [`throughput`] what background removal may cost. The crate `cosmos-ttl-checker` checks it.
//!
//! ```
//! use cosmos_ttl_model::rule::{Ttl, is_expired, lifetime};
//!
//! // The item's own `ttl` wins over the container's `defaultTtl`.
//! let lives = lifetime(Some(Ttl::Seconds(3600)), Some(Ttl::Seconds(60)));
//! assert!(!is_expired(lives, 59));
//! assert!(is_expired(lives, 60));
//! ```
//!
//! The crate reads no clock, does no I/O, and depends on no other crate. Words in `code font` such as
//! `gone-at-deadline` are ids of `vectors/clauses.yaml`, where each has its sentence, its level and its evidence.

#![no_std]

extern crate alloc;

pub mod choices;
pub mod container;
pub mod rule;
pub mod throughput;

/// The texts of the files that state the rules, whose digest identifies them.
pub const SOURCES: [&str; 4] = [
    include_str!("rule.rs"),
    include_str!("container.rs"),
    include_str!("choices.rs"),
    include_str!("throughput.rs"),
];
