//! The simulator refuses every malformed file with its own error, and no file makes it panic.

use std::path::Path;

use crate::toolchain::{self, simulated};
use refcompiler::simulator::{Fault, Limits, LoadError, MAX_SEGMENTS, STACK_BYTES, Streams, Work, run_counted};
use refcompiler_programs::Rng;

const READ: u32 = 4;
const WRITE: u32 = 2;
const EXECUTE: u32 = 1;

/// A loadable segment's header.
#[derive(Clone, Copy)]
struct Segment {
    offset: u32,
    address: u32,
    file_bytes: u32,
    memory_bytes: u32,
    flags: u32,
    alignment: u32,
}

/// The address of the code, whose offset in the file is equal modulo 4096.
const CODE: u32 = 0x1_0100;

/// A segment with `words` instructions at offset 0x100.
fn code(words: usize) -> Segment {
    let bytes = 4 * words as u32;
    Segment {
        offset: 0x100,
        address: CODE,
        file_bytes: bytes,
        memory_bytes: bytes,
        flags: READ | EXECUTE,
        alignment: 0x1000,
    }
}

/// Returns an ELF file with the given headers, and `words` from offset 0x100 on.
fn file(entry: u32, segments: &[Segment], words: &[u32]) -> Vec<u8> {
    let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |elf: &mut Vec<u8>, value: u16| elf.extend(value.to_le_bytes());
    let word = |elf: &mut Vec<u8>, value: u32| elf.extend(value.to_le_bytes());
    half(&mut elf, 2);
    half(&mut elf, 243);
    // Version, entry, program headers (after the segments' words), section headers, flags.
    for value in [1, entry, 0x100 + 4 * words.len() as u32, 0, 0] {
        word(&mut elf, value);
    }
    for value in [52, 32, segments.len() as u16, 40, 0, 0] {
        half(&mut elf, value);
    }
    elf.resize(0x100, 0);
    words.iter().for_each(|&value| word(&mut elf, value));
    for s in segments {
        for value in [1, s.offset, s.address, s.address, s.file_bytes, s.memory_bytes, s.flags, s.alignment] {
            word(&mut elf, value);
        }
    }
    elf
}

/// `li a0, 5; li a7, 93; ecall`.
const EXIT_5: [u32; 3] = [0x0050_0513, 0x05d0_0893, 0x0000_0073];

fn status(elf: &[u8]) -> Result<u8, Fault> {
    simulated(elf, b"", Limits { instructions: Some(1000), ..Limits::default() }).status
}

#[track_caller]
fn refused(elf: &[u8], expected: LoadError) {
    match status(elf) {
        Err(Fault::NotExecutable(found)) => assert_eq!(found, expected),
        other => panic!("expected `{expected}`, found {other:?}"),
    }
}

