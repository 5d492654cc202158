//! The shortest storyboard on which two targets differ.
//!
//! Stores in this process can be copied, so every row of actions of a small scope is played on both, the shortest rows
//! first: what is found is the shortest there is in its scope. Where that finds nothing, and for processes, the requests
//! of every vector are compared and then rows by chance; what differs there is shrunk, and is short without proof.

mod chance;
mod rows;
mod scope;

use std::fmt;

use super::compare::{Heard, hear};
use super::{Action, Call, Script, shrink::shrink_within};
use cosmos_ttl_harness::target::{Clock, Edition, Fault, Opening, Removal, Response, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{self as mutants, IndependentStore};
use cosmos_ttl_reference::{self as reference, Reference};

pub use scope::{Scope, scopes};

/// Which of them is asked.
pub enum Side<'t> {
    /// The model, which can be copied.
    Model(Reference),
    /// The store that was written without it, right or not, which can be copied.
    Store(IndependentStore),
    /// Anything else on a clock that can be moved.
    Other(&'t dyn Target),
}

impl fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.target().about().name)
    }
}

impl Side<'_> {
    fn target(&self) -> &dyn Target {
        match self {
            Self::Model(reference) => reference,
            Self::Store(naive) => naive,
            Self::Other(target) => *target,
        }
    }

    fn place(&self, opening: Opening) -> Option<Place> {
        match self {
            Self::Model(reference) => Some(Place::Model(Box::new(reference.session(opening)))),
            Self::Store(naive) => Some(Place::Store(Box::new(naive.session(opening)))),
            Self::Other(_) => None,
        }
    }
}

/// A place that can be copied.
#[derive(Clone)]
enum Place {
    Model(Box<reference::ModelSession>),
    Store(Box<mutants::IndependentSession>),
}

/// How much to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The longest rows, in actions after the container's creation.
    pub depth: usize,
    /// How many rows by chance.
    pub chances: u32,
    /// From which number these follow.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { depth: 4, chances: 2_000, seed: 1 }
    }
}

/// A storyboard that tells two targets apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What to do.
    pub board: Script,
    /// When the background removes, at both.
    pub removal: Option<Removal>,
    /// Each request and both answers; the last ones differ.
    pub heard: Vec<(Heard, Response)>,
    /// Whether nothing shorter in its scope differs.
    pub shortest: bool,
    /// Where it was found.
    pub found: String,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Moves that were played on both.
    pub actions: u64,
    /// Of these rows up to this length everything in the scopes was played.
    pub depth: usize,
    /// Script of vectors.
    pub vectors: u64,
    /// Rows by chance.
    pub chances: u64,
}

/// Looks for the shortest storyboard on which the two differ.
///
/// # Errors
///
/// A [`Fault`] of one of them.
pub fn distinguish(
    [a, b]: [&Side<'_>; 2],
    vectors: &[Vector],
    effort: Effort,
) -> Result<(Option<Difference>, Searched), Fault> {
    let common = Common::of([a, b])?;
    let mut searched = Searched::default();
    if let Some(difference) = rows::search([a, b], &common, effort.depth, &mut searched)? {
        return Ok((Some(difference), searched));
    }
    let found = match chance::in_vectors([a, b], &common, vectors, &mut searched)? {
        None => chance::by_chance([a, b], &common, effort, &mut searched)?,
        found => found,
    };
    let Some((board, removal, found)) = found else { return Ok((None, searched)) };
    let mut differs = |board: &Script| {
        common.editions.contains(&board.edition)
            && matches!(difference([a.target(), b.target()], board, removal), Ok(Some(_)))
    };
    let board = shrink_within(&board, 4_000, &mut differs);
    let heard = difference([a.target(), b.target()], &board, removal)?;
    Ok((heard.map(|heard| Difference { board, removal, heard, shortest: false, found }), searched))
}

/// What both answer up to the first difference; `None` where there is none.
///
/// # Errors
///
/// A [`Fault`] of one of them.
pub fn difference(
    [a, b]: [&dyn Target; 2],
    board: &Script,
    removal: Option<Removal>,
) -> Result<Option<Vec<(Heard, Response)>>, Fault> {
    let both = hear(a, board, removal)?.into_iter().zip(hear(b, board, removal)?);
    let mut heard: Vec<(Heard, Response)> = both.map(|(a, b)| (a, b.response)).collect();
    let first = heard.iter().position(|(a, b)| a.response != *b);
    Ok(first.map(|first| {
        heard.truncate(first.saturating_add(1));
        heard
    }))
}

/// What the two have in common.
struct Common {
    editions: Vec<Edition>,
    removals: Vec<Option<Removal>>,
}

impl Common {
    fn of(sides: [&Side<'_>; 2]) -> Result<Self, Fault> {
        let [a, b] = sides.map(|side| side.target().about());
        for about in [&a, &b] {
            if about.clock == Clock::Real {
                return Err(Fault::Misuse(format!("the clock of {} cannot be moved", about.name)));
            }
        }
        let editions = [Edition::Y2024, Edition::Y2020].into_iter();
        let editions: Vec<Edition> =
            editions.filter(|edition| a.editions.contains(edition) && b.editions.contains(edition)).collect();
        if editions.is_empty() {
            return Err(Fault::Misuse(format!("{} and {} have no edition in common", a.name, b.name)));
        }
        // Whoever cannot be told follows a schedule of its own, beside which the other follows any.
        let told = [&a, &b].into_iter().map(|about| &about.removals).find(|removals| !removals.is_empty());
        let removals = told.map_or_else(|| vec![None], |all| all.iter().copied().map(Some).collect());
        Ok(Self { editions, removals })
    }
}

/// The storyboard up to its last request that was heard.
fn cut(board: &Script, heard: usize) -> Script {
    let mut left = heard.saturating_sub(1);
    let mut actions = Vec::new();
    for one in &board.actions {
        if left == 0 {
            break;
        }
        if let Action::Call(Call { .. }) = one {
            left = left.saturating_sub(1);
        }
        actions.push(one.clone());
    }
    Script { actions, ..board.clone() }
}
