//! The first byte of each token, 64 bytes at a time.
//!
//! ```text
//! bytes      x >= 1 ; // y= \n z 0         0 is the gap byte after the input
//! starts     1 10 1 1 11 11    1 1         neither a space, nor inside a token
//! comment    0 00 0 0 11 11 0  0 0         from // to before the end of the line or input
//! tokens     x >= 1 ;          z 0
//! ```
//!
//! A byte continues a token if it and the byte before it are letters, digits, underscores or points, or if both can be
//! in an operator of several bytes: `<`, `>`, `=`, `&`, `|`, and `!` as the first. So `1.5`, `a.b` and `>>=` are one
//! token each, and later passes refuse the last two. Of the tokens of the language, only `>>>` has three such bytes. A byte outside
//! ASCII begins a token, which later passes refuse too.
//!
//! Two points are a token of their own. The first of them begins a token, and so does a byte of a word after the second. Only
//! blocks with two points next to each other are searched for bytes of words.
//!
//! Comments are a flood fill by addition: in a word whose bits are the bytes that do not end a line, adding the bit
//! where a comment begins clears all bits up to the end of the line. The carry out of the word is a comment that
//! continues in the next 64 bytes. Blocks of 64 bytes compose: a block begins a comment, ends it, or keeps the state.
//!
//! The eight words of a block are variables, and an exchange of rows and columns packs eight byte masks into one word. So
//! the host's compiler can use vector instructions.
//!
//! Cost: work O(b) for b bytes, one pass of 1 byte per byte and 4 bytes per token.
//! Source: the masks follow simdjson (Langdale and Lemire, 2019); ours are words of a portable function.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::text::{HIGH, LOW, Text, at_least, differs, letters, repeated};

/// The effect of 64 bytes on comments.
#[device]
pub enum Comments {
    /// A comment continues if there was one.
    Keep,
    /// The last line ends in a comment.
    Begin,
    /// There is no comment at the end.
    End,
}

/// Returns the effect of `a`, then `b`.
#[device(monoid(identity = Comments::Keep))]
pub fn then(a: Comments, b: Comments) -> Comments {
    if b == Comments::Keep { a } else { b }
}

/// Returns the word before word `i` of a text, and zeros before the first.
#[device]
fn word_before(i: usize, words: &[u64]) -> u64 {
    if i == 0 { 0 } else { words[i - 1] }
}

/// Returns in bit 7 of each byte whether it can be in a name or number.
#[device]
fn in_word(low: u64) -> u64 {
    let digits_or_point = (at_least(low, b'.') ^ at_least(low, b'9' + 1)) & differs(low, b'/');
    letters(low) | digits_or_point | !differs(low, b'_')
}

/// Returns in bit 7 of each byte whether it can continue an operator.
#[device]
fn in_operator(low: u64) -> u64 {
    (at_least(low, b'<') ^ at_least(low, b'>' + 1)) | !differs(low, b'&') | !differs(low, b'|')
}

/// Returns in bit 7 of each byte whether it can begin an operator of several bytes.
#[device]
fn begins_operator(low: u64) -> u64 {
    in_operator(low) | !differs(low, b'!')
}

/// Returns the mask of the bytes that begin a token outside comments, in eight bytes and the eight before them.
#[device]
fn start_mask(before: u64, bytes: u64) -> u64 {
    let low = bytes & LOW;
    let last = (bytes << 8 | before >> 56) & LOW;
    // A tab is a carriage return without a bit.
    let tab_or_return = !differs(low | repeated(b'\t' ^ b'\r'), b'\r');
    let spaces = !(differs(low, b' ') & differs(low, b'\n')) | tab_or_return;
    let continued = in_word(low) & in_word(last) | in_operator(low) & begins_operator(last);
    (!(spaces | continued) | bytes) & HIGH
}

/// Returns the mask of the bytes that can be in a name or number, with its point.
#[device]
fn word_and_point_mask(bytes: u64) -> u64 {
    in_word(bytes & LOW) & !bytes & HIGH
}

/// Returns the mask of the points.
#[device]
fn point_mask(bytes: u64) -> u64 {
    !differs(bytes & LOW, b'.') & !bytes & HIGH
}

/// Returns the mask of the bytes `/`.
#[device]
fn slash_mask(bytes: u64) -> u64 {
    !differs(bytes & LOW, b'/') & !bytes & HIGH
}

/// Returns the mask of line feeds and gap bytes.
#[device]
fn end_mask(bytes: u64) -> u64 {
    !(differs(bytes & LOW, b'\n') & differs(bytes & LOW, 0)) & !bytes & HIGH
}

/// Returns a matrix of eight by eight bits with rows and columns exchanged. This makes one bit per byte of eight byte
/// masks, of which each is shifted by the number of masks after it.
#[device]
fn transposed(bits: u64) -> u64 {
    let odd = (bits ^ bits >> 7) & 0x00aa_00aa_00aa_00aa;
    let bits = bits ^ odd ^ odd << 7;
    let odd = (bits ^ bits >> 14) & 0x0000_cccc_0000_cccc;
    let bits = bits ^ odd ^ odd << 14;
    let odd = (bits ^ bits >> 28) & 0x0000_0000_f0f0_f0f0;
    bits ^ odd ^ odd << 28
}

