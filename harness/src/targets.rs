//! What can be tested, each behind [`crate::target::Target`].

#[cfg(feature = "http")]
pub mod http;
