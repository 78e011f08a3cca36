//! Encoding for x86-64: the bytes of rows at their positions.
//!
//! ```text
//! row            x + y, if not: row 9                   f[..]            the last of a function
//! pattern        mov add                                call .. mov
//! chunks                    test   je                                    add   ret   exit   exit
//! words          40 ..      .. 40 0f ..                 e8 .. 40 ..      40 .. .. ..   ..
//! ```
//!
//! The distance of a jump depends on positions, which `link` has found. So the patterns with a call or a branch to an exit get their
//! immediates first. A *chunk* is an instruction without a pattern, or an [exit](crate::target::x86_64::exits), of at most 16 bytes, which are
//! two words. The exits of a function follow its last row.
//!
//! A row yields eight bytes at once. One in twenty collects them from its pattern, its chunks and exits, the others are patterns.
//! [`of_rows`](treepar::text::of_rows()) writes one row after another. Rows lie where they will in the image, so the first and the last
//! word of a part may have zeros.
//!
//! Cost: work O(n + m) for `m` bytes, one expansion of 20 bytes per instruction without a pattern, and one text.

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::text;
use treepar::{Backend, Column, Result};

use super::BLOCK;
use crate::ir::instruction::{
    BRANCH, Choice, ExitId, Exits, Instruction, JUMP, JumpId, Jumps, Layout, Material, NOTHING, OTHERS, OtherId,
    Others, ResolvedInstruction, ResolvedInstructions, Words, has_exit, immediate, nothing,
};
use crate::target::x86_64::choice::is_linked_pattern;
use crate::target::x86_64::encode::{Bytes, bytes};
use crate::target::x86_64::exits::{LONGEST_EXIT, exit};
use crate::target::x86_64::isa::LIMIT;
use crate::target::x86_64::jumps::{form, is_linked, resolved, shortest};
use crate::target::x86_64::variants::pattern_bytes;
use crate::target::x86_64::words::{WORD as WORD_BYTES, pattern_word};

/// The bytes of a word.
const WORD: u32 = WORD_BYTES as u32;

/// The positions of rows, and the bytes and targets of jumps.
#[device(tables)]
struct Linked {
    rows: &[u32],
    /// The number of bytes of each row that jumps.
    taken: &[u32],
    /// The position of the exit of each jump that has one.
    exits: &[u32],
}

/// The bytes of exits.
#[device(tables)]
struct ExitBytes {
    /// The number before each exit.
    before: &[u32],
    /// The number before the first exit of each function.
    before_function: &[u32],
    /// The number of each function.
    of_function: &[u32],
}

/// Returns the position of exit `c`. All rows have `end` bytes.
#[device(map)]
fn exit_position(c: ExitId, exits: &Exits, bytes: &ExitBytes, starts: &[u32], positions: &[u32], end: u32) -> u32 {
    let f = exits.function[c].index();
    let is_last = f + 1 == starts.len();
    let end_of_function = if is_last { end } else { positions[starts[f + 1] as usize] };
    let own_and_after = bytes.before_function[f] + bytes.of_function[f] - bytes.before[c.index()];
    end_of_function - own_and_after
}

/// Finds the instructions of the jumps of a row, with their distances. See [`distance`](crate::ir::instruction::distance()) for
/// `entry` and `first`.
#[device(map)]
fn resolve(j: JumpId, jumps: &Jumps, linked: &Linked, entry: &[u32], first: u32) -> ResolvedInstruction {
    let x = jumps.first[j];
    let branch = jumps.branch[j];
    let at = linked.rows[jumps.row[j] as usize];
    let all = linked.taken[j.index()];
    if all == 0 {
        return ResolvedInstruction { first: nothing(), branch: nothing() };
    }
    // A call and a branch to an exit have one form. A jump or branch is the last instruction, and has the bytes that the others leave.
    let bytes = if x.op == JUMP { all - jumps.rest[j] - shortest(branch.op) } else { shortest(x.op) };
    let end = at + jumps.before[j] + bytes;
    let branch_bytes = all - jumps.rest[j] - shortest(x.op);
    ResolvedInstruction {
        first: if has_exit(x.op) {
            immediate(form(x, false), 0, 0, linked.exits[j.index()].wrapping_sub(end))
        } else if is_linked(x.op) {
            resolved(x, bytes, end, linked.rows, entry, first)
        } else {
            nothing()
        },
        branch: if branch.op == BRANCH {
            resolved(branch, branch_bytes, at + all, linked.rows, entry, first)
        } else {
            nothing()
        },
    }
}

