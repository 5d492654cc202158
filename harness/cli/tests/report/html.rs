//! The HTML page: it is well formed, loads and runs nothing, leads to every failure, and no text can change that.

use std::collections::BTreeSet;

use cosmos_ttl::report::{Excerpt, Outcome, Report, page};
use roxmltree::{Document, Node};

use crate::made::{self, failing, passing};

/// A page that was read, stricter than any browser does: as XML, but for what HTML writes shorter.
struct Page(String);

impl Page {
    fn look<T>(&self, at: impl FnOnce(&[Node<'_, '_>], &str) -> T) -> T {
        let document = Document::parse(&self.0).unwrap_or_else(|err| panic!("{err}: {}", self.0));
        let nodes: Vec<_> = document.descendants().collect();
        let texts = nodes.iter().filter(|node| node.is_text() && !in_style(node)).filter_map(Node::text);
        let texts = texts.collect::<Vec<_>>().join("\n");
        at(&nodes, &texts)
    }

    fn has(&self, words: &str) -> bool {
        self.look(|_, texts| texts.replace('\n', "").contains(words))
    }

    fn count(&self, name: &str, attribute: &str, value: &str) -> usize {
        let is_it =
            |node: &&Node<'_, '_>| node.has_tag_name(name) && node.attribute(attribute) == Some(value);
        self.look(|nodes, _| nodes.iter().filter(is_it).count())
    }
}

fn in_style(node: &Node<'_, '_>) -> bool {
    node.parent().is_some_and(|parent| parent.has_tag_name("style"))
}

