//! Encoding for x86-64: the bytes of rows at their positions.
//!
//! ```text
//! row            x + y, if not: row 9                   f[..]
//! pattern        mov add
//! instructions              test   je                   call
//! lengths                   3      2                    5
//! bytes          40 ..      40 ..                       e8 ..
//! pieces         40 .. .. .. .. .. .. ..               ..
//! ```
//!
//! The instructions without a pattern are found first. The number of bytes of an instruction depends only on its operation. The
//! operation of a jump depends on its distance, which `link` has found. So their lengths, a scan and the bytes are three
//! independent steps.
//!
//! [Exits](crate::target::x86_64::exits) are further instructions of the last row of a function.
//!
//! Then each piece of 8 bytes takes its bytes from patterns and from these instructions. It belongs to the row of its first byte, and
//! takes the others from the next rows.
//!
//! Cost: work O(n + m) for `m` bytes, one expansion of 16 bytes per instruction without a pattern, one of 8
//! bytes per piece.

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::BLOCK;
use crate::ir::frame::Frame;
use crate::ir::instruction::{
    BRANCH, Choice, ExitId, Exits, Instruction, JUMP, JumpId, Jumps, Layout, Material, NO_PATTERN, NOTHING, OtherId,
    Others, ResolvedInstruction, ResolvedInstructions, Words, has_exit, immediate, nothing,
};
use crate::target::x86_64::choice::{pattern_bytes, pattern_window};
use crate::target::x86_64::encode::{byte as byte_of, length};
use crate::target::x86_64::exits::{EXIT_LENGTH, exit};
use crate::target::x86_64::jumps::{form, is_linked, resolved, shortest};
use crate::target::x86_64::patterns::WINDOW;
use crate::target::x86_64::rules::{unpatterned, unpatterned_length};

/// The positions of rows, and the bytes and targets of jumps.
#[device(tables)]
struct Linked {
    rows: &[u32],
    /// The number of bytes of each row that jumps.
    taken: &[u32],
    /// The position of the exit of each jump that has one.
    exits: &[u32],
}

/// The exits of functions.
#[device(tables)]
struct FunctionExits {
    /// The number of exits of each function.
    count: &[u32],
    /// The number of bytes of all exits before the first of each function.
    before: &[u32],
    /// The number of bytes of the exits of each function.
    bytes: &[u32],
}

/// Rows at their positions.
#[device(tables)]
struct Placed {
    choice: &[Choice],
    positions: &[u32],
    /// The first row of each function.
    starts: &[u32],
    /// The first exit of each function.
    first_exits: &[u32],
}

/// Returns the function of exit `c` and 1.
#[device(accumulate)]
fn one_exit(c: ExitId, exits: &Exits) -> (u32, u32) {
    (exits.function[c].get(), 1)
}

