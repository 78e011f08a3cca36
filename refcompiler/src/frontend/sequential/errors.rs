//! Every error and warning of the front end: one constructor per diagnostic. Advice about other languages is in
//! `advice`.

use std::ops::Range;

use super::advice;
use super::array_errors::help_for_type;
use super::composites::Types;
use super::lexer::Token;
use super::numbers::NumberError;
use crate::diagnostics::{Code, Diagnostic};
use crate::ir::kinds::Type;
use crate::ir::tree::ty;

/// Texts of the source that have more characters are shortened in messages.
const MAX_SHOWN: usize = 40;

/// Returns a text of the source for a message: shortened, control characters escaped.
pub fn shown(text: &str) -> String {
    let first_line = text.lines().next().unwrap_or("");
    let cut = first_line.len() < text.len() || first_line.chars().nth(MAX_SHOWN).is_some();
    let mut shown = String::new();
    for character in first_line.chars().take(MAX_SHOWN) {
        if character.is_control() { shown.extend(character.escape_unicode()) } else { shown.push(character) }
    }
    if cut { shown + "..." } else { shown }
}

/// Returns the words for a token in a message. `text` is its text in the source.
pub fn describe(token: Token, text: &str) -> String {
    match token {
        Token::Name if text.is_empty() => "a name".to_string(),
        Token::Name => format!("the name `{}`", shown(text)),
        Token::Int | Token::MinusOnlyInt | Token::Float => format!("the number `{}`", shown(text)),
        Token::Malformed => format!("`{}`", shown(text)),
        Token::Choose => "`if`".to_string(),
        Token::End => "the end of the file".to_string(),
        _ => format!("`{}`", token.spelling()),
    }
}

/// Advice about two types of numbers.
const NO_CONVERSION: &str = "nothing is converted implicitly: use `int(..)` or `float(..)`";

/// Returns advice about two types, if a value can be converted from one to the other.
fn conversion(types: [u8; 2], advice: impl FnOnce() -> String) -> Option<String> {
    let is_number = |&ty: &u8| ty == ty::INT || ty == ty::FLOAT;
    types.iter().all(is_number).then(advice)
}

