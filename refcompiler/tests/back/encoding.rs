//! Machine words: each operation as the specification writes it.

use refcompiler::target::riscv::assembly::instruction;
use refcompiler::target::riscv::decode::decode;
use refcompiler::target::riscv::encode::encode;
use refcompiler::target::riscv::isa::*;
use refcompiler_programs::Rng;

/// Operation, rd, rs1, rs2, immediate, its assembly, and its word as clang's assembler writes it.
const TABLE: &[(u8, u8, u8, u8, i32, &str, u32)] = &[
    (LUI, 28, 0, 0, 0x12345 << 12, "lui t3, 0x12345", 0x12345e37),
    (AUIPC, 1, 0, 0, -4096, "auipc ra, 0xfffff", 0xfffff097),
    (ADDI, 2, 2, 0, -2048, "addi sp, sp, -2048", 0x80010113),
    (ADDI, 10, 0, 0, 2047, "addi a0, zero, 2047", 0x7ff00513),
    (SLTI, 10, 11, 0, -1, "slti a0, a1, -1", 0xfff5a513),
    (SLTIU, 10, 11, 0, 1, "sltiu a0, a1, 1", 0x0015b513),
    (XORI, 10, 11, 0, -1, "xori a0, a1, -1", 0xfff5c513),
    (ORI, 10, 11, 0, 255, "ori a0, a1, 255", 0x0ff5e513),
    (ANDI, 10, 11, 0, 7, "andi a0, a1, 7", 0x0075f513),
    (SLLI, 10, 11, 0, 31, "slli a0, a1, 31", 0x01f59513),
    (SRLI, 10, 11, 0, 1, "srli a0, a1, 1", 0x0015d513),
    (SRAI, 10, 11, 0, 31, "srai a0, a1, 31", 0x41f5d513),
    (ADD, 28, 29, 30, 0, "add t3, t4, t5", 0x01ee8e33),
    (SUB, 28, 29, 30, 0, "sub t3, t4, t5", 0x41ee8e33),
    (SLL, 28, 29, 30, 0, "sll t3, t4, t5", 0x01ee9e33),
    (SLT, 28, 29, 30, 0, "slt t3, t4, t5", 0x01eeae33),
    (SLTU, 28, 29, 30, 0, "sltu t3, t4, t5", 0x01eebe33),
    (XOR, 28, 29, 30, 0, "xor t3, t4, t5", 0x01eece33),
    (SRL, 28, 29, 30, 0, "srl t3, t4, t5", 0x01eede33),
    (SRA, 28, 29, 30, 0, "sra t3, t4, t5", 0x41eede33),
    (OR, 28, 29, 30, 0, "or t3, t4, t5", 0x01eeee33),
    (AND, 28, 29, 30, 0, "and t3, t4, t5", 0x01eefe33),
    (MUL, 28, 29, 30, 0, "mul t3, t4, t5", 0x03ee8e33),
    (MULHU, 28, 29, 30, 0, "mulhu t3, t4, t5", 0x03eebe33),
    (DIV, 28, 29, 30, 0, "div t3, t4, t5", 0x03eece33),
    (REM, 28, 29, 30, 0, "rem t3, t4, t5", 0x03eeee33),
    (LW, 10, 2, 0, 2044, "lw a0, 2044(sp)", 0x7fc12503),
    (SW, 0, 2, 10, -4, "sw a0, -4(sp)", 0xfea12e23),
    (LBU, 10, 2, 0, 12, "lbu a0, 12(sp)", 0x00c14503),
    (SB, 0, 2, 10, 12, "sb a0, 12(sp)", 0x00a10623),
    (LH, 10, 2, 0, 12, "lh a0, 12(sp)", 0x00c11503),
    (SH, 0, 2, 10, 12, "sh a0, 12(sp)", 0x00a11623),
    (FLW, 42, 2, 0, 8, "flw fa0, 8(sp)", 0x00812507),
    (FSW, 0, 2, 42, 8, "fsw fa0, 8(sp)", 0x00a12427),
    (FADD, 42, 43, 44, 0, "fadd.s fa0, fa1, fa2", 0x00c5f553),
    (FSUB, 42, 43, 44, 0, "fsub.s fa0, fa1, fa2", 0x08c5f553),
    (FMUL, 42, 43, 44, 0, "fmul.s fa0, fa1, fa2", 0x10c5f553),
    (FDIV, 42, 43, 44, 0, "fdiv.s fa0, fa1, fa2", 0x18c5f553),
    (FSQRT, 42, 43, 0, 0, "fsqrt.s fa0, fa1", 0x5805f553),
    (FSGNJ, 42, 43, 43, 0, "fsgnj.s fa0, fa1, fa1", 0x20b58553),
    (FSGNJN, 42, 43, 43, 0, "fsgnjn.s fa0, fa1, fa1", 0x20b59553),
    (FSGNJX, 42, 43, 43, 0, "fsgnjx.s fa0, fa1, fa1", 0x20b5a553),
    (FEQ, 10, 43, 44, 0, "feq.s a0, fa1, fa2", 0xa0c5a553),
    (FLT, 10, 43, 44, 0, "flt.s a0, fa1, fa2", 0xa0c59553),
    (FLE, 10, 43, 44, 0, "fle.s a0, fa1, fa2", 0xa0c58553),
    (FCVT_W_S, 10, 43, 0, 0, "fcvt.w.s a0, fa1, rtz", 0xc0059553),
    (FCVT_S_W, 42, 11, 0, 0, "fcvt.s.w fa0, a1", 0xd005f553),
    (FMV_X_W, 10, 43, 0, 0, "fmv.x.w a0, fa1", 0xe0058553),
    (FMV_W_X, 42, 11, 0, 0, "fmv.w.x fa0, a1", 0xf0058553),
    (BEQ, 0, 28, 0, 4094, "beq t3, zero, .L1023", 0x7e0e0fe3),
    (BNE, 0, 28, 0, -4096, "bne t3, zero, .L4294966272", 0x800e1063),
    (BLT, 0, 10, 11, 8, "blt a0, a1, .L2", 0x00b54463),
    (BGE, 0, 10, 11, 8, "bge a0, a1, .L2", 0x00b55463),
    (BLTU, 0, 10, 11, 8, "bltu a0, a1, .L2", 0x00b56463),
    (JAL, 1, 0, 0, 1_048_574, "jal ra, .L262143", 0x7ffff0ef),
    (JAL, 0, 0, 0, -1_048_576, "jal zero, .L4294705152", 0x8000006f),
    (JALR, 0, 1, 0, 0, "jalr zero, 0(ra)", 0x00008067),
    (ECALL, 0, 0, 0, 0, "ecall", 0x00000073),
    (EBREAK, 0, 0, 0, 0, "ebreak", 0x00100073),
];

