//! Pages, taken apart.

use std::collections::BTreeSet;

use cosmos_ttl_report::page;
use cosmos_ttl_report::{Digests, Listed, Outcome, Report};
use serde_json::Value;

use super::careless::{SUITE, failing, passing, report};
use super::markup::{Page, read};
use cosmos_ttl_testing::twisted::careless;
use cosmos_ttl_testing::twisted::{Hostile, Wrong};

/// Checks the rules that hold for every page, whatever its content.
#[track_caller]
fn check(reports: &[Report]) -> Page {
    let text = page(reports);
    let steers = |c: char| {
        c != '\n'
            && (c.is_control()
                || ('\u{200b}'..='\u{200f}').contains(&c)
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c))
    };
    assert_eq!(text.find(steers), None, "a character that steers");
    let page = read(&text);
    loads_and_runs_nothing(&page);
    places(&page);
    page
}

fn loads_and_runs_nothing(page: &Page) {
    let policy =
        page.tags.iter().position(|tag| tag.get("http-equiv") == Some("Content-Security-Policy")).unwrap();
    assert!(
        page.tags[policy]
            .get("content")
            .unwrap()
            .starts_with("default-src 'none'; style-src 'unsafe-inline'")
    );
    assert!(page.tags[..policy].iter().all(|tag| ["html", "head", "meta"].contains(&tag.name.as_str())));
    for word in ["url(", "@import", "expression(", "image-set("] {
        assert!(!page.style.contains(word), "{word}");
    }
    for tag in &page.tags {
        let bad = [
            "script",
            "iframe",
            "object",
            "embed",
            "link",
            "img",
            "base",
            "form",
            "input",
            "image",
            "use",
            "foreignObject",
            "animate",
        ];
        assert!(!bad.contains(&tag.name.as_str()), "{tag:?}");
        for name in tag.attributes.keys() {
            let bad = name.starts_with("on")
                || ["style", "src", "srcset", "srcdoc", "action"].contains(&name.as_str());
            assert!(!bad, "{tag:?}");
        }
        if let Some(address) = tag.get("href") {
            let good = ["#", "http://", "https://"].iter().any(|start| address.starts_with(start));
            assert!(good && tag.name == "a", "{tag:?}");
        }
    }
}

/// Every place has one name, and every way leads to one.
fn places(page: &Page) {
    let ids: Vec<_> = page.tags.iter().filter_map(|tag| tag.get("id")).collect();
    let unique: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id stands there twice");
    for tag in &page.tags {
        let link = tag.get("href").and_then(|address| address.strip_prefix('#'));
        let labels = tag.get("aria-labelledby").into_iter().flat_map(|ids| ids.split(' '));
        for id in link.into_iter().chain(labels) {
            assert!(unique.contains(id), "leads nowhere: {tag:?}");
        }
        if tag.name == "th" {
            assert!(tag.get("scope").is_some(), "{tag:?}");
        }
    }
}

fn has(page: &Page, words: &str) -> bool {
    page.texts.join(" ").contains(words)
}

fn drawings(page: &Page) -> usize {
    page.tags.iter().filter(|tag| tag.name == "svg" && tag.get("role") == Some("img")).count()
}

#[test]
fn every_failing_vector_is_listed_drawn_and_can_be_reached() {
    let report = failing();
    let failing: Vec<_> = report.cases.iter().filter(|case| case.failure.is_some()).collect();
    assert!(3 < failing.len() && report.counts.unsupported > 0);
    let page = check(std::slice::from_ref(&report));
    assert_eq!(drawings(&page), failing.len());
    let links: Vec<_> = page.tags.iter().filter_map(|tag| tag.get("href")).collect();
    for case in failing {
        let link = format!("#v-{}", case.name.replace('/', "."));
        assert!(links.contains(&link.as_str()), "{link}");
        assert!(has(&page, &case.again), "{}", case.name);
    }
    for case in &report.cases {
        assert!(page.texts.contains(&case.name), "{}", case.name);
    }
    assert!(has(&page, "nonconformant") && has(&page, "Exit code 1."), "{:?}", &page.texts[..20]);
}

#[test]
fn the_page_of_a_conformant_target_says_so() {
    let page = check(&[passing()]);
    assert_eq!(drawings(&page), 0);
    let all = SUITE.vectors.len();
    assert!(has(&page, "conformant") && has(&page, &format!("{all} vectors = {all} pass")));
    assert!(has(&page, "Where the documents leave a choice"));
    assert!(has(&page, "reference 0.1.0: conformant – time to live"));
}

