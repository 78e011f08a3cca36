//! Disk usage: the total size of each folder, from a list of files in the order of a walk through them.
//!
//! ```text
//! 5 a/b/x        depth  total  name ends at         a node per folder and file in preorder, below a root of all;
//! 2 a/y              0      7  -                    files have their own sizes
//!                    1      7  a/
//!                    2      5  a/b/
//!                    3      5  a/b/x
//!                    2      2  a/y
//! ```

use treepar::Result;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::prelude::*;
use treepar::text::{self, byte_at, bytes_at, equal, first, matches};

use super::{Columns, Input, Rows, text as of_text};

#[device(scan(Sum))]
fn nothing(_w: usize, _text: &[u64]) -> u32 {
    0
}

/// Marks the first bytes of lines among 64 bytes.
#[device(positions(nothing, Sum))]
fn lines(w: usize, _before: u32, text: &[u64], bytes: usize) -> u64 {
    let is_after = w == 0 || text[8 * w - 1] >> 56 == b'\n' as u64;
    let starts = matches(w, text, b'\n') << 1 | is_after as u64;
    let left = bytes - 64 * w;
    if left < 64 { starts & (1u64.wrapping_shl(left as u32) - 1) } else { starts }
}

/// A line: its file's size, the first byte of its path, the number of its folders, and how many the line before has too.
#[device]
struct Line {
    size: u64,
    path: u32,
    folders: u16,
    shared: u16,
}

/// Returns the first byte after the digits and the space at the beginning of a line.
#[device]
fn path_of(text: &[u64], start: usize) -> usize {
    let mut at = start;
    while at + 1 < 8 * text.len() && byte_at(text, at) != b' ' {
        at += 1;
    }
    at + 1
}

#[device(map)]
fn line(i: usize, start: &[u32], text: &[u64]) -> Line {
    let mut at = start[i] as usize;
    let mut size = 0u64;
    let mut byte = byte_at(text, at);
    while at + 1 < 8 * text.len() && byte != b' ' {
        size = size.wrapping_mul(10).wrapping_add(byte as u64).wrapping_sub(48);
        at += 1;
        byte = byte_at(text, at);
    }
    let path = at + 1;
    // Eight bytes at once: slashes up to the end of the line, and up to the first byte that differs from the line before.
    let other = if i == 0 { text.len() * 8 } else { path_of(text, start[i - 1] as usize) };
    let mut folders = 0u32;
    let mut shared = 0u32;
    let mut same = true;
    let mut k = 0usize;
    let mut ended = false;
    while !ended {
        let bytes = bytes_at(text, path + k);
        let stop = equal(bytes, b'\n') | equal(bytes, 0);
        let inside = (stop & stop.wrapping_neg()).wrapping_sub(1);
        let slashes = equal(bytes, b'/') & inside;
        folders += slashes.count_ones();
        if same {
            let differ = bytes ^ bytes_at(text, other + k);
            let below = if differ == 0 { u64::MAX } else { 1u64.wrapping_shl(differ.trailing_zeros() & 56) - 1 };
            shared += (slashes & below).count_ones();
            same = differ == 0;
        }
        ended = stop != 0;
        k += 8;
    }
    Line { size, path: path as u32, folders: folders as u16, shared: shared as u16 }
}

/// Returns the number of nodes of a line: its new folders and its file; the first also has the root.
#[device(scan(Sum))]
fn nodes(i: usize, line: &[Line]) -> u32 {
    (line[i].folders - line[i].shared) as u32 + 1 + (i == 0) as u32
}

#[device(expand)]
fn node(i: usize, k: usize, line: &[Line]) -> (u32, u64, u32) {
    let line = line[i];
    let depth = line.shared as u32 + (i > 0) as u32 + k as u32;
    (depth, if depth > line.folders as u32 { line.size } else { 0 }, line.path)
}

