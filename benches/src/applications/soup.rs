//! The tags of a soup that match selectors.
//!
//! ```text
//! <ul><li>a<br><li>b</ul>      a tag is open until an end tag closes it, whatever the name of the end tag;
//!                              an end tag without an open tag is ignored, and `br`, `hr`, `img`, `input` and comments
//!                              have no end
//! ```
//!
//! The selectors are `nav a`, `ul > li`, `article section p` and `div div`.

use treepar::Result;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::prelude::*;
use treepar::text::{self, before as bytes_before, bytes_at, less, matches};

use super::{Columns, Input, Rows, packed, text as of_text};

/// Returns a name of up to seven letters as a number.
const fn name(name: &str) -> u64 {
    packed(name, 0)
}

const NAV: u64 = name("nav");
const ANCHOR: u64 = name("a");
const LIST: u64 = name("ul");
const ITEM: u64 = name("li");
const ARTICLE: u64 = name("article");
const SECTION: u64 = name("section");
const PARAGRAPH: u64 = name("p");
const DIVISION: u64 = name("div");
const BREAK: u64 = name("br");
const RULE: u64 = name("hr");
const IMAGE: u64 = name("img");
const INPUT: u64 = name("input");

/// The tags around a tag: a bit for each that a selector asks for.
const IN_NAV: u32 = 1;
const IN_ARTICLE: u32 = 2;
const IN_SECTION: u32 = 4;
const IN_DIVISION: u32 = 8;
/// The parent is a list.
const IN_LIST: u32 = 16;
/// The first of four bits: the selectors that the tag itself matches.
const MATCHED: u32 = 8;

#[device(scan(Sum))]
fn nothing(_w: usize, _text: &[u64]) -> u32 {
    0
}

#[device(positions(nothing, Sum))]
fn tags(w: usize, _before: u32, text: &[u64]) -> u64 {
    matches(w, text, b'<')
}

/// Returns the name of a tag, 0 of an end tag or a comment. A name of eight letters or more is cut.
#[device]
fn name_at(text: &[u64], start: usize) -> u64 {
    let bytes = bytes_at(text, start + 1);
    bytes_before(bytes, less(bytes, b'0') | less(bytes, b'a') & !less(bytes, b':'))
}

/// The change of a depth that does not fall below 0: it becomes `max(depth + sum, least)`.
#[device]
struct Change {
    sum: i32,
    least: i32,
}

#[device(monoid(identity = Change { sum: 0, least: 0 }))]
fn then(a: Change, b: Change) -> Change {
    Change { sum: a.sum + b.sum, least: (a.least + b.sum).max(b.least) }
}

#[device(scanned)]
fn change(i: usize, start: &[u32], text: &[u64]) -> Change {
    let name = name_at(text, start[i] as usize);
    if name == 0 {
        let is_end = bytes_at(text, start[i] as usize + 1) & 0xff == b'/' as u64;
        Change { sum: if is_end { -1 } else { 0 }, least: 0 }
    } else if name == BREAK || name == RULE || name == IMAGE || name == INPUT {
        Change { sum: 0, least: 0 }
    } else {
        Change { sum: 1, least: 1 }
    }
}

/// Returns the depth and the name of a tag. End tags and comments are leaves without a name.
#[device(scan_map(change, then))]
fn tag(i: usize, before: Change, start: &[u32], text: &[u64]) -> (u32, u64) {
    (before.least as u32, name_at(text, start[i] as usize))
}

