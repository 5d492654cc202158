//! `cargo lab faults`: which independent faults the vectors and exploration find, and which correct stores they accuse.
//!
//! The faults and the correct stores of [`cosmos_ttl_faults`] were written without a look at the vectors, so their score
//! says what the vectors miss. A mutant says only whether a vector was removed or weakened.

use std::sync::atomic::AtomicBool;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_explore::{Action, Call, Counterexample, ExploreOptions, Script, search};
use cosmos_ttl_faults::script::{Demonstration, ScriptStep};
use cosmos_ttl_faults::{CorrectEntry, FaultEntry, FaultSet};
use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::run::run_virtual_while;
use cosmos_ttl_harness::target::{Fault, Removal, Request, Target};
use cosmos_ttl_harness::vector::{Suite, Vector, embedded_with_derived};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_harness::{describe, parallel, run_virtual};
use cosmos_ttl_report::style::{BAD, BOLD, GOOD, RenderOptions, styled, wrapped};

use crate::args::FaultsArgs;
use crate::scheduled::Scheduled;

/// The seeds of the explorations.
pub(crate) const SEEDS: [u64; 2] = [1, 1_000_003];
/// How many replays make a counterexample smaller.
const REPLAYS: u32 = 3_000;

/// The first test that finds a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finder {
    /// A vector that people wrote, by its name.
    Written(String),
    /// A derived vector, by its name.
    Derived(String),
    /// Random requests.
    Explored {
        /// The seed of the exploration.
        seed: u64,
        /// How many requests were sent.
        after: u64,
    },
    /// A vector of level should, by its name: a run reports the difference, and fails only under `--strict`.
    Differs(String),
}

/// A vector that a correct store fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFailure {
    /// The vector's name.
    pub vector: String,
    /// The clauses that it cites.
    pub clauses: Vec<String>,
    /// Whether all of them are of level should.
    pub is_should: bool,
    /// The second of the step.
    pub at_s: u64,
    /// The expected response.
    pub expected: String,
    /// The actual response.
    pub got: String,
}

/// A difference that exploration reports of a correct store.
#[derive(Clone, Debug)]
pub struct WrongReport {
    /// The seed of the exploration.
    pub seed: u64,
    /// How many requests were sent.
    pub after: u64,
    /// The clauses that are said to be broken, if a vector could be written.
    pub clauses: Vec<String>,
    /// The shrunk script, a line for each request.
    pub script: Vec<String>,
    /// The expected response.
    pub expected: String,
    /// The actual response.
    pub got: String,
}

/// The accusations of a correct store.
#[derive(Clone, Debug)]
pub struct Accusations {
    /// The store's name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The vectors that it fails, those of level should last.
    pub vectors: Vec<WrongFailure>,
    /// The differences from a must that exploration reports, one for each seed.
    pub reports: Vec<WrongReport>,
    /// How many differences from a should exploration reports.
    pub shoulds: usize,
}

/// The scores of one set.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The set.
    pub set: FaultSet,
    /// Every fault, and what finds it first.
    pub faults: Vec<(FaultEntry, Option<Finder>)>,
    /// Every correct store.
    pub correct: Vec<Accusations>,
    /// How many requests each exploration sends.
    pub steps: u64,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The requests of each exploration; 0 is none.
    pub steps: u64,
    /// Whether each correct store meets each vector under each schedule of removal. If not, each store meets one schedule in
    /// turn, a third of the hand-written vectors in turn, and one in 27 of the derived vectors.
    pub is_whole: bool,
}

impl Scores {
    /// Measures all faults and all correct stores.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives.
    pub fn of(set: FaultSet, suite: &Suite, effort: Effort) -> Result<Self, Fault> {
        let Effort { steps, is_whole } = effort;
        let (derived, written): (Vec<_>, Vec<_>) =
            suite.vectors.iter().partition(|vector| vector.is_derived());
        let faults = set.faults();
        let finders = parallel::map(&faults, |fault| finder(fault, suite, &written, &derived, steps))?;
        let faults = faults.into_iter().zip(finders).collect();
        let correct: Vec<_> = set.correct().into_iter().enumerate().collect();
        let correct = parallel::map(&correct, |(number, store)| {
            let part = (!is_whole).then(|| Part::in_turn(*number, &written, &derived));
            let all = (None, &written, &derived);
            let (removal, written, derived) =
                part.as_ref().map_or(all, |part| (Some(part.removal), &part.written, &part.derived));
            accusations(store, suite, written, derived, removal, steps)
        })?;
        Ok(Self { set, faults, correct, steps })
    }

