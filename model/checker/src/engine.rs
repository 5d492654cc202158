//! What stateright is given: a machine whose every step is judged.
//!
//! stateright's properties look at states, ours at steps, since most of what can be said about time to live is said of a
//! request and its answer. Both are made to meet thus:
//!
//! - *always*: the state that a step leads to notes which laws the step broke. The property is that none is noted.
//! - *sometimes*: from some reachable state some step fulfils it.
//!
//! While nothing is broken, notes add no state.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::OnceLock;

use stateright::{Model, Property};

use super::book::{Book, Kind};
use super::report::{Scene, Trace};
use super::storyboard;
use cosmos_ttl_model::container::SettingsDraft;

/// A bounded piece of the model together with everything that may happen in it.
pub(super) trait Machine: Clone + Send + Sync + 'static {
    /// What decides about everything that follows.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// What somebody may do.
    type Move: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// Everything that a law may look at.
    type Step;

    /// The states in which it may begin.
    fn start(&self) -> Vec<Self::State>;
    /// What may be tried in this state, always in the same order.
    fn moves(&self, state: &Self::State) -> Vec<Self::Move>;
    /// Runs the functions under check; `None` where they do not allow this move.
    fn take(&self, state: &Self::State, choice: &Self::Move) -> Option<(Self::Step, Self::State)>;
    /// What must hold of every step, and what of some.
    fn book(&self) -> &Book<Self::Step>;
    /// The container with which it begins, for people to read.
    fn opening(&self, start: &Self::State) -> SettingsDraft;
    /// This step, for people to read.
    fn scenes(&self, step: &Self::Step) -> Vec<Scene>;
    /// What a client sees who looks around in this state, for people to read at the end of a path.
    fn look(&self, state: &Self::State) -> Vec<Scene>;
}

/// A machine as stateright sees it.
#[derive(Clone, Debug)]
pub(super) struct Judged<M>(pub(super) M);

/// A state of a machine, and which laws the step into it broke.
#[derive(Clone)]
pub(super) struct Verdict<M: Machine> {
    pub(super) state: M::State,
    pub(super) broken: Marks,
    /// Remembers the answer to "which sights does some step from here show?"; no part of the state.
    shown: OnceLock<Marks>,
}

/// A set of properties of one book.
pub(super) type Marks = u128;

/// How many properties one book can hold.
pub(super) const MARKS: usize = 128;

fn mark(index: usize) -> Marks {
    u32::try_from(index).ok().and_then(|index| Marks::checked_shl(1, index)).unwrap_or(0)
}

impl<M: Machine> Verdict<M> {
    fn new(state: M::State, broken: Marks) -> Self {
        Self { state, broken, shown: OnceLock::new() }
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

impl<M: Machine> fmt::Debug for Verdict<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.broken {
            0 => write!(f, "{:?}", self.state),
            _ => write!(f, "BROKEN by the last step; {:?}", self.state),
        }
    }
}

impl<M: Machine> Judged<M> {
    fn broken(&self, step: &M::Step) -> Marks {
        self.marked(|kind, holds| kind == Kind::Always && !holds(step))
    }

    fn shown(&self, state: &M::State) -> Marks {
        let mut shown = 0;
        for choice in self.0.moves(state) {
            if let Some((step, _)) = self.0.take(state, &choice) {
                shown |= self.marked(|kind, holds| kind == Kind::Sometimes && holds(&step));
            }
        }
        shown
    }

    fn marked(&self, wanted: impl Fn(Kind, fn(&M::Step) -> bool) -> bool) -> Marks {
        self.0
            .book()
            .properties()
            .iter()
            .enumerate()
            .filter(|(_, property)| wanted(property.kind, property.holds))
            .fold(0, |marks, (index, _)| marks | mark(index))
    }
}

impl<M: Machine> Model for Judged<M> {
    type State = Verdict<M>;
    type Action = M::Move;

    fn init_states(&self) -> Vec<Self::State> {
        self.0.start().into_iter().map(|state| Verdict::new(state, 0)).collect()
    }

