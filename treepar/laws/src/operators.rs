//! Operator-precedence parsing, compared with a recursive parser by Pratt's method.

use std::iter::Peekable;

use treepar::device::device;
use treepar::operators::{Form, MOST_RANK, Symbol, by_templates};
use treepar::{Backend, Error, Result};

use crate::drawn::Rng;
use crate::{each_holds, put, rows};

/// The nodes of a forest in preorder: their depths, and the rows of their symbols.
type Tree = (Vec<u32>, Vec<u32>);

/// A node: the row of its symbol, and its children.
struct Node {
    row: usize,
    children: Vec<Node>,
}

impl Drop for Node {
    /// Drops a deep tree without recursion.
    fn drop(&mut self) {
        let mut nodes = std::mem::take(&mut self.children);
        while let Some(mut node) = nodes.pop() {
            nodes.append(&mut node.children);
        }
    }
}

/// A parser by Pratt's method. An error is the row that it does not expect.
struct Pratt<I: Iterator<Item = (usize, Symbol)>> {
    symbols: Peekable<I>,
    end: usize,
}

impl<I: Iterator<Item = (usize, Symbol)>> Pratt<I> {
    fn form(&mut self) -> Option<Form> {
        self.symbols.peek().map(|(_, symbol)| symbol.form)
    }

    /// Returns the next row, where an error is.
    fn here(&mut self) -> usize {
        self.symbols.peek().map_or(self.end, |&(row, _)| row)
    }

    /// Parses expressions with separators between them, and perhaps after them.
    fn expressions(&mut self, children: &mut Vec<Node>) -> std::result::Result<(), usize> {
        while let Some(form) = self.form() {
            if form == Form::Close {
                break;
            }
            children.push(self.expression(0)?);
            if self.form() != Some(Form::Separator) {
                break;
            }
            self.symbols.next();
        }
        Ok(())
    }

    fn close(&mut self, bracket: u16) -> std::result::Result<(), usize> {
        let here = self.here();
        match self.symbols.next() {
            Some((_, symbol)) if symbol.form == Form::Close && symbol.bracket == bracket => Ok(()),
            _ => Err(here),
        }
    }

    /// Parses an expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u32) -> std::result::Result<Node, usize> {
        let rank = |symbol: Symbol| 10 * u32::from(symbol.rank.min(MOST_RANK));
        let (row, symbol) = self.symbols.next().ok_or(self.end)?;
        let mut children = Vec::new();
        let mut tree = match symbol.form {
            Form::Operand => Node { row, children },
            Form::Prefix => Node { row, children: vec![self.expression(rank(symbol) + 3)?] },
            Form::Group => {
                let inner = self.expression(0)?;
                self.close(symbol.bracket)?;
                inner
            }
            Form::List => {
                self.expressions(&mut children)?;
                self.close(symbol.bracket)?;
                Node { row, children }
            }
            _ => return Err(row),
        };
        while let Some(&(row, symbol)) = self.symbols.peek() {
            let rank = rank(symbol);
            let (left, right) = match symbol.form {
                Form::Left => (rank, rank + 1),
                Form::Right => (rank + 2, rank + 2),
                Form::Postfix | Form::Call => (rank + 4, 0),
                Form::Separator | Form::Close => break,
                _ => return Err(row),
            };
            if left < least {
                break;
            }
            self.symbols.next();
            let mut children = vec![tree];
            match symbol.form {
                Form::Postfix => {}
                Form::Call => {
                    self.expressions(&mut children)?;
                    self.close(symbol.bracket)?;
                }
                _ => children.push(self.expression(right)?),
            }
            tree = Node { row, children };
        }
        Ok(tree)
    }
}

/// Parses symbols one after another.
fn parsed(symbols: &[Symbol]) -> std::result::Result<Tree, usize> {
    let mut parser = Pratt { symbols: symbols.iter().copied().enumerate().peekable(), end: symbols.len() };
    let mut roots = Vec::new();
    parser.expressions(&mut roots)?;
    if parser.form().is_some() {
        return Err(parser.here());
    }
    let (mut depths, mut rows) = (Vec::new(), Vec::new());
    let mut open: Vec<(u32, Node)> = roots.into_iter().rev().map(|root| (0, root)).collect();
    while let Some((depth, mut node)) = open.pop() {
        depths.push(depth);
        rows.push(node.row as u32);
        open.extend(std::mem::take(&mut node.children).into_iter().rev().map(|child| (depth + 1, child)));
    }
    Ok((depths, rows))
}

/// Parses on a thread whose stack is large enough for a deep expression.
fn oracle(symbols: &[Symbol]) -> Result<Tree> {
    let parsed = if symbols.len() < 1000 {
        parsed(symbols)
    } else {
        let large = std::thread::Builder::new().stack_size(1 << 30);
        std::thread::scope(|scope| large.spawn_scoped(scope, || parsed(symbols)).unwrap().join().unwrap())
    };
    parsed.map_err(|index| Error::MisplacedSymbol { index })
}

