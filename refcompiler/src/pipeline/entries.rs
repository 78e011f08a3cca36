//! The machine code between Par and C in an object for x86-64.
//!
//! Each function at top level that C can call gets an entry, which has its name in C. Its own symbol becomes local and ends in `.fn`,
//! that of a function in between, for arrays, ends in `.extern`. Entries of equal [arguments](Arguments) share a gate, whose symbol is the
//! number of words and one of these endings. Calls of a function of C go through one thunk, whose local symbol ends in `.extern`. No name of
//! a function of a program ends in these, because they are keywords.

use std::collections::HashMap;

use treepar::Backend;
use treepar::backend::Downloads;

use crate::ir::tree::Function;
use crate::object::{Call, Image, Symbol};
use crate::passes::interface::Heads;
use crate::passes::interface::signatures::signatures;
use crate::target::prelude::{Arguments, MachineCode, call_patch, entry_from_c, gate_from_c, stack_top, thunk_to_c};

/// The arguments of the functions of a program that C can call, and of the functions of C.
pub(super) type Entries<'a> = HashMap<&'a str, Arguments>;

/// Returns the entries of a program. Types that C has no form of keep a function local. The heads of all parts are together, so that many
/// small parts cost as one.
pub(super) fn entries<'a, B: Backend>(
    backend: &B,
    parts: &[Heads<B>],
    functions: &'a [Function],
) -> treepar::Result<Entries<'a>> {
    let found = match parts {
        [heads] => signatures(backend, heads)?,
        _ => signatures(backend, &concatenated(backend, parts)?)?,
    };
    let (mut ids, mut words, mut crosses) = (Vec::new(), Vec::new(), Vec::new());
    let mut downloads = Downloads::new(backend);
    downloads.add(&found.id, &mut ids)?;
    downloads.add(&found.words, &mut words)?;
    downloads.add(&found.crosses, &mut crosses)?;
    downloads.run()?;
    let all = ids.into_iter().zip(words).zip(crosses);
    let in_c = all.filter(|&(_, crosses)| crosses < 2);
    let arguments =
        |((id, words), crosses)| (&functions[id as usize].name[..], Arguments { words, in_memory: crosses == 1 });
    Ok(in_c.map(arguments).collect())
}

/// Returns the heads of all parts.
fn concatenated<B: Backend>(backend: &B, parts: &[Heads<B>]) -> treepar::Result<Heads<B>> {
    let (mut kind, mut ty, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        kind.push(&part.kind);
        ty.push(&part.ty);
        data.push(&part.data);
    }
    Ok(Heads { kind: backend.concat(&kind)?, ty: backend.concat(&ty)?, data: backend.concat(&data)? })
}

/// Adds the functions between Par and C after the code of an object.
pub(super) fn add_entries(image: &mut Image, entries: &Entries<'_>) {
    image.words.truncate(image.code_words);
    let is_entry = |symbol: &Symbol| symbol.global && entries.contains_key(symbol.name.as_str());
    let stack = match stack_top(image.target) {
        Some(code) if image.symbols.iter().any(is_entry) => Some(add(image, "stack.fn".to_string(), false, code)),
        _ => None,
    };
    image.stack = stack;
    let mut gates: HashMap<Arguments, u32> = HashMap::new();
    for k in 0..image.symbols.len() {
        let Symbol { name, offset, global, .. } = &mut image.symbols[k];
        if !std::mem::take(global) {
            continue;
        }
        if let (Some(&arguments), Some(stack)) = (entries.get(name.as_str()), stack) {
            // Both are keywords, so no name of the program has such a part.
            let kind = if arguments.in_memory { "extern" } else { "fn" };
            let (local, callee) = (format!("{name}.{kind}"), *offset);
            let entry = std::mem::replace(name, local);
            let gate = *gates.entry(arguments).or_insert_with(|| {
                let code = gate_from_c(image.end(), stack, arguments);
                add(image, format!("{kind}.{}", arguments.words), false, code)
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
                let passed = entries.get(name.as_str()).filter(|arguments| arguments.in_memory);
                let code = thunk_to_c(passed.map_or(0, |arguments| arguments.words));
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
