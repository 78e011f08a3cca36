//! The operations on vectors that nodes become.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::context::{Facts, Use, bare, is_same, is_shift, least_or_greatest};
use super::verdict::{STORES, Verdicts};
use crate::ir::kinds::{Kind, Type};
use crate::ir::lanes::{Cpu, Lanes};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{ADD_BYTES, ADD_SHORTS, SUB_BYTES, SUB_SHORTS};

/// Returns one of three operations, for lanes of 8, 16 and 32 bits.
#[device]
fn sized(bits: u32, byte: Lanes, short: Lanes, int: Lanes) -> Lanes {
    match bits {
        8 => byte,
        16 => short,
        _ => int,
    }
}

/// Returns the operation on ints with two operands.
#[device]
fn of_ints(kind: Kind, bits: u32) -> Lanes {
    match kind {
        Kind::Add => sized(bits, Lanes::AddByte, Lanes::AddShort, Lanes::AddInt),
        Kind::Sub => sized(bits, Lanes::SubByte, Lanes::SubShort, Lanes::SubInt),
        Kind::Mul => sized(bits, Lanes::MulByte, Lanes::MulShort, Lanes::MulInt),
        Kind::And | Kind::Land => Lanes::And,
        Kind::Or | Kind::Lor => Lanes::Or,
        Kind::Xor => Lanes::Xor,
        Kind::Shl => Lanes::ShlEach,
        Kind::Shr => Lanes::ShrEach,
        Kind::Ushr => Lanes::UshrEach,
        Kind::Eq => Lanes::EqInt,
        Kind::Ne => Lanes::NeInt,
        Kind::Lt => Lanes::LtInt,
        Kind::Le => Lanes::LeInt,
        Kind::Gt => Lanes::GtInt,
        _ => Lanes::GeInt,
    }
}

/// Returns the operation on floats with two operands.
#[device]
fn of_floats(kind: Kind) -> Lanes {
    match kind {
        Kind::Add => Lanes::AddFloat,
        Kind::Sub => Lanes::SubFloat,
        Kind::Mul => Lanes::MulFloat,
        Kind::Div => Lanes::DivFloat,
        Kind::Eq => Lanes::EqFloat,
        Kind::Ne => Lanes::NeFloat,
        Kind::Lt => Lanes::LtFloat,
        Kind::Le => Lanes::LeFloat,
        Kind::Gt => Lanes::GtFloat,
        _ => Lanes::GeFloat,
    }
}

/// Returns the operation of a node with one operand.
#[device]
fn of_one(i: NodeId, nodes: &Nodes, bits: u32) -> Lanes {
    let is_float = nodes.ty[i.plus(1)] == Type::Float;
    match nodes.kind[i] {
        Kind::Cast => {
            if is_float {
                Lanes::ToInt
            } else {
                Lanes::ToFloat
            }
        }
        Kind::Negate => {
            if is_float {
                Lanes::NegateFloat
            } else {
                sized(bits, Lanes::NegateByte, Lanes::NegateShort, Lanes::NegateInt)
            }
        }
        Kind::Abs => {
            if is_float {
                Lanes::AbsFloat
            } else {
                Lanes::AbsInt
            }
        }
        Kind::Sqrt => Lanes::Sqrt,
        Kind::NarrowByte => Lanes::ByteOfInt,
        Kind::NarrowShort => Lanes::ShortOfInt,
        _ => Lanes::Not,
    }
}

/// Returns whether a node is a shift by a literal.
#[device]
pub fn is_shift_by_literal(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    is_shift(nodes.kind[i]) && nodes.kind[bare(NodeId::new(facts.end[i.plus(1)]), nodes)] == Kind::Literal
}

/// Returns whether a call is of a function that adds or subtracts elements of 8 or 16 bits and yields the nearest element.
#[device]
pub fn is_saturating(i: NodeId, nodes: &Nodes) -> bool {
    let function = nodes.data[i];
    let is_of_bytes = (function == ADD_BYTES) | (function == SUB_BYTES);
    (nodes.kind[i] == Kind::Call) & (is_of_bytes | (function == ADD_SHORTS) | (function == SUB_SHORTS))
}

/// Returns the operation of such a call.
#[device]
fn saturated(function: u32, bits: u32) -> Lanes {
    match function {
        ADD_BYTES => Lanes::AddSatByte,
        SUB_BYTES => Lanes::SubSatByte,
        ADD_SHORTS => {
            if bits == 16 {
                Lanes::AddSatShort
            } else {
                Lanes::AddSatInt
            }
        }
        _ => {
            if bits == 16 {
                Lanes::SubSatShort
            } else {
                Lanes::SubSatInt
            }
        }
    }
}

