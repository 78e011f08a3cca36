//! The text of `refc --emit multiloops|loops|arrays|vectors|lifted|ssa|flat|instructions`: the columns after a pass, one row per line.

use std::fmt::{Arguments, Write};

use treepar::Backend;

use super::columns::Columns;
use crate::ir::builtins::BUILTINS;
use crate::ir::frame::Frame;
use crate::ir::instruction::{
    BRANCH, CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, Instruction, JUMP, RARE_QUOTIENT,
    RARE_REMAINDER,
};
use crate::ir::kinds::{Kind, Type, kind, role};
use crate::ir::lanes::Cpu;
use crate::ir::multiloops::{ALL_ELEMENTS, FROM_END};
use crate::ir::registers::{NOWHERE, SPILLED, is_float};
use crate::ir::rows::{HostLocated, RowId};
use crate::ir::tree::runtime;
use crate::passes::lower::instructions_of_row;
use crate::passes::ssa::ssa;
use crate::passes::vectors::{Decision, decisions};
use crate::pipeline::{After, Error, Observer};
use crate::source::Sources;
use crate::target::Target;
use crate::target::riscv::jumps::is_branch;
use crate::target::riscv::{isa, registers};
use crate::target::x86_64::assembly;
use crate::target::x86_64::isa as x86_isa;
use crate::target::x86_64::jumps::bytes_before_linking;
use crate::target::x86_64::registers as x86;

/// Returns the instructions of all rows before linking, given the columns after `lower`. The immediate of a jump is the
/// position of an instruction, and of a call the id of a function. A position counts instructions on RISC-V, and bytes on
/// x86-64, as if every jump were short.
pub fn instructions(columns: &Columns, target: Target) -> Vec<Instruction> {
    let rows = HostLocated {
        kind: columns.get("allocate", "kind"),
        ty: columns.get("allocate", "ty"),
        role: columns.get("allocate", "role"),
        data: columns.get("allocate", "data"),
        aux: columns.get("allocate", "aux"),
        operand: columns.get("allocate", "operand"),
        target: columns.get("allocate", "target"),
        ints: columns.get("allocate", "ints"),
        floats: columns.get("allocate", "floats"),
        place: columns.get("allocate", "place"),
    };
    let heads = columns.get::<u32>("heads", "row");
    let frames = columns.get::<Frame>("frames", "frame");
    let (mut out, mut starts, mut position) = (Vec::new(), Vec::new(), 0);
    for (f, frame) in frames.into_iter().enumerate() {
        let end = heads.get(f + 1).map_or(rows.len(), |&next| next as usize);
        for r in heads[f]..end as u32 {
            starts.push(position);
            for instruction in instructions_of_row(target, RowId::new(r), &rows, frame, end as u32 - 1) {
                position += units(target, instruction);
                out.push(instruction);
            }
        }
    }
    let is_jump = |op: u8| match target {
        Target::X86_64 => matches!(op, JUMP | BRANCH),
        _ => op == isa::JAL || is_branch(op),
    };
    for instruction in &mut out {
        if is_jump(instruction.op) {
            instruction.imm = starts[instruction.imm as usize];
        }
    }
    out
}

/// Returns the number of units in which positions count, of an instruction before linking.
fn units(target: Target, x: Instruction) -> u32 {
    if target == Target::X86_64 { bytes_before_linking(x) } else { 1 }
}

/// Returns the name of a register.
fn register_name(target: Target, register: u8) -> &'static str {
    match target {
        Target::X86_64 if is_float(register) => x86::FLOATS[usize::from(register & 15)],
        Target::X86_64 => x86::INTS[1][usize::from(register & 15)],
        _ => registers::NAMES[usize::from(register)],
    }
}

/// Returns the name of an operation that no machine has, before linking.
fn name_before_linking(op: u8) -> Option<&'static str> {
    Some(match op {
        CALL => "call",
        CHECK_BELOW => "check below",
        CHECK_AT_LEAST => "check size",
        CHECK_SAME => "check same",
        CHECK_RANGE => "check range",
        RARE_QUOTIENT => "rare quotient",
        RARE_REMAINDER => "rare remainder",
        _ => return None,
    })
}

/// Returns the name of a kind, moved right by the node's depth.
fn indented(depth: u32, kind: u8) -> String {
    format!("{:1$}{2}", "", 2 * depth.min(40) as usize, kind::NAMES[kind as usize])
}

/// Collects the listing after one pass.
pub struct Listing {
    pass: &'static str,
    target: Target,
    cpu: Cpu,
    columns: Columns,
    decisions: Vec<Decision>,
    /// The text, when the pipeline has run.
    pub text: String,
}

impl Listing {
    /// Returns a listing of the table after `pass`: `multiloops`, `loops`, `structs`, `arrays`, `vectors`, `variables`, `ssa`, `allocate` or `lower`.
    /// Registers and instructions are of the target.
    pub fn after(pass: &'static str, target: Target) -> Listing {
        let (columns, decisions, text) = Default::default();
        Listing { pass, target, cpu: Cpu::Baseline, columns, decisions, text }
    }

