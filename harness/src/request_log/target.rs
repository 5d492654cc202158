//! A target whose sessions are logged: each is a container of its own.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{LogClock, LogTime, LogWriter, LoggedExchange};
use crate::realtime::{Monotonic, Time as _};
use crate::target::{About, Clock, Fault, Part, Request, RequestOptions, Response, Session, Target};

/// A target whose exchanges are written to a log.
pub struct LoggedTarget<'t> {
    target: &'t dyn Target,
    log: &'t LogWriter,
    /// `None` where the harness moves the clock of each session.
    clock: Option<Monotonic>,
    sessions: AtomicU64,
}

impl fmt::Debug for LoggedTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedTarget").field("log", &self.log).finish_non_exhaustive()
    }
}

impl<'t> LoggedTarget<'t> {
    /// Returns the target with a log.
    pub fn new(target: &'t dyn Target, log: &'t LogWriter) -> Self {
        let clock = (target.about().clock == Clock::Real).then(Monotonic::start);
        Self { target, log, clock, sessions: AtomicU64::new(1) }
    }

    fn logged<'s>(&'s self, session: Box<dyn Session + 's>) -> Box<dyn Session + 's> {
        let container = self.sessions.fetch_add(1, Ordering::Relaxed).to_string();
        Box::new(LoggedSession { session, container, log: self.log, clock: self.clock, now_s: 0 })
    }
}

impl Target for LoggedTarget<'_> {
    fn about(&self) -> About {
        self.target.about()
    }

    fn without(&self) -> BTreeSet<Part> {
        self.target.without()
    }

    fn offers(&self) -> BTreeSet<Part> {
        self.target.offers()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(self.logged(self.target.open()?))
    }

    fn open_reused(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(self.logged(self.target.open_reused()?))
    }

    fn most_sessions(&self) -> usize {
        self.target.most_sessions()
    }

    fn replays_at_once(&self) -> usize {
        self.target.replays_at_once()
    }

    fn interrupt(&self) {
        self.target.interrupt();
    }
}

struct LoggedSession<'s> {
    session: Box<dyn Session + 's>,
    container: String,
    log: &'s LogWriter,
    clock: Option<Monotonic>,
    /// The seconds that the harness let pass.
    now_s: i64,
}

impl LoggedSession<'_> {
    fn now(&self) -> LogTime {
        self.clock.map_or(LogTime::of_s(self.now_s), |clock| LogTime { us: clock.now_us() })
    }
}

impl Session for LoggedSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let sent = self.now();
        let response = self.session.send_with(request, options);
        // What is not supported did nothing.
        if !matches!(response, Err(Fault::Unsupported(_))) {
            self.log.write(&LoggedExchange {
                sent,
                received: response.is_ok().then(|| self.now()),
                clock: if self.clock.is_some() { LogClock::Writer } else { LogClock::Exact },
                container: match &options.container {
                    Some(other) => format!("{}/{other}", self.container),
                    None => self.container.clone(),
                },
                partition: options.partition.clone(),
                page: options.page.clone(),
                if_match: options.if_match.clone(),
                if_none_match: options.if_none_match.clone(),
                request: request.clone(),
                answer: response.as_ref().ok().cloned(),
            });
        }
        response
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now_s = self.now_s.saturating_add_unsigned(seconds);
        self.session.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.session.purge()
    }

    fn log(&mut self) -> Option<String> {
        self.session.log()
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.session.close()
    }
}
