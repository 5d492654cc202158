//! The transitions of the complete suite's machine as vectors: the way to a state, what is sent there, and then a look every
//! second.
//!
//! At each state, requests of one kind share a vector. Those that change nothing are sent about one item, one after the
//! other; those that change the item have an item each.

use std::collections::BTreeSet;

use cosmos_ttl_complete::{
    AllowedOutcome, CompleteSuite, Depth, ITEM, Input, InputNumber, ItemState, Machine, MachineAnswer,
    StateNumber, TargetChoices, Transitions as _,
};
use cosmos_ttl_explore::write::clauses::of_cell;
use cosmos_ttl_explore::write::{AnnotatedScript, Focus, WITNESS};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Document, Edition, Indexing, Operation, Request};
use cosmos_ttl_harness::vector::{Condition, DERIVED, Expect};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, Wire};
use cosmos_ttl_reference::translate;

use super::script_builder::{ScriptBuilder, lines};
use super::station::{Station, StationState, change_to, stations};
use super::words::{default_slug, default_wire, default_words, state_slug, state_words, ttl_slug};
use super::{LONGEST_S, VectorDraft};

/// How many of the refused values each kind of write sends at one state; the next state sends the next ones.
const REFUSED_AT_ONCE: usize = 2;
/// The item of a vector that has one.
const SINGLE: &str = "a";
/// The input that lets a second pass: the first of each alphabet.
pub(super) const WAIT: InputNumber = 0;

/// Returns the machine whose transitions are derived.
pub(super) fn machine() -> Machine {
    Machine::new(LONGEST_S, Edition::default(), TargetChoices::default())
}

/// Returns the vectors of every transition.
pub(super) fn drafts(machine: &Machine) -> Vec<VectorDraft> {
    let suite = CompleteSuite::new(machine, Depth(0));
    let stations = stations(&suite);
    stations.iter().enumerate().flat_map(|(number, station)| from(machine, number, station)).collect()
}

/// A kind of requests that share a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InputKind {
    Looks,
    WritesInVain,
    StaleEtags,
    AbortedBatches,
    AbortedBatchesUnderEtags,
    /// Batches that abort at a later operation, or for another reason.
    LongerAbortedBatches,
    RefusedValues,
    RefusedSettings,
    /// By their first operation.
    Writes(&'static str),
    /// By its number, since it changes the container for all items.
    Settings(InputNumber),
}

impl InputKind {
    /// Returns the kind of an input at a station; `None` where it means nothing, or only lets a second pass.
    fn of(machine: &Machine, station: &Station, number: InputNumber) -> Option<Self> {
        let input = machine.alphabet.inputs.get(usize::from(number))?;
        let request = input.request.as_ref()?;
        let outcomes: Option<Vec<&[AllowedOutcome]>> =
            station.state.states().map(|state| machine.outcomes(state, number)).collect();
        let answers: Vec<&MachineAnswer> =
            outcomes?.into_iter().flatten().flat_map(|outcome| &outcome.answers).collect();
        let is_core = usize::from(number) < machine.alphabet.core;
        if matches!(station.state, StationState::Lapsed { .. }) && !is_core {
            return None;
        }
        if let Some(container) = request.container() {
            let is_null = container.default_ttl.as_ref().is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
            let is_refused = answers.iter().all(|answer| !answer.is_success());
            let is_refused = is_refused || container.indexing != Indexing::Consistent;
            return Some(if is_refused && !is_null { Self::RefusedSettings } else { Self::Settings(number) });
        }
        let operations = request.operations();
        let Some(first) = operations.first() else { return Some(Self::Looks) };
        if operations.iter().all(|one| matches!(one, Operation::Read(_))) {
            return Some(Self::Looks);
        }
        if sends_refused_value(input) {
            // While the container is off, a value may be stored, and no vector can say what follows from many of them.
            let is_off = station.default_ttl(machine) == DefaultTtl::Off;
            return (is_core || !is_off).then_some(Self::RefusedValues);
        }
        let verb = match first.word() {
            "delete" if operations.len() == 2 && !has_witness(input) => "delete-and-create",
            word => word,
        };
        Some(if answers.iter().any(|answer| answer.is_success()) {
            Self::Writes(verb)
        } else if has_witness(input) && !input.conditions.is_empty() {
            Self::AbortedBatchesUnderEtags
        } else if has_witness(input) {
            Self::AbortedBatches
        } else if input.conditions.iter().any(|(_, condition)| *condition == Condition::Stale) {
            Self::StaleEtags
        } else {
            Self::WritesInVain
        })
    }

