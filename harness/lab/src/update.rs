//! `cargo lab update`: writes everything that follows from the vectors, the clauses and the mutants, or says what is stale.

use std::env;
use std::process::{Command, Stdio};

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::vector::Suite;

use crate::args::{GeneratedArgs, LockArgs, ProjectUpdateArgs, SchemaArgs};
use crate::{figures, generated};

/// Tests whose snapshots follow from the vectors and the mutants, by package.
const SNAPSHOTS: [(&str, &[&str]); 2] =
    [("cosmos-ttl-lab", &["mutants::", "ablation::", "faults::"]), ("cosmos-ttl-explore", &["mutants::"])];

pub(crate) fn update(args: &ProjectUpdateArgs) -> Result<Output, CommandError> {
    let vectors = args.project.join("vectors");
    let files = || GeneratedArgs { vectors: vectors.clone(), check: args.check };
    let lock = LockArgs { files: files(), accept: Vec::new(), retire: Vec::new(), why: None };
    let schema = SchemaArgs { project: args.project.clone(), check: args.check };
    let steps: [&dyn Fn() -> Result<Output, CommandError>; 5] = [
        &|| generated::lock(&lock),
        &|| quick_and_shows(&files()),
        &|| generated::schemas(&schema),
        &|| snapshots(args),
        &|| figures_of_pages(args),
    ];
    let mut done = Output { text: String::new(), code: 0 };
    for step in steps {
        let output = match step() {
            Ok(output) => output,
            // A check goes on, to list all that is stale.
            Err(error) if args.check => Output { text: error.why() + "\n", code: 1 },
            Err(error) => return Err(error),
        };
        done.text += &output.text;
        done.code = done.code.max(output.code);
    }
    done.text += match (args.check, done.code) {
        (true, 0) => "all up to date\n",
        (true, _) => "left: `cargo lab update --snapshots` writes all of this\n",
        (false, _) if args.snapshots => "left: read `git diff`, then `cargo test --workspace`\n",
        (false, _) => {
            "left: `cargo lab update --snapshots`, if a snapshot changed; then `cargo test --workspace`\n"
        }
    };
    Ok(done)
}

/// Writes what follows from the kill matrix, which takes seconds.
fn quick_and_shows(args: &GeneratedArgs) -> Result<Output, CommandError> {
    let suite = Suite::load_without_generated(&args.vectors)?;
    let matrix = generated::kill_matrix(&suite)?;
    let quick = generated::quick_of(args, &matrix)?;
    let shows = generated::shows_of(args, &suite, &matrix)?;
    Ok(Output { text: quick.text + &shows.text, code: quick.code.max(shows.code) })
}

/// Runs the tests that compare snapshots, and accepts what changed.
fn snapshots(args: &ProjectUpdateArgs) -> Result<Output, CommandError> {
    if !args.snapshots {
        return Ok(String::new().into());
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for (package, filters) in SNAPSHOTS {
        let status = Command::new(&cargo)
            .current_dir(&args.project)
            .args(["test", "--quiet", "--package", package, "--"])
            .args(filters)
            .env("INSTA_UPDATE", "always")
            // The output of a command is its report, and not that of the tests.
            .stdout(Stdio::null())
            .status();
        let status = status.map_err(|err| CommandError::usage(format!("cargo does not start: {err}"), ""))?;
        if !status.success() {
            let what = format!("tests of {package} fail for another reason than a snapshot");
            return Err(CommandError::usage(what, format!("`cargo test -p {package}` shows them")));
        }
    }
    Ok("snapshots: accepted\n".to_owned().into())
}

fn figures_of_pages(args: &ProjectUpdateArgs) -> Result<Output, CommandError> {
    let suite = Suite::load_without_generated(&args.project.join("vectors"))?;
    let stale = figures::stale_pages(&args.project, &suite)?;
    let names = stale.iter().map(|(page, _)| *page).collect::<Vec<_>>().join(", ");
    Ok(match (stale.is_empty(), args.check) {
        (true, _) => "figures of the pages; up to date\n".to_owned().into(),
        (false, true) => Output { text: format!("figures of the pages: stale: {names}\n"), code: 1 },
        (false, false) => {
            let failed = |err| CommandError::usage(format!("{names}: cannot be written: {err}"), "");
            figures::write(&args.project, &stale).map_err(failed)?;
            format!("figures of the pages; written: {names}\n").into()
        }
    })
}
