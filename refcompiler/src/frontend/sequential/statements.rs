//! Tokens to nodes: functions and statements.
//!
//! Open constructs are on a stack, so that deep nesting needs only heap. Nodes are made in postorder: a name is
//! resolved and a type is checked when the node is made, because its operands are complete.

use super::array_errors::extern_without_form;
use super::cursor::{Cursor, Reported};
use super::errors;
use super::expressions::{Place, Stacks, expression};
use super::heads::head;
use super::lexer::Token;
use super::operations::{Form, Operand};
use super::printing::print_in_parts;
use super::program::Program;
use super::scopes::Mark;
use super::signatures::Signatures;
use super::sizes::{Extent, bind_sizes, refuse_sizes, shaped};
use super::tokens::Tokens;
use super::types::{ERROR, agree, has_effect};
use super::warnings::Warning;
use crate::diagnostics::Code;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// A construct that is not complete.
enum Open {
    /// `falls` is `true` if the end of the statements so far can be reached.
    Block {
        start: u32,
        brace: u32,
        variables: Mark,
        functions: Mark,
        falls: bool,
        warned: bool,
    },
    /// `known` is the value of the condition if that is a literal.
    If {
        start: u32,
        pos: u32,
        known: Option<bool>,
        then_falls: Option<bool>,
    },
    While {
        start: u32,
        pos: u32,
        forever: bool,
    },
    For {
        start: u32,
        pos: u32,
        counter: Mark,
    },
    /// `skips` is the number of malformed statements before the function.
    Function {
        signature: u32,
        start: u32,
        pos: u32,
        parameters: Mark,
        skips: u32,
    },
}

/// A function whose body is being read.
struct OpenFunction {
    /// The type of its result.
    result: u8,
    /// The statement's first node.
    start: u32,
    /// The sizes of its result.
    sizes: Vec<Extent>,
}

/// The parser of one file.
pub struct Parser<'a> {
    c: Cursor<'a>,
    signatures: &'a Signatures,
    stacks: Stacks,
    open: Vec<Open>,
    functions: Vec<OpenFunction>,
    /// The number of malformed statements.
    skips: u32,
}

impl<'a> Parser<'a> {
    /// Returns a parser of a file, whose first byte has the position `base`.
    pub fn new(
        program: &'a mut Program,
        tokens: &'a Tokens,
        text: &'a str,
        base: u32,
        signatures: &'a Signatures,
    ) -> Self {
        let c = Cursor::new(program, tokens, text, base);
        Parser { c, signatures, stacks: Stacks::default(), open: Vec::new(), functions: Vec::new(), skips: 0 }
    }

    /// Parses the file.
    pub fn file(&mut self) {
        loop {
            match self.open.last_mut() {
                Some(Open::Block { falls, warned, .. }) => {
                    if !*falls && !*warned && begins_reachable(self.c.peek()) {
                        *warned = true;
                        self.warn(Code::Unreachable, self.c.at, self.c.at);
                    }
                    self.statement();
                }
                _ if self.c.peek() == Token::End => return,
                _ => self.item(),
            }
        }
    }

    fn warn(&mut self, code: Code, first: usize, last: usize) {
        let span = self.c.span_between(first, last);
        self.c.program.warnings.push(Warning { code, span });
    }

    /// Skips to a token at which a statement can begin: after a `;`, or at a brace or keyword.
    fn skip(&mut self) {
        self.skips += 1;
        self.c.skip_to(|token| {
            matches!(token, Token::Semicolon | Token::LeftBrace | Token::RightBrace)
                || matches!(token, Token::If | Token::While | Token::For | Token::Return | Token::Fn | Token::Extern)
        });
        if self.c.peek() == Token::Semicolon {
            self.c.advance();
        }
    }

    /// Parses a function at top level. Skips everything else.
    fn item(&mut self) {
        match self.c.peek() {
            Token::Fn => self.function(),
            Token::Extern => self.extern_function(),
            Token::Name if self.c.word(self.c.at) == "struct" => self.struct_declaration(),
            token => {
                if token != Token::Malformed {
                    self.c.report(errors::not_a_function(self.c.span(self.c.at), token, self.c.word(self.c.at)));
                }
                self.skip_item();
            }
        }
    }

