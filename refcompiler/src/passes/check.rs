//! Invariants between passes, checked under `refc --check-passes` and in tests.
//!
//! Each check is plain sequential code over downloaded columns: it is the second opinion, so it shares nothing with
//! the passes that it checks.

use treepar::{Backend, Column};

use super::allocate::{Allocation, FLOATS, INTS, NOWHERE, SPILLED, is_call, type_of_value};
use super::flatten::{Rows, is_value, role};
use super::frames::Frame;
use super::lift::Lifted;
use super::select::Code;
use super::sequence::{CALL_EXTERN, CALL_STUB};
use super::variables::Variables;
use crate::pipeline::{Error, Observer};
use crate::riscv::op;
use crate::tree::{kind, ty};

/// Checks what the next pass relies on after each pass.
pub struct Checker;

fn broken(pass: &'static str, row: usize, what: &str) -> Error {
    Error::Invariant { pass, what: format!("row {row}: {what}") }
}

impl<B: Backend> Observer<B> for Checker {
    /// Roots are functions, functions are roots; parents and ends describe one forest.
    fn lifted(&mut self, backend: &B, lifted: &Lifted<B>, variables: &Variables<B>) -> Result<(), Error> {
        let kinds = backend.download(&lifted.nodes.kind)?;
        let depth = backend.download(&lifted.nodes.depth)?;
        let parent = backend.download(&lifted.structure.parent)?;
        let end = backend.download(&lifted.structure.end)?;
        let mut open: Vec<usize> = Vec::new();
        for i in 0..kinds.len() {
            let is_function = kinds[i] == kind::FUNCTION || kinds[i] == kind::EXTERN;
            if is_function != (depth[i] == 0) {
                return Err(broken("lift", i, "a root is not a function, or a function not a root"));
            }
            while open.last().is_some_and(|&above| end[above] as usize <= i) {
                open.pop();
            }
            if open.len() != depth[i] as usize {
                return Err(broken("lift", i, "depth and ends disagree"));
            }
            if parent[i] != open.last().map_or(u32::MAX, |&above| above as u32) {
                return Err(broken("lift", i, "parent and ends disagree"));
            }
            open.push(i);
        }
        let data = backend.download(&variables.data)?;
        let names = (0..kinds.len()).filter(|&i| matches!(kinds[i], kind::NAME | kind::ASSIGN));
        for i in names {
            let declaration = data[i] as usize;
            if !matches!(kinds.get(declaration), Some(&(kind::PARAM | kind::DECLARE))) {
                return Err(broken("variables", i, "what it names is no declaration"));
            }
        }
        Ok(())
    }

    /// Operands stand before their rows, arguments together before their call, and each value is taken once.
    fn flat(&mut self, backend: &B, rows: &Rows<B>) -> Result<(), Error> {
        let kinds = backend.download(&rows.kind)?;
        let roles = backend.download(&rows.role)?;
        let operand = backend.download(&rows.operand)?;
        let target = backend.download(&rows.target)?;
        let n = kinds.len();
        for r in 0..n {
            let takes_left = kinds[r] >= kind::ADD || kinds[r] == kind::ARG;
            if takes_left && (operand[r] as usize >= r || !is_value(kinds[operand[r] as usize])) {
                return Err(broken("flatten", r, "its left operand is no value before it"));
            }
            if (target[r] as usize) > n {
                return Err(broken("flatten", r, "its target is no row"));
            }
            let waits = roles[r] == role::OPERAND || roles[r] == role::ARGUMENT;
            if waits && target[r] as usize <= r {
                return Err(broken("flatten", r, "what takes its value stands before it"));
            }
            if kinds[r] == kind::ARG && kinds[r + 1] != kind::ARG && kinds[r + 1] != kind::CALL {
                return Err(broken("flatten", r, "an argument does not stand with its call"));
            }
        }
        Ok(())
    }

    /// No two values that wait at once share a place, and none waits in a register across a call.
    fn allocated(&mut self, backend: &B, rows: &Rows<B>, allocation: &Allocation<B>) -> Result<(), Error> {
        let kinds = backend.download(&rows.kind)?;
        let types = backend.download(&rows.ty)?;
        let roles = backend.download(&rows.role)?;
        let target = backend.download(&rows.target)?;
        let place = backend.download(&allocation.place)?;
        let ints = backend.download(&allocation.ints)?;
        let floats = backend.download(&allocation.floats)?;
        let function = backend.download(&allocation.function)?;
        if let Some(r) = (1..kinds.len()).find(|&r| {
            let begins = u32::from(matches!(kinds[r - 1], kind::FUNCTION | kind::EXTERN));
            function[r] != function[r - 1] + begins
        }) {
            return Err(broken("allocate", r, "its function is not that of the row before, or the next"));
        }
        let mut waiting: Vec<usize> = Vec::new();
        for r in 0..kinds.len() {
            waiting.retain(|&v| target[v] as usize > r);
            let is_here = |v: usize, p: u8, word: u32| place[v] == p && (p != SPILLED || ints[v] + floats[v] == word);
            let kept = waiting.iter().find(|&&v| place[v] != SPILLED);
            if let (true, Some(&v)) = (is_call(kinds[r], types[r]), kept) {
                return Err(broken("allocate", v, "its value waits in a register across a call"));
            }
            let value = type_of_value(kinds[r], types[r]);
            if value == ty::VOID || roles[r] == role::DISCARDED {
                if kinds[r] != kind::ARG && place[r] != NOWHERE {
                    return Err(broken("allocate", r, "it has a place but no value"));
                }
                continue;
            }
            let known = place[r] == SPILLED
                || INTS.contains(&place[r])
                || FLOATS.contains(&place[r])
                || (10..18).contains(&place[r])
                || (42..50).contains(&place[r]);
            if !known || (place[r] != SPILLED && (place[r] >= 32) != (value == ty::FLOAT)) {
                return Err(broken("allocate", r, "its place is no register for its type"));
            }
            if let Some(&v) = waiting.iter().find(|&&v| is_here(v, place[r], ints[r] + floats[r])) {
                return Err(broken("allocate", r, &format!("its place is that of row {v}, whose value still waits")));
            }
            if roles[r] == role::OPERAND || roles[r] == role::ARGUMENT {
                waiting.push(r);
            }
        }
        Ok(())
    }

    /// Frames are aligned, jumps stay inside the code.
    fn selected(&mut self, backend: &B, frames: &B::Vec<Frame>, code: &Code<B>) -> Result<(), Error> {
        for (f, frame) in backend.download(frames)?.iter().enumerate() {
            if frame.bytes % 16 != 0 {
                return Err(broken("frames", f, "its frame is not a multiple of 16 bytes"));
            }
        }
        let m = code.instructions.len() as u32;
        for (i, instruction) in backend.download(&code.instructions)?.iter().enumerate() {
            let jumps = instruction.op == op::JAL || instruction.op == op::BEQ;
            if instruction.op > CALL_STUB.max(CALL_EXTERN) || (jumps && instruction.imm >= m) {
                return Err(broken("select", i, "no such operation, or a jump out of the code"));
            }
        }
        Ok(())
    }
}
