//! Launches, with their arguments checked: by type where the function has one, by size where it has none.

#![expect(unsafe_code, reason = "the second level is called")]

use std::ffi::c_void;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::module::Function;
use super::stream::Stream;
use crate::machine::{Error, Result};

/// The types of a kernel's parameters: a tuple of numbers, [`DevicePointer`](super::DevicePointer)s and plain structs.
pub trait Parameters: sealed::Parameters {}

mod sealed {
    pub trait Parameters {
        /// The bytes of each.
        fn bytes() -> Vec<usize>;
        /// Where each is.
        fn places(&mut self) -> Vec<*mut std::ffi::c_void>;
    }
}

macro_rules! parameters_of_tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Pod),*> Parameters for ($($name,)*) {}
        #[allow(non_snake_case, reason = "a value has the name of its type")]
        impl<$($name: Pod),*> sealed::Parameters for ($($name,)*) {
            fn bytes() -> Vec<usize> {
                vec![$(size_of::<$name>()),*]
            }
            fn places(&mut self) -> Vec<*mut c_void> {
                let ($($name,)*) = self;
                vec![$(std::ptr::from_mut($name).cast()),*]
            }
        }
    )*};
}

parameters_of_tuples! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) (A B C D E F G H I)
    (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}

/// A [`Function`] whose parameters are `P`: a launch with other arguments does not compile.
///
/// ```compile_fail,E0308
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<f32>) -> Result<()> {
/// unsafe { launch!(stream, add<<<1, 256>>>(column.pointer())) } // one argument of two
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<u32>) -> Result<()> {
/// unsafe { launch!(stream, add<<<1, 256>>>(column.pointer(), 1)) } // integers for floats
/// # }
/// ```
///
/// ```compile_fail,E0133
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<f32>) -> Result<()> {
/// launch!(stream, add<<<1, 256>>>(column.pointer(), 1)) // nobody answers for the pointer
/// # }
/// ```
///
/// ```no_run
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<f32>) -> Result<()> {
/// // SAFETY: `add` touches one float, which the column has, and the column is of this stream.
/// unsafe { launch!(stream, add<<<1, 256>>>(column.pointer(), 1)) }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TypedFunction<P> {
    function: Function,
    parameters: PhantomData<fn(P)>,
}

impl Function {
    /// The function with the types of its parameters, which its launches are checked against.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the PTX has another number of parameters, or parameters of other sizes.
    pub fn typed<P: Parameters>(&self) -> Result<TypedFunction<P>> {
        check_sizes(self, &P::bytes())?;
        Ok(TypedFunction { function: self.clone(), parameters: PhantomData })
    }

    /// Runs `grid` blocks of `block` threads; each argument is the bytes of one parameter, laid out as C++ does.
    ///
    /// # Safety
    /// As [`TypedFunction::launch`], for what the bytes are.
    ///
    /// # Errors
    /// [`Error::Arguments`] if their number or sizes are not the entry's, or the grid or block is empty or too large;
    /// [`Error::NoRoom`] where the kernel needs memory that the device has not; [`Error::Lost`] or [`Error::Driver`].
    pub unsafe fn launch_bytes(&self, stream: &Stream, grid: usize, block: usize, arguments: &[&[u8]]) -> Result<()> {
        check_sizes(self, &arguments.iter().map(|argument| argument.len()).collect::<Vec<_>>())?;
        // Copied to where any parameter may be.
        let mut aligned = Vec::new();
        let starts: Vec<usize> = arguments
            .iter()
            .map(|argument| {
                let start = aligned.len();
                aligned.extend(argument.chunks(16).map(|chunk| {
                    let mut word = [0; 16];
                    word[..chunk.len()].copy_from_slice(chunk);
                    u128::from_ne_bytes(word)
                }));
                start
            })
            .collect();
        let base = aligned.as_mut_ptr();
        let mut places: Vec<*mut c_void> = starts.into_iter().map(|at| base.wrapping_add(at).cast()).collect();
        // SAFETY: each place holds as many bytes as its parameter has, and stays until the call returns.
        unsafe { self.launch(stream, grid, block, &mut places) }
    }

    unsafe fn launch(&self, stream: &Stream, grid: usize, block: usize, places: &mut [*mut c_void]) -> Result<()> {
        let context = self.context();
        let wrong = |what: String| Error::Arguments { entry: self.name().to_owned(), what };
        let within = |what: &str, found: usize, most: u32| match u32::try_from(found) {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(wrong(format!("{found} {what}, where 1 to {most} can run"))),
        };
        let grid = within("blocks", grid, context.facts.grid_blocks)?;
        let block = within("threads a block", block, self.max_threads().min(context.facts.block_threads))?;
        let launched = context.with_room(|cuda| {
            // SAFETY: function and stream are alive; the caller answers for the arguments.
            unsafe { cuda.launch(self.as_raw(), grid, block, stream.as_raw(), places) }
        });
        launched.map_err(|status| context.error(status, &format!("launching kernel `{}`", self.name())))?;
        context.launched(self.shared_name());
        Ok(())
    }
}

impl<P: Parameters> TypedFunction<P> {
    /// Runs `grid` blocks of `block` threads; [`launch!`](crate::launch) writes it as CUDA does.
    ///
    /// # Safety
    /// What nothing checks:
    /// - the kernel's parameters are of the types `P`, of which only number and sizes are compared with its PTX;
    /// - each pointer is the address of memory that lives until the kernel is done, with room for all that the kernel
    ///   reads and writes there with these arguments, grid and block. A [`DeviceBuffer`](super::DeviceBuffer) of
    ///   `stream` may be dropped at once after the launch; one of another stream lives until this one is waited for, or
    ///   until its own stream waits for an event of this one;
    /// - no other stream touches that memory at the same time, unless both only read: what came before on other streams
    ///   is waited for by [`Stream::wait`], and so is this launch by what comes after;
    /// - what the kernel reads was written before; `stream` is of the function's device.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the grid or block is empty or too large; [`Error::NoRoom`] where the kernel needs memory
    /// that the device has not; [`Error::Lost`] or [`Error::Driver`].
    pub unsafe fn launch(&self, stream: &Stream, grid: usize, block: usize, mut arguments: P) -> Result<()> {
        // SAFETY: as the caller says; the arguments stay until the call returns.
        unsafe { self.function.launch(stream, grid, block, &mut arguments.places()) }
    }

    /// The function without its type.
    pub fn untyped(&self) -> &Function {
        &self.function
    }
}

fn check_sizes(function: &Function, given: &[usize]) -> Result<()> {
    match function.parameters() {
        Some(taken) if taken != given => {
            let what = format!("arguments of {given:?} bytes, and it takes {taken:?}");
            Err(Error::Arguments { entry: function.name().to_owned(), what })
        }
        _ => Ok(()),
    }
}

/// Runs a [`TypedFunction`](crate::driver::TypedFunction) as CUDA writes it:
/// `unsafe { launch!(stream, add<<<grid, block>>>(a, n)) }`.
///
/// It is a call of [`TypedFunction::launch`](crate::driver::TypedFunction::launch), which is unsafe and says what its
/// caller sees to. `grid` and `block` are one word, or an expression in parentheses:
/// `add<<<(n.div_ceil(256)), 256>>>(a, n)`.
#[macro_export]
macro_rules! launch {
    ($stream:expr, $function:ident <<< $grid:tt, $block:tt >>> ($($argument:expr),* $(,)?)) => {
        {
            #[allow(unused_parens, reason = "an expression of several words needs them")]
            let (grid, block) = ($grid, $block);
            $function.launch(&$stream, grid, block, ($($argument,)*))
        }
    };
}
