//! Registers: 0..16 are the ints, 32..48 the floats `xmm0..xmm15`.
//!
//! Functions of Par have a calling convention of their own:
//!
//! | registers | use |
//! |---|---|
//! | `rdi` `rsi` `r8` `r9` `r10` `r12` | arguments, and variables whose lives contain no call |
//! | `rbx` `rbp` `r11` `r13` | values that wait for the row that uses them |
//! | `r14` `r15` | variables across calls. A function that uses them saves them |
//! | `rax` `rcx` `rdx` | single operations, which need these registers for shifts and divisions; the result |
//! | `xmm0`..`xmm7` | arguments, variables whose lives contain no call, the result |
//! | `xmm8`..`xmm13` | values that wait |
//! | `xmm14` `xmm15` | single operations |
//!
//! Arguments have registers that no single operation needs. So an argument is computed in its register, and stays there while later
//! arguments are computed. No value waits in a register across a call. The registers that a function saves are registers that C functions
//! save too, so Par calls C without saving any. C functions save no floats, so neither do functions of Par. A function that C calls
//! saves all that C expects, and both directions move the arguments.

macro_rules! registers {
    ($($name:ident $full:literal $half:literal $word:literal $byte:literal)*; $($float:ident $text:literal)*) => {
        #[allow(clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        #[allow(clippy::upper_case_acronyms)]
        enum FloatNumber { $($float),* }
        $(
            #[doc = concat!("`", $full, "`")]
            pub const $name: u8 = Number::$name as u8;
        )*
        $(
            #[doc = concat!("`", $text, "`")]
            pub const $float: u8 = 32 + FloatNumber::$float as u8;
        )*
        /// The names of the ints by their width: 64, 32, 16 and 8 bits.
        pub const INTS: [[&str; 16]; 4] = [[$($full),*], [$($half),*], [$($word),*], [$($byte),*]];
        /// The names of the floats.
        pub const FLOATS: [&str; 16] = [$($text),*];
    };
}

registers! {
    RAX "rax" "eax" "ax" "al"
    RCX "rcx" "ecx" "cx" "cl"
    RDX "rdx" "edx" "dx" "dl"
    RBX "rbx" "ebx" "bx" "bl"
    RSP "rsp" "esp" "sp" "spl"
    RBP "rbp" "ebp" "bp" "bpl"
    RSI "rsi" "esi" "si" "sil"
    RDI "rdi" "edi" "di" "dil"
    R8 "r8" "r8d" "r8w" "r8b"
    R9 "r9" "r9d" "r9w" "r9b"
    R10 "r10" "r10d" "r10w" "r10b"
    R11 "r11" "r11d" "r11w" "r11b"
    R12 "r12" "r12d" "r12w" "r12b"
    R13 "r13" "r13d" "r13w" "r13b"
    R14 "r14" "r14d" "r14w" "r14b"
    R15 "r15" "r15d" "r15w" "r15b";
    XMM0 "xmm0" XMM1 "xmm1" XMM2 "xmm2" XMM3 "xmm3" XMM4 "xmm4" XMM5 "xmm5" XMM6 "xmm6" XMM7 "xmm7"
    XMM8 "xmm8" XMM9 "xmm9" XMM10 "xmm10" XMM11 "xmm11" XMM12 "xmm12" XMM13 "xmm13" XMM14 "xmm14" XMM15 "xmm15"
}

/// The registers that pass ints.
pub const ARGUMENTS: [u8; INT_ARGUMENTS as usize] = [RDI, RSI, R8, R9, R10, R12];

/// The number of ints in registers.
pub const INT_ARGUMENTS: u32 = 6;

/// The number of floats in registers, from `xmm0` on.
pub const FLOAT_ARGUMENTS: u32 = 8;

/// The ints by height of the evaluation stack. `r12` is not one of them, because they hold addresses.
pub const INTS_BY_HEIGHT: [u8; 4] = [RBX, RBP, R11, R13];

/// The ints that a function saves if it uses them, in the order of their use.
pub const SAVED: [u8; 2] = [R15, R14];

/// The floats by height of the evaluation stack.
pub const FLOATS_BY_HEIGHT: [u8; 6] = [XMM8, XMM9, XMM10, XMM11, XMM12, XMM13];