fn did_you_mean(name: Option<&str>) -> Option<String> {
    name.map(|name| format!("did you mean `{name}`?"))
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

// Characters, numbers and comments.

/// A byte is not UTF-8. `more` counts the bytes of the file that are not reported.
pub fn not_utf8(at: u32, byte: u8, more: usize) -> Diagnostic {
    let help = match byte {
        0xfe | 0xff => "the file may be in UTF-16: save it as UTF-8".to_string(),
        _ => format!(
            "save the file as UTF-8; in Latin-1 the byte 0x{byte:02x} is `{}`",
            shown(&char::from(byte).to_string())
        ),
    };
    let more = if more > 0 { format!("; {more} more bytes of this file are not UTF-8") } else { String::new() };
    Diagnostic::new(Code::NotUtf8, at..at + 1, format!("the byte 0x{byte:02x} is not UTF-8"))
        .label("not UTF-8")
        .help(help + &more)
}

/// Characters that no token contains.
pub fn unknown_characters(span: Range<u32>, text: &str) -> Diagnostic {
    let first = text.chars().next().unwrap_or(' ');
    let code = Code::UnknownCharacter;
    if text.contains(char::is_alphanumeric) {
        return Diagnostic::new(code, span, format!("the name `{}` has characters outside ASCII", shown(text)))
            .label("not a name")
            .help("a name has the letters `A` to `Z` and `a` to `z`, digits and `_`");
    }
    let help = match first {
        '#' => "a comment begins with `//`",
        '?' => "write `if[c, x, y]` for `c ? x : y`",
        '\\' => "a statement continues on the next line until its `;`",
        '\u{a0}' | '\u{2000}'..='\u{200f}' | '\u{feff}' => "delete it, or write a space",
        '\u{2018}'..='\u{201f}' => "there are no strings; `print_char[..]` writes one character",
        '\u{2212}' | '\u{2013}' | '\u{2014}' => "write `-`",
        '×' | '·' => "write `*`",
        '÷' => "write `/`",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '≠' => "write `!=`",
        _ => "outside comments a program has letters, digits, `_`, operators and brackets",
    };
    let message = if text.chars().nth(1).is_some() {
        format!("unknown characters `{}`", shown(text))
    } else if first.is_control() || first.is_whitespace() || matches!(first, '\u{200b}'..='\u{200f}' | '\u{feff}') {
        format!("unknown character U+{:04X}", u32::from(first))
    } else {
        format!("unknown character `{first}`")
    };
    Diagnostic::new(code, span, message).label("not part of any token").help(help)
}

/// A string or a character literal.
pub fn text_literal(span: Range<u32>, text: &str) -> Diagnostic {
    let mut inner = text[1..].chars();
    let value = match (inner.next(), inner.as_str()) {
        (Some('\\'), rest) => match rest.strip_suffix('\'') {
            Some("n") => Some(10),
            Some("t") => Some(9),
            Some("r") => Some(13),
            Some("0") => Some(0),
            Some("\\") => Some(92),
            Some("'") => Some(39),
            _ => None,
        },
        (Some(character), "'") if character.is_ascii() => Some(u32::from(character)),
        _ => None,
    };
    let (message, help) = match value {
        Some(value) if text.starts_with('\'') => ("character", format!("write its code: `{value}`")),
        _ => ("string", "`print_char[..]` writes one character, given by its code".to_string()),
    };
    Diagnostic::new(Code::TextLiteral, span, format!("there are no {message} literals")).label("not a value").help(help)
}

/// A comment that begins with `/*`.
pub fn block_comment(at: u32) -> Diagnostic {
    Diagnostic::new(Code::BlockComment, at..at + 2, "there are no comments between `/*` and `*/`")
        .label("the comment begins here")
        .help("begin each line of the comment with `//`")
}

/// Letters and digits that are not a number, or a number that its type cannot hold.
pub fn number(span: Range<u32>, text: &str, error: NumberError) -> Diagnostic {
    let (what, label, help) = match error {
        NumberError::Malformed => return malformed_number(span, text),
        NumberError::LargeInt => (
            "integer",
            "more than 2147483647",
            "decimal integers go up to 2147483647, or 2147483648 immediately after a unary `-`; hexadecimal ones go up \
             to 0xffffffff",
        ),
        NumberError::LargeHexadecimal => {
            ("integer", "more than 32 bits", "the largest hexadecimal integer is 0xffffffff")
        }
        NumberError::LargeFloat => {
            ("float", "rounds to infinity", "the largest float is 340282346638528859811704183484516925440.0")
        }
    };
    Diagnostic::new(Code::NumberTooLarge, span, format!("the {what} `{}` is too large", shown(text)))
        .label(label)
        .help(help)
}

fn malformed_number(span: Range<u32>, text: &str) -> Diagnostic {
    let (whole, _) = text.split_at(text.find('.').unwrap_or(text.len()));
    let help = if text.starts_with("0b") || text.starts_with("0o") || text.starts_with("0X") {
        "an integer is decimal, or hexadecimal after `0x`"
    } else if text.starts_with("0x") {
        "`0x` is followed by hexadecimal digits, without a point"
    } else if text.ends_with('.') {
        "a digit follows the point: `1.0`"
    } else if text.contains('_') {
        "digits are written without `_`"
    } else if text.ends_with(['e', 'E', '+', '-']) && whole.len() < text.len() {
        "digits follow the `e` of an exponent and its sign: `1.5e-3`"
    } else if is_integer_with_exponent(text) {
        "a float has a point and digits before its exponent: `1.0e5`"
    } else if whole.len() < text.len() {
        "a float is digits, a point, digits and perhaps an exponent, as in `1.5e-3`; it has no suffix"
    } else {
        "a name does not begin with a digit; a number has no suffix"
    };
    Diagnostic::new(Code::MalformedNumber, span, format!("malformed number `{}`", shown(text)))
        .label("not a number")
        .help(help)
}

/// Returns whether a malformed number is digits and an exponent.
fn is_integer_with_exponent(text: &str) -> bool {
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(['e', 'E'])
        .is_some_and(|(whole, exponent)| is_digits(whole) && is_digits(exponent.trim_start_matches(['+', '-'])))
}

// Grammar.

/// Another token was expected.
pub fn unexpected(span: Range<u32>, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, format!("expected {expected}, found {found}"))
        .label(format!("expected {expected}"))
}

