//! Random programs in Par, level by level.

use std::fmt::Write as _;

/// A program as functions, each a tree.
#[derive(Default)]
pub struct Program {
    functions: Vec<Vec<Node>>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An open place for a statement, a value or call, a value: int or float.
    Statement,
    ValueOrCall,
    Value(Type),
    Block,
    If,
    While,
    Expression,
    Assign,
    Call,
    Argument,
    Literal(Type),
    Parameter,
    Unary(Type, &'static str),
    Cast(Type),
    Binary(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int,
    Float,
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    children: Vec<u32>,
}

/// A linear congruential generator, of which the high bits are used.
pub struct Rng(u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }

    /// From 0 to less than 1.
    pub fn part(&mut self) -> f64 {
        f64::from(self.next()) / 4_294_967_296.0
    }

    /// A whole number next to x, on average x.
    pub fn round(&mut self, x: f64) -> usize {
        x as usize + usize::from(self.part() < x.fract())
    }

    fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }
}

impl Program {
    /// Adds a function whose levels below its body have about as many nodes as said.
    pub fn function(&mut self, levels: &[usize], rng: &mut Rng) {
        let mut nodes = vec![Node { kind: Kind::Block, children: Vec::new() }];
        let mut slots = vec![0u32];
        let mut owed = 0isize;
        for (level, &count) in levels.iter().enumerate() {
            // What the levels before missed is made good here, where it can be.
            let wanted = (count as isize + owed).max(0) as usize;
            let below = levels.len() - level - 1;
            let made = grow(&mut nodes, &slots, wanted, below, rng);
            owed += count as isize - made.len() as isize;
            slots = made;
        }
        for slot in slots {
            close(&mut nodes[slot as usize], rng);
        }
        self.functions.push(nodes);
    }

    /// The program's text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (f, nodes) in self.functions.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(out, "fn f{f}[p: int] ");
            self.print(f, nodes, 0, &mut out);
            out.push('\n');
        }
        out
    }

    fn print(&self, f: usize, nodes: &[Node], at: u32, out: &mut String) {
        let node = &nodes[at as usize];
        let child = |k: usize, out: &mut String| self.print(f, nodes, node.children[k], out);
        match node.kind {
            Kind::Block => {
                out.push_str("{\n");
                for k in 0..node.children.len() {
                    child(k, out);
                    out.push('\n');
                }
                out.push('}');
            }
            Kind::If | Kind::While => {
                out.push_str(if node.kind == Kind::If { "if " } else { "while " });
                child(0, out);
                out.push(' ');
                child(1, out);
            }
            Kind::Expression => {
                child(0, out);
                out.push(';');
            }
            Kind::Assign => {
                out.push_str("p = ");
                child(0, out);
            }
            Kind::Call => {
                // Any function: the next one, or the first.
                let _ = write!(out, "f{}[", (f * 7 + at as usize) % self.functions.len());
                child(0, out);
                out.push(']');
            }
            Kind::Argument => child(0, out),
            Kind::Literal(Type::Int) => drop(write!(out, "{}", at % 1000)),
            Kind::Literal(Type::Float) => drop(write!(out, "{}.5", at % 100)),
            Kind::Parameter => out.push('p'),
            Kind::Unary(_, operator) => {
                out.push_str(operator);
                out.push('(');
                child(0, out);
                out.push(')');
            }
            Kind::Cast(to) => {
                out.push_str(if to == Type::Int { "int(" } else { "float(" });
                child(0, out);
                out.push(')');
            }
            Kind::Binary(operator) => {
                out.push('(');
                child(0, out);
                let _ = write!(out, " {operator} ");
                child(1, out);
                out.push(')');
            }
            Kind::Statement | Kind::ValueOrCall | Kind::Value(_) => {}
        }
    }

    /// Depths of the tree that the compiler makes of the text, in preorder.
    pub fn depths(&self) -> Vec<u32> {
        let mut depth = Vec::new();
        let mut open = Vec::new();
        for nodes in &self.functions {
            depth.extend([0, 1, 1]);
            open.push((0u32, 1u32));
            while let Some((at, d)) = open.pop() {
                depth.push(d);
                open.extend(nodes[at as usize].children.iter().rev().map(|&child| (child, d + 1)));
            }
        }
        depth
    }
}

