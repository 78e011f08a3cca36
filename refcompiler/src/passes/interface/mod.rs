//! Functions with arrays between Par and C: for each one that C can call or has, a function of numbers in between.
//!
//! ```text
//! fn f[a: [int], n: int]: int { .. }
//!
//! heads      FUNCTION f   PARAM a       PARAM n
//! sections   begin        words   word  open   view   nothing  call   passed  number  done
//! nodes      FUNCTION     PARAM   PARAM BLOCK  VIEW            CALL   ARG     ARG
//!            HEADER       PARAM         mark   extent          f      view    n
//! ```
//!
//! A function in between has the sections *begin*, one for each parameter as C or Par passes it, *open*, one for each parameter that must
//! be made ready, *call*, one for each argument of the call, one for each parameter that C may read again, and *end*. A section has a form, and each form a run of pieces, as in
//! [`arrays`](super::arrays): some are repeated for each dimension. So the row of each node follows from two scans over the sections.
//!
//! | function | C calls `f` of Par | Par calls `f` of C |
//! |---|---|---|
//! | `f` of the program | has another name | is the function in between |
//! | a new id | is the function in between | is the function in C |
//!
//! On x86-64 C has addresses of 64 bits and Par of 32. The function in between that C calls has one parameter, the address of a
//! [`frame`] with all words that C passes. It copies an array whose data lie beyond 2 GiB, and copies it back if it is unique.
//!
//! The new functions know numbers only, so the passes for arrays leave them as they are.
//!
//! Cost: work O(n) for n nodes of the program, one compaction of each part; everything else only for the heads of functions.

mod forms;
pub mod frame;
mod pieces;
mod sections;
pub mod signatures;
mod slots;
mod words;

use treepar::backend::{Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::{Or, Sum};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::target::Target;
use forms::Form;
use pieces::{data_of, type_of};
use sections::{Places, Sections, count, form_bit, item, length, section, words_of_parameter};
use words::{floats_of, ints_of, words_of_result};

/// An index of a node at the head of a function.
#[device(index)]
pub struct HeadId(u32);

/// A FUNCTION or EXTERN at top level, or a PARAM of it.
#[device(columns(Heads, index = HeadId))]
pub struct Head {
    /// The kind.
    pub kind: Kind,
    /// The type.
    pub ty: Type,
    /// The id of the function, or 1 for a unique parameter.
    pub data: u32,
}

/// An index of a function between Par and C.
#[device(index)]
pub struct CrossingId(u32);

/// A function between Par and C.
#[device(columns(Crossings, index = CrossingId))]
pub struct Crossing {
    /// The id of the function of the program.
    pub id: u32,
    /// The new id.
    pub other: u32,
    /// The position of the function's name in the sources.
    pub position: u32,
    /// The type of the result.
    pub result: Type,
    /// FUNCTION, or EXTERN if C has it.
    pub kind: Kind,
    /// The first parameter.
    pub first: HeadId,
    /// The number of parameters.
    pub parameters: u32,
}

/// The functions between Par and C.
pub struct Interface<B: Backend> {
    /// Their nodes.
    pub nodes: Nodes<B>,
    /// The functions of the program that they belong to.
    pub crossings: Crossings<B>,
    /// The number of parameters that each new function has.
    pub parameters: B::Vec<u32>,
    /// The forms of their sections, as bits of its code.
    pub forms: u32,
}

#[device(compact)]
fn is_head(i: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    let is_function = (kind == Kind::Function) | (kind == Kind::Extern);
    ((nodes.depth[i] == 0) & is_function) | ((nodes.depth[i] == 1) & (kind == Kind::Param))
}

#[device(map)]
fn head(h: usize, found: &[u32], nodes: &Nodes) -> Head {
    let i = NodeId::new(found[h]);
    Head { kind: nodes.kind[i], ty: nodes.ty[i], data: nodes.data[i] }
}

#[device(compact)]
fn is_function(h: HeadId, heads: &Heads) -> bool {
    heads.kind[h] != Kind::Param
}

/// Returns whether a type is of an array, and in the upper half whether C has no form of it.
#[device(scan(Sum))]
fn crossing_types(h: HeadId, heads: &Heads) -> u64 {
    let ty = heads.ty[h];
    ty.is_array() as u64 | !ty.is_in_c() as u64 * (1u64 << 32)
}

/// Returns whether function `f` has arrays, and only types that C has a form of. `before` has the sums of the types before each head.
#[device(compact)]
fn crosses(f: usize, functions: &[u32], before: &[u64], total: u64) -> bool {
    let next = if f + 1 < functions.len() { before[functions[f + 1] as usize] } else { total };
    let own = next - before[functions[f] as usize];
    (own != 0) & (own >> 32 == 0)
}

/// Returns the function between Par and C with number `c`, whose new id counts from `first_id`.
#[device(map)]
fn crossing(
    c: usize,
    crossing: &[u32],
    functions: &[u32],
    heads: &Heads,
    positions: &[u32],
    first_id: u32,
) -> Crossing {
    let f = crossing[c] as usize;
    let h = HeadId::new(functions[f]);
    let end = if f + 1 < functions.len() { functions[f + 1] } else { heads.len() as u32 };
    Crossing {
        id: heads.data[h],
        other: first_id + c as u32,
        position: positions[heads.data[h] as usize],
        result: heads.ty[h],
        kind: heads.kind[h],
        first: h.plus(1),
        parameters: end - h.get() - 1,
    }
}

/// Returns the number of sections of a function.
#[device(scan(Sum))]
fn section_count(c: CrossingId, crossings: &Crossings) -> u32 {
    count(crossings.parameters[c])
}

/// Returns the number of parameters of a function in between, as its caller knows it.
#[device(map)]
fn parameters(c: CrossingId, crossings: &Crossings, starts: &[u32], sections: &Sections, places: &Places) -> u32 {
    let begin = sections::SectionId::new(starts[c.index()]);
    if sections.form[begin] == Form::BeginFrame {
        return 1;
    }
    let open = begin.plus(1 + crossings.parameters[c]);
    let words = places.words[open] - places.words[begin] + words_of_result(crossings.result[c]);
    ints_of(words) + floats_of(words)
}

/// Returns node `k` of section `s`.
#[device(expand)]
fn node(
    s: sections::SectionId,
    k: u32,
    sections: &Sections,
    places: &Places,
    crossings: &Crossings,
    heads: &Heads,
    base: u32,
) -> Node {
    let spot = item(s, k, sections, crossings, heads);
    Node {
        depth: spot.item.depth() + spot.shift,
        kind: spot.item.kind(),
        ty: type_of(spot, sections, crossings, heads),
        data: data_of(spot, sections, places, crossings, heads, base),
    }
}

/// Returns the heads of a part: the functions at top level with their parameters.
///
/// # Errors
/// Only errors of the backend.
pub fn heads<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Heads<B>> {
    let found = backend.compact(is_head::of(nodes).rows(nodes.len()))?;
    backend.map(head::of(&found, nodes))
}

/// The program that functions in between belong to.
pub struct Around<'a, B: Backend> {
    /// The target.
    pub target: Target,
    /// The position of each function's name, by id.
    pub positions: &'a B::Vec<u32>,
    /// The id of the first new function.
    pub first_id: u32,
    /// The number of the first new node.
    pub base: u32,
}

