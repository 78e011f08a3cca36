//! Operator-precedence parsing: a column of symbols becomes a forest of operators and operands.
//!
//! ```text
//! token    f        (         a        ,          b        )      +     c        *     2
//! symbol   operand  call      operand  separator  operand  close  left  operand  left  operand
//!
//!      +            node      +  (  f  a  b  *  c  2        preorder
//!    /   \          depth     0  1  2  2  2  1  2  2
//!   (     *         symbol    6  1  0  2  4  8  7  9        the row of each node's token
//!  /|\   / \
//! f a b c   2
//! ```
//!
//! A device function gives each token its [`Symbol`]: a form, and a rank if it is an operator. [`Backend::operators`] is the
//! rest of the parser. One symbol per token is enough for expressions with calls, indices and lists, for lists of statements
//! and for many configuration languages.
//!
//! # Ranks
//!
//! An operator with a greater rank binds more tightly. The greatest is [`MOST_RANK`]; greater ones count as it. At equal rank,
//! postfix operators and calls bind most tightly, then prefix, right-associative and left-associative operators. As in a
//! parser by Pratt's method, a prefix operator begins an operand wherever one may begin, and takes all that binds more tightly:
//! with `not` below `*`, `a * not b + c` is `a * (not (b + c))` if `+` binds more tightly than `not`. Postfix operators are
//! the mirror image. To let `a.b(c)` call a member, give `.` a greater rank than calls.
//!
//! # Which nodes there are
//!
//! Operands, operators, calls and lists are nodes. Brackets of groups, closing brackets and separators are not. A call's
//! children are the called expression and its arguments; the children of a list are its elements. At the outer level,
//! separators divide the text into trees of the forest.
//!
//! # Algorithm
//!
//! A node is an interval of tokens, since operator-precedence languages are parsed locally: the tokens around an operator
//! determine where its operands end. From the intervals' ends, sums give each node's depth and index in preorder.
//!
//! On the CPU, one loop with Floyd's stack finds the intervals. Each thread takes a block of tokens and leaves a short stack,
//! and the tokens that end operators of earlier blocks. Blocks are joined in order. On a GPU, a token's key is the depth of
//! its brackets and then its rank, and intervals end at nearest smaller keys: two calls for nearest keys, two histograms,
//! two scans and some maps.

use crate::depth::{Depths, NO_NODE};
use crate::device::device;
use crate::monoid::{Max, Min, Sum};
use crate::{Backend, Column, Error, Result};

/// The greatest rank of an operator.
pub const MOST_RANK: u8 = 60;

/// The most brackets that can be open at once.
pub const MOST_OPEN: u32 = (1 << 24) - 2;

/// The part that a token plays in an expression.
#[device]
pub enum Form {
    /// A name, a number: a leaf.
    Operand,
    /// An operator before its only operand.
    Prefix,
    /// An operator between two operands; of operators with equal rank the last is the root.
    Left,
    /// An operator between two operands; of operators with equal rank the first is the root.
    Right,
    /// An operator after its only operand.
    Postfix,
    /// An opening bracket around one expression, which is not a node.
    Group,
    /// An opening bracket around any number of expressions: a node above them.
    List,
    /// An opening bracket after an expression, around any number of others: a node above all of them.
    Call,
    /// A closing bracket.
    Close,
    /// The end of an expression that other expressions may follow, in lists, in calls and outside brackets.
    Separator,
}

/// A token as the parser sees it. Its functions make symbols.
#[device]
pub struct Symbol {
    /// The part that the token plays.
    pub form: Form,
    /// The rank of an operator or of a call.
    pub rank: u8,
    /// The kind of a bracket: brackets of one kind match.
    pub bracket: u16,
}

#[device]
impl Symbol {
    /// Returns a name or a number.
    pub fn operand() -> Symbol {
        Symbol { form: Form::Operand, rank: 0, bracket: 0 }
    }

    /// Returns an operator of a form: `Prefix`, `Left`, `Right` or `Postfix`.
    pub fn operator(form: Form, rank: u8) -> Symbol {
        Symbol { form, rank, bracket: 0 }
    }

