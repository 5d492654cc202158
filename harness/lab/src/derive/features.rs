//! The features that combinations are made of: the item before, what is sent, in which batch and under which condition, in
//! which partition, what follows, and the settings of `histories`.

use cosmos_ttl_harness::target::{Edition, PartitionKey};

use super::covering_array::{PartialRow, covering_array};
use super::histories::{ChangeMoment, HISTORIES, SettingsHistory, SettingsRequest};

/// The second in which the probes are sent.
pub(super) const PROBE_S: u64 = 3;
/// The other partition.
pub(super) const PARTITION: &str = "q";
/// The property that some patches take away.
pub(super) const REMOVED: &str = "label";

/// An item before the probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriorItem {
    pub(super) ttl: Option<i64>,
    /// Whether its `ttl` is null.
    pub(super) is_null: bool,
    /// Its age when the probe is sent; `None` if it was never created.
    pub(super) age_s: Option<u64>,
    /// The second in which it is deleted.
    pub(super) deleted_at_s: Option<u64>,
}

impl PriorItem {
    const fn aged(ttl: Option<i64>, age_s: u64) -> Self {
        Self { ttl, is_null: false, age_s: Some(age_s), deleted_at_s: None }
    }

    pub(super) fn carries_ttl(self) -> bool {
        (self.ttl.is_some() || self.is_null) && self.has_etag()
    }

    pub(super) fn has_etag(self) -> bool {
        self.age_s.is_some() && self.deleted_at_s.is_none()
    }
}

const PRIORS: [PriorItem; 11] = [
    PriorItem { age_s: None, ..PriorItem::aged(None, 0) },
    PriorItem { deleted_at_s: Some(PROBE_S - 1), ..PriorItem::aged(None, 3) },
    PriorItem::aged(None, 0),
    PriorItem::aged(None, 2),
    PriorItem::aged(None, 3),
    PriorItem::aged(Some(2), 3),
    PriorItem::aged(Some(3), 2),
    PriorItem::aged(Some(-1), 3),
    PriorItem { is_null: true, ..PriorItem::aged(None, 2) },
    PriorItem { is_null: true, ..PriorItem::aged(None, 3) },
    // Before the settings change.
    PriorItem { deleted_at_s: Some(0), ..PriorItem::aged(None, 3) },
];

/// The verb of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbeVerb {
    Create,
    Upsert,
    Replace,
    Patch,
    Delete,
    Read,
}

/// The `ttl` that a probe sends, or another property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentTtl {
    /// No `ttl`.
    Plain,
    Ttl(i64),
    Null,
    /// A patch takes the `ttl` away.
    NoTtl,
    /// A patch takes another property away.
    NoOther,
    /// A patch takes away a property that only looks like a `ttl`.
    NoLookalike,
    /// A patch sets this `ttl`, and takes another property away.
    TtlNoOther(i64),
    /// A patch sets a `ttl` that is refused, and takes another property away.
    RefusedNoOther,
    /// A `ttl` that is refused.
    Refused,
    /// A property that only looks like a `ttl`.
    Other,
}

const PROBES: [(ProbeVerb, SentTtl); 28] = {
    use ProbeVerb::{Create, Delete, Patch, Read, Replace, Upsert};
    use SentTtl::{
        NoLookalike, NoOther, NoTtl, Null, Other, Plain, Refused, RefusedNoOther, Ttl, TtlNoOther,
    };
    [
        (Create, Plain),
        (Create, Ttl(2)),
        (Create, Refused),
        (Upsert, Plain),
        (Upsert, Ttl(-1)),
        (Upsert, Ttl(2)),
        (Upsert, Refused),
        (Upsert, Other),
        (Replace, Plain),
        (Replace, Ttl(-1)),
        (Replace, Ttl(2)),
        (Replace, Refused),
        (Replace, Other),
        (Patch, Plain),
        (Patch, Ttl(-1)),
        (Patch, Ttl(2)),
        (Patch, NoTtl),
        (Patch, Refused),
        (Delete, Plain),
        (Read, Plain),
        (Patch, NoOther),
        (Create, Null),
        (Upsert, Null),
        (Replace, Null),
        (Patch, Null),
        (Patch, NoLookalike),
        (Patch, TtlNoOther(2)),
        (Patch, RefusedNoOther),
    ]
};

