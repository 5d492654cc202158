//! A world of the model with the choices made in it, what it may respond to a request, and what it is afterwards.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::reference::translate::status;
use crate::reference::{Names, settings};
use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::target::{Container, Etag, Operation, Request, Status};
use cosmos_ttl_model::choices::{Binds, Choose, OpenChoice, Path, every};
use cosmos_ttl_model::container::{self as model, ItemId, World};

/// The most items of a session.
pub(crate) const MOST_ITEMS: usize = 2_000;

/// Choices that were made, each with the item that raised the question and the answer.
pub(crate) type MadeChoices = BTreeMap<(OpenChoice, Option<ItemId>), bool>;

/// A possible hidden state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hypothesis {
    /// Nothing was ever removed from it.
    pub(crate) world: World,
    /// Items that were expired when settings changed: each of them may be gone (`reappearance`).
    pub(crate) unsure: BTreeSet<ItemId>,
    /// Items that turned out to be gone, and of which something may still be stored.
    pub(crate) latched: BTreeSet<ItemId>,
    /// The choices that bind.
    pub(crate) made: MadeChoices,
}

impl Hypothesis {
    pub(crate) fn new(world: World) -> Self {
        let (unsure, latched, made) = Default::default();
        Self { world, unsure, latched, made }
    }

    /// Adds what [`Observations::split`] took away.
    pub(crate) fn join(&mut self, elsewhere: &Elsewhere) {
        self.world.items.extend(elsewhere.items.clone());
        self.unsure.extend(&elsewhere.unsure);
        self.latched.extend(&elsewhere.latched);
    }

    /// Whether a client that looks at this item would learn if it is gone.
    pub(crate) fn is_open(&self, id: ItemId) -> bool {
        self.unsure.contains(&id) && self.world.visible(id).is_some()
    }

    /// The items of which a client would learn if they are gone.
    pub(crate) fn open_ids(&self) -> impl Iterator<Item = ItemId> {
        self.unsure.iter().copied().filter(|id| self.world.visible(*id).is_some())
    }

    /// The item is gone or there for certain. A gone item was removed when it was expired, before settings changed:
    /// [`World::remove`] at that time. Nothing that came since was about it, or it would be settled, so it is as well
    /// removed now.
    pub(crate) fn decide(&mut self, id: ItemId, gone: bool) {
        self.unsure.remove(&id);
        if gone {
            self.world.items.remove(&id);
            self.latched.insert(id);
        }
    }

    /// The hypothesis with the fate of this item decided, if it is open: back, or else gone.
    pub(crate) fn fates(&self, id: ItemId) -> impl Iterator<Item = (Cow<'_, Self>, Option<bool>)> {
        let decided = |gone: bool| {
            let mut one = self.clone();
            one.decide(id, gone);
            (Cow::Owned(one), Some(gone))
        };
        let is_open = self.is_open(id);
        let as_it_is = (!is_open).then_some((Cow::Borrowed(self), None));
        let fates = is_open.then(|| [false, true].map(decided));
        as_it_is.into_iter().chain(fates.into_iter().flatten())
    }

    /// Returns all that may come of doing this to the world. Where several ways lead to the same, only those choices were
    /// made that are the same on all of them.
    pub(crate) fn ways<T: PartialEq>(&self, run: impl Fn(&mut World, &mut dyn Choose) -> T) -> Vec<Way<T>> {
        let tried = every(|path| {
            let mut world = self.world.clone();
            let response = run(&mut world, &mut BoundChoices { made: &self.made, path });
            (world, response)
        });
        let mut ways: Vec<Way<T>> = Vec::new();
        for (made, (world, response)) in tried {
            let made: MadeChoices = made.into_iter().map(|one| ((one.choice, one.item), one.yes)).collect();
            let same = |way: &&mut Way<T>| way.response == response && way.world == world;
            match ways.iter_mut().find(same) {
                Some(way) => way.made.retain(|key, yes| made.get(key) == Some(yes)),
                None => ways.push(Way { world, response, made }),
            }
        }
        ways
    }
}

/// The part of a hypothesis that a request about another partition leaves alone.
#[derive(Default)]
pub(crate) struct Elsewhere {
    items: BTreeMap<ItemId, model::Item>,
    unsure: BTreeSet<ItemId>,
    latched: BTreeSet<ItemId>,
}