    fn actions(&self, verdict: &Self::State, actions: &mut Vec<Self::Action>) {
        actions.extend(self.0.moves(&verdict.state));
    }

    fn next_state(&self, verdict: &Self::State, choice: Self::Action) -> Option<Self::State> {
        let (step, next) = self.0.take(&verdict.state, &choice)?;
        Some(Verdict::new(next, self.broken(&step)))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let conditions = conditions::<M>();
        let properties = self.0.book().properties().iter();
        properties
            .zip(conditions)
            .map(|(property, (kept, seen))| match property.kind {
                Kind::Always => Property::always(property.sentence, kept),
                Kind::Sometimes => Property::sometimes(property.sentence, seen),
            })
            .collect()
    }

    /// The step as a line of a vector, the state that it leads to, and what it broke.
    fn format_step(&self, verdict: &Self::State, choice: Self::Action) -> Option<String> {
        let (step, next) = self.0.take(&verdict.state, &choice)?;
        let broken = self.broken(&step);
        let properties = self.0.book().properties().iter().enumerate();
        let sentences = properties
            .filter(|(index, _)| broken & mark(*index) != 0)
            .map(|(_, property)| format!("BROKEN: {}", property.sentence));
        let mut lines = storyboard::lines(&self.0.scenes(&step));
        lines.push(format!("{next:?}"));
        lines.extend(sentences);
        Some(lines.join("\n"))
    }
}

/// The index of a property is a const parameter because stateright takes a plain function, which can capture nothing.
fn kept<M: Machine, const INDEX: usize>(_: &Judged<M>, verdict: &Verdict<M>) -> bool {
    verdict.broken & mark(INDEX) == 0
}

fn seen<M: Machine, const INDEX: usize>(model: &Judged<M>, verdict: &Verdict<M>) -> bool {
    verdict.shown.get_or_init(|| model.shown(&verdict.state)) & mark(INDEX) != 0
}

type Condition<M> = fn(&Judged<M>, &Verdict<M>) -> bool;

macro_rules! conditions {
    ($($tens:literal)*) => {
        fn conditions<M: Machine>() -> [(Condition<M>, Condition<M>); MARKS] {
            let mut all: [(Condition<M>, Condition<M>); MARKS] = [(kept::<M, 0>, seen::<M, 0>); MARKS];
            let eights: [[(Condition<M>, Condition<M>); 8]; MARKS / 8] = [$([
                (kept::<M, { $tens * 8 }>, seen::<M, { $tens * 8 }>),
                (kept::<M, { $tens * 8 + 1 }>, seen::<M, { $tens * 8 + 1 }>),
                (kept::<M, { $tens * 8 + 2 }>, seen::<M, { $tens * 8 + 2 }>),
                (kept::<M, { $tens * 8 + 3 }>, seen::<M, { $tens * 8 + 3 }>),
                (kept::<M, { $tens * 8 + 4 }>, seen::<M, { $tens * 8 + 4 }>),
                (kept::<M, { $tens * 8 + 5 }>, seen::<M, { $tens * 8 + 5 }>),
                (kept::<M, { $tens * 8 + 6 }>, seen::<M, { $tens * 8 + 6 }>),
                (kept::<M, { $tens * 8 + 7 }>, seen::<M, { $tens * 8 + 7 }>),
            ]),*];
            all.iter_mut().zip(eights.into_iter().flatten()).for_each(|(slot, pair)| *slot = pair);
            all
        }
    };
}

conditions!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// A path through a machine as a person may read it.
pub(super) fn told<M: Machine>(
    machine: &M,
    start: &M::State,
    choices: &[M::Move],
    index: usize,
) -> Option<Trace> {
    let property = machine.book().properties().get(index)?;
    let mut scenes = Vec::new();
    let mut state = start.clone();
    for choice in choices {
        let (step, next) = machine.take(&state, choice)?;
        scenes.extend(machine.scenes(&step));
        state = next;
    }
    scenes.extend(machine.look(&state));
    Some(Trace {
        section: property.section,
        clauses: property.clauses,
        sentence: property.sentence,
        opening: machine.opening(start),
        steps: choices.len(),
        scenes,
    })
}
