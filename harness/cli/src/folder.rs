//! The directory of `run --report`: one report in every form, each file there whole or not at all.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::read_report::FILE as REPORT;
use crate::shell::CommandError;
use crate::shell::atomic_write;
use cosmos_ttl_report::Report;
use cosmos_ttl_report::ctrf;
use cosmos_ttl_report::junit;
use cosmos_ttl_report::markdown::markdown;
use cosmos_ttl_report::page;

/// Makes a file's text of a report.
type Make = fn(&Report) -> String;

/// What else is in the directory, and how it is made.
const MADE: [(&str, Make); 4] = [
    ("junit.xml", junit),
    ("report.md", markdown),
    ("ctrf.json", ctrf),
    ("index.html", |report| page(std::slice::from_ref(report))),
];

/// Files that were made of another report may be written over.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The directory, which is made where it is missing. Whatever is in it that is not of ours stays.
    ///
    /// # Errors
    ///
    /// [`CommandError`] where it cannot be made, or a file of somebody else's has the name of one of ours.
    pub(super) fn at(path: &Path) -> Result<Self, CommandError> {
        fs::create_dir_all(path).map_err(|err| cannot("make", path, &err))?;
        let names = [REPORT].into_iter().chain(MADE.iter().map(|(name, _)| *name));
        let mut there = names.map(|name| path.join(name)).filter(|file| fs::symlink_metadata(file).is_ok());
        let other = if is_ours(&path.join(REPORT)) { None } else { there.next() };
        match other {
            None => Ok(Self(path.into())),
            Some(file) => Err(CommandError::usage(
                format!(
                    "{} is there already, and no report of this program stands beside it",
                    file.display()
                ),
                "only reports are written over; name another directory, or take the file away",
            )),
        }
    }

    /// Writes the report in every form. A report that is complete is written last, one that is not first: whenever this
    /// is interrupted, `report.json` claims no more than what is there.
    ///
    /// # Errors
    ///
    /// [`CommandError`] that names the file.
    pub(super) fn write(&self, report: &Report) -> Result<(), CommandError> {
        if !report.complete {
            self.put(REPORT, &report.json())?;
        }
        for (name, make) in MADE {
            self.put(name, &make(report))?;
        }
        if report.complete { self.put(REPORT, &report.json()) } else { Ok(()) }
    }

    fn put(&self, name: &str, text: &str) -> Result<(), CommandError> {
        let path = self.0.join(name);
        atomic_write(&path, text).map_err(|err| cannot("write", &path, &err))
    }
}

/// What every version of a report has.
#[derive(Deserialize)]
struct Ours {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "harness")]
    _harness: String,
    #[serde(rename = "conclusion")]
    _conclusion: String,
}

fn is_ours(path: &Path) -> bool {
    /// No report is longer.
    const MOST_BYTES: u64 = 256 << 20;
    let mut text = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    read.is_ok() && serde_json::from_slice::<Ours>(&text).is_ok()
}

fn cannot(what: &str, path: &Path, err: &io::Error) -> CommandError {
    CommandError::usage(
        format!("cannot {what} {}: {err}", path.display()),
        "--report takes a directory that can be written to, with room for a few megabytes",
    )
}
