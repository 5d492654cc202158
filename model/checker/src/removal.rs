//! Removal in the background: when it can be seen.
//!
//! While settings stand, no client can tell when the background removes what is expired. Two containers get the same
//! requests. In the lazy one an expired item is removed at any moment or never; in the eager one in the second of its
//! deadline. What the one may answer, the other may answer, but for what open clauses leave to a store: a count, and the
//! status of an upsert. It stops being true as soon as settings may lengthen a life: see `memory`.

use cosmos_ttl_model::container::{Operation, Request, Response, World};

use crate::judge::Judge;
use crate::requests::{self, A};
use crate::semantics::Semantics;
use crate::statement::{Statement, statements};
use crate::step::is;
use crate::story::{answered, told};
use crate::system::{ModelAction, Node, Outcome, Step, System};
use crate::world::canonical;

#[derive(Clone)]
pub(crate) struct Refinement;

/// What the eager store may answer, and its state after the answer that is most alike.
pub(crate) struct Eager {
    answers: Vec<Response>,
    /// Whether it may give an answer that the lazy one may not give.
    has_another: bool,
    after: World,
}

impl Refinement {
    pub(crate) fn judge(semantics: Semantics) -> Judge<Self> {
        let steady = requests::every().into_iter().filter(|one| !matches!(one, Request::Configure(_)));
        let others = [ModelAction::Pass, ModelAction::Remove(A)];
        Judge::new(
            Self,
            semantics,
            requests::openings(),
            steady,
            others,
            &[("purge", INVISIBLE), ("expired", TELLTALES)],
        )
    }
}

impl System for Refinement {
    /// The state of the eager store.
    type Memory = World;
    type Seen = Eager;

    fn open(&self, world: &World) -> World {
        canonical(world)
    }

    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<Eager>> {
        let lazy = of.outcomes(from, action);
        let eager = match action {
            ModelAction::Remove(_) => Vec::new(),
            _ => of.outcomes(&from.memory, action),
        };
        // The eager store removes what is expired.
        let swept = |mut world: World| {
            (of.remove)(&mut world, A);
            world
        };
        let answers: Vec<_> = eager.iter().filter_map(|one| one.answer.clone()).collect();
        let all: Vec<_> = lazy.iter().filter_map(|one| one.answer.clone()).collect();
        let has_another = answers.iter().any(|answer| !all.contains(answer));
        let follow = |one: Outcome<()>| {
            let mut same = eager.iter().filter(|other| other.answer == one.answer);
            let left = swept(one.after.clone());
            let alike = same.next().or_else(|| eager.iter().find(|other| other.after.items == left.items));
            let after = alike.or(eager.first()).map_or(&from.memory, |other| &other.after);
            let seen = Eager { answers: answers.clone(), has_another, after: swept(after.clone()) };
            Outcome { made: one.made, answer: one.answer, after: one.after, seen }
        };
        lazy.into_iter().map(follow).collect()
    }

    fn remember(&self, step: &Step<Self>) -> World {
        canonical(&step.seen.after)
    }

    fn tell(&self, step: &Step<Self>) -> Vec<String> {
        let eager = step.seen.answers.first().filter(|_| step.differs());
        let other =
            eager.map(|answer| format!("had the item been removed at its deadline: {}", answered(answer)));
        told(step).into_iter().chain(other).collect()
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
}

const INVISIBLE: &[Statement<Refinement>] = statements! { step: Refinement;
    ["purge-invisible", "hidden-immediately"]
        always "what a store may answer that still holds expired items, one that removed them at their deadline \
             may answer, but for a count and the status of an upsert" =>
            !step.differs()
                || step.request() == Some(&Request::Count)
                || step.asks(A, |one| matches!(one, Operation::Upsert(_)));
        sometimes "a store answers that still holds an expired item" => step.lags() && step.answer.is_some();
    ["purge-invisible"]
        always "what a store may answer that removed expired items at their deadline, one that still holds them \
             may answer" =>
            !step.seen.has_another;
        sometimes "a store refuses what is about an item that only it still holds" =>
            step.lags() && step.expired().is_some() && step.refusal().is_some();
};

const TELLTALES: &[Statement<Refinement>] = statements! { step: Refinement;
    ["expired-in-aggregates"]
        sometimes "a count that counts the expired tells what was removed" =>
            step.differs() && step.request() == Some(&Request::Count);
    ["expired-upsert-status"]
        sometimes "an upsert that answers ok for the expired tells what was removed" =>
            step.differs() && is!(step, Upsert);
};
