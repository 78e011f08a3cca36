//! The loops that have vectors, and the bits of their lanes: a recursive walk over each counted loop, statement by statement.

use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::lanes::{Cpu, HELD, STREAMS, WAITING};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::runtime::{ADD_BYTES, ADD_SHORTS, SUB_BYTES, SUB_SHORTS};

use super::nodes::relations;

/// A loop stays as it is.
struct Refused;

/// Returns each counted loop with the bits of the lanes of its vectors, 0 if it has none.
pub fn lanes(nodes: &HostNodes, cpu: Cpu) -> Vec<(usize, u32)> {
    let (parent, end) = relations(nodes);
    let loops = (0..nodes.kind.len()).filter(|&f| nodes.kind[f] == Kind::For);
    loops.map(|f| (f, Loop::of(nodes, &parent, &end, f, cpu).bits().unwrap_or(0))).collect()
}

/// A loop, and what the walk has found in it so far.
struct Loop<'a> {
    nodes: &'a HostNodes,
    parent: &'a [Option<usize>],
    end: &'a [usize],
    f: usize,
    cpu: Cpu,
    streams: Vec<u32>,
    held: u32,
    /// The bits of elements.
    elements: Vec<u32>,
    is_wide: bool,
    replaces_nan: bool,
    reductions: u32,
}

/// A value: the registers that it needs, and whether it may be another NaN than the canonical one.
struct Value {
    need: u32,
    any_nan: bool,
}

