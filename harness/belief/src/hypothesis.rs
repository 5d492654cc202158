//! A world of the model with the choices made in it, what it may respond to a request, and what it is afterwards.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::target::{Container, Etag, Operation, Status};
use cosmos_ttl_model::container::{
    self as model, Index, ItemId, Refusal, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, RefusalOrder,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Wire};
use cosmos_ttl_reference::translate::{refused, ttl_change, wire};
use cosmos_ttl_reference::{Names, settings};

/// The most items of a session.
pub(crate) const MOST_ITEMS: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemSet(u64);

impl ItemSet {
    pub(crate) fn has(self, id: ItemId) -> bool {
        self.0 & bit(id) != 0
    }

    pub(crate) fn with(self, id: ItemId) -> Self {
        Self(self.0 | bit(id))
    }

    pub(crate) fn without(self, id: ItemId) -> Self {
        Self(self.0 & !bit(id))
    }

    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }
}

fn bit(id: ItemId) -> u64 {
    1_u64.checked_shl(id.0).unwrap_or(0)
}

/// A choice that is made item by item and binds the item: the usual value or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemChoice {
    made: ItemSet,
    other: ItemSet,
}

impl ItemChoice {
    /// Whether the other value was chosen for this item; `None` if nothing was.
    pub(crate) fn made(self, id: ItemId) -> Option<bool> {
        self.made.has(id).then(|| self.other.has(id))
    }

    /// The values that are possible for this item.
    pub(crate) fn values(self, id: ItemId) -> &'static [bool] {
        match self.made(id) {
            Some(false) => &[false],
            Some(true) => &[true],
            None => &[false, true],
        }
    }

    pub(crate) fn with(self, id: ItemId, other: bool) -> Self {
        Self { made: self.made.with(id), other: if other { self.other.with(id) } else { self.other } }
    }
}

/// A possible hidden state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hypothesis {
    /// Nothing was ever removed from it.
    pub(crate) world: World,
    /// Items that were expired when settings changed: each of them may be gone (`reappearance`).
    pub(crate) unsure: ItemSet,
    /// Items that turned out to be gone, and of which something may still be stored.
    pub(crate) latched: ItemSet,
    /// `container-null-is-off`
    pub(crate) null: Option<ContainerNull>,
    /// `item-integral-fraction`
    pub(crate) fraction: ItemChoice,
    /// `item-invalid-while-off`
    pub(crate) invalid: ItemChoice,
    /// Items with a `ttl` that is not allowed, stored while the container was off.
    pub(crate) unallowed: ItemSet,
}

impl Hypothesis {
    pub(crate) fn new(world: World) -> Self {
        let (unsure, latched, unallowed) = Default::default();
        let (fraction, invalid) = (ItemChoice::default(), ItemChoice::default());
        Self { world, unsure, latched, null: None, fraction, invalid, unallowed }
    }

    /// Whether a client that looks at this item would learn if it is gone.
    pub(crate) fn is_open(&self, id: ItemId) -> bool {
        self.unsure.has(id) && self.world.visible(id).is_some()
    }

    /// The items of which a client would learn if they are gone.
    pub(crate) fn open_ids(&self) -> impl Iterator<Item = ItemId> {
        self.world.visible_ids().filter(|id| self.unsure.has(*id))
    }

