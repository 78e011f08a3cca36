//! Henriksen's thesis on L0, chapter 10: six programs, their structure before and after the optimiser, and their times.
//!
//! The programs are ours, written from the descriptions in the thesis. P0, P1 and P2 are its artificial programs. R0, R1 and R2 compute
//! what its real ones compute, in binary32 where it has binary64.

#[cfg(test)]
#[expect(clippy::needless_range_loop, reason = "loops over grids have the indices of the formulas")]
mod oracle;
pub mod report;

use refcompiler::pipeline::settings::Optimisations;
use refcompiler::target::Target;

use crate::frame::sweep::{Label, Sweep};
use crate::par::compiled::{Structure, executable, structure as structure_after};
use crate::par::simulated::run;
use crate::par::table::{Job, measure as measure_one};
use crate::par::variant::{Variant, Variants};
use crate::par::{Program, program};

/// The experiments' names in the record.
pub const TIMES: &str = "figure 45";
pub const STRUCTURE: &str = "figures 39 to 44";
pub const RESULTS: &str = "results";

/// The names of variants that the report compares.
pub const PLAIN: &str = "not optimised";
pub const FUSION: &str = "fusion";
pub const OPTIMISED: &str = "optimised";

/// The total over all functions, in the record.
pub const WHOLE: &str = "all functions";

/// A program with its input.
pub struct Subject {
    /// The name in the thesis.
    pub name: &'static str,
    /// What it computes.
    pub what: &'static str,
    /// The text.
    pub program: Program,
    /// Returns the input for a number of repetitions.
    pub input: fn(u64) -> String,
    /// The part of the work that the simulator counts.
    pub counted: Counted,
}

/// Work for the simulator.
pub struct Counted {
    /// What it is.
    pub what: &'static str,
    /// The repetitions.
    times: u64,
    /// Returns the input for a number of repetitions.
    pub input: fn(u64) -> String,
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
    Subject {
        name: "P0",
        what: "the formula of Black and Scholes for 1,825 days",
        program: program!("l0/p0.par"),
        input: |times| format!("1825 {times}\n"),
        counted: Counted { what: "all", times: 1, input: |times| format!("1825 {times}\n") },
    },
    Subject {
        name: "P1",
        what: "the product of two matrices of 64 by 64 ints",
        program: program!("l0/p1.par"),
        input: |times| format!("64 {times}\n"),
        counted: Counted { what: "all", times: 1, input: |times| format!("64 {times}\n") },
    },
    Subject {
        name: "P2",
        what: "shortest paths between 3 places",
        program: program!("l0/p2.par"),
        input: |times| format!("3 {times}\n"),
        counted: Counted { what: "all", times: 100, input: |times| format!("3 {times}\n") },
    },
    Subject {
        name: "R0",
        what: "the price of an option by 1,000 paths",
        program: program!("l0/r0.par"),
        input: |times| format!("{times} 1000\n{MODEL}"),
        counted: Counted { what: "100 paths", times: 1, input: |times| format!("{times} 100\n{MODEL}") },
    },
    Subject {
        name: "R1",
        what: "prices for 8 strikes on a grid of 32 by 16 points, 32 steps",
        program: program!("l0/r1.par"),
        input: |times| format!("{times} 8 32 16 32 0.03 5.0 0.2 0.6 0.5\n"),
        counted: Counted {
            what: "1 strike, 8 steps",
            times: 1,
            input: |times| format!("{times} 1 32 16 8 0.03 5.0 0.2 0.6 0.5\n"),
        },
    },
    Subject {
        name: "R2",
        what: "prices of 196 swaptions for one set of parameters",
        program: program!("l0/r2.par"),
        input: |times| format!("{times} {PARAMETERS}\n{QUOTES}"),
        counted: Counted {
            what: "14 swaptions",
            times: 1,
            input: |times| format!("{times} {PARAMETERS}\n{}", some_quotes(1)),
        },
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
        if sweep.case(format!("{}, {}", subject.name, subject.what)) {
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
            let Some(output) = output else { continue };
            if *expected.get_or_insert_with(|| output.clone()) != output {
                return Err(format!("{}: the result differs with `{}`", subject.name, variant.options()));
            }
        }
    }
    let [output, _] = expected;
    let output = output.map_or_else(|| simulated(subject), Ok)?;
    let values = numbers_of(&output);
    let names: Vec<String> = (0..values.len()).map(|k| format!("value {k}")).collect();
    let numbers: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(values).collect();
    sweep.add(&Label { experiment: RESULTS, case: subject.name, variant: "output", stage: "" }, &numbers, Vec::new());
    Ok(())
}

/// Returns the result of a program on a machine that does not run it.
fn simulated(subject: &Subject) -> Result<String, String> {
    let elf = executable(&subject.program, Target::Riscv32, Optimisations::default())?;
    run(&elf, &(subject.input)(1)).map(|(output, _)| output)
}

/// Records the operations on whole arrays in each function, and the checks that run for each of their elements.
fn structure(sweep: &mut Sweep, subject: &Subject, variants: &[Variant]) -> Result<(), String> {
    for variant in variants {
        let Some(passes) = variant.optimisations() else { continue };
        let functions = structure_after(&subject.program, passes)?;
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

/// Returns the numbers in a text.
pub fn numbers_of(text: &str) -> Vec<f64> {
    let is_end = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e'));
    text.split(is_end).filter_map(|word| word.parse().ok()).collect()
}
