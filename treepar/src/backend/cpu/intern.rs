//! The first row of each key, by hash tables with open addressing.
//!
//! A slot has the key itself and the first row with it, so that a probe reads one line of the cache. A table is at most half
//! full, and doubles when it would be fuller: the keys of a text are few, and a table of all rows would spend more time on
//! clearing memory than on keys. Threads make tables of their own blocks of rows, and these merge in the order of blocks. So
//! the result does not depend on the number of threads.

use super::block::{Block, Reader};
use super::sort::each;
use super::{Cpu, CpuVec};
use crate::{Backend, Result};

/// No row: the slot is empty.
const EMPTY: u64 = u64::MAX;

/// The least number of slots, a power of two.
const FEWEST: usize = 1 << 10;

/// A key and the first row with it.
type Slot = [u64; 2];

/// The first row of each key that was seen.
struct Table {
    slots: CpuVec<u64>,
    /// How many slots are in use.
    keys: usize,
    cpu: Cpu,
}

impl Table {
    /// Returns a table without keys, of `slots` slots: a power of two, and not 1.
    fn new(cpu: &Cpu, slots: usize) -> Result<Table> {
        let mut words = cpu.allocate::<u64>(2 * slots)?;
        words.as_chunks_mut().0.fill([0, EMPTY]);
        Ok(Table { slots: words, keys: 0, cpu: cpu.clone() })
    }

    /// Takes rows with their keys, and calls `put` with each row and the first row of its key.
    fn add(&mut self, mut rows: impl Iterator<Item = (u64, usize)>, mut put: impl FnMut(usize, u32)) -> Result<()> {
        loop {
            let slots: &mut [Slot] = self.slots.as_chunks_mut().0;
            while self.keys < slots.len() / 2 {
                let Some((key, row)) = rows.next() else { return Ok(()) };
                let slot = &mut slots[found(slots, key)];
                if slot[1] == EMPTY {
                    *slot = [key, row as u64];
                    self.keys += 1;
                }
                put(row, slot[1] as u32);
            }
            self.grow()?;
        }
    }

    /// Returns the keys with their first rows.
    fn entries(&self) -> impl Iterator<Item = (u64, usize)> {
        let slots = self.slots.as_chunks().0.iter().filter(|[_, first]| *first != EMPTY);
        slots.map(|&[key, first]| (key, first as usize))
    }

    /// Moves all keys to a table of twice the size.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<()> {
        let mut larger = Table::new(&self.cpu, self.slots.len())?;
        let slots: &mut [Slot] = larger.slots.as_chunks_mut().0;
        for (key, first) in self.entries() {
            slots[found(slots, key)] = [key, first as u64];
        }
        self.slots = larger.slots;
        Ok(())
    }
}

/// Returns the index of the slot with a key, or of the empty slot for it. At least one slot is empty.
#[inline(always)]
fn found(slots: &[Slot], key: u64) -> usize {
    let last = slots.len() - 1;
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> last.leading_zeros()) as usize;
    loop {
        let [slot_key, first] = slots[at & last];
        if slot_key == key || first == EMPTY {
            return at & last;
        }
        at += 1;
    }
}

/// `out[i]` is the least row with the key of row `i`.
pub fn intern(cpu: &Cpu, out: &mut [u32], keys: impl Reader<Row = u64>) -> Result<()> {
    let n = out.len();
    if cpu.threads() == 1 || n <= super::GRAIN {
        return intern_block(cpu, out, 0, keys).map(|_| ());
    }
    let block = n.div_ceil(cpu.threads()).max(super::GRAIN);
    let mut blocks: Vec<_> = out.chunks_mut(block).map(|rows| (rows, None)).collect();
    each(&mut blocks, 0, &|b, (rows, table)| *table = Some(intern_block(cpu, rows, b * block, keys)));
    let tables: Result<Vec<Table>> = blocks.into_iter().filter_map(|(_, table)| table).collect();
    let mut tables = tables?.into_iter();
    let Some(mut all) = tables.next() else { return Ok(()) };
    for table in tables {
        all.add(table.entries(), |row, first| out[row] = first)?;
    }
    // The first rows of each block name the first of all; the others name a first row of their block.
    let mut blocks: Vec<_> = out.chunks_mut(block).collect();
    each(&mut blocks, 0, &|b, rows| {
        for i in 0..rows.len() {
            if let Some(row) = (rows[i] as usize).checked_sub(b * block) {
                rows[i] = rows[row];
            }
        }
    });
    Ok(())
}

/// Interns the rows of `out`, whose first row is `first`; returns their keys.
fn intern_block(cpu: &Cpu, out: &mut [u32], first: usize, keys: impl Reader<Row = u64>) -> Result<Table> {
    let mut table = Table::new(cpu, FEWEST.min((2 * out.len()).next_power_of_two().max(2)))?;
    let block = Block::new(first..first + out.len());
    let keys = keys.until(block.end());
    let rows = block.first()..block.end();
    table.add(rows.map(|row| (keys.row(row), row)), |row, of_key| out[row - first] = of_key)?;
    Ok(table)
}
