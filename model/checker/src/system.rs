//! A bounded piece of the model, everything that may happen in it, and a step of it.

use core::hash::Hash;
use core::ops::Deref;
use std::sync::{Arc, OnceLock};

use cosmos_ttl_model::choices::{MadeChoice, OpenChoice};
use cosmos_ttl_model::container::{Indexing, ItemId, Request, Response, Settings, SettingsDraft, World};
use cosmos_ttl_model::rule::{Sent, Ttl};

use crate::semantics::Semantics;
use crate::story::told;
use crate::sweeper::SweepGuard;

/// A move in a bounded world, by a client, the clock or the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelAction {
    Ask(Request),
    Pass,
    Remove(ItemId),
    CatchUp,
    /// A second passes, and the background removes these with what users left over of it.
    EndSecond(Vec<ItemId>),
    /// A sweeper picks an item, to remove it later.
    Pick(ItemId),
    /// A sweeper removes what it picked, if its guard lets it.
    Sweep(ItemId, SweepGuard),
}

/// A world, and what else a system remembers.
pub(crate) struct Node<S: System> {
    pub(crate) world: World,
    pub(crate) memory: S::Memory,
    /// The steps from here, once they are known: stateright asks for them again whenever it makes a path.
    pub(crate) steps: OnceLock<Box<[Arc<Step<S>>]>>,
}

impl<S: System> Deref for Node<S> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

/// A step from a world: one move, one way of choosing what is open.
pub(crate) struct Step<S: System> {
    pub(crate) before: Arc<Node<S>>,
    /// Its number among the steps from there.
    pub(crate) number: usize,
    pub(crate) action: Arc<ModelAction>,
    pub(crate) made: Vec<MadeChoice>,
    pub(crate) answer: Option<Response>,
    /// As the move left it.
    pub(crate) after: World,
    pub(crate) seen: S::Seen,
    /// The node that it leads to, shifted and capped, if it is another.
    pub(crate) arrives: Option<Arc<Node<S>>>,
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

/// A system to check: what it remembers, and what its moves do.
pub(crate) trait System: Clone + Send + Sync + 'static {
    /// The part of a state besides the world.
    type Memory: Clone + Eq + Hash + Send + Sync;
    /// The data that a statement may look at besides the step in the world.
    type Seen: Send + Sync;

    /// Returns the memory of a new container.
    fn open(&self, world: &World) -> Self::Memory;
    /// Returns what comes of a move; nothing where it is not allowed.
    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<Self::Seen>>;
    /// Returns the memory after a step.
    fn remember(&self, step: &Step<Self>) -> Self::Memory;

    /// Returns the lines of a story that tell a step.
    fn tell(&self, step: &Step<Self>) -> Vec<String> {
        told(step)
    }
}

impl<S: System> Step<S> {
    /// The world that it leads to, shifted and capped.
    pub(crate) fn next(&self) -> &Arc<Node<S>> {
        self.arrives.as_ref().unwrap_or(&self.before)
    }

    /// Whether an open choice was made in this step, and then whether it was answered with *yes* once.
    pub(crate) fn chose(&self, choice: OpenChoice) -> Option<bool> {
        let of_choice = self.made.iter().filter(|made| made.choice == choice);
        of_choice.map(|made| made.yes).reduce(|one, other| one || other)
    }
}

/// The settings as a client would send them.
pub(crate) fn draft_of(settings: Settings) -> SettingsDraft {
    SettingsDraft { default_ttl: sent(settings.default_ttl), indexing: settings.indexing }
}

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
