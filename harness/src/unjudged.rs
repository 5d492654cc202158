//! The clauses that bind a target and of which a run judged nothing: of them a run says nothing, so it is undecided.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::target::{Part, option};
use crate::verdict::{Outcome, VectorResult, Verdict};

/// A clause that is a must or open, and of which a run judged no vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnjudgedClause {
    /// The clause.
    pub clause: String,
    /// How many vectors of the run cite it.
    pub vectors: usize,
    /// The outcome of most of them.
    pub outcome: Outcome,
    /// Why most of them were not judged.
    pub reason: String,
    /// Advice: how to have it judged.
    pub help: String,
}

/// Returns the clauses that bind the target and that no vector of a run judged, in the order of their ids.
///
/// Every reason counts but a known failure, and a part that is declared missing. A clause counts even if it is `filtered`, so that the user's filters left out some of
/// its vectors: of those that were selected none judged it. The other vectors may judge it, which the help says.
pub fn unjudged_clauses(results: &[VectorResult<'_>], filtered: &BTreeSet<String>) -> Vec<UnjudgedClause> {
    let offered = results.iter().filter(|result| !matches!(result.verdict, Verdict::NotOffered(_)));
    let cited = offered.flat_map(|result| result.vector.binding.iter().map(move |id| (result, id)));
    // A user who lists a failure knows that the vector says nothing of its other clauses.
    let excused = |result: &VectorResult<'_>| result.outcome() == Outcome::KnownFailure;
    let (judged, unjudged): (Vec<_>, Vec<_>) = cited.partition(|(result, clause)| {
        result.verdict.is_judged() && (excused(result) || result.counts_for(clause))
    });
    let judged: BTreeSet<_> = judged.into_iter().map(|(_, clause)| clause).collect();
    let mut by_clause: BTreeMap<&String, Vec<&VectorResult<'_>>> = BTreeMap::new();
    for (result, clause) in unjudged {
        if !judged.contains(clause) {
            by_clause.entry(clause).or_default().push(result);
        }
    }
    let missing = missing_parts(results);
    let describe = |(clause, results): (&String, Vec<&VectorResult<'_>>)| {
        let mut reasons: BTreeMap<(Outcome, String), Vec<u64>> = BTreeMap::new();
        for result in &results {
            let reason = match &result.verdict {
                Verdict::Fail(_) => "their vectors fail before they test the clause".into(),
                verdict => verdict.reason().unwrap_or_default(),
            };
            reasons.entry((result.verdict.outcome(), reason)).or_default().push(result.vector.span_s);
        }
        let ((outcome, reason), spans_s) = reasons.into_iter().max_by_key(|(_, spans_s)| spans_s.len())?;
        let mut help = help(outcome, spans_s.into_iter().min().unwrap_or(0), &missing);
        if filtered.contains(clause) {
            help.push_str(", or run its other vectors, which the filters left out");
        }
        Some(UnjudgedClause { clause: clause.clone(), vectors: results.len(), outcome, reason, help })
    };
    by_clause.into_iter().filter_map(describe).collect()
}

/// Returns the parts of the interface that the target was seen not to support. Of a request that needs several, those count
/// that no other request accounts for. None where nothing at all could be judged: no part explains that.
pub fn missing_parts(results: &[VectorResult<'_>]) -> BTreeSet<Part> {
    let is_judged = |result: &VectorResult<'_>| matches!(result.verdict, Verdict::Pass | Verdict::Fail(_));
    if !results.iter().any(is_judged) {
        return BTreeSet::new();
    }
    let lacks = || results.iter().map(|result| &result.lacks).filter(|lacks| !lacks.is_empty());
    let alone: BTreeSet<_> = lacks().filter(|lacks| lacks.len() == 1).flatten().copied().collect();
    let others = lacks().filter(|lacks| lacks.is_disjoint(&alone)).flatten().copied();
    others.chain(alone.iter().copied()).collect()
}

fn help(outcome: Outcome, span_s: u64, missing: &BTreeSet<Part>) -> String {
    match outcome {
        Outcome::NotApplicable => format!("raise the budget to {span_s} s or more"),
        Outcome::Unsupported if missing.is_empty() => "support the request".into(),
        Outcome::Unsupported => format!("support it, or declare what is not offered: {}", option(missing)),
        Outcome::Broken => "repair the target or the connection".into(),
        Outcome::Fail => "repair the other failures first".into(),
        Outcome::NotRun => "let the run finish".into(),
        _ => "run again with a larger budget, or nearer to the target".into(),
    }
}
