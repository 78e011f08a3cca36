//! The section of the report on LMS.

use super::{EXAMPLES, FORMS, ONE_LOOP, OPTIMISED, PLAIN, QUERY, SPADE, STRUCTURE, TITLES, case_of};
use crate::claims::{Claim, Kind, Measured, published};
use crate::frame::plot::{Group, Plot};
use crate::frame::record::{Gain, Label, Measurement, Record};
use crate::frame::report::{Section, short, short_or_dash, thousands};
use crate::par::simulated::Count;
use crate::par::table::{COUNTS, count};

/// The least share of the instructions before that a transformation removes. Below it, a share means nothing.
const LEAST_GAIN: f64 = 0.02;

/// Returns the share of a transformation that the optimiser does: of the distance between the forms without the optimiser, the part that
/// is gone between the optimised forms. `None` if the form after is not cheaper.
fn share([before, after]: [f64; 2], [before_optimised, after_optimised]: [f64; 2]) -> Option<f64> {
    let all = before - after;
    (all > LEAST_GAIN * before).then(|| 1.0 - (before_optimised - after_optimised) / all)
}

/// Returns the instructions of both forms of an example in a variant.
fn instructions(record: &Record, example: usize, variant: &str) -> Option<[f64; 2]> {
    let of = |form| count(record, EXAMPLES, &case_of(example, form), variant, Count::Instructions);
    Some([of(0)?, of(1)?])
}

/// Returns the operations on whole arrays that a variant leaves of an example, by the identifier of its claim.
fn loops(record: &Record, id: &str, variant: &str) -> Option<f64> {
    let (_, function) = ONE_LOOP.iter().find(|(other, _)| *other == id)?;
    record.find(&Label { experiment: STRUCTURE, case: function, variant, stage: "" })?.number("multiloops")
}

/// Returns the largest case of an experiment that was timed, or the largest that was counted.
fn largest<'a>(record: &'a Record, experiment: &'a str) -> Option<&'a Measurement> {
    let by_rows = |a: &&Measurement, b: &&Measurement| {
        a.number("rows").unwrap_or(0.0).total_cmp(&b.number("rows").unwrap_or(0.0))
    };
    let timed = record.of(experiment).filter(|m| m.stage.is_empty()).max_by(by_rows);
    timed.or_else(|| record.of(experiment).filter(|m| m.stage == COUNTS).max_by(by_rows))
}

/// Returns the cost of a variant in the largest case: seconds, or instructions.
fn cost(record: &Record, experiment: &str, variant: &str) -> Option<f64> {
    let case = &largest(record, experiment)?.case;
    record
        .median(&Label { experiment, case, variant, stage: "" })
        .or_else(|| count(record, experiment, case, variant, Count::Instructions))
}

/// Returns a gain in the largest case: the cost of the slow variant over that of the fast one.
fn gain(record: &Record, experiment: &str, gain: Gain) -> Option<f64> {
    Some(cost(record, experiment, gain.slow)? / cost(record, experiment, gain.fast)?)
}

const ROWS: &str = "rows, not optimised";
const COLUMNS: &str = "columns, optimised";
const LOOP: &str = "columns, one loop, optimised";

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let value = match claim.id.as_str() {
        "lms-query" => gain(record, QUERY, Gain { slow: ROWS, fast: COLUMNS }),
        "lms-spade" => {
            let forms = |level: &str| {
                let of = |form: &str| cost(record, SPADE, &format!("{form}, {level}"));
                Some([of("all rows")?, of("one loop")?])
            };
            share(forms(PLAIN)?, forms(OPTIMISED)?)
        }
        id if claim.kind == Kind::Left => {
            return Some(Measured { ours: loops(record, id, OPTIMISED)?, before: loops(record, id, PLAIN) });
        }
        id => {
            let example = TITLES.iter().position(|(name, _)| *name == id)? + 1;
            share(instructions(record, example, PLAIN)?, instructions(record, example, OPTIMISED)?)
        }
    };
    value.map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let of = |fast| short_or_dash(gain(record, QUERY, Gain { slow: ROWS, fast }));
    format!(
        "The fused query over columns is {} times as fast as over rows (published: {}); one loop, as a programmer writes it, is {} times \
         as fast.",
        of(COLUMNS),
        published("lms-query"),
        of(LOOP)
    )
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let mut section = Section::new("LMS: worked examples, a query, and SPADE", record);
    section.text(
        "Published: T. Rompf and others, tutorials on Lightweight Modular Staging (scala-lms.github.io): compiler internals \
         (03_compiler.html), and LMS at work (04_atwork.html). Only the query has published figures. For the other claims, the tutorials \
         show the program before and after.",
    );
    examples(&mut section, record);
    query(&mut section, record);
    spade(&mut section, record);
    section
}

