//! `cosmos-ttl distinguish`

mod json;
mod text;

use std::time::Duration;

use super::args::DistinguishArgs;
use super::target::TargetName;
use crate::shell::CommandError;
use crate::shell::Format;
use crate::shell::{Output, suite};
use cosmos_ttl_explore::distinguish::{Effort, Side, distinguish as tell_apart};
use cosmos_ttl_process::target::{ProcessConfig, ProcessTarget};
use cosmos_ttl_reference::Reference;

pub(super) fn distinguish(args: &DistinguishArgs) -> Result<Output, CommandError> {
    let suite = suite(&args.vectors)?;
    let a = TargetName::parse_included(&args.a)?;
    let b = match &args.b {
        Some(b) => TargetName::parse_included(b)?,
        None => TargetName::Process(args.command.clone()),
    };
    let process = match &b {
        TargetName::Process(command) => {
            let timeout = Duration::from_secs(args.timeout);
            Some(ProcessTarget::start(ProcessConfig { timeout, ..ProcessConfig::new(command) })?)
        }
        _ => None,
    };
    let sides = [side(&a, None)?, side(&b, process.as_ref())?];
    let effort = Effort { depth: args.depth.into(), chances: args.chances, seed: args.seed };
    let (found, searched) = tell_apart([&sides[0], &sides[1]], &suite.vectors, effort)?;
    if let Some(process) = &process {
        process.bye()?;
    }
    let names = [a.words(), b.words()];
    let text = match args.format {
        Format::Text => text::text(&names, found.as_ref(), &searched),
        Format::Json => json::json(&names, found.as_ref(), &searched),
    };
    Ok(Output { text, code: u8::from(found.is_some()) })
}

fn side<'t>(named: &TargetName, process: Option<&'t ProcessTarget>) -> Result<Side<'t>, CommandError> {
    match (named, process) {
        (TargetName::Reference, _) => Ok(Side::Model(Reference::default())),
        (TargetName::Mutant(mutant), _) => Ok(Side::Store(mutant.store)),
        (_, Some(process)) => Ok(Side::Other(process)),
        _ => Err(CommandError::usage(
            "this target cannot be compared",
            "name `reference`, `mutant:NAME` or a command",
        )),
    }
}
