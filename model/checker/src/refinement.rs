//! The main theorem: while settings stay, nobody can tell when the background removes what is expired.
//!
//! Two containers get the same requests. In the lazy one an expired item is removed at any moment or never; in the eager
//! one in the second of its deadline. Every answer must be the same. It stops being true as soon as settings may
//! lengthen a life: then an expired item comes back in one and not in the other (`reappearance`).

use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::property_set::{Section, statements};
use super::report::TraceEvent;
use super::requests;
use super::step::{ModelAction, SystemStep};
use super::transition_system::{
    Happened, PreparedOf, SystemBounds, SystemState, TransitionSystem, events, settings_draft,
};
use cosmos_ttl_model::container::{Operation, Request, Response, Rules, World};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_model::semantics::Semantics;

/// Which settings may follow on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedSettings {
    Same,
    /// Those under which no item lives longer.
    Shorter,
    Any,
}

/// Two containers that differ only in when they remove.
#[derive(Clone, Debug)]
pub(super) struct Refinement {
    bounds: SystemBounds<EagerChange>,
    allowed: AllowedSettings,
}

type RefinementStep = SystemStep<EagerChange>;

/// What the eager one held, what it answered, and what it holds now.
#[derive(Clone, Debug)]
pub(super) struct EagerChange {
    before: World,
    answer: Option<Response>,
    after: World,
}

impl Refinement {
    pub(super) fn new(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        allowed: AllowedSettings,
        sections: &[Section<RefinementStep>],
    ) -> Self {
        let (cap, requests) = (AgeCap::Own(2), requests::every(items, 2));
        Self { bounds: SystemBounds::new(semantics, rules, items, cap, requests, sections), allowed }
    }

    fn allows(&self, action: &ModelAction, world: &World) -> bool {
        let ModelAction::Ask(Request::Configure(draft)) = action else { return true };
        match self.allowed {
            AllowedSettings::Same => false,
            AllowedSettings::Shorter => rank(draft.default_ttl) <= rank(settings_draft(world).default_ttl),
            AllowedSettings::Any => true,
        }
    }
}

/// Orders settings by how long items live under them.
fn rank(default_ttl: Wire) -> i64 {
    match default_ttl {
        Wire::Absent | Wire::Null => i64::MAX,
        Wire::Whole(seconds) if seconds > 0 => seconds,
        _ => i64::MAX.saturating_sub(1),
    }
}

impl TransitionSystem for Refinement {
    /// What the eager one holds.
    type Extra = AgedWorld;
    type Seen = EagerChange;

    fn bounds(&self) -> &SystemBounds<EagerChange> {
        &self.bounds
    }

    fn opened(&self, world: &World) -> AgedWorld {
        self.bounds.aged(world)
    }

    fn actions(&self, state: &SystemState<AgedWorld>) -> Vec<ModelAction> {
        let world = state.world.world();
        self.bounds.actions().into_iter().filter(|action| self.allows(action, &world)).collect()
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, EagerChange)> {
        let before = from.state.extra.world();
        let lazy = self.bounds.happen(&from.world, action)?;
        let (after, answer) = match action {
            ModelAction::Remove(_) => (before.clone(), None),
            _ => self.bounds.happen(&before, action)?,
        };
        // The eager one removes everything that is expired.
        let remove = |world: World, id| self.bounds.semantics.remove(&world, id).unwrap_or(world);
        let after = self.bounds.ids().fold(after, remove);
        Some((lazy, EagerChange { before, answer, after }))
    }

    fn extra_after(&self, _: &AgedWorld, step: &RefinementStep) -> AgedWorld {
        self.bounds.aged(&step.seen.after)
    }

    fn events(&self, step: &RefinementStep) -> Vec<TraceEvent> {
        // Ages are capped at each item's own `ttl`: only an age of 0 is sure to be just that.
        let mut all = events(step, 0);
        let eager = step.seen.answer.iter().filter(|_| step.differs());
        all.extend(eager.cloned().map(TraceEvent::RemovedAtDeadline));
        all
    }

    fn look(&self, _: &SystemState<AgedWorld>) -> Vec<TraceEvent> {
        Vec::new()
    }
}

impl RefinementStep {
    fn differs(&self) -> bool {
        self.answer != self.seen.answer
    }

    /// Whether the lazy one still stores what the eager one has removed.
    fn lags(&self) -> bool {
        self.seen.before.items.len() < self.before.items.len()
    }

    fn answers_while_one_lags(&self) -> bool {
        self.lags() && self.answer.is_some()
    }

    fn is_count(&self) -> bool {
        self.action == ModelAction::Ask(Request::Count)
    }

    fn is_upsert(&self) -> bool {
        matches!(self.action, ModelAction::Ask(Request::Item(Operation::Upsert(_))))
    }

    fn is_batch_with_upsert(&self) -> bool {
        let ModelAction::Ask(Request::Batch(operations)) = &self.action else { return false };
        operations.iter().any(|operation| matches!(operation, Operation::Upsert(_)))
    }
}

const ONE_LAGS: &str = "both answer while only one still stores an expired item";

/// What holds as long as no life is lengthened.
pub(super) const INVISIBLE: &[Section<RefinementStep>] = &[(
    "purge",
    statements! { step: RefinementStep;
        ["purge-invisible", "hidden-immediately"]
            always "every answer is the same whether expired items are still stored or were removed at \
                 their deadline" =>
                !step.differs();
            sometimes ONE_LAGS => step.answers_while_one_lags();
    },
)];

/// What can be seen once lives may be lengthened.
pub(super) const VISIBLE: &[Section<RefinementStep>] = &[(
    "settings",
    statements! { step: RefinementStep;
        ["reappearance"]
            always "two stores that hold the same answer the same" =>
                **step.before != step.seen.before || !step.differs();
            sometimes "one store holds what the other has removed" => step.lags();
        ["reappearance"]
            sometimes "two stores that differ only in what was removed answer differently" => step.differs();
    },
)];

/// What tells even while settings stay, where open clauses are read the other way.
pub(super) const OTHER_READINGS: &[Section<RefinementStep>] = &[
    (
        "purge",
        statements! { step: RefinementStep;
            ["purge-invisible"]
                always "nothing but a count or the status of an upsert tells what was removed" =>
                    !step.differs() || step.is_count() || step.is_upsert() || step.is_batch_with_upsert();
                sometimes ONE_LAGS => step.answers_while_one_lags();
        },
    ),
    (
        "expired",
        statements! { step: RefinementStep;
            ["expired-in-aggregates"]
                sometimes "a count that counts the expired tells what was removed" =>
                    step.differs() && step.is_count();
            ["expired-upsert-status"]
                sometimes "an upsert that answers ok for the expired tells what was removed" =>
                    step.differs() && step.is_upsert();
        },
    ),
];
