//! `cargo lab check`

use std::net::SocketAddr;
use std::time::Instant;

use cosmos_ttl_checker::CheckScope;

use crate::args::CheckArgs;
use crate::check_report::text;
use crate::trace_text;
use cosmos_ttl::shell::{CommandError, Output, VectorsArgs, suite};
use cosmos_ttl_report::style::RenderOptions;

pub(super) fn check(args: &CheckArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let scope = match (args.large, args.largest) {
        (_, true) => CheckScope::Largest,
        (true, false) => CheckScope::Large,
        (false, false) => CheckScope::Standard,
    };
    if let Some(address) = args.explorer {
        return explore(scope, address, args.anywhere);
    }
    let suite = suite(&VectorsArgs::default())?;
    let started = now();
    let report = cosmos_ttl_checker::check(scope);
    let took = now().duration_since(started);
    let code = u8::from(!report.holds());
    Ok(Output { text: text(&report, &suite.catalogue, took, look), code })
}

#[expect(
    clippy::disallowed_methods,
    reason = "people are told how long the check took; nothing depends on it"
)]
fn now() -> Instant {
    Instant::now()
}

/// Serves the Explorer, which ends with the process.
fn explore(scope: CheckScope, address: SocketAddr, anywhere: bool) -> Result<Output, CommandError> {
    if !anywhere && !address.ip().is_loopback() {
        return Err(CommandError::usage(
            format!("{address} can be reached by other machines"),
            "the Explorer has no password; say 127.0.0.1:PORT, or --anywhere if that is meant",
        ));
    }
    cosmos_ttl::shell::write_stderr(&format!(
        "the model to walk through: http://{address} (Ctrl-C ends it)\n"
    ));
    match cosmos_ttl_checker::explore(scope, address, trace_text::labels()) {
        Ok(()) => Ok(String::new().into()),
        Err(err) => {
            Err(CommandError::usage(format!("{address} cannot be listened on: {err}"), "try another port"))
        }
    }
}
