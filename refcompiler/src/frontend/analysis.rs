//! The analysis of a syntax tree: from names to meanings, and whether the program is valid, as one list of passes.
//!
//! ```text
//! signatures  functions and parameters              -> the function table
//! enclose     blocks                                -> the block of each declaration and function
//! resolve     names of variables                    -> declarations
//! callees     names of functions                    -> functions
//! arguments   arguments                             -> parameters
//! types       literals, declarations, operators     -> the type of each node
//! returns     statements                            -> functions without a value at their end
//! ```
//!
//! The analysis is one-sided. A program that it accepts is one that the sequential front end accepts, with the same tree. It
//! finds the number of errors, and not their positions: the sequential front end reports those.

use treepar::device::device;
use treepar::{Backend, Column};

use super::arguments::arguments;
use super::callees::callees;
use super::enclose::enclose;
use super::resolve::resolve;
use super::returns::returns;
use super::signatures::signatures;
use super::types::types;
use crate::ir::kinds::{Kind, set};
pub use crate::ir::meaning::Meaning;
use crate::ir::meaning::{Arguments, Bindings, Enclosed, Signatures, Typed};
use crate::ir::nodes::NodeId;
use crate::ir::syntax::{Program, SyntaxNodes};
use crate::ir::tokens::Tokens;

/// The result of the analysis.
pub enum Analysis<B: Backend> {
    /// The program is valid.
    Valid(Meaning<B>),
    /// The program may have errors. Only the sequential front end knows them.
    Unknown {
        /// The number of errors that were found. Later passes did not run.
        errors: u32,
        /// The number of forms that only the sequential front end decides.
        unsure: u32,
    },
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

/// Analyses a program without violations of the grammar. `library` has the names of the functions of the runtime by id,
/// `u32::MAX` for a name that the program does not use.
///
/// # Errors
/// Only those of the backend.
pub fn analyse<B: Backend>(backend: &B, program: &Program<'_, B>, library: &[u32]) -> treepar::Result<Analysis<B>> {
    let Program { tokens, checked, parsed, .. } = program;
    let (nodes, next) = (&parsed.nodes, &checked.next);
    let n = nodes.kind.len();
    let signatures = signatures(backend, nodes, tokens, next)?;
    let mut data = backend.map(literal::of(nodes, tokens))?;
    let (function_nodes, ids) = backend.map(function_node::of(&signatures.callables.node))?;
    backend.scatter(&mut data, &function_nodes, &ids)?;

    let blocks = enclose(backend, nodes, set(&[Kind::Block, Kind::Declare, Kind::Function]))?;
    let mut scope = backend.allocate(n)?;
    backend.scatter(&mut scope, &blocks.nodes, &blocks.around)?;
    drop(blocks);
    backend.scatter(&mut scope, &signatures.parameters, &signatures.owners)?;
    let variables = resolve(backend, program, &scope)?;
    let library = backend.upload(library)?;
    let calls = callees(backend, program, &scope, &data, &library)?;
    drop(scope);
    let (errors, unsure) = (variables.errors + calls.errors, variables.unsure + calls.unsure);
    if errors + unsure > 0 {
        return Ok(Analysis::Unknown { errors, unsure });
    }
    for Bindings { nodes, data: values, .. } in [variables, calls] {
        backend.scatter(&mut data, &nodes, &values)?;
    }

    let arguments: Arguments<B> = arguments(backend, program, &signatures, &data)?;
    backend.scatter(&mut data, &arguments.nodes, &arguments.index)?;
    let Signatures { callables, .. } = signatures;
    let Typed { types, errors } = types(backend, program, &callables, &arguments, &data)?;
    let meaning = Meaning { types, data, callables };
    let inside: Enclosed<B> = enclose(backend, nodes, set(&[Kind::Header, Kind::Function, Kind::Return]))?;
    let errors = arguments.errors + errors + returns(backend, nodes, &meaning, &inside)?;
    if errors > 0 {
        return Ok(Analysis::Unknown { errors, unsure: 0 });
    }
    Ok(Analysis::Valid(meaning))
}
