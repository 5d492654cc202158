//! Small alphabets of actions, each about one part of the rules.

use crate::{Action, Call};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Operation, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;

/// What is tried, in every order.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What it is about.
    pub name: &'static str,
    /// Under which editions.
    pub editions: Vec<Edition>,
    /// Which containers.
    pub containers: Vec<Container>,
    /// Which actions.
    pub actions: Vec<Action>,
    /// Rows longer than this are too many.
    pub depth: usize,
}

/// Every scope.
pub fn scopes() -> Vec<Scope> {
    vec![lives(), values(), settings(), contents(), two_items(), conditions(), batches(), indexing()]
}

/// Values at the ends of the range, and such that are none.
const ODD: [&str; 12] = [
    "0",
    "-2",
    "2147483647",
    "2147483648",
    "4294967297",
    "1.5",
    "1.0",
    "1e1",
    "\"1\"",
    "true",
    "[1]",
    "{\"a\":1}",
];

fn literal(text: &str) -> Option<Literal> {
    Literal::parse(text).ok()
}

fn properties(all: &[(&str, &str)]) -> Properties {
    all.iter().filter_map(|(name, text)| Some(((*name).into(), literal(text)?))).collect()
}

fn document(id: &str, all: &[(&str, &str)]) -> Document {
    Document { id: id.into(), properties: properties(all) }
}

fn container(default_ttl: Option<&str>) -> Container {
    Container { default_ttl: default_ttl.and_then(literal), indexing: Indexing::Consistent }
}

fn indexed(default_ttl: Option<&str>, indexing: Indexing) -> Container {
    Container { indexing, ..container(default_ttl) }
}

fn asked(request: Request) -> Action {
    Action::Call(Call::plain(request))
}

fn item(operation: Operation) -> Action {
    asked(Request::Item(operation))
}

fn create(all: &[(&str, &str)]) -> Action {
    item(Operation::Create(document("a", all)))
}

fn upsert(all: &[(&str, &str)]) -> Action {
    item(Operation::Upsert(document("a", all)))
}

fn replace(all: &[(&str, &str)]) -> Action {
    item(Operation::Replace(document("a", all), None))
}

fn patch(all: &[(&str, &str)], remove: &[&str]) -> Action {
    let remove = remove.iter().map(|name| (*name).to_owned()).collect();
    item(Operation::Patch(Patch { id: "a".into(), set: properties(all), remove }, None))
}

fn read() -> Action {
    item(Operation::Read("a".into()))
}

fn delete() -> Action {
    item(Operation::Delete("a".into(), None))
}

fn set(default_ttl: Option<&str>) -> Action {
    asked(Request::ReplaceContainer(container(default_ttl)))
}

fn both() -> Vec<Edition> {
    vec![Edition::Y2024, Edition::Y2020]
}

const USUAL: [Edition; 1] = [Edition::Y2024];

/// Lives of one and two seconds, and settings of every kind.
fn lives() -> Scope {
    // What people read most easily stands first, and is what they are shown where others would do as well.
    let mut actions = vec![
        read(),
        asked(Request::Query),
        create(&[]),
        create(&[("ttl", "1")]),
        upsert(&[("ttl", "-1")]),
        replace(&[("ttl", "2")]),
        patch(&[("value", "2")], &[]),
        delete(),
    ];
    actions.extend([None, Some("-1"), Some("1"), Some("2")].map(set));
    actions.push(Action::Wait(1));
    let containers = [Some("-1"), Some("1"), None].map(container).into();
    Scope { name: "lives of one and two seconds", editions: USUAL.into(), containers, actions, depth: 6 }
}

/// Values that are no setting, and the greatest that is, on items.
fn values() -> Scope {
    let mut actions = Vec::new();
    for value in ODD.into_iter().chain(["null"]) {
        actions.extend([create(&[("ttl", value)]), upsert(&[("ttl", value)])]);
        actions.extend([replace(&[("ttl", value)]), patch(&[("ttl", value)], &[])]);
    }
    actions.extend([create(&[]), read(), asked(Request::Query)]);
    actions.extend([1, 10, 2_147_483_646, 2_147_483_647].map(Action::Wait));
    let containers = [Some("1"), Some("-1"), None].map(container).into();
    Scope { name: "values of items", editions: both(), containers, actions, depth: 3 }
}

/// The same on containers.
fn settings() -> Scope {
    let odd: Vec<Option<&str>> = ODD.into_iter().chain(["null"]).map(Some).collect();
    let mut actions: Vec<Action> = odd.iter().copied().map(set).collect();
    actions.extend([create(&[]), create(&[("ttl", "1")]), read(), asked(Request::Query)]);
    actions.extend([1, 2_147_483_646, 2_147_483_647].map(Action::Wait));
    let create = |value: Option<&str>| asked(Request::CreateContainer(container(value)));
    actions.extend([Some("1"), Some("-1"), None].map(create));
    let containers = odd.iter().copied().chain([Some("1"), Some("-1"), None]).map(container).collect();
    Scope { name: "values of containers", editions: USUAL.into(), containers, actions, depth: 3 }
}

