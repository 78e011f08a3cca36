//! The syntax tree as columns: what the front end hands to the passes.
//!
//! A program is a forest in preorder; node `i` is row `i` of every column. Top-level functions of all inputs are
//! the roots, and the runtime functions that the program uses follow them.
//!
//! ```text
//! depth[n] u32   0 for a root, else its parent's plus 1
//! kind[n]  u8    one of `kind::*`
//! ty[n]    u8    one of `ty::*`: the type of a value's node; a function's node has its return type; else VOID
//! data[n]  u32   see `kind`
//! pos[n]   u32   byte offset of the node's first token (an operator's own token) in all sources, laid end to end
//! ```

/// Node kinds. The children of each, in order, stand in brackets; `*` is any number, `?` one or none.
pub mod kind {
    /// `fn`: \[HEADER, PARAM*, BLOCK\]; data: function id; ty: its return type. May stand among a BLOCK's statements.
    pub const FUNCTION: u8 = 0;
    /// `extern fn`: \[PARAM*\]; data: function id; ty: its return type.
    pub const EXTERN: u8 = 1;
    /// A function's first child, a leaf: the place of its prologue.
    pub const HEADER: u8 = 2;
    /// A parameter: a leaf with its type.
    pub const PARAM: u8 = 3;
    /// `{ }`: \[statement*\].
    pub const BLOCK: u8 = 4;
    /// `;` alone.
    pub const EMPTY: u8 = 5;
    /// `e;`: \[value or void CALL\].
    pub const EXPRESSION: u8 = 6;
    /// `return`: \[value?\].
    pub const RETURN: u8 = 7;
    /// `if` without `else`: \[value, BLOCK\].
    pub const IF: u8 = 8;
    /// `if` with `else`: \[value, BLOCK, BLOCK or IF or IF_ELSE\]; `elif` is an IF or IF_ELSE in third place.
    pub const IF_ELSE: u8 = 9;
    /// `while`: \[value, BLOCK\].
    pub const WHILE: u8 = 10;
    /// `var x: T = e`: \[value?\]; a value (zero where none is given); the declaration of a variable.
    pub const DECLARE: u8 = 11;
    /// `x = e`: \[value\]; data: the node (PARAM or DECLARE) that declares x.
    pub const ASSIGN: u8 = 12;
    /// `f[..]`: \[ARG*\]; data: function id; ty: the return type, VOID where it yields no value.
    pub const CALL: u8 = 13;
    /// An argument: \[value\]; data: its place, from 0; ty: its type.
    pub const ARG: u8 = 14;
    /// A literal: a leaf; data: its bits (of an i32 or an f32).
    pub const LITERAL: u8 = 15;
    /// A variable read: a leaf; data: the node (PARAM or DECLARE) that declares it.
    pub const NAME: u8 = 16;
    /// `int(e)`, `float(e)`: \[value\]; ty: the type cast to.
    pub const CAST: u8 = 17;
    /// `e : T`, checked: \[value\].
    pub const ASCRIBE: u8 = 18;
    /// `-x`: \[value\].
    pub const NEGATE: u8 = 19;
    /// `!x`: \[value\].
    pub const NOT: u8 = 20;
    /// `~x`: \[value\].
    pub const COMPLEMENT: u8 = 21;
    /// `a + b`: \[value, value\], as all that follow.
    pub const ADD: u8 = 22;
    /// `a - b`.
    pub const SUB: u8 = 23;
    /// `a * b`.
    pub const MUL: u8 = 24;
    /// `a / b`.
    pub const DIV: u8 = 25;
    /// `a % b`.
    pub const REM: u8 = 26;
    /// `a << b`.
    pub const SHL: u8 = 27;
    /// `a >> b`, arithmetic.
    pub const SHR: u8 = 28;
    /// `a >>> b`, logical.
    pub const USHR: u8 = 29;
    /// `a & b`.
    pub const AND: u8 = 30;
    /// `a | b`.
    pub const OR: u8 = 31;
    /// `a ^ b`.
    pub const XOR: u8 = 32;
    /// `a == b`; ty is INT for this and the other comparisons, whatever they compare.
    pub const EQ: u8 = 33;
    /// `a != b`.
    pub const NE: u8 = 34;
    /// `a < b`.
    pub const LT: u8 = 35;
    /// `a <= b`.
    pub const LE: u8 = 36;
    /// `a > b`.
    pub const GT: u8 = 37;
    /// `a >= b`.
    pub const GE: u8 = 38;
    /// `a && b`, both evaluated.
    pub const LAND: u8 = 39;
    /// `a || b`, both evaluated.
    pub const LOR: u8 = 40;
    /// How many kinds there are.
    pub const COUNT: u8 = 41;

