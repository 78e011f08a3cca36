//! A memory order that is weaker than the order of the program.
//!
//! **Late stores.** A store goes to a list of its block first. It reaches memory later, in any order, except that stores to
//! one address keep theirs. Its thread sees it at once; after `bar.warp.sync` its lanes see it, and after a barrier or a fence
//! of the block all threads of the block do. A fence of the device delivers all stores that its thread sees. Stores of a
//! block that has ended are delivered later too.
//!
//! **Early loads.** A log of recent deliveries permits a load to return an older value of its address: any value since the
//! thread last acquired, but never one older than the thread has seen at this address. A fence acquires the
//! values of the thread's earlier loads. Barriers combine the acquired values of their threads.

mod store;
mod views;

pub(super) use store::{Log, Observed, Piece, Thread, Waiting};
pub(super) use views::Views;

use super::block::Block;
use super::grid::Grid;
use super::warp::Warp;
use crate::fault::Access;
use store::{Delivered, Pending, Seen};

/// Changes who sees a store, given its thread.
type Show<'s> = &'s dyn Fn(Thread, &mut Seen);

/// Greatest number of stores of a block that wait.
const MOST_PENDING: usize = 256;
/// Greatest number of stores of ended blocks that wait.
const MOST_ORPHANS: usize = 1024;
/// Deliveries that a load may ignore.
const LOG: usize = 512;

