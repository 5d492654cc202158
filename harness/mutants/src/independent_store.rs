//! The store as a target, and what its answers depend on.

use super::mutation::Mutation;
use super::store::{Choices, IndependentContainer, Labels, Pick, Variant};
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Opening, Removal, Request, Response, Session, Status, Target,
};

/// When the background removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// As the harness says.
    #[default]
    AsTold,
    /// Not at all.
    Never,
    /// At every moment.
    Eager,
    /// Before each request whose number this divides.
    Every(u64),
}

/// A store that is right, unless it has a mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndependentStore {
    /// What it chooses where it may.
    pub choices: Choices,
    /// When it removes.
    pub background: Background,
    /// `reappearance`: what was expired once stays so, even if nothing has removed it yet.
    pub latched: Pick,
    /// How many seconds after [`START`] its clock starts.
    pub later_s: u32,
    /// What it gets wrong; nothing, if it is to be an oracle.
    pub mutation: Option<Mutation>,
}

/// The second in which every vector starts; not that of the reference.
pub const START: i64 = 1_600_000_000;

impl Target for IndependentStore {
    fn about(&self) -> About {
        let told = self.background == Background::AsTold;
        About {
            name: self.mutation.map_or_else(|| "naive".into(), |mutation| format!("{mutation:?}")),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: vec![Edition::Y2020, Edition::Y2024],
            removals: if told {
                vec![Removal::Never, Removal::Eager, Removal::Alternate]
            } else {
                Vec::new()
            },
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

    /// Returns whether nothing but what [`CombinedState`] holds decides what it answers: of the mutations only one is said to be so,
    /// since others may remember more, or go by the calendar.
    pub fn is_decided_by_state(&self) -> bool {
        matches!(self.mutation, None | Some(Mutation::SweepsWhenSwitchedOff))
    }

    /// What the store must know of it; when the background removes is not the store's business.
    fn variant(self) -> Variant {
        Variant { choices: self.choices, latched: self.latched, mutation: self.mutation }
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
            target: self,
            edition: opening.edition,
            background,
            now,
            container: None,
            requests: 0,
        }
    }
}

/// A session with the store: one container and its clock.
#[derive(Clone, Debug)]
pub struct IndependentSession {
    target: IndependentStore,
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

    fn create(&mut self, request: &Request) -> Response {
        let Request::CreateContainer(container) = request else { return Response::new(Status::NotFound) };
        let (status, made) =
            IndependentContainer::create(self.target.variant(), self.edition, self.now, container);
        self.container = made;
        Response::new(status)
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
        let response = match &mut self.container {
            Some(container) => container.answer(request),
            None => self.create(request),
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
        let mut labels = Labels::new(longest_s);
        let state = |session: &IndependentSession| {
            let turn = match session.background {
                Background::Every(number) => session.requests.checked_rem(number).unwrap_or(0),
                Background::AsTold | Background::Never | Background::Eager => 0,
            };
            (session.container.as_ref().map(|container| container.normalised(&mut labels)), turn)
        };
        let sessions = sessions.into_iter().map(state).collect();
        let etags = etags.into_iter().map(|etag| labels.shown(etag?)).collect();
        Self { sessions, etags }
    }
}
