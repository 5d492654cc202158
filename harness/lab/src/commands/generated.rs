//! `cargo lab derive`, `lock`, `quick` and `schema`: each writes generated files, or with `--check` only compares them.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use cosmos_ttl::shell::filter::help;
use cosmos_ttl::shell::{CommandError, Output, atomic_write};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::known_failures;
use cosmos_ttl_harness::vector::{self, DERIVED_DIRECTORY, Drift, LOCK_FILE, Lock, QUICK_FILE, Suite};
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_process::protocol;
use cosmos_ttl_report::vectors;

use crate::args::{GeneratedArgs, LockArgs, SchemaArgs};
use crate::derive::{CERTIFICATE_FILE, certify, derive};

/// The files of one command, and those that were not as they must be.
struct GeneratedFiles {
    check: bool,
    stale: Vec<String>,
}

impl GeneratedFiles {
    fn new(check: bool) -> Self {
        Self { check, stale: Vec::new() }
    }

    /// Writes a file that is not as it must be, or only notes its name.
    fn bring(&mut self, directory: &Path, name: &str, text: &str) -> Result<(), CommandError> {
        let path = directory.join(name);
        if fs::read_to_string(&path).is_ok_and(|stored| stored == text) {
            return Ok(());
        }
        self.stale.push(name.into());
        if self.check {
            return Ok(());
        }
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = made.and_then(|()| atomic_write(&path, text));
        Ok(written
            .map_err(|err| Diagnostic::of_path(path.display(), format!("cannot be written: {err}"), ""))?)
    }

    fn names(&self) -> String {
        self.stale.join(", ")
    }

    /// Whether a check found something; this ends in an exit code of 1.
    fn refused(&self) -> bool {
        self.check && !self.stale.is_empty()
    }

    /// What was done with the files, which are told in these words.
    fn told(&self, what: &str, names: bool) -> Output {
        if self.stale.is_empty() {
            format!("{what}; up to date\n").into()
        } else if names {
            format!("{what}; written: {}\n", self.names()).into()
        } else {
            format!("{what}; written\n").into()
        }
    }
}

fn stale(text: String) -> Output {
    Output { text, code: 1 }
}

/// Writes a schema from the types.
type SchemaWriter = fn() -> String;

/// Each schema: its file in the project, and what writes it.
const SCHEMAS: [(&str, SchemaWriter); 4] = [
    ("vectors/schema.json", vector::schema_json),
    ("harness/schemas/known.schema.json", known_failures::known_schema_json),
    ("harness/process/schemas/protocol.schema.json", protocol::schema_json),
    ("harness/report/schemas/report.schema.json", cosmos_ttl_report::schema_json),
];

pub(super) fn schemas(args: &SchemaArgs) -> Result<Output, CommandError> {
    let mut files = GeneratedFiles::new(args.check);
    for (file, schema) in SCHEMAS {
        files.bring(&args.project, file, &schema())?;
    }
    if files.refused() {
        return Ok(stale(format!("stale: {}\n`cargo lab schema` writes them\n", files.names())));
    }
    Ok(files.told(&format!("{} schemas", SCHEMAS.len()), true))
}

pub(super) fn quick(args: &GeneratedArgs) -> Result<Output, CommandError> {
    let suite = Suite::load_without_quick(&args.vectors)?;
    let matrix = Matrix::of(&suite, &mutants().collect::<Vec<_>>())?;
    let picked = matrix.quick();
    let mut files = GeneratedFiles::new(args.check);
    files.bring(&args.vectors, QUICK_FILE, &picked.page())?;
    let path = args.vectors.join(QUICK_FILE);
    let path = path.display();
    if files.refused() {
        return Ok(stale(format!("{path}: stale\n`cargo lab quick` writes it anew\n")));
    }
    Ok(files.told(&format!("{path}: {picked}"), false))
}

