//! What stateright is given: a transition system whose every step is judged.
//!
//! stateright's properties look at states, ours at steps, since most of what can be said about time to live is said of a
//! request and its answer. stateright takes plain functions, which can capture nothing, so it gets two properties:
//!
//! - *always*: nothing that must hold of every step is broken. A state says whether the step into it broke something.
//! - *sometimes*: everything that must be seen is seen. The model notes what the steps showed so far.
//!
//! Which property was broken and which was seen is noted, too. So the search can be compared with the walk one by one.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use stateright::{Checker as _, HasDiscoveries, Model, Property};

use super::property_set::{Marks, PropertyKind};
use super::report::TraceEvent;
use super::step::ModelAction;
use super::transition_system::{PreparedOf, StateOf, TransitionSystem};

pub(super) struct StaterightResult {
    pub(super) unique_states: usize,
    pub(super) steps: usize,
    /// Whether it discovered a state that a broken *always* leads to.
    pub(super) broken: bool,
    /// Whether it discovered that every *sometimes* is seen.
    pub(super) everything: bool,
    /// Which *always* its steps broke, and which *sometimes* they showed.
    pub(super) met: Marks,
}

/// The search that has the say.
pub(super) fn search<T: TransitionSystem>(system: &T) -> StaterightResult {
    // No property has this name, so stateright goes on to the last state, whatever it discovers.
    let never = HasDiscoveries::AllOf(["nothing ends the search"].into());
    let model = WithMarks::new(system.clone(), ExplorerLabels::default());
    let checker = model.checker().finish_when(never).spawn_bfs().join();
    let discoveries = checker.discoveries();
    StaterightResult {
        unique_states: checker.unique_state_count(),
        // It counts the states in which a path may begin as well.
        steps: checker.state_count() - system.start().len(),
        broken: discoveries.contains_key(NOTHING_IS_BROKEN),
        everything: discoveries.contains_key(EVERYTHING_IS_SEEN),
        met: checker.model().broken.marks() | checker.model().seen.marks(),
    }
}

/// How a person who walks through a model by hand is shown actions and events.
#[derive(Clone, Copy, Debug)]
pub struct ExplorerLabels {
    /// Describes an action in one line.
    pub action: fn(&ModelAction) -> String,
    /// Describes the events of a step, a line each.
    pub events: fn(&[TraceEvent]) -> Vec<String>,
}

impl Default for ExplorerLabels {
    /// Returns labels that show the data as it is.
    fn default() -> Self {
        Self {
            action: |action| format!("{action:?}"),
            events: |events| events.iter().map(|event| format!("{event:?}")).collect(),
        }
    }
}

#[derive(Debug)]
pub(super) struct WithMarks<T> {
    system: T,
    labels: ExplorerLabels,
    /// Which *always* some step broke.
    broken: NotedMarks,
    /// Which *sometimes* some step showed.
    seen: NotedMarks,
    to_be_seen: Marks,
}

/// A state of a system, and whether the step into it broke something. While nothing is broken, this adds no state.
pub(super) struct MarkedState<T: TransitionSystem> {
    state: StateOf<T>,
    broken: bool,
    /// Is made with the first step from here; no part of the state.
    prepared: OnceLock<PreparedOf<T>>,
}

impl<T: TransitionSystem> MarkedState<T> {
    fn new(state: StateOf<T>, broken: bool) -> Self {
        Self { state, broken, prepared: OnceLock::new() }
    }
}

impl<T: TransitionSystem> Clone for MarkedState<T> {
    fn clone(&self) -> Self {
        Self::new(self.state.clone(), self.broken)
    }
}

impl<T: TransitionSystem> PartialEq for MarkedState<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.state, self.broken) == (&other.state, other.broken)
    }
}

impl<T: TransitionSystem> Hash for MarkedState<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (&self.state, self.broken).hash(hasher);
    }
}

impl<T: TransitionSystem> fmt::Debug for MarkedState<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broken = if self.broken { "BROKEN by the last step; " } else { "" };
        write!(f, "{broken}{:?}", self.state.world)
    }
}

/// Marks that only become more, in halves, since there is no atomic number of 128 bits.
#[derive(Debug, Default)]
struct NotedMarks {
    low: AtomicU64,
    high: AtomicU64,
}

