//! A bounded piece of the model together with everything that may happen in it.

use core::fmt;
use core::hash::Hash;
use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::property_set::PropertySet;
use super::report::{Trace, TraceEvent};
use super::requests::consistent_settings;
use super::step::{ModelAction, PreparedWorld};
use cosmos_ttl_model::container::{
    ItemId, Operation, Request, Response, Rules, Settings, SettingsDraft, World,
};
use cosmos_ttl_model::rule::{DefaultTtl, Wire};
use cosmos_ttl_model::semantics::Semantics;

/// What is searched: states, the actions that may be tried in each, and what must hold of the steps.
pub(super) trait TransitionSystem: Clone + Send + Sync + 'static {
    /// What decides about everything that follows.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// Everything that a property may look at.
    type Step;

    fn bounds(&self) -> &SystemBounds<Self::Step>;
    /// The state of a new container.
    fn opened(&self, world: World) -> Self::State;
    /// The world of this state that a person is shown.
    fn shown(&self, state: &Self::State) -> World;
    /// Runs the functions under check; `None` where they do not allow this action.
    fn take(&self, from: &Prepared<Self::State>, action: ModelAction) -> Option<(Self::Step, Self::State)>;
    /// This step, for people to read.
    fn events(&self, step: &Self::Step) -> Vec<TraceEvent>;

    /// What must hold of every step, and what of some.
    fn properties(&self) -> &PropertySet<Self::Step> {
        &self.bounds().properties
    }

    /// What a query lists in a world, if some property asks for that.
    fn list(&self, _: &World) -> Vec<ItemId> {
        Vec::new()
    }

    /// Does once for a state what every step from there needs.
    fn prepare(&self, state: &Self::State) -> Prepared<Self::State> {
        let world = self.shown(state);
        let listed = self.list(&world);
        Prepared { state: state.clone(), world: PreparedWorld::new(world, listed) }
    }

    /// The states in which it may begin.
    fn start(&self) -> Vec<Self::State> {
        let SystemBounds { semantics, rules, openings, .. } = self.bounds();
        let worlds = openings.iter().filter_map(|draft| semantics.open(*rules, 0, *draft).ok());
        worlds.map(|world| self.opened(world)).collect()
    }

    /// What may be tried in this state, always in the same order.
    fn actions(&self, _: &Self::State) -> Vec<ModelAction> {
        self.bounds().actions()
    }

    /// The same path for people to read: a system that renames items would call one by many names.
    fn named(&self, _start: &Self::State, actions: &[ModelAction]) -> (Self, Vec<ModelAction>) {
        (self.clone(), actions.to_vec())
    }

    /// What a client sees who looks around in this state, for people to read at the end of a path.
    fn look(&self, state: &Self::State) -> Vec<TraceEvent> {
        self.bounds().look(&self.shown(state))
    }
}

/// What all steps from one state have in common.
#[derive(Debug)]
pub(super) struct Prepared<S> {
    pub(super) state: S,
    /// The world that is shown of this state.
    pub(super) world: PreparedWorld,
}

/// What is common to all systems: the functions under check, the bounds of the worlds, what clients may ask, and what
/// must hold.
#[derive(Clone, Debug)]
pub(super) struct SystemBounds<S> {
    pub(super) semantics: Arc<dyn Semantics>,
    pub(super) rules: Rules,
    pub(super) items: u32,
    pub(super) cap: AgeCap,
    pub(super) openings: Vec<SettingsDraft>,
    pub(super) requests: Arc<[Request]>,
    pub(super) properties: Arc<PropertySet<S>>,
}

