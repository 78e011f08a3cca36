//! The names of the runtime's functions, and of operations on arrays, among the names of a program.
//!
//! ```text
//! names    x     print_int  y     print_intro  read_char
//! library  NONE  0          NONE  NONE         3
//! ```
//!
//! The name of a function of the runtime has at most 16 bytes, so two rows of eight bytes decide exactly.
//!
//! Cost: work O(m) for m names, one map.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::builtins::BUILTINS;
use crate::ir::forms::{FORM_NAMES, Form};
use crate::ir::syntax::SyntaxTokens;
use crate::ir::text::{HIGH, Text, before, bytes_at, lowest, word_mask};
use crate::ir::tokens::{NameId, Names};
use crate::ir::tree::runtime;

/// No function.
const NONE: u32 = u32::MAX;

/// The number of functions that programs can name. They come first.
const NAMED: usize = runtime::NAMED as usize;

/// Returns the bytes of a name from `from` on, at most eight, the first in the lowest bits.
const fn bytes_of(name: &str, from: usize) -> u64 {
    let name = name.as_bytes();
    assert!(name.len() <= 16);
    let (mut bytes, mut k) = (0, 0);
    while k < 8 && from + k < name.len() {
        bytes |= (name[from + k] as u64) << (8 * k);
        k += 1;
    }
    bytes
}

/// The first and the second eight bytes of each name.
const BYTES: [[u64; NAMED]; 2] = {
    let mut bytes = [[0; NAMED]; 2];
    let mut id = 0;
    while id < NAMED {
        bytes[0][id] = bytes_of(BUILTINS[id].name, 0);
        bytes[1][id] = bytes_of(BUILTINS[id].name, 8);
        id += 1;
    }
    bytes
};
const FIRST: [u64; NAMED] = BYTES[0];
const SECOND: [u64; NAMED] = BYTES[1];

/// The same of the forms.
const FORM_BYTES: [[u64; Form::COUNT]; 2] = {
    let mut bytes = [[0; Form::COUNT]; 2];
    let mut k = 0;
    while k < Form::COUNT {
        bytes[0][k] = bytes_of(FORM_NAMES[k], 0);
        bytes[1][k] = bytes_of(FORM_NAMES[k], 8);
        k += 1;
    }
    bytes
};
const FORM_FIRST: [u64; Form::COUNT] = FORM_BYTES[0];
const FORM_SECOND: [u64; Form::COUNT] = FORM_BYTES[1];

/// Returns eight bytes of a word from `at` on. Bytes after the word are 0.
#[device]
fn word_bytes(at: u32, words: &[u64]) -> u64 {
    let bytes = bytes_at(at, words);
    let ends = word_mask(bytes) ^ HIGH;
    if ends == 0 { bytes } else { before(lowest(ends), bytes) }
}

/// Returns the function of the runtime with a name, `NONE` if there is none.
#[device(map)]
fn function_of_name(name: NameId, names: &Names, tokens: &SyntaxTokens, words: &[u64]) -> u32 {
    let start = tokens.start[names.first[name]];
    let first = word_bytes(start, words);
    // The bytes of a text can be read up to 64 bytes after its end.
    let second = if first >> 56 == 0 { 0 } else { word_bytes(start + 8, words) };
    let third = if second >> 56 == 0 { 0 } else { word_bytes(start + 16, words) };
    let mut found = NONE;
    for id in 0..NAMED {
        if FIRST[id] == first && SECOND[id] == second && third == 0 {
            found = id as u32;
        }
    }
    found
}

/// Returns the function of the runtime that each name means where the program declares none of that name.
pub fn library<B: Backend>(
    backend: &B,
    text: &Text<B>,
    tokens: &SyntaxTokens<B>,
    names: &Names<B>,
) -> Result<B::Vec<u32>> {
    backend.map(function_of_name::of(names, tokens, &text.words))
}

/// Returns the operation on arrays with a name.
#[device(map)]
fn form_of_name(name: NameId, names: &Names, tokens: &SyntaxTokens, words: &[u64]) -> Form {
    let start = tokens.start[names.first[name]];
    let first = word_bytes(start, words);
    let second = if first >> 56 == 0 { 0 } else { word_bytes(start + 8, words) };
    let third = if second >> 56 == 0 { 0 } else { word_bytes(start + 16, words) };
    let mut found = Form::None;
    for k in 1..Form::COUNT {
        if FORM_FIRST[k] == first && FORM_SECOND[k] == second && third == 0 {
            found = Form::from_code(k as u8);
        }
    }
    found
}

/// Returns the operation on arrays that each name means where the program declares no function of that name.
pub fn forms<B: Backend>(
    backend: &B,
    text: &Text<B>,
    tokens: &SyntaxTokens<B>,
    names: &Names<B>,
) -> Result<B::Vec<Form>> {
    backend.map(form_of_name::of(names, tokens, &text.words))
}
