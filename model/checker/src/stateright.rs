//! The system as stateright sees it: a transition system whose every step is judged.
//!
//! stateright's properties look at states, ours at steps, since most of what can be said about time to live is said of a
//! request and its answer. stateright takes plain functions, which can capture nothing, so it gets two properties:
//!
//! - *always*: nothing that must hold of every step is broken. A state says whether the step into it broke something.
//! - *sometimes*: everything that must be seen is seen. The model notes what the steps showed so far.
//!
//! Which property was broken and which was seen is noted, too. So the search can be compared with the walk one by one.

use core::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use stateright::{Checker as _, HasDiscoveries, Model, Property};

use super::property_set::PropertyKind;
use super::report::TraceEvent;
use super::step::ModelAction;
use super::transition_system::{PreparedOf, StateOf, SystemState, TransitionSystem};

/// How many states and steps stateright met in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateCount {
    /// How many different states.
    pub states: usize,
    /// How many steps, each judged by every property.
    pub steps: usize,
}

pub(super) struct StaterightResult {
    pub(super) count: StateCount,
    /// Whether it discovered a state that a broken *always* leads to.
    pub(super) broken: bool,
    /// Whether it discovered that every *sometimes* is seen.
    pub(super) everything: bool,
    /// For each property, whether a step broke it (*always*) or showed it (*sometimes*).
    pub(super) met: Vec<bool>,
}

/// The search that has the say.
pub(super) fn search<T: TransitionSystem>(system: &T) -> StaterightResult {
    // No property has this name, so stateright goes on to the last state, whatever it discovers.
    let never = HasDiscoveries::AllOf(["nothing ends the search"].into());
    let model = JudgedSystem::new(system.clone(), None);
    let checker = model.checker().finish_when(never).spawn_bfs().join();
    let discoveries = checker.discoveries();
    StaterightResult {
        // As steps it counts the states in which a path may begin as well.
        count: StateCount {
            states: checker.unique_state_count(),
            steps: checker.state_count() - system.start().len(),
        },
        broken: discoveries.contains_key(NOTHING_IS_BROKEN),
        everything: discoveries.contains_key(EVERYTHING_IS_SEEN),
        met: checker.model().met.iter().map(|met| met.load(Ordering::Relaxed)).collect(),
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

pub(super) struct JudgedSystem<T: TransitionSystem> {
    system: T,
    labels: Option<ExplorerLabels>,
    /// For each property, whether some step broke it (*always*) or showed it (*sometimes*).
    met: Vec<AtomicBool>,
    /// The part that all steps from the last state share.
    prepared: Mutex<Option<Arc<PreparedOf<T>>>>,
}

/// A state of a system, and whether the step into it broke something. While nothing is broken, this adds no state.
#[derive(Clone, PartialEq, Hash)]
pub(super) struct JudgedState<E> {
    state: SystemState<E>,
    broken: bool,
}

impl<E> fmt::Debug for JudgedState<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broken = if self.broken { "BROKEN by the last step; " } else { "" };
        write!(f, "{broken}{:?}", self.state.world)
    }
}

impl<T: TransitionSystem> JudgedSystem<T> {
    pub(super) fn new(system: T, labels: Option<ExplorerLabels>) -> Self {
        let met = system.properties().iter().map(|_| AtomicBool::new(false)).collect();
        Self { system, labels, met, prepared: Mutex::default() }
    }

    fn prepare(&self, state: &StateOf<T>) -> Arc<PreparedOf<T>> {
        let mut last = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = last.as_ref().filter(|prepared| prepared.state == *state) {
            return Arc::clone(prepared);
        }
        Arc::clone(last.insert(Arc::new(self.system.prepare(state))))
    }
}

const NOTHING_IS_BROKEN: &str = "no law is broken";
const EVERYTHING_IS_SEEN: &str = "every sight is seen";

impl<T: TransitionSystem> Model for JudgedSystem<T> {
    type State = JudgedState<T::Extra>;
    type Action = ModelAction;

    fn init_states(&self) -> Vec<Self::State> {
        self.system.start().into_iter().map(|state| JudgedState { state, broken: false }).collect()
    }

    fn actions(&self, judged: &Self::State, actions: &mut Vec<ModelAction>) {
        actions.extend(self.system.actions(&judged.state));
    }

    fn next_state(&self, judged: &Self::State, action: ModelAction) -> Option<Self::State> {
        let (step, next) = self.system.take(&self.prepare(&judged.state), action)?;
        let mut broken = false;
        for (property, met) in self.system.properties().iter().zip(&self.met) {
            // What was seen once need not be asked again.
            let is_seen = property.kind == PropertyKind::Sometimes && met.load(Ordering::Relaxed);
            if !is_seen && property.is_met(&step) {
                met.store(true, Ordering::Relaxed);
                broken |= property.kind == PropertyKind::Always;
            }
        }
        Some(JudgedState { state: next, broken })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_IS_BROKEN, |_, judged: &Self::State| !judged.broken),
            // stateright does not go on from a state in which it discovers every property.
            Property::sometimes(EVERYTHING_IS_SEEN, |model: &Self, judged: &Self::State| {
                let mut met = model.system.properties().iter().zip(&model.met);
                let is_seen = |met: &AtomicBool| met.load(Ordering::Relaxed);
                !judged.broken && met.all(|(one, met)| one.kind == PropertyKind::Always || is_seen(met))
            }),
        ]
    }

    fn format_action(&self, action: &ModelAction) -> String {
        self.labels.map_or_else(String::new, |labels| (labels.action)(action))
    }

    /// The step as a line of a vector, the state that it leads to, and what it broke.
    fn format_step(&self, judged: &Self::State, action: ModelAction) -> Option<String> {
        let (step, next) = self.system.take(&self.prepare(&judged.state), action)?;
        let mut lines = (self.labels?.events)(&self.system.events(&step));
        lines.push(format!("{:?}", next.world));
        let properties = self.system.properties().iter();
        let broken = properties.filter(|one| one.kind == PropertyKind::Always && one.is_met(&step));
        lines.extend(broken.map(|property| format!("BROKEN: {}", property.sentence)));
        Some(lines.join("\n"))
    }
}
