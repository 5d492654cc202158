//! The store as a target, and what its answers depend on.

use super::{Background, Choices, IndependentContainer, IndependentStore, ItemHistory};
use crate::mutation::Mutation;
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Opening, Removal, Request, Response, Session, Status, Target,
};

/// The second in which every vector starts; not that of the reference.
pub const START: i64 = 1_600_000_000;

impl Target for IndependentStore {
    fn about(&self) -> About {
        let removals: &[Removal] = match self.background {
            Background::AsTold => &[Removal::Never, Removal::Eager, Removal::Alternate],
            _ => &[],
        };
        About {
            name: self.mutation.map_or_else(|| "naive".into(), |mutation| format!("{mutation:?}")),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: vec![Edition::Y2020, Edition::Y2024],
            removals: removals.to_vec(),
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(self.session(*opening)))
    }
}

impl IndependentStore {
    /// Returns the right store with one mutation.
    pub fn with(mutation: Mutation) -> Self {
        Self { mutation: Some(mutation), ..Self::default() }
    }

    /// Returns whether nothing but what [`CombinedState`] holds decides what it answers: of the mutations only one is
    /// said to be so, since others may remember more, or go by the calendar.
    pub fn is_decided_by_state(&self) -> bool {
        matches!(self.mutation, None | Some(Mutation::SweepsWhenSwitchedOff))
    }

    /// Opens a session whose background can also be moved by hand.
    pub fn session(self, opening: Opening) -> IndependentSession {
        let background = match (self.background, opening.removal) {
            (Background::AsTold, None | Some(Removal::Never)) => Background::Never,
            (Background::AsTold, Some(Removal::Eager)) => Background::Eager,
            (Background::AsTold, Some(Removal::Alternate)) => Background::Every(2),
            (own, _) => own,
        };
        let now = i128::from(START) + i128::from(self.later_s);
        let edition = opening.edition;
        IndependentSession { store: self, edition, background, now, container: None, requests: 0 }
    }
}

/// A session with the store: one container and its clock.
#[derive(Clone, Debug)]
pub struct IndependentSession {
    store: IndependentStore,
    edition: Edition,
    background: Background,
    now: i128,
    container: Option<IndependentContainer>,
    requests: u64,
}

impl IndependentSession {
    /// Removes an item in the background; says whether there was an expired one.
    pub fn remove(&mut self, id: &str) -> bool {
        self.container.as_mut().is_some_and(|container| container.remove(id))
    }

    fn sweep(&mut self) {
        if let Some(container) = &mut self.container {
            container.sweep();
        }
    }
}

impl Session for IndependentSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.requests += 1;
        if let Background::Every(number) = self.background
            && self.requests.is_multiple_of(number)
        {
            self.sweep();
        }
        let response = match (&mut self.container, request) {
            (Some(container), _) => container.answer(request),
            (None, Request::CreateContainer(container)) => {
                let (status, made) =
                    IndependentContainer::create(self.store, self.edition, self.now, container);
                self.container = made;
                Response::new(status)
            }
            (None, _) => Response::new(Status::NotFound),
        };
        if self.background == Background::Eager {
            self.sweep();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i128::from(seconds);
        if let Some(container) = &mut self.container {
            container.pass(self.now);
        }
        if self.background == Background::Eager {
            self.sweep();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.sweep();
        Ok(())
    }
}

/// All that the answers of some sessions depend on from now on, and how they compare.
///
/// Where two of these are equal, the same requests are answered alike in both, and differ between the sessions in both or
/// in neither.
///
/// Seconds, etags and numbers of requests grow for ever, and no answer depends on them as such. Of the second of a write
/// it counts how long ago it was, and once that is longer than every lifetime in play only whether two of them are one
/// and the same, since that is all that answers beside each other can show. Of an etag it counts which others it equals:
/// new ones equal none. Of a number of requests it counts what the schedule of removal asks, which is a remainder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CombinedState {
    /// Each container, and how many requests ago the background came by, where it goes by them.
    sessions: Vec<(Option<IndependentContainer>, u64)>,
    etags: Vec<Option<usize>>,
}

impl CombinedState {
    /// Returns the state of these sessions, which have all seen the same seconds pass, and of the etags that a client may
    /// still send. Nothing that is asked may live longer than this many seconds.
    pub fn of<'a>(
        sessions: impl IntoIterator<Item = &'a IndependentSession>,
        etags: impl IntoIterator<Item = Option<&'a str>>,
        longest_s: u64,
    ) -> Self {
        let mut labels = Labels { longest_s: longest_s.into(), tags: Vec::new(), seconds: Vec::new() };
        let state = |session: &IndependentSession| {
            let turn = match session.background {
                Background::Every(number) => session.requests.checked_rem(number).unwrap_or(0),
                _ => 0,
            };
            (session.container.as_ref().map(|container| container.normalised(&mut labels)), turn)
        };
        let sessions = sessions.into_iter().map(state).collect();
        let etags = etags.into_iter().map(|etag| labels.shown(etag?)).collect();
        Self { sessions, etags }
    }
}

/// Numbers for what only matters by being the same, in the order in which it is met.
struct Labels {
    longest_s: i128,
    tags: Vec<u64>,
    seconds: Vec<i128>,
}

impl Labels {
    /// The number of an etag as clients see it; `None` for what is no etag of such a store.
    fn shown(&mut self, etag: &str) -> Option<usize> {
        let tag = etag.strip_prefix("naive-")?.parse().ok()?;
        Some(number(&mut self.tags, tag))
    }

    fn tag(&mut self, tag: u64) -> u64 {
        number(&mut self.tags, tag) as u64
    }

    /// How long ago a write was; longer ago than anything lives, the number of its second among such.
    fn age(&mut self, written: i128, now: i128) -> i128 {
        match now - written {
            age if age <= self.longest_s => age,
            _ => self.longest_s + 1 + number(&mut self.seconds, written) as i128,
        }
    }
}

fn number<T: PartialEq>(met: &mut Vec<T>, one: T) -> usize {
    met.iter().position(|other| *other == one).unwrap_or_else(|| {
        met.push(one);
        met.len() - 1
    })
}

impl IndependentContainer {
    /// Returns the container as if it were now the second 0, with labels in place of etags and long ages.
    fn normalised(&self, labels: &mut Labels) -> Self {
        let mut state = self.clone();
        (state.now, state.history) = Default::default();
        // Which request it is only counts where choices go by that.
        state.requests = if self.store.choices == Choices::default() { 0 } else { self.requests % 2 };
        state.tags = labels.tag(self.tags);
        for item in &mut state.items {
            item.written = -labels.age(item.written, self.now);
            item.tag = labels.tag(item.tag);
            item.history = ItemHistory::default();
        }
        state
    }
}
