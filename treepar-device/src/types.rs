//! The types of the subset, and the values of constants.

use crate::Def;

macro_rules! scalars {
    ($($variant:ident $ty:ident $bits:literal: $from:expr, $to:expr;)*) => {
        /// A number or truth value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are those of Rust's types")]
        pub enum Scalar {
            $($variant,)*
        }

        impl Scalar {
            /// All scalars.
            pub const ALL: &[Scalar] = &[$(Scalar::$variant),*];

            /// Returns the name in Rust, which is the name in the generated C++ too.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Scalar::$variant => stringify!($ty),)*
                }
            }

            /// Returns the size in bits. On the machines a `bool` is a byte.
            pub const fn bits(self) -> u32 {
                match self {
                    $(Scalar::$variant => $bits,)*
                }
            }
        }

        $(
            impl Described for $ty {
                const TYPE: Type = Type::Scalar(Scalar::$variant);
            }

            impl Words for $ty {
                fn write(&self, words: &mut Vec<u64>) {
                    let to: fn($ty) -> u64 = $to;
                    words.push(to(*self));
                }
            }

            impl FromWords for $ty {
                fn read(words: &mut dyn Iterator<Item = u64>) -> Option<$ty> {
                    let from: fn(u64) -> $ty = $from;
                    words.next().map(from)
                }
            }
        )*
    };
}

scalars! {
    U8 u8 8: |w| w as u8, u64::from;
    U16 u16 16: |w| w as u16, u64::from;
    U32 u32 32: |w| w as u32, u64::from;
    U64 u64 64: |w| w, |x| x;
    I8 i8 8: |w| w as i8, |x| u64::from(x as u8);
    I16 i16 16: |w| w as i16, |x| u64::from(x as u16);
    I32 i32 32: |w| w as u32 as i32, |x| u64::from(x as u32);
    I64 i64 64: |w| w as i64, |x| x as u64;
    F32 f32 32: |w| f32::from_bits(w as u32), |x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits().into() };
    F64 f64 64: f64::from_bits, |x| if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() };
    Bool bool 8: |w| w & 1 != 0, u64::from;
    Usize usize 64: |w| w as usize, |x| x as u64;
}

impl Scalar {
    /// Returns the scalar of a name.
    pub fn of(name: &str) -> Option<Scalar> {
        Scalar::ALL.iter().copied().find(|scalar| scalar.name() == name)
    }

    /// Returns whether it is an integer.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Returns whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Returns whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Returns the unsigned integer of the same size, for an integer with a sign or a float; other scalars themselves.
    pub fn unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 | Scalar::F32 => Scalar::U32,
            Scalar::I64 | Scalar::F64 => Scalar::U64,
            other => other,
        }
    }

    /// Returns the type and the bits of an associated constant, such as `u32::MAX`.
    pub fn constant(self, name: &str) -> Option<(Scalar, u64)> {
        let all = u64::MAX >> (64 - self.bits());
        Some(match (self, name) {
            (Scalar::Bool, _) => return None,
            (_, "BITS") if self.is_integer() => (Scalar::U32, self.bits().into()),
            (Scalar::F32, "INFINITY") => (self, f32::INFINITY.to_bits().into()),
            (Scalar::F32, "MAX") => (self, f32::MAX.to_bits().into()),
            (Scalar::F32, "MIN") => (self, f32::MIN.to_bits().into()),
            (Scalar::F64, "INFINITY") => (self, f64::INFINITY.to_bits()),
            (Scalar::F64, "MAX") => (self, f64::MAX.to_bits()),
            (Scalar::F64, "MIN") => (self, f64::MIN.to_bits()),
            (Scalar::F32 | Scalar::F64, _) => return None,
            (_, "MAX") => (self, if self.is_signed() { all >> 1 } else { all }),
            (_, "MIN") => (self, if self.is_signed() { 1 << (self.bits() - 1) } else { 0 }),
            _ => return None,
        })
    }
}

