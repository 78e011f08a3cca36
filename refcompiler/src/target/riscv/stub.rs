//! The machine code that is not compiled from Par: the start of a program, input and output of one byte, the
//! [report](super::reporter) of a failed check, and single operations that Par has no operator for.
//!
//! System calls follow Linux for RISC-V. The number is in a7; arguments and the result begin at a0.

use super::arena;
use super::encode::{encode, lower, upper};
use super::isa as op;
use super::registers::{A0, A1, A2, A7, FA0, RA, SP, T0, ZERO};
use super::reporter;
use crate::ir::builtins::BUILTINS;
use crate::ir::tree::runtime;
use crate::object::Symbol;

/// Numbers of system calls.
pub(super) mod call {
    pub const READ: u32 = 63;
    pub const WRITE: u32 = 64;
    pub const EXIT: u32 = 93;
}

/// The words at the start of a program, before the compiled ones.
#[derive(Debug, Default)]
pub struct Prelude {
    /// The words. An executable begins at the first.
    pub words: Vec<u32>,
    /// The symbols of these words.
    pub symbols: Vec<Symbol>,
    entries: Vec<Option<u32>>,
}

impl Prelude {
    /// Returns the first word of a runtime function that is part of the prelude.
    pub fn entry(&self, id: u32) -> Option<u32> {
        self.entries.get(id as usize).copied().flatten()
    }

    /// Returns the words of a function of machine code that calls others, if it comes next.
    fn calling_code(&self, id: u32) -> Option<Vec<u32>> {
        let at = self.words.len() as u32;
        match id {
            runtime::ALLOCATE => {
                Some(arena::allocate(at, self.entry(runtime::ARENA)?, self.entry(runtime::OUT_OF_MEMORY)?))
            }
            _ => None,
        }
    }

    fn add(&mut self, name: &str, words: Vec<u32>) -> u32 {
        let first = self.words.len() as u32;
        let size = 4 * words.len() as u32;
        self.symbols.push(Symbol { name: name.to_string(), offset: 4 * first, size, global: name == START });
        self.words.extend(words);
        first
    }
}

/// The symbol of a program's start.
pub const START: &str = "_start";

/// Returns the prelude of a program: the start of an executable, and the runtime functions that are `used`.
///
/// The start calls `main` with `auipc` and `jalr`. [`patch_start`] completes them when the address of `main` is known.
pub fn prelude(is_executable: bool, used: impl Fn(u32) -> bool) -> Prelude {
    let mut prelude = Prelude { entries: vec![None; runtime::COUNT as usize], ..Prelude::default() };
    if is_executable {
        prelude.add(START, start());
    }
    // Functions of machine code call others before them.
    let is_called = |id| matches!(id, runtime::ARENA | runtime::OUT_OF_MEMORY) && used(runtime::ALLOCATE);
    for builtin in BUILTINS.iter().filter(|builtin| used(builtin.id) || is_called(builtin.id)) {
        if let Some(words) = machine_code(builtin.id).or_else(|| prelude.calling_code(builtin.id)) {
            prelude.entries[builtin.id as usize] = Some(prelude.add(builtin.name, words));
        }
    }
    prelude
}

/// Returns the words of a function of the runtime that is machine code.
fn machine_code(id: u32) -> Option<Vec<u32>> {
    Some(match id {
        runtime::PRINT_CHAR => write_byte(1),
        runtime::PRINT_ERROR => write_byte(2),
        runtime::EXIT => vec![load(A7, call::EXIT), encode(op::ECALL, 0, 0, 0, 0)],
        runtime::READ_CHAR => read_char(),
        runtime::ASSERT => reporter::assert(),
        runtime::CHECK_FAILED => reporter::check_failed(),
        runtime::BITS => operation(op::FMV_X_W, A0, FA0, 0),
        runtime::FLOAT_OF_BITS => operation(op::FMV_W_X, FA0, A0, 0),
        runtime::ARENA => arena::state(),
        runtime::OUT_OF_MEMORY => arena::out_of_memory(),
        runtime::COPY_WORDS => arena::copy_words(),
        runtime::HIGH_PRODUCT => operation(op::MULHU, A0, A0, A1),
        _ => return None,
    })
}

/// Returns a function that is one operation.
fn operation(operation: u8, rd: u8, rs1: u8, rs2: u8) -> Vec<u32> {
    vec![encode(operation, rd, rs1, rs2, 0), immediate(op::JALR, ZERO, RA, 0)]
}

pub(super) fn immediate(operation: u8, rd: u8, rs1: u8, imm: i32) -> u32 {
    encode(operation, rd, rs1, 0, imm as u32)
}

pub(super) fn load(rd: u8, value: u32) -> u32 {
    immediate(op::ADDI, rd, ZERO, value as i32)
}

fn start() -> Vec<u32> {
    vec![
        encode(op::AUIPC, RA, 0, 0, 0),
        immediate(op::JALR, RA, RA, 0),
        load(A7, call::EXIT),
        encode(op::ECALL, 0, 0, 0, 0),
    ]
}

/// Makes the start call the function at word `main`.
pub fn patch_start(words: &mut [u32], main: u32) {
    let bytes = main * 4;
    words[0] = encode(op::AUIPC, RA, 0, 0, upper(bytes));
    words[1] = encode(op::JALR, RA, RA, 0, lower(bytes));
}

/// The negated error number of an interrupted system call, EINTR.
pub(super) const INTERRUPTED: i32 = -4;

/// Returns a function that writes a byte to a file.
fn write_byte(file: u32) -> Vec<u32> {
    vec![
        immediate(op::ADDI, SP, SP, -16),
        encode(op::SB, 0, SP, A0, 12),
        // again:
        load(A0, file),
        immediate(op::ADDI, A1, SP, 12),
        load(A2, 1),
        load(A7, call::WRITE),
        encode(op::ECALL, 0, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        encode(op::BEQ, 0, A0, T0, (-24i32) as u32),
        immediate(op::ADDI, SP, SP, 16),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}

fn read_char() -> Vec<u32> {
    vec![
        immediate(op::ADDI, SP, SP, -16),
        // again:
        load(A0, 0),
        immediate(op::ADDI, A1, SP, 12),
        load(A2, 1),
        load(A7, call::READ),
        encode(op::ECALL, 0, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        encode(op::BEQ, 0, A0, T0, (-24i32) as u32),
        load(T0, 1),
        // One byte read, or else the end (or an error, which ends the input as well).
        encode(op::BEQ, 0, A0, T0, 12),
        immediate(op::ADDI, A0, ZERO, -1),
        encode(op::JAL, ZERO, 0, 0, 8),
        encode(op::LBU, A0, SP, 0, 12),
        immediate(op::ADDI, SP, SP, 16),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}