    /// Moves to the next function at top level, or to the end of the file.
    fn skip_item(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.c.peek() {
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.c.advance();
            match self.c.peek() {
                Token::End => return,
                Token::Fn | Token::Extern if depth == 0 && !self.c.tokens.is_lambda(self.c.at) => return,
                _ => {}
            }
        }
    }

    /// Skips a struct, which was read before. The next token is `struct`.
    fn struct_declaration(&mut self) {
        self.c.advance();
        if self.c.peek() != Token::Name {
            self.c.unexpected("the name of a struct");
            return self.skip_item();
        }
        while !matches!(self.c.peek(), Token::RightBrace | Token::Fn | Token::Extern | Token::End)
            || self.c.tokens.is_lambda(self.c.at)
        {
            self.c.advance();
            if self.c.peek() == Token::Name && self.c.word(self.c.at) == "struct" {
                return;
            }
        }
        if self.c.peek() == Token::RightBrace {
            self.c.advance();
        }
    }

    /// Returns the index of the signature whose `fn` is the next token.
    fn signature_here(&self) -> u32 {
        self.c.tokens.functions.partition_point(|&at| (at as usize) < self.c.at) as u32
    }

    fn extern_function(&mut self) {
        self.c.advance();
        if self.c.peek() != Token::Fn {
            self.c.unexpected("`fn`");
            return self.skip();
        }
        let signature = &self.signatures.all[self.signature_here() as usize];
        self.c.advance();
        let (pos, start) = (self.c.pos(), self.c.program.forest.len());
        let mark = self.c.program.variables.open();
        let head = head(&mut self.c);
        if let Ok(head) = &head {
            refuse_sizes(
                &mut self.c,
                head.parameters.iter().map(|size| size.size).chain(head.result.iter().copied()),
                "an `extern` function",
            );
        }
        let program = &mut *self.c.program;
        let types = || program.forest.ty[start as usize..].iter().copied().chain([signature.result]);
        if let Some(ty) = types().find(|&ty| ty != ERROR && !Type::from_code(ty).is_in_c()) {
            let name = signature.name.map_or("", |name| program.names.text(name));
            let span = program.name_span(signature.pos, signature.name);
            program.errors.push(extern_without_form(span, name, &program.types.text(ty)));
        }
        program.variables.close(mark, |_, _| {});
        if program.callables[signature.id as usize].pos == Some(signature.pos) {
            program.forest.push(kind::EXTERN, signature.result, signature.id, pos, start);
        } else {
            // It names a function that is declared elsewhere, and adds nothing to the tree.
            while program.forest.len() > start {
                program.forest.pop();
            }
        }
        if head.and_then(|_| self.c.semicolon("`;`")).is_err() {
            self.skip();
        }
    }

    fn function(&mut self) {
        let signature = self.signature_here();
        self.c.advance();
        let (pos, start) = (self.c.pos(), self.c.program.forest.len());
        let parameters = self.c.program.variables.open();
        self.c.program.forest.push(kind::HEADER, ty::VOID, 0, pos, start);
        let head = head(&mut self.c);
        // The HEADER says whether the result is unique.
        self.c.program.forest.data[start as usize] = u32::from(head.as_ref().is_ok_and(|head| head.is_unique));
        if head.is_ok() && self.c.peek() != Token::LeftBrace {
            self.c.unexpected("`{` to begin the body of the function");
        }
        // After an error in the head, the body is still checked if there is one.
        self.c.skip_to(|token| {
            matches!(token, Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::Fn | Token::Extern)
        });
        if self.c.peek() != Token::LeftBrace {
            self.c.program.close_variables(parameters);
            if self.c.peek() == Token::Semicolon {
                self.c.advance();
            }
            return;
        }
        let Signatures { all, .. } = self.signatures;
        self.c.program.callables[all[signature as usize].id as usize].open = true;
        self.c.function = start;
        let body = self.c.program.forest.len();
        let sizes = bind_sizes(&mut self.c, head.unwrap_or_default());
        self.functions.push(OpenFunction { result: all[signature as usize].result, start, sizes });
        self.open.push(Open::Function { signature, start, pos, parameters, skips: self.skips });
        self.block_from(body);
    }

