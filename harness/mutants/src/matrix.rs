//! The kill matrix: which vectors fail which mutant and how, and whether that is all that is asked of the two.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::controls::{CONTROLS, Control};
use super::list::{Mutant, mutants};
use cosmos_ttl_harness::clauses::{Clause, Level, Observe};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::realtime::Options;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Failure, Verdict};

/// The mutants and the controls, each with the vectors that fail it.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// One for each mutant that was asked for, in their order.
    pub rows: Vec<KillMatrixRow<'a>>,
    /// One for each control, with the vectors that fail it: none, if all is well.
    pub controls: Vec<(&'static Control, Vec<&'a Vector>)>,
    /// Whether every mutant was asked for.
    pub whole: bool,
    /// The vectors that were replayed.
    pub suite: &'a Suite,
}

/// A mutant and its failures.
#[derive(Clone, Debug)]
pub struct KillMatrixRow<'a> {
    /// The mutant.
    pub mutant: &'static Mutant,
    /// How it fails which vectors, in the suite's order.
    pub failures: Vec<(&'a Vector, Failure)>,
}

impl<'a> KillMatrixRow<'a> {
    /// Replays vectors against a mutant, under every schedule of removal.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn of(mutant: &'static Mutant, vectors: &[&'a Vector]) -> Result<Self, Fault> {
        Ok(Self { mutant, failures: failures(&mutant.store(), vectors)? })
    }

    /// Returns the vectors that fail the mutant, in the suite's order.
    pub fn killers(&self) -> impl Iterator<Item = &'a Vector> {
        self.failures.iter().map(|(vector, _)| *vector)
    }

    /// Returns the vector with the fewest steps that fails the mutant, and with the first name among those.
    pub fn shortest(&self) -> Option<&'a Vector> {
        // A vector about a clause that the mutant breaks shows the fault more plainly than a shorter one.
        let is_beside = |vector: &Vector| {
            let cites = |clause: &&str| vector.clauses.iter().any(|cited| cited == clause);
            !self.mutant.clauses.iter().any(cites)
        };
        self.killers().min_by_key(|vector| (is_beside(vector), vector.steps.len(), &vector.name))
    }

    /// Returns the vectors that fail the mutant and cite this clause.
    pub fn witnesses(&self, clause: &str) -> impl Iterator<Item = &'a Vector> {
        self.killers().filter(move |vector| vector.clauses.iter().any(|cited| cited == clause))
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
        let control = |control: &'static Control| -> Result<_, Fault> {
            let failed = failures(&control.store, &vectors)?;
            Ok((control, failed.into_iter().map(|(vector, _)| vector).collect()))
        };
        Ok(Self {
            rows: parallel::map(picked, |mutant| KillMatrixRow::of(mutant, &vectors))?,
            controls: parallel::map(&CONTROLS, control)?,
            whole: mutants().all(|mutant| picked.contains(&mutant)),
            suite,
        })
    }

    /// Returns the mutants that a vector fails.
    pub fn killed(&self) -> impl Iterator<Item = &KillMatrixRow<'a>> {
        self.rows.iter().filter(|row| !row.failures.is_empty())
    }

    /// Counts the controls that no vector fails.
    pub fn alive(&self) -> usize {
        self.controls.iter().filter(|(_, killers)| killers.is_empty()).count()
    }

    /// Returns the clauses that a client can see.
    fn clauses(&self) -> impl Iterator<Item = &'a Clause> {
        self.suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client)
    }

    /// Returns the vectors that cite a clause and fail a mutant that breaks it.
    pub fn witnesses(&self, clause: &str) -> impl Iterator<Item = &'a Vector> {
        let breaking = self.rows.iter().filter(move |row| row.mutant.clauses.contains(&clause));
        breaking.flat_map(move |row| row.witnesses(clause))
    }

    /// Returns the clauses that a client can see and that have no witness.
    pub fn unwitnessed(&self) -> Vec<&'a str> {
        let ids = self.clauses().map(|clause| clause.id.as_str());
        ids.filter(|id| self.witnesses(id).next().is_none()).collect()
    }

    /// Returns the vectors that fail no mutant.
    pub fn idle(&self) -> Vec<&'a str> {
        let killers = self.rows.iter().flat_map(KillMatrixRow::killers);
        let busy: BTreeSet<&str> = killers.map(|vector| vector.name.as_str()).collect();
        let names = self.suite.vectors.iter().map(|vector| vector.name.as_str());
        names.filter(|name| !busy.contains(name)).collect()
    }

    /// Returns a sentence for whatever must hold and does not. Of a part of the mutants less is asked.
    pub fn missing(&self) -> Vec<String> {
        let survivors = self.rows.iter().filter(|row| row.failures.is_empty());
        let mut missing: Vec<_> = survivors
            .map(|KillMatrixRow { mutant, .. }| format!("no vector fails {}: {}", mutant.name, mutant.says))
            .collect();
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
            missing.extend(self.leaks());
        }
        missing
    }

    /// Where levels do not hold: a *should* that no mutant breaks alone, and a vector that fails a store which differs in a
    /// *should* alone, and does not cite that.
    fn leaks(&self) -> Vec<String> {
        let is_should =
            |id: &&&str| self.suite.catalogue.get(id).is_some_and(|clause| clause.level == Level::Should);
        let (mut alone, mut leaks) = (BTreeSet::new(), Vec::new());
        for KillMatrixRow { mutant, failures } in &self.rows {
            if mutant.clauses.iter().filter(is_should).count() < mutant.clauses.len() {
                continue;
            }
            if let [clause] = mutant.clauses {
                alone.insert(*clause);
            }
            let cites =
                |vector: &Vector| vector.clauses.iter().any(|id| mutant.clauses.contains(&id.as_str()));
            leaks.extend(failures.iter().filter(|(vector, _)| !cites(vector)).map(|(vector, _)| {
                let clauses = mutant.clauses.join(", ");
                format!("{} fails {}, and does not cite {clauses}, a should", vector.name, mutant.name)
            }));
        }
        let shoulds = self.suite.catalogue.clauses().filter(|clause| clause.level == Level::Should);
        let unbroken = shoulds.filter(|clause| !alone.contains(clause.id.as_str()));
        leaks.extend(unbroken.map(|clause| format!("no mutant breaks {}, a should, alone", clause.id)));
        leaks
    }

    /// Picks a greedy minimum of the vectors.
    ///
    /// They kill every mutant that any vector kills, and every clause that a client can see has a witness
    /// among them. Whatever can be shown within the ordinary budget of a real clock is shown within it.
    pub fn quick(&self) -> QuickProfile<'a> {
        let goals = self.goals();
        let chosen = without_spare(&goals, cover(&goals));
        let all = &self.suite.vectors;
        let vectors: Vec<_> = all.iter().filter(|vector| chosen.contains(&cost(vector))).collect();
        let requests = all.iter().map(|vector| vector.steps.len()).sum::<usize>();
        let summary = format!(
            "{} of {} vectors, {} of {requests} requests, fail {} of {} mutants",
            vectors.len(),
            all.len(),
            vectors.iter().map(|vector| vector.steps.len()).sum::<usize>(),
            self.killed().count(),
            self.rows.len()
        );
        QuickProfile { vectors, summary }
    }

    /// The vectors of which one must be chosen for each mutant and each clause: those for which a real clock has time, if
    /// there are any.
    fn goals(&self) -> Vec<Goal<'a>> {
        let budget_s = Options::default().budget_s;
        let goal = |vectors: &mut dyn Iterator<Item = &'a Vector>| {
            vectors.filter(|vector| !vector.is_soak()).map(cost).collect()
        };
        let mutants = self.killed().map(|row| goal(&mut row.killers()));
        let clauses = self.clauses().map(|clause| goal(&mut self.witnesses(&clause.id)));
        let goals = mutants.chain(clauses).filter(|goal: &Goal<'_>| !goal.is_empty());
        let within_budget = |goal: Goal<'a>| {
            let short: Goal<'_> = goal.iter().copied().filter(|(span_s, ..)| *span_s <= budget_s).collect();
            if short.is_empty() { goal } else { short }
        };
        goals.map(within_budget).collect()
    }
}

