//! Tokens to nodes: expressions, by operator precedence with a stack of operators and a stack of operands.
//!
//! ```text
//! a + b * 2 < c      operators  <          operands  (a + b * 2)  c
//! ```
//!
//! An operator waits on its stack until an operator follows that does not bind tighter. Its operands are then the last
//! on their stack, and its node is made. Open brackets wait on the stack of operators too. Nothing recurses.

mod composites;
mod targets;

use super::array_errors::{brackets_after_name, help_for_type, no_index};
use super::arrays::{
    Builder, Building, Indices, check_assignable, check_index, index, is_update, type_of_element, update,
};
use super::callees::{Callee, is_argument, section_operator};
use super::cursor::{Cursor, Reported};
use super::errors;
use super::foreign::{self, Start};
use super::functional_errors;
use super::heads::parameters;
use super::lexer::Token;
use super::numbers::NumberError;
use super::operations::{Form, Operand, PARTS};
use super::operations::{
    argument, ascribe, assign, binary, call, cast, check_type, choose, declare, declare_zero, leaf, part, prefix, push,
};
use super::program::Variable;
use super::records::{AssignedField, assign_field, check_field, destructure, part_of_tuple, record, tuple};
use super::scopes::Mark;
use super::second_order::{Application, Operation, is_operation};
use super::shorthand::Shorthand;
use super::size_errors::assigned_size;
use super::sizes::{Extent, extents, refuse_sizes, shaped, zeros};
use super::type_syntax::begins_type;
use super::types::{ERROR, type_of};
use crate::ir::operators::level;
use crate::ir::tree::{kind, ty};
use targets::Target;

/// An operator or bracket that waits for its operands. `token` is the index of its token, or of the variable's name.
enum Waiting {
    Binary {
        kind: u8,
        level: u8,
        token: usize,
    },
    Prefix {
        kind: u8,
        token: usize,
    },
    Assign {
        node: u32,
        ty: u8,
        token: usize,
    },
    Declare {
        ty: Option<u8>,
        token: usize,
        sizes: Vec<Extent>,
    },
    Group {
        token: usize,
    },
    Cast {
        ty: u8,
        token: usize,
    },
    Call {
        id: Option<u32>,
        token: usize,
        start: u32,
        count: u32,
    },
    Choose {
        token: usize,
        start: u32,
        count: u32,
        then: Option<Operand>,
    },
    /// A literal or an operation of arrays, the last of `building`. `opener` is the index of its bracket.
    Build {
        opener: usize,
    },
    /// An operation with a function, the last of `applying`. `opener` is the index of its bracket.
    Apply {
        opener: usize,
    },
    /// The value of a lambda, the last of `callees`. Its type is `ty`.
    Lambda {
        token: usize,
        ty: u8,
        parameters: Mark,
    },
    /// The indices of the last operand. `opener` is the index of their bracket.
    Index {
        opener: usize,
        indices: Indices,
        user: User,
    },
    /// `lo..`: the upper bound of a range of indices. `start` is the first node of the lower bound.
    Range {
        token: usize,
        start: u32,
        first: usize,
    },
    Update {
        ty: u8,
        indices: Indices,
        token: usize,
        start: u32,
    },
    /// `p.x =`.
    AssignField(AssignedField),
    /// The values of a struct of type `ty`.
    Struct {
        ty: u8,
        token: usize,
        start: u32,
        count: u32,
    },
    /// The parts of a tuple. The types of the parts so far are the last of the list of parts, from an index on.
    Tuple {
        token: usize,
        start: u32,
        parts: usize,
    },
    /// `var (x, y) =` with `count` names. `token` is the `var`.
    Destructure {
        token: usize,
        count: usize,
    },
}

impl Waiting {
    /// Returns whether this is a bracket whose elements are separated by commas.
    fn has_elements(&self) -> bool {
        matches!(self, Waiting::Call { .. } | Waiting::Choose { .. } | Waiting::Build { .. } | Waiting::Index { .. })
            || matches!(self, Waiting::Apply { .. } | Waiting::Struct { .. } | Waiting::Tuple { .. })
    }

    fn level(&self) -> u8 {
        match self {
            Waiting::Binary { level, .. } => *level,
            Waiting::Prefix { .. } => level::PREFIX,
            Waiting::Assign { .. } | Waiting::Declare { .. } | Waiting::Update { .. } => level::ASSIGNMENT,
            Waiting::Destructure { .. } | Waiting::AssignField { .. } => level::ASSIGNMENT,
            Waiting::Group { .. } | Waiting::Cast { .. } => level::BRACKET,
            Waiting::Call { .. } | Waiting::Choose { .. } => level::BRACKET,
            Waiting::Build { .. } | Waiting::Index { .. } => level::BRACKET,
            Waiting::Apply { .. } | Waiting::Lambda { .. } | Waiting::Range { .. } => level::BRACKET,
            Waiting::Struct { .. } | Waiting::Tuple { .. } => level::BRACKET,
        }
    }
}

