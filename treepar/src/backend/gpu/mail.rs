//! Values of kernels on their way to the host: totals, results of reductions, and lengths of columns.
//!
//! Each value has a slot of one small array in the machine's memory. The first value that the host needs brings all others in
//! the same copy, and so does each download.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use treepar_kernels::machine::Machine;

use super::kept::Block;
use super::launch::Part;
use super::{Gpu, GpuVec};
use crate::backend::{Later, Tally, host_rows};
use crate::device::Element;
use crate::{Error, Result};

/// The bytes of a slot. The total of a larger element has memory of its own and is read at once.
const SLOT: usize = 64;

/// The slots. If all hold values, they are read.
const SLOTS: usize = 256;

/// The slots of a machine.
#[derive(Default)]
pub struct Mail(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    /// The array, after its first use.
    block: Option<Block>,
    /// `true` for slots that a kernel writes, or that hold a value which the host does not know.
    used: Vec<bool>,
    /// The values that kernels have written, as far as the host does not know them.
    sent: Vec<Arc<Letter>>,
}

/// A value on its way.
pub struct Letter {
    slot: usize,
    value: OnceLock<[u8; SLOT]>,
    /// The bytes that the backend counts for each row, if the value is a number of rows.
    row_bytes: AtomicUsize,
}

impl Letter {
    /// Returns the value, if the host knows it.
    fn value<T: Element>(&self) -> Option<T> {
        let bytes = self.value.get()?;
        let mut value = T::default();
        bytemuck::bytes_of_mut(&mut value).copy_from_slice(&bytes[..size_of::<T>()]);
        Some(value)
    }
}

impl Mail {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the array, to be freed.
    pub fn take_block(&self) -> Option<Block> {
        self.slots().block.take()
    }
}

impl Slots {
    /// Returns a free slot, and uses it. Values that nobody will read leave theirs.
    fn take(&mut self) -> Option<usize> {
        if self.sent.len() == SLOTS {
            let used = &mut self.used;
            self.sent.retain(|letter| {
                let is_read = Arc::strong_count(letter) > 1 || letter.row_bytes.load(Ordering::Relaxed) > 0;
                used[letter.slot] = is_read;
                is_read
            });
        }
        let slot = self.used.iter().position(|&used| !used)?;
        self.used[slot] = true;
        Some(slot)
    }
}

/// A slot that a kernel will write. It is free again if nothing is sent.
pub struct Place<M: Machine> {
    gpu: Gpu<M>,
    address: u64,
    slot: usize,
    is_sent: bool,
}

impl<M: Machine> Drop for Place<M> {
    fn drop(&mut self) {
        if !self.is_sent {
            self.gpu.0.mail.slots().used[self.slot] = false;
        }
    }
}

/// The memory for a value that a kernel writes.
pub enum Total<M: Machine> {
    /// A slot.
    Slot(Place<M>),
    /// Memory for a large value.
    Own(GpuVec<u64, M>),
}

impl<M: Machine> Total<M> {
    /// Returns memory for a value of type `T`.
    pub fn new<T: Element>(gpu: &Gpu<M>) -> Result<Total<M>> {
        if size_of::<T>() > SLOT {
            return Ok(Total::Own(gpu.column(size_of::<T>().div_ceil(size_of::<u64>()))?));
        }
        let mut slots = gpu.0.mail.slots();
        if slots.block.is_none() {
            slots.block = Some(gpu.allocate_zeros(SLOT * SLOTS)?);
            slots.used = vec![false; SLOTS];
        }
        let mut slot = slots.take();
        if slot.is_none() {
            read(gpu, &mut slots, &[], &mut [])?;
            slot = slots.take();
        }
        let (Some(slot), Some(block)) = (slot, slots.block) else {
            return Err(Error::OutOfMemory { bytes: SLOT as u64 });
        };
        drop(slots);
        let address = block.address + (slot * SLOT) as u64;
        Ok(Total::Slot(Place { gpu: gpu.clone(), address, slot, is_sent: false }))
    }

    /// Returns memory for a number that is 0.
    pub fn zero(gpu: &Gpu<M>) -> Result<Total<M>> {
        let total = Total::new::<u32>(gpu)?;
        gpu.set_zero(Block { address: total.part().address, bytes: size_of::<u32>() })?;
        Ok(total)
    }

    /// Returns the memory as one row.
    pub fn part(&self) -> Part {
        match self {
            Total::Slot(place) => Part { address: place.address, rows: 1 },
            Total::Own(column) => Part { rows: 1, ..column.part(0, 0) },
        }
    }

