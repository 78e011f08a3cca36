//! `#[device]`: the single source of both twins of a kernel. Its reference stands at `treepar::device`.

mod function;
mod structure;
mod subset;

use proc_macro::TokenStream;

/// Marks a function or struct that runs on every backend.
///
/// # The subset
///
/// A device function is a Rust function in the part of the language that CUDA C++ can say with the same meaning; all
/// else is an error where it stands, which says what to write instead.
///
/// | construct | in the subset | instead of the rest |
/// |---|---|---|
/// | scalars | `u8 u16 u32 u64 i32 i64 f32 bool usize` | `i64` for `isize`, `f32` for `f64` |
/// | structs | `#[device]` structs of scalars: literals with all fields, field access | a struct for a tuple |
/// | parameters | scalars and structs by value; columns as `&[T]` with T neither `bool` nor `usize` | `u8`, `u32` |
/// | results | a scalar, a struct, or a tuple of them | every template writes; a function returns |
/// | locals | `let` with a value, `let mut`, `let (a, b) = f(..)` | |
/// | reads | `column[i]`, `TABLE[i]`, `column.len()`, constants in capitals | bounds for sub-slices |
/// | control | `if`, `match` on constants, `for i in a..b`, `while`, `break`, `continue`, `return` | `while` for `loop` |
/// | operators | all on numbers; `as` between them | |
/// | methods | `wrapping_{add, sub, mul, neg, shl, shr}`, `min`, `max`, `count_ones`, `leading_zeros`, `trailing_zeros`, `rotate_left`, `rotate_right`, `to_bits` | `if` and operators |
/// | calls | other device functions, `f32::from_bits` | loops and walks for recursion |
///
/// Arithmetic that overflows is a fault of the caller's in `+`, `-` and `*`, found by debug builds, and wraps in others
/// and on a GPU; where wrapping is meant, the `wrapping_` methods say so. Division by zero panics on the CPU.
///
/// # The roles
///
/// The attribute's argument names the templates that the function fills: the table at `treepar::device`.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand(attribute.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(
    attribute: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> syn::Result<proc_macro2::TokenStream> {
    match syn::parse2::<syn::Item>(item)? {
        syn::Item::Fn(function) => function::expand(syn::parse2(attribute)?, function),
        syn::Item::Struct(structure) if attribute.is_empty() => structure::expand(structure),
        syn::Item::Struct(_) => {
            Err(syn::Error::new_spanned(attribute, "a device struct takes no options: write `#[device]` alone"))
        }
        other => Err(syn::Error::new_spanned(other, "`#[device]` stands before a function or a struct")),
    }
}
