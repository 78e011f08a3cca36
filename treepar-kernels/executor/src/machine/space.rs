//! The memory that an access of a lane names, and the checks of its address.

use super::grid::Failed;
use super::turn::Turn;
use crate::fault::{Access, FaultKind, Nearest};
use crate::memory::Written;
use crate::ptx::Space;

/// The memory of one space, as one lane sees it.
pub(super) struct View<'v> {
    pub bytes: &'v mut [u8],
    pub written: Option<&'v mut Written>,
    /// The offset of the access.
    pub at: usize,
}

impl Turn<'_, '_> {
    /// Returns the memory of an access of one lane, after all checks. A write is recorded as written.
    pub fn view(
        &mut self,
        space: Space,
        address: u64,
        bytes: usize,
        lane: usize,
        write: bool,
    ) -> Result<View<'_>, Failed> {
        let check = self.grid.machine.mode.unwritten_reads;
        let access = Access { space: space.name(), address, bytes, write };
        if !address.is_multiple_of(bytes as u64) {
            return Err(Box::new((FaultKind::Misaligned(access), lane)));
        }
        if self.find(space, address, bytes, lane).is_none() {
            return Err(Box::new((self.out_of_bounds(space, access), lane)));
        }
        let Some(mut view) = self.find(space, address, bytes, lane) else { unreachable!("it was found before") };
        if let Some(written) = &mut view.written {
            if write {
                written.set(view.at, bytes);
            } else if check && !written.all(view.at, bytes) {
                return Err(Box::new((FaultKind::Unwritten(access), lane)));
            }
        }
        Ok(view)
    }

    /// Returns the memory of an access, if it is in bounds.
    #[inline]
    pub fn find(&mut self, space: Space, address: u64, bytes: usize, lane: usize) -> Option<View<'_>> {
        let fits =
            |len: usize| usize::try_from(address).ok().filter(|at| at.checked_add(bytes).is_some_and(|end| end <= len));
        match space {
            Space::Global | Space::Generic => {
                let access = Access { space: "global", address, bytes, write: false };
                let (allocation, at) = self.grid.memory.place_mut(access).ok()?;
                Some(View { bytes: &mut allocation.bytes, written: Some(&mut allocation.written), at })
            }
            Space::Shared => {
                let shared = &mut self.block.shared;
                let at = fits(shared.bytes.len())?;
                Some(View { bytes: &mut shared.bytes, written: Some(&mut shared.written), at })
            }
            Space::Local => {
                let each = self.grid.code.local_bytes;
                let at = fits(each)? + lane * each;
                let warp = &mut *self.warp;
                Some(View { bytes: &mut warp.local, written: Some(&mut warp.local_written), at })
            }
            Space::Param => {
                let at = fits(self.grid.parameters.len())?;
                Some(View { bytes: &mut self.grid.parameters, written: None, at })
            }
        }
    }

    #[cold]
    fn out_of_bounds(&self, space: Space, access: Access) -> FaultKind {
        let bytes = match space {
            Space::Global | Space::Generic => {
                let kind = self.grid.memory.place(access).err();
                return kind.unwrap_or(FaultKind::OutOfBounds { access, nearest: None });
            }
            Space::Shared => self.block.shared.bytes.len(),
            Space::Local => self.grid.code.local_bytes,
            Space::Param => self.grid.parameters.len(),
        };
        FaultKind::OutOfBounds { access, nearest: Some(Nearest { begin: 0, bytes, freed: false }) }
    }
}
