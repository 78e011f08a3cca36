//! The machine code of x86-64 that is not compiled from Par, called by functions written here, on this machine.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::io::{Read, Seek, Write};
use std::process::{Output, Stdio};

use crate::toolchain;
use refcompiler::frontend::sequential::Sources;
use refcompiler::ir::instruction::{CHECK_SAME, Instruction};
use refcompiler::ir::tree::runtime;
use refcompiler::object::{Check, Failure, Image, Symbol, write_executable};
use refcompiler::target::Target;
use refcompiler::target::prelude::Prelude;
use refcompiler::target::x86_64::encode::{encode, length};
use refcompiler::target::x86_64::exits::{exit, exit_bytes};
use refcompiler::target::x86_64::isa as op;
use refcompiler::target::x86_64::registers::*;

/// The code of `main`, which follows the prelude.
struct Main {
    prelude: Prelude,
    bytes: Vec<u8>,
    checks: Vec<Check>,
}

impl Main {
    fn op(&mut self, op: u8, rd: u8, rs1: u8, rs2: u8, imm: i32) -> &mut Main {
        encode(Instruction { op, rd, rs1, rs2, imm: imm as u32 }, &mut self.bytes);
        self
    }

    fn constant(&mut self, r: u8, value: i32) -> &mut Main {
        self.op(op::MOV_I32, r, 0, 0, value)
    }

    fn call(&mut self, id: u32) -> &mut Main {
        let entry = self.prelude.entry(id).expect("a function of the prelude");
        let end = self.prelude.size() + self.bytes.len() as u32 + 5;
        self.op(op::CALL_NEAR, 0, 0, 0, entry.wrapping_sub(end) as i32)
    }

    /// Prints the int of a register in hexadecimal digits from `A` to `P`.
    fn print(&mut self, r: u8) -> &mut Main {
        self.op(op::MOV, R15, r, 0, 0);
        for digit in (0..8).rev() {
            self.op(op::MOV, RDI, R15, 0, 0).op(op::SHR_I8, RDI, 0, 0, 4 * digit);
            self.op(op::AND_I8, RDI, 0, 0, 15).op(op::ADD_I8, RDI, 0, 0, i32::from(b'A'));
            self.call(runtime::PRINT_CHAR);
        }
        self
    }

    /// Reports a check that two registers are equal, which they are not.
    fn fail(&mut self, failure: Failure, a: u8, b: u8) -> &mut Main {
        // The exit is the next instruction.
        self.op(op::CMP_CHECKED, 0, a, b, 0).op(op::JNE_NEAR, 0, 0, 0, 0);
        let check = self.prelude.size() + self.bytes.len() as u32;
        self.checks.push(Check { return_offset: check, position: 0, failure });
        let reporter = self.prelude.entry(runtime::CHECK_FAILED).expect("a function of the prelude");
        let code = exit(CHECK_SAME, check, check, reporter);
        let bytes = [code.low.to_le_bytes(), code.high.to_le_bytes()].concat();
        self.bytes.extend(&bytes[..exit_bytes(CHECK_SAME) as usize]);
        self
    }
}

/// Returns an executable with some functions of the prelude.
fn program(used: &[u32], write: impl Fn(&mut Main)) -> Vec<u8> {
    let prelude = Prelude::new(Target::X86_64, true, |id| used.contains(&id));
    let mut main = Main { prelude, bytes: Vec::new(), checks: Vec::new() };
    // The stack is aligned at calls, but here it need not be.
    write(&mut main);
    let Main { prelude, mut bytes, checks } = main;
    let size = bytes.len() as u32;
    bytes.resize(bytes.len().next_multiple_of(4), 0xcc);
    let offset = prelude.size();
    let arena = prelude.entry(runtime::ARENA);
    let Prelude { mut words, mut symbols, reporters, streams, start, .. } = prelude;
    start.expect("an executable").patch(offset).apply(&mut words);
    words.extend(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("a word"))));
    symbols.push(Symbol { name: "main".into(), offset, size, global: true });
    let code_words = words.len();
    let calls = Vec::new();
    let mut image = Image {
        target: Target::X86_64,
        words,
        code_words,
        checks,
        reporters,
        streams,
        arena,
        stack: None,
        symbols,
        calls,
        debug: None,
    };
    let mut sources = Sources::new();
    sources.add("a.par", b"fn".to_vec()).expect("a source");
    image.locate_checks(&sources);
    write_executable(&image).expect("ELF")
}

