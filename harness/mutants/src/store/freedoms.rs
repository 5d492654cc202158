//! The behaviour that the documents allow without an open clause that lists it.

use cosmos_ttl_harness::target::{Body, Indexing, Operation, Request, Response, Status};

use super::{IndependentSession, Pick};

/// How a correct store may differ where no open clause has a value for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a freedom of its own")]
pub struct Freedoms {
    /// Which answers to writes have the item; every answer may omit it.
    pub shown_by: ShownBy,
    /// The answer to a query or a count in a container without an index.
    pub unindexed: UnindexedAnswers,
    /// `indexed-modes-allow-ttl`: it offers no lazy indexing.
    pub lazy_index_refused: bool,
    /// `lazy-index-may-lag`: while the index lags, queries go by the `defaultTtl` of before.
    pub lazy_index_stale: bool,
    /// `item-invalid-while-off`: an item that kept such a value never expires later.
    pub kept_is_never: bool,
    /// `defaultTtl` 10.0 is 10.
    pub default_fractions_taken: bool,
    /// `expired-precondition`: the condition fails only while the expired item is stored.
    pub condition_until_removed: bool,
    /// Every upsert answers that it created the item: no clause is about the status over a living one.
    pub upsert_says_created: Pick,
}

/// Which answers to writes have the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShownBy {
    /// All of them.
    #[default]
    EveryWrite,
    /// Those to creates.
    CreatesOnly,
    /// None of them.
    NoWrite,
}

/// The answer to a query or a count in a container without an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnindexedAnswers {
    /// The visible items.
    #[default]
    Answers,
    /// Nothing, and zero.
    FindsNothing,
    /// A bad request.
    Refuses,
}

impl IndependentSession {
    /// Returns the answer of a query or a count that there is no index for, where that differs.
    pub(super) fn without_index(&self, request: &Request) -> Option<Response> {
        let needs_index = matches!(request, Request::Query | Request::Count);
        match (self.store.freedoms.unindexed, request) {
            _ if !needs_index || self.indexing != Indexing::None => None,
            (UnindexedAnswers::Answers, _) => None,
            (UnindexedAnswers::Refuses, _) => Some(Response::new(Status::BadRequest)),
            (UnindexedAnswers::FindsNothing, Request::Count) => Some(Response::count(0)),
            (UnindexedAnswers::FindsNothing, _) => Some(Response::ids(Vec::new())),
        }
    }

    /// Omits the item where this store does not show it.
    pub(super) fn omit_item(&self, request: &Request, response: &mut Response) {
        let Request::Item(operation) = request else { return };
        let omits = match self.store.freedoms.shown_by {
            ShownBy::EveryWrite => false,
            ShownBy::CreatesOnly => !matches!(operation, Operation::Create(_)),
            ShownBy::NoWrite => true,
        };
        if omits && operation.is_write() {
            response.body = Body::Nothing;
        }
    }
}
