//! The classes of tokens, and the tables of the grammar: neighbours of classes, ranks of operators.
//!
//! ```text
//! token  if  a       [            1       ]             <       -      2       {         }
//! class  If  Callee  CallBracket  Number  BracketClose  Binary  Unary  Number  ThenBody  BlockClose
//! ```
//!
//! A class refines a kind by the tokens around it. With classes, the grammar inside a pair of brackets is a set of
//! pairs of neighbours. [`FOLLOWS`] is that set. The tables from kinds to classes are in [`classes`](super::classes).

use treepar::Backend;
use treepar::device::{ColumnVisitor, device};

use super::kinds::Kind;
use super::meaning::Origin;
use super::nodes::NodeId;
use super::operators::level;
use super::sets::sets;
use super::table::{Table, tables};
use super::tokens::{TokenId, TokenKind};

/// Classes of tokens.
#[device]
pub enum Class {
    /// No token of a valid program.
    Unknown,
    /// The end of an input.
    End,
    /// `extern`.
    Extern,
    /// `fn` of a function with a body.
    Fn,
    /// `fn` after `extern`.
    ExternFn,
    /// The name of a function with a body.
    FunctionName,
    /// The name of an `extern` function.
    ExternName,
    /// `[` before parameters.
    ParametersOpen,
    /// The name of a parameter.
    Parameter,
    /// `:` after the name of a parameter.
    ParameterColon,
    /// The type of a parameter.
    ParameterType,
    /// `,` between parameters.
    ParameterComma,
    /// `]` after parameters.
    ParametersClose,
    /// `:` before the type of a function.
    ResultColon,
    /// The type of a function.
    ResultType,
    /// `{` of a function.
    FunctionBody,
    /// `{` of an `if` or `elif`.
    ThenBody,
    /// `{` of a `while` or `for`.
    LoopBody,
    /// `{` of an `else`.
    ElseBody,
    /// `{` that begins a statement.
    Block,
    /// `}`.
    BlockClose,
    /// `;` that is a statement.
    Empty,
    /// `;` after an expression.
    EndExpression,
    /// `;` of a `return`.
    EndReturn,
    /// `;` of an `extern`.
    EndExtern,
    /// `if`.
    If,
    /// `elif`.
    Elif,
    /// `else`.
    Else,
    /// `while`.
    While,
    /// `for`.
    For,
    /// The name of a variable after `for`.
    Counter,
    /// `<` after that name.
    Below,
    /// `return`.
    Return,
    /// `var`.
    Var,
    /// The name of a variable after `var`.
    VariableName,
    /// `:` after the name of a variable.
    VariableColon,
    /// The type of a variable.
    VariableType,
    /// The name of a variable before `=`.
    Head,
    /// `=`.
    Assign,
    /// The name of a variable that is read.
    Name,
    /// A number.
    Number,
    /// The name of a function that is called.
    Callee,
    /// `if` of a conditional expression.
    Choose,
    /// `[` of a conditional expression.
    ChoiceBracket,
    /// `(` before arguments.
    CallParen,
    /// `[` before arguments.
    CallBracket,
    /// `(` of a call without arguments.
    EmptyParen,
    /// `[` of a call without arguments.
    EmptyBracket,
    /// `,` between arguments, or between the parts of a conditional expression.
    ArgumentComma,
    /// A type that converts a value.
    Cast,
    /// `(` after such a type.
    CastOpen,
    /// `(` around a value.
    GroupOpen,
    /// `)`.
    ParenClose,
    /// `]` after arguments, or after a conditional expression.
    BracketClose,
    /// An operator before its operand.
    Unary,
    /// An operator between its operands.
    Binary,
    /// `:` after a value.
    Ascribe,
    /// The type of that value.
    AscribedType,
    /// `[` before the elements of an array.
    ArrayOpen,
    /// `[` before the indices of a value that ends with a bracket.
    IndexOpen,
    /// `=` of an update.
    Update,
    /// `fn[` of a lambda, before its parameters.
    LambdaOpen,
    /// The name of a parameter of a lambda. Its other tokens have the classes of those of a function, and the last one is that with
    /// the type of the value.
    LambdaParameter,
    /// A binary operator as a function.
    Section,
    /// `..` between the bounds of a slice. The bracket around it is one of indices.
    Range,
    /// `..` without bounds.
    All,
}

