//! The change of each node in a round, given the values of operators on literals.

use treepar::device::device;

use super::constants::{Known, UNKNOWN, known, of_floats, of_ints, of_one};
use super::rules::{Pattern, Product, pattern_of, product_of, rules_of};
use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};

/// Literals from -`SMALL` to `SMALL` - 1 are in the instructions of all targets.
const SMALL: u32 = 2048;

/// The operators that rules can be for.
const WITH_RULES: Kinds = BINARY.union(Kinds::of(&[Kind::AddWords, Kind::AddShorts]));

/// Numbers of nodes up to and including one.
#[device]
pub struct Counts {
    /// Nodes that are not pure, so that they must stay.
    pub effects: u32,
    /// Functions.
    pub functions: u32,
    /// Declarations.
    pub declarations: u32,
}

#[device(monoid(identity = Counts { effects: 0, functions: 0, declarations: 0 }))]
pub fn add_counts(a: Counts, b: Counts) -> Counts {
    Counts {
        effects: a.effects.wrapping_add(b.effects),
        functions: a.functions.wrapping_add(b.functions),
        declarations: a.declarations.wrapping_add(b.declarations),
    }
}

#[device(scan(add_counts))]
pub fn counted(i: NodeId, nodes: &Nodes) -> Counts {
    let kind = nodes.kind[i];
    let is_assertion = (kind == Kind::Ascribe) & (nodes.data[i] != 0);
    Counts {
        effects: (!kind.is_pure() | is_assertion) as u32,
        functions: kind.is_function() as u32,
        declarations: kind.is_declaration() as u32,
    }
}

/// The change of a node.
#[device]
pub enum Change {
    /// None.
    Stays,
    /// A literal instead of it.
    Literal,
    /// A child instead of it.
    Child,
    /// Another operator, on one of the operands.
    Operator,
    /// A shift instead of a product.
    Shift,
    /// An empty block.
    Nothing,
}

/// The relations and facts of nodes.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of the subtree.
    pub end: u32,
    /// The number of earlier children of the parent, at most 2.
    pub child: u32,
    /// The value, if it is known.
    pub value: Known,
    /// Numbers of nodes up to this one.
    pub counts: Counts,
}

/// What happens to a node.
#[device(columns(Changes, index = NodeId))]
pub struct Changed {
    /// The change.
    pub change: Change,
    /// The bits of a literal, the child, or the exponent.
    pub number: u32,
    /// The new kind of an operator.
    pub kind: Kind,
}

/// Returns the value of the variable that a node reads.
#[device]
fn value_of_read(i: NodeId, nodes: &Nodes, writes: &[u32]) -> Known {
    let variable = NodeId::new(nodes.data[i]);
    let value = variable.plus(1);
    if nodes.kind[variable] != Kind::Declare || writes[variable.index()] > 0 {
        return UNKNOWN;
    }
    let has_literal =
        value.index() < nodes.len() && nodes.depth[value] > nodes.depth[variable] && nodes.kind[value] == Kind::Literal;
    if has_literal { known(nodes.data[value]) } else { UNKNOWN }
}

/// Returns the type of the value of a node.
#[device]
fn type_of(i: NodeId, nodes: &Nodes) -> Type {
    nodes.kind[i].type_of_value(nodes.ty[i])
}

/// Returns the literal that an operator on ints is by a rule, whatever the other operand, which has no effect.
#[device]
fn literal_by_rule(i: NodeId, a: Known, b: Known, nodes: &Nodes, end: &[u32], counts: &[Counts]) -> Known {
    let left = i.plus(1);
    let right = NodeId::new(end[left.index()]);
    let is_read = is_same(left, right, nodes);
    if (a.is_known == 0) & (b.is_known == 0) & !is_read {
        return UNKNOWN;
    }
    let (first, last) = rules_of(nodes.kind[i]);
    let mut rule = first;
    while rule < last {
        let (pattern, given) = pattern_of(rule);
        let (product, made) = product_of(rule);
        let is_left = pattern == Pattern::LeftIs;
        let fits = match pattern {
            Pattern::RightIs => b.is_known == 1 && b.bits == given,
            Pattern::LeftIs => a.is_known == 1 && a.bits == given,
            Pattern::Same => is_read,
            _ => false,
        };
        if fits && product == Product::Literal && is_pure(if is_left { right } else { left }, nodes, end, counts) {
            return known(made);
        }
        rule += 1;
    }
    UNKNOWN
}

#[device(walk_slots)]
pub fn value(i: NodeId, operands: &[Known], nodes: &Nodes, writes: &[u32], end: &[u32], counts: &[Counts]) -> Known {
    let kind = nodes.kind[i];
    if kind == Kind::Literal {
        return known(nodes.data[i]);
    }
    if kind == Kind::Name {
        return value_of_read(i, nodes, writes);
    }
    if WITH_RULES.contains(kind) {
        let a = operands[0];
        let b = operands[1];
        let are_known = (a.is_known == 1) & (b.is_known == 1);
        if type_of(i.plus(1), nodes) == Type::Float {
            return if are_known { of_floats(kind, a.bits, b.bits) } else { UNKNOWN };
        }
        if are_known {
            return of_ints(kind, a.bits, b.bits);
        }
        return literal_by_rule(i, a, b, nodes, end, counts);
    }
    let is_plain = kind.is_unary() && (kind != Kind::Ascribe || nodes.data[i] == 0);
    if is_plain && operands[0].is_known == 1 {
        return of_one(kind, nodes.ty[i], type_of(i.plus(1), nodes), operands[0].bits);
    }
    UNKNOWN
}

