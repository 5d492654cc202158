//! `junit.xml`

use cosmos_ttl_report::Report;
use cosmos_ttl_report::junit;
use roxmltree::{Document, Node};

use super::made::{self, narrow};

fn elements<'a>(document: &'a Document<'_>, name: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.has_tag_name(name)).collect()
}

/// The name of each test case, and its result.
fn told(xml: &str) -> Vec<String> {
    let document = Document::parse(xml).unwrap();
    let cases = elements(&document, "testcase").into_iter().map(|case| {
        let outcome = case
            .children()
            .find(|node| ["failure", "error", "skipped"].iter().any(|name| node.has_tag_name(*name)));
        let outcome = outcome.map_or("passed", |node| node.tag_name().name());
        format!("{}/{} {outcome}", case.attribute("classname").unwrap(), case.attribute("name").unwrap())
    });
    cases.collect()
}

#[test]
fn each_verdict_has_its_outcome() {
    let told = told(&junit(&made::every()));
    assert_eq!(
        told,
        [
            "lifetime/pass passed",
            "lifetime/fail failure",
            "lifetime/differ skipped",
            "lifetime/known-failure skipped",
            "lifetime/unexpected-pass failure",
            "lifetime/changed-failure failure",
            "lifetime/unsupported skipped",
            "lifetime/inconclusive error",
            "lifetime/broken error",
            "lifetime/not-applicable skipped",
            "lifetime/not-offered skipped",
            "lifetime/not-run error",
            "run/complete error",
            "run/known-failures failure",
            "run/judged error",
            "run/declared error",
        ]
    );
}

#[test]
fn a_strict_run_fails_where_it_differs() {
    let report = Report { strict: true, ..made::every() };
    assert!(told(&junit(&report)).contains(&"lifetime/differ failure".to_owned()));
}

#[test]
fn a_run_that_is_complete_and_judged_says_nothing_beside_its_vectors() {
    let told = told(&junit(&made::passing()));
    assert_eq!(told.len(), 5);
    assert!(told.iter().all(|told| told.ends_with(" passed")), "{told:?}");
}

#[test]
fn what_a_file_looks_like() {
    let xml = junit(&made::every());
    assert_eq!((xml.matches("<testsuite ").count(), xml.matches("<testcase ").count()), (2, 16));
    // One case of each shape; `each_verdict_has_its_outcome` has all of them.
    let case = |name: &str| {
        let cases = xml.split("    <testcase ").skip(1).filter_map(|case| case.split_once("</testcase>"));
        let (case, _) =
            cases.into_iter().find(|(case, _)| case.contains(&format!("name=\"{name}\""))).unwrap();
        format!("<testcase {case}</testcase>")
    };
    let head = xml.split("<testcase ").next().unwrap();
    let shown = [head.to_owned(), case("pass"), case("changed-failure"), case("broken"), case("judged")];
    insta::assert_snapshot!(narrow(&shown.join("\n")));
}

#[test]
fn a_vector_has_a_time_if_it_was_replayed_on_a_real_clock() {
    let xml = junit(&made::timed(9_123_456));
    let document = Document::parse(&xml).unwrap();
    let times: Vec<_> =
        elements(&document, "testcase").into_iter().map(|case| case.attribute("time")).collect();
    assert_eq!(times, [Some("9.123"), None, None, None, None], "in seconds");
}

#[track_caller]
fn check_adds_up(xml: &str, cases: usize) {
    let document = Document::parse(xml).unwrap();
    let count =
        |of: Node<'_, '_>, name: &str| of.descendants().filter(|node| node.has_tag_name(name)).count();
    let suites = [vec![document.root_element()], elements(&document, "testsuite")].concat();
    for suite in suites {
        for (attribute, name) in
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
        {
            assert_eq!(suite.attribute(attribute).unwrap(), count(suite, name).to_string(), "{attribute}");
        }
    }
    assert_eq!(elements(&document, "testcase").len(), cases);
}

#[test]
fn the_numbers_of_every_suite_add_up() {
    for (name, report) in made::honest() {
        let beside = usize::from(!report.complete)
            + usize::from(!report.stale.is_empty())
            + usize::from(!report.unjudged.is_empty())
            + usize::from(!report.missing.is_empty());
        check_adds_up(&junit(&report), report.cases.len() + beside);
        assert_eq!(junit(&report), junit(&report), "{name}");
    }
}

#[test]
fn nobody_can_break_out_of_it() {
    for (name, report) in
        made::from_outside().into_iter().chain([("a hostile file as it is", made::spoiled())])
    {
        let xml = junit(&report);
        assert!(xml.len() < 1 << 20, "{name}: {}", xml.len());
        let document = Document::parse(&xml).unwrap();
        let allowed =
            |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        let odd = xml.chars().find(|c| !allowed(*c) || c.is_control() && *c != '\n');
        assert_eq!(odd, None, "{name}");
        let known = [
            "testsuites",
            "testsuite",
            "testcase",
            "properties",
            "property",
            "failure",
            "error",
            "skipped",
            "system-out",
        ];
        let unknown =
            document.descendants().find(|node| node.is_element() && !known.contains(&node.tag_name().name()));
        assert!(unknown.is_none(), "{name}: {unknown:?}");
        let beside = elements(&document, "testcase").len() - report.cases.len();
        assert!(beside <= 4, "{name}: {beside}");
    }
}
