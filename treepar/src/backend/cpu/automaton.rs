//! The states of an automaton in a text: see [`crate::text::Automaton`].
//!
//! A byte has a word with the next state of each state, and a step shifts it by the place of the present state. So steps wait for a
//! shift, and not for a load that depends on the load before it (Per Vognsen's shift-based automata).
//!
//! Threads work on blocks of the text. A block begins where all states have led to the same one, if there is such a byte near. Otherwise
//! it follows all states that are left at once: together they are one state of a second automaton. What it writes is replaced when the
//! block before it has ended, since then one of those states is the real one.

use super::sort::each;
use super::vectors::widest;
use super::{Cpu, CpuVec};
use crate::backend::ScanKind;
use crate::text::{BLOCK, STATES};
use crate::{Backend, Result};

/// Values of a byte.
const BYTES: usize = 256;

/// A word for each byte.
type Table = [u64; BYTES];

/// The bytes in which a block looks for its first state.
const SEARCHED: usize = 32 * BLOCK;

/// The bytes that are in the first-level cache between two loops.
const NEAR: usize = 4096;

/// An automaton as the CPU reads it.
#[derive(Clone, Copy)]
pub struct Moves<'a> {
    /// The next state of each state, four bits for each, of each byte.
    pub next: &'a [u64],
    /// The number of states.
    pub states: u8,
}

/// Returns the states of the first `n` bytes of a text, a byte for each in words, and the state after them, which the other bytes have.
pub fn states(cpu: &Cpu, kind: ScanKind, text: &[u64], n: usize, automaton: Moves) -> Result<(CpuVec<u64>, u8)> {
    let mut out = cpu.allocate::<u64>(text.len())?;
    let (written, rest) = bytemuck::cast_slice_mut::<_, u8>(&mut out).split_at_mut(n);
    let text = &bytemuck::cast_slice::<_, u8>(text)[..n];
    let rows = n / size_of::<u64>();
    let grain = if cpu.sharing(rows) == 1 { n } else { size_of::<u64>() * cpu.grain(rows) };
    let last = cpu.run(rows, || match kind {
        ScanKind::Exclusive => in_blocks::<false>(text, written, automaton, grain),
        ScanKind::Inclusive => in_blocks::<true>(text, written, automaton, grain),
    })?;
    rest.fill(last);
    Ok((out, last))
}

/// The words of an automaton, and where they have the next state.
enum Words {
    /// Fields of six bits, which are the place of the next state's field. Their place in a shift needs no mask.
    Six(Table),
    /// Fields of four bits.
    Four(Table),
}

/// The states that six bits have room for.
const FEW: u8 = 10;

impl Words {
    fn new(Moves { next, states }: Moves) -> Words {
        if states > FEW {
            return Words::Four(std::array::from_fn(|byte| next[byte]));
        }
        let fields = |word| (0..FEW).fold(0, |fields, state| fields | u64::from(6 * after(word, state)) << (6 * state));
        // Most bytes have the word of the byte before them.
        let (mut last, mut made) = (next[0], fields(next[0]));
        Words::Six(std::array::from_fn(|byte| {
            if next[byte] != last {
                last = next[byte];
                made = fields(last);
            }
            made
        }))
    }

    /// Returns the place of a state: what the words hold instead of it.
    fn place(&self, state: u8) -> u8 {
        match self {
            Words::Six(_) => 6 * state,
            Words::Four(_) => state,
        }
    }

    /// Writes the place of each byte's state, with other bits above its six, and returns the last state. `AFTER`: the state after the byte.
    fn places<const AFTER: bool>(&self, text: &[u8], out: &mut [u8], state: u8) -> u8 {
        let first = self.place(state).into();
        match self {
            Words::Six(words) => {
                let step = |byte, place: u64| words[usize::from(byte)] >> (place & 63);
                (widest!(walk::<AFTER>(text, out, first, step)) & 63) as u8 / 6
            }
            Words::Four(words) => {
                let step = |byte, place: u64| (words[usize::from(byte)] >> (4 * place)) & 15;
                widest!(walk::<AFTER>(text, out, first, step)) as u8
            }
        }
    }

    /// Writes the state of each byte, and returns the last.
    fn states<const AFTER: bool>(&self, text: &[u8], out: &mut [u8], mut state: u8) -> u8 {
        for (text, out) in text.chunks(NEAR).zip(out.chunks_mut(NEAR)) {
            state = self.places::<AFTER>(text, out, state);
            if let Words::Six(_) = self {
                // A sixth.
                out.iter_mut().for_each(|place| *place = ((u16::from(*place & 63) * 43) >> 8) as u8);
            }
        }
        state
    }