/// The use of indices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    /// A value.
    Value,
    /// `a[i] = e;`.
    Update,
    /// A part of the [`Target`] of an update.
    Target,
}

/// The part of a statement that an expression is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Value,
    /// The whole statement, which may be an update.
    Statement,
    /// The head of a `for`. It declares no variable, because it declares the counter.
    Head,
}

/// The stacks of an expression. They keep their memory from one expression to the next.
#[derive(Default)]
pub struct Stacks {
    operands: Vec<Operand>,
    waiting: Vec<Waiting>,
    building: Vec<Building>,
    applying: Vec<Application>,
    callees: Vec<Callee>,
    /// The types of the parts of open tuples.
    parts: Vec<u8>,
}

/// Parses an expression. Returns its type.
pub fn expression(c: &mut Cursor<'_>, stacks: &mut Stacks, place: Place) -> Result<u8, Reported> {
    stacks.operands.clear();
    stacks.waiting.clear();
    stacks.building.clear();
    stacks.applying.clear();
    stacks.callees.clear();
    stacks.parts.clear();
    let mut expression = Expression { c, stacks, place, target: None, choices: 0, lambdas: 0 };
    let result = expression.parse();
    // After an error, lambdas may be open.
    while let Some(waiting) = stacks.waiting.pop() {
        if let Waiting::Lambda { parameters, .. } = waiting {
            c.program.variables.close(parameters, |_, _| {});
        }
    }
    result
}

/// The part of the grammar that the next token belongs to.
enum Next {
    Operand,
    Operator,
    End,
}

/// An expression that is being parsed.
struct Expression<'e, 'a> {
    c: &'e mut Cursor<'a>,
    stacks: &'e mut Stacks,
    place: Place,
    /// The target of the statement, if it has fields.
    target: Option<Target>,
    /// The number of conditional expressions that are open.
    choices: u32,
    /// The number of lambdas that are open.
    lambdas: u32,
}

impl Expression<'_, '_> {
    /// Parses the expression. Returns its type.
    fn parse(&mut self) -> Result<u8, Reported> {
        let mut next = Next::Operand;
        loop {
            next = match next {
                Next::Operand => self.operand()?,
                Next::Operator => self.operator()?,
                Next::End => return Ok(self.pop()?.ty),
            };
        }
    }

    fn pop(&mut self) -> Result<Operand, Reported> {
        self.stacks.operands.pop().ok_or(Reported)
    }

    /// Pushes an operand.
    fn value(&mut self, operand: Operand) -> Result<Next, Reported> {
        self.stacks.operands.push(operand);
        Ok(Next::Operator)
    }

    /// Pushes an operator or bracket, and moves past the next token.
    fn wait(&mut self, waiting: Waiting) -> Result<Next, Reported> {
        self.stacks.waiting.push(waiting);
        self.c.advance();
        Ok(Next::Operand)
    }

    /// Returns whether an assignment or a declaration may begin here.
    fn may_assign(&self) -> bool {
        self.stacks.waiting.last().is_none_or(|waiting| waiting.level() >= level::ASSIGNMENT)
    }

    /// Returns whether nothing of a statement was read.
    fn is_statement(&self) -> bool {
        self.place == Place::Statement && self.stacks.waiting.is_empty() && self.stacks.operands.is_empty()
    }

    /// Reads an operand, or a token before one.
    fn operand(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        match self.c.peek() {
            Token::Name if self.begins_target() => self.target(),
            Token::Name => match self.c.kind(token + 1) {
                Token::Comma | Token::RightBracket if self.wants_function() => self.named_function(),
                Token::LeftBracket | Token::LeftParen => self.call(),
                _ => self.name(),
            },
            Token::LeftBracket => self.build(Builder::Literal),
            Token::Choose => self.choice(),
            Token::Int => self.literal(ty::INT),
            Token::Float => self.literal(ty::FLOAT),
            Token::Malformed => self.literal(ERROR),
            Token::MinusOnlyInt => {
                if !matches!(self.stacks.waiting.last(), Some(Waiting::Prefix { kind: kind::NEGATE, .. })) {
                    let error = errors::number(self.c.span(token), self.c.word(token), NumberError::LargeInt);
                    self.c.report(error);
                }
                self.literal(ty::INT)
            }
            Token::Minus => self.wait(Waiting::Prefix { kind: kind::NEGATE, token }),
            Token::Bang => self.wait(Waiting::Prefix { kind: kind::NOT, token }),
            Token::Tilde => self.wait(Waiting::Prefix { kind: kind::COMPLEMENT, token }),
            Token::LeftParen if section_operator(self.c).is_some() => self.section(),
            Token::Fn if self.c.tokens.is_lambda(token) => self.lambda(),
            Token::Dots if matches!(self.stacks.waiting.last(), Some(Waiting::Index { .. })) => {
                self.range_without_start()
            }
            Token::Comma | Token::RightBracket if matches!(self.stacks.waiting.last(), Some(Waiting::Range { .. })) => {
                self.range_without_end()
            }
            Token::LeftParen => self.wait(Waiting::Group { token }),
            Token::Var if self.may_assign() && self.c.kind(token + 1) == Token::LeftParen => self.destructuring(),
            Token::Var if self.may_assign() => {
                if self.place == Place::Head {
                    self.c.report(errors::declaration_in_head(self.c.span(token)));
                } else if self.choices > 0 {
                    self.c.report(errors::declaration_in_choice(self.c.span(token)));
                }
                self.check_declaration(token);
                self.c.advance();
                self.declaration(None)
            }
            Token::IntType | Token::FloatType | Token::VoidType => self.cast(),
            _ => self.missing_operand(),
        }
    }

