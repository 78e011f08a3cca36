//! Functions before bodies: the signature of every `fn` of a file, and the block that contains it.
//!
//! Functions of a scope can call one another in any order. One pass over the bodies can check the calls only if the
//! signatures are known before. Nothing is reported here: the parser reads the same tokens again.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::lexer::Token;
use super::types::ERROR;
use crate::ir::tree::ty;

/// The part of a function before its body, as far as it is well-formed.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name, if there is one.
    pub name: Option<u32>,
    /// The position of the name.
    pub pos: u32,
    /// The types of the parameters; `None` if they are malformed.
    pub parameters: Option<Vec<u8>>,
    /// The type of the result, [`ERROR`] if it is malformed.
    pub result: u8,
    /// The function around this one, as an index in the file.
    pub parent: Option<u32>,
    /// `true` if `extern` precedes it.
    pub is_extern: bool,
    /// The id in the function table. An `extern` that names another function has the id of that function.
    pub id: u32,
}

/// The functions of one file.
#[derive(Debug, Default)]
pub struct Signatures {
    /// All functions, in the order of their tokens `fn`.
    pub all: Vec<Signature>,
    /// The functions at top level.
    pub top: Vec<u32>,
    /// The functions directly in a block, by the index of the token that opens the block.
    pub nested: HashMap<u32, Vec<u32>>,
}

/// Reads all signatures of a file.
pub fn signatures(c: &mut Cursor<'_>) -> Signatures {
    let tokens = c.tokens;
    let mut signatures = Signatures::default();
    if tokens.functions.is_empty() {
        return signatures;
    }
    // Each open brace, with the index of the function around it.
    let mut open: Vec<(u32, Option<u32>)> = Vec::new();
    // The function whose body begins at the next brace.
    let mut headed = None;
    for (at, &kind) in tokens.kind.iter().enumerate() {
        match kind {
            Token::LeftBrace => {
                let owner = headed.take().or(open.last().and_then(|&(_, owner)| owner));
                open.push((at as u32, owner));
            }
            Token::RightBrace => {
                open.pop();
            }
            Token::Fn if !tokens.is_lambda(at) => {
                let k = signatures.all.len() as u32;
                let parent = open.last().and_then(|&(_, owner)| owner);
                let errors = c.program.errors.len();
                let signature = signature(c, at, parent);
                c.program.errors.truncate(errors);
                headed = (!signature.is_extern).then_some(k);
                signatures.all.push(signature);
                match open.last() {
                    None => signatures.top.push(k),
                    Some(&(brace, _)) => signatures.nested.entry(brace).or_default().push(k),
                }
            }
            _ => {}
        }
    }
    signatures
}

/// Reads the signature after the token `fn` with the index `at`.
fn signature(c: &mut Cursor<'_>, at: usize, parent: Option<u32>) -> Signature {
    let tokens = c.tokens;
    let kind = |k: usize| tokens.kind.get(k).copied().unwrap_or(Token::End);
    let named = kind(at + 1) == Token::Name;
    let mut signature = Signature {
        name: named.then(|| tokens.value[at + 1]),
        pos: tokens.start[if named { at + 1 } else { at }],
        parameters: None,
        result: ERROR,
        parent,
        is_extern: at > 0 && kind(at - 1) == Token::Extern,
        id: 0,
    };
    if kind(at + 2) != Token::LeftBracket {
        return signature;
    }
    let mut parameters = Vec::new();
    c.at = at + 3;
    while kind(c.at) == Token::Name && kind(c.at + 1) == Token::Colon {
        c.at += if kind(c.at + 2) == Token::Star { 3 } else { 2 };
        let Ok(found) = c.any_type("") else { return signature };
        // An unknown type agrees with every argument.
        parameters.push(if found == ty::VOID { ERROR } else { found });
        if c.peek() != Token::Comma {
            break;
        }
        c.advance();
    }
    if c.peek() != Token::RightBracket {
        return signature;
    }
    signature.parameters = Some(parameters);
    c.advance();
    signature.result = match c.peek() {
        Token::Colon => {
            c.at += if kind(c.at + 1) == Token::Star { 2 } else { 1 };
            c.any_type("").unwrap_or(ERROR)
        }
        Token::LeftBrace | Token::Semicolon => ty::VOID,
        _ => ERROR,
    };
    signature
}
