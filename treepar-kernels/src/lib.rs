//! Kernels and what runs them: device functions as data, the templates in CUDA C++ (the folder `kernels`), and machines.
//!
//! | module | what it holds | feature |
//! |---|---|---|
//! | this one | what `#[device]` records, so that kernels can be listed and generated | |
//! | [`machine`] | what a backend needs of a machine that runs kernels | |
//! | [`digest`] | keys of texts, the same everywhere | |
//! | [`sources`] | the text of the templates | |
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
pub mod ptx;
pub mod sources;
pub mod tuning;

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

/// What a device function takes and returns, as words of 64 bits: how its twins are compared.
///
/// A scalar is a word with its bits, a struct its fields in order, a column its length and its rows. Every NaN is one.
pub trait Words: Sized {
    /// Reads a value; `None` where words are missing.
    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self>;
    /// Writes a value.
    fn write(&self, words: &mut Vec<u64>);
}

impl<T: Words> Words for Vec<T> {
    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Vec<T>> {
        let rows = words.next()?;
        (0..rows).map(|_| T::read(words)).collect()
    }
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        self.iter().for_each(|row| row.write(words));
    }
}

macro_rules! words_of_scalars {
    ($($ty:ident: $from:expr, $to:expr;)*) => {$(
        impl Words for $ty {
            fn read(words: &mut dyn Iterator<Item = u64>) -> Option<$ty> {
                let from: fn(u64) -> $ty = $from;
                words.next().map(from)
            }
            fn write(&self, words: &mut Vec<u64>) {
                let to: fn($ty) -> u64 = $to;
                words.push(to(*self));
            }
        }
    )*};
}

words_of_scalars! {
    u8: |w| w as u8, u64::from;
    u16: |w| w as u16, u64::from;
    u32: |w| w as u32, u64::from;
    u64: |w| w, |x| x;
    usize: |w| w as usize, |x| x as u64;
    i32: |w| w as u32 as i32, |x| u64::from(x as u32);
    i64: |w| w as i64, |x| x as u64;
    bool: |w| w & 1 != 0, u64::from;
    f32: |w| f32::from_bits(w as u32), |x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits().into() };
}

macro_rules! words_of_tuples {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Words),+> Words for ($($name,)+) {
            fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
                Some(($($name::read(words)?,)+))
            }
            fn write(&self, words: &mut Vec<u64>) {
                $(self.$index.write(words);)+
            }
        }
    };
}

words_of_tuples!(A 0);
words_of_tuples!(A 0, B 1);
words_of_tuples!(A 0, B 1, C 2);
words_of_tuples!(A 0, B 1, C 2, D 3);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
words_of_tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);

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
    /// The twin on the CPU, from words to words; `None` where words are missing.
    pub twin: fn(&[u64]) -> Option<Vec<u64>>,
    /// The device functions that it calls, by the paths that it writes.
    pub calls: &'static [(&'static str, &'static Def)],
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