    fn literal(&mut self, ty: u8) -> Result<Next, Reported> {
        let literal = leaf(self.c, kind::LITERAL, ty, self.c.tokens.value[self.c.at]);
        self.value(literal)
    }

    /// Reads the name of a variable, and the `=` of an assignment to it.
    fn name(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        let name = self.c.tokens.value[token];
        let is_target = self.c.kind(token + 1) == Token::Assign && self.may_assign();
        let (node, ty) = match self.c.program.variables.get(name) {
            Some(variable) => {
                variable.assigned |= is_target;
                variable.read |= !is_target;
                let Variable { node, ty, pos, .. } = *variable;
                let variable = *variable;
                if is_target && self.c.program.types.has_arrays(ty) {
                    check_assignable(self.c, variable);
                }
                if is_target && variable.is_size {
                    let declared = self.c.program.name_span(pos, Some(name));
                    self.c.report(assigned_size(self.c.span(token), self.c.word(token), declared));
                }
                if is_target && self.c.program.forest.kind[node as usize] == kind::COUNT {
                    let declared = self.c.program.name_span(pos, Some(name));
                    self.c.report(errors::assigned_counter(self.c.span(token), self.c.word(token), declared));
                }
                (node, ty)
            }
            None => {
                if let Some(next) = self.foreign_start()? {
                    return Ok(next);
                }
                foreign::unknown_variable(self.c, self.stacks.waiting.is_empty());
                (0, ERROR)
            }
        };
        if is_target {
            if self.lambdas > 0 {
                let error = functional_errors::assignment_in_lambda(self.c.span(token), self.c.word(token));
                self.c.report(error);
            }
            self.c.advance();
            return self.wait(Waiting::Assign { node, ty, token });
        }
        let name = leaf(self.c, kind::NAME, ty, node);
        self.value(name)
    }

    /// Reads the name of a function and the bracket after it.
    fn call(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        let name = self.c.tokens.value[token];
        let id = self.c.program.functions.get(name).copied();
        if let Some(ty) = self.struct_here(id) {
            return self.struct_value(ty);
        }
        if id.is_some_and(is_operation) {
            let variable = self.c.program.variables.get(name).map(|variable| variable.ty);
            let is_element = self.c.kind(token + 1) == Token::LeftBracket
                && variable.is_some_and(|ty| self.c.program.types.is_array(ty));
            if is_element {
                return self.indexed_name();
            }
        }
        if let Some(form) = id.and_then(Builder::of) {
            return self.build(form);
        }
        if let Some(operation) = id.and_then(Operation::of) {
            return match operation {
                Operation::Shape(form) => self.build(form),
                _ => self.apply(operation),
            };
        }
        if id.is_none() {
            if self.c.kind(token + 1) == Token::LeftBracket && self.c.program.variables.get(name).is_some() {
                return self.indexed_name();
            }
            if let Some(next) = self.foreign_start()? {
                return Ok(next);
            }
            if self.stacks.waiting.is_empty() && is_update(self.c) {
                foreign::unknown_variable(self.c, false);
            } else {
                foreign::unknown_function(self.c);
            }
        }
        self.c.advance();
        let closer = closer(self.c.peek());
        let start = self.c.program.forest.len();
        self.c.advance();
        if self.c.peek() == closer {
            let made = call(self.c, id, token, start, 0);
            self.c.advance();
            return self.value(made);
        }
        self.stacks.waiting.push(Waiting::Call { id, token, start, count: 0 });
        Ok(Next::Operand)
    }

    /// Reads the first bracket of a literal or an operation of arrays, and the name before it.
    fn build(&mut self, form: Builder) -> Result<Next, Reported> {
        let building = Building::new(self.c, form);
        let opener = building.opener();
        while self.c.at <= opener {
            self.c.advance();
        }
        if self.c.peek() == closer(self.c.kind(opener)) {
            let made = building.finish(self.c);
            self.c.advance();
            return self.value(made);
        }
        self.stacks.building.push(building);
        self.stacks.waiting.push(Waiting::Build { opener });
        Ok(Next::Operand)
    }

