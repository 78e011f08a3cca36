//! Kernels and machines: device functions as data, templates in CUDA C++ (the folder `kernels`), and machines that run them.
//!
//! | module | contents | feature |
//! |---|---|---|
//! | this one | the records of `#[device]`, from which kernels are listed and generated | |
//! | [`machine`] | the interface between a backend and a machine that runs kernels | |
//! | [`digest`] | digests of texts, the same on every machine | |
//! | [`sources`] | the text of the templates | |
//! | [`tuning`] | threads per block, rows per thread | |
//! | `ptx` | kernels compiled ahead of time, in archives | `cuda` |
//! | `driver` | a GPU with its driver; NVRTC, and a cache of compiled kernels | `cuda` |
//! | `emulator` | the same kernels on the host, with checks | `emulate` |
//!
//! `treepar`'s macro registers every device function that a template runs, with its source text, the constants it
//! reads, the types it names and the device functions it calls. [`kernels`] lists all device functions of the program.
//!
//! ```text
//! #[device(map)] fn f --registers--> Kernel { template: "map", functions: [&F] } --kernels()--> a generator
//! ```

pub mod digest;
#[cfg(feature = "cuda")]
pub mod driver;
#[cfg(feature = "emulate")]
pub mod emulator;
#[cfg(any(feature = "cuda", feature = "emulate"))]
pub mod folder;
pub mod machine;
#[cfg(feature = "cuda")]
pub mod ptx;
pub mod sources;
pub mod tuning;

pub use treepar_device::Def;

/// One kernel: a template with the device functions that fill it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The template's name: `map`, `scan`, and so on.
    pub template: &'static str,
    /// What fills it, in the template's order.
    pub functions: &'static [&'static Def],
}

inventory::collect!(Kernel);

/// Every kernel that this program's crates registered, ordered by module, function and template.
pub fn kernels() -> Vec<&'static Kernel> {
    let mut all: Vec<&'static Kernel> = inventory::iter::<Kernel>.into_iter().collect();
    // Monoids too: the linker's order is no order.
    all.sort_by_cached_key(|kernel| {
        let names: Vec<_> = kernel.functions.iter().map(|def| (def.module, def.name)).collect();
        (names[0], kernel.template, names)
    });
    all
}

#[doc(hidden)]
pub use inventory;
