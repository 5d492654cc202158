//! Combinations of features: settings and their change, the item before, what is sent, in which batch and under which
//! condition, in which partition, and what follows. In some sets of these all values meet, see [`SETS`].
//!
//! A store may keep a rule, but not on one way: in a batch that aborts, in another partition, after a change of settings.

use cosmos_ttl_explore::write::{AnnotatedScript, Focus, WITNESS};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Indexing, Operation, PartitionKey, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::{Condition, DERIVED};

use super::VectorDraft;
use super::covering_array::{PartialRow, covering_array};
use super::script_builder::{ScriptBuilder, lines};

/// The second in which the probes are sent.
const PROBE_S: u64 = 3;
/// The last second that is looked at.
const END_S: u64 = 6;
/// How many items share a vector.
const ITEMS: usize = 6;
/// The other partition.
const PARTITION: &str = "q";
/// An item that is nowhere.
const MISSING: &str = "missing";
/// Values that each target must refuse once the container is on.
const REFUSED: [i64; 5] = [0, -2, 2_147_483_648, -2_147_483_648, 4_294_967_297];
/// Properties that set no lifetime, with a value that would be refused if they did, or would count.
const OTHERS: [(&str, &str); 5] =
    [("TTL", "null"), ("Ttl", "0"), ("_ttl", "1"), ("timeToLive", "1"), ("TTL", "1")];

/// The moment of a change of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    BeforeItems,
    /// A second before the probes.
    BeforeProbes,
    AfterProbes,
}

/// The settings of a container, from its creation on.
#[derive(Clone, Copy, Debug)]
struct SettingsHistory {
    slug: &'static str,
    words: &'static str,
    /// `None` is off.
    first: Option<i64>,
    changes: &'static [(Moment, Option<i64>)],
    indexing: Indexing,
}

impl SettingsHistory {
    /// Whether queries see all items: a change of settings under a lazy index builds it again.
    const fn is_index_complete(&self) -> bool {
        matches!(self.indexing, Indexing::Consistent) || self.changes.is_empty()
    }
}

const HISTORIES: [SettingsHistory; 16] = {
    use Moment::{AfterProbes, BeforeItems, BeforeProbes};
    const fn of(
        slug: &'static str,
        words: &'static str,
        first: Option<i64>,
        changes: &'static [(Moment, Option<i64>)],
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
        of("switched-on", "`defaultTtl` 3 since before the items", None, &[(BeforeItems, Some(3))]),
        of("lowered", "`defaultTtl` 9, and then 3", Some(9), &[(BeforeProbes, Some(3))]),
        of("raised", "`defaultTtl` 3, and then 9", Some(3), &[(BeforeProbes, Some(9))]),
        of("left-without-default", "`defaultTtl` 3, and then -1", Some(3), &[(BeforeProbes, Some(-1))]),
        of("given-a-default", "`defaultTtl` -1, and then 3", Some(-1), &[(BeforeProbes, Some(3))]),
        of("woken", "no `defaultTtl`, and then 3", None, &[(BeforeProbes, Some(3))]),
        of(
            "off-and-on",
            "`defaultTtl` 3, none, and 3",
            Some(3),
            &[(BeforeProbes, None), (BeforeProbes, Some(3))],
        ),
        of("switched-off", "`defaultTtl` 3, and then none", Some(3), &[(BeforeProbes, None)]),
        of("lowered-later", "`defaultTtl` 9, and 2 after all", Some(9), &[(AfterProbes, Some(2))]),
        of("raised-later", "`defaultTtl` 3, and 9 after all", Some(3), &[(AfterProbes, Some(9))]),
        lazy(of("lazy", "`defaultTtl` 3 with a lazy index", Some(3), &[])),
        lazy(of(
            "lazy-lowered",
            "`defaultTtl` 9 and a lazy index, and then 3",
            Some(9),
            &[(BeforeProbes, Some(3))],
        )),
        lazy(of(
            "lazy-switched-off",
            "`defaultTtl` 3 and a lazy index, and then none",
            Some(3),
            &[(BeforeProbes, None)],
        )),
    ]
};

/// An item before the probe.
#[derive(Clone, Copy, Debug)]
struct PriorItem {
    ttl: Option<i64>,
    /// Its age when the probe is sent; `None` if it was never created.
    age_s: Option<u64>,
    is_deleted: bool,
}

impl PriorItem {
    const fn aged(ttl: Option<i64>, age_s: u64) -> Self {
        Self { ttl, age_s: Some(age_s), is_deleted: false }
    }

    fn carries_ttl(self) -> bool {
        self.ttl.is_some() && self.age_s.is_some() && !self.is_deleted
    }

