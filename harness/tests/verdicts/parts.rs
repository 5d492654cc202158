//! Parts of the interface that a store does not offer: declared or not, for every part.

use std::collections::BTreeSet;
use std::sync::Arc;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::run::{Conclusion, Run, Tally, run_virtual};
use cosmos_ttl_harness::target::{
    About, Declared, Fault, Part, Request, RequestOptions, Response, Session, Status, Target, option,
};
use cosmos_ttl_harness::unjudged::unjudged_clauses;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_testing::core_suite;
use cosmos_ttl_testing::remote::Remote;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

/// A right store that does not offer a part.
struct Lacking<'t>(&'t dyn Target, Option<Part>);

struct LackingSession<'s>(Option<Part>, Box<dyn Session + 's>);

impl Target for Lacking<'_> {
    fn about(&self) -> About {
        self.0.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(LackingSession(self.1, self.0.open()?)))
    }
}

impl Session for LackingSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let mut needed = Part::of_request(request);
        needed.extend(options.partition.as_ref().map(|_| Part::Partitions));
        needed.extend(options.page.as_ref().map(|_| Part::Pages));
        needed.extend(request.operations().iter().find_map(|one| one.etag()).map(|_| Part::Conditions));
        match self.0.filter(|lacking| needed.contains(lacking)) {
            Some(Part::Lazy) => Ok(Response::new(Status::BadRequest)),
            Some(part) => Err(Fault::Unsupported(format!("no {part}"))),
            None => self.1.send_with(request, options),
        }
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.1.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.1.purge()
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.1.close()
    }
}

fn concluded(run: &Run<'_>) -> (Conclusion, String) {
    let tally = Tally::of(run);
    let conclusion = tally.conclusion(true);
    (conclusion, tally.words(conclusion))
}

#[test]
fn what_is_declared_missing_is_not_judged_and_what_is_not_declared_leaves_the_run_undecided() {
    let suite = core_suite();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    let right = Reference::default();
    for part in Part::ALL.into_iter().filter(|part| !part.is_optional()) {
        let (store, without) = (Lacking(&right, Some(part)), BTreeSet::from([part]));
        let undeclared = run_virtual(&store, &vectors).unwrap();
        assert_eq!(concluded(&undeclared), (Conclusion::Undecided, "undecided".into()), "{part}");
        assert_eq!(Tally::of(&undeclared).missing, without);
        for one in unjudged_clauses(&undeclared.results, &BTreeSet::new()) {
            let help = format!("support it, or declare what is not offered: {}", option(&without));
            assert_eq!(one.help, help, "{part}");
        }

        let declared = run_virtual(&Declared::new(&store, &without), &vectors).unwrap();
        let words = format!("conformant without {part}");
        assert_eq!(concluded(&declared), (Conclusion::Conformant, words));
        for result in &declared.results {
            let needs_it = result.vector.parts().contains(&part);
            let outcome = if needs_it { Outcome::NotOffered } else { Outcome::Pass };
            assert_eq!(result.outcome(), outcome, "{part}: {}", result.vector.name);
        }

        let why = format!("`{part}` is declared missing, and answers: declare it no longer");
        let offered = run_virtual(&Declared::new(&right, &without), &vectors);
        assert_eq!(offered.err(), Some(Fault::Misuse(why)));
    }
}

#[test]
fn a_real_clock_keeps_to_what_is_declared() {
    let suite = core_suite();
    let is_short = |vector: &&Vector| vector.section == "settings" && vector.span_s < 5;
    let vectors: Vec<&Vector> = suite.vectors.iter().filter(is_short).collect();
    let time = Arc::new(SimulatedTime::default());
    let remote = Remote::new(time.clone(), 1);
    let run = |target: &dyn Target| {
        let declared = Declared::new(target, &BTreeSet::from([Part::Batch]));
        run_real_by(time.as_ref(), &declared, &vectors, &Options::default())
    };
    assert!(matches!(run(&remote), Err(Fault::Misuse(_))));
    let run = run(&Lacking(&remote, Some(Part::Batch))).unwrap();
    assert_eq!(concluded(&run), (Conclusion::Conformant, "conformant without batch".into()));
    assert!(Tally::of(&run).counts.not_offered > 0);
}

#[test]
fn a_part_is_read_from_its_word_alone() {
    for part in Part::ALL {
        assert_eq!(part.word().parse(), Ok(part));
        assert_eq!(serde_json::to_string(&part).unwrap(), format!("\"{}\"", part.word()));
    }
    for (word, why) in [
        ("pach", "no part is called `pach`; did you mean patch?"),
        ("Batch", "no part is called `Batch`; did you mean batch or patch?"),
        (
            "x",
            "no part is called `x`; the parts are patch, batch, upsert, list, count, pages, partitions, conditions, lazy, replace-container, read-container, delete-container, containers, select, patch-operations, read-many, if-none-match, conditional-upsert",
        ),
    ] {
        assert_eq!(word.parse::<Part>().unwrap_err().to_string(), why);
        let error = serde_json::from_str::<Part>(&format!("\"{word}\"")).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