/// Advice about a token that is not a value.
pub fn help_for_operand(token: Token) -> Option<String> {
    let advice = match token {
        Token::Plus => "there is no unary `+`",
        Token::Dot => "a number has a digit before its point, as in `0.5`",
        Token::Var => "put the declaration in parentheses: `(var x = ..)`",
        Token::Fn => "a function is declared by a statement, and is not a value",
        _ => return None,
    };
    Some(advice.to_string())
}

/// Something other than the block of an `if`, `elif`, `else` or `while`.
pub fn not_a_block(error: Diagnostic) -> Diagnostic {
    error.help("the body is in braces, even if it is a single statement")
}

/// Something other than `<` after `for i`.
pub fn not_a_count(error: Diagnostic) -> Diagnostic {
    error.help("`for i < n { .. }` counts from 0 to `n - 1`; other loops are written with `while`")
}

/// `var` in the head of a `for`.
pub fn declaration_in_head(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a declaration in the head of a `for`")
        .label("not allowed here")
        .help("declare the variable before the loop")
}

/// `var` in a conditional expression.
pub fn declaration_in_choice(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a declaration in `if[..]`")
        .label("not allowed here")
        .help("declare the variable before the expression, which evaluates only one of its values")
}

/// `elif` or `else` where a statement must begin.
pub fn without_if(span: Range<u32>, token: Token) -> Diagnostic {
    unexpected(span, "a statement", &describe(token, "")).help("`elif` and `else` follow the `}` of their `if`")
}

/// A bracket is still open where the expression ends.
pub fn unclosed_bracket(error: Diagnostic, open: Range<u32>) -> Diagnostic {
    Diagnostic { code: Code::Unclosed, ..error }.other(open, "this bracket is not closed")
}

/// The file ends inside a block.
pub fn unclosed_block(end: Range<u32>, brace: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unclosed, end, "expected `}`, found the end of the file")
        .label("expected `}`")
        .other(brace, "this block is not closed")
}

/// Something other than a function at top level.
pub fn not_a_function(span: Range<u32>, token: Token, text: &str) -> Diagnostic {
    let similar = if token == Token::Name { advice::similar_keyword(text) } else { None };
    let help = match token {
        Token::Var => "a variable is declared inside a function".to_string(),
        Token::RightBrace => "no block is open here".to_string(),
        Token::Semicolon => "a function or a struct ends with its `}`".to_string(),
        _ => did_you_mean(similar)
            .or(advice::foreign_statement(text).map(|(advice, _)| advice.to_string()))
            .unwrap_or("a program is a list of functions: `fn name[parameters]: type { .. }`".to_string()),
    };
    unexpected(span, "`fn` or `extern`", &describe(token, text)).help(help)
}

/// `extern` inside a function.
pub fn extern_inside_function(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "`extern` inside a function").label("only allowed at top level")
}

/// Parameters in parentheses.
pub fn parentheses_of_parameters(span: Range<u32>) -> Diagnostic {
    unexpected(span, "`[`", "`(`").help("parameters are declared in square brackets: `fn name[x: int]: int`")
}

/// `[]` after a type.
pub fn array_type(span: Range<u32>, element: &str) -> Diagnostic {
    unexpected(span, "`,` or `]`", "`[]`").help(help_for_type(&shown(element)))
}

/// A parameter with its type before its name.
pub fn type_before_parameter(span: Range<u32>, ty: &str, name: &str) -> Diagnostic {
    Diagnostic::new(Code::ForeignWord, span, "the type of a parameter follows its name")
        .label(format!("write `{}: {ty}`", shown(name)))
}

/// `->` before the type of a function.
pub fn arrow(span: Range<u32>) -> Diagnostic {
    unexpected(span, "`:` and a type", "`->`").help("the type of a function follows `:`, as in `fn f[]: int`")
}

/// `else if`.
pub fn else_if(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::ForeignWord, span, "`else if` is written `elif`").label("write `elif`")
}

/// A declaration that begins with a type, or with a word of another language.
pub fn foreign_declaration(span: Range<u32>, word: &str, name: &str) -> Diagnostic {
    let name = shown(name);
    let help = match word {
        "int" | "float" => format!("write `var {name}: {word}`"),
        "double" | "f32" | "f64" => format!("write `var {name}: float`"),
        _ if advice::is_foreign_type(word) => format!("write `var {name}: int`"),
        _ => format!("write `var {name} = ..`, or `var {name}: int`"),
    };
    Diagnostic::new(Code::ForeignWord, span, "a variable is declared with `var`").label("write `var`").help(help)
}

