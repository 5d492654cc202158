//! Plays the whole suite under every schedule of removal, and makes what it finds small.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::write::shown_clauses;
use crate::{Call, Contradiction, Counterexample, Script};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::target::{About, Clock, Fault, Part, PurgedTarget, Removal, Target, declared};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_model::choices::Preferences;

use crate::complete::input::{Alphabet, Input, InputNumber};
use crate::complete::machine::{Machine, PAIR_LONGEST_S};
use crate::complete::player::{self, Failing, TestResult};
use crate::complete::suite::{CompleteSuite, Depth, TestCase};

/// The longest lifetime of the machine, in seconds: as a rule, and at most.
const LONGEST_S: u8 = 2;
const MOST_LONGEST_S: u8 = 3;
/// After how many tests progress is told.
const TOLD_EVERY: u64 = 4_096;
/// How many differences from a `should` are passed by, and how many sessions in a row may break.
const MOST_SHOULDS: usize = 5;
const MOST_MISHAPS: usize = 5;
/// How many differences that show no clause are passed by. The first few of them are told.
const MOST_WITHOUT_CLAUSE: u32 = 1_000;

/// How to play the suite.
#[derive(Clone, Copy)]
pub struct CompleteOptions<'a> {
    /// The depth.
    pub depth: Depth,
    /// How many items share the container: 1, or 2 with depth 0 and lifetimes up to 1 s.
    pub items: u8,
    /// The longest lifetime of the machine, in seconds: from 1 to 3.
    pub longest_s: u8,
    /// How many replays make a counterexample small.
    pub replays: u32,
    /// Whether a difference from a `should` ends the run.
    pub strict: bool,
    /// Ends the run when it becomes true; looked at before each test.
    pub stop: Option<&'a AtomicBool>,
    /// Is told now and then how far the run is.
    pub progress: Option<&'a dyn Fn(SuiteProgress)>,
}

impl CompleteOptions<'_> {
    /// Returns the usual options for this depth: one item, lifetimes up to 2 s.
    pub fn new(depth: Depth) -> Self {
        let (items, longest_s) = (1, LONGEST_S);
        Self { depth, items, longest_s, replays: 3_000, strict: false, stop: None, progress: None }
    }

    /// Returns the options for two items: depth 0, lifetimes up to 1 s.
    pub fn two_items() -> Self {
        Self { items: 2, longest_s: PAIR_LONGEST_S, ..Self::new(Depth(0)) }
    }
}

impl fmt::Debug for CompleteOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, items, longest_s, replays, strict, .. } = self;
        let mut all = f.debug_struct("CompleteOptions");
        all.field("depth", depth).field("items", items).field("longest_s", longest_s);
        all.field("replays", replays).field("strict", strict).finish_non_exhaustive()
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteProgress {
    /// How many tests were played, under all schedules of removal.
    pub tests: u64,
    /// How many there are.
    pub of: u64,
}

/// One schedule of removal, and what was played under it.
#[derive(Clone, Debug)]
pub struct PlayedSchedule {
    /// The schedule; `None` if the target follows its own.
    pub removal: Option<Removal>,
    /// The target's choices.
    pub choices: Preferences,
    /// How many states of the machine a client can tell apart.
    pub distinct: usize,
    /// How many tests there are.
    pub tests: u64,
}

