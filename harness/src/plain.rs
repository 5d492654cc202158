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

/// The same for text of several lines, each of which stays on its own: the last 40 of them.
pub fn plain_lines(text: &str) -> String {
    const MOST_LINES: usize = 40;
    let lines: Vec<_> = text.lines().collect();
    let first = lines.len().saturating_sub(MOST_LINES);
    let cut = (0 < first).then(|| format!("… {first} lines before"));
    let last = lines.get(first..).unwrap_or(&[]).iter().map(|line| plain(line));
    cut.into_iter().chain(last).collect::<Vec<_>>().join("\n")
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
    fn of_many_lines_the_last_are_kept() {
        assert_eq!(plain_lines("a\u{7}\nb\n"), "a\\u{7}\nb");
        let many = plain_lines(&"x\n".repeat(100));
        assert_eq!(many.lines().count(), 41);
        assert!(many.starts_with("… 60 lines before\n"));
    }

    #[test]
    fn long_text_ends() {
        let text = plain(&"x".repeat(10_000));
        assert_eq!(text.chars().count(), 301);
        assert!(text.ends_with('…'));
    }
}
