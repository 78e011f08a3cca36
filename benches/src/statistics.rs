//! Statistics of repeated runs.

/// Statistics of a set of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The median.
    pub median: f64,
    /// The fastest run.
    pub minimum: f64,
    /// The slowest run.
    pub maximum: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample.
    pub deviation: f64,
    /// The first and the third quartile: half of the runs are between them.
    pub quartiles: [f64; 2],
    /// The number of runs further than 1.5 interquartile ranges from the middle half.
    pub outliers: usize,
    /// The number of runs.
    pub runs: usize,
}

impl Statistics {
    /// Returns the distance between the quartiles, relative to the median.
    pub fn spread(&self) -> f64 {
        (self.quartiles[1] - self.quartiles[0]) / self.median
    }
}

/// Returns the statistics of some runs, or `None` if there are none.
pub fn statistics(runs: &[f64]) -> Option<Statistics> {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let (&minimum, &maximum) = (sorted.first()?, sorted.last()?);
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let variance = sorted.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64;
    let (low, high) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let reach = 1.5 * (high - low);
    let outliers = sorted.iter().filter(|&&x| x < low - reach || x > high + reach).count();
    let median = quantile(&sorted, 0.5);
    let (deviation, quartiles) = (variance.sqrt(), [low, high]);
    Some(Statistics { median, minimum, maximum, mean, deviation, quartiles, outliers, runs: n })
}

/// Returns a quantile, interpolated between the two nearest runs.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_is_counted() {
        let found = statistics(&[3.0, 1.0, 2.0, 4.0, 100.0]).unwrap();
        assert_eq!((found.median, found.minimum, found.maximum, found.mean), (3.0, 1.0, 100.0, 22.0));
        assert_eq!((found.outliers, found.runs), (1, 5));
        assert!((found.deviation - 43.617).abs() < 0.001);
    }

    #[test]
    fn one_run_has_no_deviation_and_no_runs_have_no_statistics() {
        let found = statistics(&[2.0]).unwrap();
        assert_eq!((found.median, found.deviation, found.outliers), (2.0, 0.0, 0));
        assert_eq!(statistics(&[]), None);
    }

    #[test]
    fn the_spread_ignores_the_outer_quarters() {
        let found = statistics(&[1.0, 9.0, 10.0, 12.0, 1000.0]).unwrap();
        assert_eq!((found.quartiles, found.spread()), ([9.0, 12.0], 0.3));
        assert_eq!(statistics(&[7.0]).unwrap().spread(), 0.0);
    }

    #[test]
    fn the_median_of_an_even_number_of_runs_is_interpolated() {
        assert_eq!(statistics(&[1.0, 2.0, 4.0, 8.0]).unwrap().median, 3.0);
    }
}
