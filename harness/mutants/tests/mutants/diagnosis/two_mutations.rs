//! A store that makes the mutations of two mutants.

use cosmos_ttl_harness::target::{About, Fault, Opening, Request, Response, Session, Target};
use cosmos_ttl_mutants::{IndependentSession, IndependentStore, Mutant};

/// Answers like the first mutant where that errs, and else like the second.
pub(crate) struct TwoMutations(pub(crate) &'static Mutant, pub(crate) &'static Mutant);

impl Target for TwoMutations {
    fn about(&self) -> About {
        About { name: "two mutations".into(), ..IndependentStore::default().about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let stores = [IndependentStore::default(), self.0.store(), self.1.store()];
        Ok(Box::new(Three(stores.map(|store| store.session(*opening)))))
    }
}

struct Three([IndependentSession; 3]);

impl Session for Three {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let Self([right, first, second]) = self;
        let (right, first) = (right.send(request)?, first.send(request)?);
        let second = second.send(request)?;
        Ok(if first == right { second } else { first })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.iter_mut().try_for_each(|place| place.pass(seconds))
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.0.iter_mut().try_for_each(Session::purge)
    }
}
