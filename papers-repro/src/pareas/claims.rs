//! The measured values of the thesis's claims.

use super::published::{Published, published_stage};
use super::{ALL_CORES, LENGTH, SHAPE, SIZE, STAGES, TOTAL, front};
use crate::claims::{Claim, Measured, published};
use crate::frame::record::{Label, Record};
use crate::frame::report::{short, short_or_dash};

/// Returns the median milliseconds of a stage on all cores.
fn ms(record: &Record, experiment: &str, case: &str, stage: &str) -> Option<f64> {
    record.median(&Label { experiment, case, variant: ALL_CORES, stage }).map(|seconds| seconds * 1e3)
}

/// Returns the ratio of total times per node: the case with the longest function, compared with the case with the shortest.
fn by_length(record: &Record, experiment: &str) -> Option<f64> {
    let found = record.of(experiment).filter(|m| m.variant == ALL_CORES && m.stage == TOTAL);
    let cases: Vec<(f64, f64)> =
        found.filter_map(|m| Some((m.number("longest")?, m.statistics()?.median / m.number("nodes")?))).collect();
    let least = cases.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let most = cases.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (least.0 < most.0).then(|| most.1 / least.1)
}

/// Returns the time of a stage over the published one, greatest of the rows of table 5.7. A stage's name has a dash for each space.
fn over_table_5_7(record: &Record, name: &str) -> Option<f64> {
    let stage = name.replace('-', " ");
    let rows = Published::new().table_5_7.into_iter();
    let over = rows.filter_map(|row| {
        Some(ms(record, SHAPE, row.get("case")?.as_str()?, &stage)? / published_stage(&row, &stage)?)
    });
    over.reduce(f64::max)
}

/// Returns the time of a stage per node in the tree of row 5, compared with the lowest tree.
fn per_node(record: &Record, stage: &str) -> Option<f64> {
    let of = |case| {
        let found = record.find(&Label { experiment: SHAPE, case, variant: ALL_CORES, stage })?;
        Some(found.statistics()?.median / found.number("nodes")?)
    };
    Some(of("5")? / of("1")?)
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let name = claim.id.strip_prefix("pareas-")?;
    let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
    let value = match name {
        "growth" => ratio(ms(record, SIZE, "10MB", TOTAL), ms(record, SIZE, "1MB", TOTAL)),
        "allocation" => ratio(ms(record, SHAPE, "1", "register allocation"), ms(record, SHAPE, "1", TOTAL)),
        "length" => by_length(record, LENGTH),
        "shape" => by_length(record, SHAPE),
        "start" => ratio(ms(record, SIZE, "1MB", TOTAL), ms(record, SIZE, "5kB", TOTAL)),
        "height" => {
            let stage = "instruction generation";
            ratio(ms(record, SHAPE, "6", stage), ms(record, SHAPE, "1", stage))
        }
        "height-optimization" => ratio(ms(record, SHAPE, "5", "optimization"), ms(record, SHAPE, "1", "optimization")),
        "nodes-jump-linking" => per_node(record, "jump linking"),
        "nodes-postprocessing" => per_node(record, "postprocessing"),
        _ if name.starts_with("5.7-") => over_table_5_7(record, &name["5.7-".len()..]),
        _ if name.starts_with("front-") => {
            let (stage, case) = name["front-".len()..].split_once('-')?;
            let stage = match stage {
                "lexing" => front::LEXING,
                "parsing" => front::PARSING,
                "building" => front::BUILDING,
                "all" => front::ALL,
                _ => return None,
            };
            ms(record, SIZE, case, stage)
        }
        _ => {
            let (table, case) = name.split_once('-')?;
            let experiment = match table {
                "5.3" => SIZE,
                "5.5" => LENGTH,
                _ => SHAPE,
            };
            ms(record, experiment, case, TOTAL)
        }
    };
    value.map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let (million, deep) = (ms(record, SIZE, "1MB", TOTAL), ms(record, SHAPE, "4", TOTAL));
    format!(
        "A program of 1 MB takes {} ms on all cores (published: {}), and one with a function of 243,973 nodes {} ms (published: {}), \
         since none of the {} stages is sequential.",
        short_or_dash(million),
        short(published("pareas-5.3-1MB")),
        short_or_dash(deep),
        short(published("pareas-5.8-4")),
        STAGES.len()
    )
}

#[cfg(test)]
mod tests {
    use super::super::published::Runtime;
    use super::super::shape::Shape;
    use super::*;

    /// Asserts that a claim has a published value, rounded.
    #[track_caller]
    fn assert_published(id: &str, value: f64) {
        let found = published(&format!("pareas-{id}"));
        assert!((found / value - 1.0).abs() < 2e-3, "{id}: {found} and not {value}");
    }

    #[test]
    fn published_values_follow_from_the_tables() {
        let tables = Published::new();
        for (name, table) in [("5.3", &tables.table_5_3), ("5.5", &tables.table_5_5), ("5.8", &tables.table_5_8)] {
            table.iter().for_each(|row| assert_published(&format!("{name}-{}", row.case), row.middle_ms()));
        }
        let times = |case: &str| tables.table_5_3.iter().find(|row| row.case == case).map(Runtime::middle_ms).unwrap();
        assert_published("growth", times("10MB") / times("1MB"));
        let stage = |row: usize, stage: &str| tables.table_5_7[row][stage].as_f64().unwrap();
        assert_published("allocation", stage(0, "register allocation") / stage(0, "total"));
        assert_published("height-optimization", stage(4, "optimization") / stage(0, "optimization"));
        assert_published("start", times("1MB") / times("5kB"));
        for row in front::Published::new().rows {
            assert_published(&format!("front-all-{}", row.case), row.all);
            if row.case == "1MB" {
                let stages = [("lexing", row.lexing), ("parsing", row.parsing), ("building", row.building)];
                let rest = [("restructuring", row.restructuring), ("analysis", row.analysis)];
                for (stage, ms) in stages.into_iter().chain(rest) {
                    assert_published(&format!("front-{stage}-1MB"), ms);
                }
            }
        }
        assert_published("height", stage(5, "instruction generation") / stage(0, "instruction generation"));
        for name in ["jump-linking", "postprocessing"] {
            let of = |row: usize| stage(row, &name.replace('-', " ")) / tables.table_5_6[row].nodes;
            assert_published(&format!("nodes-{name}"), of(4) / of(0));
        }
        let per_node = |times: &[Runtime], shapes: &[Shape]| {
            let by_length = |a: &&usize, b: &&usize| shapes[**a].longest.total_cmp(&shapes[**b].longest);
            let rows: Vec<usize> = (0..shapes.len()).collect();
            let (shortest, longest) = (rows.iter().min_by(by_length).unwrap(), rows.iter().max_by(by_length).unwrap());
            let of = |row: &usize| times[*row].middle_ms() / shapes[*row].nodes;
            of(longest) / of(shortest)
        };
        assert_published("length", per_node(&tables.table_5_5, &tables.table_5_4));
        assert_published("shape", per_node(&tables.table_5_8, &tables.table_5_6));
    }
}
