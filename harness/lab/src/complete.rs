//! `cargo lab complete`: the proof of what the complete suite states.

mod condition;
mod faulty;

use std::path::Path;

use cosmos_ttl::report::model_digest;
use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_explore::complete::{BINDING, CompleteSuite, Depth, Machine, describe};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_model::choices::{OpenChoice, Preferences};

use crate::args::CompleteArgs;
use crate::update;

pub use condition::check;
pub use faulty::{KilledMachines, Simulation};

/// The longest lifetime of the machine, in seconds: as a rule, and once more where the figures allow.
pub(crate) const LONGEST_S: u8 = 2;
const LONGER_S: u8 = 3;

/// Returns every set of choices that a target may make under the clauses that bind an item or the target.
fn all_choices() -> Vec<Preferences> {
    let mut all = vec![Preferences::default()];
    for choice in BINDING {
        let others: Vec<_> = all.iter().map(|one| one.with(choice, true)).collect();
        all.extend(others);
    }
    all
}

/// Returns the choices with which two items are certified: the usual ones and all others, with both fates of expired items.
fn pair_choices() -> Vec<Preferences> {
    match all_choices().as_slice() {
        [usual, usual_gone, .., others, others_gone] => vec![*usual, *usual_gone, *others, *others_gone],
        all => all.to_vec(),
    }
}

/// Returns the certificate: for each set of choices the size of the suite, and what was checked of it.
///
/// # Errors
///
/// An error is a sentence about a part of the certificate that does not hold.
pub fn certificate() -> Result<String, String> {
    let mut suites: Vec<(u8, Preferences)> =
        all_choices().into_iter().map(|choices| (LONGEST_S, choices)).collect();
    suites.push((LONGER_S, Preferences::default()));
    let one_item = parallel::map(&suites, |(longest_s, choices)| entry(*longest_s, *choices))?.concat();
    let two_items = parallel::map(&pair_choices(), |choices| pair_entry(*choices))?.concat();
    Ok(format!(
        "\
# What is proved of the complete suite. Written by `cargo lab complete`, and counted again by the tests.
# The condition is that of Vaandrager and Melse, checked on the tree of the tests of depth 0; `cargo lab complete --depth-1`
# checks it for the usual choices and depth 1, too. Under the usual choices, the tests of depth 0 kill each fault of the
# machine: each transition led to each other state, each answer replaced by each other.
# `inputs-in-all` are those of all tests of depth 0; a second that passes is one of them.
model: {}
suites:
{one_item}\
# Two items share a container; lifetimes are 1 s. Batches of two writes, one about each item, are inputs and no core.
two-items:
{two_items}",
        model_digest()
    ))
}

/// Checks the condition for the tests of depth 1, under the usual choices.
fn check_depth_1() -> Result<(), String> {
    let done = parallel::map(&usual_choices(), |choices| {
        let machine = Machine::new(LONGEST_S, *choices);
        let suite = CompleteSuite::new(&machine, Depth(1));
        check(&suite).map_err(|what| format!("depth 1, {}: {what}", describe(*choices)))
    });
    done.map(drop)
}

/// The usual choices, of a store whose expired items come back and of one whose expired items do not.
fn usual_choices() -> [Preferences; 2] {
    [false, true].map(|gone| Preferences::default().with(OpenChoice::ExpiredIsGone, gone))
}

fn entry(longest_s: u8, choices: Preferences) -> Result<String, String> {
    let machine = Machine::new(longest_s, choices);
    let suite = CompleteSuite::new(&machine, Depth(0));
    let [one, two] = [1, 2].map(|depth| suite.at_depth(Depth(depth)).count());
    let longer = format!(", depth-1: {one}, depth-2: {two}");
    let are_faults_tried = longest_s == LONGEST_S && usual_choices().contains(&choices);
    certified(&suite, longest_s, choices, &longer, are_faults_tried)
}

fn pair_entry(choices: Preferences) -> Result<String, String> {
    let machine = Machine::of_two(choices);
    let suite = CompleteSuite::new(&machine, Depth(0));
    certified(&suite, 1, choices, "", usual_choices().contains(&choices))
}

/// Checks a suite, and returns its part of the certificate.
fn certified(
    suite: &CompleteSuite<'_>,
    longest_s: u8,
    choices: Preferences,
    longer: &str,
    are_faults_tried: bool,
) -> Result<String, String> {
    let choices = describe(choices);
    check(suite).map_err(|what| format!("{choices}: {what}"))?;
    let machine = suite.machine();
    let mut inputs_in_all = 0_usize;
    suite.each(&mut |test| {
        inputs_in_all += test.inputs.len();
        true
    });
    let mut text = format!(
        "\
- choices: {choices}
  longest-ttl: {longest_s}
  states: {}
  distinguishable: {}
  inputs: {}
  core-inputs: {}
  tests: {{depth-0: {}{longer}}}
  inputs-in-all: {inputs_in_all}
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
    let path = &args.certificate;
    if !path.parent().is_some_and(|directory| directory == Path::new("") || directory.is_dir()) {
        let what = format!("{}: there is no such directory", path.display());
        let help = "run the command in the directory of the project, or name the file: --certificate FILE";
        return Err(CommandError::usage(what, help));
    }
    let deeper = if args.depth_1 { check_depth_1() } else { Ok(()) };
    let text = match deeper.and_then(|()| certificate()) {
        Ok(text) => text,
        Err(what) => return Ok(Output { text: format!("not proved: {what}\n"), code: 1 }),
    };
    let is_current = update::is_current(path, &text, args.check)?;
    let done = match (is_current, args.check) {
        (true, _) => "up to date",
        (false, true) => "stale; `cargo lab complete` writes it",
        (false, false) => "written",
    };
    let text = format!("{}: {done}\n", path.display());
    Ok(Output { text, code: u8::from(!is_current && args.check) })
}
