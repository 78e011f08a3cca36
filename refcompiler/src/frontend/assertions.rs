//! Assertions: the position of each call of `assert` goes into the node above the call.
//!
//! ```text
//! program   { assert[x > 0]; }
//! node      BLOCK EXPRESSION CALL ARG GT NAME LITERAL
//! data            3          id                          the position of `assert`, 2, plus 1
//! ```
//!
//! A message about a failed assertion needs the position. A call of `assert` has no value, so it is the only child of the
//! node above it, which is the node before it in preorder.
//!
//! Tokens are read before the parts of a program are joined, and a function `assert` of another part wins over that of the
//! runtime. So the calls by that name are found first, and those of the runtime's function later.
//!
//! Cost: work O(m) for m functions and calls, one compaction. Only programs with the name `assert` pay for more.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::meaning::{Assertions, CallId, Calls};
use crate::ir::syntax::SyntaxTokens;
use crate::ir::tokens::TokenId;
use crate::ir::tree::runtime;

/// No node.
const NONE: u32 = u32::MAX;

#[device(compact)]
fn has_name(r: CallId, calls: &Calls, library: &[u32]) -> bool {
    library[(calls.key[r] >> 32) as usize] == runtime::ASSERT
}

/// Returns the offset of the name in row `rows[a]`, if it is a call. Of a function, this is not its name and not used.
#[device(map)]
fn start(a: usize, rows: &[u32], calls: &Calls, tokens: &SyntaxTokens) -> u32 {
    tokens.start[TokenId::new(calls.key[CallId::new(rows[a])] as u32)]
}

/// Returns the functions and calls with the name `assert`. `library` has the function of the runtime with each name.
pub fn assertion_rows<B: Backend>(backend: &B, calls: &Calls<B>, library: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    backend.compact(has_name::of(calls, library))
}

/// Finds the positions of assertions. `rows` are [`assertion_rows`].
pub fn assertions<B: Backend>(
    backend: &B,
    rows: B::Vec<u32>,
    calls: &Calls<B>,
    tokens: &SyntaxTokens<B>,
) -> Result<Assertions<B>> {
    let starts = if rows.is_empty() { backend.allocate(0)? } else { backend.map(start::of(&rows, calls, tokens))? };
    Ok(Assertions { rows, starts })
}

/// Returns the node above the call in row `rows[a]` if it calls the runtime's function, else `NONE`; and the data of this node.
#[device(map)]
fn position(a: usize, rows: &[u32], starts: &[u32], calls: &Calls, functions: &[u32], first: u32) -> (u32, u32) {
    let row = rows[a];
    let is_assertion = functions[row as usize] == runtime::ASSERT;
    (if is_assertion { calls.node[CallId::new(row)] - 1 } else { NONE }, first + starts[a] + 1)
}

/// Writes the positions of assertions into the column `data`. `functions` has the function of each call. The text of the part
/// begins at position `first`.
pub fn mark_assertions<B: Backend>(
    backend: &B,
    assertions: &Assertions<B>,
    calls: &Calls<B>,
    functions: &B::Vec<u32>,
    (data, first): (&mut B::Vec<u32>, u32),
) -> Result<()> {
    let Assertions { rows, starts } = assertions;
    if rows.is_empty() {
        return Ok(());
    }
    let (nodes, positions) = backend.map(position::of(rows, starts, calls, functions, first))?;
    backend.scatter(data, &nodes, &positions)
}
