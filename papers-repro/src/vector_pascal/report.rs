//! The section of the report on Vector Pascal.

use std::fmt::Write as _;

use super::{CACHES, CLOCK, ELEMENTS, EXPRESSION, POWERS, SMALL, case_of};
use crate::claims::{Claim, Measured};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::Record;
use crate::frame::report::{Section, short, short_or_dash};
use crate::par::table::count;

/// The names of variants. Where several are listed, the first one that the record has counts: passes that a compiler lacks are left out.
const TWO: &[&str] = &["two statements, vectors", "two statements"];
const ONE: &[&str] = &["one expression, vectors", "one expression"];
const SCALAR_TWO: &[&str] = &["two statements"];
const SCALAR_ONE: &[&str] = &["one expression"];
const VECTORS: &[&str] = &["one expression, vectors"];
const CHECKED: &[&str] = &["loop"];
const UNCHECKED: &[&str] = &["loop, checks", "one expression"];
const UNROLLED: &[&str] = &["loop, four by hand"];
const ALL: &[&str] = &["one expression, all"];

/// A published row: the table, the machine, and microseconds per result for each length.
const PUBLISHED: [(&str, &str, [f64; 6]); 5] = [
    ("1", "naive, Crusoe", [0.053, 0.047, 0.056, 0.082, 0.088, 0.105]),
    ("1", "optimal, Crusoe", [0.036, 0.032, 0.037, 0.048, 0.057, 0.071]),
    ("2", "naive, Pentium 4", [0.016, 0.02, 0.021, 0.029, 0.029, 0.03]),
    ("2", "optimal, Pentium 4", [0.009, 0.012, 0.019, 0.013, 0.014, 0.015]),
    ("3", "optimal, scalar, Crusoe", [0.18, 0.192, 0.211, 0.228, 0.281, 0.331]),
];

