//! The table of rules: the instructions of each kind of row on x86-64.
//!
//! A row has the parts that it has on [RISC-V](crate::passes::lower): loads of spilled operands, the operation, the move or the
//! store of the value, a branch or a jump. An operation has up to two operands in registers. Only the
//! left one shares the register of the value where values form a stack. The value of an assignment to a variable in a register can
//! share it with the right one. Then operands are exchanged, or the right one is copied first.
//!
//! Results equal the results on RISC-V in every bit. So the divisors 0 and -1 have instructions of their own, in an [exit](super::exits). A NaN that an operation
//! yields is replaced by the only NaN that RISC-V yields, unless only operations use it that yield the same for every NaN, or another
//! NaN.
//!
//! A load contains the sum that is its address. The row of this sum has no instruction then.

use treepar::device::device;

use super::encode::length as bytes_of;
use super::isa::*;
use super::lanes::{INDEX, base, lanes_instruction, lanes_length};
use super::registers::{R12, RAX, RCX, RDX, RSP, XMM0, XMM15};
use super::sequences::{
    access_length, adjust, chain, chain_length, copy, counter, counter_length, counter_register, has_frame, is_long,
    last_value, link, link_length, memory, save_link, saved, saved_count, variable, variable_hops, with_immediate,
    word,
};
use crate::ir::frame::Frame;
use crate::ir::instruction::{
    BRANCH, CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, Instruction, JUMP, NOTHING, RARE_QUOTIENT,
    RARE_REMAINDER, immediate, nothing, registers,
};
use crate::ir::kinds::{FIRST_EXTENT, Kind, Kinds, Role, Type};
use crate::ir::lanes::{cpu_of, step_before, step_of};
use crate::ir::operation::Operation;
use crate::ir::registers::{is_float, is_int, is_register};
use crate::ir::rows::{Located, RowId, before};
use crate::ir::tree::runtime;
use crate::target::rules::lines;

/// The only NaN that an operation of RISC-V yields.
const CANONICAL: u32 = 0x7fc0_0000;

/// The bits of 2^31, the first float that is greater than all ints.
const TOO_LARGE: u32 = 0x4f00_0000;

/// Returns the branch of a check, which follows a comparison and goes to the [exit](super::exits) of the check.
#[device]
const fn check(op: u8) -> Instruction {
    immediate(op, 0, 0, runtime::CHECK_FAILED)
}

/// Returns the call of a function.
#[device]
const fn call(id: u32) -> Instruction {
    immediate(CALL, 0, 0, id)
}

