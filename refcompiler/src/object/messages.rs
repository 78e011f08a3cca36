//! The messages of checks at run time: a table after the code, and the text after the table.
//!
//! ```text
//! code       .. jal ra, assert     next instruction ..
//! table      return address - table, text - table, length of the text      a row of three words per check
//!            0,                      text - table, length of the text      for a call that has no row
//! text       a.par:3:5: assertion failed
//! ```
//!
//! A check is only a call. The return address leads the [reporter](crate::target::riscv::stub) to the message, so a check that
//! holds costs nothing for it. Distances do not change if a linker moves the code.

use super::{Check, Image};
use crate::source::Sources;
use crate::target::riscv::stub::patch_reporter;

/// The words of a row of the table.
const ROW_WORDS: usize = 3;

/// The message of a check without a known position.
const UNKNOWN: &str = "assertion failed\n";

impl Image {
    /// Writes messages with the positions of checks in their sources. Replaces earlier messages.
    pub fn locate_checks(&mut self, sources: &Sources) {
        self.add_messages(|check| {
            let (file, line, column) = sources.locate(check.position)?;
            Some(format!("{file}:{line}:{column}: {UNKNOWN}"))
        });
    }

    /// Writes the messages of all checks after the code, if there are any. Replaces earlier messages.
    pub(crate) fn add_messages(&mut self, message: impl Fn(&Check) -> Option<String>) {
        let Some(reporter) = self.reporter else { return };
        self.words.truncate(self.code_words);
        let messages: Vec<(u32, String)> =
            (self.checks.iter()).filter_map(|check| Some((check.return_word, message(check)?))).collect();
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
        self.words.extend(row(0, UNKNOWN));
        let bytes = text.chunks(size_of::<u32>()).map(|chunk| {
            let mut word = [0; size_of::<u32>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        });
        self.words.extend(bytes);
        patch_reporter(&mut self.words, reporter, table);
    }
}
