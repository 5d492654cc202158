//! `cosmos-ttl report`

use std::fs;
use std::path::{Path, PathBuf};

use super::args::{Page, ReportArgs};
use super::read_report::{FILE, read};
use crate::shell::CommandError;
use crate::shell::atomic_write;
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_report::page;

pub(super) fn report(args: &ReportArgs) -> Result<String, CommandError> {
    let reports = args.reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let text = match args.to {
        Page::Html => page(&reports),
    };
    match &args.output {
        None => Ok(text),
        Some(path) => write(path, &args.reports, &text),
    }
}

fn write(path: &Path, reports: &[PathBuf], text: &str) -> Result<String, CommandError> {
    let same = |one: &Path| {
        fs::canonicalize(one).ok().is_some_and(|one| fs::canonicalize(path).is_ok_and(|path| path == one))
    };
    if reports.iter().any(|report| same(report) || same(&report.join(FILE))) {
        let help = "-o FILE names another file than the reports that the page is made of";
        return Err(CommandError::usage(format!("{} is one of the reports", path.display()), help));
    }
    atomic_write(path, text).map_err(|err| {
        Diagnostic::of_path(
            path.display(),
            format!("cannot be written: {err}"),
            "-o FILE names a file in a directory that is there",
        )
    })?;
    Ok(format!("{}: written\n", path.display()))
}
