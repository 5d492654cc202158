//! Random requests: proptest draws moves, and each move is resolved against the belief when its turn comes.
//!
//! Time goes to a second before, at, or after the deadline of some item. Ids are rather those of items that are expired
//! or gone than new ones. After a change of settings come queries. Uniform chance reaches few states, so each session has
//! a bias of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::repeat_n;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use crate::belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Id, Indexing, Operation, PartitionKey, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::container::World;
use cosmos_ttl_model::rule::{self, Ttl};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::{Just, any};
use proptest::sample::{Index, select};
use proptest::strategy::{SBoxedStrategy, Strategy, Union, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::script::{Action, Call};

/// A session as it is drawn: nothing in it depends on what the target answers.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// Which schedule of removal.
    pub(crate) removal: Index,
    pub(crate) container: Container,
    pub(crate) moves: Vec<Move>,
    bias: Bias,
    /// The property, other than the setting, that this session prefers.
    fond: (String, Literal),
}

/// One action as it is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    kind: MoveKind,
    /// A query comes instead, if settings were changed shortly before.
    looks: bool,
    is_elsewhere: bool,
}

#[derive(Clone, Debug)]
enum MoveKind {
    Item(ItemMove),
    Query(Option<NonZeroU32>),
    List(Option<NonZeroU32>),
    Count,
    Batch(Vec<ItemMove>),
    Configure(Container),
    Wait(Wait),
}

/// What is done with an item.
#[derive(Clone, Debug)]
struct ItemMove {
    whom: Index,
    verb: Verb,
    condition: Option<Condition>,
    /// It is created instead, if there is no item at all.
    fills: bool,
}

#[derive(Clone, Debug)]
enum Verb {
    Read,
    Create(DocumentMove),
    Upsert(DocumentMove),
    Replace(DocumentMove),
    Delete,
    /// Sets `ttl`, and perhaps content.
    PatchTtl(Literal, Option<i64>),
    PatchOther(i64),
    PatchTtlAway,
}

#[derive(Clone, Debug, Default)]
struct DocumentMove {
    ttl: Option<Literal>,
    value: i64,
    /// Below the bias, the document has the property that the session prefers.
    other: u32,
    /// The document is the last one of this id.
    is_repeated: bool,
}

/// A wait: to how many seconds from the deadline of which item, or for how many seconds.
#[derive(Clone, Debug)]
struct Wait {
    whom: Index,
    around_s: i64,
    on_s: u64,
    is_aimed: bool,
    /// An item that never expires is looked at after a very long time.
    is_endless: bool,
}

/// How the moves of a session are drawn.
#[derive(Clone, Copy, Debug)]
struct Bias {
    /// How often each verb happens, in the order of [`Verb`], and each other kind of move, in the order of [`MoveKind`].
    verbs: [u32; 8],
    others_than_items: [u32; 6],
    items: usize,
    item: Taste,
    container: Taste,
    /// In how many of a hundred cases a write has a condition.
    conditions: u32,
    /// In how many of a hundred cases content has a property other than the setting.
    others: u32,
    /// In how many of a hundred cases the index is not consistent.
    unindexed: u32,
    /// In how many of a hundred cases a request is about another partition.
    elsewhere: u32,
    /// The most moves.
    moves: usize,
}

/// Which values a session sends: in how many of a hundred cases there is none at all, in how many of the others it is one
/// far away, and in how many of the rest it is not a valid value.
#[derive(Clone, Copy, Debug)]
struct Taste(u32, u32, u32);

const CALM: Taste = Taste(35, 2, 4);

