//! A step as statements look at it.
//!
//! Statements read what lies open: settings, items, ages, answers, choices. They never call what they check. So that
//! expiry is stated twice and independently, [`gone`] says it here once more, in other words than the rule does.

use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{
    Content, Draft, Etag, Item, ItemId, Operation, Refusal, Request, Response, SettingsDraft, TtlChange,
    World,
};
use cosmos_ttl_model::rule::{Sent, Ttl};

use crate::story::operations;
use crate::system::{ModelAction, Step, System};

pub(crate) fn on(world: &World) -> bool {
    world.settings.default_ttl.is_some()
}

/// The default, if it is a number of seconds.
pub(crate) fn default_s(world: &World) -> Option<i64> {
    if let Some(Ttl::Seconds(seconds)) = world.settings.default_ttl { Some(seconds) } else { None }
}

/// The item's own `ttl`, if it is a number of seconds.
pub(crate) fn own_s(item: &Item) -> Option<i64> {
    if let Some(Ttl::Seconds(seconds)) = item.ttl { Some(seconds) } else { None }
}

pub(crate) fn inherits(item: &Item) -> bool {
    item.ttl.is_none()
}

pub(crate) fn never(item: &Item) -> bool {
    item.ttl == Some(Ttl::Forever)
}

pub(crate) fn age(world: &World, item: &Item) -> i64 {
    world.now.saturating_sub(item.ts)
}

pub(crate) fn aged(world: &World, item: &Item) -> bool {
    age(world, item) > 0
}

/// Whether an item's age has reached a number of seconds; no age reaches none.
pub(crate) fn reached(world: &World, item: &Item, seconds: Option<i64>) -> bool {
    seconds.is_some_and(|seconds| age(world, item) >= seconds)
}

/// Whether an item's age is below a number of seconds; no age is below none.
pub(crate) fn below(world: &World, item: &Item, seconds: Option<i64>) -> bool {
    seconds.is_some_and(|seconds| age(world, item) < seconds)
}

/// The number of seconds that applies to an item: its own, or else the default; none while the container is off.
pub(crate) fn applies_s(world: &World, item: &Item) -> Option<i64> {
    match item.ttl {
        _ if !on(world) => None,
        None => default_s(world),
        Some(_) => own_s(item),
    }
}

/// Whether no client should see the item: its age has reached the number of seconds that applies to it.
pub(crate) fn gone(world: &World, item: &Item) -> bool {
    reached(world, item, applies_s(world, item))
}

/// The item that is stored in a world under an id, unless it should be gone for every client.
pub(crate) fn living(world: &World, id: ItemId) -> Option<&Item> {
    world.items.get(&id).filter(|item| !gone(world, item))
}

pub(crate) fn written(response: &Response) -> Option<&Item> {
    if let Response::Created(item) | Response::Ok(item) = response { Some(item) } else { None }
}

/// The parts of an operation that may be left out, as they were sent.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) ttl: Option<Sent>,
    pub(crate) content: Option<Content>,
    pub(crate) if_match: Option<Etag>,
}

pub(crate) fn parts(operation: &Operation) -> Parts {
    let of_draft = |draft: &Draft, if_match| {
        let Draft { ttl, content, .. } = *draft;
        Parts { ttl: Some(ttl), content: Some(content), if_match }
    };
    match *operation {
        Operation::Create(ref draft) | Operation::Upsert(ref draft) => of_draft(draft, None),
        Operation::Replace { ref draft, if_match } => of_draft(draft, if_match),
        Operation::Patch { ttl, content, if_match, .. } => {
            let ttl = match ttl {
                TtlChange::Set(sent) => Some(sent),
                TtlChange::Remove => Some(Sent::Absent),
                TtlChange::Keep => None,
            };
            Parts { ttl, content, if_match }
        }
        Operation::Delete { if_match, .. } => Parts { if_match, ..Parts::default() },
        Operation::Read(_) | Operation::ReadUnless { .. } => Parts::default(),
    }
}

impl<S: System> Step<S> {
    /// Whether the answer shows an item; `None` where it does not look at it.
    pub(crate) fn shows(&self, id: ItemId) -> Option<bool> {
        match (&*self.action, &self.answer) {
            (ModelAction::Ask(Request::Item(Operation::Read(read))), Some(answer)) => {
                (*read == id).then_some(matches!(answer, Response::Found(_)))
            }
            (ModelAction::Ask(Request::Item(Operation::ReadUnless { id: read, .. })), Some(answer)) => {
                (*read == id).then_some(matches!(answer, Response::Found(_) | Response::NotModified))
            }
            (ModelAction::Ask(Request::Query), Some(Response::Ids(ids))) => Some(ids.contains(&id)),
            _ => None,
        }
    }

    pub(crate) fn passes(&self) -> bool {
        *self.action == ModelAction::Pass
    }