/// A row of table 6: its name, the published microseconds on the Crusoe and the Athlon, and the variants that correspond.
type Row6 = (&'static str, Option<f64>, Option<f64>, &'static [&'static str]);

/// Table 6.
const TABLE_6: [Row6; 5] = [
    ("interpreter A+", Some(0.097), Some(0.036), &[]),
    ("two statements", Some(0.077), Some(0.042), SCALAR_TWO),
    ("one expression", Some(0.047), Some(0.026), SCALAR_ONE),
    ("and four elements per iteration", Some(0.018), Some(0.008), UNROLLED),
    ("and vectors", None, Some(0.004), VECTORS),
];

/// Returns the nanoseconds per result of the first variant that the record has. On machines that do not run the programs, returns
/// instructions per result.
fn ns(record: &Record, elements: &str, power: u32, variants: &[&str]) -> Option<f64> {
    let case = case_of(elements, power);
    let n = f64::from(1u32 << power);
    let time = |variant: &&str| Some(record.median(EXPRESSION, &case, variant, "")? * 1e9 / n);
    let work = |variant: &&str| Some(count(record, EXPRESSION, &case, variant, "instructions")? / n);
    variants.iter().find_map(time).or_else(|| variants.iter().find_map(work))
}

fn ratio(record: &Record, elements: &str, power: u32, slow: &[&str], fast: &[&str]) -> Option<f64> {
    Some(ns(record, elements, power, slow)? / ns(record, elements, power, fast)?)
}

/// Returns the clock of the processor in cycles per nanosecond.
fn clock(record: &Record) -> Option<f64> {
    record.of(CLOCK).next()?.number("GHz")
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let (short, float) = (ELEMENTS[0].name, ELEMENTS[1].name);
    let name = claim.id.strip_prefix("vp-")?;
    let by_length = |rest: &str, slow, fast| ratio(record, short, rest.parse().ok()?, slow, fast);
    let value = match name {
        "c4-vector" | "c5-vector" => None,
        "c4-scalar" => ratio(record, short, SMALL, CHECKED, UNCHECKED),
        "c5-scalar" => ratio(record, short, SMALL, CHECKED, UNROLLED),
        "c6-crusoe-through" | "c6-athlon-through" => ratio(record, float, SMALL, SCALAR_TWO, SCALAR_ONE),
        "c6-crusoe-unrolled" | "c6-athlon-unrolled" => ratio(record, float, SMALL, CHECKED, UNROLLED),
        "c6-athlon-vectors" => ratio(record, float, SMALL, SCALAR_ONE, VECTORS),
        "combined" => ratio(record, short, SMALL, SCALAR_TWO, ALL),
        "flops" => {
            let each = record.median(EXPRESSION, &case_of(float, SMALL), ALL[0], "")? * 1e9 / f64::from(1u32 << SMALL);
            Some(2.0 / each / clock(record)?)
        }
        _ => match name.split_once('-')? {
            ("c1" | "c2", power) => by_length(power, TWO, ONE),
            ("c3", power) => by_length(power, SCALAR_ONE, VECTORS),
            _ => None,
        },
    };
    value.map(Measured::from)
}

/// Returns what was found, in one sentence.
pub fn headline(record: &Record) -> String {
    let short = ELEMENTS[0].name;
    let of = |slow, fast| short_or_dash(ratio(record, short, SMALL, slow, fast));
    format!(
        "On 1,024 shorts, one expression is {} times as fast as two statements (published: 1.48), all passes together {} times \
         (published: more than 10), and gcc -O3 {} times.",
        of(TWO, ONE),
        of(SCALAR_TWO, ALL),
        of(SCALAR_TWO, &["gcc -O3"])
    )
}

/// Returns the variants and peers of a record, in order.
fn variants(record: &Record) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for measurement in record.of(EXPRESSION) {
        if !names.contains(&measurement.variant.as_str()) {
            names.push(&measurement.variant);
        }
    }
    names
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let mut section = Section::new("Vector Pascal: x := a * (b - c), by optimisation", record);
    section.text(
        "Published figures: P. Cockshott, Efficient compilation of array expressions, tables 1 to 6. Published hardware: Transmeta Crusoe \
         750 MHz, Intel Pentium 4 1.3 GHz, AMD Athlon 1 GHz.",
    );
    section.text(
        "The times are per result, with the memory of all arrays in use before. A variant is a form of the program and a list of \
         passes. A variant whose pass this compiler lacks is left out, and its claims are not reproduced. The other compilers are \
         measured if they are installed.",
    );
    for elements in &ELEMENTS {
        by_length(&mut section, record, elements.name, elements.bytes);
    }
    gains(&mut section, record);
    table_6(&mut section, record);
    section
}

fn by_length(section: &mut Section, record: &Record, elements: &str, bytes: f64) {
    section.heading(&format!("Elements of the type {elements}"));
    let names = variants(record);
    let rows = names.iter().map(|variant| {
        let mut cells = vec![variant.to_string()];
        cells.extend(POWERS.iter().map(|&power| {
            let case = case_of(elements, power);
            let each = record.median(EXPRESSION, &case, variant, "").map(|s| s * 1e9 / f64::from(1u32 << power));
            each.map_or("–".into(), |each| format!("{each:.3}"))
        }));
        let work = |name| count(record, EXPRESSION, &case_of(elements, SMALL), variant, name);
        let per_result = |name| short_or_dash(work(name).map(|n| n / f64::from(1u32 << SMALL)));
        cells.extend([per_result("instructions"), per_result("accesses")]);
        cells
    });
    let lengths = POWERS.map(|power| format!("2^{power}"));
    let mut head = vec!["variant"];
    head.extend(lengths.iter().map(String::as_str));
    head.extend(["instructions per result (RISC-V)", "loads and stores"]);
    section.table(&format!("Nanoseconds per result, by the number of elements ({elements})"), &head, rows.collect());

    let line = |name: &str, points: Vec<(f64, f64)>, published| Line { name: name.into(), points, published };
    let ours = names.iter().map(|variant| {
        let points = POWERS.iter().filter_map(|&power| {
            let seconds = record.median(EXPRESSION, &case_of(elements, power), variant, "")?;
            Some((f64::from(1u32 << power), seconds * 1e9 / f64::from(1u32 << power)))
        });
        line(variant, points.collect(), false)
    });
    let shown = [
        "two statements",
        "one expression",
        "two statements, vectors",
        "one expression, vectors",
        "one expression, all",
    ];
    let shown = |name: &str| shown.contains(&name) || name.starts_with("gcc -O3") || name.starts_with("gfortran");
    let mut lines: Vec<Line> = ours.filter(|line| shown(&line.name) && !line.points.is_empty()).collect();
    if elements == ELEMENTS[0].name {
        lines.extend(PUBLISHED.iter().filter(|row| row.0 == "2").map(|(_, name, times)| {
            let points = POWERS.iter().zip(times).map(|(&power, us)| (f64::from(1u32 << power), us * 1e3));
            line(&format!("{name}, published"), points.collect(), true)
        }));
    }
    let marks = record.of(CACHES).filter_map(|m| {
        // Four arrays are in use.
        let elements = m.number("bytes")? / (4.0 * bytes);
        (elements >= 1024.0 && elements <= f64::from(1u32 << 20)).then(|| (elements, m.case.clone()))
    });
    section.plot(
        &format!("vector-pascal-{elements}"),
        &format!("Nanoseconds per result by the number of elements ({elements}); vertical lines: four arrays fill a cache"),
        "The distance between “two statements” and “one expression” is what pulling through saves, and it grows where a cache ends.",
        Plot::Lines { axes: ("elements", "ns per result"), log_x: true, lines, marks: marks.collect() },
    );
}

fn gains(section: &mut Section, record: &Record) {
    section.heading("Tables 1 to 5: gains on shorts");
    let short_name = ELEMENTS[0].name;
    let name_of = |variants: &[&str]| {
        let case = case_of(short_name, SMALL);
        let has = |variant: &&&str| record.measurements.iter().any(|m| m.case == case && m.variant == **variant);
        variants.iter().find(has).copied().unwrap_or(variants[0]).to_string()
    };
    let published = |table: &str, naive: &str, optimal: &str| {
        let find = |name: &str| PUBLISHED.iter().find(|row| row.0 == table && row.1.starts_with(name)).map(|row| row.2);
        let (a, b) = (find(naive)?, find(optimal)?);
        Some(POWERS.iter().enumerate().map(|(k, _)| a[k] / b[k]).collect::<Vec<f64>>())
    };
    let mut rows = Vec::new();
    for (table, slow, fast) in
        [("1 and 2", TWO, ONE), ("1 and 2, scalar", SCALAR_TWO, SCALAR_ONE), ("3", SCALAR_ONE, VECTORS)]
    {
        let mut cells = vec![format!("{table}: “{}” over “{}”", name_of(slow), name_of(fast))];
        cells.extend(POWERS.map(|power| short_or_dash(ratio(record, short_name, power, slow, fast))));
        rows.push(cells);
    }
    for (table, naive, optimal) in [("1", "naive", "optimal"), ("2", "naive", "optimal")] {
        let mut cells = vec![format!("published, table {table}")];
        cells.extend(published(table, naive, optimal).unwrap_or_default().into_iter().map(short));
        rows.push(cells);
    }
    let mut cells = vec!["published, table 3".to_string()];
    cells.extend((0..POWERS.len()).map(|k| short(PUBLISHED[4].2[k] / PUBLISHED[1].2[k])));
    rows.push(cells);
    let lengths = POWERS.map(|power| format!("2^{power}"));
    let mut head = vec!["table"];
    head.extend(lengths.iter().map(String::as_str));
    section.table("Times as fast, by the number of elements", &head, rows);
    let of = |slow, fast| ratio(record, short_name, SMALL, slow, fast).map_or("–".into(), short);
    let rows = vec![
        vec![
            format!("4: “{}” over “{}”", name_of(CHECKED), name_of(UNCHECKED)),
            of(CHECKED, UNCHECKED),
            "2.36 scalar, 1.20 vector".into(),
        ],
        vec![
            format!("5: “{}” over “{}”", name_of(CHECKED), name_of(UNROLLED)),
            of(CHECKED, UNROLLED),
            "1.22 scalar, 1.55 vector".into(),
        ],
        vec![
            format!("all: “{}” over “{}”", name_of(SCALAR_TWO), name_of(ALL)),
            of(SCALAR_TWO, ALL),
            "more than 10".into(),
        ],
    ];
    section.table(
        "Tables 4 and 5, and all gains together, on 1,024 shorts",
        &["table", "times as fast", "published"],
        rows,
    );
}

fn table_6(section: &mut Section, record: &Record) {
    section.heading("Table 6: floats");
    let float = ELEMENTS[1].name;
    let rows = TABLE_6.map(|(name, crusoe, athlon, variants)| {
        let ours = if variants.is_empty() { None } else { ns(record, float, SMALL, variants) };
        let mflops = |us: Option<f64>| short_or_dash(us.map(|us| 2.0 / us));
        let us = |us: Option<f64>| us.map_or("–".into(), |us| format!("{us:.3}"));
        let here = ours.map(|ns| ns / 1e3);
        vec![
            name.to_string(),
            here.map_or("–".into(), |us| format!("{us:.5}")),
            mflops(here),
            us(crusoe),
            mflops(crusoe),
            us(athlon),
            mflops(athlon),
        ]
    });
    let head = ["variant", "here, µs", "MFLOPS", "Crusoe, µs", "MFLOPS", "Athlon, µs", "MFLOPS"];
    section.table(
        "Microseconds per result, and millions of operations per second, on 1,024 floats",
        &head,
        rows.into(),
    );
    let mut text = String::from("The interpreter A+ is not measured. ");
    if let Some(ghz) = clock(record) {
        let _ = write!(text, "The clock of this processor is reported as {ghz:.2} GHz. ");
    }
    text.push_str(
        "There is no pass that unrolls loops: the row is a loop that a programmer has unrolled, without other passes.",
    );
    section.text(text);
}