    /// Returns a bracket of a form, except a call's: `Group`, `List` or `Close`.
    pub fn bracket(form: Form, bracket: u16) -> Symbol {
        Symbol { form, rank: 0, bracket }
    }

    /// Returns the opening bracket of a call.
    pub fn call(rank: u8, bracket: u16) -> Symbol {
        Symbol { form: Form::Call, rank, bracket }
    }

    /// Returns the end of an expression.
    pub fn separator() -> Symbol {
        Symbol { form: Form::Separator, rank: 0, bracket: 0 }
    }
}

/// The trees of a column of symbols.
pub struct Operators<B: Backend> {
    /// The depth of each node in preorder.
    pub forest: Depths<B>,
    /// The row of each node's symbol.
    pub symbol: B::Vec<u32>,
}

/// The levels of symbols that are not operators. Levels of operators are between them, and increase with the rank.
const SEPARATOR: u32 = 0;
pub(crate) const LEAST_OPERATOR: u32 = 1;
const OPERAND: u32 = 253;
const OPENING: u32 = 254;
const CLOSING: u32 = 255;

/// The number of levels, as a power of two.
const LEVEL_BITS: u32 = 8;

/// Returns how tightly a symbol binds.
#[device]
pub(crate) fn level(symbol: Symbol) -> u32 {
    let rank = LEAST_OPERATOR + 4 * (symbol.rank as u32).min(MOST_RANK as u32);
    match symbol.form {
        Form::Left => rank,
        Form::Right => rank + 1,
        Form::Prefix => rank + 2,
        Form::Postfix | Form::Call => rank + 3,
        Form::Group | Form::List => OPENING,
        Form::Close => CLOSING,
        Form::Separator => SEPARATOR,
        _ => OPERAND,
    }
}

/// The symbols that can follow.
pub(crate) const OPERAND_FOLLOWS: u32 = 0;
pub(crate) const OPERAND_OR_END_FOLLOWS: u32 = 1;
pub(crate) const OPERATOR_OR_END_FOLLOWS: u32 = 2;

/// Returns what can follow a symbol.
#[device]
pub(crate) fn follows(form: Form) -> u32 {
    match form {
        Form::Operand | Form::Postfix | Form::Close => OPERATOR_OR_END_FOLLOWS,
        Form::List | Form::Call | Form::Separator => OPERAND_OR_END_FOLLOWS,
        _ => OPERAND_FOLLOWS,
    }
}

/// Returns whether a symbol can come where `expected` can follow. A form without a name never can.
#[device]
pub(crate) fn fits(form: Form, expected: u32) -> bool {
    match form {
        Form::Operand | Form::Prefix | Form::Group | Form::List => expected != OPERATOR_OR_END_FOLLOWS,
        Form::Left | Form::Right | Form::Postfix | Form::Call | Form::Separator => expected == OPERATOR_OR_END_FOLLOWS,
        Form::Close => expected != OPERAND_FOLLOWS,
        _ => false,
    }
}

#[device]
fn opens(form: Form) -> bool {
    form == Form::Group || form == Form::List || form == Form::Call
}

/// Returns whether an operator has a left operand, which may begin long before it.
#[device]
fn begins_before(form: Form) -> bool {
    form == Form::Left || form == Form::Right || form == Form::Postfix || form == Form::Call
}

/// Returns 1 for an opening bracket and -1 for a closing one.
#[device(scanned)]
fn nesting(i: usize, symbols: &[Symbol]) -> u32 {
    let form = symbols[i].form;
    (opens(form) as u32).wrapping_sub((form == Form::Close) as u32)
}

/// Returns a symbol's key, and the number of brackets that are open before it. The brackets of a pair are outside of it.
#[device(scan_map(nesting, Sum))]
fn keyed(i: usize, open: u32, symbols: &[Symbol]) -> (u32, u32) {
    let symbol = symbols[i];
    let depth = open.wrapping_sub((symbol.form == Form::Close) as u32);
    (depth.wrapping_shl(LEVEL_BITS) | level(symbol), open)
}

/// Returns the number of open brackets, 0 if there were more closing ones.
#[device(reduce(Max))]
fn nested(i: usize, open: &[u32]) -> u32 {
    (open[i] as i32).max(0) as u32
}