/// The result of the suite.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The target.
    pub about: About,
    /// The depth.
    pub depth: Depth,
    /// How many items share the container.
    pub items: u8,
    /// The longest lifetime of the machine, in seconds.
    pub longest_s: u8,
    /// How many states the machine has, how many inputs, and how many of them are the core.
    pub size: [usize; 3],
    /// The schedules.
    pub schedules: Vec<PlayedSchedule>,
    /// How many tests were played.
    pub tests: u64,
    /// How many of them were not played to their end.
    pub cut: u64,
    /// How many requests were sent.
    pub requests: u64,
    /// The wrong answers of the target, shrunk: those that violate a must, or under `strict` a should.
    pub found: Option<Counterexample>,
    /// Differences from a `should`.
    pub shoulds: Vec<Counterexample>,
    /// The answers that do not show again, or that show no clause, in words.
    pub unconfirmed: Vec<String>,
    /// The parts that the suite needs, and that the target declares missing: no test of them was played.
    pub without: BTreeSet<Part>,
    /// The inputs that the target does not offer, and that nobody declared missing.
    pub not_offered: Vec<Input>,
    /// The other mistakes of the target, a sentence each.
    pub mishaps: Vec<String>,
    /// The run was ended before its time.
    pub cut_short: bool,
}

impl Completion {
    /// Returns what it means that the target passed, in a sentence; `None` where it did not, or not all was played.
    pub fn statement(&self) -> Option<String> {
        let passed = self.is_whole() && self.found.is_none() && self.shoulds.is_empty();
        let beyond = match self.depth.0 {
            0 => String::new(),
            1 => "more than one core input ".into(),
            depth => format!("more than {depth} core inputs "),
        };
        (passed && self.unconfirmed.is_empty()).then(|| {
            format!(
                "This target always answers as the model does, unless it has states {beyond}beyond those of the model, or an \
                 assumption does not hold. harness/USAGE.md, \"Beyond the vectors\", explains both."
            )
        })
    }

    /// Returns whether every test was played to its end, or up to a difference, and none was left out.
    pub fn is_whole(&self) -> bool {
        let all: u64 = self.schedules.iter().map(|one| one.tests).sum();
        self.tests == all
            && self.cut == 0
            && !self.cut_short
            && self.mishaps.is_empty()
            && self.not_offered.is_empty()
    }
}

