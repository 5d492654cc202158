//! The store as a target, and what its answers depend on.

use super::{
    Background, Choices, ContainerHistory, IndependentSession, IndependentStore, ItemHistory, TtlSetting,
};
use crate::mutation::Mutation;
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Indexing, Opening, Removal, Request, Response, Session, Target,
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
            name: match (self.name, self.mutation) {
                (Some(name), _) => format!("mutant:{name}"),
                (None, Some(mutation)) => format!("{mutation:?}"),
                (None, None) => "naive".into(),
            },
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
        IndependentSession {
            store: self,
            edition: opening.edition,
            background,
            now,
            turns: 0,
            requests: 0,
            exists: false,
            default: TtlSetting::Absent,
            indexing: Indexing::Consistent,
            items: Vec::new(),
            tags: 0,
            lagging: false,
            batch: false,
            history: ContainerHistory::default(),
        }
    }
}

impl Session for IndependentSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.turns += 1;
        if let Background::Every(number) = self.background
            && self.turns.is_multiple_of(number)
        {
            self.sweep();
        }
        let response = self.answer(request);
        if self.background == Background::Eager {
            self.sweep();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i128::from(seconds);
        self.history.moment = 0;
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
    sessions: Vec<IndependentSession>,
    etags: Vec<Option<u64>>,
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
        let sessions = sessions.into_iter().map(|session| session.normalised(&mut labels)).collect();
        // What is no etag of such a store has no label.
        let tag = |etag: &str| etag.strip_prefix("naive-")?.parse().ok();
        let etags = etags.into_iter().map(|etag| tag(etag?).map(|tag| labels.tag(tag))).collect();
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

impl IndependentSession {
    /// Returns the session as if it were now the second 0, with labels in place of etags and long ages.
    fn normalised(&self, labels: &mut Labels) -> Self {
        let mut state = self.clone();
        (state.now, state.history) = Default::default();
        // Which request it is only counts where choices go by that.
        state.requests = if self.store.choices == Choices::default() { 0 } else { self.requests % 2 };
        state.turns = match self.background {
            Background::Every(number) => self.turns.checked_rem(number).unwrap_or(0),
            _ => 0,
        };
        state.tags = labels.tag(self.tags);
        for item in &mut state.items {
            item.written = -labels.age(item.written, self.now);
            item.tag = labels.tag(item.tag);
            item.history = ItemHistory::default();
        }
        state
    }
}
