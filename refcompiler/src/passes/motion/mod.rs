//! Code motion: values that do not change in a loop are computed once before it.
//!
//! ```text
//! BLOCK { WHILE i < n { EXPRESSION ASSIGN s, s + LOAD (ADD_WORDS DATA a, CHECK_INDEX i, EXTENT a) .. } }
//! becomes
//! BLOCK { EXPRESSION DECLARE p, DATA a   EXPRESSION DECLARE e, EXTENT a
//!         WHILE i < n { EXPRESSION ASSIGN s, s + LOAD (ADD_WORDS NAME p, CHECK_INDEX i, NAME e) .. } }
//! ```
//!
//! A value moves out of the outermost loop in which none of its variables is written, and with the largest subtree that can leave this loop.
//! Values in it that can leave further loops move there. Equal values of one loop share a variable. A loop has at most [`MOST`] such
//! variables, for the values that save most.
//!
//! Before a loop, a value may be computed that the loop does not need, because it has no iteration or does not get there. So only cheap
//! operations move, which cannot fail:
//!
//! | refused | reason |
//! |---|---|
//! | checks, calls, assignments | they can be observed. Their operands move |
//! | `%` of floats | it is a call, which may be dear |
//! | loads, except of extents | a store in the loop may change the word, and the address may be none |
//! | the address and the extents of an array whose variable has no value at its declaration, or is declared in a part of a conditional expression, or in another function | the variable may have no array yet, and its address is none |
//! | a value that a nested function writes a variable of, if the loop calls a nested function | it may change |
//! | single literals and variables | nothing is saved |
//!
//! **Why the data of an array stay where they are.** DATA v is the first word of the block whose address is in v. A block moves when a loop or
//! a function releases memory (`runtime/arrays/`: `compact`, `leave_outs`, `leave_array`): all blocks that move lie above the mark of this loop or
//! function. The mark of a loop is the top of the arena at its entry, and the mark of a function that the loop calls lies above it. The block
//! of v is older than the loop, because v is not written in it, so it lies below all these marks. It is also not released: memory below
//! a mark stays. The words before the data change only in temporaries that no variable has yet (`sized`, `truncated`), and the owner, which is
//! another word. A function with a unique parameter may get the block itself, and may write its elements, but only a new block can have other
//! extents. The variable that v is a *borrower* of may get another array, but then the old block stays until the loop ends. A function that writes
//! v by its address takes an ADDRESS of it, which counts as a write.
//!
//! Cost: n nodes, r reads of variables in loops, l loops, w writes, h nested loops: work O(n + r log w), O(log h log l) more for each read
//! that the innermost loop does not change, and a fixed number of templates. Programs without loops only search for one.
//!
//! Source: LMS 2 (code motion), L0 6 (rebinder): if a value can leave a loop, all its operands leave it too.

mod order;
mod sharing;
mod values;

use treepar::{Backend, Result};

use crate::ir::nodes::Nodes;
use crate::ir::positions::Positions;
use crate::passes::nests::writes::{levels, writes_of};
use crate::passes::nests::{Facts, Nests, nests};
use order::reordered;
pub use sharing::MOST;
use sharing::chosen_roots;
use values::{roots, values};

/// Moves values out of loops.
///
/// # Errors
/// Only errors of the backend.
pub fn motion<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let Some(Nests { loops, end, around }) = nests(backend, &nodes)? else {
        return Ok(nodes);
    };
    let (keys, foreign) = writes_of(backend, &nodes, &around)?;
    let facts = Facts { end, around, foreign };
    let levels = levels(backend, &nodes, &facts, &loops, &keys)?;
    let (values, parents) = values(backend, &nodes, &facts, &levels)?;
    let roots = roots(backend, &values, &facts, &loops)?;
    if roots.is_empty() {
        return Ok(nodes);
    }
    let chosen = chosen_roots(backend, &nodes, &facts, (&values, &parents), &roots)?;
    reordered(backend, &nodes, &facts.end, &roots, &chosen, positions)
}
