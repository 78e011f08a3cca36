//! Random inputs of about n nodes.

use std::fmt::Write;

use refcompiler_programs::Rng;

use super::Input;

const WORDS: [&str; 12] =
    ["tree", "scan", "forest", "column", "of", "the", "parallel", "a", "compiler", "pass", "lines", "#1"];

/// Adds some words.
fn words(text: &mut String, most: usize, rng: &mut Rng) {
    for k in 0..1 + rng.below(most) {
        text.push_str(if k > 0 { " " } else { "" });
        text.push_str(rng.one_of(&WORDS));
    }
}

/// Returns a text of n nodes.
fn of_text(nodes: usize, text: String) -> Input {
    Input { nodes, text, ..Input::default() }
}

/// Draws a document with n headings, each with a line of text or code on average.
pub fn markdown(n: usize, rng: &mut Rng) -> Input {
    let mut text = String::with_capacity(40 * n);
    let mut level = 1;
    for _ in 0..n {
        level = (level + 1).min(1 + rng.below(level + 2)).clamp(1, 6);
        text.push_str(&"######"[..level]);
        text.push(' ');
        words(&mut text, 3, rng);
        text.push('\n');
        for _ in 0..rng.below(3) {
            if rng.once_in(20) {
                text.push_str("```\n# not a heading\n```\n");
            } else {
                words(&mut text, 5, rng);
                text.push('\n');
            }
        }
    }
    of_text(n, text)
}

/// Draws a list of files with n folders and files.
pub fn files(n: usize, rng: &mut Rng) -> Input {
    let mut text = String::with_capacity(40 * n);
    let mut folders: Vec<usize> = Vec::new();
    let mut path = String::new();
    let mut nodes = 1;
    let mut number = 0;
    while nodes < n {
        // A folder ends once in six files, and another begins as often on average.
        if rng.once_in(6) {
            path.truncate(folders.pop().unwrap_or(0));
        }
        if folders.len() < 12 && rng.once_in(6) {
            folders.push(path.len());
            number += 1;
            let _ = write!(path, "{}{number}/", rng.one_of(&["src", "module", "d", "records-of-"]));
            nodes += 1;
        }
        number += 1;
        let _ = writeln!(text, "{} {path}{}{number}.rs", rng.below(100_000), rng.one_of(&["file", "x", "notes"]));
        nodes += 1;
    }
    of_text(nodes, text)
}

/// Draws statements with operators of two operands, of which many are equal.
pub fn expressions(n: usize, rng: &mut Rng) -> Input {
    let (mut depth, mut label) = (Vec::with_capacity(n + 64), Vec::with_capacity(n + 64));
    while depth.len() < n {
        // Each node waits with its depth.
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            depth.push(at);
            if at < 5 && (at == 0 || rng.below(5) < 3) {
                label.push(rng.below(6) as u32);
                waiting.extend(std::iter::repeat_n(at + 1, 1 + rng.below(2)));
            } else {
                label.push(10 + rng.below(100 + n / 100) as u32);
            }
        }
    }
    Input { nodes: depth.len(), depth, label, ..Input::default() }
}

/// Draws a page with n tags. A tenth of the tags that need an end have none.
pub fn soup(n: usize, rng: &mut Rng) -> Input {
    const NAMES: [&str; 14] =
        ["nav", "ul", "li", "a", "article", "section", "p", "div", "span", "blockquote", "h1", "em", "td", "p"];
    let mut text = String::with_capacity(16 * n);
    let mut open: Vec<&str> = Vec::new();
    for _ in 0..n {
        match rng.below(10) {
            0 => text.push_str(rng.one_of(&["<br>", "<img src='x.png'>", "<input>", "<!-- note -->"])),
            1..5 if open.len() < 12 => {
                let name = rng.one_of(&NAMES);
                let _ = write!(text, "<{name}{}>", rng.one_of(&["", "", " class=wide", " id=n"]));
                open.push(name);
            }
            _ => {
                let _ = write!(text, "</{}>", if rng.once_in(10) { "b" } else { open.pop().unwrap_or("p") });
            }
        }
        if rng.once_in(3) {
            words(&mut text, 3, rng);
        }
    }
    of_text(n, text)
}

/// Draws a document with about n values and keys: users with orders.
pub fn json(n: usize, rng: &mut Rng) -> Input {
    let mut text = String::with_capacity(11 * n);
    text.push_str("{\"version\": 3, \"users\": [");
    let mut nodes = 5;
    let mut is_first = true;
    while nodes < n {
        text.push_str(if is_first { "\n" } else { ",\n" });
        is_first = false;
        let _ = write!(text, "  {{\"id\": {}, \"name\": \"", rng.below(1_000_000));
        words(&mut text, 2, rng);
        text.push_str(if rng.once_in(20) { "\\n\\\"\\\\" } else { "" });
        text.push_str("\", \"orders\": [");
        let orders = rng.below(4);
        for k in 0..orders {
            let comma = if k > 0 { ", " } else { "" };
            let (id, total) = (rng.below(100_000), rng.below(1000) as i64 - 20);
            let _ = write!(text, "{comma}{{\"id\":{id},\"total\":{total},\"tags\":[\"new\",{}]}}", rng.once_in(2));
        }
        let _ = write!(text, "], \"address\": {{\"city\": \"Berlin\", \"total\": {}}}}}", rng.below(10));
        // An object, four keys with a number, a text, an array and an object of two members; and the nodes of orders.
        nodes += 13 + 9 * orders;
    }
    text.push_str("]}\n");
    of_text(nodes, text)
}

/// Draws functions with statements of expressions. A node of fifty is a function inside.
pub fn functions(n: usize, rng: &mut Rng) -> Input {
    forest(n, rng, |rng, _| rng.once_in(50))
}

/// Draws expressions: each node with children is one.
pub fn nested(n: usize, rng: &mut Rng) -> Input {
    forest(n, rng, |_, has_children| has_children)
}

/// Draws a forest whose nodes have up to three children, marked by a rule.
fn forest(n: usize, rng: &mut Rng, mut is_marked: impl FnMut(&mut Rng, bool) -> bool) -> Input {
    let (mut depth, mut mark) = (Vec::with_capacity(n + 64), Vec::with_capacity(n + 64));
    while depth.len() < n {
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            // Two children on average in the middle of a tree; trees have at most about a hundred nodes.
            let children = if at == 0 {
                3
            } else if at < 7 {
                rng.below(4) * usize::from(!rng.once_in(3))
            } else {
                0
            };
            depth.push(at);
            mark.push(u8::from(is_marked(rng, children > 0)));
            waiting.extend(std::iter::repeat_n(at + 1, children));
        }
    }
    Input { nodes: depth.len(), depth, mark, ..Input::default() }
}