    /// Opens a block. The next token is its `{`.
    fn block(&mut self) {
        self.block_from(self.c.program.forest.len());
    }

    /// Opens a block whose first node is `start`. The next token is its `{`.
    fn block_from(&mut self, start: u32) {
        let (brace, program) = (self.c.at as u32, &mut *self.c.program);
        let (variables, functions) = (program.variables.open(), program.functions.open());
        for &signature in self.signatures.nested.get(&brace).into_iter().flatten() {
            program.bind_function(&self.signatures.all[signature as usize]);
        }
        self.c.advance();
        self.open.push(Open::Block { start, brace, variables, functions, falls: true, warned: false });
    }

    fn statement(&mut self) {
        let (pos, start) = (self.c.pos(), self.c.program.forest.len());
        match self.c.peek() {
            Token::RightBrace => {
                self.c.advance();
                self.close_block();
            }
            Token::End => {
                if let Some(&Open::Block { brace, .. }) = self.open.last() {
                    self.c.report(errors::unclosed_block(self.c.span(self.c.at), self.c.span(brace as usize)));
                }
                self.open.clear();
            }
            Token::Semicolon => {
                self.c.advance();
                self.c.program.forest.push(kind::EMPTY, ty::VOID, 0, pos, start);
            }
            Token::LeftBrace => self.block(),
            Token::If => self.if_statement(pos, start),
            Token::While => {
                self.c.advance();
                let known = self.condition(true);
                self.open.push(Open::While { start, pos, forever: matches!(known, Ok(Some(true))) });
                self.body(known.map(|_| "`{` to begin the `while` body"));
            }
            Token::For => self.for_statement(pos, start),
            Token::Return => self.return_statement(pos, start),
            Token::Fn => self.function(),
            Token::Extern => {
                self.c.report(errors::extern_inside_function(self.c.span(self.c.at)));
                self.c.advance();
                self.c.skip_to(|t| matches!(t, Token::Semicolon | Token::LeftBrace | Token::RightBrace));
                self.skip();
            }
            Token::Elif | Token::Else => {
                self.c.report(errors::without_if(self.c.span(self.c.at), self.c.peek()));
                self.c.advance();
                self.skip();
            }
            _ => self.expression_statement(pos, start),
        }
    }

    fn expression_statement(&mut self, pos: u32, start: u32) {
        let first = self.c.at;
        if expression(&mut self.c, &mut self.stacks, Place::Statement).is_err() {
            return self.skip();
        }
        let last = self.c.program.forest.kind.last();
        if matches!(last, Some(&(kind::UPDATE | kind::UPDATE_SLICE | kind::ASSIGN_FIELD | kind::DESTRUCTURE))) {
            return self.end_of_statement();
        }
        if last == Some(&kind::PRINT) && print_in_parts(&mut self.c, start) {
            return self.end_of_statement();
        }
        let made = &self.c.program.forest.kind[start as usize..];
        if !made.last().is_some_and(|&root| has_effect(root)) && !made.iter().any(|&kind| has_effect(kind)) {
            self.warn(Code::NoEffect, first, self.c.at - 1);
        }
        let check = self.c.program.forest.check();
        self.c.program.forest.push(kind::EXPRESSION, ty::VOID, check, pos, start);
        self.end_of_statement();
    }

    /// Reads the `;` after an expression.
    fn end_of_statement(&mut self) {
        if self.c.semicolon("`;` or an operator").is_err() {
            self.skip();
        }
    }

    /// Opens an `if` or `elif`, which is the next token.
    fn if_statement(&mut self, pos: u32, start: u32) {
        self.c.advance();
        let known = self.condition(false);
        self.open.push(Open::If { start, pos, known: known.unwrap_or(None), then_falls: None });
        self.body(known.map(|_| "`{` to begin the `if` body"));
    }

