//! Runs the program itself.

use std::sync::LazyLock;

use cosmos_ttl_harness::vector::{Suite, embedded};

pub(crate) use cosmos_ttl_testing::program::{ProgramOutput, copied, scratch as directory};

cosmos_ttl_testing::commands!(env!("CARGO_BIN_EXE_cosmos-ttl"));

/// The vectors in the program. To read them takes a start of the program most of its time: a test that needs no special ones
/// names the small suite.
pub(crate) static VECTORS: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());
