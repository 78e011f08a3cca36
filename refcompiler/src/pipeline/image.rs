//! The image of a program: the words of all parts, the symbols, and the calls of other objects.

use std::ops::Range;

use treepar::Backend;
use treepar::backend::{Downloads, Later};
use treepar::device::device;

use super::debug::{add_function, add_lines, lines_of_part};
use super::parts::{Linked, Part, firsts, on_each};
use super::settings::Settings;
use super::{After, Clock, Error, Observer};
use crate::ir::instruction::{
    CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, EXTERN, JumpId, Jumps, Layout, Material, Words,
};
use crate::ir::tree::{self, Linkage, runtime};
use crate::object::debug::Debug;
use crate::object::{Call, Check, Failure, Image, Symbol};
use crate::passes::lines::newlines;
use crate::passes::link::units_needed;
use crate::passes::lower::BLOCK;
use crate::passes::lower::words::encode;
use crate::target::Target;
use crate::target::prelude::{Prelude, padding};

#[device(compact)]
fn is_extern_call(j: JumpId, jumps: &Jumps, entry: &[u32]) -> bool {
    let x = jumps.first[j];
    x.op == CALL && entry[x.imm as usize] == EXTERN
}

/// Returns the word and the function of a call of another object.
#[device(map)]
fn extern_call(i: usize, calls: &[u32], jumps: &Jumps, positions: &[u32], first: u32) -> (u32, u32) {
    let j = JumpId::new(calls[i]);
    (first + positions[jumps.row[j] as usize] + jumps.before[j], jumps.first[j].imm)
}

/// Returns the unit after the call of check `c`, in a part that begins at unit `first`, and the operation that calls.
#[device(map)]
fn word_after_check(
    c: usize,
    checks: &[u32],
    jumps: &Jumps,
    positions: &[u32],
    entry: &[u32],
    first: u32,
    target: Target,
) -> (u32, u8) {
    let j = JumpId::new(checks[c]);
    let at = positions[jumps.row[j] as usize] + jumps.before[j];
    (first + at + units_needed(target, at, jumps.first[j], positions, entry, first), jumps.first[j].op)
}

/// Returns the failure if an operation calls a function that ends the program.
fn failure(op: u8) -> Failure {
    match op {
        CHECK_BELOW => Failure::Index,
        CHECK_AT_LEAST => Failure::Size,
        CHECK_SAME => Failure::Extents,
        CHECK_RANGE => Failure::Slice,
        _ => Failure::Assertion,
    }
}

/// The functions of a part and its calls of other objects, on the host.
struct PartSymbols {
    /// The id and the first word of each function, and the number of bytes of its exits.
    functions: Vec<(u32, u32, u32)>,
    /// The word after the part.
    end: u32,
    /// The word and the function of each call of another object.
    calls: Vec<(u32, u32)>,
    /// The checks.
    checks: Vec<Check>,
    /// The last words, which the next part shares.
    shared: Vec<u32>,
}

/// Returns the words of a part that begins at some unit.
fn words_of(target: Target, first: u32, units: u32) -> Range<usize> {
    let end = first + units;
    match target {
        Target::X86_64 => (first / BLOCK * BLOCK / 4) as usize..(end.next_multiple_of(BLOCK) / 4) as usize,
        _ => first as usize..end as usize,
    }
}

/// Copies the words of a part that begins at word `first` to the host, with its symbols, calls and checks. `found` are the jumps
/// that call other objects, and `own` the words that the next part does not share.
fn downloaded<B: Backend>(
    backend: &B,
    part: &Part<B>,
    (Words { words, pairs }, found): (&Words<B>, &B::Vec<u32>),
    (entry, first): (&B::Vec<u32>, u32),
    own: &mut [u32],
) -> treepar::Result<PartSymbols> {
    let Part { material, layout: Layout { positions, .. }, .. } = part;
    let Material { target, jumps, ids: id, starts, checks, check_positions: position, exit_bytes, .. } = material;
    let start = backend.map(super::parts::start_word::of(starts, positions, first))?;
    let (at, callee) = backend.map(extern_call::of(found, jumps, positions, first))?;
    let (return_word, op) = backend.map(word_after_check::of(checks, jumps, positions, entry, first, *target))?;
    let (mut ids, mut starts, mut places, mut callees) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut return_words, mut ops, mut check_positions, mut exits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let unit = target.unit();
    let units = part.layout.words.read()?;
    // A text has whole blocks of 64 bytes, of which the last zeros are not of the image.
    let count = words_of(*target, first, units).len();
    let mut shared = vec![0; count - own.len()];
    let mut downloads = Downloads::new(backend);
    if *target == Target::X86_64 {
        downloads.add_bytes(pairs, own.len() / 2, bytemuck::cast_slice_mut(&mut shared))?;
        downloads.add_bytes(pairs, 0, bytemuck::cast_slice_mut(own))?;
    } else {
        downloads.add_to(words, own)?;
    }
    downloads.add(id, &mut ids)?;
    downloads.add(&start, &mut starts)?;
    downloads.add(&at, &mut places)?;
    downloads.add(&callee, &mut callees)?;
    downloads.add(&return_word, &mut return_words)?;
    downloads.add(&op, &mut ops)?;
    downloads.add(position, &mut check_positions)?;
    downloads.add(exit_bytes, &mut exits)?;
    downloads.run()?;
    let check =
        |((return_word, op), position)| Check { return_offset: unit * return_word, position, failure: failure(op) };
    Ok(PartSymbols {
        functions: ids.into_iter().zip(starts).zip(exits).map(|((id, start), exits)| (id, start, exits)).collect(),
        end: first + units,
        calls: places.into_iter().zip(callees).collect(),
        checks: return_words.into_iter().zip(ops).zip(check_positions).map(check).collect(),
        shared,
    })
}

