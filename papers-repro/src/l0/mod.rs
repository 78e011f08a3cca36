//! Henriksen's thesis on L0, chapter 10: six programs, their structure before and after the optimiser, and their times.
//!
//! The programs are ours, written from the descriptions in the thesis. P0, P1 and P2 are its artificial programs. R0, R1 and R2 compute
//! the results of its real ones, in binary32 where it has binary64.

#[cfg(test)]
#[expect(clippy::needless_range_loop, reason = "loops over grids have the indices of the formulas")]
mod oracle;
pub mod report;
#[cfg(test)]
mod tests;

use refcompiler::pipeline::{Goal, Output};
use refcompiler::target::Target;
use serde::Deserialize;

use crate::frame::sweep::{Label, Sweep};
use crate::par::compiled::{Structure, executable, structure as structure_after};
use crate::par::foreign::{Built, Foreign};
use crate::par::simulated::run;
use crate::par::table::{Job, check_same, measure as measure_one};
use crate::par::variant::{Variant, Variants};
use crate::par::{Program, program};

/// The experiments' names in the record.
pub const TIMES: &str = "figure 45";
pub const STRUCTURE: &str = "figures 39 to 44";
pub const RESULTS: &str = "results";
pub const IN_C: &str = "programs in C";

/// The variant of the programs in C.
pub const GCC: &str = "gcc -O2";

/// The names of variants that the report compares.
pub const PLAIN: &str = "not optimised";
pub const FUSION: &str = "fusion";
pub const OPTIMISED: &str = "optimised";

/// The variant of a printed result, which is the same in all variants.
pub const OUTPUT: &str = "output";

/// The total over all functions, in the record.
pub const WHOLE: &str = "all functions";

/// The published figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    source: String,
    machine: String,
    figure_45: Vec<Times>,
}

/// A row of figure 45.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    case: String,
    plain_ms: f64,
    optimised_ms: f64,
    gain: f64,
}

impl Published {
    fn new() -> Published {
        serde_json::from_str(include_str!("../../data/l0.json")).expect("the file is ours")
    }

    /// Returns the times of a program.
    fn times(&self, case: &str) -> Option<&Times> {
        self.figure_45.iter().find(|row| row.case == case)
    }
}

/// A program with its input.
pub struct Subject {
    /// The name in the thesis.
    pub name: &'static str,
    /// The result, as a noun phrase.
    pub result: &'static str,
    /// The text.
    pub program: Program,
    /// Returns the input for a number of repetitions.
    pub input: fn(u64) -> String,
    /// The part of the work that the simulator counts.
    pub counted: Counted,
    /// The text of the same program in C, if there is one.
    c: Option<&'static str>,
}

/// Work for the simulator.
pub struct Counted {
    /// The part of the work.
    pub part: &'static str,
    /// The repetitions.
    times: u64,
    /// Returns the input for a number of repetitions.
    pub input: fn(u64) -> String,
}

impl Subject {
    /// Returns the same program in C, if there is one.
    fn in_c(&self) -> Option<Foreign> {
        self.c.map(|text| Foreign { compiler: "gcc", options: &["-O2"], text, extension: "c" })
    }

    /// Returns a program whose whole work is small enough for the simulator, and counted over some repetitions.
    const fn small(
        name: &'static str,
        result: &'static str,
        program: Program,
        times: u64,
        input: fn(u64) -> String,
    ) -> Subject {
        Subject { name, result, program, input, counted: Counted { part: "all", times, input }, c: None }
    }
}

const MODEL: &str = include_str!("../../programs/l0/r0.model");
const QUOTES: &str = include_str!("../../programs/l0/r2.quotes");

/// The parameters of R2.
const PARAMETERS: &str = "0.023511 0.964110 -0.912444 0.142763 0.025390";

/// Returns the quotes of R2 with the first `most` quotes of each line.
fn some_quotes(most: usize) -> String {
    let mut lines = QUOTES.lines();
    // The numbers of quotes and of points.
    let points = lines.next().and_then(|head| head.split(' ').nth(1)).unwrap_or_default();
    let (quotes, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains("  "));
    let chosen: Vec<&str> = quotes.iter().flat_map(|line| line.split("  ").take(most)).collect();
    format!("{} {points}\n{}\n{}\n", chosen.len(), chosen.join("\n"), rest.join("\n"))
}

/// The programs. R0 and R1 have the sizes of the thesis. R2 prices all quotes for one set of parameters: the best one of the public
/// benchmark of finpar.
pub const SUBJECTS: [Subject; 6] = [
    Subject::small("P0", "the formula of Black and Scholes for 1,825 days", program!("l0/p0.par"), 1, |times| {
        format!("1825 {times}\n")
    }),
    Subject::small("P1", "the product of two matrices of 64 by 64 ints", program!("l0/p1.par"), 1, |times| {
        format!("64 {times}\n")
    }),
    Subject::small("P2", "shortest paths between 3 towns", program!("l0/p2.par"), 100, |times| format!("3 {times}\n")),
    Subject {
        name: "R0",
        result: "the price of an option by 1,000 paths",
        program: program!("l0/r0.par"),
        input: |times| format!("{times} 1000\n{MODEL}"),
        counted: Counted { part: "100 paths", times: 1, input: |times| format!("{times} 100\n{MODEL}") },
        c: Some(include_str!("../../programs/l0/r0.c")),
    },
    Subject {
        name: "R1",
        result: "prices for 8 strikes on a grid of 32 by 16 points, 32 steps",
        program: program!("l0/r1.par"),
        input: |times| format!("{times} 8 32 16 32 0.03 5.0 0.2 0.6 0.5\n"),
        counted: Counted {
            part: "1 strike, 8 steps",
            times: 1,
            input: |times| format!("{times} 1 32 16 8 0.03 5.0 0.2 0.6 0.5\n"),
        },
        c: Some(include_str!("../../programs/l0/r1.c")),
    },
    Subject {
        name: "R2",
        result: "prices of 196 swaptions for one set of parameters",
        program: program!("l0/r2.par"),
        input: |times| format!("{times} {PARAMETERS}\n{QUOTES}"),
        counted: Counted {
            part: "14 swaptions",
            times: 1,
            input: |times| format!("{times} {PARAMETERS}\n{}", some_quotes(1)),
        },
        c: Some(include_str!("../../programs/l0/r2.c")),
    },
];

