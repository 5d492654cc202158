//! `cosmos-ttl run`

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum as _;

use super::args::{RunArgs, TIMEOUT_S};
use super::estimate::RunEstimate;
use super::report_files::ReportDir;
use super::target::{self, TargetName, replay};
use crate::report::style::RenderOptions;
use crate::report::{Case, Outcome, Report, RunCommand, rules_markdown, text};
use crate::shell::filter::{self, filter_profile, filter_vectors};
use crate::shell::{
    CommandError, Format, Output, Profile, VectorsArgs, atomic_write, secret, suite, unwritable, write_stderr,
};
use cosmos_ttl_explore::random_vectors;
use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::realtime::Monotonic;
use cosmos_ttl_harness::request_log::LogWriter;
use cosmos_ttl_harness::run::{Conclusion, Run, Scope};
use cosmos_ttl_harness::target::About;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_mutants::diagnosis;

/// The verdict of every vector while the run is not over.
const DIED: &str = "the run did not come to its end";

pub(super) fn run(mut args: RunArgs, options: RenderOptions) -> Result<Output, CommandError> {
    let Some(path) = args.log.clone().filter(|_| !args.dry_run) else { return run_unlogged(args, options) };
    let help = "name a file in a directory that exists, or leave `--log` away";
    let file = File::create(&path).map_err(|err| unwritable(&path, &err, help))?;
    let log = Arc::new(LogWriter::new(file));
    args.replay.at.requests = Some(Arc::clone(&log));
    let done = run_unlogged(args, options)?;
    log.finish().map_err(|err| unwritable(&path, &err, help))?;
    Ok(done)
}

fn run_unlogged(mut args: RunArgs, options: RenderOptions) -> Result<Output, CommandError> {
    let Some(path) = args.trace.clone() else { return run_untraced(&args, options) };
    if let (TargetName::Reference | TargetName::Mutant(_), _) =
        TargetName::split(&args.replay.words, &args.replay.at.command)?
    {
        let what = "`--trace` records what goes to a URL or a process, and this target is in the program";
        return Err(CommandError::usage(what, target::ACCEPTED));
    }
    let write = |text: &str| {
        let lines: String = text.split_inclusive('\n').map(secret::without_keys).collect();
        let help = "name a file in a directory that exists, or leave `--trace` away";
        atomic_write(&path, &lines).map_err(|err| unwritable(&path, &err, help))
    };
    // A file that cannot be written is refused before the run.
    write("")?;
    let log = Arc::new(ExchangeLog::new(Monotonic::start()));
    args.replay.at.log = Some(Arc::clone(&log));
    let done = run_untraced(&args, options);
    if let Err(error) = write(&log.text()) {
        write_stderr(&error.render(options));
    }
    done
}

fn run_untraced(args: &RunArgs, options: RenderOptions) -> Result<Output, CommandError> {
    let (target, filters) = TargetName::split(&args.replay.words, &args.replay.at.command)?;
    let mut suite = suite(&args.replay.vectors)?;
    let written = suite.vectors.len();
    if let Some(count) = args.random {
        let random = random_vectors(&suite, count.into(), args.seed);
        suite.vectors.extend(random);
    }
    let vectors = filter_vectors(&suite, filters).map_err(|error| with_targets(error, &args.replay.words))?;
    let mut vectors = filter_profile(&suite, &args.replay.vectors, vectors)?;
    if args.random.is_some() {
        let random: BTreeSet<_> = suite.vectors.iter().skip(written).map(|vector| &vector.name).collect();
        vectors.retain(|vector| random.contains(&vector.name));
        if vectors.is_empty() {
            let what = format!("no filter selects one of the {} random vectors", random.len());
            let help = "they are called SECTION/random-1, SECTION/random-2 and so on";
            return Err(CommandError::usage(what, help));
        }
    }
    let vectors = args.failed.as_deref().map_or(Ok(vectors.clone()), |earlier| failed(earlier, vectors))?;
    let filtered = clauses_left_out(&suite, args, filters, &vectors)?;
    let known = args.known.as_deref().map(|path| KnownFailures::load(path, &suite)).transpose()?;
    let estimate = RunEstimate::of(&target, &vectors, &args.replay);
    if args.dry_run {
        return Ok(estimate?.output(args.format));
    }
    let command = command(args, &target, filters);
    let directory = args.report.as_deref().map(ReportDir::at).transpose()?;
    let leave = |about: About, why: &str, code: Option<u8>| {
        let Some(directory) = &directory else { return Ok(()) };
        let mut report = Report::of(&suite, &Run::unasked(about, &vectors, why), &command);
        report.exit_code = code.unwrap_or(report.exit_code);
        if report.exit_code == Conclusion::Broke.exit_code() {
            report.conclusion = Conclusion::Broke.word().into();
        }
        directory.write(&report)
    };
    let write_rules = |text: &dyn Fn() -> String| {
        let Some(path) = &args.rules else { return Ok(()) };
        let help = "name a file in a directory that is there, or leave `--rules` away";
        atomic_write(path, &text()).map(|_| ()).map_err(|err| unwritable(path, &err, help))
    };
    // Whatever happens from here on, no report of an earlier run stays.
    write_rules(&|| format!("{DIED}\n"))?;
    leave(target.unasked(), DIED, None)?;
    let about = OnceCell::new();
    let begin = |known: About| leave(about.get_or_init(|| known).clone(), DIED, None);
    let allowed = estimate.and_then(|estimate| estimate.check(&args.replay));
    let mut run = match allowed.and_then(|()| replay(&target, &vectors, &args.replay, begin)) {
        Ok(run) => run,
        Err(error) => {
            let about = about.into_inner().unwrap_or_else(|| target.unasked());
            let left = leave(about, &error.why(), Some(error.code()));
            left.err().iter().for_each(|error| write_stderr(&error.render(options)));
            return Err(error);
        }
    };
    run.filtered = filtered;
    run.scope = scope(args, filters);
    if let Some(known) = &known {
        known.apply(&mut run);
    }
    let mut report = Report::of(&suite, &run, &command);
    report.diagnosis = diagnosis::of_run(&run);
    let text = match args.format {
        Format::Text => text(
            &report,
            RenderOptions { most: args.show, all: args.all, all_clauses: args.all_clauses, ..options },
        ),
        Format::Json => report.json(),
    };
    let code = match directory
        .map_or(Ok(()), |directory| directory.write(&report))
        .and_then(|()| write_rules(&|| rules_markdown(&report)))
    {
        Ok(()) => report.exit_code,
        Err(error) => {
            // What came of the run is told all the same.
            write_stderr(&error.render(options));
            error.code()
        }
    };
    Ok(Output { text, code })
}