fn count(page: &Page, name: &str, class: &str) -> usize {
    page.tags.iter().filter(|tag| tag.name == name && tag.get("class") == Some(class)).count()
}

#[test]
fn facts_are_folded_and_three_failures_are_open() {
    let page = check(&[failing()]);
    let is_open = |class| {
        page.tags.iter().filter(move |tag| tag.get("class") == Some(class)).map(|tag| tag.get("open"))
    };
    assert_eq!(is_open("fold").collect::<Vec<_>>(), [None]);
    assert_eq!(is_open("vector wrong").flatten().count(), 3);
}

#[test]
fn a_legend_explains_the_signs_that_occur_and_no_others() {
    let page = check(&[failing()]);
    let drawings = drawings(&page);
    let explained = |words: &str| page.texts.iter().filter(|text| text.trim() == words).count();
    assert_eq!(explained("written"), drawings, "each of these vectors writes an item");
    for words in
        ["deleted", "refused, by the rules", "open whether there", "returned by the target, and expired"]
    {
        assert!((1..drawings).contains(&explained(words)), "{words}: {} of {drawings}", explained(words));
    }
}

#[test]
fn what_a_target_returned_past_a_deadline_is_hatched() {
    let page = check(&[failing()]);
    let explained =
        page.texts.iter().filter(|text| text.trim() == "returned by the target, and expired").count();
    // A bar or more in the drawing, and one in its legend.
    let hatched = count(&page, "path", "returned");
    assert!(0 < explained && 2 * explained <= hatched, "{explained}, {hatched}");
}

#[test]
fn a_drawing_names_the_place_at_which_a_narrow_screen_begins() {
    let page = check(&[failing()]);
    assert_eq!(count(&page, "p", "here"), drawings(&page));
}

#[test]
fn side_by_side_the_clauses_come_first() {
    let page = check(&[passing(), failing()]);
    let ids: Vec<_> =
        page.tags.iter().filter(|tag| tag.name == "h2").filter_map(|tag| tag.get("id")).collect();
    assert_eq!(ids, ["clauses", "reports", "differing", "vectors"]);
}

#[test]
fn side_by_side_targets_with_one_name_are_told_apart() {
    let mut other = failing();
    other.target.asked = "http://127.0.0.1:8082".into();
    let page = check(&[failing(), other.clone()]);
    let asked = |page: &Page| page.texts.iter().filter(|text| text.trim() == "http://127.0.0.1:8082").count();
    assert_eq!(asked(&page), 4, "once in the overview, and in the head of each table");
    other.target.name = "another".into();
    assert_eq!(asked(&check(&[failing(), other])), 1);
}

#[test]
fn a_page_without_anything_is_still_a_page() {
    check(&[]);
    let mut report = failing();
    report.cases.clear();
    report.sections.clear();
    report.counts = [].into_iter().collect();
    check(&[report]);
}

#[test]
fn what_is_not_whole_says_so_aloud() {
    let mut report = failing();
    report.complete = false;
    report.incomplete = Some("3 of 226 vectors were not run: interrupted".into());
    report.stale = vec!["lifetime/x passes now".into()];
    let page = check(std::slice::from_ref(&report));
    assert!(has(&page, "INCOMPLETE") && has(&page, "3 of 226 vectors were not run"));
    assert!(
        has(&page, "The list of known failures is not true any more") && has(&page, "lifetime/x passes now")
    );
    let page = check(&[failing(), report]);
    assert!(has(&page, "! INCOMPLETE") && has(&page, "3 of 226 vectors were not run"));
}

#[test]
fn a_known_failure_shows_its_reason() {
    let mut report = failing();
    report.cases[0].known = Some(Listed { reason: "it forgets".into(), signature: None, holds: false });
    assert!(has(&check(&[report]), "it forgets"));
}

#[test]
fn a_hostile_target_cannot_write_on_the_page() {
    let page = check(&[report(&SUITE, &Hostile)]);
    assert!(has(&page, "\\u{1b}[2J") && has(&page, "\\u{202e}"));
}

/// Every text of a report that is not one of a few words, replaced.
fn poison(value: &mut Value, text: &str) {
    match value {
        Value::String(old) => text.clone_into(old),
        Value::Array(values) => values.iter_mut().for_each(|value| poison(value, text)),
        Value::Object(fields) => {
            let words = [
                "verdict", "outcome", "level", "evidence", "observe", "kind", "binds", "does", "without",
                "scope", "missing",
            ];
            let texts = fields.iter_mut().filter(|(name, _)| !words.contains(&name.as_str()));
            texts.for_each(|(_, value)| poison(value, text));
        }
        _ => {}
    }
}

