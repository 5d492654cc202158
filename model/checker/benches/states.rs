//! How many states a CPU-second, and how much memory at the most.
//!
//! Our model of two items, compared with a well-known one: two-phase commit, as in "Consensus on Transaction Commit" by
//! Gray and Lamport, with seven resource managers. Both by stateright, in one run on one machine, each in a process of
//! its own: so the ratio means something where the figures do not. Ours has some two hundred steps a state, each of them
//! judged by every property.

#![expect(clippy::arithmetic_side_effects, reason = "small figures for people")]

use std::env;
use std::fs;
use std::process::{Command, ExitCode};

use cosmos_ttl_checker::{StateCount, count_states};
use stateright::{Checker, Model, Property};

/// Linux counts a process's time in hundredths of a second, whatever the kernel's own clock.
const TICKS_A_SECOND: u64 = 100;

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        // (N+2)(1+(N+2)(N+1))^2
        Some("items") => one("two items, up to 5 s", || count_states(5), 7 * 43 * 43),
        Some("commit") => one("two-phase commit, 7 managers", count_commit, 296_448),
        _ if env::args().any(|argument| argument == "--bench") => both(),
        _ => {
            println!("not measured: that is for `cargo bench`");
            ExitCode::SUCCESS
        }
    }
}

/// Runs each in a process of its own, so that neither's memory counts as the other's.
fn both() -> ExitCode {
    println!(
        "{:32} {:>9} {:>10} {:>8} {:>9} {:>10} {:>9}",
        "model", "states", "steps", "CPU s", "states/s", "steps/s", "peak MiB"
    );
    let ran = |name: &str| env::current_exe().and_then(|me| Command::new(me).arg(name).status());
    let good = |name| ran(name).is_ok_and(|status| status.success());
    if ["items", "commit"].into_iter().all(good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fails where the states are not as many as ever: then the other figures mean nothing.
fn one(name: &str, count: fn() -> StateCount, expected: usize) -> ExitCode {
    let StateCount { states, steps } = count();
    let hundredths = cpu_ticks().map(|ticks| ticks * 100 / TICKS_A_SECOND);
    let unknown = || "unknown".to_string();
    let cpu =
        hundredths.map_or_else(unknown, |hundredths| format!("{}.{:02}", hundredths / 100, hundredths % 100));
    let rate = |count: usize| {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        hundredths
            .map_or_else(unknown, |hundredths| (count.saturating_mul(100) / hundredths.max(1)).to_string())
    };
    let peak = peak_kib().map_or_else(unknown, |kib| (kib / 1024).to_string());
    let (states_a_second, steps_a_second) = (rate(states), rate(steps));
    println!(
        "{name:32} {states:>9} {steps:>10} {cpu:>8} {states_a_second:>9} {steps_a_second:>10} {peak:>9}"
    );
    if states == expected { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// User and system time of this process; only Linux says.
fn cpu_ticks() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    ticks(11)?.checked_add(ticks(12)?)
}

/// The most memory that this process ever had resident; only Linux says.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn count_commit() -> StateCount {
    let checker = Commit { managers: 7 }.checker().spawn_bfs().join();
    StateCount { states: checker.unique_state_count(), steps: checker.state_count() - 1 }
}

/// A transaction manager and this number of resource managers.
struct Commit {
    managers: u32,
}

/// Each field but the first two is a set of resource managers, a bit each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Votes {
    decided: Option<bool>,
    /// Who told the transaction manager, as far as it has read.
    heard: u32,
    /// Who has sent that it is prepared.
    sent: u32,
    prepared: u32,
    committed: u32,
    aborted: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    Commit,
    Abort,
    Hear(u32),
    Prepare(u32),
    GiveUp(u32),
    ObeyCommit(u32),
    ObeyAbort(u32),
}

impl Commit {
    fn all(&self) -> u32 {
        (1 << self.managers) - 1
    }
}

impl Model for Commit {
    type State = Votes;
    type Action = Act;

    fn init_states(&self) -> Vec<Votes> {
        vec![Votes { decided: None, heard: 0, sent: 0, prepared: 0, committed: 0, aborted: 0 }]
    }

    fn actions(&self, votes: &Votes, acts: &mut Vec<Act>) {
        if votes.decided.is_none() {
            acts.push(Act::Abort);
            if votes.heard == self.all() {
                acts.push(Act::Commit);
            }
        }
        for manager in (0..self.managers).map(|index| 1 << index) {
            if votes.decided.is_none() && votes.sent & manager != 0 {
                acts.push(Act::Hear(manager));
            }
            if (votes.prepared | votes.committed | votes.aborted) & manager == 0 {
                acts.extend([Act::Prepare(manager), Act::GiveUp(manager)]);
            }
            match votes.decided {
                Some(true) => acts.push(Act::ObeyCommit(manager)),
                Some(false) => acts.push(Act::ObeyAbort(manager)),
                None => {}
            }
        }
    }

    fn next_state(&self, votes: &Votes, act: Act) -> Option<Votes> {
        let mut next = votes.clone();
        let leave = |next: &mut Votes, manager: u32| {
            next.prepared &= !manager;
            next.committed &= !manager;
            next.aborted &= !manager;
        };
        match act {
            Act::Commit => next.decided = Some(true),
            Act::Abort => next.decided = Some(false),
            Act::Hear(manager) => next.heard |= manager,
            Act::Prepare(manager) => {
                next.sent |= manager;
                next.prepared |= manager;
            }
            Act::GiveUp(manager) => next.aborted |= manager,
            Act::ObeyCommit(manager) => {
                leave(&mut next, manager);
                next.committed |= manager;
            }
            Act::ObeyAbort(manager) => {
                leave(&mut next, manager);
                next.aborted |= manager;
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::sometimes("all abort", |model: &Self, votes: &Votes| votes.aborted == model.all()),
            Property::sometimes("all commit", |model: &Self, votes: &Votes| votes.committed == model.all()),
            Property::always("nobody aborts what another commits", |_, votes: &Votes| {
                votes.aborted == 0 || votes.committed == 0
            }),
        ]
    }
}
