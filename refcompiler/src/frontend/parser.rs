//! Tokens to nodes: statements and functions, with a stack of their own.
//!
//! What is open stands in `open`: the depth of nesting costs heap alone. A name is resolved and a node's type checked
//! when it is made: nodes come in postorder, so that operands are there, and signatures were read before.

use super::expressions::Stacks;
use super::forest::Forest;
use super::lexer::{Token, Tokens};
use super::names::Names;
use super::scopes::{Mark, Scopes, Variable};
use super::signatures::{Signatures, type_of};
use crate::diagnostics::{Code, Diagnostic};
use crate::tree::{kind, runtime, ty};

/// A function as calls see it.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Types of its parameters.
    pub parameters: Vec<u8>,
    /// The type it returns.
    pub result: u8,
    /// Position of its name, if it stands in an input.
    pub pos: Option<u32>,
}

/// What files share.
#[derive(Default)]
pub struct Shared {
    /// The nodes of all files.
    pub forest: Forest,
    /// All names.
    pub names: Names,
    /// Errors so far.
    pub errors: Vec<Diagnostic>,
    /// Every function by id.
    pub callables: Vec<Callable>,
    /// Functions in sight: ids.
    pub functions: Scopes<u32>,
    /// Variables in sight.
    pub variables: Scopes<Variable>,
    /// The runtime functions that were called.
    pub used: [bool; runtime::COUNT as usize],
    /// The memory of the last expression's stacks, for the next.
    pub(super) stacks: Stacks,
}

/// A construct that is not complete.
enum Open {
    Function { signature: u32, start: u32, pos: u32, parameters: Mark },
    Block { start: u32, brace: u32, variables: Mark, functions: Mark, falls: bool },
    If { start: u32, pos: u32, known: Option<bool>, then_falls: Option<bool> },
    While { start: u32, pos: u32, forever: bool },
}

/// That something was reported and the rest of the construct skipped.
pub struct Reported;

/// The parser of one file.
pub struct Parser<'a> {
    pub(super) shared: &'a mut Shared,
    pub(super) tokens: &'a Tokens,
    pub(super) text: &'a str,
    /// Position of the first byte of `text`.
    pub(super) base: u32,
    signatures: &'a Signatures,
    pub(super) at: usize,
    open: Vec<Open>,
    /// The result types of the functions around this place.
    results: Vec<u8>,
}

impl<'a> Parser<'a> {
    /// A parser of a file's tokens.
    pub fn new(
        shared: &'a mut Shared,
        tokens: &'a Tokens,
        text: &'a str,
        base: u32,
        signatures: &'a Signatures,
    ) -> Self {
        Parser { shared, tokens, text, base, signatures, at: 0, open: Vec::new(), results: Vec::new() }
    }

    /// Parses the file.
    pub fn file(&mut self) {
        loop {
            match self.open.last() {
                Some(Open::Block { .. }) => self.statement(),
                _ if self.peek() == Token::End => return,
                _ => self.item(),
            }
        }
    }

    #[inline]
    pub(super) fn peek(&self) -> Token {
        self.tokens.kind[self.at]
    }

    pub(super) fn peek_next(&self) -> Token {
        self.tokens.kind.get(self.at + 1).copied().unwrap_or(Token::End)
    }

    /// Position of the token `at`.
    pub(super) fn pos(&self) -> u32 {
        self.tokens.start[self.at]
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.kind.len() {
            self.at += 1;
        }
    }

