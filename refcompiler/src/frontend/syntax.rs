//! The syntax check: the number of violations of the grammar, and the tokens of each node.
//!
//! ```text
//! class     .. Callee  CallParen  Number  ParenClose  BlockClose      f(1) }
//! pairs              ok         ok      ok          ^ no value may precede a `}`
//! brackets     CallParen -> ParenClose, its next token with the same key
//! context      ArgumentComma: the previous smaller key is `(` or `[` of a call
//! ```
//!
//! Four conditions together are the grammar:
//!
//! 1. Each token may follow the token before it ([`FOLLOWS`](crate::ir::syntax::FOLLOWS)).
//! 2. Each left bracket has its right bracket: the first later token whose key is not greater has the same key and the
//!    right class. A `}` before `elif` or `else` closes the block of an `if` or `elif`. In the same way each `fn` has the
//!    `{` of its body, or the `;` of its `extern`.
//! 3. `;` and `{` are directly in braces, an argument's `,` directly in the brackets of a list of values. The `=` of an update
//!    follows a name and its indices, which begin a statement.
//! 4. Outside all brackets there are only functions, and some classes are only there.
//!
//! Proof sketch: take each pair of brackets as one symbol. Precedence decides the shape of a tree and not whether there
//! is one, so the grammar recurses through brackets only, and each list between brackets is in a regular language. In
//! that language the class of the last token determines what may follow, except that `;` and `{` must fit the statement
//! that they belong to, and `elif` and `else` the block before them. The classes of `;` and `{` include the statement:
//! [`classes`](super::classes) finds its keyword, which is the last mark before the token. So pairs decide the rest. By
//! condition 3, a mark between a token and its statement's keyword would be in the same list.
//!
//! The check is one-sided by design: where it accepts, the sequential parser does. Tests compare both on all short
//! strings of tokens.
//!
//! The same scan finds the interval of tokens of each node, of which [`parse`](super::parse) makes the tree:
//!
//! ```text
//! token     x    =  a     +    b     *    2        ;              x = a + b * 2;
//! class     Head .  Name  Bin  Name  Bin  Number   EndExpression
//! first                   2          4             0              the first token, where it is not the node's own
//! end       7             7          7             8              one past the last token, if it has several
//! ```
//!
//! A left-associative operator begins after its previous smaller key and ends at its next smaller or equal key. Other nodes
//! begin with their own token, and their ends are one or two such steps away. A run of unary operators ends where the first
//! of them ends, and so does a chain of assignments. The parts of an `if` end together: the last block of a chain adds its
//! end to the `if`, which is the previous smaller key of every part. Where the grammar is violated, intervals have no meaning.
//!
//! Cost: work O(n), one search for smaller keys of 12 bytes, one compaction, one accumulate and one scan of 22 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::sets::{mask, select};
use crate::ir::syntax::{
    BARE_LISTS, BOUNDARIES, BRACES, CLOSERS, CONTEXTS, Checked, Class, Classes, Classified, INFIX, LEAVES, NESTING,
    ONLY_OUTSIDE, OTHERWISE, OUTSIDE, PREFIX, RANK_BITS, Span,
};
use crate::ir::tokens::TokenId;

/// No token.
const NONE: u32 = u32::MAX;

/// Returns whether the tokens from `first` up to the `=` of an update at token `t` are a name and indices.
#[device]
fn is_target(first: u32, t: TokenId, tokens: &Classified, next: &[u32]) -> bool {
    let bracket = TokenId::new(first.wrapping_add(1).min(t.get()));
    tokens.class[bracket] == Class::CallBracket && next[bracket.index()] + 1 == t.get()
}

