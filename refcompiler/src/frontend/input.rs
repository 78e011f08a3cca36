//! The text of the inputs on a backend.

use std::ops::Range;

use treepar::{Backend, Result};

use crate::ir::text::{PADDING, Text};
use crate::source::Sources;

/// Uploads the bytes of the inputs between two positions. Byte `k` of the text has the position `range.start + k`.
///
/// The range begins and ends with an input or between two functions, and does not include the gap byte at its end.
///
/// # Shape    b bytes -> words\[m\], m between (b + 65) / 8 and (b + 129) / 8
/// # Errors   only general ones
pub fn upload_text<B: Backend>(backend: &B, sources: &Sources, range: Range<u32>) -> Result<Text<B>> {
    let bytes = range.len() + 1;
    let mut words = vec![u64::from_ne_bytes([b' '; 8]); bytes.div_ceil(PADDING) * PADDING / 8 + PADDING / 8];
    let text = bytemuck::cast_slice_mut::<u64, u8>(&mut words);
    let (mut inputs, mut is_damaged) = (0, false);
    let files = sources.files();
    let first = files.partition_point(|file| file.start <= range.start).saturating_sub(1);
    for file in files[first..].iter().take_while(|file| file.start <= range.end) {
        let from = range.start.max(file.start);
        let to = range.end.min(file.start + file.text.len() as u32);
        let part = &file.text.as_bytes()[(from - file.start) as usize..(to - file.start) as usize];
        let at = (from - range.start) as usize;
        text[at..at + part.len()].copy_from_slice(part);
        text[at + part.len()] = 0;
        inputs += 1;
        is_damaged |= !file.invalid.is_empty();
    }
    for word in &mut words {
        *word = u64::from_le(*word);
    }
    Ok(Text { words: backend.upload(&words)?, bytes, inputs, is_damaged })
}
