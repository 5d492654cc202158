//! Targets that come with the harness, each behind [`crate::target::Target`].

#[cfg(feature = "http")]
pub mod http;
pub mod mutants;
pub mod process;
pub mod reference;
