//! The arguments that C passes to the functions at top level on x86-64.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::frame::words_on_stack;
use super::words::{floats_of, ints_of, words_of, words_of_result};
use super::{HeadId, Heads, crossing_types, is_function};
use crate::ir::kinds::Kind;

/// An index of a signature.
#[device(index)]
pub struct SignatureId(u32);

/// The signature of a FUNCTION or EXTERN at top level.
#[device(columns(Signatures, index = SignatureId))]
pub struct Signature {
    /// The id of the function.
    pub id: u32,
    /// The number of words on the stack.
    pub words: u32,
    /// 1 if it has arrays, 2 if C has no form of its types, otherwise 0.
    pub crosses: u32,
}

/// Returns the words that C passes because of a head.
#[device(scan(Sum))]
fn words_of_head(h: HeadId, heads: &Heads) -> u64 {
    let ty = heads.ty[h];
    if heads.kind[h] == Kind::Param { words_of(ty) } else { words_of_result(ty) }
}

/// Returns the sum of the rows of function `f`, given the sums before each head.
#[device]
fn sum_of(f: usize, functions: &[u32], before: &[u64], total: u64) -> u64 {
    let next = if f + 1 < functions.len() { before[functions[f + 1] as usize] } else { total };
    next - before[functions[f] as usize]
}

/// The sums before each head.
#[device(tables)]
struct Before {
    /// The words that arguments take, as [`words_of_head`] counts them.
    words: &[u64],
    /// The types that cross, as [`crossing_types`] counts them.
    types: &[u64],
}

#[device(map)]
fn signature(f: usize, functions: &[u32], heads: &Heads, before: &Before, all_words: u64, all_types: u64) -> Signature {
    let own = sum_of(f, functions, before.words, all_words);
    let of_types = sum_of(f, functions, before.types, all_types);
    let crosses = if of_types >> 32 != 0 { 2 } else { (of_types != 0) as u32 };
    Signature {
        id: heads.data[HeadId::new(functions[f])],
        words: words_on_stack(ints_of(own), floats_of(own)),
        crosses,
    }
}

/// Returns the signatures of the functions at top level of a part.
///
/// # Errors
/// Only errors of the backend.
pub fn signatures<B: Backend>(backend: &B, heads: &Heads<B>) -> Result<Signatures<B>> {
    let functions = backend.compact(is_function::of(heads).rows(heads.len()))?;
    let (words, all_words) = backend.scan(ScanKind::Exclusive, words_of_head::of(heads).rows(heads.len()), Sum)?;
    let (types, all_types) = backend.scan(ScanKind::Exclusive, crossing_types::of(heads).rows(heads.len()), Sum)?;
    let before = BeforeOn { words: &words, types: &types };
    backend.map(signature::of(&functions, heads, &before, all_words, all_types))
}
