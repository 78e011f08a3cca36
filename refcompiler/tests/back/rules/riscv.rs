//! The rules of RISC-V, the patterns of words, and jumps.

use super::each_operation;
use refcompiler::ir::frame::Frame;
use refcompiler::ir::held::held_data;
use refcompiler::ir::instruction::{CALL, CHECK_AT_LEAST, CHECK_BELOW, IS_SPILLED, Instruction, NO_PATTERN};
use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::operation::Operation;
use refcompiler::ir::registers::{NOWHERE, SPILLED};
use refcompiler::ir::rows::{HostLocated, Located, LocatedRow, RowId};
use refcompiler::passes::lower::operands::operation as operation_of_row;
use refcompiler::target::Target;
use refcompiler::target::riscv::choice::{choice, choice_words, pattern_word};
use refcompiler::target::riscv::decode::decode;
use refcompiler::target::riscv::encode::{encode, is_near};
use refcompiler::target::riscv::isa::{AUIPC, BEQ, BGE, BLTU, BNE, JAL, JALR};
use refcompiler::target::riscv::jumps::{jump_word, jump_words, words_needed};
use refcompiler::target::riscv::patterns::STORE;
use refcompiler::target::riscv::registers::{A0, FA0, FA1, FT2, RA, S1, T3, ZERO};
use refcompiler::target::riscv::rules::{instruction, length};
use refcompiler::target::riscv::spills::spilled_word;

/// Calls a function with operations of every kind, type, role and location class, and with frames of several sizes.
fn each_row(check: &mut dyn FnMut(Operation, Frame)) {
    each_operation([T3, A0, S1, FT2], |s, near, k| {
        let (bytes, calls, nested) = (near * 4, k & 1, k >> 1);
        let held = k | k << 16;
        check(s, Frame { bytes, spills: 0, saves: near, ints: k, floats: k, calls, nested, held });
    });
}

#[test]
fn lengths_equal_numbers_of_instructions() {
    super::lengths_equal_numbers_of_instructions(each_row, length, instruction);
}

/// The choices of all rows with some locations, values and frames have the words of the instructions.
#[test]
fn patterns_equal_instructions() {
    let (mut cases, mut spilled) = (0, 0);
    let ints = [T3, A0, S1];
    let floats = [FT2, FA0, FA1];
    let values = [0, 5, 2047, -2048i32 as u32, 2048, 4080, 4096, 70_000, 0x3f80_0000, 0x4048_f5c3, u32::MAX - 4000];
    let kinds = Kind::ALL.into_iter().flat_map(|kind| [Type::Void, Type::Int, Type::Float].map(|ty| (kind, ty)));
    for (kind, ty) in kinds {
        for (value, k) in values.iter().flat_map(|&value| (0..3).map(move |k| (value, k))) {
            let operands = if ty == Type::Float { floats } else { ints };
            let is_kept = matches!(kind, Kind::Arg | Kind::Ascribe | Kind::Assign | Kind::Declare | Kind::Sequence);
            let results = if kind.type_of_value(ty) == Type::Float { floats } else { ints };
            let has_value = kind.is_value() || kind == Kind::Arg;
            if (has_value || kind.is_store()) == (ty == Type::Void) || ty.is_float() && kind == Kind::HeldWord {
                continue;
            }
            let place = if is_kept {
                operands[k]
            } else if has_value {
                results[(k + 1) % 3]
            } else {
                NOWHERE
            };
            let left = if kind.is_access() { ints[k] } else { operands[k] };
            let places = [left, operands[(k + 2) % 3], place];
            for (memory, offset) in (0..8).flat_map(|memory| OFFSETS.map(|offset| (memory, offset))) {
                if !has_value && memory >> STORE != 0 {
                    continue;
                }
                let at = |part: usize| if memory >> part & 1 != 0 { SPILLED } else { places[part] };
                let places = [NOWHERE, at(0), at(1), at(2)];
                let frame = Frame { bytes: 16, spills: offset - 4 * HEIGHT, ..Frame::default() };
                let takes_literal = kind.takes_literal() && ty == Type::Int && is_near(value);
                for aux in [0, 1].into_iter().filter(|&aux| aux == 0 || kind.has_optional_operand() || takes_literal) {
                    match same_words(kind, ty, (value, aux), places, frame) {
                        Some(true) => spilled += 1,
                        Some(false) => cases += 1,
                        None => {}
                    }
                }
            }
        }
    }
    assert!(cases > 10_000 && spilled > 30_000, "only {cases} cases, {spilled} spilled");
}

/// The height of the left operand on the stack of the next test, in words.
const HEIGHT: u32 = 32;

/// Offsets of the value at this height: near, far, and at both sides of the ends of 12 bits.
const OFFSETS: [u32; 7] = [4 * HEIGHT, 2036, 2040, 2044, 2048, 6136, 6140];

