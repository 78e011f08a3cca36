//! The instructions of operations on vectors: one table, with SSE2 and with AVX2.
//!
//! A line has the steps of an operation. Operands are as in [`rules`](super::rules): `D` is the register of the value, `A` and `B` the
//! registers of the operands. `C` is the middle one of three, directly after `A`. `H` is a held vector. `T` and `U` are scratch registers.
//! Only `A` can be the register of the value, and no step writes to an operand in another register.
//!
//! Results equal those of the scalar instructions in every bit:
//!
//! - Arithmetic on floats yields any NaN if the scalar code yields the canonical one, since NaN in, NaN out. `Canonical`
//!   replaces it. The pass `vectors` puts it before all that tells one NaN from another.
//! - A cast to int yields -2^31 for all numbers out of range. Its complement is the greatest int, and is taken unless the float is negative.
//! - Comparisons with NaN do not hold, except `!=`.

use treepar::device::device;

use super::isa::{MOVAPS, MOVD_F_R, MOVD_R_F, V_SSE_AT};
use super::registers::{R8, R9, R12, RAX, RDI, RSI, XMM0, XMM14, XMM15};
use super::vectors::*;
use crate::ir::instruction::{Instruction, nothing};
use crate::ir::lanes::{CPUS, HELD, Lanes, STREAMS, cpu_of, held_of, lanes_of, number_of};
use crate::ir::operation::Operation;

/// The index of the element in a loop over vectors.
pub const INDEX: u8 = RAX;

/// The registers of the streams: none of them holds a value of an expression.
const BASES: [u8; STREAMS as usize] = [RDI, RSI, R8, R9, R12];

/// The first register of held vectors.
pub const FIRST_HELD: u8 = XMM0;

/// A register of a step.
const ZERO: u32 = 0;
const D: u32 = 1;
const A: u32 = 2;
const B: u32 = 3;
const C: u32 = 4;
const T: u32 = 5;
const U: u32 = 6;
const H: u32 = 7;
/// A digit instead of a register.
const DIGIT: u32 = 8;

/// A step, in 64 bits: the immediate, the form, and the registers.
type Step = u64;

/// The bit of a step whose number is that of the operation.
const HAS_NUMBER: u64 = 1 << 63;
/// The bit of a step that is left out if `D` is `A`.
const IF_OTHER: u64 = 1 << 62;

const fn step(form: u8, imm: u32, d: u32, a: u32, b: u32) -> Step {
    imm as u64 | (form as u64) << 32 | (d as u64) << 40 | (a as u64) << 44 | (b as u64) << 48
}

/// `d = f(d, s)` in SSE.
const fn sse(v: Vector, d: u32, s: u32) -> Step {
    step(v.sse_form(), v.sse(), d, s, ZERO)
}

/// The same, with a number.
const fn sse_with(v: Vector, d: u32, s: u32, number: u32) -> Step {
    step(v.sse_form(), v.sse() | number << 24, d, s, ZERO)
}

/// A shift of `d` in SSE.
const fn sse_shift(v: Vector, d: u32, number: u32) -> Step {
    step(v.sse_form(), v.sse() | number << 24, DIGIT | v.digit() as u32, d, ZERO)
}

/// The same, by the number of the operation.
const fn sse_by(v: Vector, d: u32) -> Step {
    sse_shift(v, d, 0) | HAS_NUMBER
}

/// `d = s` in SSE.
const fn moved(d: u32, s: u32) -> Step {
    step(MOVAPS, 0, d, s, ZERO)
}

/// `d = a` if they differ.
const fn copied() -> Step {
    moved(D, A) | IF_OTHER
}

/// `d = f(a, b)`.
const fn avx(v: Vector, d: u32, a: u32, b: u32) -> Step {
    step(v.vex_form(), v.vex(true), d, a, b)
}

/// The same in the lower half of registers.
const fn half(v: Vector, d: u32, a: u32, b: u32) -> Step {
    step(v.vex_form(), v.vex(false), d, a, b)
}