/// Returns the number of violations at token `t`.
///
/// Most tokens are neither brackets nor separators, so one branch for these is faster than their work for each token. The
/// last token stands in for one after it. It is an end, or a violation by itself.
#[device(map)]
pub fn violations(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32]) -> u32 {
    let n = tokens.len() as u32;
    let class = tokens.class[t];
    let key = tokens.key[t];
    let before = if t.get() == 0 { Class::End } else { tokens.class[t.minus(1)] };
    let is_wrong_pair = !before.may_precede(class);

    let is_outside = key >> RANK_BITS == 0;
    let is_misplaced = if is_outside { !OUTSIDE.contains(class) } else { ONLY_OUTSIDE.contains(class) };

    let is_wrong_end = (t.get() == n - 1) & (class != Class::End);
    let in_line = is_wrong_pair as u32 + is_misplaced as u32 + is_wrong_end as u32;
    if !NESTING.contains(class) {
        return in_line;
    }

    let closer = CLOSERS[class.code() as usize];
    let end = TokenId::new(next[t.index()].min(n - 1));
    let is_closed = (tokens.class[end] == closer) & (tokens.key[end] == key);
    let after = tokens.class[TokenId::new((end.get() + 1).min(n - 1))];
    let is_wrong_part = BRACES.contains(class) & (class != Class::ThenBody) & OTHERWISE.contains(after);
    let is_open = (closer != Class::Unknown) & !is_closed;

    let around = previous[t.index()];
    let context = if around == u32::MAX { Class::End } else { tokens.class[TokenId::new(around)] };
    let is_wrong_context = !CONTEXTS[class.code() as usize].contains(context);

    let is_wrong_target = class == Class::Update && !is_target(around.wrapping_add(1), t, tokens, next);

    in_line + is_open as u32 + is_wrong_part as u32 + is_wrong_context as u32 + is_wrong_target as u32
}

/// Returns whether token `t` is the `{` of a block of an `if`. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn is_part(t: TokenId, tokens: &Classified) -> bool {
    (tokens.class[t] == Class::ThenBody) | (tokens.class[t] == Class::ElseBody)
}

/// Returns the `if` of the block that begins at token `blocks[i]`, `NONE` if it has a part after the block, and the end of
/// the block.
#[device(accumulate)]
fn chain(i: usize, blocks: &[u32], tokens: &Classified, previous: &[u32], next: &[u32]) -> (u32, u32) {
    let block = blocks[i] as usize;
    let end = next[block].wrapping_add(1);
    let after = TokenId::new(end.min(tokens.len() as u32 - 1));
    (if OTHERWISE.contains(tokens.class[after]) { NONE } else { previous[block] }, end)
}

/// A run of tokens.
#[device]
pub struct Progress {
    /// One past the index of its last token that an expression statement can follow, 0 if it has none.
    pub statement: u32,
    /// The number of violations.
    pub errors: u32,
}

#[device(monoid(identity = Progress { statement: 0, errors: 0 }))]
fn join(a: Progress, b: Progress) -> Progress {
    Progress { statement: a.statement.max(b.statement), errors: a.errors.wrapping_add(b.errors) }
}

#[device(scanned)]
fn progress(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32]) -> Progress {
    let is_boundary = BOUNDARIES.contains(tokens.class[t]);
    Progress { statement: (t.get() + 1) & mask(is_boundary), errors: violations(t, tokens, previous, next) }
}

/// The bits of a rule for the end of a node that are a number of tokens after the next smaller or equal key.
const TOKENS: u8 = 3;
/// The bit of a rule by which this is the next key of the following token.
const OF_FOLLOWING: u8 = 4;
/// The bit of all rules.
const HAS_NODE: u8 = 8;

/// The rule for the end of the node of each class, 0 for a class without nodes and for those in [`UNRULED`].
const ENDS: [u8; 256] = {
    let mut ends = [0; 256];
    let mut i = 0;
    while i < Class::COUNT {
        ends[i] = match Class::ALL[i] {
            class if UNRULED.contains(class) => 0,
            Class::Binary | Class::Range => HAS_NODE,
            Class::IndexOpen => HAS_NODE | 1,
            // The end of the last argument.
            Class::CallParen | Class::CallBracket | Class::ChoiceBracket => HAS_NODE,
            // The key of the token is the greatest of its depth, so the next one is not greater.
            class if LEAVES.contains(class) => HAS_NODE,
            Class::Callee | Class::Choose | Class::Cast | Class::Extern => HAS_NODE | OF_FOLLOWING | 1,
            // Before the `{` of the body.
            Class::Counter => HAS_NODE | OF_FOLLOWING,
            class if PREFIX.contains(class) => HAS_NODE | 1,
            _ => 0,
        };
        i += 1;
    }
    ends
};

/// The classes whose nodes end at the end of another block, of another node, or a fixed number of tokens after their own.
const UNRULED: Classes = Classes::of(&[
    Class::Fn,
    Class::While,
    Class::For,
    Class::If,
    Class::Elif,
    Class::ArgumentComma,
    Class::EndExpression,
    Class::Empty,
    Class::Ascribe,
    Class::Unary,
    Class::Head,
    Class::Var,
    Class::LambdaOpen,
]);