    /// Reads the name of an operation with a function, and the bracket after it.
    fn apply(&mut self, operation: Operation) -> Result<Next, Reported> {
        if operation == Operation::Print && !self.is_statement() {
            let error = functional_errors::print_as_value(self.c.span(self.c.at));
            self.c.report(error);
        }
        let application = Application::new(self.c, operation);
        let opener = self.c.at + 1;
        self.c.advance();
        self.c.advance();
        if self.c.peek() == closer(self.c.kind(opener)) {
            let made = application.finish(self.c);
            self.c.advance();
            return self.value(made);
        }
        self.stacks.applying.push(application);
        self.stacks.waiting.push(Waiting::Apply { opener });
        Ok(Next::Operand)
    }

    /// Returns whether a function can begin here: directly in the bracket of an operation that takes one.
    fn wants_function(&self) -> bool {
        matches!(self.stacks.waiting.last(), Some(Waiting::Apply { .. }))
            && self.stacks.applying.last().is_some_and(Application::wants_function)
    }

    /// Pushes a function as an operand. Its last token was read.
    fn function(&mut self, first: usize, callee: Callee) -> Result<Next, Reported> {
        let (start, last) = (self.c.program.forest.len(), self.c.at - 1);
        self.stacks.callees.push(callee);
        self.value(Operand { start, ty: ERROR, form: Form::Function, first, last })
    }

    /// Reads a section.
    fn section(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        if !self.wants_function() {
            let error = functional_errors::function_as_value(self.c.span_between(token, token + 2));
            return Err(self.c.report(error));
        }
        let Some(operator) = section_operator(self.c) else { return Err(Reported) };
        let section = Callee::section(self.c, operator);
        self.function(token, section)
    }

    /// Reads the name of a function as an argument.
    fn named_function(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        let name = self.c.tokens.value[token];
        let Some(id) = self.c.program.functions.get(name).copied() else {
            if self.c.program.variables.get(name).is_some() {
                return self.name();
            }
            foreign::unknown_function(self.c);
            return self.name_of_error();
        };
        let callee = match Operation::of(id) {
            Some(Operation::Short(Shorthand::Min)) => Callee::extreme(self.c, kind::LT),
            Some(Operation::Short(Shorthand::Max)) => Callee::extreme(self.c, kind::GT),
            None if is_argument(id) => {
                let named = Callee::named(self.c, id);
                return self.function(token, named);
            }
            _ => {
                let error = functional_errors::operation_as_argument(self.c.span(token), self.c.word(token));
                self.c.report(error);
                return self.name_of_error();
            }
        };
        self.c.advance();
        self.function(token, callee)
    }

    /// Pushes the next token, a name that was reported.
    fn name_of_error(&mut self) -> Result<Next, Reported> {
        let name = leaf(self.c, kind::NAME, ERROR, 0);
        self.value(name)
    }

    /// Reads `fn[x: T]: U =`.
    fn lambda(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        if !self.wants_function() {
            return Err(self.c.report(functional_errors::function_as_value(self.c.span(token))));
        }
        self.c.advance();
        let scope = self.c.program.variables.open();
        let start = self.c.program.forest.len();
        let head = self.lambda_head(token);
        let ty = head.inspect_err(|_| self.c.program.variables.close(scope, |_, _| {}))?;
        let types = self.c.program.forest.ty[start as usize..].to_vec();
        let callee = Callee::lambda(start, (token, self.c.at - 1), types, ty);
        self.stacks.callees.push(callee);
        self.lambdas += 1;
        self.wait(Waiting::Lambda { token, ty, parameters: scope })
    }

    /// Reads the parameters of a lambda and the type of its value. The next token is the `=` then.
    fn lambda_head(&mut self, token: usize) -> Result<u8, Reported> {
        let start = self.c.program.forest.len() as usize;
        let sizes = parameters(self.c)?;
        refuse_sizes(self.c, sizes.into_iter().map(|size| size.size), "a lambda");
        let forest = &mut self.c.program.forest;
        if forest.data[start..].iter().any(|&data| data != 0) {
            forest.data[start..].fill(0);
            let error = functional_errors::unique_in_lambda(self.c.span_from(token));
            self.c.report(error);
        }
        if self.c.peek() != Token::Colon {
            return Err(self.c.unexpected_with("`:` and a type", functional_errors::untyped_lambda));
        }
        self.c.advance();
        let ty = self.c.value_type("the value of a lambda")?;
        self.c.no_sizes("a lambda");
        if self.c.peek() != Token::Assign {
            return Err(self.c.unexpected_with("`=` and the value of the lambda", |error| error));
        }
        Ok(ty)
    }

