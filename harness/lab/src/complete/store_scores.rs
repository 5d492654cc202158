//! The scores of the complete suite on faulty stores, next to those of vectors and of random requests, and on correct ones.
//!
//! They are kept in a file, [`SCORES_FILE`], since it takes half an hour to find them. Tests compare a part of it with what
//! they find.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use cosmos_ttl::shell::write_stderr;
use cosmos_ttl_complete::{CompleteOptions, Depth};
use cosmos_ttl_explore::{ExploreOptions, search};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use serde::{Deserialize, Serialize};

use crate::faults::{SEEDS, first_with};
use crate::store_group::{GroupStores, StoreGroup};

use super::score::{StoreResult, Survivors, results, results_of};

/// The file of the scores, in the directory of the certificate.
pub const SCORES_FILE: &str = "scores.json";

/// The requests of each exploration.
const STEPS: u64 = 20_000;

/// The scores on all groups of stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreScores {
    /// The mutants and the controls, and each set of independent stores.
    pub groups: Vec<GroupScore>,
}

/// The scores on one group of stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GroupScore {
    /// The word that names the group.
    pub group: String,
    /// How many faulty stores it has.
    pub faulty: usize,
    /// How many of them the hand-written vectors find.
    pub hand_written: usize,
    /// How many of them the derived vectors find.
    pub derived: usize,
    /// How many of them random requests find.
    pub random_requests: usize,
    /// How many of them the complete suite finds at depth 0, 1 and so on.
    pub complete_by_depth: Vec<usize>,
    /// How many correct stores it has.
    pub correct: usize,
    /// How many of them met the suite of two items as well.
    pub correct_by_two_items: usize,
    /// The correct stores that a suite accuses, each with the reason.
    pub accused: Vec<String>,
    /// The stores that greater depths find, and depth 0 does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_at_depth_0: Vec<String>,
    /// The stores that answer otherwise than the machine allows, where no clause says that they must not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows_no_clause: Vec<String>,
    /// The stores that the suite does not find at any of these depths.
    pub survivors: Vec<SurvivorGroup>,
}

/// Stores that survive for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurvivorGroup {
    /// The features of a test that shows them, as far as the suite lacks these.
    pub needs: Vec<String>,
    /// Their names.
    pub stores: Vec<String>,
}

impl StoreScores {
    /// Scores these groups, and replaces what was known of them. `with_derived` has the hand-written vectors and the derived
    /// ones; `save` gets the scores after each group.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives, and the errors of `save`.
    pub fn update<E: From<Fault>>(
        &mut self,
        groups: &[StoreGroup],
        with_derived: &Suite,
        depth: Depth,
        mut save: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        for group in groups {
            let score = GroupScore::of(*group, with_derived, depth)?;
            self.groups.retain(|one| one.group != score.group);
            self.groups.push(score);
            let place = |one: &GroupScore| StoreGroup::all().position(|group| group.word() == one.group);
            self.groups.sort_by_key(place);
            save(self)?;
        }
        Ok(())
    }

    /// Returns the correct stores that are accused, each with the reason.
    pub fn accused(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|one| &one.accused).map(String::as_str)
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    ///
    /// An error of the writer of JSON.
    pub fn page(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Returns the scores of the faulty stores as a table in Markdown.
    pub fn table(&self) -> String {
        let deepest = self.groups.iter().map(|one| one.complete_by_depth.len()).max().unwrap_or(0);
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let words = ["stores", "faulty", "hand-written", "derived", "random requests"];
        let mut heads: Vec<String> = words.map(str::to_owned).into();
        heads.extend((0..deepest).map(|depth| format!("complete, depth {depth}")));
        heads.push("correct, accused".into());
        let mut text = row(&heads) + &"|---".repeat(heads.len()) + "|\n";
        for one in &self.groups {
            let counts = [one.faulty, one.hand_written, one.derived, one.random_requests];
            let mut cells = vec![one.group.clone()];
            cells.extend(counts.iter().chain(&one.complete_by_depth).map(usize::to_string));
            cells.resize(heads.len() - 1, String::new());
            cells.push(format!("{}, {}", one.correct, one.accused.len()));
            text += &row(&cells);
        }
        text
    }
}

impl GroupScore {
    /// Plays the suites up to this depth, all vectors and random requests against the stores of a group.
    fn of(group: StoreGroup, suite: &Suite, depth: Depth) -> Result<Self, Fault> {
        group.with_stores(|stores| Self::of_stores(group, stores, suite, depth))
    }

