//! The machine code before the compiled code: the start of a program, and the functions of the runtime that are not compiled from
//! Par. Some of its instructions are completed when the rest of a file is known.
//!
//! All offsets are in bytes.

use super::{Target, riscv, x86_64};
use crate::ir::builtins::BUILTINS;
use crate::ir::tree::runtime;
use crate::object::Symbol;

/// A function of machine code.
#[derive(Debug)]
pub struct MachineCode {
    /// The bytes as little-endian words.
    pub words: Vec<u32>,
    /// The number of bytes without padding.
    pub size: u32,
    /// The offset of the instruction that computes the address of the messages of checks, if there is one.
    pub table: Option<u32>,
    /// The offset of the instruction that computes the address of the state of buffered streams, if there is one.
    pub state: Option<u32>,
}

/// The functions of an executable that buffers its output and input, as offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flows {
    /// Writes the output.
    pub flush: u32,
    /// Writes the output and gives back the input that is not read.
    pub finish: u32,
}

/// The start of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    target: Target,
    call_at: u32,
}

impl Start {
    /// Returns the patch that makes the start, which is at byte 0, call the function at byte `main`.
    pub fn patch(self, main: u32) -> Patch {
        match self.target {
            Target::X86_64 => call_patch(self.call_at, main),
            _ => Patch::of_words(0, riscv::stub::call_words(main)),
        }
    }
}

/// The machine code at the start of a program.
#[derive(Debug, Default)]
pub struct Prelude {
    /// The bytes as little-endian words. An executable begins at the first.
    pub words: Vec<u32>,
    /// The symbols of these words.
    pub symbols: Vec<Symbol>,
    /// The offsets of the instructions that compute the address of the messages of checks.
    pub reporters: Vec<u32>,
    /// The offsets of the instructions that compute the address of the state of buffered streams.
    pub streams: Vec<u32>,
    /// The functions for buffered streams, if the program has such.
    pub flows: Option<Flows>,
    /// The start of an executable.
    pub start: Option<Start>,
    entries: Vec<Option<u32>>,
}

/// The symbol of a program's start.
pub const START: &str = "_start";

/// The exit status after a failed check: 128 and the number of SIGABRT, as shells report it.
pub(super) const FAILED: u32 = 134;

/// The negated error number of an interrupted system call, EINTR.
pub(super) const INTERRUPTED: i32 = -4;

/// The size of the arena in bytes, if the system grants that much. The system provides memory for parts that are used.
pub(super) const ARENA_BYTES: u32 = 1 << 30;

/// The message of a program whose memory is exhausted. Its length is a multiple of 4.
pub(super) const EXHAUSTED: &[u8] = b"memory is exhausted\n";

impl Prelude {
    /// Returns the prelude of a program: the start of an executable, and the runtime functions that are `used`.
    ///
    /// The start calls `main`. [`Start::patch`] completes the call when the address of `main` is known.
    pub fn new(target: Target, is_executable: bool, used: impl Fn(u32) -> bool) -> Prelude {
        let mut prelude = Prelude { entries: vec![None; runtime::COUNT as usize], ..Prelude::default() };
        if is_executable {
            prelude.add_start(target, used(runtime::PRINT_CHAR) || used(runtime::READ_CHAR));
        }
        // Functions of machine code call others before them.
        let is_called = |id| matches!(id, runtime::ARENA | runtime::OUT_OF_MEMORY) && used(runtime::ALLOCATE);
        for builtin in BUILTINS.iter().filter(|builtin| used(builtin.id) || is_called(builtin.id)) {
            let code = match target {
                Target::X86_64 => x86_64::stub::machine_code(builtin.id, &prelude),
                _ => riscv::stub::machine_code(builtin.id, &prelude),
            };
            if let Some(code) = code {
                prelude.entries[builtin.id as usize] = Some(prelude.add(builtin.name, code));
            }
        }
        prelude
    }

