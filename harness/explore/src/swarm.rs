//! The bias of a session. Uniform chance reaches few states, so each session prefers some actions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Request, Response, Status};

use super::script::Call;

/// A source of random numbers that repeat themselves: the same seed draws the same on every machine and in every release.
///
/// The algorithm is pinned by its crate, the use of its numbers here.
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Returns the source that follows from this seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Draws a number below this one; 0 if there is none.
    pub fn below(&mut self, end: u32) -> u32 {
        let wide = u64::from(self.0.next_u32()).wrapping_mul(end.into());
        u32::try_from(wide >> 32).unwrap_or(0)
    }

    /// Returns true in this many of a hundred cases.
    pub fn percent(&mut self, cases: u32) -> bool {
        self.below(100) < cases
    }

    /// Draws an index below this count; 0 if there is none.
    pub fn index(&mut self, count: usize) -> usize {
        let drawn = self.below(u32::try_from(count).unwrap_or(u32::MAX));
        usize::try_from(drawn).unwrap_or(0)
    }

    /// Draws one of these; `None` if there are none.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.index(all.len()))
    }

    /// Draws the index of one of these weights, each as often as it weighs.
    pub fn weighed(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return index,
            }
        }
        0
    }
}

macro_rules! action_kinds {
    ($($kind:ident $word:literal)*) => {
        /// One kind of action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum ActionKind { $($kind),* }

        impl ActionKind {
            /// Every kind, in the order of the weights.
            pub const ALL: [Self; 14] = [$(Self::$kind),*];

            /// Returns the word that people read.
            pub fn word(self) -> &'static str {
                match self { $(Self::$kind => $word),* }
            }
        }
    };
}

action_kinds! {
    Create "create"
    Upsert "upsert"
    Replace "replace"
    PatchTtl "patch of ttl"
    PatchOther "patch of content"
    PatchTtlAway "patch without ttl"
    Read "read"
    Delete "delete"
    Batch "batch"
    Query "query"
    List "list"
    Count "count"
    Configure "settings"
    Wait "wait"
}

/// How a session is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swarm {
    /// How often each kind happens, in the order of [`ActionKind::ALL`].
    pub(super) weights: [u32; ActionKind::ALL.len()],
    pub(super) items: usize,
    /// The items' settings.
    pub(super) item: Taste,
    /// The container's.
    pub(super) container: Taste,
    /// In how many of a hundred cases a write has a condition.
    pub(super) conditions: u32,
    /// In how many of a hundred cases content has a property other than the setting.
    pub(super) others: u32,
    /// In how many of a hundred cases the index is not consistent.
    pub(super) unindexed: u32,
    /// After how many requests the session is given up.
    pub(super) requests: u32,
}

/// Which values a session sees: in how many of a hundred cases there is none at all, in how many of the others it is one
/// far away, and in how many of the rest it is not a valid value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taste(u32, u32, u32);

const CALM: Taste = Taste(35, 2, 4);

#[rustfmt::skip]
const SWARMS: [Swarm; 8] = [
    // A bit of everything.
    Swarm { weights: [10, 6, 6, 3, 3, 2, 14, 3, 4, 10, 3, 4, 6, 24], items: 3, item: CALM,
        container: Taste(15, 2, 4), conditions: 25, others: 70, unindexed: 10, requests: 40 },
    // Items that expire, and what is done to them then.
    Swarm { weights: [10, 7, 7, 5, 4, 2, 14, 6, 6, 9, 4, 6, 1, 28], items: 2, item: Taste(30, 0, 2),
        container: Taste(5, 0, 0), conditions: 35, others: 60, unindexed: 0, requests: 40 },
    // Values that are none, sent with everything that can carry one.
    Swarm { weights: [14, 10, 12, 10, 2, 2, 10, 2, 10, 6, 1, 1, 5, 14], items: 3, item: Taste(10, 4, 60),
        container: Taste(25, 3, 15), conditions: 5, others: 40, unindexed: 0, requests: 40 },
    // Settings that change under what stands.
    Swarm { weights: [8, 3, 3, 2, 1, 1, 14, 2, 1, 10, 2, 4, 20, 28], items: 3, item: Taste(40, 3, 2),
        container: Taste(30, 4, 16), conditions: 10, others: 40, unindexed: 6, requests: 50 },
    // New containers, and values that are no setting for one.
    Swarm { weights: [10, 3, 2, 1, 1, 1, 10, 1, 1, 8, 2, 2, 30, 16], items: 2, item: CALM,
        container: Taste(15, 15, 60), conditions: 0, others: 40, unindexed: 15, requests: 12 },
    // Lives as long as there are, and clocks beyond every width.
    Swarm { weights: [10, 5, 5, 3, 2, 2, 14, 3, 2, 10, 2, 2, 6, 30], items: 3, item: Taste(30, 60, 5),
        container: Taste(15, 50, 5), conditions: 5, others: 40, unindexed: 0, requests: 30 },
    // All or none.
    Swarm { weights: [8, 3, 3, 2, 2, 1, 12, 3, 24, 10, 1, 3, 3, 24], items: 3, item: Taste(30, 2, 35),
        container: Taste(10, 1, 2), conditions: 15, others: 40, unindexed: 0, requests: 35 },
    // The index.
    Swarm { weights: [10, 3, 3, 1, 1, 1, 10, 1, 1, 16, 6, 6, 22, 18], items: 3, item: CALM,
        container: Taste(35, 2, 5), conditions: 0, others: 40, unindexed: 55, requests: 35 },
];