#[test]
fn a_report_that_was_edited_by_hand_cannot_break_the_page() {
    for text in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style></title></svg><script>alert(1)</script>",
        "javascript:alert(1)",
        "&lt;&amp;&#x202e;`",
        "\u{202e}\u{2066}\u{0}\u{1b}[2J\r\n",
        "",
        "a/b",
    ] {
        let mut value = serde_json::to_value(failing()).unwrap();
        poison(&mut value, text);
        let report: Report = serde_json::from_value(value).unwrap();
        check(std::slice::from_ref(&report));
        check(&[report, failing()]);
    }
}

#[test]
fn numbers_that_cannot_be_do_not_break_the_page() {
    let mut report = failing();
    for case in &mut report.cases {
        for (number, step) in case.steps.iter_mut().enumerate() {
            step.at_s = if number % 2 == 0 { u64::MAX } else { 0 };
        }
        for span in case.timeline.lives.iter_mut().flat_map(|life| &mut life.spans) {
            (span.from_step, span.until_step, span.until_s) = (usize::MAX, Some(0), Some(0));
            span.deadline_s = Some(u64::MAX);
        }
        if let Some(failure) = &mut case.failure {
            (failure.step, failure.source.line) = (usize::MAX, usize::MAX);
            (failure.source.start, failure.source.end) = (usize::MAX, 1);
        }
    }
    report.counts.pass = usize::MAX;
    check(&[report]);
}

#[test]
fn a_text_of_a_megabyte_ends() {
    let long = "<".repeat(1_000_000);
    let mut report = failing();
    report.target.name.clone_from(&long);
    report.cases[0].title.clone_from(&long);
    report.cases[0].log = Some("x\n".repeat(500_000));
    report.cases[0].again.clone_from(&long);
    let failure = report.cases.iter_mut().find_map(|case| case.failure.as_mut()).unwrap();
    failure.got.clone_from(&long);
    failure.source.text = "y\n".repeat(500_000);
    let before = page(&[failing()]).len();
    check(std::slice::from_ref(&report));
    assert!(page(&[report]).len() < before + 100_000);
}

#[test]
fn side_by_side_what_differs_is_marked() {
    let (right, wrong) = (passing(), failing());
    let page = check(&[right.clone(), wrong.clone()]);
    let differing = right.cases.iter().zip(&wrong.cases).filter(|(a, b)| a.verdict != b.verdict).count();
    assert!(has(&page, &format!("{differing} vectors that differ")));
    let marked =
        page.tags.iter().filter(|tag| tag.name == "tr" && tag.get("class") == Some("differs")).count();
    assert!(differing < marked, "vectors and clauses");
    let wanted = wrong.cases(Outcome::Fail).next().unwrap();
    assert!(page.texts.iter().filter(|text| **text == wanted.name).count() == 2);
    assert!(!has(&page, "Not the same vectors"));
}

#[test]
fn side_by_side_other_vectors_and_rules_are_said_aloud() {
    let mut other = failing();
    other.digests.vectors = "other".into();
    let page = check(&[failing(), other.clone()]);
    assert!(has(&page, "Not the same vectors") && !has(&page, "Not the same rules"));
    other.digests.model = "other".into();
    other.cases.truncate(3);
    let page = check(&[failing(), other]);
    assert!(has(&page, "Not the same rules") && has(&page, "· not in this report"));
}

#[test]
fn a_small_page_reads_so() {
    let mut suite = cosmos_ttl_testing::small_suite();
    suite.origin = "suite".into();
    for vector in &mut suite.vectors {
        let (name, text) = (format!("suite/{}.yaml", vector.section), vector.source.text.clone());
        vector.source = std::sync::Arc::new(cosmos_ttl_harness::diagnostic::Source::new(name, text));
    }
    suite.vectors.retain(|vector| vector.name == "lifetime/item-shorter-than-default");
    suite.catalogue.sections.retain(|section| section.name == "lifetime");
    let mut report = report(&suite, &Wrong(careless));
    // They change with every release.
    report.harness = "1.2.3".into();
    report.digests = Digests { vectors: "of the vectors".into(), model: "of the rules".into() };
    let page = check(&[report]);
    let lines: Vec<_> = page.texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
