//! Kernels and what runs them: device functions as data, the templates in CUDA C++ (the folder `kernels`), and machines.
//!
//! | module | what it holds | feature |
//! |---|---|---|
//! | this one | what `#[device]` records, so that kernels can be listed and generated | |
//! | [`machine`] | what a backend needs of a machine that runs kernels | |
//! | [`digest`] | keys of texts, the same everywhere | |
//! | [`tuning`] | threads of a block, rows of a thread | |
//! | [`ptx`] | kernels that were compiled when the crate was made | |
//! | `driver` | a GPU behind its driver; NVRTC, and the cache of what it made | `cuda` |
//! | `emulator` | the same kernels on the host, with checks | `emulate` |
//!
//! `treepar`'s macro registers every device function that a template runs, with its source text, the constants it
//! reads, the types it names and the device functions it calls. [`kernels`] lists all of them in the program at hand.
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
