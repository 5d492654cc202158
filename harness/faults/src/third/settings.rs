//! The handlers of the container's settings.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, DEFAULT_PARTITION, Indexing, Status};

use super::flaw::Flaw;
use super::latitude::{LazyChoice, ReturnChoice};
use super::row::{RowDefault, StoredRow, TableSettings};
use super::session::RowSession;

impl RowSession {
    /// Opens the table.
    pub(super) fn open_table(&mut self, sent: &Container) -> Status {
        if self.settings.is_some() {
            return Status::Conflict;
        }
        let Some(settings) = self.read_settings(sent, true) else { return Status::BadRequest };
        self.memory.first_default = settings.default;
        self.memory.default_at_write = settings.default;
        self.settings = Some(settings);
        Status::Created
    }

    /// Replaces the settings.
    pub(super) fn change_table(&mut self, sent: &Container) -> Status {
        let Some(old) = self.settings else { return Status::NotFound };
        let Some(mut new) = self.read_settings(sent, false) else {
            let default = self.read_default(sent.default_ttl.as_ref(), false);
            match (self.flaw, default) {
                (Some(Flaw::AppliedBeforeIndexCheck), Some(default)) => {
                    self.settings = Some(TableSettings { default, ..old });
                }
                (Some(Flaw::RefusalSwitchesOff), None) => {
                    self.settings = Some(TableSettings { default: RowDefault::Off, ..old });
                }
                _ => {}
            }
            return Status::BadRequest;
        };
        if sent.default_ttl.is_none() && self.has(Flaw::AbsentKeepsDefault) {
            new.default = old.default;
        }
        if let (RowDefault::Seconds(before), RowDefault::Seconds(after)) = (old.default, new.default)
            && before < after
            && self.has(Flaw::RaisingIgnored)
        {
            new.default = old.default;
        }
        self.give_up(old, new);
        self.settings = Some(new);
        if old.default != new.default {
            self.memory.changed_s = Some(self.now);
            self.memory.default_before = old.default;
            self.slip_after_change(old.default, new.default);
        }
        let is_switched_on = old.default == RowDefault::Off && new.default != RowDefault::Off;
        if new.indexing == Indexing::Lazy && (is_switched_on || old.default != new.default) {
            self.memory.rebuilt_s = Some(self.now);
        }
        Status::Ok
    }

    fn read_settings(&self, sent: &Container, is_new: bool) -> Option<TableSettings> {
        let default = self.read_default(sent.default_ttl.as_ref(), is_new)?;
        let indexing = sent.indexing;
        let is_unindexed = indexing == Indexing::None && default != RowDefault::Off;
        let is_let_through = match self.flaw {
            Some(Flaw::NoIndexOnOpen) => is_new,
            Some(Flaw::NoIndexOnReplace) => !is_new,
            Some(Flaw::NoIndexWithNever) => default == RowDefault::Never,
            _ => false,
        };
        let is_lazy = indexing == Indexing::Lazy;
        let refuses_lazy = self.latitude.lazy == LazyChoice::Refused
            || default != RowDefault::Off && self.has(Flaw::LazyWithoutTtl);
        if is_unindexed && !is_let_through || is_lazy && refuses_lazy {
            return None;
        }
        Some(TableSettings { default, indexing })
    }

    /// Marks the expired rows that the new settings would show, where the store gives them up.
    fn give_up(&mut self, old: TableSettings, new: TableSettings) {
        let returns = self.latitude.reappearance;
        if old.default == new.default || returns == ReturnChoice::Back {
            return;
        }
        let comes_back = |row: &StoredRow| match returns {
            ReturnChoice::Back => true,
            ReturnChoice::Gone => false,
            ReturnChoice::BackInDefaultPartition => row.partition == DEFAULT_PARTITION,
            ReturnChoice::BackForA => row.id.starts_with('a'),
        };
        let over: Vec<u64> =
            self.rows.iter().filter(|row| self.is_over(row) && !comes_back(row)).map(|row| row.rid).collect();
        self.rows.retain(|row| !over.contains(&row.rid));
    }

    /// Changes the rows as a mistake would after a change of the default.
    fn slip_after_change(&mut self, old: RowDefault, new: RowDefault) {
        let now = self.now;
        let is_on_again = old == RowDefault::Off;
        if is_on_again {
            self.memory.switched_on_s = Some(now);
        }
        match (self.flaw, new) {
            (Some(Flaw::OffStripsTtl), RowDefault::Off) => {
                self.rows.iter_mut().for_each(|row| drop(row.body.remove("ttl")));
            }
            (Some(Flaw::OnStamps), _) if is_on_again => {
                self.rows.iter_mut().for_each(|row| row.ts = now);
            }
            (Some(Flaw::ChangeStamps), RowDefault::Seconds(_)) if !is_on_again => {
                let over: Vec<u64> =
                    self.rows.iter().filter(|row| self.is_over(row)).map(|row| row.rid).collect();
                let alive = self.rows.iter_mut().filter(|row| !over.contains(&row.rid));
                alive.for_each(|row| row.ts = now);
            }
            (Some(Flaw::ChangeRenewsEtags), _) => {
                for at in 0..self.rows.len() {
                    let etag = self.new_etag(None);
                    self.change(at, |row| row.etag = etag);
                }
            }
            (Some(Flaw::DefaultStoredOnSwitch), RowDefault::Seconds(default)) => {
                for row in &mut self.rows {
                    row.body.entry("ttl".into()).or_insert_with(|| Literal::from(default));
                }
            }
            (Some(Flaw::CollectedReturn), RowDefault::Never) => {
                let back = std::mem::take(&mut self.memory.collected);
                self.rows.extend(back);
            }
            _ => {}
        }
    }
}
