//! The vector as it is written, with the request that failed marked.

use maud::{Markup, html};

use super::safe::said;
use crate::Excerpt;

/// No vector is shown longer than this.
const MOST_LINES: usize = 200;

pub(super) fn excerpt(excerpt: &Excerpt) -> Markup {
    let mut from = 0_usize;
    let mut lines = Vec::new();
    for (number, line) in excerpt.text.split('\n').enumerate().take(MOST_LINES) {
        lines.push((excerpt.line.saturating_add(number), parts(line, from, excerpt)));
        from = from.saturating_add(line.len()).saturating_add(1);
    }
    html! {
        h5 { "As it is written, from " code { (said(&excerpt.file)) ":" (excerpt.line) } }
        pre.source tabindex="0" {
            code {
                @for (number, (before, marked, after)) in &lines {
                    span.line.at[!marked.is_empty()] {
                        span.n { (number) }
                        (said(before)) @if !marked.is_empty() { mark { (said(marked)) } } (said(after)) "\n"
                    }
                }
            }
        }
    }
}

/// What stands on a line before, in and after the place; a place that is no place marks nothing.
fn parts<'a>(line: &'a str, from: usize, excerpt: &Excerpt) -> (&'a str, &'a str, &'a str) {
    let start = excerpt.start.saturating_sub(from).min(line.len());
    let end = excerpt.end.saturating_sub(from).min(line.len());
    match (line.get(..start), line.get(start..end), line.get(end..)) {
        (Some(before), Some(marked), Some(after)) => (before, marked, after),
        _ => (line, "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, start: usize, end: usize) -> String {
        let excerpt = Excerpt { file: "f".into(), line: 7, text: text.into(), start, end };
        let page = self::excerpt(&excerpt).into_string();
        let marks = page.split("<mark>").skip(1).filter_map(|rest| rest.split_once("</mark>"));
        marks.map(|(marked, _)| marked.to_owned()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn the_place_is_marked_on_every_line_it_covers() {
        assert_eq!(marked("ab\ncd\nef", 3, 5), "cd");
        assert_eq!(marked("ab\ncd\nef", 1, 7), "b|cd|e");
    }

    #[test]
    fn a_place_that_is_none_marks_nothing() {
        for (start, end) in [(100, 200), (2, 1), (usize::MAX, 0), (1, 2)] {
            assert_eq!(marked("ä", start, end), "", "{start} {end}");
        }
    }
}
