//! What happens to a target, without what it must answer.

use cosmos_ttl_harness::target::{Container, Edition, Request};
use cosmos_ttl_harness::vector::Condition;

/// A vector without expectations: a container is made, and then one thing happens after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Under which documents.
    pub edition: Edition,
    /// The container that is created first.
    pub container: Container,
    /// Whatever follows.
    pub actions: Vec<Action>,
}

impl Script {
    /// What was done, the making of the container first.
    pub(super) fn of(edition: Edition, mut actions: Vec<Action>) -> Self {
        let container = match actions.first() {
            Some(Action::Call(Call { request: Request::CreateContainer(container), .. })) => {
                container.clone()
            }
            _ => Container::default(),
        };
        if !actions.is_empty() {
            actions.remove(0);
        }
        Self { edition, container, actions }
    }

    /// The making of the container.
    pub(super) fn creation(&self) -> Call {
        Call::plain(Request::CreateContainer(self.container.clone()))
    }

    /// How many seconds pass in it.
    pub fn span_s(&self) -> u64 {
        let waits = self.actions.iter().map(|one| if let Action::Wait(seconds) = one { *seconds } else { 0 });
        waits.fold(0, u64::saturating_add)
    }
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// So many seconds pass, at least one.
    Wait(u64),
    /// Somebody asks.
    Call(Call),
}

/// A request; the etags that it sends are told by what they mean, since a target makes its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is asked, etags aside.
    pub request: Request,
    /// The etags to send: the operation's number in a batch, 0 elsewhere, and which etag.
    pub conditions: Vec<(usize, Condition)>,
}

impl Call {
    /// A request that sends no etag.
    pub(super) fn plain(request: Request) -> Self {
        Self { request, conditions: Vec::new() }
    }
}
