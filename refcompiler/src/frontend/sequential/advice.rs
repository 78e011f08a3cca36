//! Advice for slips: similar names, and the forms of Par that replace words and operators of other languages.

use super::lexer::{KEYWORDS, Token};

/// Longer names get no suggestion.
const MAX_NAME_BYTES: usize = 40;

/// Returns the candidate most like `name`: at most one edit per three letters, and at least one.
pub fn most_similar<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len() / 3).max(1);
    if name.len() < 2 || name.len() > MAX_NAME_BYTES {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    candidates
        .filter(|candidate| candidate.len() > 1 && candidate.len().abs_diff(name.len()) <= limit && *candidate != name)
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, candidate)| (distance, candidate))
        .map(|(_, candidate)| candidate)
}

/// Returns the keyword most like `name`.
pub fn similar_keyword(name: &str) -> Option<&'static str> {
    most_similar(name, KEYWORDS.into_iter().map(Token::spelling))
}

/// Returns the type most like `name`, where a program has some structs.
pub fn similar_type<'a>(name: &str, structs: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    most_similar(name, ["int", "float"].into_iter().chain(structs))
}

/// Returns whether a word begins a declaration of a variable in another language.
pub fn declares_variable(word: &str) -> bool {
    matches!(word, "let" | "const" | "auto" | "static" | "local" | "mut" | "val" | "dim")
}

/// Returns whether a word is a type of another language.
pub fn is_foreign_type(word: &str) -> bool {
    ["bool", "boolean", "char", "double", "long", "short", "signed", "unsigned", "byte", "string", "str", "String"]
        .contains(&word)
        || ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"].contains(&word)
}

/// Returns advice for a word that begins a statement in another language, and whether a block follows it.
pub fn foreign_statement(word: &str) -> Option<(&'static str, bool)> {
    Some(match word {
        "for" | "foreach" | "loop" | "do" | "until" | "repeat" => {
            ("the loops are `while condition { .. }` and `for i < n { .. }`", true)
        }
        "switch" | "case" | "match" | "select" => ("compare the cases with `if`, `elif` and `else`", true),
        "unless" => ("write `if !(condition) { .. }`", true),
        "elseif" | "elsif" => ("write `elif`", true),
        "try" | "catch" | "except" | "finally" => ("there are no exceptions", true),
        "break" => ("the loop ends when its condition is 0, or with `return`", false),
        "continue" => ("put the rest of the loop's body into an `if`", false),
        "goto" => ("there are only `if`, `while`, `for` and `return`", false),
        "throw" | "raise" => ("there are no exceptions", false),
        "pass" => ("an empty block is written `{ }`", false),
        "def" | "function" | "func" | "fun" | "proc" | "sub" => ("a function is declared with `fn name[..]: T`", true),
        "class" | "enum" | "union" | "typedef" | "type" | "trait" | "impl" | "interface" | "record" => {
            ("a type is declared at top level, as `struct P { x: int, y: float }`", true)
        }
        "import" | "include" | "use" | "using" | "mod" | "package" | "namespace" => {
            ("all files of a program are given to the compiler together", false)
        }
        "pub" | "public" | "private" | "export" | "inline" => {
            ("every function at top level is visible to all files", false)
        }
        _ => return None,
    })
}

/// Returns advice for a word that is a value in another language.
pub fn foreign_value(word: &str) -> Option<&'static str> {
    Some(match word {
        "true" | "True" | "TRUE" => "write `1`: every int but 0 is true",
        "false" | "False" | "FALSE" => "write `0`",
        "null" | "NULL" | "nil" | "None" | "nullptr" => "there are no pointers; write `0`",
        _ => return None,
    })
}

/// Returns advice for a word that is an operator in another language.
pub fn foreign_operator_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "write `&&`",
        "or" => "write `||`",
        "not" => "write `!`",
        "xor" => "write `^`",
        "mod" => "write `%`",
        "is" => "write `==`",
        "as" => "write `int(..)` or `float(..)`",
        _ => return None,
    })
}

/// Returns advice for a function of another language.
pub fn foreign_function(word: &str) -> Option<&'static str> {
    Some(match word {
        "print" | "println" | "printf" | "puts" | "echo" | "write" | "cout" | "fprintf" => {
            "`print_int[..]`, `print_float[..]` and `print_char[..]` write"
        }
        "putchar" | "putc" => "`print_char[..]` writes a character",
        "getchar" | "getc" | "input" | "read" | "scanf" => "`read_char[]` reads a character",
        "exit" => "the program ends when `main` returns",
        "sizeof" => "a program has no addresses; an int and a float have four bytes",
        _ => return None,
    })
}

/// Returns the operator of another language that two touching tokens form, and advice. `left` is the text before it.
pub fn foreign_operator(first: Token, second: Token, left: &str) -> Option<(String, String)> {
    let spelling = format!("{}{}", first.spelling(), second.spelling());
    let advice = match (first, second) {
        (Token::Plus, Token::Plus) => format!("write `{left} = {left} + 1`"),
        (Token::Minus, Token::Minus) => format!("write `{left} = {left} - 1`"),
        (Token::Star, Token::Star) => "there is no power operator; multiply in a loop".to_string(),
        (Token::Eq, Token::Assign) => "write `==`".to_string(),
        (Token::Ne, Token::Assign) | (Token::Lt, Token::Gt) => "write `!=`".to_string(),
        (Token::Assign, Token::Gt) => "write `>=`".to_string(),
        (Token::Assign, Token::Lt) => "write `<=`".to_string(),
        (Token::Colon, Token::Assign) => {
            format!("write `var {left} = ..` to declare `{left}`, and `{left} = ..` to assign to it")
        }
        (operator, Token::Assign) if operator.operator().is_some_and(|(kind, _)| !kind.is_comparison()) => {
            format!("write `{left} = {left} {} ..`", operator.spelling())
        }
        _ => return None,
    };
    Some((spelling, advice))
}