#[device]
impl Class {
    /// Returns whether a token of class `next` may follow a token of this class.
    pub fn may_precede(self, next: Class) -> bool {
        FOLLOWS[(self.code() & 127) as usize].contains(next)
    }
}

sets! {
    /// A set of classes.
    Classes of Class
}

/// Returns a set of classes: single classes and, after `|`, sets.
macro_rules! classes {
    ($($class:ident)* $(| $($set:ident)*)?) => { Classes::of(&[$(Class::$class),*])$($(.union($set))*)? };
}

/// The left braces.
pub const BRACES: Classes = classes![FunctionBody ThenBody LoopBody ElseBody Block];
/// The semicolons.
pub const SEMICOLONS: Classes = classes![Empty EndExpression EndReturn EndExtern];
/// The brackets before lists of values.
const LISTS: Classes = classes![| ARGUMENT_LISTS BARE_LISTS];
/// Those whose values have nodes around them.
const ARGUMENT_LISTS: Classes = classes![CallParen CallBracket ChoiceBracket];
/// The brackets before lists whose values have no nodes of their own around them. Those after commas have, until names are
/// known.
pub const BARE_LISTS: Classes = classes![ArrayOpen IndexOpen];
/// The tokens before a statement.
pub const BOUNDARIES: Classes = classes![BlockClose | BRACES SEMICOLONS];
/// The classes that follow the end of a block of an `if` that has another part.
pub const OTHERWISE: Classes = classes![Elif Else];
/// The classes outside all brackets.
pub const OUTSIDE: Classes = classes![
    End Extern Fn ExternFn FunctionName ExternName ParametersOpen ParametersClose
    ResultColon ResultType FunctionBody BlockClose EndExtern
];
/// The classes that are only outside all brackets.
pub const ONLY_OUTSIDE: Classes = classes![End Extern ExternFn ExternName EndExtern];

/// The first tokens of an operand.
const OPERANDS: Classes = classes![Name Number Callee Choose Cast GroupOpen Unary ArrayOpen];
/// The first tokens of an expression.
const EXPRESSIONS: Classes = classes![Var Head | OPERANDS];
/// The first tokens of a statement.
const STATEMENTS: Classes = classes![Fn Block Empty If While For Return | EXPRESSIONS];
/// The first tokens at top level.
const ITEMS: Classes = classes![End Extern Fn];
/// The tokens after an expression.
const ENDS: Classes = classes![ThenBody LoopBody EndExpression EndReturn ArgumentComma ParenClose BracketClose Range];

/// The class that closes each left bracket, the class after the head of each function, and `Unknown` for other classes.
pub const CLOSERS: [Class; Class::COUNT] = {
    let mut closers = [Class::Unknown; Class::COUNT];
    let mut i = 0;
    while i < Class::COUNT {
        closers[i] = match Class::ALL[i] {
            Class::ParametersOpen | Class::LambdaOpen => Class::ParametersClose,
            Class::CallParen | Class::EmptyParen | Class::CastOpen | Class::GroupOpen => Class::ParenClose,
            Class::CallBracket | Class::EmptyBracket | Class::ChoiceBracket => Class::BracketClose,
            class if BARE_LISTS.contains(class) => Class::BracketClose,
            class if BRACES.contains(class) => Class::BlockClose,
            Class::Fn => Class::FunctionBody,
            Class::ExternFn => Class::EndExtern,
            _ => Class::Unknown,
        };
        i += 1;
    }
    closers
};

/// The classes that the previous smaller key of each class may have.
///
/// A `;` finds the `{` around it, and the `,` of an argument the bracket around it. Before a `{` in the same list there
/// may be a smaller key, whose own context is checked in turn. Only a function can be outside all braces; the end of
/// the input before it is `Unknown` if that input is wrong.
pub const CONTEXTS: [Classes; Class::COUNT] = {
    let mut contexts = [Classes::ALL; Class::COUNT];
    let mut i = 0;
    while i < Class::COUNT {
        if BRACES.contains(Class::ALL[i]) {
            contexts[i] = classes![If | BRACES SEMICOLONS];
        } else if SEMICOLONS.contains(Class::ALL[i]) {
            contexts[i] = BRACES;
        }
        i += 1;
    }
    contexts[Class::FunctionBody.code() as usize] = classes![If End Unknown | BRACES SEMICOLONS];
    contexts[Class::EndExtern.code() as usize] = Classes::ALL;
    contexts[Class::ArgumentComma.code() as usize] = LISTS;
    contexts[Class::Update.code() as usize] = BOUNDARIES;
    contexts[Class::Range.code() as usize] = classes![CallBracket IndexOpen ArgumentComma];
    contexts
};