lines! { [const] operation_length, operation(s, frame; d, a, b), k;
    Header     => [@ has_frame(frame) => adjust(frame, true), @ saved_count(frame) => saved(frame, true, k), @ frame.nested => save_link(frame)];
    Function   => [@ saved_count(frame) => saved(frame, false, k), @ has_frame(frame) => adjust(frame, false), registers(RET, 0, 0, 0)];
    Return     => [jump(s.target)];
    Count      => [@ address_length(a) => copy(RDX, a), memory(LEA, RDX, address(a), u32::MAX), last_value(s, frame, STORE, RDX), immediate(MOV_I32, counter_register(s, RCX), 0, 0), @ counter_length(s) => counter(s, frame, STORE, RCX), registers(TEST, 0, a, a), @ compared_length(s.role) - 1 => truth(SETG, d, k)];
    For        => [@ counter_length(s) => counter(s, frame, LOAD, RAX), with_immediate(ADD_I8, counter_register(s, RAX), 1), @ counter_length(s) => counter(s, frame, STORE, RAX), last_value(s, frame, CMP_M, counter_register(s, RAX)), @ compared_length(s.role) - 1 => truth(SETL, d, k)];
    CheckIndex => [registers(CMP_CHECKED, 0, a, b), check(CHECK_BELOW)];
    CheckSize  => [registers(CMP_CHECKED, 0, a, b), check(CHECK_AT_LEAST)];
    CheckEqual => [registers(CMP_CHECKED, 0, a, b), check(CHECK_SAME)];
    CheckSlice => [registers(CMP_CHECKED, 0, a, b), check(CHECK_RANGE)];
    Call       => [@ link_length(s.hops) => link(s.hops, frame, k), call(s.data)];
    Name       => [@ chain_length(variable_hops(s)) => chain(frame, RDX, k), variable(s, frame, if is_float(d) { LOAD_F } else { LOAD }, d)];
    Data       => [@ chain_length(variable_hops(s)) => chain(frame, RDX, k), variable(s, frame, LOAD, address(d)), word(false, d, address(d), 0)];
    Extent     => [@ chain_length(variable_hops(s)) => chain(frame, RDX, k), variable(s, frame, LOAD, address(d)), word(false, d, address(d), FIRST_EXTENT)];
    Declare    => [@ (s.hops == 0) as u32 => immediate(MOV_I32, a, 0, 0), variable(s, frame, if is_float(a) { STORE_F } else { STORE }, a)];
    HeldAssign => [@ (s.hops == 0) as u32 => immediate(MOV_I32, a, 0, 0)];
    Assign     => [@ chain_length(variable_hops(s)) => chain(frame, RDX, k), variable(s, frame, if is_float(a) { STORE_F } else { STORE }, a)];
    Address    => [@ chain_length(variable_hops(s)) => chain(frame, RDX, k), variable(s, frame, LEA, d)];
    Load       => [@ (s.hops == 0) as u32 * address_length(a) => copy(RDX, a), loaded(s)];
    HeldWord   => [@ address_length(a) => copy(RDX, a), word(false, d, address(a), s.data)];
    Store      => [@ address_length(a) => copy(RDX, a), word(true, b, address(a), s.data)];
    LoadByte   => [@ address_length(a) => copy(RDX, a), memory(LOAD_B, d, address(a), s.data)];
    LoadShort  => [@ address_length(a) => copy(RDX, a), memory(LOAD_S, d, address(a), s.data)];
    StoreByte  => [@ address_length(a) => copy(RDX, a), memory(STORE_B, b, address(a), s.data)];
    StoreShort => [@ address_length(a) => copy(RDX, a), memory(STORE_S, b, address(a), s.data)];
    Literal    => [immediate(MOV_I32, d, 0, s.data)] [immediate(MOV_I32, RDX, 0, s.data), copy(d, RDX)];
    Cast       => [@ is_float(d) as u32 => registers(XORPS, d, d, 0), @ is_float(d) as u32 => registers(CVTSI2SS, d, a, 0)]
                  [@ is_int(d) as u32 * 7 => to_int(d, a, k)];
    Negate     => [@ (d != a) as u32 => copy(d, a), registers(NEG, d, 0, 0)]
                  [copy(RDX, a), immediate(XOR_I32, RDX, 0, 1 << 31), copy(d, RDX)];
    Not        => [registers(TEST, 0, a, a), @ compared_length(s.role) - 1 => truth(SETE, d, k)];
    NarrowByte => [registers(MOVZX_B, d, a, 0)];
    NarrowShort => [registers(MOVSX_S, d, a, 0)];
    Complement => [@ (d != a) as u32 => copy(d, a), registers(NOT, d, 0, 0)];
    Sqrt       => [] [registers(SQRTSS, d, a, 0), @ nan_length(s) => canonical(d, k)];
    Abs        => [copy(RDX, a), immediate(SAR_I8, RDX, 0, 31), @ (d != a) as u32 => copy(d, a), registers(XOR, d, RDX, 0), registers(SUB, d, RDX, 0)]
                  [copy(RDX, a), immediate(AND_I32, RDX, 0, 0x7fff_ffff), copy(d, RDX)];
    Add        => [@ has_far_base(s) => copy(RDX, a), sum(s)]
                  [@ is_kept(d, a, b) => copy(XMM15, b), @ (d != a) as u32 => copy(d, a), registers(ADDSS, d, kept(d, a, b, XMM15), 0), @ nan_length(s) => canonical(d, k)];
    AddWords   => [registers(LEA_WORDS, d, a, b)];
    AddShorts  => [registers(LEA_SHORTS, d, a, b)];
    Sub        => [@ is_kept(d, a, b) => copy(RCX, b), @ (d != a) as u32 => copy(d, a), registers(SUB, d, kept(d, a, b, RCX), 0)]
                  [@ is_kept(d, a, b) => copy(XMM15, b), @ (d != a) as u32 => copy(d, a), registers(SUBSS, d, kept(d, a, b, XMM15), 0), @ nan_length(s) => canonical(d, k)];
    Mul        => [@ is_kept(d, a, b) => copy(RCX, b), @ ((d != a) & (s.hops == 0)) as u32 => copy(d, a), product(s, kept(d, a, b, RCX))]
                  [@ is_kept(d, a, b) => copy(XMM15, b), @ (d != a) as u32 => copy(d, a), registers(MULSS, d, kept(d, a, b, XMM15), 0), @ nan_length(s) => canonical(d, k)];
    Div        => [@ DIVIDE_LENGTH => divide(a, b, RARE_QUOTIENT, k), @ (d != RAX) as u32 => copy(d, RAX)]
                  [@ is_kept(d, a, b) => copy(XMM15, b), @ (d != a) as u32 => copy(d, a), registers(DIVSS, d, kept(d, a, b, XMM15), 0), @ nan_length(s) => canonical(d, k)];
    Rem        => [@ DIVIDE_LENGTH => divide(a, b, RARE_REMAINDER, k), copy(d, RDX)]
                  [copy(XMM0, a), copy(XMM0 + 1, b), call(runtime::REMAINDER)];
    Shl        => [@ (s.hops == 0) as u32 => copy(RCX, b), @ (d != a) as u32 => copy(d, a), shifted(s, SHL, SHL_I8)];
    Shr        => [@ (s.hops == 0) as u32 => copy(RCX, b), @ (d != a) as u32 => copy(d, a), shifted(s, SAR, SAR_I8)];
    Ushr       => [@ (s.hops == 0) as u32 => copy(RCX, b), @ (d != a) as u32 => copy(d, a), shifted(s, SHR, SHR_I8)];
    And        => [@ is_kept(d, a, b) => copy(RCX, b), @ (d != a) as u32 => copy(d, a), arithmetic(s, AND, AND_I8, kept(d, a, b, RCX))];
    Or         => [@ is_kept(d, a, b) => copy(RCX, b), @ (d != a) as u32 => copy(d, a), arithmetic(s, OR, OR_I8, kept(d, a, b, RCX))];
    Xor        => [@ is_kept(d, a, b) => copy(RCX, b), @ (d != a) as u32 => copy(d, a), arithmetic(s, XOR, XOR_I8, kept(d, a, b, RCX))];
    Eq         => [@ compared_length(s.role) => compared(s, SETE, k)]
                  [registers(UCOMISS, 0, a, b), registers(SETNP, RDX, 0, 0), registers(SETE, RCX, 0, 0), registers(AND, RDX, RCX, 0), registers(MOVZX_B, d, RDX, 0)];
    Ne         => [@ compared_length(s.role) => compared(s, SETNE, k)]
                  [registers(UCOMISS, 0, a, b), registers(SETP, RDX, 0, 0), registers(SETNE, RCX, 0, 0), registers(OR, RDX, RCX, 0), registers(MOVZX_B, d, RDX, 0)];
    Lt         => [@ compared_length(s.role) => compared(s, SETL, k)] [@ compared_length(s.role) => ordered(SETA, d, b, a, k)];
    Le         => [@ compared_length(s.role) => compared(s, SETLE, k)] [@ compared_length(s.role) => ordered(SETAE, d, b, a, k)];
    Gt         => [@ compared_length(s.role) => compared(s, SETG, k)] [@ compared_length(s.role) => ordered(SETA, d, a, b, k)];
    Ge         => [@ compared_length(s.role) => compared(s, SETGE, k)] [@ compared_length(s.role) => ordered(SETAE, d, a, b, k)];
    Land       => [registers(TEST, 0, a, a), registers(SETNE, RDX, 0, 0), registers(TEST, 0, b, b), registers(SETNE, RCX, 0, 0), registers(AND, RDX, RCX, 0), registers(MOVZX_B, d, RDX, 0)];
    Lor        => [copy(RDX, a), registers(OR, RDX, b, 0), registers(SETNE, RDX, 0, 0), registers(MOVZX_B, d, RDX, 0)];
    VectorCount => [copy(RCX, a), with_immediate(AND_I8, RCX, step_of(s.data).wrapping_neg()), @ first_index_length(s) => first_index(s, k), registers(CMP, 0, RCX, INDEX), @ compared_length(s.role) - 1 => truth(SETG, d, k)];
    VectorLoop => [with_immediate(ADD_I8, INDEX, s.data), registers(CMP, 0, INDEX, RCX), @ compared_length(s.role) - 1 => truth(SETGE, d, k)];
    VectorBase => [registers(MOV, base(s.data), a, 0)];
    VectorEnd  => [@ (cpu_of(s.data) != 0) as u32 => registers(VZEROUPPER, 0, 0, 0)];
    VectorWrite | VectorRead | VectorUnary | VectorBinary | VectorSelect | VectorSplat | VectorReduce => [@ lanes_length(s) => lanes_instruction(s, k)] [@ lanes_length(s) => lanes_instruction(s, k)];
}