    fn has_etag(self) -> bool {
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
enum Verb {
    Create,
    Upsert,
    Replace,
    Patch,
    Delete,
    Read,
}

/// What a probe sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// No `ttl`.
    Plain,
    Ttl(i64),
    /// A patch takes the `ttl` away.
    NoTtl,
    /// A `ttl` that is refused.
    Refused,
    /// A property that only looks like a `ttl`.
    Other,
}

const PROBES: [(Verb, Sent); 20] = {
    use Sent::{NoTtl, Other, Plain, Refused, Ttl};
    use Verb::{Create, Delete, Patch, Read, Replace, Upsert};
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
    ]
};

/// How a probe is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
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

    fn conditions_probe(self) -> bool {
        matches!(self, Self::IfMatch | Self::StaleEtag | Self::BatchIfMatch)
    }

    fn needs_etag(self) -> bool {
        self.conditions_probe() || self == Self::AbortedByStaleEtag
    }
}

/// The partition of an item, and its twin in the other one: an item with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
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

    fn own(self) -> Option<PartitionKey> {
        matches!(self, Self::ElsewhereWithForever | Self::ElsewhereWithTwin).then(|| PARTITION.into())
    }

    fn twins(self) -> Option<PartitionKey> {
        (self == Self::HereWithTwin).then(|| PARTITION.into())
    }
}

/// What is sent after the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FollowUp {
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

    fn at_s(self) -> u64 {
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
struct Combination {
    history: usize,
    prior: PriorItem,
    verb: Verb,
    sent: Sent,
    wrapping: Wrapping,
    placement: Placement,
    follow_up: FollowUp,
    /// Its place among all, by which values take turns.
    turn: usize,
}

impl Combination {
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
    let takes_etag = |(verb, _): (Verb, Sent)| matches!(verb, Verb::Replace | Verb::Patch | Verb::Delete);
    let refuses = probe.is_some_and(|(_, sent)| sent == Sent::Refused)
        || wrapping == Some(Wrapping::AbortedByRefusedValue);
    let is_off = |history: SettingsHistory| {
        let before = history.changes.iter().rev().find(|(moment, _)| *moment != Moment::AfterProbes);
        before.map_or(history.first, |(_, default)| *default).is_none()
    };
    let removes = probe.is_some_and(|(_, sent)| sent == Sent::NoTtl);
    let breaks = [
        wrapping.is_some_and(Wrapping::conditions_probe) && probe.is_some_and(|probe| !takes_etag(probe)),
        wrapping.is_some_and(Wrapping::needs_etag) && prior.is_some_and(|prior| !prior.has_etag()),
        // A service may refuse to take away what is not there.
        removes && prior.is_some_and(|prior| !prior.carries_ttl()),
        removes && wrapping == Some(Wrapping::BatchAfterUpsert),
        // While the container is off, the value may be stored.
        refuses && history.is_some_and(is_off),
    ];
    !breaks.contains(&true)
}

/// Returns the vectors of all combinations.
pub(super) fn drafts() -> Vec<VectorDraft> {
    let rows = covering_array(&SIZES, &SETS, &is_possible);
    let combinations = rows.iter().enumerate().filter_map(|(turn, row)| Combination::of(turn, row));
    let combinations: Vec<Combination> = combinations.collect();
    let of_history = |(number, history): (usize, &SettingsHistory)| {
        let own: Vec<&Combination> = combinations.iter().filter(|one| one.history == number).collect();
        groups(*history, &own)
    };
    HISTORIES.iter().enumerate().flat_map(of_history).collect()
}

/// Returns the vectors of the combinations under these settings. Those that no vector can say together are separated.
fn groups(history: SettingsHistory, combinations: &[&Combination]) -> Vec<VectorDraft> {
    let mut parts: Vec<Vec<&Combination>> = Vec::new();
    let is_said = |part: &[&Combination]| musts(history, part).is_ok();
    for chunk in combinations.chunks(ITEMS) {
        if is_said(chunk) {
            parts.push(chunk.to_vec());
            continue;
        }
        let mut groups: Vec<Vec<&Combination>> = Vec::new();
        for one in chunk {
            let fits = groups.iter_mut().find(|group| is_said(&[group.as_slice(), &[*one]].concat()));
            match fits {
                Some(group) => group.push(*one),
                None => groups.extend(Some(vec![*one]).filter(|alone| is_said(alone))),
            }
        }
        parts.extend(groups);
    }
    (1..).zip(&parts).filter_map(|(number, part)| draft(history, number, part)).collect()
}

fn draft(history: SettingsHistory, number: usize, part: &[&Combination]) -> Option<VectorDraft> {
    let script = musts(history, part).ok()?;
    let steps = lines(&script).ok()?;
    let mut clauses = script.clauses;
    let is_twofold = part.iter().any(|one| one.placement != Placement::Single);
    clauses.extend(is_twofold.then_some("identity-is-partition-and-id"));
    let id = format!("{DERIVED}combined-under-{}-part-{number}", history.slug);
    let title = format!("Under {}, each item lives as its requests say (part {number})", history.words);
    let changes = history.changes.iter().any(|(moment, _)| *moment != Moment::BeforeItems);
    let section = if changes && history.indexing != Indexing::Lazy { "settings" } else { "identity" };
    Some(VectorDraft { section, id, title, clauses, edition: None, steps })
}

fn musts(history: SettingsHistory, part: &[&Combination]) -> Result<AnnotatedScript, String> {
    script(history, part).musts().map(|(script, _)| script)
}

/// Returns the requests of some combinations under the same settings.
fn script(history: SettingsHistory, part: &[&Combination]) -> ScriptBuilder {
    let container = |default: Option<i64>| Container {
        default_ttl: default.map(Literal::from),
        indexing: history.indexing,
    };
    let mut builder = ScriptBuilder::new(container(history.first));
    let items: Vec<ItemScript<'_>> =
        ('a'..).zip(part).map(|(id, combination)| ItemScript { id: id.into(), combination }).collect();
    let has_elsewhere = items.iter().any(|item| item.combination.placement != Placement::Single);
    let partitions: Vec<Option<PartitionKey>> =
        [None].into_iter().chain(has_elsewhere.then(|| Some(PARTITION.into()))).collect();
    for partition in partitions.iter().flatten() {
        builder.create_forever(Some(partition), WITNESS);
    }
    let change = |builder: &mut ScriptBuilder, at: Moment| {
        for (_, default) in history.changes.iter().filter(|(moment, _)| *moment == at) {
            builder.ask(Focus::Answer, Request::ReplaceContainer(container(*default)), Vec::new());
        }
    };
    let look = |builder: &mut ScriptBuilder, request: &Request| {
        for partition in partitions.iter().filter(|_| history.is_index_complete()) {
            builder.ask_in(partition.as_ref(), Focus::Answer, request.clone(), Vec::new());
        }
    };
    change(&mut builder, Moment::BeforeItems);
    for second in 0..=PROBE_S {
        if second > 0 {
            builder.pass();
        }
        if second + 1 == PROBE_S {
            change(&mut builder, Moment::BeforeProbes);
        }
        items.iter().for_each(|item| item.prepare(&mut builder, second));
    }
    items.iter().for_each(|item| item.probe(&mut builder));
    items.iter().for_each(|item| item.follow_up(&mut builder, PROBE_S));
    change(&mut builder, Moment::AfterProbes);
    look(&mut builder, &Request::Query);
    for second in PROBE_S + 1..=END_S {
        builder.pass();
        items.iter().for_each(|item| item.follow_up(&mut builder, second));
        // Each way to look has its turn.
        if second % 2 == 1 || !history.is_index_complete() {
            items.iter().for_each(|item| item.read(&mut builder, Focus::Answer));
        }
        look(&mut builder, if second % 2 == 0 { &Request::List } else { &Request::Query });
    }
    builder
}

/// An item with its combination.
struct ItemScript<'c> {
    id: String,
    combination: &'c Combination,
}