    fn slug(self, machine: &Machine) -> String {
        match self {
            Self::Looks => "looks".into(),
            Self::WritesInVain => "writes-in-vain".into(),
            Self::StaleEtags => "stale-etags".into(),
            Self::AbortedBatches => "aborted-batches".into(),
            Self::AbortedBatchesUnderEtags => "aborted-batches-under-etags".into(),
            Self::LongerAbortedBatches => "longer-aborted-batches".into(),
            Self::RefusedValues => "refused-values".into(),
            Self::RefusedSettings => "refused-settings".into(),
            Self::Writes(verb) => format!("each-{verb}"),
            Self::Settings(number) => format!("change-to-{}", settings(machine, number, default_slug)),
        }
    }

    fn title(self, machine: &Machine, station: &Station) -> String {
        let state = state_words(machine, station.state);
        let default = default_words(default_wire(station.default_ttl(machine)));
        let of = |what: &str| format!("{what} {state} under {default} as it was");
        match self {
            Self::Looks => of("Reads, queries and counts leave"),
            Self::WritesInVain => of("Writes that must fail leave"),
            Self::StaleEtags => of("Writes with a stale etag leave"),
            Self::AbortedBatches => of("Batches that abort leave"),
            Self::AbortedBatchesUnderEtags => of("Batches that abort, with an etag, leave"),
            Self::LongerAbortedBatches => of("Batches that abort after several operations leave"),
            Self::RefusedValues => {
                format!("By every write, values that are no `ttl` are refused for {state} under {default}")
            }
            Self::RefusedSettings => of("Refused settings leave"),
            Self::Writes(verb) => format!(
                "Each {} of {state} under {default} decides how long it lives",
                verb.replace('-', " ")
            ),
            Self::Settings(number) => {
                format!(
                    "After a change from {default} to {} with {state}, the new settings decide",
                    settings(machine, number, default_words)
                )
            }
        }
    }
}

/// Whether an input sends an item's `ttl` that some targets refuse.
pub(super) fn sends_refused_value(input: &Input) -> bool {
    let operations = input.request.as_ref().map_or(&[][..], Request::operations);
    let is_refused = |ttl: &Literal| !matches!(ttl.kind(), LiteralKind::Whole(-1 | 1..=2_147_483_647));
    operations.iter().filter_map(Operation::ttl).any(is_refused)
}

/// Whether a batch aborts since it creates the witness again.
fn has_witness(input: &Input) -> bool {
    input.request.as_ref().is_some_and(|request| request.operations().iter().any(|one| one.id() != ITEM))
}

fn settings(machine: &Machine, number: InputNumber, words: fn(Wire) -> String) -> String {
    let input = machine.alphabet.inputs.get(usize::from(number));
    let container = input.and_then(|input| input.request.as_ref()?.container());
    match container.and_then(|container| container.default_ttl.as_ref()) {
        Some(ttl) if ttl.kind() == LiteralKind::Null => "null".into(),
        ttl => words(translate::wire(ttl)),
    }
}

/// Returns the vectors of everything that is sent at a station.
fn from(machine: &Machine, number: usize, station: &Station) -> Vec<VectorDraft> {
    let mut kinds: Vec<(InputKind, Vec<InputNumber>)> = Vec::new();
    for input in (0..).take(machine.alphabet.inputs.len()) {
        let Some(kind) = InputKind::of(machine, station, input) else { continue };
        // What was in force before matters to requests that ask whether the item is there.
        let asks = matches!(kind, InputKind::Looks | InputKind::WritesInVain | InputKind::Writes(_));
        if station.had_other_settings && !asks {
            continue;
        }
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, inputs)) => inputs.push(input),
            None => kinds.push((kind, vec![input])),
        }
    }
    let aborts = kinds.iter().find(|(kind, _)| *kind == InputKind::AbortedBatches);
    kinds.extend(aborts.cloned().map(|(_, inputs)| (InputKind::LongerAbortedBatches, inputs)));
    kinds.sort_by_key(|(kind, _)| *kind);
    let drafts = kinds.into_iter().flat_map(|(kind, inputs)| {
        let inputs = if kind == InputKind::RefusedValues { some(machine, number, &inputs) } else { inputs };
        StationInputs { machine, station, kind }.drafts(&inputs)
    });
    drafts.collect()
}

