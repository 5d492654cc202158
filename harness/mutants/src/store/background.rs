//! Removal.

use super::Store;
use super::row::{Row, Says};
use crate::mutation::{Look, Mutation as M, Return, Sweep};

impl Store {
    /// Takes an expired item away; says whether there was one.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let found = self.rows.iter().position(|row| row.id == id && self.is_removable(row));
        let removed = found.map(|number| self.rows.remove(number));
        let is_one = removed.is_some();
        self.removed(removed.into_iter().collect());
        is_one
    }

    /// Takes every expired item away.
    pub(crate) fn sweep(&mut self) {
        if let Some(M::Sweeps(sweep)) = self.variant.mutation {
            match sweep {
                Sweep::TakesWhatWasPicked | Sweep::TakesWhatWasPickedIfUnwritten => {
                    return self.take_picked(sweep == Sweep::TakesWhatWasPickedIfUnwritten);
                }
                Sweep::CutsContent => {
                    let expired = self.expired();
                    let cut = self.rows.iter_mut().filter(|row| expired.contains(&row.tag));
                    return cut.for_each(|row| row.properties.retain(|name, _| name == "ttl"));
                }
                _ => {}
            }
        }
        let expired = self.expired();
        if !expired.is_empty() {
            let (removed, rest) = self.rows.drain(..).partition(|row| expired.contains(&row.tag));
            self.rows = rest;
            self.removed(removed);
        }
    }

    fn expired(&self) -> Vec<u64> {
        self.rows.iter().filter(|row| self.is_removable(row)).map(|row| row.tag).collect()
    }

    fn is_removable(&self, row: &Row) -> bool {
        let over = |deadline: Option<i128>| deadline.is_some_and(|deadline| deadline <= self.now);
        let life = |life: Option<i128>| over(life.map(|life| row.written.saturating_add(life)));
        let Some(M::Sweeps(sweep)) = self.variant.mutation else {
            return self.is_expired(row, &[Look::Background]);
        };
        match sweep {
            Sweep::TakesEarly => over(self.deadline(row).map(|deadline| deadline.saturating_sub(1))),
            Sweep::ByDefaultOnly => life(self.life(self.default, Says::Nothing)),
            Sweep::ByFirstDeadline => over(row.past.first_deadline),
            Sweep::IgnoresMinusOne if self.said(row) == Says::Never => {
                life(self.life(self.default, Says::Nothing))
            }
            Sweep::WhileOff if self.default == Says::Nothing => {
                life(self.life(self.past.before, self.said(row)))
            }
            _ => over(self.deadline(row)),
        }
    }

    /// Removal in two steps, of which the second asks for less than the first.
    fn take_picked(&mut self, catch_panic: bool) {
        let picked = std::mem::take(&mut self.past.picked);
        let takes =
            |row: &Row| picked.iter().any(|(id, tag)| *id == row.id && (!catch_panic || *tag == row.tag));
        self.rows.retain(|row| !takes(row));
        let expired = self.rows.iter().filter(|row| self.is_expired(row, &[Look::Background]));
        self.past.picked = expired.map(|row| (row.id.clone(), row.tag)).collect();
    }

    fn removed(&mut self, removed: Vec<Row>) {
        if removed.is_empty() {
            return;
        }
        match self.variant.mutation {
            Some(M::Returns(Return::Removed)) => self.past.removed.extend(removed),
            Some(M::Sweeps(Sweep::LeavesIdTaken | Sweep::AnswersGone)) => {
                self.past.taken.extend(removed.into_iter().map(|row| row.id));
            }
            Some(M::Sweeps(Sweep::TakesYoungest)) => drop(self.rows.pop()),
            Some(M::Sweeps(Sweep::TouchesSurvivors)) => self.restart(|_| true),
            Some(M::Sweeps(Sweep::NewEtags)) => {
                for row in &mut self.rows {
                    self.tags = self.tags.saturating_add(1);
                    row.tag = self.tags;
                }
            }
            _ => {}
        }
    }
}
