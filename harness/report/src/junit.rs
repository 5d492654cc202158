//! A report as JUnit XML: one test case a vector, and one more for whatever is said of the run as a whole.
//!
//! No time stands in it, as none was measured; the same report makes the same file.

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use super::ci_result::{self, CiResult, MOST_CLAUSES, Told};
use cosmos_ttl_harness::plain::visible;

/// The report as XML.
pub fn junit(report: &Report) -> String {
    let mut xml = quick_junit::Report::new("cosmos-ttl");
    let mut suite: Option<TestSuite> = None;
    for told in ci_result::all(report) {
        let name = harmless(told.section);
        // The vectors of a section stand together.
        let own = suite.take_if(|suite| suite.name.as_str() != name);
        xml.add_test_suites(own);
        suite.get_or_insert_with(|| opened(report, &name)).add_test_case(case(report, &told));
    }
    xml.add_test_suites(suite);
    // Only writing can fail, and a string takes everything.
    xml.to_string().unwrap_or_default()
}

fn opened(report: &Report, name: &str) -> TestSuite {
    let mut suite = TestSuite::new(name);
    let target = &report.target;
    let facts = [
        ("target", &target.name),
        ("target-version", &target.version),
        ("vectors", &report.digests.vectors),
        ("model", &report.digests.model),
        ("harness", &report.harness),
    ];
    suite.add_properties(facts.map(|(name, value)| Property::new(name, harmless(value))));
    suite
}

fn case(report: &Report, told: &Told<'_>) -> TestCase {
    let mut case = TestCase::new(harmless(told.name), status(report, told));
    case.set_classname(harmless(told.section));
    let Some(vector) = told.case else { return case };
    let mut property = |name: &str, value: &str| {
        case.add_property(Property::new(name, harmless(value)));
    };
    property("verdict", told.word);
    property("level", &vector.level.to_string());
    vector.clauses.iter().take(MOST_CLAUSES).for_each(|clause| property("clause", clause));
    property("digest", &vector.digest);
    if let Some(log) = &vector.log {
        case.set_system_out(harmless(log));
    }
    case
}

fn status(report: &Report, told: &Told<'_>) -> TestCaseStatus {
    let mut status = match told.outcome {
        CiResult::Passed => return TestCaseStatus::success(),
        CiResult::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        CiResult::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        CiResult::Skipped => TestCaseStatus::skipped(),
    };
    status.set_type(told.word);
    status.set_message(harmless(told.message.as_deref().unwrap_or(told.word)));
    if let (Some(case), CiResult::Failed | CiResult::Error) = (told.case, told.outcome) {
        status.set_description(harmless(&ci_result::story(report, case)));
    }
    status
}

/// Nothing that XML 1.0 has no room for; what the crate would drop without a word is written out here.
fn harmless(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
