//! Writes a file whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::Builder;

/// Writes beside the file and moves it there, so that nobody ever sees half of it. What a link points to is replaced, not
/// the link, and a file that is there keeps its permissions.
///
/// # Errors
///
/// What the system says where the file cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let prefix = format!(".{name}.");
    let mut builder = Builder::new();
    builder.prefix(&prefix);
    if let Some(permissions) = permissions(&path) {
        builder.permissions(permissions);
    }
    let beside = path.parent().filter(|parent| *parent != Path::new(""));
    let mut file = builder.tempfile_in(beside.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if let Ok(there) = fs::metadata(&path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Of a file that is new: a temporary one would be for its owner alone, and whoever collects it is often somebody else.
#[cfg(unix)]
fn permissions(path: &Path) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    (!path.exists()).then(|| Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn permissions(_: &Path) -> Option<Permissions> {
    None
}