/// Runs a program with some functions of the prelude.
fn run(input: &[u8], used: &[u32], write: impl Fn(&mut Main)) -> Output {
    toolchain::native(&program(used, write), input)
}

fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_program_copies_its_input_and_returns_a_status() {
    let used = [runtime::PRINT_CHAR, runtime::PRINT_ERROR, runtime::READ_CHAR, runtime::EXIT];
    let found = run(b"x\xff", &used, |main| {
        for _ in 0..2 {
            main.call(runtime::READ_CHAR).op(op::MOV, RDI, RAX, 0, 0).call(runtime::PRINT_CHAR);
        }
        main.call(runtime::READ_CHAR).op(op::NEG, RAX, 0, 0, 0).op(op::MOV, RBX, RAX, 0, 0);
        main.constant(RDI, 0x1_2300 | i32::from(b'e')).call(runtime::PRINT_ERROR);
        main.op(op::MOV, RAX, RBX, 0, 0).op(op::ADD_I8, RAX, 0, 0, 41).op(op::RET, 0, 0, 0, 0);
    });
    assert_eq!((found.status.code(), &found.stdout[..], &found.stderr[..]), (Some(42), &b"x\xff"[..], &b"e"[..]));
    let found = run(b"", &used, |main| {
        main.constant(RDI, 300).call(runtime::EXIT);
    });
    assert_eq!(texts(&found), (Some(44), "".into(), "".into()));
}

#[test]
fn operations_have_their_values() {
    let used = [runtime::PRINT_CHAR, runtime::BITS, runtime::FLOAT_OF_BITS, runtime::HIGH_PRODUCT];
    let found = run(b"", &used, |main| {
        main.constant(RDI, -3).constant(RSI, 0x7000_0000).call(runtime::HIGH_PRODUCT).print(RAX);
        main.constant(RDI, 0x7f80_0001).call(runtime::FLOAT_OF_BITS).call(runtime::BITS).print(RAX);
        main.constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
    });
    let product = (u64::from(-3i32 as u32) * 0x7000_0000) >> 32;
    assert_eq!(texts(&found), (Some(0), printed(&[product as u32, 0x7f80_0001]), "".into()));
}

/// Returns what [`Main::print`] writes.
fn printed(numbers: &[u32]) -> String {
    let letter = |digit: char| char::from(b'A' + digit.to_digit(16).unwrap_or(0) as u8);
    numbers.iter().flat_map(|n| format!("{n:08x}").chars().map(letter).collect::<Vec<_>>()).collect()
}

#[test]
fn blocks_and_the_stack_are_in_low_memory() {
    let used = [runtime::PRINT_CHAR, runtime::ALLOCATE, runtime::ARENA];
    let found = run(b"", &used, |main| {
        // Two blocks: of rank 1 and 5 words, and of rank 2 and 3 words.
        main.constant(RDI, 1).constant(RSI, 5).call(runtime::ALLOCATE).op(op::PUSH, RAX, 0, 0, 0);
        main.constant(RDI, 2).constant(RSI, 3).call(runtime::ALLOCATE);
        // The data of the first are aligned.
        main.op(op::POP, RBX, 0, 0, 0).op(op::MOV, R14, RAX, 0, 0);
        main.op(op::LOAD, RAX, RBX, 0, 0).op(op::AND_I8, RAX, 0, 0, 63).print(RAX);
        main.op(op::MOV, RAX, R14, 0, 0).op(op::SUB, RAX, RBX, 0, 0).print(RAX);
        for (base, offset) in [(RBX, -8), (RBX, -4), (R14, -8)] {
            main.op(op::LOAD, RAX, base, 0, offset).print(RAX);
        }
        // The address of the data follows three words and the extents.
        main.op(op::LOAD, RAX, R14, 0, 0).op(op::SUB, RAX, R14, 0, 0).print(RAX);
        // The state's top is after the second block, and its limit a gibibyte after the state.
        main.call(runtime::ARENA).op(op::PUSH, RAX, 0, 0, 0).op(op::LOAD, RAX, RAX, 0, 0);
        main.op(op::SUB, RAX, R14, 0, 0).print(RAX).op(op::POP, RBX, 0, 0, 0);
        main.op(op::LOAD, RAX, RBX, 0, 4).op(op::SUB, RAX, RBX, 0, 0).print(RAX);
        // No address has more than 31 bits.
        main.op(op::MOV_Q, RAX, RSP, 0, 0).op(op::SHR_Q_I8, RAX, 0, 0, 31).print(RAX);
        main.op(op::MOV_Q, RAX, RBX, 0, 0).op(op::SHR_Q_I8, RAX, 0, 0, 31).print(RAX);
        main.constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
    });
    let numbers = [0, 64, 64, 0, 64, 12, 56, 1 << 30, 0, 0];
    assert_eq!(texts(&found), (Some(0), printed(&numbers), "".into()));
}

