//! Terminal, JSON, JUnit and Markdown: what each form says of every report, and that nobody can break out of it.

use cosmos_ttl::report::markdown::{MOST_BYTES, markdown};
use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::{
    Excerpt, MutantDiagnosis, MutantLikeness, Outcome, Report, SCHEMA, junit, page, text,
};
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_testing::json_schema::Schema;
use cosmos_ttl_testing::mutated::{mutated, run};
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::made;

fn terminal(report: &Report, options: RenderOptions) -> String {
    anstream::adapter::strip_str(&text(report, options)).to_string()
}

/// The forms for people.
fn forms(report: &Report) -> [String; 3] {
    [terminal(report, RenderOptions::default()), markdown(report), page(std::slice::from_ref(report))]
}

#[test]
fn every_form_says_what_the_conclusion_leaves_out() {
    let report = made::without_patch();
    let words = "conformant without patch";
    assert_eq!((report.conclusion.as_str(), report.exit_code, report.counts.not_offered), (words, 0, 1));
    for form in forms(&report).into_iter().chain([report.json(), junit(&report)]) {
        assert!(form.contains(words), "{form}");
    }
}

#[test]
fn a_failing_run_reads_so() {
    insta::assert_snapshot!("failing", terminal(&made::failing(), RenderOptions::default()));
    assert_eq!(made::passing().fingerprint, "reappearance=back/gone", "what was chosen, in a line");
}

#[test]
fn a_summary_reads_so() {
    insta::assert_snapshot!("markdown", made::narrow(&markdown(&made::every())));
}

#[test]
fn the_likeness_to_a_mutant_is_told_in_honest_figures() {
    let with = |failed, [fails, same, alike]: [usize; 3]| {
        let like = MutantLikeness {
            mutant: "one-second-late".into(),
            says: "The deadline is still a <visible> second.".into(),
            clauses: vec!["gone-at-deadline".into()],
            fails,
            same,
            alike,
            also: vec!["two-seconds-late".into()],
            vectors: vec![made::failing().cases(Outcome::Fail).next().unwrap().name.clone()],
        };
        let like = if fails == 0 { Vec::new() } else { vec![like] };
        let diagnosis = Some(MutantDiagnosis { failed, together: false, like, more: 7, unexplained: 2 });
        Report { diagnosis, ..made::failing() }
    };
    for (failed, counts, figures) in [
        (1, [1, 1, 1], "fails the same vector, in the same way"),
        (13, [13, 13, 11], "fails the same 13 vectors, 11 in the same way"),
        (13, [13, 12, 11], "fails 12 of the same 13 vectors, 11 in the same way, and 1 other"),
        (2, [0, 0, 0], "No mutant explains these failures"),
    ] {
        for form in forms(&with(failed, counts)) {
            let rest = form.contains("no mutant explains 2 of these failures");
            assert!(form.contains(figures) && rest == (0 < counts[0]), "{form}");
        }
    }
}

/// A report in which every vector fails, as these causes say: the number of vectors, expected and got.
fn failing_by(causes: &[(usize, &str, &str)]) -> Report {
    let mut report = made::failing();
    let failed = report.cases(Outcome::Fail).next().unwrap().clone();
    let case = |cause: usize, number: usize| {
        let (count, expected, got) = causes[cause];
        let mut case = failed.clone();
        case.name = format!("lifetime/cause-{cause}-{number}");
        // The last is the shortest.
        case.steps.extend(std::iter::repeat_n(case.steps[0].clone(), count - number));
        let failure = case.failure.as_mut().unwrap();
        (failure.expected, failure.got) = (expected.into(), got.into());
        case
    };
    let all =
        causes.iter().enumerate().flat_map(|(cause, (count, ..))| (0..*count).map(move |it| (cause, it)));
    report.cases = all.map(|(cause, number)| case(cause, number)).collect();
    made::count(&mut report);
    report
}

