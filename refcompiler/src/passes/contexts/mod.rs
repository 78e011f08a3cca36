//! Contexts: a condition is known inside a branch of the same condition.
//!
//! ```text
//! IF_ELSE (c, BLOCK { IF (c, ..) }, BLOCK { EXPRESSION CHOOSE (TEST c, ..) })
//! becomes
//! IF_ELSE (c, BLOCK { IF (1, ..) }, BLOCK { EXPRESSION CHOOSE (TEST 0, ..) })
//! ```
//!
//! Then [`folding`](crate::passes::folding) leaves one part of the inner branch. Conditions have names, equal ones the same. The tests and the
//! parts of branches are sorted by name and position; the part around a test of the same name is then the nearest one before it that ends
//! after it, a nearest smaller value.
//!
//! | refused | reason |
//! |---|---|
//! | a variable that is assigned anywhere in the part | its value can differ, also in the next iteration of a loop |
//! | a variable that other functions access, or whose address is taken | a call can assign it |
//! | a condition with a load, a call or a check | memory can change, effects stay |
//! | a condition of more than [`MOST`] nodes | it is compared node by node |
//! | the condition of a `while` | the body changes it, or does not end |
//! | a negated condition | conditions are compared, not their meaning |
//!
//! Cost: n nodes, b branches: work O(n + b log b), a fixed number of templates. Programs in which no two conditions are equal take four.
//! Source: LMS 2 (context- and flow-sensitive transformations).

mod spans;
mod writes;

use treepar::{Backend, Result};

use crate::ir::nodes::Nodes;
use crate::ir::positions::Positions;
use crate::passes::cuts::{without, write};
pub use spans::MOST;
use spans::{changes, spans};
use writes::writes;

/// Makes literals of conditions that a branch around them knows.
///
/// # Errors
/// Only errors of the backend.
pub fn contexts<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let mut nodes = nodes;
    let Some((spans, end, within)) = spans(backend, &nodes)? else {
        return Ok(nodes);
    };
    let writes = writes(backend, &nodes, &end)?;
    let (edits, cuts) = changes(backend, &nodes, &end, (&spans, &within), &writes)?;
    if edits.is_empty() {
        return Ok(nodes);
    }
    write(backend, &mut nodes, &edits)?;
    Ok(without(backend, &nodes, &cuts, positions)?.0)
}
