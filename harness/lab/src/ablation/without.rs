//! The model without a clause, as a target.

use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::broken_by;
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::semantics::Shipped;

use super::front::{self, Front, Fronted};
use cosmos_ttl_harness::target::{About, Fault, Opening, Session, Target};
use cosmos_ttl_reference::{ModelSession, Reference};

/// What the model is without one clause.
#[derive(Clone, Debug)]
pub struct Ablation {
    without: Option<&'static ModelAblation>,
    front: Option<&'static Front>,
}

impl Ablation {
    /// Without the clause with this id; `None` where nobody has said what would be done instead.
    pub fn of(clause: &str) -> Option<Self> {
        let without = ablation::all().find(|one| one.clause == clause);
        let front = front::LIST.iter().find(|front| front.clause == clause);
        (without.is_some() || front.is_some()).then_some(Self { without, front })
    }

    /// The clauses that can be taken out.
    pub fn clauses() -> impl Iterator<Item = &'static str> {
        let of_translation = front::LIST.iter().map(|front| front.clause);
        let of_model = || ablation::all().map(|one| one.clause);
        of_model().chain(of_translation.filter(move |id| !of_model().any(|other| other == *id)))
    }

    /// What is done instead, in a sentence.
    pub fn instead(&self) -> &'static str {
        let of_model = self.without.map(|one| one.instead);
        of_model.or(self.front.map(|front| front.instead)).unwrap_or_default()
    }

    /// The clause that leaves a choice, and the only value of it that is insisted on.
    pub fn insists(&self) -> Option<(&'static str, &'static str)> {
        let without = self.without?;
        Some((without.clause, without.insists?.on))
    }

    /// Each law that is broken in one of the checker's small worlds, with the clauses that it states.
    pub fn broken_laws(&self) -> Vec<(&'static str, &'static [&'static str])> {
        let Some(without) = self.without else { return Vec::new() };
        let report = broken_by(*without);
        report.failures().map(|(_, law)| (law.sentence, law.clauses)).collect()
    }

    /// A right reading that chooses otherwise than is insisted on.
    fn other(&self) -> Option<Interpretation> {
        Some(self.without?.insists?.other)
    }
}

impl Target for Ablation {
    fn about(&self) -> About {
        About { name: "the model without a clause".into(), ..Reference::default().about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let usual = Interpretation::default();
        Ok(match (self.other(), self.without, self.front) {
            (Some(other), ..) => Box::new(ModelSession::new(Shipped, other, *opening)),
            (None, Some(without), None) => Box::new(ModelSession::new(*without, usual, *opening)),
            (None, Some(without), Some(front)) => {
                Box::new(Fronted::new(front, ModelSession::new(*without, usual, *opening)))
            }
            (None, None, Some(front)) => {
                Box::new(Fronted::new(front, ModelSession::new(Shipped, usual, *opening)))
            }
            (None, None, None) => Box::new(ModelSession::new(Shipped, usual, *opening)),
        })
    }
}
