//! What happens next: drawn by chance, leaning to where the belief say that it gets interesting.
//!
//! Time goes to a second before, at, or after the deadline of some item; ids are rather those of items that are expired
//! or gone than new ones; whoever changes settings looks what came of it, more than once; every place has a swarm of
//! its own.

mod requests;
mod swarm;

use cosmos_ttl_model::container::World;
use cosmos_ttl_model::rule;

pub use self::swarm::{KINDS, Kind};

use self::swarm::Swarm;
use super::rng::Rng;
use super::script::{Action, Call};
use super::values;
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{About, Container, Document, Edition, Indexing, Opening, Removal, Request};

/// Draws what happens in one place.
#[derive(Debug)]
pub struct Generator {
    chance: Rng,
    swarm: Swarm,
    /// What was last written under each id.
    last: Vec<Option<Document>>,
    /// What a target does not offer, and is not asked for any more.
    avoid: Vec<Kind>,
    /// So many requests may be looks at what changed settings left.
    looks: u32,
    /// The property beside the setting that this place is fond of.
    fond: Option<(String, Literal)>,
    /// Nobody waits longer at once.
    patience_s: u64,
}

/// How many items a place has at most.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Nobody waits longer at once: lives of 68 years, some of them one after the other.
const LONGEST_S: i64 = 4_294_967_296;

impl Generator {
    /// The place that follows from this seed, at a target that does not offer these.
    pub fn new(seed: u64, avoid: &[Kind]) -> Self {
        let mut chance = Rng::new(seed);
        let swarm = Swarm::drawn(&mut chance);
        let fond = values::other(&mut chance);
        Self {
            chance,
            swarm,
            last: vec![None; NAMES.len()],
            avoid: avoid.to_vec(),
            looks: 0,
            fond,
            patience_s: u64::MAX,
        }
    }

    /// The same, where nobody waits longer at once.
    #[must_use]
    pub fn impatient(self, patience_s: u64) -> Self {
        Self { patience_s, ..self }
    }

    /// This is not offered.
    pub fn avoid(&mut self, kind: Kind) {
        self.avoid.push(kind);
    }

    /// How the place is opened.
    pub fn opening(&mut self, about: &About) -> Opening {
        // The latest edition is the one that most are of.
        let latest = about.editions.iter().max().copied().unwrap_or_default();
        let some = self.chance.of(&about.editions).copied().unwrap_or_default();
        let edition: Edition = if self.chance.percent(60) { latest } else { some };
        let removal: Option<Removal> = self.chance.of(&about.removals).copied();
        Opening::new(edition, removal)
    }

    /// After how many requests the place is given up.
    pub fn requests(&self) -> u32 {
        self.swarm.requests
    }

    /// The settings of a container.
    pub fn container(&mut self) -> Container {
        let Self { chance, swarm, .. } = self;
        let default_ttl = values::default(chance, swarm.container);
        let indexing = if !chance.percent(swarm.unindexed) {
            Indexing::Consistent
        } else if chance.percent(50) {
            Indexing::Lazy
        } else {
            Indexing::None
        };
        Container { default_ttl, indexing }
    }

    /// What happens next, and what kind of thing that is.
    pub fn next(&mut self, belief: &Belief) -> (Kind, Action) {
        if !belief.exists() {
            let request = Request::CreateContainer(self.container());
            return (Kind::Configure, Action::Call(Call::plain(request)));
        }
        let kind = self.kind(belief);
        match kind {
            Kind::Wait => {
                let wait = self.wait(belief.any());
                let rest = wait.checked_rem(self.patience_s).unwrap_or(0);
                let seconds = if self.patience_s < wait { rest } else { wait };
                (kind, Action::Wait(seconds.max(1)))
            }
            kind => (kind, Action::Call(self.ask(kind, belief, belief.any()))),
        }
    }

    fn kind(&mut self, belief: &Belief) -> Kind {
        let empty = belief.any().is_none_or(|world| world.items.is_empty());
        if empty && self.chance.percent(60) {
            return Kind::Create;
        }
        self.looks = self.looks.saturating_sub(1);
        if 0 < self.looks && self.chance.percent(50) {
            return Kind::Query;
        }
        // What is not offered is drawn again; after so many draws nothing is left but to look.
        for _ in 0..8_u8 {
            let place = self.chance.weighed(&self.swarm.weights);
            let kind = KINDS.get(place).copied().unwrap_or(Kind::Query);
            if !self.avoid.contains(&kind) {
                self.looks = if kind == Kind::Configure { 5 } else { self.looks };
                return kind;
            }
        }
        Kind::Read
    }

    /// To the deadline of some item, or a bit to either side; or just on.
    fn wait(&mut self, world: Option<&World>) -> u64 {
        let on = u64::from(self.chance.below(3)).saturating_add(1);
        let Some(world) = world else { return on };
        let count = u32::try_from(world.items.len()).unwrap_or(0);
        let place = usize::try_from(self.chance.below(count)).unwrap_or(0);
        let Some(item) = world.items.values().nth(place) else { return on };
        let around = i64::from(self.chance.below(3)).saturating_sub(1);
        match rule::deadline(world.lifetime(item), item.ts) {
            Some(deadline) => {
                let left = deadline.saturating_add(around).saturating_sub(world.now);
                match u64::try_from(left) {
                    Ok(left) if 0 < left && self.chance.percent(85) => left,
                    _ => on,
                }
            }
            // Whoever never expires is looked at after a very long time.
            None if self.chance.percent(4) => u64::try_from(LONGEST_S.saturating_add(around)).unwrap_or(on),
            None => on,
        }
    }
}