    /// Completes a lambda, whose value was read.
    fn end_of_lambda(&mut self) -> Result<Next, Reported> {
        if !matches!(self.c.peek(), Token::Comma | Token::RightBracket) {
            return Err(self.c.unexpected("`,`, `]` or an operator"));
        }
        let value = self.pop()?;
        let Some(Waiting::Lambda { token, ty, parameters }) = self.stacks.waiting.pop() else { return Err(Reported) };
        self.lambdas -= 1;
        check_type(self.c, &value, "the value of the lambda", ty);
        self.c.program.close_variables(parameters);
        let callee = self.stacks.callees.last_mut().ok_or(Reported)?;
        let start = callee.complete(self.c, ty, token);
        self.value(Operand { start, ty: ERROR, form: Form::Function, first: token, last: value.last })
    }

    /// Reports a declaration in a lambda. `token` is its first token.
    fn check_declaration(&mut self, token: usize) {
        if self.lambdas > 0 {
            self.c.report(functional_errors::declaration_in_lambda(self.c.span(token)));
        }
    }

    /// Reads the name of a variable and the `[` after it.
    fn indexed_name(&mut self) -> Result<Next, Reported> {
        let is_update = self.is_statement() && is_update(self.c);
        let name = self.c.tokens.value[self.c.at];
        let Some(variable) = self.c.program.variables.get(name) else { return Err(Reported) };
        variable.assigned |= is_update;
        variable.read |= !is_update;
        let variable = *variable;
        if is_update && self.c.program.types.is_array(variable.ty) {
            check_assignable(self.c, variable);
        }
        let array = leaf(self.c, kind::NAME, variable.ty, variable.node);
        self.stacks.operands.push(array);
        self.indices(if is_update { User::Update } else { User::Value })
    }

    /// Reads the `[` of the indices of the last operand.
    fn indices(&mut self, user: User) -> Result<Next, Reported> {
        let opener = self.c.at;
        self.c.advance();
        if self.c.peek() == Token::RightBracket {
            return self.indexed(opener, Indices::default(), user);
        }
        self.stacks.waiting.push(Waiting::Index { opener, indices: Indices::default(), user });
        Ok(Next::Operand)
    }

    /// Reads the `..` after the lower bound of a range, which is the last operand.
    fn range(&mut self) -> Result<Next, Reported> {
        let (token, low) = (self.c.at, self.pop()?);
        check_type(self.c, &low, "a bound of a slice", ty::INT);
        self.wait(Waiting::Range { token, start: low.start, first: low.first })
    }

    /// Reads `..` where an index begins.
    fn range_without_start(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        if matches!(self.c.kind(token + 1), Token::Comma | Token::RightBracket) {
            let all = leaf(self.c, kind::ALL, ty::VOID, 0);
            return self.value(Operand { ty: ERROR, form: Form::Range, ..all });
        }
        let start = self.c.program.forest.len();
        push(self.c, kind::LITERAL, ty::INT, 0, token, start);
        self.wait(Waiting::Range { token, start, first: token })
    }

    /// Completes a range without an upper bound.
    fn range_without_end(&mut self) -> Result<Next, Reported> {
        let Some(Waiting::Range { token, start, first }) = self.stacks.waiting.pop() else { return Err(Reported) };
        let end = self.c.program.forest.len();
        push(self.c, kind::LITERAL, ty::INT, 0, token, end);
        push(self.c, kind::RANGE, ty::VOID, 1, token, start);
        self.value(Operand { start, ty: ERROR, form: Form::Range, first, last: token })
    }

    /// Completes a range, whose upper bound was read.
    fn end_of_range(&mut self) -> Result<Next, Reported> {
        if !matches!(self.c.peek(), Token::Comma | Token::RightBracket) {
            return Err(self.c.unexpected("`,`, `]` or an operator"));
        }
        let high = self.pop()?;
        check_type(self.c, &high, "a bound of a slice", ty::INT);
        let Some(Waiting::Range { token, start, first }) = self.stacks.waiting.pop() else { return Err(Reported) };
        push(self.c, kind::RANGE, ty::VOID, 0, token, start);
        self.value(Operand { start, ty: ERROR, form: Form::Range, first, last: high.last })
    }

    /// Makes the node of the last operand with some indices. The next token is the `]`. Of the target of an update, the node
    /// is made after its value.
    fn indexed(&mut self, opener: usize, indices: Indices, user: User) -> Result<Next, Reported> {
        let base = self.pop()?;
        let mut ty = type_of_element(self.c, &base, indices);
        if indices.count == 0 && ty != ERROR {
            self.c.report(no_index(self.c.span_between(opener, self.c.at)));
            ty = ERROR;
        }
        match user {
            User::Value => {}
            User::Update => {
                self.c.advance();
                return self.wait(Waiting::Update { ty, indices, token: base.first, start: base.start });
            }
            User::Target => return self.indexed_target(indices, ty),
        }
        let element = index(self.c, &base, indices, ty);
        self.c.advance();
        self.value(element)
    }

