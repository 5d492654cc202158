//! Expands tables: an entry of `vectors` that has `rows` stands for one vector for each combination of its rows.
//!
//! Everything happens on the tree of the YAML text, whose nodes know their places: an error in a vector of a table points at
//! its row or at the template of its step.

use std::ops::Range;

use crate::plain::plain;
use crate::yaml::fields::Flaw;
use crate::yaml::{Node, NodeKey, NodeKind};

/// Values of variables, the innermost last: each name with its value.
type Bindings<'n> = Vec<(&'n str, &'n Node)>;

/// One row of each axis so far.
struct Combination<'n> {
    /// Where the first row stands.
    span: Range<usize>,
    /// The values that the rows give.
    bound: Bindings<'n>,
    /// The name of each axis with that of its row.
    names: Vec<(&'n str, &'n str)>,
}

/// The greatest number of vectors of one table.
const MOST_VECTORS: usize = 1000;
/// The greatest number of values that the vectors of one file have when they are written out.
pub(super) const MOST_VALUES: usize = 500_000;
/// How deep values may stand in values, as a bound on those that name themselves.
const MOST_DEPTH: usize = 24;

const KEYS: [&str; 2] = ["rows", "except"];

/// Returns the vectors for which an entry of `vectors` stands, in order: for a table each combination of rows, else the entry
/// itself, with its loops and ranges written out. `left` is how many more values the file may have.
pub(super) fn expand(entry: &Node, left: &mut usize) -> Result<Vec<Node>, Flaw> {
    const HELP: &str = "write `rows: {axis: {row: {variable: value}}}`";
    let Some(rows) = entry.get("rows") else {
        return Ok(vec![Expansion { bound: &[], declared: None, left }.node(entry, 0)?]);
    };
    let whole = Combination { span: entry.span.clone(), bound: Vec::new(), names: Vec::new() };
    let mut combinations = vec![whole];
    if rows.entries().is_empty() {
        return Err(rows.flaw("`rows` has no axis", HELP));
    }
    for (axis, values) in rows.entries() {
        let is_row = |(_, fields): &&(NodeKey, Node)| matches!(fields.kind, NodeKind::Map(_));
        let rows = values.entries().iter().filter(is_row).count();
        if rows == 0 || rows < values.entries().len() {
            let what = format!("`{}` has no rows, or one that is no map", axis.name);
            return Err(values.flaw(what, HELP));
        }
        let product = rows.saturating_mul(combinations.len());
        if product > MOST_VECTORS {
            let what = format!("{product} vectors are too many");
            return Err(values.flaw(what, "at most 1000 of one table"));
        }
        let mut next = Vec::new();
        for Combination { span, bound, names } in &combinations {
            for (row, fields) in values.entries() {
                let span = if names.is_empty() { row.span.clone() } else { span.clone() };
                let mut bound = bound.clone();
                bound.extend(fields.entries().iter().map(|(key, value)| (key.name.as_ref(), value)));
                let mut names = names.clone();
                names.push((axis.name.as_ref(), row.name.as_ref()));
                next.push(Combination { span, bound, names });
            }
        }
        combinations = next;
    }
    let template = NodeKind::Map(
        entry.entries().iter().filter(|(key, _)| !KEYS.contains(&key.name.as_ref())).cloned().collect(),
    );
    let mut except: Vec<&Node> = entry.items_of("except").iter().collect();
    let mut vectors = Vec::new();
    for Combination { span, bound, names } in combinations {
        let names: Vec<(&str, Node)> =
            names.into_iter().map(|(axis, row)| (axis, text(row, &span))).collect();
        let mut all: Bindings<'_> = names.iter().map(|(axis, row)| (*axis, row)).collect();
        all.extend(bound);
        let mut expansion = Expansion { bound: &all, declared: Some(rows), left };
        let vector = expansion.node(&Node { span: span.clone(), kind: template.clone() }, 0)?;
        let id = vector.get("id").and_then(Node::as_text).unwrap_or_default();
        match except.iter().position(|name| name.as_text() == Some(id)) {
            Some(excepted) => drop(except.remove(excepted)),
            None => vectors.push(vector),
        }
    }
    match except.first() {
        Some(name) => {
            let what = format!("`{}` is no vector of this table", plain(name.as_text().unwrap_or_default()));
            Err(name.flaw(what, "`except` names the vectors that the table leaves out"))
        }
        None => Ok(vectors),
    }
}