    /// Returns the offset of a runtime function that is part of the prelude.
    pub fn entry(&self, id: u32) -> Option<u32> {
        self.entries.get(id as usize).copied().flatten()
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Adds the start of an executable, and the functions for streams if it `flows`.
    fn add_start(&mut self, target: Target, flows: bool) {
        if target != Target::X86_64 {
            self.add(START, riscv::stub::start());
            self.start = Some(Start { target, call_at: 0 });
            return;
        }
        if flows {
            // The functions follow the start, whose size does not depend on where they are.
            let (start, _) = x86_64::stub::start(Some(Flows { flush: 0, finish: 0 }));
            let flush = 4 * start.words.len() as u32;
            let [first, _] = x86_64::stub::flow_functions(flush);
            self.flows = Some(Flows { flush, finish: flush + 4 * first.words.len() as u32 });
        }
        let (start, call_at) = x86_64::stub::start(self.flows);
        self.add(START, start);
        self.start = Some(Start { target, call_at });
        if let Some(Flows { flush, .. }) = self.flows {
            for (name, code) in ["flush", "finish"].into_iter().zip(x86_64::stub::flow_functions(flush)) {
                self.add(name, code);
            }
        }
    }

    fn add(&mut self, name: &str, code: MachineCode) -> u32 {
        let offset = self.size();
        self.symbols.push(Symbol { name: name.to_string(), offset, size: code.size, global: name == START });
        self.reporters.extend(code.table.map(|at| offset + at));
        self.streams.extend(code.state.map(|at| offset + at));
        self.words.extend(code.words);
        offset
    }
}

/// Bytes that replace others.
#[derive(Debug)]
pub struct Patch {
    /// The offset of the first byte.
    pub at: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Patch {
    fn of_words(at: u32, words: [u32; 2]) -> Patch {
        Patch { at, bytes: words.into_iter().flat_map(u32::to_le_bytes).collect() }
    }

    /// Writes the bytes into little-endian words.
    pub fn apply(&self, words: &mut [u32]) {
        for (k, &byte) in self.bytes.iter().enumerate() {
            let at = self.at as usize + k;
            let shift = 8 * (at % 4);
            words[at / 4] = words[at / 4] & !(0xff << shift) | u32::from(byte) << shift;
        }
    }
}

/// Returns the function that finds the stack of Par code for functions that C calls, on a target where they need one.
pub fn stack_top(target: Target) -> Option<MachineCode> {
    (target == Target::X86_64).then(|| x86_64::stub::function(x86_64::arena::stack_top()))
}

/// How C passes arguments on x86-64, and Par gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arguments {
    /// The number of words on the stack.
    pub words: u32,
    /// `true` if Par gets the address of all arguments in memory.
    pub in_memory: bool,
}

/// Returns the code at byte `at` that calls a function of Par for C on x86-64. `stack` is the byte of [`stack_top`].
pub fn gate_from_c(at: u32, stack: u32, arguments: Arguments) -> MachineCode {
    x86_64::entries::gate(at, stack, arguments)
}

/// Returns the function at byte `at` that C calls on x86-64 for the function at byte `callee`. `gate` is the byte of
/// [`gate_from_c`].
pub fn entry_from_c(at: u32, callee: u32, gate: u32) -> MachineCode {
    x86_64::entries::entry(at, callee, gate)
}

/// Returns the function that Par calls on x86-64 for one of C, with some addresses on the stack. Its last four bytes are the distance
/// to that.
pub fn thunk_to_c(addresses: u32) -> MachineCode {
    x86_64::entries::thunk(addresses)
}

/// Returns the patch that makes the call whose distance is at byte `at` one of the function at byte `callee` on x86-64.
pub fn call_patch(at: u32, callee: u32) -> Patch {
    Patch { at, bytes: callee.wrapping_sub(at + 4).to_le_bytes().to_vec() }
}

/// Returns the instructions from byte `from` to byte `to`, which are never executed. They end the code of a program.
pub fn padding(target: Target, from: u32, to: u32) -> Patch {
    debug_assert!(target == Target::X86_64 || from == to);
    Patch { at: from, bytes: vec![x86_64::stub::padding(); (to - from) as usize] }
}

/// Returns the patch that makes the function at byte `at` find the state of the arena, which is `distance` bytes after that.
pub fn arena_patch(target: Target, at: u32, distance: u32) -> Patch {
    match target {
        Target::X86_64 => Patch { at, bytes: x86_64::arena::state_address(distance) },
        _ => Patch::of_words(at, riscv::arena::state_address(distance)),
    }
}

/// Returns the patch that makes the instruction at byte `at` compute the address of the messages of checks, which begin at
/// byte `table`.
pub fn reporter_patch(target: Target, at: u32, table: u32) -> Patch {
    match target {
        Target::X86_64 => Patch { at, bytes: x86_64::stub::address(table - at) },
        _ => Patch::of_words(at, riscv::reporter::table_address(table - at)),
    }
}

/// Returns the patch that makes the instruction at byte `at` compute the address of the state of buffered streams, which is
/// `distance` bytes after it.
pub fn stream_patch(at: u32, distance: u32) -> Patch {
    Patch { at, bytes: x86_64::stub::address(distance) }
}
