//! A launch: which blocks run, and which warp continues.

use super::block::{BARRIERS, BarrierState, Block, Shared};
use super::order::{Log, Waiting as WaitingStores};
use super::races::Shadow;
use super::random::Random;
use super::turn::Turn;
use super::warp::{State, Warp};
use super::{Counts, Launch, Machine};
use crate::code::{Code, Initial, LANES};
use crate::fault::{Fault, FaultKind, Site, Waiting};
use crate::memory::{Memory, Written};
use crate::ptx::Special;

/// Greatest number of threads of a block.
const MAX_THREADS: u64 = 1024;
/// Greatest shared memory of a block.
const MAX_SHARED: usize = 227 << 10;

/// A launch that runs.
pub(super) struct Grid<'r> {
    pub machine: &'r Machine,
    pub launch: Launch<'r>,
    pub code: &'r Code,
    /// The addresses of the module's variables.
    variables: &'r [u64],
    pub memory: &'r mut Memory,
    pub parameters: Vec<u8>,
    pub counts: Counts,
    pub random: Random,
    pub log: Log,
    /// Instructions since the last effect on memory.
    pub idle: u64,
    blocks: Vec<Option<Box<Block>>>,
    begun: u32,
    /// Warps that can continue: the index of the running block, and of the warp in it.
    ready: Vec<(u32, u32)>,
    /// Warps of blocks that have ended, to be used again.
    spare: Vec<Warp>,
}

/// A fault in a lane.
pub(super) type Failed = Box<(FaultKind, usize)>;

impl<'r> Grid<'r> {
    pub fn new(machine: &'r Machine, memory: &'r mut Memory, launch: Launch<'r>) -> Result<Grid<'r>, Fault> {
        check(&launch).map_err(|problem| Fault::host(FaultKind::BadLaunch(problem)))?;
        let (code, variables) = (launch.entry.code(), launch.entry.variables());
        let blocks: u32 = launch.grid.iter().product();
        let resident = (machine.multiprocessors.max(1) * machine.resident_blocks.max(1)).min(blocks);
        Ok(Grid {
            machine,
            launch,
            code,
            variables,
            memory,
            parameters: launch.arguments.to_vec(),
            counts: Counts::default(),
            random: Random::new(machine.seed),
            log: Log::default(),
            idle: 0,
            blocks: (0..resident).map(|_| None).collect(),
            begun: 0,
            ready: Vec::new(),
            spare: Vec::new(),
        })
    }

    pub fn run(mut self) -> Result<Counts, Fault> {
        for slot in 0..self.blocks.len() {
            self.begin_block(slot);
        }
        while let Some(choice) = self.choose() {
            let (slot, warp) = self.ready[choice];
            self.turn(slot as usize, warp as usize, choice)?;
            if self.idle > self.machine.patience {
                return Err(self.deadlock());
            }
            if self.counts.warp_instructions > self.machine.limit {
                return Err(Fault::host(FaultKind::TooLong(self.machine.limit)));
            }
        }
        self.deliver_all();
        if self.blocks.iter().all(Option::is_none) { Ok(self.counts) } else { Err(self.deadlock()) }
    }

    fn choose(&mut self) -> Option<usize> {
        (!self.ready.is_empty()).then(|| self.random.below(self.ready.len()))
    }

    /// Lets a warp run until it waits or its turn ends.
    fn turn(&mut self, slot: usize, index: usize, choice: usize) -> Result<(), Fault> {
        let Some(mut block) = self.blocks[slot].take() else { return Ok(()) };
        if self.machine.mode.late_stores {
            self.deliver_some(&mut block);
        }
        let mut warp = std::mem::take(&mut block.warps[index]);
        let result = Turn { grid: self, block: &mut block, warp: &mut warp, step: 0 }.run();
        let (has_ready, alive) = (warp.has_ready(), warp.alive != 0);
        block.warps[index] = warp;
        let opened = result?;
        if !has_ready {
            self.ready.swap_remove(choice);
        }
        if opened {
            // Warps that waited at a barrier continue. Warps that did not wait are in the list already.
            for other in 0..block.warps.len() {
                let entry = (slot as u32, other as u32);
                if block.warps[other].has_ready() && !self.ready.contains(&entry) {
                    self.ready.push(entry);
                }
            }
        }
        if alive || block.alive() > 0 {
            self.blocks[slot] = Some(block);
        } else {
            self.idle = 0;
            self.orphan(&mut block);
            self.spare.append(&mut block.warps);
            self.begin_block(slot);
        }
        Ok(())
    }

    /// Begins the next block, if there is one.
    fn begin_block(&mut self, slot: usize) {
        let grid = self.launch.grid;
        let linear = self.begun;
        if linear >= grid.iter().product() {
            return;
        }
        self.begun += 1;
        let index = [linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]];
        let threads: u32 = self.launch.block.iter().product();
        let multiprocessor = slot as u32 % self.machine.multiprocessors.max(1);
        let bytes = self.shared_bytes();
        let shared = Shared { bytes: vec![0; bytes], written: Written::new(bytes) };
        let mut block = Box::new(Block {
            linear,
            index,
            multiprocessor,
            threads,
            warps: Vec::new(),
            shared,
            barriers: [BarrierState::default(); BARRIERS],
            shadow: Shadow::new(if self.machine.mode.races { bytes } else { 0 }),
            waiting: WaitingStores::default(),
        });
        for warp_index in 0..threads.div_ceil(LANES as u32) {
            let mut warp = self.spare.pop().unwrap_or_default();
            warp.index = warp_index;
            warp.threads = Block::lanes_of(threads, warp_index);
            warp.reset(self.code, &|initial, lane| self.initial(&block, warp_index, initial, lane));
            block.warps.push(warp);
            self.ready.push((slot as u32, warp_index));
        }
        self.blocks[slot] = Some(block);
    }

