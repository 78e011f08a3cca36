//! The tokens of all inputs as a table.
//!
//! ```text
//! text    x = 0x10;              one input; byte 9 is its gap byte
//! start   0     2       4    8          9
//! kind    NAME  ASSIGN  INT  SEMICOLON  END
//! value   id    0       16   0          0
//! ```
//!
//! The tokens stand in the order of their bytes. Each input ends with one [`TokenKind::End`], which starts at the gap
//! byte behind it. Comments and spaces are no tokens.

use treepar::device::device;

use super::table::tables;

/// An index of a token.
#[device(index)]
pub struct TokenId(u32);

/// Declares the kinds of tokens and the text of each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $spelling:literal,)*) => {
        /// Kinds of tokens.
        #[device]
        pub enum TokenKind {
            $($(#[$doc])* $variant,)*
        }

        /// The text of each kind: of a keyword, operator or bracket its bytes, of other tokens nothing.
        pub const SPELLINGS: [&str; [$($spelling),*].len()] = [$($spelling),*];
    };
}

kinds! {
    /// A name. value: its id.
    Name "",
    /// An integer that `int` can hold, or a hexadecimal integer of 32 bits. value: its bits.
    Int "",
    /// The decimal integer 2147483648, which is valid only immediately after a unary minus. value: its bits.
    MinusOnlyInt "",
    /// A number with a point. value: the bits of an f32.
    Float "",
    /// Bytes that are not a token.
    Malformed "",
    /// `fn`.
    Fn "fn",
    /// `if`.
    If "if",
    /// `elif`.
    Elif "elif",
    /// `else`.
    Else "else",
    /// `while`.
    While "while",
    /// `return`.
    Return "return",
    /// `var`.
    Var "var",
    /// `int`.
    IntType "int",
    /// `float`.
    FloatType "float",
    /// `void`.
    VoidType "void",
    /// `extern`.
    Extern "extern",
    /// `+`.
    Plus "+",
    /// `-`.
    Minus "-",
    /// `*`.
    Star "*",
    /// `/`.
    Slash "/",
    /// `%`.
    Percent "%",
    /// `&`.
    And "&",
    /// `|`.
    Or "|",
    /// `^`.
    Xor "^",
    /// `~`.
    Tilde "~",
    /// `!`.
    Bang "!",
    /// `<<`.
    Shl "<<",
    /// `>>`.
    Shr ">>",
    /// `>>>`.
    Ushr ">>>",
    /// `&&`.
    AndAnd "&&",
    /// `||`.
    OrOr "||",
    /// `==`.
    Eq "==",
    /// `!=`.
    Ne "!=",
    /// `<`.
    Lt "<",
    /// `<=`.
    Le "<=",
    /// `>`.
    Gt ">",
    /// `>=`.
    Ge ">=",
    /// `=`.
    Assign "=",
    /// `:`.
    Colon ":",
    /// `;`.
    Semicolon ";",
    /// `,`.
    Comma ",",
    /// `(`.
    LeftParen "(",
    /// `)`.
    RightParen ")",
    /// `[`.
    LeftBracket "[",
    /// `]`.
    RightBracket "]",
    /// `{`.
    LeftBrace "{",
    /// `}`.
    RightBrace "}",
    /// The end of an input.
    End "",
}

/// A token.
#[device(columns(Tokens, index = TokenId))]
pub struct TokenRow {
    /// The offset of its first byte in all inputs, laid end to end.
    pub start: u32,
    /// The kind.
    pub kind: TokenKind,
    /// The id of a name, where equal names have equal ids; the bits of a number; else 0.
    pub value: u32,
}

tables!(Tokens);
