//! Runs a program for RISC-V step by step, with a list of the calls that have not returned.

use std::collections::HashMap;

use gimli::{CfaRule, RegisterRule};
use object::{Object, ObjectSegment};
use rvsim::{Clock, CpuError, CpuState, Interp, Memory, MemoryAccess, Op};

use super::sections::{File, Unwinding};

/// The bytes of memory. The stack is at its end, and memory that a program maps in its middle.
const BYTES: usize = 64 << 20;
const MAPPED: u32 = 16 << 20;
const MOST_MAPPED: u32 = 32 << 20;

struct Flat(Vec<u8>);

impl Memory for Flat {
    fn access<T: Copy>(&mut self, address: u32, access: MemoryAccess<T>) -> bool {
        self.0[..].access(address, access)
    }
}

impl Flat {
    fn word(&self, address: u32) -> u32 {
        u32::from_le_bytes(self.0[address as usize..][..4].try_into().expect("four bytes"))
    }
}

struct NoClock;

impl Clock for NoClock {
    fn read_cycle(&self) -> u64 {
        0
    }
    fn read_time(&self) -> u64 {
        0
    }
    fn read_instret(&self) -> u64 {
        0
    }
    fn progress(&mut self, _: &Op) {}
    fn check_quota(&self) -> bool {
        true
    }
}

/// A call that has not returned: the address to which it returns, and the registers of the caller.
struct Frame {
    back: u32,
    registers: [u32; 32],
}

/// The registers `ra` and `sp`.
const RA: usize = 1;
const SP: usize = 2;
/// The ints that a function keeps: `s0` to `s11`.
const SAVED: [usize; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

/// Runs an executable for at most `steps` instructions. Before each, the callers that the file describes must be the functions that have called.
/// Returns the number of instructions and the greatest depth of calls.
pub fn check_callers(elf: &[u8], input: &[u8], steps: usize) -> (usize, usize) {
    let file = File::read(elf);
    let parsed = object::File::parse(elf).expect("ELF");
    let mut memory = Flat(vec![0; BYTES]);
    for segment in parsed.segments() {
        let data = segment.data().expect("a segment");
        memory.0[segment.address() as usize..][..data.len()].copy_from_slice(data);
    }
    let mut state = CpuState::new(parsed.entry() as u32);
    state.x[SP] = BYTES as u32 - 64;
    let mut frames: Vec<Frame> = Vec::new();
    let mut rules: HashMap<u32, Unwinding> = HashMap::new();
    let (mut input, mut mapped, mut deepest) = (input, MAPPED, 0);
    for step in 0..steps {
        let mut registers: [u32; 32] = std::array::from_fn(|k| state.x[k]);
        let (mut pc, mut depth) = (state.pc, frames.len());
        // A debugger looks at all callers, but here most of the time one is enough.
        let most = if step % 97 == 0 { usize::MAX } else { 1 };
        for _ in 0..=frames.len().min(most) {
            // A return address is after the call, and may belong to the next function.
            let at = if depth == frames.len() { pc } else { pc - 1 };
            let unwinding = rules
                .entry(at)
                .or_insert_with(|| file.unwinding(at.into()).unwrap_or_else(|| panic!("no rules at {at:#x}")));
            let Some(frame) = depth.checked_sub(1).map(|top| &frames[top]) else {
                let back = unwinding.rules.iter().find(|rule| rule.0 == RA as u16);
                assert_eq!(back.map(|rule| &rule.1), Some(&RegisterRule::Undefined), "the start has no caller");
                break;
            };
            registers = callers(unwinding, &registers, &memory);
            let found = (registers[RA], registers[SP]);
            assert_eq!(found, (frame.back, frame.registers[SP]), "at {at:#x}, step {step}, depth {depth}");
            for r in SAVED {
                assert_eq!(registers[r], frame.registers[r], "register {r} at {at:#x}, step {step}, depth {depth}");
            }
            (pc, depth) = (registers[RA], depth - 1);
        }
        let word = memory.word(state.pc);
        let before = state.pc;
        match Interp::new(&mut state, &mut memory, &mut NoClock).step() {
            Ok(_) => {}
            Err((CpuError::Ecall, _)) => match state.x[17] {
                63 => {
                    let count = (state.x[12] as usize).min(input.len());
                    let address = state.x[11] as usize;
                    memory.0[address..address + count].copy_from_slice(&input[..count]);
                    input = &input[count..];
                    state.x[10] = count as u32;
                }
                64 => state.x[10] = state.x[12],
                93 | 94 => return (step, deepest),
                222 if state.x[11] <= MOST_MAPPED => {
                    state.x[10] = mapped;
                    mapped += state.x[11];
                }
                222 => state.x[10] = -12i32 as u32,
                number => panic!("system call {number}"),
            },
            Err((error, _)) => panic!("{error:?} at {before:#x}"),
        }
        let (is_jal, is_jalr, rd) = (word & 0x7f == 0x6f, word & 0x7f == 0x67, word >> 7 & 31);
        if (is_jal || is_jalr) && rd == RA as u32 {
            frames.push(Frame { back: before + 4, registers: std::array::from_fn(|k| state.x[k]) });
            deepest = deepest.max(frames.len());
        } else if is_jalr && rd == 0 {
            let frame = frames.pop().expect("a call that has not returned");
            assert_eq!(frame.back, state.pc, "the return at {before:#x}");
        }
    }
    (steps, deepest)
}

/// Returns the registers of the caller. Its program counter is in `ra`.
fn callers(unwinding: &Unwinding, registers: &[u32; 32], memory: &Flat) -> [u32; 32] {
    let CfaRule::RegisterAndOffset { register, offset } = unwinding.cfa else { panic!("{unwinding:?}") };
    let cfa = registers[usize::from(register.0)].wrapping_add(offset as u32);
    let mut found = *registers;
    found[SP] = cfa;
    for (register, rule) in unwinding.rules.iter().filter(|rule| rule.0 < 32) {
        found[usize::from(*register)] = match rule {
            RegisterRule::Offset(at) => memory.word(cfa.wrapping_add(*at as u32)),
            RegisterRule::Register(other) => registers[usize::from(other.0)],
            RegisterRule::SameValue => registers[usize::from(*register)],
            rule => panic!("{rule:?}"),
        };
    }
    found
}
