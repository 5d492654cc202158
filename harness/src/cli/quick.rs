//! `cosmos-ttl quick`

use super::Output;
use super::args::QuickArgs;
use super::derive::brought;
use super::trouble::Trouble;
use crate::targets::mutants::matrix::Matrix;
use crate::targets::mutants::mutants;
use crate::vector::{QUICK_FILE, Suite};

pub(super) fn quick(args: &QuickArgs) -> Result<Output, Trouble> {
    let suite = Suite::load_without_quick(&args.vectors)?;
    let all: Vec<_> = mutants().collect();
    let matrix = Matrix::of(&suite, &all)?;
    let picked = matrix.quick();
    let path = args.vectors.join(QUICK_FILE);
    let stale = brought(&path, &picked.page(), args.check)?;
    let path = path.display();
    Ok(match (stale, args.check) {
        (true, true) => {
            Output { text: format!("{path}: stale\n`cosmos-ttl quick` writes it anew\n"), code: 1 }
        }
        (true, false) => format!("{path}: {picked}; written\n").into(),
        (false, _) => format!("{path}: {picked}; up to date\n").into(),
    })
}
