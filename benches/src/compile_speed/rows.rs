//! Medians, and ratios of runs in one round.

use super::compilers::{Compiler, OURS, Task};
use super::plan::{Case, Group};
use crate::process::Usage;
use crate::program::Shape;
use crate::rounds::ratios;
use crate::statistics::{Statistics, statistics};

/// The measurement of one compiler with a task on one program.
pub struct Row {
    /// The program's name.
    pub program: &'static str,
    /// The requested size of the program.
    pub size: usize,
    /// The bytes of the program's text in the compiler's language.
    pub bytes: usize,
    /// The task.
    pub task: Task,
    /// The compiler's name.
    pub compiler: &'static str,
    /// The times in seconds.
    pub seconds: Statistics,
    /// The median of the times of all cores together, in seconds.
    pub cpu_seconds: f64,
    /// The largest peak memory of a run.
    pub peak_bytes: Option<u64>,
    /// The times divided by the times of `refc` on the same program in the same round.
    pub times_refc: Option<Statistics>,
    /// The name of the compiler's [base](Compiler::base).
    pub base: Option<&'static str>,
    /// The times divided by the times of the base on the same program in the same round.
    pub times_base: Option<Statistics>,
    /// The times per byte divided by the times of the same compiler on many functions, see [`Shape::many`], in the same round.
    pub times_many: Option<Statistics>,
}

impl Row {
    /// Returns the median speed in megabytes of source per second.
    pub fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.seconds.median
    }
}

/// Returns the rows of a group, given the runs of each case in the order of the rounds.
pub fn rows(group: &Group, compilers: &[Compiler], runs: &[Vec<Usage>]) -> Vec<Row> {
    let bytes = |case: &Case| group.inputs[case.input].bytes(compilers[case.compiler].language);
    let runs_of = |wanted: &dyn Fn(&Case) -> bool| Some(&runs[group.cases.iter().position(wanted)?]);
    let time = |run: &Usage| run.seconds;
    let mut rows = Vec::new();
    for (case, own) in group.cases.iter().zip(runs) {
        let input = &group.inputs[case.input];
        let Compiler { name: compiler, base, .. } = compilers[case.compiler];
        let seconds: Vec<f64> = own.iter().map(time).collect();
        let Some(seconds) = statistics(&seconds) else { continue };
        let cpu: Vec<f64> = own.iter().map(|run| run.cpu_seconds).collect();
        let of =
            |name| runs_of(&|c| (c.input, c.task) == (case.input, case.task) && compilers[c.compiler].name == name);
        let many = input.shape.map_or(Shape::ManyFunctions, Shape::many);
        let is_many = |c: &Case| group.inputs[c.input].shape == Some(many);
        let many = |c: &Case| (c.compiler, c.task) == (case.compiler, case.task) && is_many(c);
        let of_many = runs_of(&many).zip(group.cases.iter().find(|c| many(c)).map(bytes));
        rows.push(Row {
            program: input.name,
            size: input.size,
            bytes: bytes(case),
            task: case.task,
            compiler,
            seconds,
            cpu_seconds: statistics(&cpu).map_or(f64::NAN, |cpu| cpu.median),
            peak_bytes: own.iter().filter_map(|run| run.peak_bytes).max(),
            times_refc: of(OURS).and_then(|other| ratios(own, other, time, 1.0)),
            base,
            times_base: base.and_then(of).and_then(|other| ratios(own, other, time, 1.0)),
            times_many: of_many
                .and_then(|(other, length)| ratios(own, other, time, length as f64 / bytes(case) as f64)),
        });
    }
    rows
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::compilers::Language;
    use super::super::compilers::tests::{compiler, with_base};
    use super::super::plan::Input;
    use super::*;
    use crate::program::Program;

    fn input(shape: Shape, par: usize, c: usize) -> Input {
        let files = vec![Program { par: " ".repeat(par), c: " ".repeat(c) }];
        Input { name: shape.name(), shape: Some(shape), size: 1000, files }
    }

    fn used(seconds: &[f64], peak: u64) -> Vec<Usage> {
        let usage = |&seconds: &f64| Usage {
            seconds,
            cpu_seconds: 2.0 * seconds,
            user_seconds: seconds,
            peak_bytes: Some(peak),
        };
        seconds.iter().map(usage).collect()
    }

    /// Returns rows of three compilers on two shapes, whose times drift by a factor of ten from round to round.
    pub fn example() -> Vec<Row> {
        let compilers = [compiler("refc", Language::Par), compiler("tcc", Language::C), with_base("refc -O1")];
        let case = |input, compiler| Case { input, task: Task::Object, compiler };
        let group = Group {
            title: String::new(),
            inputs: vec![input(Shape::ManyFunctions, 1000, 1100), input(Shape::OneFunction, 2000, 2200)],
            cases: vec![case(0, 0), case(0, 1), case(1, 0), case(1, 2)],
        };
        let [many, of_tcc] = [used(&[1.0, 10.0, 100.0], 5000), used(&[0.5, 6.0, 40.0], 7000)];
        let runs = [many, of_tcc, used(&[3.0, 30.0, 300.0], 9000), used(&[3.75, 37.5, 390.0], 9500)];
        rows(&group, &compilers, &runs)
    }

    #[test]
    fn ratios_compare_runs_of_one_round() {
        let rows = example();
        let tcc = rows[1].times_refc.unwrap();
        assert_eq!((tcc.median, tcc.minimum, tcc.maximum, tcc.runs), (0.5, 0.4, 0.6, 3));
        assert_eq!(rows[0].times_refc.unwrap().median, 1.0);
        assert_eq!(rows[0].times_refc.unwrap().spread(), 0.0);
        assert_eq!((rows[3].base, rows[3].times_base.unwrap().median), (Some("refc"), 1.25));
        assert!(rows[..3].iter().all(|row| row.base.is_none() && row.times_base.is_none()));
    }

    #[test]
    fn shapes_are_compared_per_byte() {
        let rows = example();
        let one = rows[2].times_many.unwrap();
        assert_eq!((one.median, one.spread()), (1.5, 0.0));
        // There is no run of tcc on one function, and its run on many functions is compared with itself.
        assert_eq!(rows[1].times_many.unwrap().median, 1.0);
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn rows_have_medians_and_the_text_of_their_language() {
        let rows = example();
        assert_eq!((rows[0].bytes, rows[1].bytes), (1000, 1100));
        assert_eq!((rows[1].seconds.median, rows[1].cpu_seconds, rows[1].peak_bytes), (6.0, 12.0, Some(7000)));
        assert!((rows[0].megabytes_per_second() - 0.0001).abs() < 1e-9);
    }

    #[test]
    fn a_group_without_runs_has_no_rows() {
        let compilers = [compiler("refc", Language::Par)];
        let cases = vec![Case { input: 0, task: Task::Check, compiler: 0 }];
        let group = Group { title: String::new(), inputs: vec![input(Shape::WideCall, 1, 1)], cases };
        assert!(rows(&group, &compilers, &[vec![]]).is_empty());
        // Without many functions or `refc`, there is nothing to compare with.
        let compilers = [compiler("tcc", Language::C)];
        let rows = rows(&group, &compilers, &[used(&[1.0], 1)]);
        assert!(rows[0].times_refc.is_none() && rows[0].times_many.is_none());
    }
}