/// Returns the vectors that fail a store, in their order, and how.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn failures<'a>(store: &dyn Target, vectors: &[&'a Vector]) -> Result<Vec<(&'a Vector, Failure)>, Fault> {
    let results = run_virtual(store, vectors)?.results.into_iter();
    let failures = results.filter_map(|result| match result.verdict {
        Verdict::Fail(failure) => Some((result.vector, failure)),
        _ => None,
    });
    Ok(failures.collect())
}

/// The vectors of the quick profile: for targets on which every vector costs something.
#[derive(Clone, Debug)]
pub struct QuickProfile<'a> {
    /// In the suite's order.
    pub vectors: Vec<&'a Vector>,
    /// How many vectors and requests they are, and how many mutants they fail.
    pub summary: String,
}

impl QuickProfile<'_> {
    /// Returns the text of the file that names them.
    pub fn page(&self) -> String {
        const HEAD: &str = "# Written by `cargo lab update` from the kill matrix; never edited.\n";
        let head = format!("{HEAD}# {}\nformat: 1\nvectors:\n", self.summary);
        self.vectors.iter().fold(head, |page, vector| page + "- " + &vector.name + "\n")
    }
}

/// The cost of a vector, gravest first: time, requests; its name breaks ties.
type Cost<'a> = (u64, usize, &'a str);

/// The vectors that show something, by their cost.
type Goal<'a> = BTreeSet<Cost<'a>>;

fn cost(vector: &Vector) -> Cost<'_> {
    (vector.span_s, vector.steps.len(), &vector.name)
}

/// Again and again the vector that shows most of what is still to be shown, and the cheapest among those.
fn cover<'a>(goals: &[Goal<'a>]) -> Goal<'a> {
    let mut chosen = Goal::new();
    loop {
        let mut shows: BTreeMap<Cost<'a>, usize> = BTreeMap::new();
        for cost in goals.iter().filter(|goal| goal.is_disjoint(&chosen)).flatten() {
            *shows.entry(*cost).or_default() += 1;
        }
        let best = shows.into_iter().max_by_key(|(cost, count)| (*count, Reverse(*cost)));
        let Some((cost, _)) = best else { return chosen };
        chosen.insert(cost);
    }
}

/// Removes each vector that a later choice made superfluous, the most expensive first.
fn without_spare<'a>(goals: &[Goal<'a>], mut chosen: Goal<'a>) -> Goal<'a> {
    for cost in chosen.clone().into_iter().rev() {
        chosen.remove(&cost);
        if goals.iter().any(|goal| goal.is_disjoint(&chosen)) {
            chosen.insert(cost);
        }
    }
    chosen
}
