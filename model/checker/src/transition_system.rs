//! A bounded piece of the model together with everything that may happen in it.

use core::fmt;
use core::hash::Hash;
use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::property_set::{StatementSection, StepProperty, properties};
use super::report::TraceEvent;
use super::requests::consistent_settings;
use super::step::{ListedWorld, ModelAction, SystemStep};
use cosmos_ttl_model::container::{
    ItemId, Operation, Request, Response, Rules, Settings, SettingsDraft, World,
};
use cosmos_ttl_model::rule::{DefaultTtl, Wire};
use cosmos_ttl_model::semantics::Semantics;

/// A system to search: its states, the actions to try in each, and the properties of its steps.
pub(super) trait TransitionSystem: Clone + Send + Sync + 'static {
    /// The part of a state besides the world.
    type Extra: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// The data that a property may look at besides the step in the world.
    type Seen;

    fn bounds(&self) -> &SystemBounds<Self::Seen>;
    /// The second in which containers are made.
    fn first_second(&self) -> i64 {
        0
    }
    /// Returns the extra part of the state of a new container.
    fn opened(&self, world: &World) -> Self::Extra;
    /// Runs the functions under check; `None` where they do not allow this action.
    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, Self::Seen)>;
    /// Returns the extra part of the state after a step.
    fn extra_after(&self, before: &Self::Extra, step: &StepOf<Self>) -> Self::Extra;

    /// A step, and the state to which it leads. Properties look at the world itself, the state
    /// only at ages.
    fn take(&self, from: &PreparedOf<Self>, action: ModelAction) -> Option<(StepOf<Self>, StateOf<Self>)> {
        let ((after, answer), seen) = self.happen(from, &action)?;
        let before = Arc::clone(&from.world);
        let step = SystemStep { rules: self.bounds().rules, before, action, answer, after, seen };
        let world = self.bounds().aged(&step.after);
        let next = SystemState { world, extra: self.extra_after(&from.state.extra, &step) };
        Some((step, next))
    }

    fn events(&self, step: &StepOf<Self>) -> Vec<TraceEvent> {
        events(step, self.bounds().oldest())
    }

    fn properties(&self) -> &[StepProperty<StepOf<Self>>] {
        &self.bounds().properties
    }

    /// Returns the ids that a query lists in a world, if some property asks for them.
    fn list(&self, _: &World) -> Vec<ItemId> {
        Vec::new()
    }

    /// Does once for a state what every step from there needs.
    fn prepare(&self, state: &StateOf<Self>) -> PreparedOf<Self> {
        let world = state.world.world();
        let listed = self.list(&world);
        PreparedState { state: state.clone(), world: Arc::new(ListedWorld::new(world, listed)) }
    }

    fn start(&self) -> Vec<StateOf<Self>> {
        let SystemBounds { semantics, rules, openings, .. } = self.bounds();
        let worlds =
            openings.iter().filter_map(|draft| semantics.open(*rules, self.first_second(), *draft).ok());
        let state = |world| SystemState { world: self.bounds().aged(&world), extra: self.opened(&world) };
        worlds.map(state).collect()
    }

    /// Returns the actions to try in this state, always in the same order.
    fn actions(&self, _: &StateOf<Self>) -> Vec<ModelAction> {
        self.bounds().actions()
    }

    /// Returns the answers that a client gets who looks around in this state; people read them at the end of a trace.
    fn look(&self, state: &StateOf<Self>) -> Vec<TraceEvent> {
        let (world, bounds) = (state.world.world(), self.bounds());
        let read = |id: &ItemId| Request::Item(Operation::Read(*id));
        let requests = [Request::Query].into_iter().chain(world.items.keys().map(read));
        let asked = requests.map(|request| {
            let (_, response) = bounds.semantics.step(&world, bounds.rules, &request);
            TraceEvent::Asked { request, response, oldest: bounds.oldest() }
        });
        asked.collect()
    }
}

/// A world of ages, and what else a system knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SystemState<E> {
    pub(super) world: AgedWorld,
    pub(super) extra: E,
}