/// Returns the number of instructions of [`first_index`].
#[device]
const fn first_index_length(s: Operation) -> u32 {
    1 + (step_before(s.data) != 0) as u32
}

/// Returns instruction `k` of those that find the index of the first element of a loop over vectors: 0, or the number of elements of the loop
/// before it.
#[device]
const fn first_index(s: Operation, k: u32) -> Instruction {
    let before = step_before(s.data);
    if before == 0 {
        return immediate(MOV_I32, INDEX, 0, 0);
    }
    if k == 0 { copy(INDEX, RCX) } else { with_immediate(AND_I8, INDEX, before.wrapping_neg()) }
}

/// Returns 1 if an address has to be copied to rdx, because `r12` cannot be a base.
#[device]
const fn address_length(r: u8) -> u32 {
    (r == R12) as u32
}

/// Returns the register that has the address in `r` then.
#[device]
const fn address(r: u8) -> u8 {
    if r == R12 { RDX } else { r }
}

/// Returns the load of a word. Its address is in a register, or the sum of one and four times another.
#[device]
const fn loaded(s: Operation) -> Instruction {
    if s.hops == 0 {
        return word(false, s.destination, address(s.left), s.data);
    }
    let op = if is_float(s.destination) { LOAD_F_AT } else { LOAD_AT };
    Instruction { op, rd: s.destination, rs1: s.left, rs2: s.right, imm: s.data }
}