    /// Reads `if[`.
    fn choice(&mut self) -> Result<Next, Reported> {
        let (token, start) = (self.c.at, self.c.program.forest.len());
        self.c.advance();
        self.c.advance();
        if self.c.peek() == Token::RightBracket {
            self.c.report(errors::choice_parts(self.c.span_between(token, self.c.at), 0));
            let made = choose(self.c, token, start, None);
            self.c.advance();
            return self.value(made);
        }
        self.choices += 1;
        self.stacks.waiting.push(Waiting::Choose { token, start, count: 0, then: None });
        Ok(Next::Operand)
    }

    /// Reads `T(`, or reports a declaration that begins with a type.
    fn cast(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        let mut ty = type_of(self.c.peek()).unwrap_or(ERROR);
        if self.c.kind(token + 1) == Token::Name && self.may_assign() {
            self.check_declaration(token);
            let known = foreign::declaration(self.c, Some(ty));
            return self.declaration(known);
        }
        if ty == ty::VOID {
            self.c.report(errors::cast_to_void(self.c.span(token)));
            ty = ERROR;
        }
        self.c.advance();
        if self.c.peek() == Token::LeftBracket {
            let help = help_for_type(self.c.word(token));
            return Err(self.c.unexpected_with("`(`", |error| error.help(help)));
        }
        self.c.expect(Token::LeftParen)?;
        self.stacks.waiting.push(Waiting::Cast { ty, token });
        Ok(Next::Operand)
    }

    /// Reads `x: T`, `x: T =` or `x =` after `var`. `known` is the type if the declaration began with it.
    fn declaration(&mut self, known: Option<u8>) -> Result<Next, Reported> {
        let token = self.c.at;
        self.c.expect(Token::Name)?;
        let (mut ty, mut sizes) = (known, Vec::new());
        if self.c.peek() == Token::Colon && self.c.kind(self.c.at + 1) != Token::Assign {
            self.c.advance();
            let found = self.c.value_type("a variable")?;
            ty = Some(found);
            sizes = extents(self.c, found);
        }
        if self.c.peek() == Token::Assign {
            return self.wait(Waiting::Declare { ty, token, sizes });
        }
        match ty {
            Some(_) if known.is_some() && self.c.peek() == Token::LeftBracket => Err(Reported),
            Some(ty) if sizes.is_empty() => {
                let declared = declare_zero(self.c, ty, token);
                self.value(declared)
            }
            Some(ty) => {
                let zeros = zeros(self.c, &sizes, ty, token);
                let declared = declare(self.c, Some(ty), token, zeros);
                self.value(Operand { form: Form::Declared, ..declared })
            }
            None if self.c.peek() == Token::Colon => Err(self.not_a_type()),
            None => {
                let name = (self.c.peek() == Token::LeftBracket).then(|| self.c.word(token));
                Err(self.c.unexpected_with("`=` and a value, or `:` and a type", |error| match name {
                    Some(name) => brackets_after_name(error, name),
                    None => error,
                }))
            }
        }
    }

    /// Reads an operator after an operand, a closing bracket or a comma.
    fn operator(&mut self) -> Result<Next, Reported> {
        let token = self.c.peek();
        if let Some((kind, level)) = token.operator() {
            self.reduce(level)?;
            if self.stacks.operands.last().is_some_and(|operand| matches!(operand.form, Form::Typed | Form::Declared)) {
                self.c.report(errors::operator_after_type(self.c.span(self.c.at), token));
            }
            return self.wait(Waiting::Binary { kind: kind.code(), level, token: self.c.at });
        }
        match token {
            Token::Assign => {
                self.reduce(level::OR)?;
                let operand = self.pop()?;
                if operand.ty == ERROR {
                    return Err(Reported);
                }
                let span = self.c.span_between(operand.first, operand.last);
                Err(self.c.report(errors::not_assignable(span.clone(), self.c.source(span))))
            }
            Token::Colon => {
                self.reduce(level::OR)?;
                self.ascription()
            }
            Token::LeftBracket if self.is_indexable() => self.indices(User::Value),
            Token::Dot => self.field(),
            Token::LeftBracket if type_of(self.c.kind(self.c.at - 1)).is_some() => {
                let help = help_for_type(self.c.word(self.c.at - 1));
                Err(self.c.unexpected_with("`;` or an operator", |error| error.help(help)))
            }
            _ => {
                self.reduce(level::ASSIGNMENT)?;
                match self.stacks.waiting.last() {
                    Some(Waiting::Lambda { .. }) => return self.end_of_lambda(),
                    Some(Waiting::Range { .. }) => return self.end_of_range(),
                    Some(Waiting::Index { .. }) if token == Token::Dots => return self.range(),
                    _ => {}
                }
                match (token, self.stacks.waiting.last()) {
                    (Token::Name, _) if foreign::operator_word(self.c) => Err(Reported),
                    (_, None) => Ok(Next::End),
                    (Token::RightParen | Token::RightBracket, Some(_)) => self.close(),
                    (Token::Comma, Some(&Waiting::Group { token })) => self.first_part(token),
                    (Token::Comma, Some(waiting)) if waiting.has_elements() => {
                        self.element()?;
                        self.c.advance();
                        Ok(Next::Operand)
                    }
                    _ => Err(self.unclosed_bracket()),
                }
            }
        }
    }

