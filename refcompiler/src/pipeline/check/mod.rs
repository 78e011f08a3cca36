//! Invariants between passes, checked under `refc --check-passes` and in tests.
//!
//! Each check is plain sequential code over downloaded columns. It shares the vocabulary of [`ir`](crate::ir) with the
//! passes, and no code of theirs.

mod composites;
mod definitions;
mod held;
mod looped;
mod lowered;
mod multiloops;
mod vectors;

use treepar::Backend;

use composites::split;
use definitions::definitions;
use held::held;
use looped::looped;
use lowered::lowered;
use multiloops::multiloops;
use vectors::vectors;

use super::columns::Columns;
use crate::ir::frame::{ALIGNMENT, Frame};
use crate::ir::held::{Pool, held_register, pool_register, pool_size};
use crate::ir::instruction::{BRANCH, Instruction, JUMP, NOTHING, is_call};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::registers::{NOWHERE, SPILLED, STACK, argument_location, is_register, register_at, result_register};
use crate::passes::ssa::ssa;
use crate::pipeline::{After, Error, Observer};
use crate::target::Target;
use crate::target::riscv::isa::JAL;
use crate::target::riscv::jumps::is_branch;
use crate::target::x86_64::jumps::is_linked;
use crate::target::x86_64::lanes::held_vector;

/// Checks the invariants that the next pass relies on, after each pass.
#[derive(Default)]
pub struct Checker {
    target: Target,
    columns: Columns,
}

/// A broken invariant: a row and a description.
type Broken = (usize, String);

fn broken<T>(row: usize, what: impl Into<String>) -> Result<T, Broken> {
    Err((row, what.into()))
}

impl<B: Backend> Observer<B> for Checker {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        self.columns.add(backend, after)?;
        let found = match after {
            After::Multiloops(_) => multiloops(&self.columns, "multiloops"),
            After::Fusion(_) => multiloops(&self.columns, "fusion"),
            After::Loops(_) => looped(&self.columns),
            After::Structs(_) => split(&self.columns),
            After::Arrays(_)
            | After::Contexts(_)
            | After::Folding(_)
            | After::Dead(_)
            | After::Checks(_)
            | After::Motion(_) => lowered(&self.columns, after.pass()),
            After::Vectors(_) => lowered(&self.columns, "vectors").and_then(|()| vectors(&self.columns)),
            After::Lift(lifted) => {
                self.columns.add_table(backend, "ssa", &ssa(backend, lifted)?)?;
                self.lifted().and_then(|()| definitions(&self.columns))
            }
            After::Registers(_) => held(&self.columns, self.target),
            After::Variables(_) => self.variables(),
            After::Flatten(_) => self.flat(),
            After::Allocate(_) => self.allocated(),
            After::Frames(_) => self.frames(),
            After::Lower(_) => self.lowered(),
            After::Encode(_) => self.encoded(),
            _ => Ok(()),
        };
        let pass = after.pass();
        found.map_err(|(row, what)| Error::Invariant { pass, what: format!("row {row}: {what}") })
    }
}

impl Checker {
    /// Returns a checker of code for a processor.
    pub fn of(target: Target) -> Checker {
        Checker { target, ..Checker::default() }
    }

    /// Returns the registers that values and arguments of some type have.
    fn registers(&self, is_float: bool) -> Vec<u8> {
        let by_height = (0..32).map(|height| register_at(self.target, is_float, height));
        let arguments = (0..8).map(|k| argument_location(self.target, is_float, k, k)).filter(|&at| at < STACK);
        let saved = (0..pool_size(self.target, Pool::Saved, is_float))
            .map(|k| pool_register(self.target, Pool::Saved, is_float, k));
        by_height
            .chain(arguments.map(|at| at as u8))
            .chain(saved)
            .chain([result_register(self.target, is_float)])
            .filter(|&place| is_register(place))
            .collect()
    }

