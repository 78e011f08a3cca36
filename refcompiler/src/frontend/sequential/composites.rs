//! The types of structs, tuples and arrays of them, as a table: equal types have one row, and a row's code is its type.
//!
//! ```text
//! struct P { x: int, y: float }      row 0  P             x: int  y: float
//! (P, [P])                           row 1  [P]           x: int  y: float
//!                                    row 2  (P, [P])      row 0  row 1
//! ```
//!
//! The types of numbers and of their arrays have codes of their own. The functions here take any type.

use super::types::ERROR;
use crate::ir::kinds::{MAX_COMPOSITES, MAX_RANK, Type};
use crate::ir::tree::{Composite, Field, type_text};

/// The greatest number of leaves of a type. Leaves are the numbers and the arrays of numbers in a value.
pub const MAX_LEAVES: u32 = 256;

/// The reason why there is no such type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The program has too many composite types.
    Composites,
    /// The type has too many leaves.
    Leaves,
    /// An array has too many dimensions.
    Rank,
}

/// The facts about a composite type that follow from its fields.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// The type without its dimensions.
    base: u8,
    /// The number of leaves.
    leaves: u32,
    /// The greatest rank of a leaf.
    deepest: u32,
}

/// The composite types of a program.
#[derive(Debug, Default)]
pub struct Types {
    rows: Vec<Composite>,
    facts: Vec<Facts>,
    /// The struct with each name, 0 for other names, and [`ERROR`] for a struct that is not complete.
    structs: Vec<u8>,
    /// The name of each struct and the position of its declaration.
    declared: Vec<(u32, u32)>,
}

impl Types {
    /// Returns the number of dimensions of a type.
    pub fn rank(&self, ty: u8) -> u32 {
        match Type::from_code(ty) {
            ty if ty.is_composite() => self.rows[ty.composite() as usize].rank,
            ty => ty.rank(),
        }
    }

    /// Returns whether a type is the type of arrays.
    pub fn is_array(&self, ty: u8) -> bool {
        self.rank(ty) > 0
    }

    /// Returns whether a value of a type is or contains an array.
    pub fn has_arrays(&self, ty: u8) -> bool {
        self.deepest(ty) > 0
    }

    /// Returns the fields of a struct or tuple, or of the elements of an array. Numbers have none.
    pub fn fields(&self, ty: u8) -> &[Field] {
        match Type::from_code(ty) {
            ty if ty.is_composite() => &self.rows[ty.composite() as usize].fields,
            _ => &[],
        }
    }

    /// Returns whether a field of a value of a type is or contains an array of structs or tuples.
    pub fn has_inner_array(&self, ty: u8) -> bool {
        let is_nested = |ty: u8| Type::from_code(ty).is_composite() && (self.is_array(ty) || self.has_inner_array(ty));
        self.fields(ty).iter().any(|field| is_nested(field.ty))
    }

