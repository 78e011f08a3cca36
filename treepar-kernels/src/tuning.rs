//! How many threads a block has, and how many rows each of them takes: read by the generator and by the launcher.
//!
//! | template | rows a thread | why |
//! |---|---|---|
//! | map, scatter, histogram, passes over offsets | 4 | enough loads under way at once |
//! | expand | 8 | a tile's two searches serve more rows |
//! | scan and its kin, reduce | 16 of 4 bytes, 8 of 8, 4 of 16, 2 of 32, else 1 | a tile in little more than 18 KiB of shared memory (34 where an element has 128 bytes), so that several blocks share a multiprocessor; enough loads under way to hide the look-back |
//! | nearest smaller | 4 | a tree of minima over 1024 rows |
//! | walk_down, walk_up | 4 of up to 32 bytes, 2 of 64, else 1 | values and three marks for each row in 44 KiB of shared memory |
//! | walk_slots | 4 | a node waits for nodes of 1023 others at most without leaving its multiprocessor |
//! | sort | 12 of 4 bytes, 8 of 8 | three numbers a row in registers, of which a thread has 80; keys, or payload, and counts in 25 KiB |

/// The text of this file, for digests.
pub const SOURCE: &str = include_str!("tuning.rs");

/// Threads of a block.
pub const THREADS: u32 = 256;

/// Rows that a thread of `map` takes, and of all that goes over rows as it does.
pub const MAP_ITEMS: u32 = 4;

/// Rows that a thread of `expand` takes.
pub const EXPAND_ITEMS: u32 = 8;

/// Rows that a thread of `nearest_smaller` takes.
pub const SMALLER_ITEMS: u32 = 4;

/// Rows that a thread of `walk_slots` takes.
pub const WALK_ITEMS: u32 = 4;

/// Rows that a thread of `walk_down` and `walk_up` takes, by the bytes of a value.
pub const fn walk_items(bytes: usize) -> u32 {
    match bytes {
        0..=32 => 4,
        33..=64 => 2,
        _ => 1,
    }
}

/// Bytes of an element that is combined, or carried down, at most: 256 of them, with three marks each, fit the 48 KiB of shared
/// memory that any block may have.
pub const LARGEST: usize = 128;

/// Bytes of an element that tiles pass on in words, four of them in each; larger ones have memory of their own.
pub const IN_WORDS: usize = 16;

/// Bins that a block counts by itself.
pub const FEW_BINS: u32 = 2048;

/// Rows of a group of minima.
pub const GROUP: u32 = 32;

/// Rows that a thread of a scan takes, by the bytes of what it combines.
pub const fn scan_items(bytes: usize) -> u32 {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        9..=16 => 4,
        17..=32 => 2,
        _ => 1,
    }
}

/// Rows that a thread of a sort takes, by the bytes of a key.
pub const fn sort_items(bytes: usize) -> u32 {
    if bytes <= 4 { 12 } else { 8 }
}

/// Blocks of a stage that a multiprocessor should hold, where the compiler by itself would give threads so many registers
/// that it holds fewer. What spills for it has its reason in the table of spills.
pub fn blocks(stage: &str) -> Option<u32> {
    match stage {
        "sort_pass_u32" | "sort_pass_u64" => Some(3),
        "walk_down" => Some(5),
        _ => None,
    }
}

/// Bytes of an element of a segmented scan, by those of a value: a mark beside it.
pub const fn headed_bytes(bytes: usize, align: usize) -> usize {
    let align = if align < 4 { 4 } else { align };
    (bytes.next_multiple_of(4) + 4).next_multiple_of(align)
}