impl<'a> Loop<'a> {
    fn of(nodes: &'a HostNodes, parent: &'a [Option<usize>], end: &'a [usize], f: usize, cpu: Cpu) -> Loop<'a> {
        let (streams, held, elements, is_wide) = (Vec::new(), 0, Vec::new(), false);
        Loop { nodes, parent, end, f, cpu, streams, held, elements, is_wide, replaces_nan: false, reductions: 0 }
    }

    fn kind(&self, i: usize) -> Kind {
        self.nodes.kind[i]
    }

    fn children(&self, i: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut next = i + 1;
        while next < self.end[i] {
            found.push(next);
            next = self.end[next];
        }
        found
    }

    fn bare(&self, i: usize) -> usize {
        if self.kind(i) == Kind::Ascribe { self.bare(i + 1) } else { i }
    }

    /// Returns the bits of the lanes.
    fn bits(mut self) -> Result<u32, Refused> {
        let [count, body] = self.children(self.f)[..] else { return Err(Refused) };
        let number = count + 1;
        let is_few = self.kind(number) == Kind::Literal && self.nodes.data[number] < 8;
        let is_pure = (number..self.end[count]).all(|i| self.kind(i).is_pure());
        if is_few || !is_pure || self.end[self.f] == self.nodes.kind.len() {
            return Err(Refused);
        }
        let mut need = 0;
        for statement in self.children(body) {
            need = need.max(self.statement(statement)?);
        }
        self.streams.sort_unstable();
        self.streams.dedup();
        let combined = if self.reductions > 0 { 2 } else { 0 };
        let held = self.held + self.replaces_nan as u32;
        let streams = self.streams.len() as u32;
        let fits = streams <= STREAMS && held <= HELD && need.max(combined) + self.waits() <= WAITING;
        if !fits || streams == 0 {
            return Err(Refused);
        }
        self.elements.sort_unstable();
        self.elements.dedup();
        Ok(match self.elements[..] {
            [bits] if !self.is_wide => bits,
            _ => 32,
        })
    }

    /// Returns a bound of the floats that wait while the loop runs.
    fn waits(&self) -> u32 {
        let (mut waits, mut i) = (0, self.f);
        while let Some(p) = self.parent[i].filter(|_| !self.kind(i).is_function()) {
            let keeps = self.kind(p).has_two_operands() || matches!(self.kind(p), Kind::Call | Kind::Arg);
            let earlier = self.children(p).iter().filter(|&&child| child < i).count() as u32;
            waits += if keeps { earlier } else { 0 };
            i = p;
        }
        waits
    }

    /// Walks over a statement, and returns the registers that it needs.
    fn statement(&mut self, i: usize) -> Result<u32, Refused> {
        match self.kind(i) {
            Kind::Expression => self.effect(i + 1),
            Kind::Store | Kind::StoreShort | Kind::StoreByte => {
                self.access(i)?;
                let stored = self.end[i + 1];
                let value = self.value(stored)?;
                self.replaces_nan |= self.nodes.ty[i] == Type::Float && value.any_nan;
                Ok(value.need)
            }
            _ => Err(Refused),
        }
    }

    /// Walks over an assignment or a declaration.
    fn effect(&mut self, i: usize) -> Result<u32, Refused> {
        if self.end[i] == i + 1 {
            return Err(Refused);
        }
        let is_reduction = self.kind(i) == Kind::Assign;
        if !(is_reduction && self.is_reduction(i) || self.kind(i) == Kind::Declare) {
            return Err(Refused);
        }
        self.reductions += is_reduction as u32;
        self.is_wide |= is_reduction;
        self.held += 1;
        let value = self.value(i + 1)?;
        self.replaces_nan |= !is_reduction && self.nodes.ty[i] == Type::Float && value.any_nan;
        Ok(value.need)
    }

    /// Returns the assignments to a variable in the loop.
    fn assignments(&self, variable: u32) -> Vec<usize> {
        let inside = self.f..self.end[self.f];
        inside.filter(|&i| self.kind(i) == Kind::Assign && self.nodes.data[i] == variable).collect()
    }

    fn is_outside(&self, variable: u32) -> bool {
        (variable as usize) < self.f && self.assignments(variable).is_empty()
    }

    /// Returns whether a choice is the lesser or the greater of two variables.
    fn is_extreme(&self, i: usize) -> bool {
        let is_short = self.kind(i) == Kind::Choose && self.nodes.ty[i] == Type::Int && self.end[i] == i + 9;
        let names = [3, 4, 6, 8].map(|k| i + k);
        if !is_short || names.iter().any(|&k| self.kind(k) != Kind::Name) || self.nodes.ty[i + 3] != Type::Int {
            return false;
        }
        let [left, right, then, otherwise] = names.map(|k| self.nodes.data[k]);
        let is_ordered = matches!(self.kind(i + 2), Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge);
        is_ordered && (left == then && right == otherwise || left == otherwise && right == then)
    }

    fn is_reduction(&self, i: usize) -> bool {
        let (variable, value) = (self.nodes.data[i], i + 1);
        let is_name = |k: usize| self.kind(k) == Kind::Name && self.nodes.data[k] == variable;
        if variable as usize > self.f || self.nodes.ty[i] != Type::Int || self.assignments(variable).len() != 1 {
            return false;
        }
        if self.kind(value) == Kind::Choose {
            return self.is_extreme(value) && is_name(value + 6) != is_name(value + 8);
        }
        let [left, right] = self.children(value)[..] else { return false };
        match self.kind(value) {
            Kind::Add | Kind::Mul | Kind::And | Kind::Or | Kind::Xor | Kind::Land | Kind::Lor => {
                is_name(left) != is_name(right)
            }
            Kind::Sub => is_name(left) && !is_name(right),
            _ => false,
        }
    }

    /// Walks over the address of an access.
    fn access(&mut self, i: usize) -> Result<(), Refused> {
        let (sum, bits) = match self.kind(i) {
            Kind::LoadByte | Kind::StoreByte => (Kind::Add, 8),
            Kind::LoadShort | Kind::StoreShort => (Kind::AddShorts, 16),
            _ => (Kind::AddWords, 32),
        };
        let is_sum = self.kind(i + 1) == sum && self.nodes.data[i] == 0;
        let [base, index] = self.children(i + 1)[..] else { return Err(Refused) };
        let is_base = matches!(self.kind(base), Kind::Name | Kind::Data) && self.is_outside(self.nodes.data[base]);
        let is_counter = |k: usize| self.kind(k) == Kind::Name && self.nodes.data[k] as usize == self.f + 1;
        let is_index = match self.kind(index) {
            Kind::CheckIndex => {
                let limit = self.end[index + 1];
                let is_extent = matches!(self.kind(limit), Kind::Name | Kind::Extent);
                is_counter(index + 1) && is_extent && self.is_outside(self.nodes.data[limit])
            }
            _ => is_counter(index),
        };
        if !(is_sum && is_base && is_index) {
            return Err(Refused);
        }
        self.elements.push(bits);
        self.streams.push(self.nodes.data[base]);
        Ok(())
    }

    /// Walks over a variable that is read.
    fn name(&mut self, i: usize) -> Result<(), Refused> {
        let variable = self.nodes.data[i] as usize;
        if self.is_outside(variable as u32) {
            self.held += 1;
            return Ok(());
        }
        if variable > self.f {
            let is_declared = variable != self.f + 1 && self.kind(variable) == Kind::Declare;
            return if is_declared { Ok(()) } else { Err(Refused) };
        }
        let [assignment] = self.assignments(variable as u32)[..] else { return Err(Refused) };
        let parent = self.parent[i].expect("a parent");
        let is_so_far = parent == assignment + 1 || self.parent[parent] == Some(assignment + 1);
        if is_so_far { Ok(()) } else { Err(Refused) }
    }

    /// Returns whether an int is an element of some bits.
    fn is_element(&self, i: usize, bits: u32) -> bool {
        let mut i = self.bare(i);
        if self.kind(i) == Kind::Name {
            let variable = self.nodes.data[i] as usize;
            if variable < self.f || self.kind(variable) != Kind::Declare || self.end[variable] == variable + 1 {
                return false;
            }
            i = self.bare(variable + 1);
        }
        let data = self.nodes.data[i];
        match self.kind(i) {
            Kind::LoadByte | Kind::NarrowByte => true,
            Kind::LoadShort | Kind::NarrowShort => bits == 16,
            Kind::Literal if bits == 8 => data < 256,
            Kind::Literal => i16::try_from(data as i32).is_ok(),
            Kind::Call if [ADD_BYTES, SUB_BYTES].contains(&data) => true,
            Kind::Call => bits == 16 && [ADD_SHORTS, SUB_SHORTS].contains(&data),
            _ => false,
        }
    }

    /// Walks over a value.
    fn value(&mut self, i: usize) -> Result<Value, Refused> {
        let kind = self.kind(i);
        let children = self.children(i);
        let is_float = self.nodes.ty[i] == Type::Float;
        let is_same = kind == Kind::Cast && self.nodes.ty[i + 1] == self.nodes.ty[i];
        let is_shift = matches!(kind, Kind::Shl | Kind::Shr | Kind::Ushr);
        let by_literal = is_shift && self.kind(self.bare(children[1])) == Kind::Literal;
        let is_extreme = self.is_extreme(i);
        let (mut need, mut any_nan) = (0, false);
        let mut add = |value: Value, waiting: usize| {
            need = need.max(value.need + waiting as u32);
            any_nan |= value.any_nan;
        };
        match kind {
            Kind::Load | Kind::LoadShort | Kind::LoadByte => self.access(i)?,
            Kind::Name => self.name(i)?,
            Kind::Literal => self.held += 1,
            Kind::Sequence => {
                let (last, statements) = children.split_last().ok_or(Refused)?;
                for &statement in statements {
                    let need = self.statement(statement)?;
                    add(Value { need, any_nan: false }, 0);
                }
                add(self.value(*last)?, 0);
            }
            Kind::Choose => {
                for (k, &child) in children.iter().enumerate().skip(is_extreme as usize) {
                    add(self.value(child)?, if is_extreme { k - 1 } else { k });
                }
            }
            Kind::Call => {
                let bits = match self.nodes.data[i] {
                    ADD_BYTES | SUB_BYTES => 8,
                    ADD_SHORTS | SUB_SHORTS => 16,
                    _ => return Err(Refused),
                };
                if children.iter().any(|&child| !self.is_element(child + 1, bits)) {
                    return Err(Refused);
                }
                self.elements.push(bits);
                for (k, &child) in children.iter().enumerate() {
                    add(self.value(child)?, k);
                }
            }
            _ if by_literal => add(self.value(children[0])?, 0),
            _ => {
                if !self.has_form(i) {
                    return Err(Refused);
                }
                for (k, &child) in children.iter().enumerate() {
                    add(self.value(child)?, if kind.has_two_operands() { k } else { 0 });
                }
            }
        }
        match kind {
            Kind::NarrowByte => self.elements.push(8),
            Kind::NarrowShort => self.elements.push(16),
            _ => {}
        }
        let is_ring = matches!(
            kind,
            Kind::Name
                | Kind::Literal
                | Kind::Ascribe
                | Kind::Arg
                | Kind::Call
                | Kind::Sequence
                | Kind::Load
                | Kind::LoadShort
                | Kind::LoadByte
                | Kind::Add
                | Kind::Sub
                | Kind::Mul
                | Kind::And
                | Kind::Or
                | Kind::Xor
                | Kind::Complement
                | Kind::Negate
                | Kind::NarrowByte
                | Kind::NarrowShort
        );
        self.is_wide |= is_float || !(is_ring || is_same || by_literal && kind == Kind::Shl);
        let observes = is_float && matches!(kind, Kind::Negate | Kind::Abs);
        self.replaces_nan |= observes && any_nan;
        let passes = is_same
            || matches!(kind, Kind::Ascribe | Kind::Arg | Kind::Sequence | Kind::Choose | Kind::Then | Kind::Otherwise);
        let is_new = is_float && matches!(kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Div | Kind::Sqrt);
        Ok(Value { need: need.max(1), any_nan: is_new || passes && any_nan })
    }

    /// Returns whether an operation has a form for vectors.
    fn has_form(&self, i: usize) -> bool {
        let is_float = self.nodes.ty[i] == Type::Float;
        match self.kind(i) {
            Kind::Shl | Kind::Shr | Kind::Ushr => self.cpu != Cpu::Baseline,
            Kind::Div => is_float,
            Kind::Add | Kind::Sub | Kind::Mul | Kind::And | Kind::Or | Kind::Xor => true,
            Kind::Eq | Kind::Ne | Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge | Kind::Land | Kind::Lor => true,
            Kind::Complement | Kind::Negate | Kind::Not | Kind::Abs | Kind::Sqrt | Kind::Cast => true,
            Kind::NarrowByte | Kind::NarrowShort => true,
            Kind::Ascribe | Kind::Arg | Kind::Test | Kind::Then | Kind::Otherwise => true,
            _ => false,
        }
    }
}
