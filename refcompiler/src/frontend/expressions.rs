//! Tokens to nodes: expressions, by operator precedence with a stack of operators and one of operands.
//!
//! ```text
//! a + b * 2 < c      operators  <          operands  (a + b * 2)  c
//! ```
//!
//! An operator waits on its stack until one that binds no tighter follows; then its operands are the last on theirs,
//! and its node is made. Brackets wait as markers. Nothing recurses.

use super::lexer::Token;
use super::parser::{ERROR, Parser, Reported};
use super::scopes::Variable;
use super::signatures::type_of;
use crate::diagnostics::{Code, Diagnostic};
use crate::tree::{kind, runtime, ty};

/// Levels of binding, tightest first; see the language's table.
mod level {
    pub const PREFIX: u8 = 1;
    pub const PRODUCT: u8 = 2;
    pub const SUM: u8 = 3;
    pub const SHIFT: u8 = 4;
    pub const BITS: u8 = 5;
    pub const COMPARISON: u8 = 6;
    pub const AND: u8 = 7;
    pub const OR: u8 = 8;
    pub const ASCRIPTION: u8 = 9;
    pub const ASSIGNMENT: u8 = 10;
    pub const BRACKET: u8 = 11;
}

/// An operator or bracket that waits for its operands.
enum Waiting {
    Binary { kind: u8, level: u8, token: usize },
    Prefix { kind: u8, token: usize },
    Assign { variable: Option<Variable>, token: usize },
    Declare { ty: Option<u8>, token: usize },
    Group { token: usize },
    Cast { ty: u8, token: usize },
    Call { id: Option<u32>, token: usize, start: u32, count: u32 },
}

impl Waiting {
    fn level(&self) -> u8 {
        match self {
            Waiting::Binary { level, .. } => *level,
            Waiting::Prefix { .. } => level::PREFIX,
            Waiting::Assign { .. } | Waiting::Declare { .. } => level::ASSIGNMENT,
            Waiting::Group { .. } | Waiting::Cast { .. } | Waiting::Call { .. } => level::BRACKET,
        }
    }
}

/// A value made: its nodes end with the last made.
struct Operand {
    /// First node of its subtree.
    start: u32,
    ty: u8,
    /// Its first and last token.
    first: usize,
    last: usize,
    /// Whether it is `e : T` without brackets, which no tighter operator may follow.
    ascribed: bool,
}

fn binary(token: Token) -> Option<(u8, u8)> {
    Some(match token {
        Token::Star => (kind::MUL, level::PRODUCT),
        Token::Slash => (kind::DIV, level::PRODUCT),
        Token::Percent => (kind::REM, level::PRODUCT),
        Token::Plus => (kind::ADD, level::SUM),
        Token::Minus => (kind::SUB, level::SUM),
        Token::Shl => (kind::SHL, level::SHIFT),
        Token::Shr => (kind::SHR, level::SHIFT),
        Token::Ushr => (kind::USHR, level::SHIFT),
        Token::And => (kind::AND, level::BITS),
        Token::Or => (kind::OR, level::BITS),
        Token::Xor => (kind::XOR, level::BITS),
        Token::Eq => (kind::EQ, level::COMPARISON),
        Token::Ne => (kind::NE, level::COMPARISON),
        Token::Lt => (kind::LT, level::COMPARISON),
        Token::Le => (kind::LE, level::COMPARISON),
        Token::Gt => (kind::GT, level::COMPARISON),
        Token::Ge => (kind::GE, level::COMPARISON),
        Token::AndAnd => (kind::LAND, level::AND),
        Token::OrOr => (kind::LOR, level::OR),
        _ => return None,
    })
}

/// The stacks of one expression.
#[derive(Default)]
pub(super) struct Stacks {
    operands: Vec<Operand>,
    waiting: Vec<Waiting>,
}

