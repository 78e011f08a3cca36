//! Operations of the lanes that a mask names.

use super::grid::Failed;
use super::turn::{Next, Running, Turn, ones};
use super::warp::{Fragment, State};
use crate::code::{Exchange, ExchangeKind, Kind, LANES, bits, each_lane};
use crate::fault::FaultKind;
use crate::machine::atomic::apply;

impl Turn<'_, '_> {
    /// Runs an operation if all lanes of its mask are here. Otherwise they wait for each other.
    pub fn exchange(&mut self, exchange: &Exchange, lanes: u32, running: &mut Running) -> Result<Next, Failed> {
        let masks = self.warp.registers.words[exchange.mask as usize];
        let first = masks[lanes.trailing_zeros() as usize];
        let same = ones(lanes).all(|lane| masks[lane] == first);
        if same && first & self.warp.alive == running.fragment.lanes && lanes == running.fragment.lanes {
            self.together(exchange, lanes);
            running.fragment.at += 1;
            return Ok(Next::Step);
        }
        for lane in ones(lanes) {
            if masks[lane] >> lane & 1 == 0 {
                let ended = self.warp.threads & !self.warp.alive;
                return Err(Box::new((FaultKind::BadMask { mask: masks[lane], lanes, ended }, lane)));
            }
        }
        // Lanes whose guard is false do not take part, and lanes with different masks wait for different lanes.
        let fragment = running.fragment;
        let passed = fragment.lanes & !lanes;
        if passed != 0 {
            self.warp.fragments.push(Fragment { at: fragment.at + 1, lanes: passed, ..fragment });
        }
        let mut rest = lanes;
        while rest != 0 {
            let mask = masks[rest.trailing_zeros() as usize];
            let group = ones(rest).filter(|&lane| masks[lane] == mask).fold(0, |group, lane| group | 1 << lane);
            self.warp.fragments.push(Fragment { lanes: group, state: State::Lanes(mask), ..fragment });
            rest &= !group;
        }
        self.release_lanes();
        Ok(Next::Leave)
    }

    /// Runs each operation for which all lanes wait.
    pub fn release_lanes(&mut self) {
        while let Some((at, mask)) = self.complete() {
            let needed = mask & self.warp.alive;
            let is_part = |fragment: &Fragment| fragment.at == at && fragment.state == State::Lanes(mask);
            self.warp.merge(is_part);
            let code = self.grid.code;
            if let crate::code::Action::Exchange(exchange) = &code.steps[at as usize].action {
                self.together(exchange, needed);
            }
            let merged = self.warp.fragments.iter_mut().find(|fragment| fragment.at == at && fragment.lanes == needed);
            if let Some(fragment) = merged {
                fragment.at += 1;
            }
        }
    }

    /// Returns the step and the mask of an operation for which all lanes wait.
    fn complete(&self) -> Option<(u32, u32)> {
        let waiting = |fragment: &&Fragment| matches!(fragment.state, State::Lanes(_));
        self.warp.fragments.iter().filter(waiting).find_map(|fragment| {
            let State::Lanes(mask) = fragment.state else { return None };
            let same =
                self.warp.fragments.iter().filter(|other| other.at == fragment.at && other.state == fragment.state);
            let here = same.fold(0, |lanes, other| lanes | other.lanes);
            (here == mask & self.warp.alive).then_some((fragment.at, mask))
        })
    }

    /// Orders the accesses of lanes before and after `bar.warp.sync`, the only operation of lanes that does.
    fn order_memory(&mut self, lanes: u32) {
        self.order_lanes(lanes);
        if self.grid.machine.mode.is_weak() {
            self.grid.show_lanes(self.block, self.warp.index, lanes);
            self.warp.views.combine(lanes);
        }
    }

