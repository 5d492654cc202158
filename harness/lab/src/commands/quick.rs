//! `cargo lab quick`

use super::write::brought;
use crate::args::QuickArgs;
use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::vector::{QUICK_FILE, Suite};
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::mutants;

pub(super) fn quick(args: &QuickArgs) -> Result<Output, CommandError> {
    let suite = Suite::load_without_quick(&args.vectors)?;
    let all: Vec<_> = mutants().collect();
    let matrix = Matrix::of(&suite, &all)?;
    let picked = matrix.quick();
    let path = args.vectors.join(QUICK_FILE);
    let stale = brought(&path, &picked.page(), args.check)?;
    let path = path.display();
    Ok(match (stale, args.check) {
        (true, true) => {
            Output { text: format!("{path}: stale\n`cargo lab quick` writes it anew\n"), code: 1 }
        }
        (true, false) => format!("{path}: {picked}; written\n").into(),
        (false, _) => format!("{path}: {picked}; up to date\n").into(),
    })
}
