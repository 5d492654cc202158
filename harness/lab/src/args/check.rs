//! What can be said to `cargo lab check`.

use std::net::SocketAddr;

#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_CODES)]
pub(crate) struct CheckArgs {
    /// Checks four items with lifetimes up to 3 s as well, which takes some seconds
    #[arg(long)]
    pub(crate) large: bool,
    /// Checks five items, too
    #[arg(long)]
    pub(crate) largest: bool,
    /// Checks nothing, but serves stateright's Explorer for a browser until Ctrl-C: 127.0.0.1:3000
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) explorer: Option<SocketAddr>,
    /// Lets the Explorer listen where other machines can reach it
    #[arg(long, requires = "explorer")]
    pub(crate) anywhere: bool,
}

const CHECK_CODES: &str = "\
Exit codes:
  0  every property is as it must be
  1  one is not: the shortest way to it is printed as a vector
  2  wrong use";
