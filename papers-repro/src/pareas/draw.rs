//! Generates random functions of Par level by level, with the node kinds of the thesis's appendix A.
//!
//! A level is a list of open nodes. Each open node gets a random kind that is allowed at its position. The kinds are
//! chosen so that the next level has the requested number of nodes. The variables in scope are known only when the text
//! is printed. If there is none, a literal replaces a name and a negation replaces an assignment, which keeps the
//! shape.

use refcompiler_programs::Rng;

use super::signature::{Signatures, Type};

/// The kind of a node. The first five kinds are open: they are replaced later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement.
    Statement,
    /// The final `return` of a function with a result.
    Last,
    /// The content of a statement: a value, a declaration, an assignment or a call.
    Effect,
    /// A value.
    Value(Type),
    /// An `if` after an `else`.
    Elif,
    /// `{ }`
    Block,
    /// `;`
    Empty,
    /// `e;`
    Expression,
    /// `return e;` or `return;`
    Return,
    /// `if e { }`
    If,
    /// `if e { } else { }`, or with an `if` after the `else`.
    IfElse,
    /// `while e { }`
    While,
    /// `var x: T = e` or `var x: T`
    Declare(Type),
    /// `x = e`
    Assign(Type),
    /// `f[..]`
    Call(u32),
    /// An argument.
    Argument(Type),
    /// A literal.
    Literal(Type),
    /// A variable.
    Name(Type),
    /// `int(e)`, `float(e)`
    Cast(Type),
    /// `e: T`
    Ascribe(Type),
    /// A unary operator.
    Unary(&'static str),
    /// A binary operator.
    Binary(&'static str),
}

/// A node of a function.
#[derive(Clone, Debug)]
pub struct Node {
    /// The kind.
    pub kind: Kind,
    /// The children's indices, in order.
    pub children: Vec<u32>,
}

/// A function that is being generated.
pub struct Draw<'a> {
    /// The nodes. The first one is the body.
    pub nodes: Vec<Node>,
    /// The number of nodes on each level below the body.
    pub levels: Vec<usize>,
    signatures: &'a Signatures,
    result: Option<Type>,
    made: Vec<u32>,
    /// The number of nodes of the next level that no open node requires.
    left: usize,
    /// The number of levels after the next one.
    below: usize,
}

