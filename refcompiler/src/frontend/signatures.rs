//! Functions before bodies: the signature of every `fn` of a file, and the block in which it stands.
//!
//! Functions of a scope see one another whatever their order, so that calls can be checked in one pass over the
//! bodies only if the signatures are there before.

use std::collections::HashMap;

use super::lexer::{Token, Tokens};
use crate::tree::ty;

/// What a `fn` says before its body; as much as could be read, where it is malformed.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name, if one stands there.
    pub name: Option<u32>,
    /// Position of the name.
    pub pos: u32,
    /// Types of its parameters.
    pub parameters: Vec<u8>,
    /// The type it returns.
    pub result: u8,
    /// The function around it, as a number in the file.
    pub parent: Option<u32>,
    /// Whether it stands behind `extern`.
    pub is_extern: bool,
    /// Its id in the function table; of an `extern` that names another function, that one's.
    pub id: u32,
}

/// The functions of one file, and of the blocks in it.
#[derive(Debug, Default)]
pub struct Signatures {
    /// In the order of the tokens `fn`.
    pub all: Vec<Signature>,
    /// Those at top level.
    pub top: Vec<u32>,
    /// Those directly in a block, by the token that opens it.
    pub nested: HashMap<u32, Vec<u32>>,
}

/// The type that a token names.
pub fn type_of(token: Token) -> Option<u8> {
    match token {
        Token::IntType => Some(ty::INT),
        Token::FloatType => Some(ty::FLOAT),
        Token::VoidType => Some(ty::VOID),
        _ => None,
    }
}

/// Reads all signatures of a file.
pub fn signatures(tokens: &Tokens) -> Signatures {
    let mut signatures = Signatures::default();
    if tokens.functions.is_empty() {
        return signatures;
    }
    // Each open brace, with the function that it is in.
    let mut open: Vec<(u32, Option<u32>)> = Vec::new();
    // The function whose body is expected.
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
            Token::Fn => {
                let k = signatures.all.len() as u32;
                let parent = open.last().and_then(|&(_, owner)| owner);
                let signature = signature(tokens, at, parent);
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

/// The signature behind the token `at`.
fn signature(tokens: &Tokens, at: usize, parent: Option<u32>) -> Signature {
    let kind = |k: usize| tokens.kind.get(k).copied().unwrap_or(Token::End);
    let named = kind(at + 1) == Token::Name;
    let mut signature = Signature {
        name: named.then(|| tokens.value[at + 1]),
        pos: tokens.start[if named { at + 1 } else { at }],
        parameters: Vec::new(),
        result: ty::VOID,
        parent,
        is_extern: at > 0 && kind(at - 1) == Token::Extern,
        id: 0,
    };
    let mut k = at + 3;
    if kind(at + 2) != Token::LeftBracket {
        return signature;
    }
    while kind(k) == Token::Name && kind(k + 1) == Token::Colon {
        signature.parameters.extend(type_of(kind(k + 2)));
        k += 3;
        if kind(k) == Token::Comma {
            k += 1;
        }
    }
    if kind(k) == Token::RightBracket && kind(k + 1) == Token::Colon {
        signature.result = type_of(kind(k + 2)).unwrap_or(ty::VOID);
    }
    signature
}