/// Compares the words of the choice of a row with its instructions. Returns whether it loads or stores spilled values, or
/// `None` if it has no pattern. `places` are of the rows up to this row.
fn same_words(kind: Kind, ty: Type, (value, aux): (u32, u32), places: [u8; 4], frame: Frame) -> Option<bool> {
    if kind.reads_held() && places[1] == SPILLED {
        return None;
    }
    let data = if kind.reads_held() { held_data(places[1].into(), value & 0xff_ffff) } else { value };
    let row = |(place, above): (u8, u32)| LocatedRow {
        kind,
        ty,
        data,
        operand: RowId::new(1),
        place,
        ints: HEIGHT / 2 + above,
        floats: HEIGHT / 2,
        aux,
        ..LocatedRow::default()
    };
    let mut host: Vec<LocatedRow> = places.into_iter().zip([0, 0, 1, 0]).map(row).collect();
    (host[0].ints, host[0].floats) = (0, 0);
    let host: HostLocated = host.into_iter().collect();
    let rows = <Located as treepar::device::Table>::view_host(&host);
    let r = RowId::new(3);
    let chosen = choice(r, rows, frame);
    if chosen.choice.pattern == NO_PATTERN {
        return None;
    }
    let s = operation_of_row(r, rows, frame, 3, Target::Riscv32);
    let expected: Vec<u32> = (0..length(s, frame))
        .map(|k| instruction(s, frame, k))
        .map(|x| encode(x.op, x.rd, x.rs1, x.rs2, x.imm))
        .collect();
    let c = chosen.choice;
    let is_spilled = c.pattern & IS_SPILLED != 0;
    let word = |k| if is_spilled { spilled_word(c, chosen.spill, k) } else { pattern_word(c, k) };
    let found: Vec<u32> = (0..choice_words(c, chosen.spill)).map(word).collect();
    assert_eq!(found, expected, "{s:?} {chosen:?} {frame:?}");
    Some(is_spilled)
}

/// Returns the word after a jump's words, if its register is 0 or not, and the return address.
fn run(words: &[u32], at: u32, is_zero: bool) -> (u32, Option<u32>) {
    let (mut pc, mut pair, mut link) = (at, (0, 0), None);
    while let Some(&word) = words.get(pc.wrapping_sub(at) as usize) {
        let x = decode(word).expect("an instruction");
        let to = pc.wrapping_add_signed(x.imm as i32 >> 2);
        let next = pc.wrapping_add(1);
        let mut linked = |rd: u8| {
            if rd != ZERO {
                link = Some(next)
            }
        };
        pc = match x.op {
            BEQ | BNE | BLTU | BGE => {
                assert_eq!((x.rs1, x.rs2), (T3, ZERO));
                if is_zero == (x.op == BEQ) { to } else { next }
            }
            AUIPC => {
                pair = (x.rd, (4 * pc).wrapping_add(x.imm));
                next
            }
            JALR => {
                assert_eq!(x.rs1, pair.0);
                linked(x.rd);
                pair.1.wrapping_add(x.imm) / 4
            }
            JAL => {
                linked(x.rd);
                to
            }
            op => panic!("operation {op}"),
        };
    }
    (pc, link)
}

#[test]
fn jumps_of_all_lengths_reach_their_targets() {
    let mut lengths = [0; 4];
    let edges = [0u32, 1, 2, 3, 1022, 1023, 1024, 1025, 1026, 262_142, 262_143, 262_144, 262_145, 262_146, 900_000];
    for (from, distance) in [1_000_000u32, 1_000_001].into_iter().flat_map(|from| edges.map(|edge| (from, edge))) {
        for to in [from + distance, from - distance] {
            // Row 1 begins at word `to`, and so does function 1. The rows begin at word 9 of the image.
            let (positions, entry) = ([0, to], [0, to + 9]);
            for (op, rd) in [(BEQ, ZERO), (BNE, ZERO), (JAL, ZERO), (CALL, RA), (CHECK_BELOW, RA), (CHECK_AT_LEAST, RA)]
            {
                let x = Instruction { op, rd, rs1: T3, rs2: ZERO, imm: 1 };
                let n = words_needed(from, x, &positions, &entry, 9);
                let words = jump_words(x, from, &positions, &entry, 9);
                assert_eq!(words.count, n);
                let words: Vec<u32> = (0..n).map(|k| jump_word(words, k)).collect();
                lengths[n as usize] += 1;
                if to.wrapping_sub(from) >= n {
                    let link = (rd == RA).then_some(from + n);
                    let taken = op != BNE;
                    assert_eq!(run(&words, from, taken), (to, link), "{x:?} at {from} to {to}");
                    assert!(
                        matches!(op, JAL | CALL) || run(&words, from, !taken) == (from + n, None),
                        "{x:?} at {from} to {to}"
                    );
                }
            }
        }
    }
    assert!(lengths[1] > 50 && lengths[2] > 20 && lengths[3] > 5, "{lengths:?}");
}
