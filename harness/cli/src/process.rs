//! `cosmos-ttl smoke` and `cosmos-ttl serve`: both ends of the process protocol.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::args::{ServeArgs, SmokeArgs};
use super::target::{ACCEPTED, Interrupt, TargetName, watch};
use crate::shell::{CommandError, Output};
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_report::command;
use cosmos_ttl_report::style::{BAD, DIM, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_targets::process::serve::serve as answer;
use cosmos_ttl_targets::process::smoke::{Check, CheckResult, smoke as check};
use cosmos_ttl_targets::process::target::ProcessConfig;

const BROKE: u8 = 4;
const NAME_WIDTH: usize = 11;

pub(super) fn smoke(args: &SmokeArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let running = watch(&stop, Interrupt::default())?;
    let config = ProcessConfig {
        stop: Arc::clone(&stop),
        running,
        timeout: Duration::from_secs(args.timeout),
        strict: args.strict_protocol,
        ..ProcessConfig::new(&args.command)
    };
    let checks = check(config)?;
    if stop.load(Ordering::SeqCst) {
        return Err(Fault::Broken("interrupted before the checks ended".into()).into());
    }
    let lines: String = checks.iter().map(|check| line(check, look)).collect();
    let count = checks.len();
    let (code, end) = match checks.iter().filter(|check| check.is_wrong()).count() {
        0 => {
            let next = command(["--"].into_iter().chain(args.command.iter().map(String::as_str)));
            (0, format!("{count} checks passed; smoke does not test time to live\n\nnext: {next}"))
        }
        wrong => {
            let then = "repair this before you run vectors";
            (BROKE, format!("{wrong} of {count} checks failed; {then}"))
        }
    };
    Ok(Output { text: format!("{lines}\n{end}\n"), code })
}

fn line(check: &Check, look: RenderOptions) -> String {
    let (mark, style, not_offered, what, help) = match &check.result {
        CheckResult::Good(what) => ("✓", GOOD, "", what, None),
        CheckResult::NotOffered(why) => ("·", DIM, "not offered: ", why, None),
        CheckResult::Wrong { what, help } => ("✗", BAD, "", what, Some(help)),
    };
    let indent = " ".repeat(NAME_WIDTH + 6);
    let wrap = |text: &str| wrapped(text, look.width, &indent) + "\n";
    let first = wrap(&format!("  {mark} {:NAME_WIDTH$}  {not_offered}{}", check.name, plain(what)));
    let first = first.replacen(mark, &styled(style, mark), 1);
    let help = help.map(|help| wrap(&format!("{indent}do: {help}")));
    first + &help.unwrap_or_default()
}

pub(super) fn serve(args: &ServeArgs) -> Result<Output, CommandError> {
    if !args.stdio {
        return Err(CommandError::usage("nothing to serve over", "`--stdio`: standard input and output"));
    }
    let Some(target) = TargetName::parse_included(&args.target)?.included() else {
        return Err(CommandError::usage(
            "only targets that are part of this program can be served",
            ACCEPTED,
        ));
    };
    let served = answer(target.as_ref(), io::stdin().lock(), io::stdout().lock());
    served.map_err(|err| Fault::Broken(format!("the other side closed the connection: {err}")))?;
    Ok(String::new().into())
}