    /// Returns the names of the faults that hand-written vectors miss.
    pub fn missed_by_written(&self) -> Vec<&'static str> {
        self.missed(|finder| matches!(finder, Finder::Written(_)))
    }

    /// Returns the names of the faults that all vectors miss.
    pub fn missed_by_vectors(&self) -> Vec<&'static str> {
        self.missed(|finder| matches!(finder, Finder::Written(_) | Finder::Derived(_)))
    }

    /// Returns the names of the faults that nothing finds, those that only differ from a should among them.
    pub fn missed_by_all(&self) -> Vec<&'static str> {
        self.missed(|finder| !matches!(finder, Finder::Differs(_)))
    }

    fn missed(&self, found: impl Fn(&Finder) -> bool) -> Vec<&'static str> {
        let missed = self.faults.iter().filter(|(_, finder)| !finder.as_ref().is_some_and(&found));
        missed.map(|(fault, _)| fault.name).collect()
    }

    /// Returns the correct stores that a must vector or exploration accuses.
    pub fn accused(&self) -> impl Iterator<Item = &Accusations> {
        self.correct.iter().filter(|one| one.is_accused())
    }
}

impl Accusations {
    /// Returns whether more than vectors of level should accuse the store.
    pub fn is_accused(&self) -> bool {
        self.vectors.iter().any(|failure| !failure.is_should) || !self.reports.is_empty()
    }

    /// Returns whether a vector of level should, or exploration, says that the store differs from a should.
    pub fn differs(&self) -> bool {
        self.vectors.iter().any(|failure| failure.is_should) || self.shoulds > 0
    }
}

fn finder(
    fault: &FaultEntry,
    suite: &Suite,
    written: &[&Vector],
    derived: &[&Vector],
    steps: u64,
) -> Result<Option<Finder>, Fault> {
    let store = fault.store.target();
    let fails = |outcome| outcome == Outcome::Fail;
    if let Some(name) = first_with(fails, store, &likeliest_first(fault, written))? {
        return Ok(Some(Finder::Written(name)));
    }
    if let Some(name) = first_with(fails, store, &likeliest_first(fault, derived))? {
        return Ok(Some(Finder::Derived(name)));
    }
    for seed in SEEDS.into_iter().filter(|_| steps > 0) {
        let stop = AtomicBool::new(false);
        let result = search(store, suite, &ExploreOptions { seed, steps, stop: &stop }, 0, false)?;
        if result.shown.is_some_and(|(_, shown)| !shown.is_should()) {
            let after = result.explored.found.map_or(steps, |found| found.after);
            return Ok(Some(Finder::Explored { seed, after }));
        }
    }
    let differs = first_with(|outcome| outcome == Outcome::Differ, store, &[written, derived].concat())?;
    Ok(differs.map(Finder::Differs))
}

/// Returns the vectors, those first that cite a clause that the fault breaks.
fn likeliest_first<'v>(fault: &FaultEntry, vectors: &[&'v Vector]) -> Vec<&'v Vector> {
    let cites =
        |vector: &&Vector| vector.clauses.iter().any(|clause| fault.breaks.contains(&clause.as_str()));
    let (likely, others): (Vec<_>, Vec<_>) = vectors.iter().copied().partition(cites);
    [likely, others].concat()
}

/// Returns the name of the first vector with such an outcome.
pub(crate) fn first_with(
    is_such: impl Fn(Outcome) -> bool,
    target: &dyn Target,
    vectors: &[&Vector],
) -> Result<Option<String>, Fault> {
    let stop = AtomicBool::new(false);
    let run = run_virtual_while(target, vectors, &stop, |result| !is_such(result.outcome()))?;
    let first = run.results.iter().find(|result| is_such(result.outcome()));
    Ok(first.map(|result| result.vector.name.clone()))
}

/// How many parts the hand-written vectors have in a test, and the derived ones.
const PARTS: [usize; 2] = [3, 27];

/// The part of the vectors and schedules that a correct store meets in a test.
struct Part<'v> {
    removal: Removal,
    written: Vec<&'v Vector>,
    derived: Vec<&'v Vector>,
}

