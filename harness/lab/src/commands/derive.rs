//! `cargo lab derive`

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cosmos_ttl::shell::{CommandError, Output};

use super::write::brought;
use crate::args::DeriveArgs;
use crate::derive::{CERTIFICATE_FILE, certify, derive};
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_harness::vector::{DERIVED_DIRECTORY, Suite};

pub(super) fn derive_vectors(args: &DeriveArgs) -> Result<Output, CommandError> {
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
        certify(&suite).map_err(|what| CommandError::usage(what, "the model and its graph do not agree"))?;
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
        "{}: stale: {}\n`cargo lab derive` writes them anew\n",
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

/// Files that nobody derives: left over, or put there by hand.
fn refuse_strangers(directory: &Path, known: &BTreeSet<&str>) -> Result<(), CommandError> {
    if !directory.exists() {
        return Ok(());
    }
    let failed =
        |err: std::io::Error| Diagnostic::of_path(directory.display(), format!("cannot be read: {err}"), "");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        names.insert(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    let first = names.iter().find(|name| !known.contains(name.as_str()) && *name != CERTIFICATE_FILE);
    match first {
        Some(name) => {
            let what = format!("{}: nobody derives this file", directory.join(name).display());
            Err(CommandError::usage(what, "take it away; vectors by hand stand one directory up"))
        }
        None => Ok(()),
    }
}
