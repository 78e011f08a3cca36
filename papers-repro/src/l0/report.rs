//! The section of the report on L0.

use super::{FUSION, OPTIMISED, PLAIN, RESULTS, STRUCTURE, SUBJECTS, TIMES, WHOLE};
use crate::claims::{Claim, Measured};
use crate::frame::plot::{Group, Plot};
use crate::frame::record::Record;
use crate::frame::report::{Section, short, short_or_dash};
use crate::par::table::count;

/// The published seconds of figure 45: not optimised, and optimised.
const PUBLISHED: [(&str, f64, f64); 3] = [("R0", 0.430, 0.292), ("R1", 0.098, 0.057), ("R2", 0.061, 0.047)];

/// The names of the counts.
const INSTRUCTIONS: &str = "instructions";
const ACCESSES: &str = "accesses";
const BYTES: &str = "bytes moved";

/// Returns the variants of a record, in order.
fn variants(record: &Record) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for measurement in record.of(TIMES) {
        if !names.contains(&measurement.variant.as_str()) {
            names.push(&measurement.variant);
        }
    }
    names
}

/// Returns the milliseconds of a program.
fn ms(record: &Record, case: &str, variant: &str) -> Option<f64> {
    record.median(TIMES, case, variant, "").map(|seconds| seconds * 1e3)
}

/// Returns the cost of a program in one variant: its time, or its instructions on machines that do not run it.
fn cost(record: &Record, case: &str, variant: &str) -> Option<f64> {
    ms(record, case, variant).or_else(|| count(record, TIMES, case, variant, INSTRUCTIONS))
}

/// Returns the gain of a variant.
fn gain(record: &Record, case: &str, variant: &str) -> Option<f64> {
    Some(cost(record, case, PLAIN)? / cost(record, case, variant)?)
}

/// Returns a number of some functions, summed.
fn sum(record: &Record, case: &str, variant: &str, functions: &[&str], of: &str) -> Option<f64> {
    let each = functions.iter().map(|function| record.find(STRUCTURE, case, variant, function)?.number(of));
    each.collect::<Option<Vec<_>>>().map(|all| all.iter().sum())
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let value = |case: &str, name: &str| record.find(RESULTS, case, "output", "")?.number(name).map(Measured::from);
    let left = |case: &str, functions: &[&str], of: &str| {
        let of_variant = |variant| sum(record, case, variant, functions, of);
        Some(Measured { ours: of_variant(OPTIMISED)?, before: of_variant(PLAIN) })
    };
    match claim.id.strip_prefix("l0-")? {
        "r0" => gain(record, "R0", OPTIMISED).map(Measured::from),
        "r1" => gain(record, "R1", OPTIMISED).map(Measured::from),
        "r2" => gain(record, "R2", OPTIMISED).map(Measured::from),
        "r0-value" => value("R0", "value 0"),
        "r1-first" => value("R1", "value 0"),
        "r1-last" => value("R1", "value 7"),
        "r2-likelihood" => value("R2", "value 0"),
        "p0" => left("P0", &["calls"], "multiloops"),
        "p1" => left("P1", &["product"], "multiloops"),
        "p1-checks" => left("P1", &["product"], "checks"),
        "p2" => left("P2", &["step"], "multiloops"),
        "r0-structure" => left("R0", &["sobol", "prices", "path"], "multiloops"),
        "r1-structure" => left("R1", &["value", "implicit"], "multiloops"),
        "r2-structure" => left("R2", &["bound"], "multiloops"),
        _ => None,
    }
}

/// Returns what was found, in one sentence.
pub fn headline(record: &Record) -> String {
    let gains = PUBLISHED.map(|(case, ..)| percent(gain(record, case, OPTIMISED)));
    format!(
        "The optimiser makes R0, R1 and R2 {}, {} and {} faster (published: 46, 71 and 31 %), and R0 and R1 give the published results.",
        gains[0], gains[1], gains[2]
    )
}

/// Formats a gain as the thesis does: by how much the optimised program is faster.
fn percent(gain: Option<f64>) -> String {
    gain.map_or("–".into(), |gain| format!("{:.0} %", (gain - 1.0) * 100.0))
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let mut section = Section::new("L0: six programs with and without the optimiser (chapter 10)", record);
    section.text(
        "Published figures: T. Henriksen, Exploiting functional invariants to optimise parallelism (2014), chapter 10. Published \
         hardware: Intel Core i7-2630QM, 2.00 GHz; C code, GCC 4.8.2 -O3.",
    );
    section.text(
        "The programs are written in Par from the descriptions in the thesis. They compute in binary32, and the thesis in binary64. The \
         thesis compiles to C, and GCC optimises both of its variants; here nothing else optimises. The variants apply single passes: \
         `refc` has their names as options. All variants of a program printed the same result.",
    );
    times(&mut section, record);
    memory(&mut section, record);
    structure(&mut section, record);
    results(&mut section, record);
    section
}

