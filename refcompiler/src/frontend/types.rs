//! Types: each value gets its type, and the types of operands are checked.
//!
//! ```text
//! program   var a = -x * 2.0;      var b = a + 1.0;         x: float
//! node      DECLARE MUL NEG NAME LIT   DECLARE ADD NAME LIT
//! known     .       .   .   .    float .       .   .    float
//! source    NAME x  x   x   x    -     NAME a  a   a    -        the next node that is not transparent
//! jump      x       x   x   x    -     x       a   a    -        `a` has no type of its own, so `b` jumps to its source
//! type      float   ...
//! ```
//!
//! Most values know their type from their token: literals, calls, casts, comparisons. A name has the type of its
//! declaration. The rest are transparent: arithmetic, and declarations without a type, have the type of their first
//! child, which is the next row. So the source of a run of transparent rows is the row after the run.
//!
//! Only a declaration without a type whose source is a variable must wait for another declaration, which is earlier. Their
//! distance doubles in each round, until no declaration waits.
//!
//! Cost: work O(n + u log c) for u declarations without a type in chains of at most c; 4 passes over the nodes, 5 over the
//! transparent rows, 3 per round; a round waits for one number.
//! Source: pointer jumping (Wyllie 1979); runs for the left spines of expressions.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::meaning::{Arguments, Callables, Typed, named_type};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::SyntaxNodes;
use crate::ir::tokens::{TokenKind, Tokens};

/// The kinds with the type of their first child.
const ARITHMETIC: Kinds = Kinds::of(&[Kind::Negate, Kind::Add, Kind::Sub, Kind::Mul, Kind::Div, Kind::Rem]);
/// The kinds whose child is an `int`.
const CONDITIONS: Kinds = Kinds::of(&[Kind::If, Kind::IfElse, Kind::While, Kind::Not, Kind::Complement]);
/// The kinds whose child has their own type.
const SAME: Kinds = Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Declare]);

/// Returns the type of node `i` as far as its own tokens determine it, else `Void`. `data` has the function of a call.
#[device(map)]
fn known(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens, data: &[u32], callables: &Callables) -> Type {
    let kind = nodes.kind[i];
    let token = nodes.token[i];
    match kind {
        Kind::Literal => {
            if tokens.kind[token] == TokenKind::Float {
                Type::Float
            } else {
                Type::Int
            }
        }
        Kind::Call | Kind::Function | Kind::Extern => callables.result[FunctionId::new(data[i.index()])],
        Kind::Cast => named_type(tokens.kind[token]),
        Kind::Ascribe => named_type(tokens.kind[token.plus(1)]),
        Kind::Param => named_type(tokens.kind[token.plus(2)]),
        Kind::Declare => {
            if tokens.kind[token.plus(1)] == TokenKind::Colon {
                named_type(tokens.kind[token.plus(2)])
            } else {
                Type::Void
            }
        }
        _ => {
            if kind.is_int_only() || kind.is_comparison() {
                Type::Int
            } else {
                Type::Void
            }
        }
    }
}

/// Returns the node that node `i` has its type from, itself if its type is known. `data` has the declaration of a variable.
#[device(map)]
fn origin(i: usize, kinds: &[Kind], data: &[u32]) -> u32 {
    if kinds[i].is_variable() { data[i] } else { i as u32 }
}

#[device(compact)]
fn is_transparent(i: NodeId, nodes: &SyntaxNodes, known: &[Type]) -> bool {
    let kind = nodes.kind[i];
    ARITHMETIC.contains(kind) || (kind == Kind::Declare && known[i.index()] == Type::Void)
}

/// Returns whether a run of transparent rows that are neighbours begins at row `r`.
#[device]
fn begins(r: usize, rows: &[u32]) -> bool {
    r == 0 || rows[r] != rows[r - 1] + 1
}

#[device(compact)]
fn begins_run(r: usize, rows: &[u32]) -> bool {
    begins(r, rows)
}

#[device(scan(Sum))]
fn run_count(r: usize, rows: &[u32]) -> u32 {
    begins(r, rows) as u32
}

/// Returns the node that transparent row `r` has its type from. `before` is the number of runs that begin before the row.
#[device(scan_map(run_count, Sum))]
fn source(r: usize, before: u32, rows: &[u32], runs: &[u32], origins: &[u32]) -> u32 {
    let run = (before + begins(r, rows) as u32) as usize;
    let end = if run < runs.len() { runs[run] as usize } else { rows.len() };
    // The row after a run is the first child of its last row.
    let node = rows[end - 1] as usize + 1;
    if node < origins.len() { origins[node] } else { rows[r] }
}

