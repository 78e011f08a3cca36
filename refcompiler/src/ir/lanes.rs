//! Operations on vectors: numbers in lanes of one register.
//!
//! ```text
//! data of a vector row    bits 0..8 operation    8..10 processor    12..16 register or stream    24..32 number
//!                         16: its last operand is in memory, an element of the stream; 17..19 its bytes, a power of two
//! ```
//!
//! A vector is a value in a float register, of type FLOAT whatever its lanes. Comparisons have *masks*, lanes of ones or zeros. A
//! vector that stays in its register is *held*, and has a number. So is the address of an array that a loop goes through, a
//! *stream*.

use treepar::device::device;

/// The instructions that a program for x86-64 may have.
#[device]
pub enum Cpu {
    /// All machines have these: SSE2, with registers of 128 bits.
    Baseline,
    /// AVX2, with registers of 256 bits.
    Avx2,
    /// AVX-512 (F, BW and DQ), with registers of 512 bits.
    Avx512,
}

#[device]
impl Cpu {
    /// Returns the number of bytes of a vector.
    pub const fn vector_bytes(self) -> u32 {
        match self {
            Cpu::Avx2 => 32,
            Cpu::Avx512 => 64,
            _ => 16,
        }
    }
}

impl Cpu {
    /// Returns the processor of this machine.
    pub fn of_host() -> Cpu {
        Cpu::ALL.iter().copied().rev().find(|cpu| cpu.is_of_host()).unwrap_or(Cpu::Baseline)
    }

    /// Returns whether this machine has the instructions.
    pub fn is_of_host(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Cpu::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            Cpu::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
            }
            _ => true,
        };
        #[cfg(not(target_arch = "x86_64"))]
        return self == Cpu::Baseline;
    }
}

/// The number of vectors that can be held in a loop.
pub const HELD: u32 = 8;

/// The number of vectors that an expression can have at once.
pub const WAITING: u32 = 6;

/// The number of streams of a loop.
pub const STREAMS: u32 = 5;

/// An operation on vectors. `a`, `b` and `c` are its operands.
#[device]
pub enum Lanes {
    /// The held vector becomes `a`.
    Hold,
    /// The held vector.
    Held,
    /// 8-bit elements, in their own lanes.
    LoadBytes,
    /// 16-bit elements, in their own lanes.
    LoadShorts,
    /// 32-bit elements.
    LoadWords,
    /// 8-bit elements without sign, in lanes of 32 bits.
    WidenBytes,
    /// 16-bit elements with sign, in lanes of 32 bits.
    WidenShorts,
    /// Stores lanes of 8 bits.
    StoreBytes,
    /// Stores lanes of 16 bits.
    StoreShorts,
    /// Stores lanes of 32 bits.
    StoreWords,
    /// Stores the lowest bytes of lanes of 32 bits.
    NarrowBytes,
    /// Stores the lower halves of lanes of 32 bits.
    NarrowShorts,
    /// The lowest 8 bits of an int in each lane.
    SplatByte,
    /// The lower 16 bits of an int in each lane.
    SplatShort,
    /// An int in each lane.
    SplatInt,
    /// A float in each lane.
    SplatFloat,
    /// `a + b`, 8 bits.
    AddByte,
    /// `a + b`, 16 bits.
    AddShort,
    /// `a + b`, ints.
    AddInt,
    /// `a + b`, floats.
    AddFloat,
    /// `a - b`, 8 bits.
    SubByte,
    /// `a - b`, 16 bits.
    SubShort,
    /// `a - b`, ints.
    SubInt,
    /// `a - b`, floats.
    SubFloat,
    /// `a * b`, 8 bits.
    MulByte,
    /// `a * b`, 16 bits.
    MulShort,
    /// `a * b`, ints.
    MulInt,
    /// `a * b`, floats.
    MulFloat,
    /// `a / b`, floats.
    DivFloat,
    /// `a + b` without sign, or the nearest number of 8 bits. Lanes may have more bits.
    AddSatByte,
    /// `a - b` without sign, or the nearest number of 8 bits. Lanes may have more bits.
    SubSatByte,
    /// `a + b`, or the nearest number of 16 bits.
    AddSatShort,
    /// `a - b`, or the nearest number of 16 bits.
    SubSatShort,
    /// `a + b` of numbers of 16 bits in lanes of 32 bits, or the nearest number of 16 bits.
    AddSatInt,
    /// `a - b` of numbers of 16 bits in lanes of 32 bits, or the nearest number of 16 bits.
    SubSatInt,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `~a`.
    Not,
    /// `-a`, 8 bits.
    NegateByte,
    /// `-a`, 16 bits.
    NegateShort,
    /// `-a`, ints.
    NegateInt,
    /// `-a`, floats.
    NegateFloat,
    /// The absolute value of an int.
    AbsInt,
    /// The absolute value of a float.
    AbsFloat,
    /// The square root.
    Sqrt,
    /// `a` shifted left by the number, 8 bits.
    ShlByte,
    /// `a` shifted left by the number, 16 bits.
    ShlShort,
    /// `a` shifted left by the number, ints.
    ShlInt,
    /// `a` shifted right by the number with its sign, ints.
    ShrInt,
    /// `a` shifted right by the number, ints.
    UshrInt,
    /// `a << b`, ints.
    ShlEach,
    /// `a >> b`, ints.
    ShrEach,
    /// `a >>> b`, ints.
    UshrEach,
    /// The lesser int.
    Min,
    /// The greater int.
    Max,
    /// The mask of `a == b`, ints.
    EqInt,
    /// The mask of `a != b`, ints.
    NeInt,
    /// The mask of `a < b`, ints.
    LtInt,
    /// The mask of `a <= b`, ints.
    LeInt,
    /// The mask of `a > b`, ints.
    GtInt,
    /// The mask of `a >= b`, ints.
    GeInt,
    /// The mask of `a == b`, floats.
    EqFloat,
    /// The mask of `a != b`, floats.
    NeFloat,
    /// The mask of `a < b`, floats.
    LtFloat,
    /// The mask of `a <= b`, floats.
    LeFloat,
    /// The mask of `a > b`, floats.
    GtFloat,
    /// The mask of `a >= b`, floats.
    GeFloat,
    /// The lowest bytes of ints, without sign.
    ByteOfInt,
    /// The lower halves of ints, with their sign.
    ShortOfInt,
    /// 1 where the mask is, else 0.
    TruthOfMask,
    /// The mask of `a != 0`.
    MaskOfInt,
    /// `c` where the mask `a` is, else `b`. The operand `c` comes before `b`.
    Select,
    /// The floats of ints.
    ToFloat,
    /// The ints of floats.
    ToInt,
    /// `a`, with the held vector where `a` is a NaN.
    Canonical,
    /// `a`, which is also added to the held vector. So this is a NaN where an `a` was one.
    Watch,
    /// The mask of NaNs.
    IsNan,
    /// The sum of all lanes.
    SumAll,
    /// The product of all lanes.
    ProductAll,
    /// `&` of all lanes.
    AndAll,
    /// `|` of all lanes.
    OrAll,
    /// `^` of all lanes.
    XorAll,
    /// The least lane.
    MinAll,
    /// The greatest lane.
    MaxAll,
}

