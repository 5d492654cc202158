//! The main systems: one container, its clients, its clock and its background; and what must hold of it, in words and as
//! code, in tables with the sections of `vectors/clauses.yaml`.
//! Where a clause is open, the *always* says what is allowed, and there is a *sometimes* for each value.

mod indexing;
mod items;
mod settings;

use cosmos_ttl_model::container::{Item, ItemId, Request, Response, SettingsDraft, World};
use cosmos_ttl_model::rule::Sent;

use crate::judge::Judge;
use crate::requests::{self, A, B};
use crate::semantics::Semantics;
use crate::statement::Section;
use crate::step::{gone, living};
use crate::system::{ModelAction, Node, Outcome, Step, System};

/// Everything that can be said of a container that is indexed as usual; first, which values are settings.
const USUAL: &[Section<Container>] = &[
    ("domain", settings::DOMAIN),
    ("lifetime", items::LIFETIME),
    ("clock", items::CLOCK),
    ("clock", items::LISTS),
    ("writes", items::WRITES),
    ("expired", items::EXPIRED),
    ("expired", items::COUNTS),
    ("purge", items::PURGE),
    ("settings", settings::SETTINGS),
];

#[derive(Clone)]
pub(crate) struct Container;

pub(crate) type WorldStep = Step<Container>;

/// An item that a step changed: as it was stored before, and as it is stored after.
struct ItemChange {
    id: ItemId,
    old: Option<Item>,
    new: Option<Item>,
}

impl Container {
    /// One item, every kind of request.
    pub(crate) fn of_one(semantics: Semantics) -> Judge<Self> {
        let others = [ModelAction::Pass, ModelAction::Remove(A)];
        Judge::new(Self, semantics, requests::openings(), requests::every(), others, USUAL)
    }

    /// Two items, one of which gets every kind of request.
    pub(crate) fn of_two(semantics: Semantics) -> Judge<Self> {
        let others = [ModelAction::Pass, ModelAction::Remove(A), ModelAction::Remove(B)];
        let (_domain, sections) = USUAL.split_at(1);
        Judge::new(Self, semantics, requests::openings(), requests::pairs(), others, sections)
    }

    /// One item, every indexing mode.
    pub(crate) fn indexed(semantics: Semantics) -> Judge<Self> {
        let drafts = requests::indexings();
        // The first story of new settings has other ones than the first container.
        let changes = drafts.iter().cycle().skip(1).take(drafts.len()).copied();
        let nulls = drafts.iter().map(|draft| SettingsDraft { default_ttl: Sent::Null, ..*draft });
        let configures = changes.chain(nulls.step_by(4)).map(Request::Configure);
        let others = [ModelAction::Pass, ModelAction::Remove(A), ModelAction::CatchUp];
        let requests = requests::right().into_iter().chain(configures);
        let sections: &[Section<Self>] =
            &[("indexing", indexing::INDEXING), ("clock", items::LISTS), ("expired", items::COUNTS)];
        Judge::new(Self, semantics, drafts.clone(), requests, others, sections)
    }
}

impl System for Container {
    type Memory = ();
    type Seen = ();

    fn open(&self, _: &World) {}

    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<()>> {
        of.outcomes(from, action)
    }

    fn remember(&self, _: &WorldStep) {}
}

impl WorldStep {
    /// The items that the step changed, made or took away.
    fn changes(&self) -> impl Iterator<Item = ItemChange> {
        let (before, after) = (&self.before.items, &self.after.items);
        let made = after.keys().filter(|id| !before.contains_key(id));
        let change =
            |id: &ItemId| ItemChange { id: *id, old: before.get(id).copied(), new: after.get(id).copied() };
        before.keys().chain(made).map(change).filter(|change| change.old != change.new)
    }

    /// Whether the step hides a visible item of which `which` is true.
    fn hides(&self, which: fn(&Item) -> bool) -> bool {
        let mut stored = self.after.items.iter();
        stored.any(|(id, new)| gone(&self.after, new) && living(&self.before, *id).is_some() && which(new))
    }

    /// Whether an answer that looks at an item of which `which` is true shows it, or not, as expected.
    fn every_look(&self, expected: bool, which: fn(&World, &Item) -> bool) -> bool {
        !self.some_look(!expected, which)
    }

    /// Whether some answer looks at an item of which `which` is true, and shows it or not.
    fn some_look(&self, shown: bool, which: fn(&World, &Item) -> bool) -> bool {
        let mut stored = self.before.items.iter();
        stored.any(|(id, item)| self.shows(*id) == Some(shown) && which(&self.before, item))
    }

    fn counted(&self) -> Option<(usize, Option<usize>)> {
        if let Some(Response::Count { least, most }) = self.answer { Some((least, most)) } else { None }
    }
}
