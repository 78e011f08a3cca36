//! Instructions by name to steps over virtual registers.

use super::frame::{Decoded, Frame, Layout, Place, definition, kind_of};
use super::registers::Kind;
use super::step::{Action, Branch, Guard, Slot, Step};
use super::table::{self, OPERANDS, Row};
use super::{Initial, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::ptx::{Base, Function, Instruction, Operand, Problem, Space, Special, Statement, Text, Type, Variable};
use std::collections::HashMap;

/// Decodes an entry and all functions that it calls.
pub(super) fn decode(text: &Text, entry: &Function) -> Result<Decoded, Problem> {
    let mut decoder = Decoder::new(text);
    decoder.entry(entry)?;
    decoder.finish()
}

/// The state of decoding one entry.
pub(super) struct Decoder<'t, 'a> {
    text: &'t Text<'a>,
    steps: Vec<Step>,
    registers: Vec<(Kind, Option<Initial>)>,
    initial: HashMap<(Kind, Initial), Slot>,
    /// The step of each label. Branches name labels until the end.
    labels: Vec<u32>,
    layout: Layout<'a>,
    /// The functions that are being inlined, to find recursion.
    calls: Vec<&'a str>,
    /// The carry of extended arithmetic.
    carry: Option<Slot>,
    pub line: u32,
    guard: Option<Guard>,
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
    fn function(
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

    fn new_label(&mut self) -> u32 {
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
        self.steps.push(Step { action, guard: self.guard, line: self.line });
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

    fn row(&mut self, frame: &Frame<'t, 'a>, row: &'static Row, operands: &[Operand<'a>]) -> Result<(), Problem> {
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

    fn mov(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let Some(row) = table::find(name) else { return self.unknown(name) };
        match operands {
            [Operand::Vector(parts), from] => {
                let value = self.source(frame, from, row.to)?;
                let bits = name.rsplit_once('b').and_then(|(_, bits)| bits.parse::<u32>().ok()).unwrap_or(0);
                let each = bits / (parts.len() as u32).max(1);
                // All parts are computed before the first is written: the value may be one of them.
                let name = if row.to == Kind::Long { "@part.long" } else { "@part.word" };
                let mut moves = Vec::new();
                for (k, part) in parts.iter().enumerate().filter(|(_, part)| **part != Operand::Sink) {
                    let shift = self.constant(Kind::Word, u64::from(k as u32 * each));
                    let temporary = self.temporary(Kind::Word);
                    self.compute(name, temporary, &[value, shift]);
                    moves.push((self.target(frame, part, Kind::Word)?, temporary));
                }
                moves.into_iter().for_each(|(to, from)| self.compute("mov.b32", to, &[from]));
                Ok(())
            }
            [to, Operand::Vector(parts)] => {
                let bits = name.rsplit_once('b').and_then(|(_, bits)| bits.parse::<usize>().ok()).unwrap_or(0);
                let pack = format!("@pack.{}.b{}", parts.len(), bits / parts.len().max(1));
                match table::find(&pack) {
                    Some(row) => {
                        let all: Vec<Operand> = [to.clone()].into_iter().chain(parts.iter().cloned()).collect();
                        self.row(frame, row, &all)
                    }
                    None => self.unknown(name),
                }
            }
            [to, Operand::Special(special @ (Special::Clock | Special::ClockHigh | Special::Clock64))] => {
                let to = self.target(frame, to, row.to)?;
                self.emit(Action::Clock { to, kind: row.to, high: *special == Special::ClockHigh });
                Ok(())
            }
            _ => self.row(frame, row, operands),
        }
    }

    /// `setp.lt.and.s32 p|q, a, b, c` and `set.lt.u32.s32 d, a, b`.
    fn compare(
        &mut self,
        frame: &Frame<'t, 'a>,
        root: &str,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let mut parts: Vec<&str> = name.split('.').skip(1).collect();
        let join = ["and", "or", "xor"].into_iter().find(|join| parts.get(1) == Some(join));
        if join.is_some() {
            parts.remove(1);
        }
        let result = if root == "set" && parts.len() >= 3 { Some(parts.remove(parts.len() - 2)) } else { None };
        let row = table::find(&format!("setp.{}", parts.join(".")));
        let (Some(row), Some((to, from))) = (row, operands.split_first()) else { return self.unknown(name) };
        if from.len() != 2 + usize::from(join.is_some()) || (root == "set") != result.is_some() {
            return self.unknown(name);
        }
        let [a, b] = [self.source(frame, &from[0], row.from[0])?, self.source(frame, &from[1], row.from[1])?];
        let with = join.map(|join| Ok((join, self.source(frame, &from[2], Kind::Predicate)?))).transpose()?;
        let both = |decoder: &mut Self, to: Slot, compared: Slot| match with {
            Some((join, other)) => decoder.compute(&format!("{join}.pred"), to, &[compared, other]),
            None => decoder.compute("mov.pred", to, &[compared]),
        };
        if let (None, None, Operand::Register(_)) = (with, result, to) {
            let to = self.target(frame, to, Kind::Predicate)?;
            self.emit(Action::Compute { row, to, from: [a, b, 0, 0] });
            return Ok(());
        }
        let compared = self.temporary(Kind::Predicate);
        self.emit(Action::Compute { row, to: compared, from: [a, b, 0, 0] });
        if let Some(result) = result {
            let Some(ty) = Type::named(result) else { return self.unknown(name) };
            let truth = self.temporary(Kind::Predicate);
            both(self, truth, compared);
            let to = self.target(frame, to, kind_of(ty))?;
            let yes = self.constant(Kind::Word, if ty.is_float() { 1f32.to_bits().into() } else { u64::MAX });
            let no = self.constant(Kind::Word, 0);
            self.compute("selp.b32", to, &[yes, no, truth]);
            return Ok(());
        }
        let (first, second) = match *to {
            Operand::Register(register) => (Some(register), None),
            Operand::Pair(first, second) => (first, second),
            _ => return self.fail("the destination is not a predicate"),
        };
        // The joined predicate may be a destination, so both results are computed before either is written.
        let results = [first, second].map(|to| to.map(|to| (to, self.temporary(Kind::Predicate))));
        if let Some((_, temporary)) = results[0] {
            both(self, temporary, compared);
        }
        if let Some((_, temporary)) = results[1] {
            self.compute("not.pred", compared, &[compared]);
            both(self, temporary, compared);
        }
        for (to, temporary) in results.into_iter().flatten() {
            let to = self.target(frame, &Operand::Register(to), Kind::Predicate)?;
            self.compute("mov.pred", to, &[temporary]);
        }
        Ok(())
    }

    /// A conversion, whose operands may be wider than their types.
    fn convert(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let Some(row) = table::find(name) else { return self.unknown(name) };
        let [Operand::Register(to), from] = operands else { return self.fail("two operands are expected") };
        let (kind, to) = self.register(frame, *to);
        let from = match from {
            Operand::Register(register) => {
                let (kind, slot) = self.register(frame, *register);
                if kind == Kind::Long && row.from[0] == Kind::Word {
                    let cut = self.temporary(Kind::Word);
                    self.compute("cvt.u32.u64", cut, &[slot]);
                    cut
                } else {
                    self.source(frame, from, row.from[0])?
                }
            }
            _ => self.source(frame, from, row.from[0])?,
        };
        if kind == Kind::Long && row.to == Kind::Word {
            let narrow = self.temporary(Kind::Word);
            self.emit(Action::Compute { row, to: narrow, from: [from, 0, 0, 0] });
            let ty = name.split('.').rev().nth(1).unwrap_or("u32");
            self.compute(if ty.starts_with('s') { "cvt.s64.s32" } else { "cvt.u64.u32" }, to, &[narrow]);
        } else if kind == row.to {
            self.emit(Action::Compute { row, to, from: [from, 0, 0, 0] });
        } else {
            return self.fail("the destination is too narrow");
        }
        Ok(())
    }

    /// `cvta.space d, a` makes a generic address, and `cvta.to.space d, a` an address of the space.
    fn convert_address(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let parts: Vec<&str> = name.split('.').skip(1).collect();
        let (to_space, rest) = if parts.first() == Some(&"to") { (true, &parts[1..]) } else { (false, &parts[..]) };
        let ([space, "u64"], [to, from]) = (rest, operands) else { return self.unknown(name) };
        let Some(space) = Space::named(space) else { return self.unknown(name) };
        let window = self.constant(Kind::Long, window(space));
        let from = self.source(frame, from, Kind::Long)?;
        let to = self.target(frame, to, Kind::Long)?;
        if space == Space::Global {
            self.compute("mov.b64", to, &[from]);
        } else {
            self.compute(if to_space { "sub.u64" } else { "add.u64" }, to, &[from, window]);
        }
        Ok(())
    }

    fn is_space(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let space = name.split_once('.').and_then(|(_, space)| Space::named(space));
        let (Some(space), [to, from]) = (space, operands) else { return self.unknown(name) };
        let address = (Kind::Long, self.source(frame, from, Kind::Long)?);
        let to = self.target(frame, to, Kind::Predicate)?;
        self.emit(Action::IsSpace { to, address, space });
        Ok(())
    }

    /// Arithmetic with a carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc` and so on.
    fn extended(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let parts: Vec<&str> = name.split('.').collect();
        let ty = match *parts.last().unwrap_or(&"") {
            "u32" | "s32" => "u32",
            "u64" | "s64" => "u64",
            _ => return self.unknown(name),
        };
        let kind = if ty == "u32" { Kind::Word } else { Kind::Long };
        let carry = *self.carry.get_or_insert_with(|| {
            self.registers.push((Kind::Predicate, None));
            self.registers.len() as u32 - 1
        });
        let (reads, writes) = (parts[0].ends_with('c'), parts.contains(&"cc"));
        let carry_in = if reads { carry } else { self.constant(Kind::Predicate, 0) };
        let Some((to, from)) = operands.split_first() else { return self.fail("operands are missing") };
        let to = self.target(frame, to, kind)?;
        let operation = if parts[0].starts_with("sub") { "sub" } else { "add" };
        let [a, b] = match (parts[0].starts_with("mad"), from) {
            (false, [a, b]) => [self.source(frame, a, kind)?, self.source(frame, b, kind)?],
            (true, [a, b, c]) => {
                let [a, b] = [self.source(frame, a, kind)?, self.source(frame, b, kind)?];
                let product = self.temporary(kind);
                // The high half depends on the sign.
                let row = format!("mul.{}.{}", parts.get(1).unwrap_or(&""), parts.last().unwrap_or(&""));
                if table::find(&row).is_none() {
                    return self.unknown(name);
                }
                self.compute(&row, product, &[a, b]);
                [product, self.source(frame, c, kind)?]
            }
            _ => return self.fail("operands are missing"),
        };
        let next = self.temporary(Kind::Predicate);
        if writes {
            self.compute(&format!("@carry.{operation}.{ty}"), next, &[a, b, carry_in]);
        }
        self.compute(&format!("@result.{operation}.{ty}"), to, &[a, b, carry_in]);
        if writes {
            self.compute("mov.pred", carry, &[next]);
        }
        Ok(())
    }

    fn label(&self, frame: &Frame<'t, 'a>, name: &str) -> Result<u32, Problem> {
        frame.labels.get(name).copied().ok_or_else(|| (self.line, format!("no label `{name}` is defined")))
    }

    fn branch(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let ("bra" | "bra.uni", [Operand::Symbol(label, 0)]) = (name, operands) else { return self.unknown(name) };
        let target = self.label(frame, label)?;
        self.emit(Action::Branch(Branch { target, join: 0 }));
        Ok(())
    }

    fn indexed_branch(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let [index, Operand::Symbol(list, 0)] = operands else { return self.unknown(name) };
        let index = self.source(frame, index, Kind::Word)?;
        let Some(labels) = frame.targets.get(list) else {
            return self.fail(format!("no targets `{list}` are defined"));
        };
        let targets = labels.iter().map(|label| self.label(frame, label)).collect::<Result<_, _>>()?;
        self.emit(Action::IndexedBranch { index, targets, join: 0 });
        Ok(())
    }

    /// `call (results), function, (arguments)`, which is inlined.
    fn call(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
        let none = Vec::new();
        let (results, callee, arguments) = match operands {
            [Operand::Symbol(callee, 0)] => (&none, callee, &none),
            [Operand::Symbol(callee, 0), Operand::List(arguments)] => (&none, callee, arguments),
            [Operand::List(results), Operand::Symbol(callee, 0)] => (results, callee, &none),
            [Operand::List(results), Operand::Symbol(callee, 0), Operand::List(arguments)] => {
                (results, callee, arguments)
            }
            _ => return self.unknown(name),
        };
        let function = definition(self.text, callee, self.line)?;
        if function.results.len() != results.len() || function.parameters.len() != arguments.len() {
            return self.fail(format!("`{callee}` has {} parameters", function.parameters.len()));
        }
        let end = self.new_label();
        if let Some(Guard { predicate, negated }) = self.guard.take() {
            self.guard = Some(Guard { predicate, negated: !negated });
            self.emit(Action::Branch(Branch { target: end, join: 0 }));
            self.guard = None;
        }
        // Registers of the callee's signature are the first of its body.
        let first = self.registers.len() as u32;
        let mut places = HashMap::new();
        let mut copies = Vec::new();
        for (variable, operand) in
            function.parameters.iter().chain(&function.results).zip(arguments.iter().chain(results))
        {
            match (variable.register, operand) {
                (None, Operand::Symbol(name, 0)) => {
                    let place = self.place(frame, name)?;
                    places.insert(variable.name, place);
                }
                (Some(register), _) => copies.push((first + register, variable.bytes, operand)),
                _ => return self.fail("an argument is not a parameter variable"),
            }
        }
        let line = self.line;
        let (sent, received) = copies.split_at(function.parameters.iter().filter(|p| p.register.is_some()).count());
        let mut moves = Vec::new();
        for &(to, bytes, operand) in sent {
            let kind = if bytes == 8 { Kind::Long } else { Kind::Word };
            moves.push((kind, to, self.source(frame, operand, kind)?));
        }
        // Operands may have added registers, so those of the callee begin later.
        let shift = self.registers.len() as u32 - first;
        for (kind, to, from) in moves {
            // The callee's registers are declared below, at these indices.
            self.compute(if kind == Kind::Long { "mov.b64" } else { "mov.b32" }, to + shift, &[from]);
        }
        self.function(function, places, Some(end))?;
        self.line = line;
        self.labels[end as usize] = self.steps.len() as u32;
        for &(from, bytes, operand) in received {
            let kind = if bytes == 8 { Kind::Long } else { Kind::Word };
            let to = self.target(frame, operand, kind)?;
            self.compute(if kind == Kind::Long { "mov.b64" } else { "mov.b32" }, to, &[from + shift]);
        }
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