    pub(crate) fn some_before(&self, is_so: impl Fn(&World, &Item) -> bool) -> bool {
        self.before.items.values().any(|item| is_so(&self.before, item))
    }

    pub(crate) fn changed_nothing(&self) -> bool {
        self.before.world == self.after
    }

    /// Whether nothing but items and the clock is another: no setting, no index, no etag to come.
    pub(crate) fn keeps_the_rest(&self) -> bool {
        let rest = |world: &World| (world.settings, world.next_etag, world.index);
        rest(&self.before) == rest(&self.after)
    }

    pub(crate) fn request(&self) -> Option<&Request> {
        if let ModelAction::Ask(request) = &*self.action { Some(request) } else { None }
    }

    pub(crate) fn operation(&self) -> Option<&Operation> {
        if let Request::Item(operation) = self.request()? { Some(operation) } else { None }
    }

    pub(crate) fn draft(&self) -> Option<&SettingsDraft> {
        if let Request::Configure(draft) = self.request()? { Some(draft) } else { None }
    }

    /// Whether the container has the settings that were sent; the world after shows them.
    pub(crate) fn configured(&self) -> bool {
        matches!(self.answer, Some(Response::Configured))
    }

    pub(crate) fn refusal(&self) -> Option<Refusal> {
        match self.answer {
            Some(Response::Refused(refusal) | Response::Aborted { refusal, .. }) => Some(refusal),
            _ => None,
        }
    }

    pub(crate) fn is_bad_request(&self) -> bool {
        self.refusal() == Some(Refusal::BadRequest)
    }

    pub(crate) fn written(&self) -> Option<&Item> {
        self.answer.as_ref().and_then(written)
    }

    /// Each write that succeeded, alone or in a batch, and the item that it was answered with.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (&Operation, &Item)> {
        let answers = match &self.answer {
            Some(Response::Committed(answers)) => &answers[..],
            Some(answer) => core::slice::from_ref(answer),
            None => &[],
        };
        let asked = self.request().map(operations).unwrap_or_default();
        asked.iter().zip(answers).filter_map(|(operation, answer)| Some((operation, written(answer)?)))
    }

    /// The item that the one operation is about, as it was stored before.
    pub(crate) fn target(&self) -> Option<&Item> {
        self.before.items.get(&self.operation()?.id())
    }

    /// That item, if it should be gone for every client and is still stored.
    pub(crate) fn expired(&self) -> Option<&Item> {
        self.target().filter(|item| gone(&self.before, item))
    }

    /// That item, if every client should see it.
    pub(crate) fn visible(&self) -> Option<&Item> {
        living(&self.before, self.operation()?.id())
    }

    pub(crate) fn sent_ttl(&self) -> Option<Sent> {
        parts(self.operation()?).ttl
    }

    pub(crate) fn is_conditional(&self) -> bool {
        self.operation().is_some_and(|operation| parts(operation).if_match.is_some())
    }

    pub(crate) fn names_its_etag(&self) -> bool {
        let if_match = self.operation().and_then(|operation| parts(operation).if_match);
        if_match.is_some() && if_match == self.target().map(|item| item.etag)
    }

    /// The refusals of which the one operation meets one for its item, whatever `ttl` it sends (`refusal-order`).
    pub(crate) fn refusals_of_item(&self) -> &'static [Refusal] {
        let Some(operation) = self.operation() else { return &[] };
        match (operation, self.visible()) {
            (Operation::Create(_), Some(_)) => &[Refusal::Conflict],
            (Operation::Create(_) | Operation::Upsert(_), _) => &[],
            (_, None) if self.is_conditional() => &[Refusal::NotFound, Refusal::PreconditionFailed],
            (_, None) => &[Refusal::NotFound],
            (_, Some(_)) if self.is_conditional() && !self.names_its_etag() => &[Refusal::PreconditionFailed],
            (_, Some(_)) => &[],
        }
    }

    pub(crate) fn is_refused_for_its_item(&self) -> bool {
        self.refusal().is_some_and(|refusal| self.refusals_of_item().contains(&refusal))
    }

    /// Whether it is refused for its value, or else for its item where that refusal is chosen (`refusal-order`).
    pub(crate) fn is_refused_for_its_value(&self) -> bool {
        let is_later = self.chose(OpenChoice::LaterRefusalIsAnswered) == Some(true);
        self.is_bad_request() || is_later && self.is_refused_for_its_item()
    }

    /// Whether a client asked for an operation of this kind on an item, alone or in a batch.
    pub(crate) fn asks(&self, id: ItemId, is_so: impl Fn(&Operation) -> bool) -> bool {
        let asked = self.request().map(operations).unwrap_or_default();
        asked.iter().any(|operation| operation.id() == id && is_so(operation))
    }
}

/// Whether a client asked for one operation, and one of these kinds.
macro_rules! is {
    ($step:ident, $($kind:ident)|+) => {
        matches!($step.operation(), Some($(Operation::$kind { .. })|+))
    };
}
pub(crate) use is;