    /// The span of a token.
    pub(super) fn span(&self, token: usize) -> std::ops::Range<u32> {
        let start = self.tokens.start[token];
        let rest = &self.text.as_bytes()[((start - self.base) as usize).min(self.text.len())..];
        let word = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let length = match self.tokens.kind[token] {
            Token::End => 0,
            Token::Float => {
                let fraction = rest[word + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                word + 1 + fraction
            }
            other if word == 0 => other.describe().len() - 2,
            _ => word,
        };
        start..start + length as u32
    }

    pub(super) fn report(&mut self, error: Diagnostic) {
        self.shared.errors.push(error);
    }

    /// How a message names the token at hand.
    fn found(&self) -> String {
        match self.peek() {
            Token::Name => format!("the name `{}`", self.shared.names.text(self.tokens.value[self.at])),
            other => other.describe().to_string(),
        }
    }

    /// Reports that something else was expected here.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let error = Diagnostic::new(
            Code::Unexpected,
            self.span(self.at),
            format!("expected {expected}, found {}", self.found()),
        );
        // A number with an error was reported as such.
        if self.peek() != Token::BadNumber {
            self.report(error.label(format!("expected {expected}")));
        }
        Reported
    }

    pub(super) fn expect(&mut self, token: Token) -> Result<(), Reported> {
        if self.peek() == token {
            self.advance();
            return Ok(());
        }
        Err(self.unexpected(token.describe()))
    }

    /// Skips to where a statement can begin: behind a `;`, or at a brace or keyword that begins or ends one.
    fn skip(&mut self) {
        loop {
            match self.peek() {
                Token::Semicolon => {
                    self.advance();
                    return;
                }
                Token::LeftBrace | Token::RightBrace | Token::End => return,
                Token::If | Token::While | Token::Return | Token::Fn | Token::Extern => return,
                _ => self.advance(),
            }
        }
    }

    /// A function at top level.
    fn item(&mut self) {
        match self.peek() {
            Token::Fn => self.function(),
            Token::Extern => self.extern_function(),
            _ => {
                self.unexpected("`fn` or `extern`");
                self.advance();
                let mut depth = 0u32;
                loop {
                    match self.peek() {
                        Token::End => return,
                        Token::Fn | Token::Extern if depth == 0 => return,
                        Token::LeftBrace => depth += 1,
                        Token::RightBrace => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.advance();
                }
            }
        }
    }

    fn signature_here(&self) -> u32 {
        self.tokens.functions.partition_point(|&at| (at as usize) < self.at) as u32
    }

    /// `name[p: T, ..]: T` behind `fn`; emits the parameters and binds them.
    fn head(&mut self) -> Result<(), Reported> {
        self.expect(Token::Name)?;
        let bracket = self.at;
        self.expect(Token::LeftBracket)?;
        if self.peek() != Token::RightBracket {
            loop {
                let (token, pos) = (self.at, self.pos());
                self.expect(Token::Name)?;
                self.expect(Token::Colon)?;
                let ty = self.value_type("a parameter")?;
                let node = self.shared.forest.push(kind::PARAM, ty, 0, pos, self.shared.forest.len());
                self.bind(self.tokens.value[token], Variable { node, ty, pos }, "parameter");
                if self.peek() != Token::Comma {
                    break;
                }
                self.advance();
            }
        }
        if self.peek() != Token::RightBracket {
            let open = self.span(bracket);
            self.unexpected("`,` or `]`");
            if let Some(error) = self.shared.errors.last_mut() {
                error.others.push((open, "the parameters begin here".to_string()));
            }
            return Err(Reported);
        }
        self.advance();
        if self.peek() == Token::Colon {
            self.advance();
            if type_of(self.peek()).is_none() {
                return Err(self.unexpected("a type: `int`, `float` or `void`"));
            }
            self.advance();
        }
        Ok(())
    }

    /// A type that values can have; `what` has it.
    pub(super) fn value_type(&mut self, what: &str) -> Result<u8, Reported> {
        match type_of(self.peek()) {
            Some(ty::VOID) => {
                let error = Diagnostic::new(Code::VoidValue, self.span(self.at), format!("{what} cannot be `void`"));
                self.report(error.label("expected `int` or `float`"));
                self.advance();
                Ok(ERROR)
            }
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None => Err(self.unexpected("a type: `int` or `float`")),
        }
    }

    /// Binds a variable; twice in one scope is an error.
    pub(super) fn bind(&mut self, name: u32, variable: Variable, what: &str) {
        if let Some(before) = self.shared.variables.bind(name, variable) {
            let text = self.shared.names.text(name);
            let length = text.len() as u32;
            let error = Diagnostic::new(
                Code::Redeclared,
                variable.pos..variable.pos + length,
                format!("the {what} `{text}` is declared twice in this scope"),
            );
            self.report(
                error.label("declared again here").other(before.pos..before.pos + length, "first declared here"),
            );
        }
    }

    fn extern_function(&mut self) {
        self.advance();
        if self.peek() != Token::Fn {
            self.unexpected("`fn`");
            return self.skip();
        }
        let signature = self.signature_here() as usize;
        self.advance();
        let pos = self.pos();
        let start = self.shared.forest.len();
        let mark = self.shared.variables.open();
        let head = self.head();
        self.shared.variables.close(mark);
        let signature = &self.signatures.all[signature];
        let is_own = self.shared.callables[signature.id as usize].pos == Some(signature.pos);
        if is_own {
            self.shared.forest.push(kind::EXTERN, signature.result, signature.id, pos, start);
        } else {
            // It names a function that stands elsewhere, and adds nothing.
            while self.shared.forest.len() > start {
                self.shared.forest.pop();
            }
        }
        if head.and_then(|()| self.expect(Token::Semicolon)).is_err() {
            self.skip();
        }
    }

    fn function(&mut self) {
        let signature = self.signature_here();
        self.advance();
        let pos = self.pos();
        let start = self.shared.forest.len();
        let parameters = self.shared.variables.open();
        self.shared.forest.push(kind::HEADER, ty::VOID, 0, pos, start);
        let head = self.head();
        if head.is_ok() && self.peek() != Token::LeftBrace {
            self.unexpected("`{` and the function's body");
        }
        if head.is_err() {
            // The body may still be there, and hold errors of its own.
            while !matches!(
                self.peek(),
                Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::Fn | Token::Extern | Token::End
            ) {
                self.advance();
            }
        }
        if self.peek() != Token::LeftBrace {
            self.shared.variables.close(parameters);
            if self.peek() == Token::Semicolon {
                self.advance();
            }
            return;
        }
        self.results.push(self.signatures.all[signature as usize].result);
        self.open.push(Open::Function { signature, start, pos, parameters });
        self.block();
    }

    /// Opens the block at hand.
    fn block(&mut self) {
        let brace = self.at as u32;
        let start = self.shared.forest.len();
        let variables = self.shared.variables.open();
        let functions = self.shared.functions.open();
        if let Some(nested) = self.signatures.nested.get(&brace) {
            for &signature in nested {
                self.shared.bind_function(&self.signatures.all[signature as usize]);
            }
        }
        self.advance();
        self.open.push(Open::Block { start, brace, variables, functions, falls: true });
    }

    fn statement(&mut self) {
        let pos = self.pos();
        let start = self.shared.forest.len();
        match self.peek() {
            Token::RightBrace => {
                self.advance();
                self.close_block();
            }
            Token::End => self.unclosed(),
            Token::Semicolon => {
                self.advance();
                self.shared.forest.push(kind::EMPTY, ty::VOID, 0, pos, start);
            }
            Token::LeftBrace => self.block(),
            Token::If => self.condition(pos, start),
            Token::While => {
                self.advance();
                let known = self.condition_value();
                self.open.push(Open::While { start, pos, forever: known == Some(true) });
                self.body("`{` and the loop's body");
            }
            Token::Return => self.return_statement(pos, start),
            Token::Fn => self.function(),
            Token::Extern => {
                let error = Diagnostic::new(Code::Misplaced, self.span(self.at), "`extern` inside a function");
                self.report(error.label("expected at top level"));
                self.advance();
                while !matches!(self.peek(), Token::Semicolon | Token::LeftBrace | Token::RightBrace | Token::End) {
                    self.advance();
                }
                self.skip();
            }
            Token::Elif | Token::Else => {
                self.unexpected("a statement");
                self.advance();
                self.skip();
            }
            _ => {
                let result = self.expression().and_then(|_| {
                    self.shared.forest.push(kind::EXPRESSION, ty::VOID, 0, pos, start);
                    self.semicolon()
                });
                if result.is_err() {
                    self.skip();
                }
            }
        }
    }

    /// Takes the `;` that ends a statement. Where it is missing at a line's end, what follows is read as if it were there.
    fn semicolon(&mut self) -> Result<(), Reported> {
        if self.peek() == Token::Semicolon {
            self.advance();
            return Ok(());
        }
        let end = self.span(self.at.saturating_sub(1)).end;
        let between = &self.text.as_bytes()[(end - self.base) as usize..(self.pos() - self.base) as usize];
        if self.peek() != Token::End && between.contains(&b'\n') {
            let what = format!("expected an operator or `;`, found {}", self.found());
            let error = Diagnostic::new(Code::Unexpected, end..end, what);
            self.report(error.label("expected an operator or `;`"));
            return Ok(());
        }
        Err(self.unexpected("an operator or `;`"))
    }

    /// Opens the `if` or `elif` at hand.
    fn condition(&mut self, pos: u32, start: u32) {
        self.advance();
        let known = self.condition_value();
        self.open.push(Open::If { start, pos, known, then_falls: None });
        self.body("`{` and what to do then");
    }

    /// The value of a condition where it is a literal.
    fn condition_value(&mut self) -> Option<bool> {
        let first = self.at;
        match self.expression() {
            Ok(ty) => {
                if ty != ty::INT && ty != ERROR {
                    let span = self.span(first).start..self.span(self.at.saturating_sub(1)).end;
                    self.wrong_type(span, "a condition", ty::INT, ty);
                }
                let last = self.shared.forest.len().checked_sub(1)? as usize;
                let literal = self.shared.forest.kind[last] == kind::LITERAL;
                literal.then(|| self.shared.forest.data[last] != 0)
            }
            Err(Reported) => {
                while !matches!(
                    self.peek(),
                    Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::Fn | Token::End
                ) {
                    self.advance();
                }
                None
            }
        }
    }

    /// Opens the block that must follow, or an empty one where it is missing.
    fn body(&mut self, expected: &str) {
        if self.peek() == Token::LeftBrace {
            return self.block();
        }
        self.unexpected(expected);
        self.skip();
        self.complete(true);
    }

    fn return_statement(&mut self, pos: u32, start: u32) {
        let keyword = self.at;
        self.advance();
        let expected = self.results.last().copied().unwrap_or(ty::VOID);
        let result = if self.peek() == Token::Semicolon {
            if expected != ty::VOID {
                let expected = ty::NAMES[expected as usize];
                let error = Diagnostic::new(
                    Code::WrongReturn,
                    self.span(keyword),
                    format!("expected `return` with a value of type `{expected}`"),
                );
                self.report(error.label(format!("expected a value of type `{expected}`")));
            }
            Ok(())
        } else {
            let first = self.at;
            self.expression().map(|found| {
                if found == expected || found == ERROR {
                    return;
                }
                let span = self.span(first).start..self.span(self.at.saturating_sub(1)).end;
                if expected == ty::VOID {
                    let error =
                        Diagnostic::new(Code::WrongReturn, span, "`return` with a value in a function of type `void`");
                    self.report(error.label("expected no value"));
                } else {
                    self.wrong_type(span, "the value returned", expected, found);
                }
            })
        };
        self.shared.forest.push(kind::RETURN, ty::VOID, 0, pos, start);
        if let Some(Open::Block { falls, .. }) = self.open.last_mut() {
            *falls = false;
        }
        if result.and_then(|()| self.semicolon()).is_err() {
            self.skip();
        }
    }

    /// Reports that a value of type `found` stands where one of type `expected` must, if they differ.
    pub(super) fn wrong_type(&mut self, span: std::ops::Range<u32>, what: &str, expected: u8, found: u8) {
        if expected == found || expected == ERROR || found == ERROR {
            return;
        }
        let (expected, found_name) = (ty::NAMES[expected as usize], ty::NAMES[found as usize]);
        let (code, help) = if found == ty::VOID {
            (Code::VoidValue, None)
        } else {
            (Code::TypeMismatch, Some(format!("`{expected}(..)` converts")))
        };
        let mut error =
            Diagnostic::new(code, span, format!("{what} has type `{found_name}` where `{expected}` is expected"))
                .label(format!("expected `{expected}`, found `{found_name}`"));
        error.help = help;
        self.report(error);
    }

    fn close_block(&mut self) {
        let Some(Open::Block { start, brace, variables, functions, falls }) = self.open.pop() else { return };
        self.shared.variables.close(variables);
        self.shared.functions.close(functions);
        let pos = self.tokens.start[brace as usize];
        self.shared.forest.push(kind::BLOCK, ty::VOID, 0, pos, start);
        self.complete(falls);
    }

    /// Completes what the block or statement just ended was part of; `falls` says whether its end can be reached.
    fn complete(&mut self, mut falls: bool) {
        loop {
            match self.open.pop() {
                Some(Open::If { start, pos, known, then_falls: None }) => {
                    let then_falls = Some(falls);
                    match self.peek() {
                        Token::Elif => {
                            self.open.push(Open::If { start, pos, known, then_falls });
                            let (pos, start) = (self.pos(), self.shared.forest.len());
                            return self.condition(pos, start);
                        }
                        Token::Else => {
                            self.open.push(Open::If { start, pos, known, then_falls });
                            self.advance();
                            return self.body("`{` and what to do else");
                        }
                        _ => {}
                    }
                    self.shared.forest.push(kind::IF, ty::VOID, 0, pos, start);
                    falls |= known != Some(true);
                }
                Some(Open::If { start, pos, known, then_falls: Some(then_falls) }) => {
                    self.shared.forest.push(kind::IF_ELSE, ty::VOID, 0, pos, start);
                    falls = match known {
                        Some(true) => then_falls,
                        Some(false) => falls,
                        None => falls || then_falls,
                    };
                }
                Some(Open::While { start, pos, forever }) => {
                    self.shared.forest.push(kind::WHILE, ty::VOID, 0, pos, start);
                    falls = !forever;
                }
                Some(Open::Function { signature, start, pos, parameters }) => {
                    self.shared.variables.close(parameters);
                    self.results.pop();
                    return self.complete_function(signature, start, pos, falls);
                }
                Some(Open::Block { start, brace, variables, functions, falls: before }) => {
                    let falls = before && falls;
                    self.open.push(Open::Block { start, brace, variables, functions, falls });
                    return;
                }
                None => return,
            }
        }
    }

    fn complete_function(&mut self, signature: u32, start: u32, pos: u32, falls: bool) {
        let signature = &self.signatures.all[signature as usize];
        self.shared.forest.push(kind::FUNCTION, signature.result, signature.id, pos, start);
        if falls && signature.result != ty::VOID {
            let name = signature.name.map_or("", |name| self.shared.names.text(name));
            let error = Diagnostic::new(
                Code::MissingReturn,
                pos..pos + name.len() as u32,
                format!("a path through the function `{name}` does not return a value"),
            )
            .label(format!(
                "expected every path to end in `return` with a value of type `{}`",
                ty::NAMES[signature.result as usize]
            ))
            .other(self.span(self.at - 1), "this end can be reached");
            self.report(error);
        }
    }

    /// The file ends inside a block.
    fn unclosed(&mut self) {
        let Some(Open::Block { brace, .. }) = self.open.last() else { return };
        let brace = self.span(*brace as usize);
        let error = Diagnostic::new(Code::Unclosed, self.span(self.at), "expected `}`, found the end of the file")
            .label("expected `}`")
            .other(brace, "this block is not closed");
        self.report(error);
        self.open.clear();
    }
}

/// The type of what has an error: it agrees with every other, so that one error is reported once.
pub const ERROR: u8 = 3;

impl Shared {
    /// Makes room for all names so far.
    pub fn reserve_names(&mut self) {
        self.functions.reserve(self.names.len());
        self.variables.reserve(self.names.len());
    }

    /// Binds a function in the innermost scope; twice in one scope is an error.
    pub fn bind_function(&mut self, signature: &super::signatures::Signature) {
        let Some(name) = signature.name else { return };
        let Some(before) = self.functions.bind(name, signature.id) else { return };
        let text = self.names.text(name);
        let length = text.len() as u32;
        let mut error = Diagnostic::new(
            Code::Redeclared,
            signature.pos..signature.pos + length,
            format!("the function `{text}` is declared twice in this scope"),
        )
        .label("declared again here");
        if let Some(pos) = self.callables[before as usize].pos {
            error = error.other(pos..pos + length, "first declared here");
        }
        self.errors.push(error);
    }
}
