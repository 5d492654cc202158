//! Time to live (TTL) in Azure Cosmos DB for NoSQL, executable.
//!
//! Read [`rule`] first: it is the whole of the feature on one page. [`container`] is the smallest world in which the
//! rule matters, [`throughput`] what its background removal may cost. [`interpretation`] names what the documents
//! leave open, [`client_knowledge`] what a client can know of an item, [`semantics`] is where something else can be put in
//! place of all of them. The crate `cosmos-ttl-checker` walks every reachable world of bounded size.
//!
//! ```
//! use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, deadline, is_expired, lifetime};
//!
//! let hour = TtlSeconds::new(3600).expect("a number from 1 to 2147483647");
//! let minute = TtlSeconds::new(60).expect("a number from 1 to 2147483647");
//! // The item's own `ttl` wins over the container's `defaultTtl`.
//! let lives = lifetime(DefaultTtl::Seconds(hour), ItemTtl::Seconds(minute));
//! assert!(!is_expired(lives, 59));
//! assert!(is_expired(lives, 60));
//! assert_eq!(deadline(lives, 1_700_000_000), Some(1_700_000_060));
//! // A container without `defaultTtl` is off: nothing in it expires.
//! assert!(!is_expired(lifetime(DefaultTtl::Off, ItemTtl::Seconds(minute)), i64::MAX));
//! ```
//!
//! The crate reads no clock, does no I/O, and depends on no other crate. Words in `code font` such as
//! `gone-at-deadline` are ids of `vectors/clauses.yaml`, where each has its sentence, its level and its evidence.

#![no_std]

extern crate alloc;

pub mod rule;

pub mod interpretation;

pub mod container;

pub mod client_knowledge;
pub mod throughput;

pub mod semantics;

pub use container::World;
pub use rule::{is_expired, lifetime};
pub use semantics::{Semantics, Shipped};

/// The texts of the files that state the rules, whose digest identifies them.
pub const SOURCES: [&str; 4] = [
    include_str!("rule.rs"),
    include_str!("container.rs"),
    include_str!("interpretation.rs"),
    include_str!("throughput.rs"),
];
