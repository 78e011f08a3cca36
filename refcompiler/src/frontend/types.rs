//! Types: each value gets its type, and the types of operands are checked.
//!
//! ```text
//! program   var a = -x * 2.0;       var b = a + 1.0;          x: float
//! node      DECLARE MUL NEG NAME  LITERAL  DECLARE ADD NAME LITERAL
//! origin    Child .. .. Declaration Float  Child ..    Declaration Float
//! code      float .. .. float       float  link a ..   link a     float     of the next node that is not transparent
//! type      float .. .. float       float  float ..    float      float
//! ```
//!
//! Most values know their type from their own [origin](crate::ir::origins). The rest are transparent: arithmetic, and
//! declarations without a type, have the type of their first child, which is the next row. So the type of a transparent row
//! is the type of the next row that is not transparent. A scan from the last node to the first finds it, and so its column is
//! in that order: row r is node n - 1 - r.
//!
//! Only a variable that was declared without a type leads to another node, which is earlier; and a conditional expression to
//! its second part, which is inside it. Such links are followed a few steps. If there are longer chains of such declarations,
//! their distance doubles in each round, until none is longer.
//!
//! The same pass over the nodes completes `data`: functions get their ids in the whole program.
//!
//! Cost: work O(n + u log c) for u declarations without a type in chains of at most c; 2 passes over the nodes, one compaction
//! and one reduction of operators and statements. Only longer chains take rounds, of 3 passes over u, and a round waits for
//! one number.
//! Source: pointer jumping (Wyllie 1979).

use treepar::backend::ScanKind::Inclusive;
use treepar::device::device;
use treepar::monoid::{Sum, last_u32};
use treepar::{Backend, Result};

use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::meaning::{Callables, Origin, Typed};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::sets::{mask, select};
use crate::ir::syntax::TreeNodes;

/// No code.
const NONE: u32 = u32::MAX;

/// The code of a link to node 0. Smaller codes are types.
const LINK: u32 = 3;

/// The links of a declaration that are followed at once.
const HOPS: u32 = 8;

/// The code of each origin that is a type, `NONE` of the first child, and 0 of others. Rows for all bytes need no check of
/// the index.
const CODES: [u32; 256] = {
    let mut codes = [0; 256];
    codes[Origin::Child.code() as usize] = NONE;
    codes[Origin::Void.code() as usize] = Type::Void.code() as u32;
    codes[Origin::Int.code() as usize] = Type::Int.code() as u32;
    codes[Origin::Float.code() as usize] = Type::Float.code() as u32;
    codes
};

/// Returns the node in row `r` of `n`, from the last node to the first.
#[device]
fn reversed(r: usize, n: usize) -> u32 {
    (n - 1 - r) as u32
}

/// Returns the code of the node in row `r`: a type, a link to the declaration of a variable, or `NONE` if the node is
/// transparent. Combined with the rows before it, this is the code of each node.
#[device(scan(last_u32))]
fn code(r: usize, origins: &[Origin], data: &[u32]) -> u32 {
    // Masks rather than branches: the kinds of nodes are hard to predict.
    let i = reversed(r, origins.len());
    let is_variable = origins[i as usize] == Origin::Declaration;
    let source = select(is_variable, data[i as usize], i);
    let origin = origins[source as usize];
    select(is_variable & (origin == Origin::Child), LINK + source, CODES[origin.code() as usize])
}

/// Returns the code at the end of a chain of links, or a link if there are more than `hops`.
#[device]
fn followed(code: u32, hops: u32, codes: &[u32]) -> u32 {
    let mut last = code;
    let mut left = hops;
    while last >= LINK && left > 0 {
        last = codes[codes.len() - 1 - (last - LINK) as usize];
        left -= 1;
    }
    last
}

/// The data of each kind in the final tree: [`NUMBERED`] of functions, [`KEPT`] of other kinds with data, else 0.
const CHANGES: [u8; 256] = {
    let mut changes = [0; 256];
    changes[Kind::Literal.code() as usize] = KEPT;
    changes[Kind::Arg.code() as usize] = KEPT;
    changes[Kind::Name.code() as usize] = KEPT;
    changes[Kind::Assign.code() as usize] = KEPT;
    changes[Kind::Call.code() as usize] = NUMBERED;
    changes[Kind::Function.code() as usize] = NUMBERED;
    changes[Kind::Extern.code() as usize] = NUMBERED;
    changes[Kind::Declare.code() as usize] = DECLARES;
    changes
};
/// The value stays. Of a `return` it does not: the final tree has no data there.
const KEPT: u8 = 1;
/// The value is an id of a function in the part.
const NUMBERED: u8 = 2;
/// The kind is a declaration, from which one link less is followed than from its uses.
const DECLARES: u8 = 4;

