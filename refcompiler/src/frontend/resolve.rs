//! Variables: each use of a name finds its declaration, and each `return` its function.
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
//! further than the body of its function, so that the body can hide it, and so does the counter of a `for`. A counter cannot
//! be assigned. A parameter of a lambda reaches to the `,` or bracket after its value.
//!
//! Statements and the headers of functions are one more group, so that a `return` finds its function in the same search. In
//! preorder the statement of a declaration is the last one before it. From there the block is a few smaller keys away.
//!
//! Cost: work O(m log n) for m rows: one search in groups, one scan, one map and one reduction; 1 byte per node.
//! Source: nearest smaller values (Berkman, Schieber, Vishkin 1993). Pareas (section 3.1) walks a chain for each use.

use treepar::device::device;
use treepar::group::previous_within_below;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::meaning::Bindings;
use crate::ir::nodes::NodeId;
use crate::ir::scopes::{block_around, body_after, bracket_of};
use crate::ir::sets::{mask, select};
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::TokenId;

/// No row and no node.
const NONE: u32 = u32::MAX;

/// The most tokens of a part. The complement of a reach must not be `NONE` or wrap around.
pub const MOST_TOKENS: usize = 1 << 30;

/// The kinds that mean a declaration.
const USES: Kinds = Kinds::of(&[Kind::Name, Kind::Assign]);

/// The kinds with the name of a variable.
const NAMED: Kinds = Kinds::of(&[Kind::Name, Kind::Assign, Kind::Declare, Kind::Param, Kind::Count, Kind::Element]);

/// The kinds of statements that contain expressions.
const STATEMENTS: Kinds = Kinds::of(&[Kind::Expression, Kind::Return, Kind::If, Kind::IfElse, Kind::While, Kind::For]);

/// Returns whether node `i` has the name of a variable, or is a statement or a header. Comparisons run in vectors, and a
/// set does not.
#[device(compact)]
fn is_row(i: NodeId, nodes: &SyntaxNodes) -> bool {
    let kind = nodes.kind[i];
    let is_variable = (kind == Kind::Param) | (kind == Kind::Declare) | (kind == Kind::Name) | (kind == Kind::Assign);
    let is_branch = (kind == Kind::If) | (kind == Kind::IfElse) | (kind == Kind::While);
    let is_other = (kind == Kind::Expression) | (kind == Kind::Return) | (kind == Kind::Block);
    let is_for = (kind == Kind::For) | (kind == Kind::Count) | (kind == Kind::Element);
    is_variable | is_branch | is_other | is_for | (kind == Kind::Header)
}

/// Returns one past the keyword of row `r`, or past the token before an expression statement; 0 for other rows.
#[device(scanned)]
fn statement(r: usize, rows: &[u32], nodes: &SyntaxNodes) -> u32 {
    let node = NodeId::new(rows[r]);
    let kind = nodes.kind[node];
    let begin = nodes.token[node].get() + (kind != Kind::Expression) as u32;
    if STATEMENTS.contains(kind) { begin } else { 0 }
}

/// Returns the group of row `r`, and the complement of its reach: twice the last token that it reaches, plus 1 for a
/// parameter or counter. A group is a name, or `headers`. `statement` is the last statement before the row.
#[device(scan_map(statement, Max))]
fn reach(
    r: usize,
    statement: u32,
    rows: &[u32],
    nodes: &SyntaxNodes,
    tokens: &SyntaxTokens,
    headers: u32,
) -> (u32, u32) {
    let node = NodeId::new(rows[r]);
    let kind = nodes.kind[node];
    let token = nodes.token[node];
    let mut reach = 2 * token.get();
    if kind == Kind::Declare {
        reach = 2 * tokens.next[block_around(TokenId::new(statement - 1), tokens)];
    } else if kind == Kind::Header {
        reach = 2 * tokens.next[body_after(token.plus(1), tokens)];
    } else if kind == Kind::Param {
        let body = body_after(bracket_of(token.minus(1), tokens), tokens);
        let is_extern = tokens.class[body] == Class::EndExtern;
        reach = 2 * (if is_extern { body.get() } else { tokens.next[body] }) + 1;
    } else if kind == Kind::Element {
        let head = TokenId::new(tokens.next[bracket_of(token.minus(1), tokens)]);
        reach = 2 * tokens.next[head];
    } else if kind == Kind::Count {
        let body = TokenId::new(tokens.next[token.plus(1)]);
        reach = 2 * tokens.next[body] + 1;
    }
    (if NAMED.contains(kind) { tokens.value[token] } else { headers }, !reach)
}

/// Returns the node of the declaration or of the function that row `r` means, 0 if it means none. Returns `NONE` for an error: a
/// use without a declaration, or a second declaration of a name in one block.
#[device(map)]
fn meaning(r: usize, rows: &[u32], previous: &[u32], keys: &[u32], nodes: &SyntaxNodes) -> u32 {
    // A row without a result stands for its declaration, so that no branch is needed.
    let near = previous[r];
    let declaration = near.min(r as u32) as usize;
    let is_inside = rows[r] < nodes.end[NodeId::new(rows[declaration])];
    let meant = select(is_inside, previous[declaration], near);
    let node = rows[meant.min(r as u32) as usize];

    let kind = nodes.kind[NodeId::new(rows[r])];
    let is_use = USES.contains(kind);
    let is_return = kind == Kind::Return;
    let is_repeated = (declaration != r) & (keys[declaration] == keys[r]);
    let is_fixed = (kind == Kind::Assign) & (nodes.kind[NodeId::new(node)] == Kind::Count);
    let is_wrong = is_repeated | (is_use & (meant == NONE)) | is_fixed;
    // A HEADER follows its FUNCTION.
    (node.wrapping_sub(is_return as u32) & mask(is_use | is_return)) | mask(is_wrong)
}

#[device(reduce(Sum))]
fn error(r: usize, data: &[u32]) -> u32 {
    (data[r] == NONE) as u32
}

/// Returns the nodes with the name of a variable, and the statements and headers.
pub fn binding_rows<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_row::of(nodes))
}

/// Finds the declaration of each variable that is used, and the function of each `return`. `rows` are [`binding_rows`], and
/// there are `names` names.
pub fn resolve<B: Backend>(
    backend: &B,
    rows: B::Vec<u32>,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    names: usize,
) -> Result<Bindings<B>> {
    let reach = reach::of(&rows, nodes, tokens, names as u32);
    let ((groups, keys), _) = backend.scan_map_later(statement::of(&rows, nodes), Max, reach)?;
    let previous = previous_within_below(&groups, &keys, names as u32)?;
    let data = backend.map(meaning::of(&rows, &previous, &keys, nodes))?;
    let errors = backend.reduce_later(error::of(&data), Sum)?;
    Ok(Bindings { rows, data, errors })
}