/// Returns the end of the node of token `t`, whose class is in [`UNRULED`].
#[device]
fn unruled_end(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32], chains: &[u32]) -> u32 {
    let i = t.index();
    // Where there is no such token, the grammar is violated.
    let last = next.len() - 1;
    let outer = (previous[i] as usize).min(last);
    let before = if i == 0 { Class::End } else { tokens.class[t.minus(1)] };
    match tokens.class[t] {
        // The end of the argument before it. The first value of a bare list has no node there, so each of the others ends itself.
        Class::ArgumentComma => {
            if BARE_LISTS.contains(tokens.class[TokenId::new(outer as u32)]) {
                next[i]
            } else {
                t.get()
            }
        }
        Class::EndExpression | Class::Empty => t.get() + 1,
        Class::Ascribe => t.get() + 2,
        // The end of the first of a run or chain.
        Class::Unary => {
            if before == Class::Unary {
                next[outer]
            } else {
                next[i]
            }
        }
        Class::Head | Class::Var => {
            if before == Class::Assign {
                next[outer]
            } else {
                next[i]
            }
        }
        Class::If => chains[i],
        Class::Elif => chains[outer],
        // The value reaches from the end of the head to the next smaller key.
        Class::LambdaOpen => next[(next[i] as usize).min(last)],
        // Past the `<` and the body.
        Class::For => {
            let body = next[(next[i] as usize).min(last)];
            next[(body as usize).min(last)].wrapping_add(1)
        }
        _ => next[(next[i] as usize).min(last)].wrapping_add(1),
    }
}

/// Returns the end of the node of token `t`.
#[device]
fn end_of(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32], chains: &[u32]) -> u32 {
    let class = tokens.class[t];
    if UNRULED.contains(class) {
        return unruled_end(t, tokens, previous, next, chains);
    }
    // A rule rather than branches: classes are hard to predict.
    let rule = ENDS[class.code() as usize];
    let reached = next[(t.index() + (rule & OF_FOLLOWING != 0) as usize).min(next.len() - 1)];
    reached.wrapping_add((rule & TOKENS) as u32) | !mask(rule & HAS_NODE != 0)
}

/// Returns the tokens of the node of token `t`. `before` has the token after the last boundary.
#[device(scan_map(progress, join))]
fn span(t: TokenId, before: Progress, tokens: &Classified, previous: &[u32], next: &[u32], chains: &[u32]) -> Span {
    let class = tokens.class[t];
    let operand = previous[t.index()].wrapping_add(1);
    let first = select(class == Class::EndExpression, before.statement, operand);
    Span { first: first | !mask(INFIX.contains(class)), end: end_of(t, tokens, previous, next, chains) }
}

/// The nearest smaller keys and the blocks of all `if`. On a GPU the host does not know yet how many blocks there are.
pub struct Checking<B: Backend> {
    previous: B::Vec<u32>,
    next: B::Vec<u32>,
    /// The first tokens of the blocks.
    blocks: B::Vec<u32>,
}

impl<B: Backend> Checking<B> {
    /// Returns the nearest smaller keys, the tokens of each node, and the number of violations.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn finished(self, backend: &B, tokens: &Classified<B>) -> Result<Checked<B>> {
        let Checking { previous, next, blocks } = self;
        // Only the rows of an `if` are read.
        let mut chains = backend.filled(tokens.len(), 0)?;
        backend.accumulate(&mut chains, chain::of(&blocks, tokens, &previous, &next))?;
        let progress = progress::of(tokens, &previous, &next);
        let (spans, Progress { errors, .. }) =
            backend.scan_map(progress, join, span::of(tokens, &previous, &next, &chains))?;
        Ok(Checked { previous, next, spans, errors })
    }
}

/// Finds the nearest smaller keys, and the blocks of all `if`.
pub fn begin<B: Backend>(backend: &B, tokens: &Classified<B>) -> Result<Checking<B>> {
    let (previous, next) = backend.nearest_smaller(&tokens.key)?;
    let blocks = backend.compact(is_part::of(tokens))?;
    Ok(Checking { previous: previous.into_column(), next, blocks })
}

/// Checks the syntax of all inputs, and finds the tokens of each node.
pub fn syntax<B: Backend>(backend: &B, tokens: &Classified<B>) -> Result<Checked<B>> {
    begin(backend, tokens)?.finished(backend, tokens)
}
