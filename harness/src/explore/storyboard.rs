//! What happens to a target, without what it must answer.

use crate::target::{Container, Edition, Request};
use crate::vector::Condition;

/// A vector without expectations: a container is made, and then one thing happens after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storyboard {
    /// Under which documents.
    pub edition: Edition,
    /// The container that is created first.
    pub container: Container,
    /// Whatever follows.
    pub moves: Vec<Move>,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// So many seconds pass, at least one.
    Wait(u64),
    /// Somebody asks.
    Ask(Ask),
}

/// A request; the etags that it sends are told by what they mean, since a target makes its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What is asked, etags aside.
    pub request: Request,
    /// The etags to send: the operation's number in a batch, 0 elsewhere, and which etag.
    pub conditions: Vec<(usize, Condition)>,
}