/// What else is in an item, and what is not a `ttl` although it looks like one.
fn contents() -> Scope {
    let mut actions = Vec::new();
    for name in ["_ttl", "TTL", "Ttl", "timeToLive", "_ts", "nested"] {
        let value = if name == "nested" { "{\"ttl\":1}" } else { "1" };
        actions.extend([create(&[(name, value)]), upsert(&[(name, value)]), patch(&[(name, value)], &[])]);
    }
    actions.extend([
        create(&[("ttl", "2"), ("value", "1")]),
        create(&[("value", "1")]),
        upsert(&[("value", "1")]),
    ]);
    actions.extend([patch(&[("value", "1")], &[]), patch(&[("ttl", "1")], &[]), patch(&[], &["ttl"])]);
    actions.extend([
        read(),
        asked(Request::Query),
        asked(Request::List),
        asked(Request::Count),
        Action::Wait(1),
    ]);
    let containers = [Some("2"), Some("-1"), None].map(container).into();
    Scope { name: "contents of items", editions: USUAL.into(), containers, actions, depth: 3 }
}

/// Two items beside each other.
fn two_items() -> Scope {
    let other = |all: &[(&str, &str)]| document("b", all);
    let actions = vec![
        create(&[]),
        create(&[("ttl", "1")]),
        item(Operation::Create(other(&[]))),
        item(Operation::Upsert(other(&[("ttl", "-1")]))),
        item(Operation::Delete("b".into(), None)),
        upsert(&[]),
        read(),
        asked(Request::Query),
        asked(Request::List),
        asked(Request::Count),
        set(Some("-1")),
        Action::Wait(1),
    ];
    let containers = [Some("1"), Some("-1")].map(container).into();
    Scope { name: "two items", editions: USUAL.into(), containers, actions, depth: 5 }
}

/// Writes that require an etag.
fn conditions() -> Scope {
    let on = |operation: Operation, condition| {
        Action::Call(Call { request: Request::Item(operation), conditions: vec![(0, condition)] })
    };
    let change = Patch { id: "a".into(), set: properties(&[("value", "2")]), remove: Vec::new() };
    let mut actions =
        vec![create(&[]), upsert(&[]), read(), Action::Wait(1), set(None), asked(Request::Query)];
    for condition in [Condition::Seen, Condition::Stale] {
        actions.push(on(Operation::Replace(document("a", &[]), None), condition));
        actions.push(on(Operation::Patch(change.clone(), None), condition));
        actions.push(on(Operation::Delete("a".into(), None), condition));
    }
    let containers = [Some("1"), Some("2"), None].map(container).into();
    Scope { name: "conditional writes", editions: USUAL.into(), containers, actions, depth: 5 }
}

/// Several operations at once.
fn batches() -> Scope {
    let of = |all: &[Operation]| asked(Request::Batch(all.to_vec()));
    let made = |id: &str, all: &[(&str, &str)]| Operation::Create(document(id, all));
    let change = Patch { id: "a".into(), set: properties(&[("value", "2")]), remove: Vec::new() };
    let (a, b) = (Operation::Read("a".into()), Operation::Read("b".into()));
    let actions = vec![
        of(&[made("a", &[]), made("b", &[])]),
        of(&[made("a", &[("ttl", "1")]), made("b", &[])]),
        of(&[made("b", &[]), Operation::Upsert(document("a", &[("ttl", "-1")]))]),
        of(&[Operation::Upsert(document("a", &[])), a.clone()]),
        of(&[Operation::Replace(document("a", &[]), None), Operation::Patch(change, None)]),
        of(&[made("b", &[]), Operation::Delete("a".into(), None)]),
        of(&[made("b", &[]), a.clone()]),
        of(&[made("b", &[]), made("c", &[("ttl", "0")])]),
        of(&[Operation::Delete("a".into(), None), made("a", &[])]),
        create(&[]),
        item(a),
        item(b),
        asked(Request::Query),
        Action::Wait(1),
    ];
    let containers = [Some("1"), Some("2"), Some("-1")].map(container).into();
    Scope { name: "batches", editions: USUAL.into(), containers, actions, depth: 5 }
}

/// Containers with an index, with a slow one and without one.
fn indexing() -> Scope {
    use Indexing::{Consistent, Lazy, None as Nothing};
    let all = [Consistent, Lazy, Nothing];
    let settings =
        || all.into_iter().flat_map(|index| [None, Some("1"), Some("-1")].map(|ttl| indexed(ttl, index)));
    let mut actions: Vec<Action> = settings().map(Request::ReplaceContainer).map(asked).collect();
    actions.extend([
        create(&[]),
        create(&[("ttl", "1")]),
        read(),
        asked(Request::Query),
        asked(Request::Count),
    ]);
    actions.push(Action::Wait(1));
    Scope { name: "indexing", editions: USUAL.into(), containers: settings().collect(), actions, depth: 4 }
}