/// One of the things that may come of a request.
pub(crate) struct Way<T> {
    pub(crate) world: World,
    pub(crate) response: T,
    /// The choices that it shows.
    pub(crate) made: MadeChoices,
}

/// Answers as a choice binds, or else both ways.
struct BoundChoices<'a> {
    made: &'a MadeChoices,
    path: &'a mut Path,
}

impl Choose for BoundChoices<'_> {
    fn choose(&mut self, choice: OpenChoice, item: Option<ItemId>) -> bool {
        match self.made.get(&(choice, item)) {
            Some(yes) => *yes,
            // An index that is rebuilt answers everything that another may answer.
            None if choice == OpenChoice::IndexIsRebuilt => true,
            None => self.path.choose(choice, item),
        }
    }
}

/// What the target has shown so far, in whatever hypothesis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observations {
    pub(crate) names: Names,
    /// The etag that was last shown for each write. A write has the same number in every hypothesis that has made it.
    pub(crate) writes: BTreeMap<model::Etag, Etag>,
    pub(crate) etags: EtagLog<ItemId>,
    /// The second that the target's clock shows at second 0 of the model.
    pub(crate) origin: Option<i64>,
    /// The target took a lazy index before.
    pub(crate) offers_lazy: bool,
}

impl Observations {
    /// Divides a hypothesis into what a request is about, which is one partition or everything, and the rest.
    pub(crate) fn split<'h>(
        &self,
        request: &Request,
        from: &'h Hypothesis,
    ) -> (Cow<'h, Hypothesis>, Elsewhere) {
        let mut elsewhere = Elsewhere::default();
        if request.container().is_some() || !self.names.is_divided() {
            return (Cow::Borrowed(from), elsewhere);
        }
        let is_here = |id: ItemId| self.names.is_here(id);
        let divided = |ids: &BTreeSet<ItemId>| ids.iter().copied().partition(|id| is_here(*id));
        let mut here = from.clone();
        let items = std::mem::take(&mut here.world.items);
        (here.world.items, elsewhere.items) = items.into_iter().partition(|(id, _)| is_here(*id));
        (here.unsure, elsewhere.unsure) = divided(&from.unsure);
        (here.latched, elsewhere.latched) = divided(&from.latched);
        (Cow::Owned(here), elsewhere)
    }
}

/// A possible result of an operation.
pub(crate) struct Successor {
    /// The hypothesis after it.
    pub(crate) after: Hypothesis,
    pub(crate) response: model::Response,
    /// The choices that it shows and that bind nothing.
    pub(crate) free: MadeChoices,
}

/// A request about one item.
pub(crate) struct ItemRequest<'r> {
    pub(crate) id: ItemId,
    operation: &'r Operation,
    /// Whether what is done with an invalid value binds its item (`item-invalid-while-off`), as in vectors.
    binds_invalid: bool,
    /// The operation in the model, if it is the same in all hypotheses.
    translated: Option<model::Operation>,
}

impl<'r> ItemRequest<'r> {
    /// `None` if there are too many items to tell apart.
    pub(crate) fn new(
        known: &mut Observations,
        operation: &'r Operation,
        binds_invalid: bool,
    ) -> Option<Self> {
        let id = known.names.number_or_new(operation.id());
        let named = known.names.count() <= MOST_ITEMS;
        named.then_some(Self { id, operation, binds_invalid, translated: None })
    }

    /// Adds everything that a hypothesis may become in which the item is not open.
    pub(crate) fn outcomes(&mut self, known: &mut Observations, from: &Hypothesis, all: &mut Vec<Successor>) {
        let mut operation = self.translated.unwrap_or_else(|| {
            let old = |id: ItemId| from.world.visible(id).map(|item| item.content);
            known.names.operation(self.operation, old)
        });
        if !matches!(self.operation, Operation::Patch(..)) {
            self.translated = Some(operation);
        }
        let Some(etag) = self.operation.etag() else { return self.operate(from, operation, all) };
        for etag in self.matching(known, from, etag).into_iter().flatten() {
            if let model::Operation::Replace { if_match, .. }
            | model::Operation::Patch { if_match, .. }
            | model::Operation::Delete { if_match, .. } = &mut operation
            {
                *if_match = Some(etag);
            }
            self.operate(from, operation, all);
        }
    }

