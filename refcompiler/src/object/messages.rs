//! The messages of checks at run time: a table after the code, and the text after the table.
//!
//! ```text
//! code       .. jal ra, assert     next instruction ..
//! table      return address - table, text - table, length of the text      a row of three words per check
//!            0,                      text - table, length of the text      for a call that has no row
//! text       a.par:3:5: assertion failed
//!            a.par:4:9: index 0 is out of range: the extent is 0
//! ```
//!
//! A check is only a call. The return address leads the reporter (`reporter` of the target) to the message, so a check that
//! holds costs nothing for it. Distances do not change if a linker moves the code.

use std::io::Write;

use super::{Check, Failure, Image};
use crate::source::Sources;
use crate::target::prelude::reporter_patch;

/// In a message: stands for the next value of the check, in decimal.
pub const VALUE: char = '\0';

/// In a message: stands for the next number in memory, in decimal. The first value of the check is the address of the first.
pub const NUMBER: char = '\u{1}';

/// The words of a row of the table.
const ROW_WORDS: usize = 3;

impl Failure {
    /// Returns the message. [`VALUE`] stands for each value of the check, [`NUMBER`] for each number in memory.
    const fn message(self) -> &'static str {
        match self {
            Failure::Assertion => "assertion failed\n",
            Failure::Index => "index \0 is out of range: the extent is \0\n",
            Failure::Size => "the size \0 is negative\n",
            Failure::Extents => "the extents \0 and \0 differ\n",
            Failure::Slice => "the slice \u{1}..\u{1} is out of range: the extent is \u{1}\n",
        }
    }
}

impl Image {
    /// Writes messages with the positions of checks in their sources. Replaces earlier messages.
    pub fn locate_checks(&mut self, sources: &Sources) {
        self.add_messages(|check, text| {
            let Some((file, line, column)) = sources.locate(check.position) else { return false };
            let is_reserved = |byte: u8| [VALUE, NUMBER].contains(&char::from(byte));
            text.extend(file.bytes().map(|byte| if is_reserved(byte) { b'?' } else { byte }));
            write!(text, ":{line}:{column}: ").is_ok()
        });
    }

    /// Writes the messages of all checks after the code, if there are any. Replaces earlier messages. `place` writes the beginning of
    /// a message, and returns whether it is known. An assertion without it has the message for calls that have no row.
    pub(crate) fn add_messages(&mut self, place: impl Fn(&Check, &mut Vec<u8>) -> bool) {
        if self.reporters.is_empty() {
            return;
        }
        let mut text = Vec::new();
        // The return offset of each row, and the first byte of its message.
        let mut rows = Vec::with_capacity(self.checks.len() + 1);
        for check in &self.checks {
            let start = text.len();
            if place(check, &mut text) || check.failure != Failure::Assertion {
                text.extend_from_slice(check.failure.message().as_bytes());
                rows.push((check.return_offset, start));
            }
        }
        self.words.truncate(self.code_words);
        let table = 4 * self.words.len() as u32;
        let bytes = (rows.len() + 1) * ROW_WORDS * size_of::<u32>();
        // The distance of the last row is 0.
        rows.push((table, text.len()));
        text.extend_from_slice(Failure::Assertion.message().as_bytes());
        let ends = rows.iter().skip(1).map(|&(_, start)| start).chain([text.len()]);
        for (&(return_offset, start), end) in rows.iter().zip(ends) {
            let distance = return_offset.wrapping_sub(table);
            self.words.extend([distance, (bytes + start) as u32, (end - start) as u32]);
        }
        text.resize(text.len().next_multiple_of(size_of::<u32>()), 0);
        self.words.extend(text.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)));
        for &reporter in &self.reporters {
            reporter_patch(self.target, reporter, table).apply(&mut self.words);
        }
    }
}
