//! One vector's place in a process.

use super::ProcessTarget;
use super::pipes::Errors;
use crate::protocol::{BackgroundRemoval, LineContent as _, Message, Reply};
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::{Fault, Removal, Request, Response, Session};

/// A place that is open.
pub(super) struct Place<'t> {
    target: &'t ProcessTarget,
    generation: usize,
    session: String,
    removal: Option<Removal>,
    requests: u64,
    errors: Errors,
}

impl<'t> Place<'t> {
    pub(super) fn new(
        target: &'t ProcessTarget,
        generation: usize,
        session: String,
        removal: Option<Removal>,
        errors: Errors,
    ) -> Self {
        Self { target, generation, session, removal, requests: 0, errors }
    }

    /// Has the background remove nothing by itself, where it is told what to remove.
    pub(super) fn hold(&self) -> Result<(), Fault> {
        if self.removal.is_some() { self.tell_background(BackgroundRemoval::Hold) } else { Ok(()) }
    }

    fn tell_background(&self, removal: BackgroundRemoval) -> Result<(), Fault> {
        self.tell(&Message::Purge { session: self.session.clone(), removal })
    }

    /// Asks for what is either done or not.
    fn tell(&self, message: &Message) -> Result<(), Fault> {
        let reply = self.target.ask(self.generation, message)?;
        self.done(message, reply)
    }

    /// What a reply says of something that is either done or not.
    pub(super) fn done(&self, message: &Message, reply: Reply) -> Result<(), Fault> {
        match reply {
            Reply::Ok {} => Ok(()),
            reply => Err(self.without_answer(message, reply)),
        }
    }

    /// Why there is no answer.
    fn without_answer(&self, message: &Message, reply: Reply) -> Fault {
        let own_words = |why: &str| visible(&why.chars().take(400).collect::<String>());
        match reply {
            Reply::Unsupported(why) => Fault::Unsupported(own_words(&why)),
            Reply::Unknown(why) => Fault::Unknown(own_words(&why)),
            Reply::Broken(why) => Fault::Broken(own_words(&why)),
            Reply::Hello(_) => self.mistake(message, "`hello`"),
            Reply::Ok {} => self.mistake(message, "`ok`"),
            Reply::Answer(_) => self.mistake(message, "`answer`"),
        }
    }

    fn mistake(&self, message: &Message, got: &str) -> Fault {
        self.end(&format!("it replied {got} to `{}`, which means nothing", message.word()))
    }

    /// The process broke the protocol.
    fn end(&self, why: &str) -> Fault {
        let mut state = self.target.state();
        if state.generation == self.generation { state.end(why) } else { Fault::Broken(why.into()) }
    }
}

impl Session for Place<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.requests = self.requests.saturating_add(1);
        if self.removal == Some(Removal::Alternate) && self.requests.is_multiple_of(2) {
            self.tell_background(BackgroundRemoval::Now)?;
        }
        let message = Message::Send { session: self.session.clone(), request: request.clone() };
        let response = match self.target.ask(self.generation, &message)? {
            Reply::Answer(response) => response.answering(request),
            reply => return Err(self.without_answer(&message, reply)),
        };
        if self.removal == Some(Removal::Eager) {
            self.tell_background(BackgroundRemoval::Now)?;
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        if !self.target.is_virtual() {
            return Err(Fault::Misuse("the clock of the process runs by itself".into()));
        }
        self.tell(&Message::Pass { session: self.session.clone(), seconds })?;
        if self.removal == Some(Removal::Eager) {
            self.tell_background(BackgroundRemoval::Now)
        } else {
            Ok(())
        }
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.tell_background(BackgroundRemoval::Now)
    }

    fn log(&mut self) -> Option<String> {
        self.errors.since_opened()
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.tell(&Message::Close { session: self.session.clone() })
    }
}
