//! Reads `quick.yaml`, the names of the vectors that are enough for a quick look.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use super::Vector;
use crate::diagnostic::{Diagnostic, Source};
use crate::plain::plain;
use crate::yaml::{self, Node};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuickText {
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    format: u32,
    vectors: Vec<String>,
}

/// Returns the names in the file, each that of one of these vectors.
pub(super) fn read(source: &Arc<Source>, vectors: &[Vector]) -> Result<BTreeSet<String>, Diagnostic> {
    let (file, tree): (QuickText, Node) = yaml::read(source)?;
    if file.vectors.is_empty() {
        let help = "`cargo lab quick` writes this file";
        return Err(Diagnostic::at(source, tree.span_of("vectors"), "no vectors", help));
    }
    let known: BTreeSet<_> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    let mut names = BTreeSet::new();
    for (name, node) in file.vectors.into_iter().zip(tree.items_of("vectors")) {
        let (what, help) = if !known.contains(name.as_str()) {
            let help = "`cargo lab quick` writes this file anew, of the vectors by hand";
            (format!("`{}` is no vector", plain(&name)), help)
        } else if names.contains(&name) {
            (format!("`{name}` stands here twice"), "once is enough")
        } else {
            names.insert(name);
            continue;
        };
        return Err(Diagnostic::at(source, node.span.clone(), what, help));
    }
    Ok(names)
}
