//! Text that comes from a target, made harmless: short, and without anything that a terminal would obey.

/// How many characters of it are shown.
const SHOWN: usize = 300;

/// The beginning of a body or a header as one line: what is no text and what steers a terminal is escaped.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    // No character is longer than four bytes, so that this is enough to fill the excerpt and see that there is more.
    let head = bytes.get(..SHOWN.saturating_mul(4).saturating_add(4)).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let mut characters = text.trim().chars();
    let mut out = String::new();
    for character in characters.by_ref().take(SHOWN) {
        if steers(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    if characters.next().is_some() {
        out.push_str("...");
    }
    out
}

/// Control characters, and those that turn the direction of writing.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(excerpt(b"a\x1b[31mb\nc"), "a\\u{1b}[31mb\\u{a}c");
        assert_eq!(excerpt("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(excerpt(b"\xff{"), "\u{fffd}{");
    }

    #[test]
    fn it_is_short() {
        let long = "\u{10348}".repeat(100_000);
        assert_eq!(excerpt(long.as_bytes()).chars().count(), SHOWN.saturating_add(3));
        assert_eq!(excerpt("x".repeat(SHOWN).as_bytes()).len(), SHOWN);
    }
}
