//! All measured claims of the papers, and the verdict about each.
//!
//! The claims are rows of `data/claims.json`. A paper's module gives the measured value of a claim; the verdict follows from it, the
//! published value and the kind of the claim.

pub mod front;

use serde::Deserialize;

use crate::frame::report::short;

/// A claim.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The identifier, which begins with the paper.
    pub id: String,
    /// The short name of the paper.
    pub paper: String,
    /// The claim.
    pub claim: String,
    /// The section, table or figure of the paper, or the file with the published value.
    pub source: String,
    /// The kind of the value.
    pub kind: Kind,
    /// The published value.
    pub published: f64,
    /// The unit.
    #[serde(default)]
    pub unit: String,
    /// The deviation of a value that still agrees, relative to the published value.
    #[serde(default)]
    pub tolerance: f64,
    /// `true` if this is a goal of this project and no claim of a paper. Then the published value is the goal's.
    #[serde(default)]
    pub is_goal: bool,
    /// The reason why a rerun does not agree, or why there is none. The report has it if the verdict is so.
    #[serde(default)]
    pub why: String,
}

/// The kind of a claim's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A speed-up.
    Gain,
    /// The share of a transformation that is done: 1 is all of it.
    Share,
    /// A time: less is better.
    Time,
    /// A rate: more is better.
    Rate,
    /// A value that is at most the published one.
    Most,
    /// A value that a rerun should repeat.
    Value,
    /// A number of loops or checks that an optimiser leaves: fewer are better.
    Left,
    /// A number of loops that stay: the paper says that they are not joined.
    Kept,
    /// A claim for which there is no measurement here.
    Unmeasured,
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The value.
    pub ours: f64,
    /// The value without the optimiser, if the claim compares with it.
    pub before: Option<f64>,
}

impl From<f64> for Measured {
    fn from(ours: f64) -> Measured {
        Measured { ours, before: None }
    }
}

/// The result of comparing a claim with a rerun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The published effect is there.
    Agrees,
    /// There is an effect, and it is smaller, or the value is another one.
    Differs,
    /// There is no effect.
    NotReproduced,
    /// There is no measurement.
    NotMeasured,
}

/// The number of verdicts.
const VERDICTS: usize = 4;

/// The share of an effect from which on a claim agrees.
const REACHED: f64 = 0.9;

/// The share of an effect below which a claim is not reproduced.
const ABSENT: f64 = 0.1;

/// Returns the published value of a claim.
pub fn published(id: &str) -> f64 {
    Claim::all().iter().find(|claim| claim.id == id).expect("a claim of the file").published
}

impl Verdict {
    fn of_share(share: f64) -> Verdict {
        match share {
            share if share >= REACHED => Verdict::Agrees,
            share if share >= ABSENT => Verdict::Differs,
            _ => Verdict::NotReproduced,
        }
    }
}

impl Claim {
    /// Returns all claims, which are included in the executable.
    pub fn all() -> Vec<Claim> {
        serde_json::from_str(include_str!("../../data/claims.json")).expect("the file is ours")
    }

    /// Returns the verdict about a measured value.
    pub fn verdict(&self, measured: Option<Measured>) -> Verdict {
        let Some(Measured { ours, before }) = measured.filter(|measured| measured.ours.is_finite()) else {
            return Verdict::NotMeasured;
        };
        let agrees_if = |agrees| if agrees { Verdict::Agrees } else { Verdict::Differs };
        match self.kind {
            Kind::Gain => Verdict::of_share(ours.ln() / self.published.ln()),
            Kind::Share => Verdict::of_share(ours / self.published),
            Kind::Time | Kind::Most => agrees_if(ours <= self.published),
            Kind::Rate | Kind::Kept => agrees_if(ours >= self.published),
            Kind::Value => agrees_if((ours / self.published - 1.0).abs() <= self.tolerance),
            Kind::Left if ours <= self.published => Verdict::Agrees,
            Kind::Left => before.map_or(Verdict::Differs, |before| {
                Verdict::of_share((before - ours) / (before - self.published).max(1.0)).min_differs()
            }),
            Kind::Unmeasured => Verdict::NotMeasured,
        }
    }

