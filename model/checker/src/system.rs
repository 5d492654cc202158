//! A bounded piece of the model, everything that may happen in it, and a step of it.

use core::fmt;
use core::hash::Hash;
use core::ops::Deref;
use std::sync::Arc;

use cosmos_ttl_model::choices::{MadeChoice, OpenChoice, Preferences, every};
use cosmos_ttl_model::container::{
    Edition, Index, Indexing, ItemId, Request, Response, Settings, SettingsDraft, World,
};
use cosmos_ttl_model::rule::{Sent, Ttl};

use crate::judge::Place;
use crate::report::TraceEvent;
use crate::semantics::Semantics;
use crate::statement::Section;

/// A move in a bounded world, by a client, the clock or the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelAction {
    /// A client asks.
    Ask(Request),
    /// A second passes.
    Pass,
    /// The background removes an item.
    Remove(ItemId),
    /// A lazy index catches up.
    CatchUp,
    /// A second passes, and the background removes these with what users left over of it.
    EndSecond(Vec<ItemId>),
    /// A sweeper picks an item.
    Pick(ItemId),
    /// A sweeper removes what it picked, if it is allowed to.
    Sweep(ItemId),
}

/// A world, and what else a system remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node<M> {
    pub(crate) world: World,
    pub(crate) memory: M,
}

impl<M> Deref for Node<M> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

/// A step from a world: one move, one way of choosing what is open.
#[derive(Debug)]
pub(crate) struct Step<S: System> {
    pub(crate) before: Arc<Node<S::Memory>>,
    /// Its number among the steps from there, and that of its move.
    pub(crate) number: (usize, usize),
    pub(crate) action: Arc<ModelAction>,
    pub(crate) made: Vec<MadeChoice>,
    pub(crate) answer: Option<Response>,
    /// As the move left it.
    pub(crate) after: World,
    pub(crate) seen: S::Seen,
    /// The place that it leads to, shifted and capped, if it is another.
    pub(crate) arrives: Option<Arc<Place<S>>>,
}

/// What a move does if the open choices are made in this way.
pub(crate) struct Outcome<T> {
    pub(crate) made: Vec<MadeChoice>,
    pub(crate) answer: Option<Response>,
    pub(crate) after: World,
    pub(crate) seen: T,
}

impl Outcome<()> {
    /// What comes of a move of the environment.
    pub(crate) fn unasked(after: World) -> Self {
        Self { made: Vec::new(), answer: None, after, seen: () }
    }
}

/// A system to check: its states, its moves, and the statements about its steps.
pub(crate) trait System: Clone + fmt::Debug + Sized + Send + Sync + 'static {
    /// The part of a state besides the world.
    type Memory: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// The data that a statement may look at besides the step in the world.
    type Seen: fmt::Debug + Send + Sync + 'static;

    fn bounds(&self) -> &Bounds;
    fn sections(&self) -> &'static [Section<Self>];
    /// Returns the memory of a new container.
    fn opened(&self, world: &World) -> Self::Memory;
    /// Returns what comes of a move; nothing where it is not allowed.
    fn outcomes(&self, from: &Node<Self::Memory>, action: &ModelAction) -> Vec<Outcome<Self::Seen>>;
    /// Returns the memory after a step.
    fn remember(&self, step: &Step<Self>) -> Self::Memory;

    fn events(&self, step: &Step<Self>) -> Vec<TraceEvent> {
        events(step)
    }
}

/// The part that all systems share: the moves under check, in which order they are tried, and with which containers
/// everything begins.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) semantics: Semantics,
    pub(crate) openings: Vec<(Edition, SettingsDraft)>,
    pub(crate) actions: Vec<Arc<ModelAction>>,
}

impl Bounds {
    pub(crate) fn new(
        semantics: Semantics,
        openings: Vec<SettingsDraft>,
        requests: Vec<Request>,
        others: impl IntoIterator<Item = ModelAction>,
    ) -> Self {
        let actions = requests.into_iter().map(ModelAction::Ask).chain(others).map(Arc::new).collect();
        let openings = openings.into_iter().map(|draft| (Edition::Y2024, draft)).collect();
        Self { semantics, openings, actions }
    }

