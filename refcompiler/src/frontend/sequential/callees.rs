//! Functions as arguments: lambdas, names and sections like `(+)`. Each becomes a LAMBDA. The types in a section are known when
//! the operation around it ends, and are written into its nodes then.

use super::arrays::Builder;
use super::cursor::Cursor;
use super::functional_errors as errors;
use super::lexer::Token;
use super::operations::{self, Operand, binary_type, push, span};
use super::types::{ERROR, agree};
use crate::ir::builtins::{ANY, operation};
use crate::ir::tree::{kind, runtime, ty};

/// A function as an argument, with its nodes.
#[derive(Clone, Debug)]
pub struct Callee {
    /// The first node.
    start: u32,
    /// The LAMBDA.
    end: u32,
    /// The indices of the first and the last token; of a lambda, of its head.
    tokens: (usize, usize),
    /// The types of the parameters, [`ERROR`] where they are not known yet; `None` if they could not be read.
    parameters: Option<Vec<u8>>,
    /// The type of the result.
    result: u8,
    /// The form.
    form: Form,
}

/// The facts that the types of a function depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Nothing: they are declared.
    Typed,
    /// The types of the operands of this operator.
    Section(Token),
    /// One type of numbers, which all nodes without a type get.
    Generic,
}

/// Returns the operator of the section that begins with the next token, if one does.
pub fn section_operator(c: &Cursor<'_>) -> Option<Token> {
    let operator = c.kind(c.at + 1);
    let is_section = c.peek() == Token::LeftParen && c.kind(c.at + 2) == Token::RightParen;
    (is_section && operator.operator().is_some()).then_some(operator)
}

/// Adds a leaf whose position is the next token's.
pub fn add_leaf(c: &mut Cursor<'_>, kind: u8, ty: u8, data: u32) -> u32 {
    let start = c.program.forest.len();
    push(c, kind, ty, data, c.at, start)
}

impl Callee {
    /// Returns a lambda whose value follows. `tokens` are the first and the last token of its head.
    pub fn lambda(start: u32, tokens: (usize, usize), parameters: Vec<u8>, result: u8) -> Callee {
        Callee { start, end: start, tokens, parameters: Some(parameters), result, form: Form::Typed }
    }

    /// Makes the LAMBDA of a lambda, whose value is complete. Returns its first node.
    pub fn complete(&mut self, c: &mut Cursor<'_>, ty: u8, token: usize) -> u32 {
        self.end = push(c, kind::LAMBDA, ty, 0, token, self.start);
        self.start
    }

    /// Reads a section.
    pub fn section(c: &mut Cursor<'_>, operator: Token) -> Callee {
        let (first, start) = (c.at, c.program.forest.len());
        c.advance();
        for kind in [kind::PARAM, kind::NAME] {
            for k in 0..2 {
                add_leaf(c, kind, ERROR, if kind == kind::NAME { start + k } else { 0 });
            }
        }
        if let Some((kind, _)) = operator.operator() {
            push(c, kind.code(), ERROR, 0, c.at, start + 2);
        }
        let end = push(c, kind::LAMBDA, ERROR, 0, c.at, start);
        c.advance();
        c.advance();
        let (tokens, form) = ((first, first + 2), Form::Section(operator));
        Callee { start, end, tokens, parameters: Some(vec![ERROR; 2]), result: ERROR, form }
    }

    /// Reads the name of a function.
    pub fn named(c: &mut Cursor<'_>, id: u32) -> Callee {
        let (token, start) = (c.at, c.program.forest.len());
        let callable = &mut c.program.callables[id as usize];
        let operation = operation(id);
        callable.used |= !callable.open && operation.is_none();
        let (parameters, result) = (callable.parameters.clone(), callable.result);
        let form = if result == ANY { Form::Generic } else { Form::Typed };
        let types: Vec<u8> =
            parameters.iter().flatten().map(|&parameter| if parameter == ANY { ERROR } else { parameter }).collect();
        let result = if result == ANY { ERROR } else { result };
        for &ty in &types {
            add_leaf(c, kind::PARAM, ty, 0);
        }
        let call = c.program.forest.len();
        for (k, &ty) in types.iter().enumerate() {
            let read = add_leaf(c, kind::NAME, ty, start + k as u32);
            let (kind, data) = if operation.is_some() { (kind::ASCRIBE, 0) } else { (kind::ARG, k as u32) };
            push(c, kind, ty, data, c.at, read);
        }
        match operation {
            Some(kind) => push(c, kind.code(), result, 0, c.at, call),
            None => push(c, kind::CALL, result, id, c.at, call),
        };
        let end = push(c, kind::LAMBDA, result, 0, c.at, start);
        c.advance();
        Callee { start, end, tokens: (token, token), parameters: parameters.map(|_| types), result, form }
    }