#[rustfmt::skip]
const BIASES: [Bias; 9] = [
    // A bit of everything.
    Bias { verbs: [14, 10, 6, 6, 3, 3, 3, 2], others_than_items: [10, 3, 4, 8, 6, 24], items: 3, item: CALM, container: Taste(15, 2, 4),
        conditions: 25, others: 70, unindexed: 10, elsewhere: 0, moves: 100 },
    // Items that expire, and what is done to them then.
    Bias { verbs: [14, 10, 7, 7, 6, 5, 4, 2], others_than_items: [9, 4, 6, 12, 1, 28], items: 2, item: Taste(30, 0, 2), container: Taste(5, 0, 0),
        conditions: 35, others: 60, unindexed: 0, elsewhere: 0, moves: 100 },
    // Values that are none, sent with everything that can carry one.
    Bias { verbs: [10, 14, 10, 12, 2, 10, 2, 2], others_than_items: [6, 1, 1, 20, 5, 14], items: 3, item: Taste(10, 4, 60), container: Taste(25, 3, 15),
        conditions: 5, others: 40, unindexed: 0, elsewhere: 0, moves: 90 },
    // Settings that change under what stands.
    Bias { verbs: [14, 8, 3, 3, 2, 2, 1, 1], others_than_items: [10, 2, 4, 2, 20, 28], items: 3, item: Taste(40, 3, 2), container: Taste(30, 4, 16),
        conditions: 10, others: 40, unindexed: 6, elsewhere: 0, moves: 130 },
    // New containers, and values that are no setting for one.
    Bias { verbs: [10, 10, 3, 2, 1, 1, 1, 1], others_than_items: [8, 2, 2, 2, 30, 16], items: 2, item: CALM, container: Taste(15, 15, 60),
        conditions: 0, others: 40, unindexed: 15, elsewhere: 0, moves: 28 },
    // Lives as long as there are, and clocks beyond every width.
    Bias { verbs: [14, 10, 5, 5, 3, 3, 2, 2], others_than_items: [10, 2, 2, 4, 6, 30], items: 3, item: Taste(30, 60, 5), container: Taste(15, 50, 5),
        conditions: 5, others: 40, unindexed: 0, elsewhere: 0, moves: 80 },
    // All or none.
    Bias { verbs: [12, 8, 3, 3, 3, 2, 2, 1], others_than_items: [10, 1, 3, 24, 3, 24], items: 3, item: Taste(30, 2, 35), container: Taste(10, 1, 2),
        conditions: 15, others: 40, unindexed: 0, elsewhere: 0, moves: 90 },
    // The index.
    Bias { verbs: [10, 10, 3, 3, 1, 1, 1, 1], others_than_items: [16, 6, 6, 2, 22, 18], items: 3, item: CALM, container: Taste(35, 2, 5),
        conditions: 0, others: 40, unindexed: 55, elsewhere: 0, moves: 80 },
    // Two partitions, in which the same ids are different items.
    Bias { verbs: [14, 10, 6, 6, 6, 3, 3, 2], others_than_items: [10, 6, 6, 8, 6, 20], items: 2, item: Taste(30, 0, 2), container: Taste(5, 0, 0),
        conditions: 25, others: 40, unindexed: 0, elsewhere: 40, moves: 100 },
];

/// The ids of the items.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// The partition beside the default one.
const ELSEWHERE: &str = "q";
/// The longest wait, if nothing expires: lives of 68 years, some of them one after the other.
const LONGEST_S: i64 = 4_294_967_296;
/// So many moves after a change of settings a query is likelier.
const LOOKS: u32 = 5;

/// Short lives, each as often as it stands here.
const NEAR: [&str; 9] = ["1", "1", "2", "2", "2", "3", "3", "5", "-1"];

/// Lives that end on a boundary of some number, or past a minute.
#[rustfmt::skip]
const FAR: [&str; 11] = [
    "2147483647", "2147483646", "2147483647", "2147483640", "1073741824", "60", "61", "100", "1000", "86400",
    "16777217",
];

/// Values of `ttl` that are not allowed, or are written unusually.
#[rustfmt::skip]
const ODD: [&str; 54] = [
    "0", "0", "0", "0", "0", "-2", "-2", "-5", "-2147483648", "-2147483649", "2147483648", "2147483648",
    "2147483649", "4294967295", "4294967296", "4294967298", "18446744073709551615", "18446744073709551618",
    "-18446744073709551615", "null", "null", "null", "2.0", "2.0", "10.0", "1e0", "0.0", "-1.0", "-2.0",
    "2147483648.0", "1e400", "1e400", "1.5", "1.5", "0.5", "\"2\"", "\"2\"", "true", "false", "[2]",
    "{\"ttl\": 2}", "{}", "-0", "-0", "-1.0", "1e0", "\"-1\"", "\"-1\"", "\"10\"", "4294967306",
    "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
];

/// Values of `defaultTtl` that are not allowed and that a store may take for off.
const ODD_DEFAULT: [&str; 6] = ["null", "null", "null", "{}", "{\"ttl\": 2}", "0"];

/// Properties that are not a setting, although they look like one.
#[rustfmt::skip]
const OTHERS: [(&str, &str); 16] = [
    ("_ttl", "1"), ("TTL", "1"), ("Ttl", "1"), ("timeToLive", "1"), ("TimeToLive", "1"), ("time_to_live", "1"),
    ("defaultTtl", "1"), ("expires", "1"), ("expiresAt", "1"), ("ttlSeconds", "1"), ("_ts", "7"),
    ("_ts", "4102444800"), ("parts", "{\"ttl\": 1}"), ("parts", "{\"ttl\": 1, \"x\": 2}"),
    ("list", "[{\"ttl\": 1}]"), ("_etag", "\"mine\""),
];

