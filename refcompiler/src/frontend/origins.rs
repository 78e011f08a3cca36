//! Origins: the data and the types that nodes have by their own tokens.
//!
//! ```text
//! program  fn f[x: int] { var y = -x * 2.0; }
//! node     FUNCTION HEADER PARAM BLOCK EXPRESSION DECLARE MUL    NEGATE  NAME         LITERAL
//! data     5        0      0     0     0          0       0      0       0            bits of 2.0
//! origin   Function Void   Int   Void  Void       Child   Child  Child   Declaration  Float
//! ```
//!
//! The origin of a type is a type, or another node. Arithmetic and declarations without a type have the type of their first
//! child. `data` has the bits of literals and the ids of functions, in preorder; other passes add the rest.
//!
//! Cost: work O(n), one scan; 23 bytes per node.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::meaning::Origin;
use crate::ir::nodes::NodeId;
use crate::ir::sets::{mask, select};
use crate::ir::syntax::{SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::TokenKind;
use crate::ir::tree::runtime;

/// The kinds whose type is that of a token, [`TYPE_OFFSETS`] tokens after their own.
const NAMED: Kinds = Kinds::of(&[Kind::Literal, Kind::Cast, Kind::Ascribe, Kind::Param, Kind::Declare]);

/// The distance from the token of each node to the token with its type.
const TYPE_OFFSETS: [u8; Kind::COUNT] = {
    let mut offsets = [0; Kind::COUNT];
    offsets[Kind::Ascribe.code() as usize] = 1;
    offsets[Kind::Param.code() as usize] = 2;
    offsets[Kind::Declare.code() as usize] = 2;
    offsets
};

/// The origin of each kind, if it is not named.
const KIND_ORIGINS: [Origin; Kind::COUNT] = {
    let mut origins = [Origin::Void; Kind::COUNT];
    let mut i = 0;
    while i < Kind::COUNT {
        let kind = Kind::ALL[i];
        if kind.is_int_only() || kind.is_comparison() {
            origins[i] = Origin::Int;
        }
        i += 1;
    }
    let arithmetic = [Kind::Negate, Kind::Add, Kind::Sub, Kind::Mul, Kind::Div, Kind::Rem, Kind::Declare];
    i = 0;
    while i < arithmetic.len() {
        origins[arithmetic[i].code() as usize] = Origin::Child;
        i += 1;
    }
    origins[Kind::Name.code() as usize] = Origin::Declaration;
    origins[Kind::Assign.code() as usize] = Origin::Declaration;
    origins[Kind::Call.code() as usize] = Origin::Function;
    origins[Kind::Function.code() as usize] = Origin::Function;
    origins[Kind::Extern.code() as usize] = Origin::Function;
    origins[Kind::Arg.code() as usize] = Origin::Parameter;
    origins
};

/// The type of each token: of a number, and of the name of a type.
const TOKEN_TYPES: [Origin; TokenKind::COUNT] = {
    let mut types = [Origin::Void; TokenKind::COUNT];
    types[TokenKind::Int.code() as usize] = Origin::Int;
    types[TokenKind::MinusOnlyInt.code() as usize] = Origin::Int;
    types[TokenKind::Float.code() as usize] = Origin::Float;
    types[TokenKind::IntType.code() as usize] = Origin::Int;
    types[TokenKind::FloatType.code() as usize] = Origin::Float;
    types
};

#[device(scanned)]
fn function(i: NodeId, nodes: &SyntaxNodes) -> u32 {
    ((nodes.kind[i] == Kind::Function) | (nodes.kind[i] == Kind::Extern)) as u32
}

/// Returns the data of node `i` as far as its own token determines it, and the origin of its type. There are `functions`
/// functions before it.
#[device(scan_map(function, Sum))]
fn origin(i: NodeId, functions: u32, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> (u32, Origin) {
    // Masks rather than branches: the kinds of nodes are hard to predict.
    let kind = nodes.kind[i];
    let token = nodes.token[i];
    let is_function = (kind == Kind::Function) | (kind == Kind::Extern);
    let literal = tokens.value[token] & mask(kind == Kind::Literal);
    let id = (runtime::COUNT + functions) & mask(is_function);

    let is_untyped = (kind == Kind::Declare) & (tokens.kind[token.plus(1)] != TokenKind::Colon);
    let named = tokens.kind[token.plus(TYPE_OFFSETS[kind.code() as usize] as u32)];
    let of_token = TOKEN_TYPES[named.code() as usize].code() as u32;
    let of_kind = KIND_ORIGINS[kind.code() as usize].code() as u32;
    let origin = select(NAMED.contains(kind) & !is_untyped, of_token, of_kind);
    (literal | id, Origin::from_code(origin as u8))
}

/// Returns the data and the origins of the types of all nodes.
pub fn origins<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
) -> Result<(B::Vec<u32>, B::Vec<Origin>)> {
    let (origins, _) = backend.scan_map(function::of(nodes), Sum, origin::of(nodes, tokens))?;
    Ok(origins)
}
