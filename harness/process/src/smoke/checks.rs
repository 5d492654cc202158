//! The checks that need a place.

use super::{Check, Found};
use crate::target::{ProcessTarget, lie, moved_s};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Clock, Container, Document, Fault, Indexing, Item, Opening, Operation, Patch, Properties, Request,
    Response, Session, Status, Target,
};

/// What a check saw, or what is wrong and what to do, or why there is no answer.
type Seen = Result<String, Trouble>;

enum Trouble {
    Wrong(String, &'static str),
    Fault(Fault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A check, its name and what to do where there is no answer at all.
type Named = (&'static str, fn(&ProcessTarget) -> Seen);

const CHECKS: [Named; 9] = [
    ("clock", clock),
    ("container", container),
    ("echo", echo),
    ("refusals", refusals),
    ("queries", queries),
    ("patch", patch),
    ("batch", batch),
    ("isolation", isolation),
    ("close twice", close_twice),
];

pub(super) fn all(target: &ProcessTarget) -> Vec<Check> {
    CHECKS.iter().map(|(name, check)| Check { name, found: found(target, name, check(target)) }).collect()
}

/// Without these, no vector can say anything.
const NEEDED: [&str; 2] = ["container", "echo"];

fn found(target: &ProcessTarget, name: &str, seen: Seen) -> Found {
    let wrong = |what: String, help: &str| Found::Wrong { what, help: help.into() };
    match seen {
        Ok(what) => Found::Good(what),
        Err(Trouble::Wrong(what, help)) => wrong(what, help),
        Err(Trouble::Fault(Fault::Unsupported(why))) if NEEDED.contains(&name) => {
            wrong(format!("not offered: {why}"), "no vector could be replayed without it")
        }
        Err(Trouble::Fault(Fault::Unsupported(why))) => Found::NotOffered(why),
        Err(Trouble::Fault(Fault::Broken(why))) => {
            let what = format!("{}{}", Fault::Broken(why), target.last_words());
            wrong(what, "see harness/process/PROTOCOL.md for what may be replied to each message")
        }
        Err(Trouble::Fault(fault)) => wrong(
            fault.to_string(),
            "see harness/process/PROTOCOL.md for what may be replied to each message",
        ),
    }
}

/// A place, with a container in it where one is wanted.
fn open(target: &ProcessTarget) -> Result<Box<dyn Session + '_>, Fault> {
    let about = target.about();
    let edition = about.editions.iter().max().copied().unwrap_or_default();
    target.open(&Opening::new(edition, about.removals.first().copied()))
}

fn with_container(target: &ProcessTarget) -> Result<Box<dyn Session + '_>, Trouble> {
    let mut session = open(target)?;
    answer(session.as_mut(), &create_container(), Status::Created)?;
    Ok(session)
}

/// Without time to live, so that whatever is wrong here has nothing to do with it.
fn create_container() -> Request {
    Request::CreateContainer(Container { default_ttl: None, indexing: Indexing::Consistent })
}

/// Asks, and wants this status.
fn answer(session: &mut dyn Session, request: &Request, wanted: Status) -> Result<Response, Trouble> {
    let response = session.send(request)?;
    if response.status == wanted {
        return Ok(response);
    }
    let detail = response.detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
    let what = format!("{} was answered {}{detail}, and not {wanted}", word(request), response.status);
    Err(Trouble::Wrong(
        what,
        "the table of statuses in harness/process/PROTOCOL.md says which word means what",
    ))
}

fn word(request: &Request) -> String {
    match request {
        Request::CreateContainer(_) => "create-container".into(),
        Request::ReplaceContainer(_) => "replace-container".into(),
        Request::Batch(_) => "batch".into(),
        Request::Query => "query".into(),
        Request::List => "list".into(),
        Request::Count => "count".into(),
        Request::Item(operation) => {
            let word = match operation {
                Operation::Create(_) => "create",
                Operation::Upsert(_) => "upsert",
                Operation::Replace(..) => "replace",
                Operation::Patch(..) => "patch",
                Operation::Read(_) => "read",
                Operation::Delete(..) => "delete",
            };
            format!("{word} {}", operation.id())
        }
    }
}

fn document(id: &str, properties: &[(&str, &str)]) -> Document {
    let value = |text: &str| Literal::parse(text).unwrap_or_else(|_| Literal::from(0));
    let properties: Properties =
        properties.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect();
    Document { id: id.into(), properties }
}

fn create(id: &str) -> Request {
    Request::Item(Operation::Create(document(id, &[])))
}

fn read(id: &str) -> Request {
    Request::Item(Operation::Read(id.into()))
}

fn clock(target: &ProcessTarget) -> Seen {
    if target.about().clock == Clock::Real {
        return Ok("runs by itself; the harness finds out how well when it runs the vectors".into());
    }
    match moved_s(target)?.map(|moved_s| (moved_s, lie(moved_s))) {
        Some((moved_s, None)) => Ok(format!("moves when it is told to: {moved_s} s")),
        Some((_, Some(lie))) => Err(Trouble::Wrong(lie, "let `pass` alone move the clock")),
        None => Err(Fault::Unsupported("`_ts` is not shown, so nobody can look at the clock".into()).into()),
    }
}

fn container(target: &ProcessTarget) -> Seen {
    let mut session = open(target)?;
    answer(session.as_mut(), &read("a"), Status::NotFound)?;
    answer(session.as_mut(), &create_container(), Status::Created)?;
    answer(session.as_mut(), &create_container(), Status::Conflict)?;
    let replace = Request::ReplaceContainer(Container::default());
    answer(session.as_mut(), &replace, Status::Ok)?;
    session.close()?;
    Ok("made once, a second is a conflict, its settings can be replaced".into())
}

fn echo(target: &ProcessTarget) -> Seen {
    let mut session = with_container(target)?;
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
    let created = Request::Item(Operation::Create(sent.clone()));
    let written = answer(session.as_mut(), &created, Status::Created)?;
    if let Body::Item(item) = &written.body {
        same(&sent, item, "create")?;
    }
    let found = answer(session.as_mut(), &read(&sent.id), Status::Found)?;
    let Body::Item(item) = &found.body else {
        return Err(Trouble::Wrong(
            "read was answered found, without an item".into(),
            "return the item as `item`",
        ));
    };
    same(&sent, item, "read")?;
    session.close()?;
    let shown: Vec<_> =
        [item.ts.map(|_| "_ts"), item.etag.as_ref().map(|_| "_etag")].into_iter().flatten().collect();
    let shown = if shown.is_empty() { "neither _ts nor _etag".into() } else { shown.join(" and ") };
    Ok(format!("an item comes back as it was written, with {shown}"))
}

/// Whether an item is what was written.
fn same(sent: &Document, got: &Item, by: &str) -> Result<(), Trouble> {
    const HELP: &str = "return every property as it was sent, `id` included, and add `_ts` and `_etag` alone";
    let wrong = |what: String| Err(Trouble::Wrong(format!("{by} returned {what}"), HELP));
    let got = &got.document;
    if got.id != sent.id {
        return wrong(format!("the id {:?} for {:?}", got.id, sent.id));
    }
    for (name, value) in &sent.properties {
        match got.properties.get(name) {
            Some(same) if same.same_value(value) => {}
            Some(other) => return wrong(format!("{name}: {other} for {value}")),
            None => return wrong(format!("no `{name}`, which was {value}")),
        }
    }
    match got.properties.keys().find(|name| !sent.properties.contains_key(*name)) {
        Some(more) => wrong(format!("`{more}`, which was never written")),
        None => Ok(()),
    }
}

fn refusals(target: &ProcessTarget) -> Seen {
    let mut session = with_container(target)?;
    answer(session.as_mut(), &create("a"), Status::Created)?;
    answer(session.as_mut(), &create("a"), Status::Conflict)?;
    answer(session.as_mut(), &read("b"), Status::NotFound)?;
    let replace = |id: &str, etag: Option<&str>| {
        Request::Item(Operation::Replace(document(id, &[]), etag.map(str::to_owned)))
    };
    answer(session.as_mut(), &replace("b", None), Status::NotFound)?;
    answer(session.as_mut(), &Request::Item(Operation::Delete("b".into(), None)), Status::NotFound)?;
    answer(session.as_mut(), &replace("a", Some("\"no etag of any item\"")), Status::PreconditionFailed)?;
    let soon = Request::Item(Operation::Create(document("c", &[("ttl", "\"soon\"")])));
    let response = session.send(&soon)?;
    let settings = if response.status == Status::BadRequest {
        "bad-request"
    } else {
        "no bad-request for a ttl that is a word, which the vectors will judge"
    };
    answer(session.as_mut(), &Request::Item(Operation::Delete("a".into(), None)), Status::NoContent)?;
    session.close()?;
    Ok(format!("conflict, not-found, precondition-failed, {settings}"))
}

fn queries(target: &ProcessTarget) -> Seen {
    let mut session = with_container(target)?;
    for id in ["a", "b"] {
        answer(session.as_mut(), &create(id), Status::Created)?;
    }
    for request in [Request::Query, Request::List] {
        let response = answer(session.as_mut(), &request, Status::Ok)?;
        let mut ids = match response.body {
            Body::Ids(ids) => ids,
            _ => Vec::new(),
        };
        ids.sort();
        if ids != ["a", "b"] {
            let what = format!("{} was answered {ids:?} where a and b are stored", word(&request));
            return Err(Trouble::Wrong(what, "return the ids of all items as `ids`"));
        }
    }
    let counted = answer(session.as_mut(), &Request::Count, Status::Ok)?;
    if counted.body != Body::Count(2) {
        let what = format!("count was answered {:?} where two items are stored", counted.body);
        return Err(Trouble::Wrong(what, "return the number of items as `count`"));
    }
    session.close()?;
    Ok("query, list and count agree".into())
}

fn patch(target: &ProcessTarget) -> Seen {
    let mut session = with_container(target)?;
    let item = document("a", &[("keep", "1"), ("drop", "2"), ("set", "3")]);
    answer(session.as_mut(), &Request::Item(Operation::Create(item)), Status::Created)?;
    let Document { properties: set, .. } = document("a", &[("set", "4"), ("new", "5")]);
    let patch = Patch { id: "a".into(), set, remove: vec!["drop".into()] };
    answer(session.as_mut(), &Request::Item(Operation::Patch(patch, None)), Status::Ok)?;
    let found = answer(session.as_mut(), &read("a"), Status::Found)?;
    if let Body::Item(item) = &found.body {
        same(&document("a", &[("keep", "1"), ("set", "4"), ("new", "5")]), item, "read after patch")?;
    }
    session.close()?;
    Ok("sets what is named, takes away what is named, and leaves the rest".into())
}

fn batch(target: &ProcessTarget) -> Seen {
    const HELP: &str = "a batch takes effect as a whole or not at all";
    let mut session = with_container(target)?;
    answer(session.as_mut(), &create("a"), Status::Created)?;
    let new = |id: &str| Operation::Create(document(id, &[]));
    let committed = Request::Batch(vec![new("b"), Operation::Read("a".into())]);
    let response = answer(session.as_mut(), &committed, Status::Ok)?;
    if response.body != Body::Committed(vec![Status::Created, Status::Found]) {
        let what = format!("a batch of a create and a read was answered {:?}", response.body);
        return Err(Trouble::Wrong(what, "return each operation's status as `committed`"));
    }
    let response = answer(session.as_mut(), &Request::Batch(vec![new("c"), new("a")]), Status::Conflict)?;
    if response.body != (Body::Aborted { at: 1 }) {
        let what = format!("a batch whose second operation is a conflict was answered {:?}", response.body);
        return Err(Trouble::Wrong(what, "say which operation was refused, counted from 0, as `aborted`"));
    }
    if session.send(&read("c"))?.status == Status::Found {
        return Err(Trouble::Wrong("a batch that was refused left an item behind".into(), HELP));
    }
    session.close()?;
    Ok("all or nothing".into())
}

fn isolation(target: &ProcessTarget) -> Seen {
    let mut one = with_container(target)?;
    let mut other = open(target)?;
    answer(one.as_mut(), &create("a"), Status::Created)?;
    answer(other.as_mut(), &create_container(), Status::Created)?;
    if other.send(&read("a"))?.status == Status::Found {
        let what = "an item that was written in one session is found in another".into();
        return Err(Trouble::Wrong(what, "give every session a store of its own"));
    }
    answer(other.as_mut(), &create("a"), Status::Created)?;
    other.close()?;
    answer(one.as_mut(), &read("a"), Status::Found)?;
    one.close()?;
    Ok("two sessions see nothing of each other".into())
}

fn close_twice(target: &ProcessTarget) -> Seen {
    let mut session = with_container(target)?;
    session.close()?;
    session.close()?;
    Ok("a session that is closed may be closed again".into())
}
