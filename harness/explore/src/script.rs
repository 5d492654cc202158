//! Scripts: the requests of a client, without expectations.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use cosmos_ttl_harness::target::{Container, Part, PartitionKey, Request};
use cosmos_ttl_harness::vector::{Condition, Vector};

/// A vector without expectations: a container is created, then one action follows the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The container that is created first.
    pub container: Container,
    /// Everything after that.
    pub actions: Vec<Action>,
}

impl Script {
    /// Returns a script of these actions, the first of which creates the container.
    pub(crate) fn of(mut actions: impl Iterator<Item = Action>) -> Self {
        let container = match actions.next() {
            Some(Action::Call(Call { request: Request::CreateContainer(container), .. })) => container,
            _ => Container::default(),
        };
        Self { container, actions: actions.collect() }
    }

    /// Returns what a vector asks; `None` if it does not begin with a container, or asks what the model does not know.
    pub fn of_vector(vector: &Vector) -> Option<Self> {
        if !vector.parts().is_disjoint(&Part::optional()) {
            return None;
        }
        let first = vector.steps.first().filter(|step| step.at_s == 0)?;
        matches!(first.request, Request::CreateContainer(_)).then_some(())?;
        let mut now_s = 0;
        let actions = vector.steps.iter().flat_map(|step| {
            let wait_s = step.at_s.saturating_sub(now_s);
            now_s += wait_s;
            let (partition, conditions) = (step.partition.clone(), step.conditions.clone());
            let call = Call { conditions, partition, ..Call::plain(step.request.clone()) };
            (wait_s > 0).then_some(Action::Wait(wait_s)).into_iter().chain([Action::Call(call)])
        });
        Some(Self::of(actions))
    }

    pub(crate) fn creation(&self) -> Call {
        Call::plain(Request::CreateContainer(self.container.clone()))
    }

    /// Returns its requests after the creation of the container.
    pub(super) fn calls(&self) -> impl DoubleEndedIterator<Item = &Call> {
        self.actions.iter().filter_map(Action::call)
    }
}

/// One action of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Waits this many seconds, at least one.
    Wait(u64),
    /// Sends a request.
    Call(Call),
}

impl Action {
    pub(super) fn call(&self) -> Option<&Call> {
        if let Self::Call(call) = self { Some(call) } else { None }
    }
}

/// A request; etags in it are given by their meaning, since every target makes its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The request without its etags.
    pub request: Request,
    /// The etags to send: the operation's number in a batch, 0 elsewhere, and which etag.
    pub conditions: Vec<(usize, Condition)>,
    /// The partition that it is about; `None` is the default one.
    pub partition: Option<PartitionKey>,
    /// The size of the pages in which a query or a list is asked for; `None` asks for all items at once.
    pub page: Option<NonZeroU32>,
}

impl Call {
    /// Returns a request that sends no etag.
    pub fn plain(request: Request) -> Self {
        Self { request, conditions: Vec::new(), partition: None, page: None }
    }

    /// Returns the parts of the interface that it needs.
    pub(crate) fn parts(&self) -> BTreeSet<Part> {
        let mut parts = Part::of_request(&self.request);
        parts.extend(self.partition.as_ref().map(|_| Part::Partitions));
        parts.extend(self.page.map(|_| Part::Pages));
        parts.extend(self.conditions.first().map(|_| Part::Conditions));
        parts
    }
}
