//! The methods of the subset. Each has an exact counterpart in CUDA C++.

/// The types that a method takes and returns, relative to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// The receiver's type.
    Same,
    /// A `u32`.
    U32,
    /// A `bool`.
    Bool,
    /// The unsigned integer of the receiver's size.
    Unsigned,
    /// The float of the receiver's size.
    Float,
    /// Nothing: the method takes no argument.
    None,
}

/// A method of scalars.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name in Rust.
    pub name: &'static str,
    /// The type of each argument.
    pub argument: Typing,
    /// The result's type.
    pub result: Typing,
    /// The function in `kernels/types.cuh`, or, in the namespace `rust`, in `kernels/methods.cuh`.
    pub function: &'static str,
}

const fn method(name: &'static str, argument: Typing, result: Typing, function: &'static str) -> Method {
    Method { name, argument, result, function }
}

/// The methods of scalars. `from_bits` is written `f32::from_bits(x)`.
pub const METHODS: [Method; 51] = [
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
    method("to_bits", Typing::None, Typing::Unsigned, "to_bits"),
    method("from_bits", Typing::None, Typing::Float, "from_bits"),
    method("wrapping_div", Typing::Same, Typing::Same, "div"),
    method("wrapping_rem", Typing::Same, Typing::Same, "rem"),
    method("wrapping_abs", Typing::None, Typing::Same, "rust::abs"),
    method("wrapping_pow", Typing::U32, Typing::Same, "rust::pow"),
    method("saturating_add", Typing::Same, Typing::Same, "rust::saturating_add"),
    method("saturating_sub", Typing::Same, Typing::Same, "rust::saturating_sub"),
    method("saturating_mul", Typing::Same, Typing::Same, "rust::saturating_mul"),
    method("pow", Typing::U32, Typing::Same, "rust::pow"),
    method("abs", Typing::None, Typing::Same, "rust::abs"),
    method("unsigned_abs", Typing::None, Typing::Unsigned, "rust::unsigned_abs"),
    method("abs_diff", Typing::Same, Typing::Unsigned, "rust::abs_diff"),
    method("signum", Typing::None, Typing::Same, "rust::signum"),
    method("is_positive", Typing::None, Typing::Bool, "rust::is_positive"),
    method("is_negative", Typing::None, Typing::Bool, "rust::is_negative"),
    method("rem_euclid", Typing::Same, Typing::Same, "rust::rem_euclid"),
    method("div_euclid", Typing::Same, Typing::Same, "rust::div_euclid"),
    method("clamp", Typing::Same, Typing::Same, "rust::clamp"),
    method("count_zeros", Typing::None, Typing::U32, "rust::count_zeros"),
    method("leading_ones", Typing::None, Typing::U32, "rust::leading_ones"),
    method("trailing_ones", Typing::None, Typing::U32, "rust::trailing_ones"),
    method("is_power_of_two", Typing::None, Typing::Bool, "rust::is_power_of_two"),
    method("sqrt", Typing::None, Typing::Same, "rust::sqrt"),
    method("mul_add", Typing::Same, Typing::Same, "rust::mul_add"),
    method("floor", Typing::None, Typing::Same, "rust::floor"),
    method("ceil", Typing::None, Typing::Same, "rust::ceil"),
    method("trunc", Typing::None, Typing::Same, "rust::trunc"),
    method("fract", Typing::None, Typing::Same, "rust::fract"),
    method("round", Typing::None, Typing::Same, "rust::round"),
    method("round_ties_even", Typing::None, Typing::Same, "rust::round_ties_even"),
    method("copysign", Typing::Same, Typing::Same, "rust::copysign"),
    method("is_nan", Typing::None, Typing::Bool, "rust::is_nan"),
    method("is_finite", Typing::None, Typing::Bool, "rust::is_finite"),
    method("is_infinite", Typing::None, Typing::Bool, "rust::is_infinite"),
    method("is_sign_negative", Typing::None, Typing::Bool, "rust::is_sign_negative"),
    method("is_sign_positive", Typing::None, Typing::Bool, "rust::is_sign_positive"),
    method("recip", Typing::None, Typing::Same, "rust::recip"),
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
