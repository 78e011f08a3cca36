//! Copies and selections, which are the same for all types of one width.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

macro_rules! copies {
    ($($ty:ident $bits:literal,)*) => { rows! {
        $(concat!("mov.b", $bits), concat!("mov.u", $bits), concat!("mov.s", $bits), concat!("mov.f", $bits)
            => (a: $ty) -> $ty { a }
        concat!("selp.b", $bits), concat!("selp.u", $bits), concat!("selp.s", $bits), concat!("selp.f", $bits)
            => (a: $ty, b: $ty, c: bool) -> $ty { if c { a } else { b } }
        concat!("slct.b", $bits, ".s32"), concat!("slct.u", $bits, ".s32"), concat!("slct.s", $bits, ".s32"),
            concat!("slct.f", $bits, ".s32")
            => (a: $ty, b: $ty, c: i32) -> $ty { if c >= 0 { a } else { b } }
        concat!("slct.b", $bits, ".f32"), concat!("slct.u", $bits, ".f32"), concat!("slct.s", $bits, ".f32"),
            concat!("slct.f", $bits, ".f32")
            => (a: $ty, b: $ty, c: f32) -> $ty { if c >= 0.0 { a } else { b } })*
    } };
}

pub(super) const ROWS: &[&[Row]] = &[
    copies!(u16 16, u32 32, u64 64,),
    rows! {
        "mov.pred" => (a: bool) -> bool { a }
        "@select.pred" => (a: bool, b: bool, c: bool) -> bool { if c { a } else { b } }
    },
];