/// Returns i if symbol i does not fit the symbols before it, else `u32::MAX`.
#[device(reduce(Min))]
fn misplaced(i: usize, symbols: &[Symbol], open: &[u32], previous: &[u32]) -> u32 {
    let symbol = symbols[i];
    let expected = if i == 0 { OPERAND_OR_END_FOLLOWS } else { follows(symbols[i - 1].form) };
    let mut fit = fits(symbol.form, expected);
    let is_close = symbol.form == Form::Close;
    if is_close && open[i] as i32 <= 0 {
        fit = false;
    }
    // The innermost open bracket. There may be none after a closing bracket that does not fit.
    if fit && open[i] != 0 && previous[i] != NO_NODE && (is_close || symbol.form == Form::Separator) {
        let opener = symbols[previous[i] as usize];
        fit = if is_close { opener.bracket == symbol.bracket } else { opener.form != Form::Group };
    }
    if fit { u32::MAX } else { i as u32 }
}

/// Returns the key of a row in the reverse order.
#[device(map)]
fn reversed(i: usize, keys: &[u32]) -> u32 {
    keys[keys.len() - 1 - i]
}

/// Returns the row after row i that the reverse order has at index `found` before it; n if there is none.
#[device]
fn mirrored(n: usize, found: u32) -> u32 {
    if found == NO_NODE { n as u32 } else { n as u32 - 1 - found }
}

/// Returns the first row of the node of row i, and its end. `NO_NODE` stands for a node that begins with its own symbol, for
/// no node, and for an end that another row states: a closing bracket states the end of a list or call.
#[device(map)]
fn interval(
    i: usize,
    symbols: &[Symbol],
    keys: &[u32],
    previous: &[u32],
    next_or_equal: &[u32],
    from_end: &[u32],
    from_end_or_equal: &[u32],
) -> (u32, u32) {
    let (form, n) = (symbols[i].form, symbols.len());
    let mut first = NO_NODE;
    if begins_before(form) {
        let mut before = previous[i];
        if form == Form::Right {
            // Of equal operators the first is the root. Rows before all others are numbered n there.
            let found = from_end_or_equal[n - 1 - i];
            before = if found == n as u32 { NO_NODE } else { n as u32 - 1 - found };
        }
        // An operator that ends its operand, though it binds less tightly, is a part of this one's operand.
        let mut inside = true;
        while inside {
            inside = false;
            if before != NO_NODE {
                let ended = symbols[before as usize].form;
                let same_depth = keys[before as usize].wrapping_shr(LEVEL_BITS) == keys[i].wrapping_shr(LEVEL_BITS);
                if same_depth && (ended == Form::Postfix || ended == Form::Call) {
                    // Each step leads backwards, so the loop ends.
                    let farther = previous[before as usize];
                    inside = farther < before;
                    before = farther;
                }
            }
        }
        first = before.wrapping_add(1);
    }
    let mut end = NO_NODE;
    if form == Form::Operand || form == Form::Postfix {
        end = i as u32 + 1;
    } else if form == Form::Close {
        let is_node = symbols[previous[i] as usize].form != Form::Group;
        end = if is_node { i as u32 + 1 } else { NO_NODE };
    } else if form == Form::Left || form == Form::Right || form == Form::Prefix {
        end = if form == Form::Left { next_or_equal[i] } else { mirrored(n, from_end[n - 1 - i]) };
        // A prefix operator that binds less tightly begins an operand all the same.
        while (end as usize) < n && symbols[end as usize].form == Form::Prefix {
            let farther = mirrored(n, from_end[n - 1 - end as usize]);
            if farther <= end {
                break;
            }
            end = farther;
        }
    }
    (first, end)
}

/// Returns 1 if the node of a symbol begins with it.
#[device]
fn begins(form: Form) -> u32 {
    (form == Form::Operand || form == Form::Prefix || form == Form::List) as u32
}

/// The nodes that begin in a run of symbols.
#[device]
struct Begun {
    /// Without the nodes that end there.
    open: u32,
    /// All.
    nodes: u32,
}

