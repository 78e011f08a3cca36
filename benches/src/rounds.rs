//! Rounds of runs: their order, and ratios of two runs of one round.

use crate::process::Usage;
use crate::statistics::{Statistics, statistics};

/// Returns the order of a round. Every second round is reversed, so that a slow drift of the machine's speed affects both
/// sides of a ratio.
pub fn order(cases: usize, round: usize) -> Vec<usize> {
    if round.is_multiple_of(2) { (0..cases).collect() } else { (0..cases).rev().collect() }
}

/// Returns the statistics of the ratios of the times of two runs of one round, each multiplied by `factor`.
pub fn ratios(own: &[Usage], other: &[Usage], time: impl Fn(&Usage) -> f64, factor: f64) -> Option<Statistics> {
    let ratios: Vec<f64> = own.iter().zip(other).map(|(own, other)| time(own) / time(other) * factor).collect();
    statistics(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_every_case_once_and_alternate() {
        assert_eq!(order(3, 0), [0, 1, 2]);
        assert_eq!(order(3, 1), [2, 1, 0]);
        assert_eq!(order(3, 2), order(3, 0));
    }
}
