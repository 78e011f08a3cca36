//! The bytes of each instruction of x86-64, as the GNU assembler writes them.
//!
//! `encoding_x86_64.expected` has the bytes and the text of every operation with several registers and immediates. `TREEPAR_BLESS=1`
//! writes it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use refcompiler::ir::instruction::Instruction;
use refcompiler::target::x86_64::assembly::instruction;
use refcompiler::target::x86_64::decode::decode;
use refcompiler::target::x86_64::encode::{encode, length};
use refcompiler::target::x86_64::isa::{COUNT, FORMS, OPERANDS};
use refcompiler::target::x86_64::vectors::{MASK, Operands, VECTORS, Vector, bits, form_with_memory, named};
use refcompiler_programs::Rng;

/// Returns each operation with low and high registers, and with immediates at the edges of their forms.
fn instructions() -> Vec<Instruction> {
    let mut all: Vec<Instruction> = Vec::new();
    for op in (0..COUNT).filter(|&op| !FORMS[usize::from(op)].is_vector()) {
        let operands = OPERANDS[usize::from(op)];
        let number = |r: u8, float: &str, register: &str| match () {
            () if operands.contains(float) => r + 32,
            () if operands.contains(register) => r,
            () => 0,
        };
        for (k, (d, a, b)) in [(0, 1, 2), (3, 5, 6), (9, 7, 1), (6, 13, 15)].into_iter().enumerate() {
            for imm in [5, 0, 1, -128, 127, 128, -1000, 0x1234_5678].into_iter().take(if k < 2 { 8 } else { 1 }) {
                let (rd, rs1) = (number(d, "fd", "d"), number(a, "fs1", "s1"));
                let x = Instruction { op, rd, rs1, rs2: number(b, "fs2", "s2"), imm: imm as u32 };
                let mut bytes = Vec::new();
                encode(x, &mut bytes);
                // Immediates that do not fit decode to others.
                let Some((back, _)) = decode(&bytes) else { panic!("{x:?} has no decoding") };
                if back == x && !all.contains(&x) {
                    all.push(x);
                }
            }
        }
    }
    all
}

/// Returns the forms and the codes of a vector instruction in all encodings.
fn encodings(v: Vector) -> Vec<(u8, u32)> {
    let forms = |first: u8| if v.operands.is_memory() { first..first + 3 } else { first..first + 1 };
    let vex = [v.vex(false), v.vex(true)];
    let mut all: Vec<(u8, u32)> = forms(v.sse_form()).map(|op| (op, v.sse())).collect();
    all.extend(forms(v.vex_form()).flat_map(|op| vex.map(|code| (op, code))));
    all.extend(forms(v.evex_form()).map(|op| (op, v.evex())));
    for scale in 0..3 {
        all.extend(vex.map(|code| (form_with_memory(false, scale), code)));
        all.push((form_with_memory(true, scale), v.evex()));
    }
    all
}

/// Returns each vector instruction in each encoding that has it, with low and high registers.
fn vectors() -> Vec<Instruction> {
    let mut all = Vec::new();
    for v in VECTORS {
        for (op, code) in encodings(v) {
            for (d, a, b) in [(0, 1, 2), (3, 5, 6), (9, 7, 1), (6, 13, 15), (14, 12, 9)] {
                let has_operand = FORMS[usize::from(op)].has_memory_operand();
                let numbers: &[u32] = if has_operand { &[0, 0x70] } else { &[0, 1, 0x70, 0xf0, 0x80] };
                for &number in numbers {
                    let rd = match v.operands {
                        Operands::Shift => v.digit(),
                        Operands::Mask => MASK,
                        _ => d + 32,
                    };
                    let rs2 = if v.operands == Operands::OfMask { MASK } else { b };
                    // Instructions without a first operand have 0 there.
                    let decoded = [a, 0].into_iter().find_map(|rs1| {
                        let x = Instruction { op, rd, rs1, rs2, imm: code | (number << 24) };
                        decode(&bytes(x)).map(|(back, _)| back)
                    });
                    // Decoding shows the registers and the number that an instruction has.
                    if let Some(back) = decoded.filter(|back| back.op == op && !all.contains(back)) {
                        all.push(back);
                    }
                }
            }
        }
    }
    all
}

