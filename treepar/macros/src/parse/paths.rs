//! The spelling of paths.

use syn::Path;

/// Returns whether a path is written as constants are: its last segment in capitals, or `Kind::Add`.
pub fn is_constant(path: &Path) -> bool {
    let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if holder(path).as_deref().is_some_and(starts_upper) && starts_upper(&name) {
        return true;
    }
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// Returns the segment before the last: the type of `Kind::Add`.
pub fn holder(path: &Path) -> Option<String> {
    path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string())
}

pub fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}
