//! Operands of instructions.

/// The index of a register of a function.
pub(crate) type Register = u32;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'a> {
    Register(Register),
    /// `!p`
    Not(Register),
    /// `p|q`, where either may be `_`.
    Pair(Option<Register>, Option<Register>),
    /// `_`
    Sink,
    Integer(u64),
    Float32(u32),
    Float64(u64),
    Special(Special),
    /// A variable, function or label, with an offset.
    Symbol(&'a str, i64),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `[a + 4]`
    Address(Base<'a>, i64),
    /// `(a, b)`
    List(Vec<Operand<'a>>),
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Base<'a> {
    None,
    Register(Register),
    Symbol(&'a str),
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    Warp,
    Warps,
    Multiprocessor,
    Multiprocessors,
    LanesEqual,
    LanesLess,
    LanesLessOrEqual,
    LanesGreater,
    LanesGreaterOrEqual,
    Grid,
    DynamicShared,
    TotalShared,
    Clock,
    ClockHigh,
    Clock64,
}

impl Special {
    /// Returns the special register with a name.
    pub fn named(name: &str) -> Option<Special> {
        if let Some((name, axis)) = name.rsplit_once('.') {
            let axis = ["x", "y", "z"].iter().position(|&other| other == axis)?;
            return Some(match name {
                "%tid" => Special::Thread(axis),
                "%ntid" => Special::Threads(axis),
                "%ctaid" => Special::Block(axis),
                "%nctaid" => Special::Blocks(axis),
                _ => return None,
            });
        }
        Some(match name {
            "%laneid" => Special::Lane,
            "%warpid" => Special::Warp,
            "%nwarpid" => Special::Warps,
            "%smid" => Special::Multiprocessor,
            "%nsmid" => Special::Multiprocessors,
            "%lanemask_eq" => Special::LanesEqual,
            "%lanemask_lt" => Special::LanesLess,
            "%lanemask_le" => Special::LanesLessOrEqual,
            "%lanemask_gt" => Special::LanesGreater,
            "%lanemask_ge" => Special::LanesGreaterOrEqual,
            "%gridid" => Special::Grid,
            "%dynamic_smem_size" => Special::DynamicShared,
            "%total_smem_size" => Special::TotalShared,
            "%clock" | "%globaltimer_lo" => Special::Clock,
            "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
            "%clock64" | "%globaltimer" => Special::Clock64,
            _ => return None,
        })
    }
}
