//! The outline of a Markdown document: its headings, with their levels, parents and ends.
//!
//! ```text
//! # A            start  level  parent  end         a heading is a line that begins with one to six `#` and a space;
//! text               0      1       -    2         lines between two lines that begin with three backquotes are code
//! ## B              11      2       0    2
//! # C               16      1       -    3
//! ```

use treepar::device::device;
use treepar::text::{self, bytes_at, equal, first, matches};
use treepar::{Backend, Column, Result, prelude::Xor};

use super::{Columns, Input, Rows, text as of_text};

/// Returns the level of the heading that begins at byte `i`, 0 if none does.
#[device]
fn level_at(text: &[u64], i: usize) -> u32 {
    let bytes = bytes_at(text, i);
    let level = first(!equal(bytes, b'#') & 0x8080_8080_8080_8080);
    let after = bytes.wrapping_shr(8 * level.min(7)) as u8;
    if level <= 6 && (after == b' ' || after == b'\n' || after == 0) { level } else { 0 }
}

/// Marks the first bytes of lines among 64 bytes.
#[device]
fn line_starts(w: usize, text: &[u64]) -> u64 {
    let is_after = w == 0 || text[8 * w - 1] >> 56 == b'\n' as u64;
    matches(w, text, b'\n') << 1 | is_after as u64
}

/// Marks the lines among 64 bytes that begin or end code.
#[device]
fn fences(w: usize, text: &[u64]) -> u64 {
    let mut found = matches(w, text, b'`');
    if found != 0 {
        found &= line_starts(w, text);
        let mut rest = found;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            let bytes = bytes_at(text, 64 * w + rest.trailing_zeros() as usize);
            if bytes & 0xff_ffff != 0x60_6060 {
                found ^= bit;
            }
            rest ^= bit;
        }
    }
    found
}

#[device(scan(Xor))]
fn fence_parity(w: usize, text: &[u64]) -> u32 {
    fences(w, text).count_ones() & 1
}

/// Marks the headings among 64 bytes.
#[device(positions(fence_parity, Xor))]
fn headings(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut found = matches(w, text, b'#');
    if found != 0 {
        found &= line_starts(w, text);
        let mut code = fences(w, text);
        for k in 0..6u32 {
            code ^= code.wrapping_shl(1u32.wrapping_shl(k));
        }
        found &= !(code ^ (before as u64).wrapping_neg());
        let mut rest = found;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            if level_at(text, 64 * w + rest.trailing_zeros() as usize) == 0 {
                found ^= bit;
            }
            rest ^= bit;
        }
    }
    found
}

#[device(map)]
fn level(i: usize, start: &[u32], text: &[u64]) -> u32 {
    level_at(text, start[i] as usize)
}

/// Returns the outline, by marks of 64 bytes and one search for nearest smaller levels.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = text::upload(backend, input.text.as_bytes())?;
    let start = backend.positions(fence_parity::of(&text).rows(text.len() / 8), Xor, headings::of(&text))?;
    let level = backend.map(level::of(&start, &text))?;
    let (parents, end) = backend.nearest_smaller(&level)?;
    Ok(Columns { words: vec![start, level, parents.into_column(), end], longs: vec![], bytes: vec![] })
}

/// Returns the outline, line by line with a stack of open headings.
pub fn plain(input: &Input) -> Rows {
    let (mut start, mut level, mut parent, mut end) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut open: Vec<u32> = Vec::new();
    let (mut at, mut in_code) = (0, false);
    for line in input.text.split_inclusive('\n') {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if !in_code && line.starts_with('#') {
            let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
            if hashes <= 6 && matches!(line.as_bytes().get(hashes), None | Some(b' ' | b'\n')) {
                let row = start.len() as u32;
                while let Some(last) = open.pop_if(|last| level[*last as usize] >= hashes as u32) {
                    end[last as usize] = row;
                }
                start.push(at as u32);
                level.push(hashes as u32);
                parent.push(open.last().copied().unwrap_or(u32::MAX));
                end.push(u32::MAX);
                open.push(row);
            }
        }
        at += line.len();
    }
    for last in open {
        end[last as usize] = start.len() as u32;
    }
    Rows { words: vec![start, level, parent, end], ..Rows::default() }
}

pub fn edges() -> Vec<Input> {
    let around = (50..70).flat_map(|n| {
        let before = "x".repeat(n);
        [format!("{before}\n## a\n```\n# b\n```\n# c"), format!("{before}\n```\n# b\n```#\n######\n####### no\n#")]
    });
    let texts =
        ["", "#", "# a", "#a", "\n\n# a\n\n", "```\n# a", "``\n# a\n```", "### a\n## b\n# c\n## d\n#### e\n## f"];
    texts.into_iter().map(String::from).chain(around).map(|text| of_text(&text)).collect()
}
