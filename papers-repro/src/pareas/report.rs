//! The thesis's section of the report.

use std::collections::BTreeMap;

use super::front;
use super::published::{Published, Runtime, published_stage};
use super::shape::Shape;
use super::{ALL_CORES, DOWNLOAD, GPU, LENGTH, ONE_THREAD, SHAPE, SIZE, STAGES, TOTAL, UPLOAD, WHOLE};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::{Label, Record};
use crate::frame::report::{Section, short, short_or_dash, thousands};

/// A backend that a record may contain.
struct Subject {
    /// The variant's name in the record.
    variant: &'static str,
    /// The backend as part of a sentence.
    location: &'static str,
    /// The suffix of its plots' names.
    suffix: &'static str,
}

const SUBJECTS: [Subject; 2] = [
    Subject { variant: ALL_CORES, location: "on all cores", suffix: "" },
    Subject { variant: GPU, location: "on the GPU", suffix: "-gpu" },
];

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let published = Published::new();
    let has = |subject: &&Subject| record.measurements.iter().any(|m| m.variant == subject.variant);
    let subjects: Vec<&Subject> = SUBJECTS.iter().filter(has).collect();
    let mut section = Section::new("Pareas thesis: code generation (chapter 5)", record);
    section.text(format!("Published figures: {}. Published hardware: {}.", published.source, published.machine));
    section.text(
        "Each row is a generated program with the shape of the thesis's program. It is printed as source, parsed, and \
         compiled from tree to words. As in the thesis, times exclude the transfers of the tree and the words. Stages \
         have the thesis's names. In refc, `flatten` finds dead expressions (optimization), `allocate` and `frames` \
         allocate registers, and `lower` counts and generates instructions.",
    );
    for subject in &subjects {
        section.text(match subject.variant {
            GPU => {
                "On the GPU, each stage's time includes the wait for its end. The code of every run equals the CPU's. \
                 The thesis used a different GPU."
            }
            _ => "The times on all cores were measured on a CPU. The thesis used a GPU.",
        });
    }

    let mut page = Page { section, record, subjects };
    page.section.heading("Source file size");
    page.shapes("5.2", SIZE, &published.table_5_2);
    page.runtimes("5.3", SIZE, &published.table_5_3);
    let thesis = published.table_5_3.iter().zip(&published.table_5_2);
    let thesis: Vec<(f64, f64)> = thesis.map(|(time, shape)| (shape.nodes, time.middle_ms())).collect();
    let measured = |variant: &str, stage: &str| page.medians(SIZE, "nodes", variant, stage);
    let line = |name: &str, points: Vec<(f64, f64)>, published| Line { name: name.into(), points, published };
    let mut lines: Vec<Line> = [ALL_CORES, ONE_THREAD, GPU]
        .map(|variant| line(&format!("refc, {variant}"), measured(variant, TOTAL), false))
        .into_iter()
        .chain(page.subjects.iter().map(|subject| {
            let name = if subject.variant == GPU { ", then the GPU" } else { "" };
            line(&format!("refc, from source text{name}"), measured(subject.variant, WHOLE), false)
        }))
        .filter(|line| !line.points.is_empty())
        .collect();
    lines.push(line("thesis, GPU", thesis, true));
    page.section.plot(
        "pareas-size",
        "Figure 5.1: milliseconds by number of nodes",
        "The circles are the thesis's times; a line below them is faster.",
        Plot::Lines { axes: ("nodes", "ms"), log_x: true, lines, marks: Vec::new() },
    );
    let names: Vec<&str> = published.table_5_2.iter().map(|shape| shape.case.as_str()).collect();
    page.breakdown("pareas-size-stages", "Figure 5.2", SIZE, &published.table_5_2, &published.table_5_3);
    page.whole();
    page.transfers(&names);
    page.front_end();

    page.section.heading("Function length");
    page.shapes("5.4", LENGTH, &published.table_5_4);
    page.runtimes("5.5", LENGTH, &published.table_5_5);
    page.breakdown("pareas-length-stages", "Figure 5.3", LENGTH, &published.table_5_4, &published.table_5_5);
    page.allocation(LENGTH, &published.table_5_4, "about 10");

    page.section.heading("Tree shape");
    page.shapes("5.6", SHAPE, &published.table_5_6);
    page.stage_table(&published.table_5_7);
    page.runtimes("5.8", SHAPE, &published.table_5_8);
    let published_times = |stage: &str| -> Vec<(f64, f64)> {
        let rows = published.table_5_7.iter().zip(&published.table_5_6);
        rows.filter_map(|(row, shape)| Some((shape.height, row.get(stage)?.as_f64()?))).collect()
    };
    let mut lines = Vec::new();
    for &Subject { variant, location, .. } in &page.subjects {
        for stage in ["instruction generation", "optimization"] {
            lines.push(line(
                &format!("refc {location}, {stage}"),
                page.medians(SHAPE, "height", variant, stage),
                false,
            ));
        }
    }
    for stage in ["instruction generation", "optimization"] {
        lines.push(line(&format!("thesis, {stage}"), published_times(stage), true));
    }
    page.section.plot(
        "pareas-height",
        "Figure 5.4: milliseconds of two stages by the height of the tree",
        "In the thesis both stages grow with the height of the tree; here they follow the number of nodes.",
        Plot::Lines { axes: ("height", "ms"), log_x: false, lines, marks: Vec::new() },
    );
    page.allocation(SHAPE, &published.table_5_6, "about 2,500");
    page.section
}

