//! The other side of the process protocol: any target of ours, line by line.
//!
//! It is what an adapter does, so it is an example of one; and it tests whoever speaks to processes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use crate::protocol::{BackgroundRemoval, Hello, Message, ProtocolLine, Reply, VERSION, parse};
use cosmos_ttl_harness::target::{Edition, Fault, Opening, Removal, Session, Target};

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
    pub fn reply(&mut self, line: &str) -> (ProtocolLine<Reply>, bool) {
        match parse::<Message>(line, false) {
            // Whatever is not known is not offered; a line without a number can be replied to in no other way.
            Err(why) => {
                let what = format!("a line is not understood: {why}");
                let reply = if why.q.is_some() { Reply::Unsupported(what) } else { Reply::Broken(what) };
                (ProtocolLine { q: why.q.unwrap_or_default(), content: reply }, false)
            }
            Ok(ProtocolLine { q, content: Message::Bye {} }) => {
                (ProtocolLine { q, content: Reply::Ok {} }, true)
            }
            Ok(ProtocolLine { q, content }) => {
                (ProtocolLine { q, content: self.take(content).unwrap_or_else(without_answer) }, false)
            }
        }
    }

    fn take(&mut self, message: Message) -> Result<Reply, Fault> {
        match message {
            Message::Hello { .. } => return Ok(Reply::Hello(self.hello())),
            Message::Open { session, edition } => self.open(session, edition)?,
            Message::Send { session, request } => {
                return Ok(Reply::Answer(self.place(&session)?.send(&request)?));
            }
            Message::Pass { session, seconds } => self.place(&session)?.pass(seconds)?,
            Message::Purge { session, removal } => {
                let place = self.place(&session)?;
                // Nothing is removed by itself in the first place.
                if removal == BackgroundRemoval::Now {
                    place.purge()?;
                }
            }
            Message::Close { session } => {
                let place = self.places.get_mut(&session).ok_or_else(|| unknown(&session))?;
                if let Some(mut place) = place.take() {
                    place.close()?;
                }
            }
            Message::Bye {} => {}
        }
        Ok(Reply::Ok {})
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

    fn open(&mut self, session: String, edition: Edition) -> Result<(), Fault> {
        if self.places.contains_key(&session) {
            return Err(Fault::Misuse(format!("a session `{}` was opened before", session)));
        }
        let removal = self.target.about().removals.contains(&Removal::Never).then_some(Removal::Never);
        let place = self.target.open(&Opening::new(edition, removal))?;
        self.places.insert(session, Some(place));
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