/// How much of the suite is asked for.
fn scope(args: &RunArgs, filters: &[String]) -> Scope {
    match args.replay.vectors.profile {
        _ if !filters.is_empty() || args.failed.is_some() || args.random.is_some() => Scope::Selected,
        Profile::Quick => Scope::Quick,
        Profile::Soak => Scope::Soak,
        Profile::Hand | Profile::Model => Scope::Whole,
    }
}

/// The binding clauses of which the filters left a vector of the profile out.
fn clauses_left_out(
    suite: &Suite,
    args: &RunArgs,
    filters: &[String],
    vectors: &[&Vector],
) -> Result<BTreeSet<String>, CommandError> {
    if filters.is_empty() && args.failed.is_none() && args.random.is_none() {
        return Ok(BTreeSet::new());
    }
    let chosen: BTreeSet<_> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    let everything = filter_profile(suite, &args.replay.vectors, suite.vectors.iter().collect())?;
    let left_out = everything.into_iter().filter(|vector| !chosen.contains(vector.name.as_str()));
    Ok(left_out.flat_map(|vector| vector.binding.iter().cloned()).collect())
}

/// A first word that matches no vector may have been meant as a target.
pub(super) fn with_targets(error: CommandError, words: &[String]) -> CommandError {
    match error {
        CommandError::NoVector { word, help } if words.first() == Some(&word) => {
            CommandError::NoVector { word, help: filter::help(&[&help, target::ACCEPTED]) }
        }
        error => error,
    }
}

/// Returns those of these vectors that did not pass in an earlier run, or were not judged there.
fn failed<'a>(earlier: &Path, mut vectors: Vec<&'a Vector>) -> Result<Vec<&'a Vector>, CommandError> {
    let report = super::report_files::read(earlier)?;
    let left = |case: &&Case| !matches!(case.verdict, Outcome::Pass | Outcome::NotApplicable);
    let names: BTreeSet<_> = report.cases.iter().filter(left).map(|case| case.name.as_str()).collect();
    vectors.retain(|vector| names.contains(vector.name.as_str()));
    if vectors.is_empty() {
        let what = format!("{}: no vector of this run is left to repeat", earlier.display());
        return Err(CommandError::usage(what, "leave `--failed` away to run all vectors"));
    }
    Ok(vectors)
}

/// Returns the command that repeats one vector.
fn command(args: &RunArgs, target: &TargetName, filters: &[String]) -> RunCommand {
    let directory =
        VectorsArgs { directory: args.replay.vectors.directory.clone(), ..VectorsArgs::default() };
    let mut options = directory.options();
    let profile = VectorsArgs { directory: None, ..args.replay.vectors.clone() };
    let mut selection = profile.options();
    if let Some(count) = args.random {
        selection.extend(["--random".into(), count.to_string(), "--seed".into(), args.seed.to_string()]);
    }
    options.extend(args.replay.strict.then(|| "--strict".into()));
    options.extend(args.replay.at.strict_protocol.then(|| "--strict-protocol".into()));
    if !args.replay.at.offers.is_empty() {
        options.extend(["--offers".into(), args.replay.at.offers.join(",")]);
    }
    if *target != TargetName::Reference {
        // The default budget depends on the containers, so what was given is given again.
        let budget = args.replay.at.budget.map(|budget_s| ("--budget", budget_s));
        let timeout =
            Some(("--timeout", args.replay.at.timeout)).filter(|(_, timeout_s)| *timeout_s != TIMEOUT_S);
        let seconds = budget.into_iter().chain(timeout);
        options.extend(seconds.flat_map(|(name, value)| [name.to_owned(), value.to_string()]));
        let containers = args.replay.at.containers.map(|containers| ("--containers", u32::from(containers)));
        let given =
            args.replay.at.throughput.map(|units| ("--throughput", units)).into_iter().chain(containers);
        options.extend(given.flat_map(|(name, value)| [name.to_owned(), value.to_string()]));
    }
    RunCommand {
        target: target.words(),
        options,
        selection,
        filters: filters.to_vec(),
        profile: match args.random {
            Some(_) => Some(format!("random from seed {}", args.seed)),
            None => {
                args.replay.vectors.profile.to_possible_value().map(|profile| profile.get_name().to_owned())
            }
        },
        without: args.replay.at.without.iter().copied().collect(),
        strict: args.replay.strict,
        fail_fast: args.replay.fail_fast,
        command: args.replay.at.command.iter().map(|word| secret::without_keys(word)).collect(),
        known: args.known.as_ref().map(|path| path.display().to_string()),
    }
}
