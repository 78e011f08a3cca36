//! Dead code: values that nothing reads disappear, with the statements and branches that are left without an effect.
//!
//! ```text
//! DECLARE y = 7 * x    y = 5 + x    IF c { DECLARE b = x * x }    EXPRESSION f[] + b    return y
//! becomes
//! DECLARE y = 5 + x                                               EXPRESSION f[] + 0    return y
//! ```
//!
//! Three kinds of things are dead:
//!
//! | dead | because | becomes |
//! |---|---|---|
//! | the variable `b` | each read of it is unused, or only makes a value of `b` or of another dead variable (`uses`) | each definition becomes its value, which nothing uses |
//! | the value `7 * x` of `y` | the next access of `y` is an assignment that is always reached, or there is none (`stores`) | an assignment becomes its value; a declaration moves to the next assignment if that is in the same block, else it loses its value |
//! | the `IF`, and an EXPRESSION without an effect | no node below has an effect | nothing |
//!
//! A value with an effect stays as a statement: a call, or a check of an index. Division is total, so it has none. A read that is left in
//! such a statement, of a variable that is gone, becomes 0; nothing uses it.
//!
//! | refused | reason |
//! |---|---|
//! | a variable that a nested function accesses, or whose address is taken | others see its value |
//! | a variable in the address of a load that does not disappear in the same round | the load can stay, and fail at another address |
//! | a variable that is declared in a part of an expression that may not be evaluated | its scope is larger than that part |
//! | variables that only make values of each other, in a cycle of at least two | they would need a search from the effects instead, whose steps are the longest chain of all values |
//! | an assignment in a loop that its successor is not in | whether the next iteration reads the value is not looked for |
//! | a `while` without an effect | it may not end |
//! | an empty branch whose condition has an effect | the condition is evaluated |
//!
//! Removed reads can make other values dead, so a round can ask for another one, at most [`ROUNDS`]. If nothing is left to do in a function,
//! further rounds do not change it. So a function has the same code in each part of a program.
//!
//! Cost: n nodes, a accesses of variables: work O(n + a log a) for each round, and a fixed number of templates, plus four for each link in
//! a chain of dead variables, at most [`CHAIN`].
//! Source: LMS 2 and 3 (dead code, effects); the conditions for assignments are those of structured programs.

mod changes;
mod places;
mod stores;
mod uses;

use treepar::{Backend, Result};

use crate::ir::nodes::Nodes;
use crate::ir::positions::Positions;
use crate::passes::cuts::{without, write};
use changes::{changes, fates, is_open, redirected};
use places::places;
use stores::stores;
pub use uses::CHAIN;
use uses::uses;

/// The most rounds.
pub const ROUNDS: usize = 4;

/// Does one round. Returns the nodes, and whether another round can change more.
fn round<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<(Nodes<B>, bool)> {
    let mut nodes = nodes;
    let forest = places(backend, &nodes)?;
    let uses = uses(backend, &nodes, &forest)?;
    let stores = stores(backend, &nodes, &forest, &uses)?;
    let fates = fates(backend, &nodes, &uses, &stores)?;
    let Some((edits, cuts)) = changes(backend, &nodes, &forest, &uses, &fates)? else {
        return Ok((nodes, false));
    };
    redirected(backend, &mut nodes, &uses, &stores)?;
    write(backend, &mut nodes, &edits)?;
    let (after, index) = without(backend, &nodes, &cuts, positions)?;
    let opens = is_open(backend, &nodes, &forest, (&uses, &fates), &index)?;
    Ok((after, opens || uses.is_open))
}

/// Removes values that nothing reads.
///
/// # Errors
/// Only errors of the backend.
pub fn dead<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let mut nodes = nodes;
    for _ in 0..ROUNDS {
        if nodes.is_empty() {
            break;
        }
        let (after, is_open) = round(backend, nodes, positions)?;
        nodes = after;
        if !is_open {
            break;
        }
    }
    Ok(nodes)
}