/// Returns the end of a name, and the total of its folder.
#[device(map)]
fn named(i: usize, depth: &[u32], path: &[u32], end: &[u32], before: &[u64], all: u64, text: &[u64]) -> (u32, u64) {
    let mut at = path[i] as usize;
    let mut left = depth[i];
    while left > 0 && at < 8 * text.len() {
        let bytes = bytes_at(text, at);
        let stop = equal(bytes, b'/') | equal(bytes, b'\n') | equal(bytes, 0);
        let found = stop.count_ones();
        if found == 0 {
            at += 8;
        } else {
            at += first(stop) as usize + 1;
            left -= 1;
        }
    }
    let last = if (end[i] as usize) < before.len() { before[end[i] as usize] } else { all };
    (at as u32, last - before[i])
}

/// Returns the nodes with their totals. The tree comes from the folders that neighbouring lines share.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = text::upload(backend, input.text.as_bytes())?;
    let blocks = text.len() / 8;
    let start = backend.positions(nothing::of(&text).rows(blocks), Sum, lines::of(&text, input.text.len()))?;
    let line = backend.map(line::of(&start, &text))?;
    let (offsets, all) = backend.scan(Exclusive, nodes::of(&line), Sum)?;
    let (depth, size, path) = backend.expand(&offsets, all as usize, node::of(&line))?;
    let forest = Depths::new(depth)?;
    let (before, all) = backend.scan(Exclusive, &size, Sum)?;
    let (end, total) = backend.map(named::of(forest.depths(), &path, &forest.ends()?, &before, all, &text))?;
    Ok(Columns { words: vec![forest.into_column(), end], longs: vec![total], bytes: vec![] })
}

/// Returns the nodes with their totals, line by line with a stack of open folders.
pub fn plain(input: &Input) -> Rows {
    let (mut depth, mut end, mut total) = (Vec::new(), Vec::new(), Vec::new());
    // The node of each open folder, and the length of its path.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut before) = (0, "");
    for line in input.text.lines() {
        let Some((size, path)) = line.split_once(' ') else { continue };
        let size: u64 = size.parse().unwrap_or(0);
        let path_at = at + line.len() - path.len();
        let shared = path.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
        if open.is_empty() {
            open.push((0, 0));
            depth.push(0);
            end.push(path_at as u32);
            total.push(0);
        }
        while let Some((folder, _)) = open.pop_if(|(_, length)| *length > shared) {
            let sum: u64 = total[folder];
            if let Some((parent, _)) = open.last() {
                total[*parent] += sum;
            }
        }
        let known = open.last().map_or(0, |(_, length)| *length);
        for (slash, _) in path.match_indices('/').skip_while(|(slash, _)| *slash < known) {
            depth.push(open.len() as u32);
            end.push((path_at + slash + 1) as u32);
            open.push((total.len(), slash + 1));
            total.push(0);
        }
        depth.push(open.len() as u32);
        end.push((path_at + path.len() + 1) as u32);
        if let Some((folder, _)) = open.last() {
            total[*folder] += size;
        }
        total.push(size);
        (at, before) = (at + line.len() + 1, path);
    }
    while let Some((folder, _)) = open.pop() {
        let sum = total[folder];
        if let Some((parent, _)) = open.last() {
            total[*parent] += sum;
        }
    }
    Rows { words: vec![depth, end], longs: vec![total], ..Rows::default() }
}

pub fn edges() -> Vec<Input> {
    let long = "d/".repeat(100);
    let name = "n".repeat(100);
    [
        String::new(),
        "1 a".into(),
        "1 a\n".into(),
        "10 a/b\n20 a/c\n5 ab/c\n".into(),
        "1 a/b/c\n2 b\n3 a/b/c\n".into(),
        format!("7 {long}x\n8 {long}y/z\n9 {name}/{name}/a\n1 {name}/{name}b/a"),
        "18446744073709551615 a\n".into(),
    ]
    .iter()
    .map(|text| of_text(text))
    .collect()
}
