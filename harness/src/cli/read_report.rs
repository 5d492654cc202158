//! Reads a report that a run wrote.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::folder::REPORT;
use super::trouble::Trouble;
use crate::report::{FORMAT, Report};

/// No report is longer than this.
const MOST_BYTES: u64 = 256 << 20;

/// The report in this file, or in this directory; made harmless, as anybody may have written it.
///
/// # Errors
///
/// [`Trouble`] where it cannot be read, or is none.
pub(super) fn read(path: &Path) -> Result<Report, Trouble> {
    let file = if path.is_dir() { path.join(REPORT) } else { path.to_owned() };
    let refused = |what: String| {
        let help = "a report is the `report.json` of `cosmos-ttl run --report DIR`, or that DIR";
        Trouble::usage(format!("{}: {what}", file.display()), help)
    };
    let text = bytes(&file).map_err(|err| refused(format!("cannot be read: {err}")))?;
    let report: Report =
        serde_json::from_slice(&text).map_err(|err| refused(format!("is no report: {err}")))?;
    match report.format {
        FORMAT => Ok(report.made_harmless()),
        other => Err(refused(format!("is of format {other}; this reads format {FORMAT}"))),
    }
}

fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = Vec::new();
    File::open(file)?.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(text)
}
