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

mod emit;
mod expression;
mod shell;
mod types;
mod unit;

use std::collections::HashSet;
use std::sync::OnceLock;

use treepar_kernels::Def;

pub use shell::{entries, entry};
pub use unit::{Grouping, Kernels, TOGETHER, unit_of, units};

pub use types::{Type, spelled, type_of_parameter};

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
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    for function in functions {
        visit(function, &mut seen, &mut order);
    }
    let mut structs = types::Structs::default();
    let mut bodies = String::new();
    for function in &order {
        structs.add(function);
    }
    for function in order {
        bodies.push_str(&emit::function(function)?);
    }
    Ok(format!("namespace treepar {{\n\n{}{bodies}}}  // namespace treepar\n", structs.text()))
}

/// The name of a function in C++: its path, with two underscores between the parts.
pub fn name(function: &Def) -> String {
    format!("{}__{}", function.module.replace("::", "__"), function.name)
}

fn visit(function: &'static Def, seen: &mut HashSet<String>, order: &mut Vec<&'static Def>) {
    if seen.insert(name(function)) {
        function.calls.iter().for_each(|(_, called)| visit(called, seen, order));
        order.push(function);
    }
}
