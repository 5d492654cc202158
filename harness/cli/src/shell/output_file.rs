//! Writes an output file: never half of one, and never in the place of a device, a pipe or a link.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use cosmos_ttl_harness::diagnostic::Diagnostic;

use super::CommandError;

/// The result of writing an output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A regular file holds the text, and nothing else.
    Whole,
    /// A device, a pipe or a file that was open already took the text.
    Into,
}

/// Writes a file whole or not at all: writes a temporary file in the same directory, then renames it. Writes directly into
/// anything but a regular file, and into what this process has open, such as `/dev/stdout`.
///
/// Replaces what a link points to, not the link. A file that exists keeps its permissions.
///
/// # Errors
///
/// The error of the system where the file cannot be written.
pub fn atomic_write(path: &Path, text: &str) -> io::Result<Written> {
    let Some(path) = replaceable(path)? else {
        // Appended, because others may write to the same open file, and it may be a log.
        let mut there = OpenOptions::new().append(true).open(path)?;
        return there.write_all(text.as_bytes()).and_then(|()| there.flush()).map(|()| Written::Into);
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    // A temporary file would be for its owner alone, and others often collect what is new.
    #[cfg(unix)]
    if !path.exists() {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory_of(&path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if let Ok(there) = fs::metadata(&path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(path)?;
    Ok(Written::Whole)
}

/// Follows links to a regular file, or to a place without a file; `None` if anything else is there.
fn replaceable(path: &Path) -> io::Result<Option<PathBuf>> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let directory = directory_of(&path);
        // The links in there are open files, whatever their text says.
        if fs::canonicalize(directory).is_ok_and(|it| it.starts_with("/proc") || it.starts_with("/dev/fd")) {
            return Ok(None);
        }
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => path = directory.join(fs::read_link(&path)?),
            Ok(there) => return Ok(there.is_file().then_some(path)),
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Some(path)),
            Err(err) => return Err(err),
        }
    }
    Err(io::Error::other(format!("more than {MOST_LINKS} links lead from one to the next")))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Returns the error of a file that [`atomic_write`] could not write.
pub fn unwritable(path: &Path, err: &io::Error, help: &str) -> CommandError {
    Diagnostic::of_path(path.display(), format!("cannot be written: {err}"), help).into()
}
