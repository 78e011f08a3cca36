//! The section of the report on Vector Pascal.

use std::fmt::Write as _;

use super::{CACHES, CLOCK, ELEMENTS, EXPRESSION, Elements, POWERS, Published, Ratios, SMALL, case_of};
use crate::claims::{Claim, Measured, published};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::{Gain, Label, Record};
use crate::frame::report::{Section, short, short_or_dash};
use crate::par::simulated::Count;
use crate::par::table::count;

/// The names of variants.
const TWO: &str = "two statements, vectors";
const ONE: &str = "one expression, vectors";
const SCALAR_TWO: &str = "two statements";
const SCALAR_ONE: &str = "one expression";
const CHECKED: &str = "loop";
const UNCHECKED: &str = "loop, checks";
const UNROLLED: &str = "loop, four by hand";
const VECTORS_UNROLLED: &str = "one expression, vectors, unrolled";
const ALL: &str = "one expression, all";
const ALL_AVX2: &str = "one expression, all, AVX2";
const GCC: &str = "gcc -O3";

/// The gains of the tables, and of all passes together.
const THROUGH: Gain = Gain { slow: TWO, fast: ONE };
const SCALAR_THROUGH: Gain = Gain { slow: SCALAR_TWO, fast: SCALAR_ONE };
const GCC_THROUGH: Gain = Gain { slow: "gcc -O3, two loops", fast: GCC };
const VECTORS: Gain = Gain { slow: SCALAR_ONE, fast: ONE };
const CHECKS: Gain = Gain { slow: CHECKED, fast: UNCHECKED };
const UNROLLING: Gain = Gain { slow: CHECKED, fast: UNROLLED };
const UNROLLED_VECTORS: Gain = Gain { slow: ONE, fast: VECTORS_UNROLLED };
const TOGETHER: Gain = Gain { slow: SCALAR_TWO, fast: ALL };

/// The compilers that a goal compares with, on the same instructions.
const PEERS_OF_GOAL: [&str; 2] = ["gcc -O3", "gfortran -O3"];
const PEERS_WITH_AVX2: [&str; 2] = ["gcc -O3 -mavx2", "gfortran -O3 -mavx2"];

/// The variants in the rows of table 6. The interpreter has none.
const ROWS_OF_TABLE_6: [Option<&str>; 5] =
    [None, Some(SCALAR_TWO), Some(SCALAR_ONE), Some(UNROLLED), Some(VECTORS_UNROLLED)];

/// Returns the nanoseconds per result. On machines that do not run the programs, returns instructions per result.
fn ns(record: &Record, elements: &str, power: u32, variant: &str) -> Option<f64> {
    let case = case_of(elements, power);
    let n = f64::from(1u32 << power);
    let seconds = record
        .median(&Label { experiment: EXPRESSION, case: &case, variant, stage: "" })
        .map(|seconds| seconds * 1e9 / n);
    seconds.or_else(|| Some(count(record, EXPRESSION, &case, variant, Count::Instructions)? / n))
}

/// Returns a gain on an array: the time of the slow variant over that of the fast one.
fn gain(record: &Record, elements: &str, power: u32, gain: Gain) -> Option<f64> {
    Some(ns(record, elements, power, gain.slow)? / ns(record, elements, power, gain.fast)?)
}

/// Returns the time per result of the longest arrays over that of the shortest ones.
fn longer(record: &Record, elements: &str, variant: &str) -> Option<f64> {
    let [least, .., most] = POWERS;
    Some(ns(record, elements, most, variant)? / ns(record, elements, least, variant)?)
}

/// Returns the clock of the processor in cycles per nanosecond.
fn clock(record: &Record) -> Option<f64> {
    record.of(CLOCK).next()?.number("GHz")
}

