//! A process that behaves is judged as the target behind it would be.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::{Conclusion, Tally, run_virtual};
use cosmos_ttl_harness::target::{Clock, Removal, Target};
use cosmos_ttl_harness::vector::{Vector, embedded};
use cosmos_ttl_harness::verdict::Outcome::Pass;
use cosmos_ttl_targets::process::target::{ProcessConfig, ProcessTarget};
use cosmos_ttl_testing::one_removal::OneRemoval;
use libtest_mimic::Trial;

use super::program::{config, start, verdicts};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("through_a_process_the_reference_is_what_it_is_without_one", as_without),
        trial("carriage_returns_are_no_mistake", || {
            let said = verdicts(&start("carriage-returns").unwrap());
            assert!(said.iter().all(|(kind, ..)| *kind == Pass), "{said:#?}");
        }),
    ]
}

/// Every vector, strictly: the same verdicts, choices and number of requests.
fn as_without() {
    let suite = embedded().unwrap();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    let strict = ProcessConfig { strict: true, ..config("well") };
    let target = ProcessTarget::start(strict).unwrap();
    let about = target.about();
    assert_eq!((about.name.as_str(), about.clock), ("reference", Clock::Virtual));
    assert!(about.purges);
    let through = run_virtual(&OneRemoval(&target, Removal::Alternate), &vectors).unwrap();
    let without = run_virtual(&OneRemoval(&Reference::default(), Removal::Alternate), &vectors).unwrap();
    assert_eq!(Tally::of(&through).conclusion(true), Conclusion::Conformant);
    assert_eq!(through.requests, without.requests);
    for (through, without) in through.results.iter().zip(&without.results) {
        assert_eq!(through.choices, without.choices, "{}", through.vector.name);
        assert_eq!(through.answers, without.answers, "{}", through.vector.name);
    }
    target.bye().unwrap();
}
