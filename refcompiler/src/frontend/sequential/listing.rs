//! The text that `refc --emit tokens|tree|types` prints.

use std::fmt::Write;

use super::lexer::Token;
use super::names::Names;
use super::tokens::tokens;
use crate::ir::tree::{Tree, kind, ty, type_text};
use crate::source::Sources;

/// Returns the tokens of all inputs, one per line: file, line, column, text and kind. Errors are not shown.
pub fn tokens_text(sources: &Sources) -> String {
    let mut out = String::new();
    for file in sources.files() {
        let tokens = tokens(&file.text, file.start, &mut Names::default(), &mut Vec::new());
        let (mut line, mut line_start, mut seen) = (1, 0, 0);
        for (k, &token) in tokens.kind.iter().enumerate() {
            let at = file.offset(tokens.start[k]);
            for (i, _) in file.text.as_bytes()[seen..at].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
                line += 1;
                line_start = seen + i + 1;
            }
            seen = at;
            let text = sources.text(tokens.span(k));
            let kind = match token {
                Token::Name => " name",
                Token::Int | Token::MinusOnlyInt => " int",
                Token::Float => " float",
                Token::Malformed => " malformed",
                Token::End => "end",
                _ => "",
            };
            // Writing to a string does not fail.
            let _ = writeln!(out, "{}:{line}:{} {text}{kind}", file.name, at - line_start + 1);
        }
    }
    out
}

/// Returns the nodes of a tree, one per line: number, kind indented by depth, data, and the type if `types`.
pub fn tree_text(tree: &Tree, types: bool) -> String {
    let mut out = String::new();
    for i in 0..tree.len() {
        let indent = 2 * tree.depth[i].min(60) as usize;
        let mut line = format!("{i:>7}  {:indent$}{}", "", kind::NAMES[tree.kind[i] as usize]);
        let data = tree.data[i];
        let text = match tree.kind[i] {
            kind::FUNCTION | kind::EXTERN | kind::CALL => format!(" {}", tree.functions[data as usize].name),
            kind::LITERAL if tree.ty[i] == ty::FLOAT => format!(" {:?}", f32::from_bits(data)),
            kind::LITERAL => format!(" {}", data as i32),
            kind::NAME | kind::ASSIGN => format!(" of node {data}"),
            kind::PARAM if data != 0 => " unique".to_string(),
            kind::ARG | kind::SIZE | kind::FIELD => format!(" {data}"),
            _ => String::new(),
        };
        line.push_str(&text);
        if types && tree.ty[i] != ty::VOID {
            line.push_str(": ");
            line.push_str(&type_text(tree.ty[i], &tree.composites));
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}