#[test]
fn each_malformed_header_has_its_own_error() {
    let good = code(3);
    assert_eq!(status(&file(CODE, &[good], &EXIT_5)).expect("a valid file"), 5);
    for cut in [0, 3, 15, 51] {
        let elf = &file(CODE, &[good], &EXIT_5)[..cut];
        assert!(matches!(status(elf), Err(Fault::NotExecutable(LoadError::Malformed(_)))), "{cut} bytes");
    }
    let with = |at: usize, value: u8| {
        let mut elf = file(CODE, &[good], &EXIT_5);
        elf[at] = value;
        elf
    };
    for (at, value) in [(0, 0), (4, 2), (5, 2)] {
        let found = status(&with(at, value));
        assert!(matches!(found, Err(Fault::NotExecutable(LoadError::Malformed(_)))), "byte {at}: {found:?}");
    }
    refused(&with(16, 3), LoadError::FileType { found: 3 });
    refused(&with(18, 62), LoadError::Machine { found: 62 });

    let one = |segment: Segment| file(CODE, &[segment], &EXIT_5);
    let outside = LoadError::OutsideFile { segment: 0, end: 0x100 + 0x1000, file_bytes: 0x100 + 12 + 32 };
    refused(&one(Segment { file_bytes: 0x1000, memory_bytes: 0x1000, ..good }), outside);
    let outside = LoadError::OutsideFile { segment: 0, end: 0xffff_ff00 + 12, file_bytes: 0x100 + 12 + 32 };
    refused(&one(Segment { offset: 0xffff_ff00, ..good }), outside);
    let shrinks = LoadError::Shrinks { segment: 0, file_bytes: 12, memory_bytes: 8 };
    refused(&one(Segment { memory_bytes: 8, ..good }), shrinks);
    refused(&one(Segment { alignment: 3, ..good }), LoadError::Alignment { segment: 0, alignment: 3 });
    let misaligned = LoadError::Misaligned { segment: 0, address: CODE + 2, offset: 0x100, alignment: 0x1000 };
    refused(&one(Segment { address: CODE + 2, ..good }), misaligned);
    let limit = 0xc000_0000 - (8 << 20);
    let outside = LoadError::OutsideMemory { segment: 0, end: u64::from(CODE) + u64::from(u32::MAX), limit };
    refused(&one(Segment { memory_bytes: u32::MAX, ..good }), outside);
    let outside = LoadError::OutsideMemory { segment: 0, end: 0xffff_f10c, limit };
    refused(&one(Segment { address: 0xffff_f100, ..good }), outside);
    let large = LoadError::TooLarge { found: (1 << 30) + 1, limit: 1 << 30 };
    refused(&one(Segment { memory_bytes: (1 << 30) + 1, ..good }), large);
    refused(&one(Segment { flags: READ | WRITE, ..good }), LoadError::Entry { entry: CODE });
    for entry in [0, CODE - 4, CODE + 2, CODE + 12, u32::MAX - 3] {
        refused(&file(entry, &[good], &EXIT_5), LoadError::Entry { entry });
    }
    refused(&file(CODE, &[], &EXIT_5), LoadError::Entry { entry: CODE });

    let data = Segment { address: CODE + 0x1008, memory_bytes: 20, alignment: 1, flags: READ | WRITE, ..good };
    let overlap = Segment { address: CODE + 8, ..data };
    refused(&file(CODE, &[good, overlap], &EXIT_5), LoadError::Overlap { first: 0, second: 1 });
    refused(&file(CODE, &[good, data, data], &EXIT_5), LoadError::Overlap { first: 1, second: 2 });
    let after = Segment { address: CODE + 12, ..data };
    assert_eq!(status(&file(CODE, &[after, good], &EXIT_5)).expect("adjacent segments"), 5);
    let segments: Vec<Segment> =
        (0..=MAX_SEGMENTS as u32).map(|k| Segment { address: CODE + 0x1000 * k, ..good }).collect();
    refused(&file(CODE, &segments, &EXIT_5), LoadError::TooManySegments { found: MAX_SEGMENTS + 1 });
    assert_eq!(status(&file(CODE, &segments[1..], &EXIT_5).with_entry(CODE + 0x1000)).expect("the limit"), 5);
}

/// Changes the entry point of a file.
trait WithEntry {
    fn with_entry(self, entry: u32) -> Self;
}

impl WithEntry for Vec<u8> {
    fn with_entry(mut self, entry: u32) -> Vec<u8> {
        self[24..28].copy_from_slice(&entry.to_le_bytes());
        self
    }
}

#[test]
fn stacks_beyond_the_limits_are_refused() {
    let elf = file(CODE, &[code(3)], &EXIT_5);
    let with = |stack_bytes| simulated(&elf, b"", Limits { stack_bytes, ..Limits::default() }).status;
    for found in [0, STACK_BYTES.start() - 1, STACK_BYTES.end() + 1, u32::MAX] {
        let result = with(found);
        let expected = LoadError::Stack { found };
        assert!(matches!(&result, Err(Fault::NotExecutable(error)) if *error == expected), "{found}: {result:?}");
    }
    assert_eq!(with(*STACK_BYTES.start()).expect("the smallest stack"), 5);
    assert_eq!(with((1 << 20) + 1).expect("an odd size"), 5);
}

