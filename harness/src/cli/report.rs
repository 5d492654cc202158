//! `cosmos-ttl report`

use std::fs;
use std::path::Path;

use super::args::{Page, ReportArgs};
use super::read_report::read;
use super::trouble::Trouble;
use crate::flaw::Flaw;
use crate::report::html::page;

pub(super) fn report(args: &ReportArgs) -> Result<String, Trouble> {
    let reports = args.reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let text = match args.to {
        Page::Html => page(&reports),
    };
    match &args.output {
        None => Ok(text),
        Some(path) => write(path, &text),
    }
}

fn write(path: &Path, text: &str) -> Result<String, Trouble> {
    fs::write(path, text).map_err(|err| {
        Flaw::of_path(
            path.display(),
            format!("cannot be written: {err}"),
            "-o FILE names a file in a directory that is there",
        )
    })?;
    Ok(format!("{}: written\n", path.display()))
}
