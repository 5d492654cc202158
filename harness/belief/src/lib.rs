//! All the worlds that may be, as far as a client knows that has seen these answers.
//!
//! A world is a world of the model, which also takes every step; nothing here decides what is right. Beside it stands
//! what it has chosen where the documents leave a choice, and what nobody has seen yet. An answer that a world would not
//! give rules that world out. Where none is left, the target answered what the model never does.
//!
//! Removal is never seen, so it is thought of as late as hypothesis: an expired item stays in its world and may be gone at
//! any time. Only a change of settings makes a difference of it, since whatever is expired then may come back or not;
//! from there on such an item is unsure, until an answer tells. A choice that binds an item is kept with its world for
//! the place, as vectors keep it; one that binds nothing is free in every answer; one that binds the target is kept by
//! whoever plays several places.
//!
//! Allowed beyond what the clauses say, so that no right store is ever accused:
//! - a count may be anything between what is certainly visible and what may be stored, in each answer anew;
//! - while a lazy index is built anew, a look may miss any item;
//! - an item that turned out to be gone may still be stored, hidden: counts and the status of an upsert may show it;
//! - what binds the target binds it in each place anew, so that every place can be played again alone;
//! - what an aborted batch told of unsure items is forgotten;
//! - a condition on an item whose etag nobody saw since it was written may hold or not.

mod batch;
mod compare;
mod hypothesis;
mod observations;
mod outcomes;
mod queries;
mod settings;
mod words;

pub use words::answered;

use cosmos_ttl_model::container::World;
use cosmos_ttl_model::interpretation::ContainerNull;
use cosmos_ttl_model::rule;

use self::hypothesis::Hypothesis;
use self::observations::Observations;
use self::outcomes::{One, Successor};
use cosmos_ttl_harness::observation_window::ClockInterval;
use cosmos_ttl_harness::target::{Body, Container, Edition, Etag, Indexing, Operation, Request, Response};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_reference as reference;

/// An answer that no world gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What may be answered, in words.
    pub expected: String,
    /// What was, in words; text from the target in it is bounded and still to be escaped.
    pub got: String,
}

/// The worlds that may be.
#[derive(Clone, Debug)]
pub struct Belief {
    edition: rule::Edition,
    /// There is a container.
    exists: bool,
    hypotheses: Vec<Hypothesis>,
    known: Observations,
    spare: Vec<Successor>,
}

/// More worlds than so many are not kept apart: whoever plays gives the place up.
const MOST_WORLDS: usize = 256;

impl Belief {
    /// An empty place under this edition, its clock at second 0; what that is by the target's clock is seen from the
    /// first `_ts`.
    pub fn new(edition: Edition) -> Self {
        Self::at(edition, 0, None)
    }

    /// The same by a clock that runs by itself, which shows this second.
    pub fn since(edition: Edition, now: i64) -> Self {
        Self::at(edition, now, Some(0))
    }

    fn at(edition: Edition, now: i64, origin: Option<i64>) -> Self {
        let edition = reference::edition(edition);
        let draft = reference::settings(&Container::default());
        let empty = World::new(cosmos_ttl_model::container::Rules::default(), now, draft);
        Self {
            edition,
            exists: false,
            hypotheses: empty.into_iter().map(Hypothesis::new).collect(),
            known: Observations::since(origin),
            spare: Vec::new(),
        }
    }

    /// Whether there is a container.
    pub fn exists(&self) -> bool {
        self.exists
    }

    /// Whether there are too many worlds to go on with.
    pub fn is_crowded(&self) -> bool {
        MOST_WORLDS < self.hypotheses.len()
    }

    /// How many worlds there are.
    pub fn count(&self) -> usize {
        self.hypotheses.len()
    }

    /// Of how many items nobody knows whether they are back or gone.
    pub fn unsure(&self) -> usize {
        self.hypotheses.first().map_or(0, |hypothesis| hypothesis.open_ids().count())
    }

    /// One of the worlds, to look where it gets interesting.
    pub fn any(&self) -> Option<&World> {
        self.hypotheses.first().map(|hypothesis| &hypothesis.world)
    }

    /// The number of an id in the worlds, if it was named before.
    pub fn number(&self, name: &str) -> Option<cosmos_ttl_model::container::ItemId> {
        self.known.id(name)
    }

    /// Whether this property is there for certain, if the item is: what it answers to take away what is not there is no
    /// matter of time to live.
    pub fn carries(&self, name: &str, property: &str) -> bool {
        let Some(id) = self.known.id(name) else { return true };
        let carries = |hypothesis: &Hypothesis| {
            let content =
                hypothesis.world.items.get(&id).and_then(|item| self.known.properties(item.content));
            content.is_none_or(|properties| properties.contains_key(property))
        };
        self.hypotheses.iter().all(carries)
    }

    /// What the target takes a container's null for, where it has shown it: a choice that binds it everywhere.
    pub fn container_null(&self) -> Option<ContainerNull> {
        let null = self.hypotheses.first()?.null;
        null.filter(|_| self.hypotheses.iter().all(|hypothesis| hypothesis.null == null))
    }

