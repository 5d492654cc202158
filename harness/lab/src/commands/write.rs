//! Files that are derived: written, or only compared.

use std::fs;
use std::path::Path;

use cosmos_ttl::shell::{CommandError, atomic_write};
use cosmos_ttl_harness::diagnostic::Diagnostic;

/// Writes a file that is not as it must be, or only looks; says whether it was not.
pub(super) fn brought(path: &Path, text: &str, check: bool) -> Result<bool, CommandError> {
    if fs::read_to_string(path).is_ok_and(|stored| stored == text) {
        return Ok(false);
    }
    if !check {
        let failed = |err: std::io::Error| {
            Diagnostic::of_path(path.display(), format!("cannot be written: {err}"), "")
        };
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| atomic_write(path, text)).map_err(failed)?;
    }
    Ok(true)
}
