//! The operations on vectors that nodes become.

use treepar::device::device;

use super::context::{Facts, Use, bare, is_same, is_shift, least_or_greatest};
use crate::ir::kinds::{Kind, Type};
use crate::ir::lanes::Lanes;
use crate::ir::nodes::{NodeId, Nodes};

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

/// Returns the operation of a value that is an operation in lanes of `bits` bits.
#[device]
pub fn operation(i: NodeId, nodes: &Nodes, facts: &Facts, bits: u32) -> Lanes {
    let kind = nodes.kind[i];
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