impl<'a> Draw<'a> {
    /// Generates a function body whose levels have about the given numbers of nodes. The first level contains the
    /// body's statements. A function with a result needs a statement there and a node on the next level.
    pub fn new(signatures: &'a Signatures, result: Option<Type>, levels: &[usize], rng: &mut Rng) -> Draw<'a> {
        let nodes = vec![Node { kind: Kind::Block, children: Vec::new() }];
        let mut draw = Draw { nodes, levels: Vec::new(), signatures, result, made: Vec::new(), left: 0, below: 0 };
        let mut open = vec![0u32];
        let mut owed = 0isize;
        for (level, &count) in levels.iter().enumerate() {
            // A surplus or deficit of earlier levels is compensated here if possible.
            let wanted = (count as isize + owed).max(0) as usize;
            draw.below = levels.len() - level - 1;
            draw.level(open, wanted, rng);
            owed += count as isize - draw.made.len() as isize;
            draw.levels.push(draw.made.len());
            open = std::mem::take(&mut draw.made);
        }
        for at in open {
            draw.close(at, rng);
        }
        draw
    }

    fn add(&mut self, parent: u32, kind: Kind) {
        let at = self.nodes.len() as u32;
        self.nodes.push(Node { kind, children: Vec::new() });
        self.nodes[parent as usize].children.push(at);
        self.made.push(at);
    }

    fn decide(&mut self, at: u32, kind: Kind, children: &[Kind]) {
        self.nodes[at as usize].kind = kind;
        for &child in children {
            self.add(at, child);
        }
    }

    /// Chooses the kinds of all open nodes, so that about `wanted` nodes are open below them.
    fn level(&mut self, mut open: Vec<u32>, wanted: usize, rng: &mut Rng) {
        let must: usize = open.iter().map(|&at| least(self.nodes[at as usize].kind)).sum();
        self.left = wanted.saturating_sub(must);
        // The remaining nodes are distributed in random order.
        rng.shuffle(&mut open);
        let mut blocks = Vec::new();
        for &at in &open {
            match self.nodes[at as usize].kind {
                Kind::Statement => self.statement(at, rng),
                Kind::Last => match self.result {
                    Some(ty) => self.decide(at, Kind::Return, &[Kind::Value(ty)]),
                    None => self.decide(at, Kind::Return, &[]),
                },
                Kind::Elif => self.condition(at, &[Kind::If], rng),
                Kind::Effect => self.effect(at, rng),
                Kind::Value(ty) => self.value(at, ty, rng),
                Kind::Argument(ty) => self.add(at, Kind::Value(ty)),
                _ => {}
            }
            if self.nodes[at as usize].kind == Kind::Block {
                blocks.push(at);
            }
        }
        // Blocks receive the rest as statements, which need another level below them.
        if self.below == 0 || blocks.is_empty() {
            return;
        }
        for _ in 0..self.left {
            let block = rng.one_of(&blocks);
            self.add(block, Kind::Statement);
        }
        if let (Some(_), Some(&last)) = (self.result, self.nodes[0].children.last())
            && self.made.last() == Some(&last)
        {
            self.nodes[last as usize].kind = Kind::Last;
        }
    }

    fn statement(&mut self, at: u32, rng: &mut Rng) {
        match rng.below(24) {
            0 => {
                self.left += 1;
                self.decide(at, Kind::Empty, &[]);
            }
            1 => match self.result {
                Some(ty) => self.decide(at, Kind::Return, &[Kind::Value(ty)]),
                None => {
                    self.left += 1;
                    self.decide(at, Kind::Return, &[]);
                }
            },
            2 if self.below > 0 => {
                self.left += 1;
                self.decide(at, Kind::Block, &[]);
            }
            // A body's content is one level deeper.
            3..=5 if self.left >= 1 && self.below > 0 => {
                self.left -= 1;
                self.condition(at, &[Kind::If, Kind::While], rng);
            }
            _ => self.decide(at, Kind::Expression, &[Kind::Effect]),
        }
    }

    /// Chooses one of `kinds`, or `IfElse`, which requires one more node on the next level.
    fn condition(&mut self, at: u32, kinds: &[Kind], rng: &mut Rng) {
        let (condition, block) = (Kind::Value(Type::Int), Kind::Block);
        if self.left >= 1 && rng.once_in(3) {
            self.left -= 1;
            let last = if self.below > 0 && rng.once_in(3) { Kind::Elif } else { block };
            self.decide(at, Kind::IfElse, &[condition, block, last]);
        } else {
            let kind = rng.one_of(kinds);
            self.decide(at, kind, &[condition, block]);
        }
    }

    fn effect(&mut self, at: u32, rng: &mut Rng) {
        let choice = rng.below(16);
        if choice < 4
            && let Some(f) = self.callee(None, rng)
        {
            return self.call(at, f);
        }
        let ty = any(rng);
        if choice < 12 && self.left >= 1 {
            self.left -= 1;
            let kind = if choice < 7 { Kind::Declare(ty) } else { Kind::Assign(ty) };
            return self.decide(at, kind, &[Kind::Value(ty)]);
        }
        if choice < 6 {
            return self.decide(at, Kind::Declare(ty), &[]);
        }
        self.value(at, ty, rng);
    }

    fn value(&mut self, at: u32, ty: Type, rng: &mut Rng) {
        if self.left >= 2 && !rng.once_in(8) {
            if rng.once_in(12)
                && let Some(f) = self.callee(Some(ty), rng)
            {
                return self.call(at, f);
            }
            self.left -= 2;
            let (operator, operands) = binary(ty, rng);
            self.decide(at, Kind::Binary(operator), &[Kind::Value(operands), Kind::Value(operands)]);
        } else if self.left >= 1 {
            self.left -= 1;
            let (kind, operand) = unary(ty, rng);
            self.decide(at, kind, &[Kind::Value(operand)]);
        } else {
            self.nodes[at as usize].kind = leaf(ty, rng);
        }
    }

    /// Draws a function to call. Arguments need another level below them.
    fn callee(&self, result: Option<Type>, rng: &mut Rng) -> Option<u32> {
        self.signatures.callee(result, if self.below > 0 { self.left } else { 0 }, rng)
    }

    fn call(&mut self, at: u32, f: u32) {
        let signatures = self.signatures;
        let parameters = &signatures.all[f as usize].parameters;
        self.left -= parameters.len();
        self.nodes[at as usize].kind = Kind::Call(f);
        for &ty in parameters {
            self.add(at, Kind::Argument(ty));
        }
    }

    /// Replaces an open node that may be a leaf.
    fn close(&mut self, at: u32, rng: &mut Rng) {
        let node = &mut self.nodes[at as usize];
        match node.kind {
            Kind::Value(ty) => node.kind = leaf(ty, rng),
            Kind::Effect => node.kind = leaf(any(rng), rng),
            _ => {}
        }
    }
}

/// Returns the minimum number of children of an open node.
fn least(kind: Kind) -> usize {
    match kind {
        Kind::Statement | Kind::Last | Kind::Argument(_) => 1,
        Kind::Elif => 2,
        _ => 0,
    }
}

fn any(rng: &mut Rng) -> Type {
    if rng.once_in(4) { Type::Float } else { Type::Int }
}

fn leaf(ty: Type, rng: &mut Rng) -> Kind {
    if rng.once_in(3) { Kind::Literal(ty) } else { Kind::Name(ty) }
}

fn binary(ty: Type, rng: &mut Rng) -> (&'static str, Type) {
    match ty {
        Type::Float => (rng.one_of(&["+", "-", "*", "/"]), Type::Float),
        Type::Int if rng.once_in(5) => (rng.one_of(&["<", "<=", ">", ">=", "==", "!="]), any(rng)),
        Type::Int => (rng.one_of(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "&&", "||"]), Type::Int),
    }
}

