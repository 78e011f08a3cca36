//! The two recursive forms of section 6, each written as efficiently as its style allows.

use super::trees::{Arena, BoxedTree};

/// A row of the result. Its role is the head of an expression, a part of one, or a reference to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The node.
    pub node: u32,
    /// The node's role.
    pub role: Role,
}

pub use treepar::key::Role;

/// Flattens without shared mutable state: each call returns the rows of its subtree, and its caller concatenates them.
pub fn functional(tree: &BoxedTree) -> Vec<Row> {
    let nested = tree.children.iter().rev().filter(|child| child.is_expression).map(functional);
    // The first list is reused, and the others are appended to it.
    let below = nested.reduce(|mut rows, more| {
        rows.extend(more);
        rows
    });
    let mut rows = below.unwrap_or_default();
    rows.push(Row { node: tree.node, role: Role::Root });
    rows.extend(
        tree.children.iter().map(|child| Row {
            node: child.node,
            role: if child.is_expression { Role::Reference } else { Role::Node },
        }),
    );
    rows
}

/// Flattens a tree in an arena. All calls append to one list, which keeps its memory from run to run.
pub fn accumulating(arena: &Arena, rows: &mut Vec<Row>) {
    rows.clear();
    if !arena.is_empty() {
        flatten(arena, 0, rows);
    }
}

fn flatten(arena: &Arena, node: u32, rows: &mut Vec<Row>) {
    let children = arena.children(node);
    for &child in children.iter().rev() {
        if arena.is_expression(child) {
            flatten(arena, child, rows);
        }
    }
    rows.push(Row { node, role: Role::Root });
    for &child in children {
        rows.push(Row { node: child, role: if arena.is_expression(child) { Role::Reference } else { Role::Node } });
    }
}