    /// Returns whether the last operand can have indices. The next token is a `[`.
    fn is_indexable(&self) -> bool {
        let last = self.c.at - 1;
        let is_field = self.c.kind(last) == Token::Name && last > 0 && self.c.kind(last - 1) == Token::Dot;
        (is_field || matches!(self.c.kind(last), Token::RightBracket | Token::RightParen))
            && self.stacks.operands.last().is_some_and(|operand| operand.form == Form::Any)
    }

    /// Reads `: T` after an operand.
    fn ascription(&mut self) -> Result<Next, Reported> {
        let token = self.c.at;
        if self.stacks.operands.last().is_some_and(|operand| operand.form == Form::Declared) {
            return Err(self.c.report(errors::second_type(self.c.span(token))));
        }
        if !begins_type(self.c.kind(token + 1)) && !self.c.is_type_name(token + 1) {
            return Err(self.not_a_type());
        }
        self.c.advance();
        let ty = self.c.any_type("a type")?;
        let operand = self.pop()?;
        if self.c.program.forest.kind.last() == Some(&kind::PRINT) {
            let error = functional_errors::print_as_value(self.c.span(operand.first));
            self.c.report(error);
        }
        let sizes = extents(self.c, ty);
        let typed = ascribe(self.c, ty, token, operand);
        shaped(self.c, &sizes, &Operand { last: operand.last, ..typed });
        self.value(typed)
    }

    /// Reads a closing bracket. The operators inside it are complete.
    fn close(&mut self) -> Result<Next, Reported> {
        let found = self.c.peek();
        let opener = match self.stacks.waiting.last() {
            Some(Waiting::Call { token, .. } | Waiting::Choose { token, .. } | Waiting::Struct { token, .. }) => {
                self.c.kind(token + 1)
            }
            Some(&Waiting::Build { opener } | &Waiting::Index { opener, .. } | &Waiting::Apply { opener }) => {
                self.c.kind(opener)
            }
            _ => Token::LeftParen,
        };
        if found != closer(opener) {
            return Err(self.unclosed_bracket());
        }
        if self.stacks.waiting.last().is_some_and(Waiting::has_elements) {
            self.element()?;
        }
        let closed = match self.stacks.waiting.pop() {
            Some(Waiting::Call { id, token, start, count }) => call(self.c, id, token, start, count),
            Some(Waiting::Choose { token, start, count, then }) => {
                self.choices -= 1;
                if count != PARTS {
                    self.c.report(errors::choice_parts(self.c.span_between(token, self.c.at), count));
                }
                choose(self.c, token, start, then)
            }
            Some(Waiting::Build { .. }) => self.stacks.building.pop().ok_or(Reported)?.finish(self.c),
            Some(Waiting::Apply { .. }) => self.stacks.applying.pop().ok_or(Reported)?.finish(self.c),
            Some(Waiting::Index { opener, indices, user }) => return self.indexed(opener, indices, user),
            Some(Waiting::Struct { ty, token, start, count }) => record(self.c, ty, token, start, count),
            Some(Waiting::Tuple { token, start, parts }) => {
                let made = tuple(self.c, token, start, &self.stacks.parts[parts..]);
                self.stacks.parts.truncate(parts);
                made
            }
            Some(Waiting::Cast { ty, token }) => {
                let operand = self.pop()?;
                cast(self.c, ty, token, operand)
            }
            Some(Waiting::Group { token }) => Operand { form: Form::Any, first: token, last: self.c.at, ..self.pop()? },
            _ => return Err(Reported),
        };
        self.c.advance();
        self.value(closed)
    }

    /// Takes the last operand as an argument of the waiting call, or as a part of the waiting conditional expression.
    fn element(&mut self) -> Result<(), Reported> {
        let operand = self.pop()?;
        match self.stacks.waiting.last_mut() {
            Some(Waiting::Call { id, count, .. }) => {
                argument(self.c, *id, *count, operand);
                *count += 1;
            }
            Some(Waiting::Choose { count, then, .. }) => {
                let made = part(self.c, *count, then.as_ref(), operand);
                if *count == 1 {
                    *then = Some(made);
                }
                *count += 1;
            }
            Some(Waiting::Build { .. }) => {
                self.stacks.building.last_mut().ok_or(Reported)?.part(self.c, operand);
            }
            Some(Waiting::Apply { .. }) => {
                let callee = if operand.form == Form::Function { self.stacks.callees.pop() } else { None };
                self.stacks.applying.last_mut().ok_or(Reported)?.part(self.c, operand, callee);
            }
            Some(Waiting::Index { indices, .. }) => {
                indices.count += 1;
                match operand.form {
                    Form::Range => indices.ranges += 1,
                    _ => check_index(self.c, &operand),
                }
            }
            Some(Waiting::Struct { ty, count, .. }) => {
                check_field(self.c, *ty, *count, operand);
                *count += 1;
            }
            Some(Waiting::Tuple { .. }) => {
                let ty = part_of_tuple(self.c, operand);
                self.stacks.parts.push(ty);
            }
            _ => return Err(Reported),
        }
        Ok(())
    }

