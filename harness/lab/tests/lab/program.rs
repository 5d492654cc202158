//! Runs the program itself.

pub(crate) use cosmos_ttl_testing::program::{ProgramOutput, copied, scratch as directory};

cosmos_ttl_testing::commands!(env!("CARGO_BIN_EXE_cosmos-ttl-lab"));
