//! The instructions of operations on vectors: one table, with SSE2, AVX2 and AVX-512.
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
//!
//! A mask is a vector with all processors. AVX-512 compares into the mask register `k1`, and fills a vector from it. Operations in
//! [`TAKING_MEMORY`] have one step in AVX2 and AVX-512, whose right operand can be in memory.

use treepar::device::device;

use super::isa::{MOVAPS, MOVD_F_R, MOVD_R_F};
use super::registers::{R8, R9, R12, RAX, RDI, RSI, XMM0, XMM14, XMM15};
use super::vectors::*;
use crate::ir::instruction::{Instruction, nothing};
use crate::ir::lanes::{
    CPUS, Cpu, HELD, Lanes, STREAMS, TAKING_MEMORY, cpu_of, has_memory, held_of, lanes_of, number_of, scale_of,
};
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
/// The first of the bits with the unit of an offset, as a power of two.
const UNIT: u32 = 56;
/// The mask register.
const K1: u32 = DIGIT | MASK as u32;

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

/// `d = f(a, b)` in AVX-512.
const fn wide(v: Vector, d: u32, a: u32, b: u32) -> Step {
    step(v.evex_form(), v.evex(), d, a, b)
}

/// The same, with a number.
const fn wide_with(v: Vector, d: u32, a: u32, b: u32, number: u32) -> Step {
    with(wide(v, d, a, b), number)
}

/// A shift of `a` into `d` in AVX-512.
const fn wide_shift(v: Vector, d: u32, a: u32, number: u32) -> Step {
    step(v.evex_form(), v.evex() | number << 24, DIGIT | v.digit() as u32, d, a)
}

/// The same, by the number of the operation.
const fn wide_by(v: Vector, d: u32, a: u32) -> Step {
    wide_shift(v, d, a, 0) | HAS_NUMBER
}

/// A load or store of `d` in AVX-512, as in [`sse_memory`]. The offset of an instruction counts the bytes that it has in memory.
const fn wide_memory(v: Vector, d: u32, scale: u8) -> Step {
    step(v.evex_form() + scale, v.evex(), d, ZERO, ZERO) | HAS_NUMBER | (v.memory() as u64) << UNIT
}

/// Ones in the lanes of `d` that are in the mask `k1`.
const fn filled(d: u32) -> Step {
    wide(PMOVM2D, d, ZERO, K1)
}

