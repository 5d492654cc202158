//! Checks an adapter for protocol errors, before any vector is replayed.
//!
//! Each check opens its own sessions, so that a failed check does not fail the next.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::realtime::{Monotonic, Time as _};
use cosmos_ttl_harness::target::{
    About, Body, Clock, Container, Document, Fault, Item, Operation, Patch, Removal, Request, Response,
    Session, Status, Target as _,
};
use cosmos_ttl_harness::vector::Vector;

use super::exchange::MistakeKind;
use super::protocol::Hello;
use super::target::{ProcessConfig, ProcessTarget, clock_error};

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// The adapter is correct; what was seen.
    Good(String),
    /// The adapter does not offer this, and says so.
    NotOffered(String),
    /// The adapter is wrong.
    Wrong {
        /// The observation.
        what: String,
        /// The advice.
        help: &'static str,
    },
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The subject of the check, in a word or two.
    pub name: &'static str,
    /// The result of the check.
    pub result: CheckResult,
}

impl Check {
    /// Returns whether the check found something wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self.result, CheckResult::Wrong { .. })
    }

    fn good(name: &'static str, what: String) -> Self {
        Self { name, result: CheckResult::Good(what) }
    }

    fn wrong(name: &'static str, what: String, help: &'static str) -> Self {
        Self { name, result: CheckResult::Wrong { what, help } }
    }
}

/// Every check in order, and only the handshake if it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smoke {
    /// The checks.
    pub checks: Vec<Check>,
    /// How fast the adapter answered; `None` if it did not answer everything.
    pub pace: Option<Pace>,
}

/// How fast an adapter answered the messages of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// What the adapter says of itself.
    pub about: About,
    /// How many messages there were.
    pub messages: u64,
    /// How long they took, in microseconds.
    pub us: u64,
}

