//! Requests, drawn.

use cosmos_ttl_model::container::World;

use super::swarm::Kind;
use super::{Generator, NAMES};
use crate::script::Call;
use crate::values;
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Operation, Patch, Properties, Request};
use cosmos_ttl_harness::vector::Condition;

/// The verbs, of which one stands for all that a batch may do.
const IN_BATCH: [Kind; 9] = [
    Kind::Create,
    Kind::Create,
    Kind::Upsert,
    Kind::Replace,
    Kind::PatchTtl,
    Kind::PatchOther,
    Kind::PatchTtlAway,
    Kind::Read,
    Kind::Delete,
];

impl Generator {
    pub(super) fn ask(&mut self, kind: Kind, belief: &Belief, world: Option<&World>) -> Call {
        match kind {
            Kind::Batch => self.batch(belief, world),
            Kind::Query | Kind::Wait => Call::plain(Request::Query),
            Kind::List => Call::plain(Request::List),
            Kind::Count => Call::plain(Request::Count),
            Kind::Configure => Call::plain(Request::ReplaceContainer(self.container())),
            kind => {
                let (operation, condition) = self.operation(kind, belief, world);
                let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
                Call { request: Request::Item(operation), conditions }
            }
        }
    }

    fn batch(&mut self, belief: &Belief, world: Option<&World>) -> Call {
        let count = self.chance.below(3).saturating_add(1);
        let mut operations = Vec::new();
        let mut conditions = Vec::new();
        for number in 0..usize::try_from(count).unwrap_or(1) {
            let kind = self.chance.of(&IN_BATCH).copied().unwrap_or(Kind::Read);
            let kind = if self.avoid.contains(&kind) { Kind::Read } else { kind };
            let (operation, condition) = self.operation(kind, belief, world);
            operations.push(operation);
            conditions.extend(condition.map(|condition| (number, condition)));
        }
        Call { request: Request::Batch(operations), conditions }
    }

    fn operation(
        &mut self,
        kind: Kind,
        belief: &Belief,
        world: Option<&World>,
    ) -> (Operation, Option<Condition>) {
        let (place, name) = self.name(kind, belief, world);
        let id = || name.to_owned();
        let operation = match kind {
            Kind::Create => Operation::Create(self.document(place, name)),
            Kind::Upsert => Operation::Upsert(self.document(place, name)),
            Kind::Replace => Operation::Replace(self.document(place, name), None),
            Kind::PatchTtl => {
                let mut set = Properties::new();
                let ttl = values::value(&mut self.chance, self.swarm.item);
                set.extend(ttl.map(|ttl| ("ttl".to_owned(), ttl)));
                if self.chance.percent(30) {
                    self.content(&mut set);
                }
                Operation::Patch(Patch { id: id(), set, remove: Vec::new() }, None)
            }
            Kind::PatchOther => {
                let mut set = Properties::new();
                self.content(&mut set);
                Operation::Patch(Patch { id: id(), set, remove: Vec::new() }, None)
            }
            // Only where there is one: what it answers otherwise is no matter of time to live.
            Kind::PatchTtlAway if belief.carries(name, "ttl") => {
                let remove = vec!["ttl".into()];
                Operation::Patch(Patch { id: id(), set: Properties::new(), remove }, None)
            }
            Kind::Delete => Operation::Delete(id(), None),
            _ => Operation::Read(id()),
        };
        let conditional =
            matches!(operation, Operation::Replace(..) | Operation::Patch(..) | Operation::Delete(..));
        let condition = (conditional && self.chance.percent(self.swarm.conditions))
            .then(|| if self.chance.percent(50) { Condition::Seen } else { Condition::Stale });
        (operation, condition.filter(|condition| belief.etag(name, *condition).is_some()))
    }

    /// Whom it is about: rather an item that is hidden, or for a create one that is not visible.
    fn name(&mut self, kind: Kind, belief: &Belief, world: Option<&World>) -> (usize, &'static str) {
        let mut drawn = 0;
        for _ in 0..3_u8 {
            drawn = usize::try_from(self.chance.below(self.swarm.items)).unwrap_or(0);
            let name = NAMES.get(drawn).copied().unwrap_or("a");
            let number = belief.number(name);
            let visible = number.zip(world).is_some_and(|(id, world)| world.visible(id).is_some());
            let expired = number.zip(world).is_some_and(|(id, world)| world.expired(id).is_some());
            let wanted = match kind {
                Kind::Create => !visible,
                _ => visible || expired,
            };
            if wanted || (expired && self.chance.percent(50)) || self.chance.percent(15) {
                break;
            }
        }
        (drawn, NAMES.get(drawn).copied().unwrap_or("a"))
    }

    fn document(&mut self, place: usize, name: &str) -> Document {
        if self.chance.percent(15)
            && let Some(Some(same)) = self.last.get(place)
        {
            return same.clone();
        }
        let mut properties = Properties::new();
        self.content(&mut properties);
        let ttl = values::setting(&mut self.chance, self.swarm.item);
        // What only looks like a setting is rather taken for one where there is none.
        let others = if ttl.is_none() { self.swarm.others } else { self.swarm.others / 4 };
        if self.chance.percent(others) {
            properties.extend(self.fond.clone());
        }
        properties.extend(ttl.map(|ttl| ("ttl".to_owned(), ttl)));
        let document = Document { id: name.into(), properties };
        if let Some(last) = self.last.get_mut(place) {
            *last = Some(document.clone());
        }
        document
    }

    fn content(&mut self, properties: &mut Properties) {
        let value = i64::from(self.chance.below(3)).saturating_add(1);
        properties.insert("value".into(), Literal::from(value));
    }
}
