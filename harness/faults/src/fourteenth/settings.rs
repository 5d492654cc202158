//! Requests about the container, and the deadlines that follow from a change of its settings.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, DEFAULT_PARTITION, Indexing, Response, Status};

use super::correct::QuernFreedom::*;
use super::life::{QUERN_LONGEST, QuernLife, QuernMode, wrapped_to_32_bits};
use super::session::QuernSession;
use super::slips::QuernSlip::*;
use super::table::QuernRow;

/// The settings in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuernSettings {
    pub(super) mode: QuernMode,
    pub(super) indexing: Indexing,
}

impl QuernSession {
    pub(super) fn create_container(&mut self, container: &Container) -> Response {
        if self.settings.is_some() {
            return Response::new(Status::Conflict);
        }
        match self.judged(container, None) {
            Ok(settings) => {
                self.settings = Some(settings);
                Response::new(Status::Created)
            }
            Err(status) => {
                if self.store.slips(RefusedCreateTakesContainer) {
                    let indexing = container.indexing;
                    self.settings = Some(QuernSettings { mode: QuernMode::Off, indexing });
                }
                Response::new(status)
            }
        }
    }

    pub(super) fn replace_container(&mut self, container: &Container) -> Response {
        let Some(old) = self.settings else { return Response::new(Status::NotFound) };
        if self.store.slips(RefusedReplaceClearsDeadlines) {
            for number in self.table.numbers() {
                self.table.set_due(number, None);
            }
        }
        match self.judged(container, Some(old)) {
            Ok(new) => {
                self.change(old, new);
                Response::new(Status::Ok)
            }
            Err(status) => {
                let mode = self.meant_default(container.default_ttl.as_ref(), Some(old));
                if let (true, Ok(mode)) = (self.store.slips(RefusedIndexKeepsNewDefault), mode) {
                    self.change(old, QuernSettings { mode, ..old });
                }
                Response::new(status)
            }
        }
    }

    fn judged(&self, container: &Container, old: Option<QuernSettings>) -> Result<QuernSettings, Status> {
        let mode = self.meant_default(container.default_ttl.as_ref(), old)?;
        let indexing = container.indexing;
        let was_on = old.is_some_and(|old| old.mode != QuernMode::Off);
        let is_on = match self.store.slip {
            Some(NoneIndexCheckedOnCreateOnly) if old.is_some() => false,
            Some(NoneIndexCheckUsesOldDefault) => was_on || mode != QuernMode::Off,
            _ => mode != QuernMode::Off,
        };
        let is_late = self.store.slips(LazyCannotSwitchOn)
            && old.is_some_and(|old| old.indexing == Indexing::Lazy)
            && !was_on;
        if is_on && (indexing == Indexing::None || is_late) {
            return Err(Status::BadRequest);
        }
        Ok(QuernSettings { mode, indexing })
    }

    fn meant_default(
        &self,
        default: Option<&Literal>,
        old: Option<QuernSettings>,
    ) -> Result<QuernMode, Status> {
        let Some(default) = default else {
            return Ok(match (self.store.slip, old) {
                (Some(AbsentDefaultIsMinusOne), None) => QuernMode::NoDefault,
                (Some(AbsentDefaultKeepsOld), Some(old)) => old.mode,
                _ => QuernMode::Off,
            });
        };
        let number = match default.kind() {
            LiteralKind::Null if self.store.may(NullDefaultRefused) => return Err(Status::BadRequest),
            LiteralKind::Null => return Ok(QuernMode::Off),
            LiteralKind::Whole(number) => number,
            LiteralKind::WholeAsFraction(_) | LiteralKind::Other => return Err(Status::BadRequest),
        };
        let number = match self.store.slip {
            Some(MinusOneIsOff) if number == -1 => return Ok(QuernMode::Off),
            Some(ZeroDefaultSwitchesOff) if number == 0 && old.is_some() => return Ok(QuernMode::Off),
            Some(DefaultMaximumRefused) if number == QUERN_LONGEST => return Err(Status::BadRequest),
            Some(NegativeDefaultIsMinusOne) if number < 0 => -1,
            Some(DefaultAboveMaximumWraps) => wrapped_to_32_bits(number),
            _ => number,
        };
        match QuernLife::of(number) {
            Some(QuernLife::Seconds(seconds)) => Ok(QuernMode::Seconds(seconds)),
            Some(QuernLife::Never) => Ok(QuernMode::NoDefault),
            Some(QuernLife::Inherit) | None => Err(Status::BadRequest),
        }
    }

