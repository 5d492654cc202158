//! The features that combinations are made of: settings and their change, the item before, what is sent, in which batch and
//! under which condition, in which partition, and what follows.

use cosmos_ttl_harness::target::{Indexing, PartitionKey};

use super::covering_array::{PartialRow, covering_array};

/// The second in which the probes are sent.
pub(super) const PROBE_S: u64 = 3;
/// The other partition.
pub(super) const PARTITION: &str = "q";

/// The moment of a change of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeMoment {
    BeforeItems,
    /// A second before the probes.
    BeforeProbes,
    AfterProbes,
}

/// A request that changes settings, or that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingsRequest {
    /// Replaces the settings; `None` is off.
    Replace(Option<i64>),
    /// Creates the container a second time.
    CreateAgain(Option<i64>),
}

/// The settings of a container, from its creation on.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingsHistory {
    pub(super) slug: &'static str,
    pub(super) words: &'static str,
    /// `None` is off.
    pub(super) first: Option<i64>,
    pub(super) changes: &'static [(ChangeMoment, SettingsRequest)],
    pub(super) indexing: Indexing,
}

impl SettingsHistory {
    /// Whether queries see all items: a change of settings under a lazy index builds it again.
    pub(super) const fn is_index_complete(&self) -> bool {
        matches!(self.indexing, Indexing::Consistent) || self.changes.is_empty()
    }
}

pub(super) const HISTORIES: [SettingsHistory; 19] = {
    use ChangeMoment::{AfterProbes, BeforeItems, BeforeProbes};
    use SettingsRequest::{CreateAgain, Replace};
    const fn of(
        slug: &'static str,
        words: &'static str,
        first: Option<i64>,
        changes: &'static [(ChangeMoment, SettingsRequest)],
    ) -> SettingsHistory {
        SettingsHistory { slug, words, first, changes, indexing: Indexing::Consistent }
    }
    const fn lazy(history: SettingsHistory) -> SettingsHistory {
        SettingsHistory { indexing: Indexing::Lazy, ..history }
    }
    [
        of("no-default", "`defaultTtl` -1", Some(-1), &[]),
        of("default-3", "`defaultTtl` 3", Some(3), &[]),
        of("off", "no `defaultTtl`", None, &[]),
        of("switched-on", "`defaultTtl` 3 since before the items", None, &[(BeforeItems, Replace(Some(3)))]),
        of("lowered", "`defaultTtl` 9, and then 3", Some(9), &[(BeforeProbes, Replace(Some(3)))]),
        of("raised", "`defaultTtl` 3, and then 9", Some(3), &[(BeforeProbes, Replace(Some(9)))]),
        of(
            "left-without-default",
            "`defaultTtl` 3, and then -1",
            Some(3),
            &[(BeforeProbes, Replace(Some(-1)))],
        ),
        of("given-a-default", "`defaultTtl` -1, and then 3", Some(-1), &[(BeforeProbes, Replace(Some(3)))]),
        of("woken", "no `defaultTtl`, and then 3", None, &[(BeforeProbes, Replace(Some(3)))]),
        of(
            "off-and-on",
            "`defaultTtl` 3, none, and 3",
            Some(3),
            &[(BeforeProbes, Replace(None)), (BeforeProbes, Replace(Some(3)))],
        ),
        of("switched-off", "`defaultTtl` 3, and then none", Some(3), &[(BeforeProbes, Replace(None))]),
        of("lowered-later", "`defaultTtl` 9, and 2 after all", Some(9), &[(AfterProbes, Replace(Some(2)))]),
        of("raised-later", "`defaultTtl` 3, and 9 after all", Some(3), &[(AfterProbes, Replace(Some(9)))]),
        lazy(of("lazy", "`defaultTtl` 3 with a lazy index", Some(3), &[])),
        lazy(of(
            "lazy-lowered",
            "`defaultTtl` 9 and a lazy index, and then 3",
            Some(9),
            &[(BeforeProbes, Replace(Some(3)))],
        )),
        lazy(of(
            "lazy-switched-off",
            "`defaultTtl` 3 and a lazy index, and then none",
            Some(3),
            &[(BeforeProbes, Replace(None))],
        )),
        of(
            "refused-settings",
            "`defaultTtl` 3, and a refused 0",
            Some(3),
            &[(BeforeProbes, Replace(Some(0)))],
        ),
        of(
            "second-creation",
            "`defaultTtl` 3, and a second creation with 9",
            Some(3),
            &[(BeforeProbes, CreateAgain(Some(9)))],
        ),
        of(
            "second-creation-while-off",
            "no `defaultTtl`, and a second creation with 3",
            None,
            &[(BeforeProbes, CreateAgain(Some(3)))],
        ),
    ]
};

/// An item before the probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriorItem {
    pub(super) ttl: Option<i64>,
    /// Its age when the probe is sent; `None` if it was never created.
    pub(super) age_s: Option<u64>,
    pub(super) is_deleted: bool,
}

