//! Wrong semantics: the shipped functions with one thing about them changed. They live here and nowhere else.

use cosmos_ttl_checker::Semantics;
use cosmos_ttl_model::container::{
    Draft, Index, Indexing, Item, ItemId, Operation, Refusal, Request, Response, Rules, TtlChange, World,
};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, Wire};
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    ExpiredASecondLate,
    ExpiredASecondEarly,
    OffHonoursItemTtl,
    NeverIsIgnored,
    DefaultOverridesLongerTtl,
    ReplaceKeepsTs,
    ReadRestarts,
    PatchDropsTtl,
    ReplaceKeepsTtl,
    SettingsTouchTs,
    SwitchingOffForgetsTtl,
    RefusedWriteStores,
    ZeroMeansNever,
    PatchToNullIsNever,
    FractionIsNever,
    ZeroWhileOffIsNever,
    BelowMinusOneWhileOffIsASecond,
    TextWhileOffIsTwoSeconds,
    NullDefaultIsRefusedWhereItWasTwoSeconds,
    BatchStopsHalfway,
    QueryShowsExpired,
    CreateConflictsWithExpired,
    PatchRevivesExpired,
    EtagRevivesExpired,
    UpsertInheritsFromExpired,
    RemovesTheLiving,
    RemovesWhileOff,
    TimeRemoves,
    ItemsDoNotAge,
    WriteAgesOthers,
    NoIndexIsAllowed,
    ConsistentIndexLags,
    RemovalIsChargedToUsers,
    RemovalIgnoresTheBudget,
    RemovalIsFreeOnServerless,
    RemovalNeverHappens,
    RemovalMissesItsSecond,
    ClockStopsCountingAfterTwoSeconds,
    CountChangesAfterTwoSeconds,
}

impl Fault {
    pub(crate) const ALL: [Self; 39] = [
        Self::ExpiredASecondLate,
        Self::ExpiredASecondEarly,
        Self::OffHonoursItemTtl,
        Self::NeverIsIgnored,
        Self::DefaultOverridesLongerTtl,
        Self::ReplaceKeepsTs,
        Self::ReadRestarts,
        Self::PatchDropsTtl,
        Self::ReplaceKeepsTtl,
        Self::SettingsTouchTs,
        Self::SwitchingOffForgetsTtl,
        Self::RefusedWriteStores,
        Self::ZeroMeansNever,
        Self::PatchToNullIsNever,
        Self::FractionIsNever,
        Self::ZeroWhileOffIsNever,
        Self::BelowMinusOneWhileOffIsASecond,
        Self::TextWhileOffIsTwoSeconds,
        Self::NullDefaultIsRefusedWhereItWasTwoSeconds,
        Self::BatchStopsHalfway,
        Self::QueryShowsExpired,
        Self::CreateConflictsWithExpired,
        Self::PatchRevivesExpired,
        Self::EtagRevivesExpired,
        Self::UpsertInheritsFromExpired,
        Self::RemovesTheLiving,
        Self::RemovesWhileOff,
        Self::TimeRemoves,
        Self::ItemsDoNotAge,
        Self::WriteAgesOthers,
        Self::NoIndexIsAllowed,
        Self::ConsistentIndexLags,
        Self::RemovalIsChargedToUsers,
        Self::RemovalIgnoresTheBudget,
        Self::RemovalIsFreeOnServerless,
        Self::RemovalNeverHappens,
        Self::RemovalMissesItsSecond,
        Self::ClockStopsCountingAfterTwoSeconds,
        Self::CountChangesAfterTwoSeconds,
    ];
}

/// The shipped functions with one fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planted(pub(crate) Fault);

impl Planted {
    fn has(self, fault: Fault) -> bool {
        self.0 == fault
    }
}

