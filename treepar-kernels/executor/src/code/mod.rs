//! Functions to code: steps with register slots, in the order of the text, with all calls inlined.
//!
//! ```text
//! Function --decode-->  steps over virtual registers, one table row or action per instruction
//!          --flow-->    the step at which the lanes of each branch meet again
//!          --slots-->   few slots per warp instead of many virtual registers
//! ```

mod arithmetic;
mod control;
mod decode;
mod exchange;
mod flow;
mod frame;
mod registers;
mod slots;
mod step;
mod table;
mod transfer;

pub(crate) use flow::END;
pub(crate) use registers::{Kind, LANES, Registers, bits, each_lane};
pub(crate) use step::{
    Action, Address, Atomic, AtomicOperation, Barrier, BarrierKind, Exchange, ExchangeKind, Order, Scope, Slot, Step,
    Transfer,
};

use crate::ptx::{Function, Problem, Special, Text};

/// Generic addresses from here on are shared memory.
pub(crate) const SHARED_WINDOW: u64 = 1 << 32;
/// Generic addresses from here on are the thread's local memory.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 32;
/// Generic addresses from here on are the launch's parameters.
pub(crate) const PARAM_WINDOW: u64 = 3 << 32;

/// An entry's code.
pub(crate) struct Code {
    pub steps: Vec<Step>,
    /// The registers of a warp that begins: constants, and zeros.
    pub registers: Registers,
    /// The slots that have another value then, which no step writes.
    pub initial: Vec<(Kind, Slot, Initial)>,
    /// Bytes of local memory per thread.
    pub local_bytes: usize,
    /// Bytes of shared memory per block, and the offset of memory whose size the launch determines.
    pub shared_bytes: usize,
    pub dynamic_shared: usize,
}

/// The value of a register when a warp begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Initial {
    Constant(u64),
    Special(Special),
    /// The address of a variable of the module, with an offset.
    Variable(usize, u64),
    /// An offset in the shared memory whose size the launch determines.
    DynamicShared(u64),
}

impl Code {
    /// Decodes an entry.
    pub fn new(text: &Text, entry: &Function) -> Result<Code, Problem> {
        let mut decoded = decode::decode(text, entry)?;
        flow::set_joins(&mut decoded.steps);
        flow::set_runs(&mut decoded.steps);
        Ok(slots::assign(decoded))
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Code, END};
    use crate::ptx::parse;

    fn code(body: &str) -> Code {
        let registers = ".reg .b32 %r<100>; .reg .pred %p<10>;";
        let text = format!(".visible .entry main(.param .u32 value) {{ {registers}\n{body}\n}}");
        let parsed = parse(&text).unwrap();
        Code::new(&parsed, &parsed.functions[0]).unwrap()
    }

    /// Returns the line of each branch with the line of its join.
    fn joins(body: &str) -> Vec<(u32, Option<u32>)> {
        let code = code(body);
        let branches = code.steps.iter().filter_map(|step| match &step.action {
            Action::Branch(branch) if step.guard.is_some() => {
                let join = if branch.join == END { None } else { Some(code.steps[branch.join as usize].line) };
                Some((step.line, join))
            }
            _ => None,
        });
        branches.collect()
    }

    #[test]
    fn lanes_meet_at_the_nearest_step_that_all_reach() {
        let nested = "@%p1 bra A;\n@%p2 bra B;\nmov.u32 %r1, 1;\nB: mov.u32 %r1, 2;\nbra C;\nA: mov.u32 %r1, 3;\nC: mov.u32 %r1, 4;\nret;";
        assert_eq!(joins(nested), [(2, Some(8)), (3, Some(5))]);
        let loops = "L: mov.u32 %r1, 1;\n@%p1 bra E;\n@%p2 bra L;\n@%p3 bra L;\nE: ret;";
        assert_eq!(joins(loops), [(3, Some(6)), (4, Some(6)), (5, Some(6))]);
        // One side ends: the lanes of the other do not wait.
        assert_eq!(joins("@%p1 bra A;\nret;\nA: mov.u32 %r1, 1;\nret;"), [(2, None)]);
    }

    #[test]
    fn runs_end_where_lanes_meet() {
        // Code ends with a step that the text does not have.
        let runs = |body: &str| code(body).steps.iter().map(|step| step.run).collect::<Vec<_>>();
        assert_eq!(runs("mov.u32 %r1, 1;\n@%p1 mov.u32 %r2, 2;\nret;"), [2, 1, 0, 0]);
        // The lanes of the branch meet at A.
        let body = "@%p1 bra A;\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\nA: mov.u32 %r3, 3;\nmov.u32 %r4, 4;\nret;";
        assert_eq!(runs(body), [0, 2, 1, 2, 1, 0, 0]);
    }

    #[test]
    fn registers_that_are_not_live_together_share_a_slot() {
        let chain: String = (1..99).map(|k| format!("add.s32 %r{}, %r{}, %r{k};\n", k + 1, k)).collect();
        let code = code(&format!("ld.param.u32 %r1, [value];\n{chain}ret;"));
        assert!(code.registers.words.len() <= 2, "{} slots", code.registers.words.len());
        // A value that a loop needs keeps its slot through the loop.
        let looped = "ld.param.u32 %r1, [value];\nL: add.s32 %r2, %r1, %r1;\nadd.s32 %r3, %r2, %r2;\n@%p1 bra L;\nret;";
        assert!(self::code(looped).registers.words.len() >= 2);
    }
}
