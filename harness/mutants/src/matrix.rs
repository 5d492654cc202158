//! Which vector fails which mutant, and whether that is all that is asked of the two.

mod quick;

use std::collections::{BTreeMap, BTreeSet};

use super::list::{CONTROLS, Control, Mutant, mutants};
use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;

pub use quick::Quick;

/// Vectors that fail no mutant, each with what else it is for.
pub const OTHERWISE_USED: &[(&str, &str)] = &[];

/// Mutants beside the vectors that fail them.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// One for each mutant that was asked for, in their order.
    pub rows: Vec<Row<'a>>,
    /// One for each control, with the vectors that fail it: none, if all is well.
    pub controls: Vec<(&'static Control, Vec<&'a Vector>)>,
    /// Whether every mutant was asked for.
    pub whole: bool,
    suite: &'a Suite,
}

/// A mutant.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The mutant.
    pub mutant: &'static Mutant,
    /// The vectors that fail it, in the suite's order.
    pub killers: Vec<&'a Vector>,
}

impl<'a> Row<'a> {
    /// The vector with the fewest steps that fails it, and with the first name among those.
    pub fn shortest(&self) -> Option<&'a Vector> {
        self.killers.iter().copied().min_by_key(|vector| (vector.steps.len(), &vector.name))
    }

    /// How many vectors of each section fail it.
    pub fn by_section(&self) -> BTreeMap<&'a str, usize> {
        let mut counts = BTreeMap::new();
        for vector in &self.killers {
            let count: &mut usize = counts.entry(vector.section.as_str()).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }

    /// The vectors that fail it and cite this clause.
    pub fn witnesses<'r>(&'r self, clause: &'r str) -> impl Iterator<Item = &'a Vector> + 'r {
        self.killers.iter().copied().filter(move |vector| vector.clauses.iter().any(|cited| cited == clause))
    }

    /// Whether it is as it must be: failed, unless nobody can tell it from a right store.
    pub fn is_as_it_must_be(&self) -> bool {
        self.killers.is_empty() == self.mutant.equivalent.is_some()
    }
}

impl<'a> Matrix<'a> {
    /// Replays every vector against these mutants and every control, under every schedule of removal.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn of(suite: &'a Suite, picked: &[&'static Mutant]) -> Result<Self, Fault> {
        let vectors: Vec<_> = suite.vectors.iter().collect();
        let failing = |target: &dyn Target| -> Result<Vec<&'a Vector>, Fault> {
            let run = run_virtual(target, &vectors)?;
            let failed = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
            Ok(failed.map(|result| result.vector).collect())
        };
        let mut rows = Vec::with_capacity(picked.len());
        for mutant in picked.iter().copied() {
            rows.push(Row { mutant, killers: failing(&mutant.store())? });
        }
        let mut controls = Vec::with_capacity(CONTROLS.len());
        for control in CONTROLS {
            controls.push((control, failing(&control.store)?));
        }
        let whole = mutants().all(|mutant| picked.contains(&mutant));
        Ok(Self { rows, controls, whole, suite })
    }

    /// The mutants that a vector fails.
    pub fn killed(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().filter(|row| !row.killers.is_empty())
    }

    /// The mutants that no vector fails.
    pub fn survivors(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().filter(|row| row.killers.is_empty())
    }

    /// The controls that no vector fails.
    pub fn alive(&self) -> usize {
        self.controls.iter().filter(|(_, killers)| killers.is_empty()).count()
    }

    /// The clauses that a client can see and that no mutant breaks so that a vector which cites it notices.
    pub fn unwitnessed(&self) -> Vec<&'a str> {
        let clauses = self.suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
        let witnessed = |id: &str| {
            let mut breaking = self.rows.iter().filter(|row| row.mutant.clauses.contains(&id));
            breaking.any(|row| row.witnesses(id).next().is_some())
        };
        clauses.map(|clause| clause.id.as_str()).filter(|id| !witnessed(id)).collect()
    }

    /// The vectors that fail no mutant, and of which nothing else is said.
    pub fn idle(&self) -> Vec<&'a str> {
        let killers = self.rows.iter().flat_map(|row| &row.killers);
        let busy: BTreeSet<&str> = killers.map(|vector| vector.name.as_str()).collect();
        let otherwise = |name: &str| OTHERWISE_USED.iter().any(|(used, _)| *used == name);
        let names = self.suite.vectors.iter().map(|vector| vector.name.as_str());
        names.filter(|name| !busy.contains(name) && !otherwise(name)).collect()
    }

    /// Whatever does not hold that must, a sentence each. Of a part of the mutants less is asked.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for row in self.rows.iter().filter(|row| !row.is_as_it_must_be()) {
            missing.push(match row.killers.first() {
                None => format!("no vector fails {}: {}", row.mutant.name, row.mutant.says),
                Some(vector) => {
                    format!("{} is called equivalent, and {} fails it", row.mutant.name, vector.name)
                }
            });
        }
        for (control, killers) in &self.controls {
            missing.extend(killers.iter().map(|vector| {
                format!("{} fails {}, which is right: {}", vector.name, control.name, control.says)
            }));
        }
        if self.whole {
            missing.extend(
                self.unwitnessed().iter().map(|clause| {
                    format!("no mutant that breaks {clause} is failed by a vector that cites it")
                }),
            );
            missing.extend(self.idle().iter().map(|name| format!("{name} fails no mutant")));
        }
        missing
    }
}
