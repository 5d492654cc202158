//! Ablations of the model: its behaviour without one of the clauses.
//!
//! Each clause has an entry, and each entry says in a sentence what is done instead: the most natural other thing. A
//! clause that leaves a choice is removed by allowing only one value, as an author would who had not read it. A property
//! of the checker or a vector must notice.
//!
//! Entries are the shipped functions with one hook, so that everything else stays as it is.

mod life;
mod values;

use core::fmt;

use crate::requests::with_operations;
use cosmos_ttl_model::container::{
    Etag, Item, ItemId, Operation, Refusal, Request, Response, Rules, Settings, SettingsDraft, TtlChange,
    World,
};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, Wire};
use cosmos_ttl_model::semantics::Semantics;
use cosmos_ttl_model::throughput::{Costs, Metered, Units};

const SECTIONS: [&[ModelAblation]; 9] = [
    values::VALUES,
    life::LIFETIME,
    life::CLOCK,
    life::WRITES,
    life::EXPIRED,
    life::PURGE,
    values::SETTINGS,
    life::COST,
    values::INDEXING,
];

/// Returns one entry for each clause, in the order of the sections.
pub fn all() -> impl Iterator<Item = &'static ModelAblation> {
    SECTIONS.into_iter().flatten()
}

/// Returns more entries, of clauses that [`all`] has an entry of: each is noticed where that entry is not.
pub fn further() -> impl Iterator<Item = &'static ModelAblation> {
    life::FURTHER.iter()
}

/// The model without one clause.
#[derive(Clone, Copy)]
pub struct ModelAblation {
    /// The clause.
    pub clause: &'static str,
    /// The behaviour instead, as a sentence.
    pub instead: &'static str,
    /// Of a clause that leaves a choice: the value that is insisted on.
    pub insists: Option<InsistedValue>,
    hooks: Hooks,
}

/// The one value of an open clause that remains allowed.
#[derive(Clone, Copy, Debug)]
pub struct InsistedValue {
    /// The only value of the clause that is still allowed.
    pub on: &'static str,
    choose_other: InterpretationChange,
}

impl InsistedValue {
    /// Returns a right reading that chooses another one, and so must fail what insists.
    pub fn other(self) -> Interpretation {
        let mut other = Interpretation::default();
        (self.choose_other)(&mut other);
        other
    }
}

struct AnsweredRequest<'a> {
    before: &'a World,
    rules: Rules,
    request: &'a Request,
}

impl AnsweredRequest<'_> {
    /// Makes an item as old as new.
    fn restart(&self, after: &mut World, id: ItemId) {
        after.items.entry(id).and_modify(|item| item.ts = self.before.now);
    }
}

type InterpretationChange = fn(&mut Interpretation);
type MeteredHook = fn(&Metered, Rules, Costs, &Request) -> (Metered, Response, Units);
type EndSecond = fn(&Metered, Costs, &[ItemId]) -> Option<(Metered, Units)>;

