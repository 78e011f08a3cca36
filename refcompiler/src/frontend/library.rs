//! The names of the runtime's functions among the names of a program.
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
use crate::ir::syntax::SyntaxTokens;
use crate::ir::text::{HIGH, Text, before, bytes_at, lowest, word_mask};
use crate::ir::tokens::{NameId, Names};
use crate::ir::tree::runtime;

/// No function.
const NONE: u32 = u32::MAX;

/// The number of functions that programs can name. They come first.
const NAMED: usize = runtime::NAMED as usize;

/// The first function for arrays that programs can name, and the number of these functions.
const ARRAYS: usize = runtime::ARRAYS as usize;
const ARRAY_NAMES: usize = runtime::NAMED_ARRAYS_END as usize - ARRAYS;

/// Returns the bytes of a function's name from `from` on, at most eight, the first in the lowest bits.
const fn bytes_of(id: usize, from: usize) -> u64 {
    let name = BUILTINS[id].name.as_bytes();
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
        bytes[0][id] = bytes_of(id, 0);
        bytes[1][id] = bytes_of(id, 8);
        id += 1;
    }
    bytes
};
const FIRST: [u64; NAMED] = BYTES[0];
const SECOND: [u64; NAMED] = BYTES[1];

/// The same of the functions for arrays.
const ARRAY_BYTES: [[u64; ARRAY_NAMES]; 2] = {
    let mut bytes = [[0; ARRAY_NAMES]; 2];
    let mut k = 0;
    while k < ARRAY_NAMES {
        bytes[0][k] = bytes_of(ARRAYS + k, 0);
        bytes[1][k] = bytes_of(ARRAYS + k, 8);
        k += 1;
    }
    bytes
};
const ARRAY_FIRST: [u64; ARRAY_NAMES] = ARRAY_BYTES[0];
const ARRAY_SECOND: [u64; ARRAY_NAMES] = ARRAY_BYTES[1];

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

/// Returns the function of the runtime with a name, of all that programs with arrays can name. `library` has the others.
#[device(map)]
fn array_function(name: NameId, names: &Names, tokens: &SyntaxTokens, words: &[u64], library: &[u32]) -> u32 {
    let start = tokens.start[names.first[name]];
    let first = word_bytes(start, words);
    let second = if first >> 56 == 0 { 0 } else { word_bytes(start + 8, words) };
    let third = if second >> 56 == 0 { 0 } else { word_bytes(start + 16, words) };
    let mut found = library[name.index()];
    for k in 0..ARRAY_NAMES {
        if ARRAY_FIRST[k] == first && ARRAY_SECOND[k] == second && third == 0 {
            found = (ARRAYS + k) as u32;
        }
    }
    found
}

/// As [`library`], with the functions for arrays. `library` has the others.
pub fn array_library<B: Backend>(
    backend: &B,
    text: &Text<B>,
    tokens: &SyntaxTokens<B>,
    names: &Names<B>,
    library: &B::Vec<u32>,
) -> Result<B::Vec<u32>> {
    backend.map(array_function::of(names, tokens, &text.words, library))
}