/// A shift of `a` into `d`.
const fn shift(v: Vector, d: u32, a: u32, number: u32) -> Step {
    step(v.vex_form(), v.vex(true) | number << 24, DIGIT | v.digit() as u32, d, a)
}

/// The same, by the number of the operation.
const fn by(v: Vector, d: u32, a: u32) -> Step {
    shift(v, d, a, 0) | HAS_NUMBER
}

/// Returns a step with a number.
const fn with(step: Step, number: u32) -> Step {
    step | (number as u64) << 24
}

/// A load or store of `d`, of elements of `1 << scale` bytes, in SSE. The number of the operation is a distance in bytes.
const fn sse_memory(v: Vector, d: u32, scale: u8) -> Step {
    step(v.sse_form() + scale, v.sse(), d, ZERO, ZERO) | HAS_NUMBER
}

/// The same in AVX, with a register of 128 or 256 bits.
const fn memory(v: Vector, d: u32, scale: u8, is_long: bool) -> Step {
    step(v.vex_form() + scale, v.vex(is_long), d, ZERO, ZERO) | HAS_NUMBER
}

/// All ones in `d`.
const fn sse_ones(d: u32) -> Step {
    sse(PCMPEQD, d, d)
}

/// The same in AVX.
const fn ones(d: u32) -> Step {
    avx(PCMPEQD, d, d, d)
}

// The numbers of comparisons of floats.
const EQUAL: u32 = 0;
const LESS: u32 = 1;
const LESS_OR_EQUAL: u32 = 2;
const UNORDERED: u32 = 3;
const NOT_EQUAL: u32 = 4;
const NOT_LESS: u32 = 5;

// The orders of four words: the odd ones, the even ones, halves exchanged, neighbours exchanged, all the first.
const ODD: u32 = 0xf5;
const EVEN: u32 = 0xe8;
const HALVES: u32 = 0x4e;
const NEIGHBOURS: u32 = 0xb1;
/// The first and third of four quarters of a register come first.
const QUARTERS: u32 = 0x08;

/// A move between an int register and a vector.
const INT_TO_VECTOR: Step = step(MOVD_F_R, 0, D, A, ZERO);
const VECTOR_TO_INT: Step = step(MOVD_R_F, 0, D, T, ZERO);

macro_rules! lanes {
    ($($name:ident => [$($sse:expr),*] [$($avx:expr),*];)*) => {
        /// The steps of each operation: those of SSE2, then those of AVX2.
        const LISTS: [[&[Step]; 2]; Lanes::COUNT] = {
            let mut lists: [[&[Step]; 2]; Lanes::COUNT] = [[&[]; 2]; Lanes::COUNT];
            $(lists[Lanes::$name.code() as usize] = [&[$($sse),*], &[$($avx),*]];)*
            lists
        };
        const LINES: [Lanes; Lanes::COUNT] = [$(Lanes::$name),*];
    };
}

/// The index of the first step of each list, those of the second processor after those of the first.
const FIRST: [u16; CPUS * Lanes::COUNT + 1] = {
    let mut first = [0; CPUS * Lanes::COUNT + 1];
    let mut k = 0;
    while k < CPUS * Lanes::COUNT {
        first[k + 1] = first[k] + if k < 2 * Lanes::COUNT { list(k).len() as u16 } else { 0 };
        k += 1;
    }
    first
};

const fn list(k: usize) -> &'static [Step] {
    LISTS[k % Lanes::COUNT][k / Lanes::COUNT]
}

const COUNT: usize = FIRST[CPUS * Lanes::COUNT] as usize;

/// The steps of all lists.
const STEPS: [u64; COUNT] = {
    let mut steps = [0; COUNT];
    let (mut k, mut next) = (0, 0);
    while k < 2 * Lanes::COUNT {
        let mut i = 0;
        while i < list(k).len() {
            steps[next] = list(k)[i];
            next += 1;
            i += 1;
        }
        k += 1;
    }
    steps
};

