//! The inputs of a compilation, laid end to end: one number names a place in any of them.

use std::ops::Range;

/// One input.
#[derive(Debug)]
pub struct Source {
    /// Its name, as messages print it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The position of its first byte.
    pub start: u32,
}

/// All inputs of a compilation.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// Position after the last file.
    end: u32,
}

/// Why an input cannot be taken.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// Bytes that are no text.
    #[error("{name}:{line}:{column}: not UTF-8: byte 0x{byte:02x} at offset {offset}")]
    NotUtf8 {
        /// The file.
        name: String,
        /// Line of the byte, from 1.
        line: usize,
        /// Column of the byte, from 1.
        column: usize,
        /// The byte.
        byte: u8,
        /// Its offset in the file.
        offset: usize,
    },
    /// More bytes in all inputs than a position can count.
    #[error("{name}: with this file the inputs have {found} bytes; the limit is {limit}")]
    TooLarge {
        /// The file.
        name: String,
        /// Bytes of all inputs up to this.
        found: u64,
        /// The most that can be taken.
        limit: u64,
    },
}

/// Bytes that all inputs together may have: positions are `u32`, and each file leaves room for the position of its
/// end.
pub const MAX_BYTES: u64 = u32::MAX as u64 - (1 << 16);

impl Sources {
    /// No inputs yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds an input.
    ///
    /// # Errors
    /// [`SourceError::NotUtf8`], [`SourceError::TooLarge`].
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<(), SourceError> {
        let name = name.into();
        let found = u64::from(self.end) + bytes.len() as u64 + 1;
        if found > MAX_BYTES {
            return Err(SourceError::TooLarge { name, found, limit: MAX_BYTES });
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let before = &bytes[..offset];
                let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
                let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
                return Err(SourceError::NotUtf8 { name, line, column, byte: bytes[offset], offset });
            }
        };
        let start = self.end;
        self.end = found as u32;
        self.files.push(Source { name, text, start });
        Ok(())
    }

    /// The inputs in order.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// Bytes of all inputs.
    pub fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.text.len()).sum()
    }

    /// The position after all inputs, where the runtime's sources begin.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// The input that holds a position.
    pub fn file_at(&self, position: u32) -> Option<&Source> {
        let at = self.files.partition_point(|file| file.start <= position);
        self.files.get(at.checked_sub(1)?)
    }

    /// The text of a span inside one input; empty for one outside.
    pub fn text(&self, span: Range<u32>) -> &str {
        self.file_at(span.start)
            .and_then(|file| {
                let offset = |position: u32| (position - file.start) as usize;
                file.text.get(offset(span.start)..offset(span.end))
            })
            .unwrap_or("")
    }

    /// File name, line and column of a position; lines and columns count from 1, columns in characters.
    pub fn locate(&self, position: u32) -> Option<(&str, usize, usize)> {
        let file = self.file_at(position)?;
        let before = &file.text.as_bytes()[..((position - file.start) as usize).min(file.text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before[line_start..].iter().filter(|&&b| b & 0xc0 != 0x80).count() + 1;
        Some((&file.name, line, column))
    }
}
