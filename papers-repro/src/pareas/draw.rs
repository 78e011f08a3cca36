//! Random functions of Par, level by level: the node types of the thesis's appendix A, as our compiler has them.
//!
//! A level is a number of open places. Each is decided, at random among what may stand there, so that as many places
//! are open below as the next level is to have nodes. What is not known before the text is printed, which variables are
//! in sight, changes no shape: where there is none, a literal stands for a name, a negation for an assignment.

use refcompiler_programs::Rng;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `int`.
    Int,
    /// `float`.
    Float,
}

/// What callers know of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type that it returns, if it does.
    pub result: Option<Type>,
}

/// The functions of a program.
pub struct Signatures {
    /// All, by number.
    pub all: Vec<Signature>,
    /// Those that return nothing, an int, a float.
    by_result: [Vec<u32>; 3],
}

impl Signatures {
    /// Of all functions.
    pub fn new(all: Vec<Signature>) -> Signatures {
        let mut by_result = [Vec::new(), Vec::new(), Vec::new()];
        for (f, signature) in all.iter().enumerate() {
            by_result[place(signature.result)].push(f as u32);
        }
        Signatures { all, by_result }
    }

    /// A function with such a result and no more parameters than said.
    fn callee(&self, result: Option<Type>, most: usize, rng: &mut Rng) -> Option<u32> {
        let fitting = &self.by_result[place(result)];
        if fitting.is_empty() {
            return None;
        }
        let drawn = [(); 3].map(|()| rng.one_of(fitting));
        drawn.into_iter().find(|&f| self.all[f as usize].parameters.len() <= most)
    }
}

fn place(result: Option<Type>) -> usize {
    match result {
        None => 0,
        Some(Type::Int) => 1,
        Some(Type::Float) => 2,
    }
}

/// What a node is. The first of them are open places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement.
    Statement,
    /// The return that a function with a value ends in.
    Last,
    /// What a statement is made of: a value, a declaration, an assignment, a call.
    Effect,
    /// A value.
    Value(Type),
    /// The if behind an else.
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
    /// `if e { } else { }`, or with an if behind the else.
    IfElse,
    /// `while e { }`
    While,
    /// `var x: T = e` or `var x: T`
    Declare(Type),
    /// `x = e`
    Assign(Type),
    /// `f[..]`
    Call(u32),
    /// What is passed.
    Argument(Type),
    /// A number.
    Literal(Type),
    /// A variable.
    Name(Type),
    /// `int(e)`, `float(e)`
    Cast(Type),
    /// `e: T`
    Ascribe(Type),
    /// An operator with one operand.
    Unary(&'static str),
    /// An operator with two.
    Binary(&'static str),
}

/// A node of a function.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its children, by number, in order.
    pub children: Vec<u32>,
}

/// A function under way.
pub struct Draw<'a> {
    /// The nodes; the first is the body.
    pub nodes: Vec<Node>,
    /// How many nodes each level below the body has.
    pub levels: Vec<usize>,
    signatures: &'a Signatures,
    result: Option<Type>,
    made: Vec<u32>,
    /// Places that the next level may have beyond those that it must.
    left: usize,
    /// Levels that may follow the next.
    below: usize,
}

