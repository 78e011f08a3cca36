//! Structs, tuples and fields in expressions.

use super::{Expression, Next, Waiting, closer};
use crate::frontend::sequential::cursor::Reported;
use crate::frontend::sequential::lexer::Token;
use crate::frontend::sequential::operations::{Form, Operand};
use crate::frontend::sequential::records::{field, part_of_tuple, record};
use crate::frontend::sequential::struct_errors;

impl Expression<'_, '_> {
    /// Returns the struct that the next token and the bracket after it make a value of. `id` is the function of that name.
    pub(super) fn struct_here(&self, id: Option<u32>) -> Option<u8> {
        let c = &self.c;
        let is_declared = |id: u32| c.program.callables.get(id as usize).is_some_and(|callable| callable.pos.is_some());
        c.program.types.named(c.tokens.value[c.at]).filter(|_| !id.is_some_and(is_declared))
    }

    /// Reads the name of the struct `ty` and the bracket after it.
    pub(super) fn struct_value(&mut self, ty: u8) -> Result<Next, Reported> {
        let (token, start) = (self.c.at, self.c.program.forest.len());
        self.c.advance();
        if self.c.peek() == Token::LeftParen {
            let error = struct_errors::parentheses(self.c.span(self.c.at), self.c.word(token));
            self.c.report(error);
        }
        let closer = closer(self.c.peek());
        self.c.advance();
        if self.c.peek() == closer {
            let made = record(self.c, ty, token, start, 0);
            self.c.advance();
            return self.value(made);
        }
        self.stacks.waiting.push(Waiting::Struct { ty, token, start, count: 0 });
        Ok(Next::Operand)
    }

    /// Reads the `.` after a value and the name of a field.
    pub(super) fn field(&mut self) -> Result<Next, Reported> {
        let dot = self.c.at;
        if self.stacks.operands.last().is_none_or(|operand| operand.form != Form::Any) {
            return Err(self.c.unexpected("`;` or an operator"));
        }
        self.c.advance();
        match self.c.peek() {
            Token::Name => {}
            Token::Int => return Err(self.c.report(struct_errors::numbered_field(self.c.span(self.c.at)))),
            _ => return Err(self.c.unexpected("the name of a field")),
        }
        let base = self.pop()?;
        let made = field(self.c, base, dot);
        self.c.advance();
        self.value(made)
    }

    /// Makes the waiting `(` the begin of a tuple, whose first part is the last operand. The next token is the `,`.
    pub(super) fn first_part(&mut self, token: usize) -> Result<Next, Reported> {
        let operand: Operand = self.pop()?;
        let parts = self.stacks.parts.len();
        let ty = part_of_tuple(self.c, operand);
        self.stacks.parts.push(ty);
        self.stacks.waiting.pop();
        self.wait(Waiting::Tuple { token, start: operand.start, parts })
    }

    /// Reads `var (x, y) =`.
    pub(super) fn destructuring(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        if !self.is_statement() {
            return Err(self.c.report(struct_errors::destructuring_inside(self.c.span_between(token, token + 1))));
        }
        self.c.advance();
        self.c.advance();
        let mut count = 1;
        loop {
            if self.c.peek() != Token::Name {
                return Err(self.c.unexpected_with("the name of a variable", struct_errors::not_a_name));
            }
            self.c.advance();
            match self.c.peek() {
                Token::Comma => count += 1,
                Token::RightParen => break,
                _ => return Err(self.c.unexpected_with("`,` or `)`", struct_errors::not_a_name)),
            }
            self.c.advance();
        }
        if count == 1 {
            self.c.report(struct_errors::one_name(self.c.span_between(token + 1, self.c.at)));
        }
        self.c.advance();
        if self.c.peek() != Token::Assign {
            return Err(self.c.unexpected("`=` and a tuple"));
        }
        self.wait(Waiting::Destructure { token, count })
    }
}
