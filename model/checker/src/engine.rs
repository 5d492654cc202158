//! What stateright is given: a machine whose every step is judged.
//!
//! stateright's properties look at states, ours at steps, since most of what can be said about time to live is said of a
//! request and its answer. stateright takes plain functions, which can capture nothing, so it gets two properties:
//!
//! - *always*: no law is broken. A state says whether the step into it broke one.
//! - *sometimes*: every sight is seen. The model notes what the steps showed so far.
//!
//! Which law was broken and which sight was seen is noted, too. So the search can be compared with the walk law by law.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use stateright::{Model, Property};

use super::book::{Book, Kind, Marks};
use super::report::{Scene, Trace};
use super::storyboard;
use cosmos_ttl_model::container::SettingsDraft;

/// A bounded piece of the model together with everything that may happen in it.
pub(super) trait Machine: Clone + Send + Sync + 'static {
    /// What decides about everything that follows.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// What somebody may do.
    type Move: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// What all steps from one state have in common.
    type Ready: Send + Sync + 'static;
    /// Everything that a law may look at.
    type Step;

    /// The states in which it may begin.
    fn start(&self) -> Vec<Self::State>;
    /// What may be tried in this state, always in the same order.
    fn moves(&self, state: &Self::State) -> Vec<Self::Move>;
    /// Does once for a state what every step from there needs.
    fn ready(&self, state: &Self::State) -> Self::Ready;
    /// Runs the functions under check; `None` where they do not allow this move.
    fn take(&self, ready: &Self::Ready, choice: Self::Move) -> Option<(Self::Step, Self::State)>;
    /// What must hold of every step, and what of some.
    fn book(&self) -> &Book<Self::Step>;
    /// The same path for people to read: a machine that renames items would call one by many names.
    fn named(&self, _start: &Self::State, choices: &[Self::Move]) -> (Self, Vec<Self::Move>) {
        (self.clone(), choices.to_vec())
    }
    /// The container with which it begins, for people to read.
    fn opening(&self, start: &Self::State) -> SettingsDraft;
    /// This move in one line, for people to read.
    fn words(&self, choice: &Self::Move) -> String;
    /// This step, for people to read.
    fn scenes(&self, step: &Self::Step) -> Vec<Scene>;
    /// What a client sees who looks around in this state, for people to read at the end of a path.
    fn look(&self, state: &Self::State) -> Vec<Scene>;
}

/// A machine as stateright sees it.
#[derive(Debug)]
pub(super) struct Judged<M> {
    machine: M,
    /// Which laws some step broke.
    broken: Noted,
    /// Which sights some step showed.
    seen: Noted,
    sights: Marks,
}

/// A state of a machine.
pub(super) struct Verdict<M: Machine> {
    state: M::State,
    /// Whether the step into it broke a law. While nothing is broken, this adds no state.
    broken: bool,
    /// Is made with the first step from here; no part of the state.
    ready: OnceLock<M::Ready>,
}

impl<M: Machine> Verdict<M> {
    fn new(state: M::State, broken: bool) -> Self {
        Self { state, broken, ready: OnceLock::new() }
    }
}

impl<M: Machine> Clone for Verdict<M> {
    fn clone(&self) -> Self {
        Self::new(self.state.clone(), self.broken)
    }
}

impl<M: Machine> PartialEq for Verdict<M> {
    fn eq(&self, other: &Self) -> bool {
        (&self.state, self.broken) == (&other.state, other.broken)
    }
}

impl<M: Machine> Hash for Verdict<M> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (&self.state, self.broken).hash(hasher);
    }
}

/// Marks that only become more, in halves, since there is no atomic number of 128 bits.
#[derive(Debug, Default)]
struct Noted {
    low: AtomicU64,
    high: AtomicU64,
}

impl Noted {
    fn note(&self, marks: Marks) {
        let [low, high] = halves(marks);
        for (half, noted) in [(low, &self.low), (high, &self.high)] {
            // Nearly every step shows nothing new, and a look costs less than a write.
            if half & !noted.load(Ordering::Relaxed) != 0 {
                noted.fetch_or(half, Ordering::Relaxed);
            }
        }
    }

