//! The actions on a mutant and a correct store, in every order.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Indexing, Operation, Patch, Properties, Removal, Request,
};

/// The longest lifetime in any scope.
pub(crate) const LONGEST_S: u64 = 2;

/// One thing that happens to both.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Call(Request),
    /// A request that requires the etag which the client saw last of this item.
    IfSeen(Operation),
    /// A second.
    Pass,
    /// The background takes this item, if it is expired.
    Remove(&'static str),
}

/// A small world.
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) removals: &'static [Removal],
    pub(crate) containers: Vec<Container>,
    pub(crate) actions: Vec<Action>,
}

fn properties(all: &[(&str, &str)]) -> Properties {
    all.iter().map(|(name, text)| ((*name).into(), Literal::parse(text).unwrap())).collect()
}

fn document(id: &str, all: &[(&str, &str)]) -> Document {
    Document { id: id.into(), properties: properties(all) }
}

fn container(default_ttl: Option<&str>, indexing: Indexing) -> Container {
    Container { default_ttl: default_ttl.map(|text| Literal::parse(text).unwrap()), indexing }
}

fn consistent(default_ttl: Option<&str>) -> Container {
    container(default_ttl, Indexing::Consistent)
}

fn patch(id: &str, set: &[(&str, &str)], remove: &[&str]) -> Operation {
    let remove = remove.iter().map(|name| (*name).to_owned()).collect();
    Operation::Patch(Patch { id: id.into(), set: properties(set), remove }, None)
}

const ALL: [Removal; 3] = [Removal::Never, Removal::Alternate, Removal::Eager];

const SETTINGS: [Option<&str>; 4] = [None, Some("-1"), Some("1"), Some("2")];

/// Every kind of request about one item, with and without an etag, and every setting.
pub(crate) fn one_item() -> Scope {
    let mut operations = vec![Operation::Read("a".into()), Operation::Delete("a".into(), None)];
    for ttl in [&[][..], &[("ttl", "1")], &[("ttl", "2")], &[("ttl", "-1")], &[("ttl", "0")]] {
        operations.extend([Operation::Create(document("a", ttl)), Operation::Upsert(document("a", ttl))]);
        operations.push(Operation::Replace(document("a", ttl), None));
    }
    let set = [&[("value", "1")][..], &[("ttl", "1")], &[("ttl", "2")], &[("ttl", "-1")]];
    operations.extend(set.map(|set| patch("a", set, &[])));
    operations.push(patch("a", &[], &["ttl"]));
    let conditional = [
        Operation::Delete("a".into(), None),
        Operation::Replace(document("a", &[]), None),
        Operation::Replace(document("a", &[("ttl", "1")]), None),
        patch("a", &[("value", "1")], &[]),
    ];
    let batches = [
        vec![Operation::Upsert(document("a", &[("ttl", "1")])), Operation::Read("a".into())],
        vec![Operation::Upsert(document("a", &[])), Operation::Create(document("a", &[]))],
        vec![Operation::Delete("a".into(), None), Operation::Create(document("a", &[("ttl", "2")]))],
    ];
    let mut asked: Vec<Request> = operations.into_iter().map(Request::Item).collect();
    asked.extend(batches.map(Request::Batch));
    asked.extend([Request::Query, Request::List, Request::Count]);
    let odd = [Some("null"), Some("0")];
    let settings = SETTINGS.into_iter().chain(odd).map(consistent);
    let unindexed = [None, Some("1")].map(|default| container(default, Indexing::None));
    asked.extend(settings.chain(unindexed).map(Request::ReplaceContainer));
    let mut actions: Vec<Action> = asked.into_iter().map(Action::Call).collect();
    actions.extend(conditional.map(Action::IfSeen));
    actions.extend([Action::Pass, Action::Remove("a")]);
    Scope { name: "one item", removals: &ALL, containers: SETTINGS.map(consistent).into(), actions }
}

/// Fewer requests about each of two items.
pub(crate) fn two_items() -> Scope {
    let mut asked = Vec::new();
    for id in ["a", "b"] {
        let operations = [
            Operation::Create(document(id, &[])),
            Operation::Upsert(document(id, &[("ttl", "1")])),
            Operation::Replace(document(id, &[("ttl", "-1")]), None),
            Operation::Patch(
                Patch { id: id.into(), set: properties(&[("ttl", "2")]), remove: Vec::new() },
                None,
            ),
            Operation::Delete(id.into(), None),
            Operation::Read(id.into()),
        ];
        asked.extend(operations.map(Request::Item));
    }
    asked.extend([Request::Query, Request::Count]);
    asked.extend(SETTINGS.map(consistent).map(Request::ReplaceContainer));
    let mut actions: Vec<Action> = asked.into_iter().map(Action::Call).collect();
    actions.extend([Action::Pass, Action::Remove("a"), Action::Remove("b")]);
    Scope { name: "two items", removals: &ALL, containers: SETTINGS.map(consistent).into(), actions }
}
