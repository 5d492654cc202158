//! The requests, settings and items at which a store makes its mistake.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Indexing, Operation, Request};

use super::session::TimerSession;
use super::slip::Slip;
use super::slot::TimerSlot;
use super::value::{DefaultLife, OwnLife};

/// The kind of a request or an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimerPath {
    Settings,
    Opening,
    Create,
    Upsert,
    Replace,
    Patch,
    Read,
    Delete,
    Query,
    List,
    Count,
    Batch,
    /// No request: time passes, or expired items are removed.
    #[default]
    Clock,
}

impl TimerPath {
    /// Returns the kind of a request.
    pub(super) fn of(request: &Request) -> Self {
        match request {
            Request::CreateContainer(_) => Self::Opening,
            Request::ReplaceContainer(_) => Self::Settings,
            Request::Batch(_) => Self::Batch,
            Request::Query => Self::Query,
            Request::List => Self::List,
            Request::Count => Self::Count,
            Request::Item(operation) => Self::of_operation(operation),
        }
    }

    /// Returns the kind of an operation.
    pub(super) fn of_operation(operation: &Operation) -> Self {
        match operation {
            Operation::Create(_) => Self::Create,
            Operation::Upsert(_) => Self::Upsert,
            Operation::Replace(..) => Self::Replace,
            Operation::Patch(..) => Self::Patch,
            Operation::Read(_) => Self::Read,
            Operation::Delete(..) => Self::Delete,
        }
    }
}

/// What is being asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TimerCall {
    pub(super) path: TimerPath,
    /// The number of the operation in its batch.
    pub(super) batch: Option<usize>,
    pub(super) is_guarded: bool,
    pub(super) is_paged: bool,
}

/// The kind of a container's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultKind {
    Off,
    NoDefault,
    Seconds,
}

/// Where a mistake happens; all conditions must hold.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own")]
pub(super) struct SlipScope {
    paths: &'static [TimerPath],
    in_batch: Option<bool>,
    is_later: bool,
    is_elsewhere: bool,
    is_guarded: Option<bool>,
    is_paged: bool,
    is_lazy: bool,
    under: Option<DefaultKind>,
    after: Option<DefaultKind>,
    own: Option<fn(OwnLife) -> bool>,
}

/// Everywhere.
pub(super) const ANY: SlipScope = SlipScope {
    paths: &[],
    in_batch: None,
    is_later: false,
    is_elsewhere: false,
    is_guarded: None,
    is_paged: false,
    is_lazy: false,
    under: None,
    after: None,
    own: None,
};

/// In requests and operations of these kinds.
pub(super) const fn on(paths: &'static [TimerPath]) -> SlipScope {
    SlipScope { paths, ..ANY }
}

impl SlipScope {
    /// Only in batches.
    pub(super) const fn batched(self) -> Self {
        Self { in_batch: Some(true), ..self }
    }

    /// Only outside batches.
    pub(super) const fn alone(self) -> Self {
        Self { in_batch: Some(false), ..self }
    }

    /// Only in the second and later operations of batches.
    pub(super) const fn later(self) -> Self {
        Self { is_later: true, ..self }
    }

    /// Only outside the default partition.
    pub(super) const fn elsewhere(self) -> Self {
        Self { is_elsewhere: true, ..self }
    }

    /// Only with a condition.
    pub(super) const fn guarded(self) -> Self {
        Self { is_guarded: Some(true), ..self }
    }

    /// Only for a page.
    pub(super) const fn paged(self) -> Self {
        Self { is_paged: true, ..self }
    }

    /// Only under lazy indexing.
    pub(super) const fn lazy(self) -> Self {
        Self { is_lazy: true, ..self }
    }

    /// Only while the default is of this kind.
    pub(super) const fn under(self, kind: DefaultKind) -> Self {
        Self { under: Some(kind), ..self }
    }

    /// Only if the default was of this kind before.
    pub(super) const fn after(self, kind: DefaultKind) -> Self {
        Self { after: Some(kind), ..self }
    }

    /// Only for items with such a lifetime.
    pub(super) const fn of(self, own: fn(OwnLife) -> bool) -> Self {
        Self { own: Some(own), ..self }
    }
}

/// Items without a `ttl`.
pub(super) fn without_ttl(own: OwnLife) -> bool {
    own == OwnLife::Absent
}

/// Items that live a number of seconds by their own `ttl`.
pub(super) fn with_ttl(own: OwnLife) -> bool {
    matches!(own, OwnLife::Seconds(_))
}

/// Items with `ttl` -1.
pub(super) fn with_minus_one(own: OwnLife) -> bool {
    own == OwnLife::Never
}

impl DefaultLife {
    fn kind(self) -> DefaultKind {
        match self {
            Self::Off => DefaultKind::Off,
            Self::NoDefault => DefaultKind::NoDefault,
            Self::Seconds(_) => DefaultKind::Seconds,
        }
    }
}

impl TimerSession {
    /// Returns whether the store makes this mistake here.
    pub(super) fn slips(&self, slip: Slip) -> bool {
        self.fault.is_some_and(|(mistake, scope)| mistake == slip && self.is_within(&scope))
    }

    /// Returns whether the store makes this mistake here, and with this item.
    pub(super) fn slips_on(&self, slip: Slip, slot: &TimerSlot) -> bool {
        let elsewhere =
            self.fault.is_none_or(|(_, scope)| !scope.is_elsewhere || slot.name.0 != DEFAULT_PARTITION);
        let own = self.fault.and_then(|(_, scope)| scope.own).is_none_or(|own| own(slot.own));
        self.slips(slip) && own && elsewhere
    }

    fn is_within(&self, scope: &SlipScope) -> bool {
        let call = &self.call;
        let (last, before) = match self.tape.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, [].as_slice()),
        };
        let of_no_partition =
            matches!(call.path, TimerPath::Clock | TimerPath::Settings | TimerPath::Opening);
        let kind = last.map_or(DefaultKind::Off, |last| last.default.kind());
        (scope.paths.is_empty() || scope.paths.contains(&call.path))
            && scope.in_batch.is_none_or(|batch| batch == call.batch.is_some())
            && (!scope.is_later || call.batch.is_some_and(|at| at > 0))
            && (!scope.is_elsewhere || of_no_partition || self.partition != DEFAULT_PARTITION)
            && scope.is_guarded.is_none_or(|guarded| guarded == call.is_guarded)
            && (!scope.is_paged || call.is_paged)
            && (!scope.is_lazy || last.is_some_and(|last| last.indexing == Indexing::Lazy))
            && scope.under.is_none_or(|under| under == kind)
            && scope.after.is_none_or(|after| before.iter().any(|event| event.default.kind() == after))
    }
}
