//! The forms of values after folding, by one upward walk: the form of a node follows from the forms of its operands.
//!
//! ```text
//! ADD (MUL (NAME x, LITERAL 1), SUB (NAME x, NAME x))
//!      NAME x                   known: 0                  the form of each operand
//! NAME x                                                  the form of the sum: its left operand
//! ```
//!
//! Only the nodes that can change are in the walk: operators, loads, checks of indices, branches, loops, and declarations of variables
//! that are not written. The parent of such a node in the walk is the nearest smaller depth. It is the node's true parent, or the branch
//! of which it is the condition, if the node is one of its operands; else the node has no slot there.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Result};

use super::constants::{of_floats, of_ints, of_one};
use super::rules::{Pattern, Product, pattern_of, product_of, rules_of};
use super::variables::{CONSTANT, UNWRITTEN, has_value};
use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};

/// Literals from -`SMALL` to `SMALL` - 1 are in the instructions of all targets.
const SMALL: u32 = 2048;

/// The operators that rules can be for.
const WITH_RULES: Kinds = BINARY.union(Kinds::of(&[Kind::AddWords, Kind::AddShorts]));

/// The kinds in the walk, besides declarations and operators with one operand.
const IN_WALK: Kinds = WITH_RULES.union(Kinds::of(&[
    Kind::Load,
    Kind::LoadByte,
    Kind::LoadShort,
    Kind::CheckIndex,
    Kind::If,
    Kind::IfElse,
    Kind::Choose,
    Kind::While,
    Kind::For,
]));

/// The value of a node after folding.
#[device]
pub enum Is {
    /// It has an effect, or no value.
    Effect,
    /// It has no effect.
    Pure,
    /// It is a read of a variable.
    Read,
    /// It is a known number.
    Known,
    /// It is the sum of an operand without effects and the known number `bits`.
    Sum,
    /// It is the difference of an operand without effects and the known number `bits`.
    Difference,
    /// It is the product of an operand without effects and the known number `bits`.
    Product,
    /// It is the product of an operand without effects and 2 to the power of `bits`.
    Shifted,
}

/// The change of a node.
#[device]
pub enum Change {
    /// None.
    Stays,
    /// A literal instead of it.
    Literal,
    /// An operand instead of it.
    Operand,
    /// The negated operand.
    Negate,
    /// The complement of the operand.
    Complement,
    /// A shift instead of a product.
    Shift,
    /// Another number and the other operand of an operand, instead of a number and this operand.
    Merge,
    /// A part instead of a branch or loop, or nothing, because the condition is known.
    Decided,
    /// None, but the variable that it declares is constant from now on.
    Constant,
}

/// The form of a node after folding, and its change.
#[device]
pub struct Form {
    /// The code of an [`Is`].
    pub is: u32,
    /// The bits of a known number or condition, the variable of a read, the exponent of a shift, or the number that an operand becomes.
    pub bits: u32,
    /// The code of a [`Change`].
    pub change: u32,
    /// The index of the operand that stays, or that is not the known number.
    pub child: u32,
}

/// The form of a node that is not in the walk, unless it is a leaf.
const OTHER: Form = Form { is: Is::Effect.code() as u32, bits: 0, change: Change::Stays.code() as u32, child: 0 };

/// Returns a form.
#[device]
fn form_of(is: Is, bits: u32, change: Change, child: u32) -> Form {
    Form { is: is.code() as u32, bits, change: change.code() as u32, child }
}

/// Returns the form of a number.
#[device]
fn number(bits: u32) -> Form {
    form_of(Is::Known, bits, Change::Literal, 0)
}

/// Returns whether a form is a known number.
#[device]
fn is_known(form: Form) -> bool {
    form.is == Is::Known.code() as u32
}

/// Returns whether a form has no effect.
#[device]
fn is_pure(form: Form) -> bool {
    form.is != Is::Effect.code() as u32
}

/// Returns whether two forms are reads of the same variable.
#[device]
fn are_same(a: Form, b: Form) -> bool {
    (a.is == Is::Read.code() as u32) & (b.is == a.is) & (a.bits == b.bits)
}