    /// Returns the value. All kernels that write it have been launched.
    pub fn sent<T: Element>(self) -> Result<GpuValue<T, M>> {
        match self {
            Total::Own(column) => Ok(GpuValue::Known(column.value(0)?)),
            Total::Slot(mut place) => {
                let (slot, gpu) = (place.slot, place.gpu.clone());
                let letter = Arc::new(Letter { slot, value: OnceLock::new(), row_bytes: AtomicUsize::new(0) });
                gpu.0.mail.slots().sent.push(Arc::clone(&letter));
                place.is_sent = true;
                Ok(GpuValue::Sent(letter, gpu))
            }
        }
    }
}

/// A value that a kernel writes, or that is known.
pub enum GpuValue<T: Element, M: Machine> {
    /// A value that the host knows.
    Known(T),
    /// A value on its way.
    Sent(Arc<Letter>, Gpu<M>),
}

impl<M: Machine> GpuValue<u32, M> {
    /// Counts `bytes` bytes for each of so many rows, now or when the number is known.
    pub fn count_rows(&self, tally: &Tally, bytes: usize) {
        let rows = match self {
            GpuValue::Known(rows) => *rows,
            GpuValue::Sent(letter, gpu) => {
                // No other thread reads the value in between.
                let _slots = gpu.0.mail.slots();
                let Some(rows) = letter.value() else {
                    letter.row_bytes.fetch_add(bytes, Ordering::Relaxed);
                    return;
                };
                rows
            }
        };
        tally.transfer(rows as usize * bytes);
    }
}

impl<T: Element, M: Machine> Later for GpuValue<T, M> {
    type Item = T;

    fn read(&self) -> Result<T> {
        let (letter, gpu) = match self {
            GpuValue::Known(value) => return Ok(*value),
            GpuValue::Sent(letter, gpu) => (letter, gpu),
        };
        if letter.value.get().is_none() {
            gpu.read_mail()?;
        }
        Ok(letter.value().expect("a letter with a reader is kept until it has a value"))
    }
}

/// Copies the values that were sent, and columns, to the host. Waits once.
fn read<M: Machine>(gpu: &Gpu<M>, slots: &mut Slots, columns: &[Block], rows: &mut [&mut [u8]]) -> Result<()> {
    let last = slots.sent.iter().map(|letter| letter.slot + 1).max().unwrap_or(0);
    let values = slots.block.map(|block| Block { bytes: last * SLOT, ..block });
    let values = values.filter(|values| values.bytes > 0);
    let parts: Vec<Block> = values.iter().chain(columns).copied().filter(|part| part.bytes > 0).collect();
    let bytes = gpu.gathered(&parts)?;
    let mut rest = &bytes[..];
    if let Some(values) = values {
        let (values, others) = rest.split_at(values.bytes);
        rest = others;
        for letter in slots.sent.drain(..) {
            let mut value = [0; SLOT];
            value.copy_from_slice(&values[letter.slot * SLOT..(letter.slot + 1) * SLOT]);
            // A letter is read once.
            let _ = letter.value.set(value);
            slots.used[letter.slot] = false;
            let count = letter.value::<u32>().unwrap_or(0) as usize;
            gpu.0.tally.transfer(count * letter.row_bytes.load(Ordering::Relaxed));
        }
    }
    for rows in rows {
        let (own, others) = rest.split_at(rows.len());
        rows.copy_from_slice(own);
        rest = others;
    }
    Ok(())
}

impl<M: Machine> Gpu<M> {
    /// Reads all values that were sent.
    pub(super) fn read_mail(&self) -> Result<()> {
        let mut slots = self.0.mail.slots();
        if slots.sent.is_empty() { Ok(()) } else { read(self, &mut slots, &[], &mut []) }
    }

    /// Copies columns to the host, and reads all values that were sent. Waits once.
    pub(super) fn read_columns(&self, columns: &[Block], rows: &mut [&mut [u8]]) -> Result<()> {
        let mut slots = self.0.mail.slots();
        if let ([column], [rows], true) = (columns, &mut *rows, slots.sent.is_empty()) {
            return self.read_block(*column, rows);
        }
        read(self, &mut slots, columns, rows)
    }

    /// Returns the bytes of several blocks, one after another. Without memory for all of them, each is a copy of its own.
    fn gathered(&self, parts: &[Block]) -> Result<Vec<u8>> {
        let mut bytes = host_rows(parts.iter().map(|part| part.bytes).sum())?;
        if parts.is_empty() {
            self.synchronize()?;
        }
        let all = if parts.len() > 1 { self.column::<u8>(bytes.len()).ok() } else { None };
        let mut rest = &mut bytes[..];
        let mut at = 0;
        for &part in parts {
            let own;
            (own, rest) = std::mem::take(&mut rest).split_at_mut(part.bytes);
            match &all {
                Some(all) => all.copy_block(at, part)?,
                None => self.read_block(part, own)?,
            }
            at += part.bytes;
        }
        if let Some(all) = all {
            all.get(0, &mut bytes)?;
        }
        Ok(bytes)
    }
}
