//! Uploads through page-locked memory: the host's bytes may change at once, and the next chunk is filled while the
//! device copies the last.
//!
//! The driver's own copy from ordinary memory returns early on some machines (where the device reads the host's pages),
//! so that what it promises about the bytes is not relied on.

#![expect(unsafe_code, reason = "the second level is called")]

use super::pinned::PinnedBuffer;
use super::stream::{Event, Stream};
use crate::machine::Result;

/// Bytes of a chunk.
const CHUNK_BYTES: usize = 4 << 20;
/// What starts in a chunk starts at a multiple of this.
const ALIGNMENT_BYTES: usize = 64;

/// Two chunks in turn, for one stream.
pub(super) struct Staging {
    stream: Stream,
    chunks: [Chunk; 2],
    current: usize,
}

struct Chunk {
    memory: PinnedBuffer,
    /// Bytes that copies under way may read.
    used: usize,
    /// Reached when they do no more; recorded when the chunk is full.
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
    /// There is memory of as many bytes.
    pub(super) unsafe fn upload(&mut self, mut to: u64, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            if self.chunks[self.current].used == CHUNK_BYTES {
                self.turn()?;
            }
            let chunk = &mut self.chunks[self.current];
            let take = bytes.len().min(CHUNK_BYTES - chunk.used);
            let (now, later) = bytes.split_at(take);
            let place = &mut chunk.memory[chunk.used..][..take];
            place.copy_from_slice(now);
            self.stream.context().call("copying to the device", |cuda| {
                // SAFETY: `place` is not written before `done` is reached; the caller answers for the address.
                unsafe { cuda.copy_to_device(to, place.as_ptr().cast(), take, self.stream.as_raw()) }
            })?;
            chunk.used = (chunk.used + take).next_multiple_of(ALIGNMENT_BYTES).min(CHUNK_BYTES);
            (to, bytes) = (to + take as u64, later);
        }
        Ok(())
    }

    /// Goes on to the other chunk, when the device has read it.
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
        // Copies under way read the chunks; a device that is lost reads no more.
        let _ = self.stream.synchronize();
    }
}
