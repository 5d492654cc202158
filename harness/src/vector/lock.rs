//! `vectors.lock`: every vector ever published, with the digest of its meaning or the reason why it went away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Vector;
use crate::diagnostic::{Diagnostic, Source};
use crate::yaml::characters;

const HEAD: &str = "\
# Every vector ever published: its name and the digest of its clauses, edition and steps; or, of one that went away,
# `retired` and why. Names are never used again. Written by `cargo lab lock`.
";

/// Every vector ever published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// By name, the digest, or `retired` and why.
    entries: BTreeMap<String, String>,
}

const RETIRED: &str = "retired ";

/// How the vectors differ from what was published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Vectors that are not in the lock yet.
    pub new: Vec<String>,
    /// Vectors that mean something else than when they were published.
    pub changed: Vec<String>,
    /// Vectors that were published and are not there.
    pub gone: Vec<String>,
    /// Vectors whose name belongs to one that was retired.
    pub reused: Vec<String>,
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    ///
    /// The first line that is no entry, or a character that ends a line for some readers only.
    pub fn parse(source: &Arc<Source>) -> Result<Self, Diagnostic> {
        characters::check(source)?;
        let mut entries = BTreeMap::new();
        let mut start = 0_usize;
        for line in source.text.split_inclusive('\n') {
            let span = start..start.saturating_add(line.trim_end().len());
            start = start.saturating_add(line.len());
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let is_entry = |(_, rest): &(&str, &str)| rest.len() == 32 || rest.starts_with(RETIRED);
            let Some((name, entry)) = line.trim_end().split_once(' ').filter(is_entry) else {
                let help = "`NAME DIGEST` or `NAME retired WHY`";
                return Err(Diagnostic::at(source, span, "not an entry", help));
            };
            if entries.insert(name.to_owned(), entry.to_owned()).is_some() {
                return Err(Diagnostic::at(source, span, format!("`{name}` stands here twice"), ""));
            }
        }
        Ok(Self { entries })
    }

    /// How these vectors differ from what was published.
    pub fn drift(&self, vectors: &[Vector]) -> Drift {
        let mut drift = Drift::default();
        for vector in vectors {
            let list = match self.entries.get(&vector.name) {
                None => &mut drift.new,
                Some(entry) if entry.starts_with(RETIRED) => &mut drift.reused,
                Some(digest) if *digest != vector.digest => &mut drift.changed,
                Some(_) => continue,
            };
            list.push(vector.name.clone());
        }
        let names: BTreeSet<_> = vectors.iter().map(|vector| vector.name.as_str()).collect();
        let published = self.entries.iter().filter(|(_, entry)| !entry.starts_with(RETIRED));
        let gone = published.filter(|(name, _)| !names.contains(name.as_str()));
        drift.gone = gone.map(|(name, _)| name.clone()).collect();
        drift
    }

    /// Publishes a vector as it is now.
    pub fn publish(&mut self, vector: &Vector) {
        self.entries.insert(vector.name.clone(), vector.digest.clone());
    }

    /// Leaves a tombstone.
    pub fn retire(&mut self, name: &str, why: &str) {
        let why = why.lines().collect::<Vec<_>>().join(" ");
        self.entries.insert(name.into(), format!("{RETIRED}{why}"));
    }

    /// The lock as text, in the order of names.
    pub fn render(&self) -> String {
        self.entries.iter().fold(HEAD.to_owned(), |text, (name, entry)| text + name + " " + entry + "\n")
    }
}
