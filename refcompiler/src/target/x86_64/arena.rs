//! The machine code for the memory of arrays and the stack: their addresses, and the end of a program without memory.
//!
//! Par code has addresses of 32 bits. So both are mapped below 4 GiB, and below 2 GiB if the system allows it.

use super::code::{Line, assemble, bare, constant, immediate, load, pair, registers, store};
use super::isa as op;
use super::registers::*;
use super::streams::install_handler;
use super::stub::call;
use crate::target::prelude::{ARENA_BYTES, EXHAUSTED, FAILED, Flows, INTERRUPTED};
use Line::{Address, Bytes, Call, Jump, Label};

/// The size of the smallest arena.
const LEAST_BYTES: u32 = 1 << 16;

/// The size of the stack in bytes. Its lowest part is the guard, which no program may access.
const STACK_BYTES: u32 = 64 << 20;
const GUARD_BYTES: u32 = 1 << 20;

/// The preferred addresses.
const STACK: u32 = 0x3800_0000;
const ARENA: u32 = 0x4000_0000;

/// The alignment of the data of arrays with one dimension: a line of the cache, so that no vector lies in two lines.
const LINE: i32 = 64;

/// The number of bytes before these data.
const HEADER: i32 = 16;

/// The bytes of a large array, and the unused bytes after one.
///
/// A load waits for an earlier store if the lower 12 bits of their addresses agree, as if both accessed the same bytes. A loop that goes
/// through several arrays has some hundred bytes of each in flight. So arrays whose sizes are powers of two must not follow each other at
/// distances of one or two lines modulo 4096.
const LARGE: i32 = 2048;
const GAP: i32 = 3 * LINE;

/// The unused bytes above the stack, half a page. The first arrays begin near the beginning of a page, and so the lower 12 bits of their
/// addresses differ from those of variables in the first frames.
const ABOVE_STACK: u32 = 2048;

/// The offset of the first block from the beginning of the arena, where its state is.
const FIRST_BLOCK: i32 = LINE - HEADER;

/// Returns code that maps r12d bytes, at rdi or anywhere below 2 GiB, and puts their address into rax. On failure eax has an error, a
/// number whose upper 16 bits are set. The code has labels 1 and 2.
fn map() -> [Line; 18] {
    /// Reading and writing.
    const ACCESS: u32 = 3;
    /// Private, anonymous, without a reserve in memory and on disk.
    const KIND: u32 = 0x4022;
    /// At this address, or nowhere.
    const FIXED: u32 = 0x10_0000;
    /// Below 2 GiB.
    const LOW: u32 = 0x40;
    [
        constant(R10, KIND | FIXED),
        Label(1),
        constant(RAX, call::MAP),
        registers(op::MOV, RSI, R12),
        constant(RDX, ACCESS),
        constant(R8, u32::MAX),
        constant(R9, 0),
        bare(op::SYSCALL),
        // Old systems ignore the flag, and then the address may have more than 32 bits.
        registers(op::MOV, RCX, RAX),
        pair(op::CMP_Q, RCX, RAX),
        Jump(op::JE, 2),
        constant(RDI, 0),
        immediate(op::CMP_I32, R10, (KIND | LOW) as i32),
        constant(R10, KIND | LOW),
        Jump(op::JNE, 1),
        constant(RAX, u32::MAX),
        Label(2),
        pair(op::TEST, RAX, RAX),
    ]
}

/// Returns the function that returns the address of the arena's state: the words `top` and `limit`, at the beginning of the arena.
/// If there is no arena, it reserves one. The first instruction loads the address of a word, which has the address of the arena, or 0.
///
/// An executable has [another first instruction](state_address). In an object, a linker completes this instruction.
pub(super) fn state() -> Vec<u8> {
    const RESERVE: u8 = 3;
    const SMALLER: u8 = 4;
    const FOUND: u8 = 5;
    let find = [
        load(op::LEA_RIP, RBX, 0, 0),
        load(op::LOAD, RAX, RBX, 0),
        pair(op::TEST, RAX, RAX),
        Jump(op::JE, RESERVE),
        bare(op::RET),
        Label(RESERVE),
        constant(R12, ARENA_BYTES),
        Label(SMALLER),
        constant(RDI, ARENA),
    ];
    let found = [
        Jump(op::JG, FOUND),
        immediate(op::SHR_I8, R12, 1),
        immediate(op::CMP_I32, R12, LEAST_BYTES as i32),
        Jump(op::JAE, SMALLER),
    ];
    let fill = [
        Label(FOUND),
        store(op::STORE, RBX, 0, RAX),
        registers(op::ADD, R12, RAX),
        load(op::LEA, RCX, RAX, FIRST_BLOCK),
        store(op::STORE, RAX, 0, RCX),
        store(op::STORE, RAX, 4, R12),
        bare(op::RET),
    ];
    assemble(0, find.into_iter().chain(map()).chain(found).chain(exhausted()).chain(fill))
}

