//! `cargo lab update`: writes everything that follows from the vectors, the clauses and the mutants, or says what is stale.

use std::fs;
use std::path::Path;

use cosmos_ttl::shell::{CommandError, Output, atomic_write, unwritable};
use cosmos_ttl_harness::text_file::TextKind;
use cosmos_ttl_harness::vector::{CLAUSES_FILE, JSON_FILE, QUICK_FILE, Suite};
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_mutants::signatures::{SIGNATURES_FILE, page};

use crate::args::UpdateArgs;

const GENERATED: TextKind = TextKind {
    accepted: "a command of the lab writes this file; take away what is there",
    most_bytes: 16 << 20,
};

const NEXT: &str = "\
no snapshot was touched, and no expectation
next: `cargo test --workspace --no-fail-fast` leaves changed snapshots as .snap.new; `cargo insta review` shows them
";

pub(crate) fn update(args: &UpdateArgs) -> Result<Output, CommandError> {
    let directory = args.project.join("vectors");
    if !directory.join(CLAUSES_FILE).is_file() {
        let what = format!("{} is no directory of vectors: it has no {CLAUSES_FILE}", directory.display());
        let help = "run the command in the directory of the project, or name the place: --help";
        return Err(CommandError::usage(what, help));
    }
    let suite = Suite::load_without_generated(&directory)?;
    let mutants: Vec<_> = mutants().collect();
    let vectors = cosmos_ttl::report::vectors(suite.vectors.len());
    eprintln!("replaying {vectors} against {} mutants", mutants.len());
    let matrix = Matrix::of(&suite, &mutants)?;
    let quick = matrix.quick();
    let names: Vec<_> = quick.vectors.iter().map(|vector| vector.name.as_str()).collect();
    let vectors = |file: &str| format!("vectors/{file}");
    let files: [(String, String); 3] = [
        (vectors(QUICK_FILE), quick.page()),
        (vectors(JSON_FILE), suite.to_json(&directory, &names)?),
        (SIGNATURES_FILE.into(), page(&matrix)),
    ];
    let mut text = format!("{}\n", quick.summary);
    let mut is_stale = false;
    for (name, wanted) in &files {
        let done = match (is_current(&args.project.join(name), wanted, args.check)?, args.check) {
            (true, _) => "up to date",
            (false, true) => "stale",
            (false, false) => "written",
        };
        is_stale |= done != "up to date";
        text.extend([name, ": ", done, "\n"]);
    }
    text += match (args.check, is_stale) {
        (true, true) => "`cargo lab update` writes the stale files\n",
        (true, false) => "",
        (false, _) => NEXT,
    };
    Ok(Output { text, code: u8::from(args.check && is_stale) })
}

/// Returns whether the file has this text, and otherwise writes it, unless this is a check.
///
/// # Errors
///
/// The file cannot be read, or cannot be written.
pub(crate) fn is_current(path: &Path, wanted: &str, check: bool) -> Result<bool, CommandError> {
    if GENERATED.read_if_there(path)?.is_some_and(|stored| stored.text == wanted) {
        return Ok(true);
    }
    if !check {
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| atomic_write(path, wanted)).map_err(|err| unwritable(path, &err, ""))?;
    }
    Ok(false)
}