impl ItemScript<'_> {
    fn document(&self, properties: Properties) -> Document {
        Document { id: self.id.clone(), properties }
    }

    fn with_ttl(&self, ttl: Option<i64>) -> Document {
        self.document(ttl.map(|ttl| ("ttl".to_owned(), Literal::from(ttl))).into_iter().collect())
    }

    /// Writes the item and its twin, so that they have their age when the probe is sent.
    fn prepare(&self, builder: &mut ScriptBuilder, second: u64) {
        let Combination { prior, wrapping, placement, .. } = self.combination;
        let (own, twins) = (placement.own(), placement.twins());
        if second == 0 && *placement == Placement::ElsewhereWithForever {
            builder.create_forever(twins.as_ref(), &self.id);
        }
        let has_twin = matches!(placement, Placement::ElsewhereWithTwin | Placement::HereWithTwin);
        for partition in [Some(own), has_twin.then_some(twins)].into_iter().flatten() {
            let mut ask = |operation| {
                builder.ask_in(partition.as_ref(), Focus::Way, Request::Item(operation), Vec::new());
            };
            if prior.age_s.is_some_and(|age_s| age_s + second == PROBE_S) {
                ask(Operation::Create(self.with_ttl(prior.ttl)));
                if wrapping.needs_etag() {
                    // The first etag is stale from then on.
                    ask(Operation::Replace(self.with_ttl(prior.ttl), None));
                }
            }
            if prior.is_deleted && second + 1 == PROBE_S {
                ask(Operation::Delete(self.id.clone(), None));
            }
        }
    }

    fn probe_operation(&self) -> Operation {
        let Combination { verb, sent, turn, .. } = self.combination;
        let set: Properties = match sent {
            Sent::Plain if *verb == Verb::Patch => [("value".to_owned(), Literal::from(1))].into(),
            Sent::Plain | Sent::NoTtl => Properties::default(),
            Sent::Ttl(ttl) => [("ttl".to_owned(), Literal::from(*ttl))].into(),
            Sent::Refused => {
                let value = REFUSED.get(turn % REFUSED.len()).copied().unwrap_or_default();
                [("ttl".to_owned(), Literal::from(value))].into()
            }
            Sent::Other => {
                let other = OTHERS.get(turn % OTHERS.len());
                let other =
                    other.and_then(|(name, value)| Some(((*name).to_owned(), Literal::parse(value).ok()?)));
                other.into_iter().collect()
            }
        };
        match verb {
            Verb::Create => Operation::Create(self.document(set)),
            Verb::Upsert => Operation::Upsert(self.document(set)),
            Verb::Replace => Operation::Replace(self.document(set), None),
            Verb::Patch => {
                let remove = if *sent == Sent::NoTtl { vec!["ttl".into()] } else { Vec::new() };
                Operation::Patch(Patch { id: self.id.clone(), set, remove }, None)
            }
            Verb::Delete => Operation::Delete(self.id.clone(), None),
            Verb::Read => Operation::Read(self.id.clone()),
        }
    }

    fn probe(&self, builder: &mut ScriptBuilder) {
        let probe = self.probe_operation();
        let upsert = Operation::Upsert(self.with_ttl(None));
        let next = Operation::Upsert(Document {
            id: format!("{}-next", self.id),
            properties: Properties::default(),
        });
        let patch = |id: String| {
            let set = [("value".to_owned(), Literal::from(2))].into();
            Operation::Patch(Patch { id, set, remove: Vec::new() }, None)
        };
        let again = |id: String| Operation::Create(Document { id, properties: Properties::default() });
        let refused = Operation::Upsert(self.with_ttl(Some(0)));
        let batch = |operations: Vec<Operation>| Request::Batch(operations);
        let (request, conditions) = match self.combination.wrapping {
            Wrapping::Alone => (Request::Item(probe), None),
            Wrapping::IfMatch => (Request::Item(probe), Some((0, Condition::Seen))),
            Wrapping::StaleEtag => (Request::Item(probe), Some((0, Condition::Stale))),
            Wrapping::Batch => (batch(vec![probe]), None),
            Wrapping::BatchIfMatch => (batch(vec![probe]), Some((0, Condition::Seen))),
            Wrapping::BatchAfterUpsert => (batch(vec![upsert, probe]), None),
            Wrapping::BatchAfterOther => (batch(vec![next, probe]), None),
            Wrapping::AbortedByCreate => (batch(vec![probe, again(WITNESS.into())]), None),
            Wrapping::AbortedByRead => (batch(vec![probe, Operation::Read(MISSING.into())]), None),
            Wrapping::AbortedByPatch => (batch(vec![probe, patch(MISSING.into())]), None),
            Wrapping::AbortedByRefusedValue => (batch(vec![probe, refused]), None),
            Wrapping::AbortedByStaleEtag => {
                let replace = Operation::Replace(self.with_ttl(None), None);
                (batch(vec![probe, replace]), Some((1, Condition::Stale)))
            }
        };
        let own = self.combination.placement.own();
        builder.ask_in(own.as_ref(), Focus::Answer, request, conditions.into_iter().collect());
        self.read(builder, Focus::Details);
    }

    /// Reads the item, and its twin.
    fn read(&self, builder: &mut ScriptBuilder, focus: Focus) {
        let placement = self.combination.placement;
        let has_twin = placement != Placement::Single;
        for partition in [Some(placement.own()), has_twin.then(|| placement.twins())].into_iter().flatten() {
            let read = Request::Item(Operation::Read(self.id.clone()));
            builder.ask_in(partition.as_ref(), focus, read, Vec::new());
        }
    }

    fn follow_up(&self, builder: &mut ScriptBuilder, second: u64) {
        let Combination { follow_up, placement, .. } = self.combination;
        if follow_up.at_s() != second {
            return;
        }
        let operation = match follow_up {
            FollowUp::Nothing => return,
            FollowUp::Upsert(ttl) => Operation::Upsert(self.with_ttl(*ttl)),
            FollowUp::UpsertLater => Operation::Upsert(self.with_ttl(None)),
            FollowUp::Replace => Operation::Replace(self.with_ttl(Some(2)), None),
            FollowUp::Delete => Operation::Delete(self.id.clone(), None),
            FollowUp::PatchLater => {
                let set = [("value".to_owned(), Literal::from(3))].into();
                Operation::Patch(Patch { id: self.id.clone(), set, remove: Vec::new() }, None)
            }
        };
        let own = placement.own();
        builder.ask_in(own.as_ref(), Focus::Answer, Request::Item(operation), Vec::new());
    }
}
