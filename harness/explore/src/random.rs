//! Random requests: proptest draws moves, and each move is resolved against the belief when its turn comes.
//!
//! Time goes to a second before, at, or after the deadline of some item. Ids are rather those of items that are expired
//! or gone than new ones. After a change of settings come queries. Uniform chance reaches few states, so each session has
//! a bias of its own.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Id, Indexing, Operation, PartitionKey, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::container::World;
use cosmos_ttl_model::rule::{self, Ttl};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, any, prop_oneof};
use proptest::sample::{Index, select};
use proptest::strategy::{SBoxedStrategy, Strategy, Union, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::script::{Action, Call};

/// A session as it is drawn: nothing in it depends on what the target answers.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// Which of the editions that the target offers, and which schedule of removal.
    pub(crate) edition: Index,
    pub(crate) removal: Index,
    pub(crate) container: Container,
    pub(crate) moves: Vec<Move>,
    bias: Bias,
    /// The property, other than the setting, that this session prefers.
    fond: (String, Literal),
}

/// One action as it is drawn. Only some of the fields count; which ones, its kind says.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    kind: Kind,
    item: ItemMove,
    /// The operations of a batch.
    batch: Vec<(Kind, ItemMove)>,
    container: Container,
    wait: Wait,
    /// A query comes instead, if settings were changed shortly before.
    looks: bool,
    /// An item is created instead, if there is none.
    fills: bool,
    is_elsewhere: bool,
    page: Option<NonZeroU32>,
}

/// What is done with an item.
#[derive(Clone, Debug)]
struct ItemMove {
    whom: Index,
    /// The `ttl` of a document, and that of a patch.
    setting: Option<Literal>,
    ttl: Literal,
    value: i64,
    /// Below the bias, the document has the property that the session prefers.
    other: u32,
    /// The document is the last one of this id.
    is_repeated: bool,
    /// A patch of `ttl` sets content, too.
    is_wide: bool,
    condition: Option<Condition>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Query,
    Create,
    Upsert,
    Replace,
    Delete,
    PatchTtl,
    PatchOther,
    PatchTtlAway,
    Batch,
    List,
    Count,
    Configure,
    Wait,
}

/// Every kind, the simplest first: shrinking tends to these.
const KINDS: [Kind; 14] = [
    Kind::Read,
    Kind::Query,
    Kind::Create,
    Kind::Upsert,
    Kind::Replace,
    Kind::Delete,
    Kind::PatchTtl,
    Kind::PatchOther,
    Kind::PatchTtlAway,
    Kind::Batch,
    Kind::List,
    Kind::Count,
    Kind::Configure,
    Kind::Wait,
];

