//! The state that all files of a program share while they are parsed.

use std::collections::HashMap;
use std::ops::Range;

use super::advice;
use super::composites::Types;
use super::errors;
use super::forest::Forest;
use super::names::Names;
use super::scopes::{Mark, Scopes};
use super::signatures::Signature;
use super::warnings::Warning;
use crate::diagnostics::{Code, Diagnostic};
use crate::ir::tree::kind;

/// The number of names, innermost first, that are compared with an unknown name.
const MAX_CANDIDATES: usize = 10_000;

/// A function as its calls need it.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The types of its parameters; `None` if they could not be read, which was reported.
    pub parameters: Option<Vec<u8>>,
    /// The type of its result.
    pub result: u8,
    /// The position of its name, if an input declares it.
    pub pos: Option<u32>,
    /// The name, if there is one.
    pub name: Option<u32>,
    /// `true` if another function calls it.
    pub used: bool,
    /// `true` while its body is parsed.
    pub open: bool,
}

/// A variable or parameter in scope.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The postorder number of its declaration.
    pub node: u32,
    /// The type.
    pub ty: u8,
    /// The position of its name in the declaration.
    pub pos: u32,
    /// `true` if it was read.
    pub read: bool,
    /// `true` if it was assigned after its declaration.
    pub assigned: bool,
    /// `true` for the size of an array in the head of a function, which cannot be assigned.
    pub is_size: bool,
}

/// The program as parsed so far.
#[derive(Default)]
pub struct Program {
    /// The nodes of all files.
    pub forest: Forest,
    /// All names.
    pub names: Names,
    /// The errors so far.
    pub errors: Vec<Diagnostic>,
    /// The warnings so far.
    pub warnings: Vec<Warning>,
    /// Every function by id.
    pub callables: Vec<Callable>,
    /// The functions in scope, by id.
    pub functions: Scopes<u32>,
    /// The variables in scope.
    pub variables: Scopes<Variable>,
    /// The literal sizes of read-only parameters, by their nodes, for each dimension.
    pub literal_sizes: HashMap<u32, Vec<Option<u32>>>,
    /// The types of structs and tuples.
    pub types: Types,
    /// `true` if the type of an array has occurred.
    pub arrays: bool,
    /// `true` if an operation on whole arrays has occurred.
    pub loops: bool,
}

impl Program {
    /// Makes room in the scopes for all names so far.
    pub fn reserve_names(&mut self) {
        self.functions.reserve(self.names.len());
        self.variables.reserve(self.names.len());
    }

    /// Returns the positions of a name that begins at `pos`.
    pub fn name_span(&self, pos: u32, name: Option<u32>) -> Range<u32> {
        pos..pos + name.map_or(0, |name| self.names.text(name).len() as u32)
    }

    /// Binds a function in the innermost scope. Reports a second function of that name in the scope.
    pub fn bind_function(&mut self, signature: &Signature) {
        let Some(name) = signature.name else { return };
        let Some(before) = self.functions.bind(name, signature.id) else { return };
        let first = self.callables[before as usize].pos.map(|pos| self.name_span(pos, Some(name)));
        let span = self.name_span(signature.pos, Some(name));
        self.errors.push(errors::redeclared(span, "function", self.names.text(name), first));
    }

    /// Binds a variable in the innermost scope. Reports a second variable of that name in the scope.
    pub fn bind_variable(&mut self, name: u32, node: u32, ty: u8, pos: u32) {
        let variable = Variable { node, ty, pos, read: false, assigned: false, is_size: false };
        let Some(before) = self.variables.bind(name, variable) else { return };
        let first = Some(self.name_span(before.pos, Some(name)));
        let word = if self.forest.kind[node as usize] == kind::PARAM { "parameter" } else { "variable" };
        self.errors.push(errors::redeclared(self.name_span(pos, Some(name)), word, self.names.text(name), first));
    }

    /// Closes the innermost scope of variables, and warns about unused variables.
    pub fn close_variables(&mut self, mark: Mark) {
        let Program { variables, warnings, names, forest, .. } = self;
        variables.close(mark, |name, variable| {
            if variable.read {
                return;
            }
            let text = names.text(name);
            if text.starts_with('_') {
                return;
            }
            let code = if variable.assigned {
                Code::NeverRead
            } else if forest.kind[variable.node as usize] == kind::PARAM {
                Code::UnusedParameter
            } else {
                Code::UnusedVariable
            };
            warnings.push(Warning { code, span: variable.pos..variable.pos + text.len() as u32 });
        });
    }

    /// Returns the variable in scope whose name is most like `name`.
    pub fn similar_variable(&self, name: &str) -> Option<&str> {
        self.similar(name, self.variables.names())
    }

    /// Returns the function in scope whose name is most like `name`.
    pub fn similar_function(&self, name: &str) -> Option<&str> {
        self.similar(name, self.functions.names())
    }

    fn similar(&self, name: &str, candidates: impl Iterator<Item = u32>) -> Option<&str> {
        // Only errors that may be printed are worth the search.
        if self.errors.len() > crate::diagnostics::MAX_PRINTED {
            return None;
        }
        advice::most_similar(name, candidates.take(MAX_CANDIDATES).map(|candidate| self.names.text(candidate)))
    }
}
