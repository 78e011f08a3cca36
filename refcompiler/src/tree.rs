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

pub use crate::ir::kinds::{kind, ty};

/// Ids of the functions that come with the compiler: the first rows of every function table.
pub mod runtime {
    /// `print_int[x: int]`.
    pub const PRINT_INT: u32 = 0;
    /// `print_float[x: float]`.
    pub const PRINT_FLOAT: u32 = 1;
    /// `print_char[c: int]`, machine code (see `target::riscv::stub`).
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
