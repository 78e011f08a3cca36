//! Barriers of blocks.

use super::block::{BARRIERS, BarrierState};
use super::grid::Failed;
use super::turn::{Next, Running, Turn, ones};
use super::warp::{Fragment, State, Warp};
use crate::code::{Action, Barrier, BarrierKind};
use crate::fault::FaultKind;

impl Turn<'_, '_> {
    /// Lets lanes arrive at a barrier, and wait unless they are the last.
    pub fn barrier(&mut self, barrier: &Barrier, lanes: u32, running: &mut Running) -> Result<Next, Failed> {
        let lane = lanes.trailing_zeros() as usize;
        let number = self.warp.registers.words[barrier.number as usize][lane];
        if number as usize >= BARRIERS {
            return Err(Box::new((FaultKind::Unknown(format!("barrier {number}")), lane)));
        }
        self.grid.counts.barriers += 1;
        let threads = barrier.threads.map(|slot| self.warp.registers.words[slot as usize][lane]);
        let at = running.fragment.at;
        let state = &mut self.block.barriers[number as usize];
        if state.arrived == 0 {
            *state = BarrierState { at, threads, ..BarrierState::default() };
        } else if state.at != at && threads.is_none() {
            // Without a number of threads, all of them must be at the same barrier of the program.
            let missing = self.block.threads - state.arrived;
            return Err(Box::new((FaultKind::PartialBarrier { arrived: state.arrived, missing }, lane)));
        }
        let agrees = barrier.predicate.map_or(0, |slot| self.warp.registers.predicates[slot as usize]);
        state.arrived += lanes.count_ones();
        state.agreed += (agrees & lanes).count_ones();
        if barrier.kind != BarrierKind::Arrive {
            let fragment = running.fragment;
            let passed = fragment.lanes & !lanes;
            if passed != 0 {
                self.warp.fragments.push(Fragment { at: at + 1, lanes: passed, ..fragment });
            }
            self.warp.fragments.push(Fragment { lanes, state: State::Barrier(number), ..fragment });
        }
        if state.arrived >= state.threads.unwrap_or(self.block.threads) {
            self.open(number);
            running.opened = true;
        } else {
            self.check_barriers(lane)?;
        }
        Ok(Next::Leave)
    }

    /// Lets all threads that wait at a barrier continue.
    fn open(&mut self, number: u32) {
        let state = std::mem::take(&mut self.block.barriers[number as usize]);
        self.grid.idle = 0;
        self.block.order_threads();
        if self.grid.machine.mode.is_weak() {
            self.grid.show_block(self.block);
            let warps = self.block.warps.iter().chain([&*self.warp]);
            let time = warps.map(|warp| warp.views.most(u32::MAX)).max().unwrap_or(0);
            let warps = self.block.warps.iter_mut().chain([&mut *self.warp]);
            warps.for_each(|warp| warp.views.raise(u32::MAX, time));
        }
        let code = self.grid.code;
        for warp in self.block.warps.iter_mut().chain([&mut *self.warp]) {
            while let Some(fragment) = warp.fragments.iter().find(|fragment| fragment.state == State::Barrier(number)) {
                let at = fragment.at;
                warp.merge(|fragment| fragment.at == at && fragment.state == State::Barrier(number));
                let merged =
                    warp.fragments.iter_mut().find(|fragment| fragment.at == at && fragment.state == State::Ready);
                let lanes = merged.map_or(0, |merged| {
                    merged.at += 1;
                    merged.lanes
                });
                if let Action::Barrier(barrier) = &code.steps[at as usize].action {
                    write(warp, barrier, lanes, &state);
                }
            }
        }
    }

    /// Finds a barrier at which all threads wait that have not ended, although others have ended.
    pub fn check_barriers(&mut self, lane: usize) -> Result<(), Failed> {
        if self.block.barriers.iter().all(|barrier| barrier.arrived == 0) {
            return Ok(());
        }
        let alive = self.block.alive() + self.warp.alive.count_ones();
        for barrier in &self.block.barriers {
            if barrier.arrived != 0
                && barrier.threads.is_none()
                && barrier.arrived == alive
                && alive < self.block.threads
            {
                let (arrived, missing) = (barrier.arrived, self.block.threads - alive);
                return Err(Box::new((FaultKind::PartialBarrier { arrived, missing }, lane % 32)));
            }
        }
        Ok(())
    }
}

/// Writes the result of a barrier to lanes.
fn write(warp: &mut Warp, barrier: &Barrier, lanes: u32, state: &BarrierState) {
    let result = match barrier.kind {
        BarrierKind::Count => state.agreed,
        BarrierKind::All => u32::from(state.agreed == state.arrived),
        BarrierKind::Any => u32::from(state.agreed != 0),
        BarrierKind::Wait | BarrierKind::Arrive => return,
    };
    if let Some((kind, slot)) = barrier.to {
        ones(lanes).for_each(|lane| warp.registers.set_lane(kind, slot, lane, result.into()));
    }
}