    /// The name of each kind, as `refc --emit tree` prints it.
    pub const NAMES: [&str; COUNT as usize] = [
        "function",
        "extern",
        "header",
        "param",
        "block",
        "empty",
        "expression",
        "return",
        "if",
        "if_else",
        "while",
        "declare",
        "assign",
        "call",
        "arg",
        "literal",
        "name",
        "cast",
        "ascribe",
        "negate",
        "not",
        "complement",
        "add",
        "sub",
        "mul",
        "div",
        "rem",
        "shl",
        "shr",
        "ushr",
        "and",
        "or",
        "xor",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "land",
        "lor",
    ];
}

/// Types of values.
pub mod ty {
    /// No value.
    pub const VOID: u8 = 0;
    /// Signed 32-bit integer, wrapping.
    pub const INT: u8 = 1;
    /// IEEE binary32.
    pub const FLOAT: u8 = 2;

    /// The name of each type in the source.
    pub const NAMES: [&str; 3] = ["void", "int", "float"];
}

/// Ids of the functions that come with the compiler: the first rows of every function table.
pub mod runtime {
    /// `print_int[x: int]`.
    pub const PRINT_INT: u32 = 0;
    /// `print_float[x: float]`.
    pub const PRINT_FLOAT: u32 = 1;
    /// `print_char[c: int]`, machine code (see `riscv::stub`).
    pub const PRINT_CHAR: u32 = 2;
    /// `read_char[]: int`, machine code.
    pub const READ_CHAR: u32 = 3;
    /// `remainder[x: float, y: float]: float`: what `%` of floats calls; no name that a program can write reaches it.
    pub const REMAINDER: u32 = 4;
    /// How many there are; the id of a program's first function.
    pub const COUNT: u32 = 5;
}

/// Where a function's code comes from, and who sees its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// A function at top level: its code is in the tree, its symbol is global.
    Global,
    /// A nested function, or one of the runtime written in Par: in the tree, with a local symbol.
    Local,
    /// `extern`: in another object file, reached through a relocation.
    Extern,
    /// Machine code of the compiler's own, used by this program.
    Stub,
    /// A runtime function that this program does not use.
    Absent,
}

/// One row of the function table, which is indexed by function id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its symbol: the name in the source; a nested function's has those around it in front, `outer.inner`.
    pub name: String,
    /// Its FUNCTION or EXTERN node; `None` for a stub and for what is absent.
    pub node: Option<u32>,
    /// How many parameters it takes.
    pub parameters: u32,
    /// Where its code comes from.
    pub linkage: Linkage,
}

/// A checked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Depth of each node, in preorder.
    pub depth: Vec<u32>,
    /// Kind of each node.
    pub kind: Vec<u8>,
    /// Type of each node.
    pub ty: Vec<u8>,
    /// What else a node needs; see [`kind`].
    pub data: Vec<u32>,
    /// Byte offset of each node's token in all sources, laid end to end.
    pub pos: Vec<u32>,
    /// The functions by id: those of [`runtime`] first, then the program's in preorder.
    pub functions: Vec<Function>,
}

impl Tree {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
}