/// Checks the rules that hold for every page, whatever its content.
#[track_caller]
fn check(reports: &[Report]) -> Page {
    let text = page(reports);
    let steers = |c: char| {
        c != '\n'
            && (c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    };
    assert_eq!(text.find(steers), None, "a character that steers");
    let xml =
        text.strip_prefix("<!DOCTYPE html>").unwrap().replace("<br>", "").replace(" open>", " open=\"\">");
    let ends = xml.split_inclusive('>').map(|tag| match tag.split_once("<meta ") {
        Some(_) => tag.replace('>', "/>"),
        None => tag.to_owned(),
    });
    let page = Page(ends.collect());
    page.look(|nodes, _| check_nodes(nodes));
    page
}

#[track_caller]
fn check_nodes(nodes: &[Node<'_, '_>]) {
    let elements: Vec<_> = nodes.iter().filter(|node| node.is_element()).collect();
    let policy = elements.iter().position(|node| node.attribute("http-equiv").is_some()).unwrap();
    assert!(
        elements[policy]
            .attribute("content")
            .unwrap()
            .starts_with("default-src 'none'; style-src 'unsafe-inline'")
    );
    let before = elements[..policy].iter().map(|node| node.tag_name().name());
    assert!(before.into_iter().all(|name| ["html", "head", "meta"].contains(&name)));
    let style = nodes.iter().filter(|node| in_style(node)).filter_map(Node::text).collect::<String>();
    assert!(!["url(", "@import", "expression(", "image-set("].iter().any(|word| style.contains(word)));
    let ids: Vec<_> = elements.iter().filter_map(|node| node.attribute("id")).collect();
    let places: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(ids.len(), places.len(), "an id stands there twice");
    let loads = "script iframe object embed link img base form input image use foreignObject animate";
    for node in elements {
        let name = node.tag_name().name();
        assert!(!loads.split(' ').any(|bad| bad == name), "{node:?}");
        let bad = |attribute: &str| {
            attribute.starts_with("on") || ["style", "src", "srcset", "srcdoc", "action"].contains(&attribute)
        };
        assert!(!node.attributes().any(|attribute| bad(attribute.name())), "{node:?}");
        assert!(name != "th" || node.attribute("scope").is_some(), "{node:?}");
        let labels = node.attribute("aria-labelledby").into_iter().flat_map(|ids| ids.split(' '));
        let link = node
            .attribute("href")
            .filter(|link| !link.starts_with("http://") && !link.starts_with("https://"));
        let link = link.map(|link| link.strip_prefix('#').unwrap_or_else(|| panic!("{link}")));
        for id in labels.chain(link) {
            assert!(places.contains(id), "leads nowhere: {node:?}");
        }
    }
}

#[test]
fn every_failing_vector_is_drawn_and_can_be_repeated() {
    let report = failing();
    let page = check(std::slice::from_ref(&report));
    let failing: Vec<_> = report.cases.iter().filter(|case| case.failure.is_some()).collect();
    assert!(!failing.is_empty());
    assert_eq!(page.count("svg", "role", "img"), failing.len());
    for case in failing {
        assert_eq!(
            page.count("div", "id", &format!("v-{}", case.name.replace('/', "."))),
            1,
            "{}",
            case.name
        );
        assert!(page.has(&case.again), "{}", case.name);
    }
    assert!(report.cases.iter().all(|case| page.has(&case.name)));
    assert!(page.has("nonconformant") && page.has("Exit code 1."));
    // A bar or more in the drawing of what was returned past its deadline, and one in its legend.
    assert!(2 <= page.count("path", "class", "returned"));
    let page = check(&[passing()]);
    assert_eq!(page.count("svg", "role", "img"), 0);
    assert!(
        page.has("conformant")
            && page.has("5 vectors = 5 pass")
            && page.has("Where the documents leave a choice")
    );
}

#[test]
fn side_by_side_what_differs_is_marked_and_other_vectors_or_rules_are_said_aloud() {
    let (right, wrong) = (passing(), failing());
    let page = check(&[right.clone(), wrong.clone()]);
    let differing = right.cases.iter().zip(&wrong.cases).filter(|(a, b)| a.verdict != b.verdict).count();
    assert!(page.has(&format!("{differing} vectors that differ")) && !page.has("Not the same vectors"));
    assert!(0 < page.count("tr", "class", "differs"), "clauses");
    let mut other = failing();
    (other.digests.vectors, other.digests.model) = ("other".into(), "other".into());
    other.cases.truncate(1);
    let page = check(&[failing(), other]);
    for words in ["Not the same vectors", "Not the same rules", "· not in this report"] {
        assert!(page.has(words), "{words}");
    }
}

#[test]
fn what_is_not_whole_or_not_true_any_more_is_said_aloud() {
    for report in [made::every(), made::known()] {
        let page = check(std::slice::from_ref(&report));
        assert!(page.has("The list of known failures is not true any more") && page.has(&report.stale[0]));
        assert_eq!(page.has("INCOMPLETE"), !report.complete);
    }
    assert!(check(&[passing(), made::incomplete()]).has("! INCOMPLETE"));
}

#[test]
fn the_place_of_a_failure_is_marked_on_every_line_it_covers_and_one_that_is_none_marks_nothing() {
    for (text, start, end, marked) in [
        ("ab\ncd\nef", 3, 5, "cd"),
        ("ab\ncd\nef", 1, 7, "b|cd|e"),
        ("ä", 1, 2, ""),
        ("ä", usize::MAX, 0, ""),
    ] {
        let mut report = failing();
        report.cases.retain(|case| case.failure.is_some());
        report.cases.truncate(1);
        let source = Excerpt { file: "f".into(), line: usize::MAX, text: text.into(), start, end };
        report.cases[0].failure.as_mut().unwrap().source = source;
        let marks = check(&[report]).look(|nodes, _| {
            let marks = nodes.iter().filter(|node| node.has_tag_name("mark")).filter_map(Node::text);
            marks.collect::<Vec<_>>().join("|")
        });
        assert_eq!(marks, marked, "{start} {end}");
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
        let report = made::replaced(&failing(), &|_| text.to_owned());
        check(std::slice::from_ref(&report));
        check(&[report, failing()]);
    }
    for (_, report) in made::from_outside() {
        check(&[report]);
    }
    check(&[]);
}

#[test]
fn numbers_that_cannot_be_and_endless_texts_do_not_break_the_page() {
    let mut report = failing();
    report.counts.pass = usize::MAX;
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
        }
    }
    check(&[report]);
    let long = "<".repeat(1_000_000);
    let mut report = failing();
    report.target.name.clone_from(&long);
    report.cases[0].title.clone_from(&long);
    report.cases[0].log = Some("x\n".repeat(500_000));
    report.cases[0].again.clone_from(&long);
    let failure = report.cases.iter_mut().find_map(|case| case.failure.as_mut()).unwrap();
    (failure.got, failure.source.text) = (long, "y\n".repeat(500_000));
    check(std::slice::from_ref(&report));
    assert!(page(&[report]).len() < page(&[failing()]).len() + 100_000);
}

#[test]
fn a_page_reads_so() {
    let mut report = failing();
    report.cases.retain(|case| case.verdict != Outcome::Pass);
    report.cases.truncate(1);
    report.sections.retain(|section| section.name == "lifetime");
    made::count(&mut report);
    // They change with every release.
    (report.harness, report.digests.vectors) = ("1.2.3".into(), "of the vectors".into());
    let texts = check(&[report]).look(|_, texts| texts.to_owned());
    let lines: Vec<_> = texts.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    insta::assert_snapshot!("html", lines.join("\n"));
}