#[test]
fn failures_are_shown_by_cause_the_shortest_of_each_in_full_and_musts_first() {
    let mut report =
        failing_by(&[(3, "not-found", "found"), (40, "[a, b]", "[b]"), (1, "not-found", "status 500")]);
    let full = |report: &Report, options| terminal(report, options).matches(": lifetime/cause-").count();
    assert_eq!(full(&report, RenderOptions { all: true, ..RenderOptions::default() }), 44);
    let shown = terminal(&report, RenderOptions::default());
    let place = |text: &str, part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}: {text}"));
    assert!(place(&shown, "error: lifetime/cause-1-39") < place(&shown, "error: lifetime/cause-0-2"));
    for case in report.cases.iter_mut().filter(|case| case.name.contains("cause-1")) {
        case.verdict = Outcome::Differ;
    }
    made::count(&mut report);
    let shown = terminal(&report, RenderOptions::default());
    assert!(place(&shown, "error: lifetime/cause-0-2") < place(&shown, "warning: lifetime/cause-1-39"));
}

fn elements<'a>(document: &'a Document<'_>, name: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.has_tag_name(name)).collect()
}

/// The name of each test case, and its result.
fn told(xml: &str) -> Vec<String> {
    let document = Document::parse(xml).unwrap();
    let cases = elements(&document, "testcase").into_iter().map(|case| {
        let results = ["failure", "error", "skipped"];
        let result = case.children().find(|node| results.contains(&node.tag_name().name()));
        let result = result.map_or("passed", |node| node.tag_name().name());
        format!("{}/{} {result}", case.attribute("classname").unwrap(), case.attribute("name").unwrap())
    });
    cases.collect()
}

#[test]
fn in_junit_each_verdict_has_its_outcome() {
    let outcomes = "lifetime/pass passed, lifetime/fail failure, lifetime/differ skipped, lifetime/known-failure skipped, \
                    lifetime/unexpected-pass failure, lifetime/changed-failure failure, \
                    lifetime/unsupported skipped, lifetime/inconclusive error, lifetime/broken error, \
                    lifetime/not-applicable skipped, lifetime/not-offered skipped, lifetime/not-run error, \
                    run/complete error, run/known-failures failure, run/judged error, run/declared error";
    assert_eq!(told(&junit(&made::every())).join(", "), outcomes);
    let strict = Report { strict: true, ..made::every() };
    assert!(told(&junit(&strict)).contains(&"lifetime/differ failure".to_owned()));
    assert!(told(&junit(&made::passing())).iter().all(|told| told.ends_with(" passed")));
    assert!(junit(&made::real_clock()).contains("time=\"9.123\""), "in seconds");
}