/// Returns whether an int is an element of `bits` bits, by the kind of its node.
#[device]
fn yields_element(i: NodeId, nodes: &Nodes, bits: u32) -> bool {
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    let is_sum_of_bytes = is_saturating(i, nodes) & ((data == ADD_BYTES) | (data == SUB_BYTES));
    if (kind == Kind::LoadByte) | (kind == Kind::NarrowByte) | is_sum_of_bytes {
        return true;
    }
    if kind == Kind::Literal {
        return if bits == 8 { data < 256 } else { data.wrapping_add(0x8000) < 0x1_0000 };
    }
    (bits == 16) & ((kind == Kind::LoadShort) | (kind == Kind::NarrowShort) | is_saturating(i, nodes))
}

/// Returns whether an int is an element of `bits` bits: by its kind, or by the value of its variable in the loop.
#[device]
fn is_element(i: NodeId, nodes: &Nodes, facts: &Facts, bits: u32) -> bool {
    let value = bare(i, nodes);
    if nodes.kind[value] != Kind::Name {
        return yields_element(value, nodes, bits);
    }
    let variable = NodeId::new(nodes.data[value]);
    let is_inside = (variable.get() > facts.context[i].around) & (nodes.kind[variable] == Kind::Declare);
    is_inside && facts.end[variable] > variable.get() + 1 && yields_element(bare(variable.plus(1), nodes), nodes, bits)
}

/// Returns whether both operands of such a call are elements. Then the instruction yields the same.
#[device]
pub fn takes_elements(call: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let function = nodes.data[call];
    let bits = if (function == ADD_BYTES) | (function == SUB_BYTES) { 8 } else { 16 };
    let second = NodeId::new(facts.end[call.plus(1)]).plus(1);
    is_element(call.plus(2), nodes, facts, bits) && is_element(second, nodes, facts, bits)
}

/// Returns the operation of a value that is an operation in lanes of `bits` bits.
#[device]
pub fn operation(i: NodeId, nodes: &Nodes, facts: &Facts, bits: u32) -> Lanes {
    let kind = nodes.kind[i];
    if kind == Kind::Call {
        return saturated(nodes.data[i], bits);
    }
    if kind == Kind::Choose {
        return match least_or_greatest(i, nodes, facts.end[i]) {
            1 => Lanes::Min,
            2 => Lanes::Max,
            _ => Lanes::Select,
        };
    }
    if kind.is_unary() {
        return of_one(i, nodes, bits);
    }
    if is_shift_by_literal(i, nodes, facts) {
        return match kind {
            Kind::Shl => sized(bits, Lanes::ShlByte, Lanes::ShlShort, Lanes::ShlInt),
            Kind::Shr => Lanes::ShrInt,
            _ => Lanes::UshrInt,
        };
    }
    if nodes.ty[i.plus(1)] == Type::Float { of_floats(kind) } else { of_ints(kind, bits) }
}

/// Returns the operation that loads or stores elements.
#[device]
pub fn access(kind: Kind, bits: u32) -> Lanes {
    let is_wide = bits == 32;
    match kind {
        Kind::Load => Lanes::LoadWords,
        Kind::LoadShort => {
            if is_wide {
                Lanes::WidenShorts
            } else {
                Lanes::LoadShorts
            }
        }
        Kind::LoadByte => {
            if is_wide {
                Lanes::WidenBytes
            } else {
                Lanes::LoadBytes
            }
        }
        Kind::Store => Lanes::StoreWords,
        Kind::StoreShort => {
            if is_wide {
                Lanes::NarrowShorts
            } else {
                Lanes::StoreShorts
            }
        }
        _ => {
            if is_wide {
                Lanes::NarrowBytes
            } else {
                Lanes::StoreBytes
            }
        }
    }
}

/// Returns whether a node loads elements of `bits` bits, as they are.
#[device]
fn loads(i: NodeId, nodes: &Nodes, facts: &Facts, bits: u32) -> bool {
    let kind = nodes.kind[i];
    let is_of_lanes = match bits {
        8 => kind == Kind::LoadByte,
        16 => kind == Kind::LoadShort,
        _ => kind == Kind::Load,
    };
    is_of_lanes && !converts(i, nodes, facts)
}

