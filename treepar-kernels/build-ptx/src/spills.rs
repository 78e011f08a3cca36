//! Spills that are accepted, each with its reason. `cargo ptx` fails at any other.

use crate::failure::Failure;

/// A reason why some entries spill.
pub struct Explained {
    /// A pattern of entries: `*` matches any letters.
    pub entries: &'static str,
    /// The most bytes stored and loaded; more needs another reason.
    pub most_bytes: u32,
    /// The reason why this is better than code without the spill.
    pub reason: &'static str,
}

const ANOTHER_BLOCK: &str = "the assembler keeps a few words per thread in memory: with the remaining 32, 40, 48 or 64 \
                             registers, another block fits on a multiprocessor";

/// The accepted spills.
pub const EXPLAINED: &[Explained] = &[
    Explained { entries: "treepar_reduce__refcompiler__frontend__arrays__*", most_bytes: 48, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_scan__refcompiler__passes__inlining__*", most_bytes: 24, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__structs__*", most_bytes: 48, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__motion__*", most_bytes: 24, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__nests__*", most_bytes: 16, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__strength__*", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_scan__refcompiler__passes__dead__*", most_bytes: 16, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_compact__refcompiler__passes__foreign__*", most_bytes: 16, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__registers__*", most_bytes: 12, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_compact__refcompiler__passes__folding__*", most_bytes: 16, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_scan__refcompiler__passes__folding__*", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_*__refcompiler__passes__vectors__*", most_bytes: 24, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_positions__*", most_bytes: 32, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_scan__refcompiler__frontend__*", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_segmented_*__treepar__monoid__*", most_bytes: 8, reason: ANOTHER_BLOCK },
];

/// Fails if an entry spills and no row explains it; and, if `all` entries are there, if a row explains nothing.
///
/// `lines` are the entries with their lines of the table.
pub fn explained(rows: &[Explained], lines: &[(String, &str)], all: bool) -> Result<(), Failure> {
    let mut needed = vec![false; rows.len()];
    let mut open = Vec::new();
    for (entry, line) in lines {
        let bytes = spilled_bytes(line);
        match rows.iter().position(|row| matches(row.entries, entry) && bytes <= row.most_bytes) {
            _ if bytes == 0 => {}
            Some(row) => needed[row] = true,
            None => open.push(line.to_string()),
        }
    }
    open.sort();
    let advice = "use fewer registers, or add a reason there";
    Failure::list("spills without a reason in spills.rs (`!` bytes stored/loaded):", &open, advice)?;
    let idle = rows.iter().zip(needed).filter(|(_, needed)| !needed).map(|(row, _)| format!("`{}`", row.entries));
    let idle: Vec<String> = idle.collect();
    if all { Failure::list("reasons in spills.rs without a spill:", &idle, "") } else { Ok(()) }
}

/// Returns the most bytes that an entry stores to and loads from spills on one architecture.
pub fn spilled_bytes(line: &str) -> u32 {
    let cell = |cell: &str| {
        let (stored, loaded) = cell.split_once('!')?.1.split_once('/')?;
        Some(stored.parse::<u32>().ok()? + loaded.parse::<u32>().ok()?)
    };
    line.split('|').filter_map(cell).max().unwrap_or(0)
}

/// Returns whether a name matches a pattern, where `*` matches any letters.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name
            .strip_prefix(head)
            .is_some_and(|rest| rest.char_indices().any(|(at, _)| matches(tail, &rest[at..])) || matches(tail, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Explained, explained, matches};

    const ROWS: &[Explained] =
        &[Explained { entries: "scan_*_u64", most_bytes: 24, reason: "two spills cost less than two passes" }];

    #[test]
    fn a_spill_without_a_reason_is_an_error() {
        let spilling = [
            ("scan_a_u64".to_string(), "|64|64 +8 !8/16|0|scan_a_u64|"),
            ("map_b".to_string(), "|64|64 +8 !8/16|0|map_b|"),
        ];
        let message = explained(ROWS, &spilling, true).unwrap_err().0;
        assert!(message.contains(":\n  |64|64 +8 !8/16|0|map_b|\nuse fewer"), "{message}");
        assert!(explained(ROWS, &spilling[..1], true).is_ok());
        let more = [("scan_a_u64".to_string(), "|64 +9 !9/16|64|0|scan_a_u64|")];
        assert!(explained(ROWS, &more, true).is_err(), "more bytes than the row explains");
    }

    #[test]
    fn a_reason_without_a_spill_is_an_error() {
        let clean = [("scan_a_u64".to_string(), "|64 +8|64|0|scan_a_u64|")];
        let message = explained(ROWS, &clean, true).unwrap_err().0;
        assert_eq!(message, "reasons in spills.rs without a spill:\n  `scan_*_u64`");
        assert!(explained(ROWS, &clean, false).is_ok());
        assert!(explained(&[], &clean, true).is_ok());
    }

    #[test]
    fn patterns_match_whole_names() {
        let good =
            [("a", "a"), ("*", ""), ("*", "abc"), ("a*", "a"), ("a*c", "abbc"), ("*b*", "abc"), ("a*b*c", "axbyc")];
        let bad = [("a", "ab"), ("", "a"), ("a*c", "ab"), ("*b", "bc"), ("a*b*c", "acb")];
        good.iter().for_each(|(pattern, name)| assert!(matches(pattern, name), "{pattern} {name}"));
        bad.iter().for_each(|(pattern, name)| assert!(!matches(pattern, name), "{pattern} {name}"));
    }
}
