//! `cargo lab quick`, `shows` and `schema`: each writes generated files, or with `--check` only compares them.

use std::fs;
use std::path::Path;

use cosmos_ttl::shell::{CommandError, Output, atomic_write, unwritable};
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::text_file::TextKind;
use cosmos_ttl_harness::vector::{self, CLAUSES_FILE, QUICK_FILE, SHOWS_FILE, Suite};
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_mutants::signatures::{SIGNATURES_FILE, page};
use cosmos_ttl_process::protocol;

use crate::args::{GeneratedArgs, ProjectUpdateArgs, SchemaArgs};
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
pub(crate) fn require_vectors(directory: &Path) -> Result<(), CommandError> {
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

/// Returns the kill matrix of all vectors and mutants.
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
    let shown = ShownClauses::of(suite, matrix);
    let stale = update(args.check, &args.vectors, [(SHOWS_FILE, shown.page())])?;
    let path = args.vectors.join(SHOWS_FILE);
    let path = path.display();
    let refusal = format!("{path}: stale\n`cargo lab shows` writes it again\n");
    Ok(told(args.check, &stale, &format!("{path}: {}", shown.summary()), false, refusal))
}

pub(crate) fn signatures_of(args: &ProjectUpdateArgs, matrix: &Matrix<'_>) -> Result<Output, CommandError> {
    let stale = update(args.check, &args.project, [(SIGNATURES_FILE, page(matrix))])?;
    let what = format!("{SIGNATURES_FILE}: {} mutants", matrix.rows.len());
    Ok(told(args.check, &stale, &what, false, format!("{SIGNATURES_FILE}: stale\n")))
}
