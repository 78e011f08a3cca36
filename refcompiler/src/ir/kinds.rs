//! Kinds of nodes and rows, types, and roles of values, with the questions that passes ask about them.

use treepar::device::device;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        $($(#[$doc])* pub const $name: u8 = Number::$name as u8;)*
        /// The name of each code in listings.
        pub const NAMES: [&str; [$($text),*].len()] = [$($text),*];
    };
}

/// Kinds of nodes and rows. Children are in brackets, in order; `*` is any number, `?` none or one.
pub mod kind {
    codes! {
        /// `fn`: \[HEADER, PARAM*, BLOCK\]. data: function id; ty: return type. A BLOCK can hold it as a statement.
        FUNCTION = "function";
        /// `extern fn`: \[PARAM*\]. data: function id; ty: return type.
        EXTERN = "extern";
        /// The first child of a function, a leaf. Its row is the prologue.
        HEADER = "header";
        /// A parameter, a leaf with its type.
        PARAM = "param";
        /// `{ }`: \[statement*\].
        BLOCK = "block";
        /// `;` without a statement.
        EMPTY = "empty";
        /// `e;`: \[value or void CALL\].
        EXPRESSION = "expression";
        /// `return`: \[value?\].
        RETURN = "return";
        /// `if` without `else`: \[value, BLOCK\].
        IF = "if";
        /// `if` with `else`: \[value, BLOCK, BLOCK or IF or IF_ELSE\]. An `elif` is an IF or IF_ELSE as third child.
        IF_ELSE = "if_else";
        /// `while`: \[value, BLOCK\].
        WHILE = "while";
        /// `var x: T = e`: \[value?\]. Declares a variable, zero by default, and is a value.
        DECLARE = "declare";
        /// `x = e`: \[value\]. data: the node (PARAM or DECLARE) that declares x.
        ASSIGN = "assign";
        /// `f[..]`: \[ARG*\]. data: function id; ty: return type, VOID without a value.
        CALL = "call";
        /// An argument: \[value\]. data: its index, from 0; ty: its type.
        ARG = "arg";
        /// A literal, a leaf. data: the bits of an i32 or an f32.
        LITERAL = "literal";
        /// A read of a variable, a leaf. data: the node (PARAM or DECLARE) that declares it.
        NAME = "name";
        /// `int(e)`, `float(e)`: \[value\]. ty: the new type.
        CAST = "cast";
        /// `e : T`, checked: \[value\].
        ASCRIBE = "ascribe";
        /// `-x`: \[value\].
        NEGATE = "negate";
        /// `!x`: \[value\].
        NOT = "not";
        /// `~x`: \[value\].
        COMPLEMENT = "complement";
        /// `a + b`: \[value, value\], as for all kinds below.
        ADD = "add";
        /// `a - b`.
        SUB = "sub";
        /// `a * b`.
        MUL = "mul";
        /// `a / b`.
        DIV = "div";
        /// `a % b`.
        REM = "rem";
        /// `a << b`.
        SHL = "shl";
        /// `a >> b`, arithmetic.
        SHR = "shr";
        /// `a >>> b`, logical.
        USHR = "ushr";
        /// `a & b`.
        AND = "and";
        /// `a | b`.
        OR = "or";
        /// `a ^ b`.
        XOR = "xor";
        /// `a == b`. ty is INT for all comparisons, for operands of either type.
        EQ = "eq";
        /// `a != b`.
        NE = "ne";
        /// `a < b`.
        LT = "lt";
        /// `a <= b`.
        LE = "le";
        /// `a > b`.
        GT = "gt";
        /// `a >= b`.
        GE = "ge";
        /// `a && b`. Evaluates both operands.
        LAND = "land";
        /// `a || b`. Evaluates both operands.
        LOR = "lor";
    }
}

/// Types of values.
pub mod ty {
    codes! {
        /// No value.
        VOID = "void";
        /// A signed 32-bit integer that wraps.
        INT = "int";
        /// IEEE binary32.
        FLOAT = "float";
    }
}

/// The uses of a row's value.
pub mod role {
    codes! {
        /// The row has no value, or no role below applies.
        NONE = "";
        /// An operand of row `target`.
        OPERAND = "operand of";
        /// An argument of the call in row `target`.
        ARGUMENT = "argument of";
        /// The return value of a function.
        RETURNED = "returned";
        /// A condition. If the value is 0, control continues at row `target`.
        CONDITION = "else to";
        /// Not used.
        DISCARDED = "discarded";
        /// The end of a `then` block that has an `else`, or of a loop's body: control continues at row `target`.
        JUMP = "then to";
    }
}

/// Returns whether this kind is a function's root.
#[device]
pub fn is_function(kind: u8) -> bool {
    kind == kind::FUNCTION || kind == kind::EXTERN
}

/// Returns whether `data` of this kind names a declaration.
#[device]
pub fn is_variable(kind: u8) -> bool {
    kind == kind::NAME || kind == kind::ASSIGN
}

/// Returns whether this kind has two operands.
#[device]
pub fn is_binary(kind: u8) -> bool {
    match kind {
        kind::ADD | kind::SUB | kind::MUL | kind::DIV | kind::REM => true,
        kind::SHL | kind::SHR | kind::USHR | kind::AND | kind::OR | kind::XOR => true,
        kind::LAND | kind::LOR => true,
        other => is_comparison(other),
    }
}

/// Returns whether this kind compares two operands.
#[device]
pub fn is_comparison(kind: u8) -> bool {
    match kind {
        kind::EQ | kind::NE | kind::LT | kind::LE | kind::GT | kind::GE => true,
        _ => false,
    }
}

/// Returns whether this kind computes a value from one operand.
#[device]
pub fn is_unary(kind: u8) -> bool {
    match kind {
        kind::CAST | kind::ASCRIBE | kind::NEGATE | kind::NOT | kind::COMPLEMENT => true,
        _ => false,
    }
}

/// Returns whether this kind is a value without side effects. RISC-V can leave these out: division does not trap.
#[device]
pub fn is_pure(kind: u8) -> bool {
    kind == kind::LITERAL || kind == kind::NAME || is_unary(kind) || is_binary(kind)
}

/// Returns whether this kind is a value, with or without side effects.
#[device]
pub fn is_value(kind: u8) -> bool {
    kind == kind::DECLARE || kind == kind::ASSIGN || kind == kind::CALL || is_pure(kind)
}

/// Returns whether a row jumps to a function, which may change all registers that it need not save.
#[device]
pub fn is_call(kind: u8, ty: u8) -> bool {
    kind == kind::CALL || (kind == kind::REM && ty == ty::FLOAT)
}

/// Returns the type of a row's value, VOID if it has none.
#[device]
pub fn type_of_value(kind: u8, ty: u8) -> u8 {
    if !is_value(kind) {
        ty::VOID
    } else if is_comparison(kind) {
        ty::INT
    } else {
        ty
    }
}