/// Plays the complete suite of these options against a target whose clock the harness moves.
///
/// # Errors
///
/// [`Fault::Misuse`], and every fault that ends the observation of the target's choices.
pub fn complete(
    target: &dyn Target,
    suite: &Suite,
    options: &CompleteOptions<'_>,
) -> Result<Completion, Fault> {
    let target = &catch_panic(|| Ok(PurgedTarget::of(target)))?;
    let longest_s = options.longest_s.clamp(1, MOST_LONGEST_S);
    match (options.items, options.depth, longest_s) {
        (1, ..) | (2, Depth(0), PAIR_LONGEST_S) => {}
        (2, ..) => {
            return Err(Fault::Misuse("two items are tested at depth 0, with lifetimes up to 1 s".into()));
        }
        (items, ..) => return Err(Fault::Misuse(format!("1 or 2 items are tested, not {items}"))),
    }
    let about = target.about.clone();
    if about.clock != Clock::Virtual {
        return Err(Fault::Misuse(format!("the clock of {} is not moved by the harness", about.name)));
    }
    let declared = declared(target.target)?;
    if declared.contains(&Part::Upsert) {
        // Every test begins with one.
        return Err(Fault::Unsupported(
            "the complete suite needs `upsert`, which is declared missing".into(),
        ));
    }
    let mut machines: Vec<Machine> = Vec::new();
    let mut planned = Vec::new();
    for removal in target.removals() {
        let choices = crate::complete::choices::observe(target, removal)?;
        let known = machines.iter().position(|machine| machine.choices == choices);
        let number = known.unwrap_or_else(|| {
            machines.push(match options.items {
                1 => Machine::new(longest_s, choices),
                _ => Machine::of_two(choices),
            });
            machines.len() - 1
        });
        planned.push((removal, number));
    }
    let suites: Vec<_> = machines.iter().map(|machine| CompleteSuite::new(machine, options.depth)).collect();
    let counts: Vec<u64> = suites.iter().map(CompleteSuite::count).collect();
    let schedule = |(removal, number): &(Option<Removal>, usize)| {
        let (machine, suite) = machines.get(*number).zip(suites.get(*number))?;
        Some(PlayedSchedule {
            removal: *removal,
            choices: machine.choices,
            distinct: suite.identifiers.distinct(),
            tests: counts.get(*number).copied().unwrap_or(0),
        })
    };
    let schedules: Vec<PlayedSchedule> = planned.iter().filter_map(schedule).collect();
    let of = schedules.iter().map(|one| one.tests).sum();
    let size = machines
        .first()
        .map_or([0; 3], |machine| [machine.state_count(), machine.input_count(), machine.core()]);
    let inputs = machines.first().map_or(&[][..], |machine| &machine.alphabet.inputs);
    let needs = |input: &Input| player::action(input).call().map(Call::parts).unwrap_or_default();
    let without: BTreeSet<Part> = inputs.iter().flat_map(needs).filter(|it| declared.contains(it)).collect();
    let unplayed = (0..).zip(inputs).filter(|(_, input)| !needs(input).is_disjoint(&without));
    let unplayed: BTreeSet<InputNumber> = unplayed.map(|(number, _)| number).collect();
    let done = Completion {
        about,
        depth: options.depth,
        items: options.items,
        longest_s,
        size,
        schedules,
        tests: 0,
        cut: 0,
        requests: 0,
        found: None,
        shoulds: Vec::new(),
        unconfirmed: Vec::new(),
        without,
        not_offered: Vec::new(),
        mishaps: Vec::new(),
        cut_short: false,
    };
    let mut runner = Runner {
        target,
        suite,
        options,
        of,
        done,
        unplayed,
        without_clause: BTreeSet::new(),
        passed_by: 0,
        known: BTreeSet::new(),
        in_a_row: 0,
        fault: None,
    };
    for (removal, number) in planned {
        let Some(made) = suites.get(number) else { continue };
        let machine = made.machine();
        let alphabets = machine.alphabet.named();
        let mut named = alphabets.iter().cycle();
        let goes_on = made.each(&mut |test| {
            named.next().is_none_or(|alphabet| runner.test(removal, machine, alphabet, test))
        });
        if !goes_on {
            break;
        }
    }
    runner.done.unconfirmed.extend(runner.without_clause);
    runner.fault.map_or(Ok(runner.done), Err)
}

struct Runner<'r> {
    target: &'r PurgedTarget<'r>,
    suite: &'r Suite,
    options: &'r CompleteOptions<'r>,
    of: u64,
    done: Completion,
    /// The inputs that the target does not offer.
    unplayed: BTreeSet<InputNumber>,
    /// Differences that show no clause, in words, and how many there were.
    without_clause: BTreeSet<String>,
    passed_by: u32,
    /// The counterexamples so far: their clauses, the expected response and the actual one.
    known: BTreeSet<(BTreeSet<&'static str>, String, String)>,
    in_a_row: usize,
    fault: Option<Fault>,
}