/// The words of a request and of its first operation.
type RequestWords<'w> = Option<(&'w str, &'w str)>;

/// Returns some of the inputs with refused values: those of the core, and of each kind of write as many. At the next station
/// these are the next ones.
fn some(machine: &Machine, number: usize, inputs: &[InputNumber]) -> Vec<InputNumber> {
    let (core, others): (Vec<InputNumber>, Vec<InputNumber>) =
        inputs.iter().partition(|input| usize::from(**input) < machine.alphabet.core);
    let mut kinds: Vec<(RequestWords<'_>, Vec<InputNumber>)> = Vec::new();
    for number in others {
        let input = machine.alphabet.inputs.get(usize::from(number));
        let request = input.and_then(|input| input.request.as_ref());
        let word = request.and_then(|request| Some((request.word(), request.operations().first()?.word())));
        match kinds.iter_mut().find(|(known, _)| *known == word) {
            Some((_, inputs)) => inputs.push(number),
            None => kinds.push((word, vec![number])),
        }
    }
    let chosen = kinds.into_iter().enumerate().flat_map(|(at, (_, inputs))| {
        let from = (number + at) * REFUSED_AT_ONCE % inputs.len().max(1);
        [inputs.clone(), inputs].concat().into_iter().skip(from).take(REFUSED_AT_ONCE)
    });
    core.into_iter().chain(chosen).collect()
}

/// The requests of one kind at a station.
#[derive(Clone, Copy)]
struct StationInputs<'m> {
    machine: &'m Machine,
    station: &'m Station,
    kind: InputKind,
}