/// The classes with a closer or a context.
pub const NESTING: Classes = {
    let mut nesting = Classes::NONE;
    let mut i = 0;
    while i < Class::COUNT {
        let is_opener = !matches!(CLOSERS[i], Class::Unknown);
        let mut k = 0;
        while k < Class::COUNT {
            if is_opener || !CONTEXTS[i].contains(Class::ALL[k]) {
                nesting = nesting.union(Classes::of(&[Class::ALL[i]]));
            }
            k += 1;
        }
        i += 1;
    }
    nesting
};

/// Declares the classes that may follow each class: single classes and, after `|`, sets.
macro_rules! follows {
    ($($($class:ident)* => $($next:ident)* $(| $($set:ident)*)?;)*) => {
        /// The classes that may follow each class. A power of two of rows needs no check of the index.
        pub const FOLLOWS: [Classes; 128] = {
            let mut follows = [Classes::NONE; 128];
            $(
                let next = classes![$($next)* $(| $($set)*)?];
                $(follows[Class::$class.code() as usize] = next;)*
            )*
            follows
        };
    };
}

follows! {
    Unknown End => | ITEMS;
    Extern => ExternFn;
    Fn => FunctionName;
    ExternFn => ExternName;
    FunctionName ExternName => ParametersOpen;
    ParametersOpen => Parameter ParametersClose;
    Parameter => ParameterColon;
    ParameterColon => ParameterType;
    LambdaOpen => LambdaParameter;
    LambdaParameter => ParameterType;
    ParameterType => ParameterComma ParametersClose;
    ParameterComma => Parameter LambdaParameter;
    ParametersClose => ResultColon FunctionBody EndExtern | OPERANDS;
    ResultColon => ResultType;
    ResultType => FunctionBody EndExtern;
    FunctionBody ThenBody LoopBody ElseBody Block => BlockClose | STATEMENTS;
    BlockClose => BlockClose Elif Else | STATEMENTS ITEMS;
    Empty EndExpression EndReturn => BlockClose | STATEMENTS;
    EndExtern => | ITEMS;
    If Elif While Below => | EXPRESSIONS;
    For => Counter;
    Counter => Below;
    Else => ElseBody;
    Return => EndReturn | EXPRESSIONS;
    Var => VariableName;
    VariableName => VariableColon Assign;
    VariableColon => VariableType;
    VariableType => Assign | ENDS;
    Head => Assign;
    Assign => | EXPRESSIONS;
    Name Number => Binary Ascribe | ENDS;
    ParenClose => Binary Ascribe IndexOpen | ENDS;
    BracketClose => Binary Ascribe IndexOpen Update | ENDS;
    Callee => CallParen CallBracket EmptyParen EmptyBracket;
    Choose => ChoiceBracket;
    CallBracket ArgumentComma => LambdaOpen Section All | EXPRESSIONS;
    CallParen => LambdaOpen Section | EXPRESSIONS;
    IndexOpen => All | EXPRESSIONS;
    ChoiceBracket CastOpen GroupOpen ArrayOpen Update Range => | EXPRESSIONS;
    All => ArgumentComma BracketClose;
    Section => ArgumentComma ParenClose BracketClose;
    EmptyParen => ParenClose;
    EmptyBracket => BracketClose;
    Cast => CastOpen;
    Unary Binary => | OPERANDS;
    Ascribe => AscribedType;
    AscribedType => Ascribe | ENDS;
}

/// The rank of a name or `var` in a chain of assignments, if it is not the first.
pub const INNER_HEAD_RANK: u8 = 4;
/// The rank of the first of several unary operators.
const UNARY_RANK: u8 = 13;
/// The rank of the others.
pub const INNER_UNARY_RANK: u8 = 14;
/// The rank of all tokens without one of their own. An operator reaches past them.
pub const REST_RANK: u8 = 15;
/// Bits of a key for the rank. The bits above hold the depth.
pub const RANK_BITS: u32 = 4;
/// The smallest depth of brackets that a key cannot hold.
pub const DEPTH_LIMIT: u32 = 1 << (32 - RANK_BITS);

