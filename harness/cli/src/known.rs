//! `cosmos-ttl known`

use std::env;
use std::fmt::Write as _;
use std::path::Path;

use super::args::{KnownCommand, UpdateArgs};
use super::estimate::RunEstimate;
use super::run::with_targets;
use super::target::{TargetName, replay};
use crate::report::style::RenderOptions;
use crate::report::text::render_message;
use crate::report::vectors;
use crate::shell::filter::{filter_profile, filter_vectors};
use crate::shell::{CommandError, Output, VectorsArgs, atomic_write, suite, unwritable, write_stderr};
use cosmos_ttl_harness::known_failures::{KnownFailures, LISTS, UpdateRefusal, UpdatedList, updated};
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::verdict::Outcome;

pub(super) fn known(command: &KnownCommand, look: RenderOptions) -> Result<Output, CommandError> {
    match command {
        KnownCommand::Update(args) => update(args, look),
        KnownCommand::Check { file, vectors } => check(file, vectors).map(Output::from),
    }
}

fn check(file: &Path, args: &VectorsArgs) -> Result<String, CommandError> {
    let suite = suite(args)?;
    let known = KnownFailures::load(file, &suite)?;
    let named: std::collections::BTreeSet<_> = known.names().collect();
    let (file, count) = (visible(&known.source.name), entries(known.entry_count()));
    Ok(format!("{file}: {count}, of {} of {}\n", named.len(), vectors(suite.vectors.len())))
}

fn update(args: &UpdateArgs, look: RenderOptions) -> Result<Output, CommandError> {
    refuse_words(args)?;
    let (target, filters) = TargetName::split(&args.replay.words, &args.replay.at.command)?;
    let suite = suite(&args.replay.vectors)?;
    let vectors =
        filter_vectors(&suite, filters).map_err(|trouble| with_targets(trouble, &args.replay.words))?;
    let vectors = filter_profile(&suite, &args.replay.vectors, vectors)?;
    let stored = args.file.exists().then(|| KnownFailures::load(&args.file, &suite)).transpose()?;
    RunEstimate::of(&target, &vectors, &args.replay)?.check(&args.replay)?;
    let run = replay(&target, &vectors, &args.replay, |_| Ok(()))?;
    let before = stored.as_ref().map(|known| known.source.text.clone());
    let known =
        stored.unwrap_or_else(|| KnownFailures::new(args.file.display().to_string(), &run.about.name));
    let reason = args.reason.as_deref().map(str::trim);
    let list = match updated(&known, &run, reason, args.replay.strict) {
        Ok(list) => list,
        Err(refusal) => return refused(&known.source.name, refusal, look),
    };
    let changed = before.as_ref() != Some(&list.text);
    if changed {
        write(&args.file, before.as_deref(), &list.text)?;
    }
    Ok(summary(&known, &list, changed).into())
}

fn refuse_words(args: &UpdateArgs) -> Result<(), CommandError> {
    let ci =
        env::var_os("CI").is_some_and(|ci| !["", "0", "false"].iter().any(|no| ci.eq_ignore_ascii_case(no)));
    let refused = if ci {
        // People decide what is on a list. A machine that rewrote it would excuse every failure.
        (
            "a list of known failures is not changed in CI, where it would let every failure pass",
            "run this where somebody looks at the change, and commit it; CI is set in the environment",
        )
    } else if TargetName::is_meant(&args.file.to_string_lossy()) {
        (
            "a target stands where the list should",
            "the list comes first: `cosmos-ttl known update FILE TARGET`",
        )
    } else if args.reason.as_deref().is_some_and(|reason| reason.trim().is_empty()) {
        ("an empty reason", "--reason TEXT says why the new failures fail")
    } else {
        return Ok(());
    };
    Err(CommandError::usage(refused.0, refused.1))
}

const UNCHANGED: &str = "nothing was changed";

/// Writes next to the file and moves it there, so that no reader gets half of it. Refuses if another program changed the
/// file during the run.
fn write(file: &Path, before: Option<&str>, text: &str) -> Result<(), CommandError> {
    let now = LISTS.read_if_there(file)?.map(|now| now.text);
    if now.as_deref() != before {
        let what = format!("{}: somebody changed it during the run", file.display());
        return Err(CommandError::usage(what, "nothing was written; run it once more"));
    }
    atomic_write(file, text).map(|_| ()).map_err(|err| unwritable(file, &err, UNCHANGED))
}

fn summary(known: &KnownFailures, list: &UpdatedList, is_written: bool) -> String {
    let kinds = [("removed", &list.removed), ("changed", &list.changed), ("added", &list.added)];
    let (mut lines, mut counts) = (String::new(), String::new());
    // Writing to a string cannot fail.
    for (kind, entries) in kinds.into_iter().filter(|(_, entries)| !entries.is_empty()) {
        for entry in entries {
            let _ = writeln!(lines, "  {kind:<8} {}", visible(entry));
        }
        let _ = write!(counts, "{} {kind}, ", entries.len());
    }
    let kept = known.entry_count().saturating_sub(list.removed.len() + list.changed.len());
    let end = if is_written { "written" } else { "up to date" };
    format!("{lines}{}: {counts}{kept} kept; {end}\n", visible(&known.source.name))
}

fn refused(file: &str, refusal: UpdateRefusal, look: RenderOptions) -> Result<Output, CommandError> {
    let (what, help) = match refusal {
        // A run that says too little is no wrong use: it says so, with the code that it would have had.
        UpdateRefusal::Unjudged(outcome, why) => {
            let (code, what) = match outcome {
                Outcome::NotRun => (3, "the run is incomplete"),
                Outcome::Broken => (4, "the target, or the way to it, broke"),
                _ => (3, "nothing can be said of what is on the list"),
            };
            let help = "nothing was written; run it once more";
            write_stderr(&render_message(&format!("{what}: {why}"), help, look));
            return Ok(Output { text: String::new(), code });
        }
        UpdateRefusal::NoReason(new) => {
            let failures =
                if new.len() == 1 { "1 failure is".into() } else { format!("{} failures are", new.len()) };
            let help = format!("--reason TEXT says why they fail; nothing was written\n{}", new.join("\n"));
            (format!("{failures} not on the list, and there is no reason for them"), help)
        }
        UpdateRefusal::TooMany(what) => {
            (what, "raise its `failing`, or name the new ones with a `name` each; nothing was written".into())
        }
    };
    Err(CommandError::usage(format!("{file}: {what}"), help))
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{count} entries") }
}