/// Runs words at an address that is 4 modulo 8, and returns the fault.
fn fault(words: &[u32]) -> Fault {
    let segment = Segment { address: CODE + 4, offset: 0x100, alignment: 4, ..code(words.len()) };
    status(&file(CODE + 4, &[segment], words)).expect_err("a fault")
}

#[test]
fn faults_name_the_instruction_and_the_address() {
    const START: u32 = CODE + 4;
    // lw a0, 2(sp); lw a0, 0(zero); auipc a0, 0 and sw a0, 0(a0); a jump to the stack; ebreak; an unknown call.
    let found = fault(&[0x0000_0013, 0x0021_2503]);
    assert!(matches!(found, Fault::Misaligned { pc, .. } if pc == START + 4), "{found:?}");
    let found = fault(&[0x0000_2503]);
    assert!(matches!(found, Fault::Access { address: 0, pc: START, .. }), "{found:?}");
    let found = fault(&[0x0000_0517, 0x00a5_2023]);
    assert!(matches!(found, Fault::Access { address: START, pc, .. } if pc == START + 4), "{found:?}");
    let found = fault(&[0x0001_0067]);
    assert!(matches!(found, Fault::Instruction { pc: 0xbfff_fff0, .. }), "{found:?}");
    let found = fault(&[0x0000_0013, 0x0010_0073]);
    assert!(matches!(found, Fault::Instruction { pc, .. } if pc == START + 4), "{found:?}");
    let found = fault(&[0x0630_0893, 0x0000_0073]);
    assert!(matches!(found, Fault::SystemCall { number: 99, pc, .. } if pc == START + 4), "{found:?}");
    let found = fault(&[0x0000_006f]);
    assert!(matches!(found, Fault::Instructions { limit: 1000, pc: START, .. }), "{found:?}");
}

/// The executables that the mutations begin with.
fn seeds() -> Vec<Vec<u8>> {
    let examples = ["calculator", "floats", "queens", "word_count"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).with_extension("par");
        let text = std::fs::read_to_string(path).expect("an example");
        toolchain::executable(&toolchain::tree(&text).expect("a valid example")).expect("an executable")
    });
    let data = Segment { address: 0x2_0101, offset: 0x101, alignment: 8, flags: READ | WRITE, ..code(3) };
    let mut seeds = examples.to_vec();
    seeds.push(file(CODE, &[code(3), data], &EXIT_5));
    seeds.push(mapping(1 << 20, 3, 0x22, &ERROR));
    seeds
}

/// Changes headers, symbols or instructions: a byte, a word, or a run of random words.
fn mutate(rng: &mut Rng, elf: &mut Vec<u8>) {
    for _ in 0..=rng.below(4) {
        let range = if rng.once_in(2) { elf.len().min(120) } else { elf.len() };
        let at = rng.below(range);
        match rng.below(5) {
            0 => elf[at] ^= 1 << rng.below(8),
            1 => elf[at] = [0, 1, 0x7f, 0x80, 0xff][rng.below(5)],
            2 => {
                let value = [0, 1, 4, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX - 3, u32::MAX][rng.below(8)];
                let at = at & !3;
                elf.splice(at..(at + 4).min(elf.len()), value.to_le_bytes());
            }
            3 => {
                let at = at.max(120).min(elf.len());
                let end = (at + 4 * rng.below(16)).min(elf.len());
                elf[at..end].iter_mut().for_each(|byte| *byte = rng.below(256) as u8);
            }
            _ if rng.once_in(8) => elf.truncate(at + 1),
            _ => {}
        }
    }
}

