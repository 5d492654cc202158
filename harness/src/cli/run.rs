//! `cosmos-ttl run`

use std::cell::OnceCell;

use super::args::{Format, RunArgs};
use super::folder::Folder;
use super::pick::{self, pick};
use super::target::{self, Named};
use super::trouble::Trouble;
use super::{Output, suite, tell};
use crate::report::style::Look;
use crate::report::text::text;
use crate::report::{Asked, Report};
use crate::run::{Conclusion, Run};
use crate::target::About;

pub(super) fn run(args: &RunArgs, look: Look) -> Result<Output, Trouble> {
    let (target, filters) = Named::split(&args.words)?;
    let suite = suite(args.vectors.directory.as_deref())?;
    let vectors = pick(&suite, filters).map_err(|trouble| with_targets(trouble, args))?;
    let asked = asked(args, &target, filters);
    let folder = args.report.as_deref().map(Folder::at).transpose()?;
    let about = OnceCell::new();
    let begin = |known: About| {
        let about = about.get_or_init(|| known);
        let unasked = Run::unasked(about.clone(), &vectors, "the run did not come to its end");
        folder.as_ref().map_or(Ok(()), |folder| folder.write(&Report::of(&suite, &unasked, &asked)))
    };
    let run = match target.replay(&vectors, args, begin) {
        Ok(run) => run,
        Err(trouble) => {
            // Where nothing had begun, nothing is there to say of it.
            if let (Some(folder), Some(about)) = (&folder, about.into_inner()) {
                let unasked = Run::unasked(about, &vectors, &trouble.why());
                let report = Report {
                    conclusion: Conclusion::Broke.word().into(),
                    exit_code: trouble.code(),
                    ..Report::of(&suite, &unasked, &asked)
                };
                folder.write(&report).err().iter().for_each(|trouble| tell(&trouble.render(look)));
            }
            return Err(trouble);
        }
    };
    let report = Report::of(&suite, &run, &asked);
    let text = match args.format {
        Format::Text => text(&report, Look { most: args.show, ..look }),
        Format::Json => report.json(),
    };
    let code = match folder.map_or(Ok(()), |folder| folder.write(&report)) {
        Ok(()) => report.exit_code,
        Err(trouble) => {
            // What came of the run is told all the same.
            tell(&trouble.render(look));
            trouble.code()
        }
    };
    Ok(Output { text, code })
}

/// A first word that matches no vector may have been meant as a target.
fn with_targets(trouble: Trouble, args: &RunArgs) -> Trouble {
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
    if let Named::Url(_) = target {
        for (name, value, default) in
            [("--budget", args.budget, RunArgs::BUDGET_S), ("--timeout", args.timeout, RunArgs::TIMEOUT_S)]
        {
            if value != default {
                options.extend([name.into(), value.to_string()]);
            }
        }
    }
    Asked {
        target: target.word().into(),
        options,
        filters: filters.to_vec(),
        strict: args.strict,
        known: None,
    }
}