const _: () = {
    let mut k = 0;
    while k < LINES.len() {
        assert!(LINES[k].code() as usize == k, "the lines have the order of the operations");
        k += 1;
    }
};

lanes! {
    Hold         => [moved(H, A)] [avx(MOVAPS_V, H, ZERO, A)];
    Held         => [moved(D, H)] [avx(MOVAPS_V, D, ZERO, H)];
    LoadBytes    => [sse_memory(MOVUPS_LOAD, D, 0)] [memory(MOVUPS_LOAD, D, 0, true)];
    LoadShorts   => [sse_memory(MOVUPS_LOAD, D, 1)] [memory(MOVUPS_LOAD, D, 1, true)];
    LoadWords    => [sse_memory(MOVUPS_LOAD, D, 2)] [memory(MOVUPS_LOAD, D, 2, true)];
    WidenBytes   => [sse_memory(MOVD_LOAD, D, 0), sse(PXOR, T, T), sse(PUNPCKLBW, D, T), sse(PUNPCKLWD, D, T)]
                    [memory(PMOVZXBD_LOAD, D, 0, true)];
    WidenShorts  => [sse_memory(MOVQ_LOAD, D, 1), sse(PUNPCKLWD, D, D), sse_shift(PSRAD, D, 16)] [memory(PMOVSXWD_LOAD, D, 1, true)];
    StoreBytes   => [sse_memory(MOVUPS_STORE, A, 0)] [memory(MOVUPS_STORE, A, 0, true)];
    StoreShorts  => [sse_memory(MOVUPS_STORE, A, 1)] [memory(MOVUPS_STORE, A, 1, true)];
    StoreWords   => [sse_memory(MOVUPS_STORE, A, 2)] [memory(MOVUPS_STORE, A, 2, true)];
    NarrowBytes  => [moved(T, A), sse_shift(PSLLD, T, 24), sse_shift(PSRLD, T, 24), sse(PACKSSDW, T, T), sse(PACKUSWB, T, T), sse_memory(MOVD_STORE, T, 0)]
                    [shift(PSLLD, T, A, 24), shift(PSRLD, T, T, 24), avx(PACKSSDW, T, T, T), avx(PACKUSWB, T, T, T), with(step(EXTRACTI128.vex_form(), EXTRACTI128.vex(true), T, ZERO, U), 1), half(PUNPCKLDQ, T, T, U), memory(MOVQ_STORE, T, 0, false)];
    NarrowShorts => [moved(T, A), sse_shift(PSLLD, T, 16), sse_shift(PSRAD, T, 16), sse(PACKSSDW, T, T), sse_memory(MOVQ_STORE, T, 1)]
                    [shift(PSLLD, T, A, 16), shift(PSRAD, T, T, 16), avx(PACKSSDW, T, T, T), with(avx(PERMQ, T, ZERO, T), QUARTERS), memory(MOVUPS_STORE, T, 1, false)];
    SplatByte    => [INT_TO_VECTOR, sse(PUNPCKLBW, D, D), sse(PUNPCKLWD, D, D), sse_with(PSHUFD, D, D, 0)] [INT_TO_VECTOR, avx(PBROADCASTB, D, ZERO, D)];
    SplatShort   => [INT_TO_VECTOR, sse(PUNPCKLWD, D, D), sse_with(PSHUFD, D, D, 0)] [INT_TO_VECTOR, avx(PBROADCASTW, D, ZERO, D)];
    SplatInt     => [INT_TO_VECTOR, sse_with(PSHUFD, D, D, 0)] [INT_TO_VECTOR, avx(PBROADCASTD, D, ZERO, D)];
    SplatFloat   => [sse_with(PSHUFD, D, A, 0)] [avx(PBROADCASTD, D, ZERO, A)];
    AddByte      => [copied(), sse(PADDB, D, B)] [avx(PADDB, D, A, B)];
    AddShort     => [copied(), sse(PADDW, D, B)] [avx(PADDW, D, A, B)];
    AddInt       => [copied(), sse(PADDD, D, B)] [avx(PADDD, D, A, B)];
    AddFloat     => [copied(), sse(ADDPS, D, B)] [avx(ADDPS, D, A, B)];
    SubByte      => [copied(), sse(PSUBB, D, B)] [avx(PSUBB, D, A, B)];
    SubShort     => [copied(), sse(PSUBW, D, B)] [avx(PSUBW, D, A, B)];
    SubInt       => [copied(), sse(PSUBD, D, B)] [avx(PSUBD, D, A, B)];
    SubFloat     => [copied(), sse(SUBPS, D, B)] [avx(SUBPS, D, A, B)];
    // Odd bytes in the upper halves of T, even ones in the lower halves of D.
    MulByte      => [copied(), moved(T, D), sse_shift(PSRLW, T, 8), moved(U, B), sse_shift(PSRLW, U, 8), sse(PMULLW, T, U), sse_shift(PSLLW, T, 8), sse(PMULLW, D, B), sse_shift(PSLLW, D, 8), sse_shift(PSRLW, D, 8), sse(POR, D, T)]
                    [shift(PSRLW, T, A, 8), shift(PSRLW, U, B, 8), avx(PMULLW, T, T, U), shift(PSLLW, T, T, 8), avx(PMULLW, D, A, B), shift(PSLLW, D, D, 8), shift(PSRLW, D, D, 8), avx(POR, D, D, T)];
    MulShort     => [copied(), sse(PMULLW, D, B)] [avx(PMULLW, D, A, B)];
    MulInt       => [copied(), sse_with(PSHUFD, T, D, ODD), sse_with(PSHUFD, U, B, ODD), sse(PMULUDQ, T, U), sse(PMULUDQ, D, B), sse_with(PSHUFD, D, D, EVEN), sse_with(PSHUFD, T, T, EVEN), sse(PUNPCKLDQ, D, T)]
                    [avx(PMULLD, D, A, B)];
    MulFloat     => [copied(), sse(MULPS, D, B)] [avx(MULPS, D, A, B)];
    DivFloat     => [copied(), sse(DIVPS, D, B)] [avx(DIVPS, D, A, B)];
    And          => [copied(), sse(PAND, D, B)] [avx(PAND, D, A, B)];
    Or           => [copied(), sse(POR, D, B)] [avx(POR, D, A, B)];
    Xor          => [copied(), sse(PXOR, D, B)] [avx(PXOR, D, A, B)];
    Not          => [copied(), sse_ones(T), sse(PXOR, D, T)] [ones(T), avx(PXOR, D, A, T)];
    NegateByte   => [moved(T, A), sse(PXOR, D, D), sse(PSUBB, D, T)] [avx(PXOR, T, T, T), avx(PSUBB, D, T, A)];
    NegateShort  => [moved(T, A), sse(PXOR, D, D), sse(PSUBW, D, T)] [avx(PXOR, T, T, T), avx(PSUBW, D, T, A)];
    NegateInt    => [moved(T, A), sse(PXOR, D, D), sse(PSUBD, D, T)] [avx(PXOR, T, T, T), avx(PSUBD, D, T, A)];
    NegateFloat  => [copied(), sse_ones(T), sse_shift(PSLLD, T, 31), sse(PXOR, D, T)] [ones(T), shift(PSLLD, T, T, 31), avx(PXOR, D, A, T)];
    AbsInt       => [copied(), moved(T, D), sse_shift(PSRAD, T, 31), sse(PXOR, D, T), sse(PSUBD, D, T)] [avx(PABSD, D, ZERO, A)];
    AbsFloat     => [copied(), sse_ones(T), sse_shift(PSRLD, T, 1), sse(PAND, D, T)] [ones(T), shift(PSRLD, T, T, 1), avx(PAND, D, A, T)];
    Sqrt         => [sse(SQRTPS, D, A)] [avx(SQRTPS, D, ZERO, A)];
    ShlByte      => [copied(), moved(T, D), sse_shift(PSRLW, T, 8), sse_shift(PSLLW, T, 8), sse_by(PSLLW, T), sse_shift(PSLLW, D, 8), sse_by(PSLLW, D), sse_shift(PSRLW, D, 8), sse(POR, D, T)]
                    [shift(PSRLW, T, A, 8), shift(PSLLW, T, T, 8), by(PSLLW, T, T), shift(PSLLW, D, A, 8), by(PSLLW, D, D), shift(PSRLW, D, D, 8), avx(POR, D, D, T)];
    ShlShort     => [copied(), sse_by(PSLLW, D)] [by(PSLLW, D, A)];
    ShlInt       => [copied(), sse_by(PSLLD, D)] [by(PSLLD, D, A)];
    ShrInt       => [copied(), sse_by(PSRAD, D)] [by(PSRAD, D, A)];
    UshrInt      => [copied(), sse_by(PSRLD, D)] [by(PSRLD, D, A)];
    // Only the low five bits of the amounts count. SSE2 has no such shifts.
    ShlEach      => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSLLVD, D, A, T)];
    ShrEach      => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSRAVD, D, A, T)];
    UshrEach     => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSRLVD, D, A, T)];
    Min          => [copied(), moved(T, B), sse(PCMPGTD, T, D), sse(PAND, D, T), sse(PANDN, T, B), sse(POR, D, T)] [avx(PMINSD, D, A, B)];
    Max          => [copied(), moved(T, D), sse(PCMPGTD, T, B), sse(PAND, D, T), sse(PANDN, T, B), sse(POR, D, T)] [avx(PMAXSD, D, A, B)];
    EqInt        => [copied(), sse(PCMPEQD, D, B)] [avx(PCMPEQD, D, A, B)];
    NeInt        => [copied(), sse(PCMPEQD, D, B), sse_ones(T), sse(PXOR, D, T)] [avx(PCMPEQD, D, A, B), ones(T), avx(PXOR, D, D, T)];
    LtInt        => [moved(T, B), sse(PCMPGTD, T, A), moved(D, T)] [avx(PCMPGTD, D, B, A)];
    LeInt        => [copied(), sse(PCMPGTD, D, B), sse_ones(T), sse(PXOR, D, T)] [avx(PCMPGTD, D, A, B), ones(T), avx(PXOR, D, D, T)];
    GtInt        => [copied(), sse(PCMPGTD, D, B)] [avx(PCMPGTD, D, A, B)];
    GeInt        => [moved(T, B), sse(PCMPGTD, T, A), sse_ones(U), sse(PXOR, T, U), moved(D, T)] [avx(PCMPGTD, D, B, A), ones(T), avx(PXOR, D, D, T)];
    EqFloat      => [copied(), sse_with(CMPPS, D, B, EQUAL)] [with(avx(CMPPS, D, A, B), EQUAL)];
    NeFloat      => [copied(), sse_with(CMPPS, D, B, NOT_EQUAL)] [with(avx(CMPPS, D, A, B), NOT_EQUAL)];
    LtFloat      => [copied(), sse_with(CMPPS, D, B, LESS)] [with(avx(CMPPS, D, A, B), LESS)];
    LeFloat      => [copied(), sse_with(CMPPS, D, B, LESS_OR_EQUAL)] [with(avx(CMPPS, D, A, B), LESS_OR_EQUAL)];
    GtFloat      => [moved(T, B), sse_with(CMPPS, T, A, LESS), moved(D, T)] [with(avx(CMPPS, D, B, A), LESS)];
    GeFloat      => [moved(T, B), sse_with(CMPPS, T, A, LESS_OR_EQUAL), moved(D, T)] [with(avx(CMPPS, D, B, A), LESS_OR_EQUAL)];
    ByteOfInt    => [copied(), sse_shift(PSLLD, D, 24), sse_shift(PSRLD, D, 24)] [shift(PSLLD, D, A, 24), shift(PSRLD, D, D, 24)];
    ShortOfInt   => [copied(), sse_shift(PSLLD, D, 16), sse_shift(PSRAD, D, 16)] [shift(PSLLD, D, A, 16), shift(PSRAD, D, D, 16)];
    TruthOfMask  => [copied(), sse_shift(PSRLD, D, 31)] [shift(PSRLD, D, A, 31)];
    MaskOfInt    => [copied(), sse(PXOR, T, T), sse(PCMPEQD, D, T), sse_ones(T), sse(PXOR, D, T)] [avx(PXOR, T, T, T), avx(PCMPEQD, D, A, T), ones(T), avx(PXOR, D, D, T)];
    Select       => [copied(), moved(T, D), sse(PAND, T, C), sse(PANDN, D, B), sse(POR, D, T)] [avx(PAND, T, A, C), avx(PANDN, D, A, B), avx(POR, D, D, T)];
    ToFloat      => [sse(CVTDQ2PS, D, A)] [avx(CVTDQ2PS, D, ZERO, A)];
    ToInt        => [sse(PXOR, U, U), moved(T, A), sse_with(CMPPS, T, U, NOT_LESS), sse(CVTTPS2DQ, D, A), sse_ones(U), sse_shift(PSLLD, U, 31), sse(PCMPEQD, U, D), sse(PAND, U, T), sse(PXOR, D, U)]
                    [avx(PXOR, U, U, U), with(avx(CMPPS, T, A, U), NOT_LESS), avx(CVTTPS2DQ, D, ZERO, A), ones(U), shift(PSLLD, U, U, 31), avx(PCMPEQD, U, U, D), avx(PAND, U, U, T), avx(PXOR, D, D, U)];
    Canonical    => [moved(T, A), sse_with(CMPPS, T, T, UNORDERED), moved(U, T), sse(PAND, U, H), sse(PANDN, T, A), sse(POR, T, U), moved(D, T)]
                    [with(avx(CMPPS, T, A, A), UNORDERED), with(avx(BLENDVPS, D, A, H), ((XMM14 & 15) as u32) << 4)];
    SumAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PADDD, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PADDD, T, U), VECTOR_TO_INT]
                    [UPPER, half(PADDD, T, T, A), OTHERS, half(PADDD, T, T, U), NEXT, half(PADDD, T, T, U), VECTOR_TO_INT];
    ProductAll   => [sse_with(PSHUFD, T, A, ODD), sse(PMULUDQ, T, A), sse_with(PSHUFD, U, T, HALVES), sse(PMULUDQ, T, U), VECTOR_TO_INT]
                    [UPPER, half(PMULLD, T, T, A), OTHERS, half(PMULLD, T, T, U), NEXT, half(PMULLD, T, T, U), VECTOR_TO_INT];
    AndAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PAND, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PAND, T, U), VECTOR_TO_INT]
                    [UPPER, half(PAND, T, T, A), OTHERS, half(PAND, T, T, U), NEXT, half(PAND, T, T, U), VECTOR_TO_INT];
    OrAll        => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(POR, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(POR, T, U), VECTOR_TO_INT]
                    [UPPER, half(POR, T, T, A), OTHERS, half(POR, T, T, U), NEXT, half(POR, T, T, U), VECTOR_TO_INT];
    XorAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PXOR, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PXOR, T, U), VECTOR_TO_INT]
                    [UPPER, half(PXOR, T, T, A), OTHERS, half(PXOR, T, T, U), NEXT, half(PXOR, T, T, U), VECTOR_TO_INT];
    // A is a register of its own: no held one.
    MinAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), moved(A, U), sse(PCMPGTD, A, T), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), sse_with(PSHUFD, U, T, NEIGHBOURS), moved(A, U), sse(PCMPGTD, A, T), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), VECTOR_TO_INT]
                    [UPPER, half(PMINSD, T, T, A), OTHERS, half(PMINSD, T, T, U), NEXT, half(PMINSD, T, T, U), VECTOR_TO_INT];
    MaxAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), moved(A, T), sse(PCMPGTD, A, U), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), sse_with(PSHUFD, U, T, NEIGHBOURS), moved(A, T), sse(PCMPGTD, A, U), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), VECTOR_TO_INT]
                    [UPPER, half(PMAXSD, T, T, A), OTHERS, half(PMAXSD, T, T, U), NEXT, half(PMAXSD, T, T, U), VECTOR_TO_INT];
}

