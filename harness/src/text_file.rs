//! Reads a file from outside: a regular one, of bounded size, in UTF-8.
//!
//! Everything else is refused before it is opened: a named pipe may have no writer, and a device may have no end.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, MAX_FILE_BYTES, Source};

/// A kind of text file, as its reader accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextKind {
    /// The accepted content: the help of every diagnostic.
    pub accepted: &'static str,
    /// The greatest size in bytes.
    pub most_bytes: usize,
}

impl TextKind {
    /// Returns a kind of file of at most 1 MiB, as people write them.
    pub const fn written_by_people(accepted: &'static str) -> Self {
        Self { accepted, most_bytes: MAX_FILE_BYTES }
    }

    /// Reads a file, and leaves out a byte order mark at its start.
    ///
    /// # Errors
    ///
    /// A [`Diagnostic`] if the file cannot be read, is not a regular file, is too large or is not UTF-8.
    pub fn read(self, path: &Path) -> Result<Source, Diagnostic> {
        let (bytes, name) = (self.bytes(path)?, path.display().to_string());
        match str::from_utf8(&bytes) {
            // Some editors begin every file with a mark that says it is UTF-8.
            Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(err) => {
                let (valid, text) = (err.valid_up_to(), String::from_utf8_lossy(&bytes).into_owned());
                let source = Arc::new(Source::new(name, text));
                Err(Diagnostic::at(&source, valid..valid, "not UTF-8", "save the file as UTF-8"))
            }
        }
    }

    /// Reads a file that may be missing; returns `None` if it is.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn read_if_there(self, path: &Path) -> Result<Option<Source>, Diagnostic> {
        match fs::metadata(path) {
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
            _ => self.read(path).map(Some),
        }
    }

    fn bytes(self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        let unreadable = |err: io::Error| self.flaw(path, format!("cannot be read: {err}"));
        self.length(path, &fs::metadata(path).map_err(unreadable)?)?;
        let file = File::open(path).map_err(unreadable)?;
        // Another file may be there by now. What the system makes up as it is read, as in /proc, has the length 0.
        let length = self.length(path, &file.metadata().map_err(unreadable)?)?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    fn length(self, path: &Path, metadata: &Metadata) -> Result<u64, Diagnostic> {
        if let Some(kind) = not_regular(metadata.file_type()) {
            return Err(self.flaw(path, format!("{kind}, and not a regular file")));
        }
        let (length, most) = (metadata.len(), self.most_bytes);
        if usize::try_from(length).is_ok_and(|length| length <= most) {
            return Ok(length);
        }
        Err(self.flaw(path, format!("{length} bytes are too many: at most {most} are read")))
    }

    fn flaw(self, path: &Path, what: String) -> Diagnostic {
        Diagnostic::of_path(path.display(), what, self.accepted)
    }
}

/// Returns what a file is, in words, unless it is a regular file.
pub fn not_regular(file_type: FileType) -> Option<&'static str> {
    if file_type.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kinds = [
            (file_type.is_fifo(), "a named pipe"),
            (file_type.is_socket(), "a socket"),
            (file_type.is_char_device(), "a character device"),
            (file_type.is_block_device(), "a block device"),
        ];
        if let Some((_, kind)) = kinds.into_iter().find(|(is, _)| *is) {
            return Some(kind);
        }
    }
    Some(if file_type.is_dir() { "a directory" } else { "a special file" })
}