/// The lower 12 bits of the addresses of large blocks and of the first frame differ by more than two lines of the cache.
#[test]
fn large_blocks_and_the_stack_have_other_lower_bits() {
    let used = [runtime::PRINT_CHAR, runtime::ALLOCATE];
    let found = run(b"", &used, |main| {
        // The sizes in bytes are powers of two. Only the last block is small.
        for words in [512, 1024, 511] {
            main.constant(RDI, 1).constant(RSI, words).call(runtime::ALLOCATE);
            main.op(op::LOAD, RAX, RAX, 0, -8).print(RAX);
        }
        main.op(op::MOV, RAX, RSP, 0, 0).op(op::AND_I32, RAX, 0, 0, 4095).print(RAX);
        main.constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
    });
    // The address to return to is on the stack.
    let numbers = [2048 + 64 + 192, 4096 + 64 + 192, 2048 + 64, 2048 - 8];
    assert_eq!(texts(&found), (Some(0), printed(&numbers), "".into()));
}

#[test]
fn too_large_a_block_ends_the_program() {
    // The state and the head of the block take 64 bytes of the arena.
    let fits = (1 << 28) - 16;
    let found = run(b"", &[runtime::ALLOCATE], |main| {
        main.constant(RDI, 1).constant(RSI, fits).call(runtime::ALLOCATE).constant(RAX, 5).op(op::RET, 0, 0, 0, 0);
    });
    assert_eq!(texts(&found), (Some(5), "".into(), "".into()));
    for words in [fits + 1, 1 << 28, i32::MAX] {
        let found = run(b"", &[runtime::ALLOCATE], |main| {
            main.constant(RDI, 1).constant(RSI, words).call(runtime::ALLOCATE).op(op::RET, 0, 0, 0, 0);
        });
        assert_eq!(texts(&found), (Some(134), "".into(), "memory is exhausted\n".into()));
    }
}

#[test]
fn words_are_copied_in_ascending_order() {
    // From each word to the next but three, so that the first four words fill all.
    for count in [0, 1, 3, 4, 5, 11, 15, 16, 17, 28] {
        let found = run(b"", &[runtime::PRINT_CHAR, runtime::COPY_WORDS], |main| {
            main.op(op::SUB_Q_I32, RSP, 0, 0, 256).op(op::MOV_Q, RBX, RSP, 0, 0);
            for k in 0..32 {
                main.constant(RAX, i32::from(b'0') + k).op(op::STORE, 0, RBX, RAX, 4 * k);
            }
            main.op(op::LEA, RDI, RBX, 0, 16).op(op::LEA, RSI, RBX, 0, 0).constant(R8, count);
            main.call(runtime::COPY_WORDS);
            for k in 0..32 {
                main.op(op::MOV_Q, RBX, RSP, 0, 0).op(op::LOAD, RDI, RBX, 0, 4 * k).call(runtime::PRINT_CHAR);
            }
            main.op(op::ADD_Q_I32, RSP, 0, 0, 256).constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
        });
        let mut words: Vec<u8> = (0..32).map(|k| b'0' + k).collect();
        for k in 0..count as usize {
            words[k + 4] = words[k];
        }
        assert_eq!(texts(&found), (Some(0), String::from_utf8(words).expect("letters"), "".into()), "{count}");
    }
}