/// Draws one of these JSON values.
fn one_of(texts: &[&str]) -> SBoxedStrategy<Literal> {
    select(texts.iter().filter_map(|text| Literal::parse(text).ok()).collect::<Vec<_>>()).sboxed()
}

/// Draws from these, from each as often as it weighs.
fn weighed<T: fmt::Debug>(mut all: Vec<(u32, SBoxedStrategy<T>)>) -> Union<SBoxedStrategy<T>> {
    all.retain(|(weight, _)| *weight > 0);
    Union::new_weighted(all)
}

/// Draws one in this many of a hundred cases.
fn maybe<S>(percent: u32, some: S) -> Union<SBoxedStrategy<Option<S::Value>>>
where
    S: Strategy<Value: Clone + Send + Sync> + Send + Sync + 'static,
{
    weighed(vec![(100 - percent, Just(None).sboxed()), (percent, some.prop_map(Some).sboxed())])
}

/// Draws a `ttl`.
fn ttl(Taste(_, far, odd): Taste) -> Union<SBoxedStrategy<Literal>> {
    let near = (100 - far) * (100 - odd);
    weighed(vec![(near, one_of(&NEAR)), (100 * far, one_of(&FAR)), ((100 - far) * odd, one_of(&ODD))])
}

/// Draws a `ttl`, or that there is none.
fn setting(taste: Taste) -> SBoxedStrategy<Option<Literal>> {
    maybe(100 - taste.0, ttl(taste)).sboxed()
}

fn container(bias: Bias) -> impl Strategy<Value = Container> + use<> {
    let odd = bias.container.2 / 3;
    let odd_default = one_of(&ODD_DEFAULT).prop_map(Some).sboxed();
    let default_ttl = weighed(vec![(100 - odd, setting(bias.container)), (odd, odd_default)]);
    let indexing = weighed(vec![
        (2 * (100 - bias.unindexed), Just(Indexing::Consistent).sboxed()),
        (bias.unindexed, Just(Indexing::Lazy).sboxed()),
        (bias.unindexed, Just(Indexing::None).sboxed()),
    ]);
    (default_ttl, indexing).prop_map(|(default_ttl, indexing)| Container { default_ttl, indexing })
}

fn document(bias: Bias) -> impl Strategy<Value = DocumentMove> + use<> {
    let all = (setting(bias.item), 1..=3_i64, 0..100_u32, weighted(0.15));
    all.prop_map(|(ttl, value, other, is_repeated)| DocumentMove { ttl, value, other, is_repeated })
}

fn verb(bias: Bias, weights: [u32; 8]) -> Union<SBoxedStrategy<Verb>> {
    let patch_ttl = (ttl(bias.item), maybe(30, 1..=3_i64));
    let verbs = [
        Just(Verb::Read).sboxed(),
        document(bias).prop_map(Verb::Create).sboxed(),
        document(bias).prop_map(Verb::Upsert).sboxed(),
        document(bias).prop_map(Verb::Replace).sboxed(),
        Just(Verb::Delete).sboxed(),
        patch_ttl.prop_map(|(ttl, value)| Verb::PatchTtl(ttl, value)).sboxed(),
        (1..=3_i64).prop_map(Verb::PatchOther).sboxed(),
        Just(Verb::PatchTtlAway).sboxed(),
    ];
    weighed(weights.into_iter().zip(verbs).collect())
}

fn item(bias: Bias, weights: [u32; 8]) -> impl Strategy<Value = ItemMove> + use<> {
    let condition = maybe(bias.conditions, select(vec![Condition::Seen, Condition::Stale]));
    let all = (any::<Index>(), verb(bias, weights), condition, weighted(0.6));
    all.prop_map(|(whom, verb, condition, fills)| ItemMove { whom, verb, condition, fills })
}

fn wait() -> impl Strategy<Value = Wait> {
    (any::<Index>(), -1..=1_i64, 1..=3_u64, weighted(0.85), weighted(0.04)).prop_map(
        |(whom, around_s, on_s, is_aimed, is_endless)| Wait { whom, around_s, on_s, is_aimed, is_endless },
    )
}

/// The verbs of a batch: a create comes twice as often as each other verb.
const IN_A_BATCH: [u32; 8] = [1, 2, 1, 1, 1, 1, 1, 1];

