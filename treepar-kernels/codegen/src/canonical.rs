//! The canonical form of generated text: equal for texts that compile to the same kernels.
//!
//! It has no comments and no formatting, and paths of Rust are numbered in the order of their first use. So neither a
//! changed comment in a `.cuh` file, nor rustfmt, nor another name for a Rust function or module changes it:
//!
//! ```text
//! // my_crate::marks::ones, src/marks.rs:7
//! __device__ inline u32 my_crate__marks__ones(u64 i) {      __device__ inline u32 r__0(u64 i){
//!     return u32(1u);                                       return u32(1u);
//! }                                                         }
//! ```
//!
//! A path is an identifier with two underscores inside. That covers functions, structs, functors and entries, which are
//! named by module paths; names of CUDA begin with two underscores and stay. Since *every* identifier with two underscores
//! inside is renamed, a number never meets a name of the text. Names of local variables and parameters count: to rename
//! one is a change.

use std::collections::HashMap;
use std::fmt::Write as _;

/// The beginning of a renamed path.
const PREFIX: &str = "r__";

/// A text in canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canonical {
    /// The text.
    pub text: String,
    /// The paths that were renamed: `r__0` is the first.
    pub paths: Vec<String>,
}

impl Canonical {
    /// Computes the canonical form of CUDA C++.
    pub fn of(text: &str) -> Canonical {
        let mut form = Canonical::default();
        let mut numbers = HashMap::new();
        let mut rest = text;
        // Whitespace, or a comment, between two tokens becomes a space if the tokens could merge.
        let mut last: Option<char> = None;
        let mut gap = false;
        let mut line_begins = true;
        while let Some(c) = rest.chars().next() {
            let len = match c {
                '\n' => {
                    line_begins = true;
                    1
                }
                c if c.is_whitespace() => c.len_utf8(),
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
                '#' if line_begins => {
                    let (line, len) = directive(rest);
                    if last.is_some_and(|c| c != '\n') {
                        form.text.push('\n');
                    }
                    form.text.push_str(&line);
                    form.text.push('\n');
                    (last, gap) = (Some('\n'), false);
                    rest = &rest[len..];
                    continue;
                }
                _ => {
                    let token = token(rest);
                    if gap && last.is_some_and(|last| merge(last, c)) {
                        form.text.push(' ');
                    }
                    if is_path(token) {
                        let number = *numbers.entry(token.to_string()).or_insert_with(|| {
                            form.paths.push(token.to_string());
                            form.paths.len() - 1
                        });
                        let _ = write!(form.text, "{PREFIX}{number}");
                    } else {
                        form.text.push_str(token);
                    }
                    last = token.chars().next_back();
                    (gap, line_begins) = (false, false);
                    if matches!(last, Some(';' | '{' | '}')) {
                        form.text.push('\n');
                        last = Some('\n');
                    }
                    rest = &rest[token.len()..];
                    continue;
                }
            };
            gap = true;
            rest = &rest[len..];
        }
        form
    }

    /// Returns the path that an entry of the canonical form has in the original text; `entry` itself if it has no path.
    pub fn original<'a>(&'a self, entry: &'a str) -> &'a str {
        let number = entry.strip_prefix(PREFIX).and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| self.paths.get(number)).map_or(entry, String::as_str)
    }

    /// Gives entries and their parameters in PTX of the canonical form their original names, which profilers show.
    pub fn restore(&self, ptx: &str) -> String {
        let mut text = String::with_capacity(ptx.len() + ptx.len() / 4);
        let mut rest = ptx;
        while let Some(at) = rest.find(PREFIX) {
            let is_inside = rest[..at].chars().next_back().is_some_and(is_name);
            let end = rest[at + PREFIX.len()..].find(|c: char| !c.is_ascii_digit());
            let end = end.map_or(rest.len(), |digits| at + PREFIX.len() + digits);
            let name = &rest[at..end];
            text.push_str(&rest[..at]);
            text.push_str(if is_inside { name } else { self.original(name) });
            rest = &rest[end..];
        }
        text.push_str(rest);
        text
    }
}