    /// The item is gone or there for certain. A gone item was removed when it was expired, before settings changed:
    /// [`World::remove`] at that time. Nothing that came since was about it, or it would be settled, so it is as well
    /// removed now.
    pub(crate) fn decide(&mut self, id: ItemId, gone: bool) {
        self.unsure = self.unsure.without(id);
        if gone {
            self.world.items.remove(&id);
            self.latched = self.latched.with(id);
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
}

/// A clause that leaves a target two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenClause {
    /// The id of the clause.
    pub id: &'static str,
    /// The values of the clause, the usual one first.
    pub values: [&'static str; 2],
    /// Whether one choice holds from then on, for an item or for the whole target.
    pub binds: bool,
}

impl OpenClause {
    /// Whether a query may miss items while a lazy index is rebuilt.
    pub const LAZY_INDEX: Self = Self::new("lazy-index-may-lag", ["complete", "incomplete"], false);
    pub(crate) const CONTAINER_NULL: Self = Self::new("container-null-is-off", ["off", "rejected"], true);
    pub(crate) const AGGREGATES: Self = Self::new("expired-in-aggregates", ["excluded", "counted"], false);
    pub(crate) const EXPIRED_PRECONDITION: Self =
        Self::new("expired-precondition", ["not-found", "precondition-failed"], false);
    pub(crate) const EXPIRED_UPSERT: Self =
        Self::new("expired-upsert-status", ["created", "replaced"], false);
    pub(crate) const INTEGRAL_FRACTION: Self =
        Self::new("item-integral-fraction", ["rejected", "accepted"], true);
    pub(crate) const INVALID_WHILE_OFF: Self =
        Self::new("item-invalid-while-off", ["rejected", "stored"], true);
    pub(crate) const REAPPEARANCE: Self = Self::new("reappearance", ["back", "gone"], true);
    pub(crate) const REFUSAL_ORDER: Self = Self::new("refusal-order", ["first", "later"], false);

    const fn new(id: &'static str, values: [&'static str; 2], binds: bool) -> Self {
        Self { id, values, binds }
    }
}

/// The facts that all hypotheses share: the edition, and what the target has shown so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observations {
    pub(crate) edition: Edition,
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
    pub(crate) fn rules(&self, interpretation: Interpretation) -> Rules {
        Rules { edition: self.edition, interpretation }
    }
}

/// A possible result of an operation.
pub(crate) struct Successor {
    /// The hypothesis after it.
    pub(crate) after: Hypothesis,
    pub(crate) response: model::Response,
    /// Whether the later of two refusals was answered (`refusal-order`); `None` if that makes no difference.
    pub(crate) later: Option<bool>,
}

