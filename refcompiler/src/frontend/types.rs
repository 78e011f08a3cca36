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
//! child, which is the next row. So the source of a transparent row is the next row that is not transparent. A scan from
//! the last node to the first finds it, and so its columns are in that order: row r is node n - 1 - r.
//!
//! Only a declaration without a type whose source is a variable must wait for another declaration, which is earlier. Their
//! distance doubles in each round, until no declaration waits.
//!
//! Cost: work O(n + u log c) for u declarations without a type in chains of at most c; 4 passes over the nodes, 3 per round;
//! a round waits for one number.
//! Source: pointer jumping (Wyllie 1979).

use treepar::device::device;
use treepar::monoid::{Min, Sum};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::meaning::{Arguments, Callables, Typed};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::{Syntax, SyntaxNodes};
use crate::ir::tokens::{TokenKind, Tokens};

/// No node.
const NONE: u32 = u32::MAX;

/// The kinds with the type of their first child.
const ARITHMETIC: Kinds = Kinds::of(&[Kind::Negate, Kind::Add, Kind::Sub, Kind::Mul, Kind::Div, Kind::Rem]);
/// The kinds whose type is the result of a function.
const RESULTS: Kinds = Kinds::of(&[Kind::Call, Kind::Function, Kind::Extern]);
/// The kinds whose type is that of a token, [`TYPE_OFFSETS`] tokens after their own.
const NAMED: Kinds = Kinds::of(&[Kind::Literal, Kind::Cast, Kind::Ascribe, Kind::Param, Kind::Declare]);

/// The kinds whose type is that of a declaration.
const VARIABLES: Kinds = Kinds::of(&[Kind::Name, Kind::Assign]);
/// The kinds whose child is an `int`.
const CONDITIONS: Kinds = Kinds::of(&[Kind::If, Kind::IfElse, Kind::While, Kind::Not, Kind::Complement]);
/// The kinds whose child has their own type.
const SAME: Kinds = Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Declare]);
/// The kinds with a condition on types.
const CHECKED: Kinds =
    BINARY.union(CONDITIONS).union(SAME).union(Kinds::of(&[Kind::Call, Kind::Param, Kind::Cast, Kind::Negate]));

/// The distance from the token of each node to the token with its type.
const TYPE_OFFSETS: [u8; Kind::COUNT] = {
    let mut offsets = [0; Kind::COUNT];
    offsets[Kind::Ascribe.code() as usize] = 1;
    offsets[Kind::Param.code() as usize] = 2;
    offsets[Kind::Declare.code() as usize] = 2;
    offsets
};

/// The type of each token: of a number, and of the name of a type.
const TOKEN_TYPES: [Type; TokenKind::COUNT] = {
    let mut types = [Type::Void; TokenKind::COUNT];
    types[TokenKind::Int.code() as usize] = Type::Int;
    types[TokenKind::MinusOnlyInt.code() as usize] = Type::Int;
    types[TokenKind::Float.code() as usize] = Type::Float;
    types[TokenKind::IntType.code() as usize] = Type::Int;
    types[TokenKind::FloatType.code() as usize] = Type::Float;
    types
};

/// Returns whether node `i` is a declaration without a type.
#[device]
fn is_untyped(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens) -> bool {
    nodes.kind[i] == Kind::Declare && tokens.kind[nodes.token[i].plus(1)] != TokenKind::Colon
}

/// Returns the node in row `r` of `n`, from the last node to the first; and the row of a node.
#[device]
fn reversed(r: usize, n: usize) -> NodeId {
    NodeId::new((n - 1 - r) as u32)
}

/// Returns the node in row `r`, or `NONE` if it is transparent.
#[device(scan(Min))]
fn opaque(r: usize, nodes: &SyntaxNodes, tokens: &Tokens) -> u32 {
    let i = reversed(r, nodes.len());
    let is_transparent = ARITHMETIC.contains(nodes.kind[i]) || is_untyped(i, nodes, tokens);
    if is_transparent { NONE } else { i.get() }
}