/// Returns whether the load in row `r` contains the row before, the sum that is its address.
#[device]
pub fn contains_sum(r: RowId, rows: &Located) -> bool {
    let sum = before(r);
    (rows.kind[r] == Kind::Load)
        & (rows.kind[sum] == Kind::AddWords)
        & is_register(rows.place[rows.operand[sum]])
        & is_register(rows.place[before(sum)])
        & (is_long(rows.data[r]) == 0)
}

/// Returns whether the row after row `r` contains it.
#[device]
pub fn is_contained(r: RowId, rows: &Located) -> bool {
    let next = RowId::new(r.get() + 1);
    (rows.kind[r] == Kind::AddWords) && (next.get() as usize != rows.kind.len()) && contains_sum(next, rows)
}

/// Returns 1 if the value of an operation would overwrite its right operand before it is read, else 0.
#[device]
const fn is_kept(d: u8, a: u8, b: u8) -> u32 {
    ((d == b) & (d != a)) as u32
}

/// Returns the register of the right operand, which is `scratch` in this case.
#[device]
const fn kept(d: u8, a: u8, b: u8, scratch: u8) -> u8 {
    if is_kept(d, a, b) != 0 { scratch } else { b }
}

/// The operations whose operands can be exchanged.
const COMMUTATIVE: Kinds = Kinds::of(&[Kind::Add, Kind::Mul, Kind::And, Kind::Or, Kind::Xor]);

/// Returns whether the operands of an operation, which has the form `d = a; d op= b`, are exchanged, so that no operand is overwritten
/// before it is read.
#[device]
pub const fn is_exchanged(kind: Kind, d: u8, a: u8, b: u8) -> bool {
    COMMUTATIVE.contains(kind) & (d == b) & (d != a)
}

/// Returns the number of instructions of a comparison. A condition whose value only a branch uses ends after the first.
#[device]
const fn compared_length(role: Role) -> u32 {
    match role {
        Role::Condition | Role::Again | Role::Discarded => 1,
        _ => 3,
    }
}

/// Returns the operation that jumps if a comparison does not hold, directly after it; [`NOTHING`] for other kinds. A float can
/// be unequal in two ways.
#[device]
pub const fn jump_unless(kind: Kind, ty: Type) -> u8 {
    if ty.is_float() {
        return match kind {
            Kind::Lt | Kind::Gt => JBE,
            Kind::Le | Kind::Ge => JB,
            _ => NOTHING,
        };
    }
    match kind {
        Kind::Eq | Kind::Not => JNE,
        Kind::Ne => JE,
        Kind::Lt | Kind::For => JGE,
        Kind::Le => JG,
        Kind::Gt | Kind::Count | Kind::VectorCount => JLE,
        Kind::Ge | Kind::VectorLoop => JL,
        _ => NOTHING,
    }
}

