//! Every row of actions, the shortest first.

use super::scope::{Scope, scopes};
use super::{Common, Difference, Place, Searched, Side, difference};
use crate::compare::Memory;
use crate::{Action, Call, Script};
use cosmos_ttl_harness::target::{Container, Edition, Fault, Opening, Removal, Request, Session};

/// The shortest row in any scope on which both differ; `None` where a side cannot be copied.
pub(super) fn search(
    sides: [&Side<'_>; 2],
    common: &Common,
    depth: usize,
    searched: &mut Searched,
) -> Result<Option<Difference>, Fault> {
    let scopes = scopes();
    for length in 0..=depth {
        for scope in scopes.iter().filter(|scope| length <= scope.depth) {
            for edition in common.editions.iter().filter(|edition| scope.editions.contains(edition)) {
                for removal in &common.removals {
                    let start = Start { sides, edition: *edition, removal: *removal };
                    if let Some(found) = start.search(scope, length, &mut searched.actions)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        if let (Some(_), Some(_)) = (sides[0].place(Opening::default()), sides[1].place(Opening::default())) {
            searched.depth = length;
        }
    }
    Ok(None)
}

struct Start<'a> {
    sides: [&'a Side<'a>; 2],
    edition: Edition,
    removal: Option<Removal>,
}

impl Start<'_> {
    fn search(&self, scope: &Scope, length: usize, played: &mut u64) -> Result<Option<Difference>, Fault> {
        let [a, b] = self.sides;
        let opening = Opening::new(self.edition, self.removal);
        for container in &scope.containers {
            let (Some(one), Some(other)) = (a.place(opening), b.place(opening)) else { return Ok(None) };
            let mut pair = Pair { one: (one, Memory::default()), other: (other, Memory::default()) };
            let create = Call::plain(Request::CreateContainer(container.clone()));
            let row = match pair.play(&Action::Call(create))? {
                false if length == 0 => Some(Vec::new()),
                false => None,
                true => pair.row(&scope.actions, length, played)?,
            };
            if let Some(row) = row {
                return self.told(scope, container, row).map(Some);
            }
        }
        Ok(None)
    }

    fn told(&self, scope: &Scope, container: &Container, actions: Vec<Action>) -> Result<Difference, Fault> {
        let board = Script { edition: self.edition, container: container.clone(), actions };
        let [a, b] = self.sides;
        let heard = difference([a.target(), b.target()], &board, self.removal)?.unwrap_or_default();
        let found = format!("every row of {}", scope.name);
        Ok(Difference { board, removal: self.removal, heard, shortest: true, found })
    }
}

/// Two places that have answered the same so far.
#[derive(Clone)]
struct Pair {
    one: (Place, Memory),
    other: (Place, Memory),
}

impl Place {
    fn session(&mut self) -> &mut dyn Session {
        match self {
            Self::Model(place) => place.as_mut(),
            Self::Store(place) => place.as_mut(),
        }
    }
}

impl Pair {
    /// Whether both answer the same.
    fn play(&mut self, one: &Action) -> Result<bool, Fault> {
        let (place, memory) = &mut self.one;
        let (other, other_memory) = &mut self.other;
        match one {
            Action::Wait(seconds) => {
                memory.wait(place.session(), *seconds)?;
                other_memory.wait(other.session(), *seconds)?;
                Ok(true)
            }
            Action::Call(ask) => {
                Ok(memory.ask(place.session(), ask)? == other_memory.ask(other.session(), ask)?)
            }
        }
    }

    /// The first row of just so many actions, in their order, whose last is answered differently.
    fn row(&self, actions: &[Action], length: usize, played: &mut u64) -> Result<Option<Vec<Action>>, Fault> {
        let Some(rest) = length.checked_sub(1) else { return Ok(None) };
        for one in actions {
            // A row that ends with a wait differs nowhere.
            if rest == 0 && matches!(one, Action::Wait(_)) {
                continue;
            }
            let mut next = self.clone();
            *played = played.saturating_add(1);
            let same = next.play(one)?;
            let found = match (same, rest) {
                (false, 0) => Some(Vec::new()),
                (false, _) | (true, 0) => None,
                (true, _) => next.row(actions, rest, played)?,
            };
            if let Some(found) = found {
                return Ok(Some([vec![one.clone()], found].concat()));
            }
        }
        Ok(None)
    }
}
