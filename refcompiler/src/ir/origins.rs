//! Facts about nodes and their types, by the class and the kind of the token.
//!
//! ```text
//! program  fn f[x: int] { var y = -x * 2.0; }
//! node     FUNCTION HEADER PARAM BLOCK EXPRESSION DECLARE MUL    NEGATE  NAME         LITERAL
//! data     0        0      0     0     0          0       0      0       0            bits of 2.0
//! origin   Function Void   Int   Void  Void       Child   Child  Child   Declaration  Float
//! ```
//!
//! The origin of a type is a type, or another node. Arithmetic and declarations without a type have the type of their first
//! child. All facts about a class are in one word, so that one read of a table finds them.

use treepar::device::device;

use super::kinds::{Kind, Kinds};
use super::meaning::Origin;
use super::sets::select;
use super::syntax::{ARGUMENTS, Class, NAME_OFFSETS, NODE_KINDS, OPERATOR_KINDS};
use super::tokens::{TokenId, TokenKind, Tokens};

/// The kinds that have the type of a token, [`type_offset`] tokens after their own.
const NAMED: Kinds = Kinds::of(&[Kind::Literal, Kind::Cast, Kind::Ascribe, Kind::Param, Kind::Declare]);

/// Returns the distance from the token of a node to the token with its type.
const fn type_offset(kind: Kind) -> u32 {
    match kind {
        Kind::Ascribe => 1,
        Kind::Param | Kind::Declare => 2,
        _ => 0,
    }
}

/// The origin of each kind, if it is not named.
pub const KIND_ORIGINS: [Origin; Kind::COUNT] = {
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
    origins[Kind::Count.code() as usize] = Origin::Int;
    origins[Kind::Test.code() as usize] = Origin::Int;
    origins[Kind::Choose.code() as usize] = Origin::Declaration;
    origins[Kind::Name.code() as usize] = Origin::Declaration;
    origins[Kind::Assign.code() as usize] = Origin::Declaration;
    origins[Kind::Call.code() as usize] = Origin::Function;
    origins[Kind::Function.code() as usize] = Origin::Function;
    origins[Kind::Extern.code() as usize] = Origin::Function;
    origins[Kind::Arg.code() as usize] = Origin::Parameter;
    origins
};

/// Bits of the kind in a word of facts, the lowest bits.
const KIND_BITS: u32 = 7;
/// The first bit of the distance to the token that names the node, of 2 bits.
const NAME_SHIFT: u32 = 7;
/// The first bit of the distance from there to the token with the type, of 2 bits.
const TYPE_SHIFT: u32 = 9;
/// The first bit of the origin, of 3 bits.
const ORIGIN_SHIFT: u32 = 11;
/// The bit of kinds that have the type of a token.
const NAMED_SHIFT: u32 = 14;
/// The bit of declarations, which have no such token if no colon follows.
const DECLARES_SHIFT: u32 = 15;
/// The bit of literals.
const LITERAL_SHIFT: u32 = 16;
/// The bit of arguments.
const ARGUMENT_SHIFT: u32 = 17;
/// The bit of expression statements.
const BEFORE_SHIFT: u32 = 18;

/// Returns the facts about a kind.
const fn facts_of_kind(kind: Kind) -> u32 {
    kind.code() as u32
        | type_offset(kind) << TYPE_SHIFT
        | (KIND_ORIGINS[kind.code() as usize].code() as u32) << ORIGIN_SHIFT
        | (NAMED.contains(kind) as u32) << NAMED_SHIFT
        | (matches!(kind, Kind::Declare) as u32) << DECLARES_SHIFT
        | (matches!(kind, Kind::Literal) as u32) << LITERAL_SHIFT
}

/// The bits of a row of [`FACTS`].
const ROW_BITS: u32 = 9;
/// The first row of the operators with two operands.
const OF_TWO: u16 = 128;
/// The first row of the operators with one operand.
const OF_ONE: u16 = 256;

/// The row of [`FACTS`] for each class, and above it the mask of the bits of the token's kind that are added to the row.
const ROWS: [u16; 128] = {
    let mut rows = [0; 128];
    let mut i = 0;
    while i < Class::COUNT {
        rows[i] = match Class::ALL[i] {
            Class::Binary => 127 << ROW_BITS | OF_TWO,
            Class::Unary => 127 << ROW_BITS | OF_ONE,
            _ => i as u16,
        };
        i += 1;
    }
    rows
};