impl PriorItem {
    const fn aged(ttl: Option<i64>, age_s: u64) -> Self {
        Self { ttl, age_s: Some(age_s), is_deleted: false }
    }

    pub(super) fn carries_ttl(self) -> bool {
        self.ttl.is_some() && self.age_s.is_some() && !self.is_deleted
    }

    pub(super) fn has_etag(self) -> bool {
        self.age_s.is_some() && !self.is_deleted
    }
}

const PRIORS: [PriorItem; 8] = [
    PriorItem { ttl: None, age_s: None, is_deleted: false },
    PriorItem { ttl: None, age_s: Some(3), is_deleted: true },
    PriorItem::aged(None, 0),
    PriorItem::aged(None, 2),
    PriorItem::aged(None, 3),
    PriorItem::aged(Some(2), 3),
    PriorItem::aged(Some(3), 2),
    PriorItem::aged(Some(-1), 3),
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
    /// A patch takes the `ttl` away.
    NoTtl,
    /// A patch takes another property away.
    NoOther,
    /// A `ttl` that is refused.
    Refused,
    /// A property that only looks like a `ttl`.
    Other,
}

const PROBES: [(ProbeVerb, SentTtl); 21] = {
    use ProbeVerb::{Create, Delete, Patch, Read, Replace, Upsert};
    use SentTtl::{NoOther, NoTtl, Other, Plain, Refused, Ttl};
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
}

impl Wrapping {
    const ALL: [Self; 12] = [
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
}

impl Placement {
    const ALL: [Self; 4] =
        [Self::Single, Self::ElsewhereWithForever, Self::ElsewhereWithTwin, Self::HereWithTwin];

    pub(super) fn own(self) -> Option<PartitionKey> {
        matches!(self, Self::ElsewhereWithForever | Self::ElsewhereWithTwin).then(|| PARTITION.into())
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

/// The sizes of the factors, by their numbers below.
const SIZES: [usize; 6] = [
    HISTORIES.len(),
    PRIORS.len(),
    PROBES.len(),
    Wrapping::ALL.len(),
    Placement::ALL.len(),
    FollowUp::ALL.len(),
];
/// How many histories and probes the first rows have.
const FIRST_HISTORIES: usize = 16;
const FIRST_PROBES: usize = 20;
const HISTORY: usize = 0;
const PRIOR: usize = 1;
const PROBE: usize = 2;
const WRAPPING: usize = 3;
const PLACEMENT: usize = 4;
const FOLLOW_UP: usize = 5;

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
    /// Its place among all, by which values take turns.
    pub(super) turn: usize,
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
    let refuses = probe.is_some_and(|(_, sent)| sent == SentTtl::Refused)
        || wrapping == Some(Wrapping::AbortedByRefusedValue);
    let is_off = |history: SettingsHistory| {
        let replaced = |change: &(ChangeMoment, SettingsRequest)| match *change {
            (ChangeMoment::AfterProbes, _) | (_, SettingsRequest::CreateAgain(_)) => None,
            (_, SettingsRequest::Replace(default)) => Some(default),
        };
        history.changes.iter().rev().find_map(replaced).unwrap_or(history.first).is_none()
    };
    let removes = probe.is_some_and(|(_, sent)| sent == SentTtl::NoTtl);
    let removes_other = probe.is_some_and(|(_, sent)| sent == SentTtl::NoOther);
    let breaks = [
        wrapping.is_some_and(Wrapping::conditions_probe) && probe.is_some_and(|probe| !takes_etag(probe)),
        wrapping.is_some_and(Wrapping::needs_etag) && prior.is_some_and(|prior| !prior.has_etag()),
        // A service may refuse to take away what is not there.
        removes && prior.is_some_and(|prior| !prior.carries_ttl()),
        removes_other && prior.is_some_and(|prior| !prior.has_etag()),
        (removes || removes_other) && wrapping == Some(Wrapping::BatchAfterUpsert),
        // While the container is off, the value may be stored.
        refuses && history.is_some_and(is_off),
    ];
    !breaks.contains(&true)
}

/// Returns the combinations in which all values of each set of factors meet.
///
/// The values that were added later have rows of their own, so that the vectors before them keep their meaning.
pub(super) fn combinations() -> [Vec<FeatureCombination>; 2] {
    let mut first_sizes = SIZES;
    first_sizes[HISTORY] = FIRST_HISTORIES;
    first_sizes[PROBE] = FIRST_PROBES;
    let first = covering_array(&first_sizes, &SETS, &is_possible, &[]);
    let later = covering_array(&SIZES, &SETS, &is_possible, &first);
    [first, later].map(|rows| {
        rows.iter().enumerate().filter_map(|(turn, row)| FeatureCombination::of(turn, row)).collect()
    })
}