/// The upper half of `A` in `T`.
const UPPER: Step = with(step(EXTRACTI128.vex_form(), EXTRACTI128.vex(true), A, ZERO, T), 1);
/// In `U`, the words of `T` with exchanged halves.
const OTHERS: Step = with(half(PSHUFD, U, ZERO, T), HALVES);
/// In `U`, the words of `T` with exchanged neighbours.
const NEXT: Step = with(half(PSHUFD, U, ZERO, T), NEIGHBOURS);

/// Returns the index of the list of a vector row.
#[device]
const fn list_of(data: u32) -> usize {
    cpu_of(data) as usize * Lanes::COUNT + lanes_of(data).code() as usize
}

/// Returns 1 if the first step of a row is left out, because the value has the register of the left operand.
#[device]
const fn skipped(s: Operation) -> u32 {
    let first = FIRST[list_of(s.data)];
    let end = FIRST[list_of(s.data) + 1];
    (first != end && (STEPS[first as usize] & IF_OTHER) != 0 && s.destination == s.left) as u32
}

/// Returns the register of a held vector.
#[device]
pub const fn held_vector(data: u32) -> u8 {
    FIRST_HELD + held_of(data) as u8
}

/// Returns the register of a stream.
#[device]
pub const fn base(stream: u32) -> u8 {
    BASES[(if stream < STREAMS { stream } else { 0 }) as usize]
}

