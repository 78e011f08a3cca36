//! Values as bytes. A number is in groups of seven bits, the lowest first; an enum is the number of its variant, then its parts.

use crate::tree::{Body, List, Node, Op, Ty};
use crate::types::Scalar;

/// A conversion to bytes and back.
pub(crate) trait Bytes: Sized {
    /// Writes the value.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes a value off the bytes; `None` if they are not one.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

impl Bytes for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }

    fn read(bytes: &mut &[u8]) -> Option<u64> {
        let mut value = 0;
        for group in 0..10 {
            let byte = *bytes.split_off_first()?;
            let (bits, shift) = (u64::from(byte & 0x7f), 7 * group);
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

impl Bytes for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<u32> {
        u64::read(bytes)?.try_into().ok()
    }
}

impl Bytes for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn read(bytes: &mut &[u8]) -> Option<bool> {
        match bytes.split_off_first()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Bytes for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<String> {
        let length = u64::read(bytes)?.try_into().ok()?;
        String::from_utf8(bytes.split_off(..length)?.to_vec()).ok()
    }
}

impl<T: Bytes> Bytes for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Option<T>> {
        Some(if bool::read(bytes)? { Some(T::read(bytes)?) } else { None })
    }
}

impl<T: Bytes> Bytes for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Vec<T>> {
        let length = u64::read(bytes)?;
        (0..length).map(|_| T::read(bytes)).collect()
    }
}

/// Implements [`Bytes`] for structs: their fields in this order.
macro_rules! structs {
    ($($name:ident { $($field:tt)+ })+) => { $(
        impl Bytes for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)+
            }

            fn read(bytes: &mut &[u8]) -> Option<$name> {
                Some($name { $($field: Bytes::read(bytes)?),+ })
            }
        }
    )+ };
}

/// Implements [`Bytes`] for enums. The compiler demands that each variant is listed, with a name for each of its parts.
macro_rules! enums {
    ($($name:ident: $($variant:ident $(($($part:ident),+))?)+;)+) => { $(
        const _: () = {
            enum Number { $($variant),+ }

            impl Bytes for $name {
                fn write(&self, out: &mut Vec<u8>) {
                    match self {
                        $($name::$variant $(($($part),+))? => {
                            out.push(Number::$variant as u8);
                            $($($part.write(out);)+)?
                        })+
                    }
                }

                fn read(bytes: &mut &[u8]) -> Option<$name> {
                    match *bytes.split_off_first()? {
                        $(number if number == Number::$variant as u8 => {
                            $($(let $part = Bytes::read(bytes)?;)+)?
                            Some($name::$variant $(($($part),+))?)
                        })+
                        _ => None,
                    }
                }
            }
        };
    )+ };
}

structs! {
    Body { nodes lists names locals root }
    List { 0 1 }
}

enums! {
    Scalar: U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 Bool Usize;
    Ty: Scalar(scalar) Named(at);
    Op: Add Sub Mul Div Rem Shl Shr BitAnd BitOr BitXor Equal NotEqual Less LessEqual Greater GreaterEqual And Or;
    Node:
        Nothing Boolean(value) Int(bits, ty) Float(bits, ty) Local(at) Constant(at) Neg(of) Not(of) Binary(op, a, b) Cast(of, ty)
        Field(of, name) Index(column, row) Len(column) Call(function, arguments) Associated(ty, name, arguments)
        Method(receiver, name, arguments) Struct(ty, names, values) Tuple(parts) Block(statements, value)
        If(condition, then, otherwise) Match(of, arms) Arm(pattern, value) Any Bind(local) Range(start, end, is_inclusive)
        Either(patterns) Let(local, ty, value) LetTuple(locals, value) Assign(target, value) Update(op, target, value)
        For(local, start, end, block) While(condition, block) Break Continue Return(value);
}