/// Returns the rate of a variant on small arrays over that of the fastest of some peers.
fn over_peers(record: &Record, elements: &str, variant: &str, peers: [&str; 2]) -> Option<f64> {
    let fastest = peers.iter().filter_map(|peer| ns(record, elements, SMALL, peer)).reduce(f64::min)?;
    Some(fastest / ns(record, elements, SMALL, variant)?)
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let [short, float, int] = ELEMENTS.map(|elements| elements.name);
    let name = claim.id.strip_prefix("vp-")?;
    let by_length = |rest: &str, of| gain(record, short, rest.parse().ok()?, of);
    let value = match name {
        "c4-scalar" => gain(record, short, SMALL, CHECKS),
        "c5-scalar" => gain(record, short, SMALL, UNROLLING),
        "c6-crusoe-through" | "c6-athlon-through" => gain(record, float, SMALL, SCALAR_THROUGH),
        "c6-crusoe-unrolled" | "c6-athlon-unrolled" => gain(record, float, SMALL, UNROLLING),
        "c6-athlon-vectors" => gain(record, float, SMALL, VECTORS),
        "c6-athlon-all" | "c6-crusoe-all" => gain(record, float, SMALL, TOGETHER),
        "c6-athlon-rate" | "c6-crusoe-rate" => {
            let seconds = record.median(&Label {
                experiment: EXPRESSION,
                case: &case_of(float, SMALL),
                variant: ALL,
                stage: "",
            })?;
            Some(2.0 * f64::from(1u32 << SMALL) / seconds / 1e6)
        }
        "float-less" => {
            let vectors = |elements| gain(record, elements, SMALL, VECTORS);
            Some(vectors(float)? / vectors(short)?)
        }
        "vectors-more" => Some(gain(record, short, SMALL, VECTORS)? / gain(record, short, SMALL, THROUGH)?),
        "longer-vector" => longer(record, short, ONE),
        "longer-scalar" => longer(record, short, SCALAR_ONE),
        "multiply" => {
            let both = gain(record, short, SMALL, Gain { slow: SCALAR_TWO, fast: ONE })?;
            let each = [gain(record, short, SMALL, THROUGH)?, gain(record, short, SMALL, VECTORS)?];
            Some(both / each.iter().product::<f64>())
        }
        "goal-gcc" => over_peers(record, short, ALL, PEERS_OF_GOAL),
        "goal-int" => over_peers(record, int, ALL, PEERS_OF_GOAL),
        "goal-float" => over_peers(record, float, ALL, PEERS_OF_GOAL),
        "goal-avx2-short" => over_peers(record, short, ALL_AVX2, PEERS_WITH_AVX2),
        "goal-avx2-int" => over_peers(record, int, ALL_AVX2, PEERS_WITH_AVX2),
        "goal-avx2-float" => over_peers(record, float, ALL_AVX2, PEERS_WITH_AVX2),
        "c5-vector" => gain(record, short, SMALL, UNROLLED_VECTORS),
        "combined" => gain(record, short, SMALL, TOGETHER),
        "flops" => {
            let each = record.median(&Label {
                experiment: EXPRESSION,
                case: &case_of(float, SMALL),
                variant: ALL,
                stage: "",
            })? * 1e9
                / f64::from(1u32 << SMALL);
            Some(2.0 / each / clock(record)?)
        }
        _ => match name.split_once('-')? {
            ("c1" | "c2", power) => by_length(power, THROUGH),
            ("c3", power) => by_length(power, VECTORS),
            _ => None,
        },
    };
    value.map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let short = ELEMENTS[0].name;
    let of = |of| short_or_dash(gain(record, short, SMALL, of));
    format!(
        "On 1,024 shorts, one expression is {} times as fast as two statements (published: {}), all passes together {} times \
         (published: more than {}), and gcc -O3 {} times.",
        of(THROUGH),
        published("vp-c1-10"),
        of(TOGETHER),
        published("vp-combined"),
        of(Gain { slow: SCALAR_TWO, fast: GCC })
    )
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let mut section = Section::new("Vector Pascal: x := a * (b - c), by optimisation", record);
    let tables = Published::new();
    section.text(format!("Published figures: {}. Published hardware: {}.", tables.source, tables.machine));
    section.text(
        "The times are per result, with the memory of all arrays in use before. A variant is a form of the program, a list of passes, and \
         a processor. A variant that this compiler or this machine lacks is left out, and its claims are not measured. “Vectors” have 16 \
         bytes, as on any x86-64; “AVX2” ones have 32 and “AVX-512” ones 64. The paper's have 8. The other compilers are measured if they are installed.",
    );
    for elements in &ELEMENTS {
        by_length(&mut section, record, elements, &tables);
    }
    gains(&mut section, record, &tables);
    table_6(&mut section, record, &tables);
    section
}

