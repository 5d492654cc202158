//! As few vectors as still show what all of them show, for targets on which every vector costs something.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use super::Matrix;
use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::realtime::Options;
use cosmos_ttl_harness::vector::Vector;

/// Something that a vector can show, and the vectors that show it.
type Goal<'a> = Vec<&'a Vector>;

/// What makes a vector dear, gravest first: time, requests; the name only decides.
type Cost<'a> = (u64, usize, &'a str);

fn cost(vector: &Vector) -> Cost<'_> {
    (vector.span_s, vector.steps.len(), &vector.name)
}

/// The vectors that were picked.
#[derive(Clone, Debug)]
pub struct Quick<'m, 'a> {
    /// In the suite's order.
    pub vectors: Vec<&'a Vector>,
    matrix: &'m Matrix<'a>,
}

impl Quick<'_, '_> {
    /// The file that names them.
    pub fn page(&self) -> String {
        let head = format!("{HEAD}# {self}\nformat: 1\nvectors:\n");
        self.vectors.iter().fold(head, |page, vector| page + "- " + &vector.name + "\n")
    }
}

const HEAD: &str = "# Written by `cargo lab quick` from the kill matrix; never edited.\n";

impl fmt::Display for Quick<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { suite, rows, .. } = self.matrix;
        let all: Vec<&Vector> = suite.vectors.iter().collect();
        let requests = |vectors: &[&Vector]| vectors.iter().map(|vector| vector.steps.len()).sum::<usize>();
        let (some, killed) = (self.vectors.len(), self.matrix.killed().count());
        write!(
            f,
            "{some} of {} vectors, {} of {} requests, ",
            all.len(),
            requests(&self.vectors),
            requests(&all)
        )?;
        write!(f, "fail {killed} of {} mutants", rows.len())
    }
}

impl<'a> Matrix<'a> {
    /// A greedy minimum of the vectors: every mutant that any of them fails is failed by one, and every clause that a
    /// client can see is broken by a mutant that a vector which cites it fails. Whatever can be shown within the ordinary
    /// budget of a clock that runs by itself is shown within it.
    pub fn quick(&self) -> Quick<'_, 'a> {
        let goals: Vec<_> = self.goals().into_iter().map(within_budget).collect();
        let chosen = without_spare(&goals, cover(&goals));
        let vectors = self.suite.vectors.iter().filter(|vector| chosen.contains_key(&cost(vector))).collect();
        Quick { vectors, matrix: self }
    }

    fn goals(&self) -> Vec<Goal<'a>> {
        let mutants = self.killed().map(|row| row.killers.clone());
        let clauses = self.suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
        let clauses = clauses.map(|clause| {
            let breaking = self.rows.iter().filter(|row| row.mutant.clauses.contains(&clause.id.as_str()));
            breaking.flat_map(|row| row.witnesses(&clause.id)).collect()
        });
        mutants.chain(clauses).filter(|goal: &Goal<'_>| !goal.is_empty()).collect()
    }
}

/// Those of the vectors for which a real clock has time, if there are any.
fn within_budget(goal: Goal<'_>) -> Goal<'_> {
    let budget_s = Options::default().budget_s;
    let short: Goal<'_> = goal.iter().copied().filter(|vector| vector.span_s <= budget_s).collect();
    if short.is_empty() { goal } else { short }
}

/// Again and again the vector that shows most of what is still to be shown, and the cheapest among those.
fn cover<'a>(goals: &[Goal<'a>]) -> BTreeMap<Cost<'a>, &'a Vector> {
    let mut left: Vec<&Goal<'a>> = goals.iter().collect();
    let mut chosen = BTreeMap::new();
    loop {
        let mut shows: BTreeMap<Cost<'a>, (usize, &'a Vector)> = BTreeMap::new();
        for goal in &left {
            let shown_by: BTreeMap<_, _> = goal.iter().map(|vector| (cost(vector), *vector)).collect();
            for (cost, vector) in shown_by {
                let (count, _) = shows.entry(cost).or_insert((0, vector));
                *count = count.saturating_add(1);
            }
        }
        let best = shows.into_iter().max_by_key(|(cost, (count, _))| (*count, Reverse(*cost)));
        let Some((cost, (_, vector))) = best else { return chosen };
        chosen.insert(cost, vector);
        left.retain(|goal| !shown(goal, &chosen, None));
    }
}

/// What a later choice made superfluous goes again, the dearest first.
fn without_spare<'a>(
    goals: &[Goal<'a>],
    mut chosen: BTreeMap<Cost<'a>, &'a Vector>,
) -> BTreeMap<Cost<'a>, &'a Vector> {
    let all: Vec<_> = chosen.keys().rev().copied().collect();
    for one in all {
        if goals.iter().all(|goal| shown(goal, &chosen, Some(one))) {
            chosen.remove(&one);
        }
    }
    chosen
}

/// Whether a chosen vector, other than this one, is among those that show it.
fn shown(goal: &Goal<'_>, chosen: &BTreeMap<Cost<'_>, &Vector>, other_than: Option<Cost<'_>>) -> bool {
    goal.iter().map(|vector| cost(vector)).any(|cost| Some(cost) != other_than && chosen.contains_key(&cost))
}
