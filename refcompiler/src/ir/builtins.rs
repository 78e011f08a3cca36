//! The functions of the runtime. Programs can call all but `remainder`, which the operator `%` of floats calls.

use crate::ir::tree::{runtime, ty};

/// A function of the runtime.
pub struct Builtin {
    /// The id in the function table.
    pub id: u32,
    /// The name.
    pub name: &'static str,
    /// The types of its parameters.
    pub parameters: &'static [u8],
    /// The type of its result.
    pub result: u8,
    /// The source; `None` if the function is machine code.
    pub text: Option<&'static str>,
}

/// The functions of the runtime by id.
pub const BUILTINS: [Builtin; runtime::COUNT as usize] = [
    Builtin {
        id: runtime::PRINT_INT,
        name: "print_int",
        parameters: &[ty::INT],
        result: ty::VOID,
        text: Some(include_str!("../runtime/print_int.par")),
    },
    Builtin {
        id: runtime::PRINT_FLOAT,
        name: "print_float",
        parameters: &[ty::FLOAT],
        result: ty::VOID,
        text: Some(include_str!("../runtime/print_float.par")),
    },
    Builtin { id: runtime::PRINT_CHAR, name: "print_char", parameters: &[ty::INT], result: ty::VOID, text: None },
    Builtin { id: runtime::READ_CHAR, name: "read_char", parameters: &[], result: ty::INT, text: None },
    Builtin {
        id: runtime::REMAINDER,
        name: "remainder",
        parameters: &[ty::FLOAT, ty::FLOAT],
        result: ty::FLOAT,
        text: Some(include_str!("../runtime/remainder.par")),
    },
];

/// The order in which used functions are added to the program: each function calls only functions that follow it.
pub const BUILTIN_ORDER: [u32; 3] = [runtime::PRINT_FLOAT, runtime::REMAINDER, runtime::PRINT_INT];