    /// Returns the listing with a processor.
    pub fn with_cpu(self, cpu: Cpu) -> Listing {
        Listing { cpu, ..self }
    }

    /// Returns the decision about each loop over arrays, if the listing is of `vectors`: its position and its vectors, or the reason why
    /// it has none. A loop of the program has the position of its first access.
    pub fn decisions(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for decision in &self.decisions {
            let found = if decision.position > 1 { sources.locate(decision.position - 1) } else { None };
            let place = match found {
                Some((file, line, column)) => format!("{file}:{line}:{column}"),
                None => "a function of elements".to_string(),
            };
            let verdict = match decision.reason {
                None => format!("{} lanes of {} bits", decision.lanes, decision.bits),
                Some((reason, node)) => format!("no vectors: {} (node {node} after `arrays`)", reason.text()),
            };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{place}: {verdict}");
        }
        text
    }

    fn line(&mut self, line: Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{}", format!("{line}").trim_end());
    }

    fn tree(&mut self) {
        let depth = self.columns.get::<u32>(self.pass, "depth");
        let kinds = self.columns.get::<u8>(self.pass, "kind");
        let types = self.columns.get::<u8>(self.pass, "ty");
        let data = self.columns.get::<u32>(self.pass, "data");
        self.line(format_args!("{:>7}  {:40} {:6} {:>11}", "node", "kind", "type", "data"));
        for i in 0..kinds.len() {
            let (name, ty) = (indented(depth[i], kinds[i]), Type::from_code(types[i]).text());
            let data = match kinds[i] {
                k if Kind::from_code(k).is_variable() => format!("of {}", data[i]),
                kind::CALL if data[i] < runtime::COUNT => BUILTINS[data[i] as usize].name.to_string(),
                _ => (data[i] as i32).to_string(),
            };
            self.line(format_args!("{i:>7}  {name:40} {ty:6} {data:>11}"));
        }
    }

    /// Variables have numbers in each function, in the order of their declarations.
    fn multiloops(&mut self) {
        let depth = self.columns.get::<u32>(self.pass, "depth");
        let kinds = self.columns.get::<Kind>(self.pass, "kind");
        let types = self.columns.get::<Type>(self.pass, "ty");
        let data = self.columns.get::<u32>(self.pass, "data");
        let (mut numbers, mut next) = (vec![0; kinds.len()], 0);
        for i in 0..kinds.len() {
            let target = |i: usize| numbers.get(data[i] as usize).copied().unwrap_or_default();
            let text = match kinds[i] {
                Kind::Function => {
                    next = 0;
                    format!("function {}", data[i])
                }
                Kind::Param | Kind::Declare | Kind::Count | Kind::Input | Kind::Element | Kind::Key => {
                    numbers[i] = next;
                    next += 1;
                    format!("{} v{}", kinds[i].name(), numbers[i])
                }
                kind if kind.is_variable() || kind == Kind::Read => {
                    format!("{} v{}", kinds[i].name(), target(i))
                }
                Kind::View => {
                    numbers[i] = numbers[data[i] as usize];
                    format!("view v{}", numbers[i])
                }
                Kind::Lambda => format!("over v{}", target(i)),
                Kind::Multiloop => match data[i] {
                    ALL_ELEMENTS => "multiloop of all elements".to_string(),
                    FROM_END => "multiloop from the end".to_string(),
                    _ => "multiloop".to_string(),
                },
                Kind::Literal if types[i] == Type::Float => format!("literal {:?}", f32::from_bits(data[i])),
                Kind::Literal => format!("literal {}", data[i] as i32),
                Kind::Call if data[i] < runtime::COUNT => format!("call {}", BUILTINS[data[i] as usize].name),
                Kind::Call => format!("call function {}", data[i]),
                Kind::Size => format!("size {}", data[i]),
                kind => kind.name().to_string(),
            };
            let ty = if types[i] == Type::Void { String::new() } else { format!(": {}", types[i].text()) };
            self.line(format_args!("{:1$}{text}{ty}", "", 2 * depth[i].min(40) as usize));
        }
    }

    fn nodes(&mut self) {
        let depth = self.columns.get::<u32>("lift", "depth");
        let kinds = self.columns.get::<u8>("lift", "kind");
        let types = self.columns.get::<u8>("lift", "ty");
        let data = self.columns.get::<u32>("variables", "data");
        let aux = self.columns.get::<u32>("variables", "aux");
        self.line(format_args!("{:>7}  {:24} {:6} {:>11} {:>5}", "node", "kind", "type", "data", "aux"));
        for i in 0..kinds.len() {
            let (name, ty) = (indented(depth[i], kinds[i]), Type::from_code(types[i]).text());
            self.line(format_args!("{i:>7}  {name:24} {ty:6} {:>11} {:>5}", data[i] as i32, aux[i]));
        }
    }

