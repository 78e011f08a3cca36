//! Idle cores: the conditions of a record.
//!
//! Three signs of other programs are compared with limits: the load average before a measurement, the cores that other
//! programs use during it, and the spread of a calibration loop that runs between the measured runs.

use std::time::Instant;

use crate::host::{OtherLoad, load_average};
use crate::statistics::statistics;

/// The largest load average per core before a measurement.
pub const MAX_LOAD: f64 = 0.25;

/// The largest share of the cores that other programs may use during a measurement.
pub const MAX_OTHERS: f64 = 0.1;

/// The largest spread of the calibration loop.
pub const MAX_SPREAD: f64 = 0.1;

/// Observes the cores from before a measurement to its end.
pub struct Observer {
    cores: usize,
    load: Option<f64>,
    others: OtherLoad,
    calibrations: Vec<f64>,
}

impl Observer {
    /// Begins before the measurement.
    pub fn start() -> Observer {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Observer { cores, load: load_average(), others: OtherLoad::start(), calibrations: Vec::new() }
    }

    /// Runs the calibration loop once, on the calling thread.
    ///
    /// On several threads it would also measure where the system puts them: for milliseconds it can leave two of them on one core
    /// beside an idle one. The other two values detect programs on the other cores.
    pub fn calibrate(&mut self) {
        let start = Instant::now();
        std::hint::black_box(fixed_work());
        self.calibrations.push(start.elapsed().as_secs_f64());
    }

    /// Returns the conditions until now.
    pub fn conditions(&self) -> Conditions {
        let found = statistics(&self.calibrations);
        Conditions {
            cores: self.cores,
            load: self.load,
            others: self.others.cores(),
            calibration_ms: found.map(|s| s.median * 1e3),
            spread: found.map(|s| s.quartiles[1] / s.minimum - 1.0),
        }
    }
}

/// Does the same work in each call: a chain of dependent operations, which uses no memory and takes some milliseconds.
fn fixed_work() -> u64 {
    (0..5_000_000).fold(1, |x: u64, step| std::hint::black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step))
}

/// The conditions of a measurement. `None` stands for a value that the system does not report, or no run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// The number of cores.
    pub cores: usize,
    /// The load average before the measurement.
    pub load: Option<f64>,
    /// The number of cores that other programs used during the measurement, on average.
    pub others: Option<f64>,
    /// The median time of the calibration loop in milliseconds.
    pub calibration_ms: Option<f64>,
    /// The spread of the calibration loop: the time above the minimum that the slowest quarter of its runs exceeds,
    /// relative to the minimum.
    pub spread: Option<f64>,
}

impl Conditions {
    /// Returns one sentence for each value above its limit: the reasons against a record.
    pub fn objections(&self) -> Vec<String> {
        let cores = self.cores as f64;
        let mut found = Vec::new();
        if let Some(load) = self.load.filter(|load| *load > MAX_LOAD * cores) {
            let limit = MAX_LOAD * cores;
            found.push(format!("the load average before the measurement is {load:.2}, above the limit of {limit:.2}"));
        }
        if let Some(others) = self.others.filter(|others| *others > MAX_OTHERS * cores) {
            let limit = MAX_OTHERS * cores;
            found.push(format!("other programs use {others:.2} of {cores} cores, above the limit of {limit:.2}"));
        }
        if let Some(spread) = self.spread.filter(|spread| *spread > MAX_SPREAD) {
            let [spread, limit] = [spread, MAX_SPREAD].map(|share| 100.0 * share);
            found.push(format!("the spread of the calibration loop is {spread:.1} %, above the limit of {limit:.0} %"));
        }
        found
    }

    /// Refuses a record on a busy machine, unless `allow_busy` is set. Returns the objections, for the record.
    ///
    /// # Errors
    /// All objections in one message.
    pub fn admit(&self, allow_busy: bool) -> Result<Vec<String>, String> {
        let objections = self.objections();
        if objections.is_empty() || allow_busy {
            return Ok(objections);
        }
        let advice = "measure again on idle cores, or give --allow-busy to record it as made on a busy machine";
        Err(format!("no record, because this machine is busy: {}; {advice}", objections.join("; ")))
    }

    /// Returns the values in one line.
    pub fn text(&self) -> String {
        let number =
            |value: Option<f64>, unit: &str| value.map_or("unknown".into(), |value| format!("{value:.2}{unit}"));
        format!(
            "load average before {}, cores used by other programs {} of {}, calibration loop {} with a spread of {}",
            number(self.load, ""),
            number(self.others, ""),
            self.cores,
            number(self.calibration_ms, " ms"),
            number(self.spread.map(|spread| 100.0 * spread), " %")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Conditions =
        Conditions { cores: 2, load: Some(0.5), others: Some(0.2), calibration_ms: Some(9.0), spread: Some(0.1) };

    #[test]
    fn values_at_their_limits_and_unknown_values_are_no_objection() {
        assert_eq!(QUIET.objections(), [""; 0]);
        let unknown = Conditions { cores: 1, load: None, others: None, calibration_ms: None, spread: None };
        assert_eq!(unknown.objections(), [""; 0]);
    }

    #[test]
    fn each_value_above_its_limit_is_an_objection_with_both_numbers() {
        let busy = |change: fn(&mut Conditions)| {
            let mut conditions = QUIET;
            change(&mut conditions);
            let objections = conditions.objections();
            assert_eq!(objections.len(), 1, "{objections:?}");
            objections[0].clone()
        };
        let load = busy(|c| c.load = Some(0.51));
        assert!(load.contains("0.51") && load.contains("limit of 0.50"), "{load}");
        let others = busy(|c| c.others = Some(0.25));
        assert!(others.contains("0.25 of 2 cores") && others.contains("limit of 0.20"), "{others}");
        let spread = busy(|c| c.spread = Some(0.123));
        assert!(spread.contains("12.3 %") && spread.contains("limit of 10 %"), "{spread}");
    }

    #[test]
    fn limits_of_load_grow_with_the_number_of_cores() {
        let conditions = Conditions { cores: 4, load: Some(0.9), others: Some(0.39), ..QUIET };
        assert_eq!(conditions.objections(), [""; 0]);
        assert_eq!(Conditions { cores: 1, ..conditions }.objections().len(), 2);
    }

    #[test]
    fn a_record_on_a_busy_machine_is_refused_or_marked() {
        assert_eq!(QUIET.admit(false), Ok(vec![]));
        let busy = Conditions { load: Some(3.0), spread: Some(0.5), ..QUIET };
        let error = busy.admit(false).unwrap_err();
        assert!(busy.objections().iter().all(|objection| error.contains(objection)), "{error}");
        assert!(error.contains("--allow-busy"), "{error}");
        assert_eq!(busy.admit(true), Ok(busy.objections()));
    }

    #[test]
    fn calibrations_count_from_the_fastest() {
        let mut observer = Observer::start();
        observer.calibrations = vec![0.010, 0.010, 0.012, 0.015, 0.050];
        let conditions = observer.conditions();
        assert_eq!(conditions.calibration_ms, Some(12.0));
        assert!((conditions.spread.unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(Observer::start().conditions().spread, None);
    }
}
