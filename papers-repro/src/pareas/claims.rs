//! The measured values of the thesis's claims.

use super::{ALL_CORES, LENGTH, SHAPE, SIZE, STAGES, TOTAL};
use crate::claims::{Claim, Measured};
use crate::frame::record::Record;
use crate::frame::report::short_or_dash;

/// Returns the median milliseconds of a stage on all cores.
fn ms(record: &Record, experiment: &str, case: &str, stage: &str) -> Option<f64> {
    record.median(experiment, case, ALL_CORES, stage).map(|seconds| seconds * 1e3)
}

/// Returns the ratio of a stage's times per node: the case with the longest function, compared with the case with the shortest.
fn by_length(record: &Record, experiment: &str, stage: &str) -> Option<f64> {
    let found = record.of(experiment).filter(|m| m.variant == ALL_CORES && m.stage == stage);
    let cases: Vec<(f64, f64)> =
        found.filter_map(|m| Some((m.number("longest")?, m.statistics()?.median / m.number("nodes")?))).collect();
    let least = cases.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let most = cases.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (least.0 < most.0).then(|| most.1 / least.1)
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let name = claim.id.strip_prefix("pareas-")?;
    let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
    let value = match name {
        "growth" => ratio(ms(record, SIZE, "10MB", TOTAL), ms(record, SIZE, "1MB", TOTAL)),
        "allocation" => ratio(ms(record, SHAPE, "1", "register allocation"), ms(record, SHAPE, "1", TOTAL)),
        "length" => by_length(record, LENGTH, "register allocation"),
        "shape" => by_length(record, SHAPE, TOTAL),
        "height" => {
            let stage = "instruction generation";
            ratio(ms(record, SHAPE, "6", stage), ms(record, SHAPE, "1", stage))
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

/// Returns what was found, in one sentence.
pub fn headline(record: &Record) -> String {
    let (million, deep) = (ms(record, SIZE, "1MB", TOTAL), ms(record, SHAPE, "4", TOTAL));
    format!(
        "A program of 1 MB takes {} ms on all cores (published: 164 to 194), and one with a function of 243,973 nodes {} ms \
         (published: 121,400), since none of the {} stages is sequential.",
        short_or_dash(million),
        short_or_dash(deep),
        STAGES.len()
    )
}