impl<'a> Draw<'a> {
    /// The body of a function whose levels have about as many nodes as said. The first level is that of its statements;
    /// a function with a value has one there and a level below.
    pub fn new(signatures: &'a Signatures, result: Option<Type>, levels: &[usize], rng: &mut Rng) -> Draw<'a> {
        let nodes = vec![Node { kind: Kind::Block, children: Vec::new() }];
        let mut draw = Draw { nodes, levels: Vec::new(), signatures, result, made: Vec::new(), left: 0, below: 0 };
        let mut places = vec![0u32];
        let mut owed = 0isize;
        for (level, &count) in levels.iter().enumerate() {
            // What the levels before missed is made good here, where it can be.
            let wanted = (count as isize + owed).max(0) as usize;
            draw.below = levels.len() - level - 1;
            draw.level(places, wanted, rng);
            owed += count as isize - draw.made.len() as isize;
            draw.levels.push(draw.made.len());
            places = std::mem::take(&mut draw.made);
        }
        for place in places {
            draw.close(place, rng);
        }
        draw
    }

    fn add(&mut self, parent: u32, kind: Kind) {
        let at = self.nodes.len() as u32;
        self.nodes.push(Node { kind, children: Vec::new() });
        self.nodes[parent as usize].children.push(at);
        self.made.push(at);
    }

    fn decide(&mut self, place: u32, kind: Kind, children: &[Kind]) {
        self.nodes[place as usize].kind = kind;
        for &child in children {
            self.add(place, child);
        }
    }

    /// Decides all places, so that about `wanted` are open below them.
    fn level(&mut self, mut places: Vec<u32>, wanted: usize, rng: &mut Rng) {
        let must: usize = places.iter().map(|&place| least(self.nodes[place as usize].kind)).sum();
        self.left = wanted.saturating_sub(must);
        // What is left is given to places in any order.
        rng.shuffle(&mut places);
        let mut blocks = Vec::new();
        for &place in &places {
            match self.nodes[place as usize].kind {
                Kind::Statement => self.statement(place, rng),
                Kind::Last => match self.result {
                    Some(ty) => self.decide(place, Kind::Return, &[Kind::Value(ty)]),
                    None => self.decide(place, Kind::Return, &[]),
                },
                Kind::Elif => self.condition(place, &[Kind::If], rng),
                Kind::Effect => self.effect(place, rng),
                Kind::Value(ty) => self.value(place, ty, rng),
                Kind::Argument(ty) => self.add(place, Kind::Value(ty)),
                _ => {}
            }
            if self.nodes[place as usize].kind == Kind::Block {
                blocks.push(place);
            }
        }
        // Blocks take what is left, as statements: they need a level below them.
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

    fn statement(&mut self, place: u32, rng: &mut Rng) {
        match rng.below(24) {
            0 => {
                self.left += 1;
                self.decide(place, Kind::Empty, &[]);
            }
            1 => match self.result {
                Some(ty) => self.decide(place, Kind::Return, &[Kind::Value(ty)]),
                None => {
                    self.left += 1;
                    self.decide(place, Kind::Return, &[]);
                }
            },
            2 if self.below > 0 => {
                self.left += 1;
                self.decide(place, Kind::Block, &[]);
            }
            // A body begins one level down.
            3..=5 if self.left >= 1 && self.below > 0 => {
                self.left -= 1;
                self.condition(place, &[Kind::If, Kind::While], rng);
            }
            _ => self.decide(place, Kind::Expression, &[Kind::Effect]),
        }
    }

    /// One of `kinds`, or what needs one place more: both have two that count as needed.
    fn condition(&mut self, place: u32, kinds: &[Kind], rng: &mut Rng) {
        let (condition, block) = (Kind::Value(Type::Int), Kind::Block);
        if self.left >= 1 && rng.once_in(3) {
            self.left -= 1;
            let last = if self.below > 0 && rng.once_in(3) { Kind::Elif } else { block };
            self.decide(place, Kind::IfElse, &[condition, block, last]);
        } else {
            let kind = rng.one_of(kinds);
            self.decide(place, kind, &[condition, block]);
        }
    }

    fn effect(&mut self, place: u32, rng: &mut Rng) {
        let choice = rng.below(16);
        if choice < 4
            && let Some(f) = self.callee(None, rng)
        {
            return self.call(place, f);
        }
        let ty = any(rng);
        if choice < 12 && self.left >= 1 {
            self.left -= 1;
            let kind = if choice < 7 { Kind::Declare(ty) } else { Kind::Assign(ty) };
            return self.decide(place, kind, &[Kind::Value(ty)]);
        }
        if choice < 6 {
            return self.decide(place, Kind::Declare(ty), &[]);
        }
        self.value(place, ty, rng);
    }

    fn value(&mut self, place: u32, ty: Type, rng: &mut Rng) {
        if self.left >= 2 && !rng.once_in(8) {
            if rng.once_in(12)
                && let Some(f) = self.callee(Some(ty), rng)
            {
                return self.call(place, f);
            }
            self.left -= 2;
            let (operator, operands) = binary(ty, rng);
            self.decide(place, Kind::Binary(operator), &[Kind::Value(operands), Kind::Value(operands)]);
        } else if self.left >= 1 {
            self.left -= 1;
            let (kind, operand) = unary(ty, rng);
            self.decide(place, kind, &[Kind::Value(operand)]);
        } else {
            self.nodes[place as usize].kind = leaf(ty, rng);
        }
    }

    /// A function to call here: an argument needs a level below it.
    fn callee(&self, result: Option<Type>, rng: &mut Rng) -> Option<u32> {
        self.signatures.callee(result, if self.below > 0 { self.left } else { 0 }, rng)
    }

    fn call(&mut self, place: u32, f: u32) {
        let signatures = self.signatures;
        let parameters = &signatures.all[f as usize].parameters;
        self.left -= parameters.len();
        self.nodes[place as usize].kind = Kind::Call(f);
        for &ty in parameters {
            self.add(place, Kind::Argument(ty));
        }
    }

    /// Decides a place that may have nothing below it.
    fn close(&mut self, place: u32, rng: &mut Rng) {
        let node = &mut self.nodes[place as usize];
        match node.kind {
            Kind::Value(ty) => node.kind = leaf(ty, rng),
            Kind::Effect => node.kind = leaf(any(rng), rng),
            _ => {}
        }
    }
}

/// How many places below it one needs.
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
