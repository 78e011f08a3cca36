//! The meaning of a syntax tree: its functions, the meaning of its names, and its types.

use treepar::Backend;
use treepar::device::device;

use super::kinds::{Kind, Type};
use super::nodes::{FunctionId, NodeId};
use super::tokens::TokenKind;

/// Returns the type that a token names; `Void` for `void` and for a token that is not a type.
#[device]
pub fn named_type(kind: TokenKind) -> Type {
    match kind {
        TokenKind::IntType => Type::Int,
        TokenKind::FloatType => Type::Float,
        _ => Type::Void,
    }
}

/// A function that a part of a program declares. The functions of the runtime come first; they have no node and no name.
#[device(columns(Declared, index = FunctionId))]
pub struct DeclaredFunction {
    /// The FUNCTION or EXTERN node, `NONE` for functions of the runtime.
    pub node: NodeId,
    /// The end of its subtree.
    pub end: u32,
    /// The depth of the node.
    pub depth: u32,
    /// The kind of the node.
    pub kind: Kind,
    /// The offset of its name in the text of the part.
    pub start: u32,
    /// The id of its name in the part.
    pub name: u32,
    /// The index of the first parameter among the parameters of all functions.
    pub first: u32,
    /// The number of parameters.
    pub parameters: u32,
    /// The type of the result.
    pub result: Type,
    /// 1 if the function has a value, and its body does not end with a `return`.
    pub is_open: u32,
}

/// A function that a part of a program can call.
#[device(columns(Callables, index = FunctionId))]
pub struct Callable {
    /// The FUNCTION or EXTERN node, `NONE` for functions of the runtime and of other parts.
    pub node: NodeId,
    /// The index of the first parameter among the parameters of all functions.
    pub first: u32,
    /// The number of parameters.
    pub parameters: u32,
    /// The type of the result.
    pub result: Type,
}

/// The source of a node's type.
#[device]
pub enum Origin {
    /// The node has no type.
    Void,
    /// The type is `int`.
    Int,
    /// The type is `float`.
    Float,
    /// The type of the first child.
    Child,
    /// The type of the declaration in `data`.
    Declaration,
    /// The result of a function, which is not known yet.
    Function,
    /// The type of a parameter, which is not known yet.
    Parameter,
    /// The type that an operation on arrays gives to a part of its function, or to its first value.
    Element,
}

#[device]
impl Origin {
    /// Returns the origin that is a type.
    pub fn of_type(ty: Type) -> Origin {
        Origin::from_code(ty.code())
    }
}

const _: () = assert!(Origin::Void.code() == Type::Void.code());
const _: () = assert!(Origin::Int.code() == Type::Int.code());
const _: () = assert!(Origin::Float.code() == Type::Float.code());

/// The functions of a part of a program.
pub struct Signatures<B: Backend> {
    /// The functions by id: first the runtime, then the part in preorder.
    pub declared: Declared<B>,
    /// The types of the parameters of all functions.
    pub types: B::Vec<Type>,
}

/// The variables of a part of a program.
pub struct Bindings<B: Backend> {
    /// The nodes with the name of a variable, statements, and the first nodes of functions.
    pub rows: B::Vec<u32>,
    /// Their values in the column `data`: the declaration of a variable that is used, the function of a `return`, else 0.
    pub data: B::Vec<u32>,
    /// The number of errors that were found.
    pub errors: B::Value<u32>,
}

/// A function or call, in the order of names, and of tokens from which on the name is visible.
#[device(columns(Calls, index = CallId))]
pub struct CallRow {
    /// The name in the high half, and the first token where the name is visible.
    pub key: u64,
    /// The node.
    pub node: u32,
    /// The last earlier row that reaches as far, or `u32::MAX`.
    pub previous: u32,
}

/// An index of a row of [`Calls`].
#[device(index)]
pub struct CallId(u32);

/// The functions and calls with the name of the function `assert`.
pub struct Assertions<B: Backend> {
    /// Their rows in [`Calls`].
    pub rows: B::Vec<u32>,
    /// The offsets of their names in the text of the part.
    pub starts: B::Vec<u32>,
}

/// An argument of a call.
#[device(columns(Arguments, index = ArgumentId))]
pub struct Argument {
    /// The ARG node.
    pub node: u32,
    /// The CALL node.
    pub call: u32,
    /// Twice the index among the arguments of the call, plus 1 if it is the last.
    pub index: u32,
}

/// An index of a row of [`Arguments`].
#[device(index)]
pub struct ArgumentId(u32);

/// The types of all nodes, and `data` of the whole program.
pub struct Typed<B: Backend> {
    /// The type of each node.
    pub types: B::Vec<Type>,
    /// Further data of each node's kind.
    pub data: B::Vec<u32>,
    /// The number of errors that were found.
    pub errors: u32,
    /// The number of remainders of floats.
    pub remainders: u32,
}
