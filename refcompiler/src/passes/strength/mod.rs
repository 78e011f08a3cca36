//! Strength reduction: a product of a loop's counter becomes a variable, to which each iteration adds.
//!
//! ```text
//! FOR (COUNT n, BLOCK { .. NAME i * NAME w + NAME j .. })
//! becomes
//! EXPRESSION DECLARE u, NAME j
//! FOR (COUNT n, BLOCK { .. NAME u ..   EXPRESSION ASSIGN u, NAME u + NAME w })
//! ```
//!
//! The counter i is 0 in the first iteration and one more in each further one, and nothing assigns it. So u is j + i * w wherever an
//! iteration reads it, if the loop changes neither w nor j. Ints wrap, so this holds for all values.
//!
//! | refused | reason |
//! |---|---|
//! | a factor or summand that is not a literal or a variable, or that the loop changes | [`motion`](crate::passes::motion) has put other values that do not change into variables before |
//! | a product with a literal, without a summand | one instruction computes it, and a sum takes one too |
//! | a loop whose counter has no other reads | a counter that nothing reads gets no register, and costs more than the product |
//! | floats | sums round, so their bits differ |
//! | the counter of a `while` | it may be assigned anywhere |
//! | a loop with a loop or a call in it | the variable would take a register from the inner loop, or wait in memory during the call |
//!
//! Equal values of one loop share a variable. A loop has at most [`MOST`] of them, the first ones.
//!
//! Cost: n nodes, p products of a counter: work O(n + p log p) and the cost of the writes (`passes/nests/writes.rs`). Programs without
//! such products only search for one.
//!
//! Source: LMS and Vector Pascal name it index strength reduction; the conditions are those of code motion.

mod order;
mod values;

use treepar::{Backend, Column, Result};

use crate::ir::nodes::Nodes;
use crate::ir::positions::Positions;
use crate::passes::nests::writes::{levels, writes_of};
use crate::passes::nests::{Facts, Nests, nests};
use order::reordered;
pub use values::MOST;
use values::{busy_up_to, chosen, products, steps};

/// Replaces products of counters by variables.
///
/// # Errors
/// Only errors of the backend.
pub fn strength<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let products = products(backend, &nodes)?;
    if products.is_empty() {
        return Ok(nodes);
    }
    let Some(Nests { loops, end, around }) = nests(backend, &nodes)? else {
        return Ok(nodes);
    };
    let (keys, foreign) = writes_of(backend, &nodes, &around)?;
    let facts = Facts { end, around, foreign };
    let levels = levels(backend, &nodes, &facts, &loops, &keys)?;
    let busy = busy_up_to(backend, &nodes)?;
    let steps = steps(backend, &nodes, &facts, &levels, &busy, &products)?;
    if steps.is_empty() {
        return Ok(nodes);
    }
    let chosen = chosen(backend, &nodes, &steps)?;
    reordered(backend, &nodes, &facts.end, &steps, &chosen, positions)
}
