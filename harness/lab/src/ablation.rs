//! Which vectors and which laws notice that a clause is missing.
//!
//! For each clause there is the model as it would be if nobody had written that sentence. The vectors that it fails are
//! the clause's witnesses, and so are the laws of the checker that it breaks. Where a clause leaves a choice, a reader who
//! missed it would insist on one answer: there the vectors are read so, and a right store that chooses the other one
//! must fail them.

mod target;

use std::collections::BTreeMap;

use cosmos_ttl_harness::clauses::{Clause, Observe};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::{DERIVED, Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;

pub use target::Ablation;

/// A law of the checker: its sentence, and in how many of the checked worlds it is broken.
pub type Laws = BTreeMap<&'static str, usize>;

/// What notices that a clause is missing.
#[derive(Clone, Debug)]
pub struct AblationFindings<'a> {
    /// The clause.
    pub clause: &'a Clause,
    /// What is done without it, in a sentence; `None` where nobody has said.
    pub instead: Option<String>,
    /// The hand-written vectors that cite it and fail.
    pub citing: Vec<&'a Vector>,
    /// The other hand-written vectors that fail.
    pub others: Vec<&'a Vector>,
    /// The derived vectors that fail.
    pub derived: Vec<&'a Vector>,
    /// The laws that state it and are broken.
    pub own_laws: Laws,
    /// The other laws that are broken.
    pub other_laws: Laws,
}

impl<'a> AblationFindings<'a> {
    /// Of the vectors that cite it, the one with the fewest steps, and with the first name among those.
    pub fn shortest(&self) -> Option<&'a Vector> {
        self.citing.iter().copied().min_by_key(|vector| (vector.steps.len(), &vector.name))
    }

    /// Whether what must notice does: a vector that cites it where a client can see it, or else a law that states it.
    pub fn is_enough(&self) -> bool {
        match self.clause.observe {
            Observe::Client => !self.citing.is_empty(),
            Observe::Model => !self.own_laws.is_empty(),
        }
    }

    /// What is missing, in a sentence.
    pub fn missing(&self) -> Option<String> {
        let id = &self.clause.id;
        match (&self.instead, self.clause.observe) {
            _ if self.is_enough() => None,
            (None, _) => Some(format!("nobody has said what is done without {id}")),
            (Some(instead), Observe::Client) => {
                Some(format!("without {id}, {instead}; no vector that cites it fails"))
            }
            (Some(instead), Observe::Model) => {
                Some(format!("without {id}, {instead}; no law of the checker that states it is broken"))
            }
        }
    }
}

/// Takes these clauses out, each alone.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn find<'a>(suite: &'a Suite, clauses: &[&'a Clause]) -> Result<Vec<AblationFindings<'a>>, Fault> {
    parallel::map(clauses, |clause| of(suite, clause))
}

fn of<'a>(suite: &'a Suite, clause: &'a Clause) -> Result<AblationFindings<'a>, Fault> {
    let ablation = Ablation::of(&clause.id);
    let failing = ablation.as_ref().map_or(Ok(Vec::new()), |ablation| failing(suite, ablation))?;
    let (derived, written): (Vec<_>, Vec<_>) = failing.into_iter().partition(|vector| is_derived(vector));
    let (citing, others) = written.into_iter().partition(|vector| vector.clauses.contains(&clause.id));
    let broken = ablation.as_ref().map(Ablation::broken_laws).unwrap_or_default();
    let mut findings = AblationFindings {
        clause,
        instead: ablation.map(|ablation| ablation.instead().into()),
        citing,
        others,
        derived,
        own_laws: Laws::new(),
        other_laws: Laws::new(),
    };
    for (sentence, clauses) in broken {
        let own = clauses.contains(&clause.id.as_str());
        let laws = if own { &mut findings.own_laws } else { &mut findings.other_laws };
        let worlds = laws.entry(sentence).or_default();
        *worlds += 1;
    }
    Ok(findings)
}

/// The vectors that fail without the clause, in the suite's order.
fn failing<'a>(suite: &'a Suite, ablation: &Ablation) -> Result<Vec<&'a Vector>, Fault> {
    let narrowed: Vec<_> = suite.vectors.iter().map(|vector| ablation.specialised(vector)).collect();
    let run = run_virtual(ablation, &narrowed.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
    let failed = run.results.iter().zip(&suite.vectors);
    let failed = failed.filter(|(result, _)| result.verdict.outcome() == Outcome::Fail);
    Ok(failed.map(|(_, vector)| vector).collect())
}

fn is_derived(vector: &Vector) -> bool {
    vector.name.split_once('/').is_some_and(|(_, id)| id.starts_with(DERIVED))
}
