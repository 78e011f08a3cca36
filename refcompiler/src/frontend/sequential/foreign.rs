//! Forms of other languages in expressions, and unknown names: they are recognised to be reported well.

use super::advice;
use super::cursor::{Cursor, Reported};
use super::errors;
use super::lexer::Token;
use super::struct_errors;
use super::types::{ERROR, type_of};
use crate::ir::tree::ty;

/// The form that an undeclared name begins. All but `Name` were reported.
pub enum Start {
    /// A name that the program should have declared.
    Name,
    /// `not`: the next token is the word.
    Not,
    /// A declaration without `var`, and its type if it has one. The next token is the name of the variable.
    Declaration(Option<u8>),
    /// `x := e`: the next token is the `=`.
    ShortDeclaration,
}

/// Recognises the form that begins with the next token, an undeclared name.
pub fn start(c: &mut Cursor<'_>, may_assign: bool, begins_statement: bool) -> Result<Start, Reported> {
    let (token, word) = (c.at, c.word(c.at));
    let next = c.kind(token + 1);
    if word == "not" && matches!(next, Token::Name | Token::Int | Token::LeftParen) {
        operator_word(c);
        return Ok(Start::Not);
    }
    if !may_assign {
        return Ok(Start::Name);
    }
    if let Token::Name | Token::IntType | Token::FloatType = next
        && (advice::declares_variable(word) || advice::is_foreign_type(word) || c.is_struct(token))
    {
        let known = c.program.types.named(c.tokens.value[token]);
        let known = known.or(advice::is_foreign_type(word).then_some(ERROR));
        return Ok(Start::Declaration(declaration(c, known)));
    }
    if next == Token::Colon && c.touches_next(token + 1) && operator(c, token + 1) {
        c.advance();
        c.advance();
        return Ok(Start::ShortDeclaration);
    }
    // A name that an operator follows is a variable. A call may be a misspelt `while (..) {`.
    let is_alone = matches!(
        next,
        Token::Name
            | Token::Int
            | Token::Float
            | Token::Malformed
            | Token::Semicolon
            | Token::LeftBrace
            | Token::RightBrace
            | Token::LeftParen
    );
    if !begins_statement || !is_alone {
        return Ok(Start::Name);
    }
    if let Some((help, has_block)) = advice::foreign_statement(word) {
        let reported = c.report(errors::foreign_statement(c.span(token), word, help));
        if has_block && !matches!(next, Token::Semicolon | Token::RightBrace) {
            c.skip_to(|token| matches!(token, Token::LeftBrace | Token::RightBrace | Token::Fn));
        }
        return Err(reported);
    }
    if word == "struct" && next == Token::Name {
        let reported = c.report(struct_errors::inside_function(c.span(token)));
        c.skip_to(|token| matches!(token, Token::RightBrace | Token::Fn));
        if c.peek() == Token::RightBrace {
            c.advance();
        }
        return Err(reported);
    }
    match advice::similar_keyword(word) {
        Some(keyword) if c.program.similar_variable(word).or(c.program.similar_function(word)).is_none() => {
            Err(c.report(errors::misspelt_keyword(c.span(token), word, keyword)))
        }
        _ => Ok(Start::Name),
    }
}

/// Reports a declaration without `var`, and moves to the name. Returns the type, if the declaration begins with it.
pub fn declaration(c: &mut Cursor<'_>, mut known: Option<u8>) -> Option<u8> {
    let token = c.at;
    while c.kind(c.at + 1) == Token::Name || type_of(c.kind(c.at + 1)).is_some() {
        known = type_of(c.peek()).or(known);
        c.advance();
    }
    let error = match c.is_struct(token) {
        true => struct_errors::struct_before_name(c.span(token), c.word(token), c.word(c.at)),
        false => errors::foreign_declaration(c.span(token), c.word(token), c.word(c.at)),
    };
    c.report(error);
    known.map(|ty| if ty == ty::VOID { ERROR } else { ty })
}

/// Returns the text of an element `a[..]` before a token.
fn element_before<'a>(c: &Cursor<'a>, token: usize) -> Option<&'a str> {
    let (mut depth, last) = (0, token.checked_sub(1)?);
    for k in (0..token).rev() {
        match c.kind(k) {
            Token::RightBracket => depth += 1,
            Token::LeftBracket => depth -= 1,
            _ if depth == 0 => {
                return (c.kind(k) == Token::Name && k < last).then(|| c.source(c.span_between(k, last)));
            }
            Token::Semicolon | Token::LeftBrace | Token::RightBrace => return None,
            _ => {}
        }
    }
    None
}

/// Reports an operator of another language if the token `first` and the token after it form one.
pub fn operator(c: &mut Cursor<'_>, first: usize) -> bool {
    // A name before or after the operator makes the advice concrete.
    let name = [first.wrapping_sub(1), first + 2].into_iter().find(|&token| c.kind(token) == Token::Name);
    let name = element_before(c, first).or(name.map(|token| c.word(token)));
    let name = errors::shown(name.unwrap_or("x"));
    let operator = advice::foreign_operator(c.kind(first), c.kind(first + 1), &name);
    if let Some((spelling, help)) = &operator {
        c.report(errors::foreign_operator(c.span_between(first, first + 1), spelling, help));
    }
    operator.is_some()
}

/// Reports the next token if it is a word that is an operator in another language.
pub fn operator_word(c: &mut Cursor<'_>) -> bool {
    let word = c.word(c.at);
    let help = advice::foreign_operator_word(word);
    if let Some(help) = help {
        c.report(errors::foreign_operator(c.span(c.at), word, help));
    }
    help.is_some()
}

/// Reports that the next token is not a variable in scope.
pub fn unknown_variable(c: &mut Cursor<'_>, begins_statement: bool) {
    let (span, word) = (c.span(c.at), c.word(c.at));
    let is_function = c.program.functions.get(c.tokens.value[c.at]).is_some();
    let keyword = || advice::similar_keyword(word).filter(|_| begins_statement);
    let similar = c.program.similar_variable(word).or_else(keyword);
    let error = match c.is_struct(c.at) {
        true => struct_errors::name_of_struct(span, word),
        false => errors::unknown_variable(span, word, similar, is_function),
    };
    c.report(error);
}

/// Reports that the next token is not a function in scope.
pub fn unknown_function(c: &mut Cursor<'_>) {
    let (span, word) = (c.span(c.at), c.word(c.at));
    let is_variable = c.program.variables.get(c.tokens.value[c.at]).is_some();
    let is_index = c.kind(c.at + 1) == Token::LeftBracket;
    let similar = c.program.similar_function(word).or_else(|| c.program.similar_variable(word).filter(|_| is_index));
    let error = errors::unknown_function(span, word, similar, is_variable);
    c.report(error);
}
