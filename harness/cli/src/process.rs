//! `cosmos-ttl smoke` and `cosmos-ttl serve`: both ends of the process protocol.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::args::{BUDGET_S, ServeArgs, SmokeArgs};
use super::target::{ACCEPTED, Interrupt, TargetName, watch};
use crate::report::command;
use crate::report::style::{BAD, DIM, GOOD, RenderOptions, styled, wrapped};
use crate::shell::{CommandError, Output};
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::realtime::left_out;
use cosmos_ttl_harness::target::{Clock, Fault};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_targets::process::serve::serve as answer;
use cosmos_ttl_targets::process::smoke::{Check, CheckResult, Pace, smoke as check};
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
        on_silence,
        ..ProcessConfig::new(&args.command)
    };
    let smoke = check(config)?;
    let checks = &smoke.checks;
    if stop.load(Ordering::SeqCst) {
        return Err(Fault::Broken("interrupted before the checks ended".into()).into());
    }
    let lines: String = checks.iter().map(|check| line(check, look)).collect();
    let count = checks.len();
    let (code, end) = match checks.iter().filter(|check| check.is_wrong()).count() {
        0 => {
            let next = command(["--"].into_iter().chain(args.command.iter().map(String::as_str)));
            let run = smoke.pace.as_ref().map(estimate).transpose()?.unwrap_or_default();
            (0, format!("{count} checks passed; smoke does not test time to live\n{run}\nnext: {next}"))
        }
        wrong => {
            let then = "repair this before you run vectors";
            (BROKE, format!("{wrong} of {count} checks failed; {then}"))
        }
    };
    Ok(Output { text: format!("{lines}\n{end}\n"), code })
}

/// Says so at once, as the wait for a program that must be compiled first lasts a minute.
fn on_silence() {
    anstream::eprintln!(
        "no reply to `hello` for 5 s, waiting: does the adapter flush its output after each line?"
    );
}

/// Says how long a run of all vectors takes: on a real clock, as long as the longest one that fits into the budget.
fn estimate(pace: &Pace) -> Result<String, CommandError> {
    let suite = embedded()?;
    let is_real = pace.about.clock == Clock::Real;
    let mut vectors: Vec<_> = suite.vectors.iter().collect();
    let left_out = left_out(&vectors, BUDGET_S);
    vectors.retain(|vector| !is_real || left_out(vector).is_none());
    let seconds = if is_real { super::estimate::seconds(&vectors, 0) } else { pace.estimate_s(&vectors) };
    let vectors = crate::report::vectors(vectors.len());
    Ok(format!("a run of {vectors} will take about {seconds} s\n"))
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
