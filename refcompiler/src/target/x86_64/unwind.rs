//! How a debugger finds the caller of a function on x86-64: see [`unwind`](crate::target::unwind).
//!
//! A function of Par saves registers in its frame. An entry for C pushes what C keeps, and changes the stack.

use std::collections::BTreeMap;

use super::decode::decode;
use super::isa::{self as op, OPERANDS};
use super::registers::{R12, R13, R14, R15, RBP, RBX, RSP, SAVED};
use super::sequences::saved_count;
use crate::ir::frame::{Frame, return_address, saved_offset};
use crate::target::Target;
use crate::target::unwind::{Change, Parts, Rule};

/// The number of the return address.
pub const RETURN_ADDRESS: u16 = 16;

/// The stand-in for the return address among registers.
const RETURN: u8 = u8::MAX;

/// The bytes of the return address.
const WORD: u32 = return_address(Target::X86_64);

/// The registers that a function of C keeps.
const KEPT: [u8; 6] = [RBX, RBP, R12, R13, R14, R15];

/// Returns the number that debuggers have for a register.
pub fn debugger_register(register: u8) -> u16 {
    const INTS: [u16; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
    /// The number of `xmm0`.
    const FLOATS: u16 = 17;
    match register {
        RETURN => RETURN_ADDRESS,
        32.. => u16::from(register) - 32 + FLOATS,
        _ => INTS.get(usize::from(register)).copied().unwrap_or(register.into()),
    }
}

/// Returns the rules at the start of each function: the call has pushed the return address.
pub fn at_entry() -> Vec<Rule> {
    vec![Rule::Cfa(RSP, WORD), Rule::Saved(RETURN, WORD)]
}

/// Returns the rules in a compiled function.
pub fn in_function(frame: Frame, parts: Parts) -> Vec<Change> {
    if frame.bytes == 0 {
        return Vec::new();
    }
    let saved: Vec<(u8, u32)> = (0..saved_count(frame))
        .map(|k| (SAVED[k as usize], frame.bytes - saved_offset(Target::X86_64, frame, k)))
        .collect();
    let mut changes = vec![Change { offset: parts.body, rule: Rule::Cfa(RSP, frame.bytes) }];
    changes.extend(saved.iter().map(|&(r, below)| Change { offset: parts.saved, rule: Rule::Saved(r, below) }));
    changes.push(Change { offset: parts.restored, rule: Rule::Cfa(RSP, WORD) });
    changes.extend(saved.iter().map(|&(r, _)| Change { offset: parts.restored, rule: Rule::Kept(r) }));
    changes
}

/// Returns the rules in a function of machine code. At a label, the first jump to it decides the rule.
pub fn in_machine_code(bytes: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut cfa = Rule::Cfa(RSP, WORD);
    let mut labels = BTreeMap::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(rule) = labels.remove(&at).filter(|&rule| rule != cfa) {
            cfa = rule;
            changes.push(Change { offset: at as u32, rule });
        }
        let label = labels.range(at + 1..).next().map(|(&label, _)| label);
        // Texts lie between instructions.
        let Some((x, length)) = decode(&bytes[at..]) else {
            at = label.unwrap_or(at + 1);
            continue;
        };
        let end = at + length;
        let before = cfa;
        let mut change = |rule| changes.push(Change { offset: end as u32, rule });
        match (x.op, cfa) {
            (op::PUSH, Rule::Cfa(RSP, bytes)) => {
                cfa = Rule::Cfa(RSP, bytes + WORD);
                if KEPT.contains(&x.rd) {
                    change(Rule::Saved(x.rd, bytes + WORD));
                }
            }
            (op::POP, Rule::Cfa(RSP, bytes)) => {
                cfa = Rule::Cfa(RSP, bytes - WORD);
                if KEPT.contains(&x.rd) {
                    change(Rule::Kept(x.rd));
                }
            }
            (op::MOV_Q, Rule::Cfa(RSP, bytes)) if x.rd == RBP && x.rs1 == RSP => cfa = Rule::Cfa(RBP, bytes),
            (op::STORE_Q_SP_FAR, Rule::Cfa(RBP, bytes)) if x.rs2 == RBP => cfa = Rule::CfaInMemory(x.imm, bytes),
            (op::LOAD_Q_SP_FAR, Rule::CfaInMemory(_, bytes)) if x.rd == RSP => cfa = Rule::Cfa(RSP, bytes),
            (op::SUB_Q, Rule::Cfa(RSP, _)) if x.rd == RSP => {
                // The rest of this function ends the program.
                change(Rule::NoCaller);
                return changes;
            }
            _ => {}
        }
        if cfa != before {
            change(cfa);
        }
        if OPERANDS[usize::from(x.op)].contains("label") && !matches!(x.op, op::CALL_NEAR | op::JMP_NEAR) {
            labels.entry(end.wrapping_add_signed(x.imm as i32 as isize)).or_insert(cfa);
        }
        at = label.map_or(end, |label| label.min(end));
    }
    changes
}
