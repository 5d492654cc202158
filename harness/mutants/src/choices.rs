//! Where correct stores differ.

/// Which of two answers is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pick {
    /// The one that the evidence favours.
    #[default]
    Usual,
    /// The other.
    Other,
    /// Now this, now that: by the item where a choice binds an item, or else by the request.
    Mixed,
}

impl Pick {
    pub(crate) fn of_item(self, id: &str) -> bool {
        self.of(id.bytes().fold(0, |sum: u64, byte| sum.wrapping_add(byte.into())))
    }

    /// Whether it is the other one, for whatever has this number.
    pub(crate) fn of(self, number: u64) -> bool {
        match self {
            Self::Usual => false,
            Self::Other => true,
            Self::Mixed => number.is_multiple_of(2),
        }
    }
}

/// Where correct stores differ: the choices under the open clauses, then what no clause is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Choices {
    /// `container-null-at-creation`: null as the `defaultTtl` of a new container is refused.
    pub null_at_creation_refused: bool,
    /// `container-null-in-replacement`: null as a `defaultTtl` that replaces another is refused.
    pub null_in_replacement_refused: bool,
    /// `item-integral-fraction`: `10.0` is 10.
    pub fractions_taken: Pick,
    /// `item-invalid-while-off`: kept as ordinary data.
    pub anything_kept_while_off: Pick,
    /// `item-invalid-while-off`: an item that kept such a value never expires later.
    pub kept_is_never: bool,
    /// `expired-in-aggregates`: counted until removed.
    pub expired_counted: Pick,
    /// `expired-upsert-status`: as a replace, until removed.
    pub upsert_replaces_expired: Pick,
    /// `expired-precondition`: the condition fails before the item does.
    pub condition_first: Pick,
    /// `expired-precondition`: the condition fails only while the expired item is stored.
    pub condition_until_removed: bool,
    /// `lazy-index-may-lag`: queries find nothing after `defaultTtl` was changed.
    pub lazy_index_lags: Pick,
    /// `lazy-index-may-lag`: while the index lags, queries go by the `defaultTtl` of before.
    pub lazy_index_stale: bool,
    /// `indexed-modes-allow-ttl`: it offers no lazy indexing.
    pub lazy_index_refused: bool,
    /// `refusal-order`: a write looks for its item before it looks at its value.
    pub item_before_value: Pick,
    /// `refusal-order`: a batch goes on after a refused operation, and the last one that is refused is blamed.
    pub batch_blames_later: Pick,
    /// `reappearance`: what was expired once stays so, even if nothing has removed it yet.
    pub latched: Pick,
    /// `defaultTtl` 10.0 is 10.
    pub default_fractions_taken: bool,
    /// Every upsert answers that it created the item.
    pub upsert_says_created: Pick,
    /// Which answers to writes have the item; every answer may omit it.
    pub shown_by: ShownBy,
    /// The answer to a query or a count in a container without an index.
    pub unindexed: UnindexedAnswers,
    /// What is stored is divided into pages, and expired items are left out afterwards: a page may be empty.
    pub pages_of_stored: bool,
    /// An item keeps its etag when it is written.
    pub etags_stay: bool,
}

/// Which answers to writes have the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShownBy {
    /// All of them.
    #[default]
    EveryWrite,
    /// Those to creates.
    CreatesOnly,
    /// None of them.
    NoWrite,
}

/// The answer to a query or a count in a container without an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnindexedAnswers {
    /// The visible items.
    #[default]
    Answers,
    /// Nothing, and zero.
    FindsNothing,
    /// A bad request.
    Refuses,
}

/// When the background removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Background {
    /// As the harness says.
    #[default]
    AsTold,
    /// Not at all.
    Never,
    /// At every moment.
    Eager,
    /// Before each request whose number this divides.
    Every(u64),
    /// The same, one request earlier.
    EveryEarlier(u64),
}
