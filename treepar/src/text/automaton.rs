//! Automata: the state of every byte of a text at once.
//!
//! ```text
//! text      a " b \ " c " d       states  0  outside quotes, 1  inside, 2  after a backslash inside
//! before    0 0 1 1 2 1 1 0       the state in which a byte is read
//! after     0 1 1 2 1 1 0 0       the state that it leads to
//! ```
//!
//! A byte is a map from states to states, and maps are composed in any grouping. So the states of all bytes are a scan.

use super::{Strings, byte_at};
use crate::backend::{Checked, Executor, Later, ScanKind, own};
use crate::device::device;
use crate::{Backend, Column, Error, Result};

/// The most states of an automaton.
pub const STATES: usize = 16;

/// The map of no byte: each state is its own next state. A map has four bits for each state.
const UNMOVED: u64 = 0xfedc_ba98_7654_3210;

/// A map to state 1, whose multiples lead to other states.
const EQUAL: u64 = 0x1111_1111_1111_1111;

/// Returns the state that a map leads to.
#[device]
fn moved(map: u64, state: u32) -> u32 {
    (map >> (4 * state)) as u32 & 15
}

/// Composes two maps.
#[device(monoid(identity = UNMOVED, reset = is_constant))]
fn then(a: u64, b: u64) -> u64 {
    let mut map = 0u64;
    for state in 0..16u32 {
        map |= (moved(b, moved(a, state)) as u64) << (4 * state);
    }
    map
}

/// Returns whether a map leads all states to the same one.
#[device]
fn is_constant(map: u64) -> bool {
    map == EQUAL.wrapping_mul(map & 15)
}

/// Returns the number of bytes of word `w` that belong to a text of `n` bytes: 8 or less.
#[device]
fn bytes_of(w: usize, n: u64) -> u32 {
    (n.saturating_sub(8 * w as u64)).min(8) as u32
}

/// Returns the map of eight bytes. States that the automaton does not have go where state 0 goes.
#[device(scanned)]
fn map_of(w: usize, text: &[u64], next: &[u64], states: u32, n: u64) -> u64 {
    let bytes = bytes_of(w, n);
    let mut map = UNMOVED;
    for k in 0..bytes {
        let of_byte = next[byte_at(text, 8 * w + k as usize) as usize];
        let mut after = 0u64;
        for state in 0..states {
            after |= (moved(of_byte, moved(map, state)) as u64) << (4 * state);
        }
        map = after;
    }
    // Shifted twice, since a shift by 64 bits would not be one by none.
    let others = (u64::MAX << (4 * (states - 1))) << 4;
    if bytes == 0 { map } else { map | (EQUAL.wrapping_mul(map & 15) & others) }
}

/// Returns the states of eight bytes: those before them, or those after them. Bytes from `n` on move no state.
#[device(scan_map(map_of, then))]
fn states_of(w: usize, before: u64, text: &[u64], next: &[u64], n: u64, is_after: bool) -> u64 {
    let mut state = moved(before, 0);
    let mut states = 0u64;
    for k in 0..8u32 {
        let byte = byte_at(text, 8 * w + k as usize) as usize;
        let after = if k < bytes_of(w, n) { moved(next[byte], state) } else { state };
        states |= (if is_after { after } else { state } as u64) << (8 * k);
        state = after;
    }
    states
}

/// Returns the state after a string.
#[device(map)]
fn end_of(i: usize, begin: &[u32], end: &[u32], text: &[u64], next: &[u64]) -> u8 {
    let mut state = 0u32;
    for at in begin[i]..end[i] {
        state = moved(next[byte_at(text, at as usize) as usize], state);
    }
    state as u8
}

/// An automaton over bytes with up to [`STATES`] states, on a backend: each state has a next state for each byte. It begins in state 0.
///
/// Quotes and escapes, comments, fields of tables, numbers, and the validity of UTF-8 are such automata. A condition that needs only the
/// neighbours of a byte needs none: compare 64 bytes at once, as the module's first example does.
///
/// ```
/// use treepar::prelude::*;
/// use treepar::text::{self, Automaton, matches};
///
/// /// The states of a table whose fields may have quotes.
/// const BARE: u8 = 0;
/// const QUOTED: u8 = 1;
///
/// #[device(map)]
/// fn separators(w: usize, text: &[u64], states: &[u64]) -> u64 {
///     (matches(w, text, b',') | matches(w, text, b'\n')) & matches(w, states, BARE)
/// }
///
/// let cpu = Cpu::new();
/// let mut next = [[BARE; 256], [QUOTED; 256]];
/// next[BARE as usize][b'"' as usize] = QUOTED;
/// next[QUOTED as usize][b'"' as usize] = BARE;
/// let quotes = Automaton::new(&cpu, &next)?;
///
/// let source = b"a,\"b,c\",d\ne";
/// let text = text::upload(&cpu, source)?;
/// let (states, last) = quotes.states(Inclusive, &text, source.len())?;
/// assert_eq!(last, BARE, "the last quote is closed");
/// let separators = cpu.map(separators::of(&text, &states).rows(text.len() / 8))?;
/// assert_eq!(text::marked(&separators)?[..], [1, 7, 9]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub struct Automaton<B: Backend> {
    /// The map of each byte. States that do not exist are like state 0.
    next: <B as Executor>::Vec<u64>,
    states: u8,
}

