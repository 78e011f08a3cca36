//! The outline of a text: its headings, how they nest, and how many words their sections have.
//!
//! A heading is a line that begins with one to six `#`, followed by a space or the line's end. [`outline`] runs on any
//! backend of treepar; [`plain_outline`] is the same in sequential Rust.

use treepar::compact::gather;
use treepar::prelude::*;
use treepar::text::{self, bytes_at, first, matches, unlike};

/// A heading with its section.
#[device]
#[derive(Eq)]
pub struct Section {
    /// The index of the heading's line, from 0.
    pub line: u32,
    /// The number of `#`, 1 to 6.
    pub level: u32,
    /// The number of enclosing headings.
    pub depth: u32,
    /// The words in the section's own lines and in all nested sections, headings' lines included.
    pub words: u32,
}

/// Marks the newlines among 64 bytes, and the last byte of each word.
#[device(map)]
fn marks(w: usize, text: &[u64]) -> (u64, u64) {
    let newlines = matches(w, text, b'\n');
    let spaces = newlines | matches(w, text, b' ') | matches(w, text, b'\t') | matches(w, text, b'\r');
    let next = bytes_at(text, 64 * w + 64) as u8;
    let next_is_space = next == b' ' || next == b'\t' || next == b'\n' || next == b'\r';
    (newlines, !spaces & ((spaces >> 1) | ((next_is_space as u64) << 63)))
}

/// Returns the number of `#` with which a line begins, at most 8, and whether it is a heading.
#[device(map)]
fn heading(i: usize, newline: &[u32], text: &[u64]) -> (u32, u8) {
    let bytes = bytes_at(text, newline[i] as usize + 1);
    let level = first(unlike(bytes, b'#') & 0x8080_8080_8080_8080);
    let next = bytes.wrapping_shr(8 * level) as u8;
    (level, (0 < level && level < 7 && (next == b' ' || next == b'\n')) as u8)
}

/// Returns the section of a heading, from the words before each heading and the heading that ends each section.
#[device(map)]
fn section(k: usize, line: &[u32], level: &[u32], depth: &[u32], before: &[u32], end: &[u32]) -> Section {
    Section { line: line[k], level: level[k], depth: depth[k], words: before[end[k] as usize] - before[k] }
}

/// Returns the sections of a text, in order.
pub fn outline<B: Backend>(backend: &B, text: &str) -> treepar::Result<Vec<Section>> {
    // Each line now has a newline before it, and a last heading ends every section.
    let text = text::upload(backend, format!("\n{text}\n#\n").as_bytes())?;
    let (newlines, words) = backend.map(marks::of(&text).rows(text.len() / 8))?;
    let (newline, before) = text::nested(&newlines, &words, &backend.filled(words.len(), 0u64)?)?;
    let (level, is_heading) = backend.map(heading::of(&newline, &text))?;
    let line = backend.compact(&is_heading)?;
    let (level, before) = (gather(&level, &line)?, gather(&before, &line)?);
    let (parents, end) = backend.nearest_smaller(&level)?;
    let forest = Depths::from_parents(&parents)?;
    let sections = section::of(&line, &level, forest.depths(), &before, &end).rows(line.len() - 1);
    backend.download(&backend.map(sections)?)
}

/// Returns the sections of a text, in order, by a loop over its lines.
pub fn plain_outline(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    // The sections that enclose the line, outermost first.
    let mut open: Vec<usize> = Vec::new();
    for (line, content) in text.split('\n').enumerate() {
        let level = content.bytes().take_while(|&byte| byte == b'#').count();
        if (1..=6).contains(&level) && matches!(content.as_bytes().get(level), None | Some(b' ')) {
            let level = level as u32;
            while open.last().is_some_and(|&section| sections[section].level >= level) {
                open.pop();
            }
            let depth = open.len() as u32;
            open.push(sections.len());
            sections.push(Section { line: line as u32, level, depth, words: 0 });
        }
        let words = content.split([' ', '\t', '\r']).filter(|word| !word.is_empty()).count() as u32;
        for &section in &open {
            sections[section].words += words;
        }
    }
    sections
}
