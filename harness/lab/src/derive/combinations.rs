//! Combinations of features as vectors: some items under the same settings, each with a combination of its own.
//!
//! A store may keep a rule, but not on one way: in a batch that aborts, in another partition, after a change of settings.

use cosmos_ttl_explore::write::{AnnotatedScript, Focus, WITNESS};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Operation, PartitionKey, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::{Condition, DERIVED};

use super::VectorDraft;
use super::features::{
    EarlierLook, FeatureCombination, FollowUp, PARTITION, PROBE_S, Placement, PriorItem, ProbeVerb, SentTtl,
    Wrapping, combinations,
};
use super::histories::{ChangeMoment, HISTORIES, SettingsHistory, SettingsRequest};
use super::script_builder::{ScriptBuilder, lines};

/// The last second that is looked at.
const END_S: u64 = 6;
/// How many items share a vector.
const ITEMS: usize = 6;
/// An item that is nowhere.
const MISSING: &str = "missing";
/// Values that each target must refuse once the container is on.
const REFUSED: [i64; 5] = [0, -2, 2_147_483_648, -2_147_483_648, 4_294_967_297];
/// Properties that set no lifetime, with a value that would be refused if they did, or would count.
const OTHERS: [(&str, &str); 5] =
    [("TTL", "null"), ("Ttl", "0"), ("_ttl", "1"), ("timeToLive", "1"), ("TTL", "1")];

fn null() -> Literal {
    Literal::from(&serde_json::Value::Null)
}

/// Returns the vectors of all combinations.
pub(super) fn drafts() -> Vec<VectorDraft> {
    let combinations = combinations();
    let of_history = |(number, history): (usize, &SettingsHistory)| {
        let mut parts = Vec::new();
        for rows in &combinations {
            let own: Vec<&FeatureCombination> = rows.iter().filter(|one| one.history == number).collect();
            parts.extend(groups(*history, &own));
        }
        (1..).zip(&parts).filter_map(|(part, all)| draft(*history, part, all)).collect::<Vec<_>>()
    };
    HISTORIES.iter().enumerate().flat_map(of_history).collect()
}

/// Returns the combinations under these settings, those of a vector together. Those that no vector can say together are
/// separated.
fn groups<'c>(
    history: SettingsHistory,
    combinations: &[&'c FeatureCombination],
) -> Vec<Vec<&'c FeatureCombination>> {
    let mut parts: Vec<Vec<&'c FeatureCombination>> = Vec::new();
    let is_said = |part: &[&FeatureCombination]| musts(history, part).is_ok();
    for chunk in combinations.chunks(ITEMS) {
        if is_said(chunk) {
            parts.push(chunk.to_vec());
            continue;
        }
        let mut groups: Vec<Vec<&'c FeatureCombination>> = Vec::new();
        for one in chunk {
            let fits = groups.iter_mut().find(|group| is_said(&[group.as_slice(), &[*one]].concat()));
            match fits {
                Some(group) => group.push(*one),
                None => groups.extend(Some(vec![*one]).filter(|alone| is_said(alone))),
            }
        }
        parts.extend(groups);
    }
    parts
}

fn draft(history: SettingsHistory, number: usize, part: &[&FeatureCombination]) -> Option<VectorDraft> {
    let script = musts(history, part).ok()?;
    let steps = lines(&script).ok()?;
    let mut clauses = script.clauses;
    let is_twofold = part.iter().any(|one| one.placement != Placement::Single);
    clauses.extend(is_twofold.then_some("identity-is-partition-and-id"));
    let id = format!("{DERIVED}combined-under-{}-part-{number}", history.slug);
    let title = format!("Under {}, each item lives as its requests say (part {number})", history.words);
    let edition = (history.edition == Edition::Y2020).then_some("2020");
    let changes = history.changes.iter().any(|(moment, _)| *moment != ChangeMoment::BeforeItems);
    // No file of vectors may have more than 1 MiB, and that of the settings is nearly full.
    let section = match (part.iter().any(|one| one.earlier_look != EarlierLook::Nothing), history.indexing) {
        (true, _) => "lifetime",
        (false, Indexing::Consistent) if changes => "settings",
        (false, _) => "identity",
    };
    Some(VectorDraft { section, id, title, clauses, edition, steps })
}

fn musts(history: SettingsHistory, part: &[&FeatureCombination]) -> Result<AnnotatedScript, String> {
    script(history, part).musts().map(|(script, _)| script)
}

