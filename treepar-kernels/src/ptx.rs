//! Kernels that are part of this crate: PTX by the key of its unit.

/// A unit that was compiled when the crate was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precompiled {
    /// The digest of its text ([`Unit::key`](crate::machine::Unit::key)).
    pub key: u128,
    /// Its name.
    pub name: &'static str,
    /// Its PTX.
    pub ptx: &'static str,
}

/// All of them, ordered by key.
pub const PRECOMPILED: &[Precompiled] = &include!("../ptx/index.rs");

/// The unit with a key.
pub fn find(key: u128) -> Option<&'static Precompiled> {
    find_in(PRECOMPILED, key)
}

fn find_in(table: &[Precompiled], key: u128) -> Option<&Precompiled> {
    table.binary_search_by_key(&key, |unit| unit.key).ok().map(|at| &table[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_and_once_each() {
        assert!(PRECOMPILED.is_sorted_by(|a, b| a.key < b.key));
    }

    #[test]
    fn a_unit_is_found_by_its_key() {
        let table = [3, 1 << 80, u128::MAX].map(|key| Precompiled { key, name: "unit", ptx: "" });
        for unit in &table {
            assert_eq!(find_in(&table, unit.key), Some(unit));
        }
        for key in [0, 4, 1 << 81] {
            assert_eq!(find_in(&table, key), None);
        }
    }
}
