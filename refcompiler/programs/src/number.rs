//! Numbers of cases and seeds, from the environment.

/// Returns the number in an environment variable, or `default` if it is not set.
///
/// # Panics
/// If the variable is set to something other than a number.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

/// Returns the number of damaged programs on which a test compares two front ends: `TREEPAR_DAMAGED`, or 10,000.
///
/// # Panics
/// If the variable is not a number.
pub fn damaged() -> u64 {
    number("TREEPAR_DAMAGED", 10_000)
}
