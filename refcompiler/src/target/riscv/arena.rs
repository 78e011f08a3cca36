//! The machine code for the memory of arrays: where it is, and what happens if there is none left.

use super::encode::{encode, lower, upper};
use super::isa as op;
use super::registers::{A0, A1, A2, A3, A4, A5, A7, RA, T0, T1, ZERO};
use super::stub::{FAILED, INTERRUPTED, call, immediate, load};

/// The number of the system call that maps memory.
const MMAP: u32 = 222;

/// The size of the arena in bytes. The system gives it memory where it is used.
pub const ARENA_BYTES: u32 = 1 << 30;

/// Returns the address of the arena's state: the words `top` and `limit`. If `top` is 0, reserves the memory first. If there is
/// none, `top` equals `limit`, so that the first allocation ends the program.
///
/// An executable has [other first words](state_address), and a linker completes those of an object.
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
pub fn state_address(distance: u32) -> [u32; 2] {
    [encode(op::AUIPC, A0, 0, 0, upper(distance)), encode(op::ADDI, A0, A0, 0, lower(distance))]
}

/// The message of a program whose memory is exhausted.
const EXHAUSTED: &[u8] = b"memory is exhausted\n";

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
