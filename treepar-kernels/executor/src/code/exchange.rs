//! Barriers, and operations among the lanes of a warp.

use super::decode::Decoder;
use super::frame::{Frame, kind_of};
use super::registers::Kind;
use super::step::{Action, AtomicOperation, Barrier, BarrierKind, Exchange, ExchangeKind};
use super::transfer::operation;
use crate::ptx::{Operand, Problem, Type};

impl<'t, 'a> Decoder<'t, 'a> {
    pub(super) fn exchange(
        &mut self,
        frame: &Frame<'t, 'a>,
        root: &str,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let parts: Vec<&str> = name.split('.').skip(1).collect();
        match (root, &parts[..]) {
            ("bar", ["warp", "sync"]) => {
                let [mask] = operands else { return self.fail("one operand is expected") };
                self.lanes(frame, ExchangeKind::Barrier, [None, None], None, mask)
            }
            ("bar" | "barrier", parts) => self.barrier(frame, name, parts, operands),
            ("shfl", ["sync", mode, "b32"]) => self.shuffle(frame, name, mode, operands),
            ("vote", ["sync", mode, ty @ ("b32" | "pred")]) => {
                let (kind, result) = match (*mode, *ty) {
                    ("ballot", "b32") => (ExchangeKind::Ballot, Kind::Word),
                    ("all", "pred") => (ExchangeKind::VoteAll, Kind::Predicate),
                    ("any", "pred") => (ExchangeKind::VoteAny, Kind::Predicate),
                    ("uni", "pred") => (ExchangeKind::VoteUniform, Kind::Predicate),
                    _ => return self.unknown(name),
                };
                let [to, value, mask] = operands else { return self.fail("three operands are expected") };
                let value = (Kind::Predicate, self.source(frame, value, Kind::Predicate)?);
                self.lanes(frame, kind, [Some((to, result)), None], Some(value), mask)
            }
            ("match", [mode @ ("any" | "all"), "sync", ty @ ("b32" | "b64")]) => {
                let kind = if *mode == "any" { ExchangeKind::MatchAny } else { ExchangeKind::MatchAll };
                let [to, value, mask] = operands else { return self.fail("three operands are expected") };
                let value_kind = if *ty == "b32" { Kind::Word } else { Kind::Long };
                let value = (value_kind, self.source(frame, value, value_kind)?);
                self.paired(frame, kind, to, Some(value), mask)
            }
            ("redux", ["sync", operator, ty]) => {
                let (operator, ty) = match (operation(operator), Type::named(ty)) {
                    (Some(operator), Some(ty)) if kind_of(ty) == Kind::Word && ty.bytes() == 4 && !ty.is_float() => {
                        (operator, ty)
                    }
                    _ => return self.unknown(name),
                };
                let logic = matches!(operator, AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor);
                let sum = matches!(operator, AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max);
                if !(logic && ty == Type::B32 || sum && ty != Type::B32) {
                    return self.unknown(name);
                }
                let [to, value, mask] = operands else { return self.fail("three operands are expected") };
                let value = (Kind::Word, self.source(frame, value, Kind::Word)?);
                self.lanes(frame, ExchangeKind::Reduce(operator, ty), [Some((to, Kind::Word)), None], Some(value), mask)
            }
            ("elect", ["sync"]) => {
                let [to, mask] = operands else { return self.fail("two operands are expected") };
                self.paired(frame, ExchangeKind::Elect, to, None, mask)
            }
            ("activemask", ["b32"]) => {
                let [to] = operands else { return self.fail("one operand is expected") };
                let to = self.target(frame, to, Kind::Word)?;
                self.emit(Action::ActiveLanes { to });
                Ok(())
            }
            _ => self.unknown(name),
        }
    }

    /// Decodes an operation whose destination may be `d|p`.
    fn paired(
        &mut self,
        frame: &Frame<'t, 'a>,
        kind: ExchangeKind,
        to: &Operand<'a>,
        value: Option<(Kind, u32)>,
        mask: &Operand<'a>,
    ) -> Result<(), Problem> {
        let [first, second] = halves(to);
        let to = [first.as_ref().map(|to| (to, Kind::Word)), second.as_ref().map(|to| (to, Kind::Predicate))];
        self.lanes(frame, kind, to, value, mask)
    }

