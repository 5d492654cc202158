//! What may come of an operation in a world, each with the answer.

use cosmos_ttl_model::container::{self as model, ItemId, Rules};
use cosmos_ttl_model::interpretation::{
    ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation, InvalidWhileOff,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Wire};

use super::hypothesis::Hypothesis;
use super::observations::{Observations, Translated};
use cosmos_ttl_harness::target::{Etag, Operation};

/// A world after an operation, and what was answered.
pub(super) type Successor = (Hypothesis, model::Response);

/// What is asked of one item.
pub(super) struct One<'r> {
    pub(super) edition: Edition,
    pub(super) id: ItemId,
    pub(super) operation: &'r Operation,
    pub(super) translated: Translated,
}

impl<'r> One<'r> {
    /// `None` where there are too many items to tell apart.
    pub(super) fn new(known: &mut Observations, edition: Edition, operation: &'r Operation) -> Option<Self> {
        let id = known.number(operation.id())?;
        Some(Self { edition, id, operation, translated: Translated::default() })
    }

    /// Everything that may come of it in this world.
    pub(super) fn outcomes(&mut self, known: &mut Observations, from: &Hypothesis, all: &mut Vec<Successor>) {
        if from.is_open(self.id) {
            let mut stored = from.clone();
            stored.settle(self.id);
            self.known_to_be(known, &stored, all);
            self.known_to_be(known, &from.without(self.id), all);
        } else {
            self.known_to_be(known, from, all);
        }
    }

    fn known_to_be(&mut self, known: &mut Observations, from: &Hypothesis, all: &mut Vec<Successor>) {
        let operation = known.operation(&from.world, self.id, self.operation, &mut self.translated);
        match required(self.operation) {
            None => self.chosen(from, operation, all),
            Some(etag) => {
                for if_match in matching(known, from, self.id, etag).into_iter().flatten() {
                    self.chosen(from, with_condition(operation, if_match), all);
                }
            }
        }
    }

    /// Every choice that makes a difference here.
    fn chosen(&self, from: &Hypothesis, operation: model::Operation, all: &mut Vec<Successor>) {
        let Self { edition, id, .. } = *self;
        let open = self.open_choices(from, &operation);
        let [fractions, invalid, ..] = open;
        let before = all.len();
        for pick in picks(open) {
            let [accepts, stores, ..] = pick;
            let mut next = answered(from, rules(edition, pick), id, operation);
            if 1 < fractions.len() {
                next.0.fraction = from.fraction.made(id, accepts);
            }
            if 1 < invalid.len() {
                next.0.invalid = from.invalid.made(id, stores);
            }
            all.push(next);
        }
        if 1 < all.len().saturating_sub(before) {
            forget_idle_choices(from, before, all);
        }
        self.latched(from, before, all);
    }

    /// What may still be chosen: `item-integral-fraction`, `item-invalid-while-off`, `expired-upsert-status` and
    /// `expired-precondition`, each only where it matters.
    fn open_choices(&self, from: &Hypothesis, operation: &model::Operation) -> Open {
        let Self { edition, id, .. } = *self;
        let sent = Observations::sent(operation);
        let visible = from.world.visible(id).is_some();
        let off = from.world.settings.default_ttl == DefaultTtl::Off;
        let fractions = match sent {
            Some(Wire::WholeAsFraction(_)) => from.fraction.open(id),
            _ => &[false],
        };
        let invalid = match sent {
            Some(wire) if off && ItemTtl::from_wire(wire, edition).is_err() => from.invalid.open(id),
            _ => &[false],
        };
        let upserts = matches!(operation, model::Operation::Upsert(_));
        let conditional = required(self.operation).is_some();
        [fractions, invalid, free(upserts && !visible), free(conditional && !visible)]
    }

    /// Of an item that is gone since settings changed something may still be stored, hidden: then an upsert may say that
    /// it replaced it (`expired-upsert-status`).
    fn latched(&self, from: &Hypothesis, before: usize, all: &mut Vec<Successor>) {
        if !from.latched.has(self.id) || !matches!(self.operation, Operation::Upsert(_)) {
            return;
        }
        for number in before..all.len() {
            if let Some((next, model::Response::Created(item))) = all.get(number) {
                let other = (next.clone(), model::Response::Ok(*item));
                all.push(other);
            }
        }
    }
}

/// Both values of a choice that binds nothing, where it matters.
fn free(matters: bool) -> &'static [bool] {
    if matters { &[false, true] } else { &[false] }
}

/// Of each choice the values that it may have.
type Open = [&'static [bool]; 4];

/// Every combination of them.
fn picks([one, two, three, four]: Open) -> impl Iterator<Item = [bool; 4]> {
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

fn answered(from: &Hypothesis, rules: Rules, id: ItemId, operation: model::Operation) -> Successor {
    let (world, response) = from.world.step(rules, &model::Request::Item(operation));
    let mut next = Hypothesis { world, ..*from };
    if matches!(response, model::Response::Created(_) | model::Response::Ok(_) | model::Response::NoContent) {
        next.renew(id);
    }
    (next, response)
}

/// The etag that an operation requires.
pub(super) fn required(operation: &Operation) -> Option<&Etag> {
    match operation {
        Operation::Replace(_, etag) | Operation::Patch(_, etag) | Operation::Delete(_, etag) => etag.as_ref(),
        Operation::Create(_) | Operation::Upsert(_) | Operation::Read(_) => None,
    }
}

/// What an etag of the target may be in the model: that of the item as it stands, or another. Where the target has not
/// shown the item since it was written, nobody knows.
fn matching(known: &Observations, from: &Hypothesis, id: ItemId, etag: &Etag) -> [Option<model::Etag>; 2] {
    const OTHER: model::Etag = model::Etag(u32::MAX);
    let Some(item) = from.world.items.get(&id) else { return [Some(OTHER), None] };
    match known.shown(item.etag) {
        Some(shown) if shown == etag => [Some(item.etag), None],
        Some(_) => [Some(OTHER), None],
        None => [Some(item.etag), Some(OTHER)],
    }
}

fn with_condition(operation: model::Operation, etag: model::Etag) -> model::Operation {
    let if_match = Some(etag);
    match operation {
        model::Operation::Replace { draft, .. } => model::Operation::Replace { draft, if_match },
        model::Operation::Patch { id, ttl, content, .. } => {
            model::Operation::Patch { id, ttl, content, if_match }
        }
        model::Operation::Delete { id, .. } => model::Operation::Delete { id, if_match },
        other => other,
    }
}

/// Where both values of a choice come to the same, it was not made.
fn forget_idle_choices(from: &Hypothesis, before: usize, all: &mut Vec<Successor>) {
    let mut at = before;
    while let Some((one, answer)) = all.get(at) {
        let same = |(other, other_answer): &Successor| {
            other_answer == answer
                && other.world == one.world
                && (other.fraction == one.fraction || other.invalid == one.invalid)
        };
        let later = at.saturating_add(1);
        let twin = all.iter().skip(later).position(same).map(|number| later.saturating_add(number));
        let Some(twin) = twin else {
            at = later;
            continue;
        };
        let (other, _) = all.remove(twin);
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