/// Returns the change of a form.
#[device]
pub fn change(form: Form) -> Change {
    Change::from_code(form.change as u8)
}

/// Returns the type of the value of a node.
#[device]
pub fn type_of(i: NodeId, nodes: &Nodes) -> Type {
    nodes.kind[i].type_of_value(nodes.ty[i])
}

/// Returns whether a known variable is read as a literal. Other literals take more instructions than a read.
#[device]
pub fn is_cheap(bits: u32, ty: Type) -> bool {
    bits.wrapping_add(SMALL) < 2 * SMALL && ty == Type::Int
}

/// Returns whether a node is in the walk.
#[device(compact)]
fn is_in_walk(i: NodeId, nodes: &Nodes, state: &[u32]) -> bool {
    let kind = nodes.kind[i];
    if kind == Kind::Declare {
        return state[i.index()] == UNWRITTEN && has_value(i, nodes);
    }
    IN_WALK.contains(kind) | kind.is_unary()
}

#[device(map)]
fn depth(r: usize, found: &[u32], nodes: &Nodes) -> u32 {
    nodes.depth[NodeId::new(found[r])]
}

/// Returns the first operand of a node, or the condition of a branch or loop.
#[device]
pub fn first_operand(i: NodeId, nodes: &Nodes) -> NodeId {
    let kind = nodes.kind[i];
    i.plus(1 + ((kind == Kind::For) | (kind == Kind::Choose)) as u32)
}

/// Returns the index of a node among the operands of its parent in the walk, 2 if it is none of them.
#[device(map)]
fn slot(r: usize, found: &[u32], parents: &[u32], nodes: &Nodes, end: &[u32]) -> u32 {
    if parents[r] == NO_NODE {
        return 2;
    }
    let first = first_operand(NodeId::new(found[parents[r] as usize]), nodes);
    if found[r] == first.get() {
        0
    } else if found[r] == end[first.index()] {
        1
    } else {
        2
    }
}

/// Returns the form of an operand, given its form in the walk.
#[device]
fn operand(i: NodeId, walked: Form, nodes: &Nodes, state: &[u32]) -> Form {
    match nodes.kind[i] {
        Kind::Literal => number(nodes.data[i]),
        Kind::Name => {
            let variable = NodeId::new(nodes.data[i]);
            if state[variable.index()] == CONSTANT {
                number(nodes.data[variable.plus(1)])
            } else {
                form_of(Is::Read, variable.get(), Change::Stays, 0)
            }
        }
        Kind::Data | Kind::Extent | Kind::Address => form_of(Is::Pure, 0, Change::Stays, 0),
        _ => walked,
    }
}

/// Returns whether a rule fits operands.
#[device]
fn fits(pattern: Pattern, given: u32, a: Form, b: Form) -> bool {
    match pattern {
        Pattern::RightIs => is_known(b) && b.bits == given,
        Pattern::LeftIs => is_known(a) && a.bits == given,
        Pattern::Same => are_same(a, b),
        _ => is_known(b) && b.bits > 1 && b.bits.count_ones() == 1,
    }
}

/// Returns the form that a rule makes of an operand, which is the left or the right one.
#[device]
fn made(product: Product, operand: Form, child: u32, exponent: u32) -> Form {
    let pure = if is_pure(operand) { Is::Pure } else { Is::Effect };
    match product {
        Product::Negated => form_of(pure, 0, Change::Negate, child),
        Product::Complemented => form_of(pure, 0, Change::Complement, child),
        Product::Shifted => form_of(pure, exponent, Change::Shift, child),
        _ => Form { is: operand.is, bits: operand.bits, change: Change::Operand.code() as u32, child },
    }
}