pub(super) fn derive_vectors(args: &GeneratedArgs) -> Result<Output, CommandError> {
    let directory = args.vectors.join(DERIVED_DIRECTORY);
    let derived = derive();
    let mut files = GeneratedFiles::new(args.check);
    for (name, text) in &derived {
        files.bring(&directory, name, text)?;
    }
    refuse_strangers(&directory, &derived.keys().map(String::as_str).collect())?;
    // What stale vectors cover is of no interest, and somebody's edit may not even load.
    if !files.refused() {
        let suite = Suite::load(&args.vectors)?;
        let certificate = certify(&suite)
            .map_err(|what| CommandError::usage(what, "the model and its graph do not agree"))?;
        files.bring(&directory, CERTIFICATE_FILE, &certificate)?;
        if !files.refused() {
            let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
            let count = suite.derived.len();
            let what = format!("{}: {count} vectors, {requests} requests", directory.display());
            return Ok(files.told(&what, true));
        }
    }
    let text =
        format!("{}: stale: {}\n`cargo lab derive` writes them anew\n", directory.display(), files.names());
    Ok(stale(text))
}

/// Refuses files that nobody derives: left over, or put there by hand.
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
    match names.iter().find(|name| !known.contains(name.as_str()) && *name != CERTIFICATE_FILE) {
        Some(name) => {
            let what = format!("{}: nobody derives this file", directory.join(name).display());
            Err(CommandError::usage(what, "take it away; vectors by hand stand one directory up"))
        }
        None => Ok(()),
    }
}

pub(super) fn lock(args: &LockArgs) -> Result<Output, CommandError> {
    let suite = Suite::load(&args.vectors)?.with_derived();
    let path = args.vectors.join(LOCK_FILE);
    let text = match fs::read_to_string(&path) {
        Err(err) if err.kind() != ErrorKind::NotFound => {
            return Err(Diagnostic::of_path(path.display(), format!("cannot be read: {err}"), "").into());
        }
        stored => stored.unwrap_or_default(),
    };
    let mut lock = Lock::parse(&Arc::new(Source { name: path.display().to_string(), text }))?;
    let drift = lock.drift(&suite.vectors);
    refuse_idle(&drift, args)?;
    refuse_changes(&drift, args)?;
    let names = drift.new.iter().chain(&args.accept);
    names.filter_map(|name| suite.get(name)).for_each(|vector| lock.publish(vector));
    for name in &args.retire {
        lock.retire(name, args.why.as_deref().unwrap_or_default());
    }
    let mut files = GeneratedFiles::new(args.check);
    files.bring(&args.vectors, LOCK_FILE, &lock.render())?;
    let counts = [(drift.new.len(), "new"), (drift.changed.len(), "changed"), (drift.gone.len(), "retired")];
    let counts =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let counts: String = counts.collect();
    let what = format!("{}: {}{counts}", path.display(), vectors(suite.vectors.len()));
    if files.refused() {
        let help = "`cargo lab lock` writes it anew";
        return Err(CommandError::usage(format!("{what}; not up to date"), help));
    }
    Ok(files.told(&what, false))
}

/// Refuses to accept what did not change, and to retire what did not go away.
fn refuse_idle(drift: &Drift, args: &LockArgs) -> Result<(), CommandError> {
    if let Some(name) = args.accept.iter().find(|name| !drift.changed.contains(name)) {
        let help = "--accept names a published vector that means something else now";
        return Err(CommandError::usage(format!("`{name}` has not changed"), help));
    }
    if let Some(name) = args.retire.iter().find(|name| !drift.gone.contains(name)) {
        let help = "--retire names a published vector that was taken out of its file";
        return Err(CommandError::usage(format!("`{name}` has not gone away"), help));
    }
    Ok(())
}

/// Refuses whatever would change what was published, unless it is named.
fn refuse_changes(drift: &Drift, args: &LockArgs) -> Result<(), CommandError> {
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