    fn change(&mut self, old: QuernSettings, new: QuernSettings) {
        self.drop_what_may_not_return(old, new);
        self.settings = Some(new);
        let is_on_again = old.mode == QuernMode::Off && new.mode != QuernMode::Off;
        let is_lazy = old.indexing == Indexing::Lazy && new.indexing == Indexing::Lazy;
        self.memo.lags = is_lazy && (is_on_again || old.mode != new.mode);
        if self.store.slips(LazyReadsWait) && new.indexing == Indexing::Lazy {
            self.memo.waiting = Some((old, new));
            return;
        }
        self.reindex(old, new);
    }

    /// The documents of 2017 and 2018 mark an expired item as such, so a store may let it never return.
    fn drop_what_may_not_return(&mut self, old: QuernSettings, new: QuernSettings) {
        let now = self.now;
        let doomed: Vec<u64> = self
            .table
            .rows()
            .filter(|(_, row)| {
                let is_chosen = match self.store.freedom {
                    Some(ExpiredNeverReturn) => true,
                    Some(InheritorsNeverReturn) => row.life == QuernLife::Inherit,
                    Some(OwnTtlNeverReturns) => row.life != QuernLife::Inherit,
                    _ => false,
                };
                is_chosen && old != new && row.is_expired(now)
            })
            .map(|(number, _)| number)
            .collect();
        for number in doomed {
            self.table.take(number);
        }
    }

    /// Computes every deadline anew.
    pub(super) fn reindex(&mut self, old: QuernSettings, new: QuernSettings) {
        for number in self.table.numbers() {
            let Some(row) = self.table.row(number) else { continue };
            let due = self.due_after_change(row, old.mode, new.mode);
            let is_marked = self.store.slips(MarkForgottenOnSwitch)
                && new.mode == QuernMode::Off
                && row.is_expired(self.now);
            let is_raised = old.mode.is_raised_to(new.mode);
            if self.store.slips(SweepUsesOldDeadlines) && is_raised {
                if let Some(row) = self.table.row_mut(number) {
                    row.due = due;
                }
            } else {
                self.table.set_due(number, due);
            }
            let etag = self.store.slips(SettingsChangeEtags).then(|| self.table.next_etag());
            if let Some(row) = self.table.row_mut(number) {
                row.marked = is_marked;
                row.etag = etag.unwrap_or(row.etag);
            }
        }
    }

    fn due_after_change(&self, row: &QuernRow, old: QuernMode, new: QuernMode) -> Option<i64> {
        let due = self.store.deadline(row.life, row.ts, new);
        let Some(slip) = self.store.slip else { return due };
        let inherits = row.life == QuernLife::Inherit;
        let is_switched_on = old == QuernMode::Off && new != QuernMode::Off;
        match (slip, new) {
            (NeverInheritsOnReindex, _) if row.life == QuernLife::Never => {
                self.store.deadline(QuernLife::Inherit, row.ts, new)
            }
            (MinusOneIsASecondOnReindex, QuernMode::NoDefault) if inherits => Some(row.ts - 1),
            (ReindexWraps, _) => due.map(wrapped_to_32_bits),
            (RaisingLeavesDeadlines, _) if inherits && old.is_raised_to(new) => row.due,
            (SwitchingOnCountsFromSwitch, QuernMode::Seconds(seconds)) if inherits && is_switched_on => {
                Some(self.now + seconds)
            }
            (RaisingMeasuresFromNow, QuernMode::Seconds(seconds)) if inherits && old.is_raised_to(new) => {
                Some(self.now + seconds)
            }
            // The walk goes along the index, in which an item without a deadline does not stand.
            (ReindexWalksDeadlines, _) if row.due.is_none() => None,
            (SwitchingOnCountsFromCreation, _) if is_switched_on => {
                self.store.deadline(row.life, row.created, new)
            }
            (ReindexSkipsPartitions, _) if row.partition != DEFAULT_PARTITION => row.due,
            _ => due,
        }
    }
}