impl<'v> Part<'v> {
    /// Stores with numbers in turn meet all vectors under all schedules together.
    fn in_turn(number: usize, written: &[&'v Vector], derived: &[&'v Vector]) -> Self {
        let schedules = [Removal::Never, Removal::Eager, Removal::Alternate];
        let removal = schedules.into_iter().cycle().nth(number % 3).unwrap_or(Removal::Never);
        // Each part is met under each schedule.
        let turn = number.wrapping_div(3);
        let part = |vectors: &[&'v Vector], parts: usize| {
            vectors.iter().skip(turn.checked_rem(parts).unwrap_or(0)).step_by(parts).copied().collect()
        };
        let [of_written, of_derived] = PARTS;
        Self { removal, written: part(written, of_written), derived: part(derived, of_derived) }
    }
}

/// Tries to accuse a correct store, under one schedule of removal if it is given.
fn accusations(
    store: &CorrectEntry,
    suite: &Suite,
    written: &[&Vector],
    derived: &[&Vector],
    removal: Option<Removal>,
    steps: u64,
) -> Result<Accusations, Fault> {
    let target = store.store.target();
    let removals = removal.map_or_else(|| target.about().removals, |removal| vec![removal]);
    let target_in_turn = Scheduled { target, removals };
    let mut results = run_virtual(&target_in_turn, written)?.results;
    results.extend(run_virtual(&target_in_turn, derived)?.results);
    let failures = results.iter().filter_map(|result| match &result.verdict {
        Verdict::Fail(failure) => Some(WrongFailure {
            vector: result.vector.name.clone(),
            clauses: result.vector.clauses.clone(),
            is_should: result.vector.level == Level::Should,
            at_s: failure.at_s,
            expected: failure.expected.clone(),
            got: failure.got.clone(),
        }),
        _ => None,
    });
    let mut vectors: Vec<_> = failures.collect();
    vectors.sort_by_key(|failure| failure.is_should);
    let (mut reports, mut shoulds) = (Vec::new(), 0);
    for seed in SEEDS.into_iter().filter(|_| steps > 0) {
        let stop = AtomicBool::new(false);
        let options = ExploreOptions { seed, steps, stop: &stop };
        let result = search(target, suite, &options, REPLAYS, false)?;
        let after = result.explored.found.as_ref().map_or(steps, |found| found.after);
        shoulds += result.shoulds;
        let must = result.shown.filter(|(_, shown)| !shown.is_should());
        reports.extend(must.map(|(_, shown)| report(seed, after, &shown)));
    }
    Ok(Accusations { name: store.name, says: store.says, vectors, reports, shoulds })
}

fn report(seed: u64, after: u64, shown: &Counterexample) -> WrongReport {
    let exchanges = shown.beside.iter().chain(&shown.exchanges);
    let script = exchanges.map(|one| {
        let asked = describe::request(&one.call.request, &one.call.conditions);
        visible(&format!("at {} s  {asked} -> {}", one.at_s, describe::response(&one.response)))
    });
    WrongReport {
        seed,
        after,
        clauses: match &shown.written {
            Ok(written) => written.vector.clauses.clone(),
            Err(why) => vec![format!("no vector, since {}", visible(why))],
        },
        script: script.collect(),
        expected: visible(&shown.differs.expected),
        got: visible(&shown.differs.got),
    }
}

/// Returns the script of a fault as one of exploration.
///
/// `None` if it does not begin with a container, or if a request names a partition or a page.
pub fn explored_script(script: &Demonstration) -> Option<Script> {
    if script.steps.iter().any(|step| matches!(step, ScriptStep::SendIn(..))) {
        return None;
    }
    let mut steps = script.steps.iter();
    let Some(ScriptStep::Send(Request::CreateContainer(container), _)) = steps.next() else { return None };
    let actions = steps.filter_map(|step| match step {
        ScriptStep::Pass(seconds) => Some(Action::Wait(*seconds)),
        ScriptStep::Send(request, conditions) => {
            Some(Action::Call(Call { request: request.clone(), conditions: conditions.clone() }))
        }
        ScriptStep::Purge | ScriptStep::SendIn(..) => None,
    });
    Some(Script { edition: script.edition, container: container.clone(), actions: actions.collect() })
}

pub(crate) fn faults(args: &FaultsArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    let (mut parts, mut is_bad) = (Vec::new(), false);
    let sets = if args.sets.is_empty() { FaultSet::ALL } else { args.sets.as_slice() };
    for set in sets.iter().copied() {
        let scores = Scores::of(set, &suite, Effort { steps: args.steps, is_whole: true })?;
        is_bad |= !scores.missed_by_all().is_empty() || scores.accused().next().is_some();
        parts.push(text(&scores, look));
    }
    Ok(Output { text: parts.join("\n"), code: u8::from(is_bad) })
}

