//! The turn of a warp: steps of one fragment until it waits.

use super::block::Block;
use super::grid::{Failed, Grid};
use super::order::Thread;
use super::warp::{Fragment, Join, NO_JOIN, State, Warp};
use crate::code::{
    Action, BarrierKind, END, Kind, LANES, LOCAL_WINDOW, Order, PARAM_WINDOW, SHARED_WINDOW, Scope, Step,
};
use crate::fault::{Fault, FaultKind};
use crate::ptx::Space;

/// A warp that runs, with its surroundings.
pub(super) struct Turn<'t, 'r> {
    pub grid: &'t mut Grid<'r>,
    pub block: &'t mut Block,
    pub warp: &'t mut Warp,
    /// The current step.
    pub step: u32,
}

/// The way to continue after a step.
pub(super) enum Next {
    Step,
    /// A fragment waits or has ended.
    Leave,
    /// The warp gives way to others.
    Yield,
}

impl Turn<'_, '_> {
    /// Runs until the turn ends. Returns `true` if a barrier opened, so that other warps may continue.
    pub fn run(&mut self) -> Result<bool, Fault> {
        let mut left = self.grid.machine.turn.max(1);
        let mut opened = false;
        while left > 0 {
            let Some(index) = self.choose() else {
                if self.warp.alive != 0 && self.warp.break_join() {
                    continue;
                }
                break;
            };
            let fragment = self.warp.fragments.swap_remove(index);
            let mut turn = Running { fragment, left, opened: false };
            let result = self.fragment(&mut turn);
            left = turn.left;
            opened |= turn.opened;
            let next = result.map_err(|failed| {
                let (kind, lane) = *failed;
                let site = self.grid.site(turn.fragment.at, self.block.linear, self.warp.index, lane as u32);
                Fault { kind, site: Some(Box::new(site)) }
            })?;
            if matches!(next, Next::Yield) {
                break;
            }
        }
        Ok(opened)
    }

    /// Chooses the latest fragment that can run, or any of them.
    fn choose(&mut self) -> Option<usize> {
        let fragments = &self.warp.fragments;
        if self.grid.machine.mode.independent_lanes && fragments.len() > 1 {
            let ready: Vec<usize> = (0..fragments.len()).filter(|&k| fragments[k].state == State::Ready).collect();
            return if ready.is_empty() { None } else { Some(ready[self.grid.random.below(ready.len())]) };
        }
        fragments.iter().rposition(|fragment| fragment.state == State::Ready)
    }

    /// Runs a fragment, which is not in the warp's list. It returns to the list if it can continue later.
    fn fragment(&mut self, running: &mut Running) -> Result<Next, Failed> {
        let independent = self.grid.machine.mode.independent_lanes;
        // Lanes of a diverged warp alternate after a few steps.
        let mut quantum = if independent && !self.warp.fragments.is_empty() {
            1 + self.grid.random.below(8) as u32
        } else {
            u32::MAX
        };
        let code = self.grid.code;
        loop {
            let fragment = &mut running.fragment;
            if fragment.at == self.warp.join_step(fragment.join) {
                self.warp.arrive(fragment.join, fragment.lanes);
                return Ok(Next::Leave);
            }
            if running.left == 0 || quantum == 0 {
                let first = if quantum == 0 { self.warp.fragments.len() } else { 0 };
                self.warp.fragments.insert(first, *fragment);
                return Ok(Next::Leave);
            }
            let step = &code.steps[fragment.at as usize];
            if step.run > 0 {
                let steps = step.run.min(running.left).min(quantum);
                self.compute(&code.steps[fragment.at as usize..][..steps as usize], fragment.lanes);
                fragment.at += steps;
                running.left -= steps;
                quantum -= steps;
                continue;
            }
            running.left -= 1;
            quantum -= 1;
            self.step = fragment.at;
            let lanes = match step.guard {
                None => fragment.lanes,
                Some(guard) => fragment.lanes & guard.lanes(&self.warp.registers),
            };
            self.tally(1, u64::from(lanes.count_ones()));
            match self.act(step, lanes, running)? {
                Next::Step => {}
                next => return Ok(next),
            }
        }
    }