/// Returns the type of node `i`, `Void` if it is not known yet; and its data with the ids of functions in the program.
#[device(map)]
fn typed(i: NodeId, nodes: &TreeNodes, codes: &[u32], data: &[u32], ids: &[u32]) -> (Type, u32) {
    let changes = CHANGES[nodes.kind[i].code() as usize];
    let hops = HOPS + (changes & DECLARES == 0) as u32;
    let code = followed(codes[codes.len() - 1 - i.index()], hops, codes);
    let ty = if code < LINK { code } else { Type::Void.code() as u32 };
    // Masks rather than branches, as above.
    let own = data[i.index()];
    let numbered = mask(changes & NUMBERED != 0);
    let function = ids[(own & numbered) as usize];
    (Type::from_code(ty as u8), (own & mask(changes & KEPT != 0)) | (function & numbered))
}

/// Returns whether node `i` can be the target of a link.
#[device(compact)]
fn is_declaration(i: NodeId, nodes: &TreeNodes) -> bool {
    (nodes.kind[i] == Kind::Declare) | (nodes.kind[i] == Kind::Then)
}

/// Returns the row of declaration `d`, and the code of the declaration that it links to, else its own.
#[device(map)]
fn jump(d: usize, declarations: &[u32], codes: &[u32]) -> (u32, u32) {
    let row = codes.len() as u32 - 1 - declarations[d];
    let code = codes[row as usize];
    (row, if code < LINK { code } else { codes[codes.len() - 1 - (code - LINK) as usize] })
}

/// Returns 1 if the links of declaration `d` are too many to be followed at once.
#[device(reduce(Sum))]
fn waits(d: usize, declarations: &[u32], codes: &[u32]) -> u32 {
    let code = codes[codes.len() - 1 - declarations[d] as usize];
    (followed(code, HOPS, codes) >= LINK) as u32
}

/// The result of a check.
#[device]
pub struct Verdict {
    /// The nodes whose operands have a wrong type.
    pub errors: u32,
    /// The remainders of floats.
    pub remainders: u32,
}

#[device(monoid(identity = Verdict { errors: 0, remainders: 0 }))]
fn add_verdicts(a: Verdict, b: Verdict) -> Verdict {
    Verdict { errors: a.errors.wrapping_add(b.errors), remainders: a.remainders.wrapping_add(b.remainders) }
}

/// Rules about the operands of a node, as bits.
mod rule {
    /// The right operand has the type of the left one.
    pub const EQUAL: u8 = 1;
    /// The first operand is an `int`.
    pub const INT: u8 = 2;
    /// The first operand has a value.
    pub const VALUE: u8 = 4;
    /// The first operand has the node's type.
    pub const SAME: u8 = 8;
    /// The node has a type. This rule is for nodes without a child too.
    pub const TYPED: u8 = 16;
}

/// The bit of a node without a child in an index of [`RULES`]. The bits below are the kind.
const LEAF: usize = 128;

/// The rules of each kind, with and without a child. A name has a type if its declaration has one.
const RULES: [u8; 2 * LEAF] = {
    let mut rules = [0; 2 * LEAF];
    let mut i = 0;
    while i < Kind::COUNT {
        let kind = Kind::ALL[i];
        if BINARY.contains(kind) {
            rules[i] |= rule::EQUAL | rule::VALUE;
        }
        let conditions = Kinds::of(&[Kind::If, Kind::IfElse, Kind::While, Kind::Count, Kind::Test]);
        if conditions.contains(kind) || kind.is_int_only() {
            rules[i] |= rule::INT;
        }
        if Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Declare]).contains(kind) {
            rules[i] |= rule::SAME;
        }
        if Kinds::of(&[Kind::Assign, Kind::Arg, Kind::Declare, Kind::Param, Kind::Cast]).contains(kind) {
            rules[i] |= rule::TYPED;
        }
        if Kinds::of(&[Kind::Choose, Kind::Then, Kind::Otherwise]).contains(kind) {
            rules[i] |= rule::TYPED;
        }
        if Kinds::of(&[Kind::Cast, Kind::Negate]).contains(kind) {
            rules[i] |= rule::VALUE;
        }
        rules[LEAF + i] = rules[i] & rule::TYPED;
        i += 1;
    }
    rules
};

