//! The machine code for the memory of arrays: its addresses, and its exhaustion.

use super::encode::{encode, lower, upper};
use super::isa as op;
use super::registers::{A0, A1, A2, A3, A4, A5, A7, RA, T0, T1, T2, T3, T4, T5, ZERO};
use super::stub::{call, immediate, load};
use crate::target::prelude::{ARENA_BYTES, EXHAUSTED, FAILED, INTERRUPTED};

/// The number of the system call that maps memory.
const MMAP: u32 = 222;

/// Returns the address of the arena's state: the words `top` and `limit`. If `top` is 0, reserves the memory first. If there is
/// none, `top` equals `limit`, so that the first allocation ends the program.
///
/// An executable has other first words, and a linker completes the words of an object.
pub fn state() -> Vec<u32> {
    /// Reading and writing.
    const ACCESS: u32 = 3;
    /// Private, anonymous.
    const KIND: u32 = 0x22;
    /// Without a reserve in memory and on disk.
    const NO_RESERVE: u32 = 0x4000;
    let move_to = |to: u8, from: u8| immediate(op::ADDI, to, from, 0);
    let long = |rd: u8, value: u32| encode(op::LUI, rd, 0, 0, value);
    vec![
        encode(op::AUIPC, A0, 0, 0, 0),
        immediate(op::ADDI, A0, A0, 0),
        immediate(op::LW, T0, A0, 0),
        encode(op::BEQ, 0, T0, ZERO, 8),
        immediate(op::JALR, ZERO, RA, 0),
        // reserve:
        move_to(T0, A0),
        load(A0, 0),
        long(A1, ARENA_BYTES),
        load(A2, ACCESS),
        long(A3, NO_RESERVE),
        immediate(op::ADDI, A3, A3, KIND as i32),
        immediate(op::ADDI, A4, ZERO, -1),
        load(A5, 0),
        load(A7, MMAP),
        encode(op::ECALL, 0, 0, 0, 0),
        encode(op::SW, 0, T0, A0, 0),
        // The last page of addresses has the negated error numbers.
        long(T1, -4096i32 as u32),
        encode(op::SLTU, T1, T1, A0, 0),
        encode(op::BNE, 0, T1, ZERO, 8),
        encode(op::ADD, A0, A0, A1, 0),
        encode(op::SW, 0, T0, A0, 4),
        move_to(A0, T0),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}

/// Returns the first two words of the function that finds the arena's state, which is `distance` bytes after the first.
pub(in crate::target) fn state_address(distance: u32) -> [u32; 2] {
    [encode(op::AUIPC, A0, 0, 0, upper(distance)), encode(op::ADDI, A0, A0, 0, lower(distance))]
}

/// Returns the function that makes a block, which begins at word `at`. Its calls are to the functions that begin at the other words.
///
/// ```text
/// [size in bytes] [owner: 0] [address of the data] [extents] [data]
///                            ^ the result
/// ```
pub fn allocate(at: u32, state: u32, out_of_memory: u32) -> Vec<u32> {
    // The rank and the number of words; the return address. The function `state` changes none of them.
    let (rank, count, back) = (T4, T5, T3);
    let call = |word: u32, function: u32| encode(op::JAL, RA, 0, 0, function.wrapping_sub(at + word).wrapping_mul(4));
    vec![
        immediate(op::ADDI, back, RA, 0),
        immediate(op::ADDI, rank, A0, 0),
        immediate(op::ADDI, count, A1, 0),
        call(3, state),
        immediate(op::LW, T0, A0, 0),
        immediate(op::LW, T1, A0, 4),
        // The words that are left for data. Nothing overflows, whatever the count is.
        encode(op::SUB, T1, T1, T0, 0),
        immediate(op::SRAI, T1, T1, 2),
        encode(op::SUB, T1, T1, rank, 0),
        immediate(op::ADDI, T1, T1, -3),
        encode(op::BGE, 0, T1, count, 8),
        call(11, out_of_memory),
        immediate(op::SLLI, rank, rank, 2),
        immediate(op::SLLI, count, count, 2),
        immediate(op::ADDI, T1, T0, 12),
        encode(op::ADD, T1, T1, rank, 0),
        encode(op::ADD, T2, T1, count, 0),
        // Top, size, owner, address of the data.
        encode(op::SW, 0, A0, T2, 0),
        encode(op::SUB, T2, T2, T0, 0),
        encode(op::SW, 0, T0, T2, 0),
        encode(op::SW, 0, T0, ZERO, 4),
        encode(op::SW, 0, T0, T1, 8),
        immediate(op::ADDI, A0, T0, 8),
        immediate(op::JALR, ZERO, back, 0),
    ]
}

/// Returns the function that copies words in ascending order, four at a time. So they may move to a lower address over
/// themselves, and four or more words can fill the memory after them.
pub fn copy_words() -> Vec<u32> {
    let (to, from, count, four) = (A0, A1, A2, A5);
    let read = |rd: u8, at: i32| immediate(op::LW, rd, from, at);
    let write = |rs: u8, at: u32| encode(op::SW, 0, to, rs, at);
    vec![
        load(four, 4),
        encode(op::BLT, 0, count, four, 52),
        // fours:
        read(T0, 0),
        read(T1, 4),
        read(T2, 8),
        read(A3, 12),
        write(T0, 0),
        write(T1, 4),
        write(T2, 8),
        write(A3, 12),
        immediate(op::ADDI, from, from, 16),
        immediate(op::ADDI, to, to, 16),
        immediate(op::ADDI, count, count, -4),
        encode(op::BGE, 0, count, four, (-44i32) as u32),
        encode(op::BEQ, 0, count, ZERO, 28),
        // ones:
        read(T0, 0),
        write(T0, 0),
        immediate(op::ADDI, from, from, 4),
        immediate(op::ADDI, to, to, 4),
        immediate(op::ADDI, count, count, -1),
        encode(op::BNE, 0, count, ZERO, (-20i32) as u32),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}

/// Writes a message that follows the code, and ends the program.
pub fn out_of_memory() -> Vec<u32> {
    const CODE_WORDS: i32 = 11;
    let mut words = vec![
        // again:
        encode(op::AUIPC, A1, 0, 0, 0),
        immediate(op::ADDI, A1, A1, CODE_WORDS * 4),
        load(A2, EXHAUSTED.len() as u32),
        load(A0, 2),
        load(A7, call::WRITE),
        encode(op::ECALL, 0, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        encode(op::BEQ, 0, A0, T0, (-28i32) as u32),
        load(A0, FAILED),
        load(A7, call::EXIT),
        encode(op::ECALL, 0, 0, 0, 0),
    ];
    debug_assert_eq!(words.len(), CODE_WORDS as usize);
    words.extend(EXHAUSTED.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
    words
}