/// A word that begins a statement in another language.
pub fn foreign_statement(span: Range<u32>, word: &str, help: &str) -> Diagnostic {
    Diagnostic::new(Code::ForeignWord, span, format!("there is no `{word}`")).label("not a keyword").help(help)
}

/// An operator of another language.
pub fn foreign_operator(span: Range<u32>, spelling: &str, help: &str) -> Diagnostic {
    Diagnostic::new(Code::UnknownOperator, span, format!("`{spelling}` is not an operator"))
        .label("not an operator")
        .help(help)
}

/// An operator after `e : T`.
pub fn operator_after_type(span: Range<u32>, operator: Token) -> Diagnostic {
    unexpected(span, "the end of the expression", &describe(operator, "")).help("put `value : type` in parentheses")
}

/// A second type in `var x: T : T`.
pub fn second_type(span: Range<u32>) -> Diagnostic {
    unexpected(span, "`=` or the end of the declaration", "`:`").help("a declaration has one type")
}

/// `:` that is not followed by a type.
pub fn not_a_type(error: Diagnostic) -> Diagnostic {
    error.help("`value : type` checks the type of a value; the block of an `if` or `while` is in braces")
}

/// The left side of `=` is not the name of a variable.
pub fn not_assignable(span: Range<u32>, text: &str) -> Diagnostic {
    let name = text.trim_matches(['(', ')', ' ']);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let help = if is_name && text.starts_with('(') {
        format!("write `{}` without parentheses", shown(name))
    } else {
        help_for_target(text).to_string()
    };
    Diagnostic::new(Code::NotAssignable, span, "the left side of `=` must be a variable")
        .label("not a variable")
        .help(help)
}

/// Returns advice about the left side of `=`, which is not a name.
fn help_for_target(text: &str) -> &'static str {
    let is_field = text
        .rsplit_once('.')
        .is_some_and(|(_, name)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    if text.contains("][") {
        "all indices of an update are in one pair of brackets: `a[i, j] = e;`"
    } else if is_field {
        "`p.x = e;` assigns a field of a variable, and is a statement, not a value"
    } else if text.starts_with('(') && text.contains(',') && !text.contains('[') {
        "`var (x, y) = e;` declares variables for the parts of a tuple; `x = e;` assigns one variable"
    } else if text.ends_with(']') {
        "`a[i] = e;` updates a variable, and is a statement, not a value; `==` compares two values"
    } else {
        "`==` compares two values"
    }
}

// Names.

/// A variable that is not declared.
pub fn unknown_variable(span: Range<u32>, name: &str, similar: Option<&str>, is_function: bool) -> Diagnostic {
    let name = shown(name);
    let help = if is_function {
        format!("`{name}` is a function: `{name}[..]` calls it")
    } else {
        advice::foreign_value(&name)
            .map(String::from)
            .or(did_you_mean(similar))
            .unwrap_or_else(|| format!("`var {name} = ..` declares a variable"))
    };
    Diagnostic::new(Code::Undeclared, span, format!("cannot find variable `{name}` in this scope"))
        .label("not declared")
        .help(help)
}

/// A word like a keyword, where a statement begins.
pub fn misspelt_keyword(span: Range<u32>, name: &str, keyword: &str) -> Diagnostic {
    Diagnostic::new(Code::Undeclared, span, format!("cannot find `{}` in this scope", shown(name)))
        .label("not declared")
        .maybe_help(did_you_mean(Some(keyword)))
}

/// A function that is not declared.
pub fn unknown_function(span: Range<u32>, name: &str, similar: Option<&str>, is_variable: bool) -> Diagnostic {
    let name = shown(name);
    let help = if is_variable {
        Some(format!(
            "`{name}` is a variable; only a function can be called, and `{name}[i]` is an element of an array"
        ))
    } else {
        advice::foreign_function(&name).map(String::from).or(did_you_mean(similar))
    };
    Diagnostic::new(Code::Undeclared, span, format!("cannot find function `{name}` in this scope"))
        .label("not declared")
        .maybe_help(help)
}

/// A name where a type must be.
pub fn unknown_type(span: Range<u32>, name: &str, similar: Option<&str>) -> Diagnostic {
    Diagnostic::new(Code::Undeclared, span, format!("cannot find type `{}`", shown(name)))
        .label("not a type")
        .help(did_you_mean(similar).unwrap_or("the types are `int`, `float` and `void`".to_string()))
}

