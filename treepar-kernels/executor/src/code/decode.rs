//! Instructions by name to steps over virtual registers.

use super::frame::{Decoded, Frame, Layout, Place, kind_of};
use super::registers::Kind;
use super::step::{Action, Branch, Guard, Slot, Step};
use super::table::{self, OPERANDS, Row};
use super::{Initial, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::ptx::{Base, Function, Instruction, Operand, Problem, Space, Special, Statement, Text, Variable};
use std::collections::HashMap;

/// Decodes an entry and all functions that it calls.
pub(super) fn decode(text: &Text, entry: &Function) -> Result<Decoded, Problem> {
    let mut decoder = Decoder::new(text);
    decoder.entry(entry)?;
    decoder.finish()
}

/// The state of decoding one entry.
pub(super) struct Decoder<'t, 'a> {
    pub(super) text: &'t Text<'a>,
    pub(super) steps: Vec<Step>,
    pub(super) registers: Vec<(Kind, Option<Initial>)>,
    pub(super) initial: HashMap<(Kind, Initial), Slot>,
    /// The step of each label. Branches name labels until the end.
    pub(super) labels: Vec<u32>,
    pub(super) layout: Layout<'a>,
    /// The functions that are being inlined, to find recursion.
    pub(super) calls: Vec<&'a str>,
    /// The carry of extended arithmetic.
    pub(super) carry: Option<Slot>,
    pub(super) line: u32,
    pub(super) guard: Option<Guard>,
}

impl<'t, 'a> Decoder<'t, 'a> {
    fn new(text: &'t Text<'a>) -> Decoder<'t, 'a> {
        Decoder {
            text,
            steps: Vec::new(),
            registers: Vec::new(),
            initial: HashMap::new(),
            labels: Vec::new(),
            layout: Layout::default(),
            calls: Vec::new(),
            carry: None,
            line: 0,
            guard: None,
        }
    }

    fn entry(&mut self, entry: &'t Function<'a>) -> Result<(), Problem> {
        let mut places = HashMap::new();
        let mut end = 0u64;
        for parameter in &entry.parameters {
            let offset = end.next_multiple_of(parameter.align as u64);
            places.insert(parameter.name, Place::At(Space::Param, offset));
            end = offset + parameter.bytes as u64;
        }
        self.function(entry, places, None)?;
        self.line = entry.line;
        self.emit(Action::Exit);
        Ok(())
    }

    fn finish(mut self) -> Result<Decoded, Problem> {
        for step in &mut self.steps {
            match &mut step.action {
                Action::Branch(branch) => branch.target = self.labels[branch.target as usize],
                Action::IndexedBranch { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target = self.labels[*target as usize]);
                }
                _ => {}
            }
        }
        Ok(Decoded {
            steps: self.steps,
            registers: self.registers,
            local_bytes: self.layout.local_bytes.next_multiple_of(16),
            shared_bytes: self.layout.shared_bytes,
            dynamic_shared: self.layout.shared_bytes.next_multiple_of(16),
        })
    }

    /// Decodes a function with its parameters at some places. Results, if any, are at places too.
    pub(super) fn function(
        &mut self,
        function: &'t Function<'a>,
        places: HashMap<&'a str, Place>,
        end: Option<u32>,
    ) -> Result<(), Problem> {
        let Some(body) = &function.body else { return Ok(()) };
        if self.calls.contains(&function.name) {
            return self.fail(format!("recursion in `{}` is not supported", function.name));
        }
        self.calls.push(function.name);
        let first = self.registers.len() as u32;
        self.registers.extend(body.registers.iter().map(|&ty| (kind_of(ty), None)));
        let mut frame = Frame { first, places, labels: HashMap::new(), targets: HashMap::new(), end };
        for variable in &body.variables {
            let place = match variable.space {
                Space::Shared => self.layout.shared(function.name, variable),
                Space::Local => self.layout.local(variable),
                Space::Param => {
                    // Each call declares its arguments anew, under the same names: they share the greatest size.
                    let same = body.variables.iter().filter(|other| other.name == variable.name);
                    let bytes = same.map(|other| other.bytes.next_multiple_of(16)).max().unwrap_or(0);
                    match frame.places.get(variable.name) {
                        Some(&place) => place,
                        None => {
                            self.layout.local(&Variable { bytes, align: variable.align.max(16), ..variable.clone() })
                        }
                    }
                }
                _ => {
                    self.line = variable.line;
                    return self.fail("a variable of a function in this state space is not supported");
                }
            };
            frame.places.insert(variable.name, place);
        }
        for statement in &body.statements {
            match statement {
                Statement::Label(name) => {
                    let label = self.new_label();
                    if frame.labels.insert(name, label).is_some() {
                        return self.fail(format!("the label `{name}` is defined twice"));
                    }
                }
                Statement::Targets(name, labels) => {
                    frame.targets.insert(name, labels);
                }
                Statement::Instruction(_) => {}
            }
        }
        for statement in &body.statements {
            match statement {
                Statement::Label(name) => self.labels[frame.labels[name] as usize] = self.steps.len() as u32,
                Statement::Targets(..) => {}
                Statement::Instruction(instruction) => {
                    self.line = instruction.line;
                    self.guard = instruction
                        .guard
                        .map(|(predicate, negated)| Guard { predicate: frame.first + predicate, negated });
                    self.instruction(&frame, instruction)?;
                    self.guard = None;
                }
            }
        }
        self.calls.pop();
        Ok(())
    }

    pub(super) fn new_label(&mut self) -> u32 {
        self.labels.push(0);
        self.labels.len() as u32 - 1
    }

    pub(super) fn fail<T>(&self, problem: impl Into<String>) -> Result<T, Problem> {
        Err((self.line, problem.into()))
    }

    pub(super) fn unknown<T>(&self, name: &str) -> Result<T, Problem> {
        self.fail(format!("unknown instruction `{name}`"))
    }

    pub(super) fn emit(&mut self, action: Action) {
        self.steps.push(Step { action, guard: self.guard, line: self.line, run: 0 });
    }

    pub(super) fn temporary(&mut self, kind: Kind) -> Slot {
        self.registers.push((kind, None));
        self.registers.len() as u32 - 1
    }

    /// Returns a register with a value from the beginning.
    pub(super) fn initial(&mut self, kind: Kind, value: Initial) -> Slot {
        if let Some(&slot) = self.initial.get(&(kind, value)) {
            return slot;
        }
        let slot = self.temporary(kind);
        self.registers[slot as usize].1 = Some(value);
        self.initial.insert((kind, value), slot);
        slot
    }

    pub(super) fn constant(&mut self, kind: Kind, value: u64) -> Slot {
        let value = match kind {
            Kind::Predicate => u64::from(value != 0),
            Kind::Word => value & 0xffff_ffff,
            Kind::Long => value,
        };
        self.initial(kind, Initial::Constant(value))
    }

    /// Emits a row of the table with registers as operands.
    pub(super) fn compute(&mut self, name: &str, to: Slot, from: &[Slot]) {
        let row = table::find(name).unwrap_or_else(|| unreachable!("the table has no row {name}"));
        let mut all = [0; OPERANDS];
        all[..from.len()].copy_from_slice(from);
        self.emit(Action::Compute { row, to, from: all });
    }

    /// Returns a register of the function with its kind.
    pub(super) fn register(&self, frame: &Frame, register: u32) -> (Kind, Slot) {
        let slot = frame.first + register;
        (self.registers[slot as usize].0, slot)
    }

    /// Returns the register that an operand names, of a kind.
    pub(super) fn target(&self, frame: &Frame, operand: &Operand, kind: Kind) -> Result<Slot, Problem> {
        match operand {
            Operand::Register(register) => {
                let (found, slot) = self.register(frame, *register);
                if found == kind {
                    Ok(slot)
                } else {
                    self.fail(format!("the destination is a {found:?}, not a {kind:?}"))
                }
            }
            _ => self.fail("the destination is not a register"),
        }
    }

    /// Returns a register with the value of an operand.
    pub(super) fn source(&mut self, frame: &Frame<'t, 'a>, operand: &Operand<'a>, kind: Kind) -> Result<Slot, Problem> {
        match *operand {
            Operand::Register(register) => {
                let (found, slot) = self.register(frame, register);
                if found == kind { Ok(slot) } else { self.fail(format!("an operand is a {found:?}, not a {kind:?}")) }
            }
            Operand::Not(register) if kind == Kind::Predicate => {
                let to = self.temporary(kind);
                self.compute("not.pred", to, &[frame.first + register]);
                Ok(to)
            }
            Operand::Integer(value) => Ok(self.constant(kind, value)),
            Operand::Float32(bits) if kind == Kind::Word => Ok(self.constant(kind, bits.into())),
            Operand::Float32(bits) if kind == Kind::Long => {
                Ok(self.constant(kind, f64::from(f32::from_bits(bits)).to_bits()))
            }
            Operand::Float64(bits) if kind == Kind::Long => Ok(self.constant(kind, bits)),
            Operand::Float64(bits) if kind == Kind::Word => {
                Ok(self.constant(kind, (f64::from_bits(bits) as f32).to_bits().into()))
            }
            Operand::Special(Special::Clock | Special::ClockHigh | Special::Clock64) => {
                self.fail("only `mov` reads a clock")
            }
            Operand::Special(special) if kind != Kind::Predicate => Ok(self.initial(kind, Initial::Special(special))),
            Operand::Symbol(name, offset) if kind != Kind::Predicate => {
                let address = match self.place(frame, name)? {
                    Place::At(_, at) => Initial::Constant(at.wrapping_add(offset as u64)),
                    Place::Module(index) => Initial::Variable(index, offset as u64),
                    Place::Dynamic => Initial::DynamicShared(offset as u64),
                };
                Ok(self.initial(kind, address))
            }
            _ => self.fail("unexpected operand"),
        }
    }

    /// Returns the location of a variable.
    pub(super) fn place(&mut self, frame: &Frame<'t, 'a>, name: &str) -> Result<Place, Problem> {
        if let Some(&place) = frame.places.get(name) {
            return Ok(place);
        }
        let text = self.text;
        match text.variables.iter().position(|variable| variable.name == name) {
            Some(index) if text.variables[index].space == Space::Shared => {
                Ok(self.layout.shared("", &text.variables[index]))
            }
            Some(index) => Ok(Place::Module(index)),
            None => self.fail(format!("no variable `{name}` is declared")),
        }
    }

    fn instruction(&mut self, frame: &Frame<'t, 'a>, instruction: &Instruction<'a>) -> Result<(), Problem> {
        let (name, operands) = (instruction.name, &instruction.operands[..]);
        let root = name.split('.').next().unwrap_or(name);
        match root {
            "mov" => self.mov(frame, name, operands),
            "setp" | "set" => self.compare(frame, root, name, operands),
            "cvt" => self.convert(frame, name, operands),
            "cvta" => self.convert_address(frame, name, operands),
            "isspacep" => self.is_space(frame, name, operands),
            "addc" | "subc" | "madc" => self.extended(frame, name, operands),
            "add" | "sub" | "mad" if name.contains(".cc.") => self.extended(frame, name, operands),
            "ld" | "ldu" | "st" | "atom" | "red" => self.memory(frame, root, name, operands),
            "bar" | "barrier" | "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                self.exchange(frame, root, name, operands)
            }
            "membar" | "fence" => self.fence(name),
            "bra" => self.branch(frame, name, operands),
            "brx" => self.indexed_branch(frame, name, operands),
            "call" => self.call(frame, name, operands),
            "ret" | "exit" => {
                match frame.end {
                    Some(end) if root == "ret" => self.emit(Action::Branch(Branch { target: end, join: 0 })),
                    _ => self.emit(Action::Exit),
                }
                Ok(())
            }
            "trap" | "brkpt" => {
                self.emit(Action::Trap);
                Ok(())
            }
            "nanosleep" => {
                self.emit(Action::Pause);
                Ok(())
            }
            "prefetch" | "prefetchu" | "pmevent" | "applypriority" | "discard" if root != "discard" => Ok(()),
            _ => match table::find(name) {
                Some(row) => self.row(frame, row, operands),
                None => self.unknown(name),
            },
        }
    }

    pub(super) fn row(
        &mut self,
        frame: &Frame<'t, 'a>,
        row: &'static Row,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let [to, from @ ..] = operands else { return self.fail("operands are missing") };
        if from.len() != row.from.len() {
            return self.fail(format!("{} operands are expected", 1 + row.from.len()));
        }
        let mut all = [0; OPERANDS];
        for ((slot, operand), &kind) in all.iter_mut().zip(from).zip(row.from) {
            *slot = self.source(frame, operand, kind)?;
        }
        let to = match to {
            Operand::Sink => self.temporary(row.to),
            to => self.target(frame, to, row.to)?,
        };
        self.emit(Action::Compute { row, to, from: all });
        Ok(())
    }

    /// Returns the address operand, with the space that it is in.
    pub(super) fn address(
        &mut self,
        frame: &Frame<'t, 'a>,
        operand: &Operand<'a>,
        space: Space,
    ) -> Result<(Space, super::Address), Problem> {
        let Operand::Address(base, offset) = *operand else { return self.fail("an address is expected") };
        match base {
            Base::None => Ok((space, super::Address { base: None, offset })),
            Base::Register(register) => {
                let base = self.register(frame, register);
                // Parameters of inlined functions are in local memory.
                let space = if space == Space::Param && frame.end.is_some() { Space::Local } else { space };
                Ok((space, super::Address { base: Some(base), offset }))
            }
            Base::Symbol(name) => match self.place(frame, name)? {
                Place::At(found, at) => {
                    let fits = found == space || space == Space::Param && found == Space::Local;
                    if !fits && space != Space::Generic {
                        return self.fail(format!("`{name}` is not in {} memory", space.name()));
                    }
                    Ok((found, super::Address { base: None, offset: at as i64 + offset }))
                }
                Place::Dynamic => {
                    let base = self.initial(Kind::Long, Initial::DynamicShared(0));
                    Ok((Space::Shared, super::Address { base: Some((Kind::Long, base)), offset }))
                }
                Place::Module(index) => {
                    let base = self.initial(Kind::Long, Initial::Variable(index, 0));
                    Ok((Space::Global, super::Address { base: Some((Kind::Long, base)), offset }))
                }
            },
        }
    }
}

/// Returns the first generic address of a space.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Global | Space::Generic => 0,
    }
}
