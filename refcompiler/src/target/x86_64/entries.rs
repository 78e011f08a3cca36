//! The machine code between Par and C, which follows the System V ABI.
//!
//! | | C passes | Par passes |
//! |---|---|---|
//! | ints | rdi rsi rdx rcx r8 r9 | rdi rsi r8 r9 r10 r12, upper halves 0 |
//! | floats | xmm0..xmm7 | xmm0..xmm7 |
//! | others | on the stack, 8 bytes each | in the same places |
//! | result | eax, xmm0 | eax, xmm0 |
//! | kept | rbx rbp r12..r15 | r14 r15 |
//!
//! Par code has addresses of 32 bits, so it runs on a stack of its own below 4 GiB. C that Par calls runs on that stack too. So an
//! entry changes the stack only if rsp is above 4 GiB, and calls nest as deeply as the stack allows. Entries of functions with equally
//! many arguments on the stack share this code, the gate.
//!
//! Functions with arrays have another gate: Par gets the address of all that C passes, as
//! [`frame`](crate::passes::interface::frame) says. In the other direction, an address on the stack has 8 bytes too.

use super::code::{Line, assemble, bare, constant, immediate, load, pair, registers, store};
use super::encode::{encode, longest};
use super::isa as op;
use super::registers::*;
use super::stub::{ALIGNMENT, function};
use crate::ir::instruction::Instruction;
use crate::passes::interface::frame::REGISTERS;
use crate::target::prelude::{Arguments, MachineCode};
use Line::{Call, Jump, Label};

/// The ints that a function of C keeps.
const KEPT: [u8; 6] = [RBX, RBP, R12, R13, R14, R15];

/// The bytes between rsp and the stack words of C, when an entry has pushed the registers that it keeps: their words, and the return
/// address.
const PUSHED: i32 = 8 * (KEPT.len() as i32 + 1);

/// The ints of Par, and where C passes them, in an order in which no move overwrites the source of a later one. A move to itself
/// clears the upper half.
const TO_PAR: [(u8, u8); INT_ARGUMENTS as usize] = [(R12, R9), (R10, R8), (R9, RCX), (R8, RDX), (RSI, RSI), (RDI, RDI)];

/// The other direction. The first two ints have the same registers.
const TO_C: [(u8, u8); 4] = [(RDX, R8), (RCX, R9), (R8, R10), (R9, R12)];

/// Returns the function at byte `at` that C calls for the function of Par at byte `callee`. It passes the address of that function to
/// the [gate](gate) at byte `gate`.
pub(in crate::target) fn entry(at: u32, callee: u32, gate: u32) -> MachineCode {
    let mut bytes = Vec::with_capacity(ALIGNMENT);
    for (op, to) in [(op::LEA_RIP, callee), (op::JMP_NEAR, gate)] {
        let end = at + bytes.len() as u32 + longest(op);
        encode(Instruction { op, rd: R11, imm: to.wrapping_sub(end), ..Instruction::default() }, &mut bytes);
    }
    function(bytes)
}

/// Where C passes ints and addresses.
const INTS_OF_C: [u8; INT_ARGUMENTS as usize] = [RDI, RSI, RDX, RCX, R8, R9];

/// Returns the code at byte `at` that calls the function of Par whose address is in r11, for C. `stack` is the byte of the function
/// that [finds the stack](super::arena::stack_top).
pub(in crate::target) fn gate(at: u32, stack: u32, arguments: Arguments) -> MachineCode {
    const LOW: u8 = 1;
    let Arguments { words, in_memory } = arguments;
    let registers_in_memory = if in_memory { REGISTERS } else { 0 };
    // The words, and C's rsp at the end. The result is a multiple of 16.
    let frame = (8 * (registers_in_memory + words) + 8).next_multiple_of(16) as i32;
    let switch = [
        registers(op::MOV_Q, R13, R11),
        registers(op::MOV_Q, RBP, RSP),
        registers(op::MOV_Q, RAX, RSP),
        immediate(op::SHR_Q_I8, RAX, 32),
        Jump(op::JE, LOW),
        Call(stack),
        registers(op::MOV_Q, RSP, RAX),
        Label(LOW),
        immediate(op::AND_Q_I8, RSP, -16),
        immediate(op::SUB_Q_I32, RSP, frame),
        store(op::STORE_Q_SP_FAR, 0, frame - 8, RBP),
    ];
    let on_stack = 8 * registers_in_memory as i32;
    // Without addresses, the upper half of a word is 0 for Par.
    let load_word = if in_memory { op::LOAD_Q_FAR } else { op::LOAD_FAR };
    let word =
        |k: i32| [load(load_word, RAX, RBP, PUSHED + 8 * k), store(op::STORE_Q_SP_FAR, 0, on_stack + 8 * k, RAX)];
    let mut lines: Vec<Line> = KEPT.into_iter().map(|r| registers(op::PUSH, r, 0)).chain(switch).collect();
    lines.extend((0..words as i32).flat_map(word));
    if in_memory {
        lines.extend(stored());
    } else {
        lines.extend(moves(&TO_PAR));
    }
    lines.extend([pair(op::CALL_R, R13, 0), load(op::LOAD_Q_SP_FAR, RSP, 0, frame - 8)]);
    lines.extend(KEPT.into_iter().rev().map(|r| registers(op::POP, r, 0)));
    lines.push(bare(op::RET));
    function(assemble(at, lines))
}

/// Returns code that stores the registers in which C passes arguments from rsp on, and makes their address the first int of Par.
fn stored() -> impl Iterator<Item = Line> {
    let ints = (0..).zip(INTS_OF_C).map(|(k, r)| store(op::STORE_Q_SP_FAR, 0, 8 * k, r));
    let floats = (INT_ARGUMENTS as i32..)
        .zip(XMM0..XMM0 + FLOAT_ARGUMENTS as u8)
        .map(|(k, r)| store(op::STORE_F_SP_FAR, 0, 8 * k, r));
    ints.chain(floats).chain([registers(op::MOV, RDI, RSP)])
}

/// Returns the function that Par calls for a function of C, to which it jumps at its end. The last four of its bytes are the distance,
/// which a linker completes. It clears the upper halves of some words on the stack, which are addresses.
pub(in crate::target) fn thunk(addresses: u32) -> MachineCode {
    // The return address is below the words.
    let upper = |k: u32| store(op::STORE_SP_FAR, 0, 8 + 8 * k as i32 + 4, RAX);
    let cleared = (addresses != 0).then(|| constant(RAX, 0)).into_iter().chain((0..addresses).map(upper));
    let jump = immediate(op::JMP_NEAR, 0, 0);
    function(assemble(0, cleared.chain(moves(&TO_C)).chain([jump])))
}

fn moves(list: &[(u8, u8)]) -> impl Iterator<Item = Line> {
    list.iter().map(|&(to, from)| registers(op::MOV, to, from))
}
