//! The part of a function before its body: `name[p: T, ..]: T`.

use super::array_errors;
use super::cursor::{Cursor, Reported};
use super::errors;
use super::lexer::Token;
use super::sizes::{ParameterSize, Size};
use super::types::{ERROR, type_of};
use crate::ir::tree::{kind, ty};

/// The part of a function before its body, apart from the nodes of its parameters.
#[derive(Default)]
pub struct Head {
    /// `true` if the result is a unique array.
    pub is_unique: bool,
    /// The sizes of parameters.
    pub parameters: Vec<ParameterSize>,
    /// The sizes of the result.
    pub result: Vec<Size>,
}

/// Reads the tokens after `fn`. Makes the nodes of the parameters and binds them.
pub fn head(c: &mut Cursor<'_>) -> Result<Head, Reported> {
    if c.peek() != Token::Name {
        return Err(c.unexpected("the name of the function"));
    }
    c.advance();
    let mut head = Head { parameters: parameters(c)?, ..Head::default() };
    if c.peek() == Token::Minus && c.kind(c.at + 1) == Token::Gt {
        c.report(errors::arrow(c.span_between(c.at, c.at + 1)));
        c.advance();
    } else if c.peek() != Token::Colon {
        return Ok(head);
    }
    c.advance();
    let (star, is_unique) = (c.at, c.peek() == Token::Star);
    if is_unique {
        c.advance();
    }
    let ty = c.any_type("a type: `int`, `float` or `void`")?;
    check_unique(c, star, is_unique, ty);
    head.is_unique = is_unique;
    head.result = std::mem::take(&mut c.sizes);
    Ok(head)
}

/// Reports a `*` before a type that is not one of arrays. `star` is its index.
fn check_unique(c: &mut Cursor<'_>, star: usize, is_unique: bool, ty: u8) {
    if is_unique && ty != ERROR && !c.program.types.is_array(ty) {
        c.report(array_errors::unique_number(&c.program.types, c.span(star), ty));
    }
}

/// Reads `[p: T, ..]`. Makes the nodes of the parameters and binds them. Returns their sizes.
pub fn parameters(c: &mut Cursor<'_>) -> Result<Vec<ParameterSize>, Reported> {
    let (bracket, mut sizes) = (c.at, Vec::new());
    let closer = if c.peek() == Token::LeftParen {
        c.report(errors::parentheses_of_parameters(c.span(c.at)));
        c.advance();
        Token::RightParen
    } else {
        c.expect(Token::LeftBracket)?;
        Token::RightBracket
    };
    while c.peek() != closer {
        c.sizes.clear();
        let token = c.at;
        parameter(c, closer)?;
        let node = c.program.forest.len() - 1;
        // The extent is the value of a size, or is checked.
        if let Some(variable) = c.program.variables.get(c.tokens.value[token]).filter(|_| !c.sizes.is_empty()) {
            variable.read = true;
        }
        sizes.extend(c.sizes.drain(..).map(|size| ParameterSize { node, size }));
        if c.peek() != Token::Comma {
            break;
        }
        c.advance();
        if c.peek() == closer {
            return Err(c.unexpected("a parameter"));
        }
    }
    if c.peek() != closer {
        let (open, expected) = (c.span(bracket), format!("`,` or `{}`", closer.spelling()));
        return Err(c.unexpected_with(&expected, |error| error.other(open, "the parameters begin here")));
    }
    c.advance();
    Ok(sizes)
}

/// Reads `p: T`. A malformed type is skipped, so that the parameter is declared all the same.
fn parameter(c: &mut Cursor<'_>, closer: Token) -> Result<(), Reported> {
    if type_of(c.peek()).is_some() && matches!(c.kind(c.at + 1), Token::Name | Token::LeftBracket) {
        return type_first(c);
    }
    let token = c.at;
    c.expect(Token::Name)?;
    let mut is_unique = false;
    let is_array = matches!(c.kind(c.at + 1), Token::LeftBracket | Token::LeftParen | Token::Star);
    let ty = c.expect(Token::Colon).and_then(|()| type_of_parameter(c, &mut is_unique)).unwrap_or_else(|Reported| {
        c.skip_to(|token| {
            token == closer || matches!(token, Token::Comma | Token::LeftBrace | Token::Semicolon | Token::Fn)
        });
        ERROR
    });
    let (bracket, element) = (c.at, c.at - 1);
    if type_of(c.kind(element)).is_some() && skip_brackets(c) {
        c.report(errors::array_type(c.span_from(bracket), c.word(element)));
    }
    bind(c, token, ty, is_unique);
    match c.peek() {
        Token::Comma => Ok(()),
        next if next == closer => Ok(()),
        // A malformed type of arrays ends the list, and was reported.
        _ if is_array && ty == ERROR => Err(Reported),
        _ => Ok(()),
    }
}

/// Reports `int x`, `int x[]` or `int[] x`, and binds the parameter. The next token is the type.
fn type_first(c: &mut Cursor<'_>) -> Result<(), Reported> {
    let first = c.at;
    let ty = type_of(c.peek()).unwrap_or(ERROR);
    c.advance();
    let mut is_array = skip_brackets(c);
    let name = c.at;
    c.expect(Token::Name)?;
    is_array |= skip_brackets(c);
    let element = c.word(first);
    let text = if is_array { format!("[{element}]") } else { element.to_string() };
    c.report(errors::type_before_parameter(c.span_from(first), &text, c.word(name)));
    bind(c, name, if is_array { ERROR } else { ty }, false);
    Ok(())
}

/// Skips `[]` or `[n]`. Returns whether there was one.
fn skip_brackets(c: &mut Cursor<'_>) -> bool {
    let last = c.at + 1 + usize::from(c.kind(c.at + 1) == Token::Int);
    let is_pair = c.peek() == Token::LeftBracket && c.kind(last) == Token::RightBracket;
    while is_pair && c.at <= last {
        c.advance();
    }
    is_pair
}

/// Reads the type of a parameter, and the `*` of a unique array before it.
fn type_of_parameter(c: &mut Cursor<'_>, is_unique: &mut bool) -> Result<u8, Reported> {
    let star = c.at;
    *is_unique = c.peek() == Token::Star;
    if *is_unique {
        c.advance();
    }
    let ty = c.value_type("a parameter")?;
    check_unique(c, star, *is_unique, ty);
    Ok(ty)
}

fn bind(c: &mut Cursor<'_>, token: usize, ty: u8, is_unique: bool) {
    let (name, pos) = (c.tokens.value[token], c.tokens.start[token]);
    let forest = &mut c.program.forest;
    let ty_of_node = if ty == ty::VOID { ERROR } else { ty };
    let node = forest.push(kind::PARAM, ty_of_node, u32::from(is_unique), pos, forest.len());
    c.program.bind_variable(name, node, ty, pos);
}