/// How a probe is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapping {
    Alone,
    IfMatch,
    StaleEtag,
    Batch,
    BatchIfMatch,
    BatchAfterUpsert,
    BatchAfterOther,
    AbortedByCreate,
    AbortedByRead,
    AbortedByPatch,
    AbortedByRefusedValue,
    AbortedByStaleEtag,
    BatchAfterRead,
    /// Between the probe and what aborts the batch, the batch reads the item.
    AbortedAfterRead,
}

impl Wrapping {
    const ALL: [Self; 14] = [
        Self::Alone,
        Self::IfMatch,
        Self::StaleEtag,
        Self::Batch,
        Self::BatchIfMatch,
        Self::BatchAfterUpsert,
        Self::BatchAfterOther,
        Self::AbortedByCreate,
        Self::AbortedByRead,
        Self::AbortedByPatch,
        Self::AbortedByRefusedValue,
        Self::AbortedByStaleEtag,
        Self::BatchAfterRead,
        Self::AbortedAfterRead,
    ];

    pub(super) fn conditions_probe(self) -> bool {
        matches!(self, Self::IfMatch | Self::StaleEtag | Self::BatchIfMatch)
    }

    pub(super) fn needs_etag(self) -> bool {
        self.conditions_probe() || self == Self::AbortedByStaleEtag
    }
}

/// The partition of an item, and its twin in the other one: an item with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    Single,
    /// Outside the default partition; the twin lives forever.
    ElsewhereWithForever,
    /// Outside the default partition; the twin is written as the item is, before the probe.
    ElsewhereWithTwin,
    /// In the default partition.
    HereWithTwin,
    /// In a partition of its own, where no other item is.
    Apart,
}

impl Placement {
    const ALL: [Self; 5] =
        [Self::Single, Self::ElsewhereWithForever, Self::ElsewhereWithTwin, Self::HereWithTwin, Self::Apart];

    /// Returns the partition of the item with this id.
    pub(super) fn own(self, id: &str) -> Option<PartitionKey> {
        match self {
            Self::Single | Self::HereWithTwin => None,
            Self::ElsewhereWithForever | Self::ElsewhereWithTwin => Some(PARTITION.into()),
            Self::Apart => Some(format!("of-{id}")),
        }
    }

    pub(super) fn has_twin(self) -> bool {
        !matches!(self, Self::Single | Self::Apart)
    }

    pub(super) fn twins(self) -> Option<PartitionKey> {
        (self == Self::HereWithTwin).then(|| PARTITION.into())
    }
}

/// The write after the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowUp {
    Nothing,
    Upsert(Option<i64>),
    Replace,
    Delete,
    /// A second later.
    PatchLater,
    UpsertLater,
}

impl FollowUp {
    const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Upsert(None),
        Self::Upsert(Some(9)),
        Self::Replace,
        Self::Delete,
        Self::PatchLater,
        Self::UpsertLater,
    ];

    pub(super) fn at_s(self) -> u64 {
        PROBE_S + u64::from(matches!(self, Self::PatchLater | Self::UpsertLater))
    }
}

/// A look at the item a second before the probe, after which a store may know the item in another place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlierLook {
    Nothing,
    Read,
    ReadInBatch,
    /// A query, a list and a count.
    Feeds,
}

impl EarlierLook {
    const ALL: [Self; 4] = [Self::Nothing, Self::Read, Self::ReadInBatch, Self::Feeds];
}

/// The sizes of the factors, by their numbers below.
const SIZES: [usize; 7] = [
    HISTORIES.len(),
    PRIORS.len(),
    PROBES.len(),
    Wrapping::ALL.len(),
    Placement::ALL.len(),
    FollowUp::ALL.len(),
    EarlierLook::ALL.len(),
];
/// The sizes of the rows that were first, later, and the first with an earlier look. Values that were added later have later
/// rows, so that the vectors before them keep their meaning.
const FIRST_SIZES: [usize; 6] = [16, 8, 20, 12, 4, 7];
const LATER_SIZES: [usize; 6] = [19, 8, 21, 12, 4, 7];
const LOOK_SIZES: [usize; 7] = [19, 8, 21, 14, 4, 7, 4];
const LATER_LOOK_SIZES: [usize; 7] = [27, 10, 25, 14, 4, 7, 4];
const HISTORY: usize = 0;
const PRIOR: usize = 1;
const PROBE: usize = 2;
const WRAPPING: usize = 3;
const PLACEMENT: usize = 4;
const FOLLOW_UP: usize = 5;
const EARLIER_LOOK: usize = 6;

