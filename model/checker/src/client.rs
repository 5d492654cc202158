//! The system that is checked, as a client sees it, who never sees a removal.
//!
//! A [`View`] is every world that may be, as far as a client knows. The client's requests and passing time are the
//! system's own moves, taken in each of these worlds; removal is a move that may or may not have happened at any time,
//! so a view holds the worlds after it as well. Views are therefore finite, and the graph of them is the system's graph
//! and nothing else.

use std::collections::BTreeSet;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::container::ContainerSystem;
use super::requests::clients;
use super::step::ModelAction;
use super::transition_system::{TransitionSystem as _, settings_draft};
use super::{shipped, stateright};
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{
    ItemId, Operation, Request, Response, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::ExpiredUpsert;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

/// All worlds that may be, as far as a client knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct View(BTreeSet<AgedWorld>);

/// An answer, and what is known after it.
pub type AnsweredView = (Response, View);

/// The answers that the documents allow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the answers")]
pub enum PossibleAnswers {
    /// One thing.
    Sure(AnsweredView),
    /// One thing if this item has reappeared, another if it is gone (`reappearance`).
    Fate { of: ItemId, back: AnsweredView, gone: AnsweredView },
    /// A success of either kind (`expired-upsert-status`).
    Upsert { created: Response, replaced: Response, after: View },
    /// More than one item's fate would be told at once.
    Tangled,
}

/// Walks from view to view.
#[derive(Clone, Debug)]
pub struct Client {
    system: ContainerSystem,
    /// The same, with the other status for an upsert over an expired item.
    replacing: ContainerSystem,
}

impl Client {
    /// A number of items, and lifetimes up to a number of seconds.
    pub fn new(items: u32, longest_s: u8) -> Self {
        let mut other = Rules::default();
        other.interpretation.expired_upsert = ExpiredUpsert::Replaced;
        let system = |rules| ContainerSystem::of(clients, &shipped(), rules, items, AgeCap::Own(longest_s));
        Self { system: system(Rules::default()), replacing: system(other) }
    }

    /// The views of new containers, each with its settings.
    pub fn openings(&self) -> Vec<(SettingsDraft, View)> {
        let view = |world: AgedWorld| (settings_draft(&world.world()), View([world].into()));
        self.system.start().into_iter().map(|start| view(start.world)).collect()
    }

    /// Returns the requests to send under this view. A patch removes no `ttl` that is not there: the answer to that has
    /// nothing to do with time to live.
    pub fn requests(&self, view: &View) -> Vec<Request> {
        let matters = |request: &&Request| {
            let Request::Item(Operation::Patch { id, ttl: TtlChange::Remove, .. }) = request else {
                return true;
            };
            let (ClientKnowledge::Living { ttl, .. } | ClientKnowledge::Open { ttl, .. }) = view.known(*id)
            else {
                return true;
            };
            ttl != ItemTtl::Inherit
        };
        self.system.bounds().requests.iter().filter(matters).cloned().collect()
    }

    /// Returns everything that may be asked under some view.
    pub fn scope(&self) -> &[Request] {
        &self.system.bounds().requests
    }

    /// A second passes.
    #[must_use]
    pub fn pass(&self, view: &View) -> View {
        let passed = |world| Some(Self::after(&self.system, world, &ModelAction::Pass)?.1);
        self.view(view.0.iter().filter_map(passed))
    }

    /// Returns the possible answers to a request.
    pub fn ask(&self, view: &View, request: &Request) -> PossibleAnswers {
        let Some((response, after)) = self.sure(&view.0, request) else { return self.fate(view, request) };
        let other = Self::answers(&self.replacing, &view.0, request);
        match other.into_iter().map(|(other, _)| other).find(|other| *other != response) {
            Some(replaced) => PossibleAnswers::Upsert { created: response, replaced, after },
            None => PossibleAnswers::Sure((response, after)),
        }
    }

    /// Returns what an action does to each world of a view, if the world after it is one of these: the world before, the
    /// answer, and the world after.
    pub(super) fn moves(
        &self,
        before: &View,
        action: &ModelAction,
        after: &View,
    ) -> Vec<(World, Option<Response>, World)> {
        let taken = before.0.iter().filter_map(|world| {
            let (answer, next) = Self::after(&self.system, world, action)?;
            after.0.contains(&next).then(|| (world.world(), answer, next.world()))
        });
        taken.collect()
    }

    /// Every view that a client can come to, nearest first.
    pub fn walk(&self) -> Vec<View> {
        let mut all: Vec<View> = self.openings().into_iter().map(|(_, view)| view).collect();
        let mut known: BTreeSet<View> = all.iter().cloned().collect();
        let mut at: usize = 0;
        while let Some(view) = all.get(at).cloned() {
            let asked =
                self.requests(&view).into_iter().flat_map(|request| self.ask(&view, &request).after());
            for next in asked.chain([self.pass(&view)]) {
                if known.insert(next.clone()) {
                    all.push(next);
                }
            }
            at += 1;
        }
        all
    }

    /// Counts, by stateright, the worlds that some view holds.
    pub fn count_worlds(&self) -> usize {
        stateright::search(&self.system).count.states
    }

    fn fate(&self, view: &View, request: &Request) -> PossibleAnswers {
        let unsure =
            self.system.bounds().ids().filter(|id| matches!(view.known(*id), ClientKnowledge::Open { .. }));
        for of in unsure {
            let (stored, removed): (BTreeSet<_>, BTreeSet<_>) =
                view.0.iter().partition(|world| world.world().items.contains_key(&of));
            if let (Some(back), Some(gone)) = (self.sure(&stored, request), self.sure(&removed, request)) {
                return PossibleAnswers::Fate { of, back, gone };
            }
        }
        PossibleAnswers::Tangled
    }

    fn sure(&self, worlds: &BTreeSet<AgedWorld>, request: &Request) -> Option<AnsweredView> {
        let answers = Self::answers(&self.system, worlds, request);
        let (response, _) = answers.first()?;
        answers.iter().all(|(other, _)| other == response).then(|| {
            let after = self.view(answers.iter().map(|(_, after)| *after));
            (response.clone(), after)
        })
    }

    fn answers(
        system: &ContainerSystem,
        worlds: &BTreeSet<AgedWorld>,
        request: &Request,
    ) -> Vec<(Response, AgedWorld)> {
        let ask = ModelAction::Ask(request.clone());
        let taken = worlds.iter().filter_map(|world| Self::after(system, world, &ask));
        taken.filter_map(|(answer, after)| Some((answer?, after))).collect()
    }

    fn after(
        system: &ContainerSystem,
        world: &AgedWorld,
        action: &ModelAction,
    ) -> Option<(Option<Response>, AgedWorld)> {
        let (after, answer) = system.bounds().happen(&world.world(), action)?;
        Some((answer, system.bounds().aged(&after)))
    }

    /// These worlds, and those that removal makes of them.
    fn view(&self, worlds: impl IntoIterator<Item = AgedWorld>) -> View {
        let mut all: BTreeSet<AgedWorld> = worlds.into_iter().collect();
        for id in self.system.bounds().ids() {
            let remove = |world| Some(Self::after(&self.system, world, &ModelAction::Remove(id))?.1);
            let removed: Vec<_> = all.iter().filter_map(remove).collect();
            all.extend(removed);
        }
        View(all)
    }
}

impl View {
    /// Every world that may be.
    pub fn worlds(&self) -> impl Iterator<Item = World> {
        self.0.iter().map(|world| world.world())
    }

    /// The container's `defaultTtl`.
    pub fn default_ttl(&self) -> DefaultTtl {
        self.worlds().next().map_or(DefaultTtl::Off, |world| world.settings.default_ttl)
    }

    /// Returns the client's knowledge of this item.
    pub fn known(&self, id: ItemId) -> ClientKnowledge {
        ClientKnowledge::of(id, || self.worlds())
    }
}

impl PossibleAnswers {
    /// Returns the possible views after it.
    pub fn after(self) -> Vec<View> {
        match self {
            Self::Sure((_, after)) | Self::Upsert { after, .. } => [after].into(),
            Self::Fate { back: (_, back), gone: (_, gone), .. } => [back, gone].into(),
            Self::Tangled => Vec::new(),
        }
    }
}
