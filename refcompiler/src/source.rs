//! The inputs of a compilation, laid end to end: a `u32` position names one byte of one input.

use std::ops::Range;
use std::sync::OnceLock;

/// One input.
#[derive(Debug, Default)]
pub struct Source {
    /// The name that messages print.
    pub name: String,
    /// The text. Each byte that is not part of valid UTF-8 is replaced by `?`, so that offsets are the same as in the file.
    pub text: String,
    /// The position of the first byte.
    pub start: u32,
    /// Offset and value of each byte that is not part of valid UTF-8.
    pub invalid: Vec<(u32, u8)>,
    /// The offset of each line's first byte, computed when a message needs it.
    lines: OnceLock<Vec<u32>>,
}

/// The byte order mark that some editors write at the start of a file.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Source {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let first = if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u32 } else { 0 };
            let newlines = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(first).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// Returns the offset of a position, at most the length of the text.
    pub fn offset(&self, position: u32) -> usize {
        (position.saturating_sub(self.start) as usize).min(self.text.len())
    }

    /// Returns the number, from 1, of the line that contains an offset.
    pub fn line_at(&self, offset: usize) -> usize {
        self.lines().partition_point(|&start| start as usize <= offset).max(1)
    }

    /// Returns the byte range of a line, without its line feed.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.lines()[line - 1] as usize;
        let end = self.lines().get(line).map_or(self.text.len(), |&next| next as usize - 1);
        start..end.max(start)
    }

    /// Returns line and column of an offset. Both count from 1; columns count characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line_at(offset);
        let before = self.text.as_bytes().get(self.line_range(line).start..offset).unwrap_or(&[]);
        (line, before.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1)
    }
}

/// All inputs of a compilation.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// The position after the last file.
    end: u32,
}

/// The reason why an input is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// All inputs together have more bytes than a position can count.
    #[error("{name}: the inputs have {found} bytes up to the end of this file; the limit is {limit}")]
    TooLarge {
        /// The file.
        name: String,
        /// The bytes of all inputs up to the end of this file.
        found: u64,
        /// The largest number of bytes that can be compiled.
        limit: u64,
    },
}

/// The largest number of bytes that all inputs together may have. Positions are `u32`, and each file needs one more
/// position for its end.
pub const MAX_BYTES: u64 = u32::MAX as u64 - (1 << 16);

impl Sources {
    /// Returns an empty list of inputs.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds an input. Bytes that are not UTF-8 are errors of the program, which the front end reports.
    ///
    /// # Errors
    /// [`SourceError::TooLarge`].
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<(), SourceError> {
        let name = name.into();
        let found = u64::from(self.end) + bytes.len() as u64 + 1;
        if found > MAX_BYTES {
            return Err(SourceError::TooLarge { name, found, limit: MAX_BYTES });
        }
        let (text, invalid) = decode(bytes);
        self.files.push(Source { name, text, start: self.end, invalid, lines: OnceLock::new() });
        self.end = found as u32;
        Ok(())
    }

    /// Returns the inputs in order.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// Returns the number of bytes of all inputs.
    pub fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.text.len()).sum()
    }

    /// Returns the positions of all inputs, without the gap byte after the last.
    pub fn range(&self) -> Range<u32> {
        0..self.end.saturating_sub(1)
    }

    /// Returns the position after all inputs, where the sources of the runtime begin.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Returns the input that contains a position.
    pub fn file_at(&self, position: u32) -> Option<&Source> {
        let at = self.files.partition_point(|file| file.start <= position);
        self.files.get(at.checked_sub(1)?)
    }

    /// Returns the text of a span inside one input, and the empty text for any other span.
    pub fn text(&self, span: Range<u32>) -> &str {
        let text = |file: &'_ Source| file.offset(span.start)..file.offset(span.end);
        self.file_at(span.start).and_then(|file| file.text.get(text(file))).unwrap_or("")
    }

    /// Returns file name, line and column of a position. Lines and columns count from 1; columns count characters.
    pub fn locate(&self, position: u32) -> Option<(&str, usize, usize)> {
        let file = self.file_at(position)?;
        let (line, column) = file.line_and_column(file.offset(position));
        Some((&file.name, line, column))
    }
}

/// Returns the bytes as text, and the bytes that had to be replaced.
fn decode(bytes: Vec<u8>) -> (String, Vec<(u32, u8)>) {
    let mut bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, Vec::new()),
        Err(error) => error.into_bytes(),
    };
    let mut invalid = Vec::new();
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(&bytes[at..]) {
        let start = at + error.valid_up_to();
        at = error.error_len().map_or(bytes.len(), |length| start + length);
        for (offset, byte) in bytes[start..at].iter_mut().enumerate() {
            invalid.push(((start + offset) as u32, std::mem::replace(byte, b'?')));
        }
    }
    (String::from_utf8(bytes).unwrap_or_default(), invalid)
}
