//! Names of registers in nested braces.

use super::types::Type;
use std::collections::HashMap;

/// The registers of a function, and the names in scope.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    /// The type of each register.
    pub registers: Vec<Type>,
    scopes: Vec<Scope<'a>>,
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, u32>,
    /// `%r<20>` declares `%r0` to `%r19`: the first register and their number, by prefix.
    ranges: HashMap<&'a str, (u32, u32)>,
}

impl<'a> Scopes<'a> {
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
    }

    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub fn declare(&mut self, name: &'a str, ty: Type) {
        let register = self.registers.len() as u32;
        self.registers.push(ty);
        self.scopes.last_mut().map(|scope| scope.names.insert(name, register));
    }

    pub fn declare_range(&mut self, prefix: &'a str, count: u32, ty: Type) {
        let first = self.registers.len() as u32;
        self.registers.resize(self.registers.len() + count as usize, ty);
        self.scopes.last_mut().map(|scope| scope.ranges.insert(prefix, (first, count)));
    }

    /// Returns the register with a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: Option<u32> = name[prefix.len()..].parse().ok();
        self.scopes.iter().rev().find_map(|scope| {
            let in_range = || {
                let &(first, count) = scope.ranges.get(prefix)?;
                number.filter(|&number| number < count).map(|number| first + number)
            };
            scope.names.get(name).copied().or_else(in_range)
        })
    }
}