/// Returns the type of the node in row `r` as far as its own tokens determine it, else `Void`, and the node that it has its
/// type from, itself if its type is known. `next` is the next opaque node, `data` the function of a call and the
/// declaration of a variable.
#[device(scan_map(opaque, Min))]
fn origin(
    r: usize,
    next: u32,
    nodes: &SyntaxNodes,
    tokens: &Tokens,
    data: &[u32],
    callables: &Callables,
) -> (Type, u32) {
    // Selections rather than branches: the kinds of nodes are hard to predict.
    let i = reversed(r, nodes.len());
    let kind = nodes.kind[i];
    let is_untyped = is_untyped(i, nodes, tokens);
    let token = nodes.token[i].plus(TYPE_OFFSETS[kind.code() as usize] as u32);
    let named = TOKEN_TYPES[tokens.kind[token].code() as usize];
    let is_int = kind.is_int_only() | kind.is_comparison();
    let of_kind = if is_int { Type::Int } else { Type::Void };
    let of_tokens = if NAMED.contains(kind) & !is_untyped { named } else { of_kind };
    let has_result = RESULTS.contains(kind);
    let own_data = data[i.index()];
    let function = if has_result { own_data } else { 0 };
    let result = callables.result[FunctionId::new(function)];

    let is_transparent = ARITHMETIC.contains(kind) | is_untyped;
    // A transparent node has a child, so there is a next node.
    let source = if is_transparent { next.min(nodes.len() as u32 - 1) } else { i.get() };
    let declaration = data[source as usize];
    let is_variable = VARIABLES.contains(nodes.kind[NodeId::new(source)]);
    (if has_result { result } else { of_tokens }, if is_variable { declaration } else { source })
}

#[device(compact)]
fn is_declaration(i: NodeId, nodes: &SyntaxNodes) -> bool {
    nodes.kind[i] == Kind::Declare
}

/// Returns the origin of a node.
#[device]
fn origin_of(node: u32, origins: &[u32]) -> u32 {
    origins[origins.len() - 1 - node as usize]
}

/// Returns the row of declaration `d`, and the origin of its origin.
#[device(map)]
fn jump(d: usize, declarations: &[u32], origins: &[u32]) -> (u32, u32) {
    let row = origins.len() as u32 - 1 - declarations[d];
    (row, origin_of(origins[row as usize], origins))
}

/// Returns 1 if declaration `d` has its type from one that has its own type from another.
#[device(reduce(Sum))]
fn waits(d: usize, declarations: &[u32], origins: &[u32]) -> u32 {
    let origin = origin_of(declarations[d], origins);
    (origin_of(origin, origins) != origin) as u32
}

/// Returns the type of node `i`.
#[device(map)]
fn type_of(i: usize, origins: &[u32], known: &[Type]) -> Type {
    let origin = origin_of(origin_of(i as u32, origins), origins);
    known[known.len() - 1 - origin as usize]
}

/// Returns whether the operands of node `i` have the right types. Other passes check returned values, and the number of
/// arguments of a call that has any. `data` has the function of a call.
#[device]
fn is_right(i: NodeId, nodes: &SyntaxNodes, types: &[Type], data: &[u32], callables: &Callables) -> bool {
    let kind = nodes.kind[i];
    if !CHECKED.contains(kind) {
        return true;
    }
    let ty = types[i.index()];
    let child = i.plus(1);
    let is_leaf = nodes.end[i] == child.get();
    if kind == Kind::Call {
        return !is_leaf || callables.parameters[FunctionId::new(data[i.index()])] == 0;
    }
    if is_leaf {
        return ty != Type::Void;
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
    operand != Type::Void && (ty != Type::Void || kind == Kind::Negate)
}

#[device(reduce(Sum))]
fn error(i: NodeId, nodes: &SyntaxNodes, types: &[Type], data: &[u32], callables: &Callables) -> u32 {
    !is_right(i, nodes, types, data, callables) as u32
}

/// Computes the type of each node, and checks operands. `data` has the declaration of each variable, and the function of
/// each call.
pub fn types<B: Backend>(
    backend: &B,
    syntax: &Syntax<B>,
    callables: &Callables<B>,
    arguments: &Arguments<B>,
    data: &B::Vec<u32>,
) -> Result<Typed<B>> {
    let (tokens, nodes) = (&syntax.tokens, &syntax.parsed.nodes);
    let n = nodes.kind.len();
    let origin = origin::of(nodes, tokens, data, callables).rows(n);
    let ((known, mut origins), _) = backend.scan_map(opaque::of(nodes, tokens).rows(n), Min, origin)?;
    let declarations = backend.compact(is_declaration::of(nodes))?;
    while !declarations.is_empty() && backend.reduce(waits::of(&declarations, &origins), Sum)? > 0 {
        let (rows, jumps) = backend.map(jump::of(&declarations, &origins))?;
        backend.scatter(&mut origins, &rows, &jumps)?;
    }
    let mut types = backend.map(type_of::of(&origins, &known).rows(n))?;
    backend.scatter(&mut types, &arguments.nodes, &arguments.types)?;
    let errors = backend.reduce(error::of(nodes, &types, data, callables).rows(n), Sum)?;
    Ok(Typed { types, errors })
}