    /// Roots are functions, functions are roots; parents and ends describe the same forest as depths.
    fn lifted(&self) -> Result<(), Broken> {
        let kinds = self.columns.get::<Kind>("lift", "kind");
        let depth = self.columns.get::<u32>("lift", "depth");
        let parent = self.columns.get::<u32>("lift", "parent");
        let end = self.columns.get::<u32>("lift", "end");
        let mut open: Vec<usize> = Vec::new();
        for i in 0..kinds.len() {
            if kinds[i].is_function() != (depth[i] == 0) {
                return broken(i, "a root is not a function, or a function not a root");
            }
            while open.last().is_some_and(|&above| end[above] as usize <= i) {
                open.pop();
            }
            if open.len() != depth[i] as usize {
                return broken(i, "depth and ends disagree");
            }
            if parent[i] != open.last().map_or(u32::MAX, |&above| above as u32) {
                return broken(i, "parent and ends disagree");
            }
            open.push(i);
        }
        Ok(())
    }

    /// Names refer to declarations.
    fn variables(&self) -> Result<(), Broken> {
        let kinds = self.columns.get::<Kind>("lift", "kind");
        let data = self.columns.get::<u32>("variables", "data");
        for i in (0..kinds.len()).filter(|&i| kinds[i].is_variable()) {
            if !matches!(kinds.get(data[i] as usize), Some(&(Kind::Param | Kind::Declare | Kind::Count))) {
                return broken(i, "it names no declaration");
            }
        }
        Ok(())
    }

    /// Operands come before their rows, the arguments of a call directly before it, and each value is used once.
    fn flat(&self) -> Result<(), Broken> {
        let kinds = self.columns.get::<Kind>("flatten", "kind");
        let roles = self.columns.get::<Role>("flatten", "role");
        let operand = self.columns.get::<u32>("flatten", "operand");
        let target = self.columns.get::<u32>("flatten", "target");
        let n = kinds.len();
        for r in 0..n {
            let takes_left = kinds[r].has_two_operands() || kinds[r] == Kind::Arg;
            if takes_left && (operand[r] as usize >= r || !kinds[operand[r] as usize].is_value()) {
                return broken(r, "its left operand is no value before it");
            }
            if (target[r] as usize) > n {
                return broken(r, "its target is no row");
            }
            let waits = roles[r].waits();
            if waits && target[r] as usize <= r {
                return broken(r, "the row that uses its value comes before it");
            }
            if kinds[r] == Kind::Arg && kinds[r + 1] != Kind::Arg && kinds[r + 1] != Kind::Call {
                return broken(r, "an argument is not directly before its call");
            }
        }
        Ok(())
    }