    fn marks(&self) -> Marks {
        let [low, high] = [&self.low, &self.high].map(|half| Marks::from(half.load(Ordering::Relaxed)));
        low | high << 64
    }
}

fn halves(marks: Marks) -> [u64; 2] {
    let half = |marks: Marks| u64::try_from(marks & Marks::from(u64::MAX)).unwrap_or(u64::MAX);
    [half(marks), half(marks >> 64)]
}

impl<M: Machine> fmt::Debug for Verdict<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broken = if self.broken { "BROKEN by the last step; " } else { "" };
        write!(f, "{broken}{:?}", self.state)
    }
}

impl<M: Machine> Judged<M> {
    pub(super) fn new(machine: M) -> Self {
        let sights = machine.book().properties().iter().filter(|property| property.kind == Kind::Sometimes);
        let sights = sights.fold(0, |sights, property| sights | property.mark);
        Self { machine, broken: Noted::default(), seen: Noted::default(), sights }
    }

    /// Which laws were broken and which sights were seen in all steps that were taken so far.
    pub(super) fn met(&self) -> Marks {
        self.broken.marks() | self.seen.marks()
    }

    pub(super) fn has_shown_everything(&self) -> bool {
        self.seen.marks() == self.sights
    }
}

/// stateright's name for the one law that it knows.
pub(super) const NO_LAW_IS_BROKEN: &str = "no law is broken";

/// stateright's name for the one sight that it knows.
pub(super) const EVERY_SIGHT_IS_SEEN: &str = "every sight is seen";

impl<M: Machine> Model for Judged<M> {
    type State = Verdict<M>;
    type Action = M::Move;

    fn init_states(&self) -> Vec<Self::State> {
        self.machine.start().into_iter().map(|state| Verdict::new(state, false)).collect()
    }

    fn actions(&self, verdict: &Self::State, actions: &mut Vec<Self::Action>) {
        actions.extend(self.machine.moves(&verdict.state));
    }

    fn next_state(&self, verdict: &Self::State, choice: Self::Action) -> Option<Self::State> {
        let ready = verdict.ready.get_or_init(|| self.machine.ready(&verdict.state));
        let (step, state) = self.machine.take(ready, choice)?;
        let (broken, seen) = self.machine.book().judge(&step);
        self.broken.note(broken);
        self.seen.note(seen);
        Some(Verdict::new(state, broken != 0))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NO_LAW_IS_BROKEN, |_, verdict: &Self::State| !verdict.broken),
            // stateright does not go on from a state in which it discovers every property.
            Property::sometimes(EVERY_SIGHT_IS_SEEN, |model: &Self, verdict: &Self::State| {
                !verdict.broken && model.has_shown_everything()
            }),
        ]
    }

    fn format_action(&self, choice: &Self::Action) -> String {
        self.machine.words(choice)
    }

    /// The step as a line of a vector, the state that it leads to, and what it broke.
    fn format_step(&self, verdict: &Self::State, choice: Self::Action) -> Option<String> {
        let (step, next) = self.machine.take(&self.machine.ready(&verdict.state), choice)?;
        let (broken, _) = self.machine.book().judge(&step);
        let properties = self.machine.book().properties().iter();
        let sentences = properties
            .filter(|property| broken & property.mark != 0)
            .map(|property| format!("BROKEN: {}", property.sentence));
        let mut lines = storyboard::lines(&self.machine.scenes(&step));
        lines.push(format!("{next:?}"));
        lines.extend(sentences);
        Some(lines.join("\n"))
    }
}

