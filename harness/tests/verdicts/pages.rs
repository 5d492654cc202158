//! Partitions and pages: what the harness asks, how it judges pages, and that a target may offer neither.

use std::sync::Mutex;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{
    About, Clock, Fault, Request, RequestOptions, Response, Session, Status, Target,
};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_testing::{core_suite, scratch};

/// A page: its ids, and where the next one continues.
type ScriptedPage = (&'static [&'static str], Option<&'static str>);

/// Creates whatever it is told to, and answers every query with the next of these pages.
struct Scripted<'p> {
    pages: &'p [ScriptedPage],
    asked: Mutex<Vec<RequestOptions>>,
}

struct ScriptedSession<'a>(&'a Scripted<'a>, usize);

impl Target for Scripted<'_> {
    fn about(&self) -> About {
        About { name: "scripted".into(), version: "1".into(), clock: Clock::Virtual, purges: false }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(ScriptedSession(self, 0)))
    }
}

impl Session for ScriptedSession<'_> {
    fn send(&mut self, _: &Request) -> Result<Response, Fault> {
        Ok(Response::new(Status::Created))
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if options.page.is_none() {
            return self.send(request);
        }
        self.0.asked.lock().unwrap().push(options.clone());
        let (ids, continuation) = self.0.pages[self.1.min(self.0.pages.len() - 1)];
        self.1 += 1;
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        Ok(Response::ids(ids).continued(continuation.map(str::to_owned)))
    }

    fn pass(&mut self, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Item `a` expires after the first page; `b` and `c` stay.
const STEPS: &str = "format: 1
section: lifetime
vectors:
- id: own-ttl
  title: An item's own ttl wins
  clauses: [own]
  steps:
  - create-container: {defaultTtl: -1, expect: created}
  - create: {id: a, ttl: 2, expect: created}
  - create: {id: b, expect: created}
  - create: {id: c, expect: created}
  - query: {page-size: 2, expect: [a, b, c]}
  - at: 2
  - query: {continue: rest, expect: [b, c]}
  - upsert: {id: b, expect: ok}
";

/// How many pages there are is left to the target; together they hold every living item once.
#[test]
fn pages_are_judged_by_what_they_hold_together() {
    use Outcome::{Broken, Fail, Pass, Unsupported};
    let lost = "expected [b, c] on all pages together, got [] after a first page [a, b]";
    let cases: [(&[ScriptedPage], Outcome, &str); 14] = [
        (&[(&["a", "b"], Some("1")), (&["c"], None)], Pass, ""),
        (&[(&["b", "c"], None)], Pass, ""),
        (&[(&["c"], Some("1")), (&["b"], None)], Pass, ""),
        (&[(&[], Some("1")), (&[], Some("2")), (&["b", "c"], Some("3")), (&[], None)], Pass, ""),
        // A target may keep the place itself, and say only that more follows.
        (&[(&["a"], Some("more")), (&["b"], Some("more")), (&["c"], None)], Pass, ""),
        (&[(&["a", "b"], None)], Fail, lost),
        (&[(&["a", "b"], Some("1")), (&[], None)], Fail, lost),
        (&[(&["a", "b"], Some("1")), (&["b", "c"], None)], Fail, "got [b, c] after"),
        (&[(&["b", "b"], None)], Fail, "expected a page with some of [a, b, c], got [b, b]"),
        (&[(&["b", "c"], Some("1")), (&["a"], None)], Fail, "got [a] after a first page [b, c]"),
        (&[(&["b", "x"], None)], Fail, "got [b, x]"),
        (&[(&["a", "b", "c"], None)], Unsupported, "3 items on a page of at most 2"),
        (&[(&[], Some("1"))], Broken, "its pages do not end; 1 were read"),
        (&[(&["b"], Some("1"))], Broken, "its pages do not end; 100 were read"),
    ];
    let suite = Suite::load(&scratch("pages", &[("lifetime.yaml", STEPS.as_bytes())])).unwrap();
    for (pages, outcome, reason) in cases {
        let target = Scripted { pages, asked: Mutex::default() };
        let verdict = run_virtual(&target, &[&suite.vectors[0]]).unwrap().results[0].verdict.clone();
        let seen = verdict.reason().unwrap_or_default();
        assert!(verdict.outcome() == outcome && seen.contains(reason), "{pages:?}: {seen}");
    }
}

#[test]
fn the_continuation_goes_back_as_it_came() {
    let suite = Suite::load(&scratch("pages", &[("lifetime.yaml", STEPS.as_bytes())])).unwrap();
    let pages: &[ScriptedPage] = &[(&["a"], Some(" {\"+%\": 1}")), (&["b", "c"], None)];
    let target = Scripted { pages, asked: Mutex::default() };
    run_virtual(&target, &[&suite.vectors[0]]).unwrap();
    let asked = target.asked.into_inner().unwrap();
    let pages: Vec<_> = asked.into_iter().map(|options| options.page.unwrap()).collect();
    let said: Vec<_> = pages.iter().map(|page| (page.size.get(), page.continuation.as_deref())).collect();
    assert_eq!(said, [(2, None), (2, Some(" {\"+%\": 1}"))]);
}

/// Answers as the reference, and offers no options.
struct Plain(Reference);

struct PlainSession<'a>(Box<dyn Session + 'a>);

impl Target for Plain {
    fn about(&self) -> About {
        self.0.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(PlainSession(self.0.open()?)))
    }
}

impl Session for PlainSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.0.send(request)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.0.purge()
    }
}

#[test]
fn a_target_without_partitions_and_pages_says_unsupported_and_passes_everything_else() {
    let suite = core_suite();
    let target = Plain(Reference::default());
    let run = run_virtual(&target, &suite.vectors.iter().collect::<Vec<_>>()).unwrap();
    for result in &run.results {
        let steps = &result.vector.steps;
        let options = steps.iter().any(|step| step.partition.is_some() || step.pages.is_some());
        let expected = if options { Outcome::Unsupported } else { Outcome::Pass };
        assert_eq!(result.verdict.outcome(), expected, "{}", result.vector.name);
    }
}
