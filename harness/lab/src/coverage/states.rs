//! The values of each dimension: what a request does, in which state container and item are, and how the item was written.

use std::cmp::Ordering;
use std::fmt;

use cosmos_ttl_model::World;
use cosmos_ttl_model::container::Item;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, deadline};

use crate::args::Dimension;

impl Dimension {
    /// Every dimension of which all pairs are counted.
    pub(super) const PAIRED: [Self; 10] = [
        Self::Clause,
        Self::Operation,
        Self::Place,
        Self::Condition,
        Self::Written,
        Self::Setting,
        Self::History,
        Self::Own,
        Self::Life,
        Self::Edition,
    ];

    /// Every pair of dimensions whose cells are counted: what is asked and what was written also with each state of the
    /// container as a whole, and each path as a whole with the states of container and item.
    pub(super) fn pairs() -> Vec<[Self; 2]> {
        let pairs = Self::PAIRED.iter().enumerate().flat_map(|(number, rows)| {
            Self::PAIRED.iter().skip(number + 1).map(move |columns| [*rows, *columns])
        });
        let paths = [Self::Setting, Self::History, Self::Own, Self::Life, Self::Edition];
        pairs
            .chain([[Self::Operation, Self::Container], [Self::Written, Self::Container]])
            .chain(paths.map(|columns| [Self::Path, columns]))
            .collect()
    }

    /// Returns every value that can occur; those of the clauses are in the catalogue.
    pub(super) fn values(self) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Clause => Vec::new(),
            Self::Operation => owned(&OPERATIONS),
            Self::Place => owned(&["alone", "in a batch", "in an aborted batch"]),
            Self::Condition => owned(&["none", "if-match"]),
            Self::Written => WrittenBy::all().iter().map(WrittenBy::to_string).collect(),
            Self::Setting => owned(&["off", "-1", "n"]),
            Self::History => History::ALL.iter().map(History::to_string).collect(),
            Self::Own => owned(&["absent", "no ttl", "shorter", "equal", "longer", "-1", "dormant"]),
            Self::Life => owned(&["absent", ALIVE, LAST_SECOND, EXPIRED, BACK]),
            Self::Edition => owned(&["2020", "2024"]),
            Self::Container => ContainerState::all().iter().map(ContainerState::to_string).collect(),
            Self::Path => AskedPath::all().iter().map(AskedPath::to_string).collect(),
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clause => "clause",
            Self::Operation => "operation",
            Self::Place => "place",
            Self::Condition => "condition",
            Self::Written => "written",
            Self::Setting => "setting",
            Self::History => "history",
            Self::Own => "own",
            Self::Life => "life",
            Self::Edition => "edition",
            Self::Container => "container",
            Self::Path => "path",
        })
    }
}

const OPERATIONS: [&str; 11] = [
    "create-container",
    "replace-container",
    "query",
    "list",
    "count",
    "read",
    "create",
    "upsert",
    "replace",
    "patch",
    "delete",
];

/// Whether an operation is one of a batch, and how the batch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchEnding {
    Alone,
    Committed,
    Aborted,
}

/// The path of a request, or of one operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AskedPath {
    pub(super) word: &'static str,
    pub(super) conditional: bool,
    pub(super) place: BatchEnding,
}

impl AskedPath {
    /// Returns how an item is written by this operation, if it writes one.
    pub(super) fn writes(self) -> Option<WrittenBy> {
        let is_write = WRITES.contains(&self.word) && self.place != BatchEnding::Aborted;
        is_write.then_some(WrittenBy { word: self.word, in_batch: self.place == BatchEnding::Committed })
    }

    /// Returns every path that the format has.
    fn all() -> Vec<Self> {
        let places = |word| {
            let all = [BatchEnding::Alone, BatchEnding::Committed, BatchEnding::Aborted];
            all.into_iter().take(if BATCHED.contains(&word) { 3 } else { 1 })
        };
        let conditions =
            |word| [false, true].into_iter().take(if CONDITIONAL.contains(&word) { 2 } else { 1 });
        let of_word = |word| {
            places(word).flat_map(move |place| {
                conditions(word).map(move |conditional| Self { word, conditional, place })
            })
        };
        OPERATIONS.into_iter().flat_map(of_word).collect()
    }

    /// Returns its values.
    pub(super) fn values(self) -> [(Dimension, String); 4] {
        let condition = if self.conditional { "if-match" } else { "none" };
        [
            (Dimension::Operation, self.word.to_owned()),
            (Dimension::Place, self.place.to_string()),
            (Dimension::Condition, condition.to_owned()),
            (Dimension::Path, self.to_string()),
        ]
    }
}

impl fmt::Display for BatchEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alone => "alone",
            Self::Committed => "in a batch",
            Self::Aborted => "in an aborted batch",
        })
    }
}

impl fmt::Display for AskedPath {
    /// `patch alone`, `replace in an aborted batch with if-match`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = if self.conditional { " with if-match" } else { "" };
        write!(f, "{} {}{condition}", self.word, self.place)
    }
}

/// The operations that a batch may have.
const BATCHED: [&str; 6] = ["read", "create", "upsert", "replace", "patch", "delete"];

/// The operations that take a condition.
const CONDITIONAL: [&str; 3] = ["replace", "patch", "delete"];

const WRITES: [&str; 4] = ["create", "upsert", "replace", "patch"];

/// How an item was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WrittenBy {
    word: &'static str,
    in_batch: bool,
}

impl WrittenBy {
    fn all() -> Vec<Self> {
        WRITES.iter().flat_map(|word| [false, true].map(|in_batch| Self { word, in_batch })).collect()
    }
}

impl fmt::Display for WrittenBy {
    /// `by replace`, `by patch in a batch`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "by {}{}", self.word, if self.in_batch { " in a batch" } else { "" })
    }
}