/// Returns the position of exit `c`. All exits before it have `before[c]` bytes, and all rows `end` bytes.
#[device(map)]
fn exit_position(c: ExitId, exits: &Exits, before: &[u32], of: &FunctionExits, placed: &Placed, end: u32) -> u32 {
    let f = exits.function[c].index();
    let is_last = f + 1 == placed.starts.len();
    let end_of_function = if is_last { end } else { placed.positions[placed.starts[f + 1] as usize] };
    let own_and_after = of.before[f] + of.bytes[f] - before[c.index()];
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

/// Returns instruction `i` of all exits. Each has [`EXIT_LENGTH`], and nothing after its last.
#[device(map)]
fn exit_instruction(i: usize, exits: &Exits, jumps: &Jumps, linked: &Linked, entry: &[u32], first: u32) -> Instruction {
    let j = JumpId::new(exits.jump[ExitId::new(i as u32 / EXIT_LENGTH)]);
    let x = jumps.first[j];
    let branch = linked.rows[jumps.row[j] as usize] + jumps.before[j] + shortest(x.op);
    let reporter = entry[x.imm as usize].wrapping_sub(first);
    exit(x.op, linked.exits[j.index()], branch, reporter, i as u32 % EXIT_LENGTH)
}

/// Returns the number of instructions of row `others.row[o]` that are not of its pattern, and of their bytes. All rows have `end`
/// bytes. The exits of a function are instructions of its last row.
#[device(map)]
fn count(
    o: OtherId,
    others: &Others,
    placed: &Placed,
    exits: &FunctionExits,
    frames: &[Frame],
    end: u32,
) -> (u32, u32) {
    let r = others.row[o] as usize;
    let next = if r + 1 < placed.positions.len() { placed.positions[r + 1] } else { end };
    let bytes = next - placed.positions[r];
    let pattern = placed.choice[r].pattern;
    let f = others.function[o].index();
    let own = unpatterned_length(others.operation[o], frames[f], pattern != NO_PATTERN);
    let next_start = if f + 1 < placed.starts.len() { placed.starts[f + 1] as usize } else { placed.positions.len() };
    let of_exits = if r + 1 == next_start { EXIT_LENGTH * exits.count[f] } else { 0 };
    (own + of_exits, bytes - pattern_bytes(pattern))
}

/// Returns instruction `k` of row `others.row[o]` after its pattern, and its number of bytes. `exits` are the instructions of all
/// exits.
#[device(expand)]
fn instruction(
    o: OtherId,
    k: u32,
    others: &Others,
    placed: &Placed,
    frames: &[Frame],
    jumps: &ResolvedInstructions,
    exits: &[Instruction],
) -> (Instruction, u32) {
    let s = others.operation[o];
    let f = others.function[o].index();
    let frame = frames[f];
    let has_pattern = placed.choice[others.row[o] as usize].pattern != NO_PATTERN;
    let own = unpatterned_length(s, frame, has_pattern);
    if k >= own {
        let x = exits[(EXIT_LENGTH * placed.first_exits[f] + k - own) as usize];
        return (x, if x.op == NOTHING { 0 } else { length(x.op) });
    }
    let mut x = unpatterned(s, frame, has_pattern, k);
    if x.op == BRANCH {
        x = jumps.branch[others.jump[o]];
    } else if is_linked(x.op) {
        x = jumps.first[others.jump[o]];
    }
    (x, if x.op == NOTHING { 0 } else { length(x.op) })
}

/// Returns byte `k` of instruction `i`.
#[device(expand)]
fn byte(i: usize, k: u32, instructions: &[Instruction]) -> u8 {
    byte_of(instructions[i], k)
}

/// The number of bytes of a piece of code.
const PIECE: u32 = WINDOW as u32;

/// Returns the index of the first piece that begins in a row at byte `position` or later.
#[device]
fn piece_from(position: u32) -> u32 {
    (position + PIECE - 1) / PIECE
}

/// Returns the index of the first piece of row `r`.
#[device(map)]
fn first_piece(r: usize, positions: &[u32]) -> u32 {
    piece_from(positions[r])
}

/// Returns piece `k` of the pieces that begin in row `r`. All rows have `end` bytes. `rest` is the index in `bytes` of the first byte of a
/// row after its pattern.
#[device(expand)]
fn piece(r: usize, k: u32, choice: &[Choice], rest: &[u32], positions: &[u32], end: u32, bytes: &[u8]) -> u64 {
    let mut r = r;
    // The offset of the next byte in row `r`, and the number of bytes so far.
    let mut at = (piece_from(positions[r]) + k) * PIECE - positions[r];
    let mut found = 0u32;
    let mut piece = 0u64;
    while found < PIECE {
        let next = if r + 1 < positions.len() { positions[r + 1] } else { end };
        let length = next - positions[r];
        let c = choice[r];
        let of_pattern = pattern_bytes(c.pattern);
        if at < of_pattern {
            let count = (of_pattern - at).min(PIECE);
            let unused = 8 * (PIECE - count);
            piece |= pattern_window(c, at) << unused >> unused << (8 * found);
            found += count;
            at += count;
        }
        while (at < length) & (found < PIECE) {
            piece |= (bytes[(rest[r] + at - of_pattern) as usize] as u64) << (8 * found);
            found += 1;
            at += 1;
        }
        if r + 1 == positions.len() {
            return piece;
        }
        r += 1;
        at = 0;
    }
    piece
}

/// Returns a piece. Before the first and after the last there are zeros. `p` counts from [`BLOCK`] bytes before the first.
#[device]
fn piece_or_zeros(p: u32, pieces: &[u64]) -> u64 {
    let begin = BLOCK / PIECE;
    if p >= begin && p - begin < pieces.len() as u32 { pieces[(p - begin) as usize] } else { 0 }
}

/// Returns word `w` of pieces that begin after `lead` bytes.
#[device(map)]
fn word(w: usize, pieces: &[u64], lead: u32) -> u32 {
    let at = BLOCK + 4 * w as u32 - lead;
    let (p, before) = (at / PIECE, at % PIECE);
    let low = piece_or_zeros(p, pieces) >> (8 * before);
    let high = if before > 4 { piece_or_zeros(p + 1, pieces) << (8 * (PIECE - before)) } else { 0 };
    (low | high) as u32
}

/// Writes the bytes of all rows, in words from the last multiple of [`BLOCK`] bytes before them to the next one after them. Other bytes are
/// 0. See [`words::encode`](super::words::encode) for the parameters.
pub fn encode<B: Backend>(
    backend: &B,
    material: &Material<B>,
    layout: &Layout<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Words<B>> {
    let Material { choice, frame, others, jumps, starts, exits, exit_bytes, .. } = material;
    let Layout { positions, taken, words: end } = layout;
    let end = end.read()?;
    let mut counts = backend.filled(starts.len(), 0)?;
    backend.accumulate(&mut counts, one_exit::of(exits))?;
    let (first_exits, _) = backend.scan_later(ScanKind::Exclusive, &counts, Sum)?;
    let (before_first, _) = backend.scan_later(ScanKind::Exclusive, exit_bytes, Sum)?;
    let (before, _) = backend.scan_later(ScanKind::Exclusive, &exits.bytes, Sum)?;
    let placed = PlacedOn { choice, positions, starts, first_exits: &first_exits };
    let of_functions = FunctionExitsOn { count: &counts, before: &before_first, bytes: exit_bytes };
    let mut exit_of_jump = backend.filled(jumps.len(), 0)?;
    let exit_positions = backend.map(exit_position::of(exits, &before, &of_functions, &placed, end))?;
    backend.scatter(&mut exit_of_jump, &exits.jump, &exit_positions)?;
    let linked = LinkedOn { rows: positions, taken, exits: &exit_of_jump };
    let resolved = backend.map(resolve::of(jumps, &linked, entry, first))?;
    let count_of_instructions = EXIT_LENGTH as usize * exits.len();
    let exit_instruction = exit_instruction::of(exits, jumps, &linked, entry, first);
    let exits = backend.map(exit_instruction.rows(count_of_instructions))?;
    let (counts, rest_bytes) = backend.map(count::of(others, &placed, &of_functions, frame, end))?;
    let (offsets, instructions) = backend.scan_later(ScanKind::Exclusive, &counts, Sum)?;
    let (rest_at, rest_end) = backend.scan_later(ScanKind::Exclusive, &rest_bytes, Sum)?;
    let offsets = Offsets::assume(backend, &offsets, instructions.read()? as usize)?;
    let written = instruction::of(others, &placed, frame, &resolved, &exits);
    let (instructions, lengths) = backend.expand_from(&offsets, written)?;
    let (at, _) = backend.scan_later(ScanKind::Exclusive, &lengths, Sum)?;
    let at = Offsets::assume(backend, &at, rest_end.read()? as usize)?;
    let bytes = backend.expand_from(&at, byte::of(&instructions))?;

    let mut rest = backend.filled(positions.len(), 0)?;
    backend.scatter(&mut rest, &others.row, &rest_at)?;
    // The last piece may be incomplete.
    let end_of_pieces = end.next_multiple_of(PIECE);
    let offsets = backend.map(first_piece::of(positions))?;
    let offsets = Offsets::assume(backend, &offsets, (end_of_pieces / PIECE) as usize)?;
    let pieces = backend.expand_from(&offsets, piece::of(choice, &rest, positions, end, &bytes))?;
    let lead = first % BLOCK;
    let words = (lead + end).next_multiple_of(BLOCK) / 4;
    Ok(Words { words: backend.map(word::of(&pieces, lead).rows(words as usize))? })
}