    /// No two values that wait at the same time share a location, and none waits in a register across a call.
    fn allocated(&self) -> Result<(), Broken> {
        let kinds = self.columns.get::<Kind>("flatten", "kind");
        let types = self.columns.get::<Type>("flatten", "ty");
        let roles = self.columns.get::<Role>("flatten", "role");
        let target = self.columns.get::<u32>("flatten", "target");
        let data = self.columns.get::<u32>("flatten", "data");
        let operand = self.columns.get::<u32>("flatten", "operand");
        let place = self.columns.get::<u8>("allocate", "place");
        let ints = self.columns.get::<u32>("allocate", "ints");
        let floats = self.columns.get::<u32>("allocate", "floats");
        let registers = [false, true].map(|is_float| self.registers(is_float));
        let mut waiting: Vec<usize> = Vec::new();
        for r in 0..kinds.len() {
            waiting.retain(|&v| target[v] as usize > r);
            let is_here = |v: usize, p: u8, word: u32| place[v] == p && (p != SPILLED || ints[v] + floats[v] == word);
            let kept = waiting.iter().find(|&&v| place[v] != SPILLED);
            if let (true, Some(&v)) = (kinds[r].clobbers(types[r]), kept) {
                return broken(v, "its value waits in a register across a call");
            }
            let value = kinds[r].type_of_value(types[r]);
            if kinds[r].is_at_variable() {
                if roles[r] != Role::Returned && place[r] != held_register(data[r]) {
                    return broken(r, "its location is not the register of its variable");
                }
                continue;
            }
            let left = operand[r] as usize;
            if kinds[r].is_check() && roles[r] == Role::Operand && kinds[left].is_in_variable() {
                if place[r] != place[left] {
                    return broken(r, "a check is not in the register of the variable that it checks");
                }
                continue;
            }
            if value == Type::Void || roles[r] == Role::Discarded {
                if kinds[r] != Kind::Arg && !kinds[r].is_part() && place[r] != NOWHERE {
                    return broken(r, "it has a location but no value");
                }
                continue;
            }
            if place[r] == SPILLED && value == Type::Float && kinds[r].is_of_vectors() {
                return broken(r, "a vector is in the frame, which has room for one lane");
            }
            if place[r] != SPILLED && !registers[usize::from(value == Type::Float)].contains(&place[r]) {
                return broken(r, "its location is no register for its type");
            }
            // A held vector stays in its register, however often it is read.
            if kinds[r] == Kind::VectorRead && place[r] == held_vector(data[r]) {
                continue;
            }
            if let Some(&v) = waiting.iter().find(|&&v| is_here(v, place[r], ints[r] + floats[r])) {
                return broken(r, format!("its location is that of row {v}, whose value still waits"));
            }
            if roles[r].waits() {
                waiting.push(r);
            }
        }
        Ok(())
    }

    /// Frames are aligned.
    fn frames(&self) -> Result<(), Broken> {
        let frames = self.columns.get::<Frame>("frames", "frame");
        match frames.iter().position(|frame| frame.bytes % ALIGNMENT != 0) {
            Some(f) => broken(f, "the size of its frame is not a multiple of the alignment"),
            None => Ok(()),
        }
    }

    /// Jumps go to rows, and are a part of their own row's words.
    fn lowered(&self) -> Result<(), Broken> {
        let lengths = self.columns.get::<u32>("lower", "length");
        let row = self.columns.get::<u32>("lower", "row");
        let rest = self.columns.get::<u32>("lower", "rest");
        let first = self.columns.get::<Instruction>("lower", "first");
        let branch = self.columns.get::<Instruction>("lower", "branch");
        for j in 0..row.len() {
            let r = row[j] as usize;
            let goes_out = |x: Instruction| {
                (matches!(x.op, JAL | JUMP | BRANCH) || is_branch(x.op)) && x.imm as usize >= lengths.len()
            };
            if r >= lengths.len() || goes_out(first[j]) || goes_out(branch[j]) {
                return broken(r, "a jump out of the code");
            }
            let is_jump = matches!(first[j].op, NOTHING | JAL) || is_call(first[j].op) || is_linked(first[j].op);
            if !is_jump
                || !(matches!(branch[j].op, NOTHING | BRANCH) || is_branch(branch[j].op))
                || rest[j] >= lengths[r]
            {
                return broken(r, "its jump is none, or takes no words");
            }
        }
        Ok(())
    }

    /// Rows come in order, and all have their words.
    fn encoded(&self) -> Result<(), Broken> {
        let positions = self.columns.get::<u32>("link", "positions");
        // One of the two columns has all words.
        let pairs = self.columns.get::<u64>("encode", "pairs").len();
        let words = self.columns.get::<u32>("encode", "words").len() + 2 * pairs;
        let words = words * 4 / self.target.unit() as usize;
        match positions.windows(2).position(|pair| pair[0] > pair[1]) {
            Some(r) => broken(r, "the next row comes before it"),
            None if positions.last().is_some_and(|&last| last as usize > words) => broken(words, "words are missing"),
            None => Ok(()),
        }
    }
}
