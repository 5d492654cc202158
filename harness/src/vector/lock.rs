//! The files beside the vectors: `vectors.lock`, every id that was ever published, with the digest of its meaning or the
//! reason why it went away; and `quick.yaml`, the vectors that are enough for a quick look.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::Vector;
use crate::diagnostic::{Diagnostic, Source};
use crate::yaml::{self, Node};

/// The first 128 bits of SHA-256, in hexadecimal.
pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(16).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

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
    /// The first line that is no entry.
    pub fn parse(source: &Arc<Source>) -> Result<Self, Diagnostic> {
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
                return Err(Diagnostic::at(
                    source,
                    span,
                    "not an entry",
                    "`NAME DIGEST` or `NAME retired WHY`",
                ));
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
            match self.entries.get(&vector.name) {
                None => drift.new.push(vector.name.clone()),
                Some(entry) if entry.starts_with(RETIRED) => drift.reused.push(vector.name.clone()),
                Some(digest) if *digest != vector.digest => drift.changed.push(vector.name.clone()),
                Some(_) => {}
            }
        }
        for (name, entry) in &self.entries {
            if !entry.starts_with(RETIRED) && !vectors.iter().any(|vector| vector.name == *name) {
                drift.gone.push(name.clone());
            }
        }
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

/// The file that names the quick vectors.
pub const QUICK_FILE: &str = "quick.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuickText {
    format: u32,
    vectors: Vec<String>,
}

/// The names in the file, each that of one of these vectors.
pub(super) fn read_quick(source: &Arc<Source>, vectors: &[Vector]) -> Result<BTreeSet<String>, Diagnostic> {
    let (file, tree): (QuickText, Node) = yaml::read(source)?;
    yaml::require_format_1(source, &tree, file.format)?;
    let refused = |span, what: String, help: &str| Err(Diagnostic::at(source, span, what, help));
    if file.vectors.is_empty() {
        return refused(tree.span_of("vectors"), "no vectors".into(), "`cargo lab quick` writes this file");
    }
    let mut names = BTreeSet::new();
    for (name, node) in file.vectors.into_iter().zip(tree.items_of("vectors")) {
        if !vectors.iter().any(|vector| vector.name == name) {
            let help = "`cargo lab quick` writes this file anew, of the vectors by hand";
            return refused(node.span.clone(), format!("`{name}` is no vector"), help);
        }
        if names.contains(&name) {
            return refused(node.span.clone(), format!("`{name}` stands here twice"), "once is enough");
        }
        names.insert(name);
    }
    Ok(names)
}
