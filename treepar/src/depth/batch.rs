//! Batches: several forests as one, so that one pass serves all.

use super::Depths;
use crate::{Backend, Error, Result};

impl<B: Backend> Depths<B> {
    /// Concatenates forests, and returns the first node of each: a batch of files is one forest.
    ///
    /// # Shape    depths\[n0\], depths\[n1\], .. -> depths\[n0 + n1 + ..\]; start of each
    /// # Cost     work O(n), one copy, 8 bytes per node
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if they have too many nodes together
    /// # Source   the concatenation of two forests is a forest
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let (a, b) = (Depths::new(cpu.upload(&[0, 1])?)?, Depths::new(cpu.upload(&[0, 1, 2])?)?);
    /// let (batch, starts) = Depths::concat(&cpu, &[&a, &b])?;
    /// assert_eq!(cpu.download(batch.depths())?, [0, 1, 0, 1, 2]);
    /// assert_eq!(starts, [0, 2]);
    /// assert_eq!(batch.split(&starts)?.len(), 2);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn concat(backend: &B, forests: &[&Depths<B>]) -> Result<(Depths<B>, Vec<usize>)> {
        let columns: Vec<_> = forests.iter().map(|forest| forest.depths()).collect();
        let depth = backend.concat(&columns)?;
        let starts = forests.iter().scan(0, |start, forest| Some(std::mem::replace(start, *start + forest.len())));
        Ok((Depths { depth }, starts.collect()))
    }

    /// Splits the forest at some roots, the last part up to the end: the inverse of [`Depths::concat`].
    ///
    /// # Shape    starts, the first 0, none less than the one before -> a forest each
    /// # Cost     work O(n), one copy each, 8 bytes per node
    /// # Errors   [`InvalidOffset`](crate::Error::InvalidOffset) if starts fall or lie outside, [`InvalidDepth`](crate::Error::InvalidDepth) at one that is not a root
    /// # Source   a tree is a run of the preorder
    /// # Example    at [`Depths::concat`]
    pub fn split(&self, starts: &[usize]) -> Result<Vec<Depths<B>>> {
        let mut forests = Vec::with_capacity(starts.len());
        for (index, &start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(self.len());
            if start > end || end > self.len() || (index == 0 && start != 0) {
                let limit = if index == 0 { 0 } else { end.min(self.len()) as u64 };
                return Err(Error::InvalidOffset { index, found: start as u64, limit });
            }
            if start < end {
                let found = self.backend().read(self.depths(), start)?;
                if found != 0 {
                    return Err(Error::InvalidDepth { index: start, found: found.into(), limit: 0 });
                }
            }
            forests.push(Depths { depth: self.backend().slice(self.depths(), start..end)? });
        }
        Ok(forests)
    }
}