fn by_length(
    section: &mut Section,
    record: &Record,
    &Elements { name: elements, bytes, .. }: &Elements,
    tables: &Published,
) {
    section.heading(&format!("Elements of the type {elements}"));
    let names = record.variants(EXPRESSION);
    let rows = names.iter().map(|variant| {
        let mut cells = vec![variant.to_string()];
        cells.extend(POWERS.iter().map(|&power| {
            let case = case_of(elements, power);
            let each = record
                .median(&Label { experiment: EXPRESSION, case: &case, variant, stage: "" })
                .map(|s| s * 1e9 / f64::from(1u32 << power));
            each.map_or("–".into(), |each| format!("{each:.3}"))
        }));
        let work = |name| count(record, EXPRESSION, &case_of(elements, SMALL), variant, name);
        let per_result = |name| short_or_dash(work(name).map(|n| n / f64::from(1u32 << SMALL)));
        cells.extend([per_result(Count::Instructions), per_result(Count::Accesses)]);
        cells
    });
    let lengths = POWERS.map(|power| format!("2^{power}"));
    let mut head = vec!["variant"];
    head.extend(lengths.iter().map(String::as_str));
    head.extend(["instructions per result (RISC-V)", "loads and stores"]);
    let caption = format!(
        "Nanoseconds per result, by the number of elements ({elements}). Code for RISC-V has no vectors, so its counts are those of scalar \
         code"
    );
    section.table(&caption, &head, rows.collect());

    let line = |name: &str, points: Vec<(f64, f64)>, published| Line { name: name.into(), points, published };
    let ours = names.iter().map(|variant| {
        let points = POWERS.iter().filter_map(|&power| {
            let seconds = record.median(&Label {
                experiment: EXPRESSION,
                case: &case_of(elements, power),
                variant,
                stage: "",
            })?;
            Some((f64::from(1u32 << power), seconds * 1e9 / f64::from(1u32 << power)))
        });
        line(variant, points.collect(), false)
    });
    // There are ten colours, and two published lines.
    let shown = [SCALAR_TWO, SCALAR_ONE, TWO, ONE, ALL, GCC, "gcc -O3 -march=native", "gfortran -O3"];
    let mut lines: Vec<Line> =
        ours.filter(|line| shown.contains(&line.name.as_str()) && !line.points.is_empty()).collect();
    if elements == ELEMENTS[0].name {
        lines.extend(tables.by_length.iter().filter(|table| table.machine == "Pentium 4").flat_map(|table| {
            [(&table.slow, &table.slow_us), (&table.fast, &table.fast_us)].map(|(name, times)| {
                let points = POWERS.iter().zip(times).map(|(&power, us)| (f64::from(1u32 << power), us * 1e3));
                line(&format!("{name}, {}, published", table.machine), points.collect(), true)
            })
        }));
    }
    if elements == ELEMENTS[1].name {
        // Table 6 has one length.
        let at = |us: f64| vec![(f64::from(1u32 << SMALL), us * 1e3)];
        for (name, row) in [("two statements", 1), ("all", 4)] {
            let us = tables.table_6.get(row).and_then(|row| row.athlon_us);
            lines.extend(us.map(|us| line(&format!("{name}, Athlon, published"), at(us), true)));
        }
    }
    let marks = record.of(CACHES).filter_map(|m| {
        // Four arrays are in use.
        let elements = m.number("bytes")? / (4.0 * bytes);
        (elements >= 1024.0 && elements <= f64::from(1u32 << 20)).then(|| (elements, m.case.clone()))
    });
    section.plot(
        &format!("vector-pascal-{elements}"),
        &format!("Nanoseconds per result by the number of elements ({elements}); vertical lines: four arrays fill a cache"),
        "The distance between “two statements” and “one expression” is what pulling through saves; circles are the paper's times.",
        Plot::Lines { axes: ("elements", "ns per result"), log_x: true, lines, marks: marks.collect() },
    );
}