    /// The etag that a condition means; `None` where the target has shown none such.
    pub fn etag(&self, id: &str, condition: Condition) -> Option<&Etag> {
        self.known.meant(id, condition)
    }

    /// So many seconds pass.
    pub fn pass(&mut self, seconds: u64) {
        for hypothesis in &mut self.hypotheses {
            hypothesis.world = hypothesis.world.pass(seconds);
        }
    }

    /// Of a clock that runs by itself: what is asked next is dealt with in one of these seconds. Says `false` where no
    /// world can be there, which is the clock's doing and nobody else's.
    pub fn reach(&mut self, window: &ClockInterval) -> bool {
        let mut reached: Vec<Hypothesis> = Vec::new();
        for hypothesis in &self.hypotheses {
            let from = hypothesis.world.now.max(*window.start());
            for now in from..=*window.end() {
                let seconds = u64::try_from(now.saturating_sub(hypothesis.world.now)).unwrap_or(0);
                let next = Hypothesis { world: hypothesis.world.pass(seconds), ..*hypothesis };
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        let any = !reached.is_empty();
        if any {
            self.hypotheses = reached;
        }
        any
    }

    /// Keeps the worlds that answer so; the request carries the etags that it was sent with.
    ///
    /// # Errors
    ///
    /// [`Contradiction`] where none does; then all stay as they were.
    pub fn observe(&mut self, request: &Request, response: &Response) -> Result<(), Contradiction> {
        let mut next = Vec::with_capacity(self.hypotheses.len());
        let before = std::mem::take(&mut self.hypotheses);
        for from in &before {
            self.follow(from, request, response, &mut next);
        }
        if 1 < next.len() {
            distinct(&mut next);
        }
        if next.is_empty() {
            self.hypotheses = before;
            return Err(self.differs(request, response));
        }
        self.hypotheses = next;
        self.learn(request, response);
        Ok(())
    }

    /// Adds the worlds that this one may have become.
    fn follow(
        &mut self,
        from: &Hypothesis,
        request: &Request,
        response: &Response,
        next: &mut Vec<Hypothesis>,
    ) {
        let edition = self.edition;
        match request {
            Request::Item(operation) => self.operated(from, operation, response, next),
            Request::Batch(operations) => {
                batch::batch(&mut self.known, edition, from, (operations, response), next);
            }
            Request::Query | Request::List => {
                next.extend(queries::listed(&self.known, edition, from, response));
            }
            Request::Count => next.extend(queries::counted(edition, from, response)),
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                let changed = match request {
                    Request::CreateContainer(_) => settings::created(edition, from, container),
                    _ => settings::replaced(edition, from, container),
                };
                let before = next.len();
                let fits = changed.into_iter().filter(|(_, status)| *status == response.status);
                next.extend(fits.map(|(hypothesis, _)| hypothesis));
                if next.len() == before && settings::offers_no_lazy(&self.known, container, response) {
                    next.push(from.clone());
                }
            }
        }
    }

    fn operated(
        &mut self,
        from: &Hypothesis,
        operation: &Operation,
        response: &Response,
        next: &mut Vec<Hypothesis>,
    ) {
        let Some(mut one) = One::new(&mut self.known, self.edition, operation) else { return };
        let mut all = std::mem::take(&mut self.spare);
        one.outcomes(&mut self.known, from, &mut all);
        let known = &self.known;
        let fits = |(_, wanted): &Successor| compare::agrees(known, from, one.id, wanted, response);
        next.extend(all.drain(..).filter(fits).map(|(hypothesis, _)| hypothesis));
        self.spare = all;
    }

    /// Remembers what the answer shows.
    fn learn(&mut self, request: &Request, response: &Response) {
        match (request, &response.body) {
            (Request::Item(operation), Body::Item(item)) if response.status.is_success() => {
                let Some(id) = self.known.id(operation.id()) else { return };
                let stored = self.hypotheses.first().and_then(|hypothesis| hypothesis.world.items.get(&id));
                let Some((write, at)) = stored.map(|stored| (stored.etag, stored.ts)) else { return };
                if let Some(etag) = &item.etag {
                    self.known.show(id, write, etag);
                }
                if let (Some(ts), None) = (item.ts, self.known.origin) {
                    self.known.origin = Some(ts.saturating_sub(at));
                }
            }
            (Request::CreateContainer(container) | Request::ReplaceContainer(container), _)
                if response.status.is_success() =>
            {
                self.exists |= matches!(request, Request::CreateContainer(_));
                self.known.offers_lazy |= container.indexing == Indexing::Lazy;
            }
            _ => {}
        }
    }
}

/// Each world once.
fn distinct(worlds: &mut Vec<Hypothesis>) {
    let mut at: usize = 1;
    while at < worlds.len() {
        let (before, rest) = worlds.split_at(at);
        if rest.first().is_some_and(|one| before.contains(one)) {
            worlds.swap_remove(at);
        } else {
            at = at.saturating_add(1);
        }
    }
}
