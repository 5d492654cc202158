//! A session whose requests and clock pass through functions.

use cosmos_ttl_harness::target::{Fault, Request, RequestOptions, Response, Session};

type SendHook<'a> = Box<dyn FnMut(&mut dyn Session, &Request) -> Result<Response, Fault> + Send + 'a>;
type PassHook<'a> = Box<dyn FnMut(&mut dyn Session, u64) -> Result<(), Fault> + Send + 'a>;

/// The session.
pub struct HookedSession<'a> {
    session: Box<dyn Session + 'a>,
    send: SendHook<'a>,
    pass: PassHook<'a>,
    close: Result<(), Fault>,
}

/// Returns a session that answers as `send` says, and keeps the clock of the session inside.
pub fn hooked<'a>(
    session: impl Session + 'a,
    send: impl FnMut(&mut dyn Session, &Request) -> Result<Response, Fault> + Send + 'a,
) -> Box<HookedSession<'a>> {
    hooked_box(Box::new(session), send)
}

/// Returns the same for a session in a box.
pub fn hooked_box<'a>(
    session: Box<dyn Session + 'a>,
    send: impl FnMut(&mut dyn Session, &Request) -> Result<Response, Fault> + Send + 'a,
) -> Box<HookedSession<'a>> {
    let pass = Box::new(|session: &mut dyn Session, seconds| session.pass(seconds));
    Box::new(HookedSession { session, send: Box::new(send), pass, close: Ok(()) })
}

impl<'a> HookedSession<'a> {
    /// Moves the clock as `pass` says.
    pub fn passing(
        mut self: Box<Self>,
        pass: impl FnMut(&mut dyn Session, u64) -> Result<(), Fault> + Send + 'a,
    ) -> Box<Self> {
        self.pass = Box::new(pass);
        self
    }

    /// Ends with this result.
    pub fn closing(mut self: Box<Self>, close: Result<(), Fault>) -> Box<Self> {
        self.close = close;
        self
    }
}

impl Session for HookedSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        (self.send)(&mut *self.session, request)
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        (self.send)(&mut WithOptions { session: &mut *self.session, options }, request)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        (self.pass)(&mut *self.session, seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.session.purge()
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.close.clone()
    }
}

/// A session that sends each request with these options.
struct WithOptions<'a> {
    session: &'a mut dyn Session,
    options: &'a RequestOptions,
}

impl Session for WithOptions<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.session.send_with(request, self.options)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.session.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.session.purge()
    }
}
