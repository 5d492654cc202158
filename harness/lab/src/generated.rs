//! `cargo lab derive`, `lock`, `quick`, `shows`, `pictures` and `schema`: each writes generated files, or with `--check` only compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cosmos_ttl::shell::filter::help;
use cosmos_ttl::shell::{CommandError, Output, atomic_write, unwritable};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::text_file::TextKind;
use cosmos_ttl_harness::vector::{
    self, CERTIFICATE_FILE, CLAUSES_FILE, DERIVED_DIRECTORY, Drift, LOCK_FILE, Lock, QUICK_FILE, SHOWS_FILE,
    Suite,
};
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_process::protocol;
use cosmos_ttl_report::vectors;

use crate::args::{GeneratedArgs, LockArgs, PicturesArgs, SchemaArgs};
use crate::derive::{certify, derive};
use crate::pictures;
use crate::shows::ShownClauses;

const GENERATED: TextKind = TextKind {
    accepted: "a command of the lab writes this file; take away what is there",
    most_bytes: 16 << 20,
};

/// Writes the files that are not as they must be, unless this is a check; returns their names.
fn update<'f>(
    check: bool,
    directory: &Path,
    files: impl IntoIterator<Item = (&'f str, impl AsRef<str>)>,
) -> Result<Vec<&'f str>, CommandError> {
    let mut stale = Vec::new();
    for (name, text) in files {
        let (path, text) = (directory.join(name), text.as_ref());
        if GENERATED.read_if_there(&path)?.is_some_and(|stored| stored.text == text) {
            continue;
        }
        stale.push(name);
        if !check {
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| atomic_write(&path, text)).map_err(|err| unwritable(&path, &err, ""))?;
        }
    }
    Ok(stale)
}

/// Refuses a place without a catalogue of clauses before anything is written: a command that is run in another directory
/// writes nothing there.
fn require_vectors(directory: &Path) -> Result<(), CommandError> {
    if directory.join(CLAUSES_FILE).is_file() {
        return Ok(());
    }
    let what = format!("{} is no directory of vectors: it has no {CLAUSES_FILE}", directory.display());
    Err(CommandError::usage(
        what,
        "run the command in the directory of the project, or name the place: --help",
    ))
}

/// Returns the message about the files, by name or not. A check that found stale files ends in this refusal.
fn told(check: bool, stale: &[&str], what: &str, by_name: bool, refusal: String) -> Output {
    match (stale, check) {
        ([], _) => format!("{what}; up to date\n").into(),
        (_, true) => Output { text: refusal, code: 1 },
        (_, false) if by_name => format!("{what}; written: {}\n", stale.join(", ")).into(),
        (_, false) => format!("{what}; written\n").into(),
    }
}

type SchemaWriter = fn() -> String;

/// Each schema: its file in the project, and what writes it.
const SCHEMAS: [(&str, SchemaWriter); 3] = [
    ("vectors/schema.json", vector::schema_json),
    ("harness/process/schemas/protocol.schema.json", protocol::schema_json),
    ("harness/report/schemas/report.schema.json", cosmos_ttl_report::schema_json),
];

pub(crate) fn schemas(args: &SchemaArgs) -> Result<Output, CommandError> {
    require_vectors(&args.project.join("vectors"))?;
    let stale = update(args.check, &args.project, SCHEMAS.map(|(file, schema)| (file, schema())))?;
    let refusal = format!("stale: {}\n`cargo lab schema` writes them\n", stale.join(", "));
    Ok(told(args.check, &stale, &format!("{} schemas", SCHEMAS.len()), true, refusal))
}

pub(crate) fn pictures(args: &PicturesArgs) -> Result<Output, CommandError> {
    require_vectors(&args.project.join("vectors"))?;
    let drawn = pictures::pictures().map_err(|what| {
        CommandError::usage(what, "correct the layout in harness/lab/src/pictures.rs: the model has changed")
    })?;
    let stale = update(args.check, &args.project, drawn)?;
    let refusal = format!("stale: {}\n`cargo lab pictures` writes them\n", stale.join(", "));
    Ok(told(args.check, &stale, "pictures of the model", true, refusal))
}