/// Returns the form of an operator on ints by the first rule that fits and makes a literal, else by the first that fits.
#[device]
fn by_rule(kind: Kind, a: Form, b: Form, otherwise: Form) -> Form {
    let (first, last) = rules_of(kind);
    let mut form = otherwise;
    let mut is_found = false;
    let mut rule = first;
    while rule < last {
        let (pattern, given) = pattern_of(rule);
        if fits(pattern, given, a, b) {
            let (product, literal) = product_of(rule);
            let child = (pattern == Pattern::LeftIs) as u32;
            let stays = if child == 1 { b } else { a };
            if product == Product::Literal {
                if is_pure(stays) {
                    return number(literal);
                }
            } else if !is_found {
                form = made(product, stays, child, b.bits.trailing_zeros());
                is_found = true;
            }
        }
        rule += 1;
    }
    form
}

/// Returns whether a form is a sum, difference or product with a number in the node itself, which the operator above can merge.
#[device]
fn is_open(form: Form) -> bool {
    let change = change(form);
    (change == Change::Stays) | (change == Change::Shift) | (change == Change::Merge)
}

/// Returns the form of a product of a number and a form, which is operand `child`. `by` is the form by rules.
#[device]
fn product(literal: u32, x: Form, child: u32, by: Form) -> Form {
    let is_product = x.is == Is::Product.code() as u32;
    let is_shifted = x.is == Is::Shifted.code() as u32;
    if is_open(x) & (is_product | is_shifted) {
        let factor = if is_shifted { 1u32.wrapping_shl(x.bits) } else { x.bits };
        return form_of(Is::Product, literal.wrapping_mul(factor), Change::Merge, child);
    }
    if change(by) == Change::Shift {
        return form_of(Is::Shifted, by.bits, Change::Shift, child);
    }
    form_of(Is::Product, literal, Change::Stays, child)
}

/// Returns the form of a sum or difference of a number and a form, which is operand `child`.
#[device]
fn sum(kind: Kind, literal: u32, x: Form, child: u32) -> Form {
    let is_sum = kind == Kind::Add;
    // A number minus an operand is none of these.
    let is = if is_sum {
        Is::Sum
    } else if child == 0 {
        Is::Difference
    } else {
        Is::Pure
    };
    let is_difference = x.is == Is::Difference.code() as u32;
    if is_open(x) & (is_difference | (x.is == Is::Sum.code() as u32)) {
        let addend = if is_difference { x.bits.wrapping_neg() } else { x.bits };
        let merged = if is_sum { literal.wrapping_add(addend) } else { literal.wrapping_sub(addend) };
        return form_of(is, merged, Change::Merge, child);
    }
    form_of(is, literal, Change::Stays, child)
}

/// Returns the form of an operator on ints with one known operand, given its form by rules.
#[device]
fn with_number(kind: Kind, a: Form, b: Form, by: Form) -> Form {
    let is_ruled = (change(by) != Change::Stays) & (change(by) != Change::Shift);
    let child = is_known(a) as u32;
    let x = if child == 1 { b } else { a };
    let literal = if child == 1 { a.bits } else { b.bits };
    if is_ruled || !(is_known(a) | is_known(b)) || !is_pure(x) {
        return by;
    }
    if kind == Kind::Mul {
        return product(literal, x, child, by);
    }
    if (kind == Kind::Add) | (kind == Kind::Sub) { sum(kind, literal, x, child) } else { by }
}

/// Returns the form of an operator with two operands.
#[device]
fn binary(kind: Kind, ty: Type, a: Form, b: Form) -> Form {
    let pure = if is_pure(a) & is_pure(b) { Is::Pure } else { Is::Effect };
    let stays = form_of(pure, 0, Change::Stays, 0);
    if is_known(a) & is_known(b) {
        let result = if ty == Type::Float { of_floats(kind, a.bits, b.bits) } else { of_ints(kind, a.bits, b.bits) };
        return if result.is_known == 1 { number(result.bits) } else { stays };
    }
    if ty == Type::Float || !(is_known(a) | is_known(b) | are_same(a, b)) {
        return stays;
    }
    with_number(kind, a, b, by_rule(kind, a, b, stays))
}