    /// Returns the name of a verdict and its colour.
    fn verdict_text(&self, verdict: Verdict) -> (&'static str, &'static str) {
        let is_speed = matches!(self.kind, Kind::Time | Kind::Rate);
        match verdict {
            Verdict::NotMeasured => ("not measured", "poor"),
            Verdict::Agrees if self.is_goal => ("reached", "good"),
            Verdict::Differs | Verdict::NotReproduced if self.is_goal => ("missed", "bad"),
            Verdict::Agrees => (if is_speed { "not slower" } else { "agrees" }, "good"),
            Verdict::Differs => (if is_speed { "slower" } else { "differs" }, "fair"),
            Verdict::NotReproduced => ("not reproduced", "bad"),
        }
    }

    fn with_unit(&self, value: f64) -> String {
        let number = match self.kind {
            Kind::Left | Kind::Kept => format!("{value:.0}"),
            // The sum with 0 has no sign if it is 0.
            Kind::Share => format!("{:.0} %", (100.0 * value).round() + 0.0),
            Kind::Value if self.tolerance < 0.01 => format!("{:.6}", Significant(value)),
            _ => short(value),
        };
        match self.unit.as_str() {
            "" => number,
            // Loops and checks are counted.
            unit if number == "1" => format!("1 {}", unit.trim_end_matches('s')),
            unit => format!("{number} {unit}"),
        }
    }
}

impl Verdict {
    /// Returns the verdict if fewer loops than before are left, but more than published.
    fn min_differs(self) -> Verdict {
        if self == Verdict::Agrees { Verdict::Differs } else { self }
    }
}

/// A number with as many digits as the precision says, whatever its size.
struct Significant(f64);