#[test]
fn a_failed_check_is_reported_with_the_values_of_its_registers() {
    // The exit changes rdx, which has no value then.
    let registers = (0..16).filter(|&r| r != RSP && r != RDX);
    for (k, a) in registers.clone().enumerate() {
        let b = registers.clone().nth((k + 4) % 14).expect("a register");
        for (failure, x, y) in [(Failure::Index, i32::MIN, 0), (Failure::Extents, -7, 1_234_567_890)] {
            let found = run(b"", &[runtime::CHECK_FAILED], |main| {
                main.constant(a, x).constant(b, y).fail(failure, b, a);
            });
            let text = match failure {
                Failure::Index => format!("index {y} is out of range: the extent is {x}"),
                _ => format!("the extents {y} and {x} differ"),
            };
            assert_eq!(texts(&found), (Some(134), "".into(), format!("a.par:1:1: {text}\n")), "{a} {b}");
        }
    }
}

#[test]
fn a_failed_slice_is_reported_with_its_numbers() {
    let found = run(b"", &[runtime::CHECK_FAILED, runtime::ASSERT], |main| {
        main.constant(RDI, 1).call(runtime::ASSERT);
        main.op(op::SUB_Q_I8, RSP, 0, 0, 16).op(op::MOV_Q, R13, RSP, 0, 0);
        for (k, number) in [(0, 3), (1, -20), (2, 10)] {
            main.constant(RAX, number).op(op::STORE, 0, R13, RAX, 4 * k);
        }
        main.constant(R9, 0).fail(Failure::Slice, R13, R9);
    });
    let message = "a.par:1:1: the slice 3..-20 is out of range: the extent is 10\n";
    assert_eq!(texts(&found), (Some(134), "".into(), message.into()));
}

#[test]
fn a_failed_assertion_is_reported() {
    let found = run(b"", &[runtime::ASSERT], |main| {
        main.constant(RDI, 0).call(runtime::ASSERT);
    });
    assert_eq!(texts(&found), (Some(134), "".into(), "assertion failed\n".into()));
}

#[test]
fn an_overflow_of_the_stack_is_a_fault() {
    use std::os::unix::process::ExitStatusExt;
    for used in [&[][..], &[runtime::PRINT_CHAR]] {
        let found = run(b"", used, |main| {
            if !used.is_empty() {
                main.constant(RDI, i32::from(b'x')).call(runtime::PRINT_CHAR);
            }
            main.op(op::SUB_Q_I32, RSP, 0, 0, (64 << 20) - 100).op(op::CALL_NEAR, 0, 0, 0, -5);
        });
        // The output before the fault is not lost.
        assert_eq!((found.status.signal(), found.stdout.len()), (Some(11), used.len()));
    }
}

/// An interrupt ends a program, and the output before it is not lost. If the program was started to ignore it, it does.
#[test]
fn an_interrupt_ends_the_program_after_its_output() {
    use std::os::unix::process::ExitStatusExt;
    let elf = program(&[runtime::PRINT_CHAR], |main| {
        const PROCESS: i32 = 39;
        const KILL: i32 = 62;
        main.constant(RDI, i32::from(b'x')).call(runtime::PRINT_CHAR);
        main.constant(RAX, PROCESS).op(op::SYSCALL, 0, 0, 0, 0).op(op::MOV, RDI, RAX, 0, 0);
        main.constant(RSI, 2).constant(RAX, KILL).op(op::SYSCALL, 0, 0, 0, 0);
        main.constant(RDI, i32::from(b'y')).call(runtime::PRINT_CHAR);
        main.constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
    });
    let folder = tempfile::tempdir().expect("a folder");
    toolchain::write_runnable(&folder.path().join("program"), &elf);
    // These tests may have been started to ignore interrupts.
    let found = toolchain::run("env", &["--default-signal=INT", "./program"], folder.path());
    assert_eq!((found.status.signal(), &found.stdout[..]), (Some(2), &b"x"[..]));
    let found = toolchain::run("sh", &["-c", "trap '' INT; exec ./program"], folder.path());
    assert_eq!((found.status.code(), &found.stdout[..]), (Some(0), &b"xy"[..]));
}

