//! The passes of the front end as two lists: passes that need one part of a program, and passes that need all parts.
//!
//! ```text
//! outline   lex          text                              -> tokens, names
//!           classes      tokens                            -> class of each token, keys
//!           syntax       classes, keys                     -> nearest smaller keys, violations of the grammar
//!           parse        tokens                            -> syntax tree
//!           signatures   functions and parameters          -> the function table
//!           enclose      blocks                            -> the block of each declaration and function
//!           resolve      names of variables                -> declarations
//!           library      names                             -> functions of the runtime
//! analyse   callees      names of functions                -> functions
//!           arguments    arguments                         -> parameters
//!           types        literals, declarations, operators -> the type of each node
//!           returns      statements                        -> functions without a value at their end
//!           uses         calls                             -> the number of calls of each function
//!           warnings     statements, reads of variables    -> the number of possible warnings
//! ```
//!
//! Between the two, a part learns the functions that other parts declare: [`Imports`]. A program that is one part imports
//! nothing.
//!
//! The analysis is one-sided. A program that it accepts is one that the sequential front end accepts, with the same tree. It
//! finds the number of errors, and not their positions: the sequential front end reports those.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::arguments::arguments;
use super::callees::callees;
use super::classes::classes;
use super::enclose::enclose;
use super::lex::lex;
use super::library::library;
use super::parse::parse;
use super::resolve::{MOST_TOKENS, resolve};
use super::returns::returns;
use super::signatures::signatures;
use super::syntax::syntax;
use super::types::types;
use super::uses::uses;
use super::warnings::doubts;
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::meaning::{Arguments, Bindings, Callables, Enclosed, HostCallables, Meaning, Signatures, Typed};
use crate::ir::nodes::NodeId;
use crate::ir::syntax::{Syntax, SyntaxNodes};
use crate::ir::text::Text;
use crate::ir::tokens::{Lexed, Names, Tokens};

/// A result of passes that are one-sided.
pub enum Found<T> {
    /// The program is valid so far.
    Valid(T),
    /// The program may have errors. Only the sequential front end knows them.
    Unknown {
        /// The number of errors that were found. Later passes did not run.
        errors: u32,
        /// The number of forms that only the sequential front end decides.
        unsure: u32,
    },
}

/// Returns the value of a valid result, or returns from the function with the other.
macro_rules! valid {
    ($found:expr) => {
        match $found {
            $crate::frontend::analysis::Found::Valid(value) => value,
            $crate::frontend::analysis::Found::Unknown { errors, unsure } => {
                return Ok($crate::frontend::analysis::Found::Unknown { errors, unsure });
            }
        }
    };
}
pub(super) use valid;

/// Returns from a function that has found errors.
macro_rules! give_up {
    ($errors:expr, $unsure:expr) => {
        let (errors, unsure) = ($errors, $unsure);
        if errors != 0 || unsure != 0 {
            return Ok(Found::Unknown { errors, unsure });
        }
    };
}

/// A part of a program, as far as it can be understood without the other parts.
pub struct Outline<B: Backend> {
    /// The names.
    pub names: Names<B>,
    /// The tokens and the tree.
    pub syntax: Syntax<B>,
    /// The functions.
    pub signatures: Signatures<B>,
    /// The block around each declaration and function.
    scope: B::Vec<u32>,
    /// Literals, function ids of functions, and declarations of variables.
    data: B::Vec<u32>,
    /// The function that each name means if this part declares none of that name, `u32::MAX` if there is none.
    library: B::Vec<u32>,
}

/// The functions of other parts that a part can call. Their ids follow the ids of the part's own functions.
#[derive(Default)]
pub struct Imports {
    /// The name of each function in this part.
    pub names: Vec<u32>,
    /// The functions. `first` counts the parameters of imported functions only.
    pub callables: HostCallables,
    /// The types of the parameters of all imported functions.
    pub types: Vec<Type>,
}

/// The tree of a valid part.
pub struct TypedTree<B: Backend> {
    /// The tree.
    pub nodes: SyntaxNodes<B>,
    /// The type of each node.
    pub types: B::Vec<Type>,
    /// Further data of each node's kind.
    pub data: B::Vec<u32>,
    /// The number of calls of each function from outside of it.
    pub uses: B::Vec<u32>,
    /// The number of possible warnings, 0 if it was not asked for.
    pub doubts: u32,
}

/// Returns the bits of a literal, 0 of other nodes.
#[device(map)]
fn literal(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens) -> u32 {
    let value = tokens.value[nodes.token[i]];
    if nodes.kind[i] == Kind::Literal { value } else { 0 }
}

/// Returns the node of function `id`, and its id.
#[device(map)]
fn function_node(id: usize, nodes: &[NodeId]) -> (u32, u32) {
    (nodes[id].get(), id as u32)
}

