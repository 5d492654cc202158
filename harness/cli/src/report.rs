//! `cosmos-ttl report` and `cosmos-ttl diff`

use std::fs;
use std::path::{Path, PathBuf};

use super::args::{DiffArgs, DiffFormat, PageFormat, ReportArgs};
use super::report_dir::{FILE, read};
use crate::shell::{CommandError, Output, atomic_write};
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_report::diff::{Diff, markdown, text};
use cosmos_ttl_report::page;
use cosmos_ttl_report::style::RenderOptions;

pub(super) fn report(args: &ReportArgs) -> Result<Output, CommandError> {
    let reports = args.reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let text = match args.to {
        PageFormat::Html => page(&reports),
    };
    match &args.output {
        None => Ok(text.into()),
        Some(path) => write(path, &args.reports, &text),
    }
}

fn write(path: &Path, reports: &[PathBuf], text: &str) -> Result<Output, CommandError> {
    let same = |one: &Path| {
        fs::canonicalize(one).ok().is_some_and(|one| fs::canonicalize(path).is_ok_and(|path| path == one))
    };
    if reports.iter().any(|report| same(report) || same(&report.join(FILE))) {
        let help = "-o FILE names another file than the reports that the page is made of";
        return Err(CommandError::usage(format!("{} is one of the reports", path.display()), help));
    }
    atomic_write(path, text).map_err(|err| {
        let help = "-o FILE names a file in a directory that is there";
        Diagnostic::of_path(path.display(), format!("cannot be written: {err}"), help)
    })?;
    Ok(format!("{}: written\n", path.display()).into())
}

pub(super) fn diff(args: &DiffArgs, options: RenderOptions) -> Result<Output, CommandError> {
    let diff = Diff::of(&read(&args.before)?, &read(&args.after)?);
    let text = match args.format {
        DiffFormat::Text => text(&diff, RenderOptions { most: args.show, ..options }),
        DiffFormat::Json => diff.json(),
        DiffFormat::Md => markdown(&diff),
    };
    Ok(Output { text, code: diff.exit_code })
}
