//! The meaning of a syntax tree: its functions, what its names refer to, and its types.

use treepar::Backend;
use treepar::device::{ColumnVisitor, device};

use super::kinds::Type;
use super::nodes::{FunctionId, NodeId};
use super::table::{Table, tables};
use super::tokens::{TokenId, TokenKind};

/// Returns the type that a token names; `Void` for `void` and for a token that is not a type.
#[device]
pub fn named_type(kind: TokenKind) -> Type {
    match kind {
        TokenKind::IntType => Type::Int,
        TokenKind::FloatType => Type::Float,
        _ => Type::Void,
    }
}

/// A function that a program can call.
#[device(columns(Callables, index = FunctionId))]
pub struct Callable {
    /// The FUNCTION or EXTERN node, `NONE` for functions of the runtime.
    pub node: NodeId,
    /// The name, `NONE` for functions of the runtime.
    pub name: TokenId,
    /// The index of the first parameter among the parameters of all functions.
    pub first: u32,
    /// The number of parameters.
    pub parameters: u32,
    /// The type of the result.
    pub result: Type,
}

/// The functions of a program.
pub struct Signatures<B: Backend> {
    /// The functions by id: first the runtime, then the program in preorder.
    pub callables: Callables<B>,
    /// The types of the parameters of all functions.
    pub types: B::Vec<Type>,
    /// The PARAM nodes of the program.
    pub parameters: B::Vec<u32>,
    /// The function of each of them.
    pub owners: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Signatures<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        self.callables.visit(visitor);
        visitor.column("types", &self.types);
        visitor.column("parameters", &self.parameters);
        visitor.column("owners", &self.owners);
    }
}

/// Nodes inside other ones.
pub struct Enclosed<B: Backend> {
    /// The nodes in preorder.
    pub nodes: B::Vec<u32>,
    /// The innermost node around each, `u32::MAX` if there is none.
    pub around: B::Vec<u32>,
}

/// New values of the column `data`.
pub struct Bindings<B: Backend> {
    /// The nodes that get a value; `u32::MAX` for a row that is skipped.
    pub nodes: B::Vec<u32>,
    /// The values.
    pub data: B::Vec<u32>,
    /// The number of errors that were found.
    pub errors: u32,
    /// The number of forms that only the sequential front end decides.
    pub unsure: u32,
}

/// The meaning of a program.
pub struct Meaning<B: Backend> {
    /// The type of each node.
    pub types: B::Vec<Type>,
    /// Further data of each node's kind.
    pub data: B::Vec<u32>,
    /// The functions by id.
    pub callables: Callables<B>,
}

/// The arguments of all calls.
pub struct Arguments<B: Backend> {
    /// The ARG nodes.
    pub nodes: B::Vec<u32>,
    /// The index of each among the arguments of its call.
    pub index: B::Vec<u32>,
    /// The type of its parameter.
    pub types: B::Vec<Type>,
    /// The number of calls with too many or too few arguments.
    pub errors: u32,
}

/// The types of all nodes.
pub struct Typed<B: Backend> {
    /// The type of each node.
    pub types: B::Vec<Type>,
    /// The number of nodes whose operands have a wrong type.
    pub errors: u32,
}

tables!(Callables);
