//! `cosmos-ttl run`

use super::args::{Format, RunArgs};
use super::pick::{self, pick};
use super::target::{self, Named};
use super::trouble::Trouble;
use super::{Output, suite};
use crate::known::{Known, hold};
use crate::report::style::Look;
use crate::report::text::text;
use crate::report::{Asked, Report};

pub(super) fn run(args: &RunArgs, look: Look) -> Result<Output, Trouble> {
    let (target, filters) = Named::split(&args.words, &args.command)?;
    let suite = suite(args.vectors.directory.as_deref())?;
    let vectors = pick(&suite, filters).map_err(|trouble| with_targets(trouble, args))?;
    let known = args.known.as_deref().map(|path| Known::load(path, &suite)).transpose()?;
    let mut run = target.replay(&vectors, args)?;
    if let Some(known) = &known {
        hold(known, &mut run);
    }
    let report = Report::of(&suite, &run, &asked(args, &target, filters));
    let text = match args.format {
        Format::Text => text(&report, Look { most: args.show, ..look }),
        Format::Json => report.json(),
    };
    Ok(Output { text, code: report.exit_code })
}

/// A first word that matches no vector may have been meant as a target.
pub(super) fn with_targets(trouble: Trouble, args: &RunArgs) -> Trouble {
    let about_first = |what: &str| args.words.first().is_some_and(|word| what == pick::no_match(word));
    match trouble {
        Trouble::Usage { what, help } if about_first(&what) => {
            Trouble::usage(what, pick::help(&[&help, target::ACCEPTED]))
        }
        trouble => trouble,
    }
}

/// What a command that repeats one vector must say.
fn asked(args: &RunArgs, target: &Named, filters: &[String]) -> Asked {
    let mut options = args.vectors.options();
    if args.strict {
        options.push("--strict".into());
    }
    if args.process.strict_protocol {
        options.push("--strict-protocol".into());
    }
    if *target != Named::Reference {
        for (name, value, default) in
            [("--budget", args.budget, RunArgs::BUDGET_S), ("--timeout", args.timeout, RunArgs::TIMEOUT_S)]
        {
            if value != default {
                options.extend([name.into(), value.to_string()]);
            }
        }
    }
    Asked {
        target: target.words(),
        options,
        filters: filters.to_vec(),
        strict: args.strict,
        command: args.command.clone(),
        known: args.known.as_ref().map(|path| path.display().to_string()),
    }
}
