//! Each form's own way to keep text from elsewhere text.

use cosmos_ttl_report::{Excerpt, Report, markdown, page};

use super::made;
use super::markdown::outside_blocks;

#[test]
fn text_between_backticks_is_code_on_the_page() {
    for (text, written) in
        [("`ttl` 0 is <b>", "<code>ttl</code> 0 is &lt;b&gt;"), ("an odd ` stays", ">an odd ` stays<")]
    {
        let mut report = made::passing();
        report.sections[0].clauses[0].says = text.into();
        assert!(page(&[report]).contains(written), "{text}");
    }
}

/// A report whose first failure is in this text, at this place.
fn with_source(text: &str, start: usize, end: usize) -> Report {
    let mut report = made::failing();
    report.cases.retain(|case| case.failure.is_some());
    report.cases.truncate(1);
    let source = Excerpt { file: "f".into(), line: usize::MAX, text: text.into(), start, end };
    report.cases[0].failure.as_mut().unwrap().source = source;
    report
}

#[test]
fn the_place_of_a_failure_is_marked_on_every_line_it_covers_and_one_that_is_none_marks_nothing() {
    let check = |text: &str, start: usize, end: usize, marked: &str| {
        let page = page(&[with_source(text, start, end)]);
        let marks = page.split("<mark>").skip(1).filter_map(|rest| rest.split_once("</mark>"));
        assert_eq!(marks.map(|(marked, _)| marked).collect::<Vec<_>>().join("|"), marked, "{start} {end}");
    };
    check("ab\ncd\nef", 3, 5, "cd");
    check("ab\ncd\nef", 1, 7, "b|cd|e");
    for (start, end) in [(100, 200), (2, 1), (usize::MAX, 0), (1, 2)] {
        check("ä", start, end, "");
    }
}

#[test]
fn a_place_outside_its_text_is_moved_into_it() {
    let check = |text: &str, start: usize, end: usize, moved: (usize, usize)| {
        let report = with_source(text, start, end).made_harmless();
        let source = &report.cases[0].failure.as_ref().unwrap().source;
        assert_eq!((source.start, source.end), moved, "{text} {start} {end}");
        assert_eq!(source.line, 10_000_000);
    };
    check("read", 0, 4, (0, 4));
    check("read", 2, usize::MAX, (2, 4));
    check("read", 3, 1, (3, 3));
    check("größe", 3, 4, (2, 4));
    check("", 7, 9, (0, 0));
}

#[test]
fn a_line_of_a_file_is_bounded_and_what_is_short_and_shows_itself_stays() {
    let harmless = |text: &str| {
        let mut report = made::passing();
        (report.target.name, report.cases[0].log) = (text.into(), Some(text.into()));
        let once = report.made_harmless();
        assert_eq!(once.clone().made_harmless(), once, "doing it again changes nothing");
        assert!(once.target.name.chars().count() <= 4096);
        (once.target.name, once.cases[0].log.clone().unwrap())
    };
    for text in ["", "größer", "生存时间", &"x".repeat(4096)] {
        assert_eq!(harmless(text), (text.to_owned(), text.to_owned()));
    }
    for text in ["\u{1b}[2J", &"\u{e0041}".repeat(5000)] {
        harmless(text);
    }
    assert!(harmless(&"x".repeat(4097)).0.ends_with("x…"));
    assert_eq!(harmless("a\nb\u{7}"), ("a\\nb\\u{7}".into(), "a\nb\\u{7}".into()));
}

/// The text as Markdown has it within a line.
#[track_caller]
fn check_prose(text: &str, written: &str) {
    let mut report = made::passing();
    report.mishaps = vec![text.into()];
    let page = markdown(&report);
    let line = page.lines().find(|line| line.starts_with("❌ **The target broke")).unwrap();
    assert_eq!(line.split_once(":** ").unwrap().1, written);
}

#[test]
fn in_markdown_what_begins_something_is_written_as_an_entity() {
    check_prose("a|b", "a&#124;b");
    check_prose("`*_~", "&#96;&#42;&#95;&#126;");
    check_prose("<script>", "&#60;script&#62;");
    check_prose("&#0;", "&#38;&#35;&#8203;0;");
    check_prose("](javascript:x)", "&#93;(javascript&#58;x)");
    check_prose("a\n# b", "a&#92;n&#35;&#8203; b");
}

#[test]
fn in_markdown_nothing_becomes_a_mention_or_a_link() {
    check_prose("@everyone #1", "&#64;&#8203;everyone &#35;&#8203;1");
    check_prose("https://a.b", "https&#58;&#8203;//a.b");
    check_prose("www.a.b", "www&#8203;.a.b");
}

#[test]
fn in_markdown_what_people_read_stays_readable() {
    for text in ["lifetime/off-item, 10 s; größer?", "at second 10: expected a, got b (c)", "1 = 1 + 0"] {
        check_prose(text, text);
    }
}

#[test]
fn in_markdown_no_text_ends_its_block() {
    for text in ["", "`", "```", "a\n````\n# b", "``````````"] {
        let mut report = made::failing();
        report.cases.iter_mut().for_each(|case| case.log = Some(text.into()));
        let page = markdown(&report);
        assert!(
            outside_blocks(&page).iter().all(|line| !line.contains("# b") && !line.contains('`')),
            "{text}"
        );
    }
}