fn one_move(bias: Bias) -> impl Strategy<Value = Move> + use<> {
    let page = || maybe(10, (0..2_u32).prop_map(|more| NonZeroU32::MIN.saturating_add(more)));
    let kinds = [
        item(bias, bias.verbs).prop_map(MoveKind::Item).sboxed(),
        page().prop_map(MoveKind::Query).sboxed(),
        page().prop_map(MoveKind::List).sboxed(),
        Just(MoveKind::Count).sboxed(),
        vec(item(bias, IN_A_BATCH), 1..=3).prop_map(MoveKind::Batch).sboxed(),
        container(bias).prop_map(MoveKind::Configure).sboxed(),
        wait().prop_map(MoveKind::Wait).sboxed(),
    ];
    let weights = [bias.verbs.iter().sum()].into_iter().chain(bias.others_than_items);
    let kind = weighed(weights.zip(kinds).collect());
    (kind, weighted(0.5), weighted(f64::from(bias.elsewhere) / 100.0))
        .prop_map(|(kind, looks, is_elsewhere)| Move { kind, looks, is_elsewhere })
}

fn session(bias: Bias) -> SBoxedStrategy<Session> {
    let fond =
        OTHERS.iter().filter_map(|(name, text)| Some(((*name).to_owned(), Literal::parse(text).ok()?)));
    let fond = select(fond.collect::<Vec<_>>());
    let moves = vec(one_move(bias), bias.moves / 4..=bias.moves);
    (any::<Index>(), container(bias), moves, fond)
        .prop_map(move |(removal, container, moves, fond)| Session { removal, container, moves, bias, fond })
        .sboxed()
}

static SESSIONS: LazyLock<Union<SBoxedStrategy<Session>>> = LazyLock::new(|| Union::new(BIASES.map(session)));

/// Draws the session of this seed. The same seed draws the same on every machine, with the same release of proptest.
pub(crate) fn drawn(seed: u64) -> Option<impl ValueTree<Value = Session>> {
    let bytes: Vec<u8> = seed.to_le_bytes().into_iter().cycle().take(32).collect();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    // It filters nothing, so it never fails.
    SESSIONS.new_tree(&mut TestRunner::new_with_rng(config, rng)).ok()
}

/// Resolves the moves of a session, one after the other.
#[derive(Debug)]
pub(crate) struct Resolver {
    /// The container to create first.
    container: Option<Container>,
    moves: std::vec::IntoIter<Move>,
    bias: Bias,
    fond: (String, Literal),
    /// The longest wait.
    patience_s: u64,
    /// The content last written under each id.
    last: BTreeMap<Id, Document>,
    /// How many of the next moves may become queries.
    looks: u32,
}

impl Resolver {
    pub(crate) fn new(session: Session, patience_s: u64) -> Self {
        let Session { container, moves, bias, fond, .. } = session;
        let (container, moves, last) = (Some(container), moves.into_iter(), BTreeMap::new());
        Self { container, moves, bias, fond, patience_s, last, looks: 0 }
    }

    /// Returns the next action, by what is known of the session; enters the partition that it is about. `None` at the end, and
    /// where there is no container, without which there is nothing to do.
    pub(crate) fn next(&mut self, belief: &mut Belief) -> Option<Action> {
        if let Some(container) = self.container.take() {
            return Some(Action::Call(Call::plain(Request::CreateContainer(container))));
        }
        let one = self.moves.next().filter(|_| belief.exists())?;
        let partition = one.is_elsewhere.then(|| PartitionKey::from(ELSEWHERE));
        belief.enter(partition.clone());
        self.looks = self.looks.saturating_sub(1);
        let kind = if self.looks > 0 && one.looks { MoveKind::Query(None) } else { one.kind };
        let plain = |request| Call { partition: partition.clone(), ..Call::plain(request) };
        Some(Action::Call(match kind {
            MoveKind::Wait(wait) => return Some(Action::Wait(self.wait_s(&wait, belief.any()))),
            MoveKind::Configure(container) => {
                self.looks = LOOKS;
                Call::plain(Request::ReplaceContainer(container))
            }
            MoveKind::Query(page) => Call { page, ..plain(Request::Query) },
            MoveKind::List(page) => Call { page, ..plain(Request::List) },
            MoveKind::Count => plain(Request::Count),
            MoveKind::Batch(items) => {
                let (mut operations, mut conditions) = (Vec::new(), Vec::new());
                for (number, item) in items.into_iter().enumerate() {
                    let (operation, condition) = self.operation(item, belief);
                    operations.push(operation);
                    conditions.extend(condition.map(|condition| (number, condition)));
                }
                Call { conditions, ..plain(Request::Batch(operations)) }
            }
            MoveKind::Item(item) => {
                let (operation, condition) = self.operation(item, belief);
                let conditions = condition.into_iter().map(|condition| (0, condition)).collect();
                Call { conditions, ..plain(Request::Item(operation)) }
            }
        }))
    }

