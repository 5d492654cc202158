//! Text from elsewhere in Markdown: it stays text, whatever it looks like.
//!
//! A code block shows everything as it is. Elsewhere each character that could begin something is written as an entity,
//! and what GitHub makes links and mentions of in plain text is broken by a space of no width.

use cosmos_ttl_harness::plain::visible;

/// A space of no width.
const GAP: &str = "&#8203;";

/// No text within a line is longer; the blocks show it whole.
const MOST_CHARS: usize = 1000;

/// Text within a line, a table's cell or a heading.
pub(crate) fn prose(text: &str) -> String {
    let some = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(end, _)| end);
    let more = if some < text.len() { "…" } else { "" };
    let mut out = String::with_capacity(some);
    let mut before = ' ';
    let shown = visible(text.get(..some).unwrap_or("")) + more;
    let mut rest = shown.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // A mention, an issue, an address.
            '@' | '#' => out.extend([&entity(c), GAP]),
            // `https://`, `www.`
            ':' if rest.peek() == Some(&' ') => out.push(c),
            '/' if before == ':' => out.extend([GAP, "/"]),
            '.' if matches!(before, 'w' | 'W') => out.extend([GAP, "."]),
            ',' | '.' | ';' | '?' | '/' | '-' | '\'' | '(' | ')' | '=' | '+' => out.push(c),
            c if c.is_ascii_punctuation() => out.push_str(&entity(c)),
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// Text within a line that is a name or a value.
pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", prose(text))
}

/// Lines that are shown as they are.
pub(crate) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    let lines: Vec<_> = text.lines().map(visible).collect();
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

fn entity(c: char) -> String {
    format!("&#{};", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, written: &str) {
        assert_eq!(prose(text), written);
    }

    #[test]
    fn what_begins_something_is_written_as_an_entity() {
        check("a|b", "a&#124;b");
        check("`*_~", "&#96;&#42;&#95;&#126;");
        check("<script>", "&#60;script&#62;");
        check("&#0;", "&#38;&#35;&#8203;0;");
        check("](javascript:x)", "&#93;(javascript&#58;x)");
        check("a\n# b", "a&#92;n&#35;&#8203; b");
    }

    #[test]
    fn nothing_becomes_a_mention_or_a_link() {
        check("@everyone #1", "&#64;&#8203;everyone &#35;&#8203;1");
        check("https://a.b", "https&#58;&#8203;//a.b");
        check("www.a.b", "www&#8203;.a.b");
    }

    #[test]
    fn what_people_read_stays_readable() {
        for text in ["lifetime/off-item, 10 s; größer?", "at second 10: expected a, got b (c)", "1 = 1 + 0"]
        {
            check(text, text);
        }
    }

    #[test]
    fn no_text_ends_its_block() {
        for text in ["", "`", "```", "a\n````\n# b", "``````````"] {
            let block = block(text);
            let fence = block.lines().last().unwrap();
            assert!(fence.chars().all(|c| c == '`') && 3 <= fence.len(), "{block}");
            let inside = block.lines().skip(1).take(block.lines().count() - 2);
            assert!(inside.clone().all(|line| !line.contains(fence)), "{block}");
        }
    }
}
