//! The front end: source text to a checked tree, or to every error in the text.
//!
//! ```text
//! bytes --lexer, tokens--> tokens --structs, type_syntax--> composite types
//!                          tokens --signatures, functions--> function table
//!                          tokens --statements, expressions--> nodes in postorder, named and typed --forest--> tree
//! ```
//!
//! The front end is sequential: one pass over the bytes and one over the tokens. It keeps its own stacks, so that deep
//! nesting needs only heap. The runtime functions that a program uses are parsed after the program, and cannot see its
//! names. All text that a user sees is in `errors` and `advice`.

mod advice;
mod array_errors;
mod arrays;
mod callees;
mod composites;
mod cursor;
mod errors;
mod expressions;
mod extents;
mod foreign;
mod forest;
mod functional_errors;
mod functions;
mod heads;
pub mod lexer;
pub mod listing;
mod names;
mod numbers;
mod operations;
mod printing;
mod program;
mod records;
mod scopes;
mod second_order;
mod shapes;
mod shorthand;
mod signatures;
mod size_errors;
mod sizes;
mod statements;
mod struct_errors;
mod structs;
mod tokens;
mod type_syntax;
mod types;
mod warnings;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use arrays::forms;
use cursor::Cursor;
use forest::Forest;
use functions::{number_functions, number_runtime};
use names::Names;
use program::{Callable, Program};
use second_order::operations;
use signatures::signatures;
use statements::Parser;
use structs::{Input, check_names, declare_structs};
use tokens::{Tokens, tokens};

use crate::diagnostics::{Code, Diagnostic};
use crate::ir::builtins::{BUILTIN_ORDER, BUILTINS, Builtin, BuiltinSet, hidden, is_stub, named};
use crate::ir::kinds::{Kind, Type};
use crate::ir::needs::needs;
use crate::ir::tokens::HostTokens;
use crate::ir::tree::{Function, Linkage, Tree, kind, ty};

pub use crate::source::{MAX_BYTES, Source, SourceError, Sources};
pub use warnings::Warning;

/// The part of a program that the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole program. It needs `main`, and nothing else calls its functions.
    Executable,
    /// A part, whose functions at top level may be called by other parts.
    Object,
}

/// Bytes that are not UTF-8 are reported up to this number per file.
const MAX_INVALID: usize = 10;

/// Returns the tree of all inputs as one program. Warnings are not collected.
///
/// # Errors
/// Every error in the inputs, in the order of their positions.
pub fn parse_program(sources: &Sources) -> Result<Tree, Vec<Diagnostic>> {
    check_program(sources, Extent::Object).map(|(tree, _)| tree)
}

/// Returns the tree of all inputs as one program, which can name all functions of the runtime. For tests of these functions.
///
/// # Errors
/// Every error in the inputs, in the order of their positions.
pub fn parse_with_runtime(sources: &Sources) -> Result<Tree, Vec<Diagnostic>> {
    let (mut program, table) = program_of_runtime();
    bind_builtins(&mut program, hidden());
    parsed(sources, Extent::Object, program, table).map(|(tree, _)| tree)
}

/// Returns the tree of all inputs as one program, and its warnings in the order of their positions.
///
/// # Errors
/// Every error in the inputs, in the order of their positions. A program with errors has no warnings, because an error
/// can hide the use of a name.
pub fn check_program(sources: &Sources, extent: Extent) -> Result<(Tree, Vec<Warning>), Vec<Diagnostic>> {
    let (program, table) = program_of_runtime();
    parsed(sources, extent, program, table)
}