impl NotedMarks {
    fn note(&self, marks: Marks) {
        let half = |marks: Marks| u64::try_from(marks & Marks::from(u64::MAX)).unwrap_or(u64::MAX);
        for (half, noted) in [(half(marks), &self.low), (half(marks >> 64), &self.high)] {
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

impl<T: TransitionSystem> WithMarks<T> {
    pub(super) fn new(system: T, labels: ExplorerLabels) -> Self {
        let properties = system.properties().iter();
        let sometimes = properties.filter(|property| property.kind == PropertyKind::Sometimes);
        let to_be_seen = sometimes.fold(0, |marks, property| marks | property.mark);
        Self { system, labels, broken: NotedMarks::default(), seen: NotedMarks::default(), to_be_seen }
    }
}

const NOTHING_IS_BROKEN: &str = "no law is broken";
const EVERYTHING_IS_SEEN: &str = "every sight is seen";

impl<T: TransitionSystem> Model for WithMarks<T> {
    type State = MarkedState<T>;
    type Action = ModelAction;

    fn init_states(&self) -> Vec<Self::State> {
        self.system.start().into_iter().map(|state| MarkedState::new(state, false)).collect()
    }

    fn actions(&self, marked: &Self::State, actions: &mut Vec<ModelAction>) {
        actions.extend(self.system.actions(&marked.state));
    }

    fn next_state(&self, marked: &Self::State, action: ModelAction) -> Option<Self::State> {
        let prepared = marked.prepared.get_or_init(|| self.system.prepare(&marked.state));
        let (step, state) = self.system.take(prepared, action)?;
        let (broken, seen) = self.system.bounds().properties.judge(&step);
        self.broken.note(broken);
        self.seen.note(seen);
        Some(MarkedState::new(state, broken != 0))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_IS_BROKEN, |_, marked: &Self::State| !marked.broken),
            // stateright does not go on from a state in which it discovers every property.
            Property::sometimes(EVERYTHING_IS_SEEN, |model: &Self, marked: &Self::State| {
                !marked.broken && model.seen.marks() == model.to_be_seen
            }),
        ]
    }

    fn format_action(&self, action: &ModelAction) -> String {
        (self.labels.action)(action)
    }

    /// The step as a line of a vector, the state that it leads to, and what it broke.
    fn format_step(&self, marked: &Self::State, action: ModelAction) -> Option<String> {
        let (step, next) = self.system.take(&self.system.prepare(&marked.state), action)?;
        let set = &self.system.bounds().properties;
        let (broken, _) = set.judge(&step);
        let broken = set.properties().iter().filter(|property| broken & property.mark != 0);
        let mut lines = (self.labels.events)(&self.system.events(&step));
        lines.push(format!("{:?}", next.world));
        lines.extend(broken.map(|property| format!("BROKEN: {}", property.sentence)));
        Some(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::age_abstraction::{AgeCap, NEW};
    use crate::container::ContainerSystem;
    use crate::{ablation, shipped};
    use cosmos_ttl_model::container::{Draft, ItemId, Operation, Request, Rules};
    use cosmos_ttl_model::rule::Wire;
    use cosmos_ttl_model::semantics::Semantics;

    const ITEM: ItemId = ItemId(0);

    fn create() -> ModelAction {
        let draft = Draft { id: ITEM, ttl: Wire::Absent, content: NEW };
        ModelAction::Ask(Request::Item(Operation::Create(draft)))
    }

    /// Takes actions from a container with a default of 1 s; the last step and state as a person reads them.
    fn told(semantics: &Arc<dyn Semantics>, actions: &[ModelAction]) -> (String, String) {
        let system = ContainerSystem::every(semantics, Rules::default(), 1, AgeCap::Longest(2));
        let labels = ExplorerLabels {
            events: |events| vec![format!("{} events", events.len())],
            ..ExplorerLabels::default()
        };
        let model = WithMarks::new(system, labels);
        let mut state = model.init_states()[2].clone();
        let mut step = None;
        for action in actions {
            step = model.format_step(&state, action.clone());
            state = model.next_state(&state, action.clone()).unwrap();
        }
        assert_eq!(state.broken, model.broken.marks() != 0);
        (step.unwrap(), format!("{state:?}"))
    }

    #[test]
    fn a_step_is_told_with_the_state_that_it_leads_to() {
        let removed = [create(), ModelAction::Pass, ModelAction::Remove(ITEM)];
        for (actions, expected) in [
            (&[ModelAction::Pass][..], "defaultTtl 1; nothing is stored"),
            (&removed[..1], "defaultTtl 1; a: no ttl, 0 s old"),
            (&removed[..2], "defaultTtl 1; a: no ttl, 1 s old"),
            (&removed, "defaultTtl 1; nothing is stored"),
        ] {
            let told = told(&shipped(), actions);
            assert_eq!(told, (format!("1 events\n{expected}"), expected.to_string()));
        }
    }

    #[test]
    fn a_step_that_breaks_a_property_says_which() {
        let wrong = ablation::all().find(|one| one.clause == "expired-read-not-found").unwrap();
        let read = ModelAction::Ask(Request::Item(Operation::Read(ITEM)));
        let (step, state) = told(&(Arc::new(*wrong) as _), &[create(), ModelAction::Pass, read]);
        assert_eq!(state, "BROKEN by the last step; defaultTtl 1; a: no ttl, 1 s old");
        assert!(step.contains("\nBROKEN: a read of an item that is gone answers not found"), "{step}");
    }
}