#[test]
fn in_junit_the_numbers_add_up_and_nobody_can_break_out() {
    let spoiled = ("a hostile file as it is", made::spoiled());
    for (name, report) in made::honest().into_iter().chain(made::from_outside()).chain([spoiled]) {
        let xml = junit(&report);
        assert!(xml.len() < 1 << 20, "{name}: {}", xml.len());
        let document = Document::parse(&xml).unwrap();
        for suite in [vec![document.root_element()], elements(&document, "testsuite")].concat() {
            for (attribute, name) in
                [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
            {
                let count = suite.descendants().filter(|node| node.has_tag_name(name)).count();
                assert_eq!(suite.attribute(attribute).unwrap(), count.to_string(), "{attribute}");
            }
        }
        let allowed = |c: char| {
            matches!(c, '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
                && (c == '\n' || !c.is_control())
        };
        assert_eq!(xml.chars().find(|c| !allowed(*c)), None, "{name}");
        let beside = elements(&document, "testcase").len() - report.cases.len();
        assert!(beside <= 4, "{name}: {beside}");
    }
}

/// The lines of Markdown that are not shown as they are. Every block must end.
fn outside_blocks(text: &str) -> Vec<&str> {
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

/// Nothing in Markdown but what we write ourselves begins anything.
pub(crate) fn check_inert(text: &str) {
    let ours = "<details>,<details open>,</details>,<summary>,</summary>,<code>,</code>,`report.json`";
    let mut columns = None;
    for line in outside_blocks(text) {
        let rest = ours.split(',').fold(line.to_owned(), |line, own| line.replace(own, ""));
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
fn in_markdown_nothing_but_our_own_begins_anything_and_it_is_never_too_long() {
    let spoiled = ("a hostile file as it is", made::spoiled());
    for (name, report) in made::honest().into_iter().chain(made::from_outside()).chain([spoiled]) {
        let text = markdown(&report);
        check_inert(&text);
        let headings = outside_blocks(&text).into_iter().filter(|line| line.starts_with('#')).count();
        assert!(headings <= 5, "{name}: {headings} headings");
    }
    for log in ["", "`", "```", "a\n````\n# b", "``````````"] {
        let mut report = made::failing();
        report.cases.iter_mut().for_each(|case| case.log = Some(log.into()));
        check_inert(&markdown(&report));
    }
    let [_, (_, mut report)] = made::from_outside();
    let cases = report.cases.clone();
    report.cases = (0..100).flat_map(|_| cases.clone()).collect();
    made::count(&mut report);
    let text = markdown(&report);
    assert!(text.len() <= MOST_BYTES && MOST_BYTES <= 1 << 20, "{}", text.len());
    check_inert(&text);
}

#[test]
fn nobody_can_steer_the_terminal() {
    for (name, report) in made::from_outside() {
        let text = terminal(&report, RenderOptions::default());
        assert_eq!(text.lines().find(|line| visible(line) != *line), None, "{name}");
        assert!(text.len() < 2 << 20, "{name}: {}", text.len());
    }
}

#[test]
fn what_was_made_harmless_is_what_it_was() {
    for (name, report) in made::honest() {
        assert_eq!(report.clone().made_harmless(), report, "{name}");
    }
    let hostile = made::hostile();
    let harmless = hostile.clone().made_harmless();
    assert_eq!(harmless.clone().made_harmless(), harmless);
    assert_eq!((harmless.counts, harmless.cases.len()), (hostile.counts, hostile.cases.len()));
    assert!(harmless.json().len() < hostile.json().len());
    for (text, start, end, moved) in [
        ("read", 0, 4, (0, 4)),
        ("read", 2, usize::MAX, (2, 4)),
        ("read", 3, 1, (3, 3)),
        ("größe", 3, 4, (2, 4)),
        ("", 7, 9, (0, 0)),
    ] {
        let mut report = made::failing();
        report.cases.retain(|case| case.failure.is_some());
        let source = Excerpt { file: "f".into(), line: usize::MAX, text: text.into(), start, end };
        report.cases[0].failure.as_mut().unwrap().source = source;
        let source = report.made_harmless().cases[0].failure.clone().unwrap().source;
        assert_eq!((source.start, source.end), moved, "a place outside its text is moved into it: {text}");
    }
}

#[test]
fn reports_are_as_the_schema_says_and_none_of_their_fields_is_optional() {
    let schema = Schema::committed(SCHEMA);
    for (name, report) in made::honest().into_iter().chain(made::from_outside()) {
        assert_eq!(schema.refuses(&serde_json::from_str(&report.json()).unwrap()), None, "{name}");
    }
    let whole = serde_json::to_value(made::known()).unwrap();
    for place in ["", "/cases/0", "/cases/0/timeline", "/cases/0/known", "/sections/0/clauses/0", "/counts"] {
        for name in whole.pointer(place).unwrap().as_object().unwrap().keys() {
            let mut less = whole.clone();
            less.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(name);
            assert!(schema.refuses(&less).is_some(), "{place}/{name}");
        }
        let mut more = whole.clone();
        more.pointer_mut(place).unwrap()["other"] = Value::Null;
        assert!(schema.refuses(&more).is_some(), "{place}/other");
    }
}

#[test]
fn no_mutated_report_panics() {
    run(300, &mutated(made::every().json()), |bytes| {
        if let Ok(report) = serde_json::from_slice::<Report>(bytes) {
            let report = report.made_harmless();
            forms(&report);
            junit(&report);
        }
        Ok(())
    });
}
