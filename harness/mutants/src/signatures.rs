//! How each mutant fails which vector, as `cargo lab update` wrote it: a diagnosis plays no mutant.
//!
//! The file names the mutants, then each vector with the start of its digest. Under a vector, a line has a step, the start
//! of a digest of the failure there, the schedule of removal if it took one, and the numbers of the mutants that fail so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cosmos_ttl_harness::target::Removal;
use cosmos_ttl_harness::vector::{Vector, digest};
use cosmos_ttl_harness::verdict::Failure;

use super::list::{Mutant, mutants};
use super::matrix::Matrix;

/// The place of the file in the project.
pub const SIGNATURES_FILE: &str = "harness/mutants/signatures.txt";

const TEXT: &str = include_str!("../signatures.txt");

const HEAD: &str = "# Written by `cargo lab update` from the kill matrix; never edited.\n";

/// How a mutant fails a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// The mutant.
    pub mutant: &'static Mutant,
    /// The step that fails.
    pub step: usize,
    /// Whether it fails so only where items are removed.
    pub takes_removal: bool,
    /// The start of a digest of the answer there; see [`answer`].
    pub answer: &'static str,
}

/// The signatures of every vector, by its name, with the start of its digest.
#[derive(Debug, Default)]
pub struct Signatures(BTreeMap<&'static str, (&'static str, Vec<FailureSignature>)>);

impl Signatures {
    /// Reads the file.
    pub fn read() -> Self {
        let mut vectors: Vec<(&str, (&str, Vec<FailureSignature>))> = Vec::new();
        let named: BTreeMap<&str, &'static Mutant> = mutants().map(|mutant| (mutant.name, mutant)).collect();
        let mut numbered = Vec::new();
        for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ').peekable();
            let (Some(first), Some(second)) = (words.next(), words.next()) else { continue };
            if first == "mutants" {
                numbered = [second].into_iter().chain(words).map(|name| named.get(name).copied()).collect();
            } else if let Ok(step) = first.parse() {
                let takes_removal = words.next_if(|word| word.parse::<usize>().is_err()).is_some();
                let fail = words.filter_map(|number| numbered.get(number.parse::<usize>().ok()?).copied()?);
                let signature = |mutant| FailureSignature { mutant, step, takes_removal, answer: second };
                if let Some((_, (_, all))) = vectors.last_mut() {
                    all.extend(fail.map(signature));
                }
            } else {
                vectors.push((first, (second, Vec::new())));
            }
        }
        Self(vectors.into_iter().collect())
    }

    /// Returns how mutants fail a vector; `None` of a vector that is none of the file's, or means something else now.
    pub fn of(&self, vector: &Vector) -> Option<&[FailureSignature]> {
        let (digest, signatures) = self.0.get(vector.name.as_str())?;
        vector.digest().starts_with(digest).then_some(signatures)
    }
}

/// Returns the file of a kill matrix of every mutant.
pub fn page(matrix: &Matrix<'_>) -> String {
    type Failed<'m> = BTreeMap<(usize, String, Option<Removal>), Vec<usize>>;
    let mut failed: BTreeMap<&str, Failed<'_>> = BTreeMap::new();
    for (number, row) in matrix.rows.iter().enumerate() {
        for (vector, failure) in &row.failures {
            let removal = failure.removal.filter(|removal| *removal != Removal::Never);
            let groups = failed.entry(&vector.name).or_default();
            groups.entry((failure.step, answer(failure), removal)).or_default().push(number);
        }
    }
    let names: Vec<_> = matrix.rows.iter().map(|row| row.mutant.name).collect();
    let mut page = format!("{HEAD}mutants {}\n", names.join(" "));
    for vector in &matrix.suite.vectors {
        let _ = writeln!(page, "{} {}", vector.name, start(vector.digest(), 8));
        for ((step, answer, removal), mutants) in failed.remove(vector.name.as_str()).unwrap_or_default() {
            let removal = removal.map_or_else(String::new, |removal| format!(" {removal}"));
            let mutants: Vec<_> = mutants.iter().map(ToString::to_string).collect();
            let _ = writeln!(page, "{step} {answer}{removal} {}", mutants.join(" "));
        }
    }
    page
}

/// Returns the start of a digest of what was expected and what came.
pub fn answer(failure: &Failure) -> String {
    start(&digest(&format!("{}\n{}", failure.expected, failure.got)), 4).to_owned()
}

fn start(digest: &str, length: usize) -> &str {
    digest.get(..length).unwrap_or(digest)
}
