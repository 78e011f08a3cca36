//! The invariants of loops over vectors: their nodes, and vectors that are held before they are read.

use std::collections::HashSet;

use super::{Broken, broken};
use crate::ir::kinds::Kind;
use crate::ir::lanes::{Lanes, has_memory, held_of, lanes_of};
use crate::pipeline::columns::Columns;

/// Returns the number of operands of a kind of loops over vectors.
fn operands(kind: Kind) -> Option<usize> {
    match kind {
        Kind::VectorRead | Kind::VectorEnd => Some(0),
        Kind::VectorBase | Kind::VectorWrite | Kind::VectorUnary | Kind::VectorSplat | Kind::VectorReduce => Some(1),
        Kind::VectorCount => Some(1),
        Kind::VectorBinary | Kind::VectorLoop => Some(2),
        Kind::VectorSelect => Some(3),
        _ => None,
    }
}

/// Checks the table `vectors`.
pub fn vectors(columns: &Columns) -> Result<(), Broken> {
    let depth = columns.get::<u32>("vectors", "depth");
    let kinds = columns.get::<Kind>("vectors", "kind");
    let data = columns.get::<u32>("vectors", "data");
    let (mut held, mut streams) = (HashSet::new(), HashSet::new());
    let mut open: Vec<usize> = Vec::new();
    for i in 0..kinds.len() {
        let (kind, level) = (kinds[i], depth[i] as usize);
        open.truncate(level);
        if let Some(expected) = operands(kind) {
            let inside = (i + 1..kinds.len()).take_while(|&k| depth[k] > depth[i]);
            let found = inside.filter(|&k| depth[k] == depth[i] + 1).count();
            if found != expected {
                return broken(i, format!("it has {found} operands"));
            }
        }
        let loop_around = open.iter().rev().find(|&&k| kinds[k] == Kind::VectorLoop);
        let is_in_body =
            loop_around.is_some_and(|&k| open.get(depth[k] as usize + 1).is_some_and(|&b| kinds[b] == Kind::Block));
        let is_of_body = matches!(
            kind,
            Kind::VectorWrite
                | Kind::VectorRead
                | Kind::VectorUnary
                | Kind::VectorBinary
                | Kind::VectorSelect
                | Kind::Sequence
        );
        if is_in_body && !is_of_body {
            return broken(i, format!("{} is in a loop over vectors", kind.name()));
        }
        let is_held = lanes_of(data[i]) == Lanes::Held;
        match kind {
            Kind::VectorBase => {
                streams.insert(data[i]);
            }
            Kind::VectorWrite if lanes_of(data[i]) == Lanes::Hold => {
                held.insert(held_of(data[i]));
            }
            Kind::VectorRead if is_held && !held.contains(&held_of(data[i])) => {
                return broken(i, "it reads a vector that is not held");
            }
            Kind::VectorRead if is_held => {}
            Kind::VectorUnary if has_memory(data[i]) && !streams.contains(&held_of(data[i])) => {
                return broken(i, "the stream of its operand has no base");
            }
            Kind::VectorRead | Kind::VectorWrite if !streams.contains(&held_of(data[i])) => {
                return broken(i, "its stream has no base");
            }
            Kind::VectorEnd => {
                held.clear();
                streams.clear();
            }
            _ => {}
        }
        open.push(i);
    }
    if !held.is_empty() || !streams.is_empty() {
        return broken(kinds.len(), "a loop over vectors has no end");
    }
    Ok(())
}