fn bytes(x: Instruction) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(x, &mut bytes);
    bytes
}

fn expectations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/encoding_x86_64.expected")
}

#[test]
fn each_operation_has_its_bytes_and_back() {
    let scalars = instructions();
    let vectors = vectors();
    assert!(vectors.len() > 1_000, "only {} vector instructions", vectors.len());
    let lines: HashSet<String> = vectors.iter().filter_map(|x| Some(named(x.op, x.imm, x.rd)?.0)).collect();
    let names: HashSet<&str> = lines.iter().map(|name| name.trim_start_matches('v')).collect();
    let wide = vectors.iter().filter(|x| bits(x.op, x.imm) == 512).count();
    assert!(wide > 500, "only {wide} vector instructions on 512 bits");
    let missing: Vec<&str> = VECTORS.iter().map(|v| v.name).filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let all: Vec<Instruction> = scalars.into_iter().chain(vectors).collect();
    let mut text = String::new();
    for &x in &all {
        let bytes = bytes(x);
        assert_eq!(bytes.len() as u32, length(x));
        assert_eq!(decode(&bytes), Some((x, bytes.len())), "{}", instruction(0, x));
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text.push_str(&format!("{hex:<22} {}\n", instruction(0, x)));
    }
    let covered: HashSet<u8> = all.iter().map(|x| x.op).collect();
    assert_eq!(covered.len(), usize::from(COUNT), "every operation is in the list");
    if std::env::var_os("TREEPAR_BLESS").is_some() {
        std::fs::write(expectations(), &text).expect("written expectations");
    }
    assert!(text == std::fs::read_to_string(expectations()).expect("the expectations"), "the bytes have changed");
}

#[test]
fn what_decodes_encodes_to_the_same_bytes() {
    let mut rng = Rng::new(1);
    let mut decoded = 0;
    for _ in 0..200_000 {
        let mut random: Vec<u8> = (0..2).flat_map(|_| rng.next().to_le_bytes()).collect();
        random[0] = [random[0], 0x40 | random[0] & 15, 0xf3, 0x66][rng.next() as usize % 4];
        if let Some((x, count)) = decode(&random) {
            decoded += 1;
            assert_eq!(bytes(x), random[..count]);
        }
    }
    assert!(decoded > 3_000, "only {decoded} were instructions");
}

/// An assembler that shares nothing with ours writes the same bytes.
#[test]
#[ignore = "needs the GNU assembler for x86-64, and objcopy"]
fn the_system_assembles_the_expectations_to_the_same_bytes() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        eprintln!("skipped: needs the assembler of Linux on x86-64");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(folder.path()).status();
        assert!(status.expect("the tool, which this test needs").success());
    };
    let list = std::fs::read_to_string(expectations()).expect("the expectations");
    let mut text = String::new();
    let mut expected = Vec::new();
    for line in list.lines() {
        let (hex, instruction) = line.split_once(' ').expect("bytes and text");
        // A target of a jump is a distance from its first byte.
        let distance = |label: &str| format!(".+({})", label.parse::<u32>().expect("a target") as i32);
        let instruction = instruction.trim();
        text.push_str(&match instruction.split_once(".L") {
            Some((before, label)) => format!("{before}{}\n", distance(label)),
            None => format!("{instruction}\n"),
        });
        expected.push((hex, instruction));
    }
    std::fs::write(folder.path().join("t.s"), text).expect("a written file");
    run("as", &["--64", "t.s", "-o", "t.o"]);
    run("objcopy", &["-O", "binary", "-j", ".text", "t.o", "t.bin"]);
    let found = std::fs::read(folder.path().join("t.bin")).expect("the bytes");
    let mut found = found.iter();
    for (hex, instruction) in expected {
        let own: String = found.by_ref().take(hex.len() / 2).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(own, hex, "{instruction}");
    }
    assert_eq!(found.count(), 0);
}
