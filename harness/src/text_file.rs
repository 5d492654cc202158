//! Reads a file that people write: bounded, and in UTF-8.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Source};
use crate::yaml::MAX_FILE_BYTES;

/// What is accepted where a file is something else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcceptedFile {
    /// What stands where a file should be.
    pub(crate) file: &'static str,
    /// How large it may be.
    pub(crate) size: &'static str,
}

/// The text of a file.
///
/// # Errors
///
/// A [`Diagnostic`] of the file as a whole, or at its first byte that is not UTF-8.
pub(crate) fn read(path: &Path, expected: &AcceptedFile) -> Result<Source, Diagnostic> {
    let flaw = |what: String, help: &str| Diagnostic::of_path(path.display(), what, help);
    let metadata = fs::metadata(path).map_err(|err| flaw(format!("cannot be read: {err}"), ""))?;
    if !metadata.is_file() {
        return Err(flaw("not a file".into(), expected.file));
    }
    if u64::try_from(MAX_FILE_BYTES).is_ok_and(|most| most < metadata.len()) {
        return Err(flaw(format!("{} bytes are too many", metadata.len()), expected.size));
    }
    let bytes = fs::read(path).map_err(|err| flaw(format!("cannot be read: {err}"), ""))?;
    match String::from_utf8(bytes) {
        Ok(text) => {
            // Some editors begin every file with a mark that says it is UTF-8.
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            Ok(Source { name: path.display().to_string(), text })
        }
        Err(err) => {
            let valid = err.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(err.as_bytes()).into_owned();
            let source = Arc::new(Source { name: path.display().to_string(), text });
            Err(Diagnostic::at(&source, valid..valid, "not UTF-8", "save the file as UTF-8"))
        }
    }
}