/// Returns the rank of a token, if it is not inside a chain or run.
///
/// ```text
/// 0  ; ,       end statements and arguments
/// 1  if        smaller than the other parts of a chain, so that an `elif` finds it
/// 2  { }       the other keywords of statements, the `;` of an `extern`, the `<` after the name of a `for`, and the `..` of a range
/// 3  x = e     the first name or `var` of a chain of assignments, and the `=` of an update
/// 4  y = e     the others, and the `=` of all, so that the first operand begins after it; the head of a lambda
/// 5  e : T
/// 6  || ..     binary operators, the loosest first: a tighter operator has a smaller level
/// 13 - ! ~     the first of a run
/// 14 - ! ~     the others, so that an index applies to its operand alone
/// 15           all other tokens
/// ```
pub const fn rank_of(kind: TokenKind, class: Class) -> u8 {
    match class {
        _ if matches!(kind, TokenKind::LambdaOpen | TokenKind::LambdaClose) => INNER_HEAD_RANK,
        Class::End | Class::ArgumentComma | Class::ParameterComma => 0,
        Class::If => 1,
        Class::BlockClose | Class::Extern | Class::Fn | Class::ExternFn | Class::EndExtern => 2,
        Class::Elif | Class::Else | Class::While | Class::For | Class::Below | Class::Return | Class::Range => 2,
        Class::Head | Class::Var | Class::Update => 3,
        Class::Assign => INNER_HEAD_RANK,
        Class::Ascribe => 5,
        Class::Unary => UNARY_RANK,
        Class::Binary => match kind.operator() {
            Some((_, level)) => level::OR + 6 - level,
            None => REST_RANK,
        },
        _ if SEMICOLONS.contains(class) => 0,
        _ if BRACES.contains(class) => 2,
        _ => REST_RANK,
    }
}

/// The nodes that begin before their token.
pub const INFIX: Classes = classes![Binary Ascribe EndExpression IndexOpen Range];
/// The nodes of tokens before an argument.
pub const ARGUMENTS: Classes = classes![ArgumentComma | ARGUMENT_LISTS];
/// The nodes of one token.
pub const LEAVES: Classes = classes![FunctionName Parameter LambdaParameter Empty Name Number Section All];
/// The nodes that begin with their token.
pub const PREFIX: Classes = classes![
    Extern Fn If Elif While For Counter Return Var Head Callee Choose Cast Unary ArrayOpen LambdaOpen
    | LEAVES BRACES ARGUMENTS
];

/// The kind of the node of each class, where all tokens of the class have the same.
pub const NODE_KINDS: [Kind; Class::COUNT] = {
    let mut kinds = [Kind::Empty; Class::COUNT];
    let mut i = 0;
    while i < Class::COUNT {
        kinds[i] = match Class::ALL[i] {
            Class::Fn => Kind::Function,
            Class::Extern => Kind::Extern,
            Class::FunctionName => Kind::Header,
            Class::Parameter => Kind::Param,
            Class::EndExpression => Kind::Expression,
            Class::Return => Kind::Return,
            Class::If | Class::Elif => Kind::If,
            Class::While => Kind::While,
            Class::For => Kind::For,
            Class::Counter => Kind::Count,
            Class::Var => Kind::Declare,
            Class::Head => Kind::Assign,
            Class::Callee => Kind::Call,
            Class::CallParen | Class::CallBracket | Class::ArgumentComma => Kind::Arg,
            Class::Choose => Kind::Choose,
            Class::ArrayOpen => Kind::Array,
            Class::IndexOpen => Kind::Index,
            Class::ChoiceBracket => Kind::Test,
            Class::LambdaOpen | Class::Section => Kind::Lambda,
            Class::LambdaParameter => Kind::Element,
            Class::Number => Kind::Literal,
            Class::Name => Kind::Name,
            Class::Cast => Kind::Cast,
            Class::Ascribe => Kind::Ascribe,
            Class::Unary => Kind::Negate,
            Class::Range => Kind::Range,
            Class::All => Kind::All,
            class if BRACES.contains(class) => Kind::Block,
            _ => Kind::Empty,
        };
        i += 1;
    }
    kinds
};

/// The distance from the token of each node to the token that names it: the name of a function or variable, the first
/// token of an argument.
pub const NAME_OFFSETS: [u8; Class::COUNT] = {
    let mut offsets = [0; Class::COUNT];
    let mut i = 0;
    while i < Class::COUNT {
        if classes![Fn Var | ARGUMENTS].contains(Class::ALL[i]) {
            offsets[i] = 1;
        }
        i += 1;
    }
    offsets[Class::Extern.code() as usize] = 2;
    offsets
};