#[device(compact)]
fn is_declaration(r: usize, rows: &[u32], nodes: &SyntaxNodes) -> bool {
    nodes.kind[NodeId::new(rows[r])] == Kind::Declare
}

#[device(map)]
fn row(d: usize, declarations: &[u32], rows: &[u32]) -> u32 {
    rows[declarations[d] as usize]
}

/// Returns the origin of the origin of declaration `d`.
#[device(map)]
fn jump(d: usize, declarations: &[u32], origins: &[u32]) -> u32 {
    origins[origins[declarations[d] as usize] as usize]
}

/// Returns 1 if declaration `d` has its type from one that has its own type from another.
#[device(reduce(Sum))]
fn waits(d: usize, declarations: &[u32], origins: &[u32]) -> u32 {
    let origin = origins[declarations[d] as usize];
    (origins[origin as usize] != origin) as u32
}

/// Returns the type of node `i`.
#[device(map)]
fn type_of(i: usize, origins: &[u32], known: &[Type]) -> Type {
    known[origins[origins[i] as usize] as usize]
}

/// Returns whether the operands of node `i` have the right types. Other passes check returned values.
#[device]
fn is_right(
    i: NodeId,
    nodes: &SyntaxNodes,
    tokens: &Tokens,
    types: &[Type],
    data: &[u32],
    callables: &Callables,
) -> bool {
    let kind = nodes.kind[i];
    let ty = types[i.index()];
    let child = i.plus(1);
    let is_leaf = nodes.end[i] == child.get();
    if kind == Kind::Call {
        return !is_leaf || callables.parameters[FunctionId::new(data[i.index()])] == 0;
    }
    if kind == Kind::Param {
        return ty != Type::Void;
    }
    if kind == Kind::Declare && tokens.kind[nodes.token[i].plus(1)] == TokenKind::Colon {
        let declared = named_type(tokens.kind[nodes.token[i].plus(2)]);
        return declared != Type::Void && (is_leaf || types[child.index()] == declared);
    }
    if is_leaf {
        return true;
    }
    let operand = types[child.index()];
    if kind.is_binary() {
        let right = types[nodes.end[child] as usize];
        return operand == right && operand != Type::Void && (operand == Type::Int || !kind.is_int_only());
    }
    if CONDITIONS.contains(kind) {
        return operand == Type::Int;
    }
    if SAME.contains(kind) {
        return operand == ty && (ty != Type::Void || kind == Kind::Ascribe);
    }
    if kind == Kind::Cast {
        return operand != Type::Void && ty != Type::Void;
    }
    kind != Kind::Negate || operand != Type::Void
}

#[device(reduce(Sum))]
fn error(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens, types: &[Type], data: &[u32], callables: &Callables) -> u32 {
    !is_right(i, nodes, tokens, types, data, callables) as u32
}

/// Computes the type of each node, and checks operands. `data` has the declaration of each variable, and the function of
/// each call.
pub fn types<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    tokens: &Tokens<B>,
    callables: &Callables<B>,
    arguments: &Arguments<B>,
    data: &B::Vec<u32>,
) -> Result<Typed<B>> {
    let known = backend.map(known::of(nodes, tokens, data, callables))?;
    let mut origins = backend.map(origin::of(&nodes.kind, data))?;
    let rows = backend.compact(is_transparent::of(nodes, &known))?;
    let runs = backend.compact(begins_run::of(&rows).rows(rows.len()))?;
    let (sources, _) =
        backend.scan_map(run_count::of(&rows).rows(rows.len()), Sum, source::of(&rows, &runs, &origins))?;
    backend.scatter(&mut origins, &rows, &sources)?;

    let declarations = backend.compact(is_declaration::of(&rows, nodes))?;
    let declarations = backend.map(row::of(&declarations, &rows))?;
    while !declarations.is_empty() && backend.reduce(waits::of(&declarations, &origins), Sum)? > 0 {
        let jumps = backend.map(jump::of(&declarations, &origins))?;
        backend.scatter(&mut origins, &declarations, &jumps)?;
    }
    let mut types = backend.map(type_of::of(&origins, &known))?;
    backend.scatter(&mut types, &arguments.nodes, &arguments.types)?;
    let errors = backend.reduce(error::of(nodes, tokens, &types, data, callables).rows(types.len()), Sum)?;
    Ok(Typed { types, errors })
}