/// The number of processors.
pub const CPUS: usize = 4;

#[device]
impl Lanes {
    /// Returns the data of a vector row with this operation.
    pub const fn data(self, cpu: Cpu, register: u32, number: u32) -> u32 {
        self.code() as u32 | (cpu.code() as u32) << 8 | (register & 15) << 12 | number << 24
    }

    /// Returns whether the right operand may be in memory, on processors other than [`Cpu::Baseline`].
    pub fn takes_memory(self) -> bool {
        TAKING_MEMORY[self.code() as usize] != 0
    }

    /// Returns whether the operands can be exchanged. Floats can be, since any NaN stands for the canonical one.
    pub fn is_commutative(self) -> bool {
        COMMUTATIVE[self.code() as usize] != 0
    }
}

/// Returns 1 for each operation of a list, 0 for others.
const fn listed(list: &[Lanes]) -> [u8; Lanes::COUNT] {
    let mut listed = [0; Lanes::COUNT];
    let mut k = 0;
    while k < list.len() {
        listed[list[k].code() as usize] = 1;
        k += 1;
    }
    listed
}

const COMMUTATIVE: [u8; Lanes::COUNT] = listed(&[
    Lanes::AddByte,
    Lanes::AddShort,
    Lanes::AddInt,
    Lanes::AddFloat,
    Lanes::MulShort,
    Lanes::MulInt,
    Lanes::MulFloat,
    Lanes::And,
    Lanes::Or,
    Lanes::Xor,
]);

/// The operations that may have their right operand in memory. Each is one instruction there.
pub const TAKING_MEMORY: [u8; Lanes::COUNT] = listed(&[
    Lanes::AddByte,
    Lanes::AddShort,
    Lanes::AddInt,
    Lanes::AddFloat,
    Lanes::SubByte,
    Lanes::SubShort,
    Lanes::SubInt,
    Lanes::SubFloat,
    Lanes::MulShort,
    Lanes::MulInt,
    Lanes::MulFloat,
    Lanes::DivFloat,
    Lanes::And,
    Lanes::Or,
    Lanes::Xor,
]);

/// The bit of a vector row whose last operand is in memory.
const HAS_MEMORY: u32 = 1 << 16;

/// Returns the data of a vector row whose last operand is an element of `1 << scale` bytes in memory, of the stream and at the distance
/// that `data` has.
#[device]
pub const fn with_memory(data: u32, scale: u32) -> u32 {
    data | HAS_MEMORY | scale << 17
}

/// Returns whether the last operand of a vector row is in memory.
#[device]
pub const fn has_memory(data: u32) -> bool {
    data & HAS_MEMORY != 0
}

/// Returns the bytes of an element of that operand, as a power of two.
#[device]
pub const fn scale_of(data: u32) -> u32 {
    (data >> 17) & 3
}

/// Returns the operation of a vector row.
#[device]
pub const fn lanes_of(data: u32) -> Lanes {
    let code = (data & 255) as u8;
    Lanes::from_code(if code < Lanes::COUNT as u8 { code } else { 0 })
}

/// Returns the code of the processor of a vector row.
#[device]
pub const fn cpu_of(data: u32) -> u32 {
    (data >> 8) & 3
}

/// Returns the held vector or the stream of a vector row.
#[device]
pub const fn held_of(data: u32) -> u32 {
    (data >> 12) & 7
}

/// Returns the number of a vector row.
#[device]
pub const fn number_of(data: u32) -> u32 {
    data >> 24
}

/// Returns the data of a VECTOR_COUNT: the number of elements of an iteration, and that of the loop before it over the same elements, 0 if there
/// is none.
#[device]
pub const fn counts(step: u32, before: u32) -> u32 {
    step | before << 16
}

/// Returns the number of elements of an iteration.
#[device]
pub const fn step_of(data: u32) -> u32 {
    data & 0xffff
}

/// Returns the number of elements of an iteration of the loop before.
#[device]
pub const fn step_before(data: u32) -> u32 {
    data >> 16
}
