//! `cosmos-ttl run`

use std::cell::OnceCell;

use clap::ValueEnum as _;

use super::args::RunArgs;
use super::diagnosis;
use super::folder::Folder;
use super::replay::replay;
use super::target::{self, TargetName};
use crate::shell::CommandError;
use crate::shell::Format;
use crate::shell::filter::{self, filter_profile, filter_vectors};
use crate::shell::{Output, suite, write_stderr};
use cosmos_ttl_harness::known_failures::{KnownFailures, apply};
use cosmos_ttl_harness::run::{Conclusion, Run};
use cosmos_ttl_harness::target::About;
use cosmos_ttl_report::style::RenderOptions;
use cosmos_ttl_report::text::text;
use cosmos_ttl_report::{Report, RunCommand};

/// What is said of every vector while the run goes on.
const DIED: &str = "the run did not come to its end";

pub(super) fn run(args: &RunArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let (target, filters) = TargetName::split(&args.words, &args.command)?;
    let suite = suite(&args.vectors)?;
    let vectors = filter_vectors(&suite, filters).map_err(|trouble| with_targets(trouble, args))?;
    let vectors = filter_profile(&suite, args.vectors.profile, vectors)?;
    let known = args.known.as_deref().map(|path| KnownFailures::load(path, &suite)).transpose()?;
    let asked = asked(args, &target, filters);
    let folder = args.report.as_deref().map(Folder::at).transpose()?;
    let leave = |about: About, why: &str, code: Option<u8>| {
        let Some(folder) = &folder else { return Ok(()) };
        let mut report = Report::of(&suite, &Run::unasked(about, &vectors, why), &asked);
        report.exit_code = code.unwrap_or(report.exit_code);
        if report.exit_code == Conclusion::Broke.exit_code() {
            report.conclusion = Conclusion::Broke.word().into();
        }
        folder.write(&report)
    };
    // Whatever happens from here on, no report of an earlier run stays.
    leave(target.unasked(), DIED, None)?;
    let about = OnceCell::new();
    let begin = |known: About| leave(about.get_or_init(|| known).clone(), DIED, None);
    let mut run = match replay(&target, &vectors, args, begin) {
        Ok(run) => run,
        Err(trouble) => {
            let about = about.into_inner().unwrap_or_else(|| target.unasked());
            let left = leave(about, &trouble.why(), Some(trouble.code()));
            left.err().iter().for_each(|trouble| write_stderr(&trouble.render(look)));
            return Err(trouble);
        }
    };
    if let Some(known) = &known {
        apply(known, &mut run);
    }
    let mut report = Report::of(&suite, &run, &asked);
    report.diagnosis = diagnosis::of(&run);
    let text = match args.format {
        Format::Text => text(&report, RenderOptions { most: args.show, ..look }),
        Format::Json => report.json(),
    };
    let code = match folder.map_or(Ok(()), |folder| folder.write(&report)) {
        Ok(()) => report.exit_code,
        Err(trouble) => {
            // What came of the run is told all the same.
            write_stderr(&trouble.render(look));
            trouble.code()
        }
    };
    Ok(Output { text, code })
}

/// A first word that matches no vector may have been meant as a target.
pub(super) fn with_targets(trouble: CommandError, args: &RunArgs) -> CommandError {
    let about_first = |what: &str| args.words.first().is_some_and(|word| what == filter::no_match(word));
    match trouble {
        CommandError::Usage { what, help } if about_first(&what) => {
            CommandError::usage(what, filter::help(&[&help, target::ACCEPTED]))
        }
        trouble => trouble,
    }
}

/// What a command that repeats one vector must say.
fn asked(args: &RunArgs, target: &TargetName, filters: &[String]) -> RunCommand {
    let mut options = args.vectors.options();
    if args.strict {
        options.push("--strict".into());
    }
    if args.process.strict_protocol {
        options.push("--strict-protocol".into());
    }
    if *target != TargetName::Reference {
        for (name, value, default) in
            [("--budget", args.budget, RunArgs::BUDGET_S), ("--timeout", args.timeout, RunArgs::TIMEOUT_S)]
        {
            if value != default {
                options.extend([name.into(), value.to_string()]);
            }
        }
    }
    RunCommand {
        target: target.words(),
        options,
        filters: filters.to_vec(),
        profile: args.vectors.profile.to_possible_value().map(|profile| profile.get_name().to_owned()),
        strict: args.strict,
        command: args.command.clone(),
        known: args.known.as_ref().map(|path| path.display().to_string()),
    }
}