#[test]
fn each_operation_has_its_word_and_back() {
    for &(op, rd, rs1, rs2, imm, assembly, word) in TABLE {
        assert_eq!(
            encode(op, rd, rs1, rs2, imm as u32),
            word,
            "{assembly}: {:#010x}",
            encode(op, rd, rs1, rs2, imm as u32)
        );
        let back = decode(word).unwrap_or_else(|| panic!("{assembly} has no decoding"));
        assert_eq!((back.op, back.rd, back.rs1, back.rs2, back.imm as i32), (op, rd, rs1, rs2, imm), "{assembly}");
        assert_eq!(instruction(0, word), assembly);
    }
    let covered: std::collections::HashSet<u8> = TABLE.iter().map(|row| row.0).collect();
    assert_eq!(covered.len(), COUNT as usize, "every operation is in the table");
}

#[test]
fn what_decodes_encodes_to_the_same_word() {
    let mut rng = Rng::new(1);
    let mut decoded = 0;
    for _ in 0..2_000_000 {
        let word = rng.next() as u32;
        if let Some(i) = decode(word) {
            decoded += 1;
            assert_eq!(encode(i.op, i.rd, i.rs1, i.rs2, i.imm), word);
        }
    }
    assert!(decoded > 10_000, "only {decoded} words were instructions");
}

/// An assembler that shares nothing with ours writes the same words.
#[test]
#[ignore = "needs clang and llvm-objcopy"]
fn clang_assembles_the_table_to_the_same_words() {
    let folder = tempfile::tempdir().unwrap();
    let local = |row: &&(u8, u8, u8, u8, i32, &str, u32)| !matches!(row.0, BEQ..=BLTU | JAL);
    let rows: Vec<_> = TABLE.iter().filter(local).collect();
    let text: String = rows.iter().map(|row| format!("{}\n", row.5)).collect();
    std::fs::write(folder.path().join("t.s"), format!(".option norelax\n{text}")).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = std::process::Command::new(program).args(arguments).current_dir(folder.path()).status();
        assert!(status.expect("the tool, which this test needs").success());
    };
    run("clang", &["--target=riscv32", "-march=rv32imf", "-mabi=ilp32f", "-c", "t.s", "-o", "t.o"]);
    run("llvm-objcopy", &["-O", "binary", "-j", ".text", "t.o", "t.bin"]);
    let bytes = std::fs::read(folder.path().join("t.bin")).unwrap();
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    let expected: Vec<u32> = rows.iter().map(|row| row.6).collect();
    assert_eq!(words, expected);
}
