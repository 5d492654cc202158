//! The reach of a vector's requests: if they cannot reach a mutation, the mutant answers as the correct store.
//!
//! Each rule names what a vector needs at least before the store looks at the mutation. A rule may say yes too often, and
//! never no too often: the test `the_matrix_is_that_of_a_replay_of_every_cell` replays all that the rules leave out.

use std::collections::BTreeSet;

use crate::mutation::{
    Access, Effect, Event, Given, Leftover, Mutation as M, On, Reading, Taken, TtlCell, Via, WriteKind,
};
use crate::store::{IndependentSession, whole};
use cosmos_ttl_harness::target::{Indexing, Operation, Request, Status};
use cosmos_ttl_harness::vector::Vector;

/// The longest lifetime that a container or an item may have.
const LONGEST: i128 = 2_147_483_647;

/// A clock that shows less has no deadline near the end of 32 bits.
const FAR_S: u64 = 500_000_000;

fn is_valid(text: &str) -> bool {
    matches!(whole(text, false), Some(-1 | 1..=LONGEST))
}

/// The subjects of the requests of a vector.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what a vector does, each without the others")]
pub(crate) struct Reach<'a> {
    /// How items are looked at that may be there: their ids were written before.
    looks: Vec<Access>,
    /// The writes, whether they are in a batch, and whether of an id that was written before.
    writes: Vec<(Via, bool, bool)>,
    deletes: bool,
    has_batch: bool,
    /// Items are written in more than one second.
    writes_later: bool,
    /// The values that are sent as `defaultTtl` or as `ttl`, by which request, and whether in a batch.
    sent: Vec<(On, &'a str, Via, bool)>,
    /// Other properties of items, with their values.
    properties: Vec<(&'a str, &'a str)>,
    changes: bool,
    creations: usize,
    leaves_default_out: bool,
    indexing: Vec<Indexing>,
    is_far: bool,
}

impl<'a> Reach<'a> {
    pub(crate) fn of(vector: &'a Vector) -> Self {
        let mut reach = Self {
            is_far: FAR_S < vector.span_s || vector.lifetimes_s.iter().any(|life_s| FAR_S < *life_s),
            ..Self::default()
        };
        let mut known = BTreeSet::new();
        for step in &vector.steps {
            match &step.request {
                Request::Query => reach.looks.push(Access::Query),
                Request::List => reach.looks.push(Access::List),
                Request::Count => reach.looks.push(Access::Count),
                _ => {}
            }
            reach.changes |= matches!(step.request, Request::ReplaceContainer(_));
            reach.creations += usize::from(matches!(step.request, Request::CreateContainer(_)));
            if let Some(container) = step.request.container() {
                reach.leaves_default_out |= container.default_ttl.is_none();
                reach.indexing.push(container.indexing);
                let via =
                    if let Request::CreateContainer(_) = step.request { Via::Create } else { Via::Replace };
                let sent =
                    container.default_ttl.as_ref().map(|text| (On::Container, text.as_str(), via, false));
                reach.sent.extend(sent);
            }
            let in_batch = matches!(step.request, Request::Batch(_));
            for (number, operation) in step.request.operations().iter().enumerate() {
                let is_conditional = step.conditions.iter().any(|(of, _)| *of == number);
                reach.writes_later |= operation.is_write() && 0 < step.at_s;
                let is_known = known.contains(operation.id());
                reach.operation(operation, in_batch, is_known, is_conditional);
                if operation.is_write() {
                    known.insert(operation.id());
                }
            }
        }
        reach
    }

    fn operation(&mut self, operation: &'a Operation, in_batch: bool, is_known: bool, is_conditional: bool) {
        let (look, inside, via) = match operation {
            Operation::Create(_) => (Access::Create, Access::CreateInBatch, Some(Via::Create)),
            Operation::Upsert(_) => (Access::Upsert, Access::InBatch, Some(Via::Upsert)),
            Operation::Replace(..) => (Access::Replace, Access::ReplaceInBatch, Some(Via::Replace)),
            Operation::Patch(..) => (Access::Patch, Access::PatchInBatch, Some(Via::Patch)),
            Operation::Read(_) => (Access::Read, Access::ReadInBatch, None),
            Operation::Delete(..) => (Access::Delete, Access::DeleteInBatch, None),
        };
        if is_known {
            self.looks.push(look);
            self.looks.extend(in_batch.then_some([inside, Access::InBatch]).into_iter().flatten());
            self.looks.extend(is_conditional.then_some(Access::Conditional));
        }
        self.has_batch |= in_batch;
        self.deletes |= look == Access::Delete;
        self.writes.extend(via.map(|via| (via, in_batch, is_known)));
        for (name, value) in operation.properties().into_iter().flatten() {
            match name.as_str() {
                "ttl" => self.sent.push((On::Item, value.as_str(), via.unwrap_or(Via::Any), in_batch)),
                name => self.properties.push((name, value.as_str())),
            }
        }
    }