/// A type of the device subset.
#[derive(Clone, Copy)]
pub enum Type {
    /// A number or truth value.
    Scalar(Scalar),
    /// A struct.
    Struct(&'static Struct),
    /// An index or an enum: a scalar with a meaning.
    Newtype(&'static Newtype),
    /// A table, one column per field; or several tables together, whose fields are tables and columns.
    Table(&'static Struct),
    /// The results of a function; without any, the type of a statement.
    Tuple(&'static [Type]),
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
    /// The scalar.
    pub repr: Scalar,
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

/// The type of a statement.
pub const UNIT: Type = Type::Tuple(&[]);

impl Type {
    /// Returns the module and the name of a type that is declared.
    pub fn path(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Type::Scalar(_) | Type::Tuple(_) => None,
            Type::Struct(ty) | Type::Table(ty) => Some((ty.module, ty.name)),
            Type::Newtype(ty) => Some((ty.module, ty.name)),
        }
    }

    /// Returns the device methods.
    pub fn methods(&self) -> Methods {
        match self {
            Type::Scalar(_) | Type::Tuple(_) => &[],
            Type::Struct(ty) | Type::Table(ty) => (ty.methods)(),
            Type::Newtype(ty) => (ty.methods)(),
        }
    }

    /// Returns a device method.
    pub fn method(&self, name: &str) -> Option<&'static Def> {
        self.methods().iter().find(|(method, _)| *method == name).map(|(_, def)| *def)
    }

    /// Returns the fields of a struct, or the columns of a table.
    pub fn fields(&self) -> &'static [(&'static str, Type)] {
        match self {
            Type::Struct(ty) | Type::Table(ty) => ty.fields,
            _ => &[],
        }
    }

    /// Returns the type of a field or column.
    pub fn field(&self, name: &str) -> Option<Type> {
        self.fields().iter().find(|(field, _)| *field == name).map(|(_, ty)| *ty)
    }

    /// Returns the scalar that a machine sees, if it sees one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Newtype(ty) => Some(ty.repr),
            _ => None,
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Tuple(a), Type::Tuple(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other) && self.path() == other.path(),
        }
    }
}

impl Eq for Type {}

/// Writes the type with its fields. The text is the same in each run, so that keys can be made of it.
impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Scalar(scalar) => f.write_str(scalar.name()),
            Type::Tuple(parts) => parts.fmt(f),
            Type::Newtype(ty) => write!(f, "{}::{}({})", ty.module, ty.name, ty.repr.name()),
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

/// A constant that device functions can read.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be read by a device function",
    label = "not in the device subset",
    note = "use a scalar, a `#[device]` type, or an array `[T; N]` of them"
)]
pub trait Constant: Sync {
    /// Returns the value.
    fn value(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Described + Words + Sync> Constant for T {
    fn value(&self) -> Value {
        let mut words = Vec::new();
        self.write(&mut words);
        Value { ty: T::TYPE, rows: None, words }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Described + Words + Sync, const N: usize> Constant for [T; N] {
    fn value(&self) -> Value {
        let mut words = Vec::new();
        self.iter().for_each(|row| row.write(&mut words));
        Value { ty: T::TYPE, rows: Some(N), words }
    }
}

/// A conversion to words of 64 bits. Twins are compared by the words that they take and return.
///
/// A scalar is a word with its bits, a struct its fields in order, a column its length and its rows. Every NaN is one.
pub trait Words {
    /// Writes a value.
    fn write(&self, words: &mut Vec<u64>);
}

/// The conversion back from [`Words`]. Types have it with the feature `twins`.
pub trait FromWords: Sized {
    /// Reads a value; `None` where words are missing.
    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self>;
}

impl<T: FromWords> FromWords for Vec<T> {
    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Vec<T>> {
        let rows = words.next()?;
        (0..rows).map(|_| T::read(words)).collect()
    }
}

impl<T: Words> Words for Vec<T> {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        self.iter().for_each(|row| row.write(words));
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Described),+> Described for ($($name,)+) {
            const TYPE: Type = Type::Tuple(&[$($name::TYPE),+]);
        }

        impl<$($name: Words),+> Words for ($($name,)+) {
            fn write(&self, words: &mut Vec<u64>) {
                $(self.$index.write(words);)+
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