    /// To the deadline of some item, or a bit to either side; or just on.
    fn wait_s(&self, wait: &Wait, world: Option<&World>) -> u64 {
        let aim = || {
            let world = world.filter(|world| !world.items.is_empty())?;
            let item = world.items.values().nth(wait.whom.index(world.items.len()))?;
            let wait_s = match rule::lifetime(world.settings.default_ttl, item.ttl) {
                Ttl::Seconds(seconds) => {
                    let deadline = item.ts.saturating_add(seconds).saturating_add(wait.around_s);
                    let left_s = deadline.saturating_sub(world.now);
                    (left_s > 0 && wait.is_aimed).then_some(left_s)?
                }
                Ttl::Forever => wait.is_endless.then_some(LONGEST_S + wait.around_s)?,
            };
            u64::try_from(wait_s).ok()
        };
        let wait_s = aim().unwrap_or(wait.on_s);
        if wait_s > self.patience_s { (wait_s % self.patience_s).max(1) } else { wait_s }
    }

    fn operation(&mut self, item: ItemMove, belief: &Belief) -> (Operation, Option<Condition>) {
        let is_empty = belief.any().is_none_or(|world| world.items.is_empty());
        let verb = match item.verb {
            verb @ (Verb::Create(_) | Verb::Upsert(_)) => verb,
            _ if is_empty && item.fills => Verb::Create(DocumentMove::default()),
            verb => verb,
        };
        let id = Id::from(self.whom(matches!(verb, Verb::Create(_)), item.whom, belief));
        let patch = |set, remove| Operation::Patch(Patch { set, remove, ..Patch::of(id.clone()) }, None);
        let operation = match verb {
            Verb::Create(document) => Operation::Create(self.document(&id, document)),
            Verb::Upsert(document) => Operation::Upsert(self.document(&id, document)),
            Verb::Replace(document) => Operation::Replace(self.document(&id, document), None),
            Verb::PatchTtl(ttl, value) => {
                let ttl = ("ttl".to_owned(), ttl);
                patch(value.map(content).into_iter().chain([ttl]).collect(), Vec::new())
            }
            Verb::PatchOther(value) => patch([content(value)].into(), Vec::new()),
            // Only where there is one: what it answers otherwise is no matter of time to live.
            Verb::PatchTtlAway if belief.carries(&id, "ttl") => patch(Properties::new(), vec!["ttl".into()]),
            Verb::Delete => Operation::Delete(id.clone(), None),
            Verb::Read | Verb::PatchTtlAway => Operation::Read(id.clone()),
        };
        let is_known = |condition: &Condition| belief.etag(&id, *condition).is_some();
        let condition = item.condition.filter(|_| operation.takes_etag()).filter(is_known);
        (operation, condition)
    }

    /// Whom it is about: rather an item that is hidden, or for a create one that is not visible.
    fn whom(&self, creates: bool, whom: Index, belief: &Belief) -> &'static str {
        let world = belief.any();
        let mut weighed = Vec::new();
        for name in NAMES.into_iter().take(self.bias.items) {
            let item = belief.number(name).zip(world);
            let is_visible = item.is_some_and(|(id, world)| world.visible(id).is_some());
            let is_expired = item.is_some_and(|(id, world)| world.expired(id).is_some());
            let is_wanted = if creates { !is_visible } else { is_visible || is_expired };
            let weight = if is_expired { 6 } else { 1 + 3 * usize::from(is_wanted) };
            weighed.extend(repeat_n(name, weight));
        }
        weighed.get(whom.index(weighed.len())).copied().unwrap_or("a")
    }

    fn document(&mut self, id: &str, drawn: DocumentMove) -> Document {
        if drawn.is_repeated
            && let Some(same) = self.last.get(id)
        {
            return same.clone();
        }
        let mut properties = Properties::from([content(drawn.value)]);
        // What only looks like a setting is rather taken for one where there is none.
        let others = if drawn.ttl.is_none() { self.bias.others } else { self.bias.others / 4 };
        properties.extend((drawn.other < others).then(|| self.fond.clone()));
        properties.extend(drawn.ttl.map(|ttl| ("ttl".into(), ttl)));
        let document = Document { id: id.into(), properties };
        self.last.insert(id.into(), document.clone());
        document
    }
}

fn content(value: i64) -> (String, Literal) {
    ("value".into(), Literal::from(value))
}
