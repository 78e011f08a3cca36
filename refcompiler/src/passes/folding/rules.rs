//! Rules of algebra: one line for each. `x` is any operand without effects, `k` an exponent.
//!
//! ```text
//! Add [x, 0] => [x];          the operand
//! And [x, 0] => [0];          a literal; x is not evaluated
//! Sub [0, x] => [-x];         another operator
//! Mul [x, 2^k] => [x << k];   a shift
//! Sub [x, x] => [0];          both operands are reads of one variable
//! ```
//!
//! A library of rules is a list in a module of its own; [`LIBRARIES`] has all lists. Rules are for ints only: a float rule such as `x + 0.0 =>
//! x` would change -0.0 or the bits of a NaN. A rule is sound if both sides have the same bits for all values of x, which a test tries.

mod bits;
mod comparisons;
mod sums;

use crate::ir::kinds::Kind;
use treepar::device::device;

/// The operands that a rule is for.
#[device]
pub enum Pattern {
    /// The right operand is a literal.
    RightIs,
    /// The left operand is a literal.
    LeftIs,
    /// Both read one variable.
    Same,
    /// The right operand is a power of two, at least 2.
    RightIsPower,
}

/// The result of a rule.
#[device]
pub enum Product {
    /// The operand.
    Operand,
    /// A literal.
    Literal,
    /// The negated operand.
    Negated,
    /// The complement of the operand.
    Complemented,
    /// The operand, shifted by the exponent.
    Shifted,
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The operator.
    pub kind: Kind,
    /// The operands.
    pub pattern: Pattern,
    /// The literal among them.
    pub given: i32,
    /// The result.
    pub product: Product,
    /// The literal that is the result.
    pub made: i32,
}

macro_rules! rules {
    ($($kind:ident [$($pattern:tt)*] => [$($product:tt)*];)*) => {
        use crate::ir::kinds::Kind;
        use crate::passes::folding::rules::{Pattern, Product, Rule, pattern, product};

        /// The rules of this library.
        pub const RULES: &[Rule] = &[$({
            let (pattern, given) = pattern!($($pattern)*);
            let (product, made) = product!($($product)*);
            Rule { kind: Kind::$kind, pattern, given, product, made }
        }),*];
    };
}

macro_rules! pattern {
    (x, x) => {
        (Pattern::Same, 0)
    };
    (x, 2^k) => {
        (Pattern::RightIsPower, 0)
    };
    (x, $given:literal) => {
        (Pattern::RightIs, $given)
    };
    ($given:literal, x) => {
        (Pattern::LeftIs, $given)
    };
}

macro_rules! product {
    (x) => {
        (Product::Operand, 0)
    };
    (- x) => {
        (Product::Negated, 0)
    };
    (! x) => {
        (Product::Complemented, 0)
    };
    (x << k) => {
        (Product::Shifted, 0)
    };
    ($made:literal) => {
        (Product::Literal, $made)
    };
}

use {pattern, product, rules};

/// All libraries.
pub const LIBRARIES: [&[Rule]; 3] = [sums::RULES, bits::RULES, comparisons::RULES];

/// The number of rules.
pub const COUNT: usize = sums::RULES.len() + bits::RULES.len() + comparisons::RULES.len();

/// All rules, by the codes of their kinds, and the index of the first rule of each kind.
const SORTED: ([Rule; COUNT], [u32; Kind::COUNT + 1]) = {
    let mut sorted = [sums::RULES[0]; COUNT];
    let mut first = [0; Kind::COUNT + 1];
    let (mut next, mut code) = (0, 0);
    while code < Kind::COUNT {
        first[code] = next as u32;
        let mut library = 0;
        while library < LIBRARIES.len() {
            let mut k = 0;
            while k < LIBRARIES[library].len() {
                if LIBRARIES[library][k].kind.code() as usize == code {
                    sorted[next] = LIBRARIES[library][k];
                    next += 1;
                }
                k += 1;
            }
            library += 1;
        }
        code += 1;
    }
    first[Kind::COUNT] = next as u32;
    (sorted, first)
};

/// The index of the first rule of each kind.
const FIRST: [u32; Kind::COUNT + 1] = SORTED.1;

/// The patterns, products and numbers of the rules.
const WORDS: [u64; 2 * COUNT] = {
    let mut words = [0; 2 * COUNT];
    let mut k = 0;
    while k < COUNT {
        let rule = SORTED.0[k];
        words[2 * k] = (rule.pattern.code() as u64) << 32 | rule.given as u32 as u64;
        words[2 * k + 1] = (rule.product.code() as u64) << 32 | rule.made as u32 as u64;
        k += 1;
    }
    words
};

/// Returns the first rule of a kind, and the one after its last.
#[device]
pub fn rules_of(kind: Kind) -> (u32, u32) {
    (FIRST[kind.code() as usize], FIRST[kind.code() as usize + 1])
}

/// Returns the pattern of a rule, and the literal in it.
#[device]
pub fn pattern_of(rule: u32) -> (Pattern, u32) {
    let word = WORDS[2 * rule as usize];
    (Pattern::from_code((word >> 32) as u8), word as u32)
}

/// Returns the product of a rule, and the literal that it is.
#[device]
pub fn product_of(rule: u32) -> (Product, u32) {
    let word = WORDS[2 * rule as usize + 1];
    (Product::from_code((word >> 32) as u8), word as u32)
}