/// The instructions of `mmap`, with its arguments, and an exit with a status that `rest` computes from a0.
fn mapping(bytes: u32, protection: u32, flags: u32, rest: &[u32]) -> Vec<u8> {
    let addi = |rd: u32, rs: u32, imm: i32| 0x13 | rd << 7 | rs << 15 | (imm as u32) << 20;
    let lui = |rd: u32, value: u32| 0x37 | rd << 7 | value.wrapping_add(0x800) & 0xffff_f000;
    let li = |rd: u32, value: u32| [lui(rd, value), addi(rd, rd, ((value << 20) as i32) >> 20)];
    let mut words = [li(11, bytes), li(12, protection), li(13, flags), li(14, u32::MAX), li(17, 222)].concat();
    words.extend([addi(10, 0, 0), addi(15, 0, 0), 0x73]);
    words.extend(rest);
    words.extend([addi(17, 0, 93), 0x73]);
    let code = code(words.len());
    file(CODE, &[code], &words)
}

/// `sub a0, zero, a0`: a negated error number as the status.
const ERROR: [u32; 1] = [0x40a0_0533];

/// `sw a0, -4(sp); sh a0, -8(sp); sb a0, -9(sp); lw t0, -4(sp); lhu t0, -8(sp); lb t0, -9(sp); fsw fa0, -4(sp); flw fa0, -4(sp)`
const ACCESSES: [u32; 8] =
    [0xfea1_2e23, 0xfea1_1c23, 0xfea1_0ba3, 0xffc1_2283, 0xff81_5283, 0xff71_0283, 0xfea1_2e27, 0xffc1_2507];

#[test]
fn instructions_and_accesses_are_counted() {
    let words = [&ACCESSES[..], &EXIT_5].concat();
    let elf = file(CODE, &[code(words.len())], &words);
    let streams = Streams { input: &mut &b""[..], output: &mut Vec::new(), errors: &mut Vec::new() };
    let (status, work) = run_counted(&elf, streams, Limits::default()).expect("a run");
    // The system call that ends the program counts too.
    let expected = Work { instructions: 11, loads: 4, stores: 4, loaded_bytes: 11, stored_bytes: 11 };
    assert_eq!((status, work), (5, expected));
}

#[test]
fn anonymous_memory_can_be_mapped() {
    const NO_RESERVE: u32 = 0x4022;
    let default = Limits { instructions: Some(1000), ..Limits::default() };
    let ran = |elf: &[u8], limits| simulated(elf, b"", limits).status;
    // `lui t0, 0x3fff0; add t0, t0, a0; li t1, 7; sw t1, 0(t0); lw t1, 4(t0); lw t2, 0(t0); add a0, t1, t2`
    let last = [0x3fff_02b7, 0x00a2_82b3, 0x0070_0313, 0x0062_a023, 0x0042_a303, 0x0002_a383, 0x0073_0533];
    assert_eq!(ran(&mapping(1 << 30, 3, NO_RESERVE, &last), default).expect("a status"), 7);
    assert_eq!(ran(&mapping((1 << 30) - 4095, 3, 0x22, &last), default).expect("a status"), 7);
    // `srli a0, a0, 24`
    assert_eq!(ran(&mapping(1, 3, 0x22, &[0x0185_5513]), default).expect("a status"), 0x40);

    let (invalid, exhausted) = (22, 12);
    let failures = [
        (0, 3, 0x22, invalid),
        (1, 7, 0x22, invalid),
        (1, 3, 0x21, invalid),
        (1, 3, 0x32, invalid),
        (1, 3, 2, invalid),
        ((1 << 30) + 1, 3, 0x22, exhausted),
        (u32::MAX, 3, 0x22, exhausted),
    ];
    for (bytes, protection, flags, error) in failures {
        let found = ran(&mapping(bytes, protection, flags, &ERROR), default);
        assert_eq!(found.expect("a status"), error, "{bytes:#x} {protection} {flags:#x}");
    }
    let unlimited = Limits { mapped_bytes: u64::MAX, ..default };
    for (bytes, status) in [(1 << 30, 0), (0x7b80_0000, 0), (0x7b80_1000, exhausted), (u32::MAX, exhausted)] {
        // The low byte of an address is 0.
        let found = ran(&mapping(bytes, 3, 0x22, &ERROR), unlimited).expect("a status");
        assert_eq!(found, status, "{bytes:#x}");
    }

    // A word after the memory, a write to memory for reading only, and instructions in it.
    let after = &last[..4];
    let faults = |elf: Vec<u8>| ran(&elf, default).expect_err("a fault");
    assert!(matches!(faults(mapping(0x3fff_0000, 3, 0x22, after)), Fault::Access { address: 0x7fff_0000, .. }));
    assert!(matches!(faults(mapping(1 << 30, 1, 0x22, after)), Fault::Access { address: 0x7fff_0000, .. }));
    assert!(matches!(faults(mapping(4096, 3, 0x22, &[0x0005_0067])), Fault::Instruction { .. }));
    // `1: ecall; addi a0, zero, 0; j 1b` until there are too many parts, with the error number as the status.
    let repeat = [0x0400_0293, 0x0000_0513, 0x0000_0073, 0xfff2_8293, 0xfe02_9ae3, 0x40a0_0533];
    assert_eq!(ran(&mapping(4096, 3, 0x22, &repeat), default).expect("a status"), exhausted);
}

