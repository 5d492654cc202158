//! Rows that are not all: those of the vectors, and rows by chance.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

use super::scope::{Scope, scopes};
use super::{Common, Effort, Searched, Side, cut, difference};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::target::{Edition, Fault, Removal, Request};
use cosmos_ttl_harness::vector::Vector;

/// A storyboard that tells them apart, under which schedule, and where it is from.
type Found = (Script, Option<Removal>, String);

/// The first vector's requests that are answered differently.
pub(super) fn in_vectors(
    sides: [&Side<'_>; 2],
    common: &Common,
    vectors: &[Vector],
    searched: &mut Searched,
) -> Result<Option<Found>, Fault> {
    let mut best: Option<Found> = None;
    for vector in vectors {
        for edition in
            common.editions.iter().filter(|edition| vector.edition.is_none_or(|of| of == **edition))
        {
            let Some(board) = board(vector, *edition) else { continue };
            searched.vectors = searched.vectors.saturating_add(1);
            if let Some((board, removal)) = told(sides, common, &board, searched)?
                && best.as_ref().is_none_or(|(best, ..)| board.actions.len() < best.actions.len())
            {
                best = Some((board, removal, format!("the requests of {}", vector.name)));
            }
        }
    }
    Ok(best)
}

/// Rows of actions that follow from the seed.
pub(super) fn by_chance(
    sides: [&Side<'_>; 2],
    common: &Common,
    effort: Effort,
    searched: &mut Searched,
) -> Result<Option<Found>, Fault> {
    let scopes = scopes();
    let mut seed = [0; 32];
    for (place, byte) in seed.iter_mut().zip(effort.seed.to_le_bytes()) {
        *place = byte;
    }
    let mut rng = ChaCha20Rng::from_seed(seed);
    for _ in 0..effort.chances {
        let Some(board) = row(&mut rng, &scopes, &common.editions) else { continue };
        searched.chances = searched.chances.saturating_add(1);
        if let Some((board, removal)) = told(sides, common, &board, searched)? {
            return Ok(Some((board, removal, format!("a row by chance, from seed {}", effort.seed))));
        }
    }
    Ok(None)
}

fn told(
    sides: [&Side<'_>; 2],
    common: &Common,
    board: &Script,
    searched: &mut Searched,
) -> Result<Option<(Script, Option<Removal>)>, Fault> {
    for removal in &common.removals {
        let length = u64::try_from(board.actions.len()).unwrap_or(u64::MAX);
        searched.actions = searched.actions.saturating_add(length);
        let [a, b] = sides;
        if let Some(heard) = difference([a.target(), b.target()], board, *removal)? {
            return Ok(Some((cut(board, heard.len()), *removal)));
        }
    }
    Ok(None)
}

/// A vector without its expectations.
fn board(vector: &Vector, edition: Edition) -> Option<Script> {
    let mut steps = vector.steps.iter();
    let Request::CreateContainer(container) = &steps.next()?.request else { return None };
    let mut actions = Vec::new();
    let mut now_s = 0;
    for step in steps {
        if now_s < step.at_s {
            actions.push(Action::Wait(step.at_s.saturating_sub(now_s)));
            now_s = step.at_s;
        }
        actions
            .push(Action::Call(Call { request: step.request.clone(), conditions: step.conditions.clone() }));
    }
    Some(Script { edition, container: container.clone(), actions })
}

fn row(rng: &mut ChaCha20Rng, scopes: &[Scope], editions: &[Edition]) -> Option<Script> {
    const LONGEST: usize = 16;
    let edition = *pick(rng, editions)?;
    let containers = &pick(rng, scopes)?.containers;
    let container = pick(rng, containers)?.clone();
    // Most of a row is about one thing, and some of it about everything.
    let scope = pick(rng, scopes)?;
    let actions = (0..LONGEST).filter_map(|_| {
        let scope = if rng.next_u32().is_multiple_of(4) { pick(rng, scopes)? } else { scope };
        pick(rng, &scope.actions).cloned()
    });
    Some(Script { edition, container, actions: actions.collect() })
}

fn pick<'a, T>(rng: &mut ChaCha20Rng, all: &'a [T]) -> Option<&'a T> {
    let number = usize::try_from(rng.next_u32()).unwrap_or(0);
    all.get(number.checked_rem(all.len())?)
}
