//! The process side of the protocol, with any target behind it.
//!
//! It does what an adapter does, so it is an example of one, and it tests the client of processes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read as _, Write};

use cosmos_ttl_harness::target::{Fault, RequestOptions, Session, Target};

use super::protocol::{BackgroundRemoval, Hello, MOST_BYTES, Message, ProtocolLine, Reply, VERSION, parse};

/// Replies to every line until `bye`, or until the input ends.
///
/// # Errors
///
/// If a line cannot be read or written.
pub fn serve(target: &dyn Target, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut server = Server::new(target);
    while let Some(line) = next_line(&mut input)? {
        let (reply, is_last) = server.reply(&String::from_utf8_lossy(&line));
        output.write_all(reply.text().as_bytes())?;
        output.flush()?;
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Returns the next line without its line feed; `None` at the end. Of a line that is too long, only as many bytes as show it.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = u64::try_from(MOST_BYTES + 1).unwrap_or(u64::MAX);
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > MOST_BYTES {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// A target behind the protocol.
pub struct Server<'t> {
    target: &'t dyn Target,
    /// By name. A closed session stays as `None`, because it may be closed again.
    sessions: BTreeMap<String, Option<Box<dyn Session + 't>>>,
}

impl fmt::Debug for Server<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("sessions", &self.sessions.keys()).finish_non_exhaustive()
    }
}

impl<'t> Server<'t> {
    /// Returns a server without sessions.
    pub fn new(target: &'t dyn Target) -> Self {
        Self { target, sessions: BTreeMap::new() }
    }

    /// Returns the reply to a line, and whether it is the last.
    pub fn reply(&mut self, line: &str) -> (ProtocolLine<Reply>, bool) {
        match parse::<Message>(line, false) {
            // An unknown message is not offered; a line without a number can be replied to in no other way.
            Err(why) => {
                let what = format!("a line is not understood: {why}");
                let content = if why.q.is_some() { Reply::Unsupported(what) } else { Reply::Broken(what) };
                (ProtocolLine { q: why.q.unwrap_or_default(), content }, false)
            }
            Ok(ProtocolLine { q, content: message }) => {
                let is_last = message == Message::Bye {};
                let content = self.handle(message).unwrap_or_else(|fault| match fault {
                    Fault::Unsupported(why) => Reply::Unsupported(why),
                    Fault::Unknown(why) => Reply::Unknown(why),
                    Fault::Broken(why) | Fault::Misuse(why) => Reply::Broken(why),
                });
                (ProtocolLine { q, content }, is_last)
            }
        }
    }

    fn handle(&mut self, message: Message) -> Result<Reply, Fault> {
        match message {
            Message::Hello { .. } => return Ok(Reply::Hello(self.hello())),
            Message::Open { session } => self.open(session)?,
            Message::Send { session, request, partition, page, container, if_match, if_none_match } => {
                let options = RequestOptions { partition, page, container, if_match, if_none_match };
                return Ok(Reply::Answer(self.session(&session)?.send_with(&request, &options)?));
            }
            Message::Pass { session, seconds } => self.session(&session)?.pass(seconds)?,
            Message::Purge { session, removal } => {
                let session = self.session(&session)?;
                // Nothing is removed by itself in the first place.
                if removal == BackgroundRemoval::Now {
                    session.purge()?;
                }
            }
            Message::Close { session: name } => {
                let session = self.sessions.get_mut(&name).ok_or_else(|| not_open(&name))?;
                if let Some(mut session) = session.take() {
                    session.close()?;
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
            purge: about.purges,
            // A target that offers neither says so itself.
            partitions: true,
            pages: true,
            without: self.target.without(),
            offers: self.target.offers(),
        }
    }

    fn open(&mut self, name: String) -> Result<(), Fault> {
        if self.sessions.contains_key(&name) {
            return Err(Fault::Misuse(format!("a session `{name}` was opened before")));
        }
        let session = self.target.open()?;
        self.sessions.insert(name, Some(session));
        Ok(())
    }

    fn session(&mut self, name: &str) -> Result<&mut Box<dyn Session + 't>, Fault> {
        self.sessions.get_mut(name).and_then(Option::as_mut).ok_or_else(|| not_open(name))
    }
}

fn not_open(name: &str) -> Fault {
    Fault::Misuse(format!("no session `{name}` is open"))
}
