//! The model and the independent store on random scripts: every answer is the same, whatever both choose, however late
//! anything is removed.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Etag, Indexing, Item, Operation, Patch, Properties, Removal, Request,
    RequestOptions, Response, Session, Target, purged,
};
use cosmos_ttl_mutants::{FaultyStore, IndependentStore, named};
use cosmos_ttl_testing::choices::{COUNT, numbered, reference};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

const TTLS: [&str; 20] = [
    "",
    "1",
    "2",
    "3",
    "-1",
    "2147483647",
    "null",
    "0",
    "-2",
    "2147483648",
    "4294967298",
    "18446744073709551618",
    "2.0",
    "20e-1",
    "-1.0",
    "1e400",
    "1.5",
    "\"2\"",
    "true",
    "[2]",
];

const REMOVALS: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

#[derive(Clone, Debug)]
struct Script {
    choices: u16,
    removal: Removal,
    settings: Container,
    actions: Vec<Action>,
}

#[derive(Clone, Debug)]
enum Action {
    Pass(u64),
    /// A request in this partition. The etag `seen-0` means the one that the item showed last, and `seen-1` the one before.
    Ask(Request, Option<String>),
}

fn ttls() -> impl Strategy<Value = Option<Literal>> {
    // Mostly settings, sometimes anything.
    let text = prop_oneof![4 => select(&TTLS[..6]), 1 => select(&TTLS[..])];
    text.prop_map(|text| (!text.is_empty()).then(|| Literal::parse(text).unwrap()))
}

fn settings() -> impl Strategy<Value = Container> {
    let indexing =
        prop_oneof![6 => Just(Indexing::Consistent), 1 => Just(Indexing::Lazy), 1 => Just(Indexing::None)];
    (ttls(), indexing).prop_map(|(default_ttl, indexing)| Container { default_ttl, indexing })
}

fn properties() -> impl Strategy<Value = Properties> {
    let more = prop_oneof![
        6 => Just(None),
        1 => select(vec![("_ttl", "1"), ("_ts", "7"), ("x", "{\"ttl\": 1}"), ("y", "1")]).prop_map(Some),
    ];
    (ttls(), any::<bool>(), more).prop_map(|(ttl, value, more)| {
        let mut properties: Properties = [("value".to_owned(), Literal::from(i64::from(value)))].into();
        properties.extend(ttl.map(|ttl| ("ttl".to_owned(), ttl)));
        properties.extend(more.map(|(name, text)| (name.to_owned(), Literal::parse(text).unwrap())));
        properties
    })
}

fn operations() -> impl Strategy<Value = Operation> {
    let id = select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    let etag = prop_oneof![4 => Just(None), 2 => Just(Some("seen-0")), 1 => select(vec![Some("seen-1"), Some("none")])];
    (0..16_u8, id, properties(), etag).prop_map(|(kind, id, properties, etag)| {
        let etag = etag.map(str::to_owned);
        let document = Document { id: id.clone(), properties: properties.clone() };
        match kind {
            0..4 => Operation::Create(document),
            4..6 => Operation::Upsert(document),
            6..8 => Operation::Replace(document, etag),
            8..10 => Operation::Patch(Patch { set: properties, ..Patch::of(id) }, etag),
            10 => {
                let set = [("value".to_owned(), Literal::from(3))].into();
                Operation::Patch(Patch { set, remove: vec!["ttl".into()], ..Patch::of(id) }, etag)
            }
            11..15 => Operation::Read(id),
            _ => Operation::Delete(id, etag),
        }
    })
}

fn scripts() -> impl Strategy<Value = Script> {
    let request = prop_oneof![
        8 => operations().prop_map(Request::Item),
        1 => vec(operations(), 1..4).prop_map(Request::Batch),
        3 => settings().prop_map(Request::ReplaceContainer),
        4 => select(vec![Request::Query, Request::Query, Request::List, Request::Count]),
    ];
    let partition = prop_oneof![6 => Just(None), 1 => Just(Some("q".to_owned()))];
    let action = prop_oneof![
        14 => (request, partition).prop_map(|(request, partition)| Action::Ask(request, partition)),
        6 => (1..4_u64).prop_map(Action::Pass),
        1 => (2_147_483_646..2_147_483_648_u64).prop_map(Action::Pass),
    ];
    (0..COUNT, select(&REMOVALS[..]), settings(), vec(action, 0..24))
        .prop_map(|(choices, removal, settings, actions)| Script { choices, removal, settings, actions })
}

