//! Whether a tree of tests satisfies the condition under which it is complete.
//!
//! F. Vaandrager and I. Melse ("New Fault Domains for Conformance Testing of Finite State Machines", CONCUR 2025) call two
//! nodes of the tree *apart* if some sequence leaves both and is answered differently. A suite is complete of depth `k` for
//! the access sequences A if
//! - the nodes of A are apart from each other, and lead on by every input, as do the nodes at most `k` inputs behind them;
//! - every successor of these nodes is *identified*: it is apart from all nodes of A but one;
//! - a successor and a node before it are apart, or both are apart from the same nodes of A.
//!
//! The check sees the tests and the answers to them, and nothing of how they were made.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_explore::complete::{
    CompleteSuite, InputNumber, Machine, MachineAnswer, StateNumber, TestCase,
};

use super::faulty::differ;

/// The number of a node in its tree.
type TreeNode = u32;

/// All tests together, each node by what leads on from it: the input, what is answered to it, and the next node.
struct ObservationTree<'m> {
    nodes: Vec<Vec<(InputNumber, &'m [MachineAnswer], TreeNode)>>,
    /// The nodes of new containers, by the number of their opening.
    roots: BTreeMap<u8, TreeNode>,
}

impl<'m> ObservationTree<'m> {
    fn of(suite: &CompleteSuite<'m>) -> Self {
        let mut tree = Self { nodes: Vec::new(), roots: BTreeMap::new() };
        suite.each(&mut |test| {
            tree.grow(suite.machine(), test);
            true
        });
        tree
    }

    fn grow(&mut self, machine: &'m Machine, test: &TestCase) {
        let opened = machine.opened().get(usize::from(test.opening)).copied();
        let Some(mut state) = opened else { return };
        let mut node = if let Some(root) = self.roots.get(&test.opening) {
            *root
        } else {
            let root = self.add();
            self.roots.insert(test.opening, root);
            root
        };
        for input in &test.inputs {
            let Some((answers, next)) = machine.step(state, *input) else { return };
            node = if let Some((_, child)) = self.child(node, *input) {
                child
            } else {
                let child = self.add();
                if let Some(children) = self.nodes.get_mut(index(node)) {
                    children.push((*input, answers, child));
                }
                child
            };
            state = next;
        }
    }

    fn add(&mut self) -> TreeNode {
        self.nodes.push(Vec::new());
        TreeNode::try_from(self.nodes.len() - 1).unwrap_or(TreeNode::MAX)
    }

    fn children(&self, node: TreeNode) -> &[(InputNumber, &'m [MachineAnswer], TreeNode)] {
        self.nodes.get(index(node)).map_or(&[], Vec::as_slice)
    }

    fn child(&self, node: TreeNode, input: InputNumber) -> Option<(&'m [MachineAnswer], TreeNode)> {
        let found = self.children(node).iter().find(|(one, _, _)| *one == input)?;
        Some((found.1, found.2))
    }

    fn node(&self, test: &TestCase) -> Option<TreeNode> {
        let root = *self.roots.get(&test.opening)?;
        test.inputs.iter().try_fold(root, |node, input| Some(self.child(node, *input)?.1))
    }

    /// Returns whether some sequence leaves both nodes and is answered differently.
    fn are_apart(&self, one: TreeNode, other: TreeNode) -> bool {
        let (few, many) =
            if self.children(one).len() < self.children(other).len() { (one, other) } else { (other, one) };
        self.children(few).iter().any(|(input, answers, next)| {
            self.child(many, *input).is_some_and(|(others, other_next)| {
                differ(answers, others) || self.are_apart(*next, other_next)
            })
        })
    }
}

fn index(node: TreeNode) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}

/// Checks the condition for these access sequences and this depth.
///
/// # Errors
///
/// An error is a sentence about a part of the condition that does not hold.
pub fn check(suite: &CompleteSuite<'_>) -> Result<(), String> {
    let (machine, tree) = (suite.machine(), ObservationTree::of(suite));
    let missing = || "an access sequence is not in the tree".to_owned();
    let reached = suite.access.iter().map(|(test, state)| Some((tree.node(test)?, *state)));
    let basis: Vec<(TreeNode, StateNumber)> = reached.collect::<Option<_>>().ok_or_else(missing)?;
    for (number, (one, _)) in basis.iter().enumerate() {
        if basis.iter().take(number).any(|(other, _)| !tree.are_apart(*one, *other)) {
            return Err(format!("access sequence {number} is not told apart from an earlier one"));
        }
    }
    let candidates = |node: TreeNode| -> Vec<usize> {
        let like = |(_, (one, _)): &(usize, &(TreeNode, StateNumber))| !tree.are_apart(node, *one);
        basis.iter().enumerate().filter(like).map(|(number, _)| number).collect()
    };
    // The nodes of A, and those at most `depth` inputs of the core behind them.
    let mut before = basis.clone();
    let mut layer = basis.clone();
    let mut successors: BTreeSet<TreeNode> = BTreeSet::new();
    for depth in 0..=suite.depth.0 {
        let mut next_layer = Vec::new();
        for (node, state) in &layer {
            for input in (0..=u8::MAX).take(machine.input_count()) {
                let Some((_, next)) = machine.step(*state, input) else { continue };
                let Some((_, child)) = tree.child(*node, input) else {
                    return Err(format!(
                        "input {input} is not sent at a node {depth} behind an access sequence"
                    ));
                };
                successors.insert(child);
                if usize::from(input) < machine.core() {
                    next_layer.push((child, next));
                }
            }
        }
        if depth < suite.depth.0 {
            before.extend(next_layer.iter().copied());
        }
        layer = next_layer;
    }
    let mut groups: BTreeMap<usize, Vec<TreeNode>> = BTreeMap::new();
    for (node, _) in before {
        match candidates(node).as_slice() {
            [only] => groups.entry(*only).or_default().push(node),
            many => return Err(format!("a node may be {} of the access sequences", many.len())),
        }
    }
    for node in successors {
        let all = candidates(node);
        let [only] = all.as_slice() else {
            return Err(format!("a successor may be {} of the access sequences", all.len()));
        };
        let mut others = groups.iter().filter(|(group, _)| *group != only).flat_map(|(_, nodes)| nodes);
        if others.any(|other| !tree.are_apart(node, *other)) {
            return Err("a successor is not told apart from a node of another state".into());
        }
    }
    Ok(())
}
