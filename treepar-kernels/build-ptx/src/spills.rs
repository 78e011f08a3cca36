//! Spills that are meant, each with its reason; any other fails the check.

use crate::assemble::Usage;
use crate::failure::Failure;

/// Why some entries spill.
pub struct Explained {
    /// The entries: letters, and `*` for any.
    pub entries: &'static str,
    /// Bytes stored and loaded at most; more needs another reason.
    pub most_bytes: u32,
    /// Why that is better than what would not spill.
    pub reason: &'static str,
}

const ANOTHER_BLOCK: &str = "the assembler itself keeps a word or two a thread in memory: with the 40, 48 or 64 registers \
                             that are left, another block fits a multiprocessor";

const ROWS_IN_REGISTERS: &str = "three numbers of each of a thread's rows are in registers until others have answered: the \
                                 80 that are left let three blocks share a multiprocessor, and not two";

/// All that are explained.
pub const EXPLAINED: &[Explained] = &[
    Explained { entries: "treepar_count__treepar__ancestor__interval__falls", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_reduce_final__treepar__monoid__element_u64*", most_bytes: 32, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_scan__treepar__monoid__element_*", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_segmented_scan__treepar__monoid__element_*", most_bytes: 8, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_sort_pass_*", most_bytes: 56, reason: ROWS_IN_REGISTERS },
    Explained { entries: "treepar_walk_down__*", most_bytes: 32, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_walk_slots__treepar_laws__walks__mixed", most_bytes: 48, reason: ANOTHER_BLOCK },
    Explained { entries: "treepar_walk_up__treepar_laws__walks__subtree*", most_bytes: 16, reason: ANOTHER_BLOCK },
];

/// Fails where an entry spills and no row explains it; and, if `rows_are_needed`, where a row explains nothing.
///
/// `used` is the usage of each entry, by architecture in their order.
pub fn explained<'a>(
    rows: &[Explained],
    architectures: &[&str],
    used: impl Iterator<Item = (&'a str, &'a [Usage])>,
    rows_are_needed: bool,
) -> Result<(), Failure> {
    let mut needed = vec![false; rows.len()];
    let mut open = Vec::new();
    for (entry, usage) in used.filter(|(_, usage)| usage.iter().any(Usage::spills)) {
        let bytes = usage.iter().map(|usage| usage.spill_store_bytes + usage.spill_load_bytes).max().unwrap_or(0);
        match rows.iter().position(|row| matches(row.entries, entry) && bytes <= row.most_bytes) {
            Some(row) => needed[row] = true,
            None => {
                let spilling = architectures.iter().zip(usage).filter(|(_, usage)| usage.spills());
                let bytes: Vec<String> = spilling
                    .map(|(name, usage)| format!("{name} {}/{}", usage.spill_store_bytes, usage.spill_load_bytes))
                    .collect();
                open.push(format!("  {entry}: {}", bytes.join(", ")));
            }
        }
    }
    if !open.is_empty() {
        return Err(Failure::Spills(open));
    }
    let idle = rows.iter().zip(needed).filter(|(_, needed)| !needed).map(|(row, _)| format!("`{}`", row.entries));
    let idle: Vec<String> = idle.collect();
    if rows_are_needed && !idle.is_empty() { Err(Failure::Explanations(idle)) } else { Ok(()) }
}

/// Whether a name is as the pattern says, where `*` stands for any letters.
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
    use crate::assemble::Usage;
    use crate::failure::Failure;

    const ROWS: &[Explained] =
        &[Explained { entries: "scan_*_u64", most_bytes: 24, reason: "two spills cost less than two passes" }];

    fn spilling() -> Usage {
        Usage { registers: 64, spill_store_bytes: 8, spill_load_bytes: 16, ..Usage::default() }
    }

    const MACHINES: [&str; 2] = ["sm_75", "sm_80"];

    #[test]
    fn a_spill_without_reason_fails_by_name() {
        let (spills, clean) = ([Usage::default(), spilling()], [Usage::default(), Usage::default()]);
        let used = [("scan_a_u64", &spills[..]), ("map_b", &spills[..]), ("map_c", &clean[..])];
        match explained(ROWS, &MACHINES, used.into_iter(), true) {
            Err(Failure::Spills(open)) => assert_eq!(open, ["  map_b: sm_80 8/16"]),
            other => panic!("{other:?}"),
        }
        assert!(explained(ROWS, &MACHINES, used[..1].iter().copied(), true).is_ok());
        let more = [Usage { spill_store_bytes: 9, ..spilling() }];
        let used = [("scan_a_u64", &more[..])];
        assert!(explained(ROWS, &MACHINES, used.into_iter(), true).is_err(), "more than its row explains");
    }

    #[test]
    fn a_reason_without_spill_fails_by_pattern() {
        let clean = [Usage::default(), Usage::default()];
        let used = [("scan_a_u64", &clean[..])];
        match explained(ROWS, &MACHINES, used.into_iter(), true) {
            Err(Failure::Explanations(idle)) => assert_eq!(idle, ["`scan_*_u64`"]),
            other => panic!("{other:?}"),
        }
        assert!(explained(ROWS, &MACHINES, used.into_iter(), false).is_ok());
        assert!(explained(&[], &MACHINES, used.into_iter(), true).is_ok());
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