/// Measures all programs in all variants.
///
/// # Errors
/// The reason why a program cannot be compiled or run, or gives another result in another variant.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let variants = Variants::new().l0;
    sweep.plan((SUBJECTS.len() * variants.len()) as u64);
    for subject in &SUBJECTS {
        if sweep.is_interrupted() {
            break;
        }
        if sweep.case(format!("{}, {}", subject.name, subject.result)) {
            one_program(sweep, subject, &variants)?;
            sweep.keep()?;
        } else {
            sweep.step(variants.len() as u64);
        }
    }
    Ok(())
}

fn one_program(sweep: &mut Sweep, subject: &Subject, variants: &[Variant]) -> Result<(), String> {
    structure(sweep, subject, variants)?;
    let job = |is_timed| Job {
        experiment: TIMES,
        case: subject.name,
        program: subject.program,
        numbers: &[],
        is_timed,
        counted: if is_timed { 0 } else { subject.counted.times },
    };
    let mut expected = [None, None];
    for variant in variants {
        if sweep.is_interrupted() {
            return Ok(());
        }
        let outputs = [
            measure_one(sweep, &job(true), variant, subject.input)?,
            measure_one(sweep, &job(false), variant, subject.counted.input)?,
        ];
        sweep.step(1);
        for (expected, output) in expected.iter_mut().zip(outputs) {
            check_same(expected, output, subject.name, variant)?;
        }
    }
    let [output, _] = expected;
    let output = output.map_or_else(|| simulated(subject), Ok)?;
    let values = numbers_of(&output);
    let names: Vec<String> = (0..values.len()).map(value_name).collect();
    let numbers: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(values).collect();
    sweep.add(&Label { experiment: RESULTS, case: subject.name, variant: OUTPUT, stage: "" }, &numbers, Vec::new());
    in_c(sweep, subject, &output)
}

/// Measures the same program in C, if there is one and its compiler is installed.
fn in_c(sweep: &mut Sweep, subject: &Subject, expected: &str) -> Result<(), String> {
    let Some(program) = subject.in_c() else { return Ok(()) };
    let built = program.compiled(&[])?;
    sweep.note_once(program.note(GCC, &built));
    if let Built::Ready { native, .. } = built {
        let (output, seconds) = native.measure(sweep, subject.input)?;
        check_close(subject.name, &numbers_of(&output), &numbers_of(expected))?;
        let label = Label { experiment: IN_C, case: subject.name, variant: GCC, stage: "" };
        sweep.add(&label, &[], seconds);
    }
    Ok(())
}

/// The relative deviation up to which results of Par and of C are the same: their functions of one number round differently.
const CLOSE: f64 = 1e-3;

/// Checks that a program in C computes what the program in Par computes.
fn check_close(name: &str, found: &[f64], expected: &[f64]) -> Result<(), String> {
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= CLOSE * b.abs();
    if found.len() == expected.len() && found.iter().zip(expected).all(is_close) {
        return Ok(());
    }
    Err(format!("{name}: the program in C prints {found:?}, and not {expected:?}"))
}

/// Returns the result of a program on a machine that does not run it.
fn simulated(subject: &Subject) -> Result<String, String> {
    let goal = Goal { target: Target::Riscv32, output: Output::Executable };
    run(&executable(&subject.program, goal.into())?, &(subject.input)(1)).map(|(output, _)| output)
}

/// Records the operations on whole arrays in each function, and the checks that run for each of their elements.
fn structure(sweep: &mut Sweep, subject: &Subject, variants: &[Variant]) -> Result<(), String> {
    for variant in variants {
        let Some(settings) = variant.settings(Target::Riscv32) else { continue };
        let functions = structure_after(&subject.program, settings)?;
        let sum = |of: fn(&Structure) -> usize| functions.iter().map(of).sum();
        let (multiloops, checks) = (sum(|of| of.multiloops), sum(|of| of.checks));
        let whole = Structure { function: WHOLE.into(), multiloops, checks };
        for Structure { function, multiloops, checks } in functions.iter().chain([&whole]) {
            let label = Label { experiment: STRUCTURE, case: subject.name, variant: &variant.name, stage: function };
            sweep.add(&label, &[("multiloops", *multiloops as f64), ("checks", *checks as f64)], Vec::new());
        }
    }
    Ok(())
}

/// Returns the name of a printed number in the record, counted from 0.
pub fn value_name(index: usize) -> String {
    format!("value {index}")
}

/// Returns the numbers in a text.
pub fn numbers_of(text: &str) -> Vec<f64> {
    let is_end = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e'));
    text.split(is_end).filter_map(|word| word.parse().ok()).collect()
}
