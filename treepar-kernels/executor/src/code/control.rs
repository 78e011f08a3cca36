//! Branches, and calls, which are inlined.

use super::decode::Decoder;
use super::frame::{Frame, definition};
use super::registers::Kind;
use super::step::{Action, Branch, Guard};
use crate::ptx::{Operand, Problem};
use std::collections::HashMap;

impl<'t, 'a> Decoder<'t, 'a> {
    pub(super) fn label(&self, frame: &Frame<'t, 'a>, name: &str) -> Result<u32, Problem> {
        frame.labels.get(name).copied().ok_or_else(|| (self.line, format!("no label `{name}` is defined")))
    }

    pub(super) fn branch(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let ("bra" | "bra.uni", [Operand::Symbol(label, 0)]) = (name, operands) else { return self.unknown(name) };
        let target = self.label(frame, label)?;
        self.emit(Action::Branch(Branch { target, join: 0 }));
        Ok(())
    }

    pub(super) fn indexed_branch(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
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
    pub(super) fn call(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
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
        // Operands may have added registers, so the callee's registers begin later.
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
}
