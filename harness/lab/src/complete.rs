//! `cargo lab complete`: the proof of what the complete suite states, and its score on stores.

mod condition;
mod domain;
mod faulty;
mod score;
mod two_items;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_complete::{CompleteSuite, Depth, Machine, TargetChoices};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::Edition;
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_model::interpretation::{ContainerNull, IntegralFraction, InvalidWhileOff};
use cosmos_ttl_report::model_digest;

use crate::args::CompleteArgs;
use crate::generated;

pub use condition::check;
pub use domain::{Domain, Needed};
pub use faulty::{KilledMachines, Simulation};
pub use score::{StoreResult, StoreScores, Survivors, as_targets, results};
pub use two_items::TwoItemSize;

/// The longest lifetime of the machine, in seconds: as a rule, and once more where the figures allow.
pub(crate) const LONGEST_S: u8 = 2;
const LONGER_S: u8 = 3;
/// The seed of the random machines.
const SEED: u64 = 1;

/// Returns the sets of choices of the certificate: the usual ones and all others, of a store whose expired items come back
/// and of one whose expired items do not.
fn certified_choices() -> Vec<TargetChoices> {
    let others = TargetChoices {
        container_null: ContainerNull::Rejected,
        integral_fraction: IntegralFraction::Accepted,
        invalid_while_off: InvalidWhileOff::Stored,
        gone: false,
    };
    let fates = |choices: TargetChoices| [false, true].map(|gone| TargetChoices { gone, ..choices });
    [TargetChoices::default(), others].into_iter().flat_map(fates).collect()
}

/// Returns the certificate: for each set of choices the size of the suite, and what was checked of it.
///
/// # Errors
///
/// An error is a sentence about a part of the certificate that does not hold.
pub fn certificate() -> Result<String, String> {
    let mut text = format!(
        "\
# What is proved of the complete suite. Written by `cargo lab complete`, and counted again by the tests.
# The condition is that of Vaandrager and Melse, checked on the tree of the tests of depth 0. Under the usual choices, the
# same tests kill each fault of the machine: each transition led to each other state, each answer replaced by each other.
model: {}
suites:
",
        model_digest()
    );
    let mut suites: Vec<(u8, TargetChoices)> =
        certified_choices().into_iter().map(|choices| (LONGEST_S, choices)).collect();
    suites.push((LONGER_S, TargetChoices::default()));
    text.extend(parallel::map(&suites, |(longest_s, choices)| entry(*longest_s, *choices))?);
    text.push_str(&two_items(TwoItemSize::new()));
    Ok(text)
}

fn two_items(size: TwoItemSize) -> String {
    format!(
        "\
# Two items with lifetimes of 1 s: the sizes only. The suite stops before it: these tests are counted and not played.
two-items:
  longest-ttl: 1
  states: {}
  distinguishable: {}
  identifiers: {}
  core-inputs: {}
  depth-0: {{tests: {}, inputs: {}}}
  batches-over-both: {}
  depth-0-of-batches: {{tests: {}, inputs: {}}}
  played: false
",
        size.states,
        size.distinguishable,
        size.identifiers,
        size.core_inputs,
        size.tests,
        size.inputs,
        size.batches,
        size.batch_tests,
        size.batch_test_inputs,
    )
}

/// The usual choices, of a store whose expired items come back and of one whose expired items do not.
fn usual_choices() -> [TargetChoices; 2] {
    [false, true].map(|gone| TargetChoices { gone, ..TargetChoices::default() })
}

fn entry(longest_s: u8, choices: TargetChoices) -> Result<String, String> {
    let machine = Machine::new(longest_s, Edition::default(), choices);
    let suite = CompleteSuite::new(&machine, Depth(0));
    check(&suite).map_err(|what| format!("{choices}: {what}"))?;
    let [one, two] = [1, 2].map(|depth| suite.at_depth(Depth(depth)).count());
    let mut text = format!(
        "\
- choices: {choices}
  longest-ttl: {longest_s}
  states: {}
  distinguishable: {}
  inputs: {}
  core-inputs: {}
  tests: {{depth-0: {}, depth-1: {one}, depth-2: {two}}}
  condition: holds
",
        machine.states().len(),
        suite.identifiers.distinct(),
        machine.alphabet.inputs.len(),
        machine.alphabet.core,
        suite.count(),
    );
    if longest_s == LONGEST_S && usual_choices().contains(&choices) {
        let simulation = Simulation::new(&suite);
        for (name, faults) in
            [("transfer", simulation.transfer_faults()), ("output", simulation.output_faults())]
        {
            let KilledMachines { all, killed } = faults;
            if all != killed {
                return Err(format!("{choices}: of {all} {name} faults only {killed} are killed"));
            }
            text.extend(["  ", name, "-faults-killed: ", &killed.to_string(), "\n"]);
        }
    }
    Ok(text)
}

pub(crate) fn complete(args: &CompleteArgs) -> Result<Output, CommandError> {
    let broken =
        |what: String| CommandError::usage(what, "the model, the suite and the condition do not agree");
    let text = certificate().map_err(broken)?;
    let (stale, what) = generated::certificate(&args.certificate, &text, args.check)?;
    let (mut lines, mut code) = (vec![what], u8::from(stale && args.check));
    if args.machines > 0 {
        for choices in usual_choices() {
            let machine = Machine::new(LONGEST_S, Edition::default(), choices);
            let suite = CompleteSuite::new(&machine, Depth(1));
            check(&suite).map_err(|what| broken(format!("depth 1, {choices}: {what}")))?;
            let found = Simulation::new(&suite).random_machines(SEED, args.machines);
            lines.push(format!("the condition holds at depth 1; {choices}"));
            lines.push(format!(
                "  random machines with one more state: {} of {} killed",
                found.killed, found.all
            ));
            code |= u8::from(found.all != found.killed);
        }
    }
    if let Some(depth) = args.stores {
        let suite = embedded()?;
        let scores = StoreScores::of(&suite, Depth(depth))?;
        code |= u8::from(scores.accused().next().is_some());
        lines.extend(score::score_lines(&suite, &scores)?);
    }
    Ok(Output { text: lines.join("\n") + "\n", code })
}
