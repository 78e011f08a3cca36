//! The section of the report on L0.

use super::{
    FUSION, GCC, IN_C, OPTIMISED, OUTPUT, PLAIN, Published, RESULTS, STRUCTURE, SUBJECTS, TIMES, WHOLE, value_name,
};
use crate::claims::{Claim, Kind, Measured};
use crate::frame::plot::{Group, Plot};
use crate::frame::record::{Label, Record};
use crate::frame::report::{Section, short, short_or_dash};
use crate::par::simulated::Count;
use crate::par::table::count;

/// Returns the milliseconds of a program.
fn ms(record: &Record, case: &str, variant: &str) -> Option<f64> {
    record.median(&Label { experiment: TIMES, case, variant, stage: "" }).map(|seconds| seconds * 1e3)
}

/// Returns the cost of a program in one variant: its time, or its instructions on machines that do not run it.
fn cost(record: &Record, case: &str, variant: &str) -> Option<f64> {
    ms(record, case, variant).or_else(|| count(record, TIMES, case, variant, Count::Instructions))
}

/// Returns the milliseconds of a program in C.
fn c_ms(record: &Record, case: &str) -> Option<f64> {
    record.median(&Label { experiment: IN_C, case, variant: GCC, stage: "" }).map(|seconds| seconds * 1e3)
}

