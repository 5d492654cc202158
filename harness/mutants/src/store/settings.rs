//! The container's own setting: read, kept, changed.

use super::Store;
use super::row::{Row, Says};
use crate::mutation::{Aftermath, By, Decides, Index, Look, Mutation as M, On, Return, Sweep, Touched};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Indexing, Status};

impl Store {
    /// Takes new settings, or says with which status they are refused.
    pub(super) fn configure(&mut self, by: By, container: &Container) -> Result<(), Status> {
        match self.asked_default(by, container) {
            Ok(default) => {
                self.change(default, container.indexing);
                Ok(())
            }
            Err(status) => {
                self.refused();
                Err(status)
            }
        }
    }

    fn asked_default(&self, by: By, container: &Container) -> Result<Says, Status> {
        let says = match (container.default_ttl.as_ref().map(Literal::as_str), self.variant.mutation) {
            (None, Some(M::AbsentDefault(taken))) => self.taken(taken, ""),
            (None, _) => Says::Nothing,
            (Some("null"), _) if self.variant.choices.null_default_refused => return Err(Status::BadRequest),
            (Some(text), _) => self.setting(On::Container, &[by], text, false)?,
        };
        let says = match (says, self.default, self.variant.mutation) {
            (Says::Never, Says::For(_), Some(M::Decides(Decides::MinusOneKeepsDefault))) => self.default,
            (_, Says::For(_), Some(M::Index(Index::NoneKeepsDefault)))
                if container.indexing == Indexing::None && says == Says::Nothing =>
            {
                self.default
            }
            _ => says,
        };
        self.indexed(by, says, container.indexing)
    }

    /// Whether time to live goes with the index.
    fn indexed(&self, by: By, says: Says, indexing: Indexing) -> Result<Says, Status> {
        let mutation = if let Some(M::Index(index)) = self.variant.mutation { Some(index) } else { None };
        let forgiven = match mutation {
            Some(Index::NoneIsFine | Index::NoneKeepsDefault) => true,
            Some(Index::NoneIsFineAtCreation) => by == By::Create,
            Some(Index::NoneIsFineLater) => by != By::Create,
            Some(Index::NoneIsFineWithMinusOne) => says == Says::Never,
            Some(Index::NoneSwitchesOff) if indexing == Indexing::None => return Ok(Says::Nothing),
            _ => false,
        };
        let refused = match indexing {
            Indexing::None => mutation == Some(Index::NoneIsRefused) || (says != Says::Nothing && !forgiven),
            Indexing::Lazy => mutation == Some(Index::LazyIsRefused) && says != Says::Nothing,
            Indexing::Consistent => {
                mutation == Some(Index::NoneForGood)
                    && self.indexing == Indexing::None
                    && by != By::Create
                    && says != Says::Nothing
            }
        };
        if refused { Err(Status::BadRequest) } else { Ok(says) }
    }

    fn change(&mut self, default: Says, indexing: Indexing) {
        self.return_removed();
        self.leave_the_old();
        if default == Says::Nothing && self.errs(M::Sweeps(Sweep::WhenSwitchedOff)) {
            self.sweep();
        }
        let switched_on = self.default == Says::Nothing && default != Says::Nothing;
        let may_lag = indexing == Indexing::Lazy || self.errs(M::Index(Index::ConsistentLags));
        self.lagging = may_lag && (self.lagging || switched_on);
        self.past.before = self.default;
        self.past.changed = self.now;
        self.past.first.get_or_insert(default);
        if switched_on {
            self.past.on_since = self.now;
        }
        self.default = default;
        self.indexing = indexing;
        self.touch(switched_on);
        self.bring_back();
    }

    /// What becomes of expired items before settings change: they may be back, or for ever gone.
    fn leave_the_old(&mut self) {
        for number in 0..self.rows.len() {
            let Some(row) = self.rows.get(number) else { continue };
            let expired = self.is_expired(row, &[Look::Background]);
            let latched = expired && self.variant.latched.of_item(&row.id);
            if let Some(row) = self.rows.get_mut(number) {
                row.latched |= latched;
                row.past.expired_before |= expired;
                row.past.slept |= self.default == Says::Nothing;
            }
        }
    }

    fn touch(&mut self, switched_on: bool) {
        let Some(M::SettingsTouch(touched)) = self.variant.mutation else { return };
        for row in &mut self.rows {
            match touched {
                Touched::Ts => row.written = self.now,
                Touched::TsIfSwitchedOn if switched_on => row.written = self.now,
                Touched::Etag => {
                    self.tags = self.tags.saturating_add(1);
                    row.tag = self.tags;
                }
                Touched::Content => row.properties.retain(|name, _| name == "ttl"),
                Touched::Ttl => row.properties.retain(|name, _| name != "ttl"),
                Touched::TsIfSwitchedOn | Touched::Items | Touched::ItemsIfOff => {}
            }
        }
        if touched == Touched::Items || (touched == Touched::ItemsIfOff && self.default == Says::Nothing) {
            self.rows.clear();
        }
    }

    /// What comes back, where it comes back wrongly.
    fn bring_back(&mut self) {
        let Some(M::Returns(wrongly)) = self.variant.mutation else { return };
        if wrongly == Return::Deleted && self.default == Says::Nothing {
            let deleted = std::mem::take(&mut self.past.deleted);
            self.rows.extend(deleted);
        }
        for number in 0..self.rows.len() {
            let Some(row) = self.rows.get(number) else { continue };
            let back = row.past.expired_before && !self.is_expired(row, &[Look::Background]);
            let now = self.now;
            match (wrongly, self.rows.get_mut(number)) {
                (Return::Renewed, Some(row)) if back => row.written = now,
                (Return::WithoutContent, Some(row)) if back => row.properties.clear(),
                _ => {}
            }
        }
    }

    /// What the background took, and would be visible by now, returns.
    fn return_removed(&mut self) {
        if self.errs(M::Returns(Return::Removed)) {
            let removed = std::mem::take(&mut self.past.removed);
            let (back, gone): (Vec<Row>, Vec<Row>) =
                removed.into_iter().partition(|row| !self.is_expired(row, &[Look::Background]));
            self.rows.extend(back);
            self.past.removed = gone;
        }
    }

    fn refused(&mut self) {
        let Some(M::RefusedSettings(aftermath)) = self.variant.mutation else { return };
        match aftermath {
            Aftermath::SwitchesOff => self.default = Says::Nothing,
            Aftermath::DropsDefault => self.default = Says::Never,
            Aftermath::Empties => self.rows.clear(),
            Aftermath::TouchesTs => self.rows.iter_mut().for_each(|row| row.written = self.now),
            Aftermath::MakesContainer => {}
        }
    }
}
