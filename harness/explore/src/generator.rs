//! Draws the next action by chance, leaning to where it gets interesting by what is known of the session.
//!
//! Time goes to a second before, at, or after the deadline of some item. Ids are rather those of items that are expired
//! or gone than new ones. After a change of settings come looks at what it did. Each session has its own swarm.

use std::collections::BTreeMap;

use cosmos_ttl_model::container::World;
use cosmos_ttl_model::rule::{self, Ttl};

use super::script::{Action, Call};
use super::swarm::{self, ActionKind, CONTENT, Rng, Swarm};
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    About, Container, Document, Indexing, Opening, Operation, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;

/// Draws the actions of one session.
#[derive(Debug)]
pub struct Generator {
    rng: Rng,
    swarm: Swarm,
    /// The content last written under each id.
    last: BTreeMap<&'static str, Document>,
    /// The kinds of action that the target does not offer; they are not sent any more.
    avoid: Vec<ActionKind>,
    /// How many of the next requests may be looks at what changed settings left.
    looks: u32,
    /// The property, other than the setting, that this session prefers.
    fond: Option<(String, Literal)>,
}

/// The ids of the items.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The longest wait, if nothing expires: lives of 68 years, some of them one after the other.
const LONGEST_S: i64 = 4_294_967_296;

/// How many of [`ActionKind::ALL`] are verbs, which a batch may hold; they come first.
const VERBS: usize = 8;

impl Generator {
    /// Returns the generator that follows from this seed, for a target that does not offer these.
    pub fn new(seed: u64, avoid: &[ActionKind]) -> Self {
        let mut rng = Rng::new(seed);
        let swarm = Swarm::drawn(&mut rng);
        let fond = rng.of(&CONTENT).cloned();
        Self { rng, swarm, last: BTreeMap::new(), avoid: avoid.to_vec(), looks: 0, fond }
    }

    /// Draws this no more.
    pub fn avoid(&mut self, kind: ActionKind) {
        self.avoid.push(kind);
    }

    /// Draws how the session is opened.
    pub fn opening(&mut self, about: &About) -> Opening {
        // The latest edition is the one that most are of.
        let latest = about.editions.iter().max().copied().unwrap_or_default();
        let some = self.rng.of(&about.editions).copied().unwrap_or_default();
        let edition = if self.rng.percent(60) { latest } else { some };
        Opening::new(edition, self.rng.of(&about.removals).copied())
    }

    /// Returns how many requests the session has.
    pub fn requests(&self) -> u32 {
        self.swarm.requests
    }

    fn container(&mut self) -> Container {
        let Self { rng, swarm, .. } = self;
        let default_ttl = swarm::default(rng, swarm.container);
        let indexing = if !rng.percent(swarm.unindexed) {
            Indexing::Consistent
        } else if rng.percent(50) {
            Indexing::Lazy
        } else {
            Indexing::None
        };
        Container { default_ttl, indexing }
    }

    /// Draws the next action, and says what kind it is.
    pub fn next(&mut self, belief: &Belief) -> (ActionKind, Action) {
        if !belief.exists() {
            let request = Request::CreateContainer(self.container());
            return (ActionKind::Configure, Action::Call(Call::plain(request)));
        }
        let kind = self.kind(belief);
        if kind != ActionKind::Wait {
            return (kind, Action::Call(self.call(kind, belief)));
        }
        (kind, Action::Wait(self.wait_s(belief.any()).max(1)))
    }

    fn kind(&mut self, belief: &Belief) -> ActionKind {
        let empty = belief.any().is_none_or(|world| world.items.is_empty());
        if empty && self.rng.percent(60) {
            return ActionKind::Create;
        }
        self.looks = self.looks.saturating_sub(1);
        if self.looks > 0 && self.rng.percent(50) {
            return ActionKind::Query;
        }
        // What is not offered is drawn again; after so many draws nothing is left but to look.
        for _ in 0..8_u8 {
            let number = self.rng.weighed(&self.swarm.weights);
            let kind = ActionKind::ALL.get(number).copied().unwrap_or(ActionKind::Query);
            if !self.avoid.contains(&kind) {
                self.looks = if kind == ActionKind::Configure { 5 } else { self.looks };
                return kind;
            }
        }
        ActionKind::Read
    }

    /// To the deadline of some item, or a bit to either side; or just on.
    fn wait_s(&mut self, world: Option<&World>) -> u64 {
        let on = 1 + u64::from(self.rng.below(3));
        let Some(world) = world else { return on };
        let number = self.rng.index(world.items.len());
        let Some(item) = world.items.values().nth(number) else { return on };
        let around = i64::from(self.rng.below(3)) - 1;
        let wait_s = match rule::lifetime(world.settings.default_ttl, item.ttl) {
            Ttl::Seconds(seconds) => {
                let left = item.ts.saturating_add(seconds).saturating_add(around).saturating_sub(world.now);
                (left > 0 && self.rng.percent(85)).then_some(left)
            }
            // An item that never expires is looked at after a very long time.
            Ttl::Forever => self.rng.percent(4).then_some(LONGEST_S + around),
        };
        wait_s.and_then(|wait_s| u64::try_from(wait_s).ok()).unwrap_or(on)
    }

