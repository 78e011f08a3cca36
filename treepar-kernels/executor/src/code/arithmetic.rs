//! Instructions that one row of the table does not describe: several results, several steps, or operands of other widths.

use super::decode::{Decoder, window};
use super::frame::{Frame, kind_of};
use super::registers::Kind;
use super::step::{Action, Slot};
use super::table;
use crate::ptx::{Operand, Problem, Space, Special, Type};

impl<'t, 'a> Decoder<'t, 'a> {
    pub(super) fn mov(&mut self, frame: &Frame<'t, 'a>, name: &str, operands: &[Operand<'a>]) -> Result<(), Problem> {
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
    pub(super) fn compare(
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
    pub(super) fn convert(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
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
    pub(super) fn convert_address(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
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

    pub(super) fn is_space(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let space = name.split_once('.').and_then(|(_, space)| Space::named(space));
        let (Some(space), [to, from]) = (space, operands) else { return self.unknown(name) };
        let address = (Kind::Long, self.source(frame, from, Kind::Long)?);
        let to = self.target(frame, to, Kind::Predicate)?;
        self.emit(Action::IsSpace { to, address, space });
        Ok(())
    }

    /// Arithmetic with a carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc` and so on.
    pub(super) fn extended(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
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
}
