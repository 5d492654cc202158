//! What a place is mostly about. Rng that is the same everywhere reaches little: each place leans to one side.

use crate::rng::Rng;
use crate::values::Taste;

/// One kind of thing that may happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Create,
    Upsert,
    Replace,
    PatchTtl,
    PatchOther,
    PatchTtlAway,
    Read,
    Delete,
    Batch,
    Query,
    List,
    Count,
    Configure,
    Wait,
}

/// Every kind, in the order of the weights.
pub const KINDS: [Kind; 14] = [
    Kind::Create,
    Kind::Upsert,
    Kind::Replace,
    Kind::PatchTtl,
    Kind::PatchOther,
    Kind::PatchTtlAway,
    Kind::Read,
    Kind::Delete,
    Kind::Batch,
    Kind::Query,
    Kind::List,
    Kind::Count,
    Kind::Configure,
    Kind::Wait,
];

impl Kind {
    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Upsert => "upsert",
            Self::Replace => "replace",
            Self::PatchTtl => "patch of ttl",
            Self::PatchOther => "patch of content",
            Self::PatchTtlAway => "patch without ttl",
            Self::Read => "read",
            Self::Delete => "delete",
            Self::Batch => "batch",
            Self::Query => "query",
            Self::List => "list",
            Self::Count => "count",
            Self::Configure => "settings",
            Self::Wait => "wait",
        }
    }
}

/// How a place is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swarm {
    /// How often each kind happens, in the order of [`KINDS`].
    pub(super) weights: [u32; KINDS.len()],
    /// How many items there are.
    pub(super) items: u32,
    /// The items' settings.
    pub(super) item: Taste,
    /// The container's.
    pub(super) container: Taste,
    /// In how many of a hundred cases a write has a condition.
    pub(super) conditions: u32,
    /// In how many of a hundred cases content has a property beside the setting.
    pub(super) others: u32,
    /// In how many of a hundred cases the index is not consistent.
    pub(super) unindexed: u32,
    /// After how many requests the place is given up.
    pub(super) requests: u32,
}

const CALM: Taste = Taste { absent: 35, far: 2, odd: 4 };

#[rustfmt::skip]
const SWARMS: [Swarm; 8] = [
    // A bit of everything.
    Swarm { weights: [10, 6, 6, 3, 3, 2, 14, 3, 4, 10, 3, 4, 6, 24], items: 3, item: CALM,
        container: Taste { absent: 15, far: 2, odd: 4 }, conditions: 25, others: 70, unindexed: 10, requests: 40 },
    // Items that expire, and what is done to them then.
    Swarm { weights: [10, 7, 7, 5, 4, 2, 14, 6, 6, 9, 4, 6, 1, 28], items: 2,
        item: Taste { absent: 30, far: 0, odd: 2 }, container: Taste { absent: 5, far: 0, odd: 0 },
        conditions: 35, others: 60, unindexed: 0, requests: 40 },
    // Values that are none, sent with everything that can carry one.
    Swarm { weights: [14, 10, 12, 10, 2, 2, 10, 2, 10, 6, 1, 1, 5, 14], items: 3,
        item: Taste { absent: 10, far: 4, odd: 60 }, container: Taste { absent: 25, far: 3, odd: 15 },
        conditions: 5, others: 40, unindexed: 0, requests: 40 },
    // Settings that change under what stands.
    Swarm { weights: [8, 3, 3, 2, 1, 1, 14, 2, 1, 10, 2, 4, 20, 28], items: 3,
        item: Taste { absent: 40, far: 3, odd: 2 }, container: Taste { absent: 30, far: 4, odd: 16 },
        conditions: 10, others: 40, unindexed: 6, requests: 50 },
    // New containers, and values that are no setting for one.
    Swarm { weights: [10, 3, 2, 1, 1, 1, 10, 1, 1, 8, 2, 2, 30, 16], items: 2, item: CALM,
        container: Taste { absent: 15, far: 15, odd: 60 }, conditions: 0, others: 40, unindexed: 15, requests: 12 },
    // Lives as long as there are, and clocks beyond every width.
    Swarm { weights: [10, 5, 5, 3, 2, 2, 14, 3, 2, 10, 2, 2, 6, 30], items: 3,
        item: Taste { absent: 30, far: 60, odd: 5 }, container: Taste { absent: 15, far: 50, odd: 5 },
        conditions: 5, others: 40, unindexed: 0, requests: 30 },
    // All or none.
    Swarm { weights: [8, 3, 3, 2, 2, 1, 12, 3, 24, 10, 1, 3, 3, 24], items: 3,
        item: Taste { absent: 30, far: 2, odd: 35 },
        container: Taste { absent: 10, far: 1, odd: 2 }, conditions: 15, others: 40, unindexed: 0, requests: 35 },
    // The index.
    Swarm { weights: [10, 3, 3, 1, 1, 1, 10, 1, 1, 16, 6, 6, 22, 18], items: 3, item: CALM,
        container: Taste { absent: 35, far: 2, odd: 5 }, conditions: 0, others: 40, unindexed: 55, requests: 35 },
];

impl Swarm {
    pub(super) fn drawn(chance: &mut Rng) -> Self {
        let [first, ..] = SWARMS;
        chance.of(&SWARMS).copied().unwrap_or(first)
    }
}
