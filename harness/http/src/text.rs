//! Text that comes from a target, made harmless: short, and without anything that a terminal would obey.

use cosmos_ttl_harness::plain::visible;

/// How many characters of it are shown.
const SHOWN: usize = 300;

/// The beginning of a body or a header as one line: what is no text and what steers a terminal is escaped.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    // No character is longer than four bytes, so that this is enough to fill the excerpt and see that there is more.
    let head = bytes.get(..SHOWN.saturating_mul(4).saturating_add(4)).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "...",
        None => visible(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(excerpt(b"a\x1b[31mb\nc"), "a\\u{1b}[31mb\\nc");
        assert_eq!(excerpt("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(excerpt("a\u{200b}\u{ad}\u{e0041}b".as_bytes()), "a\\u{200b}\\u{ad}\\u{e0041}b");
        assert_eq!(excerpt(b"\xff{"), "\u{fffd}{");
    }

    #[test]
    fn it_is_short() {
        let long = "\u{10348}".repeat(100_000);
        assert_eq!(excerpt(long.as_bytes()).chars().count(), SHOWN.saturating_add(3));
        assert_eq!(excerpt("x".repeat(SHOWN).as_bytes()).len(), SHOWN);
    }
}