/// Writes the words of linked parts after the prelude, and lists the symbols and the calls of other objects.
pub(super) fn image<B: Backend>(
    clock: &mut Clock<'_, B>,
    settings: Settings<'_>,
    linked: Linked<B>,
    (table, prelude): (&[tree::Function], Prelude),
    observer: &mut dyn Observer<B>,
) -> Result<Image, Error> {
    let target = settings.goal.target;
    let Linked { parts, entry } = linked;
    let first = prelude.words.len();
    let unit = target.unit();
    let arena = prelude.entry(runtime::ARENA);
    let parts = firsts(parts, first as u32 * 4 / unit)?;
    let range = |(part, first): &(Part<B>, u32)| Ok(words_of(target, *first, part.layout.words.read()?));
    let ranges = parts.iter().map(range).collect::<treepar::Result<Vec<_>>>()?;
    let end = ranges.last().map_or(first, |last| last.end);
    // Entries of functions and messages of checks follow, usually in the memory that is left. The system provides zeros when threads first
    // write there.
    let mut words = vec![0; end + end / 8];
    words.truncate(end);
    words[..first].copy_from_slice(&prelude.words);
    let mut debug = None;
    let newlines = match settings.lines {
        Some(sources) => {
            let backend = clock.backend;
            let (newlines, first_lines) = clock.time("lines", || newlines(backend, sources))?;
            debug = Some(Debug::of(sources, &first_lines));
            Some(newlines)
        }
        None => None,
    };
    let mut rest = &mut words[first..];
    let mut items = Vec::with_capacity(parts.len());
    for (k, (part, first)) in parts.into_iter().enumerate() {
        let own;
        let end = ranges.get(k + 1).map_or(ranges[k].end, |next| next.start);
        (own, rest) = rest.split_at_mut(end - ranges[k].start);
        items.push((part, first, own));
    }
    let found = on_each(clock, items, observer, |clock, (mut part, first, own), observer| {
        let backend = clock.backend;
        observer.after(backend, &After::Link(&part.layout))?;
        // The number of calls of other objects comes with a value that `encode` needs.
        let (found, words) = clock.time("encode", || {
            let found = backend.compact(is_extern_call::of(&part.material.jumps, &entry))?;
            Ok((found, encode(backend, &mut part.material, &part.layout, &entry, first)?))
        })?;
        observer.after(backend, &After::Encode(&words))?;
        let symbols = clock.time("download", || downloaded(backend, &part, (&words, &found), (&entry, first), own))?;
        let lines = match &newlines {
            Some(newlines) => clock.time("lines", || lines_of_part(backend, &part, newlines, first))?,
            None => None,
        };
        Ok((symbols, lines))
    })?;

    let mut image = Image {
        target,
        code_words: words.len(),
        words,
        symbols: prelude.symbols,
        reporters: prelude.reporters,
        streams: prelude.streams,
        arena,
        ..Image::default()
    };
    let mut end_of_code = image.end();
    for (k, (PartSymbols { functions, end, calls, checks, shared }, lines)) in found.into_iter().enumerate() {
        for (word, more) in image.words[ranges[k].end - shared.len()..].iter_mut().zip(shared) {
            *word |= more;
        }
        end_of_code = unit * end;
        image.checks.extend(checks);
        for (i, &(id, start, exits)) in functions.iter().enumerate() {
            let Some(function) = table.get(id as usize) else { continue };
            let end_of_function = functions.get(i + 1).map_or(end, |&(_, next, _)| next) - exits;
            let symbol = Symbol {
                name: function.name.clone(),
                offset: unit * start,
                size: unit * (end_of_function - start),
                global: function.linkage == Linkage::Global,
            };
            if let Some((debug, lines)) = debug.as_mut().zip(lines.as_ref()) {
                add_function(debug, lines, i, &symbol, unit);
            }
            image.symbols.push(symbol);
        }
        if let Some((debug, lines)) = debug.as_mut().zip(lines.as_ref()) {
            add_lines(debug, lines, unit);
        }
        // On x86-64 the distance follows the operation.
        let in_call = (target == Target::X86_64) as u32;
        let call = |(at, id)| Call { offset: unit * at + in_call, name: table[id as usize].name.clone() };
        image.calls.extend(calls.into_iter().map(call));
    }
    image.debug = debug;
    padding(target, end_of_code, image.end()).apply(&mut image.words);
    image.add_messages(|_| None);
    Ok(image)
}
