//! `cosmos-ttl diff`

use super::args::{DiffArgs, DiffFormat};
use super::read_report::read;
use crate::shell::CommandError;
use crate::shell::Output;
use cosmos_ttl_report::diff::{Diff, markdown, text};
use cosmos_ttl_report::style::RenderOptions;

pub(super) fn diff(args: &DiffArgs, look: RenderOptions) -> Result<Output, CommandError> {
    // Whoever reads them, nothing of what follows is meant for texts that mean no good.
    let before = read(&args.before)?.made_harmless();
    let after = read(&args.after)?.made_harmless();
    let diff = Diff::of(&before, &after);
    let text = match args.format {
        DiffFormat::Text => text(&diff, RenderOptions { most: args.show, ..look }),
        DiffFormat::Json => diff.json(),
        DiffFormat::Md => markdown(&diff),
    };
    Ok(Output { text, code: diff.exit_code })
}