    /// Opens a `for`, which is the next token. Its counter is in scope only in the body.
    fn for_statement(&mut self, pos: u32, start: u32) {
        self.c.advance();
        let (name, first) = (self.c.at, self.c.program.forest.len());
        let head = self.iterations();
        let counter = self.c.program.variables.open();
        if self.c.kind(name) == Token::Name {
            let at = self.c.tokens.start[name];
            let node = self.c.program.forest.push(kind::COUNT, ty::INT, 0, at, first);
            self.c.program.bind_variable(self.c.tokens.value[name], node, ty::INT, at);
        }
        self.open.push(Open::For { start, pos, counter });
        self.body(head.map(|()| "`{` to begin the `for` body"));
    }

    /// Reads `i < n` after `for`.
    fn iterations(&mut self) -> Result<(), Reported> {
        let head = self.c.expect(Token::Name).and_then(|()| match self.c.peek() {
            Token::Lt => Ok(()),
            _ => Err(self.c.unexpected_with("`<`", errors::not_a_count)),
        });
        head.inspect_err(|_| self.skip_to_body())?;
        self.c.advance();
        self.int_before_body("the number of iterations", Place::Head)
    }

    /// Skips to a token that can follow the head of a statement.
    fn skip_to_body(&mut self) {
        self.c.skip_to(|token| matches!(token, Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::Fn));
    }

    /// Reads the value in the head of a statement.
    fn int_before_body(&mut self, owner: &str, place: Place) -> Result<(), Reported> {
        let first = self.c.at;
        let result = expression(&mut self.c, &mut self.stacks, place);
        let found = result.inspect_err(|_| self.skip_to_body())?;
        if !agree(found, ty::INT) {
            self.c.report(errors::wrong_type(&self.c.program.types, self.c.span_from(first), owner, ty::INT, found));
        }
        Ok(())
    }

    /// Reads a condition. Returns its value if it is a literal.
    fn condition(&mut self, is_loop: bool) -> Result<Option<bool>, Reported> {
        let (first, start) = (self.c.at, self.c.program.forest.len() as usize);
        self.int_before_body("the condition", Place::Value)?;
        let forest = &self.c.program.forest;
        let last = forest.kind.len() - 1;
        let known = (forest.kind[last] == kind::LITERAL).then(|| forest.data[last] != 0);
        let varies = |&kind: &u8| kind == kind::NAME || has_effect(kind);
        if forest.kind[last] == kind::ASSIGN && self.c.kind(first) == Token::Name {
            self.warn(Code::AssignedCondition, first, self.c.at - 1);
        } else if !(is_loop && known == Some(true) || forest.kind[start..].iter().any(varies)) {
            self.warn(Code::ConstantCondition, first, self.c.at - 1);
        }
        Ok(known)
    }

    /// Opens the block that must follow. If it is missing, the tokens before the next
    /// statement are skipped; that is reported
    /// unless the condition before it was.
    fn body(&mut self, expected: Result<&str, Reported>) {
        if self.c.peek() == Token::LeftBrace {
            return self.block();
        }
        if let Ok(expected) = expected {
            self.c.unexpected_with(expected, errors::not_a_block);
        }
        self.skip();
        // The tokens before the block were wrong. The block is the body all the same.
        if self.c.peek() == Token::LeftBrace && self.c.kind(self.c.at - 1) != Token::Semicolon {
            return self.block();
        }
        self.complete(true);
    }

    fn return_statement(&mut self, pos: u32, start: u32) {
        let keyword = self.c.at;
        self.c.advance();
        let expected = self.functions.last().map_or(ERROR, |function| function.result);
        let (mut result, mut check) = (Ok(ty::VOID), 0);
        if self.c.peek() != Token::Semicolon {
            let first = self.c.at;
            result = expression(&mut self.c, &mut self.stacks, Place::Value);
            check = self.c.program.forest.check();
            if let (Ok(found), Some(function)) = (&result, self.functions.last())
                && *found == expected
            {
                let value = Operand { start, ty: *found, form: Form::Any, first, last: self.c.at - 1 };
                shaped(&mut self.c, &function.sizes, &value);
            }
            if let Ok(found) = result.as_ref().copied()
                && !agree(found, expected)
            {
                let span = self.c.span_from(first);
                self.c.report(match expected {
                    ty::VOID => errors::return_with_value(span),
                    _ => errors::wrong_type(&self.c.program.types, span, "the returned value", expected, found),
                });
            }
        } else if !agree(expected, ty::VOID) {
            self.c.report(errors::return_without_value(&self.c.program.types, self.c.span(keyword), expected));
        }
        self.c.program.forest.push(kind::RETURN, ty::VOID, check, pos, start);
        if let Some(Open::Block { falls, .. }) = self.open.last_mut() {
            *falls = false;
        }
        if result.and_then(|_| self.c.semicolon("`;` or an operator")).is_err() {
            self.skip();
        }
    }

