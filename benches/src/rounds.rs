//! Rounds of runs: their order, and ratios of two runs of one round.

use fastrand::Rng;

use crate::process::Usage;
use crate::statistics::{Statistics, statistics};

/// Returns the order of a round. Each pair of rounds has a random order, the same one in every measurement. The second round is reversed,
/// so that a slow drift of the machine's speed affects both sides of a ratio. A process gets memory that the one before it has freed, so
/// no case may always follow the same one.
pub fn order(cases: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases).collect();
    Rng::with_seed(round as u64 / 2).shuffle(&mut order);
    if !round.is_multiple_of(2) {
        order.reverse();
    }
    order
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
    fn rounds_have_every_case_once() {
        for round in 0..20 {
            let mut cases = order(10, round);
            cases.sort_unstable();
            assert_eq!(cases, Vec::from_iter(0..10), "round {round}");
        }
    }

    #[test]
    fn every_second_round_is_reversed() {
        for round in (0..20).step_by(2) {
            let mut reversed = order(10, round + 1);
            reversed.reverse();
            assert_eq!(reversed, order(10, round), "round {round}");
        }
    }

    #[test]
    fn cases_follow_different_ones() {
        let before = |round| {
            let order = order(10, round);
            order.iter().position(|&case| case == 5).and_then(|at| at.checked_sub(1)).map(|at| order[at])
        };
        let found: std::collections::HashSet<_> = (0..40).map(before).collect();
        assert!(found.len() > 5, "{found:?}");
    }
}