/// Returns the scores as text.
pub fn text(scores: &Scores, look: RenderOptions) -> String {
    let all = scores.faults.len();
    let written = all - scores.missed_by_written().len();
    let vectors = all - scores.missed_by_vectors().len();
    let found = all - scores.missed_by_all().len();
    let score = |name: &str, count: usize| format!("  {name:<44} {count:>4} of {all}");
    let mut lines = vec![
        styled(BOLD, format!("{} set: faults that are found", scores.set.word())),
        score("by hand-written vectors", written),
        score("by hand-written and derived vectors", vectors),
    ];
    if scores.steps > 0 {
        let requests = format!("by vectors, or by {} x {} requests", SEEDS.len(), scores.steps);
        lines.push(score(&requests, found));
    }
    let explored = scores.faults.iter().filter(|(_, finder)| matches!(finder, Some(Finder::Explored { .. })));
    let derived = scores.faults.iter().filter(|(_, finder)| matches!(finder, Some(Finder::Derived(_))));
    let differ = scores.faults.iter().filter(|(_, finder)| matches!(finder, Some(Finder::Differs(_))));
    let nothing = scores.faults.iter().filter(|(_, finder)| finder.is_none());
    list(&mut lines, "found by derived vectors, missed by hand-written ones", derived, look);
    list(&mut lines, "found by random requests, missed by all vectors", explored, look);
    list(&mut lines, "reported as a difference from a should, and found by nothing else", differ, look);
    list(&mut lines, "found by nothing", nothing, look);
    let accused: Vec<_> = scores.accused().collect();
    let heading = format!("correct stores that are accused: {} of {}", accused.len(), scores.correct.len());
    lines.extend([String::new(), styled(if accused.is_empty() { GOOD } else { BAD }, heading)]);
    for one in &accused {
        accusation(&mut lines, one, look);
    }
    let differ: Vec<_> = scores.correct.iter().filter(|one| one.differs()).map(|one| one.name).collect();
    if !differ.is_empty() {
        let names = wrapped(&differ.join(", "), look.width.saturating_sub(4), "  ");
        lines.extend([String::new(), styled(BOLD, "correct stores that are said to differ from a should")]);
        lines.push(format!("  {names}"));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn list<'f>(
    lines: &mut Vec<String>,
    heading: &str,
    faults: impl Iterator<Item = &'f (FaultEntry, Option<Finder>)>,
    look: RenderOptions,
) {
    let faults: Vec<_> = faults.collect();
    if faults.is_empty() {
        return;
    }
    lines.extend([String::new(), styled(BOLD, format!("{heading}: {}", faults.len()))]);
    for (fault, _) in faults {
        let says = wrapped(fault.says, look.width.saturating_sub(4), "    ");
        lines.extend([
            format!("  {}", fault.name),
            format!("    {says}"),
            format!("    {}", fault.breaks.join(", ")),
            format!("    {}", fault.shown_by),
        ]);
    }
}

/// How many failures of one store are shown.
const MOST_FAILURES: usize = 3;

fn accusation(lines: &mut Vec<String>, one: &Accusations, look: RenderOptions) {
    let says = wrapped(one.says, look.width.saturating_sub(4), "    ");
    lines.extend([format!("  {}", styled(BOLD, one.name)), format!("    {says}")]);
    let musts: Vec<_> = one.vectors.iter().filter(|failure| !failure.is_should).collect();
    for failure in musts.iter().take(MOST_FAILURES) {
        lines.extend([
            format!("    {} at {} s, for {}", failure.vector, failure.at_s, failure.clauses.join(", ")),
            format!("      expected {}, got {}", visible(&failure.expected), visible(&failure.got)),
        ]);
    }
    if musts.len() > MOST_FAILURES {
        lines.push(format!("    and {} vectors more", musts.len() - MOST_FAILURES));
    }
    for report in &one.reports {
        let clauses = if report.clauses.is_empty() { "no clause".into() } else { report.clauses.join(", ") };
        lines.push(format!("    random requests, seed {}, after {}: {clauses}", report.seed, report.after));
        lines.extend(report.script.iter().map(|line| format!("      {line}")));
        lines.push(format!("      expected {}, got {}", report.expected, report.got));
    }
}