/// All ones in `d`, in AVX-512.
const fn wide_ones(d: u32) -> Step {
    wide_with(PTERNLOGD, d, d, d, 0xff)
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

// The numbers of comparisons of ints in AVX-512: the first three and `NOT_EQUAL` as above.
const NOT_LESS_INT: u32 = 5;
const GREATER: u32 = 6;

// The truth tables of three operands: the complement of the last one; the second where the first is, else the third.
const COMPLEMENT: u32 = 0x55;
const CHOICE: u32 = 0xca;

// The orders of four words: the odd ones, the even ones, halves exchanged, neighbours exchanged, all the first.
const ODD: u32 = 0xf5;
const EVEN: u32 = 0xe8;
const HALVES: u32 = 0x4e;
const NEIGHBOURS: u32 = 0xb1;
/// The first and third of four quarters of a register come first.
const QUARTERS: u32 = 0x08;

/// A move between an int register and a vector, in SSE.
const INT_TO_VECTOR: Step = step(MOVD_F_R, 0, D, A, ZERO);
const VECTOR_TO_INT: Step = step(MOVD_R_F, 0, D, T, ZERO);
/// The same in AVX.
const INT_INTO: Step = half(MOVD_FROM_INT, D, ZERO, A);
const INTO_INT: Step = half(MOVD_TO_INT, T, ZERO, D);

macro_rules! lanes {
    ($($name:ident => [$($sse:expr),*] [$($avx:expr),*] [$($wide:expr),*];)*) => {
        /// The steps of each operation: those of SSE2, of AVX2 and of AVX-512.
        const LISTS: [[&[Step]; Cpu::COUNT]; Lanes::COUNT] = {
            let mut lists: [[&[Step]; Cpu::COUNT]; Lanes::COUNT] = [[&[]; Cpu::COUNT]; Lanes::COUNT];
            $(lists[Lanes::$name.code() as usize] = [&[$($sse),*], &[$($avx),*], &[$($wide),*]];)*
            lists
        };
        const LINES: [Lanes; Lanes::COUNT] = [$(Lanes::$name),*];
    };
}

/// The index of the first step of each list, the lists of a processor after those of the one before.
const FIRST: [u16; CPUS * Lanes::COUNT + 1] = {
    let mut first = [0; CPUS * Lanes::COUNT + 1];
    let mut k = 0;
    while k < CPUS * Lanes::COUNT {
        first[k + 1] = first[k] + if k < Cpu::COUNT * Lanes::COUNT { list(k).len() as u16 } else { 0 };
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
    while k < Cpu::COUNT * Lanes::COUNT {
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
    Hold         => [moved(H, A)] [avx(MOVAPS_V, H, ZERO, A)] [wide(MOVAPS_V, H, ZERO, A)];
    Held         => [moved(D, H)] [avx(MOVAPS_V, D, ZERO, H)] [wide(MOVAPS_V, D, ZERO, H)];
    LoadBytes    => [sse_memory(MOVUPS_LOAD, D, 0)] [memory(MOVUPS_LOAD, D, 0, true)] [wide_memory(MOVUPS_LOAD, D, 0)];
    LoadShorts   => [sse_memory(MOVUPS_LOAD, D, 1)] [memory(MOVUPS_LOAD, D, 1, true)] [wide_memory(MOVUPS_LOAD, D, 1)];
    LoadWords    => [sse_memory(MOVUPS_LOAD, D, 2)] [memory(MOVUPS_LOAD, D, 2, true)] [wide_memory(MOVUPS_LOAD, D, 2)];
    WidenBytes   => [sse_memory(MOVD_LOAD, D, 0), sse(PXOR, T, T), sse(PUNPCKLBW, D, T), sse(PUNPCKLWD, D, T)]
                    [memory(PMOVZXBD_LOAD, D, 0, true)] [wide_memory(PMOVZXBD_LOAD, D, 0)];
    WidenShorts  => [sse_memory(MOVQ_LOAD, D, 1), sse(PUNPCKLWD, D, D), sse_shift(PSRAD, D, 16)] [memory(PMOVSXWD_LOAD, D, 1, true)]
                    [wide_memory(PMOVSXWD_LOAD, D, 1)];
    StoreBytes   => [sse_memory(MOVUPS_STORE, A, 0)] [memory(MOVUPS_STORE, A, 0, true)]
                    [wide_memory(MOVUPS_STORE, A, 0)];
    StoreShorts  => [sse_memory(MOVUPS_STORE, A, 1)] [memory(MOVUPS_STORE, A, 1, true)]
                    [wide_memory(MOVUPS_STORE, A, 1)];
    StoreWords   => [sse_memory(MOVUPS_STORE, A, 2)] [memory(MOVUPS_STORE, A, 2, true)]
                    [wide_memory(MOVUPS_STORE, A, 2)];
    NarrowBytes  => [moved(T, A), sse_shift(PSLLD, T, 24), sse_shift(PSRLD, T, 24), sse(PACKSSDW, T, T), sse(PACKUSWB, T, T), sse_memory(MOVD_STORE, T, 0)]
                    [shift(PSLLD, T, A, 24), shift(PSRLD, T, T, 24), avx(PACKSSDW, T, T, T), avx(PACKUSWB, T, T, T), with(step(EXTRACTI128.vex_form(), EXTRACTI128.vex(true), T, ZERO, U), 1), half(PUNPCKLDQ, T, T, U), memory(MOVQ_STORE, T, 0, false)]
                    [wide_memory(PMOVDB_STORE, A, 0)];
    NarrowShorts => [moved(T, A), sse_shift(PSLLD, T, 16), sse_shift(PSRAD, T, 16), sse(PACKSSDW, T, T), sse_memory(MOVQ_STORE, T, 1)]
                    [shift(PSLLD, T, A, 16), shift(PSRAD, T, T, 16), avx(PACKSSDW, T, T, T), with(avx(PERMQ, T, ZERO, T), QUARTERS), memory(MOVUPS_STORE, T, 1, false)]
                    [wide_memory(PMOVDW_STORE, A, 1)];
    SplatByte    => [INT_TO_VECTOR, sse(PUNPCKLBW, D, D), sse(PUNPCKLWD, D, D), sse_with(PSHUFD, D, D, 0)] [INT_INTO, avx(PBROADCASTB, D, ZERO, D)]
                    [INT_INTO, wide(PBROADCASTB, D, ZERO, D)];
    SplatShort   => [INT_TO_VECTOR, sse(PUNPCKLWD, D, D), sse_with(PSHUFD, D, D, 0)] [INT_INTO, avx(PBROADCASTW, D, ZERO, D)]
                    [INT_INTO, wide(PBROADCASTW, D, ZERO, D)];
    SplatInt     => [INT_TO_VECTOR, sse_with(PSHUFD, D, D, 0)] [INT_INTO, avx(PBROADCASTD, D, ZERO, D)]
                    [INT_INTO, wide(PBROADCASTD, D, ZERO, D)];
    SplatFloat   => [sse_with(PSHUFD, D, A, 0)] [avx(PBROADCASTD, D, ZERO, A)] [wide(PBROADCASTD, D, ZERO, A)];
    AddByte      => [copied(), sse(PADDB, D, B)] [avx(PADDB, D, A, B)] [wide(PADDB, D, A, B)];
    AddShort     => [copied(), sse(PADDW, D, B)] [avx(PADDW, D, A, B)] [wide(PADDW, D, A, B)];
    AddInt       => [copied(), sse(PADDD, D, B)] [avx(PADDD, D, A, B)] [wide(PADDD, D, A, B)];
    AddFloat     => [copied(), sse(ADDPS, D, B)] [avx(ADDPS, D, A, B)] [wide(ADDPS, D, A, B)];
    SubByte      => [copied(), sse(PSUBB, D, B)] [avx(PSUBB, D, A, B)] [wide(PSUBB, D, A, B)];
    SubShort     => [copied(), sse(PSUBW, D, B)] [avx(PSUBW, D, A, B)] [wide(PSUBW, D, A, B)];
    SubInt       => [copied(), sse(PSUBD, D, B)] [avx(PSUBD, D, A, B)] [wide(PSUBD, D, A, B)];
    SubFloat     => [copied(), sse(SUBPS, D, B)] [avx(SUBPS, D, A, B)] [wide(SUBPS, D, A, B)];
    // Odd bytes in the upper halves of T, even ones in the lower halves of D.
    MulByte      => [copied(), moved(T, D), sse_shift(PSRLW, T, 8), moved(U, B), sse_shift(PSRLW, U, 8), sse(PMULLW, T, U), sse_shift(PSLLW, T, 8), sse(PMULLW, D, B), sse_shift(PSLLW, D, 8), sse_shift(PSRLW, D, 8), sse(POR, D, T)]
                    [shift(PSRLW, T, A, 8), shift(PSRLW, U, B, 8), avx(PMULLW, T, T, U), shift(PSLLW, T, T, 8), avx(PMULLW, D, A, B), shift(PSLLW, D, D, 8), shift(PSRLW, D, D, 8), avx(POR, D, D, T)]
                    [wide_shift(PSRLW, T, A, 8), wide_shift(PSRLW, U, B, 8), wide(PMULLW, T, T, U), wide_shift(PSLLW, T, T, 8), wide(PMULLW, D, A, B), wide_shift(PSLLW, D, D, 8), wide_shift(PSRLW, D, D, 8), wide(POR, D, D, T)];
    MulShort     => [copied(), sse(PMULLW, D, B)] [avx(PMULLW, D, A, B)] [wide(PMULLW, D, A, B)];
    MulInt       => [copied(), sse_with(PSHUFD, T, D, ODD), sse_with(PSHUFD, U, B, ODD), sse(PMULUDQ, T, U), sse(PMULUDQ, D, B), sse_with(PSHUFD, D, D, EVEN), sse_with(PSHUFD, T, T, EVEN), sse(PUNPCKLDQ, D, T)]
                    [avx(PMULLD, D, A, B)] [wide(PMULLD, D, A, B)];
    MulFloat     => [copied(), sse(MULPS, D, B)] [avx(MULPS, D, A, B)] [wide(MULPS, D, A, B)];
    DivFloat     => [copied(), sse(DIVPS, D, B)] [avx(DIVPS, D, A, B)] [wide(DIVPS, D, A, B)];
    AddSatByte   => [copied(), sse(PADDUSB, D, B)] [avx(PADDUSB, D, A, B)] [wide(PADDUSB, D, A, B)];
    SubSatByte   => [copied(), sse(PSUBUSB, D, B)] [avx(PSUBUSB, D, A, B)] [wide(PSUBUSB, D, A, B)];
    AddSatShort  => [copied(), sse(PADDSW, D, B)] [avx(PADDSW, D, A, B)] [wide(PADDSW, D, A, B)];
    SubSatShort  => [copied(), sse(PSUBSW, D, B)] [avx(PSUBSW, D, A, B)] [wide(PSUBSW, D, A, B)];
    // The upper halves are signs, and get them again.
    AddSatInt    => [copied(), sse(PADDSW, D, B), sse_shift(PSLLD, D, 16), sse_shift(PSRAD, D, 16)]
                    [avx(PADDSW, D, A, B), shift(PSLLD, D, D, 16), shift(PSRAD, D, D, 16)]
                    [wide(PADDSW, D, A, B), wide_shift(PSLLD, D, D, 16), wide_shift(PSRAD, D, D, 16)];
    SubSatInt    => [copied(), sse(PSUBSW, D, B), sse_shift(PSLLD, D, 16), sse_shift(PSRAD, D, 16)]
                    [avx(PSUBSW, D, A, B), shift(PSLLD, D, D, 16), shift(PSRAD, D, D, 16)]
                    [wide(PSUBSW, D, A, B), wide_shift(PSLLD, D, D, 16), wide_shift(PSRAD, D, D, 16)];
    And          => [copied(), sse(PAND, D, B)] [avx(PAND, D, A, B)] [wide(PAND, D, A, B)];
    Or           => [copied(), sse(POR, D, B)] [avx(POR, D, A, B)] [wide(POR, D, A, B)];
    Xor          => [copied(), sse(PXOR, D, B)] [avx(PXOR, D, A, B)] [wide(PXOR, D, A, B)];
    Not          => [copied(), sse_ones(T), sse(PXOR, D, T)] [ones(T), avx(PXOR, D, A, T)]
                    [wide_with(PTERNLOGD, D, A, A, COMPLEMENT)];
    NegateByte   => [moved(T, A), sse(PXOR, D, D), sse(PSUBB, D, T)] [avx(PXOR, T, T, T), avx(PSUBB, D, T, A)]
                    [wide(PXOR, T, T, T), wide(PSUBB, D, T, A)];
    NegateShort  => [moved(T, A), sse(PXOR, D, D), sse(PSUBW, D, T)] [avx(PXOR, T, T, T), avx(PSUBW, D, T, A)]
                    [wide(PXOR, T, T, T), wide(PSUBW, D, T, A)];
    NegateInt    => [moved(T, A), sse(PXOR, D, D), sse(PSUBD, D, T)] [avx(PXOR, T, T, T), avx(PSUBD, D, T, A)]
                    [wide(PXOR, T, T, T), wide(PSUBD, D, T, A)];
    NegateFloat  => [copied(), sse_ones(T), sse_shift(PSLLD, T, 31), sse(PXOR, D, T)] [ones(T), shift(PSLLD, T, T, 31), avx(PXOR, D, A, T)]
                    [wide_ones(T), wide_shift(PSLLD, T, T, 31), wide(PXOR, D, A, T)];
    AbsInt       => [copied(), moved(T, D), sse_shift(PSRAD, T, 31), sse(PXOR, D, T), sse(PSUBD, D, T)] [avx(PABSD, D, ZERO, A)]
                    [wide(PABSD, D, ZERO, A)];
    AbsFloat     => [copied(), sse_ones(T), sse_shift(PSRLD, T, 1), sse(PAND, D, T)] [ones(T), shift(PSRLD, T, T, 1), avx(PAND, D, A, T)]
                    [wide_ones(T), wide_shift(PSRLD, T, T, 1), wide(PAND, D, A, T)];
    Sqrt         => [sse(SQRTPS, D, A)] [avx(SQRTPS, D, ZERO, A)] [wide(SQRTPS, D, ZERO, A)];
    ShlByte      => [copied(), moved(T, D), sse_shift(PSRLW, T, 8), sse_shift(PSLLW, T, 8), sse_by(PSLLW, T), sse_shift(PSLLW, D, 8), sse_by(PSLLW, D), sse_shift(PSRLW, D, 8), sse(POR, D, T)]
                    [shift(PSRLW, T, A, 8), shift(PSLLW, T, T, 8), by(PSLLW, T, T), shift(PSLLW, D, A, 8), by(PSLLW, D, D), shift(PSRLW, D, D, 8), avx(POR, D, D, T)]
                    [wide_shift(PSRLW, T, A, 8), wide_shift(PSLLW, T, T, 8), wide_by(PSLLW, T, T), wide_shift(PSLLW, D, A, 8), wide_by(PSLLW, D, D), wide_shift(PSRLW, D, D, 8), wide(POR, D, D, T)];
    ShlShort     => [copied(), sse_by(PSLLW, D)] [by(PSLLW, D, A)] [wide_by(PSLLW, D, A)];
    ShlInt       => [copied(), sse_by(PSLLD, D)] [by(PSLLD, D, A)] [wide_by(PSLLD, D, A)];
    ShrInt       => [copied(), sse_by(PSRAD, D)] [by(PSRAD, D, A)] [wide_by(PSRAD, D, A)];
    UshrInt      => [copied(), sse_by(PSRLD, D)] [by(PSRLD, D, A)] [wide_by(PSRLD, D, A)];
    // Only the low five bits of the amounts count. SSE2 has no such shifts.
    ShlEach      => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSLLVD, D, A, T)]
                    [wide_ones(T), wide_shift(PSRLD, T, T, 27), wide(PAND, T, T, B), wide(PSLLVD, D, A, T)];
    ShrEach      => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSRAVD, D, A, T)]
                    [wide_ones(T), wide_shift(PSRLD, T, T, 27), wide(PAND, T, T, B), wide(PSRAVD, D, A, T)];
    UshrEach     => [] [ones(T), shift(PSRLD, T, T, 27), avx(PAND, T, T, B), avx(PSRLVD, D, A, T)]
                    [wide_ones(T), wide_shift(PSRLD, T, T, 27), wide(PAND, T, T, B), wide(PSRLVD, D, A, T)];
    Min          => [copied(), moved(T, B), sse(PCMPGTD, T, D), sse(PAND, D, T), sse(PANDN, T, B), sse(POR, D, T)] [avx(PMINSD, D, A, B)]
                    [wide(PMINSD, D, A, B)];
    Max          => [copied(), moved(T, D), sse(PCMPGTD, T, B), sse(PAND, D, T), sse(PANDN, T, B), sse(POR, D, T)] [avx(PMAXSD, D, A, B)]
                    [wide(PMAXSD, D, A, B)];
    EqInt        => [copied(), sse(PCMPEQD, D, B)] [avx(PCMPEQD, D, A, B)]
                    [wide_with(PCMPD, K1, A, B, EQUAL), filled(D)];
    NeInt        => [copied(), sse(PCMPEQD, D, B), sse_ones(T), sse(PXOR, D, T)] [avx(PCMPEQD, D, A, B), ones(T), avx(PXOR, D, D, T)]
                    [wide_with(PCMPD, K1, A, B, NOT_EQUAL), filled(D)];
    LtInt        => [moved(T, B), sse(PCMPGTD, T, A), moved(D, T)] [avx(PCMPGTD, D, B, A)]
                    [wide_with(PCMPD, K1, A, B, LESS), filled(D)];
    LeInt        => [copied(), sse(PCMPGTD, D, B), sse_ones(T), sse(PXOR, D, T)] [avx(PCMPGTD, D, A, B), ones(T), avx(PXOR, D, D, T)]
                    [wide_with(PCMPD, K1, A, B, LESS_OR_EQUAL), filled(D)];
    GtInt        => [copied(), sse(PCMPGTD, D, B)] [avx(PCMPGTD, D, A, B)]
                    [wide_with(PCMPD, K1, A, B, GREATER), filled(D)];
    GeInt        => [moved(T, B), sse(PCMPGTD, T, A), sse_ones(U), sse(PXOR, T, U), moved(D, T)] [avx(PCMPGTD, D, B, A), ones(T), avx(PXOR, D, D, T)]
                    [wide_with(PCMPD, K1, A, B, NOT_LESS_INT), filled(D)];
    EqFloat      => [copied(), sse_with(CMPPS, D, B, EQUAL)] [with(avx(CMPPS, D, A, B), EQUAL)]
                    [wide_with(CMPPS_MASK, K1, A, B, EQUAL), filled(D)];
    NeFloat      => [copied(), sse_with(CMPPS, D, B, NOT_EQUAL)] [with(avx(CMPPS, D, A, B), NOT_EQUAL)]
                    [wide_with(CMPPS_MASK, K1, A, B, NOT_EQUAL), filled(D)];
    LtFloat      => [copied(), sse_with(CMPPS, D, B, LESS)] [with(avx(CMPPS, D, A, B), LESS)]
                    [wide_with(CMPPS_MASK, K1, A, B, LESS), filled(D)];
    LeFloat      => [copied(), sse_with(CMPPS, D, B, LESS_OR_EQUAL)] [with(avx(CMPPS, D, A, B), LESS_OR_EQUAL)]
                    [wide_with(CMPPS_MASK, K1, A, B, LESS_OR_EQUAL), filled(D)];
    GtFloat      => [moved(T, B), sse_with(CMPPS, T, A, LESS), moved(D, T)] [with(avx(CMPPS, D, B, A), LESS)]
                    [wide_with(CMPPS_MASK, K1, B, A, LESS), filled(D)];
    GeFloat      => [moved(T, B), sse_with(CMPPS, T, A, LESS_OR_EQUAL), moved(D, T)] [with(avx(CMPPS, D, B, A), LESS_OR_EQUAL)]
                    [wide_with(CMPPS_MASK, K1, B, A, LESS_OR_EQUAL), filled(D)];
    ByteOfInt    => [copied(), sse_shift(PSLLD, D, 24), sse_shift(PSRLD, D, 24)] [shift(PSLLD, D, A, 24), shift(PSRLD, D, D, 24)]
                    [wide_shift(PSLLD, D, A, 24), wide_shift(PSRLD, D, D, 24)];
    ShortOfInt   => [copied(), sse_shift(PSLLD, D, 16), sse_shift(PSRAD, D, 16)] [shift(PSLLD, D, A, 16), shift(PSRAD, D, D, 16)]
                    [wide_shift(PSLLD, D, A, 16), wide_shift(PSRAD, D, D, 16)];
    TruthOfMask  => [copied(), sse_shift(PSRLD, D, 31)] [shift(PSRLD, D, A, 31)] [wide_shift(PSRLD, D, A, 31)];
    MaskOfInt    => [copied(), sse(PXOR, T, T), sse(PCMPEQD, D, T), sse_ones(T), sse(PXOR, D, T)] [avx(PXOR, T, T, T), avx(PCMPEQD, D, A, T), ones(T), avx(PXOR, D, D, T)]
                    [wide(PXOR, T, T, T), wide_with(PCMPD, K1, A, T, NOT_EQUAL), filled(D)];
    Select       => [copied(), moved(T, D), sse(PAND, T, C), sse(PANDN, D, B), sse(POR, D, T)] [avx(PAND, T, A, C), avx(PANDN, D, A, B), avx(POR, D, D, T)]
                    [moved_wide(), wide_with(PTERNLOGD, D, C, B, CHOICE)];
    ToFloat      => [sse(CVTDQ2PS, D, A)] [avx(CVTDQ2PS, D, ZERO, A)] [wide(CVTDQ2PS, D, ZERO, A)];
    ToInt        => [sse(PXOR, U, U), moved(T, A), sse_with(CMPPS, T, U, NOT_LESS), sse(CVTTPS2DQ, D, A), sse_ones(U), sse_shift(PSLLD, U, 31), sse(PCMPEQD, U, D), sse(PAND, U, T), sse(PXOR, D, U)]
                    [avx(PXOR, U, U, U), with(avx(CMPPS, T, A, U), NOT_LESS), avx(CVTTPS2DQ, D, ZERO, A), ones(U), shift(PSLLD, U, U, 31), avx(PCMPEQD, U, U, D), avx(PAND, U, U, T), avx(PXOR, D, D, U)]
                    [wide(PXOR, U, U, U), wide_with(CMPPS_MASK, K1, A, U, NOT_LESS), filled(T), wide(CVTTPS2DQ, D, ZERO, A), wide_ones(U), wide_shift(PSLLD, U, U, 31), wide_with(PCMPD, K1, U, D, EQUAL), filled(U), wide(PAND, U, U, T), wide(PXOR, D, D, U)];
    Canonical    => [moved(T, A), sse_with(CMPPS, T, T, UNORDERED), moved(U, T), sse(PAND, U, H), sse(PANDN, T, A), sse(POR, T, U), moved(D, T)]
                    [with(avx(CMPPS, T, A, A), UNORDERED), with(avx(BLENDVPS, D, A, H), ((XMM14 & 15) as u32) << 4)]
                    [wide_with(CMPPS_MASK, K1, A, A, UNORDERED), wide(BLENDMPS, D, A, H)];
    Watch        => [copied(), sse(ADDPS, H, D)] [avx(MOVAPS_V, D, ZERO, A) | IF_OTHER, avx(ADDPS, H, H, D)] [moved_wide(), wide(ADDPS, H, H, D)];
    IsNan        => [copied(), sse_with(CMPPS, D, D, UNORDERED)] [with(avx(CMPPS, D, A, A), UNORDERED)]
                    [wide_with(CMPPS_MASK, K1, A, A, UNORDERED), filled(D)];
    SumAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PADDD, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PADDD, T, U), VECTOR_TO_INT]
                    [UPPER, half(PADDD, T, T, A), OTHERS, half(PADDD, T, T, U), NEXT, half(PADDD, T, T, U), INTO_INT]
                    [HALF, avx(PADDD, T, T, A), QUARTER, half(PADDD, T, T, U), OTHERS, half(PADDD, T, T, U), NEXT, half(PADDD, T, T, U), INTO_INT];
    ProductAll   => [sse_with(PSHUFD, T, A, ODD), sse(PMULUDQ, T, A), sse_with(PSHUFD, U, T, HALVES), sse(PMULUDQ, T, U), VECTOR_TO_INT]
                    [UPPER, half(PMULLD, T, T, A), OTHERS, half(PMULLD, T, T, U), NEXT, half(PMULLD, T, T, U), INTO_INT]
                    [HALF, avx(PMULLD, T, T, A), QUARTER, half(PMULLD, T, T, U), OTHERS, half(PMULLD, T, T, U), NEXT, half(PMULLD, T, T, U), INTO_INT];
    AndAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PAND, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PAND, T, U), VECTOR_TO_INT]
                    [UPPER, half(PAND, T, T, A), OTHERS, half(PAND, T, T, U), NEXT, half(PAND, T, T, U), INTO_INT]
                    [HALF, avx(PAND, T, T, A), QUARTER, half(PAND, T, T, U), OTHERS, half(PAND, T, T, U), NEXT, half(PAND, T, T, U), INTO_INT];
    OrAll        => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(POR, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(POR, T, U), VECTOR_TO_INT]
                    [UPPER, half(POR, T, T, A), OTHERS, half(POR, T, T, U), NEXT, half(POR, T, T, U), INTO_INT]
                    [HALF, avx(POR, T, T, A), QUARTER, half(POR, T, T, U), OTHERS, half(POR, T, T, U), NEXT, half(POR, T, T, U), INTO_INT];
    XorAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), sse(PXOR, T, U), sse_with(PSHUFD, U, T, NEIGHBOURS), sse(PXOR, T, U), VECTOR_TO_INT]
                    [UPPER, half(PXOR, T, T, A), OTHERS, half(PXOR, T, T, U), NEXT, half(PXOR, T, T, U), INTO_INT]
                    [HALF, avx(PXOR, T, T, A), QUARTER, half(PXOR, T, T, U), OTHERS, half(PXOR, T, T, U), NEXT, half(PXOR, T, T, U), INTO_INT];
    // A is a register of its own: no held one.
    MinAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), moved(A, U), sse(PCMPGTD, A, T), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), sse_with(PSHUFD, U, T, NEIGHBOURS), moved(A, U), sse(PCMPGTD, A, T), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), VECTOR_TO_INT]
                    [UPPER, half(PMINSD, T, T, A), OTHERS, half(PMINSD, T, T, U), NEXT, half(PMINSD, T, T, U), INTO_INT]
                    [HALF, avx(PMINSD, T, T, A), QUARTER, half(PMINSD, T, T, U), OTHERS, half(PMINSD, T, T, U), NEXT, half(PMINSD, T, T, U), INTO_INT];
    MaxAll       => [moved(T, A), sse_with(PSHUFD, U, T, HALVES), moved(A, T), sse(PCMPGTD, A, U), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), sse_with(PSHUFD, U, T, NEIGHBOURS), moved(A, T), sse(PCMPGTD, A, U), sse(PAND, T, A), sse(PANDN, A, U), sse(POR, T, A), VECTOR_TO_INT]
                    [UPPER, half(PMAXSD, T, T, A), OTHERS, half(PMAXSD, T, T, U), NEXT, half(PMAXSD, T, T, U), INTO_INT]
                    [HALF, avx(PMAXSD, T, T, A), QUARTER, half(PMAXSD, T, T, U), OTHERS, half(PMAXSD, T, T, U), NEXT, half(PMAXSD, T, T, U), INTO_INT];
}

