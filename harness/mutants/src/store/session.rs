//! The store as a target.

use super::{Background, IndependentSession, IndependentStore};
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Opening, Removal, Request, RequestOptions, Response, Session, Target,
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
        IndependentSession { store: self, edition, background, now, ..IndependentSession::default() }
    }
}

impl IndependentSession {
    /// Sets its clock to this second of the Unix epoch, which may be an earlier one.
    pub fn set_clock(&mut self, now_s: i64) {
        if self.now != i128::from(now_s) {
            self.move_clock(now_s.into());
        }
    }

    fn move_clock(&mut self, now: i128) {
        self.now = now;
        self.history.moment = 0;
        if self.background == Background::Eager {
            self.sweep();
        }
    }
}

impl Session for IndependentSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.turns += 1;
        let is_swept = match self.background {
            Background::Every(number) => self.turns.is_multiple_of(number),
            Background::EveryEarlier(number) => (self.turns + 1).is_multiple_of(number),
            Background::AsTold | Background::Never | Background::Eager => false,
        };
        if is_swept {
            self.sweep();
        }
        let mut response = self.answer(request, options);
        self.omit_item(request, &mut response);
        if self.background == Background::Eager {
            self.sweep();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.move_clock(self.now + i128::from(seconds));
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.sweep();
        Ok(())
    }
}
