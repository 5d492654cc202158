//! `cosmos-ttl report` and `cosmos-ttl diff`; the directory of `run --report`, and how `report.json` is read again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::slice;

use serde::Deserialize;

use super::args::{DiffArgs, DiffFormat, ReportArgs};
use crate::report::diff::{Diff, markdown as diff_markdown, text as diff_text};
use crate::report::style::RenderOptions;
use crate::report::{FORMAT, Report, junit, markdown, page};
use crate::shell::{CommandError, Output, Written, atomic_write, unwritable};
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_harness::plain::{plain, visible};
use cosmos_ttl_harness::run::Tally;
use cosmos_ttl_harness::text_file::{TextKind, not_regular};
use cosmos_ttl_harness::verdict::Counts;

pub(super) fn report(args: &ReportArgs) -> Result<Output, CommandError> {
    let text = page(&labelled(args)?);
    match &args.output {
        None => Ok(text.into()),
        Some(path) => write(path, &args.reports, &text),
    }
}

/// The reports, each named by its label, by its target, or by its file where two targets have one name.
fn labelled(args: &ReportArgs) -> Result<Vec<Report>, CommandError> {
    if args.reports.len() < args.labels.len() {
        let what = format!("{} labels for {} reports", args.labels.len(), args.reports.len());
        return Err(CommandError::usage(what, "`--label NAME` once for each report, in their order"));
    }
    let mut reports = args.reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    for (report, label) in reports.iter_mut().zip(&args.labels) {
        report.target.name = plain(label);
    }
    let names: Vec<String> = reports.iter().map(|report| report.target.name.clone()).collect();
    let unlabelled = reports.iter_mut().zip(&args.reports).skip(args.labels.len());
    for (report, path) in unlabelled {
        if names.iter().filter(|name| **name == report.target.name).count() > 1 {
            report.target.name = plain(&path.display().to_string());
        }
    }
    Ok(reports)
}

fn write(path: &Path, reports: &[PathBuf], text: &str) -> Result<Output, CommandError> {
    let same = |one: &Path| {
        fs::canonicalize(one).ok().is_some_and(|one| fs::canonicalize(path).is_ok_and(|path| path == one))
    };
    if reports.iter().any(|report| same(report) || same(&report.join(FILE))) {
        let help = "-o FILE names another file than the reports that the page is made of";
        return Err(CommandError::usage(format!("{} is one of the reports", path.display()), help));
    }
    let help = "-o FILE names a file in a directory that is there";
    Ok(match atomic_write(path, text).map_err(|err| unwritable(path, &err, help))? {
        Written::Whole => format!("{}: written\n", visible(&path.display().to_string())).into(),
        // It may be where this would be written as well.
        Written::Into => String::new().into(),
    })
}

pub(super) fn diff(args: &DiffArgs, options: RenderOptions) -> Result<Output, CommandError> {
    let diff = Diff::of(&read(&args.before)?, &read(&args.after)?);
    let text = match args.format {
        DiffFormat::Text => diff_text(&diff, RenderOptions { most: args.show, ..options }),
        DiffFormat::Json => diff.json(),
        DiffFormat::Md => diff_markdown(&diff),
    };
    Ok(Output { text, code: diff.exit_code })
}

const FILE: &str = "report.json";

type MakeText = fn(&Report) -> String;

const OTHERS: [(&str, MakeText); 3] =
    [("junit.xml", junit), ("report.md", markdown), ("index.html", |report| page(slice::from_ref(report)))];

const ONLY_REPORTS: &str = "only reports are written over; name another directory, or take the file away";

/// A directory whose files were made of another report, or are not there yet.
pub(super) struct ReportDir(PathBuf);

impl ReportDir {
    /// Returns the directory, which is made where it is missing. Files of other programs stay.
    pub(super) fn at(path: &Path) -> Result<Self, CommandError> {
        fs::create_dir_all(path).map_err(|err| cannot("make", path, &err))?;
        let names = [FILE].into_iter().chain(OTHERS.iter().map(|(name, _)| *name));
        let there = names.map(|name| path.join(name)).filter(|file| fs::symlink_metadata(file).is_ok());
        let there: Vec<_> = there.collect();
        let special =
            there.iter().find_map(|file| Some((file, not_regular(fs::metadata(file).ok()?.file_type())?)));
        if let Some((file, kind)) = special {
            let what = format!("{} is {kind}, and not a regular file", file.display());
            return Err(CommandError::usage(what, ONLY_REPORTS));
        }
        match there.first().filter(|_| !is_ours(&path.join(FILE))) {
            None => Ok(Self(path.into())),
            Some(file) => {
                let file = file.display();
                let what =
                    format!("{file} is there already, and the directory has no report of this program");
                Err(CommandError::usage(what, ONLY_REPORTS))
            }
        }
    }