    /// Returns whether a field of any type is narrow.
    pub fn has_narrow(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.fields).any(|field| Type::from_code(field.ty).is_narrow())
    }

    /// Returns whether a type is the type of tuples, or of arrays of tuples.
    pub fn is_tuple(&self, ty: u8) -> bool {
        let ty = Type::from_code(ty);
        ty.is_composite() && self.rows[ty.composite() as usize].name.is_empty()
    }

    /// Returns the name of the struct whose values, or arrays of whose values, have a type. Tuples have an empty name.
    pub fn name(&self, ty: u8) -> &str {
        let ty = Type::from_code(ty);
        if ty.is_composite() { &self.rows[ty.composite() as usize].name } else { "" }
    }

    /// Returns a type as a program writes it.
    pub fn text(&self, ty: u8) -> String {
        if ty == ERROR { "unknown".to_string() } else { type_text(ty, &self.rows) }
    }

    /// Returns the type of the elements of an array; of another value, its type.
    pub fn element(&self, ty: u8) -> u8 {
        match Type::from_code(ty) {
            ty if ty.is_composite() => self.facts[ty.composite() as usize].base,
            ty => ty.element().code(),
        }
    }

    /// Returns the type of the rows of an array, as the parts of tuples have it: elements can be narrow.
    pub fn row(&mut self, ty: u8) -> Result<u8, Limit> {
        let rank = self.rank(ty).saturating_sub(1);
        if rank == 0 { Ok(self.element(ty)) } else { self.array(ty, rank) }
    }

    /// Returns the type of arrays of some rank with the elements of a type. A narrow number is an int.
    pub fn array(&mut self, ty: u8, rank: u32) -> Result<u8, Limit> {
        let base = self.element(ty);
        if ty == ERROR {
            return Ok(ERROR);
        }
        if rank + self.deepest(base) > MAX_RANK {
            return Err(Limit::Rank);
        }
        if !Type::from_code(ty).is_composite() {
            return Ok(Type::from_code(ty).array(rank).of_value().code());
        }
        let same = |k: &usize| self.facts[*k].base == base && self.rows[*k].rank == rank;
        if let Some(row) = (0..self.rows.len()).find(same) {
            return Ok(Type::of_composite(row as u32).code());
        }
        let row = Type::from_code(base).composite() as usize;
        let facts = Facts { deepest: self.deepest(base) + rank, ..self.facts[row] };
        self.add(Composite { rank, ..self.rows[row].clone() }, facts)
    }

    /// Returns the type of arrays with `more` dimensions before those of a type.
    pub fn above(&mut self, ty: u8, more: u32) -> Result<u8, Limit> {
        self.array(ty, self.rank(ty) + more)
    }

    /// Returns the type of tuples with parts of some types.
    pub fn tuple(&mut self, parts: &[u8]) -> Result<u8, Limit> {
        if parts.contains(&ERROR) {
            return Ok(ERROR);
        }
        let same = |row: &Composite| {
            row.rank == 0 && row.name.is_empty() && row.fields.iter().map(|field| field.ty).eq(parts.iter().copied())
        };
        match self.rows.iter().position(same) {
            Some(row) => Ok(Type::of_composite(row as u32).code()),
            None => self.base(String::new(), parts.iter().map(|&ty| Field { name: String::new(), ty }).collect()),
        }
    }

    /// Adds a struct. Its name is the type from now on.
    pub fn declare(&mut self, name: u32, text: &str, fields: Vec<Field>) -> Result<u8, Limit> {
        let ty = self.base(text.to_string(), fields)?;
        self.structs[name as usize] = ty;
        Ok(ty)
    }

    /// Reserves the name of a struct, which is declared at `pos`. Its type is unknown.
    pub fn reserve(&mut self, name: u32, pos: u32) {
        self.declared.push((name, pos));
        if self.structs.len() <= name as usize {
            self.structs.resize(name as usize + 1, 0);
        }
        self.structs[name as usize] = ERROR;
    }

    /// Returns the struct with a name, [`ERROR`] if it is not known.
    #[inline]
    pub fn named(&self, name: u32) -> Option<u8> {
        self.structs.get(name as usize).copied().filter(|&ty| ty != 0)
    }

    /// Makes the names of structs unknown, for code that cannot see them.
    pub fn hide_names(&mut self) {
        self.structs.clear();
    }

    /// Returns the name of each struct and the position of its declaration.
    pub fn declared(&self) -> &[(u32, u32)] {
        &self.declared
    }

    /// Returns the rows as the table of a tree.
    pub fn into_rows(self) -> Vec<Composite> {
        self.rows
    }

    /// Returns the greatest rank of a leaf of a type.
    fn deepest(&self, ty: u8) -> u32 {
        match Type::from_code(ty) {
            ty if ty.is_composite() => self.facts[ty.composite() as usize].deepest,
            ty => ty.rank(),
        }
    }

    /// Adds a type without dimensions.
    fn base(&mut self, name: String, fields: Vec<Field>) -> Result<u8, Limit> {
        let leaves = |field: &Field| match Type::from_code(field.ty) {
            ty if ty.is_composite() => self.facts[ty.composite() as usize].leaves,
            _ => 1,
        };
        let facts = Facts {
            base: Type::of_composite(self.rows.len() as u32).code(),
            leaves: fields.iter().map(leaves).sum(),
            deepest: fields.iter().map(|field| self.deepest(field.ty)).max().unwrap_or(0),
        };
        self.add(Composite { name, rank: 0, fields }, facts)
    }

    fn add(&mut self, row: Composite, facts: Facts) -> Result<u8, Limit> {
        if facts.leaves > MAX_LEAVES {
            return Err(Limit::Leaves);
        }
        if self.rows.len() == MAX_COMPOSITES {
            return Err(Limit::Composites);
        }
        self.rows.push(row);
        self.facts.push(facts);
        Ok(Type::of_composite(self.rows.len() as u32 - 1).code())
    }
}
