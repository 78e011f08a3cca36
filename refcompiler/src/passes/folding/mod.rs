//! Folding: operators on literals become their values, and rules of algebra apply.
//!
//! ```text
//! DECLARE n = LITERAL 4   .. MUL (NAME n, NAME i) + SUB (NAME i, NAME i) ..
//! becomes
//! DECLARE n = LITERAL 4   .. MUL (LITERAL 4, NAME i) ..
//! ```
//!
//! One upward walk (`forms`) yields the form of each value after folding, given the forms of its operands. If it finds that a variable is
//! constant, the walk is repeated, at most [`WALKS`] times. Then the nodes change:
//!
//! | node | becomes |
//! |---|---|
//! | an operator on literals | a literal |
//! | a read, in the same function, of a variable that is written once, by a declaration with a literal that is in the instructions of all targets | the literal. Operators know others too |
//! | an operator that a [rule](rules) fits | the operand, a literal, or another operator |
//! | a number with its own type, `x : int` | the number |
//! | `x * 5 * 7`, `2 - (x + 1)`, and other products or sums of two literals and an operand without an effect | one with one literal |
//! | a check of a literal index with a literal extent, if it holds | the index |
//! | `if` and `if[..]` with a literal as condition | the part |
//! | `while` with a literal 0, `for` with a literal below 1 | nothing |
//!
//! A node disappears, or stays in its row with another kind. So the new tree is the old one with cuts (`passes/cuts.rs`).
//!
//! A sum or product with one literal can fit a rule in the new tree. A decided condition can remove the last write of a variable, and the part of a conditional expression is known only in the new tree.
//! Then there is another round, at most [`ROUNDS`]. If nothing is left to do in a function, further rounds do not change it. So a function
//! has the same code in each part of a program.
//!
//! At last, operands that commute get the order that takes fewer instructions (`order`).
//!
//! Sound, because each change keeps the bits of all values, and all effects and their order: only operands without effects disappear. A
//! part of a program with a function stays, since the function has a symbol; so does a conditional expression that declares a variable,
//! which the block around it can use. Rules are for ints only, and `constants` says which values of floats are computed.
//!
//! Cost: n nodes, m operators, branches and checks: work O(n) for each round, O(m) for each walk, and a fixed number of templates.
//! Source: LMS 2 (smart constructors), L0 5.3.

mod changes;
pub mod constants;
mod forms;
mod order;
pub mod rules;
mod variables;

use treepar::{Backend, Result};

use crate::ir::nodes::Nodes;
use crate::ir::positions::Positions;
use crate::passes::cuts::{Cuts, without, write};
use changes::{Branches, Operators, of_branches, of_operators, of_reads};
use forms::{forms, walk};
use order::ordered;
use variables::{add_constants, becomes_constant, constant_reads, variables};

/// The most rounds.
pub const ROUNDS: usize = 4;

/// The most walks of a round.
pub const WALKS: usize = 4;

/// Returns the cuts of two lists.
fn joined<B: Backend>(backend: &B, a: &Cuts<B>, b: &Cuts<B>) -> Result<Cuts<B>> {
    Ok(Cuts {
        from: backend.concat(&[&a.from, &b.from])?,
        first: backend.concat(&[&a.first, &b.first])?,
        last: backend.concat(&[&a.last, &b.last])?,
        end: backend.concat(&[&a.end, &b.end])?,
        up: backend.concat(&[&a.up, &b.up])?,
    })
}

/// Does one round. Returns the nodes, and whether another round can change more.
fn round<B: Backend>(backend: &B, mut nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<(Nodes<B>, bool)> {
    let end = backend.next_smaller_or_equal(&nodes.depth)?;
    let mut variables = variables(backend, &nodes, &end)?;
    let walk = walk(backend, &nodes, &end, &variables.state)?;
    let mut values = forms(backend, &walk, &nodes, &end, &variables.state)?;
    let mut walks = 1;
    let mut is_open = add_constants(backend, &mut nodes, &walk, &values, &mut variables)?;
    while is_open && walks < WALKS {
        values = forms(backend, &walk, &nodes, &end, &variables.state)?;
        walks += 1;
        is_open = add_constants(backend, &mut nodes, &walk, &values, &mut variables)?;
    }

    let reads = constant_reads(backend, &nodes, &variables)?;
    let reads = of_reads(backend, &nodes, &reads)?;
    let Operators { edits, numbers, cuts, is_open: opens } = of_operators(backend, &nodes, &end, &walk.found, &values)?;
    let branches = of_branches(backend, &nodes, &end, &walk.found, &values)?;
    drop((walk, values, end));
    write(backend, &mut nodes, &reads)?;
    write(backend, &mut nodes, &edits)?;
    write(backend, &mut nodes, &numbers)?;
    let (cuts, has_choice) = match branches {
        None => (cuts, false),
        Some(Branches { edits, cuts: around, has_choice }) => {
            write(backend, &mut nodes, &edits)?;
            (joined(backend, &cuts, &around)?, has_choice)
        }
    };
    if cuts.is_empty() {
        return Ok((nodes, is_open));
    }
    let (after, index) = without(backend, &nodes, &cuts, positions)?;
    let frees = becomes_constant(backend, &nodes, &variables, &index)?;
    Ok((after, is_open || opens || has_choice || frees))
}

/// Folds literals, and applies the rules of algebra.
///
/// # Errors
/// Only errors of the backend.
pub fn folding<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let mut nodes = nodes;
    for _ in 0..ROUNDS {
        let (after, is_open) = round(backend, nodes, positions)?;
        nodes = after;
        if !is_open {
            break;
        }
    }
    ordered(backend, nodes, positions)
}
