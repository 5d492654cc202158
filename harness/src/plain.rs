//! Makes text from elsewhere harmless: it stays on its line, says what it holds, and ends.

use std::ops::Range;

/// No text from elsewhere is shown longer than this.
const MOST_CHARS: usize = 300;

/// [`visible`] text, cut short after 300 characters.
pub fn plain(text: &str) -> String {
    cut(text, MOST_CHARS)
}

/// Returns [`visible`] text, cut short after this many characters.
pub fn cut(text: &str, most: usize) -> String {
    visible(&shortened(text, most))
}

/// Text from elsewhere as it is, cut short after this many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or("").to_owned() + "…",
        None => text.into(),
    }
}

/// The same for text of several lines, each of which stays on its own: the last 40 of them.
pub fn plain_lines(text: &str) -> String {
    const MOST_LINES: usize = 40;
    let lines: Vec<_> = text.lines().collect();
    let first = lines.len().saturating_sub(MOST_LINES);
    let cut = (first > 0).then(|| format!("… {first} lines before"));
    let last = lines.get(first..).unwrap_or(&[]).iter().map(|line| plain(line));
    cut.into_iter().chain(last).collect::<Vec<_>>().join("\n")
}

/// The text without anything that moves a cursor, changes a colour, reorders or hides the text around it: such
/// characters are written out as escapes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' => out.extend(c.escape_default()),
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Returns an error message, which may repeat what was read: [`visible`], with words of more than 500 characters cut short, and
/// with 5,000 characters at most.
pub fn message(text: &str) -> String {
    const MOST_IN_WORD: usize = 500;
    const MOST_IN_MESSAGE: usize = 5_000;
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let bare = word.trim_end_matches(char::is_whitespace);
        shortened(bare, MOST_IN_WORD) + word.get(bare.len()..).unwrap_or("")
    });
    cut(&words.collect::<String>(), MOST_IN_MESSAGE)
}

/// Returns a source text with its lines, in which what is invisible is written out as escapes, and where these bytes are in
/// it. Control characters of ASCII stay: the code that draws the lines draws them.
pub fn visible_source<const N: usize>(text: &str, spans: [Range<usize>; N]) -> (String, [Range<usize>; N]) {
    let escaped = |text: &str| {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if !c.is_ascii() && (c.is_control() || is_invisible(c)) {
                out.extend(c.escape_unicode());
            } else {
                out.push(c);
            }
        }
        out
    };
    let place = |byte: usize| escaped(text.get(..byte).unwrap_or(text)).len();
    (escaped(text), spans.map(|span| place(span.start)..place(span.end)))
}

/// Returns [`visible`] text of several lines, each of which stays on its own.
pub fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// Characters that show nothing themselves and change what stands around them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // fillers
        | '\u{200b}'..='\u{200f}' // zero width, direction marks
        | '\u{2028}'..='\u{202e}' // separators, direction embeddings and overrides
        | '\u{2060}'..='\u{206f}' // joiners, direction isolates
        | '\u{fff9}'..='\u{fffb}' // interlinear annotation
        | '\u{fffe}' | '\u{ffff}' // no characters at all, and forbidden in XML
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}
