//! The store as a target, and what its answers depend on.

use super::mutation::{Mutation, RemovalFault};
use super::store::{Choices, ContainerState, Labels, Pick, Store, Variant};
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
        Ok(Box::new(self.place(*opening)))
    }
}

impl IndependentStore {
    /// The right store with one mutation.
    pub fn with(mutation: Mutation) -> Self {
        Self { mutation: Some(mutation), ..Self::default() }
    }

    /// Whether nothing but what [`CombinedState`] holds decides what it answers: of the mutations only one is said to be so,
    /// since others may remember more, or go by the calendar.
    pub fn is_decided_by_state(&self) -> bool {
        matches!(self.mutation, None | Some(Mutation::Sweeps(RemovalFault::WhenSwitchedOff)))
    }

    /// What the store must know of it; when the background removes is not the store's business.
    fn variant(self) -> Variant {
        Variant { choices: self.choices, latched: self.latched, mutation: self.mutation }
    }

    /// A place whose background can also be moved by hand.
    pub fn place(self, opening: Opening) -> IndependentSession {
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
            store: None,
            requests: 0,
        }
    }
}

/// One vector's place.
#[derive(Clone, Debug)]
pub struct IndependentSession {
    target: IndependentStore,
    edition: Edition,
    background: Background,
    now: i128,
    store: Option<Store>,
    requests: u64,
}

/// A place, as far as answers depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SessionState {
    /// How many requests ago the background came by, where it goes by them.
    turn: u64,
    container: Option<ContainerState>,
}

impl IndependentSession {
    pub(super) fn state(&self, labels: &mut Labels) -> SessionState {
        let turn = match self.background {
            Background::Every(number) => self.requests.checked_rem(number).unwrap_or(0),
            Background::AsTold | Background::Never | Background::Eager => 0,
        };
        SessionState { turn, container: self.store.as_ref().map(|store| store.state(labels)) }
    }

    /// Removes an item in the background; says whether there was an expired one.
    pub fn remove(&mut self, id: &str) -> bool {
        self.store.as_mut().is_some_and(|store| store.remove(id))
    }

    fn sweep(&mut self) {
        if let Some(store) = &mut self.store {
            store.sweep();
        }
    }

    fn create(&mut self, request: &Request) -> Response {
        let Request::CreateContainer(container) = request else { return Response::new(Status::NotFound) };
        match Store::create(self.target.variant(), self.edition, self.now, container) {
            Ok(store) => {
                self.store = Some(store);
                Response::new(Status::Created)
            }
            Err((status, made)) => {
                self.store = made.map(|made| *made);
                Response::new(status)
            }
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
        let response = match &mut self.store {
            Some(store) => store.answer(request),
            None => self.create(request),
        };
        if self.background == Background::Eager {
            self.sweep();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i128::from(seconds);
        if let Some(store) = &mut self.store {
            store.pass(self.now);
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

/// All that the answers of some places depend on from now on, and how they compare: where two of these are equal, the
/// same requests are answered alike in both, and differ between the places in both or in neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CombinedState {
    places: Vec<SessionState>,
    etags: Vec<Option<usize>>,
}

impl CombinedState {
    /// These places, which have all seen the same seconds pass, and the etags that whoever asks them may still send.
    /// Nothing that they are asked may live longer than this many seconds.
    pub fn of<'a>(
        places: impl IntoIterator<Item = &'a IndependentSession>,
        etags: impl IntoIterator<Item = Option<&'a str>>,
        longest_s: u64,
    ) -> Self {
        let mut labels = Labels::new(longest_s);
        let places = places.into_iter().map(|place| place.state(&mut labels)).collect();
        let etags = etags.into_iter().map(|etag| labels.shown(etag?)).collect();
        Self { places, etags }
    }
}