    /// Replaces the places of states by what stands for each state.
    fn replace(&self, places: &mut [u8], by: impl Iterator<Item = u8>) {
        let mut at = [0; 64];
        for (state, value) in (0..).zip(by) {
            at[usize::from(self.place(state))] = value;
        }
        places.iter_mut().for_each(|place| *place = at[usize::from(*place % 64)]);
    }
}

/// Returns the state after a byte with this word.
fn after(word: u64, state: u8) -> u8 {
    ((word >> (4 * state)) & 15) as u8
}

#[inline(always)]
fn walk<const AFTER: bool>(text: &[u8], out: &mut [u8], mut place: u64, step: impl Fn(u8, u64) -> u64) -> u64 {
    for (&byte, out) in text.iter().zip(out) {
        let before = place;
        place = step(byte, place);
        *out = if AFTER { place } else { before } as u8;
    }
    place
}

/// How a block of a text begins.
enum Begin {
    /// With a state that is known.
    Known(u8),
    /// With one of several states.
    Any(Box<Orbit>),
}

/// An automaton whose states are maps: from the states with which a block can begin to the states in which it then is.
struct Orbit {
    words: Words,
    maps: Vec<Map>,
}

/// The state that each state leads to.
type Map = [u8; STATES];

impl Orbit {
    /// Returns the automaton of all maps that bytes make of `begin`, the map of the first byte. `None` if there are too many.
    fn new(next: &[u64], begin: Map) -> Option<Orbit> {
        let mut words = next.to_vec();
        words.sort_unstable();
        words.dedup();
        let (mut maps, mut moves) = (vec![begin], Vec::new());
        while let Some(&map) = maps.get(moves.len()) {
            let mut of_map = Vec::with_capacity(words.len());
            for &word in &words {
                let moved = map.map(|state| after(word, state));
                let at = maps.iter().position(|&known| known == moved).unwrap_or(maps.len());
                if at == STATES {
                    return None;
                }
                if at == maps.len() {
                    maps.push(moved);
                }
                of_map.push(at as u64);
            }
            moves.push(of_map);
        }
        let of_word = |k: usize| (0..).zip(&moves).fold(0, |fields, (map, of_map)| fields | of_map[k] << (4 * map));
        let next: Vec<u64> = next.iter().map(|&word| of_word(words.partition_point(|&known| known < word))).collect();
        Some(Orbit { words: Words::new(Moves { next: &next, states: maps.len() as u8 }), maps })
    }
}

/// A block of a text.
struct Block<'a> {
    begin: Begin,
    text: &'a [u8],
    out: &'a mut [u8],
    /// The states after the block, by the state before it.
    map: Map,
    /// The state before the block, when it is known.
    entered: u8,
}

impl<'a> Block<'a> {
    fn new(begin: Begin, text: &'a [u8], out: &'a mut [u8]) -> Block<'a> {
        Block { begin, text, out, map: [0; STATES], entered: 0 }
    }
}

/// Writes the state of each byte, and returns the state after the text.
fn in_blocks<const AFTER: bool>(text: &[u8], out: &mut [u8], automaton: Moves, grain: usize) -> u8 {
    let words = Words::new(automaton);
    let mut blocks = cut(text, out, automaton, grain);
    each(&mut blocks, 0, &|_, block| {
        block.map = match &block.begin {
            Begin::Known(state) => [words.states::<AFTER>(block.text, block.out, *state); STATES],
            Begin::Any(orbit) => orbit.maps[usize::from(orbit.words.places::<AFTER>(block.text, block.out, 0))],
        }
    });
    let mut state = 0;
    for block in &mut blocks {
        block.entered = state;
        state = block.map[usize::from(state)];
    }
    each(&mut blocks, 0, &|_, block| {
        if let Begin::Any(orbit) = &block.begin {
            orbit.words.replace(block.out, orbit.maps.iter().map(|map| map[usize::from(block.entered)]));
        }
    });
    state
}