/// Little memory, so that many runs take little time.
const SMALL: Limits = Limits {
    stack_bytes: 1 << 16,
    segment_bytes: 1 << 22,
    mapped_bytes: 1 << 22,
    instructions: None,
    guard_arena: false,
    guard_blocks: false,
};

#[test]
fn mutated_files_end_in_order() {
    let cases = std::env::var("TREEPAR_PROGRAMS").map_or(3000, |cases| cases.parse().expect("a number"));
    let seeds = seeds();
    let limits = Limits { instructions: Some(20_000), ..SMALL };
    let (mut refused, mut ended, mut stopped) = (0, 0, 0);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let mut elf = seeds[rng.below(seeds.len())].clone();
        mutate(&mut rng, &mut elf);
        let result = std::panic::catch_unwind(|| simulated(&elf, b"1 + 2\n", limits).status);
        match result.unwrap_or_else(|_| panic!("seed {seed} panics")) {
            Ok(_) => ended += 1,
            Err(Fault::NotExecutable(_)) => refused += 1,
            Err(Fault::Io(error)) => panic!("seed {seed}: {error}"),
            Err(_) => stopped += 1,
        }
    }
    println!("{refused} refused, {ended} ended, {stopped} stopped");
    assert!(refused >= cases / 20 && ended + stopped >= cases / 4 && stopped >= cases / 20);
}

/// Every word is an instruction or a fault, also with registers at their limits.
#[test]
fn random_instructions_end_in_order() {
    let limits = Limits { instructions: Some(2000), ..SMALL };
    const OPCODES: [u32; 18] =
        [0x03, 0x07, 0x0f, 0x13, 0x17, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x6f, 0x73];
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let words: Vec<u32> = (0..64)
            .map(|_| {
                let word = rng.below(1 << 16) as u32 | (rng.below(1 << 16) as u32) << 16;
                let word = if rng.once_in(8) { word } else { word & !0x7f | OPCODES[rng.below(OPCODES.len())] };
                // Often a function code of arithmetic, and registers that hold something.
                if rng.once_in(2) { word & 0x41ff_ffff } else { word }
            })
            .collect();
        let segment = Segment { flags: READ | WRITE | EXECUTE, ..code(words.len()) };
        let elf = file(CODE, &[segment], &words);
        let result = std::panic::catch_unwind(|| simulated(&elf, b"", limits).status);
        assert!(result.is_ok(), "seed {seed} panics");
    }
}