/// The kinds of symbols that a text is drawn from.
struct Mix {
    /// Before an operand: one in so many is a prefix operator, one in so many opens a bracket.
    prefix: u32,
    opening: u32,
    /// After an operand: one in so many is a postfix operator, a call, a closing bracket, a separator.
    postfix: u32,
    call: u32,
    close: u32,
    separator: u32,
    /// Ranks are below this, and forms of operators one of these.
    ranks: u32,
    infix: &'static [Form],
}

const NEVER: u32 = u32::MAX;

fn mix(rng: &mut Rng) -> Mix {
    let mixed = Mix {
        prefix: rng.one_of(&[3, 8, NEVER]),
        opening: rng.one_of(&[4, 20, NEVER]),
        postfix: rng.one_of(&[3, 10, NEVER]),
        call: rng.one_of(&[5, 30, NEVER]),
        close: rng.one_of(&[2, 4, 30]),
        separator: rng.one_of(&[3, 20, NEVER]),
        ranks: rng.one_of(&[1, 3, 15, 256]),
        infix: rng.one_of(&[&[Form::Left, Form::Right][..], &[Form::Left], &[Form::Right]]),
    };
    let never = Mix { prefix: NEVER, opening: NEVER, postfix: NEVER, call: NEVER, separator: NEVER, ..mixed };
    match rng.below(9) {
        // A run of one operator, of prefix or postfix operators, of calls; deep brackets; separators.
        0 => Mix { ranks: 1, ..never },
        1 => Mix { prefix: 1, ..never },
        2 => Mix { postfix: 1, ..never },
        3 => Mix { call: 1, close: 1, ..never },
        4 => Mix { opening: 1, close: NEVER, ..never },
        5 => Mix { separator: 1, ..never },
        _ => mixed,
    }
}

/// Draws n symbols that an expression consists of, if n symbols can be one.
fn expression(rng: &mut Rng, n: usize) -> Vec<Symbol> {
    let mix = mix(rng);
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut open: Vec<Symbol> = Vec::new();
    // Whether an operand must follow, may follow, or cannot.
    let (mut must, mut may) = (false, true);
    while symbols.len() < n {
        let left = n - symbols.len();
        let rank = (rng.below(mix.ranks) * rng.one_of(&[1, 1, 7])) as u8;
        let bracket = rng.below(3) as u16;
        let at_end = left <= open.len() + 1 + must as usize;
        let closing = open.last().map(|opening| Symbol::bracket(Form::Close, opening.bracket));
        let in_group = open.last().is_some_and(|opening| opening.form == Form::Group);
        let once_in = |rng: &mut Rng, of: u32| rng.below(of) == 0;
        let symbol = if may {
            match closing {
                Some(closing) if !must && (at_end || once_in(rng, mix.close)) => closing,
                _ if at_end => Symbol::operand(),
                _ if once_in(rng, mix.prefix) => Symbol::operator(Form::Prefix, rank),
                _ if left > open.len() + 3 && once_in(rng, mix.opening) => {
                    Symbol::bracket(rng.one_of(&[Form::Group, Form::List]), bracket)
                }
                _ => Symbol::operand(),
            }
        } else {
            match closing {
                Some(closing) if at_end || once_in(rng, mix.close) => closing,
                _ if !in_group && (left == 1 || once_in(rng, mix.separator)) => Symbol::separator(),
                _ if once_in(rng, mix.postfix) || left < open.len() + 2 => Symbol::operator(Form::Postfix, rank),
                _ if left > open.len() + 2 && once_in(rng, mix.call) => Symbol::call(rank, bracket),
                _ => Symbol::operator(rng.one_of(mix.infix), rank),
            }
        };
        match symbol.form {
            Form::Group | Form::List | Form::Call => open.push(symbol),
            Form::Close => drop(open.pop()),
            _ => {}
        }
        let after_operand = [Form::Operand, Form::Postfix, Form::Close].contains(&symbol.form);
        must = [Form::Prefix, Form::Left, Form::Right, Form::Group].contains(&symbol.form);
        may = !after_operand;
        symbols.push(symbol);
    }
    symbols
}

/// Draws a symbol of any form, also of none that has a name.
fn any(rng: &mut Rng) -> Symbol {
    let form = Form::from_code(rng.below(Form::COUNT as u32 + 1) as u8);
    Symbol { form, rank: rng.below(256) as u8, bracket: rng.below(2) as u16 }
}

/// Checks that a backend parses symbols as the oracle does, by its own code and by templates.
fn parses<B: Backend>(b: &B, symbols: &[Symbol]) {
    let expected = oracle(symbols);
    let text = || if symbols.len() < 20 { format!("{symbols:?}") } else { format!("{} symbols", symbols.len()) };
    // Not `assert_eq`, which would print all nodes.
    let same = |found: &Result<Tree>, way| {
        assert!(*found == expected, "{way}: {} instead of {}, of {}", shown(found), shown(&expected), text());
    };
    let column = put(b, symbols);
    let found = b.operators(&column).map(|found| (rows(b, found.forest.depths()), rows(b, &found.symbol)));
    same(&found, "by the backend");
    let found = by_templates::<B>(&column).map(|(depths, symbol)| (rows(b, &depths), rows(b, &symbol)));
    same(&found, "by templates");
}