/// A change of the default: its second, and the default before and after it.
pub(super) type DefaultChange = (i64, DefaultTtl, DefaultTtl);

/// How the default came to be what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum History {
    NeverChanged,
    Raised,
    Lowered,
    SwitchedOn,
    SwitchedOff,
    SwitchedOffAndOn,
    ChangedTwice,
    ChangedTwiceInOneSecond,
}

impl History {
    const ALL: [Self; 8] = [
        Self::NeverChanged,
        Self::Raised,
        Self::Lowered,
        Self::SwitchedOn,
        Self::SwitchedOff,
        Self::SwitchedOffAndOn,
        Self::ChangedTwice,
        Self::ChangedTwiceInOneSecond,
    ];
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverChanged => "never changed",
            Self::Raised => "raised",
            Self::Lowered => "lowered",
            Self::SwitchedOn => "switched on",
            Self::SwitchedOff => "switched off",
            Self::SwitchedOffAndOn => "switched off and on",
            Self::ChangedTwice => "changed twice",
            Self::ChangedTwiceInOneSecond => "changed twice in one second",
        })
    }
}

/// A container's setting, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContainerState {
    setting: &'static str,
    history: History,
}

impl ContainerState {
    /// Returns the state of a container whose default changed so, oldest change first.
    pub(super) fn of(default_ttl: DefaultTtl, changes: &[DefaultChange]) -> Self {
        let is_on = |default: DefaultTtl| default != DefaultTtl::Off;
        let history = match changes {
            [] => History::NeverChanged,
            [.., (first_s, ..), (second_s, ..)] if first_s == second_s => History::ChangedTwiceInOneSecond,
            [.., (_, before, _), (_, off, after)] if is_on(*before) && !is_on(*off) && is_on(*after) => {
                History::SwitchedOffAndOn
            }
            [(_, before, after)] => match (is_on(*before), is_on(*after)) {
                (false, _) => History::SwitchedOn,
                (true, false) => History::SwitchedOff,
                (true, true) if length(*before) < length(*after) => History::Raised,
                (true, true) => History::Lowered,
            },
            _ => History::ChangedTwice,
        };
        Self { setting: setting(default_ttl), history }
    }

    /// Returns its values.
    pub(super) fn values(self) -> [(Dimension, String); 3] {
        let Self { setting, history } = self;
        [
            (Dimension::Setting, setting.to_owned()),
            (Dimension::History, history.to_string()),
            (Dimension::Container, self.to_string()),
        ]
    }

    fn all() -> Vec<Self> {
        use History as H;
        let off = [H::NeverChanged, H::SwitchedOff, H::ChangedTwice, H::ChangedTwiceInOneSecond];
        // -1 is no shorter than anything: no change lowers the default to it.
        let no_default = [
            H::NeverChanged,
            H::Raised,
            H::SwitchedOn,
            H::SwitchedOffAndOn,
            H::ChangedTwice,
            H::ChangedTwiceInOneSecond,
        ];
        let seconds = [
            H::NeverChanged,
            H::Raised,
            H::Lowered,
            H::SwitchedOn,
            H::SwitchedOffAndOn,
            H::ChangedTwice,
            H::ChangedTwiceInOneSecond,
        ];
        let of = |setting, histories: &[History]| -> Vec<_> {
            histories.iter().map(|history| Self { setting, history: *history }).collect()
        };
        [of("off", &off), of("-1", &no_default), of("n", &seconds)].concat()
    }
}

impl fmt::Display for ContainerState {
    /// `n, raised`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.setting, self.history)
    }
}

fn setting(default_ttl: DefaultTtl) -> &'static str {
    match default_ttl {
        DefaultTtl::Off => "off",
        DefaultTtl::NoDefault => "-1",
        DefaultTtl::Seconds(_) => "n",
    }
}

fn length(default_ttl: DefaultTtl) -> i64 {
    match default_ttl {
        DefaultTtl::Off | DefaultTtl::NoDefault => i64::MAX,
        DefaultTtl::Seconds(seconds) => seconds.get(),
    }
}

/// An item's own setting, and how far its life is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FoundItem {
    Absent,
    Stored(&'static str, &'static str),
}

const ALIVE: &str = "alive";
const LAST_SECOND: &str = "in its last second";
const EXPIRED: &str = "expired";
const BACK: &str = "possibly back";

impl FoundItem {
    /// Returns the state of a stored item; `was_expired` says whether it was expired under earlier settings.
    pub(super) fn of(world: &World, item: &Item, was_expired: bool) -> Self {
        let default_ttl = world.settings.default_ttl;
        let own = match (default_ttl, item.ttl) {
            (_, ItemTtl::Inherit) => "no ttl",
            (DefaultTtl::Off, _) => "dormant",
            (_, ItemTtl::Never) => "-1",
            (default_ttl, ItemTtl::Seconds(own)) => match own.get().cmp(&length(default_ttl)) {
                Ordering::Less => "shorter",
                Ordering::Equal => "equal",
                Ordering::Greater => "longer",
            },
        };
        let life = if world.is_expired(item) {
            EXPIRED
        } else if was_expired {
            BACK
        } else if deadline(world.lifetime(item), item.ts) == Some(world.now.saturating_add(1)) {
            LAST_SECOND
        } else {
            ALIVE
        };
        Self::Stored(own, life)
    }

    /// Returns its values.
    pub(super) fn values(self) -> [(Dimension, String); 2] {
        let (own, life) = match self {
            Self::Absent => ("absent", "absent"),
            Self::Stored(own, life) => (own, life),
        };
        [(Dimension::Own, own.to_owned()), (Dimension::Life, life.to_owned())]
    }
}
