//! The syntax tree of a device function, flat: nodes in one array, which name each other by position.
//!
//! Names are resolved. A local is a number, the parameters first; a constant, type or function is a position in the lists
//! of the function's [`Def`](crate::Def). The attribute writes a tree as bytes, since rustc reads a string of bytes much sooner
//! than an expression of a thousand nodes, and a program that generates no code keeps few of them.

use crate::bytes::Bytes;
use crate::types::Scalar;

/// The position of a node.
pub type Id = u32;

/// The position of a name.
pub type Name = u32;

/// A syntax tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The nodes. A child comes before its parent.
    pub nodes: Vec<Node>,
    /// The lists of children, one after the other.
    pub lists: Vec<u32>,
    /// The names of fields and methods.
    pub names: Vec<String>,
    /// The names of locals, the parameters first.
    pub locals: Vec<String>,
    /// The function's block.
    pub root: Id,
}

/// A syntax tree as bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Encoded(&'static [u8]);

impl Encoded {
    /// Returns the tree of these bytes, which [`Body::encode`] wrote.
    pub const fn new(bytes: &'static [u8]) -> Encoded {
        Encoded(bytes)
    }

    /// Returns the tree; `None` if other code wrote the bytes.
    pub fn decode(self) -> Option<Body> {
        let mut bytes = self.0;
        let body = Body::read(&mut bytes)?;
        bytes.is_empty().then_some(body)
    }
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.decode().fmt(f)
    }
}

/// A list of children: its begin among the lists, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List(pub u32, pub u32);

/// A type that a tree names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// A position among the types of the function.
    Named(u32),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of Rust's operators")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Op {
    /// Returns whether it compares.
    pub fn is_comparison(self) -> bool {
        matches!(self, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
    }

    /// Returns whether it shifts, so that its operands may differ in type.
    pub fn is_shift(self) -> bool {
        matches!(self, Op::Shl | Op::Shr)
    }
}

/// A node: an expression, a statement or a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// `()`, or a refused construct.
    Nothing,
    /// `true` or `false`.
    Boolean(bool),
    /// An integer's bits, and its type where it is written.
    Int(u64, Option<Scalar>),
    /// A float's bits, and its type.
    Float(u64, Scalar),
    /// A local or parameter.
    Local(u32),
    /// A constant.
    Constant(u32),
    /// `-x`.
    Neg(Id),
    /// `!x`.
    Not(Id),
    /// Two operands.
    Binary(Op, Id, Id),
    /// `x as T`.
    Cast(Id, Ty),
    /// `x.name`.
    Field(Id, Name),
    /// `column[row]`.
    Index(Id, Id),
    /// `column.len()`.
    Len(Id),
    /// A call of a device function.
    Call(u32, List),
    /// A call of a device type's function: `Kind::of(x)`.
    Associated(Ty, Name, List),
    /// A call of a method.
    Method(Id, Name, List),
    /// A struct's literal: the names and values of its fields.
    Struct(Ty, List, List),
    /// Several values.
    Tuple(List),
    /// Statements, and the value after the last.
    Block(List, Option<Id>),
    /// A condition, a block, and the `else` part.
    If(Id, Id, Option<Id>),
    /// A value, and its arms.
    Match(Id, List),
    /// An arm's pattern and value.
    Arm(Id, Id),
    /// The pattern `_`.
    Any,
    /// The pattern of a name, which takes all that is left.
    Bind(u32),
    /// A range as a pattern; `true` if it includes its end.
    Range(Option<Id>, Option<Id>, bool),
    /// Patterns of which one holds.
    Either(List),
    /// `let local: T = value`.
    Let(u32, Option<Ty>, Id),
    /// `let (a, b) = value`.
    LetTuple(List, Id),
    /// `target = value`.
    Assign(Id, Id),
    /// `target += value` and the like.
    Update(Op, Id, Id),
    /// `for local in start..end`, and the block.
    For(u32, Id, Id, Id),
    /// A condition and a block.
    While(Id, Id),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return value`.
    Return(Id),
}

impl Body {
    /// Returns the tree as bytes, for [`Encoded::new`].
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    /// Returns a node.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// Returns a list of children.
    pub fn list(&self, list: List) -> &[u32] {
        &self.lists[list.0 as usize..][..list.1 as usize]
    }

    /// Returns a name.
    pub fn name(&self, name: Name) -> &str {
        &self.names[name as usize]
    }

    /// Returns whether a value comes from statements.
    pub fn is_branching(&self, id: Id) -> bool {
        matches!(self.node(id), Node::If(..) | Node::Match(..) | Node::Block(..))
    }
}