    /// Returns what comes of a move in every way of choosing; a move of the environment leaves nothing to choose.
    pub(crate) fn outcomes(&self, before: &World, action: &ModelAction) -> Vec<Outcome<()>> {
        let mut after = before.clone();
        match action {
            ModelAction::Ask(request) => {
                let ways = every(|path| {
                    let mut after = before.clone();
                    let answer = (self.semantics.answer)(&mut after, request, path);
                    (after, answer)
                });
                let outcome =
                    |(made, (after, answer))| Outcome { made, answer: Some(answer), after, seen: () };
                return ways.into_iter().map(outcome).collect();
            }
            ModelAction::Pass => (self.semantics.wait)(&mut after),
            ModelAction::Remove(id) if (self.semantics.remove)(&mut after, *id) => {}
            ModelAction::CatchUp if before.index == Index::Rebuilding => {
                (self.semantics.catch_up)(&mut after);
            }
            _ => return Vec::new(),
        }
        vec![Outcome::unasked(after)]
    }

    /// Whether some request changes the settings.
    pub(crate) fn settings_change(&self) -> bool {
        self.actions.iter().any(|action| matches!(**action, ModelAction::Ask(Request::Configure(_))))
    }

    /// Returns the ids that a query lists which lags behind nothing.
    pub(crate) fn list(&self, world: &World) -> Vec<ItemId> {
        match (self.semantics.answer)(&mut world.clone(), &Request::Query, &mut Preferences::default()) {
            Response::Ids(ids) => ids,
            _ => Vec::new(),
        }
    }
}

impl<S: System> Step<S> {
    /// The world that it leads to, shifted and capped.
    pub(crate) fn next(&self) -> &Arc<Node<S::Memory>> {
        self.arrives.as_ref().map_or(&self.before, |place| &place.node)
    }

    /// Whether an open choice was made in this step, and then whether it was answered with *yes* once.
    pub(crate) fn chose(&self, choice: OpenChoice) -> Option<bool> {
        let of_choice = self.made.iter().filter(|made| made.choice == choice);
        of_choice.map(|made| made.yes).reduce(|one, other| one || other)
    }
}

impl ModelAction {
    /// Returns what happens if it is done; a request has its response besides.
    pub(crate) fn events(&self) -> Vec<TraceEvent> {
        match self {
            Self::Ask(_) => Vec::new(),
            Self::Pass => vec![TraceEvent::Passed],
            Self::Remove(id) | Self::Sweep(id) => vec![TraceEvent::Removed(*id)],
            Self::CatchUp => vec![TraceEvent::CaughtUp],
            Self::Pick(id) => vec![TraceEvent::Picked(*id)],
            Self::EndSecond(ids) => {
                ids.iter().map(|id| TraceEvent::Removed(*id)).chain([TraceEvent::Passed]).collect()
            }
        }
    }
}

/// Returns the events of a step.
pub(crate) fn events<S: System>(step: &Step<S>) -> Vec<TraceEvent> {
    match (step.request().cloned(), step.answer.clone()) {
        (Some(request), Some(response)) => vec![TraceEvent::Asked { request, response }],
        _ => step.action.events(),
    }
}

/// The settings as a client would send them.
pub(crate) fn draft_of(settings: Settings) -> SettingsDraft {
    SettingsDraft { default_ttl: sent(settings.default_ttl), indexing: settings.indexing }
}

/// A setting as a client would send it.
pub(crate) fn sent(ttl: Option<Ttl>) -> Sent {
    match ttl {
        None => Sent::Absent,
        Some(Ttl::Forever) => Sent::Whole(-1),
        Some(Ttl::Seconds(seconds)) => Sent::Whole(seconds),
    }
}

pub(crate) const fn consistent(default_ttl: Sent) -> SettingsDraft {
    SettingsDraft { default_ttl, indexing: Indexing::Consistent }
}
