//! `cosmos-ttl prove`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::ProveArgs;
use super::explore::{counted, counterexample};
use super::target::{self, TargetName};
use crate::report::style::wrapped;
use crate::shell::progress::ProgressLine;
use crate::shell::{CommandError, Output};
use cosmos_ttl_explore::complete::{CompleteOptions, Completion, Depth, SuiteProgress, complete};
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::run::Conclusion;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::embedded;

/// The default depth.
const DEPTH: u8 = 1;
/// How often a script is replayed to make it smaller: in this process, and in one that is slower.
const REPLAYS: u32 = 3_000;
const FEW_REPLAYS: u32 = 500;
/// The width of the statement, in characters.
const WIDTH: usize = 100;

pub(super) fn prove(args: &ProveArgs) -> Result<Output, CommandError> {
    let named = target::only(args.target.as_deref(), &args.at)?;
    if let TargetName::Url(_) = named {
        let help = "name `reference`, `mutant:NAME` or a command after `--`";
        return Err(CommandError::usage("the complete suite needs a virtual clock", help));
    }
    let suite = embedded()?;
    let stop = Arc::new(AtomicBool::new(false));
    let options = CompleteOptions {
        replays: if named.is_included() { REPLAYS } else { FEW_REPLAYS },
        strict: args.strict,
        stop: Some(&stop),
        progress: Some(&show_progress),
        ..usual_options(args)?
    };
    let play = |target: &dyn Target| complete(target, &suite, &options);
    let reached = target::with_target(&named, &args.at, 1, &stop, |_| Ok(()), play)?;
    ProgressLine::stderr().clear();
    let Some(mut done) = reached.done else { return Ok(target::interrupted()) };
    done.mishaps.extend(reached.mishaps);
    let conclusion = conclusion(&done);
    Ok(Output { text: text(args, &named, &done, conclusion), code: conclusion.exit_code() })
}

/// Returns the depth, the number of items and the longest lifetime, if they go together.
fn usual_options(args: &ProveArgs) -> Result<CompleteOptions<'static>, CommandError> {
    if args.items == 1 {
        let usual = CompleteOptions::new(Depth(args.depth.unwrap_or(DEPTH)));
        return Ok(CompleteOptions { longest_s: args.longest_ttl.unwrap_or(usual.longest_s), ..usual });
    }
    let refused = match (args.depth, args.longest_ttl) {
        (Some(1..), _) => "two items are tested at depth 0 only",
        (_, Some(2..)) => "two items are tested with lifetimes up to 1 s only",
        _ => return Ok(CompleteOptions::two_items()),
    };
    Err(CommandError::usage(refused, "with `--items 2`, only `--depth 0` and `--longest-ttl 1` are accepted"))
}

fn conclusion(done: &Completion) -> Conclusion {
    if done.found.is_some() {
        Conclusion::Nonconformant
    } else if !done.mishaps.is_empty() {
        Conclusion::Broke
    } else if done.is_whole() && done.unconfirmed.is_empty() {
        Conclusion::Conformant
    } else {
        Conclusion::Undecided
    }
}

fn text(args: &ProveArgs, named: &TargetName, done: &Completion, conclusion: Conclusion) -> String {
    let mut lines = Vec::new();
    let again = again(args, named, done.depth);
    for shown in done.shoulds.iter().chain(&done.found) {
        lines.extend(counterexample(args.strict, named, shown, &again));
    }
    lines.extend(done.unconfirmed.iter().map(|one| format!("not confirmed: {}", plain(one))));
    lines.extend(done.mishaps.iter().map(|one| format!("not judged: {}", plain(one))));
    if !done.without.is_empty() {
        let parts: Vec<_> = done.without.iter().map(|part| part.word()).collect();
        lines.push(format!(
            "declared missing: {}; the suite needs it, so nothing is proved",
            parts.join(", ")
        ));
    }
    for input in &done.not_offered {
        lines.push(format!("not offered by the target: {}", plain(&input.words())));
    }
    let [states, inputs, core] = done.size;
    let items = if done.items == 1 { "" } else { "two items and " };
    lines.push(format!(
        "complete suite of depth {} with {items}lifetimes up to {} s: {states} states, {inputs} inputs, {core} of them on the way to a state",
        done.depth.0, done.longest_s
    ));
    for one in &done.schedules {
        let removal = one.removal.map_or_else(|| "as the target does".into(), |removal| removal.to_string());
        let tests = counted(one.tests, "test");
        lines.push(format!(
            "  removal {removal}: {tests}, {} states to tell apart; {}",
            one.distinct,
            cosmos_ttl_explore::complete::describe(one.choices)
        ));
    }
    if done.cut > 0 && done.found.is_none() {
        let cut = counted(done.cut, "test");
        lines.push(format!(
            "  {cut} ended early, so nothing is proved: no etag was shown, or an open choice led out of the model"
        ));
    }
    let played = format!("{}, {}", counted(done.tests, "test"), counted(done.requests, "request"));
    let early = if done.cut_short { ", ended before its time" } else { "" };
    lines.push(format!("{}: {played}{early}", conclusion.word()));
    if conclusion == Conclusion::Conformant {
        lines.push(String::new());
        if done.shoulds.is_empty() {
            lines.extend(done.statement().map(|sentence| wrapped(&sentence, WIDTH, "  ")));
        } else {
            lines.push("it differs from a should, so nothing is proved".into());
        }
    }
    lines.join("\n") + "\n"
}

/// The command that repeats the run: the same tests are played in the same order.
fn again(args: &ProveArgs, named: &TargetName, depth: Depth) -> String {
    let mut words = vec!["--depth".into(), depth.0.to_string()];
    if args.items > 1 {
        words.extend(["--items".into(), args.items.to_string()]);
    }
    words.extend(args.longest_ttl.iter().flat_map(|longest| ["--longest-ttl".into(), longest.to_string()]));
    words.extend(args.strict.then(|| "--strict".into()));
    target::again("prove", words, named, &args.at)
}

fn show_progress(progress: SuiteProgress) {
    let SuiteProgress { tests, of } = progress;
    ProgressLine::stderr().show(&format!("{tests} of {of} tests played"));
}
