//! JSON to a tree, and a question about ancestors: which numbers are in the object of which key?
//!
//! Bytes become tokens by a scan that knows what is inside a string, tokens become depths by another, and no byte is
//! looked at in turn. (A backslash escapes the next byte. Other rules of JSON are not checked.)

use std::io::Write;

use treepar::ancestor::Of;
use treepar::backend::ScanKind;
use treepar::compact::gather;
use treepar::depth::{Depths, NO_NODE};
use treepar::device::device;
use treepar::monoid::{Sum, Xor};
use treepar::{Backend, Cpu};

const TEXT: &str = r#"{"width": 3, "rows": [10, 20], "meta": {"by": "a, [b] \"c\"", "year": 1999, "tags": [1]}}"#;

/// Returns 1 if a quote begins or ends a string here.
#[device(scan(Xor))]
fn turns(i: usize, text: &[u8]) -> u32 {
    (text[i] == b'"' && (i == 0 || text[i - 1] != b'\\')) as u32
}

/// Where a node begins: an object, an array, a string, or a word or number.
#[device(map)]
fn begins(i: usize, text: &[u8], inside: &[u32]) -> u8 {
    let byte = text[i];
    let breaks = byte == b' ' || byte == b',' || byte == b':' || byte == b']' || byte == b'}';
    let before = if i == 0 { b' ' } else { text[i - 1] };
    let after_break = before == b' ' || before == b',' || before == b':' || before == b'[' || before == b'{';
    (inside[i] == 0 && (byte == b'"' || byte == b'{' || byte == b'[' || (!breaks && after_break))) as u8
}

/// Returns the change of depth after a byte.
#[device(scan(Sum))]
fn step(i: usize, text: &[u8], inside: &[u32]) -> u32 {
    let byte = text[i];
    if inside[i] != 0 {
        0
    } else if byte == b'{' || byte == b'[' {
        1
    } else if byte == b'}' || byte == b']' {
        u32::MAX
    } else {
        0
    }
}

/// Returns whether a node is a key: a string with a colon after its end.
#[device(map)]
fn is_key(node: usize, start: &[u32], text: &[u8], inside: &[u32]) -> u8 {
    let mut at = start[node] as usize + 1;
    if text[start[node] as usize] == b'"' {
        while at < text.len() && inside[at] != 0 {
            at += 1;
        }
    }
    (text[start[node] as usize] == b'"' && at < text.len() && text[at] == b':') as u8
}

/// Returns whether a node is a value: it follows a key.
#[device(map)]
fn is_value(node: usize, key: &[u8]) -> u8 {
    (node > 0 && key[node - 1] != 0) as u8
}

/// Writes the tree and the answer.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Cpu::new();
    let text = cpu.upload(TEXT.as_bytes())?;
    let (inside, _) = cpu.scan(ScanKind::Exclusive, turns::of(&text), Xor)?;
    let start = cpu.compact(&cpu.map(begins::of(&text, &inside))?)?;
    let (open, _) = cpu.scan(ScanKind::Exclusive, step::of(&text, &inside), Sum)?;
    let tree = Depths::new(gather(&open, &start)?)?;

    let m = tree.len();
    let key = cpu.map(is_key::of(&start, &text, &inside))?;
    let value = cpu.map(is_value::of(&key).rows(m))?;
    let holder = cpu.download(&tree.parents()?.nearest_marked(&value, Of::Inclusive)?)?;

    let (start, depth) = (cpu.download(&start)?, cpu.download(tree.depths())?);
    let word = |node: usize| {
        let rest = &TEXT[start[node] as usize..];
        let quotes = || rest.char_indices().skip(1).find(|&(at, c)| c == '"' && rest.as_bytes()[at - 1] != b'\\');
        let end = match rest.as_bytes()[0] {
            b'"' => quotes().map(|(at, _)| at + 1),
            b'{' | b'[' => Some(1),
            _ => rest.find([',', '}', ']', ' ', ':']),
        };
        &rest[..end.unwrap_or(rest.len())]
    };
    for (node, &depth) in depth.iter().enumerate() {
        writeln!(out, "{}{}", "  ".repeat(depth as usize), word(node))?;
    }
    writeln!(out)?;
    for node in (0..m).filter(|&node| word(node).starts_with(|c: char| c.is_ascii_digit())) {
        match holder[node] {
            NO_NODE => writeln!(out, "{} is under no key", word(node))?,
            value => writeln!(out, "{} is under {}", word(node), word(value as usize - 1))?,
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