/// Returns the load that a value takes as an operand in memory, [`NO_NODE`] if it has none. A left operand is loaded after the
/// right one then, so the right one stores nothing.
#[device]
pub fn in_memory(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts, bits: u32, cpu: Cpu) -> u32 {
    let kind = nodes.kind[i];
    let has_two = kind.has_two_operands() & !kind.is_access();
    if (cpu == Cpu::Baseline) | !has_two | (facts.context[i].place != Use::Value) {
        return NO_NODE;
    }
    let lanes = operation(i, nodes, facts, bits);
    if !lanes.takes_memory() {
        return NO_NODE;
    }
    let left = bare(i.plus(1), nodes);
    let right = bare(NodeId::new(facts.end[i.plus(1)]), nodes);
    if loads(right, nodes, facts, bits) {
        return right.get();
    }
    let may_be_exchanged = lanes.is_commutative() && (verdicts.facts[right] & STORES == 0);
    if may_be_exchanged && loads(left, nodes, facts, bits) { left.get() } else { NO_NODE }
}

/// Returns whether a value is an operand in memory.
#[device]
pub fn is_in_memory(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts, bits: u32, cpu: Cpu) -> bool {
    if !nodes.kind[i].is_access() {
        return false;
    }
    let mut user = NodeId::new(facts.parent[i]);
    while nodes.kind[user] == Kind::Ascribe {
        user = NodeId::new(facts.parent[user]);
    }
    in_memory(user, nodes, facts, verdicts, bits, cpu) == i.get()
}

/// Returns the bytes of the elements of an access, as a power of two.
#[device]
pub fn scale_of_access(kind: Kind) -> u32 {
    match kind {
        Kind::LoadByte | Kind::StoreByte => 0,
        Kind::LoadShort | Kind::StoreShort => 1,
        _ => 2,
    }
}

/// Returns the operation that fills a vector with a number.
#[device]
pub fn splat(ty: Type, bits: u32) -> Lanes {
    if ty == Type::Float {
        return Lanes::SplatFloat;
    }
    sized(bits, Lanes::SplatByte, Lanes::SplatShort, Lanes::SplatInt)
}

/// Returns whether a value is a mask.
#[device]
pub fn is_mask(kind: Kind) -> bool {
    kind.is_comparison() | (kind == Kind::Not) | (kind == Kind::Land) | (kind == Kind::Lor)
}

/// Returns whether a value is converted between a mask and an int for its user.
#[device]
pub fn converts(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let kind = nodes.kind[i];
    let passes = (kind == Kind::Ascribe)
        | (kind == Kind::Sequence)
        | (kind == Kind::Test)
        | (kind == Kind::Then)
        | (kind == Kind::Otherwise)
        | (kind == Kind::Arg)
        || is_same(i, nodes);
    let context = facts.context[i];
    (context.place == Use::Value) & !passes && is_mask(kind) != (context.is_mask == 1)
}

/// Returns the reduction of an assignment: the operation on the lanes after the loop.
#[device]
pub fn reduction(assign: NodeId, nodes: &Nodes, facts: &Facts) -> Lanes {
    let value = assign.plus(1);
    match nodes.kind[value] {
        Kind::Mul => Lanes::ProductAll,
        Kind::And | Kind::Land => Lanes::AndAll,
        Kind::Or | Kind::Lor => Lanes::OrAll,
        Kind::Xor => Lanes::XorAll,
        Kind::Choose => {
            if least_or_greatest(value, nodes, facts.end[value]) == 1 {
                Lanes::MinAll
            } else {
                Lanes::MaxAll
            }
        }
        _ => Lanes::SumAll,
    }
}

/// Returns whether a reduction may take its first value several times. Then all lanes begin with it, and else with the neutral number.
#[device]
pub fn is_idempotent(reduction: Lanes) -> bool {
    !((reduction == Lanes::SumAll) | (reduction == Lanes::ProductAll) | (reduction == Lanes::XorAll))
}

/// Returns the neutral number of a reduction.
#[device]
pub fn neutral(reduction: Lanes) -> u32 {
    match reduction {
        Lanes::ProductAll => 1,
        Lanes::AndAll => 0xffff_ffff,
        Lanes::MinAll => 0x7fff_ffff,
        Lanes::MaxAll => 0x8000_0000,
        _ => 0,
    }
}

/// Returns the operation that combines the lanes of two accumulators of a reduction.
#[device]
pub fn of_accumulators(reduction: Lanes) -> Lanes {
    match reduction {
        Lanes::ProductAll => Lanes::MulInt,
        Lanes::AndAll => Lanes::And,
        Lanes::OrAll => Lanes::Or,
        Lanes::XorAll => Lanes::Xor,
        Lanes::MinAll => Lanes::Min,
        Lanes::MaxAll => Lanes::Max,
        _ => Lanes::AddInt,
    }
}