/// The rules that a node breaks, by the types of its first operand, its right operand and itself, in two bits each.
const BROKEN: [u8; 64] = {
    let (int, void) = (Type::Int.code() as usize, Type::Void.code() as usize);
    let mut broken = [0; 64];
    let mut i = 0;
    while i < broken.len() {
        let (operand, right, own) = (i & 3, i >> 2 & 3, i >> 4);
        broken[i] = (if operand != right { rule::EQUAL } else { 0 })
            | (if operand != int { rule::INT } else { 0 })
            | (if operand == void { rule::VALUE } else { 0 })
            | (if operand != own { rule::SAME } else { 0 })
            | (if own == void { rule::TYPED } else { 0 });
        i += 1;
    }
    broken
};

/// Returns whether operands of node `i` are checked. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn is_checked(i: NodeId, nodes: &TreeNodes) -> bool {
    let kind = nodes.kind[i];
    let is_operand = (kind == Kind::Name) | (kind == Kind::Literal);
    let is_outer = (kind == Kind::Expression) | (kind == Kind::Block) | (kind == Kind::Header);
    !(is_operand | is_outer)
}

/// Checks the operands of node `rows[r]`. `data` has the function of a call, and the FUNCTION of a `return`.
#[device(reduce(add_verdicts))]
fn verdict(r: usize, rows: &[u32], nodes: &TreeNodes, types: &[Type], data: &[u32], callables: &Callables) -> Verdict {
    let i = NodeId::new(rows[r]);
    let last = nodes.len() - 1;
    let kind = nodes.kind[i];
    let ty = types[i.index()];
    let child = (i.index() + 1).min(last);
    let is_leaf = nodes.end[i] == i.get() + 1;
    let operand = types[child];
    let right = types[(nodes.end[NodeId::new(child as u32)] as usize).min(last)];

    let rules = RULES[(kind.code() & 127) as usize | if is_leaf { LEAF } else { 0 }];
    let found = (operand.code() & 3) | (right.code() & 3) << 2 | (ty.code() & 3) << 4;
    let mut is_wrong = BROKEN[found as usize] & rules != 0;
    if kind == Kind::Call && is_leaf {
        is_wrong = callables.parameters[FunctionId::new(data[i.index()])] != 0;
    }
    if kind == Kind::Then {
        // The other part follows it.
        is_wrong |= ty != types[(nodes.end[i] as usize).min(last)];
    }
    if kind == Kind::Return {
        let returned = if is_leaf { Type::Void } else { operand };
        is_wrong = returned != types[data[i.index()] as usize];
    }
    Verdict { errors: is_wrong as u32, remainders: ((kind == Kind::Rem) & (ty == Type::Float)) as u32 }
}

/// Returns the nodes whose types are checked.
pub fn checked_rows<B: Backend>(backend: &B, nodes: &TreeNodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_checked::of(nodes))
}

/// Computes the type of each node, and checks operands. `rows` are [`checked_rows`]. `data` has the declaration of each
/// variable, the function of each call, the FUNCTION of each `return`, and the index of each argument.
pub fn types<B: Backend>(
    backend: &B,
    (nodes, rows): (&TreeNodes<B>, &B::Vec<u32>),
    origins: &B::Vec<Origin>,
    data: &B::Vec<u32>,
    (callables, ids): (&Callables<B>, &B::Vec<u32>),
) -> Result<Typed<B>> {
    let n = nodes.len();
    let (mut codes, _) = backend.scan_later(Inclusive, code::of(origins, data).rows(n), last_u32)?;
    let (mut types, mut moved) = backend.map(typed::of(nodes, &codes, data, ids))?;
    let mut verdict = backend.reduce(verdict::of(rows, nodes, &types, data, callables), add_verdicts)?;
    // A type that is not known yet is an error too.
    if verdict.errors > 0 {
        let declarations = backend.compact(is_declaration::of(nodes))?;
        while backend.reduce(waits::of(&declarations, &codes), Sum)? > 0 {
            let (rows, jumps) = backend.map(jump::of(&declarations, &codes))?;
            backend.scatter(&mut codes, &rows, &jumps)?;
        }
        (types, moved) = backend.map(typed::of(nodes, &codes, data, ids))?;
        verdict = backend.reduce(verdict::of(rows, nodes, &types, data, callables), add_verdicts)?;
    }
    let Verdict { errors, remainders } = verdict;
    Ok(Typed { types, data: moved, errors, remainders })
}
