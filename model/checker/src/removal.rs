//! Removal in the background: when it can be seen.
//!
//! While settings stand, no client can tell when the background removes what is expired. Two containers get the same
//! requests. In the lazy one an expired item is removed at any moment or never; in the eager one in the second of its
//! deadline. What the one may answer, the other may answer, but for what open clauses leave to a store: a count, and the
//! status of an upsert. It stops being true as soon as settings may lengthen a life: then an expired item comes back in
//! one and not in the other (`reappearance`).

use cosmos_ttl_model::container::{Operation, Request, Response, World};

use crate::report::TraceEvent;
use crate::requests::{self, A, B};
use crate::semantics::Semantics;
use crate::statement::{Section, Statement, statements};
use crate::step::is;
use crate::story::operations;
use crate::system::{self, Bounds, ModelAction, Node, Outcome, Step, System};
use crate::world::canonical;

/// Two containers that differ only in when they remove.
#[derive(Clone, Debug)]
pub(crate) struct Refinement {
    bounds: Bounds,
}

/// What the eager store may answer, and its state after the answer that is most alike.
#[derive(Debug)]
pub(crate) struct Eager {
    answers: Vec<Response>,
    /// Whether it may give an answer that the lazy one may not give.
    has_another: bool,
    after: World,
}

impl Refinement {
    pub(crate) fn new(semantics: Semantics, requests: Vec<Request>) -> Self {
        let others = [ModelAction::Pass, ModelAction::Remove(A), ModelAction::Remove(B)];
        Self { bounds: Bounds::new(semantics, requests::openings(), requests, others) }
    }

    /// The eager store removes everything that is expired.
    fn swept(&self, mut world: World) -> World {
        for id in [A, B] {
            (self.bounds.semantics.remove)(&mut world, id);
        }
        world
    }
}

impl System for Refinement {
    /// The state of the eager store.
    type Memory = World;
    type Seen = Eager;

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn sections(&self) -> &'static [Section<Self>] {
        if self.bounds.settings_change() {
            &[("settings", VISIBLE)]
        } else {
            &[("purge", INVISIBLE), ("expired", TELLTALES)]
        }
    }

    fn opened(&self, world: &World) -> World {
        canonical(world)
    }

    fn outcomes(&self, from: &Node<World>, action: &ModelAction) -> Vec<Outcome<Eager>> {
        let lazy = self.bounds.outcomes(from, action);
        let eager = match action {
            ModelAction::Remove(_) => Vec::new(),
            _ => self.bounds.outcomes(&from.memory, action),
        };
        let answers: Vec<_> = eager.iter().filter_map(|one| one.answer.clone()).collect();
        let all: Vec<_> = lazy.iter().filter_map(|one| one.answer.clone()).collect();
        let has_another = answers.iter().any(|answer| !all.contains(answer));
        let follow = |one: Outcome<()>| {
            let mut same = eager.iter().filter(|other| other.answer == one.answer);
            let left = self.swept(one.after.clone());
            let alike = same.next().or_else(|| eager.iter().find(|other| other.after.items == left.items));
            let after = alike.or(eager.first()).map_or(&from.memory, |other| &other.after);
            let seen = Eager { answers: answers.clone(), has_another, after: self.swept(after.clone()) };
            Outcome { made: one.made, answer: one.answer, after: one.after, seen }
        };
        lazy.into_iter().map(follow).collect()
    }

    fn remember(&self, step: &Step<Self>) -> World {
        canonical(&step.seen.after)
    }

    fn events(&self, step: &Step<Self>) -> Vec<TraceEvent> {
        let mut all = system::events(step);
        let eager = step.seen.answers.iter().filter(|_| step.differs()).take(1);
        all.extend(eager.cloned().map(TraceEvent::RemovedAtDeadline));
        all
    }
}

impl Step<Refinement> {
    /// Whether the eager store may not give the lazy one's answer.
    fn differs(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| !self.seen.answers.contains(answer))
    }

    /// Whether the lazy one still stores what the eager one has removed.
    fn lags(&self) -> bool {
        self.before.memory.items.len() < self.before.items.len()
    }

    fn is_count(&self) -> bool {
        self.request() == Some(&Request::Count)
    }

    fn upserts(&self) -> bool {
        let asked = self.request().map(operations).unwrap_or_default();
        asked.iter().any(|operation| matches!(operation, Operation::Upsert(_)))
    }
}

/// Statements that hold as long as no life is extended.
const INVISIBLE: &[Statement<Refinement>] = statements! { step: Refinement;
    ["purge-invisible", "hidden-immediately"]
        always "what a store may answer that still holds expired items, one that removed them at their deadline \
             may answer, but for a count and the status of an upsert" =>
            !step.differs() || step.is_count() || step.upserts();
        sometimes "a store answers that still holds an expired item" => step.lags() && step.answer.is_some();
    ["purge-invisible"]
        always "what a store may answer that removed expired items at their deadline, one that still holds them \
             may answer" =>
            !step.seen.has_another;
        sometimes "a store refuses what is about an item that only it still holds" =>
            step.lags() && step.expired().is_some() && step.refusal().is_some();
};

/// Statements about what shows the difference while settings stand.
const TELLTALES: &[Statement<Refinement>] = statements! { step: Refinement;
    ["expired-in-aggregates"]
        sometimes "a count that counts the expired tells what was removed" =>
            step.differs() && step.is_count();
    ["expired-upsert-status"]
        sometimes "an upsert that answers ok for the expired tells what was removed" =>
            step.differs() && is!(step, Upsert);
};

/// Statements about differences that show once lives may be extended.
const VISIBLE: &[Statement<Refinement>] = statements! { step: Refinement;
    ["reappearance"]
        sometimes "one store holds what the other has removed" => step.lags();
        sometimes "a read tells which of two stores has removed what was expired" =>
            step.differs() && is!(step, Read);
};