fn unary(ty: Type, rng: &mut Rng) -> (Kind, Type) {
    match (ty, rng.below(5)) {
        (_, 0) => (Kind::Ascribe(ty), ty),
        (Type::Float, 1) => (Kind::Cast(ty), Type::Int),
        (Type::Float, _) => (Kind::Unary("-"), ty),
        (Type::Int, 1) => (Kind::Cast(ty), Type::Float),
        (Type::Int, _) => (Kind::Unary(rng.one_of(&["-", "!", "~"])), ty),
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::Signature;
    use super::*;

    fn signatures() -> Signatures {
        let parameters = || vec![Type::Int, Type::Float];
        Signatures::new(
            [None, Some(Type::Int), Some(Type::Float)]
                .map(|result| Signature { parameters: parameters(), result })
                .to_vec(),
        )
    }

    #[test]
    fn every_place_is_decided_and_levels_are_about_as_large_as_said() {
        let (signatures, mut rng) = (signatures(), Rng::new(7));
        for result in [None, Some(Type::Int), Some(Type::Float)] {
            let levels = [30, 40, 60, 50, 30, 20, 5];
            let draw = Draw::new(&signatures, result, &levels, &mut rng);
            let open = |kind| matches!(kind, Kind::Statement | Kind::Last | Kind::Effect | Kind::Value(_) | Kind::Elif);
            assert!(draw.nodes.iter().all(|node| !open(node.kind)));
            let wanted: usize = levels.iter().sum();
            assert!(draw.nodes.len().abs_diff(wanted) < wanted / 10, "{} for {wanted}", draw.nodes.len());
        }
    }

    #[test]
    fn a_function_with_a_value_ends_in_a_return() {
        let (signatures, mut rng) = (signatures(), Rng::new(1));
        for n in [1, 2, 5, 50] {
            let draw = Draw::new(&signatures, Some(Type::Float), &[n, n], &mut rng);
            let last = *draw.nodes[0].children.last().unwrap() as usize;
            assert_eq!((draw.nodes[last].kind, draw.nodes[last].children.len()), (Kind::Return, 1));
        }
    }

    #[test]
    fn all_node_types_are_drawn() {
        let (signatures, mut rng) = (signatures(), Rng::new(1));
        let draw = Draw::new(&signatures, None, &[2000, 3000, 5000, 3000, 2000, 500], &mut rng);
        let has = |test: fn(Kind) -> bool| draw.nodes.iter().any(|node| test(node.kind));
        let tests: [fn(Kind) -> bool; 16] = [
            |k| k == Kind::Block,
            |k| k == Kind::Empty,
            |k| k == Kind::Expression,
            |k| k == Kind::Return,
            |k| k == Kind::If,
            |k| k == Kind::IfElse,
            |k| k == Kind::While,
            |k| matches!(k, Kind::Declare(_)),
            |k| matches!(k, Kind::Assign(_)),
            |k| matches!(k, Kind::Call(_)),
            |k| matches!(k, Kind::Argument(_)),
            |k| matches!(k, Kind::Literal(_)),
            |k| matches!(k, Kind::Name(_)),
            |k| matches!(k, Kind::Cast(_)),
            |k| matches!(k, Kind::Unary(_)),
            |k| matches!(k, Kind::Binary(_)),
        ];
        assert_eq!(tests.iter().position(|&test| !has(test)), None);
    }
}