/// Copies the input up to the byte `.` twice, with code that loops.
fn write_echo(main: &mut Main) {
    let call_bytes = 5;
    let begin = main.bytes.len() as i32;
    main.call(runtime::READ_CHAR).op(op::MOV, RBX, RAX, 0, 0);
    main.op(op::CMP_I8, 0, RBX, 0, i32::from(b'.'));
    // Over both outputs and the jump back.
    let moved = length(Instruction { op: op::MOV, rd: RDI, rs1: RBX, ..Instruction::default() });
    let output_bytes = moved as i32 + call_bytes;
    main.op(op::JE, 0, 0, 0, 2 * output_bytes + 5);
    for _ in 0..2 {
        main.op(op::MOV, RDI, RBX, 0, 0).call(runtime::PRINT_CHAR);
    }
    let end = main.bytes.len() as i32 + 5;
    main.op(op::JMP_NEAR, 0, 0, 0, begin - end);
    main.constant(RAX, 0).op(op::RET, 0, 0, 0, 0);
}

const ECHO: [u32; 2] = [runtime::READ_CHAR, runtime::PRINT_CHAR];

#[test]
fn buffers_of_any_content_are_written_and_read() {
    for length in [0, 1, (1 << 13) - 1, 1 << 13, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 100_000] {
        let text: Vec<u8> = (0..length).map(|k| b'a' + (k % 23) as u8).collect();
        let found = run(&[&text[..], b".rest"].concat(), &ECHO, write_echo);
        let expected: Vec<u8> = text.iter().flat_map(|&byte| [byte, byte]).collect();
        assert!(found.stdout == expected && found.status.success(), "{length} bytes");
    }
}

#[test]
fn input_that_is_not_read_stays_in_the_file() {
    let native = toolchain::Native::new(&program(&ECHO, write_echo));
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(b"ab.the rest").expect("text");
    file.rewind().expect("its start");
    let child = native.start(|command| command.stdin(file.try_clone().expect("the same file")).stdout(Stdio::piped()));
    assert_eq!(child.wait_with_output().expect("a run").stdout, b"aabb");
    let mut rest = String::new();
    file.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "the rest");
}

#[test]
fn output_is_written_before_the_program_waits() {
    let native = toolchain::Native::new(&program(&ECHO, |main| {
        main.constant(RDI, i32::from(b'?')).call(runtime::PRINT_CHAR);
        write_echo(main);
    }));
    let mut child = native.start(|command| command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut byte = [0];
    output.read_exact(&mut byte).expect("the question");
    input.write_all(b"y").expect("an answer");
    output.read_exact(&mut [0; 2]).expect("the answer, twice");
    input.write_all(b".").expect("the end");
    assert!(byte == *b"?" && child.wait().expect("an end").success());
}

/// Output, messages and failures come in order if they go to one file.
#[test]
fn output_comes_before_messages() {
    let used = [runtime::PRINT_CHAR, runtime::PRINT_ERROR, runtime::ASSERT];
    let native = toolchain::Native::new(&program(&used, |main| {
        for (letter, function) in [(b'a', used[0]), (b'b', used[1]), (b'c', used[1]), (b'd', used[0])] {
            main.constant(RDI, letter.into()).call(function);
        }
        main.constant(RDI, 0).call(runtime::ASSERT);
    }));
    let mut file = tempfile::tempfile().expect("a file");
    let same = || file.try_clone().expect("the same file");
    let mut child = native.start(|command| command.stdout(same()).stderr(same()));
    let status = child.wait().expect("an end");
    file.rewind().expect("its start");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("text");
    assert_eq!((status.code(), text.as_str()), (Some(134), "abcdassertion failed\n"));
}
