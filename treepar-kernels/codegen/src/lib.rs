//! CUDA C++ from device functions.
//!
//! `#[device]` has checked each function and put its text into the registry, with the types that it names, the constants
//! that it reads and the functions that it calls. Here the text becomes C++ with the same meaning: integers wrap, casts
//! saturate or cut as `as` does, shifts mask, every literal has its type. The operators are functions of
//! `kernels/types.cuh`, which one text serves a GPU's compiler and a host's.
//!
//! ```
//! use treepar::device::{DeviceFn, device};
//!
//! /// The middle of two.
//! #[device]
//! fn middle(a: u32, b: u32) -> u32 {
//!     a / 2 + b / 2 + (a & b & 1)
//! }
//!
//! let text = treepar_codegen::translate(&[middle::DEF])?;
//! assert!(text.contains("__device__ inline u32"));
//! assert!(text.contains("return add(add(div(a, u32(2u)), div(b, u32(2u))), u32(u32(a & b) & u32(1u)));"));
//! # Ok::<(), treepar_codegen::Error>(())
//! ```

mod canonical;
mod emit;
mod shell;
mod types;
mod unit;

use std::collections::HashSet;
use std::sync::OnceLock;

use treepar_device::Def;

pub use canonical::Canonical;
pub use shell::{entries, entry};
pub use unit::{Grouping, Kernels, TOGETHER, unit_of, units};

pub use types::{spelled, text};

/// Why a device function could not be translated: a fault of this crate's, since `#[device]` has checked it.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: device function `{function}`: {what}")]
pub struct Error {
    /// The function.
    pub function: &'static str,
    /// Its file.
    pub file: &'static str,
    /// The line of its attribute.
    pub line: u32,
    /// What it holds that has no translation.
    pub what: String,
}

pub use treepar_kernels::sources::TYPES;

/// Returns the templates as one text. It includes `emulator.hpp` instead of `machine.cuh` if `TREEPAR_EMULATE` is defined.
pub fn templates() -> &'static str {
    use treepar_kernels::sources::{MACHINE, TEMPLATES, WORDS};
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let templates = TEMPLATES.join("\n");
        let text = format!(
            "{TYPES}\n{WORDS}\n#ifdef TREEPAR_EMULATE\n#include \"emulator.hpp\"\n#else\n{MACHINE}\n#endif\n\n{templates}"
        );
        text.replace("#pragma once\n\n", "")
    })
}

/// The functions and all that they call, each behind those that it calls, with their structs in front.
///
/// # Errors
/// The first function that holds what has no translation.
pub fn translate(functions: &[&'static Def]) -> Result<String, Error> {
    let mut text = Text::default();
    for function in functions {
        text.add(function)?;
    }
    let Text { structs, bodies, .. } = text;
    Ok(format!("namespace treepar {{\n\n{}{bodies}}}  // namespace treepar\n", structs.text()))
}

/// The name of a function in C++: its path, with two underscores between the parts.
pub fn name(function: &Def) -> String {
    types::path(function.module, function.name)
}

/// The text of some functions.
#[derive(Default)]
struct Text {
    structs: types::Structs,
    bodies: String,
    /// The functions in the text, and those whose calls are being added.
    done: HashSet<String>,
    open: Vec<String>,
}

impl Text {
    /// Adds a function after those that it calls.
    fn add(&mut self, function: &'static Def) -> Result<(), Error> {
        let name = name(function);
        if self.done.contains(&name) {
            return Ok(());
        }
        if self.open.contains(&name) {
            // A cycle of functions does not compile in Rust; one through a method does.
            return Err(emit::failure(function, "a call of itself: use a loop, or a walk over the tree".into()));
        }
        self.open.push(name);
        let (text, methods) = emit::function(function)?;
        for called in function.calls.iter().copied().chain(methods) {
            self.add(called)?;
        }
        self.structs.add(function);
        self.bodies.push_str(&text);
        self.done.extend(self.open.pop());
        Ok(())
    }
}