/// Returns the state of a tag with the given state of its parent.
#[device]
fn entered(above: u32, name: u64) -> u32 {
    let mut state = above & (IN_NAV | IN_ARTICLE | IN_SECTION | IN_DIVISION);
    let mut found = 0u32;
    if name == ANCHOR {
        found = (above & IN_NAV != 0) as u32;
    } else if name == ITEM {
        found = (above & IN_LIST != 0) as u32 * 2;
    } else if name == PARAGRAPH {
        found = (above & IN_SECTION != 0) as u32 * 4;
    } else if name == DIVISION {
        found = (above & IN_DIVISION != 0) as u32 * 8;
        state |= IN_DIVISION;
    } else if name == NAV {
        state |= IN_NAV;
    } else if name == LIST {
        state |= IN_LIST;
    } else if name == ARTICLE {
        state |= IN_ARTICLE;
    } else if name == SECTION && above & IN_ARTICLE != 0 {
        state |= IN_SECTION;
    }
    state | found.wrapping_shl(MATCHED)
}

#[device(walk_down)]
fn state(i: usize, above: u32, name: &[u64]) -> u32 {
    entered(above, name[i])
}

#[device(compact)]
fn is_matched(i: usize, state: &[u32]) -> bool {
    state[i] >= 256
}

#[device(map)]
fn matched(k: usize, row: &[u32], start: &[u32], state: &[u32]) -> (u32, u8) {
    let tag = row[k] as usize;
    (start[tag], state[tag].wrapping_shr(MATCHED) as u8)
}

/// Returns the tags that match, by a walk down that carries the tags around each.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = text::upload(backend, input.text.as_bytes())?;
    let start = backend.positions(nothing::of(&text).rows(text.len() / 8), Sum, tags::of(&text))?;
    let ((depth, name), _) = backend.scan_map(change::of(&start, &text), then, tag::of(&start, &text))?;
    let parents = Depths::new(depth)?.parents()?;
    let state = backend.walk_down(&parents, 0, state::of(&name))?;
    let row = backend.compact(is_matched::of(&state))?;
    let (start, selectors) = backend.map(matched::of(&row, &start, &state))?;
    Ok(Columns { words: vec![start], longs: vec![], bytes: vec![selectors] })
}

/// Returns the tags that match, one after the other with a stack of open tags.
pub fn plain(input: &Input) -> Rows {
    let (mut start, mut selectors) = (Vec::new(), Vec::new());
    let mut open: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(skipped) = input.text[at..].find('<') {
        at += skipped + 1;
        let rest = &input.text[at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
        let name = &rest[..length];
        if name.is_empty() {
            if rest.starts_with('/') {
                open.pop();
            }
            continue;
        }
        let above = open.last().copied().unwrap_or(0);
        let is_inside = |bit| above & bit != 0;
        let mut inside = above & !IN_LIST;
        let found: u8 = match name {
            "a" => u8::from(is_inside(IN_NAV)),
            "li" => u8::from(is_inside(IN_LIST)) * 2,
            "p" => u8::from(is_inside(IN_SECTION)) * 4,
            "div" => u8::from(is_inside(IN_DIVISION)) * 8,
            _ => 0,
        };
        match name {
            "div" => inside |= IN_DIVISION,
            "nav" => inside |= IN_NAV,
            "ul" => inside |= IN_LIST,
            "article" => inside |= IN_ARTICLE,
            "section" if is_inside(IN_ARTICLE) => inside |= IN_SECTION,
            _ => {}
        }
        if found != 0 {
            start.push(at as u32 - 1);
            selectors.push(found);
        }
        if !matches!(name, "br" | "hr" | "img" | "input") {
            open.push(inside);
        }
    }
    Rows { words: vec![start], bytes: vec![selectors], ..Rows::default() }
}

pub fn edges() -> Vec<Input> {
    [
        "",
        "<",
        "no tags",
        "</a></b><nav><a>",
        "<nav><br><a></a></nav><a>",
        "<ul><li><ul><li></ul></ul><p><li>",
        "<article><p><section><p></section><p><div><section><div><p>",
        "<sections><article><sections><p><articles><blockquote><section><!-- x --><p>a < b</p>",
        "<div><div></div></div></div></div><div><divs><div>",
    ]
    .into_iter()
    .map(of_text)
    .collect()
}