/// Returns the first nodes of a tree as text, or the error.
fn shown(tree: &Result<Tree>) -> String {
    match tree {
        Ok((depths, rows)) => format!("{:?}", (&depths[..depths.len().min(20)], &rows[..rows.len().min(20)])),
        Err(error) => format!("{error:?}"),
    }
}

/// Returns the symbol of a byte, for texts that people can read.
#[device(map)]
fn of_byte(i: usize, text: &[u8]) -> Symbol {
    match text[i] {
        b'=' => Symbol::operator(Form::Right, 1),
        b'~' => Symbol::operator(Form::Prefix, 2),
        b'+' => Symbol::operator(Form::Left, 3),
        b'?' => Symbol::operator(Form::Postfix, 2),
        b'*' => Symbol::operator(Form::Left, 4),
        b'-' => Symbol::operator(Form::Prefix, 5),
        b'^' => Symbol::operator(Form::Right, 5),
        b'!' => Symbol::operator(Form::Postfix, 6),
        b'(' => Symbol::bracket(Form::Group, 0),
        b')' => Symbol::bracket(Form::Close, 0),
        b'{' => Symbol::bracket(Form::List, 1),
        b'}' => Symbol::bracket(Form::Close, 1),
        b'[' => Symbol::call(7, 2),
        b']' => Symbol::bracket(Form::Close, 2),
        b'.' => Symbol::operator(Form::Left, 8),
        b',' => Symbol::separator(),
        _ => Symbol::operand(),
    }
}

/// Texts with their trees in preorder, the depth of each node after it; or the index of the error.
const TEXTS: [(&str, std::result::Result<&str, usize>); 24] = [
    ("", Ok("")),
    ("a", Ok("a0")),
    ("a+b*c", Ok("+0a1*1b2c2")),
    ("a+b+c", Ok("+0+1a2b2c1")),
    ("a=b=c", Ok("=0a1=1b2c2")),
    ("-a^b!", Ok("^0-1a2!1b2")),
    ("a*~b+c", Ok("*0a1~1+2b3c3")),
    ("a+b?*c", Ok("*0?1+2a3b3c1")),
    ("--a", Ok("-0-1a2")),
    ("(a+b)*c", Ok("*0+1a2b2c1")),
    ("{a,b,}+{}", Ok("+0{1a2b2{1")),
    ("a.b[c,d].e[]", Ok("[0.1[2.3a4b4c3d3e2")),
    ("a,b+c,", Ok("a0+0b1c1")),
    ("-a[b]", Ok("-0[1a2b2")),
    ("a+", Err(2)),
    ("(a", Err(2)),
    ("a)", Err(1)),
    ("()", Err(1)),
    ("(a,b)", Err(2)),
    ("{a)", Err(2)),
    (",", Err(0)),
    ("a b", Err(1)),
    ("a+*b", Err(2)),
    ("{a,,b}", Err(3)),
];

each_holds! {
    expressions_match_oracle(b, rng, n) {
        parses(b, &expression(rng, n));
    }

    symbols_that_do_not_fit_are_found(b, rng, n) {
        let mut symbols = expression(rng, n);
        for _ in 0..rng.below(4) {
            let at = rng.below(n as u32) as usize;
            if let Some(symbol) = symbols.get_mut(at) {
                *symbol = any(rng);
            }
        }
        parses(b, &symbols);
        // Brackets across blocks: as many opening as closing ones, and the others are missing.
        let (open, close) = (rng.below(3) as usize, rng.below(3) as usize);
        let bracket = |form| Symbol::bracket(form, 0);
        let mut symbols = vec![bracket(Form::List); n / 2 + open];
        symbols.extend(vec![bracket(Form::Close); n / 2 + close]);
        parses(b, &symbols);
    }

    any_symbols_are_a_tree_or_an_error(b, rng, n) {
        let symbols: Vec<Symbol> = (0..n).map(|_| any(rng)).collect();
        parses(b, &symbols);
    }

    #[longest(2)]
    readable_texts_have_their_trees(b, _rng, _n) {
        for (text, expected) in TEXTS {
            let symbols = b.map(of_byte::of(&put(b, text.as_bytes()))).unwrap();
            let found = b.operators(&symbols).map(|parsed| {
                let depths = rows(b, parsed.forest.depths());
                let tokens = rows(b, &parsed.symbol).into_iter().zip(depths);
                tokens.map(|(row, depth)| format!("{}{depth}", &text[row as usize..][..1])).collect::<String>()
            });
            let expected = expected.map(str::to_string).map_err(|index| Error::MisplacedSymbol { index });
            assert_eq!(found, expected, "{text}");
            parses(b, &rows(b, &symbols));
        }
    }
}