/// Adds all inputs to a program, and returns its tree and its warnings.
fn parsed(
    sources: &Sources,
    extent: Extent,
    mut program: Program,
    mut table: Vec<Function>,
) -> Result<(Tree, Vec<Warning>), Vec<Diagnostic>> {
    let invalid = invalid_bytes(sources);
    if !invalid.is_empty() {
        return Err(invalid);
    }
    let files: Vec<Tokens> = sources
        .files()
        .iter()
        .map(|file| tokens(&file.text, file.start, &mut program.names, &mut program.errors))
        .collect();
    let inputs: Vec<Input> =
        sources.files().iter().zip(&files).map(|(file, tokens)| (tokens, &*file.text, file.start)).collect();
    declare_structs(&mut program, &inputs);
    let mut all = Vec::new();
    for (tokens, text, base) in &inputs {
        all.push(signatures(&mut Cursor::new(&mut program, tokens, text, *base)));
    }

    program.reserve_names();
    // Most nodes have a token of their own.
    program.forest.reserve(files.iter().map(|tokens| tokens.kind.len()).sum());
    let top = program.functions.open();
    number_functions(&mut program, &mut all, &mut table);
    check_names(&mut program);
    for (&(tokens, text, base), signatures) in inputs.iter().zip(&all) {
        Parser::new(&mut program, tokens, text, base, signatures).file();
    }
    drop((files, all));
    program.functions.close(top, |_, _| {});

    if !program.errors.is_empty() {
        program.errors.sort_by_key(|error| (error.span.start, error.span.end, error.code));
        program.errors.dedup_by(|a, b| a.span == b.span);
        return Err(program.errors);
    }
    let warnings = all_warnings(&mut program, &table, extent);
    if program.arrays {
        let mut needed = needed(&program.forest);
        let is_narrow = |&ty: &u8| Type::from_code(ty).is_narrow();
        if program.types.has_narrow() || program.forest.ty.iter().any(is_narrow) {
            needed = needed.with_narrow();
        }
        for (id, callable) in (0..).zip(&mut program.callables).take(BUILTINS.len()) {
            callable.used |= needed.contains(id);
        }
    }
    program.types.hide_names();
    add_runtime(&mut program, &mut table, sources.end());
    let (arrays, loops, composites) = (program.arrays, program.loops, program.types.into_rows());
    let tree = Tree { arrays, loops, composites, ..program.forest.into_tree(table) };
    if extent == Extent::Executable {
        check_main(&tree, sources).map_err(|error| vec![error])?;
    }
    Ok((tree, warnings))
}

/// Returns the functions of the runtime that the arrays of a program need.
fn needed(forest: &Forest) -> BuiltinSet {
    let mut before = Type::Void;
    (0..forest.kind.len()).fold(BuiltinSet::NONE, |all, i| {
        let (ty, value) = (Type::from_code(forest.ty[i]), before);
        before = ty;
        all.union(needs(Kind::from_code(forest.kind[i]), ty, forest.data[i], value))
    })
}

/// Returns a program with only the functions of the runtime, of which none is used.
fn program_of_runtime() -> (Program, Vec<Function>) {
    let (mut program, mut table) = (Program::default(), Vec::new());
    for builtin in &BUILTINS {
        program.callables.push(Callable {
            parameters: Some(builtin.parameters.to_vec()),
            result: builtin.result,
            pos: None,
            name: None,
            used: false,
            open: false,
        });
        table.push(Function {
            name: builtin.name.to_string(),
            node: None,
            position: 0,
            parameters: builtin.parameters.len() as u32,
            linkage: Linkage::Absent,
        });
    }
    bind_builtins(&mut program, named());
    for (name, id) in operations().chain(forms()) {
        let name = program.names.id(name.as_bytes());
        program.reserve_names();
        program.functions.bind(name, id);
    }
    (program, table)
}

/// Binds the names of functions of the runtime in the innermost scope.
fn bind_builtins(program: &mut Program, builtins: impl Iterator<Item = &'static Builtin>) {
    for builtin in builtins {
        let name = program.names.id(builtin.name.as_bytes());
        program.reserve_names();
        program.functions.bind(name, builtin.id);
    }
}

/// Returns the functions of the runtime that are used, directly or by one another, as a program of their own.
pub fn runtime_tree(used: BuiltinSet) -> &'static Tree {
    // Programs use few sets, so trees are kept to the end of the process.
    static TREES: Mutex<BTreeMap<BuiltinSet, &'static Tree>> = Mutex::new(BTreeMap::new());
    let mut trees = TREES.lock().unwrap_or_else(PoisonError::into_inner);
    trees.entry(used).or_insert_with(|| {
        let (mut program, mut table) = program_of_runtime();
        for (id, callable) in (0..).zip(&mut program.callables) {
            callable.used = used.contains(id);
        }
        add_runtime(&mut program, &mut table, 0);
        Box::leak(Box::new(program.forest.into_tree(table)))
    })
}