    /// Runs steps that only compute.
    fn compute(&mut self, steps: &[Step], all: u32) {
        let registers = &mut self.warp.registers;
        let mut guarded = 0;
        let mut threads = 0;
        for step in steps {
            let Action::Compute { row, to, from } = &step.action else { continue };
            let mut lanes = all;
            if let Some(guard) = step.guard {
                lanes &= guard.lanes(registers);
                guarded += 1;
                threads += u64::from(lanes.count_ones());
            }
            (row.run)(registers, *to, from, lanes);
        }
        let steps = steps.len() as u64;
        self.tally(steps, threads + (steps - guarded) * u64::from(all.count_ones()));
    }

    /// Counts instructions of the warp, and of its threads.
    fn tally(&mut self, warp: u64, threads: u64) {
        self.grid.idle += warp;
        self.grid.counts.warp_instructions += warp;
        self.grid.counts.thread_instructions += threads;
    }

    fn act(&mut self, step: &Step, lanes: u32, running: &mut Running) -> Result<Next, Failed> {
        match &step.action {
            Action::Branch(branch) => return Ok(self.branch(&[(branch.target, lanes)], branch.join, running)),
            Action::IndexedBranch { index, targets, join } => {
                let mut sides: Vec<(u32, u32)> = Vec::new();
                for lane in ones(lanes) {
                    let index = self.warp.registers.words[*index as usize][lane] as usize;
                    let Some(&target) = targets.get(index) else {
                        return Err(Box::new((FaultKind::Unknown(format!("branch to target {index}")), lane)));
                    };
                    match sides.iter_mut().find(|(other, _)| *other == target) {
                        Some((_, lanes)) => *lanes |= 1 << lane,
                        None => sides.push((target, 1 << lane)),
                    }
                }
                return Ok(self.branch(&sides, *join, running));
            }
            Action::Exit => return self.exit(lanes, running),
            _ if lanes == 0 => {}
            Action::Load(transfer) => self.load(transfer, lanes)?,
            Action::Store(transfer) => self.store(transfer, lanes)?,
            Action::Atomic(atomic) => self.atomic(atomic, lanes)?,
            Action::Barrier(barrier) => {
                let wait = self.barrier(barrier, lanes, running)?;
                if barrier.kind != BarrierKind::Arrive {
                    return Ok(wait);
                }
            }
            Action::Exchange(exchange) => return self.exchange(exchange, lanes, running),
            Action::ActiveLanes { to } => {
                for lane in ones(lanes) {
                    self.warp.registers.words[*to as usize][lane] = lanes;
                }
            }
            Action::Clock { to, kind, high } => {
                let clock = self.grid.counts.warp_instructions;
                let clock = if *high { clock >> 32 } else { clock };
                ones(lanes).for_each(|lane| self.warp.registers.set_lane(*kind, *to, lane, clock));
            }
            Action::IsSpace { to, address, space } => {
                for lane in ones(lanes) {
                    let address = self.warp.registers.lane(address.0, address.1, lane);
                    let inside = u64::from(place_of(Space::Generic, address).0 == *space);
                    self.warp.registers.set_lane(Kind::Predicate, *to, lane, inside);
                }
            }
            Action::Fence { order, scope } => {
                self.grid.counts.fences += 1;
                if self.grid.machine.mode.is_weak() {
                    ones(lanes).for_each(|lane| self.order(*order, *scope, lane));
                }
            }
            Action::Pause => {
                self.grid.counts.pauses += 1;
                running.fragment.at += 1;
                // Other fragments of the warp come first: the memory that this one polls may be theirs.
                self.warp.fragments.insert(0, running.fragment);
                return Ok(Next::Yield);
            }
            Action::Trap => return Err(Box::new((FaultKind::Trap, lanes.trailing_zeros() as usize))),
            // It begins a run of such steps.
            Action::Compute { .. } => {}
        }
        running.fragment.at += 1;
        Ok(Next::Step)
    }