#[derive(Debug)]
pub(super) struct PreparedState<E> {
    pub(super) state: SystemState<E>,
    pub(super) world: Arc<ListedWorld>,
}

pub(super) type StateOf<T> = SystemState<<T as TransitionSystem>::Extra>;
pub(super) type StepOf<T> = SystemStep<<T as TransitionSystem>::Seen>;
pub(super) type PreparedOf<T> = PreparedState<<T as TransitionSystem>::Extra>;

pub(super) type Happened = (World, Option<Response>);

/// The part that all systems share: the functions under check, the bounds of the worlds, the requests of clients, and
/// the properties.
#[derive(Clone, Debug)]
pub(super) struct SystemBounds<S> {
    pub(super) semantics: Arc<dyn Semantics>,
    pub(super) rules: Rules,
    pub(super) items: u32,
    pub(super) cap: AgeCap,
    pub(super) openings: Vec<SettingsDraft>,
    pub(super) requests: Arc<[Request]>,
    pub(super) properties: Arc<[StepProperty<SystemStep<S>>]>,
}

impl<S> SystemBounds<S> {
    /// Bounds with a container for every default that is a setting.
    pub(super) fn new(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: AgeCap,
        requests: Vec<Request>,
        sections: &[StatementSection<SystemStep<S>>],
    ) -> Self {
        let (semantics, openings) = (Arc::clone(semantics), consistent_settings(cap.longest()));
        let (requests, properties) = (requests.into(), properties(rules, sections));
        Self { semantics, rules, items, cap, openings, requests, properties }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ItemId> {
        (0..self.items).map(ItemId)
    }

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
    pub(super) fn happen(&self, before: &World, action: &ModelAction) -> Option<Happened> {
        match action {
            ModelAction::Ask(request) => {
                let (after, response) = self.semantics.step(before, self.rules, request);
                Some((after, Some(response)))
            }
            ModelAction::Open(draft) => Some(match self.semantics.open(self.rules, before.now, *draft) {
                Ok(opened) => (opened, Some(Response::Configured)),
                Err(refusal) => (before.clone(), Some(Response::Refused(refusal))),
            }),
            ModelAction::Pass => Some((self.semantics.pass(before, 1), None)),
            ModelAction::Remove(id) => Some((self.semantics.remove(before, *id)?, None)),
            ModelAction::CatchUp => Some((self.semantics.catch_up(before), None)),
            ModelAction::EndSecond(_) | ModelAction::Pick(_) | ModelAction::Sweep(_) => None,
        }
    }
}

/// Returns the events of a step. Ages saturate at `oldest`.
pub(super) fn events<S>(step: &SystemStep<S>, oldest: i64) -> Vec<TraceEvent> {
    match (&step.action, &step.answer) {
        (ModelAction::Ask(request), Some(response)) => {
            let (request, response) = (request.clone(), response.clone());
            vec![TraceEvent::Asked { request, response, oldest }]
        }
        (ModelAction::Open(draft), Some(response)) => {
            vec![TraceEvent::Opened { draft: *draft, response: response.clone() }]
        }
        (ModelAction::Ask(_) | ModelAction::Open(_), None) => Vec::new(),
        (ModelAction::Pass, _) => vec![TraceEvent::Passed],
        (ModelAction::Remove(id) | ModelAction::Sweep(id), _) => vec![TraceEvent::Removed(*id)],
        (ModelAction::CatchUp, _) => vec![TraceEvent::CaughtUp],
        (ModelAction::Pick(id), _) => vec![TraceEvent::Picked(*id)],
        (ModelAction::EndSecond(ids), _) => {
            ids.iter().map(|id| TraceEvent::Removed(*id)).chain([TraceEvent::Passed]).collect()
        }
    }
}

pub(super) fn settings_draft(world: &World) -> SettingsDraft {
    let Settings { default_ttl, indexing } = world.settings;
    SettingsDraft { default_ttl: sent_default(default_ttl), indexing }
}

pub(super) fn sent_default(default_ttl: DefaultTtl) -> Wire {
    match default_ttl {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}
