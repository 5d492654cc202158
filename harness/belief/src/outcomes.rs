//! What a hypothesis may respond to a request, and what it is afterwards.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Body, Container, Etag, Indexing, Operation, Response, Status};
use cosmos_ttl_model::container::{self as model, Index, ItemId, Rules, World};
use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Wire};
use cosmos_ttl_reference::translate::refused;
use cosmos_ttl_reference::{settings, status};

use super::hypothesis::{Hypothesis, ItemSet, MOST_ITEMS, Observations, OpenClause};

/// A hypothesis after an operation, and the response.
pub(crate) type Successor = (Hypothesis, model::Response);

/// A request about one item.
pub(crate) struct ItemRequest<'r> {
    edition: Edition,
    pub(crate) id: ItemId,
    operation: &'r Operation,
    /// Only what the clauses allow, and nothing beyond that.
    strict: bool,
    /// The operation in the model, if it is the same in all hypotheses.
    translated: Option<model::Operation>,
}

impl<'r> ItemRequest<'r> {
    /// `None` if there are too many items to tell apart.
    pub(crate) fn new(known: &mut Observations, operation: &'r Operation, strict: bool) -> Option<Self> {
        let id = known.names.number_or_new(operation.id());
        let named = known.names.ids().len() <= MOST_ITEMS;
        let edition = known.edition;
        named.then_some(Self { edition, id, operation, strict, translated: None })
    }

    /// Adds everything that a hypothesis may become in which the item is not open.
    pub(crate) fn outcomes(&mut self, known: &mut Observations, from: &Hypothesis, all: &mut Vec<Successor>) {
        let operation = self.translated(known, from);
        match required(self.operation) {
            None => self.chosen(from, operation, all),
            Some(etag) => {
                for etag in self.matching(known, from, etag).into_iter().flatten() {
                    self.chosen(from, with_condition(operation, etag), all);
                }
            }
        }
    }

    fn translated(&mut self, known: &mut Observations, from: &Hypothesis) -> model::Operation {
        if let Some(translated) = self.translated {
            return translated;
        }
        let old = |id: ItemId| from.world.visible(id).map(|item| item.content);
        let translated = known.names.operation(self.operation, old);
        if !matches!(self.operation, Operation::Patch(..)) {
            self.translated = Some(translated);
        }
        translated
    }

    /// Returns what an etag of the target may be in the model: that of the stored item, or another. Both are possible
    /// if the target has not shown the item since it was written.
    fn matching(&self, known: &Observations, from: &Hypothesis, etag: &Etag) -> [Option<model::Etag>; 2] {
        const OTHER: model::Etag = model::Etag(u32::MAX);
        let Some(item) = from.world.items.get(&self.id) else { return [Some(OTHER), None] };
        match known.shown(item.etag) {
            Some(shown) if shown == etag => [Some(item.etag), None],
            None if !self.strict => [Some(item.etag), Some(OTHER)],
            Some(_) | None => [Some(OTHER), None],
        }
    }

    /// Takes every choice that makes a difference.
    fn chosen(&self, from: &Hypothesis, operation: model::Operation, all: &mut Vec<Successor>) {
        let Self { edition, id, .. } = *self;
        let open = self.open_choices(from, &operation);
        let [fractions, invalid, ..] = open;
        let before = all.len();
        for pick in picks(open) {
            let [accepts, stores, ..] = pick;
            let (world, response) = from.world.step(rules(edition, pick), &model::Request::Item(operation));
            let mut next = Hypothesis { world, ..*from };
            if !matches!(response, model::Response::Found(_) | model::Response::Refused(_)) {
                next.renew(id);
            }
            if fractions.len() > 1 {
                next.fraction = from.fraction.with(id, accepts);
            }
            if invalid.len() > 1 {
                next.invalid = from.invalid.with(id, stores);
            }
            all.push((next, response));
        }
        if all.len() - before > 1 {
            forget_idle_choices(from, before, all);
        }
        if !self.strict && from.latched.has(id) && matches!(self.operation, Operation::Upsert(_)) {
            // Something of an item that is gone since settings changed may still be stored, hidden: then an upsert may
            // say that it replaced it (`expired-upsert-status`).
            for number in before..all.len() {
                if let Some((next, model::Response::Created(item))) = all.get(number) {
                    let other = (next.clone(), model::Response::Ok(*item));
                    all.push(other);
                }
            }
        }
    }