fn gains(section: &mut Section, record: &Record, tables: &Published) {
    section.heading("Tables 1 to 5: gains on shorts");
    let short_name = ELEMENTS[0].name;
    let mut rows = Vec::new();
    for (table, of) in [
        ("1 and 2", THROUGH),
        ("1 and 2, scalar", SCALAR_THROUGH),
        ("1 and 2, other compiler", GCC_THROUGH),
        ("3", VECTORS),
    ] {
        let mut cells = vec![format!("{table}: {of}")];
        cells.extend(POWERS.map(|power| short_or_dash(gain(record, short_name, power, of))));
        rows.push(cells);
    }
    for table in &tables.by_length {
        let mut cells = vec![format!("published, table {}, {}", table.table, table.machine)];
        cells.extend(table.ratio.map(short));
        rows.push(cells);
    }
    let lengths = POWERS.map(|power| format!("2^{power}"));
    let mut head = vec!["table"];
    head.extend(lengths.iter().map(String::as_str));
    section.table("Times as fast, by the number of elements", &head, rows);
    let ratios = |table: &Ratios| format!("{} scalar, {} vector", short(table.scalar), short(table.vector));
    let rows = [
        ("4", CHECKS, ratios(&tables.table_4)),
        ("5, scalar", UNROLLING, ratios(&tables.table_5)),
        ("5, vectors", UNROLLED_VECTORS, ratios(&tables.table_5)),
        ("all", TOGETHER, format!("more than {}", published("vp-combined"))),
    ];
    let rows = rows.map(|(table, of, published)| {
        vec![format!("{table}: {of}"), short_or_dash(gain(record, short_name, SMALL, of)), published]
    });
    section.table(
        "Tables 4 and 5, and all gains together, on 1,024 shorts",
        &["table", "times as fast", "published"],
        rows.into(),
    );
}

fn table_6(section: &mut Section, record: &Record, tables: &Published) {
    section.heading("Table 6: floats");
    let float = ELEMENTS[1].name;
    let rows = tables.table_6.iter().zip(ROWS_OF_TABLE_6).map(|(row, variant)| {
        let ours = variant.and_then(|variant| ns(record, float, SMALL, variant));
        let mflops = |us: Option<f64>| short_or_dash(us.map(|us| 2.0 / us));
        let us = |us: Option<f64>| us.map_or("–".into(), |us| format!("{us:.3}"));
        let here = ours.map(|ns| ns / 1e3);
        vec![
            row.name.clone(),
            here.map_or("–".into(), |us| format!("{us:.5}")),
            mflops(here),
            us(row.crusoe_us),
            mflops(row.crusoe_us),
            us(row.athlon_us),
            mflops(row.athlon_us),
        ]
    });
    let head = ["variant", "here, µs", "MFLOPS", "Crusoe, µs", "MFLOPS", "Athlon, µs", "MFLOPS"];
    section.table(
        "Microseconds per result, and millions of operations per second, on 1,024 floats",
        &head,
        rows.collect(),
    );
    let mut text = String::from("The interpreter A+ is not measured. ");
    if let Some(ghz) = clock(record) {
        let _ = write!(text, "The clock of this processor is reported as {ghz:.2} GHz. ");
    }
    text.push_str(
        "No pass unrolls scalar loops: the fourth row is a loop that a programmer has unrolled, without other passes. The fifth one has \
         vectors, two per iteration.",
    );
    section.text(text);
}