fn text(text: &str, span: &Range<usize>) -> Node {
    Node { span: span.clone(), kind: NodeKind::Scalar { text: text.to_owned().into(), plain: true } }
}

/// Writes one vector out.
struct Expansion<'n, 'b> {
    bound: &'b [(&'n str, &'n Node)],
    /// The rows of the table: a variable that only some rows have is left out where it has no value.
    declared: Option<&'n Node>,
    /// How many more values the file may have.
    left: &'b mut usize,
}

impl<'n> Expansion<'n, '_> {
    /// The value that this name has, the innermost if there are several.
    fn bound(&self, name: &str) -> Option<&'n Node> {
        self.bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, value)| *value)
    }

    /// The value of `$name`; `None` where the row leaves it out.
    fn value(&self, name: &str, span: &Range<usize>) -> Result<Option<&'n Node>, Flaw> {
        if let Some(value) = self.bound(name) {
            return Ok(Some(value));
        }
        let rows = self.declared.iter().flat_map(|rows| rows.entries()).flat_map(|(_, axis)| axis.entries());
        if rows.into_iter().any(|(_, fields)| fields.get(name).is_some()) {
            return Ok(None);
        }
        let what = format!("`${}` has no value", plain(name));
        Err(Flaw::new(
            span,
            what,
            "a variable is a field of a row, the name of an axis, or what `each` names",
        ))
    }

    /// Counts a value, which stands this deep in other values; returns how deep those in it stand.
    fn enter(&mut self, span: &Range<usize>, depth: usize) -> Result<usize, Flaw> {
        let left = self.left.checked_sub(1).filter(|_| depth <= MOST_DEPTH);
        *self.left = left.ok_or_else(|| {
            let help = "a value must not contain itself, and a file has at most 500000 values";
            Flaw::new(span, "this stands for too much", help)
        })?;
        Ok(depth.saturating_add(1))
    }

    fn node(&mut self, node: &Node, depth: usize) -> Result<Node, Flaw> {
        let depth = self.enter(&node.span, depth)?;
        let kind = match &node.kind {
            NodeKind::Scalar { text, plain } => match variable(node) {
                Some(name) => match self.value(name, &node.span)? {
                    Some(value) => return self.node(value, depth),
                    None => {
                        return Err(node.flaw(format!("`${name}` has no value in this row"), ""));
                    }
                },
                None => NodeKind::Scalar { text: self.text(text, &node.span, depth)?.into(), plain: *plain },
            },
            NodeKind::List(items) => NodeKind::List(self.items(items, depth)?),
            NodeKind::Map(entries) => NodeKind::Map(self.entries(entries, depth)?),
        };
        Ok(Node { span: node.span.clone(), kind })
    }

    /// A variable in a list whose value is a list stands for the entries of that; so does a range, `i000..i119`.
    fn items(&mut self, items: &[Node], depth: usize) -> Result<Vec<Node>, Flaw> {
        let mut all = Vec::new();
        for item in items {
            if let Some(name) = variable(item) {
                match self.value(name, &item.span)? {
                    Some(Node { kind: NodeKind::List(values), .. }) => {
                        let depth = self.enter(&item.span, depth)?;
                        all.extend(self.items(values, depth)?);
                    }
                    Some(value) => all.push(self.node(value, depth)?),
                    None => {}
                }
            } else if let Some(range) = item.as_plain().and_then(range) {
                for name in range {
                    self.enter(&item.span, depth)?;
                    all.push(text(&name, &item.span));
                }
            } else if let Some(each) = item.get("each") {
                all.extend(self.each(item, each, depth)?);
            } else {
                all.push(self.node(item, depth)?);
            }
        }
        Ok(all)
    }

    /// `{each: {name: list}, steps: [...]}` stands for the steps, once for each value.
    fn each(&mut self, item: &Node, each: &Node, depth: usize) -> Result<Vec<Node>, Flaw> {
        const HELP: &str = "write `each: {name: [values]}` and `steps`";
        let ([(name, list)], Some(steps), 2) = (each.entries(), item.get("steps"), item.entries().len())
        else {
            return Err(item.flaw("this is no loop", HELP));
        };
        let list = match variable(list) {
            Some(name) => self.value(name, &list.span)?,
            None => Some(list),
        };
        let values = self.items(list.map_or(&[], Node::items), depth)?;
        let mut all = Vec::new();
        for value in &values {
            let mut bound = self.bound.to_vec();
            bound.push((&name.name, value));
            let mut inner = Expansion { bound: &bound, declared: self.declared, left: &mut *self.left };
            all.extend(inner.items(steps.items(), depth)?);
        }
        Ok(all)
    }

    /// A variable in place of a key stands for the entries of its map. An entry whose value has no value is left out.
    fn entries(&mut self, entries: &[(NodeKey, Node)], depth: usize) -> Result<Vec<(NodeKey, Node)>, Flaw> {
        let mut all = Vec::new();
        for (key, node) in entries {
            if let Some(name) = key.name.strip_prefix('$').filter(|_| node.is_null()) {
                if let Some(value) = self.value(name, &key.span)? {
                    let NodeKind::Map(merged) = &value.kind else {
                        let what = format!("`${name}` is no map of fields");
                        return Err(Flaw::new(&key.span, what, "only a map can stand in place of fields"));
                    };
                    let depth = self.enter(&key.span, depth)?;
                    all.extend(self.entries(merged, depth)?);
                }
                continue;
            }
            let is_left_out = match variable(node) {
                Some(name) => self.value(name, &node.span)?.is_none(),
                None => false,
            };
            if !is_left_out {
                all.push((key.clone(), self.node(node, depth)?));
            }
        }
        Ok(all)
    }

    /// `{name}` in a text stands for the text that is the value of a variable. Other braces stay as they are.
    fn text(&mut self, text: &str, span: &Range<usize>, depth: usize) -> Result<String, Flaw> {
        let mut all = String::new();
        let mut rest = text;
        while !self.bound.is_empty()
            && let Some((before, after)) = rest.split_once('{')
            && let Some((name, after)) = after.split_once('}')
        {
            all.push_str(before);
            match self.bound(name) {
                Some(value) => {
                    let value = self.node(value, depth)?;
                    let Some(value) = value.as_text() else {
                        let help = "name a variable that is a text";
                        return Err(Flaw::new(span, format!("`{{{name}}}` is no text"), help));
                    };
                    all.push_str(value);
                }
                None => all.extend(["{", name, "}"]),
            }
            rest = after;
        }
        all.push_str(rest);
        Ok(all)
    }
}

/// The name of the variable that stands here.
fn variable(node: &Node) -> Option<&str> {
    node.as_plain()?.strip_prefix('$')
}

/// The texts of a range `i000..i119`: the same letters, and numbers of as many digits.
fn range(text: &str) -> Option<impl Iterator<Item = String>> {
    let (from, to) = text.split_once("..")?;
    let digits = from.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (letters, first) = from.split_at_checked(from.len().checked_sub(digits)?)?;
    let last = to.strip_prefix(letters).filter(|last| last.len() == digits)?;
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    Some((first..=last).map(move |number| format!("{letters}{number:0digits$}")))
}
