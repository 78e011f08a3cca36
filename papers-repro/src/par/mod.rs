//! Programs in Par: compiled with chosen passes, and run on this machine and on the simulator.
//!
//! ```text
//! variant    a form, a list of passes and a processor, as the tables of data/variants.json name them
//! compiled   a program as executable, and how many operations on whole arrays it has after a pass
//! foreign    the same programs in other languages, for installed compilers
//! native     processor time of an executable on this machine
//! simulated  executed instructions and accesses to memory
//! table      one measurement for each program and variant
//! ```
//!
//! A program reads how often it repeats its work. A run with no repetition takes the time of the start and of making the input, which is
//! subtracted.

pub mod compiled;
pub mod foreign;
pub mod native;
pub mod simulated;
pub mod table;
pub mod variant;

/// A program in Par.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name of its file, which is in the folder `programs`.
    pub file: &'static str,
    /// The text.
    pub text: &'static str,
}

/// Returns a program of the folder `programs`.
macro_rules! program {
    ($file:literal) => {
        $crate::par::Program { file: $file, text: include_str!(concat!("../../programs/", $file)) }
    };
}
pub(crate) use program;
