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
/// launch!(stream, add<<<1, 256>>>(column.pointer())) // one argument of two
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<u32>) -> Result<()> {
/// launch!(stream, add<<<1, 256>>>(column.pointer(), 1)) // integers for floats
/// # }
/// ```
///
/// ```no_run
/// # use treepar_kernels::{driver::{DeviceBuffer, DevicePointer, Stream, TypedFunction}, launch, machine::Result};
/// # fn f(stream: &Stream, add: &TypedFunction<(DevicePointer<f32>, u32)>, column: &DeviceBuffer<f32>) -> Result<()> {
/// launch!(stream, add<<<1, 256>>>(column.pointer(), 1))
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TypedFunction<P> {
    function: Function,
    parameters: PhantomData<fn(P)>,
}

impl Function {
    /// The function with the types of its parameters.
    ///
    /// # Safety
    /// The kernel has parameters of these types, and with any values of them that its callers give it, it touches no
    /// memory but that of living buffers, and does not run forever.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the PTX has another number of parameters, or parameters of other sizes.
    pub unsafe fn typed<P: Parameters>(&self) -> Result<TypedFunction<P>> {
        check_sizes(self, &P::bytes())?;
        Ok(TypedFunction { function: self.clone(), parameters: PhantomData })
    }

    /// Runs `grid` blocks of `block` threads; each argument is the bytes of one parameter, laid out as C++ does.
    ///
    /// # Safety
    /// With these arguments the kernel touches no memory but that of living buffers.
    ///
    /// # Errors
    /// [`Error::Arguments`] if their number or sizes are not the entry's, or the grid or block is empty or too large;
    /// [`Error::Lost`] or [`Error::Driver`].
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
        let launched = context.with(|cuda| {
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
    /// # Errors
    /// [`Error::Arguments`] if the grid or block is empty or too large; [`Error::Lost`] or [`Error::Driver`].
    pub fn launch(&self, stream: &Stream, grid: usize, block: usize, mut arguments: P) -> Result<()> {
        // SAFETY: as was asserted where the function got its type; the arguments stay until the call returns.
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

/// Runs a [`TypedFunction`](crate::driver::TypedFunction) as CUDA writes it: `launch!(stream, add<<<grid, block>>>(a, n))`.
///
/// `grid` and `block` are one word, or an expression in parentheses: `add<<<(n.div_ceil(256)), 256>>>(a, n)`.
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