/// Returns the tokens of all inputs as a table, and the errors of the lexer.
pub fn token_table(sources: &Sources) -> (HostTokens, Vec<Diagnostic>) {
    let (mut names, mut errors) = (Names::default(), invalid_bytes(sources));
    let mut table = HostTokens::default();
    for file in sources.files() {
        let tokens = tokens(&file.text, file.start, &mut names, &mut errors);
        table.kind.extend(tokens.kind);
        table.start.extend(tokens.start);
        table.value.extend(tokens.value);
    }
    (table, errors)
}

/// Returns an error for each byte that is not UTF-8, up to a number per file.
fn invalid_bytes(sources: &Sources) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for file in sources.files() {
        for (k, &(offset, byte)) in file.invalid.iter().take(MAX_INVALID).enumerate() {
            let more = if k + 1 == MAX_INVALID { file.invalid.len() - MAX_INVALID } else { 0 };
            errors.push(errors::not_utf8(file.start + offset, byte, more));
        }
    }
    errors
}

/// Returns the warnings so far and those about functions, in the order of their positions.
fn all_warnings(program: &mut Program, table: &[Function], extent: Extent) -> Vec<Warning> {
    let mut warnings = std::mem::take(&mut program.warnings);
    for (callable, function) in program.callables.iter().zip(table) {
        let is_closed = match function.linkage {
            Linkage::Local => true,
            Linkage::Global => extent == Extent::Executable && function.name != "main",
            _ => false,
        };
        let Some(pos) = callable.pos.filter(|_| is_closed && !callable.used) else { continue };
        if !callable.name.is_some_and(|name| program.names.text(name).starts_with('_')) {
            warnings.push(Warning { code: Code::UnusedFunction, span: program.name_span(pos, callable.name) });
        }
    }
    warnings.sort_by_key(|warning| (warning.span.start, warning.code));
    warnings
}

/// Parses the runtime functions that were called, after the program.
fn add_runtime(program: &mut Program, table: &mut Vec<Function>, end: u32) {
    let mut base = end;
    let names = program.functions.open();
    bind_builtins(program, hidden());
    for id in BUILTIN_ORDER {
        let builtin = &BUILTINS[id as usize];
        let (true, Some(text)) = (program.callables[id as usize].used, builtin.text) else { continue };
        let tokens = tokens(text, base, &mut program.names, &mut program.errors);
        let mut signatures = [signatures(&mut Cursor::new(program, &tokens, text, base))];
        program.reserve_names();
        let scope = program.functions.open();
        number_runtime(program, &mut signatures[0], table, builtin);
        Parser::new(program, &tokens, text, base, &signatures[0]).file();
        program.functions.close(scope, |_, _| {});
        base += text.len() as u32 + 1;
    }
    program.functions.close(names, |_, _| {});
    assert!(program.errors.is_empty(), "the runtime does not compile: {:?}", program.errors);
    for builtin in BUILTINS.iter().filter(|builtin| is_stub(builtin)) {
        if program.callables[builtin.id as usize].used {
            table[builtin.id as usize].linkage = Linkage::Stub;
        }
    }
}

/// Checks that a program has the `main` that an executable begins with.
///
/// # Errors
/// [`Code::MissingMain`], [`Code::WrongMain`].
pub fn check_main(tree: &Tree, sources: &Sources) -> Result<(), Diagnostic> {
    let main = tree.functions.iter().find(|f| f.linkage == Linkage::Global && f.name == "main");
    let Some(main) = main else {
        return Err(errors::missing_main(sources.files().first().map_or(0, |file| file.start)));
    };
    let node = main.node.unwrap_or(0) as usize;
    if main.parameters == 0 && tree.ty[node] == ty::INT && tree.kind[node] == kind::FUNCTION {
        return Ok(());
    }
    Err(errors::wrong_main(tree.pos[node], main.parameters > 0))
}
