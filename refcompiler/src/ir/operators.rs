//! The binary operators of Par: one table, from which everything else about them derives.
//!
//! ```text
//! token, spelling, level      the lexer and the parser
//! operands -> result          the check of types, sets of kinds
//! kind, its code and name     nodes, rows, listings
//! ```
//!
//! A new operator is a line here, a line in the target's table of rules, a line in the tests' table of values and code
//! (`tests/oracle/operators.rs`), and its translation to C (`programs/src/c.rs`).

/// The levels of operators. A lower level binds tighter.
pub mod level {
    /// Unary operators.
    pub const PREFIX: u8 = 1;
    /// `*` and its like.
    pub const PRODUCT: u8 = 2;
    /// `+` and its like.
    pub const SUM: u8 = 3;
    /// Shifts.
    pub const SHIFT: u8 = 4;
    /// Operators on bits.
    pub const BITS: u8 = 5;
    /// Comparisons.
    pub const COMPARISON: u8 = 6;
    /// `&&`.
    pub const AND: u8 = 7;
    /// `||`.
    pub const OR: u8 = 8;
    /// Assignments and declarations. Level 9 is `e : T`, which needs no code: everything tighter is complete before it.
    pub const ASSIGNMENT: u8 = 10;
    /// Open brackets.
    pub const BRACKET: u8 = 11;
}

/// The types that an operator is defined for. Both operands have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// `int` and `float`.
    Number,
    /// Only `int`.
    Int,
}

/// The type of an operator's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The type of the operands.
    Same,
    /// `int`, and the value is 0 or 1.
    Truth,
}

/// Calls a macro with tokens of its own in braces, and then with the table. The order of lines is the order of codes.
macro_rules! operators {
    ($derive:ident! { $($given:tt)* }) => {
        $derive! {
            { $($given)* }
            /// `a + b`: \[value, value\], as for all kinds below.
            Plus "+", SUM, Number -> Same, Add ADD "add";
            /// `a - b`.
            Minus "-", SUM, Number -> Same, Sub SUB "sub";
            /// `a * b`.
            Star "*", PRODUCT, Number -> Same, Mul MUL "mul";
            /// `a / b`.
            Slash "/", PRODUCT, Number -> Same, Div DIV "div";
            /// `a % b`.
            Percent "%", PRODUCT, Number -> Same, Rem REM "rem";
            /// `a << b`.
            Shl "<<", SHIFT, Int -> Same, Shl SHL "shl";
            /// `a >> b`, arithmetic.
            Shr ">>", SHIFT, Int -> Same, Shr SHR "shr";
            /// `a >>> b`, logical.
            Ushr ">>>", SHIFT, Int -> Same, Ushr USHR "ushr";
            /// `a & b`.
            And "&", BITS, Int -> Same, And AND "and";
            /// `a | b`.
            Or "|", BITS, Int -> Same, Or OR "or";
            /// `a ^ b`.
            Xor "^", BITS, Int -> Same, Xor XOR "xor";
            /// `a == b`. ty is INT for all comparisons, for operands of either type.
            Eq "==", COMPARISON, Number -> Truth, Eq EQ "eq";
            /// `a != b`.
            Ne "!=", COMPARISON, Number -> Truth, Ne NE "ne";
            /// `a < b`.
            Lt "<", COMPARISON, Number -> Truth, Lt LT "lt";
            /// `a <= b`.
            Le "<=", COMPARISON, Number -> Truth, Le LE "le";
            /// `a > b`.
            Gt ">", COMPARISON, Number -> Truth, Gt GT "gt";
            /// `a >= b`.
            Ge ">=", COMPARISON, Number -> Truth, Ge GE "ge";
            /// `a && b`. Evaluates both operands.
            AndAnd "&&", AND, Int -> Truth, Land LAND "land";
            /// `a || b`. Evaluates both operands.
            OrOr "||", OR, Int -> Truth, Lor LOR "lor";
        }
    };
}
pub(crate) use operators;
