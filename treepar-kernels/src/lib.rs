//! Device functions as data: what `#[device]` records so that kernels can be listed and generated.
//!
//! `treepar`'s macro registers every device function that a template runs, with its source text, the constants it
//! reads, the types it names and the device functions it calls. [`kernels`] lists all of them in the program at hand.
//!
//! ```text
//! #[device(map)] fn f --registers--> Kernel { template: "map", functions: [&F] } --kernels()--> a generator
//! ```

/// A parameter of a device function, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type, as tokens: `usize`, `& [u32]`.
    pub ty: &'static str,
}

/// The value of a constant that a device function reads; with it, its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number or truth value, with the Rust name of its type and its bits.
    Scalar(&'static str, u64),
    /// A table of numbers of one type.
    Table(&'static str, Vec<u64>),
    /// A device struct: its fields in order, laid out as in C.
    Struct {
        /// Its name in Rust.
        name: &'static str,
        /// The module that holds it.
        module: &'static str,
        /// Name and value of each field.
        fields: Vec<(&'static str, Value)>,
    },
}

impl Value {
    /// The value of a constant.
    pub fn of(constant: impl Constant) -> Value {
        constant.value()
    }

    /// The zero of a type: what a generator learns of a device struct or an alias.
    pub fn zero<T: Named>() -> Value {
        T::zero()
    }
}

/// A constant that device functions can read.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be read by a device function",
    label = "not in the device subset",
    note = "use a scalar, a `#[device]` struct, or an array `[T; N]` of scalars"
)]
pub trait Constant {
    /// Its value.
    fn value(self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T> Constant for T
where
    Value: From<T>,
{
    fn value(self) -> Value {
        self.into()
    }
}

/// A type that device functions can name.
#[diagnostic::on_unimplemented(
    message = "type `{Self}` is not in the device subset",
    label = "neither a scalar nor a `#[device]` struct",
    note = "write `#[device]` before the struct"
)]
pub trait Named {
    /// The value with all bits zero.
    fn zero() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Named for T
where
    Value: From<T>,
{
    fn zero() -> Value {
        T::default().into()
    }
}

macro_rules! value_of {
    ($($ty:ident: $bits:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Value {
                let bits: fn($ty) -> u64 = $bits;
                Value::Scalar(stringify!($ty), bits(value))
            }
        }
        impl<const N: usize> From<[$ty; N]> for Value {
            fn from(table: [$ty; N]) -> Value {
                let bits: fn($ty) -> u64 = $bits;
                Value::Table(stringify!($ty), table.into_iter().map(bits).collect())
            }
        }
    )*};
}

value_of! {
    u8: |x| x.into();
    u16: |x| x.into();
    u32: |x| x.into();
    u64: |x| x;
    usize: |x| x as u64;
    i32: |x| u64::from(x as u32);
    i64: |x| x as u64;
    f32: |x| x.to_bits().into();
    bool: |x| x.into();
}

/// A device function: one source for the twin on the CPU and the twin on the GPU.
pub struct Def {
    /// Its name in Rust.
    pub name: &'static str,
    /// The module that holds it.
    pub module: &'static str,
    /// The file that holds it.
    pub file: &'static str,
    /// The line of its attribute.
    pub line: u32,
    /// Its parameters in order.
    pub parameters: &'static [Parameter],
    /// The type it returns.
    pub output: &'static str,
    /// Its text, from the syntax tree.
    pub source: &'static str,
    /// The constants that it reads by name, as rustc evaluated them.
    pub constants: fn() -> Vec<(&'static str, Value)>,
    /// The types that it names beside the scalars, device structs and aliases, each with its zero.
    pub types: fn() -> Vec<(&'static str, Value)>,
    /// The identity, where it is a monoid.
    pub identity: Option<fn() -> Value>,
    /// The device functions that it calls.
    pub calls: &'static [&'static Def],
}

impl std::fmt::Debug for Def {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.module, self.name)
    }
}

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
