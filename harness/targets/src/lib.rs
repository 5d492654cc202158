//! Two ways to reach a store: a [`process`] in any language, and an endpoint over [`http`].

#![allow(clippy::arithmetic_side_effects, reason = "counts of messages, attempts and bytes")]

#[cfg(feature = "http")]
pub mod http;
pub mod process;
