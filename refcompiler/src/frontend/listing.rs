//! What `refc --emit tokens|tree|types` prints.

use std::fmt::Write;

use super::lexer::{Token, lex};
use super::names::Names;
use super::{BUILTINS, Sources};
use crate::tree::{Tree, kind, ty};

/// The tokens of all inputs, one a line: place and text. Errors are not shown.
pub fn tokens_text(sources: &Sources) -> String {
    let mut out = String::new();
    for file in sources.files() {
        let tokens = lex(&file.text, file.start, &mut Names::default(), &mut Vec::new());
        let (mut line, mut line_start, mut seen) = (1, 0, 0);
        for (k, &token) in tokens.kind.iter().enumerate() {
            let at = (tokens.start[k] - file.start) as usize;
            for (i, _) in file.text.as_bytes()[seen..at].iter().enumerate().filter(|(_, b)| **b == b'\n') {
                line += 1;
                line_start = seen + i + 1;
            }
            seen = at;
            let rest = &file.text[at..];
            let length = match token {
                Token::Name | Token::Int | Token::MinusOnlyInt | Token::Float | Token::BadNumber => {
                    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len())
                }
                Token::End => 0,
                other => other.describe().len() - 2,
            };
            let kind = match token {
                Token::Name => "name",
                Token::Int | Token::MinusOnlyInt => "int",
                Token::Float => "float",
                Token::BadNumber => "malformed",
                Token::End => "end",
                _ => "",
            };
            let text = &rest[..length];
            // Writing to a string does not fail.
            let _ =
                writeln!(out, "{}", format!("{}:{line}:{} {text} {kind}", file.name, at - line_start + 1).trim_end());
        }
    }
    out
}

/// The nodes of a tree, one a line: number, kind indented by depth, what it holds, and its type if `types`.
pub fn tree_text(tree: &Tree, types: bool) -> String {
    let mut out = String::new();
    for i in 0..tree.len() {
        let indent = 2 * tree.depth[i].min(60) as usize;
        let mut line = format!("{i:>7}  {:indent$}{}", "", kind::NAMES[tree.kind[i] as usize]);
        let data = tree.data[i];
        let what = match tree.kind[i] {
            kind::FUNCTION | kind::EXTERN | kind::CALL => format!(" {}", tree.functions[data as usize].name),
            kind::LITERAL if tree.ty[i] == ty::FLOAT => format!(" {:?}", f32::from_bits(data)),
            kind::LITERAL => format!(" {}", data as i32),
            kind::NAME | kind::ASSIGN => format!(" of node {data}"),
            kind::ARG => format!(" {data}"),
            _ => String::new(),
        };
        line.push_str(&what);
        if types && tree.ty[i] != ty::VOID {
            line.push_str(": ");
            line.push_str(ty::NAMES[tree.ty[i] as usize]);
        }
        out.push_str(&line);
        out.push('\n');
    }
    debug_assert!(BUILTINS.iter().zip(&tree.functions).all(|(builtin, f)| builtin.name == f.name));
    out
}