/// Returns the functions between a part of a program and C, `None` if there are none.
///
/// # Errors
/// Only errors of the backend.
pub fn interface<B: Backend>(backend: &B, heads: &Heads<B>, around: &Around<'_, B>) -> Result<Option<Interface<B>>> {
    let &Around { target, positions, first_id, base } = around;
    let functions = backend.compact(is_function::of(heads).rows(heads.len()))?;
    let (before, total) = backend.scan(ScanKind::Exclusive, crossing_types::of(heads).rows(heads.len()), Sum)?;
    let found = backend.compact(crosses::of(&functions, &before, total))?;
    if found.is_empty() {
        return Ok(None);
    }
    let crossings: Crossings<B> = backend.map(crossing::of(&found, &functions, heads, positions, first_id))?;
    let count = section_count::of(&crossings).rows(crossings.len());
    let (starts, total) = backend.scan(ScanKind::Exclusive, count, Sum)?;
    let offsets = Offsets::assume(backend, &starts, total as usize)?;
    let sections: Sections<B> = backend.expand_from(&offsets, section::of(&crossings, heads, target))?;
    let n = sections.len();
    let (first, total) = backend.scan(ScanKind::Exclusive, length::of(&sections, &crossings, heads).rows(n), Sum)?;
    let (words, _) = backend.scan_later(ScanKind::Exclusive, words_of_parameter::of(&sections, heads).rows(n), Sum)?;
    let places = Places { first, words };
    let parameters = backend.map(parameters::of(&crossings, &starts, &sections, &places).rows(crossings.len()))?;
    let forms = backend.reduce(form_bit::of(&sections).rows(n), Or)?;
    let offsets = Offsets::assume(backend, &places.first, total as usize)?;
    let nodes = backend.expand_from(&offsets, node::of(&sections, &places, &crossings, heads, base))?;
    Ok(Some(Interface { nodes, crossings, parameters, forms }))
}

/// Returns the functions of the runtime that sections of some forms call.
pub fn called(forms: u32) -> Vec<u32> {
    let occurs = |form: &Form| forms >> form.code() & 1 != 0;
    Form::ALL.into_iter().filter(occurs).flat_map(Form::calls).collect()
}