/// Returns the bytes of the first instruction of the function that finds the arena's state, which is `distance` bytes after the
/// first byte of the function.
pub(in crate::target) fn state_address(distance: u32) -> Vec<u8> {
    let length = super::encode::longest(op::LEA_RIP);
    assemble(0, [load(op::LEA_RIP, RBX, 0, distance.wrapping_sub(length) as i32)])
}

/// Returns the start of an executable: moves rsp to a stack below 4 GiB, calls `main`, and ends with its result. Its second part is the
/// offset of the distance of that call, which [another patch](crate::target::prelude::Start) completes.
pub(super) fn start(flows: Option<Flows>) -> (Vec<u8>, u32) {
    let mut lines: Vec<Line> = map_stack(RBX).collect();
    lines.push(registers(op::MOV_Q, RSP, RBX));
    lines.extend(flows.map(install_handler).unwrap_or_default());
    let call_at = assemble(0, lines.clone()).len() as u32;
    lines.extend([Call(0), registers(op::MOV, RDI, RAX)]);
    lines.extend(flows.map(|flows| Call(flows.finish)));
    lines.extend([constant(RAX, call::EXIT), bare(op::SYSCALL)]);
    (assemble(0, lines), call_at + 1)
}

/// Returns code that maps a stack with its guard, and puts its end into `end`. Without memory, it ends the program. The code has
/// the labels of [`map`] and [`exhausted`], and 3.
fn map_stack(end: u8) -> impl Iterator<Item = Line> {
    const FOUND: u8 = 3;
    let size = [constant(RDI, STACK), constant(R12, STACK_BYTES)];
    let found = [Jump(op::JG, FOUND)];
    let guard = [
        Label(FOUND),
        registers(op::MOV, RDI, RAX),
        load(op::LEA_FAR, end, RAX, (STACK_BYTES - ABOVE_STACK) as i32),
        constant(RAX, call::PROTECT),
        constant(RSI, GUARD_BYTES),
        constant(RDX, 0),
        bare(op::SYSCALL),
    ];
    size.into_iter().chain(map()).chain(found).chain(exhausted()).chain(guard)
}

/// Returns the function that puts the end of the stack of Par code into rax, for [entries](super::entries). If there is no stack, it
/// maps one. It changes rbx, r10, r11 and r12, and no argument of C. The first instruction finds the end, which is 0 before that;
/// a linker completes it.
pub(in crate::target) fn stack_top() -> Vec<u8> {
    const RESERVE: u8 = 4;
    const ARGUMENTS_OF_C: [u8; 6] = [RDI, RSI, RDX, RCX, R8, R9];
    let find = [
        load(op::LEA_RIP, RBX, 0, 0),
        load(op::LOAD_Q, RAX, RBX, 0),
        pair(op::TEST_Q, RAX, RAX),
        Jump(op::JE, RESERVE),
        bare(op::RET),
        Label(RESERVE),
    ];
    let saved = ARGUMENTS_OF_C.into_iter().map(|r| registers(op::PUSH, r, 0));
    let found = [store(op::STORE_Q, RBX, 0, R12), registers(op::MOV_Q, RAX, R12)];
    let restored = ARGUMENTS_OF_C.into_iter().rev().map(|r| registers(op::POP, r, 0));
    let reserve = saved.chain(map_stack(R12)).chain(found).chain(restored);
    assemble(0, find.into_iter().chain(reserve).chain([bare(op::RET)]))
}