/// The places where the shipped functions can be changed. Each is a field with its default, and a method that sets it.
macro_rules! hooks {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr;)*) => {
        #[derive(Clone, Copy)]
        struct Hooks {
            $($(#[$doc])* $name: $type,)*
        }

        impl ModelAblation {
            $(
                const fn $name(self, $name: $type) -> Self {
                    Self { hooks: Hooks { $name, ..self.hooks }, ..self }
                }
            )*
        }

        const SHIPPED: Hooks = Hooks { $($name: $default,)* };
    };
}

hooks! {
    /// How settings are read, of a new container or one that exists.
    settings: fn(Option<&World>, SettingsDraft) -> SettingsDraft = |_, draft| draft;
    /// How an item's `ttl` is read.
    ttl: fn(&World, Rules, Wire) -> Wire = |_, _, wire| wire;
    /// Which choices are made.
    choose: InterpretationChange = |_| {};
    /// How an item that is stored looks to the rule.
    seen: fn(&World, Item) -> Item = |_, item| item;
    /// Which requests are answered as if nothing ever expired.
    revives: fn(&Request) -> bool = |_| false;
    /// How a request is answered.
    step: fn(&World, Rules, &Request) -> (World, Response) = World::step;
    /// Changes an item that a client wrote, perhaps over a visible one.
    writes: fn(&AnsweredRequest<'_>, Option<&Item>, &mut Item) = |_, _, _| {};
    /// Changes each item when settings change, from one world to the other.
    configures: fn(&World, &World, &mut Item) = |_, _, _| {};
    /// Acts in addition to the correct behaviour.
    then: fn(&AnsweredRequest<'_>, &mut World, &mut Response) = |_, _, _| {};
    /// How time passes.
    pass: fn(&World, u64) -> World = World::pass;
    /// How the background removes.
    remove: fn(&World, ItemId) -> Option<World> = World::remove;
    /// How a lazy index catches up.
    catch_up: fn(&World) -> World = World::catch_up;
    /// How a request is answered that is paid for.
    metered_step: MeteredHook = Metered::step;
    /// How a second ends.
    end_second: EndSecond = Metered::end_second;
}

/// The shipped functions, before anything is changed.
const fn without(clause: &'static str, instead: &'static str) -> ModelAblation {
    ModelAblation { clause, instead, insists: None, hooks: SHIPPED }
}

impl ModelAblation {
    const fn insists(
        self,
        on: &'static str,
        choose: InterpretationChange,
        choose_other: InterpretationChange,
    ) -> Self {
        Self { insists: Some(InsistedValue { on, choose_other }), ..self }.choose(choose)
    }

    fn rules(&self, mut rules: Rules) -> Rules {
        (self.hooks.choose)(&mut rules.interpretation);
        rules
    }

    /// A world whose items look as the rule is shown them.
    fn masked(&self, world: &World) -> World {
        let mut masked = world.clone();
        masked.items.values_mut().for_each(|item| *item = (self.hooks.seen)(world, *item));
        masked
    }

    /// The request as it is read.
    fn read(&self, world: &World, rules: Rules, request: &Request) -> Request {
        match request {
            Request::Configure(draft) => Request::Configure((self.hooks.settings)(Some(world), *draft)),
            _ => with_operations(request, |operation| {
                reread(operation, |wire| (self.hooks.ttl)(world, rules, wire));
            }),
        }
    }
}

/// Reads the `ttl` of an operation in this way.
fn reread(operation: &mut Operation, read: impl Fn(Wire) -> Wire) {
    match operation {
        Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. } => {
            draft.ttl = read(draft.ttl);
        }
        Operation::Patch { ttl, .. } => {
            if let TtlChange::Set(wire) = *ttl {
                let wire = read(wire);
                *ttl = if wire == Wire::Absent { TtlChange::Remove } else { TtlChange::Set(wire) };
            }
        }
        Operation::Read(_) | Operation::Delete { .. } => {}
    }
}

impl Semantics for ModelAblation {
    fn open(&self, rules: Rules, now: i64, draft: SettingsDraft) -> Result<World, Refusal> {
        World::new(self.rules(rules), now, (self.hooks.settings)(None, draft))
    }

    fn step(&self, world: &World, rules: Rules, request: &Request) -> (World, Response) {
        let rules = self.rules(rules);
        let request = self.read(world, rules, request);
        let step = if (self.hooks.revives)(&request) { revived } else { self.hooks.step };
        let masked = self.masked(world);
        let (mut after, mut answer) = step(&masked, rules, &request);
        undisguise(&mut after, &masked, world);
        undisguise_answer(&request, &masked, world, &mut after, &mut answer);
        let asked = AnsweredRequest { before: world, rules, request: &request };
        for id in written(world, &after) {
            amend(&mut after, &mut answer, id, |item| (self.hooks.writes)(&asked, world.visible(id), item));
        }
        if answer == Response::Configured {
            let new = after.clone();
            after.items.values_mut().for_each(|item| (self.hooks.configures)(world, &new, item));
        }
        (self.hooks.then)(&asked, &mut after, &mut answer);
        (after, answer)
    }

    fn pass(&self, world: &World, seconds: u64) -> World {
        (self.hooks.pass)(world, seconds)
    }

    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        let masked = self.masked(world);
        let mut after = (self.hooks.remove)(&masked, id)?;
        undisguise(&mut after, &masked, world);
        Some(after)
    }

    fn catch_up(&self, world: &World) -> World {
        (self.hooks.catch_up)(world)
    }

    fn metered_step(
        &self,
        metered: &Metered,
        rules: Rules,
        costs: Costs,
        request: &Request,
    ) -> (Metered, Response, Units) {
        (self.hooks.metered_step)(metered, rules, costs, request)
    }

    fn end_second(&self, metered: &Metered, costs: Costs, removals: &[ItemId]) -> Option<(Metered, Units)> {
        (self.hooks.end_second)(metered, costs, removals)
    }
}

impl fmt::Debug for ModelAblation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModelAblation").field(&self.clause).finish()
    }
}