    /// Moves lanes to the targets of a branch. The other lanes of the fragment continue with the next step.
    fn branch(&mut self, sides: &[(u32, u32)], join: u32, running: &mut Running) -> Next {
        self.grid.counts.branches += 1;
        let fragment = &mut running.fragment;
        let taken = sides.iter().fold(0, |all, (_, lanes)| all | lanes);
        let rest = (fragment.at + 1, fragment.lanes & !taken);
        let mut all = sides.iter().copied().chain([rest]).filter(|&(_, lanes)| lanes != 0);
        let (Some(first), Some(second)) = (all.next(), all.next()) else {
            if let Some(&(target, lanes)) = sides.iter().find(|&&(_, lanes)| lanes != 0) {
                debug_assert_eq!(lanes, fragment.lanes);
                fragment.at = target;
            } else {
                fragment.at += 1;
            }
            return Next::Step;
        };
        self.grid.counts.divergent_branches += 1;
        if !self.grid.machine.mode.independent_lanes && join != END && self.warp.join_step(fragment.join) != join {
            self.warp.joins.push(Join { at: join, expected: fragment.lanes, arrived: 0, parent: fragment.join });
            fragment.join = self.warp.joins.len() as u32 - 1;
        }
        let join = fragment.join;
        let waits = self.warp.join_step(join);
        for (at, lanes) in [first, second].into_iter().chain(all) {
            if at == waits {
                self.warp.joins[join as usize].arrived |= lanes;
            } else {
                self.warp.fragments.push(Fragment { at, lanes, join, state: State::Ready });
            }
        }
        if join != NO_JOIN {
            self.warp.release(join);
        }
        Next::Leave
    }

    /// Orders the accesses of a lane before and after a fence.
    pub fn order(&mut self, order: Order, scope: Scope, lane: usize) {
        let thread = self.thread(lane);
        if order.releases() {
            self.grid.release(self.block, thread, scope == Scope::Device);
        }
        if order.acquires() {
            self.grid.acquire(self.warp, lane);
        }
    }

    pub fn thread(&self, lane: usize) -> Thread {
        Thread { block: self.block.linear, warp: self.warp.index, lane }
    }

    fn exit(&mut self, lanes: u32, running: &mut Running) -> Result<Next, Failed> {
        let fragment = &mut running.fragment;
        self.warp.end(fragment.join, lanes);
        fragment.lanes &= !lanes;
        fragment.at += 1;
        self.release_lanes();
        self.check_barriers(lanes.trailing_zeros() as usize)?;
        Ok(if fragment.lanes == 0 { Next::Leave } else { Next::Step })
    }
}

/// The fragment that runs, which is not in the list of its warp.
pub(super) struct Running {
    pub fragment: Fragment,
    /// The steps left in this turn.
    pub left: u32,
    /// `true` if a barrier opened.
    pub opened: bool,
}

/// Returns the lanes of a mask.
pub(super) fn ones(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Returns the space of an access, and the address in this space.
#[inline]
pub(super) fn place_of(space: Space, address: u64) -> (Space, u64) {
    if space == Space::Generic { window_of(address) } else { (space, address) }
}

/// Returns the space of a generic address, and the address in this space.
#[inline]
fn window_of(address: u64) -> (Space, u64) {
    match address {
        0..SHARED_WINDOW => (Space::Global, address),
        SHARED_WINDOW..LOCAL_WINDOW => (Space::Shared, address - SHARED_WINDOW),
        LOCAL_WINDOW..PARAM_WINDOW => (Space::Local, address - LOCAL_WINDOW),
        PARAM_WINDOW..0x4_0000_0000 => (Space::Param, address - PARAM_WINDOW),
        _ => (Space::Global, address),
    }
}
