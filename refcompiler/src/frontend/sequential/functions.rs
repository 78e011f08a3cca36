//! Function ids: every function of all files gets a row of the function table before the bodies are parsed.

use super::errors;
use super::program::{Callable, Program};
use super::signatures::Signatures;
use crate::ir::builtins::Builtin;
use crate::ir::tree::{Function, Linkage};

/// Gives the functions of all files their ids, in the order of their positions, and binds the functions at top level.
///
/// An `extern` gets the id of the function that it names if another file, or an earlier `extern`, declares it.
pub fn number_functions(program: &mut Program, files: &mut [Signatures], table: &mut Vec<Function>) {
    // For each name, file and index of the definition at top level, or else of the first `extern`.
    const NONE: (u32, u32) = (u32::MAX, u32::MAX);
    let mut first = vec![NONE; program.names.len()];
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
            number(program, file, k, table, linkage);
        }
    }
    for (f, k, (other_file, other)) in links {
        let named = files[other_file as usize].all[other as usize].clone();
        let signature = &mut files[f].all[k];
        signature.id = named.id;
        let agree = signature.parameters == named.parameters && signature.result == named.result;
        // A malformed signature is reported where it is parsed.
        if !agree && signature.parameters.is_some() && named.parameters.is_some() {
            let name = signature.name.map_or("", |name| program.names.text(name));
            let (span, other) =
                (program.name_span(signature.pos, signature.name), program.name_span(named.pos, named.name));
            program.errors.push(errors::conflicting(span, name, other));
        }
    }
    for file in files.iter() {
        for &k in &file.top {
            let signature = &file.all[k as usize];
            if program.callables[signature.id as usize].pos == Some(signature.pos) {
                program.bind_function(signature);
            }
        }
    }
}

/// Gives the functions of a runtime file their ids: the function at top level has the id of `builtin`.
pub fn number_runtime(program: &mut Program, file: &mut Signatures, table: &mut Vec<Function>, builtin: &Builtin) {
    for k in 0..file.all.len() {
        if file.all[k].parent.is_none() {
            file.all[k].id = builtin.id;
            table[builtin.id as usize].linkage = Linkage::Local;
            let signature = &file.all[k];
            debug_assert_eq!(signature.parameters.as_deref(), Some(builtin.parameters));
            program.bind_function(signature);
        } else {
            number(program, file, k, table, Linkage::Local);
            table[file.all[k].id as usize].position = 0;
        }
    }
}

/// Gives the function with the index `k` the next id. The name of a nested function is `outer.inner`.
fn number(program: &mut Program, file: &mut Signatures, k: usize, table: &mut Vec<Function>, linkage: Linkage) {
    let id = table.len() as u32;
    let parent = file.all[k].parent.and_then(|parent| file.all[parent as usize].name);
    let signature = &mut file.all[k];
    signature.id = id;
    let own = signature.name.map_or("", |name| program.names.text(name));
    let name = match parent {
        Some(parent) => format!("{}.{own}", program.names.text(parent)),
        None => own.to_string(),
    };
    program.callables.push(Callable {
        parameters: signature.parameters.clone(),
        result: signature.result,
        pos: Some(signature.pos),
        name: signature.name,
        used: false,
        open: false,
    });
    let parameters = signature.parameters.as_ref().map_or(0, Vec::len) as u32;
    table.push(Function { name, node: None, position: signature.pos, parameters, linkage });
}