impl StationInputs<'_> {
    /// Returns vectors of these inputs: one, or as few as can say what a query lists, where items may have different fates.
    fn drafts(&self, inputs: &[InputNumber]) -> Vec<VectorDraft> {
        self.together(inputs, 1).unwrap_or_else(|_| {
            let mut groups: Vec<Vec<InputNumber>> = Vec::new();
            for input in inputs {
                let is_said = |inputs: &[InputNumber]| self.path(inputs).annotated().is_ok();
                if let Some(last) = groups.last_mut() {
                    last.push(*input);
                    if is_said(last) {
                        continue;
                    }
                    last.pop();
                }
                groups.extend(Some(vec![*input]).filter(|alone| is_said(alone)));
            }
            let drafts = (1..).zip(&groups).filter_map(|(part, inputs)| self.together(inputs, part).ok());
            drafts.flatten().collect()
        })
    }

    /// Returns a vector of these inputs, and a second one of level should of their core if some looks depend on patches.
    fn together(&self, inputs: &[InputNumber], part: usize) -> Result<Vec<VectorDraft>, String> {
        let path = self.path(inputs);
        let (musts, leaves_out) = path.clone().musts()?;
        let edition = path.edition(&musts.steps);
        let state = state_slug(self.machine, self.station.state);
        let default = default_slug(default_wire(self.station.default_ttl(self.machine)));
        let mut id = format!("{DERIVED}{}-over-{state}-under-{default}", self.kind.slug(self.machine));
        let mut title = self.kind.title(self.machine, self.station);
        if self.station.had_other_settings {
            id.push_str("-since-a-change");
            title.push_str(" since a change of settings");
        }
        if part > 1 {
            id = format!("{id}-part-{part}");
            title = format!("{title} (part {part})");
        }
        let draft = |id, title, done: AnnotatedScript| {
            let steps = lines(&done)?;
            let mut clauses = done.clauses;
            // Nothing can be seen of an item that is not there: the witness lives on.
            clauses.extend(clauses.is_empty().then(|| self.witness_clause()));
            let changes = matches!(self.kind, InputKind::Settings(_)) || self.station.had_other_settings;
            clauses.extend(changes.then_some("current-settings-decide"));
            let looks_at_expired = self.kind == InputKind::Looks && self.section() == "expired";
            clauses.extend(looks_at_expired.then_some("hidden-immediately"));
            let is_fate =
                |expect: &Expect| matches!(expect, Expect::Open { clause, .. } if clause == "reappearance");
            let fates = done.steps.iter().filter(|one| is_fate(&one.step.expect)).count();
            clauses.extend((fates > 1).then_some("removed-never-returns"));
            Ok::<_, String>(VectorDraft { section: self.section(), id, title, clauses, edition, steps })
        };
        let counted = if leaves_out {
            let whole = self.path(&self.core_of(inputs)).annotated()?;
            Some(draft(
                format!("{id}-counted-from-a-patch"),
                format!("{title}, counted from a patch"),
                whole,
            )?)
        } else {
            None
        };
        Ok([draft(id, title, musts)?].into_iter().chain(counted).collect())
    }

    /// Returns those inputs that are of the core, or all if none is.
    fn core_of(&self, inputs: &[InputNumber]) -> Vec<InputNumber> {
        let core = inputs.iter().copied().filter(|input| usize::from(*input) < self.machine.alphabet.core);
        let core: Vec<_> = core.collect();
        if core.is_empty() { inputs.to_vec() } else { core }
    }

    /// Returns the names of the items of these inputs.
    fn items(&self, inputs: &[InputNumber]) -> Vec<String> {
        if inputs.len() > 1 && matches!(self.kind, InputKind::Writes(_)) {
            inputs.iter().map(|input| self.item_name(*input)).collect()
        } else {
            vec![SINGLE.into()]
        }
    }

    fn section(&self) -> &'static str {
        match (self.kind, self.station.state) {
            (_, StationState::Lapsed { .. }) => "purge",
            (InputKind::Settings(_), _) => "settings",
            (InputKind::RefusedValues | InputKind::RefusedSettings, _) => "domain",
            (_, StationState::Sure(state)) if self.machine.is_visible(state) => "writes",
            (_, StationState::Sure(state)) => match self.machine.states().get(usize::from(state)) {
                Some(ItemState { item: Some(_), .. }) => "expired",
                _ => "lifetime",
            },
        }
    }

    fn witness_clause(&self) -> &'static str {
        of_cell(self.station.default_ttl(self.machine), ItemTtl::Never)
    }

    /// Returns the name of the item of an input: how it is written, and what it gets.
    fn item_name(&self, number: InputNumber) -> String {
        let Some(input) = self.machine.alphabet.inputs.get(usize::from(number)) else { return SINGLE.into() };
        let Some(request) = &input.request else { return "later".into() };
        let Some(operation) = request.operations().first() else { return request.word().into() };
        let batch = if matches!(request, Request::Batch(_)) { "batch-" } else { "" };
        let etag = if input.conditions.is_empty() { "" } else { "if-match-" };
        let gets = match operation {
            Operation::Patch(patch, _) if !patch.remove.is_empty() => "no-ttl".into(),
            Operation::Patch(patch, _) if !patch.set.contains_key("ttl") => "value".into(),
            Operation::Delete(..) => "deleted".into(),
            Operation::Read(_) => "read".into(),
            operation => ttl_slug(translate::wire(operation.ttl())),
        };
        format!("{batch}{etag}{gets}")
    }

    /// Returns the way to the station, these inputs, and a look every second.
    fn path(&self, inputs: &[InputNumber]) -> ScriptBuilder {
        let Self { machine, station, kind } = *self;
        let input_of = |number: InputNumber| machine.alphabet.inputs.get(usize::from(number));
        let items = self.items(inputs);
        let opening = machine.alphabet.openings.get(usize::from(station.way.opening));
        let mut path = ScriptBuilder::new(opening.cloned().unwrap_or_default());
        let ask = |path: &mut ScriptBuilder, focus: Focus, number: InputNumber, item: &str| {
            let Some(input) = input_of(number) else { return };
            match input.request_about(item, WITNESS) {
                Some(request) => path.ask(focus, request, input.conditions.clone()),
                None => path.pass(),
            }
        };
        let has_etag =
            |number: &InputNumber| input_of(*number).is_some_and(|input| !input.conditions.is_empty());
        let needs_etags = match kind {
            InputKind::StaleEtags | InputKind::AbortedBatchesUnderEtags | InputKind::WritesInVain => {
                inputs.iter().any(has_etag)
            }
            kind => kind == InputKind::LongerAbortedBatches,
        };
        let before = if needs_etags { machine.alphabet.prologue() } else { Vec::new() };
        for number in before.iter().chain(&station.way.inputs) {
            let is_shared = input_of(*number).is_none_or(Input::is_shared);
            for item in items.iter().take(if is_shared { 1 } else { items.len() }) {
                ask(&mut path, Focus::Way, *number, item);
            }
        }
        if kind == InputKind::LongerAbortedBatches {
            // The first etag of the witness is stale from then on.
            let properties = [("ttl".to_owned(), Literal::from(-1))].into();
            let upsert = Operation::Upsert(Document { id: WITNESS.into(), properties });
            path.ask(Focus::Way, Request::Item(upsert), Vec::new());
        }
        let mut after: Vec<BTreeSet<StateNumber>> = Vec::new();
        for (at, number) in inputs.iter().enumerate() {
            let item = items.get(at).or(items.first()).map_or(SINGLE, String::as_str);
            if kind == InputKind::LongerAbortedBatches {
                let request = input_of(*number).and_then(|input| input.request_about(item, WITNESS));
                for (batch, conditions) in request.as_ref().map(longer_batches).into_iter().flatten() {
                    path.ask(Focus::Answer, batch, conditions);
                }
            } else {
                let is_read = |request: &Request| matches!(request, Request::Item(Operation::Read(_)));
                let reads =
                    input_of(*number).is_some_and(|input| input.request.as_ref().is_some_and(is_read));
                ask(&mut path, if reads { Focus::Details } else { Focus::Answer }, *number, item);
            }
            let outcomes = station.state.states().filter_map(|state| machine.outcomes(state, *number));
            after.push(outcomes.flatten().flat_map(|outcome| outcome.next.states()).collect());
        }
        let read = |path: &mut ScriptBuilder, item: &str| {
            path.ask(Focus::Details, Request::Item(Operation::Read(item.to_owned())), Vec::new());
        };
        for item in &items {
            read(&mut path, item);
        }
        let mut may_be: BTreeSet<StateNumber> = after.into_iter().flatten().collect();
        if let (InputKind::LongerAbortedBatches, [_, upsert, _]) = (kind, before.as_slice())
            && !may_be.iter().any(|state| machine.is_visible(*state))
        {
            // Nothing of what was taken back may shorten the life of the next item.
            ask(&mut path, Focus::Answer, *upsert, SINGLE);
            may_be = may_be.iter().filter_map(|state| Some(machine.step(*state, *upsert)?.1)).collect();
        }
        let other = other_settings(station.default_ttl(machine));
        let change = if station.had_other_settings { change_to(machine, other) } else { None };
        if let Some(change) = change.filter(|_| matches!(kind, InputKind::Writes(_))) {
            // A store that keeps the lifetime of the write goes on by the settings of that time.
            ask(&mut path, Focus::Answer, change, SINGLE);
            let next = may_be.iter().filter_map(|state| Some(machine.step(*state, change)?.1));
            may_be = next.collect();
        }
        for second in 0..=LONGEST_S {
            if second > 0 {
                may_be = may_be.iter().filter_map(|state| Some(machine.step(*state, WAIT)?.1)).collect();
                path.pass();
            }
            path.ask(Focus::Answer, Request::Query, Vec::new());
            let is_over = !may_be.iter().any(|state| machine.is_visible(*state));
            if is_over && (second > 0 || kind != InputKind::Looks) {
                break;
            }
        }
        path
    }
}

