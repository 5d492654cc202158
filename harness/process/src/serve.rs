//! The other side of the process protocol: any target of ours, line by line.
//!
//! It is what an adapter does, so it is an example of one; and it tests whoever speaks to processes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use crate::protocol::{Ask, Do, Empty, Hello, Line, Open, Reply, Send, VERSION, parse};
use cosmos_ttl_harness::target::{Fault, Opening, Removal, Session, Target};

/// Answers every line until `bye`, or until the input ends.
///
/// # Errors
///
/// Where a line cannot be read or written.
pub fn serve(target: &dyn Target, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut server = Server::new(target);
    for line in input.split(b'\n') {
        let (reply, over) = server.reply(&String::from_utf8_lossy(&line?));
        output.write_all(reply.text().as_bytes())?;
        output.flush()?;
        if over {
            break;
        }
    }
    Ok(())
}

/// A target behind the protocol.
pub struct Server<'t> {
    target: &'t dyn Target,
    /// By name; those that were given up stay, as they may be given up again.
    places: BTreeMap<String, Option<Box<dyn Session + 't>>>,
}

impl fmt::Debug for Server<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("places", &self.places.keys()).finish_non_exhaustive()
    }
}

impl<'t> Server<'t> {
    /// Before the first line.
    pub fn new(target: &'t dyn Target) -> Self {
        Self { target, places: BTreeMap::new() }
    }

    /// The reply to a line, and whether it is the last.
    pub fn reply(&mut self, line: &str) -> (Line<Reply>, bool) {
        match parse::<Ask>(line, false) {
            // Whatever is not known is not offered; a line without a number can be replied to in no other way.
            Err(why) => {
                let what = format!("a line is not understood: {why}");
                let reply = if why.q.is_some() { Reply::Unsupported(what) } else { Reply::Broken(what) };
                (Line { q: why.q.unwrap_or_default(), what: reply }, false)
            }
            Ok(Line { q, what: Ask::Bye(_) }) => (Line { q, what: Reply::Ok(Empty {}) }, true),
            Ok(Line { q, what }) => (Line { q, what: self.take(what).unwrap_or_else(without_answer) }, false),
        }
    }

    fn take(&mut self, ask: Ask) -> Result<Reply, Fault> {
        match ask {
            Ask::Hello(_) => return Ok(Reply::Hello(self.hello())),
            Ask::Open(open) => self.open(open)?,
            Ask::Send(Send { session, request }) => {
                let request = request.try_into().map_err(Fault::Misuse)?;
                return Ok(Reply::Answer(self.place(&session)?.send(&request)?.into()));
            }
            Ask::Pass(pass) => self.place(&pass.session)?.pass(pass.seconds)?,
            Ask::Purge(purge) => {
                let place = self.place(&purge.session)?;
                // Nothing is removed by itself in the first place.
                if purge.what == Do::Now {
                    place.purge()?;
                }
            }
            Ask::Close(close) => {
                let place = self.places.get_mut(&close.session).ok_or_else(|| unknown(&close.session))?;
                if let Some(mut place) = place.take() {
                    place.close()?;
                }
            }
            Ask::Bye(_) => {}
        }
        Ok(Reply::Ok(Empty {}))
    }

    fn hello(&self) -> Hello {
        let about = self.target.about();
        Hello {
            protocol: VERSION,
            name: about.name,
            version: about.version,
            clock: about.clock,
            editions: about.editions,
            purge: about.removals.contains(&Removal::Never),
        }
    }

    fn open(&mut self, open: Open) -> Result<(), Fault> {
        if self.places.contains_key(&open.session) {
            return Err(Fault::Misuse(format!("a session `{}` was opened before", open.session)));
        }
        let removal = self.target.about().removals.contains(&Removal::Never).then_some(Removal::Never);
        let place = self.target.open(&Opening::new(open.edition, removal))?;
        self.places.insert(open.session, Some(place));
        Ok(())
    }

    fn place(&mut self, name: &str) -> Result<&mut Box<dyn Session + 't>, Fault> {
        self.places.get_mut(name).and_then(Option::as_mut).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> Fault {
    Fault::Misuse(format!("no session `{name}` is open"))
}

fn without_answer(fault: Fault) -> Reply {
    match fault {
        Fault::Unsupported(why) => Reply::Unsupported(why),
        Fault::Unknown(why) => Reply::Unknown(why),
        Fault::Broken(why) | Fault::Misuse(why) => Reply::Broken(why),
    }
}