impl Swarm {
    pub(super) fn drawn(rng: &mut Rng) -> Self {
        let [first, ..] = SWARMS;
        rng.of(&SWARMS).copied().unwrap_or(first)
    }
}

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

static LITERALS: LazyLock<[Vec<Literal>; 4]> = LazyLock::new(|| {
    let all = [NEAR.as_slice(), FAR.as_slice(), ODD.as_slice(), ODD_DEFAULT.as_slice()];
    all.map(|texts| texts.iter().filter_map(|text| Literal::parse(text).ok()).collect())
});

/// Properties other than the setting.
pub(super) static CONTENT: LazyLock<Vec<(String, Literal)>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| Some(((*name).to_owned(), Literal::parse(text).ok()?));
    OTHERS.iter().filter_map(read).collect()
});

/// Draws a `defaultTtl`.
pub(super) fn default(rng: &mut Rng, taste: Taste) -> Option<Literal> {
    let [.., odd] = &*LITERALS;
    if rng.percent(taste.2 / 3) { rng.of(odd).cloned() } else { setting(rng, taste) }
}

/// Draws a `ttl`, or that there is none.
pub(super) fn setting(rng: &mut Rng, taste: Taste) -> Option<Literal> {
    if rng.percent(taste.0) { None } else { value(rng, taste) }
}

/// Draws a `ttl`.
pub(super) fn value(rng: &mut Rng, Taste(_, far_away, odd_ones): Taste) -> Option<Literal> {
    let [near, far, odd, _] = &*LITERALS;
    let all = if rng.percent(far_away) {
        far
    } else if rng.percent(odd_ones) {
        odd
    } else {
        near
    };
    rng.of(all).cloned()
}

/// Counts of what happened. A generator that never gets anywhere finds nothing and looks as if all were well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sessions that were played.
    pub sessions: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// Seconds that passed, by all clocks together.
    pub seconds: u64,
    kinds: BTreeMap<ActionKind, u64>,
    /// Answers, by status.
    pub statuses: BTreeMap<Status, u64>,
    /// Requests that a client could meet an expired item with.
    pub expired: u64,
    /// Requests that told whether an item was back or gone.
    pub fates: u64,
    /// Requests with a condition.
    pub conditions: u64,
    /// Most worlds at once.
    pub worlds: usize,
    /// Requests that the target said it does not offer.
    pub not_offered: u64,
    /// Sessions that were given up because an outcome was unknown, or too much was open.
    pub given_up: u64,
    /// Sessions in which the target broke.
    pub broken: u64,
}

impl Coverage {
    /// Returns how often each kind of action was taken.
    pub fn kinds(&self) -> impl Iterator<Item = (ActionKind, u64)> {
        ActionKind::ALL.into_iter().map(|kind| (kind, self.kinds.get(&kind).copied().unwrap_or(0)))
    }

    /// Adds what was reached elsewhere.
    pub fn join(&mut self, other: &Self) {
        for (kind, more) in &other.kinds {
            *self.kinds.entry(*kind).or_default() += more;
        }
        for (status, more) in &other.statuses {
            *self.statuses.entry(*status).or_default() += more;
        }
        self.worlds = self.worlds.max(other.worlds);
        self.sessions += other.sessions;
        self.requests += other.requests;
        self.seconds = self.seconds.max(other.seconds);
        self.expired += other.expired;
        self.fates += other.fates;
        self.conditions += other.conditions;
        self.not_offered += other.not_offered;
        self.given_up += other.given_up;
        self.broken += other.broken;
    }

    pub(super) fn waited(&mut self, seconds: u64) {
        self.seconds = self.seconds.saturating_add(seconds);
        *self.kinds.entry(ActionKind::Wait).or_default() += 1;
    }

    /// Counts what a request is about to meet.
    pub(super) fn meets(&mut self, call: &Call, belief: &Belief) {
        let Some(world) = belief.any() else { return };
        let is_expired = |name: &str| belief.number(name).is_some_and(|id| world.expired(id).is_some());
        let expired = match &call.request {
            Request::Query | Request::List | Request::Count => world.expired_ids().next().is_some(),
            request => request.operations().iter().any(|operation| is_expired(operation.id())),
        };
        self.expired += u64::from(expired);
        self.conditions += u64::from(!call.conditions.is_empty());
    }

    pub(super) fn answered(&mut self, kind: ActionKind, response: &Response, belief: &Belief) {
        self.requests += 1;
        *self.kinds.entry(kind).or_default() += 1;
        *self.statuses.entry(response.status).or_default() += 1;
        self.worlds = self.worlds.max(belief.count());
    }
}