/// The section while it is being written.
struct Page<'a> {
    section: Section,
    record: &'a Record,
    subjects: Vec<&'static Subject>,
}

impl Page<'_> {
    /// Returns the median milliseconds of a stage, by a property of the cases.
    fn medians(&self, experiment: &str, property: &str, variant: &str, stage: &str) -> Vec<(f64, f64)> {
        let found = self.record.of(experiment).filter(|m| m.variant == variant && m.stage == stage);
        found.filter_map(|m| Some((m.number(property)?, m.statistics()?.median * 1e3))).collect()
    }

    /// Adds a table of the reached and requested shapes.
    fn shapes(&mut self, table: &str, experiment: &str, wanted: &[Shape]) {
        let rows = wanted
            .iter()
            .filter_map(|shape| {
                let mut found = SUBJECTS.iter().filter_map(|s| {
                    self.record.find(&Label { experiment, case: &shape.case, variant: s.variant, stage: TOTAL })
                });
                let found = found.next()?;
                let number = |name: &str| thousands(&found.number(name).unwrap_or(0.0).to_string());
                let pair = |name: &str, wanted: f64| format!("{} / {}", number(name), thousands(&wanted.to_string()));
                Some(vec![
                    shape.case.clone(),
                    pair("nodes", shape.nodes),
                    pair("width", shape.width),
                    pair("height", shape.height),
                    pair("functions", shape.functions),
                    pair("longest", shape.longest),
                    number("bytes"),
                ])
            })
            .collect();
        let head = ["case", "nodes", "width", "height", "functions", "longest function", "bytes of source here"];
        self.section.table(&format!("Table {table}: shapes, here / thesis"), &head, rows);
    }

    /// Adds a table of the total times, compared with the thesis's.
    fn runtimes(&mut self, table: &str, experiment: &str, published: &[Runtime]) {
        for Subject { variant, location, .. } in &self.subjects {
            let row = |row: &Runtime| {
                let ours = self
                    .record
                    .find(&Label { experiment, case: &row.case, variant, stage: TOTAL })
                    .and_then(|m| m.statistics());
                let ms = |value: Option<f64>| short_or_dash(value.map(|seconds| seconds * 1e3));
                vec![
                    row.case.clone(),
                    ms(ours.map(|s| s.minimum)),
                    ms(ours.map(|s| s.median)),
                    ms(ours.map(|s| s.maximum)),
                    ms(ours.map(|s| s.deviation)),
                    ours.map_or("–".into(), |s| s.outliers.to_string()),
                    short(row.minimum_ms),
                    short(row.maximum_ms),
                    short(row.deviation_ms),
                ]
            };
            let head = [
                "case",
                "minimum",
                "median",
                "maximum",
                "deviation",
                "outliers",
                "thesis: minimum",
                "maximum",
                "deviation",
            ];
            let caption = format!("Table {table}: total milliseconds, refc {location} and thesis");
            self.section.table(&caption, &head, published.iter().map(row).collect());
        }
    }

    /// Adds a plot of each stage's share of the time. The thesis's bars would be too high for it.
    fn breakdown(&mut self, name: &str, figure: &str, experiment: &str, shapes: &[Shape], thesis: &[Runtime]) {
        let per_node = shapes.iter().zip(thesis).map(|(shape, time)| time.middle_ms() / shape.nodes * 1e6);
        let (low, high) = per_node.fold((f64::INFINITY, 0.0f64), |(low, high), ns| (low.min(ns), high.max(ns)));
        for Subject { variant, location, suffix } in &self.subjects {
            let bars = shapes.iter().filter_map(|shape| {
                let case = &shape.case;
                let nodes = self.record.find(&Label { experiment, case, variant, stage: TOTAL })?.number("nodes")?;
                let parts =
                    STAGES.iter().map(|(stage, _)| self.record.median(&Label { experiment, case, variant, stage }));
                let parts: Option<Vec<f64>> = parts.map(|seconds| Some(seconds? / nodes * 1e9)).collect();
                Some((case.to_string(), parts?))
            });
            let bars = bars.collect();
            let parts = STAGES.iter().map(|(stage, _)| stage.to_string()).collect();
            let caption = format!("{figure}, per node: nanoseconds of each stage {location}");
            let see = format!(
                "In the thesis, a bar has {} to {} ns, almost all of it for register allocation.",
                short(low),
                short(high)
            );
            self.section.plot(
                &format!("{name}{suffix}"),
                &caption,
                &see,
                Plot::Bars { axis: "ns per node", parts, bars },
            );
        }
    }

    /// Adds a table of the whole compiler's times.
    fn whole(&mut self) {
        for Subject { variant, location, .. } in &self.subjects {
            let rows = self.record.of(SIZE).filter(|found| found.variant == *variant && found.stage == WHOLE);
            let rows = rows.filter_map(|found| {
                let (bytes, seconds) = (found.number("bytes")?, found.statistics()?.median);
                let passes = self.record.median(&Label { experiment: SIZE, case: &found.case, variant, stage: TOTAL });
                Some(vec![
                    found.case.clone(),
                    thousands(&bytes.to_string()),
                    short(seconds * 1e3),
                    short(bytes / seconds / 1e6),
                    short_or_dash(passes.map(|passes| bytes / passes / 1e6)),
                ])
            });
            let head = ["case", "bytes of source", "ms", "MB/s", "MB/s, stages only"];
            let caption =
                format!("Not in the thesis: the whole compiler, from source text to object code, stages {location}");
            self.section.table(&caption, &head, rows.collect());
        }
    }

    /// Adds a table and a plot of the front end's stages, compared with public measurements of Pareas's.
    fn front_end(&mut self) {
        let published = front::Published::new();
        let ours = |variant: &str, case: &str, stage: &str| {
            self.record.median(&Label { experiment: SIZE, case, variant, stage }).map(|seconds| seconds * 1e3)
        };
        if published.rows.iter().all(|row| ours(ALL_CORES, &row.case, front::ALL).is_none()) {
            return;
        }
        let mut rows = Vec::new();
        for row in &published.rows {
            for variant in [ALL_CORES, ONE_THREAD] {
                let mut cells = vec![format!("{}, refc, {variant}", row.case)];
                cells.extend(front::STAGES.map(|(stage, _)| short_or_dash(ours(variant, &row.case, stage))));
                cells.extend(["–"; 2].map(String::from));
                rows.push(cells);
            }
            let mut cells = vec![format!("{}, Pareas, GPU ({} bytes)", row.case, thousands(&row.bytes.to_string()))];
            cells.extend(front::STAGES.map(|(stage, _)| short(row.stage(stage))));
            cells.extend([row.restructuring, row.analysis].map(short));
            rows.push(cells);
        }
        let mut lines: Vec<Line> = [ALL_CORES, ONE_THREAD]
            .map(|variant| Line {
                name: format!("refc, {variant}"),
                points: self.medians(SIZE, "bytes", variant, front::ALL),
                published: false,
            })
            .into();
        let points = published.rows.iter().map(|row| (row.bytes, row.all)).collect();
        lines.push(Line { name: "Pareas, GPU".into(), points, published: true });
        self.section.heading("Front end");
        self.section.text(format!(
            "Not in the thesis on code generation: the stages of Pareas's front end, from {}. Machine: {}. Lexing, parsing and building \
             the tree ran on the whole text, and all stages as in the compiler, on parts of the text. In refc the tree is built in its \
             final form, so nothing is restructured. Names and types are part of all stages only.",
            published.source, published.machine
        ));
        let mut head = vec!["case"];
        head.extend(front::STAGES.map(|(_, name)| name));
        head.extend(["of these: restructuring", "semantic analysis"]);
        self.section.table("Front end: milliseconds of each stage", &head, rows);
        self.section.plot(
            "pareas-front-end",
            "Front end: milliseconds of all stages, by the size of the program",
            "The circles are Pareas's times; a line below them is faster.",
            Plot::Lines { axes: ("bytes of source", "ms"), log_x: true, lines, marks: Vec::new() },
        );
    }

    /// Adds a table of the transfers between host and GPU, which the thesis leaves out.
    fn transfers(&mut self, cases: &[&str]) {
        let rows = cases.iter().filter_map(|case| {
            let ms = |stage| Some(self.record.median(&Label { experiment: SIZE, case, variant: GPU, stage })? * 1e3);
            let [stages, upload, download] = [ms(TOTAL)?, ms(UPLOAD)?, ms(DOWNLOAD)?];
            Some([&[case.to_string()], &[stages, upload, download].map(short)[..]].concat())
        });
        let head = ["case", "all stages", "upload of the tree", "download of the words"];
        self.section.table("Milliseconds of transfers on the GPU, which the total excludes", &head, rows.collect());
    }

    /// Adds table 5.7, the time of each stage.
    fn stage_table(&mut self, published: &[BTreeMap<String, serde_json::Value>]) {
        let stages: Vec<&str> = STAGES.iter().map(|(stage, _)| *stage).collect();
        let mut rows = Vec::new();
        for row in published {
            let Some(case) = row.get("case").and_then(|case| case.as_str()) else { continue };
            for Subject { variant, location, .. } in &self.subjects {
                let ours = |stage: &str| {
                    self.record.median(&Label { experiment: SHAPE, case, variant, stage }).map(|s| s * 1e3)
                };
                let mut cells = vec![format!("{case}, refc {location}"), short_or_dash(ours(TOTAL))];
                cells.extend(stages.iter().map(|stage| short_or_dash(ours(stage))));
                rows.push(cells);
            }
            let theirs = |stage: &str| published_stage(row, stage);
            let mut cells = vec![format!("{case}, thesis"), short_or_dash(theirs(TOTAL))];
            cells.extend(stages.iter().map(|stage| short_or_dash(theirs(stage))));
            rows.push(cells);
        }
        let mut head = vec!["case", "total"];
        head.extend(&stages);
        self.section.table(
            "Table 5.7: milliseconds of each stage; instruction generation includes the thesis's instruction counting",
            &head,
            rows,
        );
    }

    /// Adds a table of register allocation per node, and compares the longest function with the shortest.
    fn allocation(&mut self, experiment: &str, shapes: &[Shape], thesis: &str) {
        for Subject { variant, location, .. } in &self.subjects {
            let per_node = |shape: &Shape| {
                let found = self.record.find(&Label {
                    experiment,
                    case: &shape.case,
                    variant,
                    stage: "register allocation",
                })?;
                Some(found.statistics()?.median / found.number("nodes")? * 1e9)
            };
            let row = |shape: &Shape| {
                vec![shape.case.clone(), thousands(&shape.longest.to_string()), short_or_dash(per_node(shape))]
            };
            self.section.table(
                &format!("Register allocation {location}: nanoseconds per node by longest function"),
                &["case", "longest function", "ns per node"],
                shapes.iter().map(row).collect(),
            );
            let by_length = |a: &&Shape, b: &&Shape| a.longest.total_cmp(&b.longest);
            let (short_one, long_one) = (shapes.iter().min_by(by_length), shapes.iter().max_by(by_length));
            let ratio = short_one.and_then(per_node).zip(long_one.and_then(per_node)).map(|(short, long)| long / short);
            if let Some(ratio) = ratio {
                self.section.text(format!(
                    "Register allocation {location} takes {ratio:.2} times as long per node in the row with the longest \
                     function as in the row with the shortest; in the thesis, {thesis} times. refc derives the locations \
                     of values from the heights of evaluation stacks, by scans over all rows. No step processes a function \
                     sequentially."
                ));
            }
        }
    }
}