    fn call(&mut self, kind: ActionKind, belief: &Belief) -> Call {
        match kind {
            ActionKind::Batch => self.batch(belief),
            ActionKind::Query | ActionKind::Wait => Call::plain(Request::Query),
            ActionKind::List => Call::plain(Request::List),
            ActionKind::Count => Call::plain(Request::Count),
            ActionKind::Configure => Call::plain(Request::ReplaceContainer(self.container())),
            kind => {
                let (operation, condition) = self.operation(kind, belief);
                let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
                Call { request: Request::Item(operation), conditions }
            }
        }
    }

    fn batch(&mut self, belief: &Belief) -> Call {
        let (mut operations, mut conditions) = (Vec::new(), Vec::new());
        for number in 0..=self.rng.index(3) {
            // A create comes twice as often as each other verb.
            let kind = ActionKind::ALL.get(self.rng.index(VERBS + 1).saturating_sub(1)).copied();
            let kind = kind.filter(|kind| !self.avoid.contains(kind)).unwrap_or(ActionKind::Read);
            let (operation, condition) = self.operation(kind, belief);
            operations.push(operation);
            conditions.extend(condition.map(|condition| (number, condition)));
        }
        Call { request: Request::Batch(operations), conditions }
    }

    fn operation(&mut self, kind: ActionKind, belief: &Belief) -> (Operation, Option<Condition>) {
        let name = self.name(kind, belief);
        let mut patch = Patch { id: name.into(), set: Properties::new(), remove: Vec::new() };
        let operation = match kind {
            ActionKind::Create => Operation::Create(self.document(name)),
            ActionKind::Upsert => Operation::Upsert(self.document(name)),
            ActionKind::Replace => Operation::Replace(self.document(name), None),
            ActionKind::PatchTtl => {
                let ttl = swarm::value(&mut self.rng, self.swarm.item);
                patch.set.extend(ttl.map(|ttl| ("ttl".into(), ttl)));
                if self.rng.percent(30) {
                    patch.set.extend([self.content()]);
                }
                Operation::Patch(patch, None)
            }
            ActionKind::PatchOther => {
                patch.set.extend([self.content()]);
                Operation::Patch(patch, None)
            }
            // Only where there is one: what it answers otherwise is no matter of time to live.
            ActionKind::PatchTtlAway if belief.carries(name, "ttl") => {
                patch.remove.push("ttl".into());
                Operation::Patch(patch, None)
            }
            ActionKind::Delete => Operation::Delete(patch.id, None),
            _ => Operation::Read(patch.id),
        };
        let condition = (operation.takes_etag() && self.rng.percent(self.swarm.conditions))
            .then(|| if self.rng.percent(50) { Condition::Seen } else { Condition::Stale });
        (operation, condition.filter(|condition| belief.etag(name, *condition).is_some()))
    }

    /// Whom it is about: rather an item that is hidden, or for a create one that is not visible.
    fn name(&mut self, kind: ActionKind, belief: &Belief) -> &'static str {
        let mut name = "a";
        for _ in 0..3_u8 {
            name = NAMES.get(self.rng.index(self.swarm.items)).copied().unwrap_or("a");
            let item = belief.number(name).zip(belief.any());
            let visible = item.is_some_and(|(id, world)| world.visible(id).is_some());
            let expired = item.is_some_and(|(id, world)| world.expired(id).is_some());
            let wanted = if kind == ActionKind::Create { !visible } else { visible || expired };
            if wanted || (expired && self.rng.percent(50)) || self.rng.percent(15) {
                break;
            }
        }
        name
    }

    fn document(&mut self, name: &'static str) -> Document {
        if self.rng.percent(15)
            && let Some(same) = self.last.get(name)
        {
            return same.clone();
        }
        let mut properties = Properties::from([self.content()]);
        let ttl = swarm::setting(&mut self.rng, self.swarm.item);
        // What only looks like a setting is rather taken for one where there is none.
        let others = if ttl.is_none() { self.swarm.others } else { self.swarm.others / 4 };
        if self.rng.percent(others) {
            properties.extend(self.fond.clone());
        }
        properties.extend(ttl.map(|ttl| ("ttl".into(), ttl)));
        let document = Document { id: name.into(), properties };
        self.last.insert(name, document.clone());
        document
    }

    fn content(&mut self) -> (String, Literal) {
        ("value".into(), Literal::from(1 + i64::from(self.rng.below(3))))
    }
}
