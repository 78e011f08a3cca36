//! Medians, and ratios of runs in one round.

use super::builds::{Compiler, names};
use super::programs::Subject;
use crate::process::Usage;
use crate::rounds::ratios;
use crate::statistics::{Statistics, statistics};

/// The measurement of one program by one compiler.
pub struct Row {
    /// The program's name.
    pub program: &'static str,
    /// The compiler's name.
    pub compiler: &'static str,
    /// The user times in seconds.
    pub seconds: Statistics,
    /// The times divided by the times with `gcc -O1` in the same round.
    pub times_gcc: Option<Statistics>,
    /// The times divided by the times with tcc in the same round.
    pub times_tcc: Option<Statistics>,
}

/// Returns the rows of a program, given the runs by each compiler in the order of the rounds.
pub fn rows(subject: &Subject, compilers: &[Compiler], runs: &[Vec<Usage>]) -> Vec<Row> {
    let time = |run: &Usage| run.user_seconds;
    let by = |name: &str| Some(&runs[compilers.iter().position(|compiler| compiler.name == name)?]);
    let row = |(compiler, own): (&Compiler, &Vec<Usage>)| {
        let compared = |name| by(name).and_then(|other| ratios(own, other, time, 1.0));
        Some(Row {
            program: subject.name,
            compiler: compiler.name,
            seconds: statistics(&own.iter().map(time).collect::<Vec<_>>())?,
            times_gcc: compared(names::GCC_1),
            times_tcc: compared(names::TCC),
        })
    };
    compilers.iter().zip(runs).filter_map(row).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::builds::tests::compilers;
    use super::super::programs::subjects;
    use super::*;

    /// Returns the rows of the program gcd in three rounds. The machine gets slower by ten from round to round.
    pub fn example() -> Vec<Row> {
        let used = |seconds: [f64; 3]| {
            let run = |user_seconds| Usage { seconds: 9.0, cpu_seconds: 9.0, user_seconds, peak_bytes: None };
            seconds.map(run).to_vec()
        };
        let runs = [used([1.0, 10.0, 100.0]), used([0.5, 6.0, 40.0]), used([0.25, 2.5, 25.0])];
        rows(&subjects(true)[0], &compilers(&[names::REFC_1, names::TCC, names::GCC_1]), &runs)
    }

    #[test]
    fn ratios_compare_user_times_of_one_round() {
        let rows = example();
        assert_eq!(rows.len(), 3);
        let (gcc, tcc) = (rows[0].times_gcc.unwrap(), rows[0].times_tcc.unwrap());
        assert_eq!((gcc.median, gcc.spread(), tcc.median, tcc.maximum), (4.0, 0.0, 2.0, 2.5));
        assert_eq!((rows[2].seconds.median, rows[2].times_gcc.unwrap().median), (2.5, 1.0));
    }

    #[test]
    fn a_missing_compiler_leaves_its_ratio_out() {
        let run = Usage { seconds: 1.0, cpu_seconds: 1.0, user_seconds: 1.0, peak_bytes: None };
        let rows = rows(&subjects(true)[0], &compilers(&[names::REFC_0, names::TCC]), &[vec![run], vec![run]]);
        assert!(rows[0].times_gcc.is_none() && rows[0].times_tcc.is_some());
    }
}