    fn definitions(&mut self) {
        let depth = self.columns.get::<u32>("ssa", "depth");
        let kinds = self.columns.get::<u8>("ssa", "kind");
        let types = self.columns.get::<u8>("ssa", "ty");
        let data = self.columns.get::<u32>("ssa", "data");
        self.line(format_args!("{:>7}  {:24} {:6} {:>11}", "node", "kind", "type", "data"));
        for i in 0..kinds.len() {
            let (name, ty) = (indented(depth[i], kinds[i]), Type::from_code(types[i]).text());
            let data = match kinds[i] {
                kind::USE => format!("= {}", data[i]),
                k if Kind::from_code(k).is_variable() || matches!(k, kind::LET | kind::PHI | kind::HEAD) => {
                    format!("of {}", data[i])
                }
                _ => (data[i] as i32).to_string(),
            };
            self.line(format_args!("{i:>7}  {name:24} {ty:6} {data:>11}"));
        }
    }

    fn rows(&mut self) {
        let kinds = self.columns.get::<u8>("flatten", "kind");
        let types = self.columns.get::<u8>("flatten", "ty");
        let roles = self.columns.get::<u8>("flatten", "role");
        let data = self.columns.get::<u32>("flatten", "data");
        let target = self.columns.get::<u32>("flatten", "target");
        let places = self.columns.get::<u8>("allocate", "place");
        let ints = self.columns.get::<u32>("allocate", "ints");
        let floats = self.columns.get::<u32>("allocate", "floats");
        self.line(format_args!(
            "{:>7} {:>8}  {:10} {:6} {:>11}  {:9} {}",
            "row", "function", "kind", "type", "data", "place", "role"
        ));
        let mut function = 0;
        for r in 0..kinds.len() {
            let at = match roles[r] {
                role::NONE | role::RETURNED | role::DISCARDED => String::new(),
                _ => format!(" {}", target[r]),
            };
            let place = match places[r] {
                SPILLED => format!("spill {}", ints[r] + floats[r]),
                NOWHERE => String::new(),
                register => register_name(self.target, register).to_string(),
            };
            let name = kind::NAMES[kinds[r] as usize];
            let ty = Type::from_code(types[r]).text();
            let role = role::NAMES[roles[r] as usize];
            let data = data[r] as i32;
            self.line(format_args!("{r:>7} {function:>8}  {name:10} {ty:6} {data:>11}  {place:9} {role}{at}"));
            function += u32::from(Kind::from_code(kinds[r]).is_function());
        }
    }

    fn instructions(&mut self) {
        self.line(format_args!("{:>7}  {:12} {:5} {:5} {:5} {:>11}", "index", "operation", "rd", "rs1", "rs2", "imm"));
        for (i, instruction) in instructions(&self.columns, self.target).iter().enumerate() {
            let operation = name_before_linking(instruction.op).unwrap_or_else(|| isa::NAMES[instruction.op as usize]);
            let [rd, rs1, rs2] =
                [instruction.rd, instruction.rs1, instruction.rs2].map(|r| register_name(self.target, r));
            let imm = instruction.imm as i32;
            self.line(format_args!("{i:>7}  {operation:12} {rd:5} {rs1:5} {rs2:5} {imm:>11}"));
        }
    }

    /// The operands of an instruction of x86-64 have no common form, so each line has its assembly text. Labels are positions.
    fn x86_instructions(&mut self) {
        self.line(format_args!("{:>7}  {}", "byte", "instruction"));
        let mut at = 0;
        for instruction in instructions(&self.columns, self.target) {
            let imm = instruction.imm;
            let text = match instruction.op {
                JUMP => format!("jmp .L{imm}"),
                BRANCH => format!("{} .L{imm}", x86_isa::NAMES[usize::from(instruction.rd)]),
                op => match name_before_linking(op) {
                    Some(name) => format!("{name} {imm}"),
                    None => assembly::plain(at, instruction),
                },
            };
            self.line(format_args!("{at:>7}  {text}"));
            at += bytes_before_linking(instruction);
        }
    }
}

impl<B: Backend> Observer<B> for Listing {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        self.columns.add(backend, after)?;
        if let (After::Arrays(nodes), "vectors") = (after, self.pass) {
            self.decisions = decisions(backend, nodes, self.cpu)?;
        }
        if let (After::Lift(lifted), "ssa") = (after, self.pass) {
            self.columns.add_table(backend, "ssa", &ssa(backend, lifted)?)?;
            self.definitions();
        }
        if after.pass() == self.pass {
            match after {
                After::Multiloops(_) | After::Fusion(_) => self.multiloops(),
                After::Loops(_) | After::Structs(_) | After::Arrays(_) | After::Vectors(_) => self.tree(),
                After::Variables(_) => self.nodes(),
                After::Allocate(_) => self.rows(),
                After::Lower(_) if self.target == Target::X86_64 => self.x86_instructions(),
                After::Lower(_) => self.instructions(),
                _ => {}
            }
        }
        Ok(())
    }
}