    /// What may still be chosen: `item-integral-fraction`, `item-invalid-while-off`, `expired-upsert-status` and
    /// `expired-precondition`, each only where it matters.
    fn open_choices(&self, from: &Hypothesis, operation: &model::Operation) -> OpenValues {
        let free = |matters: bool| -> &'static [bool] { if matters { &[false, true] } else { &[false] } };
        let Self { edition, id, .. } = *self;
        let sent = sent_ttl(operation);
        let hidden = from.world.visible(id).is_none();
        let off = from.world.settings.default_ttl == DefaultTtl::Off;
        let fractions = match sent {
            Some(Wire::WholeAsFraction(_)) => from.fraction.values(id),
            _ => &[false],
        };
        let invalid = match sent {
            Some(wire) if off && ItemTtl::from_wire(wire, edition).is_err() => from.invalid.values(id),
            _ => &[false],
        };
        let upserts = matches!(operation, model::Operation::Upsert(_));
        [fractions, invalid, free(upserts && hidden), free(required(self.operation).is_some() && hidden)]
    }

    /// The choice that binds nothing and that this response shows, with its value.
    pub(crate) fn free_choice(
        &self,
        from: &Hypothesis,
        response: &model::Response,
    ) -> Option<(OpenClause, bool)> {
        use model::{Refusal, Response};
        if from.world.visible(self.id).is_some() {
            return None;
        }
        match (self.operation, response) {
            (Operation::Upsert(_), Response::Created(_)) if from.world.items.contains_key(&self.id) => {
                Some((OpenClause::ExpiredUpsert, false))
            }
            (Operation::Upsert(_), Response::Ok(_)) => Some((OpenClause::ExpiredUpsert, true)),
            (operation, Response::Refused(refusal)) if required(operation).is_some() => match refusal {
                Refusal::NotFound => Some((OpenClause::ExpiredPrecondition, false)),
                Refusal::PreconditionFailed => Some((OpenClause::ExpiredPrecondition, true)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// For each choice the values that it may have.
type OpenValues = [&'static [bool]; 4];

/// Every combination of values.
fn picks([one, two, three, four]: OpenValues) -> impl Iterator<Item = [bool; 4]> {
    let pairs = one.iter().flat_map(move |a| two.iter().map(move |b| (*a, *b)));
    pairs.flat_map(move |(a, b)| three.iter().flat_map(move |c| four.iter().map(move |d| [a, b, *c, *d])))
}

fn rules(edition: Edition, [accepts, stores, replaces, fails]: [bool; 4]) -> Rules {
    let mut interpretation = Interpretation::default();
    if accepts {
        interpretation.integral_fraction = IntegralFraction::Accepted;
    }
    if stores {
        interpretation.invalid_while_off = InvalidWhileOff::Stored;
    }
    if replaces {
        interpretation.expired_upsert = ExpiredUpsert::Replaced;
    }
    if fails {
        interpretation.expired_precondition = ExpiredPrecondition::PreconditionFailed;
    }
    Rules { edition, interpretation }
}

/// The `ttl` that a write sends.
fn sent_ttl(operation: &model::Operation) -> Option<Wire> {
    match operation {
        model::Operation::Create(draft)
        | model::Operation::Upsert(draft)
        | model::Operation::Replace { draft, .. } => Some(draft.ttl),
        model::Operation::Patch { ttl: model::TtlChange::Set(wire), .. } => Some(*wire),
        _ => None,
    }
}

/// The etag that an operation requires.
fn required(operation: &Operation) -> Option<&Etag> {
    match operation {
        Operation::Replace(_, etag) | Operation::Patch(_, etag) | Operation::Delete(_, etag) => etag.as_ref(),
        Operation::Create(_) | Operation::Upsert(_) | Operation::Read(_) => None,
    }
}

fn with_condition(mut operation: model::Operation, etag: model::Etag) -> model::Operation {
    if let model::Operation::Replace { if_match, .. }
    | model::Operation::Patch { if_match, .. }
    | model::Operation::Delete { if_match, .. } = &mut operation
    {
        *if_match = Some(etag);
    }
    operation
}

/// Where both values of a choice lead to the same, it was not made.
fn forget_idle_choices(from: &Hypothesis, before: usize, all: &mut Vec<Successor>) {
    let mut at = before;
    while let Some((one, response)) = all.get(at) {
        let same = |(other, other_response): &Successor| {
            other_response == response
                && other.world == one.world
                && (other.fraction == one.fraction || other.invalid == one.invalid)
        };
        let Some(twin) = all.iter().skip(at + 1).position(same) else {
            at += 1;
            continue;
        };
        let (other, _) = all.remove(at + 1 + twin);
        if let Some((one, _)) = all.get_mut(at) {
            if one.fraction != other.fraction {
                one.fraction = from.fraction;
            }
            if one.invalid != other.invalid {
                one.invalid = from.invalid;
            }
        }
        // What is the same as another now may be the same as a third.
        at = before;
    }
}

/// What became of a hypothesis in a batch, up to one of its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchRow {
    pub(crate) after: Hypothesis,
    pub(crate) statuses: Vec<Status>,
    /// The last operation was refused.
    pub(crate) refused: bool,
    /// The items whose fate was decided on the way: whether they are gone.
    pub(crate) fates: Vec<(ItemId, bool)>,
    pub(crate) choices: BTreeMap<OpenClause, bool>,
}

impl BatchRow {
    /// The number of the last operation.
    pub(crate) fn at(&self) -> usize {
        self.statuses.len().saturating_sub(1)
    }

    /// The hypothesis as if nothing of the batch had happened; only what it showed of choices is kept.
    pub(crate) fn undone(&self, from: &Hypothesis) -> Hypothesis {
        Hypothesis { fraction: self.after.fraction, invalid: self.after.invalid, ..from.clone() }
    }
}

/// Takes the operations of a batch one after the other, each by itself because each may be of another item, and so under
/// another choice. Only the rows go on for which `keeps` returns `true`.
pub(crate) fn batch(
    known: &mut Observations,
    from: &Hypothesis,
    operations: &[Operation],
    strict: bool,
    mut keeps: impl FnMut(&BatchRow) -> bool,
) -> Vec<BatchRow> {
    let (statuses, fates, choices) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut rows = vec![BatchRow { after: from.clone(), statuses, refused: false, fates, choices }];
    for operation in operations {
        let Some(mut asked) = ItemRequest::new(known, operation, strict) else { return Vec::new() };
        let mut next: Vec<BatchRow> = Vec::new();
        for row in &rows {
            for (from, gone) in row.after.fates(asked.id) {
                let mut all = Vec::new();
                asked.outcomes(known, &from, &mut all);
                for (after, response) in all {
                    let refused = matches!(response, model::Response::Refused(_));
                    let (fates, choices) = (row.fates.clone(), row.choices.clone());
                    let mut row = BatchRow { after, statuses: row.statuses.clone(), refused, fates, choices };
                    row.statuses.push(status(&response));
                    row.fates.extend(gone.map(|gone| (asked.id, gone)));
                    if let Some((clause, value)) = asked.free_choice(&from, &response) {
                        *row.choices.entry(clause).or_default() |= value;
                    }
                    if keeps(&row) && !next.contains(&row) {
                        next.push(row);
                    }
                }
            }
        }
        rows = next;
    }
    rows
}

/// Returns everything that may come of making a container, or of replacing its settings.
pub(crate) fn configured(
    known: &Observations,
    from: &Hypothesis,
    container: &Container,
    creates: bool,
) -> Vec<(Hypothesis, Status)> {
    let draft = settings(container);
    let nulls = match from.null {
        _ if draft.default_ttl != Wire::Null => vec![None],
        Some(null) => vec![Some(null)],
        None => vec![Some(ContainerNull::Off), Some(ContainerNull::Rejected)],
    };
    let changed = |null: Option<ContainerNull>| {
        let container_null = null.unwrap_or_default();
        let interpretation = Interpretation { container_null, ..Default::default() };
        let rules = Rules { edition: known.edition, interpretation };
        let made = if creates {
            World::new(rules, from.world.now, draft).map(|world| (world, Status::Created))
        } else {
            match from.world.step(rules, &model::Request::Configure(draft)) {
                (_, model::Response::Refused(refusal)) => Err(refusal),
                (world, _) => Ok((world, Status::Ok)),
            }
        };
        let (mut next, status) = match made {
            Ok((world, status)) => (Hypothesis { world, ..*from }, status),
            Err(refusal) => {
                return (Hypothesis { null: null.or(from.null), ..from.clone() }, refused(refusal));
            }
        };
        next.unsure = from.world.expired_ids().fold(from.unsure, ItemSet::with);
        next.null = null.or(from.null);
        (next, status)
    };
    nulls.into_iter().map(changed).collect()
}

/// Returns whether the target only says that its account offers no lazy index (`indexed-modes-allow-ttl`).
pub(crate) fn offers_no_lazy(known: &Observations, container: &Container, response: &Response) -> bool {
    container.indexing == Indexing::Lazy && !known.offers_lazy && response.status == Status::BadRequest
}

/// Returns the hypothesis after a query or a list with this response, if it responds so.
pub(crate) fn listed(known: &Observations, from: &Hypothesis, response: &Response) -> Option<Hypothesis> {
    let Body::Ids(names) = &response.body else { return None };
    if response.status != Status::Ok {
        return None;
    }
    let mut shown: Vec<ItemId> = names.iter().map(|name| known.names.number(name)).collect::<Option<_>>()?;
    shown.sort_unstable();
    // An item that is listed twice hides one that is not.
    if shown.windows(2).any(|pair| pair.first() == pair.last()) {
        return None;
    }
    let lags = from.world.index == Index::Rebuilding;
    let mut next = from.clone();
    for id in from.open_ids() {
        if shown.contains(&id) {
            next.settle(id);
        } else if !lags {
            next.lose(id);
        }
    }
    let rules = Rules { edition: known.edition, ..Rules::default() };
    let (_, model::Response::Ids(visible)) = next.world.step(rules, &model::Request::Query) else {
        return None;
    };
    // `lazy-index-may-lag`: while the index is rebuilt, a query may be incomplete.
    let agrees = if lags { shown.iter().all(|id| visible.contains(id)) } else { shown == visible };
    agrees.then_some(next)
}

/// Returns the least and the greatest number that this hypothesis may count (`expired-in-aggregates`, `reappearance`).
pub(crate) fn count_bounds(known: &Observations, from: &Hypothesis) -> (u64, u64) {
    let count = |hypothesis: &Hypothesis, aggregates| {
        let interpretation = Interpretation { aggregates, ..Interpretation::default() };
        match hypothesis
            .world
            .step(Rules { edition: known.edition, interpretation }, &model::Request::Count)
            .1
        {
            model::Response::Count(count) => u64::try_from(count).unwrap_or(u64::MAX),
            _ => 0,
        }
    };
    let mut fewest = from.clone();
    from.open_ids().for_each(|id| fewest.lose(id));
    let least = match from.world.index {
        Index::Rebuilding => 0,
        Index::Ready => count(&fewest, Aggregates::Excluded),
    };
    (least, count(from, Aggregates::Counted) + u64::from(from.latched.count()))
}

/// Returns the hypothesis after a count with this response, if it responds so.
pub(crate) fn counted(known: &Observations, from: &Hypothesis, response: &Response) -> Option<Hypothesis> {
    let Body::Count(count) = response.body else { return None };
    let (least, most) = count_bounds(known, from);
    if response.status != Status::Ok || !(least..=most).contains(&count) {
        return None;
    }
    let mut next = from.clone();
    if count == least && from.world.index == Index::Ready {
        // Whatever is visible is counted.
        from.open_ids().for_each(|id| next.lose(id));
    }
    Some(next)
}
