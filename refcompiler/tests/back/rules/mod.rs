//! The rules of targets: each row has as many instructions as its length says, and patterns have the bytes of the instructions.

mod riscv;
mod x86_64;

use refcompiler::ir::frame::Frame;
use refcompiler::ir::instruction::{Instruction, NOTHING};
use refcompiler::ir::kinds::{Kind, Role, Type};
use refcompiler::ir::operation::{NO_OFFSET, Operation};
use refcompiler::ir::rows::RowId;

/// Asserts that each row has as many instructions as its length says. `each_row` calls a function with rows and frames.
fn lengths_equal_numbers_of_instructions(
    each_row: fn(&mut dyn FnMut(Operation, Frame)),
    length: fn(Operation, Frame) -> u32,
    instruction: fn(Operation, Frame, u32) -> Instruction,
) {
    let mut cases = 0;
    each_row(&mut |s, frame| {
        let count = length(s, frame);
        assert!((0..count).all(|k| instruction(s, frame, k).op != NOTHING), "{s:?} {frame:?}");
        assert_eq!(instruction(s, frame, count).op, NOTHING, "{s:?} {frame:?}");
        cases += 1;
    });
    assert!(cases > 50_000, "only {cases} cases");
}

/// Calls a function with operations of every kind, type, role and location class. Further arguments are a distance, near or far, and
/// the index of the left operand's register.
fn each_operation(registers: [u8; 4], mut check: impl FnMut(Operation, u32, u32)) {
    for kind in Kind::ALL.iter().copied() {
        for (ty, role) in Type::ALL.iter().flat_map(|&ty| Role::ALL.iter().map(move |&role| (ty, role))) {
            for (memory, near) in (0..8u8).flat_map(|memory| [(memory, 4u32), (memory, 4096)]) {
                for (k, hops) in [(0, 0), (1, 1), (2, 2), (3, 5)] {
                    let at = |bit: u8| if memory & bit != 0 { near } else { NO_OFFSET };
                    let operation = Operation {
                        kind,
                        ty,
                        role,
                        memory,
                        left: registers[k],
                        right: registers[(k + 1) % 4],
                        destination: registers[(k + usize::from(memory)) % 4],
                        source: registers[k],
                        left_at: at(1),
                        right_at: at(2),
                        store_at: at(4),
                        data: [0, 5, 4, near.wrapping_neg()][k],
                        hops,
                        target: RowId::new(3),
                    };
                    check(operation, near, k as u32);
                }
            }
        }
    }
}