#[device(monoid(identity = Begun { open: 0, nodes: 0 }))]
fn add(a: Begun, b: Begun) -> Begun {
    Begun { open: a.open.wrapping_add(b.open), nodes: a.nodes.wrapping_add(b.nodes) }
}

#[device(scanned)]
fn begun(i: usize, symbols: &[Symbol], firsts: &[u32], ends: &[u32]) -> Begun {
    let nodes = firsts[i] + begins(symbols[i].form);
    Begun { open: nodes.wrapping_sub(ends[i]), nodes }
}

/// Returns the depth of the innermost node around symbol i, and the index of the first node that begins there less its depth.
#[device(scan_map(begun, add))]
fn position(i: usize, before: Begun, symbols: &[Symbol], firsts: &[u32], ends: &[u32]) -> (u32, u32) {
    let open = before.open.wrapping_sub(ends[i]);
    let nodes = firsts[i] + begins(symbols[i].form);
    (open.wrapping_add(nodes).wrapping_sub(1), before.nodes.wrapping_sub(open))
}

/// Returns the index of the node of symbol i, and i.
#[device(map)]
fn node(i: usize, symbols: &[Symbol], first: &[u32], depth: &[u32], lead: &[u32]) -> (u32, u32) {
    let form = symbols[i].form;
    let begin = if begins_before(form) { first[i] } else { i as u32 };
    let has_node = begins_before(form) || begins(form) != 0;
    let index = if has_node { lead[begin as usize].wrapping_add(depth[i]) } else { NO_NODE };
    (index, i as u32)
}

/// Parses by other templates, on a machine without a loop of its own: see [`Backend::operators`]. Returns the depth and the
/// symbol's row of each node.
pub fn by_templates<B: Backend>(symbols: &B::Vec<Symbol>) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    let (b, n) = (symbols.backend(), symbols.len());
    if n == 0 {
        return Ok((b.allocate(0)?, b.allocate(0)?));
    }
    let ((keys, open), open_at_end) = b.scan_map(nesting::of(symbols), Sum, keyed::of(symbols))?;
    check_open(b.reduce(nested::of(&open), Max)?)?;
    let (previous, next_or_equal) = b.nearest_smaller(&keys)?;
    let wrong = b.reduce(misplaced::of(symbols, &open, &previous), Min)?;
    check_place(wrong as usize, n)?;
    check_end(n, open_at_end, b.read(symbols, n - 1)?.form)?;

    let backwards = b.map(reversed::of(&keys).rows(n))?;
    let (from_end, from_end_or_equal) = b.nearest_smaller(&backwards)?;
    let (first, end) = b.map(interval::of(symbols, &keys, &previous, &next_or_equal, &from_end, &from_end_or_equal))?;
    let (firsts, ends) = (b.histogram(&first, n)?, b.histogram(&end, n)?);
    let (begun, placed) = (begun::of(symbols, &firsts, &ends), position::of(symbols, &firsts, &ends));
    let ((depth, lead), total) = b.scan_map(begun, add, placed)?;
    let (index, row) = b.map(node::of(symbols, &first, &depth, &lead))?;
    let (mut depths, mut rows) = (b.allocate(total.nodes as usize)?, b.allocate(total.nodes as usize)?);
    b.scatter(&mut depths, &index, &depth)?;
    b.scatter(&mut rows, &index, &row)?;
    Ok((depths, rows))
}

/// Returns an error if more brackets are open than can be.
pub(crate) fn check_open(open: u32) -> Result<()> {
    let (found, limit) = (open.into(), MOST_OPEN.into());
    if open > MOST_OPEN { Err(Error::TooManyRows { array: "open brackets", found, limit }) } else { Ok(()) }
}

/// Returns an error if the first symbol that does not fit is among the n symbols.
pub(crate) fn check_place(wrong: usize, n: usize) -> Result<()> {
    if wrong < n { Err(Error::MisplacedSymbol { index: wrong }) } else { Ok(()) }
}

/// Returns an error if the symbols cannot end with a form while brackets are open.
pub(crate) fn check_end(n: usize, open: u32, last: Form) -> Result<()> {
    let ends = open == 0 && follows(last) != OPERAND_FOLLOWS;
    if ends { Ok(()) } else { Err(Error::MisplacedSymbol { index: n }) }
}