impl Semantics for Planted {
    fn step(&self, world: &World, rules: Rules, request: &Request) -> (World, Response) {
        let right = world.step(rules, request);
        match self.0 {
            Fault::ExpiredASecondLate => disguised(world, rules, request, |item| older(item, -1)),
            Fault::ExpiredASecondEarly => disguised(world, rules, request, |item| older(item, 1)),
            Fault::NeverIsIgnored => disguised(world, rules, request, |item| match item.ttl {
                ItemTtl::Never => Item { ttl: ItemTtl::Inherit, ..item },
                _ => item,
            }),
            Fault::DefaultOverridesLongerTtl => {
                let default_ttl = world.settings.default_ttl;
                disguised(world, rules, request, |item| Item {
                    ttl: no_longer(item.ttl, default_ttl),
                    ..item
                })
            }
            Fault::OffHonoursItemTtl => off_as_no_default(world, rules, request),
            Fault::ClockStopsCountingAfterTwoSeconds if world.now > 2 => {
                disguised(world, rules, request, |item| Item { ts: world.now, ..item })
            }
            Fault::CountChangesAfterTwoSeconds if world.now > 2 && *request == Request::Count => {
                world.step(Rules::default(), request)
            }
            Fault::CreateConflictsWithExpired => match request {
                Request::Item(Operation::Create(draft))
                    if world.items.contains_key(&draft.id) && right.0 != *world =>
                {
                    (world.clone(), Response::Refused(Refusal::Conflict))
                }
                _ => right,
            },
            Fault::PatchRevivesExpired => match request {
                Request::Item(Operation::Patch { if_match: None, .. })
                    if right.1 == Response::Refused(Refusal::NotFound) =>
                {
                    revived(world, rules, request)
                }
                _ => right,
            },
            Fault::EtagRevivesExpired => match request {
                Request::Item(Operation::Replace { if_match: Some(_), .. }) => revived(world, rules, request),
                _ => right,
            },
            Fault::ZeroMeansNever => world.step(rules, &zero_as_never(request)),
            Fault::PatchToNullIsNever
            | Fault::FractionIsNever
            | Fault::ZeroWhileOffIsNever
            | Fault::BelowMinusOneWhileOffIsASecond
            | Fault::TextWhileOffIsTwoSeconds => self.misread(world, request, right),
            _ => self.spoiled(world, rules, request, right),
        }
    }

    fn pass(&self, world: &World, seconds: u64) -> World {
        let mut next = world.pass(seconds);
        match self.0 {
            Fault::TimeRemoves => next.items.retain(|_, item| !world.is_expired(item)),
            Fault::ItemsDoNotAge => next.items.values_mut().for_each(|item| item.ts += 1),
            _ => {}
        }
        next
    }

    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        let awake = match self.0 {
            Fault::RemovesTheLiving => World { now: i64::from(u32::MAX), ..world.clone() },
            Fault::RemovesWhileOff | Fault::OffHonoursItemTtl
                if world.settings.default_ttl == DefaultTtl::Off =>
            {
                let mut on = world.clone();
                on.settings.default_ttl = DefaultTtl::NoDefault;
                on
            }
            _ => world.clone(),
        };
        let next = awake.remove(id)?;
        Some(World { now: world.now, settings: world.settings, ..next })
    }

    fn end_second(&self, metered: &Metered, costs: Costs, removals: &[ItemId]) -> Option<(Metered, Units)> {
        let late = |id: &ItemId| {
            let item = metered.world.items.get(id);
            item.is_some_and(|item| item.ttl == seconds(1) && metered.world.now - item.ts > 1)
        };
        match self.0 {
            Fault::RemovalIgnoresTheBudget => {
                let rich = Metered { left: 100, ..metered.clone() };
                rich.end_second(costs, removals)
            }
            Fault::RemovalNeverHappens if !removals.is_empty() => None,
            Fault::RemovalMissesItsSecond if removals.iter().any(late) => None,
            _ => {
                let (mut after, mut billed) = metered.end_second(costs, removals)?;
                match metered.throughput {
                    Throughput::Provisioned(_) if self.has(Fault::RemovalIsChargedToUsers) => {
                        after.left -= removals.iter().map(|_| costs.delete).sum::<Units>();
                    }
                    Throughput::Serverless if self.has(Fault::RemovalIsFreeOnServerless) => billed = 0,
                    _ => {}
                }
                Some((after, billed))
            }
        }
    }
}