    fn lanes(
        &mut self,
        frame: &Frame<'t, 'a>,
        kind: ExchangeKind,
        to: [Option<(&Operand<'a>, Kind)>; 2],
        value: Option<(Kind, u32)>,
        mask: &Operand<'a>,
    ) -> Result<(), Problem> {
        let mask = self.source(frame, mask, Kind::Word)?;
        let mut slots = [None; 2];
        for (slot, to) in slots.iter_mut().zip(to) {
            if let Some((operand, kind)) = to {
                *slot = Some((kind, self.target(frame, operand, kind)?));
            }
        }
        let zero = self.constant(Kind::Word, 0);
        let predicate = slots[1].map(|(_, slot)| slot);
        let exchange = Exchange { kind, mask, to: slots[0], predicate, value, lane: zero, clamp: zero };
        self.emit(Action::Exchange(Box::new(exchange)));
        Ok(())
    }

    fn shuffle(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        mode: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let kind = match mode {
            "idx" => ExchangeKind::ShuffleIndex,
            "up" => ExchangeKind::ShuffleUp,
            "down" => ExchangeKind::ShuffleDown,
            "bfly" => ExchangeKind::ShuffleButterfly,
            _ => return self.unknown(name),
        };
        let [to, value, lane, clamp, mask] = operands else { return self.fail("five operands are expected") };
        let [first, second] = halves(to);
        let value = Some((Kind::Word, self.source(frame, value, Kind::Word)?));
        let lane = self.source(frame, lane, Kind::Word)?;
        let clamp = self.source(frame, clamp, Kind::Word)?;
        let mask = self.source(frame, mask, Kind::Word)?;
        let to = first.map(|to| self.target(frame, &to, Kind::Word)).transpose()?.map(|slot| (Kind::Word, slot));
        let predicate = second.map(|to| self.target(frame, &to, Kind::Predicate)).transpose()?;
        self.emit(Action::Exchange(Box::new(Exchange { kind, mask, to, predicate, value, lane, clamp })));
        Ok(())
    }

    fn barrier(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        parts: &[&str],
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !matches!(*part, "cta" | "aligned")).collect();
        let (kind, result) = match parts[..] {
            ["sync"] => (BarrierKind::Wait, None),
            ["arrive"] => (BarrierKind::Arrive, None),
            ["red", "popc", "u32"] => (BarrierKind::Count, Some(Kind::Word)),
            ["red", "and", "pred"] => (BarrierKind::All, Some(Kind::Predicate)),
            ["red", "or", "pred"] => (BarrierKind::Any, Some(Kind::Predicate)),
            _ => return self.unknown(name),
        };
        let (to, rest) = match (result, operands) {
            (Some(kind), [to, rest @ ..]) => (Some((kind, self.target(frame, to, kind)?)), rest),
            (None, rest) => (None, rest),
            _ => return self.fail("operands are missing"),
        };
        let (rest, predicate) = match (result, rest) {
            (Some(_), [rest @ .., predicate]) => (rest, Some(self.source(frame, predicate, Kind::Predicate)?)),
            (None, rest) => (rest, None),
            _ => return self.fail("operands are missing"),
        };
        let (number, threads) = match rest {
            [number] if kind != BarrierKind::Arrive => (number, None),
            [number, threads] => (number, Some(self.source(frame, threads, Kind::Word)?)),
            _ => return self.fail("the number of operands is wrong"),
        };
        let number = self.source(frame, number, Kind::Word)?;
        self.emit(Action::Barrier(Box::new(Barrier { kind, number, threads, to, predicate })));
        Ok(())
    }
}

/// Returns both parts of a destination `d|p`.
fn halves<'a>(to: &Operand<'a>) -> [Option<Operand<'a>>; 2] {
    match to {
        Operand::Pair(first, second) => [first.map(Operand::Register), second.map(Operand::Register)],
        Operand::Sink => [None, None],
        one => [Some(one.clone()), None],
    }
}