impl std::fmt::Display for Significant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let before = if self.0 == 0.0 { 0.0 } else { self.0.abs().log10().floor() + 1.0 };
        let digits = (f.precision().unwrap_or(6) as f64 - before).max(0.0) as usize;
        write!(f, "{:.digits$}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(kind: Kind, published: f64) -> Claim {
        let text = String::new;
        Claim {
            id: text(),
            paper: text(),
            claim: text(),
            source: text(),
            kind,
            published,
            unit: text(),
            tolerance: 0.1,
            is_goal: false,
            why: text(),
        }
    }

    #[test]
    fn verdicts_follow_from_measurements() {
        use Verdict::{Agrees, Differs, NotMeasured, NotReproduced};
        let cases = [
            (Kind::Gain, 4.0, 4.0, Agrees),
            (Kind::Gain, 4.0, 9.0, Agrees),
            (Kind::Gain, 4.0, 2.0, Differs),
            (Kind::Gain, 4.0, 1.0, NotReproduced),
            (Kind::Gain, 4.0, 0.5, NotReproduced),
            (Kind::Share, 1.0, 0.95, Agrees),
            (Kind::Share, 1.0, 0.5, Differs),
            (Kind::Share, 1.0, -0.5, NotReproduced),
            (Kind::Time, 3.0, 3.0, Agrees),
            (Kind::Time, 3.0, 3.1, Differs),
            (Kind::Rate, 0.5, 0.6, Agrees),
            (Kind::Rate, 0.5, 0.4, Differs),
            (Kind::Most, 1.0, 1.0, Agrees),
            (Kind::Most, 1.0, 1.1, Differs),
            (Kind::Value, 10.0, 10.9, Agrees),
            (Kind::Value, 10.0, 11.1, Differs),
            (Kind::Left, 1.0, 1.0, Agrees),
            (Kind::Left, 0.0, 0.0, Agrees),
            (Kind::Kept, 3.0, 3.0, Agrees),
            (Kind::Kept, 3.0, 2.0, Differs),
            (Kind::Unmeasured, 3.0, 3.0, NotMeasured),
        ];
        for (kind, published, ours, expected) in cases {
            assert_eq!(claim(kind, published).verdict(Some(ours.into())), expected, "{kind:?} {published} {ours}");
        }
        let left = |before, ours| claim(Kind::Left, 1.0).verdict(Some(Measured { ours, before: Some(before) }));
        assert_eq!([left(4.0, 1.0), left(4.0, 2.0), left(4.0, 4.0)], [Agrees, Differs, NotReproduced]);
    }

    /// A claim that a rerun could agree with has a published value, a source, and a tolerance if its value has to be repeated.
    #[test]
    fn claims_have_sources_and_tolerances() {
        for claim in Claim::all() {
            assert!(claim.published.is_finite() && !claim.source.is_empty() && !claim.claim.is_empty(), "{}", claim.id);
            assert_eq!(claim.tolerance > 0.0, claim.kind == Kind::Value, "{}", claim.id);
            assert!(
                claim.id.starts_with(if claim.paper == "vector-pascal" { "vp" } else { &claim.paper }),
                "{}",
                claim.id
            );
        }
    }

    #[test]
    fn no_claim_is_green_without_a_measurement() {
        for claim in Claim::all() {
            for missing in [None, Some(f64::NAN.into())] {
                assert_eq!(claim.verdict(missing), Verdict::NotMeasured, "{}", claim.id);
            }
        }
    }

    #[test]
    fn the_claims_of_the_inventories_are_complete() {
        let mut expected: Vec<String> = Vec::new();
        let mut add = |prefix: &str, names: &str| {
            expected.extend(names.split_whitespace().map(|name| format!("{prefix}-{name}")));
        };
        add("key", "functional accumulating functional-depths accumulating-depths ratio consistent matrix mutation");
        add("key-goal", "functional accumulating functional-one accumulating-one bytes");
        add("pareas-5.3", "5kB 10kB 100kB 500kB 1MB 10MB 50MB");
        add("pareas-5.5", "1 2 3 4 5 6 7 8");
        add("pareas-5.8", "1 2 3 4 5 6");
        add(
            "pareas",
            "growth start allocation length shape height height-optimization nodes-jump-linking nodes-postprocessing",
        );
        add(
            "pareas-5.7",
            "preprocessing optimization register-allocation instruction-generation jump-linking postprocessing",
        );
        add("pareas-front", "lexing-1MB parsing-1MB building-1MB restructuring-1MB analysis-1MB");
        add("pareas-front-all", "5kB 10kB 100kB 500kB 1MB");
        for program in ["l0-r0", "l0-r1", "l0-r2"] {
            add(program, "ms plain-ms");
        }
        add("l0", "goal-c p2-checks r0 r1 r2 r0-value r1-first r1-last r2-value r2-likelihood");
        add("l0", "p0 p1 p1-checks p2 r0-structure r1-structure r2-structure");
        add("lms", "1 2 3 4 5 6 7 8 9 10a 10b 11 12a 12b query query-8 spade");
        for table in ["vp-c1", "vp-c2", "vp-c3"] {
            add(table, "10 12 14 16 18 20");
        }
        add("vp", "c4-vector c4-scalar c5-vector c5-scalar combined multiply float-less flops memory bound goal-gcc");
        add("vp", "vectors-more longer-vector longer-scalar");
        add("vp-goal", "int float avx2-short avx2-int avx2-float");
        add("vp-c6", "crusoe-through crusoe-unrolled athlon-through athlon-unrolled athlon-vectors");
        add("vp-c6", "crusoe-all crusoe-rate athlon-all athlon-rate interpreter interpreter-athlon");
        let mut found: Vec<String> = Claim::all().into_iter().map(|claim| claim.id).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_have_units_and_no_negative_zero() {
        let of = |kind, unit: &str, value| Claim { unit: unit.into(), ..claim(kind, 1.0) }.with_unit(value);
        assert_eq!([of(Kind::Left, "loops", 1.0), of(Kind::Left, "loops", 4.0)], ["1 loop", "4 loops"]);
        assert_eq!([of(Kind::Share, "", -0.001), of(Kind::Share, "", 0.6)], ["0 %", "60 %"]);
    }

    /// A time of another machine is not a result that agrees.
    #[test]
    fn verdicts_about_speed_have_names_of_their_own() {
        let name = |kind, verdict| claim(kind, 1.0).verdict_text(verdict).0;
        assert_eq!(
            [Kind::Time, Kind::Rate, Kind::Gain].map(|kind| name(kind, Verdict::Agrees)),
            ["not slower", "not slower", "agrees"]
        );
        assert_eq!(
            [Kind::Time, Kind::Rate, Kind::Most].map(|kind| name(kind, Verdict::Differs)),
            ["slower", "slower", "differs"]
        );
    }

    #[test]
    fn numbers_have_six_digits() {
        let text = |value| format!("{:.6}", Significant(value));
        assert_eq!([text(926.531_547), text(0.024_48), text(0.0)], ["926.532", "0.0244800", "0.000000"]);
    }
}
