//! Which characters are shown as they are: for everything that shows text from elsewhere, targets and reports alike.

use std::fmt::Write as _;

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
        | '\u{fffe}' | '\u{ffff}' // no characters at all, and forbidden in XML
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_reorders_or_hides_is_written_out() {
        let steering = ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9b}'].into_iter();
        let unseen = [
            '\u{ad}'..='\u{ad}',
            '\u{61c}'..='\u{61c}',
            '\u{180e}'..='\u{180e}',
            '\u{200b}'..='\u{200f}',
            '\u{2028}'..='\u{202e}',
            '\u{2060}'..='\u{206f}',
            '\u{feff}'..='\u{feff}',
            '\u{fff9}'..='\u{fffb}',
            '\u{fffe}'..='\u{ffff}',
            '\u{e0000}'..='\u{e007f}',
        ];
        for character in steering.chain(unseen.into_iter().flatten()) {
            let shown = visible(&format!("a{character}b"));
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(character)));
        }
        assert_eq!(visible("a\r\n\tb"), "a\\r\\n\\tb");
    }
}