/// How the moves of a session are drawn.
#[derive(Clone, Copy, Debug)]
struct Bias {
    /// How often each of the [`KINDS`] happens.
    kinds: [u32; KINDS.len()],
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
    Bias { kinds: [14, 10, 10, 6, 6, 3, 3, 3, 2, 4, 3, 4, 6, 24], items: 3, item: CALM, container: Taste(15, 2, 4),
        conditions: 25, others: 70, unindexed: 10, elsewhere: 0, moves: 100 },
    // Items that expire, and what is done to them then.
    Bias { kinds: [14, 9, 10, 7, 7, 6, 5, 4, 2, 6, 4, 6, 1, 28], items: 2, item: Taste(30, 0, 2), container: Taste(5, 0, 0),
        conditions: 35, others: 60, unindexed: 0, elsewhere: 0, moves: 100 },
    // Values that are none, sent with everything that can carry one.
    Bias { kinds: [10, 6, 14, 10, 12, 2, 10, 2, 2, 10, 1, 1, 5, 14], items: 3, item: Taste(10, 4, 60), container: Taste(25, 3, 15),
        conditions: 5, others: 40, unindexed: 0, elsewhere: 0, moves: 90 },
    // Settings that change under what stands.
    Bias { kinds: [14, 10, 8, 3, 3, 2, 2, 1, 1, 1, 2, 4, 20, 28], items: 3, item: Taste(40, 3, 2), container: Taste(30, 4, 16),
        conditions: 10, others: 40, unindexed: 6, elsewhere: 0, moves: 130 },
    // New containers, and values that are no setting for one.
    Bias { kinds: [10, 8, 10, 3, 2, 1, 1, 1, 1, 1, 2, 2, 30, 16], items: 2, item: CALM, container: Taste(15, 15, 60),
        conditions: 0, others: 40, unindexed: 15, elsewhere: 0, moves: 28 },
    // Lives as long as there are, and clocks beyond every width.
    Bias { kinds: [14, 10, 10, 5, 5, 3, 3, 2, 2, 2, 2, 2, 6, 30], items: 3, item: Taste(30, 60, 5), container: Taste(15, 50, 5),
        conditions: 5, others: 40, unindexed: 0, elsewhere: 0, moves: 80 },
    // All or none.
    Bias { kinds: [12, 10, 8, 3, 3, 3, 2, 2, 1, 24, 1, 3, 3, 24], items: 3, item: Taste(30, 2, 35), container: Taste(10, 1, 2),
        conditions: 15, others: 40, unindexed: 0, elsewhere: 0, moves: 90 },
    // The index.
    Bias { kinds: [10, 16, 10, 3, 3, 1, 1, 1, 1, 1, 6, 6, 22, 18], items: 3, item: CALM, container: Taste(35, 2, 5),
        conditions: 0, others: 40, unindexed: 55, elsewhere: 0, moves: 80 },
    // Two partitions, in which the same ids are different items.
    Bias { kinds: [14, 10, 10, 6, 6, 6, 3, 3, 2, 4, 6, 6, 6, 20], items: 2, item: Taste(30, 0, 2), container: Taste(5, 0, 0),
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

/// Draws a `ttl`.
fn ttl(Taste(_, far, odd): Taste) -> impl Strategy<Value = Literal> + use<> {
    let near = (100 - far) * (100 - odd);
    Union::new_weighted(vec![
        (near, one_of(&NEAR)),
        (100 * far, one_of(&FAR)),
        ((100 - far) * odd, one_of(&ODD)),
    ])
}

/// Draws a `ttl`, or that there is none.
fn setting(taste: Taste) -> impl Strategy<Value = Option<Literal>> + use<> {
    option::weighted(share(100 - taste.0), ttl(taste))
}

fn share(percent: u32) -> f64 {
    f64::from(percent) / 100.0
}

fn container(bias: Bias) -> impl Strategy<Value = Container> + use<> {
    let odd = bias.container.2 / 3;
    let default_ttl = prop_oneof![
        100 - odd => setting(bias.container),
        odd => one_of(&ODD_DEFAULT).prop_map(Some),
    ];
    let indexing = prop_oneof![
        2 * (100 - bias.unindexed) => Just(Indexing::Consistent),
        bias.unindexed => Just(Indexing::Lazy),
        bias.unindexed => Just(Indexing::None),
    ];
    (default_ttl, indexing).prop_map(|(default_ttl, indexing)| Container { default_ttl, indexing })
}

fn item(bias: Bias) -> impl Strategy<Value = ItemMove> + use<> {
    let condition = prop_oneof![Just(Condition::Seen), Just(Condition::Stale)];
    let condition = option::weighted(share(bias.conditions), condition);
    let (whom, value, other) = (any::<Index>(), 1..=3_i64, 0..100_u32);
    let all =
        (whom, setting(bias.item), ttl(bias.item), value, other, weighted(0.15), weighted(0.3), condition);
    all.prop_map(|(whom, setting, ttl, value, other, is_repeated, is_wide, condition)| ItemMove {
        whom,
        setting,
        ttl,
        value,
        other,
        is_repeated,
        is_wide,
        condition,
    })
}

fn wait() -> impl Strategy<Value = Wait> {
    (any::<Index>(), -1..=1_i64, 1..=3_u64, weighted(0.85), weighted(0.04)).prop_map(
        |(whom, around_s, on_s, is_aimed, is_endless)| Wait { whom, around_s, on_s, is_aimed, is_endless },
    )
}

/// The verbs of a batch. A create comes twice as often as each other verb.
const VERBS: [Kind; 9] = [
    Kind::Create,
    Kind::Create,
    Kind::Upsert,
    Kind::Replace,
    Kind::PatchTtl,
    Kind::PatchOther,
    Kind::PatchTtlAway,
    Kind::Read,
    Kind::Delete,
];

fn one_move(bias: Bias) -> impl Strategy<Value = Move> + use<> {
    let kind = Union::new_weighted(bias.kinds.into_iter().zip(KINDS.map(Just)).collect());
    let batch = vec((select(VERBS.to_vec()), item(bias)), 1..=3);
    let page = option::weighted(0.1, select([1, 2].map(|size| NonZeroU32::MIN.saturating_add(size - 1)).to_vec()));
    let all = (
        kind,
        item(bias),
        batch,
        container(bias),
        wait(),
        weighted(0.5),
        weighted(0.6),
        weighted(share(bias.elsewhere)),
        page,
    );
    all.prop_map(|(kind, item, batch, container, wait, looks, fills, is_elsewhere, page)| Move {
        kind,
        item,
        batch,
        container,
        wait,
        looks,
        fills,
        is_elsewhere,
        page,
    })
}

fn session(bias: Bias) -> SBoxedStrategy<Session> {
    let fond = OTHERS.iter().filter_map(|(name, text)| Some(((*name).to_owned(), Literal::parse(text).ok()?)));
    let fond = select(fond.collect::<Vec<_>>());
    let moves = vec(one_move(bias), bias.moves / 4..=bias.moves);
    (any::<Index>(), any::<Index>(), container(bias), moves, fond)
        .prop_map(move |(edition, removal, container, moves, fond)| Session {
            edition,
            removal,
            container,
            moves,
            bias,
            fond,
        })
        .sboxed()
}

static SESSIONS: LazyLock<Union<SBoxedStrategy<Session>>> =
    LazyLock::new(|| Union::new(BIASES.map(session)));

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
        let Session { moves, bias, fond, .. } = session;
        Self { moves: moves.into_iter(), bias, fond, patience_s, last: BTreeMap::new(), looks: 0 }
    }