impl Planted {
    /// Faults that store another `ttl` than was meant, each in another kind of write.
    fn misread(self, world: &World, request: &Request, right: (World, Response)) -> (World, Response) {
        let (mut after, mut answer) = right;
        let off = world.settings.default_ttl == DefaultTtl::Off;
        let Request::Item(operation) = request else { return (after, answer) };
        let stored = match (self.0, operation) {
            (Fault::PatchToNullIsNever, Operation::Patch { ttl: TtlChange::Set(Wire::Null), .. }) => {
                ItemTtl::Never
            }
            (Fault::FractionIsNever, Operation::Replace { draft, .. })
                if matches!(draft.ttl, Wire::WholeAsFraction(_)) =>
            {
                ItemTtl::Never
            }
            (Fault::ZeroWhileOffIsNever, Operation::Patch { ttl: TtlChange::Set(Wire::Whole(0)), .. })
                if off =>
            {
                ItemTtl::Never
            }
            (Fault::BelowMinusOneWhileOffIsASecond, Operation::Create(draft))
                if off && draft.ttl == Wire::Whole(-2) =>
            {
                seconds(1)
            }
            (Fault::TextWhileOffIsTwoSeconds, Operation::Upsert(draft))
                if off && draft.ttl == Wire::NoNumber =>
            {
                seconds(2)
            }
            _ => return (after, answer),
        };
        if let Response::Created(item) | Response::Ok(item) = &mut answer {
            item.ttl = stored;
            after.items.insert(operation.id(), *item);
        }
        (after, answer)
    }

    /// Faults that do the right thing first and then something wrong with it.
    fn spoiled(
        self,
        world: &World,
        rules: Rules,
        request: &Request,
        right: (World, Response),
    ) -> (World, Response) {
        let (mut after, mut answer) = right;
        match (self.0, request, &mut answer) {
            (Fault::ReplaceKeepsTs, Request::Item(Operation::Replace { draft, .. }), Response::Ok(item)) => {
                item.ts = world.items[&draft.id].ts;
                after.items.insert(draft.id, *item);
            }
            (Fault::ReplaceKeepsTtl, Request::Item(Operation::Replace { draft, .. }), Response::Ok(item))
                if draft.ttl == Wire::Absent =>
            {
                item.ttl = world.items[&draft.id].ttl;
                after.items.insert(draft.id, *item);
            }
            (
                Fault::UpsertInheritsFromExpired,
                Request::Item(Operation::Upsert(draft)),
                Response::Created(item),
            ) if draft.ttl == Wire::Absent => {
                item.ttl = world.items.get(&draft.id).map_or(item.ttl, |old| old.ttl);
                after.items.insert(draft.id, *item);
            }
            (Fault::PatchDropsTtl, Request::Item(Operation::Patch { id, .. }), Response::Ok(item)) => {
                item.ttl = ItemTtl::Inherit;
                after.items.insert(*id, *item);
            }
            (Fault::ReadRestarts, Request::Item(Operation::Read(id)), Response::Found(_)) => {
                after.items.get_mut(id).unwrap().ts = world.now;
            }
            (Fault::WriteAgesOthers, Request::Item(Operation::Upsert(draft)), _) => {
                let others = after.items.iter_mut().filter(|(id, _)| **id != draft.id);
                others.for_each(|(_, item)| item.ts -= 1);
            }
            (Fault::SettingsTouchTs, _, Response::Configured) => {
                after.items.values_mut().for_each(|item| item.ts = world.now);
            }
            (Fault::SwitchingOffForgetsTtl, _, Response::Configured)
                if after.settings.default_ttl == DefaultTtl::Off =>
            {
                after.items.values_mut().for_each(|item| item.ttl = ItemTtl::Inherit);
            }
            (Fault::ConsistentIndexLags, _, Response::Configured)
                if after.settings.indexing == Indexing::Consistent =>
            {
                after.index = Index::Rebuilding;
            }
            (Fault::NoIndexIsAllowed, Request::Configure(draft), Response::Refused(_))
                if draft.indexing == Indexing::None =>
            {
                after.settings.indexing = Indexing::None;
                answer = Response::Configured;
            }
            (Fault::NullDefaultIsRefusedWhereItWasTwoSeconds, Request::Configure(draft), _)
                if draft.default_ttl == Wire::Null
                    && world.settings.default_ttl == DefaultTtl::Seconds(TtlSeconds::new(2).unwrap()) =>
            {
                after = world.clone();
                answer = Response::Refused(Refusal::BadRequest);
            }
            (
                Fault::RefusedWriteStores,
                Request::Item(Operation::Upsert(draft)),
                Response::Refused(Refusal::BadRequest),
            ) => {
                let kept = Draft { ttl: Wire::Absent, ..*draft };
                after = world.step(rules, &Request::Item(Operation::Upsert(kept))).0;
            }
            (Fault::BatchStopsHalfway, Request::Batch(operations), Response::Aborted { at, .. }) => {
                for operation in &operations[..*at] {
                    after = after.step(rules, &Request::Item(*operation)).0;
                }
            }
            (Fault::QueryShowsExpired, _, Response::Ids(ids)) => *ids = world.items.keys().copied().collect(),
            _ => {}
        }
        (after, answer)
    }
}

