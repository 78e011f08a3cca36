//! `#[device]`: the single source of both twins of a kernel. `treepar::device` documents it.
//!
//! ```text
//! item -> parse (role, signature, body) -> errors, or: function + type + traits + registry
//! ```

mod call;
mod function;
mod methods;
mod newtype;
mod parse;
mod structure;
mod table;
mod tables;
mod words;

use proc_macro::TokenStream;

/// Declares a function, type or table that runs on every backend.
///
/// # The subset
///
/// A device function is a Rust function in the part of the language that CUDA C++ can express with the same meaning.
/// Everything else is an error at its span, with an alternative. All errors of a function are reported at once.
///
/// | construct | in the subset | CUDA C++ | instead of the rest |
/// |---|---|---|---|
/// | scalars | `u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 bool`, and `usize` for indexing | `uint8_t` .. `uint64_t`, `int8_t` .. `int64_t`, `float`, `double`, `bool`, `uint64_t` | `i64` for `isize`, two `u64` for `u128` and `i128`, which no GPU has, `u32` for `char` |
/// | structs | `#[device]` structs with named fields, without padding: literals with every field, field access, `==` | the same `struct`; `==` field by field | a struct for an array or a nested tuple |
/// | indices | `#[device(index)] struct RowId(u32)`: `new get index NONE is_none plus minus`, comparison | `u32` | |
/// | enums | `#[device] enum Kind`, without fields: `Kind::Add`, `ALL COUNT code from_code`, comparison | `uint8_t` | a column per field |
/// | device methods | `#[device] impl Kind { fn is_binary(self) .. }`, called as `kind.is_binary()` or `Kind::of(x)` | a function | a device function for a method of a number |
/// | type aliases | of the above | the type itself | |
/// | parameters | scalars and structs by value; columns as `&[T]`, T neither `bool` nor `usize`; tables, and several tables together, as `&Rows` | values; `const T *` and a length; a struct of columns | `u8` for truth, `u32` for an index |
/// | result | a scalar, a struct, or a tuple of them; of templates that write columns up to 10, or a table's row | a value, or a struct of them | return the row |
/// | locals | `let` with a value, `let mut`, a type where it is wanted, `let (a, b) = f(..)`; shadowing | a variable of that type, renamed if shadowed or a keyword of C++ | |
/// | assignment | `=`, `+=` and the like, to a local or a field of one, as statements | the same | |
/// | literals | integers, `b'x'`, `true`, `1.5f32`, `1.5f64` | with the suffix of their type | |
/// | reads | `column[i]`, `rows.kind[r]`, `both.rows.kind[r]`, `TABLE[i]`, `column.len()`, `rows.len()`, constants in capitals, `u32::MAX` | a load; the value that rustc gave to the constant | bounds and an index for `&column[a..b]` |
/// | `if`, `else` | as a statement, or with `else` as a value | `if`, assigning a variable where it is a value | `if let`: compare |
/// | `match` | constants, literals, ranges, `\|`, `_`; the last pattern may be a name | `if` and `else` in order | `if` for a guard |
/// | loops | `for i in a..b`, with the bounds taken once; `while`; `break`, `continue` | `for`, `while` | `while` for `loop` and iterators, a variable for a label |
/// | blocks, `return` | as in Rust | statements, evaluated in Rust's order | |
/// | arithmetic | `+ - *` on numbers: see below | at the operands' width, without promotion to `int`; signed through unsigned; floats without contraction to fused operations | |
/// | `/`, `%` | on numbers | the same, truncating; `fmodf`, `fmod` | |
/// | bits | `& \| ^ ! << >>`; the amount of a shift is of any integer type | at the operands' width; `!` is `~` or, of a `bool`, `!` | |
/// | comparison, `&& \|\| !` | as in Rust | the same | |
/// | casts | `as` between scalars | truncating, sign extending; from a float to an integer saturating, NaN to 0; to a float rounded to nearest | |
/// | methods | `wrapping_add wrapping_sub wrapping_mul wrapping_neg wrapping_abs wrapping_pow` | unsigned arithmetic | `if` and operators for `checked_` |
/// | | `wrapping_div wrapping_rem` | as `/` and `%`; the least number by -1 wraps | |
/// | | `wrapping_shl wrapping_shr` | the shift amount masked by the width | |
/// | | `saturating_add saturating_sub saturating_mul` | the wrapped result, and a comparison | |
/// | | `min max clamp` | comparison; of `min` and `max` a NaN gives way | |
/// | | `abs unsigned_abs abs_diff signum is_positive is_negative rem_euclid div_euclid pow`; `abs` and `pow` overflow as `-` and `*` do | comparison and operators | |
/// | | `count_ones leading_zeros trailing_zeros count_zeros leading_ones trailing_ones is_power_of_two` | `__popc`, `__clz`, `__ffs`, with the width for zero | |
/// | | `rotate_left rotate_right` | two shifts | |
/// | floats | `abs signum copysign floor ceil trunc fract round round_ties_even rem_euclid div_euclid recip` | `floorf`, `ceilf`, `truncf`, `rintf`, and operators; the same for `double` | |
/// | | `sqrt mul_add` | `__fsqrt_rn`, `__fmaf_rn`, `__dsqrt_rn`, `__fma_rn` | products and a table for `exp`, `sin`, `powf` and the like, which machines round differently |
/// | | `is_nan is_finite is_infinite is_sign_negative is_sign_positive` | comparison of bits | |
/// | | `to_bits`, `f32::from_bits`, `f64::from_bits` | `__float_as_uint`, `__uint_as_float`; `__double_as_longlong`, `__longlong_as_double` | |
/// | calls | other device functions, by name; columns are passed on as they are | `__device__` functions | loops, and walks over the tree, for recursion |
/// | attributes | doc comments, lints, `must_use`, `deprecated` | none | |
/// | | `#[host(path)]`, not before monoids and methods: see below | none | |
///
/// A device function may be a `const fn`, so that tables can be made of its results.
///
/// Also outside the subset: references, closures, iterators, macros, generics, lifetimes, other qualifiers of `fn`, text,
/// arrays as locals, `Option`, `?`, enums with fields, items inside the function, and writes to columns. A template
/// writes the function's result, so a device function cannot race.
///
/// # Where the twins may differ
///
/// Where a function overflows, divides by zero or reads outside a column, which are faults of the caller's, and in sums of
/// floats. The page `docs/device-functions.md` of the repository has a table. Where wrapping is meant, the `wrapping_`
/// methods say so.
///
/// # A form for the CPU
///
/// `#[host(path)]` after `#[device]` names a Rust function of the same parameters and result, which the CPU calls instead. It may use
/// what is not in the subset, such as a processor's vectors. It must return the same for all arguments: a test compares
/// it with the body. `treepar::text::matches` has one.
///
/// # Structs
///
/// `#[device]` before a struct lays it out as C does and makes it an element of columns. Its fields are numbers and
/// device types, neither `bool` nor `usize`, without padding between or after them. It derives `Clone`, `Copy`, `Debug`, `Default` and
/// `PartialEq`; more, as `#[derive(Eq, Hash)]`, may follow. `treepar::Element` has an example of a struct that a map returns.
///
/// # Indices and enums
///
/// `#[device(index)]` before `struct RowId(u32);` declares an index. `#[device]` before an enum without fields declares an
/// open enum: a byte with a constant for each variant, valid for every byte. Both are elements of columns, and derive `Clone`, `Copy`,
/// `Default`, `Eq`, `Ord`, `Hash` and what these need; `Debug` shows the variant's name.
/// `#[device]` before an `impl` declares methods that other device functions call; a type has at most one.
///
/// # Tables
///
/// `#[device(columns(Rows, index = RowId))]` before `struct Row { .. }` declares the row of a table. It generates
///
/// | type | content |
/// |---|---|
/// | `Rows<B>` | one public column per field on a backend, `len`, `upload`, `download`, `visit`, `COLUMNS` |
/// | `HostRows` | one public `Vec` per field, `len`, `row`, `push`, `FromIterator<Row>` |
/// | `RowsView` | the type of a device function's parameter `rows: &Rows` on the CPU |
///
/// A device function reads `rows.kind[r]` with `r: RowId`. One that returns `Row` fills a `Rows<B>`. `Row` derives `Clone`, `Copy`, `Debug`,
/// `Default` and `PartialEq`.
///
/// `#[device(tables)]` before `struct Both { rows: &Rows, x: &[u32] }` declares several tables and columns that device functions
/// take as one parameter, `both: &Both`. It generates
///
/// | type | content |
/// |---|---|
/// | `BothOn<'a, B>` | one public reference per field on a backend; the caller passes `&BothOn { rows: &rows, x: &x }` |
/// | `HostBoth` | one public field per table or column, in host memory |
/// | `BothView` | the type of the parameter on the CPU |
///
/// A device function reads `both.rows.kind[r]` and `both.x[i]`, and passes `both`, `both.rows` and `both.x` to others.
///
/// # The roles
///
/// The attribute's argument names the templates that the function fills. The table at `treepar::device` lists them.
/// A device function calls only device functions; for other functions, rustc reports `expected type, found function`.
/// Functions that call each other are reported as a cycle of their `DEF`s.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand(attribute.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(
    attribute: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> syn::Result<proc_macro2::TokenStream> {
    match syn::parse2::<syn::Item>(item)? {
        syn::Item::Fn(function) => Ok(function::expand(syn::parse2(attribute), function)),
        syn::Item::Struct(structure) if attribute.is_empty() => Ok(structure::expand(structure)),
        syn::Item::Struct(structure) if attribute.to_string() == "index" => Ok(newtype::index(structure)),
        syn::Item::Struct(structure) if attribute.to_string().starts_with("columns") => {
            Ok(table::expand(syn::parse2(attribute)?, structure))
        }
        syn::Item::Struct(structure) if attribute.to_string() == "tables" => Ok(tables::expand(structure)),
        syn::Item::Struct(_) => Err(syn::Error::new_spanned(
            attribute,
            "a device struct is `#[device]`, `#[device(index)]`, `#[device(columns(Rows, index = RowId))]` or `#[device(tables)]`",
        )),
        syn::Item::Enum(item) if attribute.is_empty() => Ok(newtype::enumeration(item)),
        syn::Item::Impl(item) if attribute.is_empty() => Ok(methods::expand(item)),
        syn::Item::Enum(_) | syn::Item::Impl(_) => {
            Err(syn::Error::new_spanned(attribute, "a device enum or `impl` takes no options: write `#[device]`"))
        }
        other => Err(syn::Error::new_spanned(other, "`#[device]` declares a function, a struct, an enum or an `impl`")),
    }
}