    /// Returns whether a mutant with this mutation may answer any request of the vector otherwise than the correct store.
    pub(crate) fn has(&self, mutation: M) -> bool {
        match mutation {
            M::Takes(on, by, what, taken) => self.takes(on, by, what, taken),
            M::Refuses(on, by, what) => self.sends_by(on, what, |_, via, in_batch| by.covers(via, in_batch)),
            M::AbsentDefault(_) => self.leaves_default_out,
            M::Alias(name) | M::AliasFirst(name) => self.properties.iter().any(|(other, _)| *other == name),
            M::NestedCounts | M::HidesOldParts => {
                self.properties.iter().any(|(_, value)| value.contains("\"ttl\""))
            }
            M::Leaves(Status::BadRequest, _) | M::TwoRefusalsAreAnError | M::ForgetsInvalidWhileOff => {
                self.sends_invalid(On::Item)
            }
            M::Leaves(Status::Conflict, _) | M::SweepLeavesIdTaken => self.looks_by(Access::Create),
            M::Leaves(Status::PreconditionFailed, Leftover::RestOfPatch) => self.looks_by(Access::Patch),
            M::Leaves(Status::PreconditionFailed, _) | M::NoConditions => self.looks_by(Access::Conditional),
            M::RefusedMakesContainer | M::After(Event::RefusedSettings, _) => {
                self.sends_invalid(On::Container) || self.indexing.contains(&Indexing::None)
            }
            M::Leaves(Status::NotFound, Leftover::RestOfPatch) => self.writes_by(Via::Patch),
            M::Leaves(Status::NotFound, _) => {
                self.deletes || self.writes_by(Via::Replace) || self.writes_by(Via::Patch)
            }
            M::SecondCreationSettles | M::After(Event::SecondCreation, _) => 1 < self.creations,
            M::After(Event::Creation | Event::Replace, _) => self.writes_later,
            M::After(Event::Delete, _) | M::TsOfDeletedReturns => self.deletes,
            M::CountsFromCreation
            | M::ShowsTsOfCreation
            | M::NewTtlCountsFromOldTs
            | M::NewTtlIsIgnored
            | M::NewTtlIsAdded
            | M::NewTtlOnlyShortens
            | M::NewTtlOnlyLengthens
            | M::RemovedTtlIsNever
            | M::OverwrittenReturn => self.rewrites_by(Via::Any),
            M::SweepGoesByFirstDeadline => self.changes || self.rewrites_by(Via::Any),
            M::SweptAnswersGone => self.looks_by(Access::Read),
            M::ShowsNoTtl => self.sends(On::Item, Given::Anything),
            M::ShowsRemaining => self.sends_seconds(On::Item),
            M::ShowsDefault | M::WritesDefaultBack => self.sends_seconds(On::Container),
            M::After(Event::NewSettings | Event::SwitchingOn | Event::SwitchingOff, effect) => {
                self.changes && !matches!(effect, Effect::SwitchesOff | Effect::DropsDefault)
            }
            M::Cell(cells, _) => cells.iter().any(|cell| self.has_cell(*cell)),
            M::Sees(look, _) => look == Access::All || self.looks_by(look),
            M::Misreads(look, reading) => self.looks_by(look) && self.misreads(reading),
            M::Answers(look, _) | M::Restarts(look) => self.looks_by(look),
            M::DeadlineWraps | M::DeadlineSaturates | M::DeadlineWrapsUnsigned | M::ClockWraps => self.is_far,
            M::TakesTs(via) => self.writes_by(via) && self.properties.iter().any(|(name, _)| *name == "_ts"),
            M::PatchOfTsConflicts => self.properties.iter().any(|(name, _)| *name == "_ts"),
            M::KeepsTtl(via) | M::Reborn(via, _) => self.rewrites_by(via),
            M::NoRestart(kind) => self.writes_as(kind),
            M::BatchSpreads
            | M::BatchBlamesFirst
            | M::AbortKeepsAll
            | M::AbortKeepsCreates
            | M::AbortKeepsPatches
            | M::AbortKeepsDeletes
            | M::AbortKeepsTs => self.has_batch,
            M::CountsOverwritten | M::SubtractsExpiredTwice | M::SubtractsRefusedDeletes => {
                self.looks_by(Access::Count)
            }
            M::DefaultAtWriteBy(via) => self.changes && self.writes_by(via),
            M::CountsFromLastSettings
            | M::CountsFromSwitchingOn
            | M::CountsFromWaking
            | M::DefaultAtWrite
            | M::DefaultAtWriteIfLonger
            | M::DefaultAtWriteIfShorter
            | M::DefaultAtWriteIfOff
            | M::FirstDefault
            | M::MinusOneKeepsDefault
            | M::DormantTtlIsForgotten
            | M::DeletedReturn
            | M::RemovedReturn
            | M::ReturnRenewed
            | M::ReturnEmpty
            | M::ReturnForQueriesOnly
            | M::ReturnForOneLook
            | M::SweepsWhileOff
            | M::SweepsWhenSwitchedOff => self.changes,
            M::NoIndexIsFine
            | M::NoIndexIsFineAtCreation
            | M::NoIndexIsFineLater
            | M::NoIndexIsFineWithMinusOne
            | M::NoIndexIsRefused
            | M::NoIndexSwitchesOff
            | M::NoIndexKeepsDefault
            | M::NoIndexIsForGood => self.indexing.contains(&Indexing::None),
            M::LazyIsRefused | M::LazyNeverExpires => self.indexing.contains(&Indexing::Lazy),
            M::WritesMinusOneBack => self.sends(On::Container, Given::MinusOne),
            M::DropsTtlWhileOff => self.is_ever_off(),
            M::SweepIgnoresMinusOne => self.sends(On::Item, Given::MinusOne),
            _ => true,
        }
    }

