//! Device functions as data: what `#[device]` records so that kernels can be listed and generated.
//!
//! `treepar`'s macro registers every device function that a template runs, with its source text, the constants it
//! reads and the device functions it calls. [`kernels`] lists all of them in the program at hand.
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

/// The value of a constant that a device function reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number or truth value, with the Rust name of its type and its bits.
    Scalar(&'static str, u64),
    /// A table of numbers of one type.
    Table(&'static str, Vec<u64>),
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
    all.sort_by_key(|kernel| (kernel.functions[0].module, kernel.functions[0].name, kernel.template));
    all
}

#[doc(hidden)]
pub use inventory;