    /// Returns the lesser or the greater of two numbers: the name `min` or `max`, which is the next token. `kind` is LT or GT.
    pub fn extreme(c: &mut Cursor<'_>, kind: u8) -> Callee {
        let start = add_leaf(c, kind::PARAM, ERROR, 0);
        add_leaf(c, kind::PARAM, ERROR, 0);
        let test = add_leaf(c, kind::NAME, ERROR, start);
        add_leaf(c, kind::NAME, ERROR, start + 1);
        push(c, kind, ty::INT, 0, c.at, test);
        push(c, kind::TEST, ty::INT, 0, c.at, test);
        for (part, k) in [(kind::THEN, 0), (kind::OTHERWISE, 1)] {
            let read = add_leaf(c, kind::NAME, ERROR, start + k);
            push(c, part, ERROR, 0, c.at, read);
        }
        push(c, kind::CHOOSE, ERROR, 0, c.at, test);
        Callee::generic(c, start)
    }

    /// Completes a function of two parameters of one type, which is not known yet.
    pub fn generic(c: &mut Cursor<'_>, start: u32) -> Callee {
        let end = push(c, kind::LAMBDA, ERROR, 0, c.at, start);
        let (tokens, parameters) = ((c.at, c.at), Some(vec![ERROR; 2]));
        Callee { start, end, tokens, parameters, result: ERROR, form: Form::Generic }
    }

    /// Returns the LAMBDA.
    pub fn node(&self) -> u32 {
        self.end
    }

    /// Removes the nodes, which are the last of the forest. Only the types are checked then.
    pub fn remove_nodes(&mut self, c: &mut Cursor<'_>) {
        while c.program.forest.len() > self.start {
            c.program.forest.pop();
        }
        self.end = self.start;
    }

    /// Returns the function as an operand with a type, for messages.
    fn operand(&self, ty: u8) -> Operand {
        let (first, last) = self.tokens;
        Operand { start: self.start, ty, form: operations::Form::Any, first, last }
    }

    /// Checks that the function takes arguments of some types. Returns the type of its result.
    pub fn apply(&self, c: &mut Cursor<'_>, operation: usize, arguments: &[u8]) -> u8 {
        let here = span(c, &self.operand(ERROR));
        let Some(parameters) = &self.parameters else { return self.result };
        if parameters.len() != arguments.len() {
            c.report(errors::wrong_arity(&c.program.types, here, c.word(operation), arguments, parameters.len()));
            return ERROR;
        }
        match self.form {
            Form::Typed => {
                let wrong = (0..arguments.len()).find(|&k| !agree(parameters[k], arguments[k]));
                if let Some(k) = wrong {
                    c.report(errors::wrong_parameter(&c.program.types, here, k, arguments[k], parameters[k]));
                    return ERROR;
                }
                if self.result == ty::VOID {
                    c.report(errors::no_result(here));
                    return ERROR;
                }
                self.result
            }
            _ if arguments.contains(&ERROR) => ERROR,
            Form::Section(operator) => {
                let Some((kind, _)) = operator.operator() else { return ERROR };
                let [left, right] = [0, 1].map(|k| self.operand(arguments[k]));
                let result = binary_type(c, kind.code(), operator, left, right);
                let data = operations::data_of_operator(c, result, self.tokens.0 + 1);
                self.set_types(c, &[arguments[0], arguments[1], arguments[0], arguments[1], result, result], data);
                result
            }
            Form::Generic => {
                let number = arguments[0];
                if let Some(&other) = arguments.iter().find(|&&ty| !matches!(ty, ty::INT | ty::FLOAT) || ty != number) {
                    c.report(errors::numbers_needed(&c.program.types, here, c.word(self.tokens.0), other));
                    return ERROR;
                }
                self.set_type(c, number);
                number
            }
        }
    }

    /// Checks that the function takes arguments of some types and has a result of some type. Returns this type.
    pub fn apply_to(&self, c: &mut Cursor<'_>, operation: usize, arguments: &[u8], expected: u8) -> u8 {
        let result = self.apply(c, operation, arguments);
        if !agree(expected, result) {
            let here = span(c, &self.operand(ERROR));
            c.report(errors::wrong_result(&c.program.types, here, c.word(operation), expected, result));
            return ERROR;
        }
        expected
    }

    /// Gives all nodes of a section their types, and the operator its data.
    fn set_types(&self, c: &mut Cursor<'_>, types: &[u8], data: u32) {
        if self.end > self.start {
            c.program.forest.data[self.end as usize - 1] = data;
            c.program.forest.ty[self.start as usize..=self.end as usize].copy_from_slice(types);
        }
    }

    /// Gives all nodes without a type one.
    pub fn set_type(&self, c: &mut Cursor<'_>, ty: u8) {
        if self.end > self.start {
            let types = &mut c.program.forest.ty[self.start as usize..=self.end as usize];
            types.iter_mut().filter(|ty| **ty == ERROR).for_each(|node| *node = ty);
        }
    }
}

/// Returns whether a function can be an argument by its name: not one that makes arrays or reads their sizes.
pub fn is_argument(id: u32) -> bool {
    !(runtime::ARRAYS..runtime::NAMED_ARRAYS_END).contains(&id) && Builder::of(id).is_none()
}
