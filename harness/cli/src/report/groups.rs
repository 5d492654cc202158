//! Groups failures by their cause: the mutant that explains them, or else what was asked, expected and answered.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::report::summary::first_of;
use crate::report::{Case, MutantLikeness, Outcome, Report};
use cosmos_ttl_harness::describe::cause;

/// Failures with one cause.
pub(crate) struct FailureGroup<'a> {
    /// The mutant that explains them, if one does.
    pub(crate) mutant: Option<&'a MutantLikeness>,
    /// The failures, at least one. The first represents them: a must before a should, then the shortest.
    pub(crate) cases: Vec<&'a Case>,
}

impl<'a> FailureGroup<'a> {
    /// Returns the failure that represents the group.
    pub(crate) fn first(&self) -> Option<&'a Case> {
        self.cases.first().copied()
    }

    /// Returns, for example, `148 more vectors fail or differ in the same way`; `None` of a single failure.
    pub(crate) fn more(&self) -> Option<String> {
        let rest = self.cases.get(1..).unwrap_or_default();
        let differ = rest.iter().filter(|case| case.verdict == Outcome::Differ).count();
        let verb = match (rest.len(), differ) {
            (0, _) => return None,
            (1, 1) => "vector differs",
            (1, _) => "vector fails",
            (_, 0) => "vectors fail",
            (all, some) if all == some => "vectors differ",
            _ => "vectors fail or differ",
        };
        Some(format!("{} more {verb} in the same way", rest.len()))
    }

    /// Returns the clauses that its failures speak against: those that the mutant breaks, or those that every failure accuses.
    pub(crate) fn clauses(&self) -> Vec<&'a str> {
        let accuses = |case: &Case, id: &str| case.accused().iter().any(|accused| accused == id);
        let by_all = |id: &&String| self.cases.iter().all(|case| accuses(case, id));
        let by_any = |id: &&String| self.cases.iter().any(|case| accuses(case, id));
        match (self.mutant, self.first()) {
            (Some(mutant), _) => mutant.clauses.iter().filter(by_any).map(String::as_str).collect(),
            (None, Some(first)) => first.accused().iter().filter(by_all).map(String::as_str).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the cause and its clauses: `read: expected not-found, got found (gone-at-deadline)`.
    pub(crate) fn told(&self) -> String {
        let (cause, clauses) = (self.cause(), self.clauses());
        let one_of = if clauses.len() > 1 && self.mutant.is_none() { "one of " } else { "" };
        match first_of(&clauses, 3, ", ", " and {} more") {
            clauses if clauses.is_empty() => cause,
            clauses => format!("{cause} ({one_of}{clauses})"),
        }
    }

    /// Returns the cause in a line: the mistake of the mutant, or what was asked, expected and answered.
    pub(crate) fn cause(&self) -> String {
        match (self.mutant, self.first()) {
            (Some(mutant), _) => clause_of(&mutant.says),
            (None, Some(case)) => difference(case),
            (None, None) => String::new(),
        }
    }
}

/// A sentence as a part of another one: without a period, and with a small letter first where it begins with a plain word.
pub(crate) fn clause_of(sentence: &str) -> String {
    let text = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(first), second) if second.is_none_or(|second| !second.is_uppercase()) => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.into(),
    }
}

/// Returns what was asked, expected and answered, without the names of items, which differ from vector to vector.
fn difference(case: &Case) -> String {
    let Some(failure) = &case.failure else { return String::new() };
    let asked = case.steps.get(failure.step).map_or("", |step| step.asked.as_str());
    let operation = asked.split([' ', ':', ',']).next().unwrap_or_default();
    cause(operation, &failure.expected, &failure.got)
}

impl Report {
    /// Returns the failures and the differences from a should, by cause: musts first, then the most frequent cause.
    pub(crate) fn failure_groups(&self) -> Vec<FailureGroup<'_>> {
        let like = self.diagnosis.iter().flat_map(|diagnosis| &diagnosis.like);
        let explained: BTreeMap<&str, &MutantLikeness> =
            like.flat_map(|one| one.vectors.iter().map(move |name| (name.as_str(), one))).collect();
        let mut by_mutant: BTreeMap<&str, FailureGroup<'_>> = BTreeMap::new();
        let mut by_difference: BTreeMap<_, FailureGroup<'_>> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| matches!(case.verdict, Outcome::Fail | Outcome::Differ)) {
            let mutant = explained.get(case.name.as_str()).copied();
            let group = || FailureGroup { mutant, cases: Vec::new() };
            let group = match mutant {
                Some(mutant) => by_mutant.entry(&mutant.mutant).or_insert_with(group),
                None => by_difference.entry(difference(case)).or_insert_with(group),
            };
            group.cases.push(case);
        }
        let mut groups: Vec<_> = by_mutant.into_values().chain(by_difference.into_values()).collect();
        let is_should = |case: &Case| case.verdict == Outcome::Differ;
        for group in &mut groups {
            group.cases.sort_by_key(|case| (is_should(case), case.steps.len(), &case.name));
        }
        groups.sort_by_key(|group| (group.first().is_some_and(is_should), Reverse(group.cases.len())));
        groups
    }
}
