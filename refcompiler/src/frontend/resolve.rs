//! Variables: each use of a name finds its declaration.
//!
//! ```text
//! tokens   var x = 1 ; { x = 2 ; var x = x + x ; x = 3 ; } x = 4 ;
//! name      x            x           x       x    x    x     x        rows of one name, in the order of tokens
//! reach     end          own         }       own  own  own   own      a declaration reaches to the `}` of its block
//! finds     -            0           0       2    2    2     0        the last earlier row that reaches as far
//! means                  0                   0    0    2     0        inside the initial value, what row 2 finds
//! ```
//!
//! A declaration is visible from its end to the `}` of its block. Of the declarations of a name before a use that reach
//! beyond it, the last is the innermost. With names as groups and complements of reaches as keys, it is the last earlier row
//! of the group whose key is not greater. A use inside the initial value of the declaration that it finds means the variable
//! that this declaration finds. One such step is enough: two would need two declarations of a name in one block, which are
//! an error. Only those have equal keys: a `}` is not a name, and parameters have odd keys. A parameter reaches one step
//! further than the body of its function, so that the body can hide it.
//!
//! Cost: work O(m log n) for m variables and uses: one search in groups, two maps, one reduce; 1 byte per node.
//! Source: nearest smaller values (Berkman, Schieber, Vishkin 1993). Pareas (section 3.1) walks a chain for each use.

use treepar::device::device;
use treepar::group::previous_within;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::kinds::Kind;
use crate::ir::meaning::Bindings;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::{Syntax, SyntaxNodes};
use crate::ir::tokens::Tokens;

/// No row and no node.
const NONE: u32 = u32::MAX;

/// The most tokens of a part. The complement of a reach must not be `NONE` or wrap around.
pub const MOST_TOKENS: usize = 1 << 30;

/// Returns whether node `i` has the name of a variable. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn has_variable(i: NodeId, nodes: &SyntaxNodes) -> bool {
    let kind = nodes.kind[i];
    (kind == Kind::Param) | (kind == Kind::Declare) | (kind == Kind::Name) | (kind == Kind::Assign)
}

/// Returns the name of row `r`, and the complement of its reach: twice the last token that it reaches, plus 1 for a
/// parameter. `scope` is the block or function of a declaration.
#[device(map)]
fn name(r: usize, rows: &[u32], nodes: &SyntaxNodes, tokens: &Tokens, scope: &[u32], next: &[u32]) -> (u32, u32) {
    let node = NodeId::new(rows[r]);
    let kind = nodes.kind[node];
    let token = nodes.token[node];
    let mut reach = 2 * token.get();
    if kind == Kind::Declare {
        let block = NodeId::new(scope[node.index()]);
        reach = 2 * next[nodes.token[block].index()];
    }
    if kind == Kind::Param {
        let function = NodeId::new(scope[node.index()]);
        let brace = next[nodes.token[function].index() - 1];
        let is_extern = nodes.kind[function] == Kind::Extern;
        reach = 2 * (if is_extern { brace } else { next[brace as usize] }) + 1;
    }
    (tokens.value[token], !reach)
}

/// Returns the node of row `r` if it is a use, else `NONE`, and the declaration that it means, `NONE` if there is none.
#[device(map)]
fn meaning(r: usize, rows: &[u32], previous: &[u32], nodes: &SyntaxNodes) -> (u32, u32) {
    // Selections rather than branches: declarations and uses are hard to predict.
    let row = rows[r];
    let near = previous[r];
    let declaration = if near == NONE { r } else { near as usize };
    let is_inside = row < nodes.end[NodeId::new(rows[declaration])];
    let far = previous[declaration];
    let found = if is_inside { far } else { near };
    let node = rows[if found == NONE { r } else { found as usize }];
    let is_use = nodes.kind[NodeId::new(row)].is_variable();
    let is_found = (near != NONE) & (found != NONE);
    (if is_use { row } else { NONE }, if is_use & is_found { node } else { NONE })
}

/// Returns 1 for a use without a declaration, and for a second declaration of a name in one block.
#[device(reduce(Sum))]
fn error(r: usize, uses: &[u32], declarations: &[u32], previous: &[u32], keys: &[u32]) -> u32 {
    let near = if previous[r] == NONE { r } else { previous[r] as usize };
    let is_repeated = (near != r) & (keys[near] == keys[r]);
    let is_undeclared = (uses[r] != NONE) & (declarations[r] == NONE);
    (is_repeated | is_undeclared) as u32
}

/// Finds the declaration of each variable that is used. `scope` has the block or function of each declaration.
pub fn resolve<B: Backend>(backend: &B, syntax: &Syntax<B>, scope: &B::Vec<u32>) -> Result<Bindings<B>> {
    let (tokens, nodes) = (&syntax.tokens, &syntax.parsed.nodes);
    let rows = backend.compact(has_variable::of(nodes))?;
    let (names, keys) = backend.map(name::of(&rows, nodes, tokens, scope, &syntax.checked.next))?;
    let previous = previous_within(&names, &keys)?;
    let (uses, data) = backend.map(meaning::of(&rows, &previous, nodes))?;
    let errors = backend.reduce(error::of(&uses, &data, &previous, &keys), Sum)?;
    Ok(Bindings { nodes: uses, data, errors, unsure: 0 })
}