impl Pace {
    /// Estimates how long a run of these vectors takes that never waits for a clock, in seconds, rounded up.
    pub fn estimate_s(&self, vectors: &[&Vector]) -> u64 {
        let replays = u64::try_from(Removal::schedules(&self.about).len()).unwrap_or(1).max(1);
        let messages: u64 = vectors.iter().copied().map(messages).sum();
        let us = u128::from(messages) * u128::from(replays) * u128::from(self.us)
            / u128::from(self.messages.max(1));
        u64::try_from(us.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// Returns how many messages one replay of this vector takes: its requests, the moves of the clock, `open` and `close`.
fn messages(vector: &Vector) -> u64 {
    let moves = vector.steps.windows(2).filter(|two| matches!(two, [a, b] if a.at_s != b.at_s)).count();
    u64::try_from(vector.steps.len() + moves + 2).unwrap_or(u64::MAX)
}

/// Checks an adapter.
///
/// # Errors
///
/// Only [`Fault::Misuse`], if there is no command.
pub fn smoke(config: ProcessConfig) -> Result<Smoke, Fault> {
    let target = match ProcessTarget::start_unproved(config) {
        Ok(target) => target,
        Err(mistake) if mistake.kind == MistakeKind::NoCommand => return Err(mistake.into()),
        Err(mistake) => {
            let help = handshake_help(mistake.kind);
            let checks = vec![Check::wrong("handshake", Fault::from(mistake).to_string(), help)];
            return Ok(Smoke { checks, pace: None });
        }
    };
    let (time, greeted) = (Monotonic::start(), target.asked());
    let mut checks = vec![Check::good("handshake", greeting(&target.hello))];
    let apart = |name, check: fn(&mut CheckSession<'_>) -> Checked| {
        checked(&target, name, in_container(&target, check))
    };
    checks.extend([
        checked(&target, "clock", clock(&target)),
        checked(&target, "container", container(&target)),
        apart("echo", echo),
        apart("refusals", refusals),
        apart("queries", queries),
        apart("patch", patch),
        apart("batch", batch),
        checked(&target, "isolation", in_container(&target, |session| isolation(session, &target))),
        apart("close twice", |session| {
            session.close()?;
            Ok("a closed session can be closed again".into())
        }),
    ]);
    let us = u64::try_from(time.now_us()).unwrap_or(0);
    // After a restart the count begins again.
    let messages = target.asked().saturating_sub(greeted);
    if let Some(mishap) = target.mishaps().into_iter().next() {
        let help = "answer each line with one line; log to standard error";
        checks.push(Check::wrong("silence", mishap, help));
    }
    checks.push(match target.bye() {
        Ok(()) => Check::good("bye", "ended after `bye`".into()),
        Err(fault) => {
            let help = "reply `ok` to `bye` and end; end too when standard input ends";
            Check::wrong("bye", fault.to_string(), help)
        }
    });
    let pace =
        checks.iter().all(|check| !check.is_wrong()).then(|| Pace { about: target.about(), messages, us });
    Ok(Smoke { checks, pace })
}

/// Advice about a failed handshake.
fn handshake_help(mistake: MistakeKind) -> &'static str {
    match mistake {
        MistakeKind::OtherVersion => {
            "reply `\"protocol\": 1` to `hello`; harness/targets/PROTOCOL.md describes this version"
        }
        MistakeKind::NotStarted => {
            "check the name of the program and its permission to run; give each argument as a separate word"
        }
        MistakeKind::Ended => "start the command by hand: it must not end before its standard input ends",
        MistakeKind::MoreLines => {
            "write only messages to standard output, one line for each line that is read; log to standard error"
        }
        MistakeKind::NotUnderstood => {
            "write only messages to standard output, as harness/targets/PROTOCOL.md shows them; log to standard error"
        }
        MistakeKind::NoReply => {
            "flush standard output after each line: it is held back where standard output is no terminal"
        }
        MistakeKind::NoCommand | MistakeKind::Interrupted | MistakeKind::Other => {
            "let the program read a line, write its reply as one line, and flush it"
        }
    }
}

fn greeting(hello: &Hello) -> String {
    let clock = match hello.clock {
        Clock::Virtual => "virtual clock",
        Clock::Real => "real clock",
    };
    let purge = if hello.purge { ", removal on request" } else { "" };
    format!("{} {}, {clock}{purge}", hello.name, hello.version)
}

type Checked = Result<String, CheckFailure>;

enum CheckFailure {
    /// The mistake, and the advice.
    Wrong(String, &'static str),
    Fault(Fault),
}

impl From<Fault> for CheckFailure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Fails a check unless this holds.
fn ensure(holds: bool, what: impl FnOnce() -> String, help: &'static str) -> Result<(), CheckFailure> {
    if holds { Ok(()) } else { Err(CheckFailure::Wrong(what(), help)) }
}

/// Without these, no vector can say anything.
const NEEDED: [&str; 2] = ["container", "echo"];

fn checked(target: &ProcessTarget, name: &'static str, checked: Checked) -> Check {
    let help = "see harness/targets/PROTOCOL.md for what may be replied to each message";
    let fault = match checked {
        Ok(what) => return Check::good(name, what),
        Err(CheckFailure::Wrong(what, help)) => return Check::wrong(name, what, help),
        Err(CheckFailure::Fault(fault)) => fault,
    };
    match fault {
        Fault::Unsupported(why) if NEEDED.contains(&name) => {
            Check::wrong(name, format!("not offered: {why}"), "every vector needs it")
        }
        Fault::Unsupported(why) => Check { name, result: CheckResult::NotOffered(why) },
        Fault::Broken(_) => Check::wrong(name, format!("{fault}{}", target.last_words()), help),
        fault => Check::wrong(name, fault.to_string(), help),
    }
}

fn in_container(target: &ProcessTarget, check: impl FnOnce(&mut CheckSession<'_>) -> Checked) -> Checked {
    let mut session = CheckSession(target.open()?);
    session.create_container()?;
    let seen = check(&mut session)?;
    session.close()?;
    Ok(seen)
}

/// Returns the response if it is the expected one.
fn judge(request: &Request, response: Response, expected: Status) -> Result<Response, CheckFailure> {
    let what = || {
        let id = match request {
            Request::Item(operation) => format!(" {}", operation.id()),
            _ => String::new(),
        };
        let detail = response.detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
        let (word, status) = (request.word(), response.status);
        format!("{word}{id} was answered {status}{detail}, and not {expected}")
    };
    let help = "the table of statuses in harness/targets/PROTOCOL.md says which word means what";
    ensure(response.status == expected, what, help)?;
    Ok(response)
}

const OWN_STORE: &str = "give every session a store of its own";

struct CheckSession<'t>(Box<dyn Session + 't>);

impl CheckSession<'_> {
    fn expect(&mut self, request: &Request, expected: Status) -> Result<Response, CheckFailure> {
        judge(request, self.0.send(request)?, expected)
    }

    /// Whether an item is found; any other answer means that it is not.
    fn finds(&mut self, id: &str) -> Result<bool, Fault> {
        Ok(self.0.send(&Request::Item(Operation::Read(id.into())))?.status == Status::Found)
    }

    fn operation(&mut self, operation: Operation, expected: Status) -> Result<Response, CheckFailure> {
        self.expect(&Request::Item(operation), expected)
    }

    fn create(&mut self, id: &str, expected: Status) -> Result<Response, CheckFailure> {
        self.operation(Operation::Create(document(id, &[])), expected)
    }

    fn read(&mut self, id: &str, expected: Status) -> Result<Response, CheckFailure> {
        self.operation(Operation::Read(id.into()), expected)
    }

    /// Creates a container without time to live, so that nothing that goes wrong here has to do with it.
    fn create_container(&mut self) -> Result<Response, CheckFailure> {
        let request = Request::CreateContainer(Container::default());
        let response = self.0.send(&request)?;
        let what = || "a session that was just opened has a container: sessions share data".into();
        ensure(response.status != Status::Conflict, what, OWN_STORE)?;
        judge(&request, response, Status::Created)
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.0.close()
    }
}

fn document(id: &str, properties: &[(&str, &str)]) -> Document {
    let value = |text: &str| Literal::parse(text).unwrap_or_else(|_| Literal::from(0));
    let properties = properties.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect();
    Document { id: id.into(), properties }
}

fn clock(target: &ProcessTarget) -> Checked {
    if target.about().clock == Clock::Real {
        return Ok("real: the harness measures it during a run".into());
    }
    let Some(moved_s) = target.clock_step_s()? else {
        return Err(Fault::Unsupported("answers have no `_ts`, so the clock cannot be checked".into()).into());
    };
    match clock_error(moved_s) {
        Some((what, help)) => Err(CheckFailure::Wrong(what, help)),
        None => Ok(format!("advanced by {moved_s} s")),
    }
}

fn container(target: &ProcessTarget) -> Checked {
    let mut session = CheckSession(target.open()?);
    session.read("a", Status::NotFound)?;
    session.create_container()?;
    session.expect(&Request::CreateContainer(Container::default()), Status::Conflict)?;
    session.expect(&Request::ReplaceContainer(Container::default()), Status::Ok)?;
    session.close()?;
    Ok("created once; a second create is a conflict; settings can be replaced".into())
}

fn echo(session: &mut CheckSession<'_>) -> Checked {
    let sent = document(
        "ä/\" 1",
        &[
            ("whole", "9007199254740991"),
            ("negative", "-1.5"),
            ("text", "\"a\\u2028b\\n\\\"c\\\" \u{1f552}\""),
            ("nothing", "null"),
            ("nested", "{\"list\": [1, [true, {}], \"\"], \"_ts\": 1}"),
        ],
    );
    let written = session.operation(Operation::Create(sent.clone()), Status::Created)?;
    if let Body::Item(item) = &written.body {
        compare(&sent, item, "create")?;
    }
    let Body::Item(item) = session.read(&sent.id, Status::Found)?.body else {
        let what = "read was answered found, without an item".into();
        return Err(CheckFailure::Wrong(what, "return the item as `item`"));
    };
    compare(&sent, &item, "read")?;
    let shown = match (item.ts, item.etag) {
        (Some(_), Some(_)) => "_ts and _etag",
        (Some(_), None) => "_ts",
        (None, Some(_)) => "_etag",
        (None, None) => "neither _ts nor _etag",
    };
    Ok(format!("an item is returned as it was written, with {shown}"))
}

const NULLS: &str = "a property that is null is returned as null: does your JSON writer drop nulls?";

fn compare(sent: &Document, got: &Item, by: &str) -> Result<(), CheckFailure> {
    const HELP: &str = "return every property as it was sent, `id` included, and add `_ts` and `_etag` alone";
    let differs = |what: String| Err(CheckFailure::Wrong(format!("{by} returned {what}"), HELP));
    let got = &got.document;
    if got.id != sent.id {
        return differs(format!("the id {:?} for {:?}", got.id, sent.id));
    }
    for (name, value) in &sent.properties {
        match got.properties.get(name) {
            Some(same) if same.same_value(value) => {}
            Some(other) => return differs(format!("{name}: {other} for {value}")),
            None => {
                let what = format!("the item that {by} returned lacks `{name}`, which was sent as {value}");
                let is_null = value.kind() == LiteralKind::Null;
                return Err(CheckFailure::Wrong(what, if is_null { NULLS } else { HELP }));
            }
        }
    }
    match got.properties.keys().find(|name| !sent.properties.contains_key(*name)) {
        Some(more) => differs(format!("`{more}`, which was never written")),
        None => Ok(()),
    }
}

fn refusals(session: &mut CheckSession<'_>) -> Checked {
    let replace =
        |id: &str, etag: Option<&str>| Operation::Replace(document(id, &[]), etag.map(str::to_owned));
    session.create("a", Status::Created)?;
    session.create("a", Status::Conflict)?;
    session.read("b", Status::NotFound)?;
    session.operation(replace("b", None), Status::NotFound)?;
    session.operation(Operation::Delete("b".into(), None), Status::NotFound)?;
    session.operation(replace("a", Some("\"no etag of any item\"")), Status::PreconditionFailed)?;
    let soon = Operation::Create(document("c", &[("ttl", "\"soon\"")]));
    let settings = match session.0.send(&Request::Item(soon))?.status {
        Status::BadRequest => "bad-request",
        _ => "no bad-request for `ttl: \"soon\"` (the vectors judge that)",
    };
    session.operation(Operation::Delete("a".into(), None), Status::NoContent)?;
    Ok(format!("conflict, not-found, precondition-failed, {settings}"))
}

fn queries(session: &mut CheckSession<'_>) -> Checked {
    session.create("a", Status::Created)?;
    session.create("b", Status::Created)?;
    for request in [Request::Query, Request::List] {
        let mut ids = match session.expect(&request, Status::Ok)?.body {
            Body::Ids(ids) => ids,
            _ => Vec::new(),
        };
        ids.sort();
        let what = || format!("{} was answered {ids:?} where a and b are stored", request.word());
        ensure(ids == ["a", "b"], what, "return the ids of all items as `ids`")?;
    }
    let count = session.expect(&Request::Count, Status::Ok)?.body;
    let what = || format!("count was answered {count:?} where two items are stored");
    ensure(count == Body::Count(2), what, "return the number of items as `count`")?;
    Ok("query, list and count agree".into())
}

fn patch(session: &mut CheckSession<'_>) -> Checked {
    let item = document("a", &[("keep", "1"), ("drop", "2"), ("set", "3")]);
    session.operation(Operation::Create(item), Status::Created)?;
    let Document { id, properties: set } = document("a", &[("set", "4"), ("new", "5")]);
    let patch = Patch { set, remove: vec!["drop".into()], ..Patch::of(id) };
    session.operation(Operation::Patch(patch, None), Status::Ok)?;
    if let Body::Item(item) = session.read("a", Status::Found)?.body {
        compare(&document("a", &[("keep", "1"), ("set", "4"), ("new", "5")]), &item, "read after patch")?;
    }
    Ok("sets and removes the named properties, and keeps the others".into())
}

fn batch(session: &mut CheckSession<'_>) -> Checked {
    let new = |id: &str| Operation::Create(document(id, &[]));
    session.create("a", Status::Created)?;
    let batch = Request::Batch(vec![new("b"), Operation::Read("a".into())]);
    let body = session.expect(&batch, Status::Ok)?.body;
    let what = || format!("a batch of a create and a read was answered {body:?}");
    let committed = Body::Committed(vec![Status::Created, Status::Found]);
    ensure(body == committed, what, "return each operation's status as `committed`")?;
    let body = session.expect(&Request::Batch(vec![new("c"), new("a")]), Status::Conflict)?.body;
    let what = || format!("a batch whose second operation is a conflict was answered {body:?}");
    let help = "say which operation was refused, counted from 0, as `aborted`";
    ensure(body == Body::Aborted { at: 1 }, what, help)?;
    let what = || "a batch that was refused left an item behind".into();
    ensure(!session.finds("c")?, what, "a batch takes effect as a whole or not at all")?;
    Ok("all or nothing".into())
}

fn isolation(session: &mut CheckSession<'_>, target: &ProcessTarget) -> Checked {
    let mut other = CheckSession(target.open()?);
    session.create("a", Status::Created)?;
    other.create_container()?;
    let what = || "an item that was written in one session is found in another".into();
    ensure(!other.finds("a")?, what, OWN_STORE)?;
    other.create("a", Status::Created)?;
    other.close()?;
    session.read("a", Status::Found)?;
    Ok("two sessions share no data".into())
}