/// Returns the token at the beginning of a text: a name or number, a string or character, or one character.
fn token(text: &str) -> &str {
    let first = text.chars().next().unwrap_or_default();
    let end = match first {
        '"' | '\'' => {
            let mut escaped = false;
            let close = text.char_indices().skip(1).find(|&(_, c)| {
                let closes = c == first && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            });
            close.map(|(at, _)| at + 1)
        }
        c if is_name(c) => text.find(|c| !is_name(c)),
        c => Some(c.len_utf8()),
    };
    &text[..end.unwrap_or(text.len())]
}

/// Returns a directive of the preprocessor with single spaces and without comments, and its length in the text.
fn directive(text: &str) -> (String, usize) {
    let mut line = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = if rest.starts_with("\\\n") {
            2
        } else if c == '\n' {
            break;
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if c.is_whitespace() {
            c.len_utf8()
        } else {
            let token = token(rest);
            line.push_str(token);
            rest = &rest[token.len()..];
            continue;
        };
        if !line.ends_with(' ') {
            line.push(' ');
        }
        rest = &rest[len..];
    }
    (line.trim_end().to_string(), text.len() - rest.len())
}

fn is_path(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic()) && token.contains("__")
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Returns whether tokens that end and begin with these characters could merge without a space: words, or operators.
fn merge(last: char, first: char) -> bool {
    let is_word = |c| is_name(c) || c == '"' || c == '\'';
    let is_operator = |c| "+-*/%&|^~!<>=:.?".contains(c);
    is_word(last) && is_word(first) || is_operator(last) && is_operator(first)
}

#[cfg(test)]
mod tests {
    use super::Canonical;

    const TEXT: &str = r#"// a::f, src/a.rs:1
#define TWICE(x) \
    ((x) + (x)) // twice
namespace treepar {
__device__ inline u32 a__f(u64 i_0, Column<u32> x) {
    /* the row */
    const u32 y = TWICE(x[i_0]) - -1;
    asm volatile("ld.u32 %0, [%1]; // c" : "=r"(y) : "l"(a__K));
    return unsigned  int(y) > > 1;
}
// end of f
}
extern "C" __global__ void treepar_map__a__f(u64 n) { a__f(n); }
"#;

    #[test]
    fn comments_formatting_and_paths_do_not_count() {
        let form = Canonical::of(TEXT);
        let expected = "#define TWICE(x) ((x) + (x))\nnamespace treepar{\n__device__ inline u32 r__0(u64 i_0,Column<u32>x)\
                        {\nconst u32 y=TWICE(x[i_0])- -1;\nasm volatile(\"ld.u32 %0, [%1]; // c\":\"=r\"(y):\"l\"(r__1));\n\
                        return unsigned int(y)> >1;\n}\n}\nextern \"C\" __global__ void r__2(u64 n){\nr__0(n);\n}\n";
        assert_eq!(form.text, expected);
        assert_eq!(form.paths, ["a__f", "a__K", "treepar_map__a__f"]);
        let other = TEXT.replace("a__", "renamed__module__").replace("// a", "// b").replace("{\n", "\n  {  // open\n");
        assert_eq!(Canonical::of(&other).text, form.text);
        assert_eq!(Canonical::of(&form.text).text, form.text, "the canonical form is its own");
        for (from, to) in
            [("i_0", "j_0"), ("- -1", "-1"), ("// c", "// d"), ("TWICE(x) \\", "TWICE (x) \\"), ("> >", ">>")]
        {
            assert_ne!(Canonical::of(&TEXT.replace(from, to)).text, form.text, "{from} -> {to}");
        }
    }

    #[test]
    fn entries_get_their_names_back() {
        let form = Canonical::of(TEXT);
        assert_eq!((form.original("r__2"), form.original("treepar_fill")), ("treepar_map__a__f", "treepar_fill"));
        let ptx = ".entry r__2(.param .u64 r__2_param_0) { _ZN7treepar4r__0Ev; r__9 }";
        let named = ".entry treepar_map__a__f(.param .u64 treepar_map__a__f_param_0) { _ZN7treepar4r__0Ev; r__9 }";
        assert_eq!(form.restore(ptx), named);
    }
}
