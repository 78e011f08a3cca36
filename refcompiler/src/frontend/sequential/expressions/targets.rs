//! Targets with fields: the left side of `p.x = e;`, `a[i].x[j] = e;` and `s.a[lo..hi] = e;`.
//!
//! ```text
//! a[i].x[j] = e      UPDATE( FIELD x ( NAME a ) i j e )
//! t.x = e            UPDATE_SLICE( FIELD x ( NAME t ) .. e )      t is an array of structs
//! p.x = e            ASSIGN_FIELD( e FIELD x ( NAME p ) )
//! ```
//!
//! The array of a field has the dimensions around the field first, so all fields come before all indices. The nodes of the fields
//! are made before the indices are read. Those of a field that is assigned come after the value: its variable keeps the other
//! fields that it has then.

use super::{Expression, Next, User, Waiting};
use crate::frontend::sequential::array_errors::index_of_slice;
use crate::frontend::sequential::arrays::{Builder, Indices, check_assignable, type_of_element};
use crate::frontend::sequential::cursor::{Cursor, Reported};
use crate::frontend::sequential::lexer::Token;
use crate::frontend::sequential::operations::{Operand, leaf, push};
use crate::frontend::sequential::records::{AssignedField, field};
use crate::frontend::sequential::second_order::is_operation;
use crate::frontend::sequential::types::ERROR;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// A target whose indices are being read.
pub(super) struct Target {
    /// The variable with all fields.
    base: Operand,
    /// The type that the last field was declared with.
    declared: Type,
    /// The number of dimensions around the last field.
    outer: u32,
    /// For each bracket of indices: its token, and the type of the part of `base` before it.
    brackets: Vec<(usize, u8)>,
    /// The indices that were read.
    indices: Indices,
}

/// Returns the token after a bracket that begins at token `opener`.
fn after_bracket(c: &Cursor<'_>, opener: usize) -> Option<usize> {
    let mut depth = 0u32;
    for k in opener.. {
        match c.kind(k) {
            Token::LeftBracket | Token::LeftParen => depth += 1,
            Token::RightBracket | Token::RightParen if depth == 1 => return Some(k + 1),
            Token::RightBracket | Token::RightParen => depth -= 1,
            Token::Semicolon | Token::LeftBrace | Token::RightBrace | Token::End => return None,
            _ => {}
        }
    }
    None
}

/// Returns whether a path of fields and indices, with at least one field, leads from token `at` to `=`. Indices are not followed by
/// other indices.
fn is_path(c: &Cursor<'_>, mut at: usize) -> bool {
    let (mut has_fields, mut is_indexed) = (false, false);
    loop {
        match c.kind(at) {
            Token::Dot if c.kind(at + 1) == Token::Name => {
                (has_fields, is_indexed) = (true, false);
                at += 2;
            }
            Token::LeftBracket if !is_indexed => {
                is_indexed = true;
                match after_bracket(c, at) {
                    Some(after) => at = after,
                    None => return false,
                }
            }
            token => return has_fields && token == Token::Assign,
        }
    }
}

impl Expression<'_, '_> {
    /// Returns whether a target with fields begins here. The next token is a name.
    pub(super) fn begins_target(&mut self) -> bool {
        let (at, name) = (self.c.at, self.c.tokens.value[self.c.at]);
        let next = self.c.kind(at + 1);
        if !matches!(next, Token::Dot | Token::LeftBracket) || !self.is_statement() {
            return false;
        }
        let Some(variable) = self.c.program.variables.get(name) else { return false };
        if !Type::from_code(variable.ty).is_composite() {
            return false;
        }
        let id = self.c.program.functions.get(name).copied();
        // Brackets after the name of a function or of a struct are not indices.
        let is_call = id.is_some_and(|id| !is_operation(id)) && id.and_then(Builder::of).is_none();
        let is_variable = next == Token::Dot || !is_call && self.struct_here(id).is_none();
        is_variable && is_path(self.c, at + 1)
    }

    /// Reads a target. The next token is the name of its variable.
    pub(super) fn target(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        let Some(variable) = self.c.program.variables.get(self.c.tokens.value[token]) else { return Err(Reported) };
        variable.assigned = true;
        let variable = *variable;
        if self.c.program.types.has_arrays(variable.ty) {
            check_assignable(self.c, variable);
        }
        let base = leaf(self.c, kind::NAME, variable.ty, variable.node);
        let path = self.c.at;
        let (declared, outer, brackets) = (Type::Unknown, 0, Vec::new());
        let mut target = Target { base, declared, outer, brackets, indices: Indices::default() };
        while self.c.peek() != Token::Assign {
            let at = self.c.at;
            if self.c.peek() == Token::LeftBracket {
                target.brackets.push((at, target.base.ty));
                self.c.at = after_bracket(self.c, at).ok_or(Reported)?;
                continue;
            }
            self.c.advance();
            let types = &self.c.program.types;
            target.outer = types.rank(target.base.ty);
            let name = self.c.word(self.c.at);
            let declared = types.fields(target.base.ty).iter().find(|field| field.name == name);
            target.declared = Type::from_code(declared.map_or(ERROR, |field| field.ty));
            target.base = field(self.c, target.base, at);
            self.c.advance();
        }
        self.c.at = path;
        self.target = Some(target);
        self.path()
    }

    /// Reads the rest of the path up to the next indices, or the `=`.
    fn path(&mut self) -> Result<Next, Reported> {
        while self.c.peek() == Token::Dot {
            self.c.advance();
            self.c.advance();
        }
        if self.c.peek() == Token::Assign {
            return self.target_read();
        }
        let target = self.target.as_ref().ok_or(Reported)?;
        let Indices { count, ranges } = target.indices;
        if ranges > 0 {
            return Err(self.c.report(index_of_slice(self.c.span(self.c.at))));
        }
        let types = &mut self.c.program.types;
        let before = target.brackets.iter().find(|&&(token, _)| token == self.c.at).map_or(ERROR, |&(_, ty)| ty);
        // The dimensions that are left.
        let left = types.rank(before).saturating_sub(count);
        let ty = types.array(before, left);
        let ty = self.c.within_limits(ty, self.c.span(self.c.at));
        self.stacks.operands.push(Operand { ty, last: self.c.at - 1, ..target.base });
        self.indices(User::Target)
    }

    /// Takes the indices of a bracket, after which the target has a type. The next token is the `]`.
    pub(super) fn indexed_target(&mut self, indices: Indices, ty: u8) -> Result<Next, Reported> {
        let target = self.target.as_mut().ok_or(Reported)?;
        target.indices.count += indices.count;
        target.indices.ranges += indices.ranges;
        if ty == ERROR {
            target.base.ty = ERROR;
        }
        self.c.advance();
        self.path()
    }

    /// Waits for the value of the target that was read. The next token is the `=`.
    fn target_read(&mut self) -> Result<Next, Reported> {
        let Target { base, declared, outer, mut indices, .. } = self.target.take().ok_or(Reported)?;
        let (token, start) = (base.first, base.start);
        if indices.count == 0 && outer == 0 {
            let nodes = self.c.program.forest.take(start);
            return self.wait(Waiting::AssignField(AssignedField { ty: base.ty, declared, token, nodes }));
        }
        if indices.count == 0 {
            let end = self.c.program.forest.len();
            push(self.c, kind::ALL, ty::VOID, 0, token, end);
            indices = Indices { count: 1, ranges: 1 };
        }
        let ty = type_of_element(self.c, &base, indices);
        self.wait(Waiting::Update { ty, indices, token, start })
    }
}