/// Gives what a request shows or keeps of an item its old look.
fn undisguise_answer(
    request: &Request,
    masked: &World,
    world: &World,
    after: &mut World,
    answer: &mut Response,
) {
    let Request::Item(operation) = request else { return };
    let Some(old) = world.items.get(&operation.id()) else { return };
    match (operation, &mut *answer) {
        (Operation::Read(_), Response::Found(found))
            if masked.items.get(&operation.id()) == Some(&*found) =>
        {
            *found = *old;
        }
        // A patch that leaves `ttl` alone leaves the one that was under the disguise.
        (Operation::Patch { id, ttl: TtlChange::Keep, .. }, Response::Ok(_)) => {
            amend(after, answer, *id, |item| item.ttl = old.ttl);
        }
        _ => {}
    }
}

/// Gives items that were not written since they were masked their old look.
fn undisguise(after: &mut World, masked: &World, world: &World) {
    for (id, item) in &mut after.items {
        if masked.items.get(id) == Some(item) {
            *item = world.items.get(id).copied().unwrap_or(*item);
        }
    }
}

/// Runs a request as if nothing ever expired.
fn revived(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    let (after, answer) = with_default(world, DefaultTtl::Off).step(rules, request);
    (World { settings: world.settings, ..after }, answer)
}

fn with_default(world: &World, default_ttl: DefaultTtl) -> World {
    World { settings: Settings { default_ttl, ..world.settings }, ..world.clone() }
}

/// Changes an item that was just written, in store and in the answer.
fn amend(after: &mut World, answer: &mut Response, id: ItemId, change: impl FnOnce(&mut Item)) {
    if let Some(item) = after.items.get_mut(&id) {
        let etag = item.etag;
        change(item);
        retell(answer, etag, *item);
    }
}

fn retell(answer: &mut Response, etag: Etag, item: Item) {
    match answer {
        Response::Created(told) | Response::Ok(told) if told.etag == etag => *told = item,
        Response::Committed(all) => all.iter_mut().for_each(|answer| retell(answer, etag, item)),
        _ => {}
    }
}

fn written(before: &World, after: &World) -> Vec<ItemId> {
    let etag = |world: &World, id: &ItemId| world.items.get(id).map(|item| item.etag);
    after.items.keys().filter(|id| etag(before, id) != etag(after, id)).copied().collect()
}

/// Gives an item without a `ttl` this one.
fn inherit(item: &mut Item, ttl: ItemTtl) {
    if item.ttl == ItemTtl::Inherit {
        item.ttl = ttl;
    }
}

fn older(item: Item, seconds: i64) -> Item {
    Item { ts: item.ts.saturating_sub(seconds), ..item }
}

/// The `ttl` that says what a default says.
fn as_own(default_ttl: DefaultTtl) -> ItemTtl {
    match default_ttl {
        DefaultTtl::Seconds(seconds) => ItemTtl::Seconds(seconds),
        DefaultTtl::Off | DefaultTtl::NoDefault => ItemTtl::Never,
    }
}

fn one_second() -> ItemTtl {
    TtlSeconds::new(1).map_or(ItemTtl::Inherit, ItemTtl::Seconds)
}