/// The sets of factors all of whose values meet.
const SETS: [&[usize]; 8] = [
    &[PROBE, WRAPPING, PRIOR],
    &[PROBE, WRAPPING, PLACEMENT],
    &[PROBE, PLACEMENT, HISTORY],
    &[PROBE, FOLLOW_UP],
    &[WRAPPING, PLACEMENT, PRIOR],
    &[WRAPPING, PLACEMENT, FOLLOW_UP],
    &[PLACEMENT, PRIOR, HISTORY],
    &[WRAPPING, HISTORY],
];

/// The same for the rows with an earlier look.
const SETS_WITH_LOOK: [&[usize]; 6] = [
    &[EARLIER_LOOK, PROBE, PRIOR],
    &[EARLIER_LOOK, WRAPPING],
    &[EARLIER_LOOK, HISTORY],
    &[EARLIER_LOOK, PLACEMENT],
    &[PROBE, WRAPPING],
    &[WRAPPING, PRIOR],
];

/// The same for the rows that came after those.
const LATER_LOOK_SETS: [&[usize]; 8] = [
    &[PROBE, HISTORY],
    &[PRIOR, HISTORY],
    &[WRAPPING, HISTORY],
    &[FOLLOW_UP, HISTORY],
    &[EARLIER_LOOK, HISTORY],
    &[PLACEMENT, HISTORY],
    &[PROBE, PRIOR],
    &[PROBE, WRAPPING],
];

/// The same for the rows that came last.
const LATEST_SETS: [&[usize]; 8] = [
    &[PLACEMENT, PRIOR, HISTORY],
    &[PLACEMENT, PROBE],
    &[PLACEMENT, WRAPPING],
    &[PLACEMENT, FOLLOW_UP],
    &[PROBE, WRAPPING],
    &[PROBE, PRIOR],
    &[PROBE, HISTORY],
    &[WRAPPING, PRIOR],
];

/// A combination: a value for each factor.
#[derive(Clone, Debug)]
pub(super) struct FeatureCombination {
    pub(super) history: usize,
    pub(super) prior: PriorItem,
    pub(super) verb: ProbeVerb,
    pub(super) sent: SentTtl,
    pub(super) wrapping: Wrapping,
    pub(super) placement: Placement,
    pub(super) follow_up: FollowUp,
    pub(super) earlier_look: EarlierLook,
    /// Its place among all, by which values take turns.
    pub(super) turn: usize,
}

impl SentTtl {
    pub(super) fn is_refused(self) -> bool {
        matches!(self, Self::Refused | Self::RefusedNoOther)
    }

    /// Returns the property that a patch takes away.
    pub(super) fn removed(self) -> Option<&'static str> {
        match self {
            Self::NoTtl => Some("ttl"),
            Self::NoOther | Self::TtlNoOther(_) | Self::RefusedNoOther => Some(REMOVED),
            Self::NoLookalike => Some("TTL"),
            Self::Plain | Self::Ttl(_) | Self::Null | Self::Refused | Self::Other => None,
        }
    }
}

impl FeatureCombination {
    fn of(turn: usize, row: &[usize]) -> Option<Self> {
        let value = |factor: usize| row.get(factor).copied();
        let (verb, sent) = *PROBES.get(value(PROBE)?)?;
        Some(Self {
            history: value(HISTORY)?,
            prior: *PRIORS.get(value(PRIOR)?)?,
            verb,
            sent,
            wrapping: *Wrapping::ALL.get(value(WRAPPING)?)?,
            placement: *Placement::ALL.get(value(PLACEMENT)?)?,
            follow_up: *FollowUp::ALL.get(value(FOLLOW_UP)?)?,
            earlier_look: EarlierLook::ALL.get(value(EARLIER_LOOK).unwrap_or_default()).copied()?,
            turn,
        })
    }
}

