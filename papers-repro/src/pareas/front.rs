//! The stages of the front end, beside public measurements of Pareas's front end.
//!
//! Lexing, parsing and building the tree run on the whole text at once, as Pareas's stages do. The front end as a whole runs as in
//! `refc`, on parts that stay in a core's cache. Restructuring has no counterpart: the tree is built in its final form. Names and types
//! are not measured alone.

use std::time::Instant;

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::backends::program_on_cpu;
use refcompiler::frontend::classes::classes;
use refcompiler::frontend::input::upload_text;
use refcompiler::frontend::lex::lex;
use refcompiler::frontend::parse::parse;
use refcompiler::frontend::program::Request;
use refcompiler::frontend::sequential::{Extent, Sources};
use refcompiler::frontend::syntax::syntax;
use refcompiler::ir::tokens::Lexed;
use serde::Deserialize;
use treepar::Cpu;

use benches::failure::Failure;

use super::{Table, run_by_run};
use crate::frame::sweep::Sweep;

/// The beginning of the stages' names.
#[cfg(test)]
pub const PREFIX: &str = "front end: ";

/// The stages' names in the record.
pub const LEXING: &str = "front end: lexing";
pub const PARSING: &str = "front end: parsing";
pub const BUILDING: &str = "front end: building the tree";
pub const ALL: &str = "front end: all stages";

/// The stages, with the names of Pareas's.
pub const STAGES: [(&str, &str); 4] =
    [(LEXING, "lexing"), (PARSING, "parsing"), (BUILDING, "building the tree"), (ALL, "all stages")];

/// The public measurements of Pareas's front end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The repository and the folder.
    pub source: String,
    /// The machine.
    pub machine: String,
    /// The measured programs.
    pub rows: Vec<Row>,
}

/// The mean milliseconds of Pareas's stages for one program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The program in the thesis with nearly the same size.
    pub case: String,
    /// The bytes of the program.
    pub bytes: f64,
    /// The stages.
    pub lexing: f64,
    pub parsing: f64,
    pub building: f64,
    pub restructuring: f64,
    pub analysis: f64,
    pub all: f64,
}

impl Row {
    /// Returns the milliseconds of a stage that is measured here too.
    pub fn stage(&self, stage: &str) -> f64 {
        match stage {
            LEXING => self.lexing,
            PARSING => self.parsing,
            BUILDING => self.building,
            _ => self.all,
        }
    }
}

impl Published {
    /// Reads the measurements, which are included in the executable.
    pub fn new() -> Published {
        serde_json::from_str(include_str!("../../data/pareas-front-end.json")).expect("the file is ours")
    }
}

/// Measures the stages of the front end. All of them must accept the program.
pub fn measure(sweep: &Sweep, cpu: &Cpu, runs: usize, sources: &Sources) -> Result<Table, Failure> {
    let refused = || Failure::Other("the front end refuses a generated program".into());
    run_by_run(sweep, runs, STAGES.map(|(stage, _)| stage), |_| {
        let text = upload_text(cpu, sources, 0..sources.bytes() as u32)?;
        let start = Instant::now();
        let Lexed { tokens, unsure, .. } = lex(cpu, &text)?;
        let lexed = start.elapsed();
        let (classified, _) = classes(cpu, &tokens)?;
        let checked = syntax(cpu, &classified)?;
        let parsed = start.elapsed();
        let tree = parse(cpu, &tokens, &classified, &checked)?;
        let built = start.elapsed();
        if unsure > 0 || checked.errors > 0 {
            return Err(refused());
        }
        drop((tree, checked, classified, tokens, text));
        let start = Instant::now();
        let request = Request { extent: Extent::Object, warnings: false, lines: false };
        let program = program_on_cpu(cpu, sources, request)?;
        let all = start.elapsed();
        if !matches!(program, Found::Valid(_)) {
            return Err(refused());
        }
        Ok([lexed, parsed - lexed, built - parsed, all].map(|time| time.as_secs_f64()).to_vec())
    })
}
