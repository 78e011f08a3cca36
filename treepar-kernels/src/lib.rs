//! Kernels and machines: device functions as data, templates in CUDA C++ (the folder `kernels`), and machines that run them.
//!
//! | module | contents | feature |
//! |---|---|---|
//! | this one | the records of `#[device]`, from which kernels are listed and generated | |
//! | [`machine`] | the interface between a backend and a machine that runs kernels | |
//! | [`digest`] | digests of texts, the same on every machine | |
//! | [`sources`] | the text of the templates | |
//! | [`tuning`] | threads per block, rows per thread | |
//! | `ptx` | kernels compiled ahead of time, in archives | `cuda` |
//! | `driver` | a GPU with its driver; NVRTC, and a cache of compiled kernels | `cuda` |
//! | `emulator` | the same kernels on the host, with checks | `emulate` |
//!
//! `treepar`'s macro registers every device function that a template runs, with its source text, the constants it
//! reads, the types it names and the device functions it calls. [`kernels`] lists all device functions of the program.
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
#[cfg(feature = "cuda")]
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

/// A type of the device subset.
#[derive(Clone, Copy)]
pub enum Type {
    /// A number or truth value, by its name in Rust.
    Scalar(&'static str),
    /// A struct.
    Struct(&'static Struct),
    /// An index or an enum: a scalar with a meaning.
    Newtype(&'static Newtype),
    /// A table: the row's struct, with one column per field.
    Table(&'static Struct),
}

/// A device struct, or the row or the columns of a table.
pub struct Struct {
    /// The name in Rust.
    pub name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
    /// The fields in order.
    pub fields: &'static [(&'static str, Type)],
    /// `true` if a column can hold it; a table's row is spread over one column per field instead.
    pub is_element: bool,
    /// Returns the device methods.
    pub methods: fn() -> Methods,
}

/// An index newtype or a device enum. A machine sees only the scalar.
pub struct Newtype {
    /// The name in Rust.
    pub name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
    /// The scalar's name.
    pub repr: &'static str,
    /// Returns the device methods.
    pub methods: fn() -> Methods,
}

/// The device methods of a type by name.
pub type Methods = &'static [(&'static str, &'static Def)];

/// Provides an empty list of methods for each type.
///
/// `#[device] impl T` adds an inherent constant of the same name, which Rust prefers.
pub trait NoMethods {
    /// No method.
    const DEVICE_METHODS: Methods = &[];
}

impl<T: ?Sized> NoMethods for T {}

impl Type {
    /// Returns the name and the module of a type that is not a scalar.
    pub fn path(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Type::Scalar(_) => None,
            Type::Struct(ty) | Type::Table(ty) => Some((ty.module, ty.name)),
            Type::Newtype(ty) => Some((ty.module, ty.name)),
        }
    }

    /// Returns the device methods.
    pub fn methods(&self) -> Methods {
        match self {
            Type::Scalar(_) => &[],
            Type::Struct(ty) | Type::Table(ty) => (ty.methods)(),
            Type::Newtype(ty) => (ty.methods)(),
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Struct(_), Type::Struct(_))
            | (Type::Table(_), Type::Table(_))
            | (Type::Newtype(_), Type::Newtype(_)) => self.path() == other.path(),
            _ => false,
        }
    }
}

impl Eq for Type {}

/// Writes the type with its fields. The text is the same in each run, so that keys can be made of it.
impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Scalar(name) => f.write_str(name),
            Type::Newtype(ty) => write!(f, "{}::{}({})", ty.module, ty.name, ty.repr),
            Type::Struct(ty) | Type::Table(ty) => {
                write!(f, "{}::{} ", ty.module, ty.name)?;
                f.debug_map().entries(ty.fields.iter().map(|(name, ty)| (name, ty))).finish()
            }
        }
    }
}

/// A type that device functions can name.
#[diagnostic::on_unimplemented(
    message = "type `{Self}` is not in the device subset",
    label = "neither a scalar nor declared with `#[device]`",
    note = "write `#[device]` before the struct or enum"
)]
pub trait Described {
    /// The description.
    const TYPE: Type;
}

/// The value of a constant that a device function reads, with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The type; of a table of constants, its element's type.
    pub ty: Type,
    /// The number of rows of a table of constants; `None` for a single value.
    pub rows: Option<usize>,
    /// The words of the value, as [`Words`] writes them.
    pub words: Vec<u64>,
}

impl Value {
    /// Returns the value of a constant.
    pub fn of(constant: impl Constant) -> Value {
        constant.value()
    }
}

/// A constant that device functions can read.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be read by a device function",
    label = "not in the device subset",
    note = "use a scalar, a `#[device]` type, or an array `[T; N]` of them"
)]
pub trait Constant {
    /// Returns the value.
    fn value(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Described + Words> Constant for T {
    fn value(&self) -> Value {
        let mut words = Vec::new();
        self.write(&mut words);
        Value { ty: T::TYPE, rows: None, words }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Described + Words, const N: usize> Constant for [T; N] {
    fn value(&self) -> Value {
        let mut words = Vec::new();
        self.iter().for_each(|row| row.write(&mut words));
        Value { ty: T::TYPE, rows: Some(N), words }
    }
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
        impl Described for $ty {
            const TYPE: Type = Type::Scalar(stringify!($ty));
        }
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
    /// The types that it names besides the scalars: device types and aliases.
    pub types: &'static [(&'static str, Type)],
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
