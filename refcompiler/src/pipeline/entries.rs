//! The functions between Par and C in an object for x86-64, for functions whose parameters and result are numbers.
//!
//! Each function at top level that C can call gets an entry, which has its name in C. Its own symbol becomes local and ends in `.fn`.
//! Entries with equally many arguments on the stack share a gate, whose symbol is their number and `.fn`.
//! Calls of a function of C go through one thunk, whose local symbol ends in `.extern`. No name of a function of a program ends in
//! these, because they are keywords. Functions with arrays, structs or tuples are local.

use std::collections::HashMap;

use treepar::Backend;
use treepar::backend::Downloads;

use super::parts::Input;
use super::{Clock, Error};
use crate::ir::kinds::{Kind, Type};
use crate::ir::tree::{Function, Linkage};
use crate::object::{Call, Image, Symbol};
use crate::passes::interface::heads;
use crate::target::prelude::{MachineCode, call_patch, entry_from_c, gate_from_c, stack_top, thunk_to_c, words_from_c};

/// The functions of a program that C can call: for each name, the number of arguments on the stack.
type Entries<'a> = HashMap<&'a str, u32>;

/// A program and its functions that C can call.
pub(super) struct Signatures<'a, B: Backend> {
    /// The parts, on the backend.
    pub inputs: Vec<Input<'a, B>>,
    /// The functions.
    pub entries: Entries<'a>,
}

/// Finds the functions that C can call. An error if a function of C has other parameters than numbers.
pub(super) fn signatures<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    inputs: Vec<Input<'a, B>>,
    table: &'a [Function],
) -> Result<Signatures<'a, B>, Error> {
    let backend = clock.backend;
    let (mut parts, mut entries) = (Vec::with_capacity(inputs.len()), Entries::with_capacity(table.len()));
    for input in inputs {
        let uses = input.uses();
        let nodes = clock.time("upload", || input.nodes(backend))?;
        let (mut kinds, mut types, mut data) = (Vec::new(), Vec::new(), Vec::new());
        clock.time("interface", || {
            let heads = heads(backend, &nodes)?;
            let mut downloads = Downloads::new(backend);
            downloads.add(&heads.kind, &mut kinds)?;
            downloads.add(&heads.ty, &mut types)?;
            downloads.add(&heads.data, &mut data)?;
            downloads.run()
        })?;
        let mut first = 0;
        while first < kinds.len() {
            let end = (first + 1..kinds.len()).find(|&h| kinds[h] != Kind::Param).unwrap_or(kinds.len());
            let function = &table[data[first] as usize];
            let are_numbers = types[first..end].iter().all(|ty| ty.is_in_c() && !ty.is_array());
            if are_numbers && function.linkage == Linkage::Global {
                let floats = types[first + 1..end].iter().filter(|&&ty| ty == Type::Float).count();
                let ints = end - first - 1 - floats;
                entries.insert(&function.name, words_from_c(ints as u32, floats as u32));
            }
            if !are_numbers && kinds[first] == Kind::Extern {
                return Err(Error::Extern { name: function.name.clone() });
            }
            first = end;
        }
        parts.push(Input::Backend(nodes, uses));
    }
    Ok(Signatures { inputs: parts, entries })
}

/// Adds the functions between Par and C after the code of an object.
pub(super) fn add_entries(image: &mut Image, entries: &Entries<'_>) {
    image.words.truncate(image.code_words);
    let stack = match stack_top(image.target) {
        Some(code) if !entries.is_empty() => add(image, "stack.fn".to_string(), false, code),
        _ => 0,
    };
    image.stack = (!entries.is_empty()).then_some(stack);
    let mut gates: HashMap<u32, u32> = HashMap::new();
    for k in 0..image.symbols.len() {
        let Symbol { name, offset, global, .. } = &mut image.symbols[k];
        if !std::mem::take(global) {
            continue;
        }
        if let Some(&words) = entries.get(name.as_str()) {
            let (local, callee) = ([name, ".fn"].concat(), *offset);
            let entry = std::mem::replace(name, local);
            let gate = *gates.entry(words).or_insert_with(|| {
                let code = gate_from_c(image.end(), stack, words);
                add(image, format!("{words}.fn"), false, code)
            });
            let code = entry_from_c(image.end(), callee, gate);
            add(image, entry, true, code);
        }
    }
    let mut thunks: HashMap<String, u32> = HashMap::new();
    for Call { offset, name } in std::mem::take(&mut image.calls) {
        let thunk = match thunks.get(&name) {
            Some(&thunk) => thunk,
            None => {
                let code = thunk_to_c();
                let size = code.size;
                let thunk = add(image, format!("{name}.extern"), false, code);
                image.calls.push(Call { offset: thunk + size - 4, name: name.clone() });
                thunks.insert(name, thunk);
                thunk
            }
        };
        call_patch(offset, thunk).apply(&mut image.words);
    }
    image.code_words = image.words.len();
    image.add_messages(|_| None);
}

/// Adds a function, and returns its offset.
fn add(image: &mut Image, name: String, global: bool, code: MachineCode) -> u32 {
    let offset = image.end();
    image.symbols.push(Symbol { name, offset, size: code.size, global });
    image.words.extend(code.words);
    offset
}