/// Returns the time of the optimised program over that of the program in C, the greatest of some programs, or `None` if one is missing.
fn over_c(record: &Record, cases: &[&str]) -> Option<f64> {
    let each = cases.iter().map(|case| Some(ms(record, case, OPTIMISED)? / c_ms(record, case)?));
    each.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

/// Returns the gain of a variant.
fn gain(record: &Record, case: &str, variant: &str) -> Option<f64> {
    Some(cost(record, case, PLAIN)? / cost(record, case, variant)?)
}

/// Returns a number of some functions, summed.
fn sum(record: &Record, case: &str, variant: &str, functions: &[&str], of: &str) -> Option<f64> {
    let each = functions
        .iter()
        .map(|function| record.find(&Label { experiment: STRUCTURE, case, variant, stage: function })?.number(of));
    each.collect::<Option<Vec<_>>>().map(|all| all.iter().sum())
}

/// Returns a number that a program prints, counted from 0.
fn printed(record: &Record, case: &str, index: usize) -> Option<f64> {
    record.find(&Label { experiment: RESULTS, case, variant: OUTPUT, stage: "" })?.number(&value_name(index))
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let value = |case: &str, index: usize| printed(record, case, index).map(Measured::from);
    let left = |case: &str, functions: &[&str], of: &str| {
        let of_variant = |variant| sum(record, case, variant, functions, of);
        Some(Measured { ours: of_variant(OPTIMISED)?, before: of_variant(PLAIN) })
    };
    match claim.id.strip_prefix("l0-")? {
        "r0" => gain(record, "R0", OPTIMISED).map(Measured::from),
        "r1" => gain(record, "R1", OPTIMISED).map(Measured::from),
        "r2" => gain(record, "R2", OPTIMISED).map(Measured::from),
        "r0-ms" => ms(record, "R0", OPTIMISED).map(Measured::from),
        "r1-ms" => ms(record, "R1", OPTIMISED).map(Measured::from),
        "r2-ms" => ms(record, "R2", OPTIMISED).map(Measured::from),
        "r0-plain-ms" => ms(record, "R0", PLAIN).map(Measured::from),
        "r1-plain-ms" => ms(record, "R1", PLAIN).map(Measured::from),
        "r2-plain-ms" => ms(record, "R2", PLAIN).map(Measured::from),
        "goal-c" => over_c(record, &["R0", "R1", "R2"]).map(Measured::from),
        "r0-value" => value("R0", 0),
        "r1-first" => value("R1", 0),
        "r1-last" => value("R1", 7),
        "r2-likelihood" => value("R2", 0),
        "p0" => left("P0", &["calls"], "multiloops"),
        "p1" => left("P1", &["product"], "multiloops"),
        "p1-checks" => left("P1", &["product"], "checks"),
        "p2-checks" => left("P2", &["step"], "checks"),
        "p2" => left("P2", &["step"], "multiloops"),
        "r0-structure" => left("R0", &["sobol", "prices", "path"], "multiloops"),
        "r1-structure" => left("R1", &["value", "implicit"], "multiloops"),
        "r2-structure" => left("R2", &["bound"], "multiloops"),
        _ => None,
    }
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let gains = Published::new().figure_45.into_iter().map(|row| {
        let ours = percent(gain(record, &row.case, OPTIMISED));
        format!("{} {ours} faster (published: {})", row.case, percent(Some(row.gain)))
    });
    format!("The optimiser makes {}.", gains.collect::<Vec<_>>().join(", "))
}

/// Formats a gain as the thesis does: the speed that the optimised program has in addition.
fn percent(gain: Option<f64>) -> String {
    // The sum with 0 has no sign if it is 0.
    gain.map_or("–".into(), |gain| format!("{:.0} %", ((gain - 1.0) * 100.0).round() + 0.0))
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let mut section = Section::new("L0: six programs with and without the optimiser (chapter 10)", record);
    let published = Published::new();
    section.text(format!("Published figures: {}. Published hardware: {}.", published.source, published.machine));
    section.text(
        "The programs are written in Par from the descriptions in the thesis. They compute in binary32, and the thesis in binary64. The \
         thesis compiles to C, and GCC optimises both of its variants; here nothing else optimises. The variants apply single passes: \
         `refc` has their names as options. All variants of a program printed the same result.",
    );
    times(&mut section, record, &published);
    compared_with_c(&mut section, record);
    memory(&mut section, record);
    structure(&mut section, record);
    results(&mut section, record);
    section
}

fn times(section: &mut Section, record: &Record, published: &Published) {
    section.heading("Times (figure 45)");
    let variants = record.variants(TIMES);
    let is_timed = SUBJECTS.iter().any(|subject| ms(record, subject.name, PLAIN).is_some());
    if !is_timed {
        section.text("This machine does not run programs for x86-64 Linux, so gains compare executed instructions on the simulator.");
    }
    // The columns that are compared with the thesis come first.
    let compared = [PLAIN, OPTIMISED];
    let others: Vec<&str> = variants.iter().copied().filter(|variant| !compared.contains(variant)).collect();
    let rows = SUBJECTS.iter().map(|subject| {
        let case = subject.name;
        let time = |variant: &str| short_or_dash(ms(record, case, variant));
        let mut cells = vec![format!("{case}: {}", subject.result)];
        cells.extend(compared.map(time));
        cells.push(percent(gain(record, case, OPTIMISED)));
        match published.times(case) {
            Some(row) => cells.extend([short(row.plain_ms), short(row.optimised_ms), percent(Some(row.gain))]),
            None => cells.extend(["–"; 3].map(String::from)),
        }
        cells.extend(others.iter().map(|variant| time(variant)));
        cells.push(percent(gain(record, case, FUSION)));
        cells
    });
    let mut head = vec!["program", PLAIN, OPTIMISED, "gain"];
    head.extend(["thesis: not optimised", "thesis: optimised", "thesis: gain"]);
    head.extend(&others);
    head.push("gain by fusion");
    section.table(
        "Milliseconds of processor time per run of the program, by variant, and gains",
        &head,
        rows.collect(),
    );
    let shown: Vec<&str> = variants.iter().copied().filter(|variant| *variant != PLAIN).collect();
    let groups = SUBJECTS.iter().map(|subject| Group {
        name: subject.name.into(),
        bars: shown.iter().map(|variant| gain(record, subject.name, variant)).collect(),
        published: published.times(subject.name).map(|row| row.gain),
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

fn compared_with_c(section: &mut Section, record: &Record) {
    let rows = SUBJECTS.iter().filter_map(|subject| {
        let c = c_ms(record, subject.name)?;
        let ours = [PLAIN, OPTIMISED].map(|variant| short_or_dash(ms(record, subject.name, variant)));
        let over = short_or_dash(over_c(record, &[subject.name]));
        Some(vec![subject.name.into(), ours[0].clone(), ours[1].clone(), short(c), over])
    });
    let head = ["program", "not optimised", "optimised", GCC, "optimised, over gcc -O2"];
    section.table(
        "Milliseconds of processor time, compared with the same steps in C, in binary32",
        &head,
        rows.collect(),
    );
}

fn memory(section: &mut Section, record: &Record) {
    section.heading("Instructions and memory");
    section.text(
        "The thesis credits most of its gain to fewer copies of arrays. The simulator counts what a run executes for RISC-V: instructions, \
         loads and stores, and the bytes that these move. They do not depend on the machine. It runs a part of the work of \
         R0, R1 and R2.",
    );
    let others: Vec<&str> = record.variants(TIMES).into_iter().filter(|variant| *variant != PLAIN).collect();
    for (counted, caption) in [
        (Count::Instructions, "Executed instructions"),
        (Count::Accesses, "Loads and stores"),
        (Count::Bytes, "Bytes moved"),
    ] {
        let rows = SUBJECTS.iter().map(|subject| {
            let of = |variant: &str| count(record, TIMES, subject.name, variant, counted);
            let plain = of(PLAIN);
            let work = format!("{}: {}", subject.name, subject.counted.part);
            let percent = |variant: &&str| short_or_dash(of(variant).zip(plain).map(|(n, plain)| 100.0 * n / plain));
            let cells = [work, short_or_dash(plain.map(|n| n / 1e6))];
            cells.into_iter().chain(others.iter().map(percent)).collect()
        });
        let named: Vec<String> = others.iter().map(|variant| format!("{variant}, %")).collect();
        let mut head = vec!["program", "not optimised, millions"];
        head.extend(named.iter().map(String::as_str));
        section.table(&format!("{caption}, in percent of the program that is not optimised"), &head, rows.collect());
    }
}

fn structure(section: &mut Section, record: &Record) {
    section.heading("Structure (figures 39 to 44)");
    section.text(
        "The figures of the thesis show the operations on whole arrays that are left. Here they are MULTILOOPs, as `refc --emit \
         multiloops` prints them. A reduction that contains the map before it (redomap) is one. Functions without any are left out.",
    );
    let variants = record.variants(TIMES);
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let functions = record.of(STRUCTURE).filter(|m| m.case == subject.name && m.variant == PLAIN);
        for function in functions.filter(|m| m.number("multiloops").is_some_and(|n| n > 0.0)) {
            let name = if function.stage == WHOLE { WHOLE.to_string() } else { format!("`{}`", function.stage) };
            let mut cells = vec![format!("{}, {name}", subject.name)];
            let of = |variant: &str, of: &str| {
                record
                    .find(&Label { experiment: STRUCTURE, case: subject.name, variant, stage: &function.stage })?
                    .number(of)
            };
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

fn results(section: &mut Section, record: &Record) {
    section.heading("Results");
    let claims = Claim::all().into_iter().filter(|claim| claim.paper == record.paper && claim.kind == Kind::Value);
    let rows = claims.filter_map(|claim| {
        let Measured { ours, .. } = measured(record, &claim)?;
        let deviation = format!("{:.1e}", ours / claim.published - 1.0);
        Some(vec![claim.claim, format!("{}", claim.published), format!("{ours}"), deviation, claim.source])
    });
    section.table(
        "Results in binary32, and the published ones in binary64",
        &["result", "published", "here", "deviation", "source"],
        rows.collect(),
    );
    section.text(
        "The published result of R2 is for parameters that the thesis does not give. Here it prices all quotes with the best parameters \
         of the public benchmark finpar, and prints the logarithm of their likelihood.",
    );
}