    /// Writes the report in every form. A report that is complete is written last, one that is not first: whenever this
    /// is interrupted, `report.json` claims no more than what is there.
    pub(super) fn write(&self, report: &Report) -> Result<(), CommandError> {
        let own: (&str, MakeText) = (FILE, Report::json);
        let (first, last) = if report.complete { (None, Some(own)) } else { (Some(own), None) };
        for (name, make) in first.into_iter().chain(OTHERS).chain(last) {
            let path = self.0.join(name);
            atomic_write(&path, &make(report)).map_err(|err| cannot("write", &path, &err))?;
        }
        Ok(())
    }
}

/// The fields that every version of a report has.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they are there counts")]
struct AnyReport {
    format: u32,
    harness: String,
    conclusion: String,
}

fn is_ours(path: &Path) -> bool {
    REPORTS.read(path).is_ok_and(|report| serde_json::from_str::<AnyReport>(&report.text).is_ok())
}

fn cannot(what: &str, path: &Path, err: &io::Error) -> CommandError {
    CommandError::usage(
        format!("cannot {what} {}: {err}", path.display()),
        "--report takes a directory that can be written to, with room for a few megabytes",
    )
}

const HELP: &str = "`cosmos-ttl run --report DIR` writes one";

/// A report of all vectors, each of which fails, has less than two million bytes.
const REPORTS: TextKind = TextKind { accepted: HELP, most_bytes: 64 << 20 };

/// The only field whose meaning is the same in every version of the form.
#[derive(Deserialize)]
struct FormatVersion {
    format: u64,
}

/// Reads the report in this file, or in the [`FILE`] of this directory, and makes it harmless.
///
/// It may have been edited, or be hostile: it is bounded, its form must be known, and its numbers must add up.
pub(super) fn read(path: &Path) -> Result<Report, CommandError> {
    let path = if path.is_dir() { path.join(FILE) } else { PathBuf::from(path) };
    let text = REPORTS.read(&path)?.text;
    let version: FormatVersion = serde_json::from_str(&text).map_err(|err| bad_json(&path, &text, &err))?;
    if version.format != u64::from(FORMAT) {
        let what = format!("`format` is {}, and this version reads {FORMAT}", version.format);
        let line = text.lines().position(|line| line.contains("\"format\"")).map_or(1, |line| line + 1);
        let help = "read it with the version of cosmos-ttl that wrote it, or run again with this one";
        return Err(Diagnostic::of_path(format!("{}:{line}", path.display()), what, help).into());
    }
    let report: Report = serde_json::from_str(&text).map_err(|err| bad_json(&path, &text, &err))?;
    match contradiction(&report) {
        None => Ok(report.made_harmless()),
        Some(what) => {
            let help = "a report is written by a run and never changed by hand; run again";
            Err(Diagnostic::of_path(path.display(), what, help).into())
        }
    }
}

fn bad_json(path: &Path, text: &str, err: &serde_json::Error) -> Diagnostic {
    if text.trim().is_empty() {
        return Diagnostic::of_path(path.display(), "is empty", HELP);
    }
    let what = err.to_string();
    // The place is in front of the message, and need not be behind it.
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
    let place = format!("{}:{}:{}", path.display(), err.line(), err.column());
    Diagnostic::of_path(place, format!("is no report: {}", plain(what)), HELP)
}

/// The first thing in a report that cannot be so.
fn contradiction(report: &Report) -> Option<String> {
    let counts: Counts = report.cases.iter().map(|case| case.verdict).collect();
    if counts != report.counts {
        return Some("`counts` are not those of `cases`".into());
    }
    if let Some(what) = wrong_conclusion(report) {
        return Some(what);
    }
    let mut names = BTreeSet::new();
    let mut cases = report.cases.iter();
    if let Some(case) = cases.find(|case| !names.insert(case.name.as_str())) {
        return Some(format!("the vector `{}` stands in it twice", plain(&case.name)));
    }
    let mut failures = report.cases.iter().filter_map(|case| Some((case, case.failure.as_ref()?)));
    let astray = failures.find(|(case, failure)| case.steps.len() <= failure.step);
    astray.map(|(case, _)| format!("`{}` fails at a step that it does not have", plain(&case.name)))
}

/// Returns the conclusion of the report if it does not follow from its cases.
fn wrong_conclusion(report: &Report) -> Option<String> {
    let (complete, not_run) = (report.counts.not_run == 0, report.counts.not_run);
    if complete != report.complete {
        return Some(format!("`complete` is {}, and {not_run} vectors were not run", report.complete));
    }
    let tally = Tally {
        counts: report.counts,
        unjudged: report.unjudged.iter().cloned().collect(),
        scope: report.vectors.scope,
        missing: report.missing.iter().copied().collect(),
        without: report.without.iter().copied().collect(),
        stale: !report.stale.is_empty(),
        mishap: !report.mishaps.is_empty(),
    };
    let follows = tally.conclusion(report.strict);
    // A run that never began ends with the code of whatever was wrong.
    let begun = report.counts.judged() > 0 || complete;
    let right = tally.words(follows);
    let same = report.conclusion == right && report.exit_code == follows.exit_code();
    (begun && !same).then(|| {
        let (word, code) = (plain(&report.conclusion), report.exit_code);
        let right_code = follows.exit_code();
        format!("it concludes `{word}` with exit code {code}, and its cases say `{right}` with {right_code}")
    })
}