/// One of two stores: its session, and the etags of each item that it showed.
struct Side<'a> {
    session: Box<dyn Session + 'a>,
    start: i64,
    etags: BTreeMap<(Option<String>, String), Vec<Etag>>,
}

impl Side<'_> {
    /// Returns the answer without what no two stores have in common.
    fn ask(&mut self, request: &Request, partition: Option<&String>) -> Response {
        let mut request = request.clone();
        for operation in request.operations_mut() {
            let place = operation.etag().and_then(|etag| etag.strip_prefix("seen-")?.parse::<usize>().ok());
            let seen = self.etags.get(&(partition.cloned(), operation.id().to_owned()));
            if let Some(etag) = place.zip(seen).and_then(|(place, seen)| seen.iter().rev().nth(place)) {
                operation.require(etag.clone());
            }
        }
        let options = RequestOptions::of_partition(partition.cloned());
        let mut response = self.session.send_with(&request, &options).unwrap();
        match &mut response.body {
            Body::Item(Item { document, ts, etag }) => {
                let seen = self.etags.entry((partition.cloned(), document.id.clone())).or_default();
                let told = etag.take().unwrap();
                let number = seen.iter().position(|one| *one == told).unwrap_or(seen.len());
                seen.truncate(number);
                seen.push(told);
                (*ts, *etag) = (ts.map(|ts| ts - self.start), Some(number.to_string()));
            }
            Body::Ids(ids) => ids.sort(),
            _ => {}
        }
        response
    }
}

/// Plays a script to the model and to a store with the same choices; returns the first difference in words.
fn play(script: &Script, mutant: FaultyStore) -> Result<(), TestCaseError> {
    let (preferences, choices) = numbered(script.choices);
    let (model, store) = (reference(preferences), IndependentStore { choices, ..mutant.store });
    let store = FaultyStore { store, ..mutant };
    let side =
        |target: &'static str, session, start| (target, Side { session, start, etags: BTreeMap::new() });
    let mut sides = [
        side("the model", purged(model.open().unwrap(), script.removal), 1_700_000_000),
        side("the store", purged(store.open().unwrap(), script.removal), cosmos_ttl_mutants::START),
    ];
    let creation = Action::Ask(Request::CreateContainer(script.settings.clone()), None);
    for action in [&creation].into_iter().chain(&script.actions) {
        let answers = sides.each_mut().map(|(name, side)| match action {
            Action::Pass(seconds) => {
                side.session.pass(*seconds).unwrap();
                (*name, None)
            }
            Action::Ask(request, partition) => (*name, Some(side.ask(request, partition.as_ref()))),
        });
        if answers[0].1 != answers[1].1 {
            return Err(TestCaseError::fail(format!("{action:?}\n{answers:#?}")));
        }
    }
    Ok(())
}

/// The same scripts every time, unless `PROPTEST_RNG_SEED` and `PROPTEST_CASES` say otherwise.
fn runner(cases: u32) -> TestRunner {
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(37) } else { told.rng_seed };
    println!("PROPTEST_RNG_SEED={rng_seed}");
    let cases = told.cases.max(cases);
    TestRunner::new(Config { cases, rng_seed, failure_persistence: None, max_shrink_iters: 10_000, ..told })
}

#[test]
fn the_model_and_the_store_give_the_same_answers() {
    let found = runner(10_000).run(&scripts(), |script| play(&script, FaultyStore::default()));
    found.unwrap_or_else(|err| panic!("{err}"));
}

#[test]
fn the_scripts_show_mistakes_of_every_kind() {
    for name in [
        "nothing-expires",
        "minus-one-inherits",
        "one-second-early",
        "counts-from-creation",
        "client-sets-ts",
        "read-restarts",
        "patch-does-not-restart",
        "refused-writes-touch-ts",
        "item-text-counts",
        "underscored-ttl-counts",
        "replace-revives",
        "removal-takes-the-youngest",
        "settings-at-write-decide",
        "no-index-is-fine",
        "aborted-batches-keep-creates",
        "conditions-are-ignored",
        "create-ignores-partitions",
    ] {
        let mutant = named(name).unwrap();
        let found = runner(10_000).run(&scripts(), |script| play(&script, mutant));
        assert!(found.is_err(), "no script shows {name}");
    }
}