impl Parser<'_> {
    /// Parses an expression; returns its type.
    pub(super) fn expression(&mut self) -> Result<u8, Reported> {
        let mut stacks = std::mem::take(&mut self.shared.stacks);
        stacks.operands.clear();
        stacks.waiting.clear();
        let result = self.expression_with(&mut stacks);
        self.shared.stacks = stacks;
        result
    }

    fn expression_with(&mut self, s: &mut Stacks) -> Result<u8, Reported> {
        loop {
            if !self.operand(s)? {
                continue;
            }
            loop {
                let token = self.peek();
                if let Some((kind, level)) = binary(token) {
                    self.reduce(s, level);
                    if s.operands.last().is_some_and(|operand| operand.ascribed) {
                        let error = Diagnostic::new(Code::Unexpected, self.span(self.at), "an operator behind `: T`");
                        self.report(
                            error.label("expected the end of the expression").help("put `e : T` in parentheses"),
                        );
                    }
                    s.waiting.push(Waiting::Binary { kind, level, token: self.at });
                    self.advance();
                    break;
                }
                match token {
                    Token::Assign => {
                        self.reduce(s, level::ASCRIPTION);
                        self.assign(s)?;
                        break;
                    }
                    Token::Colon => {
                        self.reduce(s, level::OR);
                        self.ascribe(s)?;
                    }
                    Token::RightParen | Token::RightBracket if self.has_bracket(s) => {
                        self.reduce(s, level::ASSIGNMENT);
                        self.close(s)?;
                    }
                    Token::Comma if self.has_bracket(s) => {
                        self.reduce(s, level::ASSIGNMENT);
                        if !matches!(s.waiting.last(), Some(Waiting::Call { .. })) {
                            return Err(self.unclosed_bracket(s));
                        }
                        self.argument(s);
                        self.advance();
                        break;
                    }
                    _ => {
                        self.reduce(s, level::ASSIGNMENT);
                        if !s.waiting.is_empty() {
                            return Err(self.unclosed_bracket(s));
                        }
                        return Ok(s.operands.pop().map_or(ERROR, |operand| operand.ty));
                    }
                }
            }
        }
    }

    fn has_bracket(&self, s: &Stacks) -> bool {
        s.waiting.iter().rev().any(|waiting| waiting.level() == level::BRACKET)
    }

    /// Takes an operand or what stands before one; returns whether it is complete.
    fn operand(&mut self, s: &mut Stacks) -> Result<bool, Reported> {
        let token = self.at;
        let prefix = match self.peek() {
            Token::Minus => Some(kind::NEGATE),
            Token::Bang => Some(kind::NOT),
            Token::Tilde => Some(kind::COMPLEMENT),
            _ => None,
        };
        if let Some(kind) = prefix {
            s.waiting.push(Waiting::Prefix { kind, token });
            self.advance();
            return Ok(false);
        }
        match self.peek() {
            Token::Int => self.literal(s, ty::INT),
            Token::Float => self.literal(s, ty::FLOAT),
            Token::BadNumber => self.literal(s, ERROR),
            Token::MinusOnlyInt => {
                if !matches!(s.waiting.last(), Some(Waiting::Prefix { kind: kind::NEGATE, .. })) {
                    let span = self.span(token);
                    let text = &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize];
                    let error = super::lexer::too_large_int(text, span);
                    self.report(error);
                }
                self.literal(s, ty::INT);
            }
            Token::Name => match self.peek_next() {
                Token::LeftBracket | Token::LeftParen => return self.call(s),
                _ => self.name(s),
            },
            Token::LeftParen => {
                s.waiting.push(Waiting::Group { token });
                self.advance();
                return Ok(false);
            }
            Token::IntType | Token::FloatType | Token::VoidType => {
                let ty = type_of(self.peek()).unwrap_or(ERROR);
                if ty == ty::VOID {
                    let error = Diagnostic::new(Code::VoidValue, self.span(token), "a value cannot be cast to `void`");
                    self.report(error.label("expected `int` or `float`"));
                }
                self.advance();
                self.expect(Token::LeftParen)?;
                s.waiting.push(Waiting::Cast { ty: if ty == ty::VOID { ERROR } else { ty }, token });
                return Ok(false);
            }
            Token::Var => return self.declare(s),
            _ => return Err(self.unexpected("an expression")),
        }
        Ok(true)
    }

    fn leaf(&mut self, s: &mut Stacks, kind: u8, ty: u8, data: u32) {
        let (token, pos) = (self.at, self.pos());
        let start = self.shared.forest.len();
        self.shared.forest.push(kind, ty, data, pos, start);
        s.operands.push(Operand { start, ty, first: token, last: token, ascribed: false });
        self.advance();
    }

    fn literal(&mut self, s: &mut Stacks, ty: u8) {
        self.leaf(s, kind::LITERAL, ty, self.tokens.value[self.at]);
    }

    fn name(&mut self, s: &mut Stacks) {
        let name = self.tokens.value[self.at];
        match self.shared.variables.get(name) {
            Some(variable) => self.leaf(s, kind::NAME, variable.ty, variable.node),
            None => {
                let text = self.shared.names.text(name);
                let mut error = Diagnostic::new(
                    Code::Undeclared,
                    self.span(self.at),
                    format!("no variable `{text}` is in sight here"),
                )
                .label("expected a variable");
                error.help = Some(if self.shared.functions.get(name).is_some() {
                    format!("`{text}` is a function: `{text}[..]` calls it")
                } else {
                    format!("`var {text} = ..` declares a variable, from there to the end of its block")
                });
                self.report(error);
                self.leaf(s, kind::NAME, ERROR, 0);
            }
        }
    }

    fn call(&mut self, s: &mut Stacks) -> Result<bool, Reported> {
        let token = self.at;
        let name = self.tokens.value[token];
        let id = self.shared.functions.get(name);
        if id.is_none() {
            let text = self.shared.names.text(name);
            let mut error =
                Diagnostic::new(Code::Undeclared, self.span(token), format!("no function `{text}` is in sight here"))
                    .label("expected a function");
            if self.shared.variables.get(name).is_some() {
                error = error.help(format!("`{text}` is a variable; values cannot be called or indexed"));
            }
            self.report(error);
        } else if let Some(used) = id.and_then(|id| self.shared.used.get_mut(id as usize)) {
            *used = true;
        }
        self.advance();
        let closer = if self.peek() == Token::LeftBracket { Token::RightBracket } else { Token::RightParen };
        self.advance();
        let start = self.shared.forest.len();
        s.waiting.push(Waiting::Call { id, token, start, count: 0 });
        if self.peek() == closer {
            self.complete_call(s);
            return Ok(true);
        }
        Ok(false)
    }

    /// `var x`, `var x: T`, and what stands before `= e`.
    fn declare(&mut self, s: &mut Stacks) -> Result<bool, Reported> {
        if s.waiting.last().is_some_and(|waiting| waiting.level() < level::ASSIGNMENT) {
            let error = Diagnostic::new(Code::Unexpected, self.span(self.at), "`var` as an operand");
            self.report(error.label("expected an operand").help("put the declaration in parentheses"));
            return Err(Reported);
        }
        let first = self.at;
        self.advance();
        let token = self.at;
        self.expect(Token::Name)?;
        let mut ty = None;
        if self.peek() == Token::Colon {
            self.advance();
            ty = Some(self.value_type("a variable")?);
        }
        if self.peek() == Token::Assign {
            self.advance();
            s.waiting.push(Waiting::Declare { ty, token });
            return Ok(false);
        }
        let Some(ty) = ty else {
            return Err(self.unexpected("`=` and a value, or `:` and a type"));
        };
        let start = self.shared.forest.len();
        self.declaration(token, ty, start);
        s.operands.push(Operand { start, ty, first, last: self.at - 1, ascribed: true });
        Ok(true)
    }

    /// Makes the node of a declaration, and binds its name from here on.
    fn declaration(&mut self, token: usize, ty: u8, start: u32) {
        let pos = self.tokens.start[token];
        let node = self.shared.forest.push(kind::DECLARE, ty, 0, pos, start);
        self.bind(self.tokens.value[token], Variable { node, ty, pos }, "variable");
    }

    /// At `=`: the operand before it must be a variable.
    fn assign(&mut self, s: &mut Stacks) -> Result<(), Reported> {
        let Some(operand) = s.operands.pop() else { return Err(Reported) };
        let is_name = operand.start + 1 == self.shared.forest.len()
            && self.shared.forest.kind[operand.start as usize] == kind::NAME;
        let mut variable = None;
        if is_name {
            let node = self.shared.forest.data[operand.start as usize];
            if operand.ty != ERROR {
                variable = Some(Variable { node, ty: operand.ty, pos: self.tokens.start[operand.first] });
            }
            self.shared.forest.pop();
        } else {
            let span = self.span(operand.first).start..self.span(operand.last).end;
            let error = Diagnostic::new(Code::NotAssignable, span, "what stands left of `=` is not a variable");
            self.report(error.label("expected a variable").help("`==` compares"));
            return Err(Reported);
        }
        s.waiting.push(Waiting::Assign { variable, token: operand.first });
        self.advance();
        Ok(())
    }

    fn ascribe(&mut self, s: &mut Stacks) -> Result<(), Reported> {
        let token = self.at;
        self.advance();
        let Some(expected) = type_of(self.peek()) else {
            return Err(self.unexpected("a type"));
        };
        let last = self.at;
        self.advance();
        let Some(operand) = s.operands.last_mut() else { return Err(Reported) };
        let (first, start, found) = (operand.first, operand.start, operand.ty);
        let end = operand.last;
        (operand.last, operand.ascribed, operand.ty) = (last, true, expected);
        if expected != found {
            let span = self.span(first).start..self.span(end).end;
            self.wrong_type(span, "this value", expected, found);
        }
        self.shared.forest.push(kind::ASCRIBE, expected, 0, self.tokens.start[token], start);
        Ok(())
    }

    /// At a closing bracket, with all operators inside done.
    fn close(&mut self, s: &mut Stacks) -> Result<(), Reported> {
        let found = self.peek();
        let last = self.at;
        let closer = match s.waiting.last() {
            Some(Waiting::Call { token, .. }) if self.tokens.kind[token + 1] == Token::LeftBracket => {
                Token::RightBracket
            }
            _ => Token::RightParen,
        };
        if found != closer {
            return Err(self.unclosed_bracket(s));
        }
        match s.waiting.last() {
            Some(Waiting::Call { .. }) => {
                self.argument(s);
                self.complete_call(s);
                return Ok(());
            }
            Some(&Waiting::Group { token }) => {
                if let Some(operand) = s.operands.last_mut() {
                    (operand.first, operand.last, operand.ascribed) = (token, last, false);
                }
            }
            Some(&Waiting::Cast { ty, token }) => {
                self.check_value(s, 1);
                if let Some(operand) = s.operands.last_mut() {
                    self.shared.forest.push(kind::CAST, ty, 0, self.tokens.start[token], operand.start);
                    (operand.first, operand.last, operand.ascribed) = (token, last, false);
                    operand.ty = ty;
                }
            }
            _ => return Err(Reported),
        }
        s.waiting.pop();
        self.advance();
        Ok(())
    }

    /// The operand at hand is an argument of the call that waits.
    fn argument(&mut self, s: &mut Stacks) {
        let Some(operand) = s.operands.pop() else { return };
        let Some(Waiting::Call { id, count, .. }) = s.waiting.last_mut() else { return };
        let (k, id) = (*count, *id);
        *count += 1;
        let parameter = id.and_then(|id| self.shared.callables[id as usize].parameters.get(k as usize).copied());
        if let Some(expected) = parameter {
            if expected != operand.ty {
                let span = self.span(operand.first).start..self.span(operand.last).end;
                self.wrong_type(span, "this argument", expected, operand.ty);
            }
        } else if operand.ty == ty::VOID {
            s.operands.push(operand);
            self.check_value(s, 1);
            let Some(operand) = s.operands.pop() else { return };
            return self.push_argument(operand, ERROR, k);
        }
        let ty = parameter.unwrap_or(operand.ty);
        self.push_argument(operand, ty, k);
    }

    fn push_argument(&mut self, operand: Operand, ty: u8, k: u32) {
        let pos = self.tokens.start[operand.first];
        self.shared.forest.push(kind::ARG, ty, k, pos, operand.start);
    }

    /// At the closing bracket of a call whose arguments are done.
    fn complete_call(&mut self, s: &mut Stacks) {
        let Some(Waiting::Call { id, token, start, count }) = s.waiting.pop() else { return };
        let last = self.at;
        self.advance();
        let mut result = ERROR;
        if let Some(id) = id {
            let callable = &self.shared.callables[id as usize];
            result = callable.result;
            let expected = callable.parameters.len();
            if expected != count as usize {
                let (declared, name) = (callable.pos, self.shared.names.text(self.tokens.value[token]));
                let plural = if expected == 1 { "" } else { "s" };
                let mut error = Diagnostic::new(
                    Code::ArgumentCount,
                    self.span(token).start..self.span(last).end,
                    format!("`{name}` takes {expected} argument{plural}, found {count}"),
                )
                .label(format!("expected {expected} argument{plural}"));
                if let Some(pos) = declared {
                    error = error.other(pos..pos + name.len() as u32, "declared here");
                }
                self.report(error);
            }
        }
        let pos = self.tokens.start[token];
        self.shared.forest.push(kind::CALL, result, id.unwrap_or(0), pos, start);
        s.operands.push(Operand { start, ty: result, first: token, last, ascribed: false });
    }

    /// Reports that a bracket is open where the expression ends, or another closes.
    fn unclosed_bracket(&mut self, s: &Stacks) -> Reported {
        let open = s.waiting.iter().rev().find_map(|waiting| match waiting {
            Waiting::Group { token } => Some((*token, "`)`")),
            Waiting::Cast { token, .. } => Some((token + 1, "`)`")),
            Waiting::Call { token, .. } if self.tokens.kind[token + 1] == Token::LeftBracket => {
                Some((token + 1, "`,` or `]`"))
            }
            Waiting::Call { token, .. } => Some((token + 1, "`,` or `)`")),
            _ => None,
        });
        let Some((token, closer)) = open else { return self.unexpected("an operator or `;`") };
        let before = self.shared.errors.len();
        self.unexpected(&format!("an operator or {closer}"));
        let span = self.span(token);
        if let Some(error) = self.shared.errors[before..].last_mut() {
            error.code = Code::Unclosed;
            error.others.push((span, "this bracket is open".to_string()));
        }
        Reported
    }

    /// Makes the nodes of operators that bind at least as tight as `level`.
    fn reduce(&mut self, s: &mut Stacks, level: u8) {
        while s.waiting.last().is_some_and(|waiting| waiting.level() <= level) {
            match s.waiting.pop() {
                Some(Waiting::Binary { kind, token, .. }) => self.reduce_binary(s, kind, token),
                Some(Waiting::Prefix { kind, token }) => self.reduce_prefix(s, kind, token),
                Some(Waiting::Assign { variable, token }) => self.reduce_assign(s, variable, token),
                Some(Waiting::Declare { ty, token }) => self.reduce_declare(s, ty, token),
                _ => return,
            }
        }
    }

    /// Reports a void value among the last `count` operands, which then counts as an error.
    fn check_value(&mut self, s: &mut Stacks, count: usize) {
        let from = s.operands.len().saturating_sub(count);
        for at in from..s.operands.len() {
            if s.operands[at].ty == ty::VOID {
                let span = self.span(s.operands[at].first).start..self.span(s.operands[at].last).end;
                s.operands[at].ty = ERROR;
                let error = Diagnostic::new(Code::VoidValue, span, "a call of type `void` where a value is expected");
                self.report(error.label("expected a value"));
            }
        }
    }

    fn reduce_binary(&mut self, s: &mut Stacks, kind: u8, token: usize) {
        let n = s.operands.len();
        let (left, right) = (s.operands[n - 2].ty, s.operands[n - 1].ty);
        let int_only = matches!(kind, kind::SHL..=kind::XOR | kind::LAND | kind::LOR);
        let compares = matches!(kind, kind::EQ..=kind::GE);
        if left != right || left != ty::INT {
            self.check_operands(s, token, int_only);
        }
        let Some(right) = s.operands.pop() else { return };
        let Some(left) = s.operands.last_mut() else { return };
        let operand = if left.ty == ERROR { right.ty } else { left.ty };
        if kind == kind::REM && operand == ty::FLOAT {
            self.shared.used[runtime::REMAINDER as usize] = true;
        }
        (left.ty, left.last, left.ascribed) = (if int_only || compares { ty::INT } else { operand }, right.last, false);
        self.shared.forest.push(kind, left.ty, 0, self.tokens.start[token], left.start);
    }

    /// The types of a binary operator's operands where they are not both int.
    fn check_operands(&mut self, s: &mut Stacks, token: usize, int_only: bool) {
        self.check_value(s, 2);
        let n = s.operands.len();
        let (left, right) = (&s.operands[n - 2], &s.operands[n - 1]);
        let (left_ty, right_ty) = (left.ty, right.ty);
        let left_span = self.span(left.first).start..self.span(left.last).end;
        let right_span = self.span(right.first).start..self.span(right.last).end;
        if left_ty == ERROR && right_ty == ERROR {
            return;
        }
        let operator = self.tokens.kind[token].describe();
        if int_only && (left_ty == ty::FLOAT || right_ty == ty::FLOAT) {
            let span = if left_ty == ty::FLOAT { left_span } else { right_span };
            let error = Diagnostic::new(Code::NoOperation, span, format!("{operator} of a value of type `float`"));
            self.report(error.label("expected `int`, found `float`").help("`int(..)` converts"));
            s.operands[n - 2].ty = ERROR;
            s.operands[n - 1].ty = ERROR;
        } else if left_ty != right_ty && left_ty != ERROR && right_ty != ERROR {
            let name = |t: u8| ty::NAMES[t as usize];
            let error = Diagnostic::new(
                Code::TypeMismatch,
                right_span,
                format!("{operator} between values of types `{}` and `{}`", name(left_ty), name(right_ty)),
            )
            .label(format!("expected `{}`, found `{}`", name(left_ty), name(right_ty)))
            .other(left_span, format!("this is `{}`", name(left_ty)))
            .help("nothing converts by itself: `int(..)` and `float(..)` do");
            self.report(error);
            s.operands[n - 2].ty = ERROR;
            s.operands[n - 1].ty = ERROR;
        }
    }

    fn reduce_prefix(&mut self, s: &mut Stacks, kind: u8, token: usize) {
        self.check_value(s, 1);
        let Some(operand) = s.operands.last() else { return };
        if kind != kind::NEGATE && operand.ty == ty::FLOAT {
            let span = self.span(operand.first).start..self.span(operand.last).end;
            let operator = self.tokens.kind[token].describe();
            let error = Diagnostic::new(Code::NoOperation, span, format!("{operator} of a value of type `float`"));
            self.report(error.label("expected `int`, found `float`").help("`int(..)` converts"));
        }
        let Some(operand) = s.operands.last_mut() else { return };
        if kind != kind::NEGATE {
            operand.ty = ty::INT;
        }
        (operand.first, operand.ascribed) = (token, false);
        self.shared.forest.push(kind, operand.ty, 0, self.tokens.start[token], operand.start);
    }

    fn reduce_assign(&mut self, s: &mut Stacks, variable: Option<Variable>, token: usize) {
        self.check_value(s, 1);
        let Some(operand) = s.operands.last() else { return };
        let variable = variable.unwrap_or(Variable { node: 0, ty: ERROR, pos: 0 });
        if variable.ty != operand.ty {
            let span = self.span(operand.first).start..self.span(operand.last).end;
            self.wrong_type(span, "the value assigned", variable.ty, operand.ty);
        }
        let Some(operand) = s.operands.last_mut() else { return };
        (operand.ty, operand.first, operand.ascribed) = (variable.ty, token, true);
        let pos = self.tokens.start[token];
        self.shared.forest.push(kind::ASSIGN, variable.ty, variable.node, pos, operand.start);
    }

    fn reduce_declare(&mut self, s: &mut Stacks, ty: Option<u8>, token: usize) {
        self.check_value(s, 1);
        let Some(operand) = s.operands.last() else { return };
        let ty = ty.unwrap_or(operand.ty);
        let (start, found) = (operand.start, operand.ty);
        if ty != found {
            let span = self.span(operand.first).start..self.span(operand.last).end;
            self.wrong_type(span, "the value of the variable", ty, found);
        }
        self.declaration(token, ty, start);
        if let Some(operand) = s.operands.last_mut() {
            (operand.ty, operand.first, operand.ascribed) = (ty, token - 1, true);
        }
    }
}