impl<S> SystemBounds<S> {
    /// Bounds with a container for every default that is a setting.
    pub(super) fn new(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: AgeCap,
        requests: Vec<Request>,
        properties: PropertySet<S>,
    ) -> Self {
        let (semantics, openings) = (Arc::clone(semantics), consistent_settings(cap.longest()));
        let (requests, properties) = (requests.into(), Arc::new(properties));
        Self { semantics, rules, items, cap, openings, requests, properties }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ItemId> {
        (0..self.items).map(ItemId)
    }

    /// The age at which ages saturate.
    pub(super) fn oldest(&self) -> i64 {
        i64::from(self.cap.longest())
    }

    /// The world of ages that stands for a world.
    pub(super) fn aged(&self, world: &World) -> AgedWorld {
        AgedWorld::of(world, self.cap)
    }

    pub(super) fn asks(&self) -> impl Iterator<Item = ModelAction> {
        self.requests.iter().cloned().map(ModelAction::Ask)
    }

    pub(super) fn actions(&self) -> Vec<ModelAction> {
        self.asks().chain([ModelAction::Pass]).chain(self.ids().map(ModelAction::Remove)).collect()
    }

    /// Returns the world after an action, and the response; `None` where the action is not allowed.
    pub(super) fn happen(&self, before: &World, action: &ModelAction) -> Option<(World, Option<Response>)> {
        match action {
            ModelAction::Ask(request) => {
                let (after, response) = self.semantics.step(before, self.rules, request);
                Some((after, Some(response)))
            }
            ModelAction::Pass => Some((self.semantics.pass(before, 1), None)),
            ModelAction::Remove(id) => Some((self.semantics.remove(before, *id)?, None)),
            ModelAction::CatchUp => Some((self.semantics.catch_up(before), None)),
            ModelAction::EndSecond(_) | ModelAction::Pick(_) | ModelAction::Sweep(_) => None,
        }
    }

    /// What a client is told who lists and reads whatever there is, in a world of second 0.
    fn look(&self, world: &World) -> Vec<TraceEvent> {
        let read = |id: &ItemId| Request::Item(Operation::Read(*id));
        let requests = [Request::Query].into_iter().chain(world.items.keys().map(read));
        let asked = requests.map(|request| {
            let (_, response) = self.semantics.step(world, self.rules, &request);
            TraceEvent::Asked { request, response, oldest: self.oldest() }
        });
        asked.collect()
    }
}

/// Returns the events of an action that was answered so. Ages saturate at `oldest`.
pub(super) fn events(action: &ModelAction, answer: Option<&Response>, oldest: i64) -> Vec<TraceEvent> {
    match (action, answer) {
        (ModelAction::Ask(request), Some(response)) => {
            let (request, response) = (request.clone(), response.clone());
            vec![TraceEvent::Asked { request, response, oldest }]
        }
        (ModelAction::Ask(_), None) => Vec::new(),
        (ModelAction::Pass, _) => vec![TraceEvent::Passed],
        (ModelAction::Remove(id) | ModelAction::Sweep(id), _) => vec![TraceEvent::Removed(*id)],
        (ModelAction::CatchUp, _) => vec![TraceEvent::CaughtUp],
        (ModelAction::Pick(id), _) => vec![TraceEvent::Picked(*id)],
        (ModelAction::EndSecond(ids), _) => {
            ids.iter().map(|id| TraceEvent::Removed(*id)).chain([TraceEvent::Passed]).collect()
        }
    }
}

/// A path through a system as a person may read it.
pub(super) fn trace<T: TransitionSystem>(
    system: &T,
    start: &T::State,
    actions: &[ModelAction],
    property: usize,
) -> Option<Trace> {
    let property = system.properties().properties().get(property)?;
    let (system, actions) = system.named(start, actions);
    let steps = actions.len();
    let mut events = Vec::new();
    let mut state = start.clone();
    for action in actions {
        let (step, next) = system.take(&system.prepare(&state), action)?;
        events.extend(system.events(&step));
        state = next;
    }
    events.extend(system.look(&state));
    let opening = settings_draft(&system.shown(start));
    let (section, clauses, sentence) = (property.section, property.clauses, property.sentence);
    Some(Trace { section, clauses, sentence, opening, steps, events })
}

/// The settings of a world as a client would send them.
pub(super) fn settings_draft(world: &World) -> SettingsDraft {
    let Settings { default_ttl, indexing } = world.settings;
    let default_ttl = match default_ttl {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    };
    SettingsDraft { default_ttl, indexing }
}
