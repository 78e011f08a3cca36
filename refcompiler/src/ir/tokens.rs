//! The tokens of all inputs as a table.
//!
//! ```text
//! text    x = 0x10;              one input; byte 9 is its gap byte
//! start   0     2       4    8          9
//! kind    NAME  ASSIGN  INT  SEMICOLON  END
//! value   id    0       16   0          0
//! ```
//!
//! The tokens are in the order of their bytes. Each input ends with one [`TokenKind::End`], which starts at the gap byte
//! after it. Comments and spaces are not tokens.

use treepar::Backend;
use treepar::device::device;

use super::kinds::Kind;
use super::operators::{level, operators};
use super::sets::sets;
use super::table::tables;

/// An index of a token.
#[device(index)]
pub struct TokenId(u32);

/// An index of a name: equal names have equal indices, which count first occurrences.
#[device(index)]
pub struct NameId(u32);

/// Declares the kinds of tokens: those given, and the binary operators.
macro_rules! kinds {
    (
        { $($(#[$doc:meta])* $variant:ident $spelling:literal,)* }
        $($(#[$operator_doc:meta])* $operator:ident $operator_spelling:literal, $level:ident,
            $operands:ident -> $value:ident, $kind:ident $code:ident $text:literal;)*
    ) => {
        /// Kinds of tokens.
        #[device]
        pub enum TokenKind {
            $($(#[$doc])* $variant,)*
            $($(#[$operator_doc])* $operator,)*
        }

        /// The text of each kind: of a keyword, operator or bracket its bytes, of other tokens nothing.
        const SPELLINGS: [&str; TokenKind::COUNT] = [$($spelling,)* $($operator_spelling),*];

        /// The node of each binary operator and its [`level`], and `None` for other kinds.
        const OPERATORS: [Option<(Kind, u8)>; TokenKind::COUNT] = {
            let mut operators = [None; TokenKind::COUNT];
            $(operators[TokenKind::$operator.code() as usize] = Some((Kind::$kind, level::$level));)*
            operators
        };
    };
}

operators! { kinds! {
    /// A name. value: its id.
    Name "",
    /// An integer that `int` can hold, or a hexadecimal integer of 32 bits. value: its bits.
    Int "",
    /// The decimal integer 2147483648, which is valid only immediately after a unary minus. value: its bits.
    MinusOnlyInt "",
    /// A number with a point, and perhaps an exponent. value: the bits of an f32.
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
    /// `if` before `[`.
    Choose "",
    /// `for` before a word. Elsewhere it is a name.
    For "for",
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
    /// `~`.
    Tilde "~",
    /// `!`.
    Bang "!",
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
    /// `.`. The data-parallel lexer finds it only where no letter or digit is next to it.
    Dot ".",
    /// `..`.
    Dots "..",
    /// The end of an input.
    End "",
    /// The type of an array. value: its code. This kind and those below are made of other tokens by
    /// [`brackets`](crate::frontend::brackets).
    ArrayType "",
    /// The type of a unique array. value: its code.
    UniqueType "",
    /// `[` before the elements of an array.
    ArrayBracket "",
    /// `[` after `)` or `]`, before indices.
    IndexBracket "",
    /// `=` after `]`.
    Update "",
    /// `fn[` of a lambda.
    LambdaOpen "",
    /// The name of a parameter of a lambda. value: the id of the name.
    LambdaParameter "",
    /// The type of a parameter of a lambda, with the `:` before it. value: its code.
    LambdaType "",
    /// `,` between parameters of a lambda.
    LambdaComma "",
    /// `]` after them, with the type of the lambda's value and the `=`. value: the code of the type.
    LambdaClose "",
    /// An operator in parentheses. value: the code of its kind of node.
    Section "",
    /// `..` between two bounds, of which one may be a token that `..` stands for as well. value: 1 if the upper one is.
    Range "",
    /// `..` without bounds.
    All "",
} }

impl TokenKind {
    /// Returns the text of a keyword, operator or bracket, and the empty text for other tokens.
    pub const fn spelling(self) -> &'static str {
        SPELLINGS[self.code() as usize]
    }

    /// Returns the kind of the node of a binary operator, and the operator's [`level`].
    #[inline]
    pub const fn operator(self) -> Option<(Kind, u8)> {
        OPERATORS[self.code() as usize]
    }
}

sets! {
    /// A set of kinds of tokens.
    TokenKinds of TokenKind
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

/// A name.
#[device(columns(Names, index = NameId))]
pub struct NameRow {
    /// The bytes of the name, the first in the lowest bits. Of a name of more than eight bytes a hash, with bit 63 set.
    pub key: u64,
    /// The token where the name occurs first.
    pub first: TokenId,
}

tables!(Tokens, Names);

/// The result of the data-parallel lexer. If `unsure` is 0, no token is [`TokenKind::Malformed`], and each input has one
/// [`TokenKind::End`], the sequential lexer finds the same tokens and no error. Otherwise only the sequential lexer knows
/// whether there is an error.
pub struct Lexed<B: Backend> {
    /// The tokens.
    pub tokens: Tokens<B>,
    /// The names.
    pub names: Names<B>,
    /// The number of damaged inputs, and of names with the hash of another.
    pub unsure: u32,
}
