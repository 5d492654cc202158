//! The model without a clause: what it would do if nobody had written that sentence.
//!
//! Each clause has an entry, and each entry says in a sentence what is done instead: the most natural other thing. A
//! clause that leaves a choice is taken out by insisting on one value, as whoever had not read it would. What notices,
//! a law of the checker or a vector, is the clause's witness.
//!
//! Entries are the shipped functions with one hook, so that all that is not the clause's stays as it is.

mod clock;
mod cost;
mod domain;
mod expired;
mod further;
mod hooks;
mod indexing;
mod lifetime;
mod purge;
mod settings;
mod writes;

use core::fmt;

use cosmos_ttl_model::container::{
    Draft, Item, ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_model::semantics::Semantics;
use cosmos_ttl_model::throughput::{Costs, Metered, Units};
use hooks::disguised;

const SECTIONS: [&[Without]; 9] = [
    domain::LIST,
    lifetime::LIST,
    clock::LIST,
    writes::LIST,
    expired::LIST,
    purge::LIST,
    settings::LIST,
    cost::LIST,
    indexing::LIST,
];

/// Every entry, in the order of the sections.
pub fn all() -> impl Iterator<Item = &'static Without> {
    SECTIONS.into_iter().flatten()
}

/// More entries, of clauses that [`all`] has an entry of: each is noticed where that entry is not.
pub fn further() -> impl Iterator<Item = &'static Without> {
    further::LIST.iter()
}

/// The model without one clause.
#[derive(Clone, Copy)]
pub struct Without {
    /// The clause.
    pub clause: &'static str,
    /// What is done instead, in a sentence.
    pub instead: &'static str,
    /// Of a clause that leaves a choice: the value that is insisted on.
    pub insists: Option<Insists>,
    hooks: Hooks,
}

/// What is left of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insists {
    /// The only value of the clause that is still allowed.
    pub on: &'static str,
    /// A right reading that chooses another one, and so must fail what insists.
    pub other: Interpretation,
}

type EndSecond = fn(&Metered, Costs, &[ItemId]) -> Option<(Metered, Units)>;

/// Where the shipped functions can be changed.
#[derive(Clone, Copy)]
struct Hooks {
    /// How settings are read, of a new container or one that stands.
    settings: fn(Option<&World>, SettingsDraft) -> SettingsDraft,
    /// How an item's `ttl` is read.
    ttl: fn(&World, Rules, Wire) -> Wire,
    /// Which rules are in force.
    rules: fn(Rules) -> Rules,
    /// How an item that is stored looks to the rule.
    seen: fn(&World, Item) -> Item,
    step: fn(&World, Rules, &Request) -> (World, Response),
    /// What is done beside what is right.
    then: fn(&Turn<'_>, &mut World, &mut Response),
    pass: fn(&World, u64) -> World,
    remove: fn(&World, ItemId) -> Option<World>,
    end_second: EndSecond,
}

/// A request that was answered.
struct Turn<'a> {
    before: &'a World,
    rules: Rules,
    request: &'a Request,
}

impl Without {
    const fn new(clause: &'static str, instead: &'static str) -> Self {
        let hooks = Hooks {
            settings: |_, draft| draft,
            ttl: |_, _, wire| wire,
            rules: |rules| rules,
            seen: |_, item| item,
            step: World::step,
            then: |_, _, _| {},
            pass: World::pass,
            remove: World::remove,
            end_second: Metered::end_second,
        };
        Self { clause, instead, insists: None, hooks }
    }

    const fn settings(self, settings: fn(Option<&World>, SettingsDraft) -> SettingsDraft) -> Self {
        Self { hooks: Hooks { settings, ..self.hooks }, ..self }
    }

    const fn ttl(self, ttl: fn(&World, Rules, Wire) -> Wire) -> Self {
        Self { hooks: Hooks { ttl, ..self.hooks }, ..self }
    }

    const fn seen(self, seen: fn(&World, Item) -> Item) -> Self {
        Self { hooks: Hooks { seen, ..self.hooks }, ..self }
    }