/// Decides what open places are, so that about `wanted` open places are below them; `below` is how many levels may
/// follow that one. Returns the new places.
fn grow(nodes: &mut Vec<Node>, slots: &[u32], wanted: usize, below: usize, rng: &mut Rng) -> Vec<u32> {
    let mut made = Vec::with_capacity(wanted);
    let mut add = |nodes: &mut Vec<Node>, parent: u32, kind: Kind| {
        let at = nodes.len() as u32;
        nodes.push(Node { kind, children: Vec::new() });
        nodes[parent as usize].children.push(at);
        made.push(at);
    };
    // Each statement and argument has one place at least; what is left is given to places in any order.
    let needs = |kind: Kind| matches!(kind, Kind::Statement | Kind::Argument);
    let least = slots.iter().filter(|&&slot| needs(nodes[slot as usize].kind)).count();
    let mut left = wanted.saturating_sub(least);
    let mut order: Vec<u32> = slots.to_vec();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let mut blocks = Vec::new();
    for &slot in &order {
        match nodes[slot as usize].kind {
            Kind::Statement => {
                // A body begins one level down, and a statement in it needs a level of its own.
                if left > 0 && below > 0 && rng.below(8) == 0 {
                    left -= 1;
                    nodes[slot as usize].kind = if rng.below(3) == 0 { Kind::While } else { Kind::If };
                    add(nodes, slot, Kind::Value(Type::Int));
                    add(nodes, slot, Kind::Block);
                } else {
                    nodes[slot as usize].kind = Kind::Expression;
                    let kind = if below > 1 { Kind::ValueOrCall } else { Kind::Value(any(rng)) };
                    add(nodes, slot, kind);
                }
            }
            Kind::Argument => add(nodes, slot, Kind::Value(Type::Int)),
            Kind::Block => blocks.push(slot),
            Kind::ValueOrCall if left > 0 && below > 0 && rng.below(6) == 0 => {
                left -= 1;
                if below > 1 && rng.below(2) == 0 {
                    nodes[slot as usize].kind = Kind::Call;
                    add(nodes, slot, Kind::Argument);
                } else {
                    nodes[slot as usize].kind = Kind::Assign;
                    add(nodes, slot, Kind::Value(Type::Int));
                }
            }
            Kind::ValueOrCall | Kind::Value(_) => {
                let ty = match nodes[slot as usize].kind {
                    Kind::Value(ty) => ty,
                    _ => any(rng),
                };
                if left >= 2 && rng.below(8) != 0 {
                    left -= 2;
                    let (operator, operands) = binary(ty, rng);
                    nodes[slot as usize].kind = Kind::Binary(operator);
                    add(nodes, slot, Kind::Value(operands));
                    add(nodes, slot, Kind::Value(operands));
                } else if left >= 1 {
                    left -= 1;
                    let (kind, operand) = unary(ty, rng);
                    nodes[slot as usize].kind = kind;
                    add(nodes, slot, Kind::Value(operand));
                } else {
                    nodes[slot as usize].kind = leaf(ty, rng);
                }
            }
            _ => {}
        }
    }
    // Bodies take what is left, as statements: they need a level below them.
    if below > 0 && !blocks.is_empty() {
        for _ in 0..left {
            let block = rng.one_of(&blocks);
            add(nodes, block, Kind::Statement);
        }
    }
    made
}

/// What an open place is when nothing may be below it.
fn close(node: &mut Node, rng: &mut Rng) {
    match node.kind {
        Kind::Value(ty) => node.kind = leaf(ty, rng),
        Kind::ValueOrCall => node.kind = leaf(Type::Int, rng),
        _ => {}
    }
}

fn any(rng: &mut Rng) -> Type {
    if rng.below(4) == 0 { Type::Float } else { Type::Int }
}

fn leaf(ty: Type, rng: &mut Rng) -> Kind {
    if ty == Type::Int && rng.below(2) == 0 { Kind::Parameter } else { Kind::Literal(ty) }
}

fn binary(ty: Type, rng: &mut Rng) -> (&'static str, Type) {
    match ty {
        Type::Float => (rng.one_of(&["+", "-", "*", "/"]), Type::Float),
        Type::Int if rng.below(5) == 0 => (rng.one_of(&["<", "<=", ">", ">=", "==", "!="]), any(rng)),
        Type::Int => (rng.one_of(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "&&", "||"]), Type::Int),
    }
}

fn unary(ty: Type, rng: &mut Rng) -> (Kind, Type) {
    match (ty, rng.below(4)) {
        (Type::Float, 0) => (Kind::Cast(Type::Float), Type::Int),
        (Type::Float, _) => (Kind::Unary(ty, "-"), ty),
        (Type::Int, 0) => (Kind::Cast(Type::Int), Type::Float),
        (Type::Int, _) => (Kind::Unary(ty, rng.one_of(&["-", "!", "~"])), ty),
    }
}