/// A second declaration of a name in one scope. `kind` is "variable", "parameter" or "function".
pub fn redeclared(span: Range<u32>, kind: &str, name: &str, first: Option<Range<u32>>) -> Diagnostic {
    let error = Diagnostic::new(
        Code::Redeclared,
        span,
        format!("the {kind} `{}` is declared twice in this scope", shown(name)),
    )
    .label("declared again here");
    match first {
        Some(first) => error.other(first, "first declared here"),
        None => error,
    }
}

/// An `extern` that differs from the function of its name.
pub fn conflicting(span: Range<u32>, name: &str, function: Range<u32>) -> Diagnostic {
    Diagnostic::new(
        Code::Conflicting,
        span,
        format!("the declaration of `{}` differs from its definition", shown(name)),
    )
    .label("expected the same parameters and type")
    .other(function, "defined here")
}

/// An assignment to the counter of a `for`.
pub fn assigned_counter(span: Range<u32>, name: &str, declared: Range<u32>) -> Diagnostic {
    let name = shown(name);
    Diagnostic::new(Code::NotAssignable, span, format!("the counter `{name}` of a `for` cannot be assigned"))
        .label("read-only")
        .other(declared, "the counter of this loop")
        .help("declare another variable, or write the loop with `while`")
}

// Types.

/// A variable or parameter of type `void`.
pub fn void_type(span: Range<u32>, owner: &str) -> Diagnostic {
    Diagnostic::new(Code::VoidValue, span, format!("{owner} cannot have type `void`"))
        .label("expected `int` or `float`")
}

/// `void(e)`.
pub fn cast_to_void(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::VoidValue, span, "a value cannot be converted to `void`").label("expected `int` or `float`")
}

/// A call without a value, where a value is needed.
pub fn void_value(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::VoidValue, span, "expected a value, found a call of type `void`").label("not a value")
}

/// A value of the wrong type. `owner` is "the condition", "this argument" and the like.
pub fn wrong_type(types: &Types, span: Range<u32>, owner: &str, expected: u8, found: u8) -> Diagnostic {
    let code = if found == ty::VOID { Code::VoidValue } else { Code::TypeMismatch };
    let (expected_name, found_name) = (types.text(expected), types.text(found));
    let message = format!("{owner} must have type `{expected_name}`, not `{found_name}`");
    Diagnostic::new(code, span, message)
        .label(format!("expected `{expected_name}`, found `{found_name}`"))
        .maybe_help(conversion([expected, found], || format!("`{expected_name}(..)` converts a value")))
}

/// Operands of different types.
pub fn different_types(types: &Types, operator: Token, left: (Range<u32>, u8), right: (Range<u32>, u8)) -> Diagnostic {
    let (left_name, right_name) = (types.text(left.1), types.text(right.1));
    let operator = operator.spelling();
    let message = format!("the operands of `{operator}` have different types: `{left_name}` and `{right_name}`");
    Diagnostic::new(Code::TypeMismatch, right.0, message)
        .label(format!("expected `{left_name}`, found `{right_name}`"))
        .other(left.0, format!("this is `{left_name}`"))
        .maybe_help(conversion([left.1, right.1], || NO_CONVERSION.to_string()))
}

/// A conditional expression whose values have different types.
pub fn different_parts(types: &Types, then: (Range<u32>, u8), otherwise: (Range<u32>, u8)) -> Diagnostic {
    let (then_name, name) = (types.text(then.1), types.text(otherwise.1));
    let message = format!("the values of `if[..]` have different types: `{then_name}` and `{name}`");
    Diagnostic::new(Code::TypeMismatch, otherwise.0, message)
        .label(format!("expected `{then_name}`, found `{name}`"))
        .other(then.0, format!("this is `{then_name}`"))
        .maybe_help(conversion([then.1, otherwise.1], || NO_CONVERSION.to_string()))
}

/// A float operand of an operator for ints.
pub fn int_only(types: &Types, span: Range<u32>, operator: Token, found: u8) -> Diagnostic {
    let (expected, found_name) = (types.text(Type::Int.array(types.rank(found)).code()), types.text(found));
    let message = format!("`{}` is not defined for `{found_name}`", operator.spelling());
    Diagnostic::new(Code::NoOperation, span, message)
        .label(format!("expected `{expected}`, found `{found_name}`"))
        .help("`int(..)` converts a value")
}