    fn looks_by(&self, look: Access) -> bool {
        self.looks.contains(&look)
    }

    fn writes_by(&self, wrongly: Via) -> bool {
        self.writes.iter().any(|(via, in_batch, _)| wrongly.covers(*via, *in_batch))
    }

    /// Returns whether there is such a write of an id that was written before.
    fn rewrites_by(&self, wrongly: Via) -> bool {
        self.writes.iter().any(|(via, in_batch, is_known)| *is_known && wrongly.covers(*via, *in_batch))
    }

    fn writes_as(&self, kind: WriteKind) -> bool {
        self.rewrites_by(match kind {
            WriteKind::UpsertInBatch => Via::UpsertInBatch,
            WriteKind::ReplaceInBatch => Via::ReplaceInBatch,
            WriteKind::PatchInBatch => Via::PatchInBatch,
            WriteKind::InBatch => Via::Batch,
            WriteKind::Replace | WriteKind::ConditionalReplace | WriteKind::IdenticalReplace => Via::Replace,
            WriteKind::Upsert | WriteKind::IdenticalUpsert => Via::Upsert,
            WriteKind::Patch
            | WriteKind::ConditionalPatch
            | WriteKind::PatchOfOthers
            | WriteKind::PatchOfTtl
            | WriteKind::IdenticalPatch => Via::Patch,
            WriteKind::WithOwnTtl => Via::Any,
        })
    }

    /// Returns whether such a value is sent in such a way: its text, by what, and whether in a batch.
    fn sends_by(&self, on: On, what: Given, is_it: impl Fn(&str, Via, bool) -> bool) -> bool {
        let session = IndependentSession::default();
        // What is longer than the default depends on the default.
        let may_be = |text| what == Given::LongerThanDefault || session.is(what, text);
        let mut sent = self.sent.iter();
        sent.any(|(of, text, via, in_batch)| *of == on && may_be(text) && is_it(text, *via, *in_batch))
    }

    fn sends(&self, on: On, what: Given) -> bool {
        self.sends_by(on, what, |_, _, _| true)
    }

    /// Returns whether a value is stored, whatever wrote it. Only null and valid values are stored, unless the mutant
    /// takes others.
    fn takes(&self, on: On, by: Via, what: Given, taken: Taken) -> bool {
        self.sends_by(on, what, |text, via, in_batch| {
            if is_valid(text) { taken != Taken::Number } else { text == "null" || by.covers(via, in_batch) }
        })
    }

    fn sends_invalid(&self, on: On) -> bool {
        self.sends_by(on, Given::Anything, |text, _, _| !is_valid(text))
    }

    fn sends_seconds(&self, on: On) -> bool {
        self.sends_by(on, Given::Anything, |text, _, _| whole(text, true).is_some_and(|number| 0 < number))
    }

    fn is_ever_off(&self) -> bool {
        self.leaves_default_out || self.sends_invalid(On::Container)
    }

    fn misreads(&self, reading: Reading) -> bool {
        match reading {
            Reading::OffHonoursOwn => self.has_cell(TtlCell::OffOwn),
            Reading::MinusOneIsOff => self.has_cell(TtlCell::OnOwn),
            Reading::MinusOneInherits => self.has_cell(TtlCell::DefaultNever),
            Reading::OnlyDefault => self.sends(On::Item, Given::Anything),
            Reading::OnlyOwn => self.sends_seconds(On::Container),
            Reading::Shorter => self.has_cell(TtlCell::DefaultOwn),
            Reading::FirstSettings | Reading::PreviousSettings => self.changes,
        }
    }

    /// Returns whether there may be an item in this cell of the table.
    fn has_cell(&self, cell: TtlCell) -> bool {
        let never = || self.sends(On::Item, Given::MinusOne) || self.sends_invalid(On::Item);
        let own = || self.sends_seconds(On::Item);
        let on = || self.sends(On::Container, Given::MinusOne);
        let default = || self.sends_seconds(On::Container);
        match cell {
            TtlCell::OffAbsent => self.is_ever_off(),
            TtlCell::OffNever => self.is_ever_off() && never(),
            TtlCell::OffOwn => self.is_ever_off() && own(),
            TtlCell::OnAbsent => on(),
            TtlCell::OnNever => on() && never(),
            TtlCell::OnOwn => on() && own(),
            TtlCell::DefaultAbsent => default(),
            TtlCell::DefaultNever => default() && never(),
            TtlCell::DefaultOwn => default() && own(),
        }
    }
}