    fn of_stores(
        group: StoreGroup,
        stores: &GroupStores<'_>,
        suite: &Suite,
        depth: Depth,
    ) -> Result<Self, Fault> {
        let (derived, written): (Vec<_>, Vec<_>) = suite.vectors.iter().partition(|one| one.is_derived());
        let count = |is_found: &(dyn Fn(&dyn Target) -> Result<bool, Fault> + Sync)| {
            let found = parallel::map(&stores.faulty, |(_, store)| is_found(*store))?;
            Ok::<_, Fault>(found.into_iter().filter(|found| *found).count())
        };
        let hand_written = count(&|store| is_found_by_vectors(store, &written))?;
        let derived = count(&|store| is_found_by_vectors(store, &derived))?;
        let random_requests = count(&|store| is_found_by_requests(store, suite))?;
        let word = group.word();
        told(&format!("{word}: vectors and random requests done"));
        let mut left = stores.faulty.clone();
        let mut by_depth: Vec<BTreeSet<&str>> = Vec::new();
        let mut last = Vec::new();
        for depth in 0..=depth.0 {
            // A suite has all tests of the suites of smaller depths.
            last = results(suite, Depth(depth), &left)?;
            by_depth.push(last.iter().filter(|one| one.is_found()).map(|one| one.name).collect());
            left.retain(|(name, _)| !by_depth.iter().any(|found| found.contains(name)));
            told(&format!("{word}: depth {depth} done"));
        }
        let mut complete_by_depth = Vec::new();
        for found in &by_depth {
            complete_by_depth.push(complete_by_depth.last().copied().unwrap_or(0) + found.len());
        }
        let names =
            |all: &mut dyn Iterator<Item = &&'static str>| all.map(|name| (*name).to_owned()).collect();
        let noticed: Vec<_> = last.iter().filter(|one| one.is_noticed()).map(|one| one.name).collect();
        let survivors = match group {
            StoreGroup::Mutants => Survivors::of_mutants(suite, &last)?,
            StoreGroup::Set(set) => Survivors::of_faults(set, suite, &last)?,
        };
        let groups = survivors.0.into_iter().map(|(needs, stores)| SurvivorGroup {
            needs: needs.iter().map(ToString::to_string).collect(),
            stores: names(&mut stores.iter()),
        });
        let by_one = results(suite, depth, &stores.correct)?;
        let by_two = results_of(suite, CompleteOptions::two_items, &stores.correct_by_two_items)?;
        told(&format!("{word}: correct stores done"));
        let accused = by_one.iter().chain(&by_two).filter(|one| one.is_accused());
        Ok(Self {
            group: word.to_owned(),
            faulty: stores.faulty.len(),
            hand_written,
            derived,
            random_requests,
            complete_by_depth,
            correct: by_one.len(),
            correct_by_two_items: by_two.len(),
            accused: accused.map(accusation).collect(),
            not_at_depth_0: names(&mut by_depth.iter().skip(1).flatten()),
            shows_no_clause: names(&mut noticed.iter()),
            survivors: groups.collect(),
        })
    }

    /// Returns the names of the stores that the suite of depth 0 does not find.
    pub fn survivors_of_depth_0(&self) -> BTreeSet<&str> {
        let groups = self.survivors.iter().flat_map(|group| &group.stores);
        groups.chain(&self.not_at_depth_0).chain(&self.shows_no_clause).map(String::as_str).collect()
    }
}

/// Returns a correct store that is accused, and why.
fn accusation(one: &StoreResult) -> String {
    let found = one.done.found.as_ref().map(|found| &found.differs);
    let differs =
        found.map_or_else(String::new, |one| format!(": expected {}, got {}", one.expected, one.got));
    let unconfirmed = one.done.unconfirmed.first();
    let unconfirmed = unconfirmed.map_or_else(String::new, |what| format!("; not confirmed: {what}"));
    format!("{}{differs}{unconfirmed}", one.name)
}

fn is_found_by_vectors(store: &dyn Target, vectors: &[&Vector]) -> Result<bool, Fault> {
    let finds = |outcome| matches!(outcome, Outcome::Fail | Outcome::Differ);
    Ok(first_with(finds, store, vectors)?.is_some())
}

fn is_found_by_requests(store: &dyn Target, suite: &Suite) -> Result<bool, Fault> {
    for seed in SEEDS {
        let stop = AtomicBool::new(false);
        let result = search(store, suite, &ExploreOptions { seed, steps: STEPS, stop: &stop }, 0, false)?;
        if result.shown.is_some() || result.shoulds > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn told(what: &str) {
    write_stderr(&format!("{what}\n"));
}
