//! Drawings of forests.

use std::fmt::{self, Display, Formatter};

use super::Forest;

/// The most nodes that `{:?}` writes.
const MOST_NODES: usize = 200;

/// A drawing of a forest: see [`Forest::draw`].
#[derive(Clone, Copy)]
pub struct Drawing<'a, F> {
    pub(super) forest: &'a Forest,
    pub(super) label: F,
}

/// A forest as text for Graphviz: see [`Forest::graphviz`].
#[derive(Clone, Copy)]
pub struct Graphviz<'a, F> {
    pub(super) forest: &'a Forest,
    pub(super) label: F,
}

impl<L: Display, F: Fn(usize) -> L> Display for Drawing<'_, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let forest = self.forest;
        // Of each node on the path, whether a sibling comes after it; roots have no lines.
        let mut goes_on: Vec<bool> = Vec::new();
        for node in 0..forest.len() {
            let depth = forest.depth(node);
            goes_on.truncate(depth);
            for &line in goes_on.iter().skip(1) {
                f.write_str(if line { "│  " } else { "   " })?;
            }
            let end = forest.subtree(node).end;
            let has_next = forest.parent(node).is_some_and(|parent| end < forest.subtree(parent).end);
            if depth > 0 {
                f.write_str(if has_next { "├─ " } else { "└─ " })?;
            }
            goes_on.push(has_next);
            writeln!(f, "{}", (self.label)(node))?;
        }
        Ok(())
    }
}

impl Display for Forest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.draw(|node| node).fmt(f)
    }
}

impl fmt::Debug for Forest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = self.len().min(MOST_NODES);
        for node in 0..shown {
            if node > 0 && self.depth(node) > self.depth(node - 1) {
                f.write_str("(")?;
            } else if node > 0 {
                (self.depth(node)..self.depth(node - 1)).try_for_each(|_| f.write_str(")"))?;
                f.write_str(" ")?;
            }
            write!(f, "{node}")?;
        }
        if shown < self.len() {
            return write!(f, " .. and {} more nodes", self.len() - shown);
        }
        (0..self.depth.last().map_or(0, |&last| last)).try_for_each(|_| f.write_str(")"))
    }
}

impl<L: Display, F: Fn(usize) -> L> Display for Graphviz<'_, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph {{\n  node [shape=box];")?;
        for node in 0..self.forest.len() {
            let label = (self.label)(node).to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            writeln!(f, "  {node} [label=\"{label}\"];")?;
            if let Some(parent) = self.forest.parent(node) {
                writeln!(f, "  {parent} -> {node};")?;
            }
        }
        writeln!(f, "}}")
    }
}