/// `d = a` in AVX-512 if they differ.
const fn moved_wide() -> Step {
    wide(MOVAPS_V, D, ZERO, A) | IF_OTHER
}

/// The upper half of 512 bits of `A` in `T`.
const HALF: Step = wide_with(EXTRACTI64X4, A, ZERO, T, 1);
/// The upper half of 256 bits of `T` in `U`.
const QUARTER: Step = with(step(EXTRACTI128.vex_form(), EXTRACTI128.vex(true), T, ZERO, U), 1);

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

/// Returns the operation with its right operand in memory. `step` is its only one.
#[device]
const fn with_operand_in_memory(s: Operation, step: u64) -> Instruction {
    let is_wide = cpu_of(s.data) == Cpu::Avx512.code() as u32;
    let unit = if is_wide { FULL } else { 0 };
    Instruction {
        op: form_with_memory(is_wide, scale_of(s.data) as u8),
        rd: s.destination,
        rs1: s.left,
        rs2: base(held_of(s.data)),
        imm: step as u32 | number_of(s.data) >> unit << 24,
    }
}

/// Returns instruction `k` of a vector row.
#[device]
pub const fn lanes_instruction(s: Operation, k: u32) -> Instruction {
    if k >= lanes_length(s) {
        return nothing();
    }
    let step = STEPS[(FIRST[list_of(s.data)] as u32 + skipped(s) + k) as usize];
    if has_memory(s.data) {
        return with_operand_in_memory(s, step);
    }
    let form = (step >> 32) as u8;
    let unit = (step >> UNIT) as u32 & 7;
    let number = if (step & HAS_NUMBER) != 0 { number_of(s.data) >> unit << 24 } else { 0 };
    let is_memory = is_on_memory(form);
    Instruction {
        op: form,
        rd: register(s, (step >> 40) as u32 & 15),
        rs1: if is_memory { base(held_of(s.data)) } else { register(s, (step >> 44) as u32 & 15) },
        rs2: if is_memory { INDEX } else { register(s, (step >> 48) as u32 & 15) },
        imm: step as u32 | number,
    }
}

/// The bytes of a vector of AVX-512 in memory, as a power of two.
const FULL: u32 = 6;

const _: () = assert!(HELD <= 8);

const _: () = {
    let mut k = 0;
    while k < Lanes::COUNT {
        let mut cpu = Cpu::Avx2.code() as usize;
        while cpu < Cpu::COUNT && TAKING_MEMORY[k] != 0 {
            let list = LISTS[k][cpu];
            assert!(
                list.len() == 1 && list[0] >> 40 & 0xfff == (D | A << 4 | B << 8) as u64,
                "one step, `d = f(a, b)`"
            );
            cpu += 1;
        }
        k += 1;
    }
};
