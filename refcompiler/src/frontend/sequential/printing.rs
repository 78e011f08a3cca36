//! `print` of values with arrays of structs or tuples in their fields.
//!
//! ```text
//! print[e];   { var h = e; print_char['Q'] ..; for i < size[h.ps] { if i { print_char[','] ..; } print[h.ps[i].x] ..; } .. }
//! ```
//!
//! The passes print structs, and arrays of structs, whose fields are numbers, arrays of numbers and structs of these. A statement with
//! another value becomes a block of such statements. `h` and the counters have no names. If `e` is a variable, there is no `h`.

use super::cursor::Cursor;
use super::types::ERROR;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, runtime, ty};

/// A step from a value to a part of it.
enum Step {
    /// The field with this index.
    Field(u32),
    /// The element at these counters, which are nodes.
    Element(Vec<u32>),
}

/// The writer of a statement. All nodes have the position `pos`.
struct Printer<'a, 'b> {
    c: &'a mut Cursor<'b>,
    pos: u32,
    /// The declaration of the variable, and its type.
    variable: (u32, u8),
    /// The steps to the current part, each with the type of its value.
    path: Vec<(Step, u8)>,
}

/// Replaces the PRINT at the end of the forest by statements that the passes know, if its value has an array of structs or tuples
/// in a field. The value begins at node `start`. Returns whether it did.
pub fn print_in_parts(c: &mut Cursor<'_>, start: u32) -> bool {
    let forest = &mut c.program.forest;
    if forest.ty.last() != Some(&ty::VOID) {
        return false;
    }
    let value = forest.len() as usize - 2;
    let (own, pos) = (forest.ty[value], forest.pos[value + 1]);
    if own == ERROR || !c.program.types.has_inner_array(own) {
        return false;
    }
    forest.pop();
    let declaration = if forest.kind[value] == kind::NAME {
        let declaration = forest.data[value];
        forest.pop();
        declaration
    } else {
        forest.push(kind::DECLARE, own, 0, pos, start);
        forest.push(kind::EXPRESSION, ty::VOID, 0, pos, start) - 1
    };
    c.program.callables[runtime::PRINT_CHAR as usize].used = true;
    let mut printer = Printer { c, pos, variable: (declaration, own), path: Vec::new() };
    printer.print(own);
    printer.text("\n");
    printer.push(kind::BLOCK, ty::VOID, 0, start);
    true
}

impl Printer<'_, '_> {
    fn len(&self) -> u32 {
        self.c.program.forest.len()
    }

    fn push(&mut self, kind: u8, ty: u8, data: u32, start: u32) -> u32 {
        self.c.program.forest.push(kind, ty, data, self.pos, start)
    }

    fn leaf(&mut self, kind: u8, ty: u8, data: u32) -> u32 {
        self.push(kind, ty, data, self.len())
    }

    /// Makes the nodes of the current part.
    fn value(&mut self) {
        let start = self.len();
        self.leaf(kind::NAME, self.variable.1, self.variable.0);
        for step in 0..self.path.len() {
            let ty = self.path[step].1;
            let (kind, data) = match &self.path[step].0 {
                Step::Field(field) => (kind::FIELD, *field),
                // The counters are in range.
                Step::Element(counters) => {
                    for counter in counters.clone() {
                        self.leaf(kind::NAME, ty::INT, counter);
                    }
                    (kind::INDEX, 0)
                }
            };
            self.push(kind, ty, data, start);
        }
    }

    /// Makes statements that print characters.
    fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            let start = self.leaf(kind::LITERAL, ty::INT, byte.into());
            self.push(kind::ARG, ty::INT, 0, start);
            self.push(kind::CALL, ty::VOID, runtime::PRINT_CHAR, start);
            self.push(kind::EXPRESSION, ty::VOID, 0, start);
        }
    }

    /// Makes the statements that print the current part, of a type, without the end of the line. The depth of the recursion is the
    /// depth of the type.
    fn print(&mut self, ty: u8) {
        if !self.c.program.types.has_inner_array(ty) {
            let start = self.len();
            self.value();
            self.push(kind::PRINT, ty::VOID, 1, start);
            self.push(kind::EXPRESSION, ty::VOID, 0, start);
        } else if self.c.program.types.is_array(ty) {
            self.elements(ty, &mut Vec::new());
        } else {
            self.fields(ty);
        }
    }

    fn fields(&mut self, ty: u8) {
        let types = &self.c.program.types;
        let fields: Vec<u8> =
            types.fields(ty).iter().map(|field| Type::from_code(field.ty).of_value().code()).collect();
        let (mut open, close) = (types.name(ty).to_string(), if types.is_tuple(ty) { ")" } else { "]" });
        open.push(if types.is_tuple(ty) { '(' } else { '[' });
        self.text(&open);
        for (field, ty) in fields.into_iter().enumerate() {
            self.text(if field > 0 { ", " } else { "" });
            self.path.push((Step::Field(field as u32), ty));
            self.print(ty);
            self.path.pop();
        }
        self.text(close);
    }

    /// Makes the loops over the dimensions that have no counter yet.
    fn elements(&mut self, ty: u8, counters: &mut Vec<u32>) {
        let element = self.c.program.types.element(ty);
        if counters.len() as u32 == self.c.program.types.rank(ty) {
            self.path.push((Step::Element(counters.clone()), element));
            self.print(element);
            self.path.pop();
            return;
        }
        self.text("[");
        let start = self.len();
        self.value();
        self.push(kind::SIZE, ty::INT, counters.len() as u32, start);
        let counter = self.push(kind::COUNT, ty::INT, 0, start);
        let body = self.len();
        self.leaf(kind::NAME, ty::INT, counter);
        let comma = self.len();
        self.text(", ");
        self.push(kind::BLOCK, ty::VOID, 0, comma);
        self.push(kind::IF, ty::VOID, 0, body);
        counters.push(counter);
        self.elements(ty, counters);
        counters.pop();
        self.push(kind::BLOCK, ty::VOID, 0, body);
        self.push(kind::FOR, ty::VOID, 0, start);
        self.text("]");
    }
}
