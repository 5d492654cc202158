//! A store of the sets, which speaks the frozen interface of d3ede21a, as a target of today's harness.
//!
//! Requests and responses cross as the process protocol writes them. A request that the frozen interface does not know is
//! answered *unsupported*, and so is everything where the store does not list the edition 2024. It translates, and decides nothing.
//!
//! The frozen interface has schedules of removal, which a store follows; today a store says only whether it purges. One that
//! lists *never* is opened so, and purges if it can; any other removes by itself, by the first of its schedules.

use cosmos_ttl_harness::target as now;
use frozen::target as then;
use serde::{Serialize, de::DeserializeOwned};

/// A store of the sets.
pub struct Bridge<'t>(pub &'t dyn then::Target);

struct BridgeSession<'s>(Box<dyn then::Session + 's>);

fn cross<To: DeserializeOwned>(from: &impl Serialize) -> Result<To, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(from)?)
}

fn fault(fault: then::Fault) -> now::Fault {
    match fault {
        then::Fault::Unsupported(what) => now::Fault::Unsupported(what),
        then::Fault::Unknown(what) => now::Fault::Unknown(what),
        then::Fault::Broken(what) => now::Fault::Broken(what),
        then::Fault::Misuse(what) => now::Fault::Misuse(what),
    }
}

impl Bridge<'_> {
    fn opening(&self) -> Result<then::Opening, now::Fault> {
        let then::About { editions, removals, .. } = self.0.about();
        if !editions.contains(&then::Edition::Y2024) {
            return Err(now::Fault::Unsupported("it does not list the edition 2024".into()));
        }
        let never = removals.iter().find(|removal| **removal == then::Removal::Never);
        Ok(then::Opening::new(then::Edition::Y2024, never.or(removals.first()).copied()))
    }

    fn purges(&self) -> bool {
        let session = self.opening().and_then(|opening| self.0.open(&opening).map_err(fault));
        session.is_ok_and(|mut session| {
            let purged = session.purge();
            session.close().is_ok() && purged.is_ok()
        })
    }
}

fn answer(answer: Result<then::Response, then::Fault>) -> Result<now::Response, now::Fault> {
    cross(&answer.map_err(fault)?).map_err(|error| now::Fault::Misuse(error.to_string()))
}

fn known<To: DeserializeOwned>(from: &impl Serialize) -> Result<To, now::Fault> {
    cross(from).map_err(|error| now::Fault::Unsupported(error.to_string()))
}

impl now::Target for Bridge<'_> {
    fn about(&self) -> now::About {
        let then::About { name, version, clock, removals, .. } = self.0.about();
        let clock = match clock {
            then::Clock::Virtual => now::Clock::Virtual,
            then::Clock::Real => now::Clock::Real,
        };
        let purges = removals.contains(&then::Removal::Never) && self.purges();
        now::About { name, version, clock, purges }
    }

    fn open(&self) -> Result<Box<dyn now::Session + '_>, now::Fault> {
        Ok(Box::new(BridgeSession(self.0.open(&self.opening()?).map_err(fault)?)))
    }

    fn open_reused(&self) -> Result<Box<dyn now::Session + '_>, now::Fault> {
        Ok(Box::new(BridgeSession(self.0.open_reused(&self.opening()?).map_err(fault)?)))
    }

    fn most_sessions(&self) -> usize {
        self.0.most_sessions()
    }
}

impl now::Session for BridgeSession<'_> {
    fn send(&mut self, request: &now::Request) -> Result<now::Response, now::Fault> {
        answer(self.0.send(&known(request)?))
    }

    fn send_with(
        &mut self,
        request: &now::Request,
        options: &now::RequestOptions,
    ) -> Result<now::Response, now::Fault> {
        answer(self.0.send_with(&known(request)?, &known(options)?))
    }

    fn pass(&mut self, seconds: u64) -> Result<(), now::Fault> {
        self.0.pass(seconds).map_err(fault)
    }

    fn purge(&mut self) -> Result<(), now::Fault> {
        self.0.purge().map_err(fault)
    }

    fn log(&mut self) -> Option<String> {
        self.0.log()
    }

    fn close(&mut self) -> Result<(), now::Fault> {
        self.0.close().map_err(fault)
    }
}
