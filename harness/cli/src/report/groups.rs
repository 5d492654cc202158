//! Groups failures by their cause: the mutant that explains them, or else what was asked, expected and answered.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::report::{Case, MutantLikeness, Outcome, Report};

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

    /// Returns the cause in a line: `mutant:one-second-late: …`, or `read: expected not-found, got found`.
    pub(crate) fn cause(&self) -> String {
        match (self.mutant, self.first()) {
            (Some(mutant), _) => format!("mutant:{}: {}", mutant.mutant, mutant.says),
            (None, Some(case)) => {
                let (operation, expected, got) = difference(case);
                format!("{operation}: expected {expected}, got {got}")
            }
            (None, None) => String::new(),
        }
    }
}

/// Returns the operation of a failure, the expected response and the actual one, without the names of items.
fn difference(case: &Case) -> (String, String, String) {
    let Some(failure) = &case.failure else { return <_>::default() };
    let asked = case.steps.get(failure.step).map_or("", |step| step.asked.as_str());
    let operation = asked.split([' ', ':']).next().unwrap_or_default();
    (operation.into(), without_ids(&failure.expected), without_ids(&failure.got))
}

/// A list of ids shows as `[…]`, as it differs from vector to vector.
fn without_ids(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, list)) = rest.split_once('[') {
        out.push_str(before);
        out.push_str("[…]");
        rest = list.split_once(']').map_or("", |(_, after)| after);
    }
    out + rest
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
