//! `cosmos-ttl serve`

use std::io;

use super::args::ServeArgs;
use super::target::{ACCEPTED, TargetName};
use crate::shell::CommandError;
use crate::shell::Output;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_process::serve;

pub(super) fn serve(args: &ServeArgs) -> Result<Output, CommandError> {
    if !args.stdio {
        return Err(CommandError::usage("nothing to serve over", "`--stdio`: standard input and output"));
    }
    let Some(target) = TargetName::parse_included(&args.target)?.included() else {
        return Err(CommandError::usage("only what comes with this program is served", ACCEPTED));
    };
    let served = serve::serve(target.as_ref(), io::stdin().lock(), io::stdout().lock());
    served.map_err(|err| Fault::Broken(format!("whoever asks is gone: {err}")))?;
    Ok(String::new().into())
}
