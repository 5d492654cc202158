//! `cargo lab update`: writes everything that follows from the vectors, the clauses and the mutants, or says what is stale.

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::vector::Suite;

use crate::args::{GeneratedArgs, ProjectUpdateArgs, SchemaArgs};
use crate::generated;

pub(crate) fn update(args: &ProjectUpdateArgs) -> Result<Output, CommandError> {
    let vectors = args.project.join("vectors");
    generated::require_vectors(&vectors)?;
    let files = GeneratedArgs { vectors, check: args.check };
    let schema = SchemaArgs { project: args.project.clone(), check: args.check };
    let steps: [&dyn Fn() -> Result<Output, CommandError>; 2] =
        [&|| of_kill_matrix(args, &files), &|| generated::schemas(&schema)];
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
        (true, _) => "`cargo lab update` writes all of this\n",
        (false, _) => "next: `cargo test --workspace`, then `cargo insta review` if a snapshot changed\n",
    };
    Ok(done)
}

/// Writes what follows from the kill matrix, which takes seconds.
fn of_kill_matrix(project: &ProjectUpdateArgs, args: &GeneratedArgs) -> Result<Output, CommandError> {
    let suite = Suite::load_without_generated(&args.vectors)?;
    let matrix = generated::kill_matrix(&suite)?;
    let quick = generated::quick_of(args, &matrix)?;
    let shows = generated::shows_of(args, &suite, &matrix)?;
    let signatures = generated::signatures_of(project, &matrix)?;
    let text = [quick.text, shows.text, signatures.text].concat();
    Ok(Output { text, code: quick.code.max(shows.code).max(signatures.code) })
}
