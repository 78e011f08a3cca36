//! Uploads through page-locked memory. The host's bytes may change immediately, and the next chunk is filled while the device
//! copies the previous one.
//!
//! The driver's copy from ordinary memory is not used: on machines where the device reads the host's pages, it returns before
//! it has read the bytes.

#![expect(unsafe_code, reason = "the second level is called")]

use super::pinned::PinnedBuffer;
use super::stream::{Event, Stream};
use crate::machine::Result;

/// The size of a chunk in bytes.
const CHUNK_BYTES: usize = 4 << 20;
/// The alignment of each upload within a chunk.
const ALIGNMENT_BYTES: usize = 64;

/// Two chunks that alternate, for one stream.
pub(super) struct Staging {
    stream: Stream,
    chunks: [Chunk; 2],
    current: usize,
}

struct Chunk {
    memory: PinnedBuffer,
    /// The bytes that copies in flight may read.
    used: usize,
    /// An event after these copies, recorded when the chunk is full.
    done: Event,
}

impl Staging {
    pub(super) fn new(stream: &Stream) -> Result<Staging> {
        let device = stream.device();
        let chunk =
            || Ok(Chunk { memory: PinnedBuffer::new(&device, CHUNK_BYTES)?, used: 0, done: Event::new(&device)? });
        Ok(Staging { stream: stream.clone(), chunks: [chunk()?, chunk()?], current: 0 })
    }

    /// Copies to an address of the device, in the order of the stream.
    ///
    /// # Safety
    /// There is memory of this size at the address.
    pub(super) unsafe fn upload(&mut self, mut to: u64, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            if self.chunks[self.current].used == CHUNK_BYTES {
                self.turn()?;
            }
            let chunk = &mut self.chunks[self.current];
            let take = bytes.len().min(CHUNK_BYTES - chunk.used);
            let (now, later) = bytes.split_at(take);
            let room = &mut chunk.memory[chunk.used..][..take];
            room.copy_from_slice(now);
            self.stream.context().call("copying to the device", |cuda| {
                // SAFETY: `room` is not written before `done` is reached; the caller guarantees the address.
                unsafe { cuda.copy_to_device(to, room.as_ptr().cast(), take, self.stream.as_raw()) }
            })?;
            chunk.used = (chunk.used + take).next_multiple_of(ALIGNMENT_BYTES).min(CHUNK_BYTES);
            (to, bytes) = (to + take as u64, later);
        }
        Ok(())
    }

    /// Waits until the device has read the other chunk, and continues with it.
    fn turn(&mut self) -> Result<()> {
        self.chunks[self.current].done.record(&self.stream)?;
        let other = &mut self.chunks[1 - self.current];
        other.done.synchronize()?;
        other.used = 0;
        self.current = 1 - self.current;
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Copies in flight read the chunks. A lost device does not.
        let _ = self.stream.synchronize();
    }
}
