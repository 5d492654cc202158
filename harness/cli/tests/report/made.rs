//! Reports of every kind, and hostile ones.

use std::sync::LazyLock;

use cosmos_ttl::report::{Case, Listed, Outcome, Part, Report, RunCommand, UnjudgedClause};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::{Clock, Declared, Request, Target};
use cosmos_ttl_harness::vector::Vector;
use serde_json::Value;

use cosmos_ttl_testing::named_suite;
use cosmos_ttl_testing::twisted::{Hostile, Wrong, careless};
use cosmos_ttl_testing::wrong::Without;

/// Returns the report of a run against the target, after this change of the run.
pub(crate) fn after(target: &dyn Target, change: impl FnOnce(&mut Run<'_>)) -> Report {
    let suite = named_suite();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    let mut run = run_virtual(target, &vectors).unwrap();
    change(&mut run);
    let asked = RunCommand { target: "reference".into(), ..RunCommand::default() };
    let mut report = Report::of(&suite, &run, &asked);
    // It changes with the model, which no report here is about.
    report.digests.model = "0".repeat(32);
    report
}

pub(crate) fn passing() -> Report {
    static PASSING: LazyLock<Report> = LazyLock::new(|| after(&Reference::default(), |_| {}));
    PASSING.clone()
}

pub(crate) fn failing() -> Report {
    static FAILING: LazyLock<Report> = LazyLock::new(|| after(&Wrong(careless), |_| {}));
    FAILING.clone()
}

pub(crate) fn known() -> Report {
    after(&Wrong(careless), |run| {
        for result in &mut run.results {
            let listed = Listed {
                reason: "it keeps what is gone".into(),
                signature: None,
                holds: result.verdict != cosmos_ttl_harness::verdict::Verdict::Pass,
            };
            result.listed = Some(listed);
        }
        run.stale.push("`lifetime/away` is on the list, and no such vector is there".into());
    })
}

pub(crate) fn incomplete() -> Report {
    after(&Reference::default(), |run| {
        let vectors: Vec<_> = run.results.iter().map(|result| result.vector).collect();
        *run = Run::unasked(run.about.clone(), &vectors, "the run did not come to its end");
    })
}

pub(crate) fn real_clock() -> Report {
    after(&Wrong(careless), |run| {
        run.about.clock = Clock::Real;
        run.about.purges = false;
        run.results[0].duration_us = Some(9_123_456);
        run.clock_width_us = Some(1234);
        let answers = run.results.iter_mut().flat_map(|result| &mut result.answers);
        answers.for_each(|answer| answer.window = Some(1_700_000_000..=1_700_000_001));
        run.results.iter_mut().for_each(|result| result.log = Some("listening\non 8081".into()));
    })
}

/// A report of a right store that declares that it has no patches.
pub(crate) fn without_patch() -> Report {
    let patches = |request: &Request| Part::of_request(request).contains(&Part::Patch);
    after(&Declared::new(&Without(patches), &[Part::Patch].into()), |_| {})
}

/// One vector of each verdict.
pub(crate) fn every() -> Report {
    let mut report = failing();
    let failed = report.cases(Outcome::Fail).next().unwrap().clone();
    let passed = report.cases(Outcome::Pass).next().unwrap().clone();
    report.cases = Outcome::ALL.into_iter().map(|said| of(said, &passed, &failed)).collect();
    count(&mut report);
    report.stale = vec!["`lifetime/away` is on the list, and no such vector is there".into()];
    report.missing = vec![Part::Patch];
    report.unjudged = vec!["item-null-rejected".into()];
    report.unjudged_reasons = vec![UnjudgedClause {
        clause: "item-null-rejected".into(),
        vectors: 1,
        outcome: Outcome::Inconclusive,
        reason: "at second 2: the reply was lost".into(),
        help: "run again with a larger budget, or nearer to the target".into(),
    }];
    report.complete = false;
    report.incomplete = Some("1 of 12 vectors were not run: the run was interrupted before".into());
    report
}

/// The counts follow the cases.
pub(crate) fn count(report: &mut Report) {
    report.counts = report.cases.iter().map(|case| case.verdict).collect();
    for section in &mut report.sections {
        let own = report.cases.iter().filter(|case| case.name.starts_with(&section.name));
        section.counts = own.map(|case| case.verdict).collect();
    }
}

fn of(said: Outcome, passed: &Case, failed: &Case) -> Case {
    let fails =
        [Outcome::Fail, Outcome::Differ, Outcome::KnownFailure, Outcome::ChangedFailure].contains(&said);
    let judged = fails || [Outcome::Pass, Outcome::UnexpectedPass].contains(&said);
    let listed = [Outcome::KnownFailure, Outcome::UnexpectedPass, Outcome::ChangedFailure];
    let known = Listed {
        reason: "it keeps what is gone".into(),
        signature: Some("at second 10: expected not-found, got gone".into()),
        holds: false,
    };
    let case = if fails { failed } else { passed };
    Case {
        name: format!("lifetime/{}", said.word().replace(' ', "-")),
        verdict: said,
        digest: passed.digest.clone(),
        reason: if judged { case.reason.clone() } else { Some(format!("it is {said}")) },
        known: listed.contains(&said).then_some(known),
        again: format!("cosmos-ttl run reference lifetime/{}", said.word().replace(' ', "-")),
        ..case.clone()
    }
}

/// Text that may hurt a program that shows it.
pub(crate) const NASTY: &str = "]]>--><script>alert(1)</script></testsuite>&#0;&lt;\0\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}K\
    \u{202e}\u{2066}\u{200b}\u{fffe}\u{ffff}`|``` ](javascript:alert(1)) ![x](//evil) <b> @everyone #1 \
    https://evil.example www.evil.example a@evil.example\r\n# heading\n\n~~~~\n````\n| a |\n</details>\n    code\n- x";

/// A report in which every text is like that, some are endless, and some lists are.
pub(crate) fn hostile() -> Report {
    let mut report = spoiled();
    let endless = "\u{1b}<`|@".repeat(50_000);
    report.target.version.clone_from(&endless);
    (report.unjudged, report.stale) = (vec![NASTY.into(); 500], vec![endless.clone(); 2]);
    let clause = report.sections[0].clauses[0].id.clone();
    for case in &mut report.cases {
        case.clauses = vec![clause.clone(); 500];
        case.log = Some(format!("{endless}\n{}", "`````\n".repeat(10_000)));
        if let Some(failure) = &mut case.failure {
            failure.got.clone_from(&endless);
            failure.signature.clone_from(&endless);
            (failure.source.start, failure.source.end) = (5, usize::MAX);
        }
    }
    report
}

/// A report in which every text means no good.
pub(crate) fn spoiled() -> Report {
    replaced(&every(), &|text| format!("{NASTY}{text}"))
}

/// A report in which every text is replaced, but the words that the form itself has.
pub(crate) fn replaced(report: &Report, by: &dyn Fn(&str) -> String) -> Report {
    let mut value = serde_json::to_value(report).unwrap();
    replace(&mut value, "", by);
    serde_json::from_value(value).unwrap()
}

fn replace(value: &mut Value, field: &str, by: &dyn Fn(&str) -> String) {
    let words = "level evidence observe binds verdict outcome kind does without missing scope";
    match value {
        Value::String(text) if !words.split(' ').any(|word| word == field) => *text = by(text),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, field, by)),
        Value::Object(fields) => fields.iter_mut().for_each(|(field, value)| replace(value, field, by)),
        _ => {}
    }
}

/// Every report that is not endless, each with its name.
pub(crate) fn honest() -> [(&'static str, Report); 7] {
    [
        ("without a part", without_patch()),
        ("passing", passing()),
        ("failing", failing()),
        ("known", known()),
        ("incomplete", incomplete()),
        ("on a real clock", real_clock()),
        ("every verdict", every()),
    ]
}

/// The report of a run against a hostile target.
fn of_a_hostile_target() -> Report {
    after(&Hostile, |run| {
        run.results.iter_mut().for_each(|result| result.log = Some(NASTY.repeat(100)));
        run.stale = vec![NASTY.into(); 500];
    })
}

/// Every hostile report, as it is after it was read.
pub(crate) fn from_outside() -> [(&'static str, Report); 2] {
    [("a hostile target", of_a_hostile_target()), ("a hostile file", hostile().made_harmless())]
}

/// The text in lines that fit a screen.
pub(crate) fn narrow(text: &str) -> String {
    let options = textwrap::Options::new(110).subsequent_indent("    ");
    text.lines().map(|line| textwrap::fill(line, &options)).collect::<Vec<_>>().join("\n")
}
