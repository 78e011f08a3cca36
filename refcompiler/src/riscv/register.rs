//! Registers: 0..32 are the ints `x0..x31`, 32..64 the floats `f0..f31`.

/// Always 0.
pub const ZERO: u8 = 0;
/// Return address.
pub const RA: u8 = 1;
/// Stack pointer.
pub const SP: u8 = 2;
/// Scratch: a spilled left operand, an int result on its way to the frame, a static link.
pub const T0: u8 = 5;
/// Scratch: a spilled right operand, the upper part of a far address.
pub const T1: u8 = 6;
/// Scratch: frames on the way to a variable of a function around.
pub const T2: u8 = 7;
/// First int argument and result.
pub const A0: u8 = 10;
/// Second int argument.
pub const A1: u8 = 11;
/// Third int argument.
pub const A2: u8 = 12;
/// Number of a system call.
pub const A7: u8 = 17;
/// Scratch: a spilled left float.
pub const FT0: u8 = 32;
/// Scratch: a spilled right float.
pub const FT1: u8 = 33;
/// First float argument and result.
pub const FA0: u8 = 42;
/// Second float argument.
pub const FA1: u8 = 43;

/// The names of the registers in the calling convention.
pub const NAMES: [&str; 64] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "ft0", "ft1", "ft2", "ft3", "ft4",
    "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4",
    "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];
