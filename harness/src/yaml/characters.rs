//! Refuses characters that not every reader of a file takes for the same, each at its place.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Source};

/// Refuses control characters, and whatever ends a line for some readers only.
///
/// The text after such a line end in a comment is part of the file for one reader and part of the comment for another,
/// and
/// editors differ in the same way.
///
/// # Errors
///
/// A [`Diagnostic`] at the first such character.
pub(crate) fn check(source: &Arc<Source>) -> Result<(), Diagnostic> {
    let mut characters = source.text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        let flaw = match character {
            '\n' | '\t' | ' '..='~' | '\u{a0}'..='\u{2027}' => continue,
            '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => continue,
            '\r' => Some(("a carriage return without a line feed", "end each line with a line feed")),
            '\u{85}' | '\u{2028}' | '\u{2029}' => Some((
                "ends a line for some readers only",
                "end the line with a line feed; in a text with double quotes, write the character as an escape",
            )),
            character if character.is_control() => {
                Some(("a control character", "in a text with double quotes, write it as an escape"))
            }
            '\u{feff}' => Some(("a byte order mark", "take it away")),
            '\u{fffe}' | '\u{ffff}' => Some(("no character", "take it away")),
            _ => None,
        };
        if let Some((what, help)) = flaw {
            let span = start..start.saturating_add(character.len_utf8());
            let what = format!("U+{:04X}: {what}", u32::from(character));
            return Err(Diagnostic::at(source, span, what, help));
        }
    }
    Ok(())
}
