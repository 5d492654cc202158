//! `cargo lab complete`: the proof of what the complete suite states, and its score on stores.

mod condition;
mod faulty;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_complete::{
    CompleteOptions, CompleteSuite, Completion, Depth, Machine, TargetChoices, complete as play,
};
use cosmos_ttl_faults::{CORRECT, FAULTS};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Edition, Fault, Target};
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_model::interpretation::{ContainerNull, IntegralFraction, InvalidWhileOff};
use cosmos_ttl_mutants::{CONTROLS, mutants};
use cosmos_ttl_report::model_digest;

use crate::args::CompleteArgs;
use crate::generated;

pub use condition::check;
pub use faulty::{KilledMachines, Simulation};

/// The longest lifetime of the machine, in seconds: as a rule, and once more where the figures allow.
const LONGEST_S: u8 = 2;
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
/// What does not hold, in a sentence.
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
    Ok(text)
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

/// What the suite says of one store.
#[derive(Clone, Debug)]
pub struct StoreResult {
    /// Its name.
    pub name: &'static str,
    /// What the suite found.
    pub done: Completion,
}

impl StoreResult {
    /// Returns whether the suite found that it breaks a must.
    pub fn is_killed(&self) -> bool {
        self.done.found.is_some()
    }

    /// Returns whether the suite found that it differs from a should, and from no must.
    pub fn differs(&self) -> bool {
        !self.is_killed() && !self.done.shoulds.is_empty()
    }
}

/// Plays the suite against stores.
///
/// # Errors
///
/// [`Fault::Misuse`], which none of the stores gives.
pub fn results<T: Target>(
    suite: &Suite,
    depth: Depth,
    stores: &[(&'static str, T)],
) -> Result<Vec<StoreResult>, Fault> {
    parallel::map(stores, |(name, store)| {
        let options = CompleteOptions { replays: 300, ..CompleteOptions::new(depth) };
        Ok(StoreResult { name, done: play(store, suite, &options)? })
    })
}

/// What the suite says of all mutants, controls, independent faults and correct stores.
#[derive(Clone, Debug)]
pub struct StoreScores {
    /// Our mutants.
    pub mutants: Vec<StoreResult>,
    /// Our controls.
    pub controls: Vec<StoreResult>,
    /// The independent faults.
    pub faults: Vec<StoreResult>,
    /// The correct stores that were written independently.
    pub correct: Vec<StoreResult>,
}

impl StoreScores {
    /// Plays the suite of this depth against all of them.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives.
    pub fn of(suite: &Suite, depth: Depth) -> Result<Self, Fault> {
        let wrong: Vec<_> =
            mutants().filter(|one| one.equivalent.is_none()).map(|one| (one.name, one.store())).collect();
        let right: Vec<_> = CONTROLS.iter().map(|one| (one.name, one.store)).collect();
        let faults: Vec<_> = FAULTS.iter().map(|one| (one.name, one.store())).collect();
        let correct: Vec<_> = CORRECT.iter().map(|one| (one.name, one.store())).collect();
        Ok(Self {
            mutants: results(suite, depth, &wrong)?,
            controls: results(suite, depth, &right)?,
            faults: results(suite, depth, &faults)?,
            correct: results(suite, depth, &correct)?,
        })
    }

    /// Returns the right stores that are said to break a must, or of which the two judges disagree.
    pub fn accused(&self) -> impl Iterator<Item = &StoreResult> {
        let right = self.controls.iter().chain(&self.correct);
        right.filter(|one| one.is_killed() || !one.done.unconfirmed.is_empty())
    }
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
        let scores = StoreScores::of(&embedded()?, Depth(depth))?;
        code |= u8::from(scores.accused().next().is_some());
        lines.extend(score_lines(&scores));
    }
    Ok(Output { text: lines.join("\n") + "\n", code })
}

fn score_lines(scores: &StoreScores) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, all) in [("mutants", &scores.mutants), ("independent faults", &scores.faults)] {
        let killed = all.iter().filter(|one| one.is_killed()).count();
        let differ = all.iter().filter(|one| one.differs()).count();
        lines.push(format!(
            "{what}: {killed} of {} break a must, {differ} more differ from a should",
            all.len()
        ));
        for one in all.iter().filter(|one| !one.is_killed() && !one.differs()) {
            lines.push(format!("  outside: {}{}", one.name, unconfirmed(one)));
        }
    }
    lines.push(format!("right stores: {} accused", scores.accused().count()));
    for one in scores.accused() {
        let found = one.done.found.as_ref().map(|found| &found.differs);
        let differs =
            found.map_or_else(String::new, |one| format!(": expected {}, got {}", one.expected, one.got));
        lines.push(format!("  {}{differs}{}", one.name, unconfirmed(one)));
    }
    lines
}

fn unconfirmed(one: &StoreResult) -> String {
    one.done.unconfirmed.first().map_or_else(String::new, |what| format!("; not confirmed: {what}"))
}