/// The kind of the node of each operator, a `-` as a binary one.
pub const OPERATOR_KINDS: [Kind; TokenKind::COUNT] = {
    let mut kinds = [Kind::Empty; TokenKind::COUNT];
    let mut i = 0;
    while i < TokenKind::COUNT {
        kinds[i] = match TokenKind::ALL[i] {
            TokenKind::Bang => Kind::Not,
            TokenKind::Tilde => Kind::Complement,
            kind => match kind.operator() {
                Some((kind, _)) => kind,
                None => Kind::Empty,
            },
        };
        i += 1;
    }
    kinds
};

/// A token with its class.
#[device(columns(Classified, index = TokenId))]
pub struct ClassifiedToken {
    /// The class.
    pub class: Class,
    /// The depth in brackets times 16, plus the rank. A bracket has the depth outside it.
    pub key: u32,
}

/// The tokens of a node.
#[device(columns(Spans, index = TokenId))]
pub struct Span {
    /// The first token of a node that begins before its own token, else `u32::MAX`.
    pub first: u32,
    /// One past the last token, `u32::MAX` if the token has no node. Each bracket and comma of a call has the end of one
    /// of its arguments: a comma of the argument before it, and the bracket of the last one.
    pub end: u32,
}

/// The result of the syntax check.
pub struct Checked<B: Backend> {
    /// The last token before each token with a smaller key, or `u32::MAX`.
    pub previous: B::Vec<u32>,
    /// The first token after each token whose key is not greater, or the number of tokens.
    pub next: B::Vec<u32>,
    /// The tokens of the node of each token, if there are no violations.
    pub spans: Spans<B>,
    /// The number of violations that were found. If it is 0, the program is in the grammar.
    pub errors: u32,
}

impl<B: Backend> Table<B> for Checked<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("previous", &self.previous);
        visitor.column("next", &self.next);
        self.spans.visit(visitor);
    }
}

/// A node of the syntax tree.
#[device(columns(SyntaxNodes, index = NodeId))]
pub struct SyntaxNode {
    /// The depth: 0 for a root, else the depth of the parent plus 1.
    pub depth: u32,
    /// The kind.
    pub kind: Kind,
    /// The token of the node. Of a function, a declaration or an assignment it is the name, of an argument and of an
    /// expression statement the first token.
    pub token: TokenId,
    /// The end of its subtree: one past its last node.
    pub end: u32,
}

/// The syntax tree.
pub struct Parsed<B: Backend> {
    /// The nodes in preorder.
    pub nodes: SyntaxNodes<B>,
    /// The node of each token, `u32::MAX` if it has none.
    pub node: B::Vec<u32>,
    /// The bits of literals, and 0 of other nodes.
    pub data: B::Vec<u32>,
    /// The origin of the type of each node.
    pub origins: B::Vec<Origin>,
    /// The nodes of conditional expressions.
    pub choices: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Parsed<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        self.nodes.visit(visitor);
        visitor.column("node", &self.node);
        visitor.column("data", &self.data);
        visitor.column("origins", &self.origins);
    }
}

/// A token with the results of the lexer and of the syntax passes.
#[device(columns(SyntaxTokens, index = TokenId))]
pub struct SyntaxToken {
    /// The offset of its first byte, as in [`Tokens`](super::tokens::Tokens).
    pub start: u32,
    /// The kind.
    pub kind: TokenKind,
    /// The id of a name or the bits of a number, as in [`Tokens`](super::tokens::Tokens).
    pub value: u32,
    /// The class.
    pub class: Class,
    /// The last token before it with a smaller key, or `u32::MAX`.
    pub previous: u32,
    /// The first token after it whose key is not greater, or the number of tokens.
    pub next: u32,
    /// The node of the token, `u32::MAX` if it has none.
    pub node: u32,
}

/// A node of the syntax tree, as far as it does not refer to tokens.
#[device(columns(TreeNodes, index = NodeId))]
pub struct TreeNode {
    /// The depth: 0 for a root, else the depth of the parent plus 1.
    pub depth: u32,
    /// The kind.
    pub kind: Kind,
    /// The end of its subtree: one past its last node.
    pub end: u32,
}

tables!(Classified, Spans, SyntaxNodes);
