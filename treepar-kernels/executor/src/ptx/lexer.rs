//! Text to tokens.

use super::Problem;

/// A word, a number or a punctuation character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name of any kind: identifier, register, directive or mnemonic.
    Word(&'a str),
    /// An integer, as its low 64 bits.
    Integer(u64),
    /// `0f..`: the bits of a value of single precision.
    Float32(u32),
    /// `0d..` or a decimal fraction: the bits of a value of double precision.
    Float64(u64),
    /// The contents of a string.
    Text(&'a str),
    /// Any other character.
    Mark(char),
}

/// Returns the tokens of a text, each with its line from 1.
pub(super) fn lex(text: &str) -> Result<Vec<(u32, Token<'_>)>, Problem> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first == '\n' {
            line += 1;
            1
        } else if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or((line, "comment without end".to_string()))? + 2;
            line += rest[..end].matches('\n').count() as u32;
            end
        } else if first == '"' {
            let end = rest[1..].find('"').ok_or((line, "string without end".to_string()))?;
            tokens.push((line, Token::Text(&rest[1..=end])));
            end + 2
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
            let number = number(&rest[..end]).ok_or((line, format!("`{}` is not a number", &rest[..end])))?;
            tokens.push((line, number));
            end
        } else if is_word(first) {
            let end = word_end(rest);
            tokens.push((line, Token::Word(&rest[..end])));
            end
        } else {
            tokens.push((line, Token::Mark(first)));
            first.len_utf8()
        };
        rest = &rest[len..];
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
}

/// Returns the end of the word that a text begins with. `::` is inside a word, and a single colon ends it.
fn word_end(text: &str) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at);
        if !text[at..].starts_with("::") {
            return at;
        }
        at += 2;
    }
}

fn number(text: &str) -> Option<Token<'_>> {
    let hexadecimal = |from: usize| u64::from_str_radix(text.get(from..)?, 16).ok();
    let (prefix, digits) = (text.get(..2).unwrap_or(""), text.trim_end_matches('U'));
    Some(match prefix {
        "0f" | "0F" => Token::Float32(u32::try_from(hexadecimal(2)?).ok()?),
        "0d" | "0D" => Token::Float64(hexadecimal(2)?),
        "0x" | "0X" => Token::Integer(u64::from_str_radix(digits.get(2..)?, 16).ok()?),
        "0b" | "0B" => Token::Integer(u64::from_str_radix(digits.get(2..)?, 2).ok()?),
        _ if text.contains('.') => Token::Float64(text.parse::<f64>().ok()?.to_bits()),
        _ if digits.len() > 1 && digits.starts_with('0') => Token::Integer(u64::from_str_radix(digits, 8).ok()?),
        _ => Token::Integer(digits.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::Token::{Float32, Float64, Integer, Mark, Text, Word};
    use super::lex;

    #[test]
    fn words_numbers_and_marks() {
        let text = "@!%p1 ld.global.L1::no_allocate.u32 %r2, [$L_a+-8]; // x\n/* \n */ L:\n.pragma \"a b\" 0x1FU 017 0f3f800000 1.5";
        let tokens = lex(text).unwrap();
        let expected = [
            (1, Mark('@')),
            (1, Mark('!')),
            (1, Word("%p1")),
            (1, Word("ld.global.L1::no_allocate.u32")),
            (1, Word("%r2")),
            (1, Mark(',')),
            (1, Mark('[')),
            (1, Word("$L_a")),
            (1, Mark('+')),
            (1, Mark('-')),
            (1, Integer(8)),
            (1, Mark(']')),
            (1, Mark(';')),
            (3, Word("L")),
            (3, Mark(':')),
            (4, Word(".pragma")),
            (4, Text("a b")),
            (4, Integer(31)),
            (4, Integer(15)),
            (4, Float32(0x3f80_0000)),
            (4, Float64(1.5f64.to_bits())),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn bad_tokens_name_their_line() {
        for (text, line, problem) in [
            ("\n0f1g", 2, "`0f1g` is not a number"),
            ("/* \n", 1, "comment without end"),
            ("\n\n\"a", 3, "string without end"),
            ("99999999999999999999", 1, "`99999999999999999999` is not a number"),
        ] {
            assert_eq!(lex(text), Err((line, problem.to_string())));
        }
    }
}