/// Finds the tree, the functions and the variables of a part of a program.
///
/// # Errors
/// Only errors of the backend.
pub fn outline<B: Backend>(backend: &B, text: &Text<B>) -> Result<Found<Outline<B>>> {
    let Lexed { tokens, names, unsure } = lex(backend, text)?;
    give_up!(0, unsure + u32::from(tokens.len() > MOST_TOKENS));
    let (classified, ends) = classes(backend, &tokens)?;
    // A gap byte inside an input would end it.
    give_up!(0, ends.abs_diff(text.inputs as u32));
    let checked = syntax(backend, &classified)?;
    give_up!(checked.errors, 0);
    let parsed = parse(backend, &tokens, &classified, &checked)?;
    let library = library(backend, text, &tokens, &names)?;
    let syntax = Syntax { tokens, classified, checked, parsed };
    let nodes = &syntax.parsed.nodes;
    let signatures = signatures(backend, nodes, &syntax.tokens, &syntax.checked.next)?;
    let mut data = backend.map(literal::of(nodes, &syntax.tokens))?;
    let (function_nodes, ids) = backend.map(function_node::of(&signatures.callables.node))?;
    backend.scatter(&mut data, &function_nodes, &ids)?;

    let blocks = enclose(backend, nodes, Kinds::of(&[Kind::Block, Kind::Declare, Kind::Function]))?;
    let mut scope = backend.allocate(nodes.kind.len())?;
    backend.scatter(&mut scope, &blocks.nodes, &blocks.around)?;
    drop(blocks);
    backend.scatter(&mut scope, &signatures.parameters, &signatures.owners)?;
    let Bindings { nodes: uses, data: variables, errors, unsure } = resolve(backend, &syntax, &scope)?;
    give_up!(errors, unsure);
    backend.scatter(&mut data, &uses, &variables)?;
    Ok(Found::Valid(Outline { names, syntax, signatures, scope, data, library }))
}

/// Adds the functions of other parts to the functions of a part, and to the functions that its names can mean.
fn import<B: Backend>(
    backend: &B,
    signatures: Signatures<B>,
    library: &mut B::Vec<u32>,
    imports: &Imports,
) -> Result<Signatures<B>> {
    if imports.names.is_empty() {
        return Ok(signatures);
    }
    let Signatures { callables, types, parameters, owners } = signatures;
    let (functions, before) = (callables.len() as u32, types.len() as u32);
    let ids: Vec<u32> = (functions..functions + imports.names.len() as u32).collect();
    backend.scatter(library, &backend.upload(&imports.names)?, &backend.upload(&ids)?)?;
    let mut imported = imports.callables.clone();
    for first in &mut imported.first {
        *first += before;
    }
    let imported = Callables::upload(backend, &imported)?;
    let callables = Callables {
        node: backend.concat(&[&callables.node, &imported.node])?,
        name: backend.concat(&[&callables.name, &imported.name])?,
        first: backend.concat(&[&callables.first, &imported.first])?,
        parameters: backend.concat(&[&callables.parameters, &imported.parameters])?,
        result: backend.concat(&[&callables.result, &imported.result])?,
    };
    let types = backend.concat(&[&types, &backend.upload(&imports.types)?])?;
    Ok(Signatures { callables, types, parameters, owners })
}

/// Finds the functions that a part calls, and the types of its nodes.
///
/// # Errors
/// Only errors of the backend.
pub fn analyse<B: Backend>(
    backend: &B,
    outline: Outline<B>,
    imports: &Imports,
    warnings: bool,
) -> Result<Found<TypedTree<B>>> {
    let Outline { names, syntax, signatures, scope, mut data, mut library } = outline;
    let signatures = import(backend, signatures, &mut library, imports)?;
    let Bindings { nodes: calls, data: functions, errors, unsure } =
        callees(backend, &syntax, &scope, &data, &library)?;
    drop(library);
    give_up!(errors, unsure);
    backend.scatter(&mut data, &calls, &functions)?;

    let arguments: Arguments<B> = arguments(backend, &syntax, &signatures, &data)?;
    backend.scatter(&mut data, &arguments.nodes, &arguments.index)?;
    let Signatures { callables, .. } = signatures;
    let Typed { types, errors } = types(backend, &syntax, &callables, &arguments, &data)?;
    let meaning = Meaning { types, data, callables };
    let nodes = &syntax.parsed.nodes;
    let inside: Enclosed<B> = enclose(backend, nodes, Kinds::of(&[Kind::Header, Kind::Function, Kind::Return]))?;
    give_up!(arguments.errors + errors + returns(backend, nodes, &meaning, &inside)?, 0);
    let uses = uses(backend, nodes, &meaning)?;
    let Meaning { types, data, .. } = meaning;
    let doubts = if warnings { doubts(backend, nodes, (&syntax.tokens, &names), &data, &scope)? } else { 0 };
    Ok(Found::Valid(TypedTree { nodes: syntax.parsed.nodes, types, data, uses, doubts }))
}
