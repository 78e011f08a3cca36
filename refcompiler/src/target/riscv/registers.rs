//! Registers: 0..32 are the ints `x0..x31`, 32..64 the floats `f0..f31`.
//!
//! The order in which values get registers is stated here and nowhere else. To let a function use one more register,
//! add it to a list below. Its frame and its prologue follow from that list.

macro_rules! registers {
    ($($name:ident $text:literal)*) => {
        #[allow(clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        $(
            #[doc = concat!("`", $text, "`")]
            pub const $name: u8 = Number::$name as u8;
        )*
        /// The names of the registers in the calling convention.
        pub const NAMES: [&str; 64] = [$($text),*];
    };
}

registers! {
    ZERO "zero" RA "ra" SP "sp" GP "gp" TP "tp" T0 "t0" T1 "t1" T2 "t2"
    S0 "s0" S1 "s1" A0 "a0" A1 "a1" A2 "a2" A3 "a3" A4 "a4" A5 "a5"
    A6 "a6" A7 "a7" S2 "s2" S3 "s3" S4 "s4" S5 "s5" S6 "s6" S7 "s7"
    S8 "s8" S9 "s9" S10 "s10" S11 "s11" T3 "t3" T4 "t4" T5 "t5" T6 "t6"
    FT0 "ft0" FT1 "ft1" FT2 "ft2" FT3 "ft3" FT4 "ft4" FT5 "ft5" FT6 "ft6" FT7 "ft7"
    FS0 "fs0" FS1 "fs1" FA0 "fa0" FA1 "fa1" FA2 "fa2" FA3 "fa3" FA4 "fa4" FA5 "fa5"
    FA6 "fa6" FA7 "fa7" FS2 "fs2" FS3 "fs3" FS4 "fs4" FS5 "fs5" FS6 "fs6" FS7 "fs7"
    FS8 "fs8" FS9 "fs9" FS10 "fs10" FS11 "fs11" FT8 "ft8" FT9 "ft9" FT10 "ft10" FT11 "ft11"
}

/// Declares the registers of one type in the order of the evaluation stack. A function saves those after the `;`.
macro_rules! order {
    ($order:ident, $temporaries:ident: $($temporary:ident)*; $($saved:ident)*) => {
        /// Registers by height of the evaluation stack: temporaries, then registers that the function must save.
        pub const $order: [u8; [$($temporary,)* $($saved),*].len()] = [$($temporary,)* $($saved),*];
        /// The number of registers of this type that need no saving.
        pub const $temporaries: u32 = [$($temporary),*].len() as u32;
    };
}

// T0 to T2, FT0 and FT1 are scratch registers of single operations; see `passes::lower`.
order!(INTS, INT_TEMPORARIES: T3 T4 T5 T6; S0 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11);
order!(FLOATS, FLOAT_TEMPORARIES: FT2 FT3 FT4 FT5 FT6 FT7 FT8 FT9 FT10 FT11;
    FS0 FS1 FS2 FS3 FS4 FS5 FS6 FS7 FS8 FS9 FS10 FS11);

/// The number of registers that pass arguments of each type: from A0 and from FA0.
pub const ARGUMENTS: u32 = 8;
