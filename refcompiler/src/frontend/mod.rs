//! The front end: source text to a checked tree, or to every error in it.
//!
//! ```text
//! bytes --lexer--> tokens --signatures--> what functions look like
//!                  tokens --parser------> nodes in postorder, named and typed --forest--> tree in preorder
//! ```
//!
//! Sequential, in one pass over bytes and one over tokens, with stacks of its own: the depth of nesting costs heap
//! alone. The runtime's functions that a program uses are parsed behind it, out of sight of its names.

mod expressions;
mod forest;
pub mod lexer;
pub mod listing;
mod names;
mod parser;
mod scopes;
mod signatures;
mod source;

use lexer::{Tokens, lex};
use parser::{Callable, Parser, Shared};
use signatures::{Signatures, signatures};

use crate::diagnostics::{Code, Diagnostic};
use crate::tree::{Function, Linkage, Tree, kind, runtime, ty};

pub use source::{MAX_BYTES, Source, SourceError, Sources};

/// A runtime function: its id, name, parameters, type, and its text unless it is machine code.
struct Builtin {
    id: u32,
    name: &'static str,
    parameters: &'static [u8],
    result: u8,
    text: Option<&'static str>,
}

/// In the order of their ids.
const BUILTINS: [Builtin; runtime::COUNT as usize] = [
    Builtin {
        id: runtime::PRINT_INT,
        name: "print_int",
        parameters: &[ty::INT],
        result: ty::VOID,
        text: Some(include_str!("../runtime/print_int.par")),
    },
    Builtin {
        id: runtime::PRINT_FLOAT,
        name: "print_float",
        parameters: &[ty::FLOAT],
        result: ty::VOID,
        text: Some(include_str!("../runtime/print_float.par")),
    },
    Builtin { id: runtime::PRINT_CHAR, name: "print_char", parameters: &[ty::INT], result: ty::VOID, text: None },
    Builtin { id: runtime::READ_CHAR, name: "read_char", parameters: &[], result: ty::INT, text: None },
    Builtin {
        id: runtime::REMAINDER,
        name: "remainder",
        parameters: &[ty::FLOAT, ty::FLOAT],
        result: ty::FLOAT,
        text: Some(include_str!("../runtime/remainder.par")),
    },
];

/// The order in which runtime functions are added: each calls only those behind it.
const BUILTIN_ORDER: [u32; 3] = [runtime::PRINT_FLOAT, runtime::REMAINDER, runtime::PRINT_INT];

/// Parses and checks all inputs as one program.
///
/// # Errors
/// Every error in them, in the order of their places.
pub fn parse_program(sources: &Sources) -> Result<Tree, Vec<Diagnostic>> {
    let mut shared = Shared::default();
    let mut table: Vec<Function> = Vec::new();
    for builtin in &BUILTINS {
        let parameters = builtin.parameters.to_vec();
        shared.callables.push(Callable { parameters, result: builtin.result, pos: None });
        table.push(Function {
            name: builtin.name.to_string(),
            node: None,
            parameters: builtin.parameters.len() as u32,
            linkage: Linkage::Absent,
        });
    }
    let names: Vec<u32> = BUILTINS.iter().map(|builtin| shared.names.id(builtin.name.as_bytes())).collect();
    let files: Vec<Tokens> =
        sources.files().iter().map(|file| lex(&file.text, file.start, &mut shared.names, &mut shared.errors)).collect();
    let mut all: Vec<Signatures> = files.iter().map(signatures).collect();

    shared.reserve_names();
    // The remainder of floats is the operator's; no name reaches it.
    for builtin in BUILTINS.iter().filter(|builtin| builtin.id != runtime::REMAINDER) {
        shared.functions.bind(names[builtin.id as usize], builtin.id);
    }
    let top = shared.functions.open();
    number_functions(&mut shared, &mut all, &mut table);
    for ((file, tokens), signatures) in sources.files().iter().zip(&files).zip(&all) {
        Parser::new(&mut shared, tokens, &file.text, file.start, signatures).file();
    }
    drop((files, all));
    shared.functions.close(top);

    if !shared.errors.is_empty() {
        shared.errors.sort_by_key(|error| (error.span.start, error.span.end, error.code));
        shared.errors.dedup_by(|a, b| a.span == b.span);
        return Err(shared.errors);
    }
    add_runtime(&mut shared, &mut table, sources.end());
    Ok(shared.forest.into_tree(table))
}

/// Parses the runtime functions that were called, behind the program.
fn add_runtime(shared: &mut Shared, table: &mut Vec<Function>, end: u32) {
    let mut base = end;
    for id in BUILTIN_ORDER {
        let builtin = &BUILTINS[id as usize];
        let (true, Some(text)) = (shared.used[id as usize], builtin.text) else { continue };
        let tokens = lex(text, base, &mut shared.names, &mut shared.errors);
        let mut signatures = [signatures(&tokens)];
        shared.reserve_names();
        let scope = shared.functions.open();
        number_runtime(shared, &mut signatures[0], table, builtin);
        Parser::new(shared, &tokens, text, base, &signatures[0]).file();
        shared.functions.close(scope);
        base += text.len() as u32 + 1;
    }
    assert!(shared.errors.is_empty(), "the runtime does not compile: {:?}", shared.errors);
    for id in [runtime::PRINT_CHAR, runtime::READ_CHAR] {
        if shared.used[id as usize] {
            table[id as usize].linkage = Linkage::Stub;
        }
    }
}