/// Returns the requests of some combinations under the same settings.
fn script(history: SettingsHistory, part: &[&FeatureCombination]) -> ScriptBuilder {
    let container = |default: Option<i64>| Container {
        default_ttl: default.map(Literal::from),
        indexing: history.indexing,
    };
    let mut builder = ScriptBuilder::in_edition(history.edition, container(history.first));
    let items: Vec<ItemScript<'_>> =
        ('a'..).zip(part).map(|(id, combination)| ItemScript { id: id.into(), combination }).collect();
    let has_elsewhere = items.iter().any(|item| item.combination.placement.has_twin());
    // Where an item is apart, a query could not tell that it is gone from all being lost.
    let partitions: Vec<Option<PartitionKey>> =
        [None].into_iter().chain(has_elsewhere.then(|| Some(PARTITION.into()))).collect();
    for partition in partitions.iter().flatten() {
        builder.create_forever(Some(partition), WITNESS);
    }
    let change = |builder: &mut ScriptBuilder, at: ChangeMoment| {
        for (_, request) in history.changes.iter().filter(|(moment, _)| *moment == at) {
            let request = match *request {
                SettingsRequest::Replace(default) => Request::ReplaceContainer(container(default)),
                SettingsRequest::CreateAgain(default) => Request::CreateContainer(container(default)),
            };
            builder.ask(Focus::Answer, request, Vec::new());
        }
    };
    let look = |builder: &mut ScriptBuilder, request: &Request| {
        for partition in partitions.iter().filter(|_| history.is_index_complete()) {
            builder.ask_in(partition.as_ref(), Focus::Answer, request.clone(), Vec::new());
        }
    };
    change(&mut builder, ChangeMoment::BeforeItems);
    for second in 0..=PROBE_S {
        if second > 0 {
            builder.pass();
        }
        if second + 1 == PROBE_S {
            change(&mut builder, ChangeMoment::BeforeProbes);
        }
        for item in &items {
            item.prepare(&mut builder, second);
        }
        for item in items.iter().filter(|_| second + 1 == PROBE_S) {
            item.look(&mut builder, history);
        }
    }
    for item in &items {
        item.probe(&mut builder);
    }
    for item in &items {
        item.follow_up(&mut builder, PROBE_S);
    }
    change(&mut builder, ChangeMoment::AfterProbes);
    look(&mut builder, &Request::Query);
    for second in PROBE_S + 1..=END_S {
        builder.pass();
        for item in &items {
            item.follow_up(&mut builder, second);
        }
        // Each way to look has its turn.
        let all_have_turn = second % 2 == 1 || !history.is_index_complete();
        for item in
            items.iter().filter(|item| all_have_turn || item.combination.placement == Placement::Apart)
        {
            item.read(&mut builder, Focus::Answer);
        }
        look(&mut builder, if second % 2 == 0 { &Request::List } else { &Request::Query });
    }
    builder
}

/// An item with its combination.
struct ItemScript<'c> {
    id: String,
    combination: &'c FeatureCombination,
}