    const fn step(self, step: fn(&World, Rules, &Request) -> (World, Response)) -> Self {
        Self { hooks: Hooks { step, ..self.hooks }, ..self }
    }

    const fn then(self, then: fn(&Turn<'_>, &mut World, &mut Response)) -> Self {
        Self { hooks: Hooks { then, ..self.hooks }, ..self }
    }

    const fn pass(self, pass: fn(&World, u64) -> World) -> Self {
        Self { hooks: Hooks { pass, ..self.hooks }, ..self }
    }

    const fn remove(self, remove: fn(&World, ItemId) -> Option<World>) -> Self {
        Self { hooks: Hooks { remove, ..self.hooks }, ..self }
    }

    const fn end_second(self, end_second: EndSecond) -> Self {
        Self { hooks: Hooks { end_second, ..self.hooks }, ..self }
    }

    const fn insists(self, on: &'static str, rules: fn(Rules) -> Rules, other: Interpretation) -> Self {
        Self { insists: Some(Insists { on, other }), hooks: Hooks { rules, ..self.hooks }, ..self }
    }

    /// The request as it is read.
    fn read(&self, world: &World, rules: Rules, request: &Request) -> Request {
        let ttl = |wire| (self.hooks.ttl)(world, rules, wire);
        match request {
            Request::Configure(draft) => Request::Configure((self.hooks.settings)(Some(world), *draft)),
            Request::Item(operation) => Request::Item(reread(operation, ttl)),
            Request::Batch(all) => {
                Request::Batch(all.iter().map(|operation| reread(operation, ttl)).collect::<Vec<_>>())
            }
            Request::Query | Request::Count => request.clone(),
        }
    }
}

/// An operation whose `ttl` is read in this way.
fn reread(operation: &Operation, ttl: impl Fn(Wire) -> Wire) -> Operation {
    let read = |draft: &Draft| Draft { ttl: ttl(draft.ttl), ..*draft };
    match operation {
        Operation::Create(draft) => Operation::Create(read(draft)),
        Operation::Upsert(draft) => Operation::Upsert(read(draft)),
        Operation::Replace { draft, if_match } => {
            Operation::Replace { draft: read(draft), if_match: *if_match }
        }
        Operation::Patch { id, ttl: TtlChange::Set(wire), content, if_match } => {
            let ttl = match ttl(*wire) {
                Wire::Absent => TtlChange::Remove,
                wire => TtlChange::Set(wire),
            };
            Operation::Patch { id: *id, ttl, content: *content, if_match: *if_match }
        }
        Operation::Patch { .. } | Operation::Read(_) | Operation::Delete { .. } => *operation,
    }
}

impl Semantics for Without {
    fn open(&self, rules: Rules, now: i64, draft: SettingsDraft) -> Result<World, Refusal> {
        World::new((self.hooks.rules)(rules), now, (self.hooks.settings)(None, draft))
    }

    fn step(&self, world: &World, rules: Rules, request: &Request) -> (World, Response) {
        let rules = (self.hooks.rules)(rules);
        let read = self.read(world, rules, request);
        let (mut after, mut answer) = disguised(
            world,
            &read,
            |item| (self.hooks.seen)(world, item),
            |masked| (self.hooks.step)(masked, rules, &read),
        );
        (self.hooks.then)(&Turn { before: world, rules, request: &read }, &mut after, &mut answer);
        (after, answer)
    }

    fn pass(&self, world: &World, seconds: u64) -> World {
        (self.hooks.pass)(world, seconds)
    }

    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        let mut masked = world.clone();
        masked.items.values_mut().for_each(|item| *item = (self.hooks.seen)(world, *item));
        let mut after = (self.hooks.remove)(&masked, id)?;
        for (id, item) in &mut after.items {
            if masked.items.get(id) == Some(item) {
                *item = world.items.get(id).copied().unwrap_or(*item);
            }
        }
        Some(after)
    }

    fn end_second(&self, metered: &Metered, costs: Costs, removals: &[ItemId]) -> Option<(Metered, Units)> {
        (self.hooks.end_second)(metered, costs, removals)
    }
}

impl fmt::Debug for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Without").field(&self.clause).finish()
    }
}
