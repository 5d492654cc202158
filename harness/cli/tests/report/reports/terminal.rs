//! The text on a terminal, of a report that may come from another author.

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::text::text;
use cosmos_ttl::report::{junit, markdown, page};
use cosmos_ttl_harness::plain::visible;

use super::made;

#[test]
fn nobody_can_steer_the_terminal() {
    for (name, report) in made::from_outside() {
        let text = anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string();
        let odd = text.lines().find(|line| visible(line) != *line);
        assert_eq!(odd, None, "{name}");
        assert!(text.len() < 2 << 20, "{name}: {}", text.len());
    }
}

#[test]
fn an_honest_report_is_harmless_already() {
    for (name, report) in made::honest() {
        assert_eq!(report.clone().made_harmless(), report, "{name}");
    }
    let report = made::of_a_hostile_target();
    assert_eq!(report.clone().made_harmless(), report);
}

#[test]
fn every_form_says_what_the_conclusion_leaves_out() {
    let report = made::without_patch();
    let words = "conformant without patch";
    assert_eq!((report.conclusion.as_str(), report.exit_code, report.counts.not_offered), (words, 0, 1));
    let terminal = anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string();
    for form in [terminal, report.json(), junit(&report), markdown(&report), page(&[report])] {
        assert!(form.contains(words), "{form}");
    }
}

#[test]
fn what_was_made_harmless_is_what_it_was() {
    let hostile = made::hostile();
    let harmless = hostile.clone().made_harmless();
    assert_eq!(harmless.clone().made_harmless(), harmless);
    assert_eq!(harmless.counts, hostile.counts);
    assert_eq!(harmless.cases.len(), hostile.cases.len());
    assert!(harmless.json().len() < hostile.json().len());
    let verdicts = |report: &cosmos_ttl::report::Report| {
        report.cases.iter().map(|case| case.verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&harmless), verdicts(&hostile));
}
