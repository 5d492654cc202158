//! What is stored.

use cosmos_ttl_harness::target::Properties;

/// What a property says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Says {
    #[default]
    Nothing,
    Never,
    For(i128),
}

/// The greatest setting.
pub(super) const LONGEST: i128 = 2_147_483_647;

/// An item as it was written.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) properties: Properties,
    /// The second of its last write.
    pub(super) written: i128,
    pub(super) tag: u64,
    /// It was expired once, and stays so.
    pub(super) latched: bool,
    pub(super) past: RowPast,
}

/// What only a mutation asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowPast {
    pub(super) created: i128,
    /// The number of the last write's request within its second.
    pub(super) moment: i128,
    /// What the container said at the last write.
    pub(super) default: Says,
    /// The first deadline that it ever had.
    pub(super) first_deadline: Option<i128>,
    /// Was seen after it came back.
    pub(super) seen_back: bool,
    /// Had expired when settings changed.
    pub(super) expired_before: bool,
    /// Its `ttl` was asleep once.
    pub(super) slept: bool,
    /// A second lease, where a new `ttl` is added to the old one.
    pub(super) extra: i128,
}

/// What only a mutation remembers of the container.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    /// When it was made.
    pub(super) born: i128,
    /// When its settings changed last, and what they were before.
    pub(super) changed: i128,
    pub(super) before: Says,
    pub(super) first: Option<Says>,
    /// When it was switched on last.
    pub(super) on_since: i128,
    /// How many requests this second had so far.
    pub(super) moment: i128,
    /// What clients deleted, what was written over once it had expired, and what the background took.
    pub(super) deleted: Vec<Row>,
    pub(super) overwritten: Vec<Row>,
    pub(super) removed: Vec<Row>,
    /// What the background means to take the next time.
    pub(super) picked: Vec<(String, u64)>,
    /// The ids that removed items leave behind.
    pub(super) taken: Vec<String>,
    /// By how much the writes of a batch are later than its start.
    pub(super) spread: i128,
}
