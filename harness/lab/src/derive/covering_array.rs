//! Covering arrays: few rows in which the values of some factors meet in every combination.

use std::collections::BTreeSet;

/// A row that is not complete yet: a value for each factor, by its number.
pub(super) type PartialRow = [Option<usize>];

/// A set of factors, by its number, and a value for each of them.
type Combination = (usize, Vec<usize>);

/// Returns rows in which the values of each of these sets of factors meet in every combination that is possible, and that
/// no given row has.
///
/// A row is begun for the first combination that no row has yet. Each other factor gets the value that adds most
/// combinations.
pub(super) fn covering_array(
    sizes: &[usize],
    sets: &[&[usize]],
    is_possible: &dyn Fn(&PartialRow) -> bool,
    given: &[Vec<usize>],
) -> Vec<Vec<usize>> {
    let mut left: BTreeSet<Combination> = BTreeSet::new();
    for (number, factors) in sets.iter().enumerate() {
        let sizes: Vec<usize> = factors.iter().filter_map(|factor| sizes.get(*factor).copied()).collect();
        left.extend(all_values(&sizes).into_iter().map(|values| (number, values)));
    }
    let take_from = |left: &mut BTreeSet<Combination>, row: &PartialRow| {
        for (number, factors) in sets.iter().enumerate() {
            if let Some(values) = values_of(row, factors) {
                left.remove(&(number, values));
            }
        }
    };
    for row in given {
        take_from(&mut left, &row.iter().copied().map(Some).collect::<Vec<_>>());
    }
    let mut rows = Vec::new();
    while let Some((number, values)) = left.pop_first() {
        let mut row = vec![None; sizes.len()];
        for (factor, value) in sets.get(number).copied().unwrap_or_default().iter().zip(values) {
            set(&mut row, *factor, value);
        }
        if !is_possible(&row) || !complete(&mut row, sizes, sets, is_possible, &left, rows.len()) {
            continue;
        }
        take_from(&mut left, &row);
        rows.push(row.into_iter().map(Option::unwrap_or_default).collect());
    }
    rows
}

/// Completes a row; `false` if no value of some factor is possible.
fn complete(
    row: &mut [Option<usize>],
    sizes: &[usize],
    sets: &[&[usize]],
    is_possible: &dyn Fn(&PartialRow) -> bool,
    left: &BTreeSet<Combination>,
    turn: usize,
) -> bool {
    for (factor, size) in sizes.iter().enumerate() {
        if row.get(factor).is_some_and(Option::is_some) {
            continue;
        }
        let mut best: Option<(usize, usize)> = None;
        // Of values that add as much, each row begins with another one.
        for value in (0..*size).cycle().skip(turn % size).take(*size) {
            set(row, factor, value);
            if !is_possible(row) {
                continue;
            }
            let is_new = |(number, factors): &(usize, &&[usize])| {
                factors.contains(&factor)
                    && values_of(row, factors).is_some_and(|values| left.contains(&(*number, values)))
            };
            let adds = (0..).zip(sets).filter(is_new).count();
            if best.is_none_or(|(most, _)| adds > most) {
                best = Some((adds, value));
            }
        }
        let Some((_, value)) = best else { return false };
        set(row, factor, value);
    }
    true
}

fn set(row: &mut [Option<usize>], factor: usize, value: usize) {
    if let Some(place) = row.get_mut(factor) {
        *place = Some(value);
    }
}

/// Returns the values of these factors, if all are known.
fn values_of(row: &PartialRow, factors: &[usize]) -> Option<Vec<usize>> {
    factors.iter().map(|factor| row.get(*factor).copied()?).collect()
}

/// Returns every combination of values of factors with these sizes.
fn all_values(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |values: &Vec<usize>| {
            let values = values.clone();
            (0..*size).map(move |value| [values.as_slice(), &[value]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}