    /// Returns the next action, by what is known of the session; enters the partition that it is about.
    pub(crate) fn next(&mut self, belief: &mut Belief) -> Option<Action> {
        let one = self.moves.next()?;
        let partition = one.is_elsewhere.then(|| PartitionKey::from(ELSEWHERE));
        belief.enter(partition.clone());
        let is_empty = belief.any().is_none_or(|world| world.items.is_empty());
        self.looks = self.looks.saturating_sub(1);
        let kind = match one.kind {
            _ if is_empty && one.fills => Kind::Create,
            _ if self.looks > 0 && one.looks => Kind::Query,
            kind => kind,
        };
        let plain = |request| Call { partition: partition.clone(), ..Call::plain(request) };
        Some(Action::Call(match kind {
            Kind::Wait => return Some(Action::Wait(self.wait_s(&one.wait, belief.any()))),
            Kind::Configure => {
                self.looks = LOOKS;
                Call::plain(Request::ReplaceContainer(one.container))
            }
            Kind::Query => Call { page: one.page, ..plain(Request::Query) },
            Kind::List => Call { page: one.page, ..plain(Request::List) },
            Kind::Count => plain(Request::Count),
            Kind::Batch => {
                let (mut operations, mut conditions) = (Vec::new(), Vec::new());
                for (number, (kind, item)) in one.batch.into_iter().enumerate() {
                    let (operation, condition) = self.operation(kind, item, belief);
                    operations.push(operation);
                    conditions.extend(condition.map(|condition| (number, condition)));
                }
                Call { conditions, ..plain(Request::Batch(operations)) }
            }
            kind => {
                let (operation, condition) = self.operation(kind, one.item, belief);
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

    fn operation(&mut self, kind: Kind, item: ItemMove, belief: &Belief) -> (Operation, Option<Condition>) {
        let id = Id::from(self.whom(kind, item.whom, belief));
        let condition = item.condition;
        let mut patch = Patch { id: id.clone(), set: Properties::new(), remove: Vec::new() };
        let operation = match kind {
            Kind::Create => Operation::Create(self.document(&id, item)),
            Kind::Upsert => Operation::Upsert(self.document(&id, item)),
            Kind::Replace => Operation::Replace(self.document(&id, item), None),
            Kind::PatchTtl => {
                patch.set.insert("ttl".into(), item.ttl);
                patch.set.extend(item.is_wide.then(|| content(item.value)));
                Operation::Patch(patch, None)
            }
            Kind::PatchOther => {
                patch.set.extend([content(item.value)]);
                Operation::Patch(patch, None)
            }
            // Only where there is one: what it answers otherwise is no matter of time to live.
            Kind::PatchTtlAway if belief.carries(&id, "ttl") => {
                patch.remove.push("ttl".into());
                Operation::Patch(patch, None)
            }
            Kind::Delete => Operation::Delete(patch.id, None),
            _ => Operation::Read(patch.id),
        };
        let condition = condition.filter(|condition| {
            operation.takes_etag() && belief.etag(&id, *condition).is_some()
        });
        (operation, condition)
    }

    /// Whom it is about: rather an item that is hidden, or for a create one that is not visible.
    fn whom(&self, kind: Kind, whom: Index, belief: &Belief) -> &'static str {
        let world = belief.any();
        let weighed = NAMES.into_iter().take(self.bias.items).flat_map(|name| {
            let item = belief.number(name).zip(world);
            let is_visible = item.is_some_and(|(id, world)| world.visible(id).is_some());
            let is_expired = item.is_some_and(|(id, world)| world.expired(id).is_some());
            let is_wanted = if kind == Kind::Create { !is_visible } else { is_visible || is_expired };
            std::iter::repeat_n(name, if is_expired { 6 } else if is_wanted { 4 } else { 1 })
        });
        *whom.get(&weighed.collect::<Vec<_>>())
    }

    fn document(&mut self, id: &str, item: ItemMove) -> Document {
        if item.is_repeated
            && let Some(same) = self.last.get(id)
        {
            return same.clone();
        }
        let mut properties = Properties::from([content(item.value)]);
        // What only looks like a setting is rather taken for one where there is none.
        let others = if item.setting.is_none() { self.bias.others } else { self.bias.others / 4 };
        properties.extend((item.other < others).then(|| self.fond.clone()));
        properties.extend(item.setting.map(|ttl| ("ttl".into(), ttl)));
        let document = Document { id: id.into(), properties };
        self.last.insert(id.into(), document.clone());
        document
    }
}

fn content(value: i64) -> (String, Literal) {
    ("value".into(), Literal::from(value))
}
