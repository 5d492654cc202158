//! `cosmos-ttl derive`

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Output;
use super::args::DeriveArgs;
use super::trouble::Trouble;
use super::whole_file;
use crate::derive::{CERTIFICATE_FILE, certify, derive};
use crate::flaw::Flaw;
use crate::vector::{DERIVED_DIRECTORY, Suite};

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
    let suite = Suite::load(&args.vectors)?;
    let certificate = certify(&suite)
        .map_err(|what| Trouble::usage(what, "`cosmos-ttl derive` writes the vectors anew"))?;
    if brought(&directory.join(CERTIFICATE_FILE), &certificate, args.check)? {
        stale.push(CERTIFICATE_FILE.into());
    }
    Ok(told(args, &directory, &suite, &stale))
}

fn told(args: &DeriveArgs, directory: &Path, suite: &Suite, stale: &[String]) -> Output {
    let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let there = format!("{}: {} vectors, {requests} requests", directory.display(), suite.derived.len());
    match (stale.is_empty(), args.check) {
        (true, _) => Output { text: format!("{there}; up to date\n"), code: 0 },
        (false, true) => Output {
            text: format!("{there}; stale: {}\n`cosmos-ttl derive` writes them anew\n", stale.join(", ")),
            code: 1,
        },
        (false, false) => Output { text: format!("{there}; written: {}\n", stale.join(", ")), code: 0 },
    }
}

/// Writes a file that is not as it must be, or only looks; says whether it was not.
fn brought(path: &Path, text: &str, check: bool) -> Result<bool, Trouble> {
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
    let failed = |err: std::io::Error| {
        Flaw::of_path(directory.display(), format!("cannot be read: {err}"), "`cosmos-ttl derive` makes it")
    };
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