    fn shared_bytes(&self) -> usize {
        match self.launch.shared {
            0 => self.code.shared_bytes,
            dynamic => self.code.dynamic_shared + dynamic as usize,
        }
    }

    /// Returns the value of a register when a warp begins.
    fn initial(&self, block: &Block, warp: u32, initial: Initial, lane: usize) -> u64 {
        let threads = self.launch.block;
        let thread = warp * LANES as u32 + lane as u32;
        let bit = 1u32 << lane;
        let special = match initial {
            Initial::Constant(value) => return value,
            Initial::Variable(index, offset) => {
                return self.variables.get(index).copied().unwrap_or(0).wrapping_add(offset);
            }
            Initial::DynamicShared(offset) => return (self.code.dynamic_shared as u64).wrapping_add(offset),
            Initial::Special(special) => special,
        };
        u64::from(match special {
            Special::Thread(0) => thread % threads[0],
            Special::Thread(1) => thread / threads[0] % threads[1],
            Special::Thread(_) => thread / threads[0] / threads[1],
            Special::Threads(axis) => threads[axis],
            Special::Block(axis) => block.index[axis],
            Special::Blocks(axis) => self.launch.grid[axis],
            Special::Lane => lane as u32,
            Special::Warp => warp,
            Special::Warps => (MAX_THREADS / LANES as u64) as u32,
            Special::Multiprocessor => block.multiprocessor,
            Special::Multiprocessors => self.machine.multiprocessors,
            Special::LanesEqual => bit,
            Special::LanesLess => bit - 1,
            Special::LanesLessOrEqual => bit | (bit - 1),
            Special::LanesGreater => !(bit | (bit - 1)),
            Special::LanesGreaterOrEqual => !(bit - 1),
            Special::DynamicShared => self.launch.shared,
            Special::TotalShared => self.shared_bytes() as u32,
            Special::Grid | Special::Clock | Special::ClockHigh | Special::Clock64 => 0,
        })
    }

    /// Returns the site of a step in a lane.
    pub fn site(&self, at: u32, block: u32, warp: u32, lane: u32) -> Site {
        let entry = self.launch.entry;
        let line = self.code.steps.get(at as usize).map_or(0, |step| step.line);
        Site {
            entry: entry.name().to_string(),
            line,
            instruction: entry.line(line).to_string(),
            block,
            thread: warp * LANES as u32 + lane,
        }
    }

    fn deadlock(&self) -> Fault {
        let mut waiting = Vec::new();
        for block in self.blocks.iter().flatten() {
            for warp in &block.warps {
                let fragments = warp.fragments.iter().map(|fragment| {
                    let reason = match fragment.state {
                        State::Ready => "memory",
                        State::Barrier(_) => "barrier",
                        State::Lanes(_) => "lanes",
                    };
                    (fragment.at, fragment.lanes, reason)
                });
                let joins =
                    warp.joins.iter().filter(|join| join.arrived != 0).map(|join| (join.at, join.arrived, "lanes"));
                waiting.extend(fragments.chain(joins).map(|(at, lanes, reason)| Waiting {
                    site: self.site(at, block.linear, warp.index, lanes.trailing_zeros()),
                    lanes,
                    reason,
                }));
            }
        }
        Fault { site: waiting.first().map(|first| Box::new(first.site.clone())), kind: FaultKind::Deadlock(waiting) }
    }
}

/// Returns the problem of a launch that does not fit its entry.
fn check(launch: &Launch) -> Result<(), String> {
    let Launch { entry, grid, block, shared, arguments } = *launch;
    let product =
        |extents: [u32; 3]| extents.iter().fold(1u64, |product, &extent| product.saturating_mul(extent.into()));
    let threads = product(block);
    if threads == 0 || threads > MAX_THREADS {
        return Err(format!("{threads} threads per block, of 1 to {MAX_THREADS}"));
    }
    if product(grid) == 0 || product(grid) > u64::from(u32::MAX) {
        return Err(format!("{} blocks", product(grid)));
    }
    if entry.max_threads().is_some_and(|most| threads > product(most)) {
        return Err(format!("{threads} threads per block are more than the entry declares"));
    }
    if entry.required_threads().is_some_and(|required| required != block) {
        return Err(format!("the entry requires other blocks than {block:?}"));
    }
    if arguments.len() != entry.parameter_bytes() {
        return Err(format!("{} bytes of arguments, not {}", arguments.len(), entry.parameter_bytes()));
    }
    let bytes = entry.shared_bytes() + shared as usize;
    if bytes > MAX_SHARED {
        return Err(format!("{bytes} bytes of shared memory, of at most {MAX_SHARED}"));
    }
    Ok(())
}