/// Gives the functions of all files their ids, in the order of their places, and binds those at top level.
fn number_functions(shared: &mut Shared, files: &mut [Signatures], table: &mut Vec<Function>) {
    // By name: the file and number of the definition at top level, or else of the first `extern`.
    const NONE: (u32, u32) = (u32::MAX, u32::MAX);
    let mut first = vec![NONE; shared.names.len()];
    for want_extern in [false, true] {
        for (f, file) in files.iter().enumerate() {
            for &k in &file.top {
                let signature = &file.all[k as usize];
                let Some(name) = signature.name else { continue };
                if signature.is_extern == want_extern && first[name as usize] == NONE {
                    first[name as usize] = (f as u32, k);
                }
            }
        }
    }
    let mut links: Vec<(usize, usize, (u32, u32))> = Vec::new();
    for (f, file) in files.iter_mut().enumerate() {
        for k in 0..file.all.len() {
            let signature = &file.all[k];
            let is_top = signature.parent.is_none();
            let other = signature.name.map_or(NONE, |name| first[name as usize]);
            if signature.is_extern && is_top && other != NONE && other != (f as u32, k as u32) {
                links.push((f, k, other));
                continue;
            }
            let linkage = match (signature.is_extern, is_top) {
                (true, _) => Linkage::Extern,
                (false, true) => Linkage::Global,
                (false, false) => Linkage::Local,
            };
            number(shared, file, k, table, linkage);
        }
    }
    for (f, k, (other_file, other)) in links {
        let named = files[other_file as usize].all[other as usize].clone();
        let signature = &mut files[f].all[k];
        signature.id = named.id;
        if signature.parameters != named.parameters || signature.result != named.result {
            let name = signature.name.map_or("", |name| shared.names.text(name));
            let length = name.len() as u32;
            let error = Diagnostic::new(
                Code::Conflicting,
                signature.pos..signature.pos + length,
                format!("this declaration of `{name}` does not agree with the function"),
            )
            .label("expected the same parameters and type")
            .other(named.pos..named.pos + length, "the function stands here");
            shared.errors.push(error);
        }
    }
    for file in files.iter() {
        for &k in &file.top {
            let signature = &file.all[k as usize];
            if shared.callables[signature.id as usize].pos == Some(signature.pos) {
                shared.bind_function(signature);
            }
        }
    }
}

/// Gives the functions of a runtime file their ids.
fn number_runtime(shared: &mut Shared, file: &mut Signatures, table: &mut Vec<Function>, builtin: &Builtin) {
    for k in 0..file.all.len() {
        if file.all[k].parent.is_none() {
            file.all[k].id = builtin.id;
            table[builtin.id as usize].linkage = Linkage::Local;
            let signature = &file.all[k];
            debug_assert_eq!(signature.parameters, builtin.parameters);
            shared.bind_function(signature);
        } else {
            number(shared, file, k, table, Linkage::Local);
        }
    }
}

/// Gives one function the next id.
fn number(shared: &mut Shared, file: &mut Signatures, k: usize, table: &mut Vec<Function>, linkage: Linkage) {
    let id = table.len() as u32;
    let parent = file.all[k].parent.and_then(|parent| file.all[parent as usize].name);
    let signature = &mut file.all[k];
    signature.id = id;
    let own = signature.name.map_or("", |name| shared.names.text(name));
    let name = match parent {
        Some(parent) => format!("{}.{own}", shared.names.text(parent)),
        None => own.to_string(),
    };
    shared.callables.push(Callable {
        parameters: signature.parameters.clone(),
        result: signature.result,
        pos: Some(signature.pos),
    });
    table.push(Function { name, node: None, parameters: signature.parameters.len() as u32, linkage });
}

/// Checks that a program has the `main` that an executable begins with.
///
/// # Errors
/// [`Code::MissingMain`], [`Code::WrongMain`].
pub fn check_main(tree: &Tree, sources: &Sources) -> Result<(), Diagnostic> {
    let form = "an executable begins at `fn main[]: int { ... }`";
    let main = tree.functions.iter().find(|f| f.linkage == Linkage::Global && f.name == "main");
    let Some(main) = main else {
        let at = sources.files().first().map_or(0, |file| file.start);
        let error = Diagnostic::new(Code::MissingMain, at..at, "no input defines the function `main`");
        return Err(error
            .label("expected `main` in one of the inputs")
            .help(format!("{form}; `-c` compiles to an object")));
    };
    let node = main.node.unwrap_or(0) as usize;
    if main.parameters == 0 && tree.ty[node] == ty::INT && tree.kind[node] == kind::FUNCTION {
        return Ok(());
    }
    let pos = tree.pos[node];
    let what = if main.parameters > 0 { "`main` has parameters" } else { "`main` does not return `int`" };
    Err(Diagnostic::new(Code::WrongMain, pos..pos + 4, what).label("expected `main[]: int`").help(form))
}