/// Whether the values of a row go together, as far as they are known.
fn is_possible(row: &PartialRow) -> bool {
    let value = |factor: usize| row.get(factor).copied().flatten();
    let probe = value(PROBE).and_then(|at| PROBES.get(at).copied());
    let wrapping = value(WRAPPING).and_then(|at| Wrapping::ALL.get(at).copied());
    let prior = value(PRIOR).and_then(|at| PRIORS.get(at).copied());
    let history = value(HISTORY).and_then(|at| HISTORIES.get(at).copied());
    let takes_etag = |(verb, _): (ProbeVerb, SentTtl)| {
        matches!(verb, ProbeVerb::Replace | ProbeVerb::Patch | ProbeVerb::Delete)
    };
    let refuses =
        probe.is_some_and(|(_, sent)| sent.is_refused()) || wrapping == Some(Wrapping::AbortedByRefusedValue);
    let is_off = |history: SettingsHistory| {
        let replaced = |change: &(ChangeMoment, SettingsRequest)| match *change {
            (ChangeMoment::AfterProbes, _) | (_, SettingsRequest::CreateAgain(_)) => None,
            (_, SettingsRequest::Replace(default)) => Some(default),
        };
        history.changes.iter().rev().find_map(replaced).unwrap_or(history.first).is_none()
    };
    let sends_null = probe.is_some_and(|(_, sent)| sent == SentTtl::Null);
    let removes = probe.is_some_and(|(_, sent)| sent == SentTtl::NoTtl);
    let removes_other = probe.is_some_and(|(_, sent)| !removes && sent.removed().is_some());
    let placement = value(PLACEMENT).and_then(|at| Placement::ALL.get(at).copied());
    let look = value(EARLIER_LOOK).and_then(|at| EarlierLook::ALL.get(at).copied());
    let breaks = [
        // A query of a partition with one item cannot tell that the item is gone from all being lost.
        placement == Some(Placement::Apart) && look == Some(EarlierLook::Feeds),
        wrapping.is_some_and(Wrapping::conditions_probe) && probe.is_some_and(|probe| !takes_etag(probe)),
        wrapping.is_some_and(Wrapping::needs_etag) && prior.is_some_and(|prior| !prior.has_etag()),
        // A service may refuse to take away what is not there.
        removes && prior.is_some_and(|prior| !prior.carries_ttl()),
        removes_other && prior.is_some_and(|prior| !prior.has_etag()),
        (removes || removes_other) && wrapping == Some(Wrapping::BatchAfterUpsert),
        // While the container is off, the value may be stored.
        refuses && history.is_some_and(is_off),
        // Null is a value of one edition, and the probes that are refused have it in the other.
        (sends_null || prior.is_some_and(|prior| prior.is_null))
            && history.is_some_and(|history| history.edition != Edition::Y2020),
    ];
    !breaks.contains(&true)
}

/// Returns the combinations in which all values of each set of factors meet.
pub(super) fn combinations() -> Vec<Vec<FeatureCombination>> {
    let first = covering_array(&FIRST_SIZES, &SETS, &is_possible, &[]);
    let later = covering_array(&LATER_SIZES, &SETS, &is_possible, &first);
    let without_look = first.iter().chain(&later).map(|row| [row.as_slice(), &[0]].concat());
    let mut given: Vec<_> = without_look.collect();
    let with_look = covering_array(&LOOK_SIZES, &SETS_WITH_LOOK, &is_possible, &given);
    given.extend(with_look.iter().cloned());
    let later_with_look = covering_array(&LATER_LOOK_SIZES, &LATER_LOOK_SETS, &is_possible, &given);
    given.extend(later_with_look.iter().cloned());
    let latest = covering_array(&SIZES, &LATEST_SETS, &is_possible, &given);
    let combinations_of = |rows: Vec<Vec<usize>>| {
        rows.iter().enumerate().filter_map(|(turn, row)| FeatureCombination::of(turn, row)).collect()
    };
    [first, later, with_look, later_with_look, latest].map(combinations_of).into()
}