/// Returns the directory of a certificate.
///
/// # Errors
///
/// There is no such directory.
pub(crate) fn certificate_directory(path: &Path) -> Result<&Path, CommandError> {
    let directory = match path.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let what = format!("{}: there is no such directory", directory.display());
        let help = "run the command in the directory of the project, or name the file: --certificate FILE";
        return Err(CommandError::usage(what, help));
    }
    Ok(directory)
}

/// Writes this certificate, unless this is a check. Returns whether it was stale, and what was done in words.
pub(crate) fn certificate(path: &Path, text: &str, check: bool) -> Result<(bool, String), CommandError> {
    let directory = certificate_directory(path)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stale = !update(check, directory, [(name, text)])?.is_empty();
    let done = match (stale, check) {
        (false, _) => "up to date",
        (true, true) => "stale; `cargo lab complete` writes it",
        (true, false) => "written",
    };
    Ok((stale, format!("{}: {done}", path.display())))
}

pub(crate) fn quick(args: &GeneratedArgs) -> Result<Output, CommandError> {
    require_vectors(&args.vectors)?;
    let suite = Suite::load_without_generated(&args.vectors)?;
    quick_of(args, &kill_matrix(&suite)?)
}

/// Returns the kill matrix of the hand-written vectors and of all mutants.
pub(crate) fn kill_matrix(suite: &Suite) -> Result<Matrix<'_>, Fault> {
    Matrix::of(suite, &mutants().collect::<Vec<_>>())
}

pub(crate) fn quick_of(args: &GeneratedArgs, matrix: &Matrix<'_>) -> Result<Output, CommandError> {
    let picked = matrix.quick();
    let stale = update(args.check, &args.vectors, [(QUICK_FILE, picked.page())])?;
    let path = args.vectors.join(QUICK_FILE);
    let path = path.display();
    let refusal = format!("{path}: stale\n`cargo lab quick` writes it again\n");
    Ok(told(args.check, &stale, &format!("{path}: {}", picked.summary), false, refusal))
}

pub(crate) fn shows(args: &GeneratedArgs) -> Result<Output, CommandError> {
    require_vectors(&args.vectors)?;
    let suite = Suite::load_without_generated(&args.vectors)?;
    shows_of(args, &suite, &kill_matrix(&suite)?)
}

pub(crate) fn shows_of(
    args: &GeneratedArgs,
    suite: &Suite,
    matrix: &Matrix<'_>,
) -> Result<Output, CommandError> {
    let shown = ShownClauses::of(suite, matrix)?;
    let stale = update(args.check, &args.vectors, [(SHOWS_FILE, shown.page())])?;
    let path = args.vectors.join(SHOWS_FILE);
    let path = path.display();
    let refusal = format!("{path}: stale\n`cargo lab shows` writes it again\n");
    Ok(told(args.check, &stale, &format!("{path}: {}", shown.summary()), false, refusal))
}

pub(crate) fn derive_vectors(args: &GeneratedArgs) -> Result<Output, CommandError> {
    require_vectors(&args.vectors)?;
    let directory = args.vectors.join(DERIVED_DIRECTORY);
    let derived = derive();
    refuse_strangers(&directory, &derived)?;
    let mut stale = update(args.check, &directory, derived.iter().map(|(name, text)| (name.as_str(), text)))?;
    let place = directory.display();
    let mut what = place.to_string();
    // What stale vectors cover is of no interest, and somebody's edit may not even load.
    if stale.is_empty() || !args.check {
        let suite = Suite::load_without_generated(&args.vectors)?;
        let certificate = certify(&suite)
            .map_err(|what| CommandError::usage(what, "the model and its graph do not agree"))?;
        stale.extend(update(args.check, &directory, [(CERTIFICATE_FILE, certificate)])?);
        let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
        what = format!("{place}: {} vectors, {requests} requests", suite.derived.len());
    }
    let refusal = format!("{place}: stale: {}\n`cargo lab derive` writes them again\n", stale.join(", "));
    Ok(told(args.check, &stale, &what, true, refusal))
}