impl<B: Backend> std::fmt::Debug for Automaton<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton").field("states", &self.states).finish_non_exhaustive()
    }
}

/// The state after a text, which a GPU may compute later: see [`Later`].
#[derive(Clone, Copy, Debug)]
pub struct LastState<V> {
    map: V,
}

impl<V: Later<Item = u64>> Later for LastState<V> {
    type Item = u8;

    fn read(&self) -> Result<u8> {
        Ok((self.map.read()? & 15) as u8)
    }
}

impl<B: Backend> Automaton<B> {
    /// Creates the automaton that goes from state s with byte b to state `next[s][b]`.
    ///
    /// # Shape    next\[s\]\[256\] -> an automaton of s states
    /// # Cost     2 KiB between host and machine
    /// # Errors   [`TooManyRows`](Error::TooManyRows) if there are more than 16 states, [`LengthMismatch`](Error::LengthMismatch) if there
    ///   is none, [`IndexOutOfRange`](Error::IndexOutOfRange) in row 256 s + b if `next[s][b]` is no state
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Automaton};
    /// // Whether the number of bytes is odd.
    /// let parity = Automaton::new(&Cpu::new(), &[[1; 256], [0; 256]])?;
    /// assert_eq!(parity.len(), 2);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(backend: &B, next: &[[u8; 256]]) -> Result<Automaton<B>> {
        match next.len() {
            0 => return Err(Error::LengthMismatch { array: "next", expected: 1, found: 0 }),
            1..=STATES => {}
            found => {
                return Err(Error::TooManyRows { array: "next", found: found as u64, limit: STATES as u64 });
            }
        }
        let limit = next.len() as u64;
        for (index, &state) in next.iter().flatten().enumerate() {
            if u64::from(state) >= limit {
                return Err(Error::IndexOutOfRange { array: "next", index, found: state.into(), limit });
            }
        }
        let of_byte = |byte: usize| {
            (0..STATES).fold(0, |map, state| {
                let from = next.get(state).unwrap_or(&next[0]);
                map | u64::from(from[byte]) << (4 * state)
            })
        };
        let maps: Vec<u64> = (0..256).map(of_byte).collect();
        Ok(Automaton { next: backend.upload(&maps)?, states: next.len() as u8 })
    }

    /// Returns the number of states.
    #[expect(clippy::len_without_is_empty, reason = "an automaton has a state")]
    pub fn len(&self) -> usize {
        self.states.into()
    }

    /// Returns the map of each byte: the next state of each state, four bits for each.
    pub fn maps(&self) -> &B::Vec<u64> {
        &self.next
    }

    /// Returns the backend that holds the automaton.
    pub fn backend(&self) -> &B {
        self.next.backend()
    }

    /// Returns the state of each of the first n bytes of a text, and the state after them.
    ///
    /// The states are a text too, with a byte for each: [`matches`](super::matches()) finds the bytes of a state, and
    /// [`byte_at`](super::byte_at()) reads a state. `Exclusive` states are those in which bytes are read, and `Inclusive` ones those that
    /// they lead to. All bytes from n on have the state after the text.
    ///
    /// Threads of a CPU share the text where all states lead to one, such as at the end of a line, or where the states that stay apart have
    /// up to 16 combinations, such as inside and outside quotes. Other texts are the work of one thread.
    ///
    /// # Shape    text of n bytes as [`upload`](super::upload()) makes it -> u64\[m\] as many rows as the text, u8
    /// # Cost     work O(n), 1 pass, 2 bytes per byte of the column and 2 KiB
    /// # Errors   [`RowOutOfRange`](Error::RowOutOfRange) if the text has fewer than n bytes
    /// # Source   Hillis and Steele, "Data parallel algorithms", 1986: lexing by composition of maps
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// use treepar::text::{self, Automaton};
    ///
    /// // Whether a digit was read.
    /// let mut next = [[0; 256], [1; 256]];
    /// next[0][b'0' as usize..=b'9' as usize].fill(1);
    /// let cpu = Cpu::new();
    /// let text = text::upload(&cpu, b"ab1c")?;
    /// let (states, last) = Automaton::new(&cpu, &next)?.states(Exclusive, &text, 4)?;
    /// assert_eq!((states[0].to_le_bytes(), last), ([0, 0, 0, 1, 1, 1, 1, 1], 1));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn states(
        &self,
        kind: ScanKind,
        text: &impl Column<Element = u64, Backend = B>,
        n: usize,
    ) -> Result<(B::Vec<u64>, u8)> {
        let (states, last) = self.states_later(kind, text, n)?;
        Ok((states, last.read()?))
    }

    /// As [`states`](Automaton::states), but a GPU may compute the last state later: see [`Later`].
    ///
    /// # Shape    text of n bytes -> u64\[m\], u8
    /// # Cost     as [`states`](Automaton::states)
    /// # Errors   as [`states`](Automaton::states)
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// use treepar::text::{self, Automaton};
    /// let cpu = Cpu::new();
    /// let text = text::upload(&cpu, b"abc")?;
    /// let (states, last) = Automaton::new(&cpu, &[[1; 256], [0; 256]])?.states_later(Inclusive, &text, 3)?;
    /// assert_eq!((states[0].to_le_bytes(), last.read()?), ([1, 0, 1, 1, 1, 1, 1, 1], 1));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
    pub fn states_later(
        &self,
        kind: ScanKind,
        text: &impl Column<Element = u64, Backend = B>,
        n: usize,
    ) -> Result<(B::Vec<u64>, LastState<B::Value<u64>>)> {
        let (backend, text) = (self.backend(), text.as_vec());
        own(backend, text)?;
        let rows = text.len().saturating_mul(size_of::<u64>());
        if n > rows {
            return Err(Error::RowOutOfRange { found: n, rows });
        }
        let found = match backend.run_states(Checked, kind, text, n, self)? {
            Some(found) => found,
            None => {
                let maps = map_of::of(text, &self.next, self.states.into(), n as u64).rows(text.len());
                let is_after = kind == ScanKind::Inclusive;
                let states = states_of::of(text, &self.next, n as u64, is_after).rows(text.len());
                backend.scan_map_later(maps, then, states)?
            }
        };
        Ok((found.0, LastState { map: found.1 }))
    }

    /// Returns the state after each string.
    ///
    /// # Shape    strings\[n\] of together m bytes -> u8\[n\]
    /// # Cost     work O(n + m), one map
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::{Automaton, Strings}};
    ///
    /// // 1 after one digit or more, and 2 after any other byte.
    /// let mut next = [[2; 256]; 3];
    /// next[0][b'0' as usize..=b'9' as usize].fill(1);
    /// next[1] = next[0];
    /// let cpu = Cpu::new();
    /// let numbers = Automaton::new(&cpu, &next)?;
    /// assert_eq!(numbers.ends(&Strings::upload(&cpu, ["10", "1a", ""])?)?[..], [1, 2, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn ends(&self, strings: &Strings<B>) -> Result<B::Vec<u8>> {
        own(self.backend(), strings.begin())?;
        let ends = end_of::of(strings.begin(), strings.end(), strings.text(), &self.next);
        self.backend().map(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    #[test]
    fn tables_that_are_no_automaton_are_errors() {
        let new = |next: &[[u8; 256]]| Automaton::new(&Cpu::with_threads(1), next).map(|automaton| automaton.len());
        assert_eq!(new(&[[15; 256]; 16]), Ok(16));
        assert_eq!(new(&[[0; 256]; 17]), Err(Error::TooManyRows { array: "next", found: 17, limit: 16 }));
        assert_eq!(new(&[]), Err(Error::LengthMismatch { array: "next", expected: 1, found: 0 }));
        let mut next = [[1; 256]; 2];
        next[1][7] = 2;
        let wrong = Error::IndexOutOfRange { array: "next", index: 263, found: 2, limit: 2 };
        assert_eq!(new(&next), Err(wrong));
    }

    #[test]
    fn columns_of_others_are_errors() {
        let (cpu, other) = (Cpu::with_threads(1), Cpu::with_threads(1));
        let parity = Automaton::new(&cpu, &[[1; 256], [0; 256]]).unwrap();
        let text = crate::text::upload(&other, b"text").unwrap();
        assert_eq!(parity.states(ScanKind::Inclusive, &text, 4).err(), Some(Error::OtherBackend));
        let strings = Strings::upload(&other, ["text"]).unwrap();
        assert_eq!(parity.ends(&strings).err(), Some(Error::OtherBackend));
    }

    #[test]
    fn maps_are_composed_in_any_grouping() {
        let maps = [UNMOVED, 0, 0x1032_5476_98ba_dcfe, 0x2222_2222_2222_2222, 0x0123_4567_89ab_cdef];
        for a in maps {
            assert_eq!((then(UNMOVED, a), then(a, UNMOVED)), (a, a));
            for b in maps {
                assert!(!is_constant(b) || then(a, b) == b);
                for c in maps {
                    assert_eq!(then(then(a, b), c), then(a, then(b, c)));
                }
            }
        }
        assert!(is_constant(maps[3]) && !is_constant(UNMOVED));
    }
}
