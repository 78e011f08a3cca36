//! Folding, node by node, with the operators of the interpreter.

use refcompiler::ir::kinds::{Kind, OPERATORS, Type};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::passes::folding::rules::{LIBRARIES, Pattern, Product, Rule};

use super::nodes::relations;
use super::operators::{OfFloats, operator};

const ROUNDS: usize = 4;

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Stays,
    Literal(u32),
    Child(usize),
    Operator(Kind, usize),
    Shift(u32),
    Nothing,
}

struct Round<'a> {
    nodes: &'a HostNodes,
    end: Vec<usize>,
    parent: Vec<Option<usize>>,
    values: Vec<Option<u32>>,
}

/// Returns the nodes after folding.
pub fn folded(nodes: &HostNodes) -> HostNodes {
    let mut nodes = nodes.clone();
    for _ in 0..ROUNDS {
        let round = Round::new(&nodes);
        let is_declared = |i: &usize| round.parent[*i].is_some_and(|above| nodes.kind[above] == Kind::Declare);
        let is_literal = |i: usize| matches!(round.change(i), Change::Literal(_));
        let before = nodes.kind.len();
        let has_new_literals = (0..before).filter(is_declared).any(is_literal);
        nodes = round.run();
        if !has_new_literals && nodes.kind.len() == before {
            break;
        }
    }
    nodes
}

/// Returns the value of a binary operator on ints.
pub fn of_ints(kind: Kind, a: i32, b: i32) -> i32 {
    match kind {
        Kind::AddWords => a.wrapping_add(b.wrapping_mul(4)),
        Kind::AddShorts => a.wrapping_add(b.wrapping_mul(2)),
        kind => (operator(kind.code()).of_ints)(a, b),
    }
}

fn of_floats(kind: Kind, a: u32, b: u32) -> Option<u32> {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    match operator(kind.code()).of_floats {
        OfFloats::Float(value) if kind != Kind::Rem => {
            let value = value(a, b);
            Some(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
        }
        OfFloats::Truth(value) => Some(u32::from(value(a, b))),
        _ => None,
    }
}

fn is_binary(kind: Kind) -> bool {
    OPERATORS.iter().any(|operator| operator.kind == kind) || matches!(kind, Kind::AddWords | Kind::AddShorts)
}

/// Returns the rules of an operator.
fn rules(kind: Kind) -> impl Iterator<Item = &'static Rule> {
    LIBRARIES.iter().flat_map(|library| library.iter()).filter(move |rule| rule.kind == kind)
}

