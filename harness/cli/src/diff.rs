//! `cosmos-ttl diff`

use super::args::{DiffArgs, DiffFormat};
use super::read_report::read;
use crate::shell::Output;
use crate::shell::Trouble;
use cosmos_ttl_report::diff::{Diff, markdown, text};
use cosmos_ttl_report::style::Look;

pub(super) fn diff(args: &DiffArgs, look: Look) -> Result<Output, Trouble> {
    // Whoever reads them, nothing of what follows is meant for texts that mean no good.
    let before = read(&args.before)?.made_harmless();
    let after = read(&args.after)?.made_harmless();
    let diff = Diff::of(&before, &after);
    let text = match args.format {
        DiffFormat::Text => text(&diff, Look { most: args.show, ..look }),
        DiffFormat::Json => diff.json(),
        DiffFormat::Md => markdown(&diff),
    };
    Ok(Output { text, code: diff.exit_code })
}
