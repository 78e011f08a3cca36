//! Launches, with the number and sizes of their arguments checked against the PTX.

#![expect(unsafe_code, reason = "the second level is called")]

use std::ffi::c_void;

use super::module::Function;
use super::stream::Stream;
use crate::machine::{Error, Result};

impl Function {
    /// Runs `grid` blocks of `block` threads. Each argument is the bytes of one parameter, laid out as in C++.
    ///
    /// # Safety
    /// - The bytes are values of the kernel's parameters. Only their number and sizes are compared with its PTX.
    /// - Each address among them is memory of the stream's device that lives until the kernel ends, with room for all
    ///   that the kernel reads and writes there. The memory that it reads is initialized.
    /// - No other stream touches that memory at the same time, unless both only read.
    ///
    /// # Errors
    /// [`Error::Arguments`] if their number or sizes are not the entry's or are not known, or if the grid or block is
    /// empty or too large; [`Error::NoRoom`] if the device lacks memory that the kernel needs; [`Error::Lost`] or
    /// [`Error::Driver`].
    pub unsafe fn launch(&self, stream: &Stream, grid: usize, block: usize, arguments: &[&[u8]]) -> Result<()> {
        let context = self.context();
        let wrong = |what: String| Error::Arguments { entry: self.name().to_owned(), what };
        let given: Vec<usize> = arguments.iter().map(|argument| argument.len()).collect();
        let taken = self.parameters().ok_or_else(|| {
            wrong(
                "arguments that cannot be checked: its PTX has a parameter that is neither a scalar nor a struct"
                    .into(),
            )
        })?;
        if taken != given {
            return Err(wrong(format!("arguments of {given:?} bytes, and it takes {taken:?}")));
        }
        let within = |what: &str, found: usize, most: u32| match u32::try_from(found) {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(wrong(format!("{found} {what}, where 1 to {most} can run"))),
        };
        let grid = within("blocks", grid, context.facts.grid_blocks)?;
        let block = within("threads per block", block, self.max_threads().min(context.facts.block_threads))?;
        // Parameters need the alignment of their types.
        let mut aligned: Vec<Vec<u128>> = given.iter().map(|&bytes| vec![0; bytes.div_ceil(16)]).collect();
        let pointers = aligned.iter_mut().zip(arguments).map(|(to, bytes)| {
            // SAFETY: `to` has room for as many bytes.
            unsafe { to.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            to.as_mut_ptr().cast()
        });
        let mut pointers: Vec<*mut c_void> = pointers.collect();
        let launched = context.with_room(|cuda| {
            // SAFETY: function and stream are alive; each pointer is to one parameter, which the caller ensures is valid.
            unsafe { cuda.launch(self.as_raw(), grid, block, stream.as_raw(), &mut pointers) }
        });
        launched.map_err(|status| context.error(status, &format!("launching kernel `{}`", self.name())))?;
        context.launched(self.shared_name());
        Ok(())
    }
}
