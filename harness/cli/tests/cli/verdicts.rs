//! Each kind of verdict, as people read it, of targets that behave wrongly.

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::text::text;
use cosmos_ttl::report::{Report, RunCommand};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::{
    Body, Document, Fault, Item, Operation, Properties, Request, Response, Status, Target,
};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_testing::named_suite;
use cosmos_ttl_testing::twisted::{Hostile, Twist, Wrong};

fn shown(target: &dyn Target, strict: bool, change: impl FnOnce(&mut Run<'_>)) -> (Report, String) {
    let suite = named_suite();
    let mut run = run_virtual(target, &suite.vectors.iter().collect::<Vec<_>>()).unwrap();
    change(&mut run);
    let asked = RunCommand {
        target: "http://localhost:8081".into(),
        options: ["--vectors", "my suite/it's"].map(str::to_owned).into(),
        strict,
        ..RunCommand::default()
    };
    let report = Report::of(&suite, &run, &asked);
    let text = anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string();
    (report, text)
}

fn still_there(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Item(Operation::Read(id)) if response.status == Status::NotFound => {
            let document = Document { id: id.clone(), properties: Properties::new() };
            Ok(Response::item(Status::Found, Item { document, ts: None, etag: None }))
        }
        _ => Ok(response),
    }
}

fn accepts_every_batch(request: &Request, response: Response) -> Result<Response, Fault> {
    Ok(match request {
        Request::Batch(_) => {
            Response { body: Body::Committed(vec![Status::Created; 2]), ..Response::new(Status::Ok) }
        }
        _ => response,
    })
}

fn keeps_the_value(request: &Request, mut response: Response) -> Result<Response, Fault> {
    if let (Request::Item(Operation::Patch(..)), Body::Item(item)) = (request, &mut response.body) {
        item.document.properties.insert("value".into(), 1.into());
    }
    Ok(response)
}

fn lacks_patch_and_batch(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Item(Operation::Patch(..)) => Err(Fault::Unsupported("no patch".into())),
        Request::Batch(_) => Err(Fault::Unsupported("no batch".into())),
        _ => Ok(response),
    }
}

fn loses_replies(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Item(Operation::Create(_)) => Err(Fault::Unknown("the reply to a write was lost".into())),
        _ => Ok(response),
    }
}

fn breaks(request: &Request, response: Response) -> Result<Response, Fault> {
    match request {
        Request::Query => Err(Fault::Broken("connection reset by peer".into())),
        _ => Ok(response),
    }
}

fn offers_nothing(_: &Request, _: Response) -> Result<Response, Fault> {
    Err(Fault::Unsupported("nothing at all".into()))
}

#[test]
fn each_verdict_is_counted_and_has_its_exit_code() {
    for (twist, strict, code, counts, contains) in [
        (accepts_every_batch as Twist, false, 1, "4 pass + 1 fail", "settings.yaml"),
        (keeps_the_value, false, 0, "4 pass + 1 differ", "1 vector differs from a `should`"),
        (keeps_the_value, true, 1, "4 pass + 1 differ", "nonconformant"),
        (lacks_patch_and_batch, false, 3, "3 pass + 2 unsupported", "--without patch,batch"),
        (loses_replies, false, 3, "5 inconclusive", "the reply to a write was lost"),
        (breaks, false, 4, "2 pass + 3 broken", "connection reset by peer"),
        (offers_nothing, false, 3, "5 unsupported", "undecided: no vector could be judged"),
    ] {
        let (report, text) = shown(&Wrong(twist), strict, |_| {});
        assert_eq!(report.exit_code, code, "{text}");
        assert!(text.contains(&format!("\n5 vectors = {counts}\n")) && text.contains(contains), "{text}");
        assert_eq!(serde_json::from_str::<Report>(&report.json()).unwrap(), report);
    }
    let (report, text) = shown(&Reference::default(), false, |run| {
        for result in &mut run.results[2..] {
            result.verdict = Verdict::NotRun("the run was stopped".into());
        }
    });
    assert!(report.exit_code == 3 && text.contains("5 vectors = 2 pass + 3 not run"), "{text}");
    assert_eq!(
        report.cases[0].again,
        "cosmos-ttl run --vectors 'my suite/it'\\''s' http://localhost:8081 lifetime/item-shorter-than-default"
    );
}

#[test]
fn a_failing_run_reads_so() {
    insta::assert_snapshot!("failing", shown(&Wrong(still_there), false, |_| {}).1);
}

#[test]
fn a_hostile_target_cannot_write_on_the_terminal() {
    let (report, text) = shown(&Hostile, false, |_| {});
    let harmless = |text: &str| text.lines().all(|line| visible(line) == line);
    assert!(harmless(&text) && harmless(&report.json()), "{text:?}");
    assert_eq!(text.lines().filter(|line| line.starts_with("5 vectors = ")).count(), 1, "{text}");
    assert!(!text.contains("\n2 vectors") && !text.contains("\nconformant"), "{text}");
}

#[test]
fn the_fingerprint_is_one_line_of_what_was_chosen() {
    let (report, text) = shown(&Reference::default(), false, |_| {});
    assert_eq!(report.fingerprint, "reappearance=back/gone");
    assert!(text.lines().any(|line| line.trim() == "fingerprint  reappearance=back/gone"), "{text}");
}
