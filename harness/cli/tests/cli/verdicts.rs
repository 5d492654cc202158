//! Each kind of verdict, as people read it, of targets that behave wrongly.

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::text::text;
use cosmos_ttl::report::{Outcome, Report, RunCommand};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::run::{Run, VectorResult, run_virtual};
use cosmos_ttl_harness::target::{
    About, Body, Document, Fault, Item, Operation, Properties, Request, Response, Session, Status, Target,
};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Verdict;

use crate::program::{VECTORS, suite as directory};
use cosmos_ttl_testing::twisted::{Hostile, Twist, Wrong, twisted};

/// The suite, named as it would be on the command line.
pub(crate) fn suite() -> Suite {
    let mut suite = Suite::load(&directory()).unwrap();
    suite.origin = "suite".into();
    for vector in &mut suite.vectors {
        let file = format!("suite/{}.yaml", vector.section);
        let text = vector.source.text.clone();
        vector.source = std::sync::Arc::new(cosmos_ttl_harness::diagnostic::Source::new(file, text));
    }
    suite
}

pub(crate) fn asked(strict: bool) -> RunCommand {
    let options = ["--vectors", "suite"].map(str::to_owned).to_vec();
    RunCommand {
        target: "http://localhost:8081".into(),
        options,
        selection: Vec::new(),
        filters: Vec::new(),
        strict,
        without: std::collections::BTreeSet::new(),
        profile: None,
        known: None,
        command: Vec::new(),
    }
}

fn report_of(target: &dyn Target, strict: bool) -> Report {
    let suite = suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    Report::of(&suite, &run_virtual(target, &vectors).unwrap(), &asked(strict))
}

fn report(twist: Twist) -> Report {
    report_of(&Wrong(twist), false)
}

/// Returns the text after the table of sections, without colours.
pub(crate) fn rest(report: &Report) -> String {
    let text = anstream::adapter::strip_str(&text(report, RenderOptions::default())).to_string();
    let start = text.find("\nsection ").unwrap();
    text[start..].to_owned()
}

#[track_caller]
fn check(report: &Report, code: u8, said: Outcome, count: usize) {
    assert_eq!((report.exit_code, report.counts.get(said)), (code, count), "{:?}", report.counts);
    assert_eq!(report.cases(said).count(), count);
}

pub(crate) fn still_there(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Item(Operation::Read(id)) if response.status == Status::NotFound => {
            let document = Document { id: id.clone(), properties: Properties::new() };
            Ok(Response::item(Status::Found, Item { document, ts: None, etag: None }))
        }
        _ => Ok(response),
    }
}

#[test]
fn a_failure_is_shown_at_its_line() {
    let report = report(still_there);
    check(&report, 1, Outcome::Fail, 2);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_failure_that_shows_only_where_items_are_removed_names_the_schedule() {
    let suite = suite();
    let vector = suite.get("lifetime/item-shorter-than-default").unwrap();
    let run = run_virtual(&OnlyWhenRemoved, &[vector]).unwrap();
    let report = Report::of(&suite, &run, &RunCommand { filters: vec![vector.name.clone()], ..asked(false) });
    check(&report, 1, Outcome::Fail, 1);
    let failed = report.cases(Outcome::Fail).next().unwrap();
    assert_eq!(failed.failure.as_ref().unwrap().removal.as_deref(), Some("eager"));
    insta::assert_snapshot!(rest(&report));
}

/// Loses every item when it is told to remove those that are expired.
struct OnlyWhenRemoved;

struct Losing(Box<dyn Session>, bool);

impl Target for OnlyWhenRemoved {
    fn about(&self) -> About {
        Wrong(|_, response| Ok(response)).about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Losing(twisted(|_, response| Ok(response))?, false)))
    }
}

impl Session for Losing {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let response = self.0.send(request)?;
        Ok(match &response.body {
            Body::Ids(ids) if self.1 && ids.len() == 1 => Response::ids(Vec::new()),
            _ => response,
        })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.1 = true;
        self.0.purge()
    }
}

fn accepts_everything(request: &Request, response: Response) -> Result<Response, Fault> {
    Ok(match request {
        Request::Batch(_) => {
            Response { body: Body::Committed(vec![Status::Created; 2]), ..Response::new(Status::Ok) }
        }
        _ => response,
    })
}

#[test]
fn a_failure_of_a_step_on_several_lines_is_shown_at_all_of_them() {
    let report = report(accepts_everything);
    check(&report, 1, Outcome::Fail, 1);
    insta::assert_snapshot!(rest(&report));
}

fn keeps_the_value(request: &Request, mut response: Response) -> Result<Response, Fault> {
    if let (Request::Item(Operation::Patch(..)), Body::Item(item)) = (request, &mut response.body) {
        item.document.properties.insert("value".into(), 1.into());
    }
    Ok(response)
}