    /// Makes the nodes of waiting operators with at most the given level.
    fn reduce(&mut self, level: u8) -> Result<(), Reported> {
        while self.stacks.waiting.last().is_some_and(|waiting| waiting.level() <= level) {
            let operand = self.pop()?;
            let made = match self.stacks.waiting.pop() {
                Some(Waiting::Binary { kind, token, .. }) => {
                    let left = self.pop()?;
                    binary(self.c, kind, token, left, operand)
                }
                Some(Waiting::Prefix { kind, token }) => prefix(self.c, kind, token, operand),
                Some(Waiting::Assign { node, ty, token }) => assign(self.c, node, ty, token, operand),
                Some(Waiting::Update { ty, indices, token, start }) => {
                    update(self.c, ty, indices, token, start, operand)
                }
                Some(Waiting::AssignField(field)) => assign_field(self.c, field, operand),
                Some(Waiting::Declare { ty, token, sizes }) => {
                    if ty == Some(operand.ty) {
                        shaped(self.c, &sizes, &operand);
                    }
                    declare(self.c, ty, token, operand)
                }
                Some(Waiting::Destructure { token, count }) => destructure(self.c, token, count, operand),
                _ => return Err(Reported),
            };
            self.stacks.operands.push(made);
        }
        Ok(())
    }
}

/// Returns the bracket that closes another.
fn closer(opener: Token) -> Token {
    if opener == Token::LeftBracket { Token::RightBracket } else { Token::RightParen }
}

/// Errors.
impl Expression<'_, '_> {
    /// Reports a bracket that is open where the expression ends, or where another bracket closes.
    fn unclosed_bracket(&mut self) -> Reported {
        let (opener, is_call) = match self.stacks.waiting.last() {
            Some(&Waiting::Group { token }) => (token, false),
            Some(&Waiting::Cast { token, .. }) => (token + 1, false),
            Some(&Waiting::Call { token, .. } | &Waiting::Choose { token, .. } | &Waiting::Struct { token, .. }) => {
                (token + 1, true)
            }
            Some(&Waiting::Tuple { token, .. }) => (token, true),
            Some(&Waiting::Build { opener } | &Waiting::Index { opener, .. } | &Waiting::Apply { opener }) => {
                (opener, true)
            }
            _ => return self.c.unexpected("`;` or an operator"),
        };
        let comma = if is_call { "`,`, " } else { "" };
        let expected = format!("{comma}`{}` or an operator", closer(self.c.kind(opener)).spelling());
        let open = self.c.span(opener);
        self.c.unexpected_with(&expected, |error| errors::unclosed_bracket(error, open))
    }

    /// Reports `:` without a type. The next token is the `:`.
    fn not_a_type(&mut self) -> Reported {
        self.c.advance();
        self.c.unexpected_with("a type", errors::not_a_type)
    }

    /// Reports that an operand is missing before the next token, which may be part of an operator like `+=` or `++`.
    fn missing_operand(&mut self) -> Result<Next, Reported> {
        let at = self.c.at;
        // `--x` is a double negation. Only a missing operand shows that `--` was meant as an operator.
        let after_minus = at > 1 && self.c.kind(at - 1) == Token::Minus && self.c.kind(at - 2) == Token::Minus;
        let pairs = [(at > 0).then(|| at - 1), Some(at), after_minus.then(|| at - 2)];
        for first in pairs.into_iter().flatten() {
            if !self.c.touches_next(first) || !foreign::operator(self.c, first) {
                continue;
            }
            while self.c.at < first + 2 {
                self.c.advance();
            }
            let ends = matches!(self.c.peek(), Token::Semicolon | Token::RightParen | Token::RightBracket);
            return if ends || first + 2 == at { Err(Reported) } else { Ok(Next::Operand) };
        }
        let help = errors::help_for_operand(self.c.peek());
        Err(self.c.unexpected_with("an expression", |error| error.maybe_help(help)))
    }

    /// Reads an undeclared name as a form of another language, which is reported. Returns `None` for any other name.
    fn foreign_start(&mut self) -> Result<Option<Next>, Reported> {
        let token = self.c.at;
        let begins_statement = self.stacks.operands.is_empty() && self.stacks.waiting.is_empty();
        match foreign::start(self.c, self.may_assign(), begins_statement)? {
            Start::Name => Ok(None),
            Start::Not => self.wait(Waiting::Prefix { kind: kind::NOT, token }).map(Some),
            Start::Declaration(known) => self.declaration(known).map(Some),
            Start::ShortDeclaration => self.wait(Waiting::Declare { ty: None, token, sizes: Vec::new() }).map(Some),
        }
    }
}