    fn close_block(&mut self) {
        let Some(Open::Block { start, brace, variables, functions, falls, .. }) = self.open.pop() else { return };
        self.c.program.close_variables(variables);
        self.c.program.functions.close(functions, |_, _| {});
        let pos = self.c.tokens.start[brace as usize];
        self.c.program.forest.push(kind::BLOCK, ty::VOID, 0, pos, start);
        self.complete(falls);
    }

    /// Completes the constructs that end with the block that has just ended. `falls` is `true` if the end of the block
    /// can be reached.
    fn complete(&mut self, mut falls: bool) {
        loop {
            let next = self.c.peek();
            let forest = &mut self.c.program.forest;
            match self.open.pop() {
                Some(Open::If { start, pos, known, then_falls: None }) => {
                    if matches!(next, Token::Elif | Token::Else) {
                        self.open.push(Open::If { start, pos, known, then_falls: Some(falls) });
                        return self.otherwise();
                    }
                    forest.push(kind::IF, ty::VOID, 0, pos, start);
                    falls |= known != Some(true);
                }
                Some(Open::If { start, pos, known, then_falls: Some(then_falls) }) => {
                    forest.push(kind::IF_ELSE, ty::VOID, 0, pos, start);
                    falls = match known {
                        Some(true) => then_falls,
                        Some(false) => falls,
                        None => falls || then_falls,
                    };
                }
                Some(Open::While { start, pos, forever }) => {
                    forest.push(kind::WHILE, ty::VOID, 0, pos, start);
                    falls = !forever;
                }
                Some(Open::For { start, pos, counter }) => {
                    self.c.program.close_variables(counter);
                    self.c.program.forest.push(kind::FOR, ty::VOID, 0, pos, start);
                    falls = true;
                }
                Some(Open::Function { signature, start, pos, parameters, skips }) => {
                    self.c.program.close_variables(parameters);
                    self.functions.pop();
                    self.c.function = self.functions.last().map_or(0, |function| function.start);
                    // A malformed statement may have been the missing `return`.
                    falls &= skips == self.skips;
                    return self.complete_function(signature, start, pos, falls);
                }
                Some(Open::Block { start, brace, variables, functions, falls: before, warned }) => {
                    let falls = before && falls;
                    self.open.push(Open::Block { start, brace, variables, functions, falls, warned });
                    return;
                }
                None => return,
            }
        }
    }

    /// Opens the part of an `if` that begins with `elif` or `else`, which is the next token.
    fn otherwise(&mut self) {
        if self.c.peek() == Token::Else {
            let keyword = self.c.at;
            self.c.advance();
            if self.c.peek() != Token::If {
                return self.body(Ok("`{` to begin the `else` body"));
            }
            self.c.report(errors::else_if(self.c.span_between(keyword, self.c.at)));
        }
        let (pos, start) = (self.c.pos(), self.c.program.forest.len());
        self.if_statement(pos, start);
    }

    fn complete_function(&mut self, signature: u32, start: u32, pos: u32, falls: bool) {
        let signature = &self.signatures.all[signature as usize];
        self.c.program.callables[signature.id as usize].open = false;
        self.c.program.forest.push(kind::FUNCTION, signature.result, signature.id, pos, start);
        if falls && !agree(signature.result, ty::VOID) {
            let name = signature.name.map_or("", |name| self.c.program.names.text(name));
            let span = self.c.program.name_span(pos, signature.name);
            let end = self.c.span(self.c.at - 1);
            self.c.report(errors::missing_return(&self.c.program.types, span, name, signature.result, end));
        }
    }
}

/// Returns whether a token begins a statement that should be reachable. Functions and `;` may follow a `return`.
fn begins_reachable(token: Token) -> bool {
    !matches!(token, Token::RightBrace | Token::Fn | Token::Semicolon | Token::End)
}