/// The facts about the node of each class, then of each operator with two operands, then of each operator with one.
const FACTS: [u32; 1 << ROW_BITS] = {
    let mut facts = [0; 1 << ROW_BITS];
    let mut i = 0;
    while i < Class::COUNT {
        let class = Class::ALL[i];
        facts[i] = facts_of_kind(NODE_KINDS[i])
            | (NAME_OFFSETS[i] as u32) << NAME_SHIFT
            | (ARGUMENTS.contains(class) as u32) << ARGUMENT_SHIFT
            | (matches!(class, Class::EndExpression) as u32) << BEFORE_SHIFT;
        i += 1;
    }
    i = 0;
    while i < TokenKind::COUNT {
        facts[OF_TWO as usize + i] = facts_of_kind(OPERATOR_KINDS[i]);
        facts[OF_ONE as usize + i] = facts_of_kind(match TokenKind::ALL[i] {
            TokenKind::Minus => Kind::Negate,
            _ => OPERATOR_KINDS[i],
        });
        i += 1;
    }
    facts
};

const _: () = assert!(Kind::COUNT <= 1 << KIND_BITS && Class::COUNT <= 128 && TokenKind::COUNT <= 128);

/// The type of each token: of a number, and of the name of a type.
const TOKEN_TYPES: [u8; 128] = {
    let mut types = [Origin::Void.code(); 128];
    types[TokenKind::Int.code() as usize] = Origin::Int.code();
    types[TokenKind::MinusOnlyInt.code() as usize] = Origin::Int.code();
    types[TokenKind::Float.code() as usize] = Origin::Float.code();
    types[TokenKind::IntType.code() as usize] = Origin::Int.code();
    types[TokenKind::FloatType.code() as usize] = Origin::Float.code();
    types
};

/// The facts about the node of a token.
#[device]
pub struct Facts {
    word: u32,
}

/// Returns the facts about the node of a token. Two reads of tables take less time than a branch that is hard to predict.
#[device]
pub fn facts_of(class: Class, kind: TokenKind) -> Facts {
    let row = ROWS[(class.code() & 127) as usize] as u32;
    let mask = (1 << ROW_BITS) - 1;
    Facts { word: FACTS[(((row & mask) + (kind.code() as u32 & (row >> ROW_BITS))) & mask) as usize] }
}

#[device]
impl Facts {
    /// Returns the kind of the node. An `if` with an `else` has the kind of one without.
    pub fn kind(self) -> Kind {
        Kind::from_code((self.word & ((1 << KIND_BITS) - 1)) as u8)
    }

    /// Returns the distance from the token to the one that names the node.
    pub fn name_offset(self) -> u32 {
        self.word >> NAME_SHIFT & 3
    }

    /// Returns whether the node is an expression statement, whose token is its last.
    pub fn begins_before(self) -> bool {
        self.word >> BEFORE_SHIFT & 1 != 0
    }

    /// Returns whether the node is an argument.
    pub fn is_argument(self) -> bool {
        self.word >> ARGUMENT_SHIFT & 1 != 0
    }

    /// Returns whether the node is a literal.
    pub fn is_literal(self) -> bool {
        self.word >> LITERAL_SHIFT & 1 != 0
    }

    /// Returns the origin of the type of the node that `name` names.
    pub fn origin(self, name: TokenId, tokens: &Tokens) -> Origin {
        let is_declaration = self.word >> DECLARES_SHIFT & 1 != 0;
        let is_untyped = is_declaration & (tokens.kind[name.plus(1)] != TokenKind::Colon);
        let is_named = (self.word >> NAMED_SHIFT & 1 != 0) & !is_untyped;
        let named = tokens.kind[name.plus(self.word >> TYPE_SHIFT & 3)];
        let of_token = TOKEN_TYPES[(named.code() & 127) as usize] as u32;
        Origin::from_code(select(is_named, of_token, self.word >> ORIGIN_SHIFT & 7) as u8)
    }
}