/// Defines a function that gathers a mask of the eight words of a block.
macro_rules! gathered {
    ($(#[$doc:meta])* $name:ident, $mask:ident) => {
        $(#[$doc])*
        #[device]
        fn $name(i: usize, words: &[u64]) -> u64 {
            // The last word first: then the other indices need no check.
            let last = $mask(words[i + 7]);
            transposed(
                $mask(words[i]) >> 7
                    | $mask(words[i + 1]) >> 6
                    | $mask(words[i + 2]) >> 5
                    | $mask(words[i + 3]) >> 4
                    | $mask(words[i + 4]) >> 3
                    | $mask(words[i + 5]) >> 2
                    | $mask(words[i + 6]) >> 1
                    | last,
            )
        }
    };
}

gathered! {
    /// Returns the points of the block whose first word is `i`, one bit per byte.
    points, point_mask
}

gathered! {
    /// Returns the bytes of names and numbers, with their points, of the block whose first word is `i`, one bit per byte.
    in_words, word_and_point_mask
}

gathered! {
    /// Returns the bytes `/` of the block whose first word is `i`, one bit per byte.
    slashes, slash_mask
}

gathered! {
    /// Returns the line feeds and gap bytes of the block whose first word is `i`, one bit per byte.
    ends, end_mask
}

/// Returns the bytes that begin a token because two points begin or end there, in the block whose first word is `i`. `points` has the
/// points of the block.
#[device]
fn around_ranges(points: u64, i: usize, words: &[u64]) -> u64 {
    let before = word_before(i, words);
    let last = (before >> 56 == b'.' as u64) as u64;
    let second_last = (before >> 48 & 255 == b'.' as u64) as u64;
    let after = points << 1 | last;
    let next = points >> 1 | ((words[i + 8] & 255 == b'.' as u64) as u64) << 63;
    let firsts = points & next & !after;
    let ends = after & (points << 2 | last << 1 | second_last);
    if firsts | ends == 0 { 0 } else { firsts | ends & in_words(i, words) }
}

/// Returns the bytes that follow a `/` before them, of some bytes `/` in the block whose first word is `i`.
#[device]
fn second_slashes(slashes: u64, i: usize, words: &[u64]) -> u64 {
    slashes & (slashes << 1 | (word_before(i, words) >> 56 == b'/' as u64) as u64)
}

/// Returns the effect of block `w` on comments.
#[device(scanned)]
pub fn comments(w: u32, words: &[u64]) -> Comments {
    let i = 8 * w as usize;
    let comments = second_slashes(slashes(i, words), i, words);
    let ends = ends(i, words);
    if comments > ends {
        Comments::Begin
    } else if ends == 0 {
        Comments::Keep
    } else {
        Comments::End
    }
}

/// Returns the bits from each bit of `begins` to before the next bit of `ends`.
#[device]
fn filled(begins: u64, ends: u64) -> u64 {
    let begins = begins & !ends;
    begins | !ends & !(!ends).wrapping_add(begins)
}

/// Returns the first bytes of tokens in block `w`, one bit per byte. `before` is the effect of all bytes before it.
#[device(positions(comments, then))]
pub fn first_bytes(w: u32, before: Comments, words: &[u64]) -> u64 {
    let i = 8 * w as usize;
    let ranges = around_ranges(points(i, words), i, words);
    let next = words[i + 8];
    let b = words[i];
    let c = words[i + 1];
    let d = words[i + 2];
    let e = words[i + 3];
    let f = words[i + 4];
    let g = words[i + 5];
    let h = words[i + 6];
    let last = words[i + 7];
    let starts = transposed(
        start_mask(word_before(i, words), b) >> 7
            | start_mask(b, c) >> 6
            | start_mask(c, d) >> 5
            | start_mask(d, e) >> 4
            | start_mask(e, f) >> 3
            | start_mask(f, g) >> 2
            | start_mask(g, h) >> 1
            | start_mask(h, last),
    );
    let slashes = slashes(i, words);
    let inside = (before == Comments::Begin) as u64;
    // Both bytes of `//` are in the comment. The second can be in the next block.
    let across = slashes >> 63 & (next & 255 == b'/' as u64) as u64;
    let second = second_slashes(slashes, i, words);
    let begins = second | second >> 1 | across << 63 | inside;
    let starts = starts | ranges;
    if begins == 0 { starts } else { starts & !filled(begins, ends(i, words)) }
}

/// Returns the first byte of each token.
pub fn starts<B: Backend>(backend: &B, text: &Text<B>) -> Result<B::Vec<u32>> {
    let blocks = text.bytes.div_ceil(64);
    backend.positions(comments::of(&text.words).rows(blocks), then, first_bytes::of(&text.words).rows(blocks))
}
