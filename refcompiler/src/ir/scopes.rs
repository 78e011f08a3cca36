//! Scopes and lists by nearest smaller keys: each is a constant number of steps from a token to another.
//!
//! ```text
//! fn f [ x : int , y : int ] : int { x = 1 ; { } var z = y ; }
//!      ^ bracket of x and y        ^ body of f; block of each statement between it and its `}`
//! ```

use treepar::device::device;

use super::syntax::{BRACES, Class, SyntaxTokens};
use super::tokens::TokenId;

/// Returns the bracket before a list. Token `before` precedes an element of the list: it is the bracket or a comma.
///
/// The previous smaller key of a comma is the bracket, because all commas of a list have equal keys.
#[device]
pub fn bracket_of(before: TokenId, tokens: &SyntaxTokens) -> TokenId {
    let class = tokens.class[before];
    let is_comma = (class == Class::ArgumentComma) | (class == Class::ParameterComma);
    if is_comma { TokenId::new(tokens.previous[before]) } else { before }
}

/// Returns the `{` of a function, or the `;` of an `extern`. Its parameters begin with token `bracket`.
#[device]
pub fn body_after(bracket: TokenId, tokens: &SyntaxTokens) -> TokenId {
    let close = TokenId::new(tokens.next[bracket]);
    let has_result = tokens.class[close.plus(1)] == Class::ResultColon;
    close.plus(if has_result { 3 } else { 1 })
}

/// Returns the `{` of the block around a statement. Token `at` is the keyword of the statement, or the token before it.
///
/// There are at most three steps. Before a keyword or `}` there is a smaller key in the same list, or the `{`. It is `if`
/// or `;`. Before an `if` it is `;`, and before `;` it is the `{`.
#[device]
pub fn block_around(at: TokenId, tokens: &SyntaxTokens) -> TokenId {
    let mut token = at;
    while !BRACES.contains(tokens.class[token]) {
        token = TokenId::new(tokens.previous[token]);
    }
    token
}
