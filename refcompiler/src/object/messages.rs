//! The messages of checks at run time: a table after the code, and the text after the table.
//!
//! ```text
//! code       .. jal ra, assert     next instruction ..
//! table      return address - table, text - table, length of the text, line, column     a row of five words per check
//!            0,                      text - table, length of the text, 0, 0             for a call that has no row
//! text       a.par:3:5: assertion failed
//!            a.par:<line>:<column>: index <value> is out of range: the extent is <value>
//! ```
//!
//! A check is only a call. The return address leads the reporter (`reporter` of the target) to the message, so a check that
//! holds costs nothing for it. Distances do not change if a linker moves the code. Checks of one kind in one file share a text. An
//! assertion has its own, because `assert` prints texts as they are.

use std::collections::HashMap;
use std::io::Write;

use super::{Check, Failure, Image};
use crate::source::Sources;
use crate::target::prelude::reporter_patch;

/// In a message: stands for the next value of the check, in decimal.
pub const VALUE: char = '\0';

/// In a message: stands for the next number in memory, in decimal. The first value of the check is the address of the first.
pub const NUMBER: char = '\u{1}';

/// In a message: stands for the next number of the row, in decimal: the line, then the column.
pub const POSITION: char = '\u{2}';

/// The words of a row of the table.
const ROW_WORDS: usize = 5;

/// The bytes of a row of the table.
pub const ROW_BYTES: u32 = 4 * ROW_WORDS as u32;

/// The bytes of a row before the line and the column.
pub const POSITION_AT: u32 = 4 * 3;

/// The file, the line and the column of a check.
type Place<'a> = (&'a str, usize, usize);

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

/// The texts of messages.
#[derive(Default)]
struct Texts<'a> {
    bytes: Vec<u8>,
    /// The first byte and the length of each shared text.
    shared: HashMap<(Option<&'a str>, Failure), (usize, usize)>,
}

impl<'a> Texts<'a> {
    /// Returns the first byte and the length of a text. A name cannot have the characters that stand for numbers.
    fn added(&mut self, file: Option<&str>, position: impl std::fmt::Display, failure: Failure) -> (usize, usize) {
        let start = self.bytes.len();
        if let Some(file) = file {
            let is_reserved = |byte: u8| [VALUE, NUMBER, POSITION].contains(&char::from(byte));
            self.bytes.extend(file.bytes().map(|byte| if is_reserved(byte) { b'?' } else { byte }));
            // Writing to memory cannot fail.
            let _ = write!(self.bytes, ":{position}: ");
        }
        self.bytes.extend_from_slice(failure.message().as_bytes());
        (start, self.bytes.len() - start)
    }

    /// Returns the row of a check after the return address, if it has one.
    fn row(&mut self, place: Option<Place<'a>>, failure: Failure) -> Option<Row> {
        let (file, line, column) = match place {
            Some((file, line, column)) => (Some(file), line, column),
            None => (None, 0, 0),
        };
        let text = if failure != Failure::Assertion {
            match self.shared.get(&(file, failure)) {
                Some(&text) => text,
                None => {
                    let text = self.added(file, format_args!("{POSITION}:{POSITION}"), failure);
                    self.shared.insert((file, failure), text);
                    text
                }
            }
        } else {
            self.added(Some(file?), format_args!("{line}:{column}"), failure)
        };
        Some(Row { text, line: line as u32, column: column as u32 })
    }
}

/// A row of the table without its return address.
struct Row {
    /// The first byte of the text, and the length.
    text: (usize, usize),
    line: u32,
    column: u32,
}

impl Image {
    /// Writes messages with the positions of checks in their sources. Replaces earlier messages.
    pub fn locate_checks(&mut self, sources: &Sources) {
        self.add_messages(|check| sources.locate(check.position));
    }

    /// Writes the messages of all checks after the code, if there are any. Replaces earlier messages. `place` finds the position of a
    /// check. An assertion without one has the message for calls that have no row.
    pub(crate) fn add_messages<'a>(&mut self, place: impl Fn(&Check) -> Option<Place<'a>>) {
        if self.reporters.is_empty() {
            return;
        }
        let mut texts = Texts::default();
        let mut rows = Vec::with_capacity(self.checks.len() + 1);
        for check in &self.checks {
            rows.extend(texts.row(place(check), check.failure).map(|row| (check.return_offset, row)));
        }
        self.words.truncate(self.code_words);
        let table = 4 * self.words.len() as u32;
        // The distance of the last row is 0.
        rows.push((table, Row { text: texts.added(None, "", Failure::Assertion), line: 0, column: 0 }));
        let bytes = rows.len() * ROW_WORDS * size_of::<u32>();
        for (return_offset, Row { text: (start, length), line, column }) in rows {
            let distance = return_offset.wrapping_sub(table);
            self.words.extend([distance, (bytes + start) as u32, length as u32, line, column]);
        }
        let mut text = texts.bytes;
        text.resize(text.len().next_multiple_of(size_of::<u32>()), 0);
        self.words.extend(text.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)));
        for &reporter in &self.reporters {
            reporter_patch(self.target, reporter, table).apply(&mut self.words);
        }
    }
}
