//! `cosmos-ttl derive`

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Output;
use super::trouble::Trouble;
use super::whole_file;
use crate::derive::{CERTIFICATE_FILE, certify, derive};
use crate::flaw::Flaw;
use crate::vector::{DERIVED_DIRECTORY, Suite};

#[derive(Debug, clap::Args)]
#[command(after_help = DERIVE_CODES)]
pub(super) struct DeriveArgs {
    /// The directory of the vectors
    #[arg(long, value_name = "DIR", default_value = "vectors")]
    vectors: PathBuf,
    /// Writes nothing, and says what is stale
    #[arg(long)]
    check: bool,
}

const DERIVE_CODES: &str = "\
Exit codes:
  0  what is derived stands there
  1  something that stands there is stale
  2  wrong use, or a bad vector";

pub(super) fn derive_vectors(args: &DeriveArgs) -> Result<Output, Trouble> {
    let directory = args.vectors.join(DERIVED_DIRECTORY);
    let files = derive();
    let mut stale: Vec<String> = Vec::new();
    for (name, text) in &files {
        if brought(&directory.join(name), text, args.check)? {
            stale.push(name.clone());
        }
    }
    refuse_strangers(&directory, &files.keys().map(String::as_str).collect())?;
    if args.check && !stale.is_empty() {
        // What they cover is of no interest, and somebody's edit may not even load.
        return Ok(outdated(&directory, &stale));
    }
    let suite = Suite::load(&args.vectors)?;
    let certificate =
        certify(&suite).map_err(|what| Trouble::usage(what, "the model and its graph do not agree"))?;
    if brought(&directory.join(CERTIFICATE_FILE), &certificate, args.check)? {
        stale.push(CERTIFICATE_FILE.into());
    }
    if args.check && !stale.is_empty() {
        return Ok(outdated(&directory, &stale));
    }
    Ok(told(&directory, &suite, &stale).into())
}

fn outdated(directory: &Path, stale: &[String]) -> Output {
    let text = format!(
        "{}: stale: {}\n`cosmos-ttl derive` writes them anew\n",
        directory.display(),
        stale.join(", ")
    );
    Output { text, code: 1 }
}

fn told(directory: &Path, suite: &Suite, written: &[String]) -> String {
    let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let there = format!("{}: {} vectors, {requests} requests", directory.display(), suite.derived.len());
    match written {
        [] => format!("{there}; up to date\n"),
        written => format!("{there}; written: {}\n", written.join(", ")),
    }
}

/// Writes a file that is not as it must be, or only looks; says whether it was not.
pub(super) fn brought(path: &Path, text: &str, check: bool) -> Result<bool, Trouble> {
    if fs::read_to_string(path).is_ok_and(|stored| stored == text) {
        return Ok(false);
    }
    if !check {
        let failed =
            |err: std::io::Error| Flaw::of_path(path.display(), format!("cannot be written: {err}"), "");
        let beside = path.parent().map_or(Ok(()), fs::create_dir_all);
        beside.and_then(|()| whole_file::replace(path, text)).map_err(failed)?;
    }
    Ok(true)
}

/// Files that nobody derives: left over, or put there by hand.
fn refuse_strangers(directory: &Path, known: &BTreeSet<&str>) -> Result<(), Trouble> {
    if !directory.exists() {
        return Ok(());
    }
    let failed =
        |err: std::io::Error| Flaw::of_path(directory.display(), format!("cannot be read: {err}"), "");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        names.insert(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    let first = names.iter().find(|name| !known.contains(name.as_str()) && *name != CERTIFICATE_FILE);
    match first {
        Some(name) => {
            let what = format!("{}: nobody derives this file", directory.join(name).display());
            Err(Trouble::usage(what, "take it away; vectors by hand stand one directory up"))
        }
        None => Ok(()),
    }
}
