//! How a debugger finds the caller of a function on RISC-V: see [`unwind`](crate::target::unwind).

use super::decode::{decode, target};
use super::isa as op;
use super::prologue::{saved_count, saved_register};
use super::registers::{RA, SP, ZERO};
use std::collections::BTreeMap;

use crate::ir::frame::{Frame, return_address, saved_offset};
use crate::target::Target;
use crate::target::unwind::{Change, Parts, Rule};

/// Returns the rules at the start of each function: the stack pointer is the caller's.
pub fn at_entry() -> Vec<Rule> {
    vec![Rule::Cfa(SP, 0), Rule::Kept(RA)]
}

/// Returns the rules in a compiled function.
pub fn in_function(frame: Frame, parts: Parts) -> Vec<Change> {
    if frame.bytes == 0 {
        return Vec::new();
    }
    let saved = (0..saved_count(frame))
        .map(|j| (saved_register(frame, j), frame.bytes - saved_offset(Target::Riscv32, frame, j)));
    let back = (frame.calls != 0).then_some((RA, return_address(Target::Riscv32)));
    let saved: Vec<(u8, u32)> = back.into_iter().chain(saved).collect();
    let mut changes = vec![Change { offset: parts.body, rule: Rule::Cfa(SP, frame.bytes) }];
    changes.extend(saved.iter().map(|&(r, below)| Change { offset: parts.saved, rule: Rule::Saved(r, below) }));
    changes.push(Change { offset: parts.restored, rule: Rule::Cfa(SP, 0) });
    changes.extend(saved.iter().map(|&(r, _)| Change { offset: parts.restored, rule: Rule::Kept(r) }));
    changes
}

/// Returns the rules in a function of machine code. At a label, the first jump to it decides the rule.
pub fn in_machine_code(bytes: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut size = 0u32;
    let mut labels = BTreeMap::new();
    for (at, word) in (0..).zip(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word))) {
        if let Some(there) = labels.remove(&at).filter(|&there| there != size) {
            size = there;
            changes.push(Change { offset: 4 * at, rule: Rule::Cfa(SP, size) });
        }
        // Texts follow the instructions.
        let Some(x) = decode(word) else { break };
        let end = 4 * (at + 1);
        let mut change = |rule| changes.push(Change { offset: end, rule });
        match x.op {
            op::ADDI if x.rd == SP && x.rs1 == SP => {
                size = size.wrapping_sub(x.imm);
                change(Rule::Cfa(SP, size));
            }
            op::ADDI if x.rs1 == RA && x.imm == 0 => change(Rule::Moved(RA, x.rd)),
            op::SW if x.rs1 == SP && x.rs2 == RA => change(Rule::Saved(RA, size - x.imm)),
            op::SUB if x.rd == SP => {
                // The rest of this function ends the program.
                change(Rule::NoCaller);
                break;
            }
            _ => {}
        }
        if let Some(label) = target(at, x).filter(|_| x.op != op::JAL || x.rd == ZERO) {
            labels.entry(label).or_insert(size);
        }
    }
    changes
}