/// Returns the function that makes a block. It begins at byte `at`, and calls the functions at bytes `state` and `out_of_memory`.
///
/// ```text
/// [size in bytes] [owner: 0] [address of the data] [extents] [data] [unused]
///                            ^ the result
/// ```
///
/// The next block begins 16 bytes before a multiple of 64, where the memory ends later than there. So data after one extent are aligned. The
/// data of a large array have a gap after them. If a block has another size, only vectors become slower.
pub(super) fn allocate(at: u32, state: u32, out_of_memory: u32) -> Vec<u8> {
    const FITS: u8 = 1;
    const SMALL: u8 = 2;
    const ENDS: u8 = 3;
    // The rank and the number of words. The function `state` changes rbx, but neither of these.
    let (rank, count) = (RBP, R13);
    let lines = [
        registers(op::MOV, rank, RDI),
        registers(op::MOV, count, RSI),
        Call(state),
        load(op::LOAD, RCX, RAX, 0),
        load(op::LOAD, RDX, RAX, 4),
        // The words that are left for data. Nothing overflows, whatever the count is.
        registers(op::SUB, RDX, RCX),
        immediate(op::SAR_I8, RDX, 2),
        registers(op::SUB, RDX, rank),
        immediate(op::SUB_I8, RDX, 3),
        pair(op::CMP, RDX, count),
        Jump(op::JGE, FITS),
        Call(out_of_memory),
        Label(FITS),
        immediate(op::SHL_I8, rank, 2),
        immediate(op::SHL_I8, count, 2),
        load(op::LEA, RDX, RCX, 12),
        registers(op::ADD, RDX, rank),
        registers(op::MOV, RSI, RDX),
        registers(op::ADD, RSI, count),
        // The end of the block.
        load(op::LOAD, RDI, RAX, 4),
        immediate(op::CMP_I32, count, LARGE),
        Jump(op::JL, SMALL),
        immediate(op::ADD_I32, RSI, GAP),
        Label(SMALL),
        immediate(op::ADD_I8, RSI, HEADER - 1),
        immediate(op::OR_I8, RSI, LINE - 1),
        immediate(op::SUB_I8, RSI, HEADER - 1),
        pair(op::CMP, RSI, RDI),
        Jump(op::JBE, ENDS),
        registers(op::MOV, RSI, RDI),
        Label(ENDS),
        // Top, size, owner, address of the data.
        store(op::STORE, RAX, 0, RSI),
        registers(op::SUB, RSI, RCX),
        store(op::STORE, RCX, 0, RSI),
        constant(RDI, 0),
        store(op::STORE, RCX, 4, RDI),
        store(op::STORE, RCX, 8, RDX),
        load(op::LEA, RAX, RCX, 8),
        bare(op::RET),
    ];
    assemble(at, lines)
}

/// Returns the function that copies words in ascending order, four at a time. So they may move to a lower address over
/// themselves, and four or more words can fill the memory after them.
pub(super) fn copy_words() -> Vec<u8> {
    assemble(0, copy(op::ADD_I8))
}

/// Returns the function that copies words from the address of 64 bits at the address in esi.
pub(super) fn copy_from_c() -> Vec<u8> {
    assemble(0, [load(op::LOAD_Q, RSI, RSI, 0)].into_iter().chain(copy(op::ADD_Q_I8)))
}

/// Returns the function that copies words to the address of 64 bits at the address in edi.
pub(super) fn copy_to_c() -> Vec<u8> {
    assemble(0, [load(op::LOAD_Q, RDI, RDI, 0)].into_iter().chain(copy(op::ADD_Q_I8)))
}

/// Returns code that copies r8d words from rsi to rdi and returns. `add` adds to an address. The code has labels 1 to 6.
fn copy(add: u8) -> Vec<Line> {
    const END: u8 = 6;
    let steps = [(16, 1, 2), (4, 3, 4), (1, 5, END)];
    let lines = steps.into_iter().flat_map(|(words, again, next)| copy_steps(add, words, again, next));
    lines.chain([bare(op::RET)]).collect()
}

/// Returns code that copies words in steps of `words` while as many are left, in pieces of four if there are four. It has the labels `again` and
/// `next`.
fn copy_steps(add: u8, words: i32, again: u8, next: u8) -> impl Iterator<Item = Line> {
    let (to, from, count) = (RDI, RSI, R8);
    let (read, write, register) =
        if words < 4 { (op::LOAD, op::STORE, RAX) } else { (op::LOAD_FOUR, op::STORE_FOUR, XMM0) };
    let pieces = (0..4 * words).step_by(if words < 4 { 4 } else { 16 });
    let copied = pieces.flat_map(move |at| [load(read, register, from, at), store(write, to, at, register)]);
    let advanced =
        [immediate(add, from, 4 * words), immediate(add, to, 4 * words), immediate(op::SUB_I8, count, words)];
    let compare = || immediate(op::CMP_I8, count, words);
    [compare(), Jump(op::JL, next), Label(again)].into_iter().chain(copied).chain(advanced).chain([
        compare(),
        Jump(op::JGE, again),
        Label(next),
    ])
}

/// Writes the message, and ends the program. Labels: 20 and 21.
fn exhausted() -> [Line; 13] {
    const MESSAGE: u8 = 20;
    const AGAIN: u8 = 21;
    [
        Label(AGAIN),
        Address(RSI, MESSAGE),
        constant(RDX, EXHAUSTED.len() as u32),
        constant(RDI, 2),
        constant(RAX, call::WRITE),
        bare(op::SYSCALL),
        immediate(op::CMP_I8, RAX, INTERRUPTED),
        Jump(op::JE, AGAIN),
        constant(RDI, FAILED),
        constant(RAX, call::EXIT),
        bare(op::SYSCALL),
        Label(MESSAGE),
        Bytes(EXHAUSTED),
    ]
}

/// Returns the function at byte `at` that writes a message, which follows the code, and ends the program.
pub(super) fn out_of_memory(at: u32, flows: Option<Flows>) -> Vec<u8> {
    assemble(at, flows.map(|flows| Call(flows.finish)).into_iter().chain(exhausted()))
}