/// Returns the row of a jump and its pattern with the distance, if the pattern has a call or a branch to an exit; else no row.
#[device(map)]
fn linked_choice(j: JumpId, jumps: &Jumps, choice: &[Choice], resolved: &ResolvedInstructions) -> (u32, Choice) {
    let row = jumps.row[j];
    let c = choice[row as usize];
    let distance = resolved.first[j].imm;
    let is_linked = is_linked_pattern(c.pattern);
    let linked = Choice { pattern: c.pattern, d: c.d, a: c.a, b: c.b, immediate: distance };
    (if is_linked { row } else { u32::MAX }, linked)
}

/// An index of a chunk.
#[device(index)]
struct ChunkId(u32);

/// An instruction without a pattern, or an exit.
#[device(columns(Chunks, index = ChunkId))]
struct Chunk {
    /// The first eight bytes.
    low: u64,
    /// The others.
    high: u64,
    /// The number of bytes.
    length: u32,
}

/// No instruction is longer, and no exit.
const _: () = assert!(LIMIT == 16 && LONGEST_EXIT <= 16);

/// Returns a chunk with some bytes.
#[device]
fn chunk_of(bytes: Bytes) -> Chunk {
    Chunk { low: bytes.low, high: bytes.high, length: bytes.length as u32 }
}

/// Returns the bytes of exit `c`.
#[device(map)]
fn exit_chunk(c: ExitId, exits: &Exits, jumps: &Jumps, linked: &Linked, entry: &[u32], first: u32) -> Chunk {
    let j = JumpId::new(exits.jump[c]);
    let x = jumps.first[j];
    let branch = linked.rows[jumps.row[j] as usize] + jumps.before[j] + shortest(x.op);
    let reporter = entry[x.imm as usize].wrapping_sub(first);
    chunk_of(exit(x.op, linked.exits[j.index()], branch, reporter))
}

/// Returns chunk `k` of row `others.row[o]`: its instructions that are not of its pattern, and one without bytes after the last row of a
/// function.
#[device(expand)]
fn chunk(
    o: OtherId,
    k: u32,
    others: &Others,
    first: &[u32],
    instructions: &[Instruction],
    jumps: &ResolvedInstructions,
) -> Chunk {
    let mut x = instructions[(first[o.index()] + k) as usize];
    if x.op == BRANCH {
        x = jumps.branch[others.jump[o]];
    } else if is_linked(x.op) {
        x = jumps.first[others.jump[o]];
    }
    if x.op == NOTHING { Chunk { low: 0, high: 0, length: 0 } } else { chunk_of(bytes(x)) }
}

/// The bytes of rows and their positions.
#[device(tables)]
struct Coded {
    /// The patterns, with all immediates.
    choice: &[Choice],
    /// As [`Material::has_others`].
    has_others: &[u8],
    /// The first chunk of each row that has chunks.
    first: &[u32],
    positions: &[u32],
    chunks: &Chunks,
    exits: &Chunks,
    /// The position of each exit.
    exit_positions: &[u32],
}

/// Returns eight bytes of a chunk from byte `at` on, and zeros after its end.
#[device]
fn window(low: u64, high: u64, at: u32) -> u64 {
    if at == 0 {
        low
    } else if at < WORD {
        low >> (8 * at) | high << (8 * (WORD - at))
    } else {
        high >> (8 * (at - WORD))
    }
}