impl Successor {
    /// The same where the item that was written never expires; `None` if it was not written without a setting.
    fn never_expiring(&self, id: ItemId) -> Option<Self> {
        use model::Response::{Created, Ok};
        let (Created(_) | Ok(_)) = self.response else { return None };
        let mut after = self.after.clone();
        let item = after.world.items.get_mut(&id).filter(|item| item.ttl == ItemTtl::Inherit)?;
        item.ttl = ItemTtl::Never;
        Some(Self { after, response: self.response.clone(), later: self.later })
    }
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
        let named = known.names.ids().len() <= MOST_ITEMS;
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
        let Some(etag) = self.operation.etag() else { return self.choose(known, from, operation, all) };
        for etag in self.matching(known, from, etag).into_iter().flatten() {
            if let model::Operation::Replace { if_match, .. }
            | model::Operation::Patch { if_match, .. }
            | model::Operation::Delete { if_match, .. } = &mut operation
            {
                *if_match = Some(etag);
            }
            self.choose(known, from, operation, all);
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

    /// Takes every choice that makes a difference: `item-integral-fraction`, `item-invalid-while-off`,
    /// `expired-upsert-status`, `expired-precondition` and `refusal-order`, each only where it matters.
    fn choose(
        &self,
        known: &Observations,
        from: &Hypothesis,
        operation: model::Operation,
        all: &mut Vec<Successor>,
    ) {
        let id = self.id;
        let sent = wire(self.operation.ttl());
        let off = from.world.settings.default_ttl == DefaultTtl::Off;
        let fractions = match sent {
            Wire::WholeAsFraction(_) => from.fraction.values(id),
            _ => &[false],
        };
        let is_setting = ItemTtl::from_wire(sent, known.edition).is_ok();
        // What a target does with one value says nothing of another one: it may refuse numbers, and store text. A vector sends
        // one value to each item.
        let binds = self.binds_invalid;
        let invalid = match off && !is_setting {
            true if binds => from.invalid.values(id),
            true => &[false, true],
            false => &[false],
        };
        let hidden = from.world.visible(id).is_none();
        let free = |applies: bool| -> &[bool] { if applies && hidden { &[false, true] } else { &[false] } };
        let is_upsert = matches!(self.operation, Operation::Upsert(_));
        let conditional = free(self.operation.etag().is_some());
        let before = all.len();
        let take = |[accepts, stores, replaces, fails_first]: [bool; 4], refusal_order| {
            let mut pick = Interpretation { refusal_order, ..Interpretation::default() };
            if accepts {
                pick.integral_fraction = IntegralFraction::Accepted;
            }
            if stores {
                pick.invalid_while_off = InvalidWhileOff::Stored;
            }
            if replaces {
                pick.expired_upsert = ExpiredUpsert::Replaced;
            }
            if fails_first {
                pick.expired_precondition = ExpiredPrecondition::PreconditionFailed;
            }
            let (world, response) = from.world.step(known.rules(pick), &model::Request::Item(operation));
            let mut next = Hypothesis { world, ..*from };
            if !matches!(response, model::Response::Found(_) | model::Response::Refused(_)) {
                // It was written or deleted: what was not known of it does not matter any more.
                next.unsure = next.unsure.without(id);
                next.latched = next.latched.without(id);
                next.unallowed = match (is_setting, self.keeps_ttl()) {
                    (false, _) if stores => next.unallowed.with(id),
                    (_, true) => next.unallowed,
                    (_, false) => next.unallowed.without(id),
                };
            }
            if fractions.len() > 1 {
                next.fraction = from.fraction.with(id, accepts);
            }
            if binds && invalid.len() > 1 {
                next.invalid = from.invalid.with(id, stores);
            }
            Successor { after: next, response, later: None }
        };
        for fraction in fractions {
            for invalid in invalid {
                for upsert in free(is_upsert) {
                    for etag in conditional {
                        let choices = [*fraction, *invalid, *upsert, *etag];
                        let first = take(choices, RefusalOrder::First);
                        let later = (!is_setting).then(|| take(choices, RefusalOrder::Later));
                        match later.filter(|later| later.response != first.response) {
                            None => all.push(first),
                            Some(later) => all.extend([
                                Successor { later: Some(false), ..first },
                                Successor { later: Some(true), ..later },
                            ]),
                        }
                    }
                }
            }
        }
        forget_idle_choices(from, before, all);
        if from.latched.has(id) && is_upsert {
            // Something of an item that is gone since settings changed may still be stored, hidden: then an upsert may
            // say that it replaced it (`expired-upsert-status`).
            for number in before..all.len() {
                if let Some(Successor { after, response: model::Response::Created(item), .. }) =
                    all.get(number)
                {
                    let (after, response) = (after.clone(), model::Response::Ok(*item));
                    all.push(Successor { after, response, later: None });
                }
            }
        }
        if !off && from.unallowed.has(id) && self.keeps_ttl() {
            // Nothing says whether a patch is taken that leaves such a `ttl` in the item.
            let refused = model::Response::Refused(Refusal::BadRequest);
            all.push(Successor { after: from.clone(), response: refused, later: None });
        }
        if off && !is_setting {
            // What the value means once the container is on is open: nothing, as the model has it, or never to expire.
            let stored = all.get(before..).unwrap_or_default();
            let never = stored.iter().filter_map(|one| one.never_expiring(id)).collect::<Vec<_>>();
            all.extend(never);
        }
    }

    /// Whether it is a patch that leaves the `ttl` of its item as it is.
    fn keeps_ttl(&self) -> bool {
        matches!(self.operation, Operation::Patch(patch, _) if ttl_change(patch) == TtlChange::Keep)
    }

    /// The choices that bind nothing and that this shows, each with its value.
    pub(crate) fn free_choices(
        &self,
        from: &Hypothesis,
        shown: &Successor,
    ) -> impl Iterator<Item = (OpenClause, bool)> + use<> {
        let order = shown.later.map(|later| (OpenClause::REFUSAL_ORDER, later));
        self.hidden_choice(from, &shown.response).into_iter().chain(order)
    }

    /// The choice that a response about an item shows that is not visible.
    fn hidden_choice(&self, from: &Hypothesis, response: &model::Response) -> Option<(OpenClause, bool)> {
        use model::Response::{Created, Ok, Refused};
        if from.world.visible(self.id).is_some() {
            return None;
        }
        match (self.operation, response) {
            (Operation::Upsert(_), Created(_)) if from.world.items.contains_key(&self.id) => {
                Some((OpenClause::EXPIRED_UPSERT, false))
            }
            (Operation::Upsert(_), Ok(_)) => Some((OpenClause::EXPIRED_UPSERT, true)),
            (_, Refused(Refusal::NotFound)) if self.operation.etag().is_some() => {
                Some((OpenClause::EXPIRED_PRECONDITION, false))
            }
            (_, Refused(Refusal::PreconditionFailed)) => Some((OpenClause::EXPIRED_PRECONDITION, true)),
            _ => None,
        }
    }
}

/// Where both values of a choice lead to the same, it was not made.
fn forget_idle_choices(from: &Hypothesis, before: usize, all: &mut Vec<Successor>) {
    let is_same = |one: &Successor, other: &Successor| {
        other.response == one.response
            && other.after.world == one.after.world
            && (other.after.fraction == one.after.fraction || other.after.invalid == one.after.invalid)
    };
    // What is the same as another may then be the same as a third.
    while let Some((at, twin)) = all.iter().enumerate().skip(before).find_map(|(at, one)| {
        let twin = all.iter().skip(at + 1).position(|other| is_same(one, other));
        Some((at, at + 1 + twin?))
    }) {
        let Successor { after: other, later, .. } = all.remove(twin);
        if let Some(Successor { after: one, later: same, .. }) = all.get_mut(at) {
            *same = same.filter(|same| later == Some(*same));
            if one.fraction != other.fraction {
                one.fraction = from.fraction;
            }
            if one.invalid != other.invalid {
                one.invalid = from.invalid;
            }
        }
    }
}

/// Returns everything that may come of making a container, or of replacing its settings.
pub(crate) fn configured(
    known: &Observations,
    from: &Hypothesis,
    container: &Container,
    creates: bool,
) -> Vec<(Hypothesis, Status)> {
    let draft = settings(container);
    let ways = match (draft.default_ttl, from.null) {
        // No clause says whether 2.0 is the whole number 2.
        (Wire::WholeAsFraction(number), _) => {
            vec![(draft, None), (SettingsDraft { default_ttl: Wire::Whole(number), ..draft }, None)]
        }
        (Wire::Null, Some(null)) => vec![(draft, Some(null))],
        (Wire::Null, None) => {
            vec![(draft, Some(ContainerNull::Off)), (draft, Some(ContainerNull::Rejected))]
        }
        _ => vec![(draft, None)],
    };
    let changed = |(draft, null): (SettingsDraft, Option<ContainerNull>)| {
        let container_null = null.unwrap_or_default();
        let rules = known.rules(Interpretation { container_null, ..Interpretation::default() });
        let made = if creates {
            World::new(rules, from.world.now, draft).map(|world| (world, Status::Created))
        } else {
            match from.world.step(rules, &model::Request::Configure(draft)) {
                (_, model::Response::Refused(refusal)) => Err(refusal),
                (world, _) => Ok((world, Status::Ok)),
            }
        };
        let null = null.or(from.null);
        match made {
            Err(refusal) => (Hypothesis { null, ..from.clone() }, refused(refusal)),
            Ok((mut world, status)) => {
                // No document says whether settings that are sent again, as they are, build the index again.
                let begins = !creates && draft.indexing == model::Indexing::Lazy;
                if begins || from.world.index == Index::Rebuilding {
                    world.index = Index::Rebuilding;
                }
                let unsure = from.world.expired_ids().fold(from.unsure, ItemSet::with);
                (Hypothesis { world, unsure, null, ..*from }, status)
            }
        }
    };
    ways.into_iter().map(changed).collect()
}

/// Returns the least and the greatest number that this hypothesis may count (`expired-in-aggregates`, `reappearance`).
pub(crate) fn count_bounds(known: &Observations, from: &Hypothesis) -> (u64, u64) {
    let count = |hypothesis: &Hypothesis, aggregates| {
        let rules = known.rules(Interpretation { aggregates, ..Interpretation::default() });
        match hypothesis.world.step(rules, &model::Request::Count).1 {
            model::Response::Count(count) => u64::try_from(count).unwrap_or(u64::MAX),
            _ => 0,
        }
    };
    let mut fewest = from.clone();
    from.open_ids().for_each(|id| fewest.decide(id, true));
    let least = match from.world.index {
        Index::Rebuilding => 0,
        Index::Ready => count(&fewest, Aggregates::Excluded),
    };
    let most = count(from, Aggregates::Counted) + u64::from(from.latched.count());
    match from.world.index {
        // Whatever was ever stored may still be in it.
        Index::Rebuilding => (least, most.max(known.names.ids().len().try_into().unwrap_or(u64::MAX))),
        Index::Ready => (least, most),
    }
}