/// Refuses files that are not derived: left over, or put there by hand.
fn refuse_strangers(directory: &Path, derived: &BTreeMap<String, String>) -> Result<(), CommandError> {
    if !directory.exists() {
        return Ok(());
    }
    let failed =
        |err: io::Error| Diagnostic::of_path(directory.display(), format!("cannot be read: {err}"), "");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if !vector::is_left_by_an_editor(&name) {
            names.insert(name);
        }
    }
    match names.iter().find(|name| !derived.contains_key(*name) && *name != CERTIFICATE_FILE) {
        None => Ok(()),
        Some(name) => {
            let what = format!("{}: an unexpected file: it is not derived", directory.join(name).display());
            Err(CommandError::usage(what, "take it away; vectors by hand stand one directory up"))
        }
    }
}

pub(crate) fn lock(args: &LockArgs) -> Result<Output, CommandError> {
    require_vectors(&args.files.vectors)?;
    let suite = Suite::load_without_generated(&args.files.vectors)?.with_derived();
    let path = args.files.vectors.join(LOCK_FILE);
    let empty = || Source::new(path.display().to_string(), String::new());
    let mut lock = Lock::parse(&Arc::new(GENERATED.read_if_there(&path)?.unwrap_or_else(empty)))?;
    let drift = lock.drift(&suite.vectors);
    refuse(&drift, args)?;
    let names = drift.new.iter().chain(&args.accept);
    names.filter_map(|name| suite.get(name)).for_each(|vector| lock.publish(vector));
    for name in &args.retire {
        lock.retire(name, args.why.as_deref().unwrap_or_default());
    }
    let stale = update(args.files.check, &args.files.vectors, [(LOCK_FILE, lock.render())])?;
    let counts = [(drift.new.len(), "new"), (drift.changed.len(), "changed"), (drift.gone.len(), "retired")];
    let counts =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let counts: String = counts.collect();
    let what = format!("{}: {}{counts}", path.display(), vectors(suite.vectors.len()));
    if args.files.check && !stale.is_empty() {
        let help = "`cargo lab lock` writes it again";
        return Err(CommandError::usage(format!("{what}; not up to date"), help));
    }
    Ok(told(false, &stale, &what, false, String::new()))
}

/// Refuses names of what neither changed nor went away, and changes of published vectors that the user did not name.
fn refuse(drift: &Drift, args: &LockArgs) -> Result<(), CommandError> {
    if let Some(name) = args.accept.iter().find(|name| !drift.changed.contains(name)) {
        let help = "--accept names a published vector that means something else now";
        return Err(CommandError::usage(format!("`{name}` has not changed"), help));
    }
    if let Some(name) = args.retire.iter().find(|name| !drift.gone.contains(name)) {
        let help = "--retire names a published vector that was taken out of its file";
        return Err(CommandError::usage(format!("`{name}` has not gone away"), help));
    }
    let changes = [
        (
            &drift.changed,
            args.accept.as_slice(),
            "published vectors mean something else now",
            "a new meaning takes a new id; if the old one was wrong, and its source says so: --accept VECTOR",
        ),
        (
            &drift.gone,
            &args.retire,
            "published vectors are gone",
            "put them back, or: --retire VECTOR --why TEXT",
        ),
        (
            &drift.reused,
            &[],
            "retired names are used again",
            "a retired name is never used again; choose another id",
        ),
    ];
    let (mut what, mut lines) = (Vec::new(), Vec::new());
    for (names, named, wrong, line) in changes {
        let unnamed = names.iter().filter(|name| !named.contains(name));
        let unnamed: Vec<_> = unnamed.map(|name| format!("`{name}`")).collect();
        if !unnamed.is_empty() {
            what.push(format!("{wrong}: {}", unnamed.join(", ")));
            lines.push(line);
        }
    }
    if what.is_empty() { Ok(()) } else { Err(CommandError::usage(what.join("; "), help(&lines))) }
}
