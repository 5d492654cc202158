//! Computes which clauses each step of a vector shows: those without which a store fails first at this step.
//!
//! A step that fails says something of a clause if a store that lacks the clause, and is right otherwise, fails there. The
//! stores are the mutants, each of which says which clauses it breaks. So the file is never a matter of opinion, and a new
//! mutant makes it more complete.
//!
//! Where no store fails first, the form of the step decides. A step that leaves a choice shows its open clause. A write or
//! a change of settings that must succeed prepares what comes after it and shows nothing. What a look or a refusal must
//! answer is a question of the whole vector.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::Request;
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, SHOWS_ALL, Step, Suite, Vector};
use cosmos_ttl_mutants::matrix::Matrix;

const HEAD: &str = "\
# Which clauses each request of a vector shows, in the order of the requests. If a request fails, these clauses are blamed,
# and of the others that the vector cites nothing is said; `all` are those that the vector cites. Computed by `cargo lab shows`; never edited.
format: 1
vectors:
";

/// For each hand-written vector and each of its requests, the clauses that the request shows.
#[derive(Clone, Debug)]
pub struct ShownClauses<'a> {
    vectors: Vec<(&'a Vector, Vec<Vec<&'a str>>)>,
}

/// The steps at which stores fail first, by vector; with the clauses that these stores lack.
type FirstFailures<'a> = BTreeMap<&'a str, BTreeMap<usize, BTreeSet<&'a str>>>;

impl<'a> ShownClauses<'a> {
    /// Takes the failures of the mutants from the kill matrix.
    pub fn of(suite: &'a Suite, matrix: &Matrix<'a>) -> Self {
        let mut first = FirstFailures::new();
        let mut record = |vector: &'a Vector, step, lacks: &[&'static str]| {
            first.entry(&vector.name).or_default().entry(step).or_default().extend(lacks);
        };
        for row in &matrix.rows {
            for (vector, failure) in &row.failures {
                record(vector, failure.step, row.mutant.clauses);
            }
        }
        let none = BTreeMap::new();
        let of_vector = |vector: &'a Vector| {
            let first = first.get(vector.name.as_str()).unwrap_or(&none);
            let steps = vector.steps.iter().enumerate();
            (vector, steps.map(|(number, step)| shown(vector, step, first.get(&number))).collect())
        };
        // A vector of which no request is known to show anything shows all clauses at each step, as one that the file
        // leaves out.
        let shows_some = |(_, steps): &(_, Vec<Vec<&str>>)| steps.iter().any(|clauses| !clauses.is_empty());
        Self { vectors: suite.vectors.iter().map(of_vector).filter(shows_some).collect() }
    }

    /// Returns the file, a vector a line.
    pub fn page(&self) -> String {
        let line = |(vector, steps): &(&Vector, Vec<Vec<&str>>)| {
            let all = |clauses: &Vec<&str>| clauses.len() == vector.clauses.len();
            let shown =
                |clauses: &Vec<&str>| if all(clauses) { SHOWS_ALL.to_owned() } else { clauses.join(", ") };
            let steps: Vec<_> = steps.iter().map(|clauses| format!("[{}]", shown(clauses))).collect();
            format!("- {{vector: {}, steps: [{}]}}\n", vector.name, steps.join(", "))
        };
        HEAD.to_owned() + &self.vectors.iter().map(line).collect::<String>()
    }

    /// Returns the counts in a line.
    pub fn summary(&self) -> String {
        let steps = || self.vectors.iter().flat_map(|(_, steps)| steps);
        let prepare = steps().filter(|clauses| clauses.is_empty()).count();
        format!("{} vectors, {} requests, {prepare} of them prepare", self.vectors.len(), steps().count())
    }
}

fn shown<'a>(vector: &'a Vector, step: &Step, lacks: Option<&BTreeSet<&str>>) -> Vec<&'a str> {
    let own = vector.clauses.iter().map(String::as_str);
    let open = match &step.expect {
        Expect::Open { clause, .. } => Some(clause.as_str()),
        Expect::One(_) => None,
    };
    match lacks {
        Some(lacks) => own.filter(|clause| lacks.contains(clause) || open == Some(clause)).collect(),
        None if open.is_some() => own.filter(|clause| open == Some(clause)).collect(),
        None if prepares(step) => Vec::new(),
        None => own.collect(),
    }
}

/// Returns whether the step changes something, and must succeed.
fn prepares(step: &Step) -> bool {
    let changes = match &step.request {
        Request::Item(operation) => operation.is_write(),
        Request::CreateContainer(_) | Request::ReplaceContainer(_) | Request::Batch(_) => true,
        Request::Query | Request::List | Request::Count => false,
    };
    changes
        && step.expect.outcomes().all(|outcome| match outcome {
            ExpectedResponse::Status(status, _) => status.is_success(),
            ExpectedResponse::Committed(_) => true,
            _ => false,
        })
}