impl Runner<'_> {
    /// Plays a test; `false` ends the run.
    fn test(
        &mut self,
        removal: Option<Removal>,
        machine: &Machine,
        alphabet: &Alphabet,
        test: &TestCase,
    ) -> bool {
        if self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.done.cut_short = true;
            return false;
        }
        if test.inputs.iter().any(|input| self.unplayed.contains(input)) {
            return true;
        }
        match player::play(self.target, removal, machine, alphabet, test) {
            Ok(result) => self.played(removal, &machine.alphabet, result),
            Err(fault) => self.broke(fault),
        }
    }

    fn played(&mut self, removal: Option<Removal>, alphabet: &Alphabet, result: TestResult) -> bool {
        self.in_a_row = 0;
        self.done.tests += 1;
        self.done.requests += result.requests;
        self.done.cut += u64::from(result.is_cut);
        if let Some(input) = result.not_offered
            && self.unplayed.insert(input)
        {
            self.done.not_offered.extend(alphabet.inputs.get(usize::from(input)).cloned());
        }
        if let Some(progress) = self.options.progress
            && self.done.tests.is_multiple_of(TOLD_EVERY)
        {
            progress(SuiteProgress { tests: self.done.tests, of: self.of });
        }
        result.failing.is_none_or(|failing| self.failed(removal, &failing))
    }

    /// Makes a failure small. Returns whether the run goes on: only what breaks a must ends it.
    fn failed(&mut self, removal: Option<Removal>, failing: &Failing) -> bool {
        let shows = |script: &&Script| {
            crate::play(self.target.target, script, removal).is_ok_and(|differs| differs.is_some())
        };
        let differs = &failing.differs;
        let showing: Vec<&Script> = failing.scripts.iter().filter(shows).collect();
        // Of a container that is off, for example, few answers have to do with time to live: others will show more.
        let about_ttl =
            showing.iter().find(|script| shown_clauses(script).is_none_or(|shown| !shown.is_empty()));
        if about_ttl.is_none() && !showing.is_empty() && !self.options.strict {
            return self.shows_no_clause(differs);
        }
        // What shows the same clauses by the same words was made small before.
        let clauses = about_ttl.and_then(|script| shown_clauses(script)).unwrap_or_default();
        if !self.known.insert((clauses, differs.expected.clone(), differs.got.clone())) {
            return true;
        }
        let example = about_ttl.or_else(|| showing.first()).map(|script| {
            let replays = self.options.replays;
            Counterexample::of_script(self.target.target, self.suite, script, removal, replays)
        });
        match example {
            // What was found before needs no vector of its own.
            Some(Ok(example)) if self.done.shoulds.iter().any(|known| known.script == example.script) => {
                self.goes_on()
            }
            // Without a vector there are no clauses, and without clauses no level.
            Some(Ok(example)) if self.options.strict || (example.written.is_ok() && !example.is_should()) => {
                self.done.found = Some(example);
                false
            }
            Some(Ok(example)) => {
                match &example.written {
                    Ok(_) => self.done.shoulds.push(example),
                    Err(why) => {
                        let Contradiction { expected, got } = &example.differs;
                        self.unconfirmed(format!("expected {expected}, got {got} (no vector, since {why})"));
                    }
                }
                self.goes_on()
            }
            Some(Err(_)) | None => {
                let Contradiction { expected, got } = differs;
                self.unconfirmed(format!("expected {expected}, got {got}"));
                self.goes_on()
            }
        }
    }

    fn shows_no_clause(&mut self, Contradiction { expected, got }: &Contradiction) -> bool {
        let what = format!("expected {expected}, got {got}");
        if self.without_clause.len() < MOST_SHOULDS {
            self.without_clause.insert(what);
        }
        self.passed_by += 1;
        let goes_on = self.passed_by < MOST_WITHOUT_CLAUSE;
        self.done.cut_short |= !goes_on;
        goes_on
    }

    /// Notes a difference in words, once.
    fn unconfirmed(&mut self, what: String) {
        if !self.done.unconfirmed.contains(&what) {
            self.done.unconfirmed.push(what);
        }
    }

    fn goes_on(&mut self) -> bool {
        let goes_on = self.done.shoulds.len() + self.done.unconfirmed.len() < MOST_SHOULDS;
        self.done.cut_short |= !goes_on;
        goes_on
    }

    fn broke(&mut self, fault: Fault) -> bool {
        match fault {
            Fault::Misuse(_) => {
                self.fault = Some(fault);
                return false;
            }
            Fault::Broken(_) if self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => {
                self.done.cut_short = true;
                return false;
            }
            Fault::Broken(_) | Fault::Unknown(_) | Fault::Unsupported(_) => {}
        }
        self.in_a_row += 1;
        if self.done.mishaps.len() < MOST_MISHAPS {
            self.done.mishaps.push(fault.to_string());
        }
        let goes_on = self.in_a_row < MOST_MISHAPS;
        self.done.cut_short |= !goes_on;
        goes_on
    }
}