#[test]
fn a_difference_from_a_should_is_a_warning() {
    let report = report(keeps_the_value);
    check(&report, 0, Outcome::Differ, 1);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_difference_from_a_should_fails_a_strict_run() {
    let report = report_of(&Wrong(keeps_the_value), true);
    check(&report, 1, Outcome::Differ, 1);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn what_a_target_does_not_offer_is_counted_and_named() {
    let report = report(|request, response| match request {
        Request::Item(Operation::Patch(..)) => Err(Fault::Unsupported("no patch".into())),
        Request::Batch(_) => Err(Fault::Unsupported("no batch".into())),
        _ => Ok(response),
    });
    // In this suite some clauses are shown by nothing else, so nothing is known of them.
    check(&report, 3, Outcome::Unsupported, 2);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn what_cannot_be_known_leaves_the_run_undecided() {
    let report = report(|request, response| match request {
        Request::Item(Operation::Create(_)) => Err(Fault::Unknown("the reply to a write was lost".into())),
        _ => Ok(response),
    });
    check(&report, 3, Outcome::Inconclusive, 5);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_target_that_breaks_is_no_verdict_on_time_to_live() {
    let report = report(|request, response| match request {
        Request::Query => Err(Fault::Broken("connection reset by peer".into())),
        _ => Ok(response),
    });
    check(&report, 4, Outcome::Broken, 3);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_run_that_was_stopped_is_undecided() {
    let suite = suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let mut run = run_virtual(&Reference::default(), &vectors).unwrap();
    for result in &mut run.results[2..] {
        result.verdict = Verdict::NotRun("the run was stopped".into());
    }
    let report = Report::of(&suite, &run, &asked(false));
    check(&report, 3, Outcome::NotRun, 3);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_run_in_which_nothing_was_judged_is_undecided() {
    let report = report(|_, _| Err(Fault::Unsupported("nothing at all".into())));
    check(&report, 3, Outcome::Unsupported, 5);
    insta::assert_snapshot!(rest(&report));
}

#[test]
fn a_hostile_target_cannot_write_on_the_terminal() {
    let report = report_of(&Hostile, false);
    let text = anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string();
    let harmless = |text: &str| text.lines().all(|line| visible(line) == line);
    assert!(harmless(&text), "{text:?}");
    assert_eq!(text.lines().filter(|line| line.starts_with("5 vectors = ")).count(), 1, "{text}");
    assert!(!text.contains("\n2 vectors") && !text.contains("\nconformant"), "{text}");
    insta::assert_snapshot!(text);
    assert!(harmless(&report.json()), "{}", report.json());
}

#[test]
fn many_failures_are_counted_but_not_all_shown_in_full() {
    let report = report(|request, response| match request {
        Request::Item(Operation::Create(_)) => Ok(Response::new(Status::Conflict)),
        _ => Ok(response),
    });
    check(&report, 1, Outcome::Fail, 4);
    let text =
        anstream::adapter::strip_str(&text(&report, RenderOptions { most: 1, ..RenderOptions::default() }))
            .to_string();
    assert_eq!(text.matches("error: ").count(), 1);
    assert!(
        text.contains("\n  4 more vectors fail or differ in the same way (--all shows them)\n"),
        "{text}"
    );
}

#[test]
fn a_report_survives_its_own_json() {
    for twist in [still_there as Twist, keeps_the_value] {
        let report = report(twist);
        assert_eq!(serde_json::from_str::<Report>(&report.json()).unwrap(), report);
    }
}

#[test]
fn a_target_that_chooses_both_ways_is_told_so() {
    let suite = &*VECTORS;
    let vectors: Vec<_> = suite
        .vectors
        .iter()
        .filter(|vector| vector.clauses.contains(&"container-null-in-replacement".into()))
        .collect();
    let run = run_virtual(&Reference::default(), &vectors).unwrap();
    let mut results: Vec<VectorResult<'_>> = run.results;
    results[0].choices[0].value = "rejected".into();
    let run = Run { results, ..run };
    let report = Report::of(suite, &run, &RunCommand::default());
    assert!(rest(&report).contains("the target should always make the same choice"), "{}", rest(&report));
}

#[test]
fn a_command_to_repeat_is_quoted_for_a_shell() {
    let suite = suite();
    let vectors: Vec<_> = suite.vectors.iter().take(1).collect();
    let run = run_virtual(&Reference::default(), &vectors).unwrap();
    let options = vec!["--vectors".into(), "my vectors/it's".into()];
    let report = Report::of(
        &suite,
        &run,
        &RunCommand { target: "reference".into(), options, ..RunCommand::default() },
    );
    let again = "cosmos-ttl run --vectors 'my vectors/it'\\''s' reference lifetime/item-shorter-than-default";
    assert_eq!(report.cases[0].again, again);
}
