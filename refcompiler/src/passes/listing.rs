//! What `refc --emit lifted|flat|instructions` prints: the columns after a pass, one row a line.

use std::fmt::Write;

use treepar::Backend;

use super::allocate::{Allocation, NOWHERE, SPILLED};
use super::flatten::{Rows, role};
use super::frames::Frame;
use super::lift::Lifted;
use super::select::Code;
use super::sequence::{CALL_EXTERN, CALL_STUB};
use super::variables::Variables;
use crate::pipeline::{Error, Observer};
use crate::riscv::{op, register};
use crate::tree::{kind, ty};

/// A place between passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// After lifting.
    Lifted,
    /// After flattening and allocation.
    Flat,
    /// After selection.
    Instructions,
}

/// Collects the listing of one stage.
pub struct Listing {
    stage: Stage,
    /// The text, after the pipeline ran.
    pub text: String,
}

impl Listing {
    /// A listing of `stage`.
    pub fn new(stage: Stage) -> Listing {
        Listing { stage, text: String::new() }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{}", format!("{line}").trim_end());
    }
}

fn role_name(role: u8) -> &'static str {
    match role {
        role::OPERAND => "operand of",
        role::ARGUMENT => "argument of",
        role::RETURNED => "returned",
        role::CONDITION => "else to",
        role::DISCARDED => "discarded",
        role::JUMP => "then to",
        _ => "",
    }
}

fn place_name(place: u8, word: u32) -> String {
    match place {
        SPILLED => format!("spill {word}"),
        NOWHERE => String::new(),
        register => register::NAMES[register as usize].to_string(),
    }
}

impl<B: Backend> Observer<B> for Listing {
    fn lifted(&mut self, backend: &B, lifted: &Lifted<B>, variables: &Variables<B>) -> Result<(), Error> {
        if self.stage != Stage::Lifted {
            return Ok(());
        }
        let depth = backend.download(&lifted.nodes.depth)?;
        let kinds = backend.download(&lifted.nodes.kind)?;
        let types = backend.download(&lifted.nodes.ty)?;
        let data = backend.download(&variables.data)?;
        let aux = backend.download(&variables.aux)?;
        self.line(format_args!("{:>7}  {:24} {:6} {:>11} {:>5}", "node", "kind", "type", "data", "aux"));
        for i in 0..kinds.len() {
            let name = format!("{:1$}{2}", "", 2 * depth[i].min(40) as usize, kind::NAMES[kinds[i] as usize]);
            let ty = ty::NAMES[types[i] as usize];
            self.line(format_args!("{i:>7}  {name:24} {ty:6} {:>11} {:>5}", data[i] as i32, aux[i]));
        }
        Ok(())
    }

    fn allocated(&mut self, backend: &B, rows: &Rows<B>, allocation: &Allocation<B>) -> Result<(), Error> {
        if self.stage != Stage::Flat {
            return Ok(());
        }
        let kinds = backend.download(&rows.kind)?;
        let types = backend.download(&rows.ty)?;
        let roles = backend.download(&rows.role)?;
        let data = backend.download(&rows.data)?;
        let target = backend.download(&rows.target)?;
        let function = backend.download(&allocation.function)?;
        let place = backend.download(&allocation.place)?;
        let ints = backend.download(&allocation.ints)?;
        let floats = backend.download(&allocation.floats)?;
        self.line(format_args!(
            "{:>7} {:>8}  {:10} {:6} {:>11}  {:9} {}",
            "row", "function", "kind", "type", "data", "place", "role"
        ));
        for r in 0..kinds.len() {
            let at = if matches!(roles[r], role::NONE | role::RETURNED | role::DISCARDED) {
                String::new()
            } else {
                format!(" {}", target[r])
            };
            self.line(format_args!(
                "{r:>7} {:>8}  {:10} {:6} {:>11}  {:9} {}{at}",
                function[r],
                kind::NAMES[kinds[r] as usize],
                ty::NAMES[types[r] as usize],
                data[r] as i32,
                place_name(place[r], ints[r] + floats[r]),
                role_name(roles[r]),
            ));
        }
        Ok(())
    }

    fn selected(&mut self, backend: &B, _: &B::Vec<Frame>, code: &Code<B>) -> Result<(), Error> {
        if self.stage != Stage::Instructions {
            return Ok(());
        }
        self.line(format_args!("{:>7}  {:12} {:5} {:5} {:5} {:>11}", "index", "operation", "rd", "rs1", "rs2", "imm"));
        for (i, instruction) in backend.download(&code.instructions)?.iter().enumerate() {
            let operation = match instruction.op {
                CALL_EXTERN => "call extern",
                CALL_STUB => "call stub",
                other => op::NAMES[other as usize],
            };
            let name = |r: u8| register::NAMES[r as usize];
            self.line(format_args!(
                "{i:>7}  {operation:12} {:5} {:5} {:5} {:>11}",
                name(instruction.rd),
                name(instruction.rs1),
                name(instruction.rs2),
                instruction.imm as i32
            ));
        }
        Ok(())
    }
}
