//! Medians of paired runs.

use std::hint::black_box;
use std::time::Instant;

use treepar::{Backend, Cpu, Result};

use super::{Application, Input};
use crate::statistics::{Statistics, statistics};

/// The measurement of one application on one input.
#[derive(Clone, Debug)]
pub struct Row {
    /// The application's name.
    pub application: &'static str,
    /// The meaning of a node.
    pub node: &'static str,
    /// The number of nodes.
    pub nodes: usize,
    /// The bytes of the input.
    pub input_bytes: usize,
    /// The bytes that treepar's templates read and write on one thread.
    pub moved_bytes: u64,
    /// Seconds of the sequential version, and of treepar's on one thread and on all.
    pub seconds: [Statistics; 3],
    /// Speeds of treepar's version on one thread and on all, relative to the sequential version in the same round.
    pub speed: [Statistics; 2],
}

impl Row {
    /// Returns the row of some rounds, each with the seconds of the three versions. `None` without a round.
    pub fn new<B: Backend>(
        application: &Application<B>,
        input: &Input,
        moved_bytes: u64,
        rounds: &[[f64; 3]],
    ) -> Option<Row> {
        let of = |value: &dyn Fn(&[f64; 3]) -> f64| statistics(&rounds.iter().map(value).collect::<Vec<_>>());
        Some(Row {
            application: application.name,
            node: application.node,
            nodes: input.nodes,
            input_bytes: input.text.len()
                + size_of_val(&input.depth[..])
                + size_of_val(&input.label[..])
                + input.mark.len(),
            moved_bytes,
            seconds: [of(&|round| round[0])?, of(&|round| round[1])?, of(&|round| round[2])?],
            speed: [of(&|round| round[0] / round[1])?, of(&|round| round[0] / round[2])?],
        })
    }

    /// Returns the median of a version's nanoseconds per node.
    pub fn ns_per_node(&self, version: usize) -> f64 {
        self.seconds[version].median * 1e9 / self.nodes as f64
    }
}

/// The backends that a measurement compares with sequential code.
pub struct Backends {
    /// One thread.
    pub one: Cpu,
    /// All threads.
    pub all: Cpu,
}

/// Compares both versions on an input and then measures them in `rounds` rounds. Each round runs every version once, and every
/// second round in the reverse order. `between` is called before each run.
pub fn measure(
    application: &Application<Cpu>,
    backends: &Backends,
    input: &Input,
    rounds: usize,
    between: &mut dyn FnMut(),
) -> std::result::Result<Option<Row>, String> {
    let expected = (application.plain)(input);
    let mut moved_bytes = 0;
    for cpu in [&backends.all, &backends.one] {
        let before = cpu.counters().bytes;
        let columns = (application.ours)(cpu, input).map_err(|error| error.to_string())?;
        moved_bytes = cpu.counters().bytes - before;
        let found = columns.download(cpu).map_err(|error| error.to_string())?;
        if let Some(difference) = found.difference(&expected) {
            return Err(format!("{}, {} nodes: {difference}", application.name, input.nodes));
        }
    }
    drop(expected);
    let mut found = vec![[0.0; 3]; rounds];
    for (round, times) in found.iter_mut().enumerate() {
        for k in 0..3 {
            let version = if round % 2 == 0 { k } else { 2 - k };
            between();
            times[version] = match version {
                0 => seconds(&mut || {
                    black_box((application.plain)(black_box(input)));
                    Ok(())
                }),
                1 => {
                    seconds(&mut || (application.ours)(&backends.one, black_box(input)).map(|out| drop(black_box(out))))
                }
                _ => {
                    seconds(&mut || (application.ours)(&backends.all, black_box(input)).map(|out| drop(black_box(out))))
                }
            }
            .map_err(|error| error.to_string())?;
        }
    }
    Ok(Row::new(application, input, moved_bytes, &found))
}

/// Returns the seconds of a run. A run shorter than two milliseconds is repeated.
fn seconds(work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    let mut times = 0u32;
    while times == 0 || start.elapsed().as_secs_f64() < 2e-3 {
        work()?;
        times += 1;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(times))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::applications;
    use super::*;

    /// Returns a row with given rounds.
    pub fn example(rounds: &[[f64; 3]]) -> Row {
        let application = &applications::<Cpu>()[0];
        let input = Input { nodes: 1000, text: "x".repeat(5000), ..Input::default() };
        Row::new(application, &input, 40_000, rounds).unwrap()
    }

    #[test]
    fn speeds_compare_runs_of_one_round() {
        // The machine gets slower by ten from round to round.
        let row = example(&[[2.0, 1.0, 0.5], [20.0, 10.0, 5.0], [200.0, 50.0, 50.0]]);
        assert_eq!((row.speed[0].median, row.speed[0].maximum), (2.0, 4.0));
        assert_eq!((row.speed[1].median, row.seconds[0].median), (4.0, 20.0));
        assert_eq!((row.ns_per_node(1), row.input_bytes), (1e7, 5000));
    }

    #[test]
    fn every_application_is_measured() {
        let backends = Backends { one: Cpu::with_threads(1), all: Cpu::with_threads(2) };
        for application in applications() {
            let input = (application.draw)(300, &mut refcompiler_programs::Rng::new(1));
            let mut runs = 0;
            let row = measure(&application, &backends, &input, 2, &mut || runs += 1).unwrap().unwrap();
            assert_eq!((row.nodes, row.speed[0].runs, runs), (input.nodes, 2, 6));
            assert!(row.moved_bytes > 0);
        }
    }
}
