//! `quick.yaml`: the vectors that are enough for a quick look.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use super::Vector;
use crate::diagnostic::{Diagnostic, Source};
use crate::yaml::{self, Node};

/// The file that names the quick vectors.
pub const QUICK_FILE: &str = "quick.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    vectors: Vec<String>,
}

/// The names in the file, each that of one of these vectors.
pub(super) fn read(source: &Arc<Source>, vectors: &[Vector]) -> Result<BTreeSet<String>, Diagnostic> {
    let (file, tree): (File, Node) = yaml::read(source)?;
    let flaw = |node: &Node, what: String, help: &str| Diagnostic::at(source, node.span.clone(), what, help);
    if file.format != 1 {
        let node = tree.get("format").unwrap_or(&tree);
        return Err(flaw(node, format!("format {} is not known", file.format), "this reads format 1"));
    }
    let list = tree.get("vectors").unwrap_or(&tree);
    if file.vectors.is_empty() {
        return Err(flaw(list, "no vectors".into(), "`cargo lab quick` writes this file"));
    }
    let mut names = BTreeSet::new();
    for (name, node) in file.vectors.into_iter().zip(list.items()) {
        if !vectors.iter().any(|vector| vector.name == name) {
            let help = "`cargo lab quick` writes this file anew, of the vectors by hand";
            return Err(flaw(node, format!("`{name}` is no vector"), help));
        }
        if names.contains(&name) {
            return Err(flaw(node, format!("`{name}` stands here twice"), "once is enough"));
        }
        names.insert(name);
    }
    Ok(names)
}
