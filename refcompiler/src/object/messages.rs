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
//! A check is only a call. The return address leads the [reporter](crate::target::riscv::reporter) to the message, so a check that
//! holds costs nothing for it. Distances do not change if a linker moves the code.

use super::{Check, Failure, Image};
use crate::source::Sources;
use crate::target::riscv::reporter::{NUMBER, VALUE, patch_reporter};

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
        self.add_messages(|check| {
            let (file, line, column) = sources.locate(check.position)?;
            Some(format!("{}:{line}:{column}: ", file.replace([VALUE, NUMBER], "?")))
        });
    }

    /// Writes the messages of all checks after the code, if there are any. Replaces earlier messages. `place` is the beginning of a
    /// message. An assertion without it has the message for calls that have no row.
    pub(crate) fn add_messages(&mut self, place: impl Fn(&Check) -> Option<String>) {
        if self.reporters.is_empty() {
            return;
        }
        self.words.truncate(self.code_words);
        let message = |check: &Check| {
            let place = place(check);
            let has_row = place.is_some() || check.failure != Failure::Assertion;
            has_row.then(|| (check.return_word, place.unwrap_or_default() + check.failure.message()))
        };
        let messages: Vec<(u32, String)> = self.checks.iter().filter_map(message).collect();
        let table = self.words.len() as u32;
        let mut text = Vec::new();
        let mut row = |distance: u32, message: &str| {
            let at = (messages.len() + 1) * ROW_WORDS * size_of::<u32>() + text.len();
            text.extend_from_slice(message.as_bytes());
            [distance, at as u32, message.len() as u32]
        };
        for (return_word, message) in &messages {
            self.words.extend(row(return_word.wrapping_sub(table).wrapping_mul(4), message));
        }
        self.words.extend(row(0, Failure::Assertion.message()));
        let bytes = text.chunks(size_of::<u32>()).map(|chunk| {
            let mut word = [0; size_of::<u32>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        });
        self.words.extend(bytes);
        for &reporter in &self.reporters {
            patch_reporter(&mut self.words, reporter, table);
        }
    }
}