impl ItemScript<'_> {
    /// The partition.
    fn own(&self) -> Option<PartitionKey> {
        self.combination.placement.own(&self.id)
    }

    fn document(&self, properties: Properties) -> Document {
        Document { id: self.id.clone(), properties }
    }

    /// The item before the probe.
    fn prior(&self) -> Document {
        let PriorItem { ttl, is_null, .. } = self.combination.prior;
        if is_null { self.document([("ttl".to_owned(), null())].into()) } else { self.with_ttl(ttl) }
    }

    fn with_ttl(&self, ttl: Option<i64>) -> Document {
        self.document(ttl.map(|ttl| ("ttl".to_owned(), Literal::from(ttl))).into_iter().collect())
    }

    /// Writes the item and its twin, so that they have their age when the probe is sent.
    fn prepare(&self, builder: &mut ScriptBuilder, second: u64) {
        let FeatureCombination { prior, sent, wrapping, placement, .. } = self.combination;
        let (own, twins) = (self.own(), placement.twins());
        if second == 0 && *placement == Placement::ElsewhereWithForever {
            builder.create_forever(twins.as_ref(), &self.id);
        }
        let has_twin = matches!(placement, Placement::ElsewhereWithTwin | Placement::HereWithTwin);
        let document = || {
            let mut document = self.prior();
            if let Some(name) = sent.removed().filter(|name| *name != "ttl") {
                document.properties.insert(name.into(), Literal::from(0));
            }
            document
        };
        for partition in [Some(own), has_twin.then_some(twins)].into_iter().flatten() {
            let mut ask = |operation| {
                builder.ask_in(partition.as_ref(), Focus::Way, Request::Item(operation), Vec::new());
            };
            if prior.age_s.is_some_and(|age_s| age_s + second == PROBE_S) {
                ask(Operation::Create(document()));
                if wrapping.needs_etag() {
                    // The first etag is stale from then on.
                    ask(Operation::Replace(document(), None));
                }
            }
            if prior.deleted_at_s == Some(second) {
                ask(Operation::Delete(self.id.clone(), None));
            }
        }
    }

    /// Looks at the item before the probe.
    fn look(&self, builder: &mut ScriptBuilder, history: SettingsHistory) {
        let read = Operation::Read(self.id.clone());
        let requests = match self.combination.earlier_look {
            EarlierLook::Nothing => Vec::new(),
            EarlierLook::Read => vec![Request::Item(read)],
            EarlierLook::ReadInBatch => vec![Request::Batch(vec![read])],
            EarlierLook::Feeds if !history.is_index_complete() => vec![Request::List],
            EarlierLook::Feeds => vec![Request::Query, Request::List, Request::Count],
        };
        let own = self.own();
        for request in requests {
            builder.ask_in(own.as_ref(), Focus::Answer, request, Vec::new());
        }
    }

    fn probe_operation(&self) -> Operation {
        let FeatureCombination { verb, sent, turn, .. } = self.combination;
        let set: Properties = match sent {
            SentTtl::Plain if *verb == ProbeVerb::Patch => [("value".to_owned(), Literal::from(1))].into(),
            SentTtl::Plain | SentTtl::NoTtl | SentTtl::NoOther | SentTtl::NoLookalike => {
                Properties::default()
            }
            SentTtl::Ttl(ttl) | SentTtl::TtlNoOther(ttl) => [("ttl".to_owned(), Literal::from(*ttl))].into(),
            SentTtl::Null => [("ttl".to_owned(), null())].into(),
            SentTtl::Refused | SentTtl::RefusedNoOther => {
                let value = REFUSED.get(turn % REFUSED.len()).copied().unwrap_or_default();
                [("ttl".to_owned(), Literal::from(value))].into()
            }
            SentTtl::Other => {
                let other = OTHERS.get(turn % OTHERS.len());
                let other =
                    other.and_then(|(name, value)| Some(((*name).to_owned(), Literal::parse(value).ok()?)));
                other.into_iter().collect()
            }
        };
        match verb {
            ProbeVerb::Create => Operation::Create(self.document(set)),
            ProbeVerb::Upsert => Operation::Upsert(self.document(set)),
            ProbeVerb::Replace => Operation::Replace(self.document(set), None),
            ProbeVerb::Patch => {
                let remove = sent.removed().into_iter().map(str::to_owned).collect();
                Operation::Patch(Patch { id: self.id.clone(), set, remove }, None)
            }
            ProbeVerb::Delete => Operation::Delete(self.id.clone(), None),
            ProbeVerb::Read => Operation::Read(self.id.clone()),
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
        let read = Operation::Read(self.id.clone());
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
            Wrapping::BatchAfterRead => (batch(vec![read, probe]), None),
            Wrapping::AbortedAfterRead => (batch(vec![probe, read, again(WITNESS.into())]), None),
            Wrapping::AbortedByStaleEtag => {
                let replace = Operation::Replace(self.with_ttl(None), None);
                (batch(vec![probe, replace]), Some((1, Condition::Stale)))
            }
        };
        let own = self.own();
        builder.ask_in(own.as_ref(), Focus::Answer, request, conditions.into_iter().collect());
        self.read(builder, Focus::Details);
    }

    /// Reads the item, and its twin.
    fn read(&self, builder: &mut ScriptBuilder, focus: Focus) {
        let placement = self.combination.placement;
        for partition in
            [Some(self.own()), placement.has_twin().then(|| placement.twins())].into_iter().flatten()
        {
            let read = Request::Item(Operation::Read(self.id.clone()));
            builder.ask_in(partition.as_ref(), focus, read, Vec::new());
        }
    }

    fn follow_up(&self, builder: &mut ScriptBuilder, second: u64) {
        let follow_up = &self.combination.follow_up;
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
        let own = self.own();
        builder.ask_in(own.as_ref(), Focus::Answer, Request::Item(operation), Vec::new());
    }
}