impl Grid<'_> {
    /// Holds a store back.
    pub fn hold(&mut self, block: &mut Block, thread: Thread, piece: Piece) {
        block.waiting.filter.add(piece.address);
        block.waiting.stores.push(Pending { thread, seen: Seen::Lanes(1 << thread.lane), piece });
        if block.waiting.stores.len() > MOST_PENDING {
            self.deliver_at(block, 0);
        }
    }

    /// Delivers some of the stores that wait, chosen at random.
    pub fn deliver_some(&mut self, block: &mut Block) {
        for _ in 0..self.random.below(4) {
            if !block.waiting.stores.is_empty() {
                let index = self.random.below(block.waiting.stores.len());
                self.deliver_at(block, index);
            }
            if !self.log.orphans.is_empty() {
                let index = self.random.below(self.log.orphans.len());
                self.deliver_orphan(index);
            }
        }
    }

    /// Delivers a store, and before it the earlier ones to the same address.
    fn deliver_at(&mut self, block: &mut Block, index: usize) {
        let piece = block.waiting.stores[index].piece;
        let mut left = index;
        let mut k = 0;
        while k < left {
            if block.waiting.stores[k].piece.overlaps(&piece) {
                let store = block.waiting.remove(k);
                self.deliver(store);
                left -= 1;
            } else {
                k += 1;
            }
        }
        let store = block.waiting.remove(left);
        self.deliver(store);
    }

    fn deliver_orphan(&mut self, index: usize) {
        let Pending { piece, thread, .. } = self.log.orphans[index];
        let same = |store: &Pending| store.piece.overlaps(&piece) && store.thread.block == thread.block;
        let first = self.log.orphans.iter().position(same).unwrap_or(index);
        let store = self.log.orphans.remove(first);
        self.deliver(store);
    }

    fn deliver(&mut self, store: Pending) {
        self.record(store.thread, store.seen, &store.piece);
        // The bounds were checked when the store was executed, and nothing is freed during a launch.
        let Piece { address, len, bytes } = store.piece;
        let access = Access { space: "global", address, bytes: len, write: true };
        if let Ok((allocation, at)) = self.memory.place_mut(access) {
            let to = &mut allocation.bytes[at..at + len];
            if *to != bytes[..len] {
                self.idle = 0;
            }
            to.copy_from_slice(&bytes[..len]);
        }
    }

    /// Records that a piece of memory is about to change.
    fn record(&mut self, thread: Thread, seen: Seen, piece: &Piece) {
        self.log.time += 1;
        let before = self.current(piece.address, piece.len);
        self.log.filter.add(piece.address);
        self.log.recent.push_back(Delivered { thread, seen, before, time: self.log.time });
        if self.log.recent.len() > LOG
            && let Some(old) = self.log.recent.pop_front()
        {
            self.log.filter.remove(old.before.address);
        }
    }

    /// Records a store that acts on memory at once.
    pub fn record_store(&mut self, thread: Thread, piece: &Piece) {
        self.record(thread, Seen::Lanes(1 << thread.lane), piece);
    }

    fn current(&self, address: u64, len: usize) -> Piece {
        let access = Access { space: "global", address, bytes: len, write: false };
        match self.memory.place(access) {
            Ok((allocation, at)) => Piece::new(address, &allocation.bytes[at..at + len]),
            Err(_) => Piece { address, len, bytes: [0; 16] },
        }
    }

    /// Records an atomic operation of a thread, which acts on memory at once. It sees the latest value.
    pub fn begin_atomic(&mut self, block: &mut Block, warp: &mut Warp, thread: Thread, address: u64, len: usize) {
        let piece = Piece { address, len, bytes: [0; 16] };
        let seen = |store: &Pending| store.piece.overlaps(&piece) && store.seen.by(store.thread, thread);
        while let Some(index) = block.waiting.stores.iter().position(seen) {
            self.deliver_at(block, index);
        }
        self.record(thread, Seen::Lanes(1 << thread.lane), &piece);
        let time = self.log.time;
        warp.views.latest[thread.lane] = time;
        warp.views.floors.insert((thread.lane as u8, address / 16), time);
    }

    /// Returns the bytes that a load of a thread yields. `fixed` loads may ignore all fences.
    pub fn observe(&mut self, block: &Block, warp: &mut Warp, thread: Thread, load: Observed) -> Piece {
        let Observed { address, len, fixed, strong } = load;
        let mut piece = self.current(address, len);
        let mut time = self.log.time;
        if self.machine.mode.early_loads && self.log.filter.may_contain(address) && self.random.below(2) == 0 {
            let key = (thread.lane as u8, address / 16);
            let floor = warp.views.floors.get(&key).copied().unwrap_or(0);
            let acquired = if fixed { 0 } else { warp.views.acquired[thread.lane] };
            let least = floor.max(acquired);
            let wanted = piece;
            time = least + self.random.below((self.log.time - least + 1) as usize) as u64;
            for delivered in self.log.recent.iter().rev().filter(|delivered| delivered.before.overlaps(&wanted)) {
                if delivered.time <= time || delivered.seen.by(delivered.thread, thread) {
                    time = time.max(delivered.time);
                    break;
                }
                piece.overlay(&delivered.before);
            }
            warp.views.floors.insert(key, time);
        }
        if strong {
            let latest = &mut warp.views.latest[thread.lane];
            *latest = time.max(*latest);
        }
        if block.waiting.filter.may_contain(address) {
            let seen = |store: &&Pending| store.seen.by(store.thread, thread) && store.piece.overlaps(&piece);
            let all: Vec<Pending> = block.waiting.stores.iter().filter(seen).copied().collect();
            all.iter().for_each(|store| piece.overlay(&store.piece));
        }
        piece
    }

    /// Changes who sees the stores of a block, delivered or not.
    fn show(&mut self, block: &mut Block, show: Show) {
        let waiting = block.waiting.stores.iter_mut().map(|store| (store.thread, &mut store.seen));
        let recent = self.log.recent.iter_mut().map(|delivered| (delivered.thread, &mut delivered.seen));
        for (thread, seen) in waiting.chain(recent).filter(|(thread, _)| thread.block == block.linear) {
            show(thread, seen);
        }
    }

    /// Lets all threads of a block see all of its stores.
    pub fn show_block(&mut self, block: &mut Block) {
        self.show(block, &|_, seen| *seen = Seen::Block);
    }

    /// Lets lanes of a warp see each other's stores.
    pub fn show_lanes(&mut self, block: &mut Block, warp: u32, lanes: u32) {
        self.show(block, &|thread, seen| match seen {
            Seen::Lanes(seen) if thread.warp == warp && *seen & lanes != 0 => *seen |= lanes,
            _ => {}
        });
    }

    /// Delivers all stores that a thread sees, or shows them to its block.
    pub fn release(&mut self, block: &mut Block, thread: Thread, device: bool) {
        if !device {
            self.show(block, &|writer, seen| {
                if seen.by(writer, thread) {
                    *seen = Seen::Block;
                }
            });
            return;
        }
        // Earlier stores to the same addresses are delivered too, whoever wrote them.
        while let Some(index) = block.waiting.stores.iter().position(|store| store.seen.by(store.thread, thread)) {
            self.deliver_at(block, index);
        }
    }

    /// Lets later loads of a lane see what its earlier loads saw.
    pub fn acquire(&mut self, warp: &mut Warp, lane: usize) {
        let time = warp.views.latest[lane];
        warp.views.acquire(lane, time);
    }

    /// Keeps the stores of a block that has ended.
    pub fn orphan(&mut self, block: &mut Block) {
        self.log.orphans.append(&mut block.waiting.stores);
        while self.log.orphans.len() > MOST_ORPHANS {
            self.deliver_orphan(0);
        }
    }

    /// Delivers everything at the end of the launch.
    pub fn deliver_all(&mut self) {
        while !self.log.orphans.is_empty() {
            let index = self.random.below(self.log.orphans.len());
            self.deliver_orphan(index);
        }
    }
}