impl Round<'_> {
    fn new(nodes: &HostNodes) -> Round<'_> {
        let n = nodes.kind.len();
        let (parent, end) = relations(nodes);
        let mut round = Round { nodes, end, parent, values: vec![None; n] };
        for i in (0..n).rev() {
            round.values[i] = round.value(i);
        }
        round
    }

    fn children(&self, i: usize) -> Vec<usize> {
        let (mut at, mut children) = (i + 1, Vec::new());
        while at < self.end[i] {
            children.push(at);
            at = self.end[at];
        }
        children
    }

    fn type_of(&self, i: usize) -> Type {
        self.nodes.kind[i].type_of_value(self.nodes.ty[i])
    }

    fn value(&self, i: usize) -> Option<u32> {
        let nodes = self.nodes;
        let kind = nodes.kind[i];
        let children = self.children(i);
        let value = |k: usize| children.get(k).and_then(|&child| self.values[child]);
        if kind == Kind::Literal {
            return Some(nodes.data[i]);
        }
        if kind == Kind::Name {
            let variable = nodes.data[i] as usize;
            let is_write =
                |j: usize| matches!(nodes.kind[j], Kind::Assign | Kind::Address) && nodes.data[j] as usize == variable;
            let has_literal = nodes.kind[variable] == Kind::Declare
                && self.end[variable] == variable + 2
                && nodes.kind[variable + 1] == Kind::Literal;
            let is_written = (0..nodes.kind.len()).any(is_write);
            return (has_literal && !is_written).then(|| nodes.data[variable + 1]);
        }
        let is_float = children.first().is_some_and(|&child| self.type_of(child) == Type::Float);
        if is_binary(kind) {
            return match (value(0), value(1)) {
                (Some(a), Some(b)) if is_float => of_floats(kind, a, b),
                (Some(a), Some(b)) => Some(of_ints(kind, a as i32, b as i32) as u32),
                _ if is_float => None,
                _ => {
                    let changes = rules(kind).filter_map(|rule| self.fits(rule, children[0], children[1]));
                    let mut literals = changes.filter_map(|change| match change {
                        Change::Literal(made) => Some(made),
                        _ => None,
                    });
                    literals.next()
                }
            };
        }
        let operand = match kind {
            Kind::Ascribe if nodes.data[i] != 0 => return None,
            Kind::Ascribe | Kind::Cast | Kind::Negate | Kind::Not | Kind::Complement | Kind::Abs => value(0)?,
            _ => return None,
        };
        let x = f32::from_bits(operand);
        if is_float && x.is_nan() && kind != Kind::Cast {
            return None;
        }
        Some(match kind {
            Kind::Negate if is_float => (-x).to_bits(),
            Kind::Negate => (operand as i32).wrapping_neg() as u32,
            Kind::Not => u32::from(operand == 0),
            Kind::Complement => !operand,
            Kind::Abs if is_float => x.abs().to_bits(),
            Kind::Abs => (operand as i32).wrapping_abs() as u32,
            Kind::Cast if is_float && nodes.ty[i] == Type::Int => {
                if x.is_nan() {
                    i32::MAX as u32
                } else {
                    x as i32 as u32
                }
            }
            Kind::Cast if !is_float && nodes.ty[i] == Type::Float => (operand as i32 as f32).to_bits(),
            _ => operand,
        })
    }

    fn is_pure(&self, i: usize) -> bool {
        (i..self.end[i])
            .all(|j| self.nodes.kind[j].is_pure() && (self.nodes.kind[j] != Kind::Ascribe || self.nodes.data[j] == 0))
    }

    fn fits(&self, rule: &Rule, left: usize, right: usize) -> Option<Change> {
        let given = |i: usize| self.values[i] == Some(rule.given as u32);
        let is_name = |i: usize| self.nodes.kind[i] == Kind::Name;
        let (fits, child) = match rule.pattern {
            Pattern::RightIs => (given(right), 0),
            Pattern::LeftIs => (given(left), 1),
            Pattern::Same => (is_name(left) && is_name(right) && self.nodes.data[left] == self.nodes.data[right], 0),
            _ => (self.values[right].is_some_and(|value| value > 1 && value.is_power_of_two()), 0),
        };
        let other = if child == 0 { left } else { right };
        if !fits || rule.product == Product::Literal && !self.is_pure(other) {
            return None;
        }
        Some(match rule.product {
            Product::Operand => Change::Child(child),
            Product::Literal => Change::Literal(rule.made as u32),
            Product::Negated => Change::Operator(Kind::Negate, child),
            Product::Complemented => Change::Operator(Kind::Complement, child),
            _ => Change::Shift(self.values[right].expect("a power").trailing_zeros()),
        })
    }

    fn change(&self, i: usize) -> Change {
        let kind = self.nodes.kind[i];
        let children = self.children(i);
        if kind == Kind::Literal {
            return Change::Stays;
        }
        if let Some(value) = self.values[i] {
            let is_cheap = self.type_of(i) == Type::Int && (-2048..2048).contains(&(value as i32));
            if kind == Kind::Name && !is_cheap {
                return Change::Stays;
            }
            return Change::Literal(value);
        }
        if is_binary(kind) && self.type_of(children[0]) == Type::Int {
            let mut changes = rules(kind).filter_map(|rule| self.fits(rule, children[0], children[1]));
            return changes.find(|change| !matches!(change, Change::Literal(_))).unwrap_or(Change::Stays);
        }
        if kind == Kind::CheckIndex {
            let pair = self.values[children[0]].zip(self.values[children[1]]);
            let holds = pair.is_some_and(|(index, extent)| (0..extent as i32).contains(&(index as i32)));
            return if holds { Change::Child(0) } else { Change::Stays };
        }
        if !kind.is_control() {
            return Change::Stays;
        }
        let below = || i + 1..self.end[i];
        let keeps = below().any(|j| self.nodes.kind[j].is_function())
            || kind == Kind::Choose && below().any(|j| self.nodes.kind[j].is_declaration());
        let condition = if matches!(kind, Kind::For | Kind::Choose) { i + 2 } else { i + 1 };
        match (kind, self.values[condition].map(|value| value as i32)) {
            (_, None) => Change::Stays,
            _ if keeps => Change::Stays,
            (Kind::If, Some(0)) | (Kind::While, Some(0)) | (Kind::For, Some(i32::MIN..=0)) => Change::Nothing,
            (Kind::IfElse | Kind::Choose, Some(0)) => Change::Child(2),
            (Kind::If | Kind::IfElse | Kind::Choose, _) => Change::Child(1),
            _ => Change::Stays,
        }
    }

    fn run(&self) -> HostNodes {
        let n = self.nodes.kind.len();
        let (mut out, mut at) = (HostNodes::default(), vec![0; n]);
        for i in (0..n).filter(|&i| self.parent[i].is_none()) {
            self.write(i, 0, &mut out, &mut at);
        }
        for i in 0..out.kind.len() {
            if out.kind[i].is_variable() {
                out.data[i] = at[out.data[i] as usize];
            }
        }
        out
    }

    fn write(&self, i: usize, depth: u32, out: &mut HostNodes, at: &mut [u32]) {
        let nodes = self.nodes;
        let children = self.children(i);
        at[i] = out.kind.len() as u32;
        let mut push = |kind, ty, data| {
            out.depth.push(depth);
            out.kind.push(kind);
            out.ty.push(ty);
            out.data.push(data);
        };
        match self.change(i) {
            Change::Literal(bits) => push(Kind::Literal, self.type_of(i), bits),
            Change::Nothing => push(Kind::Block, Type::Void, 0),
            Change::Child(k) => self.write(children[k], depth, out, at),
            Change::Operator(kind, k) => {
                push(kind, nodes.ty[i], 0);
                self.write(children[k], depth + 1, out, at);
            }
            Change::Shift(by) => {
                push(Kind::Shl, nodes.ty[i], 0);
                self.write(children[0], depth + 1, out, at);
                out.depth.push(depth + 1);
                out.kind.push(Kind::Literal);
                out.ty.push(Type::Int);
                out.data.push(by);
            }
            Change::Stays => {
                let is_chosen = |above| matches!(self.change(above), Change::Child(_));
                let is_part =
                    matches!(nodes.kind[i], Kind::Then | Kind::Otherwise) && self.parent[i].is_some_and(is_chosen);
                push(if is_part { Kind::Ascribe } else { nodes.kind[i] }, nodes.ty[i], nodes.data[i]);
                for child in children {
                    self.write(child, depth + 1, out, at);
                }
            }
        }
    }
}
