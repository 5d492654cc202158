//! Makes text from elsewhere harmless: it stays on its line, says what it holds, and ends.

use std::fmt::Write as _;

/// No text from elsewhere is shown longer than this.
const MOST_CHARS: usize = 300;

/// [`visible`] text, cut short after 300 characters.
pub fn plain(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "…",
        None => visible(text),
    }
}

/// The text without anything that moves a cursor, changes a colour, reorders or hides what stands beside it: such
/// characters are written out as escapes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || is_invisible(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Characters that show nothing themselves and change what stands around them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' // zero width, direction marks
        | '\u{2028}'..='\u{202e}' // separators, direction embeddings and overrides
        | '\u{2060}'..='\u{206f}' // joiners, direction isolates
        | '\u{fff9}'..='\u{fffb}' // interlinear annotation
        | '\u{e0000}'..='\u{e007f}' // tags
    )
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
