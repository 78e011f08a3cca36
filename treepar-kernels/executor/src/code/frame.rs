//! The names of one function as it is inlined, and the memory that its variables take.

use super::Initial;
use super::registers::Kind;
use super::step::Step;
use crate::ptx::{Function, Problem, Space, Text, Type, Variable};
use std::collections::HashMap;

/// The location of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// An offset in the parameters, shared or local memory.
    At(Space, u64),
    /// The index of a variable of the module.
    Module(usize),
    /// Shared memory whose size the launch determines.
    Dynamic,
}

/// A function that is being decoded.
pub(super) struct Frame<'t, 'a> {
    /// The virtual register of the function's first register.
    pub first: u32,
    pub places: HashMap<&'a str, Place>,
    pub labels: HashMap<&'a str, u32>,
    pub targets: HashMap<&'a str, &'t [&'a str]>,
    /// The label after an inlined function. `None` for the entry.
    pub end: Option<u32>,
}

/// Code over virtual registers.
pub(super) struct Decoded {
    pub steps: Vec<Step>,
    /// The kind of each virtual register, and its value when a warp begins.
    pub registers: Vec<(Kind, Option<Initial>)>,
    pub local_bytes: usize,
    pub shared_bytes: usize,
    pub dynamic_shared: usize,
}

/// Sizes of the memories of an entry, and the shared variables that have an offset.
#[derive(Default)]
pub(super) struct Layout<'a> {
    pub local_bytes: usize,
    pub shared_bytes: usize,
    pub shared: HashMap<(&'a str, &'a str), u64>,
}

impl<'a> Layout<'a> {
    pub fn local(&mut self, variable: &Variable) -> Place {
        Place::At(Space::Local, push(&mut self.local_bytes, variable))
    }

    /// Returns the location of a shared variable, which is the same for all inlined copies of its function.
    pub fn shared(&mut self, function: &'a str, variable: &Variable<'a>) -> Place {
        if variable.dynamic {
            return Place::Dynamic;
        }
        let bytes = &mut self.shared_bytes;
        Place::At(Space::Shared, *self.shared.entry((function, variable.name)).or_insert_with(|| push(bytes, variable)))
    }
}

fn push(bytes: &mut usize, variable: &Variable) -> u64 {
    let offset = bytes.next_multiple_of(variable.align);
    *bytes = offset + variable.bytes;
    offset as u64
}

/// Returns the file of registers for a type.
pub(super) fn kind_of(ty: Type) -> Kind {
    match ty {
        Type::Predicate => Kind::Predicate,
        _ if ty.bytes() == 8 => Kind::Long,
        _ => Kind::Word,
    }
}

/// Returns the definition of a function that is called.
pub(super) fn definition<'t, 'a>(text: &'t Text<'a>, name: &str, line: u32) -> Result<&'t Function<'a>, Problem> {
    let mut all = text.functions.iter().filter(|function| function.name == name && function.body.is_some());
    all.next().ok_or_else(|| (line, format!("no function `{name}` is defined")))
}