/// Returns whether a subtree has no effect.
#[device]
fn is_pure(i: NodeId, nodes: &Nodes, end: &[u32], counts: &[Counts]) -> bool {
    let last = end[i.index()] as usize - 1;
    let is_assertion = (nodes.kind[i] == Kind::Ascribe) & (nodes.data[i] != 0);
    nodes.kind[i].is_pure() && !is_assertion && counts[last].effects == counts[i.index()].effects
}

/// Returns whether two operands read the same variable.
#[device]
fn is_same(left: NodeId, right: NodeId, nodes: &Nodes) -> bool {
    let are_names = (nodes.kind[left] == Kind::Name) & (nodes.kind[right] == Kind::Name);
    are_names && nodes.data[left] == nodes.data[right]
}

/// Returns the change of a node that stays.
#[device]
fn stays() -> Changed {
    Changed { change: Change::Stays, number: 0, kind: Kind::Empty }
}

/// Returns the change of a node to one of its children.
#[device]
fn to_child(k: u32) -> Changed {
    Changed { change: Change::Child, number: k, kind: Kind::Empty }
}

/// Returns the change of a node to a literal.
#[device]
fn to_literal(bits: u32) -> Changed {
    Changed { change: Change::Literal, number: bits, kind: Kind::Empty }
}

/// Returns the exponent of a power of two, at least 2; 32 for another number.
#[device]
fn exponent(bits: u32) -> u32 {
    if (bits > 1) & (bits.count_ones() == 1) { bits.trailing_zeros() } else { 32 }
}

/// Returns the change of an operator on ints by the first rule that fits and does not make a literal.
#[device]
fn by_rule(i: NodeId, nodes: &Nodes, facts: &Facts) -> Changed {
    let left = i.plus(1);
    let right = NodeId::new(facts.end[left]);
    let a = facts.value[left];
    let b = facts.value[right];
    let (first, last) = rules_of(nodes.kind[i]);
    let mut rule = first;
    while rule < last {
        let (pattern, given) = pattern_of(rule);
        let (product, _) = product_of(rule);
        let is_left = pattern == Pattern::LeftIs;
        let fits = match pattern {
            Pattern::RightIs => b.is_known == 1 && b.bits == given,
            Pattern::LeftIs => a.is_known == 1 && a.bits == given,
            Pattern::Same => is_same(left, right, nodes),
            _ => b.is_known == 1 && exponent(b.bits) < 32,
        };
        if fits && product != Product::Literal {
            let child = is_left as u32;
            return match product {
                Product::Operand => to_child(child),
                Product::Negated => Changed { change: Change::Operator, number: child, kind: Kind::Negate },
                Product::Complemented => Changed { change: Change::Operator, number: child, kind: Kind::Complement },
                _ => Changed { change: Change::Shift, number: exponent(b.bits), kind: Kind::Shl },
            };
        }
        rule += 1;
    }
    stays()
}

/// Returns whether a subtree has a function, or a declaration if it is a conditional expression.
#[device]
fn must_stay(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let last = NodeId::new(facts.end[i] - 1);
    let has_functions = facts.counts[last].functions > facts.counts[i].functions;
    let declares = facts.counts[last].declarations > facts.counts[i].declarations;
    has_functions | (declares & (nodes.kind[i] == Kind::Choose))
}

/// Returns the change of a branch or loop.
#[device]
fn by_condition(i: NodeId, nodes: &Nodes, facts: &Facts) -> Changed {
    let kind = nodes.kind[i];
    let has_head = (kind == Kind::For) | (kind == Kind::Choose);
    let condition = facts.value[if has_head { i.plus(2) } else { i.plus(1) }];
    if condition.is_known == 0 || must_stay(i, nodes, facts) {
        return stays();
    }
    let holds = condition.bits != 0;
    let nothing = Changed { change: Change::Nothing, number: 0, kind: Kind::Empty };
    match kind {
        Kind::IfElse | Kind::Choose => to_child(if holds { 1 } else { 2 }),
        Kind::If => {
            if holds {
                to_child(1)
            } else {
                nothing
            }
        }
        Kind::While => {
            if holds {
                stays()
            } else {
                nothing
            }
        }
        _ => {
            if (condition.bits as i32) > 0 {
                stays()
            } else {
                nothing
            }
        }
    }
}

/// Returns what happens to a node.
#[device(map)]
pub fn changed(i: NodeId, nodes: &Nodes, facts: &Facts) -> Changed {
    let kind = nodes.kind[i];
    let own = facts.value[i];
    if kind == Kind::Literal {
        return stays();
    }
    if own.is_known == 1 {
        let is_dear = own.bits.wrapping_add(SMALL) >= 2 * SMALL || type_of(i, nodes) == Type::Float;
        return if (kind == Kind::Name) & is_dear { stays() } else { to_literal(own.bits) };
    }
    if kind.is_control() {
        return by_condition(i, nodes, facts);
    }
    if kind == Kind::CheckIndex {
        let index = facts.value[i.plus(1)];
        let extent = facts.value[NodeId::new(facts.end[i.plus(1)])];
        let holds = index.is_known == 1 && extent.is_known == 1 && (index.bits as i32) >= 0;
        return if holds && (index.bits as i32) < extent.bits as i32 { to_child(0) } else { stays() };
    }
    if WITH_RULES.contains(kind) && type_of(i.plus(1), nodes) == Type::Int { by_rule(i, nodes, facts) } else { stays() }
}