/// Runs the shipped step on a world whose items look otherwise, and takes the disguise off what it did not write.
fn disguised(
    world: &World,
    rules: Rules,
    request: &Request,
    disguise: impl Fn(Item) -> Item,
) -> (World, Response) {
    let mut masked = world.clone();
    masked.items.values_mut().for_each(|item| *item = disguise(*item));
    let (mut after, mut answer) = masked.step(rules, request);
    for (id, item) in &mut after.items {
        if masked.items.get(id) == Some(item) {
            *item = world.items[id];
        }
    }
    if let (Response::Found(found), Request::Item(Operation::Read(id))) = (&mut answer, request) {
        *found = world.items[id];
    }
    (after, answer)
}

fn older(item: Item, seconds: i64) -> Item {
    Item { ts: item.ts - seconds, ..item }
}

fn seconds(seconds: i64) -> ItemTtl {
    ItemTtl::Seconds(TtlSeconds::new(seconds).unwrap())
}

/// The item's `ttl`, or the default if that is shorter.
fn no_longer(ttl: ItemTtl, default_ttl: DefaultTtl) -> ItemTtl {
    match (ttl, default_ttl) {
        (ItemTtl::Seconds(own), DefaultTtl::Seconds(default)) => ItemTtl::Seconds(own.min(default)),
        _ => ttl,
    }
}

fn off_as_no_default(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    if world.settings.default_ttl != DefaultTtl::Off || matches!(request, Request::Configure(_)) {
        return world.step(rules, request);
    }
    let mut on = world.clone();
    on.settings.default_ttl = DefaultTtl::NoDefault;
    let (mut after, answer) = on.step(rules, request);
    after.settings = world.settings;
    (after, answer)
}

/// Runs a request as if time to live were off.
fn revived(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    let mut off = world.clone();
    off.settings.default_ttl = DefaultTtl::Off;
    let (mut after, answer) = off.step(rules, request);
    after.settings = world.settings;
    (after, answer)
}

fn zero_as_never(request: &Request) -> Request {
    match request {
        Request::Item(Operation::Create(draft)) if draft.ttl == Wire::Whole(0) => {
            Request::Item(Operation::Create(Draft { ttl: Wire::Whole(-1), ..*draft }))
        }
        other => other.clone(),
    }
}
