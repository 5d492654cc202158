//! Text from elsewhere, before it stands on the page: cut short, and without anything that steers or reorders.

use maud::{Markup, html};

use cosmos_ttl_harness::plain::visible;

/// No text is shown longer than this.
const MOST_CHARS: usize = 1000;

/// No text of several lines is shown longer than this.
const MOST_LINES: usize = 200;

/// One line of text.
pub(super) fn said(text: &str) -> String {
    cut(text, MOST_CHARS)
}

/// One line of text, no longer than this many characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "…",
        None => visible(text),
    }
}

/// A sentence in which what stands between backticks is code.
pub(super) fn sentence(text: &str) -> Markup {
    let text = said(text);
    let parts: Vec<_> = text.split('`').collect();
    // An odd backtick is only that.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (number, part) in parts.iter().enumerate() {
            @if number.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

/// Text whose lines stay lines.
pub(super) fn lines(text: &str) -> String {
    let mut lines: Vec<_> = text.lines().take(MOST_LINES).map(said).collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…".into());
    }
    lines.join("\n")
}

/// The text, if it is an address that may be followed from here.
pub(super) fn link(text: &str) -> Option<&str> {
    let known = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let plain = text.len() <= MOST_CHARS && visible(text) == text && !text.contains(char::is_whitespace);
    (known && plain).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        for good in ["http://localhost/1", "https://example.com/issues/7?a=b#c"] {
            assert_eq!(link(good), Some(good));
        }
        let long = format!("https://{}", "x".repeat(2000));
        for bad in [
            "",
            "javascript:alert(1)",
            " https://example.com",
            "JaVaScRiPt:alert(1)//https://",
            "data:text/html,x",
            "//example.com",
            "file:///etc/passwd",
            "https://a\u{202e}b",
            "https://a b",
            "https://a\nb",
            &long,
        ] {
            assert_eq!(link(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        let page = |text| sentence(text).into_string();
        assert_eq!(page("`ttl` 0 is <b>"), "<code>ttl</code> 0 is &lt;b&gt;");
        assert_eq!(page("an odd ` stays"), "an odd ` stays");
    }

    #[test]
    fn text_ends_and_stays_on_its_line() {
        assert_eq!(said("a\nb\u{202e}"), "a\\nb\\u{202e}");
        assert_eq!(said(&"x".repeat(1_000_000)).chars().count(), 1001);
        assert_eq!(lines(&"x\n".repeat(1_000_000)).lines().count(), 201);
    }
}
