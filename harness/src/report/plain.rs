//! Makes text from elsewhere harmless: it stays on its line, says what it holds, and ends.

pub use crate::plain_text::visible;

/// No text from elsewhere is shown longer than this.
const MOST_CHARS: usize = 300;

/// [`visible`] text, cut short after 300 characters.
pub fn plain(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "…",
        None => visible(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_cannot_leave_its_line_or_colour_it() {
        assert_eq!(plain("a\nb\r\tc"), "a\\nb\\r\\tc");
        assert_eq!(plain("\u{1b}[31mred\u{9b}0m\u{7}"), "\\u{1b}[31mred\\u{9b}0m\\u{7}");
    }

    #[test]
    fn text_from_elsewhere_cannot_reorder_or_hide_what_stands_beside_it() {
        assert_eq!(plain("a\u{202e}b\u{200b}c\u{2066}"), "a\\u{202e}b\\u{200b}c\\u{2066}");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "not-found", "größer \"als\" C:\\x", "生存时间"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn long_text_ends() {
        let text = plain(&"x".repeat(10_000));
        assert_eq!(text.chars().count(), 301);
        assert!(text.ends_with('…'));
    }
}
