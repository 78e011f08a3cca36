//! Threads per block and rows per thread, for the generator and for the launcher.
//!
//! | template | rows per thread | reason |
//! |---|---|---|
//! | map | 16 of 1 byte, 8 of 2, else 4 | enough bytes in flight |
//! | scatter, histogram, accumulate, intern, passes over offsets | 4 | enough loads in flight |
//! | expand | 8 | a tile's two searches serve more rows |
//! | scan and its kin, reduce | 16 of 4 bytes, 8 of 8, 4 of 16, 2 of 32, else 1 | a tile in little more than 18 KiB of shared memory (34 where an element has 128 bytes), so that several blocks share a multiprocessor; enough loads in flight to hide the look-back |
//! | positions | 4 words of 64 rows with a value of 4 bytes, 2 of 20, else 1 | a value, a word and an index for each word in 17 KiB of shared memory (36 where a value has 128 bytes) |
//! | expand_rows | 4 owners with rows of 4 bytes, 2 of 8, else 1 | four rows for each owner in 16 KiB of shared memory (32 where a row has 32 bytes) |
//! | nearest smaller | 16 | a thread compares its rows in registers: fewer of 8 are found there, and 32 take twice the comparisons |
//! | walk_down, walk_up | 16 of up to 4 bytes, 8 of 8, 4 of 32, 2 of 64, else 1 | a value, its parent and a list for each row in at most 44 KiB of shared memory |
//! | walk_slots | 16 | two numbers for each row in 34 KiB of shared memory |
//! | map, expand, of long functions | a half, a quarter and so on | each is a copy of the function in the code |
//! | sort | 18 of 4 bytes, 12 of 8 | keys, payload and counts in 45 KiB of shared memory; the work per tile is shared by many rows |

/// Threads per block.
pub const THREADS: u32 = 256;

/// Rows per thread of simple passes over rows.
pub const MAP_ITEMS: u32 = 4;

/// Returns the rows per thread of `map`, from the bytes of a result.
pub const fn map_items(bytes: usize) -> u32 {
    match bytes {
        0..=1 => 16,
        2 => 8,
        _ => MAP_ITEMS,
    }
}

/// The maximum number of nodes of device functions' trees that a thread evaluates together. A function of a hundred
/// nodes is about as many instructions.
pub const NODES_AT_ONCE: usize = 600;

/// Rows per thread of `expand`.
pub const EXPAND_ITEMS: u32 = 8;

/// Rows per thread of `nearest_smaller`, and rows per group of minima.
pub const SMALLER_ITEMS: u32 = 16;

/// Rows per thread of `walk_slots`.
pub const WALK_ITEMS: u32 = 16;

/// Returns the rows per thread of `walk_down` and `walk_up`, from the bytes of a value.
pub const fn walk_items(bytes: usize) -> u32 {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        9..=32 => 4,
        33..=64 => 2,
        _ => 1,
    }
}

/// The maximum size in bytes of a combined or carried element, so that 256 of them with parents and lists fit in 48 KiB of
/// shared memory.
pub const LARGEST: usize = 128;

/// The maximum size in bytes of an element that tiles publish in words, with four bytes in each. Larger ones have separate
/// memory.
pub const IN_WORDS: usize = 16;

/// The maximum number of bins that each block counts in shared memory.
pub const FEW_BINS: u32 = 2048;

/// Returns the rows per thread of a scan, from the bytes of a combined element.
pub const fn scan_items(bytes: usize) -> u32 {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        9..=16 => 4,
        17..=32 => 2,
        _ => 1,
    }
}

/// Returns the words per thread of `positions`, from the bytes of a carried value. Each word also has its marks and the index
/// of its first row in shared memory.
pub const fn positions_items(bytes: usize) -> u32 {
    scan_items(bytes + 12)
}

/// The maximum size in bytes of a row of `expand_rows`.
pub const LARGEST_MADE: usize = 32;

/// Returns the owners per thread of `expand_rows`, from the bytes of a row.
pub const fn expand_rows_items(bytes: usize) -> u32 {
    match bytes {
        0..=4 => 4,
        5..=8 => 2,
        _ => 1,
    }
}

/// Returns the rows per thread of a sort, from the bytes of a key.
pub const fn sort_items(bytes: usize) -> u32 {
    if bytes <= 4 { 18 } else { 12 }
}

/// Returns the minimum number of resident blocks per multiprocessor (`__launch_bounds__`), for kernels where the compiler's
/// default register allocation would allow fewer. `cargo ptx` lists the resulting spills with their reasons.
pub fn blocks(stage: &str) -> Option<u32> {
    match stage {
        "sort_pass_u32" | "sort_pass_u64" => Some(2),
        _ => None,
    }
}

/// Returns the size in bytes of an element of a segmented scan: a value and a mark.
pub const fn headed_bytes(bytes: usize, align: usize) -> usize {
    let align = if align < 4 { 4 } else { align };
    (bytes.next_multiple_of(4) + 4).next_multiple_of(align)
}