/// Returns the exit at a position.
#[device]
fn exit_at(position: u32, exit_positions: &[u32]) -> u32 {
    let mut low = 0u32;
    let mut high = exit_positions.len() as u32;
    while low < high {
        let middle = (low + high) / 2;
        if exit_positions[middle as usize] <= position {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low - 1
}

/// The bytes of a word that are known, and the next one.
#[device]
struct Filled {
    word: u64,
    /// The number of known bytes, which may be more than a word has.
    count: u32,
    /// The offset in the row of the next byte.
    at: u32,
}

/// Adds bytes of the exits after a row of `length` bytes at a position.
#[device]
fn with_exits(filled: Filled, position: u32, length: u32, coded: &Coded) -> Filled {
    let mut filled = filled;
    let mut exit = exit_at(position + filled.at, coded.exit_positions);
    while (filled.count < WORD) & (filled.at < length) {
        let e = ChunkId::new(exit);
        let before = position + filled.at - coded.exit_positions[e.index()];
        let left = coded.exits.length[e] - before;
        filled.word |= window(coded.exits.low[e], coded.exits.high[e], before) << (8 * filled.count);
        filled.count += left;
        filled.at += left;
        exit += 1;
    }
    filled
}

/// Adds bytes of the chunks of row `r` of `length` bytes at a position, which follow its pattern of `begin` bytes.
#[device]
fn with_chunks(filled: Filled, r: usize, position: u32, begin: u32, length: u32, coded: &Coded) -> Filled {
    let mut filled = filled;
    let mut begin = begin;
    let mut chunk = ChunkId::new(coded.first[r]);
    while (filled.count < WORD) & (filled.at < length) {
        let count = coded.chunks.length[chunk];
        if count == 0 {
            return with_exits(filled, position, length, coded);
        }
        let end = begin + count;
        if filled.at < end {
            let bytes = window(coded.chunks.low[chunk], coded.chunks.high[chunk], filled.at - begin);
            filled.word |= bytes << (8 * filled.count);
            filled.count += end - filled.at;
            filled.at = end;
        }
        begin = end;
        chunk = chunk.plus(1);
    }
    filled
}

/// Returns eight bytes of row `r` from its byte `8 * k` on, and zeros after its end. All rows have `end` bytes.
#[device(expand)]
fn row_bytes(r: usize, k: u32, coded: &Coded, end: u32) -> u64 {
    let c = coded.choice[r];
    if coded.has_others[r] != OTHERS {
        return pattern_word(c, k);
    }
    let position = coded.positions[r];
    let length = (if r + 1 == coded.positions.len() { end } else { coded.positions[r + 1] }) - position;
    let of_pattern = pattern_bytes(c);
    let at = WORD * k;
    let filled = if at < of_pattern {
        Filled { word: pattern_word(c, k), count: of_pattern - at, at: of_pattern }
    } else {
        Filled { word: 0, count: 0, at }
    };
    with_chunks(filled, r, position, of_pattern, length, coded).word
}

/// Returns the byte of the image's words at which row `r` begins.
#[device(map)]
fn begin(r: usize, positions: &[u32], lead: u32) -> u32 {
    positions[r] + lead
}

/// Writes the bytes of all rows, in pairs of words from the last multiple of [`BLOCK`] bytes before them on. Bytes before and after them
/// are 0. The patterns of `material` get the distances of their jumps. See [`words::encode`](super::words::encode) for the parameters.
pub fn encode<B: Backend>(
    backend: &B,
    material: &mut Material<B>,
    layout: &Layout<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Words<B>> {
    let Material {
        choice, has_others, others, first_instruction, instructions, jumps, starts, exits, exit_bytes, ..
    } = material;
    let (exit_bytes, first_instruction) = (&*exit_bytes, &*first_instruction);
    let Layout { positions, taken, words: end } = layout;
    let end = end.read()?;
    let lead = first % BLOCK;
    let (before_function, _) = backend.scan_later(ScanKind::Exclusive, exit_bytes, Sum)?;
    let (before, _) = backend.scan_later(ScanKind::Exclusive, &exits.bytes, Sum)?;
    let of_exits = ExitBytesOn { before: &before, before_function: &before_function, of_function: exit_bytes };
    let mut exit_of_jump = backend.filled(jumps.len(), 0)?;
    let exit_positions = backend.map(exit_position::of(exits, &of_exits, starts, positions, end))?;
    backend.scatter(&mut exit_of_jump, &exits.jump, &exit_positions)?;
    let linked = LinkedOn { rows: positions, taken, exits: &exit_of_jump };
    let resolved: ResolvedInstructions<B> = backend.map(resolve::of(jumps, &linked, entry, first))?;
    let exit_chunks: Chunks<B> = backend.map(exit_chunk::of(exits, jumps, &linked, entry, first))?;
    let (rows, choices) = backend.map(linked_choice::of(jumps, choice, &resolved))?;
    backend.scatter(choice, &rows, &choices)?;

    let mut first_chunk = backend.filled(positions.len(), 0)?;
    backend.scatter(&mut first_chunk, &others.row, first_instruction)?;
    let offsets = Offsets::assume(backend, first_instruction, instructions.len())?;
    let of_chunks = chunk::of(others, first_instruction, instructions, &resolved);
    let chunks: Chunks<B> = backend.expand_from(&offsets, of_chunks)?;
    let coded = CodedOn {
        choice,
        has_others,
        first: &first_chunk,
        positions,
        chunks: &chunks,
        exits: &exit_chunks,
        exit_positions: &exit_positions,
    };
    let begins = backend.map(begin::of(positions, lead))?;
    let begins = Offsets::assume(backend, &begins, (lead + end) as usize)?;
    let pairs = text::of_rows(&begins, row_bytes::of(&coded, end))?;
    Ok(Words { words: backend.allocate(0)?, pairs })
}