    /// Returns what an etag of the target may be in the model: that of the stored item, or another. Both are possible
    /// if the target has not shown the item since it was written.
    fn matching(&self, known: &Observations, from: &Hypothesis, etag: &Etag) -> [Option<model::Etag>; 2] {
        const OTHER: model::Etag = model::Etag(u32::MAX);
        let Some(item) = from.world.items.get(&self.id) else { return [Some(OTHER), None] };
        match known.writes.get(&item.etag) {
            Some(shown) if shown == etag => [Some(item.etag), None],
            None => [Some(item.etag), Some(OTHER)],
            Some(_) => [Some(OTHER), None],
        }
    }

    /// Adds everything that the model's relation allows.
    fn operate(&self, from: &Hypothesis, operation: model::Operation, all: &mut Vec<Successor>) {
        use model::Response::{Created, Found, Ok, Refused};
        for way in from.ways(|world, choose| world.operate(operation, choose)) {
            let response = way.response.unwrap_or_else(Refused);
            let mut after = Hypothesis { world: way.world, ..from.clone() };
            if !matches!(response, Found(_) | Refused(_)) {
                // It was written or deleted: what was not known of it does not matter any more.
                after.unsure.remove(&self.id);
                after.latched.remove(&self.id);
            }
            let (mut bound, free): (MadeChoices, _) =
                way.made.into_iter().partition(|((choice, _), _)| choice.binds() != Binds::Nothing);
            // What a target does with one wrong value says nothing of another one: it may refuse numbers, and store text. A
            // vector sends one value to each item.
            bound.retain(|(choice, _), _| self.binds_invalid || *choice != OpenChoice::WrongTtlIsStored);
            after.made.append(&mut bound);
            // Something of an item that is gone since settings changed may still be stored, hidden.
            let replaced = match response {
                Created(item) if self.is_latched_upsert(from) => Some(Successor {
                    after: after.clone(),
                    response: Ok(item),
                    free: [((OpenChoice::ExpiredIsReplaced, Some(self.id)), true)].into(),
                }),
                _ => None,
            };
            all.push(Successor { after, response, free });
            all.extend(replaced);
        }
    }

    fn is_latched_upsert(&self, from: &Hypothesis) -> bool {
        from.latched.contains(&self.id) && matches!(self.operation, Operation::Upsert(_))
    }
}

/// Returns everything that may come of making a container, or of replacing its settings.
pub(crate) fn configured(
    from: &Hypothesis,
    container: &Container,
    creates: bool,
) -> Vec<(Hypothesis, Status)> {
    let draft = settings(container);
    let ways = from.ways(|world, choose| {
        if !creates {
            return status(&world.answer(&model::Request::Configure(draft), choose));
        }
        match World::new(world.now, draft, choose) {
            Ok(new) => {
                *world = new;
                Status::Created
            }
            Err(refusal) => status(&model::Response::Refused(refusal)),
        }
    });
    let after = |Way { world, response, mut made }: Way<Status>| {
        let mut after = Hypothesis { world, ..from.clone() };
        if response.is_success() {
            after.unsure.extend(from.world.expired_ids());
        }
        made.retain(|(choice, _), _| choice.binds() != Binds::Nothing);
        after.made.append(&mut made);
        (after, response)
    };
    ways.into_iter().map(after).collect()
}

/// Returns the least and the greatest number that this hypothesis may count (`expired-in-aggregates`, `reappearance`).
pub(crate) fn count_bounds(known: &Observations, from: &Hypothesis) -> (usize, usize) {
    let (mut fewest, mut greatest) = (usize::MAX, 0);
    for way in from.ways(|world, choose| world.answer(&model::Request::Count, choose)) {
        let model::Response::Count { least, most } = way.response else { continue };
        fewest = fewest.min(least);
        // Whatever was ever named may still be in an index that lags.
        let most = most.map_or(known.names.count(), |most| most.saturating_add(from.latched.len()));
        greatest = greatest.max(most);
    }
    (fewest.saturating_sub(from.open_ids().count()), greatest)
}