fn examples(section: &mut Section, record: &Record) {
    section.heading("Worked examples");
    section.text(
        "Each example has two forms in Par: before the transformation, and after it, as a programmer writes the result. An optimiser that \
         does the transformation makes both execute the same. The share is 100 % then, and 0 if their distance is as large as \
         without the optimiser. For examples of fusion, the operations on whole arrays are counted: one should be left.",
    );
    let mut rows = Vec::new();
    let mut groups = Vec::new();
    for (k, (id, title)) in TITLES.iter().enumerate() {
        let Some((plain, optimised)) = instructions(record, k + 1, PLAIN).zip(instructions(record, k + 1, OPTIMISED))
        else {
            continue;
        };
        let bytes = |form: usize, variant: &str| {
            short_or_dash(count(record, EXAMPLES, &case_of(k + 1, form), variant, Count::Bytes))
        };
        let loops = |variant: &str| loops(record, id, variant).map_or("–".into(), |loops| format!("{loops}"));
        rows.push(vec![
            format!("{}: {title}", id.trim_start_matches("lms-")),
            short(plain[0]),
            short(plain[1]),
            short(optimised[0]),
            short(optimised[1]),
            share(plain, optimised).map_or("–".into(), |share| format!("{:.0} %", 100.0 * share)),
            loops(PLAIN),
            loops(OPTIMISED),
            bytes(0, PLAIN),
            bytes(0, OPTIMISED),
            bytes(1, OPTIMISED),
        ]);
        groups.push(Group {
            name: id.trim_start_matches("lms-").into(),
            bars: vec![Some(plain[0] / plain[1]), Some(optimised[0] / optimised[1])],
            published: Some(1.0),
        });
    }
    let [before, after] = FORMS;
    let head = [
        "example".to_string(),
        format!("{before}, {PLAIN}"),
        format!("{after}, {PLAIN}"),
        format!("{before}, {OPTIMISED}"),
        format!("{after}, {OPTIMISED}"),
        "share".into(),
        format!("loops, {PLAIN}"),
        format!("loops, {OPTIMISED}"),
        format!("bytes {before}, {PLAIN}"),
        format!("bytes {before}, {OPTIMISED}"),
        format!("bytes {after}, {OPTIMISED}"),
    ];
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    section.table("Executed instructions and bytes moved by one repetition, on the simulator", &head, rows);
    section.plot(
        "lms-examples",
        "Instructions of the form before, over those of the form after",
        "The circle at 1 is a transformation that is done completely; the distance of the second bar from it is what is missing.",
        Plot::Groups { axis: "times as many", names: vec![PLAIN.into(), OPTIMISED.into()], groups },
    );
}

/// Adds a table of all variants of a program.
fn table(section: &mut Section, record: &Record, experiment: &str, base: &str, caption: &str) {
    let counted = record.of(experiment).find(|m| m.stage == COUNTS);
    let rows_of = |m: Option<&Measurement>| m.and_then(|m| m.number("rows"));
    let timed = largest(record, experiment).filter(|m| m.stage.is_empty());
    let rows = record.variants(experiment).into_iter().map(|variant| {
        let ns = timed.and_then(|m| {
            Some(record.median(&Label { experiment, case: &m.case, variant, stage: "" })? / m.number("rows")? * 1e9)
        });
        let each = |name: Count| {
            let m = counted?;
            Some(count(record, experiment, &m.case, variant, name)? / m.number("rows")?)
        };
        vec![
            variant.to_string(),
            short_or_dash(ns),
            short_or_dash(gain(record, experiment, Gain { slow: base, fast: variant })),
            short_or_dash(each(Count::Instructions)),
            short_or_dash(each(Count::Accesses)),
            short_or_dash(each(Count::Bytes)),
        ]
    });
    let text = |rows: Option<f64>| rows.map_or("no".into(), |rows| thousands(&rows.to_string()));
    let caption = format!(
        "{caption}: {} rows timed on one thread, {} counted on the simulator",
        text(rows_of(timed)),
        text(rows_of(counted))
    );
    let speed = format!("times as fast as “{base}”");
    let head = ["variant", "ns per row", &speed, "instructions per row", "loads and stores", "bytes moved"];
    section.table(&caption, &head, rows.collect());
}

fn query(section: &mut Section, record: &Record) {
    section.heading("TPC-H query 1");
    section.text(
        "A table with ten fields is filtered by date; then, for each of six groups, five sums and a count are made. With rows, the fields \
         of a row are next to each other in memory. With columns, the table is an array of structs of Par, which the compiler keeps as \
         an array per field. The last form is one loop, as a programmer writes it. The published baseline is an array of structs, whose \
         steps build intermediate arrays.",
    );
    table(section, record, QUERY, ROWS, "Time of the query");
    let variants = [ROWS, "rows, optimised", "columns, not optimised", COLUMNS, LOOP];
    section.plot(
        "lms-query",
        "Query 1: times as fast as the array of structs without the optimiser",
        "The circle is the published gain on one thread; the last bar is what a complete fusion would reach. -O1 is optimised, -O0 not.",
        Plot::Groups {
            axis: "times as fast",
            names: vec!["here".into()],
            groups: variants
                .iter()
                .map(|variant| Group {
                    name: variant.replace("not optimised", "-O0").replace("optimised", "-O1"),
                    bars: vec![gain(record, QUERY, Gain { slow: ROWS, fast: variant })],
                    published: (*variant == COLUMNS).then(|| published("lms-query")),
                })
                .collect(),
        },
    );
    section.text(format!(
        "From the not optimised rows to the optimised columns, the gain is {} times. One loop over columns is {} times as fast. The \
         filter is not fused with the groups after it, and the functions that make and add the sums stay calls.",
        short_or_dash(gain(record, QUERY, Gain { slow: ROWS, fast: COLUMNS })),
        short_or_dash(gain(record, QUERY, Gain { slow: ROWS, fast: LOOP }))
    ));
}

fn spade(section: &mut Section, record: &Record) {
    section.heading("SPADE");
    section.text(
        "For each sample, the distances to all samples are made, those below a bound are found, and those below another one are counted. \
         LMS sinks the row of distances into the branch that needs it, and fuses it with both. The last form is that loop.",
    );
    table(section, record, SPADE, "all rows, not optimised", "Time of the step, per sample");
}