fn times(section: &mut Section, record: &Record) {
    section.heading("Times (figure 45)");
    let variants = variants(record);
    let is_timed = SUBJECTS.iter().any(|subject| ms(record, subject.name, PLAIN).is_some());
    if !is_timed {
        section.text("This machine does not run programs for x86-64 Linux, so gains compare executed instructions on the simulator.");
    }
    let published = |case: &str| PUBLISHED.iter().find(|row| row.0 == case);
    let rows = SUBJECTS.iter().map(|subject| {
        let case = subject.name;
        let mut cells = vec![format!("{case}: {}", subject.what)];
        cells.extend(variants.iter().map(|variant| short_or_dash(ms(record, case, variant))));
        cells.push(percent(gain(record, case, FUSION)));
        cells.push(percent(gain(record, case, OPTIMISED)));
        match published(case) {
            Some((_, plain, optimised)) => {
                cells.extend([short(plain * 1e3), short(optimised * 1e3), percent(Some(plain / optimised))])
            }
            None => cells.extend(["–"; 3].map(String::from)),
        }
        cells
    });
    let mut head = vec!["program"];
    head.extend(&variants);
    head.extend(["gain by fusion", "gain", "thesis: not optimised", "thesis: optimised", "thesis: gain"]);
    section.table(
        "Milliseconds of processor time per run of the program, by variant, and gains",
        &head,
        rows.collect(),
    );
    let shown: Vec<&str> = variants.iter().copied().filter(|variant| *variant != PLAIN).collect();
    let groups = SUBJECTS.iter().map(|subject| Group {
        name: subject.name.into(),
        bars: shown.iter().map(|variant| gain(record, subject.name, variant)).collect(),
        published: published(subject.name).map(|(_, plain, optimised)| plain / optimised),
    });
    section.plot(
        "l0-gains",
        "Figure 45: time without the optimiser over time with some passes",
        "A bar above 1 is a gain; the circles are the gains of the thesis for all passes together.",
        Plot::Groups {
            axis: "times as fast",
            names: shown.iter().map(ToString::to_string).collect(),
            groups: groups.collect(),
        },
    );
}

fn memory(section: &mut Section, record: &Record) {
    section.heading("Instructions and memory");
    section.text(
        "The thesis credits most of its gain to fewer copies of arrays. The simulator counts what a run executes for RISC-V: instructions, \
         loads and stores, and the bytes that these move. They do not depend on the machine. It runs a part of the work of \
         R0, R1 and R2.",
    );
    let variants = variants(record);
    for (name, what) in
        [(INSTRUCTIONS, "Executed instructions"), (ACCESSES, "Loads and stores"), (BYTES, "Bytes moved")]
    {
        let rows = SUBJECTS.iter().map(|subject| {
            let of = |variant: &str| count(record, TIMES, subject.name, variant, name);
            let plain = of(PLAIN);
            let work = format!("{}: {}", subject.name, subject.counted.what);
            let mut cells = vec![work, short_or_dash(plain.map(|n| n / 1e6))];
            let others = variants.iter().filter(|variant| **variant != PLAIN);
            cells.extend(
                others.map(|variant| short_or_dash(of(variant).zip(plain).map(|(n, plain)| 100.0 * n / plain))),
            );
            cells
        });
        let mut head = vec!["program", "not optimised, millions"];
        let others: Vec<String> =
            variants.iter().filter(|variant| **variant != PLAIN).map(|variant| format!("{variant}, %")).collect();
        head.extend(others.iter().map(String::as_str));
        section.table(&format!("{what}, in percent of the program that is not optimised"), &head, rows.collect());
    }
}

fn structure(section: &mut Section, record: &Record) {
    section.heading("Structure (figures 39 to 44)");
    section.text(
        "The figures of the thesis show the operations on whole arrays that are left. Here they are MULTILOOPs, as `refc --emit \
         multiloops` prints them. A reduction that contains the map before it (redomap) is one. Functions without any are left out.",
    );
    let variants = variants(record);
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let functions = record.of(STRUCTURE).filter(|m| m.case == subject.name && m.variant == PLAIN);
        for function in functions.filter(|m| m.number("multiloops").is_some_and(|n| n > 0.0)) {
            let name = if function.stage == WHOLE { WHOLE.to_string() } else { format!("`{}`", function.stage) };
            let mut cells = vec![format!("{}, {name}", subject.name)];
            let of =
                |variant: &str, of: &str| record.find(STRUCTURE, subject.name, variant, &function.stage)?.number(of);
            let text = |number: Option<f64>| number.map_or("–".into(), |number| format!("{number}"));
            cells.extend(variants.iter().map(|variant| text(of(variant, "multiloops"))));
            cells.extend([PLAIN, OPTIMISED].map(|variant| text(of(variant, "checks"))));
            rows.push(cells);
        }
    }
    let mut head = vec!["program, function"];
    head.extend(&variants);
    head.extend(["checks per element before", "after"]);
    section.table(
        "Operations on whole arrays after the passes of each variant, and checks that run for each element",
        &head,
        rows,
    );
}

/// The published results, and where they come from.
const PUBLISHED_RESULTS: [(&str, &str, f64, &str); 4] = [
    ("R0", "value 0", 926.5315469520385, "the first compiler of L0, binary64"),
    ("R1", "value 0", 0.02999, "the first compiler of L0, binary64"),
    ("R1", "value 7", 0.02448, "the first compiler of L0, binary64"),
    ("R2", "value 0", 504.367344, "finpar, InterestCalib, medium"),
];

fn results(section: &mut Section, record: &Record) {
    section.heading("Results");
    let rows = PUBLISHED_RESULTS.iter().filter_map(|&(case, name, published, source)| {
        let ours = record.find(RESULTS, case, "output", "")?.number(name)?;
        let deviation = format!("{:.1e}", ours / published - 1.0);
        Some(vec![format!("{case}, {name}"), format!("{published}"), format!("{ours}"), deviation, source.to_string()])
    });
    section.table(
        "Results in binary32, and the published ones",
        &["program", "published", "here", "deviation", "source"],
        rows.collect(),
    );
    section.text(
        "The published result of R2 is for parameters that the thesis does not give. Here it prices all quotes with the best parameters \
         of the public benchmark finpar, and prints the logarithm of their likelihood.",
    );
}