/// Returns the register that a step names.
#[device]
const fn register(s: Operation, name: u32) -> u8 {
    match name {
        D => s.destination,
        A => s.left,
        B => s.right,
        C => s.left + 1,
        T => XMM14,
        U => XMM15,
        H => held_vector(s.data),
        _ => (name & 7) as u8,
    }
}

/// Returns the number of instructions of a vector row. A held vector needs none where it is used in its own register.
#[device]
pub const fn lanes_length(s: Operation) -> u32 {
    let is_held = (lanes_of(s.data).code() == Lanes::Held.code()) & (s.destination == held_vector(s.data));
    let count = (FIRST[list_of(s.data) + 1] - FIRST[list_of(s.data)]) as u32;
    if is_held { 0 } else { count - skipped(s) }
}

/// Returns instruction `k` of a vector row.
#[device]
pub const fn lanes_instruction(s: Operation, k: u32) -> Instruction {
    if k >= lanes_length(s) {
        return nothing();
    }
    let step = STEPS[(FIRST[list_of(s.data)] as u32 + skipped(s) + k) as usize];
    let form = (step >> 32) as u8;
    let number = if (step & HAS_NUMBER) != 0 { number_of(s.data) << 24 } else { 0 };
    let is_memory = form >= V_SSE_AT;
    Instruction {
        op: form,
        rd: register(s, (step >> 40) as u32 & 15),
        rs1: if is_memory { base(held_of(s.data)) } else { register(s, (step >> 44) as u32 & 15) },
        rs2: if is_memory { INDEX } else { register(s, (step >> 48) as u32 & 15) },
        imm: step as u32 | number,
    }
}

const _: () = assert!(HELD <= 8);
