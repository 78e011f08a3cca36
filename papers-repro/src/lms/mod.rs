//! The tutorials on LMS: worked examples before and after a transformation, a query over a table, and a step of SPADE.
//!
//! An example has two forms, the second as a programmer writes the result of the transformation. The optimiser has done the
//! transformation if both execute the same number of instructions. For examples of fusion, the loops that are left are counted.

#[cfg(test)]
mod oracle;
pub mod report;

use refcompiler::target::Target;

use crate::frame::sweep::{Label, Sweep};
use crate::par::compiled::structure;
use crate::par::table::{Job, check_same, measure as measure_one};
use crate::par::variant::{Variant, Variants};
use crate::par::{Program, program};

/// The experiments' names in the record.
pub const EXAMPLES: &str = "worked examples";
pub const STRUCTURE: &str = "loops of worked examples";
pub const QUERY: &str = "TPC-H query 1";
pub const SPADE: &str = "SPADE";

/// The names of variants that the report compares.
pub const PLAIN: &str = "not optimised";
pub const OPTIMISED: &str = "optimised";

const PROGRAM: Program = program!("lms/examples.par");
const QUERY_PROGRAM: Program = program!("lms/query.par");
const SPADE_PROGRAM: Program = program!("lms/spade.par");

/// The examples, by the numbers that the program reads: the identifier of the claim, and the transformation.
pub const TITLES: [(&str, &str); 14] = [
    ("lms-1", "constants, neutral elements and products of constants"),
    ("lms-2", "a condition inside a branch of the same condition"),
    ("lms-3", "an expression moves out of a loop"),
    ("lms-4", "a read is the value of the last assignment"),
    ("lms-5", "a condition is split, and its unused part removed"),
    ("lms-6", "facts about variables in a loop, by speculation"),
    ("lms-7", "a vector of zeros disappears from a sum"),
    ("lms-8", "the unused field of a struct disappears"),
    ("lms-9", "the unchanged column of an array of structs is not copied"),
    ("lms-10a", "`a * x + y` and its sum are one loop"),
    ("lms-10b", "mean and variance are one loop"),
    ("lms-11", "a number leaves the norm of a vector"),
    ("lms-12a", "filter, map and sum are one loop"),
    ("lms-12b", "two maps and a sum by groups are one loop"),
];

/// The forms of an example.
pub const FORMS: [&str; 2] = ["before", "after"];

/// The examples whose claim is that one loop is left, with their functions.
pub const ONE_LOOP: [(&str, &str); 4] =
    [("lms-10a", "axpy"), ("lms-10b", "moments"), ("lms-12a", "filtered"), ("lms-12b", "grouped")];

/// The repetitions of an example on the simulator.
const REPETITIONS: u64 = 10;

/// Returns the name of an example's case.
pub fn case_of(example: usize, form: usize) -> String {
    format!("{}, {}", TITLES[example - 1].0, FORMS[form])
}

/// A program of one table of variants.
struct Table<'a> {
    experiment: &'static str,
    program: Program,
    variants: &'a [Variant],
    /// The rows that are counted on the simulator, and the rows that are timed.
    counted: u64,
    timed: u64,
}

/// Measures all examples.
///
/// # Errors
/// The reason why a program cannot be compiled or run, or gives another result in another variant.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let variants = Variants::new();
    let timed = |quick, full| if sweep.options.quick { quick } else { full };
    let tables = [
        Table {
            experiment: QUERY,
            program: QUERY_PROGRAM,
            variants: &variants.lms_query,
            counted: 10_000,
            timed: timed(200_000, 1_000_000),
        },
        Table {
            experiment: SPADE,
            program: SPADE_PROGRAM,
            variants: &variants.lms_spade,
            counted: 200,
            timed: timed(1_000, 4_000),
        },
    ];
    let later: usize = tables.iter().map(|table| table.variants.len()).sum();
    sweep.plan((TITLES.len() + 4 * later) as u64);
    examples(sweep, &variants.lms_examples)?;
    for table in tables {
        one_table(sweep, &table)?;
    }
    Ok(())
}

fn examples(sweep: &mut Sweep, variants: &[Variant]) -> Result<(), String> {
    if sweep.case("loops of the examples".into()) {
        loops(sweep, variants)?;
        sweep.keep()?;
    }
    for example in 1..=TITLES.len() {
        if sweep.is_interrupted() {
            return Ok(());
        }
        if sweep.case(TITLES[example - 1].1.into()) {
            let mut expected = None;
            for form in 0..FORMS.len() {
                let case = case_of(example, form);
                let job = Job {
                    experiment: EXAMPLES,
                    case: &case,
                    program: PROGRAM,
                    numbers: &[],
                    is_timed: false,
                    counted: REPETITIONS,
                };
                for variant in variants {
                    let output = measure_one(sweep, &job, variant, |times| format!("{example} {form} {times}\n"))?;
                    check_same(&mut expected, output, &case, variant)?;
                }
            }
            sweep.keep()?;
        }
        sweep.step(1);
    }
    Ok(())
}

/// Records the operations on whole arrays in each function of the examples.
fn loops(sweep: &mut Sweep, variants: &[Variant]) -> Result<(), String> {
    for variant in variants {
        let Some(settings) = variant.settings(Target::Riscv32) else { continue };
        for found in structure(&PROGRAM, settings)? {
            let label = Label { experiment: STRUCTURE, case: &found.function, variant: &variant.name, stage: "" };
            sweep.add(&label, &[("multiloops", found.multiloops as f64)], Vec::new());
        }
    }
    Ok(())
}

fn one_table(sweep: &mut Sweep, table: &Table<'_>) -> Result<(), String> {
    for (rows, is_timed) in [(table.counted, false), (table.timed, true)] {
        let case = format!("{rows} rows");
        let mut expected = None;
        for variant in table.variants {
            if sweep.is_interrupted() {
                return Ok(());
            }
            if sweep.case(format!("{}, {case}, {}", table.experiment, variant.name)) {
                let numbers = [("rows", rows as f64), ("form", f64::from(variant.form))];
                let (experiment, program) = (table.experiment, table.program);
                let job = Job {
                    experiment,
                    case: &case,
                    program,
                    numbers: &numbers,
                    is_timed,
                    counted: u64::from(!is_timed),
                };
                let form = variant.form;
                let output = measure_one(sweep, &job, variant, |times| format!("{form} {rows} {times}\n"))?;
                check_same(&mut expected, output, &case, variant)?;
                sweep.keep()?;
            }
            sweep.step(if is_timed { 3 } else { 1 });
        }
    }
    Ok(())
}