    /// Runs an operation of lanes that are all here.
    fn together(&mut self, exchange: &Exchange, lanes: u32) {
        if exchange.kind == ExchangeKind::Barrier {
            return self.order_memory(lanes);
        }
        let registers = &mut self.warp.registers;
        let values = match exchange.value {
            Some((kind, slot)) => registers.wide(kind, slot),
            None => [0; LANES],
        };
        let ballot = || ones(lanes).filter(|&lane| values[lane] != 0).fold(0u32, |bits, lane| bits | 1 << lane);
        let equal =
            |value: u64| ones(lanes).filter(|&lane| values[lane] == value).fold(0u32, |bits, lane| bits | 1 << lane);
        let leader = lanes.trailing_zeros() as usize % LANES;
        let mut results = [0u64; LANES];
        let mut predicate = 0u32;
        match exchange.kind {
            ExchangeKind::Barrier => {}
            ExchangeKind::Ballot => results = [ballot().into(); LANES],
            ExchangeKind::VoteAll => results = [u64::from(ballot() == lanes); LANES],
            ExchangeKind::VoteAny => results = [u64::from(ballot() != 0); LANES],
            ExchangeKind::VoteUniform => {
                let ballot = ballot();
                results = [u64::from(ballot == lanes || ballot == 0); LANES];
            }
            ExchangeKind::MatchAny => ones(lanes).for_each(|lane| results[lane] = equal(values[lane]).into()),
            ExchangeKind::MatchAll => {
                let all = equal(values[leader]) == lanes;
                results = [if all { lanes.into() } else { 0 }; LANES];
                predicate = if all { u32::MAX } else { 0 };
            }
            ExchangeKind::Elect => {
                results = [leader as u64; LANES];
                predicate = 1 << leader;
            }
            ExchangeKind::Reduce(operation, ty) => {
                let all = ones(lanes).map(|lane| values[lane]);
                results = [all.reduce(|a, b| apply(operation, ty, a, b, None)).unwrap_or(0); LANES];
            }
            ExchangeKind::ShuffleIndex
            | ExchangeKind::ShuffleUp
            | ExchangeKind::ShuffleDown
            | ExchangeKind::ShuffleButterfly => {
                let lanes = &registers.words[exchange.lane as usize];
                let (sources, inside) = sources(exchange.kind, lanes, &registers.words[exchange.clamp as usize]);
                results = each_lane(|lane| values[sources[lane] as usize % LANES]);
                predicate = inside;
            }
        }
        if let Some((kind, slot)) = exchange.to {
            match kind {
                Kind::Word => {
                    let column = &mut registers.words[slot as usize];
                    for lane in 0..LANES {
                        column[lane] = if lanes & 1 << lane != 0 { results[lane] as u32 } else { column[lane] };
                    }
                }
                _ => ones(lanes).for_each(|lane| registers.set_lane(kind, slot, lane, results[lane])),
            }
        }
        if let Some(slot) = exchange.predicate {
            let bits = &mut registers.predicates[slot as usize];
            *bits = *bits & !lanes | predicate & lanes;
        }
    }
}

/// The operands of a shuffle in one lane.
struct Shuffle {
    lane: u32,
    operand: u32,
    /// The bits of a lane's number that are the same in its segment.
    segment: u32,
    /// The last lane that may be read, or the first one of a shuffle up.
    limit: u32,
}

/// Returns the lane that each lane of a shuffle reads, and the lanes for which it is in their segment. The others read themselves.
fn sources(kind: ExchangeKind, operands: &[u32; LANES], clamps: &[u32; LANES]) -> ([u32; LANES], u32) {
    match kind {
        ExchangeKind::ShuffleUp => each_source(operands, clamps, |s| {
            (s.lane.wrapping_sub(s.operand), s.lane as i32 - s.operand as i32 >= s.limit as i32)
        }),
        ExchangeKind::ShuffleDown => {
            each_source(operands, clamps, |s| (s.lane + s.operand, s.lane + s.operand <= s.limit))
        }
        ExchangeKind::ShuffleButterfly => {
            each_source(operands, clamps, |s| (s.lane ^ s.operand, s.lane ^ s.operand <= s.limit))
        }
        _ => each_source(operands, clamps, |s| {
            let source = s.lane & s.segment | s.operand & !s.segment;
            (source, source <= s.limit)
        }),
    }
}

/// Evaluates a function of one lane for all, in loops without branches.
#[inline(always)]
fn each_source(
    operands: &[u32; LANES],
    clamps: &[u32; LANES],
    of: impl Fn(Shuffle) -> (u32, bool),
) -> ([u32; LANES], u32) {
    let of = |lane: usize| {
        let (segment, clamp) = (clamps[lane] >> 8 & 31, clamps[lane] & 31);
        let limit = lane as u32 & segment | clamp & !segment;
        of(Shuffle { lane: lane as u32, operand: operands[lane] & 31, segment, limit })
    };
    let sources = each_lane(|lane| {
        let (source, inside) = of(lane);
        if inside { source & 31 } else { lane as u32 }
    });
    (sources, bits(&each_lane(|lane| of(lane).1)))
}

#[cfg(test)]
mod tests {
    use super::sources;
    use crate::code::ExchangeKind::{ShuffleButterfly, ShuffleDown, ShuffleIndex, ShuffleUp};
    use crate::code::LANES;

    #[test]
    fn lanes_of_shuffles() {
        for (kind, lane, operand, clamp, expected) in [
            (ShuffleIndex, 7, 3, 31, (3, true)),
            (ShuffleIndex, 7, 35, 31, (3, true)),
            (ShuffleIndex, 13, 9, 0x181f, (9, true)),
            (ShuffleIndex, 13, 1, 0x181f, (9, true)),
            (ShuffleUp, 3, 4, 0, (3, false)),
            (ShuffleUp, 4, 4, 0, (0, true)),
            (ShuffleUp, 9, 2, 0x1800, (9, false)),
            (ShuffleDown, 30, 2, 31, (30, false)),
            (ShuffleDown, 29, 2, 31, (31, true)),
            (ShuffleDown, 6, 2, 0x181f, (6, false)),
            (ShuffleButterfly, 5, 1, 31, (4, true)),
            (ShuffleButterfly, 7, 8, 0x1807, (7, false)),
        ] {
            let (sources, inside) = sources(kind, &[operand; LANES], &[clamp; LANES]);
            assert_eq!((sources[lane], inside >> lane & 1 == 1), expected, "{kind:?} {lane} {operand} {clamp:#x}");
        }
    }
}
