//! Folding, node by node, with the operators of the interpreter.

use std::collections::{HashMap, HashSet};

use refcompiler::ir::kinds::{Kind, OPERATORS, Type};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::passes::folding::rules::{LIBRARIES, Pattern, Product, Rule};

use super::nodes::relations;
use super::operators::{OfFloats, operator};

const ROUNDS: usize = 4;
const WALKS: usize = 4;

/// The value of a node after folding.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Effect,
    Pure,
    Read(u32),
    Known(u32),
}

/// The change of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Stays,
    Literal(u32),
    Child(usize),
    Operator(Kind, usize),
    Shift(u32),
    /// Another literal, and the unknown operand of operand `k`.
    Merge(usize, u32),
    Nothing,
}

struct Round<'a> {
    nodes: &'a HostNodes,
    end: Vec<usize>,
    parent: Vec<Option<usize>>,
    /// The numbers of constant variables.
    constants: HashMap<usize, u32>,
    forms: Vec<(Form, Change)>,
}

/// Returns the nodes after folding.
pub fn folded(nodes: &HostNodes) -> HostNodes {
    ordered(&(0..ROUNDS).fold(nodes.clone(), |nodes, _| Round::new(&nodes).run()))
}

/// Returns the nodes with literals, and variables before calls, as right operands of operators that commute.
fn ordered(nodes: &HostNodes) -> HostNodes {
    fn write(i: usize, nodes: &HostNodes, end: &[usize], out: &mut HostNodes, at: &mut [u32]) {
        at[i] = out.kind.len() as u32;
        out.depth.push(nodes.depth[i]);
        out.kind.push(nodes.kind[i]);
        out.ty.push(nodes.ty[i]);
        out.data.push(nodes.data[i]);
        let mut children = Vec::new();
        let mut next = i + 1;
        while next < end[i] {
            children.push(next);
            next = end[next];
        }
        if is_swapped(nodes, &children, i, end) {
            children.reverse();
        }
        children.into_iter().for_each(|child| write(child, nodes, end, out, at));
    }
    let (parent, end) = relations(nodes);
    let (mut out, mut at) = (HostNodes::default(), vec![0; nodes.kind.len()]);
    for root in (0..nodes.kind.len()).filter(|&i| parent[i].is_none()) {
        write(root, nodes, &end, &mut out, &mut at);
    }
    for i in 0..out.kind.len() {
        if out.kind[i].is_variable() {
            out.data[i] = at[out.data[i] as usize];
        }
    }
    out
}