/// Cuts a text into blocks of `grain` bytes or a few more. A block about whose begin too little is known is part of the one before it.
fn cut<'a>(mut text: &'a [u8], mut out: &'a mut [u8], automaton: Moves, grain: usize) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let (mut begin, mut end) = (Begin::Known(0), grain);
    while end < text.len() {
        let (next, skipped) = begin_near(&text[end..], automaton);
        let at = end + skipped;
        match next {
            Some(next) if at < text.len() => {
                let (block_text, block_out);
                (block_text, text) = text.split_at(at);
                (block_out, out) = out.split_at_mut(at);
                blocks.push(Block::new(std::mem::replace(&mut begin, next), block_text, block_out));
                end = grain;
            }
            _ => end += grain,
        }
    }
    blocks.push(Block::new(begin, text, out));
    blocks
}

/// Returns how a block begins at one of the first bytes of a text, and the number of bytes before it.
fn begin_near(text: &[u8], automaton: Moves) -> (Option<Begin>, usize) {
    // The states that all states have led to.
    let mut left: Vec<u8> = (0..automaton.states).collect();
    let mut skipped = 0;
    for bytes in text[..text.len().min(SEARCHED)].chunks(BLOCK) {
        for state in &mut left {
            *state = bytes.iter().fold(*state, |state, &byte| after(automaton.next[usize::from(byte)], state));
        }
        left.sort_unstable();
        left.dedup();
        skipped += bytes.len();
        if let [state] = left[..] {
            return (Some(Begin::Known(state)), skipped);
        }
    }
    let map = std::array::from_fn(|state| if left.contains(&(state as u8)) { state as u8 } else { left[0] });
    (Orbit::new(automaton.next, map).map(|orbit| Begin::Any(Box::new(orbit))), skipped)
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    /// Blocks of all sizes yield the states of one loop, for automata whose states meet, never meet, or are too many to follow.
    #[test]
    fn blocks_of_any_size_agree_with_one_loop() {
        let mut drawn = Drawn::new();
        let text: Vec<u8> = (0..6_000).map(|_| b"ab\"\\\n ,x"[drawn.below(8) as usize]).collect();
        let quoted = |state: u8, byte: u8| if byte == b'"' { 1 - state } else { state };
        // A backslash and a quote bring the states together.
        let escaped = |state: u8, byte: u8| match (state, byte) {
            (2, _) => 1,
            (1, b'\\') => 2,
            _ => quoted(state, byte),
        };
        let lines = |state: u8, byte: u8| if byte == b'\n' { 0 } else { escaped(state, byte) };
        let counted = |states: u8| move |state: u8, byte: u8| (state + byte % 5) % states;
        let shuffled = |state: u8, byte: u8| if byte == b'a' { (state + 1) % 13 } else { state * 2 % 13 };
        let table = |name, states: u8, next: &dyn Fn(u8, u8) -> u8| {
            let word = |byte: usize| (0..states).fold(0, |word, s| word | u64::from(next(s, byte as u8)) << (4 * s));
            (name, states, (0..BYTES).map(word).collect::<Vec<_>>())
        };
        let tables = [
            table("quoted", 2, &quoted),
            table("escaped", 3, &escaped),
            table("lines", 3, &lines),
            table("one", 1, &|_, _| 0),
            table("counted by 7", 7, &counted(7)),
            table("counted by 16", 16, &counted(16)),
            table("shuffled", 13, &shuffled),
        ];
        for (name, states, next) in &tables {
            let automaton = Moves { next, states: *states };
            let mut expected = vec![0u8];
            for &byte in &text {
                expected.push(after(next[usize::from(byte)], expected[expected.len() - 1]));
            }
            for n in [0, 1, 63, 2_049, 6_000] {
                for grain in [7, 500, 2_100, 5_999, 6_000] {
                    let at = format!("{name}, {n}, {grain}");
                    let mut out = vec![0; n];
                    let blocks = cut(&text[..n], &mut out, automaton, grain);
                    let known = blocks.iter().filter(|block| matches!(block.begin, Begin::Known(_))).count();
                    match *name {
                        "escaped" => {}
                        "lines" | "one" => assert_eq!(known, blocks.len(), "{at}"),
                        "shuffled" => assert_eq!(blocks.len(), 1, "{at}"),
                        _ => assert_eq!(known, 1, "{at}"),
                    }
                    // All texts of more than one block and one search have several blocks.
                    assert!(*name == "shuffled" || n <= grain + SEARCHED || blocks.len() > 1, "{at}");
                    let last = in_blocks::<true>(&text[..n], &mut out, automaton, grain);
                    assert_eq!((&out[..], last), (&expected[1..=n], expected[n]), "{at}");
                    let last = in_blocks::<false>(&text[..n], &mut out, automaton, grain);
                    assert_eq!((&out[..], last), (&expected[..n], expected[n]), "{at}");
                }
            }
        }
    }
}