/// Returns the branch that is taken if another is not. In the table, the two are neighbours.
#[device]
const fn opposite(branch: u8) -> u8 {
    ((branch - JO) ^ 1) + JO
}

/// Returns a jump to a row.
#[device]
const fn jump(row: RowId) -> Instruction {
    immediate(JUMP, 0, 0, row.get())
}

/// Returns instruction `k` of the comparison of two ints. `set` is the condition.
#[device]
const fn compared(s: Operation, set: u8, k: u32) -> Instruction {
    if k > 0 {
        return truth(set, s.destination, k - 1);
    }
    if s.hops != 0 { with_immediate(CMP_I8, s.left, s.data) } else { registers(CMP, 0, s.left, s.right) }
}

/// Returns an operation on the value's register and `b`, or the literal that is the right operand. `near` is the operation with an
/// immediate.
#[device]
const fn arithmetic(s: Operation, op: u8, near: u8, b: u8) -> Instruction {
    if s.hops != 0 { with_immediate(near, s.destination, s.data) } else { registers(op, s.destination, b, 0) }
}

/// Returns 1 if the sum of `r12` and a literal is an address that needs another base, else 0.
#[device]
const fn has_far_base(s: Operation) -> u32 {
    ((s.hops != 0) & (s.destination != s.left)) as u32 * address_length(s.left)
}

/// Returns the sum of two ints, the second of which may be a literal. In another register than the left operand, it is an address.
#[device]
const fn sum(s: Operation) -> Instruction {
    if s.destination == s.left {
        return arithmetic(s, ADD, ADD_I8, s.right);
    }
    if s.hops != 0 {
        return memory(LEA, s.destination, address(s.left), s.data);
    }
    registers(LEA_SUM, s.destination, s.left, s.right)
}

/// Returns the product of the value's register and `b`, or of the left operand and a literal.
#[device]
const fn product(s: Operation, b: u8) -> Instruction {
    if s.hops == 0 {
        return registers(IMUL, s.destination, b, 0);
    }
    immediate(IMUL_I8 + is_long(s.data), s.destination, s.left, s.data)
}

/// Returns the shift of the value's register by cl, or by a literal.
#[device]
const fn shifted(s: Operation, op: u8, near: u8) -> Instruction {
    if s.hops != 0 { immediate(near, s.destination, 0, s.data) } else { registers(op, s.destination, 0, 0) }
}

/// Returns instruction `k` of the comparison of two floats, which does not hold if one is NaN.
#[device]
const fn ordered(set: u8, d: u8, a: u8, b: u8, k: u32) -> Instruction {
    if k == 0 { registers(UCOMISS, 0, a, b) } else { truth(set, d, k - 1) }
}

/// Returns instruction `k` after a comparison. These instructions put the condition into `d`: 1 if it holds, else 0.
#[device]
const fn truth(set: u8, d: u8, k: u32) -> Instruction {
    if k == 0 { registers(set, RDX, 0, 0) } else { registers(MOVZX_B, d, RDX, 0) }
}

/// Returns the number of instructions of [`canonical`], 0 if no row depends on the bits of a NaN.
#[device]
const fn nan_length(s: Operation) -> u32 {
    if s.hops != 0 { 0 } else { 4 }
}

/// Returns instruction `k` of the sequence that replaces a NaN.
#[device]
const fn canonical(d: u8, k: u32) -> Instruction {
    let constant = immediate(MOV_I32, RDX, 0, CANONICAL);
    let replaced = registers(MOVD_F_R, d, RDX, 0);
    match k {
        0 => registers(UCOMISS, 0, d, d),
        // Another result skips the rest.
        1 => immediate(JNP, 0, 0, bytes_of(constant) + bytes_of(replaced)),
        2 => constant,
        _ => replaced,
    }
}

/// The number of instructions of [`divide`].
const DIVIDE_LENGTH: u32 = 7;

