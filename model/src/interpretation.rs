//! The choices that the open clauses leave, as one value.
//!
//! Each field is an open clause; each of its values is allowed. `reappearance` is no field: whether an item that was
//! expired comes back follows from whether the environment removed it meanwhile (see
//! [`World::remove`](crate::container::World::remove)).

/// The open clauses, each with a choice. The default is what the evidence favours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interpretation {
    /// `container-null-is-off`
    pub container_null: ContainerNull,
    /// `item-integral-fraction`
    pub integral_fraction: IntegralFraction,
    /// `item-invalid-while-off`
    pub invalid_while_off: InvalidWhileOff,
    /// `expired-in-aggregates`
    pub aggregates: Aggregates,
    /// `expired-upsert-status`
    pub expired_upsert: ExpiredUpsert,
    /// `expired-precondition`
    pub expired_precondition: ExpiredPrecondition,
    /// `lazy-index-may-lag`
    pub lazy_index: LazyIndex,
    /// `refusal-order`
    pub refusal_order: RefusalOrder,
}

/// The meaning of an explicit null as `defaultTtl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContainerNull {
    /// As if it were absent: what all five documents say.
    #[default]
    Off,
    /// A bad request.
    Rejected,
}

/// Whether `ttl` written `10.0` is the whole number 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntegralFraction {
    /// It is.
    Accepted,
    /// It is a bad request.
    #[default]
    Rejected,
}

/// The effect of an item's `ttl` that is not allowed, while the container is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InvalidWhileOff {
    /// A bad request, as while it is on.
    #[default]
    Rejected,
    /// Stored as ordinary data that sets nothing.
    Stored,
}

/// Whether COUNT sees an expired item that is still stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aggregates {
    /// It does not.
    #[default]
    Excluded,
    /// It does, until the item is removed.
    Counted,
}

/// The status of an upsert with the id of an expired item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExpiredUpsert {
    /// As of an upsert that makes an item.
    #[default]
    Created,
    /// As of an upsert that replaces one, as long as the old item is stored.
    Replaced,
}

/// Which refusal a conditional write of an expired item meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExpiredPrecondition {
    /// There is no item.
    #[default]
    NotFound,
    /// No item has that etag.
    PreconditionFailed,
}

/// The answer to a query while a lazy index is rebuilt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LazyIndex {
    /// Everything that is visible.
    #[default]
    Complete,
    /// Nothing yet.
    Incomplete,
}

/// Which refusal a request meets to which several apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RefusalOrder {
    /// The first, operation by operation, and in each of them the value before the item.
    #[default]
    First,
    /// The last of them.
    Later,
}
