//! The cells of all pairs of dimensions, and which vectors are in them.

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum as _;
use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Edition, Fault};
use cosmos_ttl_harness::vector::{Suite, Vector};

use super::watch::points;
use crate::args::Dimension;

/// A value of a dimension.
pub(super) type DimensionValue = (Dimension, String);

/// Two values of different dimensions, in the order of the dimensions.
pub(super) type Cell = (DimensionValue, DimensionValue);

/// How many vectors are in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VectorCount {
    /// Those that people wrote.
    pub(super) written: usize,
    /// Those that were derived.
    pub(super) derived: usize,
}

/// Every cell that a vector is in.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    values: BTreeMap<Dimension, Vec<String>>,
    counts: BTreeMap<Cell, VectorCount>,
}

impl Cells {
    /// Replays the vectors of a suite on the model, in each edition.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] of a vector that fails on the model.
    pub(super) fn of(suite: &Suite) -> Result<Self, Fault> {
        let clauses = suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
        let mut values: BTreeMap<_, _> =
            Dimension::value_variants().iter().map(|dimension| (*dimension, dimension.values())).collect();
        values.insert(Dimension::Clause, clauses.map(|clause| clause.id.clone()).collect());
        let vectors: Vec<_> = suite.vectors.iter().collect();
        let mut counts: BTreeMap<Cell, VectorCount> = BTreeMap::new();
        for (vector, cells) in vectors.iter().zip(parallel::map(&vectors, |vector| cells(vector))?) {
            for cell in cells {
                let count = counts.entry(cell).or_default();
                *(if vector.is_derived() { &mut count.derived } else { &mut count.written }) += 1;
            }
        }
        Ok(Self { values, counts })
    }

    /// Returns the values of a dimension, in their order.
    pub(super) fn values(&self, dimension: Dimension) -> &[String] {
        self.values.get(&dimension).map_or(&[], Vec::as_slice)
    }

    /// Returns how many vectors are in the cell of these values, which may stand in any order.
    pub(super) fn count(&self, one: DimensionValue, other: DimensionValue) -> VectorCount {
        let cell = if one.0 <= other.0 { (one, other) } else { (other, one) };
        self.counts.get(&cell).copied().unwrap_or_default()
    }

    /// Returns every cell with a hand-written vector.
    pub(super) fn written(&self) -> impl Iterator<Item = &Cell> {
        self.counts.iter().filter(|(_, count)| count.written > 0).map(|(cell, _)| cell)
    }

    /// Returns the values that vectors reach and no dimension knows.
    pub(super) fn unknown(&self) -> BTreeSet<&DimensionValue> {
        let reached = self.counts.keys().flat_map(|(one, other)| [one, other]);
        reached.filter(|(dimension, value)| !self.values(*dimension).contains(value)).collect()
    }
}

fn cells(vector: &Vector) -> Result<BTreeSet<Cell>, Fault> {
    let editions = [Edition::Y2020, Edition::Y2024].into_iter();
    // Each value has a number, since the comparison of texts would take most of the time.
    let mut numbers: BTreeMap<DimensionValue, usize> = BTreeMap::new();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for edition in editions.filter(|edition| vector.edition.is_none_or(|only| only == *edition)) {
        for point in points(vector, edition)? {
            let number = |value: DimensionValue| {
                let next = numbers.len();
                *numbers.entry(value).or_insert(next)
            };
            let values: Vec<usize> = point.into_iter().map(number).collect();
            for (place, one) in values.iter().enumerate() {
                pairs.extend(values.iter().skip(place + 1).map(|other| (*one, *other)));
            }
        }
    }
    let values: BTreeMap<usize, DimensionValue> =
        numbers.into_iter().map(|(value, number)| (number, value)).collect();
    let cell = |(one, other)| Some((values.get(&one)?.clone(), values.get(&other)?.clone()));
    Ok(pairs.into_iter().filter_map(cell).collect())
}