/// Returns instruction `k` of a division: eax gets the dividend and then the quotient, ecx the divisor, and edx the divisor plus 1 and
/// then the remainder. The divisors 0 and -1 have an [exit](super::exits), to which `rare` branches.
#[device]
const fn divide(a: u8, b: u8, rare: u8, k: u32) -> Instruction {
    match k {
        0 => copy(RAX, a),
        1 => copy(RCX, b),
        2 => memory(LEA, RDX, RCX, 1),
        3 => immediate(CMP_I8, 0, RDX, 1),
        4 => immediate(rare, 0, 0, 0),
        5 => registers(CDQ, 0, 0, 0),
        _ => registers(IDIV, 0, RCX, 0),
    }
}

/// Returns instruction `k` of the cast of a float. The machine yields -2^31 for all numbers out of range. For large numbers and NaN,
/// 1 is subtracted, which wraps to the greatest int.
#[device]
const fn to_int(d: u8, a: u8, k: u32) -> Instruction {
    match k {
        0 => immediate(MOV_I32, RDX, 0, TOO_LARGE),
        1 => copy(XMM15, RDX),
        2 => registers(CVTTSS2SI, d, a, 0),
        3 => registers(UCOMISS, 0, XMM15, a),
        4 => registers(SETBE, RDX, 0, 0),
        5 => registers(MOVZX_B, RDX, RDX, 0),
        _ => registers(SUB, d, RDX, 0),
    }
}

/// Returns the number of instructions of a row.
#[device]
pub fn length(s: Operation, frame: Frame) -> u32 {
    access_length(s.left_at) + access_length(s.right_at) + operation_length(s, frame) + rest_length(s)
}

/// Returns instruction `k` of a row.
#[device]
pub fn instruction(s: Operation, frame: Frame, k: u32) -> Instruction {
    let left = access_length(s.left_at);
    if k < left {
        return word(false, s.left, RSP, s.left_at);
    }
    let loads = left + access_length(s.right_at);
    if k < loads {
        return word(false, s.right, RSP, s.right_at);
    }
    let own = operation(s, frame, k - loads);
    if own.op != NOTHING {
        return own;
    }
    rest(s, k - loads - operation_length(s, frame))
}

/// Returns the number of instructions that move or store the value, and branch or jump.
#[device]
fn rest_length(s: Operation) -> u32 {
    (s.destination != s.source) as u32 + stores_length(s) + jump_length(s.kind, s.ty, s.role)
}

/// Returns 1 if the value is stored, else 0.
#[device]
fn stores_length(s: Operation) -> u32 {
    let is_jump = s.role.branches() & (jump_unless(s.kind, s.ty) != NOTHING);
    if is_jump { 0 } else { access_length(s.store_at) }
}

/// Returns the number of instructions at the end of a row that branch or jump. The first of two is a test.
#[device]
pub const fn jump_length(kind: Kind, ty: Type, role: Role) -> u32 {
    match role {
        Role::Condition | Role::Again => 1 + (jump_unless(kind, ty) == NOTHING) as u32,
        Role::Jump => 1,
        _ => 0,
    }
}

/// Returns instruction `k` of the rest of a row, after the operation.
#[device]
fn rest(s: Operation, k: u32) -> Instruction {
    let moves = (s.destination != s.source) as u32;
    let stores = moves + stores_length(s);
    if k < moves {
        copy(s.destination, s.source)
    } else if k < stores {
        word(true, s.source, RSP, s.store_at)
    } else {
        branch_or_jump(s, k - stores)
    }
}

/// Returns instruction `k` of the branch or jump at the end of a row.
#[device]
fn branch_or_jump(s: Operation, k: u32) -> Instruction {
    let count = jump_length(s.kind, s.ty, s.role);
    let unless = jump_unless(s.kind, s.ty);
    if k >= count {
        nothing()
    } else if s.role == Role::Jump {
        jump(s.target)
    } else if k + 1 < count {
        registers(TEST, 0, s.destination, s.destination)
    } else {
        let unless = if unless == NOTHING { JE } else { unless };
        immediate(BRANCH, if s.role == Role::Again { opposite(unless) } else { unless }, 0, s.target.get())
    }
}

/// Returns the number of instructions of a row that are not of its pattern, if it has one.
#[device]
pub fn unpatterned_length(s: Operation, frame: Frame, has_pattern: bool) -> u32 {
    if has_pattern { jump_length(s.kind, s.ty, s.role) } else { length(s, frame) }
}

/// Returns instruction `k` of these instructions.
#[device]
pub fn unpatterned(s: Operation, frame: Frame, has_pattern: bool, k: u32) -> Instruction {
    if has_pattern { branch_or_jump(s, k) } else { instruction(s, frame, k) }
}