/// Returns the form of an operator with one operand.
#[device]
fn unary(i: NodeId, a: Form, nodes: &Nodes) -> Form {
    let kind = nodes.kind[i];
    if (kind == Kind::Ascribe) & (nodes.data[i] != 0) {
        return OTHER;
    }
    let stays = form_of(if is_pure(a) { Is::Pure } else { Is::Effect }, 0, Change::Stays, 0);
    if !is_known(a) {
        let is_number = (nodes.ty[i] == Type::Int) | (nodes.ty[i] == Type::Float);
        if (kind == Kind::Ascribe) & is_number && type_of(i.plus(1), nodes) == nodes.ty[i] {
            return Form { is: a.is, bits: a.bits, change: Change::Operand.code() as u32, child: 0 };
        }
        return stays;
    }
    let result = of_one(kind, nodes.ty[i], type_of(i.plus(1), nodes), a.bits);
    if result.is_known == 1 { number(result.bits) } else { stays }
}

/// Returns the form of a branch or loop.
#[device]
fn control(kind: Kind, condition: Form) -> Form {
    let stays = match kind {
        Kind::While => condition.bits != 0,
        Kind::For => (condition.bits as i32) > 0,
        _ => false,
    };
    if !is_known(condition) || stays {
        return OTHER;
    }
    form_of(Is::Effect, condition.bits, Change::Decided, 0)
}

/// Returns the form of a declaration of a variable that is not written.
#[device]
fn declared(i: NodeId, a: Form, nodes: &Nodes) -> Form {
    let value = nodes.kind[i.plus(1)];
    let is_literal = value != Kind::Name || is_cheap(a.bits, type_of(i.plus(1), nodes));
    if is_known(a) & (value != Kind::Literal) & is_literal {
        form_of(Is::Effect, a.bits, Change::Constant, 0)
    } else {
        OTHER
    }
}

#[device(walk_slots)]
fn form(r: usize, below: &[Form], found: &[u32], nodes: &Nodes, end: &[u32], state: &[u32]) -> Form {
    let i = NodeId::new(found[r]);
    let kind = nodes.kind[i];
    // The value of a variable that became constant.
    if kind == Kind::Literal {
        return number(nodes.data[i]);
    }
    let first = first_operand(i, nodes);
    let a = operand(first, below[0], nodes, state);
    if kind == Kind::Declare {
        return declared(i, a, nodes);
    }
    if kind.is_control() {
        return control(kind, a);
    }
    if kind.is_unary() {
        return unary(i, a, nodes);
    }
    if kind.is_access() {
        return form_of(if is_pure(a) { Is::Pure } else { Is::Effect }, 0, Change::Stays, 0);
    }
    let b = operand(NodeId::new(end[first.index()]), below[1], nodes, state);
    if kind == Kind::CheckIndex {
        let holds = is_known(a) & is_known(b) && (a.bits as i32) >= 0 && (a.bits as i32) < b.bits as i32;
        return if holds { number(a.bits) } else { OTHER };
    }
    binary(kind, type_of(first, nodes), a, b)
}

/// The nodes in the walk, in preorder, and their relations.
pub struct Walk<B: Backend> {
    /// The nodes.
    pub found: B::Vec<u32>,
    parents: Parents<B>,
    slot: B::Vec<u32>,
}

/// Returns the nodes in the walk.
pub fn walk<B: Backend>(backend: &B, nodes: &Nodes<B>, end: &B::Vec<u32>, state: &B::Vec<u32>) -> Result<Walk<B>> {
    let found = backend.compact(is_in_walk::of(nodes, state).rows(nodes.len()))?;
    let depths = backend.map(depth::of(&found, nodes))?;
    let parents = backend.previous_smaller(&depths)?;
    let slot = backend.map(slot::of(&found, parents.column(), nodes, end))?;
    Ok(Walk { found, parents, slot })
}

/// Returns the forms of the nodes in the walk.
pub fn forms<B: Backend>(
    backend: &B,
    walk: &Walk<B>,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    state: &B::Vec<u32>,
) -> Result<B::Vec<Form>> {
    let Walk { found, parents, slot } = walk;
    backend.walk_slots(parents, slot, 2, OTHER, form::of(found, nodes, end, state))
}
