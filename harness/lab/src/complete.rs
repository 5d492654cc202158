//! `cargo lab complete`: the proof of what the complete suite states, and its score on stores.

mod condition;
mod domain;
mod faulty;
mod score;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_complete::{CompleteSuite, Depth, Machine, PairMachine, TargetChoices, Transitions};
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
    text.push_str(
        "\
# Two items share a container; lifetimes are 1 s. Batches of two writes, one about each item, are inputs and no core.
two-items:
",
    );
    text.extend(parallel::map(&certified_choices(), |choices| pair_entry(*choices))?);
    Ok(text)
}

/// The usual choices, of a store whose expired items come back and of one whose expired items do not.
fn usual_choices() -> [TargetChoices; 2] {
    [false, true].map(|gone| TargetChoices { gone, ..TargetChoices::default() })
}

fn entry(longest_s: u8, choices: TargetChoices) -> Result<String, String> {
    let machine = Machine::new(longest_s, Edition::default(), choices);
    let suite = CompleteSuite::new(&machine, Depth(0));
    let [one, two] = [1, 2].map(|depth| suite.at_depth(Depth(depth)).count());
    let longer = format!(", depth-1: {one}, depth-2: {two}");
    let are_faults_tried = longest_s == LONGEST_S && usual_choices().contains(&choices);
    certified(&suite, longest_s, choices, &longer, are_faults_tried)
}

fn pair_entry(choices: TargetChoices) -> Result<String, String> {
    let machine = PairMachine::new(Edition::default(), choices);
    let suite = CompleteSuite::new(&machine, Depth(0));
    certified(&suite, 1, choices, "", usual_choices().contains(&choices))
}

/// Checks a suite, and returns its part of the certificate.
fn certified<M: Transitions>(
    suite: &CompleteSuite<'_, M>,
    longest_s: u8,
    choices: TargetChoices,
    longer: &str,
    are_faults_tried: bool,
) -> Result<String, String> {
    check(suite).map_err(|what| format!("{choices}: {what}"))?;
    let machine = suite.machine();
    let mut text = format!(
        "\
- choices: {choices}
  longest-ttl: {longest_s}
  states: {}
  distinguishable: {}
  inputs: {}
  core-inputs: {}
  tests: {{depth-0: {}{longer}}}
  condition: holds
",
        machine.state_count(),
        suite.identifiers.distinct(),
        machine.input_count(),
        machine.core(),
        suite.count(),
    );
    if are_faults_tried {
        let simulation = Simulation::new(suite);
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
