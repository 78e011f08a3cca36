//! The methods of the subset. Each has an exact counterpart in CUDA C++.

/// The types that a method takes and returns, relative to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// The receiver's type.
    Same,
    /// A `u32`.
    U32,
    /// An `f32`.
    F32,
    /// Nothing: the method takes no argument.
    None,
}

/// A method of scalars.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name in Rust.
    pub name: &'static str,
    /// The argument's type.
    pub argument: Typing,
    /// The result's type.
    pub result: Typing,
    /// The function in `kernels/types.cuh`.
    pub function: &'static str,
}

const fn method(name: &'static str, argument: Typing, result: Typing, function: &'static str) -> Method {
    Method { name, argument, result, function }
}

/// The methods of scalars. `from_bits` is written `f32::from_bits(x)`.
pub const METHODS: [Method; 15] = [
    method("wrapping_add", Typing::Same, Typing::Same, "add"),
    method("wrapping_sub", Typing::Same, Typing::Same, "sub"),
    method("wrapping_mul", Typing::Same, Typing::Same, "mul"),
    method("wrapping_neg", Typing::None, Typing::Same, "neg"),
    method("wrapping_shl", Typing::U32, Typing::Same, "shl"),
    method("wrapping_shr", Typing::U32, Typing::Same, "shr"),
    method("min", Typing::Same, Typing::Same, "least"),
    method("max", Typing::Same, Typing::Same, "greatest"),
    method("count_ones", Typing::None, Typing::U32, "count_ones"),
    method("leading_zeros", Typing::None, Typing::U32, "leading_zeros"),
    method("trailing_zeros", Typing::None, Typing::U32, "trailing_zeros"),
    method("rotate_left", Typing::U32, Typing::Same, "rotate_left"),
    method("rotate_right", Typing::U32, Typing::Same, "rotate_right"),
    method("to_bits", Typing::None, Typing::U32, "to_bits"),
    method("from_bits", Typing::None, Typing::F32, "from_bits"),
];

/// Returns a method of scalars.
pub fn of_scalar(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// A method that every index or enum has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// `get` or `code`: the scalar.
    Scalar,
    /// `index`: the row as `usize`.
    Index,
    /// `is_none`.
    IsNone,
    /// `plus`.
    Plus,
    /// `minus`.
    Minus,
}

/// Returns a method that every index or enum has.
pub fn of_newtype(name: &str) -> Option<Own> {
    Some(match name {
        "get" | "code" => Own::Scalar,
        "index" => Own::Index,
        "is_none" => Own::IsNone,
        "plus" => Own::Plus,
        "minus" => Own::Minus,
        _ => return None,
    })
}

/// Returns whether an associated function makes an index or enum of its scalar.
pub fn is_constructor(name: &str) -> bool {
    matches!(name, "new" | "from_code")
}