/// Too many or too few arguments.
pub fn argument_count(span: Range<u32>, name: &str, expected: usize, found: usize) -> Diagnostic {
    let message = format!("`{}` takes {}, found {found}", shown(name), arguments(expected));
    Diagnostic::new(Code::ArgumentCount, span, message).label(format!("expected {}", arguments(expected)))
}

/// Too many or too few parts of a conditional expression.
pub fn choice_parts(span: Range<u32>, found: u32) -> Diagnostic {
    let help = match found {
        1 => "`if[c, x, y]` is a value; a condition that begins with an array literal needs parentheses",
        _ => "`if[c, x, y]` is `x` if `c` is not 0, and `y` otherwise",
    };
    Diagnostic::new(Code::ArgumentCount, span, format!("`if[..]` takes 3 parts, found {found}"))
        .label("expected 3 parts")
        .help(help)
}

// Functions.

/// A path through a function that does not return a value.
pub fn missing_return(types: &Types, span: Range<u32>, name: &str, result: u8, end: Range<u32>) -> Diagnostic {
    let message = format!("the function `{}` can end without returning a value", shown(name));
    Diagnostic::new(Code::MissingReturn, span, message)
        .label(format!("must return a value of type `{}`", types.text(result)))
        .other(end, "this end can be reached")
}

/// `return;` in a function with a value.
pub fn return_without_value(types: &Types, span: Range<u32>, expected: u8) -> Diagnostic {
    let expected = types.text(expected);
    Diagnostic::new(Code::WrongReturn, span, format!("`return` without a value in a function of type `{expected}`"))
        .label(format!("expected a value of type `{expected}`"))
}

/// `return e;` in a function without a value.
pub fn return_with_value(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::WrongReturn, span, "`return` with a value in a function of type `void`")
        .label("expected no value")
}

/// An executable without `main`.
pub fn missing_main(at: u32) -> Diagnostic {
    Diagnostic::new(Code::MissingMain, at..at, "no input defines the function `main`")
        .label("expected `main` in one of the inputs")
        .help("an executable begins at `fn main[]: int { .. }`; `-c` compiles to an object")
}

/// A `main` with parameters or with another type than `int`.
pub fn wrong_main(at: u32, has_parameters: bool) -> Diagnostic {
    let message = if has_parameters { "`main` has parameters" } else { "`main` does not return `int`" };
    Diagnostic::new(Code::WrongMain, at..at + 4, message)
        .label("expected `main[]: int`")
        .help("an executable begins at `fn main[]: int { .. }`")
}

// Warnings.

/// Returns a warning with its text. `text` is the source text of the span.
pub fn warning(code: Code, span: Range<u32>, text: &str) -> Diagnostic {
    let name = shown(text);
    let (message, label) = match code {
        Code::UnusedVariable => (format!("unused variable `{name}`"), "never used"),
        Code::UnusedParameter => (format!("unused parameter `{name}`"), "never used"),
        Code::UnusedFunction => (format!("unused function `{name}`"), "never called"),
        Code::NeverRead => (format!("`{name}` is assigned but never read"), "never read"),
        Code::Unreachable => ("unreachable statement".to_string(), "never executed"),
        Code::ConstantCondition => (format!("the condition `{name}` is constant"), "always the same value"),
        Code::AssignedCondition => ("assignment as a condition".to_string(), "assigns, and does not compare"),
        _ => ("statement without effect".to_string(), "the value is not used"),
    };
    let help = match code {
        Code::Unreachable => "the statement before it returns or loops forever".to_string(),
        Code::ConstantCondition => {
            "it uses no variable and no function; an endless loop is `while 1 { .. }`".to_string()
        }
        Code::AssignedCondition => "`==` compares; parentheses around the assignment turn this warning off".to_string(),
        Code::NoEffect if text.starts_with("--") => "`--` is not an operator: it negates twice".to_string(),
        Code::NoEffect if text.contains("==") => "`=` assigns a value; `==` only compares".to_string(),
        Code::NoEffect => "assign the value, or delete the statement".to_string(),
        _ => format!("a name that begins with `_`, as in `_{name}`, turns this warning off"),
    };
    Diagnostic::new(code, span, message).label(label).help(help)
}
