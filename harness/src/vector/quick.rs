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
struct QuickText {
    format: u32,
    vectors: Vec<String>,
}

/// The names in the file, each that of one of these vectors.
pub(super) fn read(source: &Arc<Source>, vectors: &[Vector]) -> Result<BTreeSet<String>, Diagnostic> {
    let (file, tree): (QuickText, Node) = yaml::read(source)?;
    yaml::require_format_1(source, &tree, file.format)?;
    let refused = |span, what: String, help: &str| Err(Diagnostic::at(source, span, what, help));
    if file.vectors.is_empty() {
        return refused(tree.span_of("vectors"), "no vectors".into(), "`cargo lab quick` writes this file");
    }
    let mut names = BTreeSet::new();
    for (name, node) in file.vectors.into_iter().zip(tree.get("vectors").map_or(&[][..], Node::items)) {
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
