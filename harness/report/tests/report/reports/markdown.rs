//! `report.md`

use cosmos_ttl_report::markdown::{MOST_BYTES, markdown};

use super::made::{self, narrow};

#[test]
fn what_a_summary_looks_like() {
    insta::assert_snapshot!(narrow(&markdown(&made::passing())));
    let text = markdown(&made::every());
    assert_eq!((text.matches("<details>").count(), text.matches("```text").count()), (10, 3));
    // The parts that repeat themselves vector by vector stand there once.
    let (head, rest) = text.split_once("## 1 changed failure").unwrap();
    let (_, end) = rest.split_once("<details><summary>On the list").unwrap();
    insta::assert_snapshot!(narrow(&format!("{head}…\n\n<details><summary>On the list{end}")));
}

#[test]
fn the_conclusion_stands_first() {
    for (name, report) in made::honest() {
        let text = markdown(&report);
        let mut lines = text.lines();
        assert!(lines.next().unwrap().ends_with(&format!(": {}", report.conclusion)), "{name}: {text}");
        assert!(text.contains(&format!("**{} vectors = ", report.cases.len())), "{name}: {text}");
    }
}

/// The lines that are not shown as they are. Every block must end.
#[track_caller]
pub(crate) fn outside_blocks(text: &str) -> Vec<&str> {
    let ticks = |line: &str| line.chars().take_while(|c| *c == '`').count();
    let mut fence: Option<usize> = None;
    let mut outside = Vec::new();
    for line in text.lines() {
        match fence {
            Some(open) if open <= ticks(line) && line.trim_matches('`').is_empty() => fence = None,
            Some(_) => {}
            None if 3 <= ticks(line) => fence = Some(ticks(line)),
            None => outside.push(line),
        }
    }
    assert_eq!(fence, None, "a block has no end");
    outside
}

/// Nothing but what we write ourselves begins anything.
#[track_caller]
pub(crate) fn check_inert(text: &str) {
    let ours = [
        "<details>",
        "<details open>",
        "</details>",
        "<summary>",
        "</summary>",
        "<code>",
        "</code>",
        "`report.json`",
    ];
    let mut columns = None;
    for line in outside_blocks(text) {
        let rest = ours.iter().fold(line.to_owned(), |line, own| line.replace(own, ""));
        for sign in ['<', '`', '[', ']', '@', '~', '_', '\\', '\u{1b}', '\u{202e}', '\u{9b}', '\0'] {
            assert!(!rest.contains(sign), "{sign:?} in {rest}");
        }
        assert!(!rest.contains("://") && !rest.contains("www."), "{rest}");
        let bars = rest.matches('|').count();
        if 0 < bars {
            assert_eq!(*columns.get_or_insert(bars), bars, "{rest}");
        }
        assert!(!line.starts_with('#') || line.starts_with("# ") || line.starts_with("## "), "{line}");
        assert!(!line.starts_with("    "), "{line}");
    }
}

#[test]
fn nothing_but_our_own_begins_anything() {
    let as_it_is = [("a hostile file as it is", made::spoiled())];
    let reports = made::honest().into_iter().chain(made::from_outside()).chain(as_it_is);
    for (name, report) in reports {
        let text = markdown(&report);
        check_inert(&text);
        let headings = outside_blocks(&text).into_iter().filter(|line| line.starts_with('#')).count();
        assert!(headings <= 5, "{name}: {headings} headings");
    }
}

#[test]
fn it_is_never_longer_than_a_summary_may_be() {
    let mut report = made::harmless();
    report.cases.iter_mut().for_each(|case| case.clauses.truncate(30));
    let cases = report.cases.clone();
    report.cases = (0..100).flat_map(|_| cases.clone()).collect();
    made::count(&mut report);
    let text = markdown(&report);
    assert!(text.len() <= MOST_BYTES && MOST_BYTES <= 1 << 20, "{}", text.len());
    check_inert(&text);
    for said in
        [" more changed failure: see `report.json`", " more reasons: see `report.json`", "What to do next:"]
    {
        assert!(text.contains(said), "{said} is not in it");
    }
}