fn is_swapped(nodes: &HostNodes, children: &[usize], i: usize, end: &[usize]) -> bool {
    let commutes =
        matches!(nodes.kind[i], Kind::Add | Kind::Mul | Kind::And | Kind::Or | Kind::Xor | Kind::Eq | Kind::Ne);
    let &[left, right] = children else { return false };
    if !commutes || nodes.kind[left].type_of_value(nodes.ty[left]) != Type::Int {
        return false;
    }
    let writes = |k: usize| matches!(nodes.kind[k], Kind::Assign | Kind::Address) && nodes.data[k] == nodes.data[left];
    match nodes.kind[left] {
        Kind::Literal => nodes.kind[right] != Kind::Literal,
        Kind::Name => (right..end[i]).any(|k| nodes.kind[k].is_call(nodes.ty[k])) && !(0..nodes.kind.len()).any(writes),
        _ => false,
    }
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

/// Returns whether a literal takes no more instructions than a read of a variable.
fn is_cheap(ty: Type, bits: u32) -> bool {
    ty == Type::Int && (-2048..2048).contains(&(bits as i32))
}

/// Returns the form and the change that a rule makes, if it fits.
fn fits(rule: &Rule, left: Form, right: Form) -> Option<(Form, Change)> {
    let given = Form::Known(rule.given as u32);
    let (fits, child) = match rule.pattern {
        Pattern::RightIs => (right == given, 0),
        Pattern::LeftIs => (left == given, 1),
        Pattern::Same => (matches!(left, Form::Read(_)) && left == right, 0),
        _ => (matches!(right, Form::Known(power) if power > 1 && power.is_power_of_two()), 0),
    };
    let other = if child == 0 { left } else { right };
    let pure = if other == Form::Effect { Form::Effect } else { Form::Pure };
    if !fits || rule.product == Product::Literal && other == Form::Effect {
        return None;
    }
    Some(match (rule.product, right) {
        (Product::Operand, _) => (other, Change::Child(child)),
        (Product::Literal, _) => (Form::Known(rule.made as u32), Change::Literal(rule.made as u32)),
        (Product::Negated, _) => (pure, Change::Operator(Kind::Negate, child)),
        (Product::Complemented, _) => (pure, Change::Operator(Kind::Complement, child)),
        (_, Form::Known(power)) => (pure, Change::Shift(power.trailing_zeros())),
        _ => return None,
    })
}

impl Round<'_> {
    fn new(nodes: &HostNodes) -> Round<'_> {
        let n = nodes.kind.len();
        let (parent, end) = relations(nodes);
        let forms = vec![(Form::Effect, Change::Stays); n];
        let mut round = Round { nodes, end, parent, constants: HashMap::new(), forms };
        let is_foreign = |i: usize| round.function(i) != round.function(nodes.data[i] as usize);
        let writes = (0..n).filter(|&i| match nodes.kind[i] {
            Kind::Assign | Kind::Address => true,
            kind => kind == Kind::Name && is_foreign(i),
        });
        let written: HashSet<usize> = writes.map(|i| nodes.data[i] as usize).collect();
        let has_value = |&i: &usize| nodes.kind[i] == Kind::Declare && round.end[i] > i + 1;
        let unwritten: Vec<usize> = (0..n).filter(has_value).filter(|i| !written.contains(i)).collect();
        let literals = unwritten.iter().filter(|&&i| nodes.kind[i + 1] == Kind::Literal);
        round.constants = literals.map(|&i| (i, nodes.data[i + 1])).collect();
        for _ in 0..WALKS {
            for i in (0..n).rev() {
                round.forms[i] = round.form(i);
            }
            let before = round.constants.len();
            for &variable in &unwritten {
                let value = variable + 1;
                let is_literal = |bits| nodes.kind[value] != Kind::Name || is_cheap(round.type_of(value), bits);
                match round.forms[value].0 {
                    Form::Known(bits) if is_literal(bits) => {
                        round.constants.insert(variable, bits);
                    }
                    _ => {}
                }
            }
            if round.constants.len() == before {
                break;
            }
        }
        round
    }

    /// Returns the function around a node.
    fn function(&self, i: usize) -> usize {
        let mut at = i;
        while !self.nodes.kind[at].is_function() {
            at = self.parent[at].expect("a function around");
        }
        at
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

    /// Returns the form of a node, given the forms of all nodes below, and its change if it is an operator.
    fn form(&self, i: usize) -> (Form, Change) {
        let nodes = self.nodes;
        let kind = nodes.kind[i];
        let children = self.children(i);
        let below: Vec<Form> = children.iter().map(|&child| self.forms[child].0).collect();
        let is_pure = below.iter().all(|&form| form != Form::Effect);
        let stays = (if kind.is_pure() && is_pure { Form::Pure } else { Form::Effect }, Change::Stays);
        let number = |bits| (Form::Known(bits), Change::Literal(bits));
        match kind {
            Kind::Literal => return (Form::Known(nodes.data[i]), Change::Stays),
            Kind::Name => {
                let variable = nodes.data[i];
                let constant = self.constants.get(&(variable as usize));
                return (constant.map_or(Form::Read(variable), |&bits| Form::Known(bits)), Change::Stays);
            }
            Kind::Ascribe if nodes.data[i] != 0 => return (Form::Effect, Change::Stays),
            Kind::CheckIndex => {
                return match (below[0], below[1]) {
                    (Form::Known(index), Form::Known(extent)) if (0..extent as i32).contains(&(index as i32)) => {
                        number(index)
                    }
                    _ => stays,
                };
            }
            _ => {}
        }
        let is_float = children.first().is_some_and(|&child| self.type_of(child) == Type::Float);
        if is_binary(kind) {
            if let [Form::Known(a), Form::Known(b)] = below[..] {
                let value =
                    if is_float { of_floats(kind, a, b) } else { Some(of_ints(kind, a as i32, b as i32) as u32) };
                return value.map_or(stays, number);
            }
            if is_float {
                return stays;
            }
            let fitting: Vec<_> = rules(kind).filter_map(|rule| fits(rule, below[0], below[1])).collect();
            let literal = fitting.iter().find(|made| matches!(made.1, Change::Literal(_)));
            let made = literal.or(fitting.first()).copied().unwrap_or(stays);
            return match made.1 {
                Change::Stays | Change::Shift(_) => {
                    self.merged(kind, &children).map_or(made, |change| (Form::Pure, change))
                }
                _ => made,
            };
        }
        let is_number = matches!(nodes.ty[i], Type::Int | Type::Float);
        match below[..] {
            [operand]
                if kind == Kind::Ascribe
                    && !matches!(operand, Form::Known(_))
                    && is_number
                    && self.type_of(i + 1) == nodes.ty[i] =>
            {
                (operand, Change::Child(0))
            }
            [Form::Known(operand)] => self.of_one(i, is_float, operand).map_or(stays, number),
            _ => stays,
        }
    }

    /// Returns the known operand of an operator, and the index of the other one, which has no effect.
    fn number(&self, children: &[usize]) -> Option<(u32, usize)> {
        match [self.forms[children[0]].0, self.forms[children[1]].0] {
            [Form::Pure | Form::Read(_), Form::Known(number)] => Some((number, 0)),
            [Form::Known(number), Form::Pure | Form::Read(_)] => Some((number, 1)),
            _ => None,
        }
    }

    /// Returns the number that an operator adds to its other operand, or that it multiplies it with.
    fn term(&self, i: usize, is_product: bool) -> Option<u32> {
        let is_fit = if is_product {
            self.nodes.kind[i] == Kind::Mul
        } else {
            matches!(self.nodes.kind[i], Kind::Add | Kind::Sub)
        };
        if !is_fit || self.type_of(i) != Type::Int {
            return None;
        }
        let (number, unknown) = self.number(&self.children(i))?;
        let number = match self.forms[i].1 {
            Change::Stays => number,
            Change::Shift(by) => 1 << by,
            Change::Merge(_, number) => number,
            _ => return None,
        };
        match self.nodes.kind[i] {
            Kind::Sub if unknown == 1 => None,
            Kind::Sub => Some(number.wrapping_neg()),
            _ => Some(number),
        }
    }

    /// Returns the change of an operator on ints whose operands are a number, and a sum or product with a number.
    fn merged(&self, kind: Kind, children: &[usize]) -> Option<Change> {
        let (number, unknown) = self.number(children)?;
        let number = match kind {
            Kind::Add => number.wrapping_add(self.term(children[unknown], false)?),
            Kind::Sub => number.wrapping_sub(self.term(children[unknown], false)?),
            Kind::Mul => number.wrapping_mul(self.term(children[unknown], true)?),
            _ => return None,
        };
        Some(Change::Merge(unknown, number))
    }

    /// Returns the operand of a sum or product that is not a number.
    fn unknown(&self, i: usize) -> usize {
        let children = self.children(i);
        let (_, unknown) = self.number(&children).expect("a number");
        match self.forms[i].1 {
            Change::Merge(..) => self.unknown(children[unknown]),
            _ => children[unknown],
        }
    }

    /// Returns the value of an operator with one operand.
    fn of_one(&self, i: usize, is_float: bool, operand: u32) -> Option<u32> {
        let kind = self.nodes.kind[i];
        let x = f32::from_bits(operand);
        let is_known =
            matches!(kind, Kind::Ascribe | Kind::Cast | Kind::Negate | Kind::Not | Kind::Complement | Kind::Abs);
        if !is_known || is_float && x.is_nan() && kind != Kind::Cast {
            return None;
        }
        Some(match kind {
            Kind::Negate if is_float => (-x).to_bits(),
            Kind::Negate => (operand as i32).wrapping_neg() as u32,
            Kind::Not => u32::from(operand == 0),
            Kind::Complement => !operand,
            Kind::Abs if is_float => x.abs().to_bits(),
            Kind::Abs => (operand as i32).wrapping_abs() as u32,
            Kind::Cast if is_float && self.nodes.ty[i] == Type::Int => {
                if x.is_nan() {
                    i32::MAX as u32
                } else {
                    x as i32 as u32
                }
            }
            Kind::Cast if !is_float && self.nodes.ty[i] == Type::Float => (operand as i32 as f32).to_bits(),
            _ => operand,
        })
    }

    fn change(&self, i: usize) -> Change {
        let kind = self.nodes.kind[i];
        if kind == Kind::Name {
            let bits = self.constants.get(&(self.nodes.data[i] as usize)).copied();
            let cheap = bits.filter(|&bits| is_cheap(self.type_of(i), bits));
            return cheap.map_or(Change::Stays, Change::Literal);
        }
        if !kind.is_control() {
            return self.forms[i].1;
        }
        let below = || i + 1..self.end[i];
        let keeps = below().any(|j| self.nodes.kind[j].is_function())
            || kind == Kind::Choose && below().any(|j| self.nodes.kind[j].is_declaration());
        let condition = if matches!(kind, Kind::For | Kind::Choose) { i + 2 } else { i + 1 };
        let Form::Known(condition) = self.forms[condition].0 else { return Change::Stays };
        match (kind, condition as i32) {
            _ if keeps => Change::Stays,
            (Kind::If, 0) | (Kind::While, 0) | (Kind::For, i32::MIN..=0) => Change::Nothing,
            (Kind::IfElse | Kind::Choose, 0) => Change::Child(2),
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
            Change::Merge(k, number) => {
                push(nodes.kind[i], nodes.ty[i], nodes.data[i]);
                for child in 0..2 {
                    if child == k {
                        self.write(self.unknown(children[k]), depth + 1, out, at);
                    } else {
                        out.depth.push(depth + 1);
                        out.kind.push(Kind::Literal);
                        out.ty.push(Type::Int);
                        out.data.push(number);
                    }
                }
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