/// A path through a machine as a person may read it.
pub(super) fn told<M: Machine>(
    machine: &M,
    start: &M::State,
    choices: &[M::Move],
    index: usize,
) -> Option<Trace> {
    let property = machine.book().properties().get(index)?;
    let (machine, choices) = machine.named(start, choices);
    let steps = choices.len();
    let mut scenes = Vec::new();
    let mut state = start.clone();
    for choice in choices {
        let (step, next) = machine.take(&machine.ready(&state), choice)?;
        scenes.extend(machine.scenes(&step));
        state = next;
    }
    scenes.extend(machine.look(&state));
    Some(Trace {
        section: property.section,
        clauses: property.clauses,
        sentence: property.sentence,
        opening: machine.opening(start),
        steps,
        scenes,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::container::Container;
    use crate::timeless::Cap;
    use crate::without;
    use cosmos_ttl_model::container::Rules;
    use cosmos_ttl_model::semantics::{Semantics, Shipped};

    fn judged(semantics: Arc<dyn Semantics>, items: u32) -> Judged<Container> {
        Judged::new(Container::every(semantics, Rules::default(), items, Cap::Longest(2)))
    }

    #[test]
    fn a_move_reads_like_a_line_of_a_vector() {
        let model = judged(Arc::new(Shipped), 2);
        let mut moves = Vec::new();
        model.actions(&model.init_states()[0], &mut moves);
        let words: Vec<String> = moves.iter().map(|choice| model.format_action(choice)).collect();
        for expected in [
            "read b",
            "query",
            "count",
            "create a",
            "create a {ttl: 1}",
            "replace a {ttl: -1}",
            "upsert b {ttl: null}",
            "patch a {value: 9}",
            "patch a {remove: [ttl]}",
            "delete a {if-match: stale}",
            "replace b {if-match: seen}",
            "batch [upsert a {ttl: 1}, patch b {value: 9}]",
            "replace-container",
            "replace-container {defaultTtl: 2}",
            "a second passes",
            "the background removes a",
        ] {
            assert!(words.iter().any(|said| said == expected), "{expected}: {words:?}");
        }
    }

    /// Takes the words of moves; the expected words of the last step.
    #[track_caller]
    fn check(semantics: Arc<dyn Semantics>, path: &[&str], expected: &str) {
        let model = judged(semantics, 1);
        let mut state = model.init_states()[2].clone();
        let mut said = None;
        for words in path {
            let mut moves = Vec::new();
            model.actions(&state, &mut moves);
            let choice = moves.into_iter().find(|choice| model.format_action(choice) == *words).unwrap();
            said = model.format_step(&state, choice.clone());
            state = model.next_state(&state, choice).unwrap();
        }
        assert_eq!(said.as_deref(), Some(expected));
    }

    #[test]
    fn a_step_reads_like_a_storyboard_and_a_state_like_words() {
        let shipped: Arc<dyn Semantics> = Arc::new(Shipped);
        check(Arc::clone(&shipped), &["a second passes"], "defaultTtl 1; nothing is stored");
        check(
            Arc::clone(&shipped),
            &["create a {ttl: 2}"],
            "- create: {id: a, ttl: 2, expect: {created: {ttl: 2, written-at: 0}}}\ndefaultTtl 1; a: ttl 2, 0 s old",
        );
        check(
            Arc::clone(&shipped),
            &["create a", "a second passes", "read a"],
            "- read: {id: a, expect: not-found}\ndefaultTtl 1; a: no ttl, 1 s old",
        );
        check(
            shipped,
            &["create a", "a second passes", "the background removes a"],
            "# here the background removes a\ndefaultTtl 1; nothing is stored",
        );
    }

    #[test]
    fn a_step_that_breaks_a_law_says_which() {
        let wrong = without::all().find(|one| one.clause == "expired-read-not-found").unwrap();
        let model = judged(Arc::new(*wrong), 1);
        let mut state = model.init_states()[2].clone();
        for choice in ["create a", "a second passes", "read a"] {
            let mut moves = Vec::new();
            model.actions(&state, &mut moves);
            let choice = moves.into_iter().find(|one| model.format_action(one) == choice).unwrap();
            state = model.next_state(&state, choice).unwrap();
        }
        assert_eq!(format!("{state:?}"), "BROKEN by the last step; defaultTtl 1; a: no ttl, 1 s old");
        assert!(state.broken && model.broken.marks() != 0);
    }
}