/// An item that is nowhere.
const MISSING: &str = "missing";

/// Returns batches that begin with the first operation of this one, and abort at a later one: after a second write, at an item
/// that is missing, at a stale etag of the witness. No clause says which etags an item has that the batch itself wrote.
fn longer_batches(aborted: &Request) -> Vec<(Request, Vec<(usize, Condition)>)> {
    let [first, last] = aborted.operations() else { return Vec::new() };
    let document = |id: &str, ttl: Option<i64>| Document {
        id: id.into(),
        properties: ttl.map(|ttl| ("ttl".to_owned(), Literal::from(ttl))).into_iter().collect(),
    };
    let replace = |id: &str| Operation::Replace(document(id, None), None);
    let again = Operation::Upsert(document(first.id(), Some(1)));
    let batch = |operations: &[&Operation]| Request::Batch(operations.iter().copied().cloned().collect());
    vec![
        (batch(&[first, &again, last]), Vec::new()),
        (batch(&[first, &replace(MISSING)]), Vec::new()),
        (batch(&[first, &replace(WITNESS)]), vec![(1, Condition::Stale)]),
    ]
}

/// Returns settings under which an item without `ttl` lives longer or shorter than under these.
fn other_settings(default_ttl: DefaultTtl) -> DefaultTtl {
    let seconds = |seconds| TtlSeconds::new(seconds).map_or(DefaultTtl::Off, DefaultTtl::Seconds);
    if default_ttl == seconds(1) { seconds(2) } else { seconds(1) }
}
