//! The errors of the rules of uniqueness, which a pass finds in the tree of a program with arrays.

use std::ops::Range;

use treepar::{Backend, Cpu, Result};

use crate::diagnostics::{Code, Diagnostic};
use crate::ir;
use crate::ir::kinds::Type;
use crate::ir::nodes::{HostNodes, Nodes};
use crate::ir::tree::{Composite, Tree, kind};
use crate::passes::uniqueness::{HostBreaches, Input, Rule, breaches};
use crate::source::Sources;

/// Returns for each code of a type whether its values can share memory: 1 for arrays and for what contains them.
fn shared(composites: &[Composite]) -> Vec<u8> {
    let mut shared: Vec<u8> = (0..=u8::MAX).map(|code| Type::from_code(code).is_array().into()).collect();
    for (k, composite) in composites.iter().enumerate() {
        let contains = composite.fields.iter().any(|field| shared[field.ty as usize] == 1);
        shared[Type::of_composite(k as u32).code() as usize] = (composite.rank > 0 || contains).into();
    }
    shared
}

/// Returns the breaches of the rules in a tree.
///
/// # Errors
/// As [`breaches`].
pub fn breaches_of<B: Backend>(backend: &B, tree: &Tree) -> Result<HostBreaches> {
    let nodes = HostNodes {
        depth: tree.depth.clone(),
        kind: bytemuck::cast_slice(&tree.kind).to_vec(),
        ty: bytemuck::cast_slice(&tree.ty).to_vec(),
        data: tree.data.clone(),
    };
    let nodes = Nodes::upload(backend, &nodes)?;
    let shared = backend.upload(&shared(&tree.composites))?;
    let input = Input { nodes: &nodes, shared: &shared, functions: tree.functions.len() };
    breaches(backend, &input)?.download(backend)
}

/// Returns the number of breaches of the rules in a program without structs and tuples.
///
/// # Errors
/// As [`breaches`].
pub fn breaches_in<B: Backend>(backend: &B, program: &ir::program::Program<B>) -> Result<usize> {
    let shared = backend.upload(&shared(&[]))?;
    let count = |nodes| {
        let input = Input { nodes, shared: &shared, functions: program.functions.len() };
        Ok(breaches(backend, &input)?.len())
    };
    match &program.parts[..] {
        [nodes] => count(nodes),
        _ => count(&program.joined(backend)?),
    }
}

/// Returns the errors of the rules of uniqueness in a program, in the order of their positions.
///
/// # Errors
/// As [`breaches`].
pub fn errors<B: Backend>(backend: &B, tree: &Tree, sources: &Sources) -> Result<Vec<Diagnostic>> {
    if !tree.arrays {
        return Ok(Vec::new());
    }
    let found = breaches_of(backend, tree)?;
    let program = Program { tree, sources };
    let rows = found.rule.iter().zip(&found.node).zip(&found.other);
    let mut errors: Vec<Diagnostic> = rows.map(|((&rule, &node), &other)| program.error(rule, node, other)).collect();
    errors.sort_by_key(|error| (error.span.start, error.code));
    errors.dedup_by(|a, b| a.span == b.span);
    Ok(errors)
}

/// Returns a checked program with its warnings if it keeps the rules of uniqueness.
///
/// # Errors
/// Those of [`errors`], or one about a program that is too large for the analysis.
pub fn unique_on_cpu<W>(checked: (Tree, W), sources: &Sources) -> std::result::Result<(Tree, W), Vec<Diagnostic>> {
    // Without arrays there is nothing to do.
    if !checked.0.arrays {
        return Ok(checked);
    }
    // Programs with arrays are small so far, and more threads take longer to begin.
    let errors = errors(&Cpu::with_threads(1), &checked.0, sources).unwrap_or_else(|error| {
        vec![Diagnostic::new(Code::Unsupported, 0..0, format!("the analysis of arrays failed: {error}"))]
    });
    if errors.is_empty() { Ok(checked) } else { Err(errors) }
}

/// A program, for messages.
struct Program<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
}

/// Advice that almost always helps.
const COPY: &str = "`copy[..]` makes an array that shares no memory with others";

impl Program<'_> {
    /// Returns the first token of a node, if it is a word or number, else its first character.
    fn span(&self, node: u32) -> Range<u32> {
        let start = self.tree.pos[node as usize];
        let rest = self
            .sources
            .text(start..self.sources.file_at(start).map_or(start, |file| file.start + file.text.len() as u32));
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(1);
        start..start + length as u32
    }

    fn name(&self, node: u32) -> &str {
        self.sources.text(self.span(node))
    }

    /// Returns the label of a node that consumes.
    fn consumption(&self, consumer: u32) -> String {
        if self.tree.kind[consumer as usize] == kind::ARG {
            "this argument is consumed, because the parameter is unique".to_string()
        } else {
            format!("this update consumes every other alias of `{}`", self.name(consumer))
        }
    }

    /// Returns the error for a breach of a rule.
    fn error(&self, rule: Rule, node: u32, other: u32) -> Diagnostic {
        let (span, place) = (self.span(node), self.span(other));
        match rule {
            Rule::Parameter => {
                let name = self.name(other);
                let message = format!("this may consume the array of the parameter `{name}`, which is read-only");
                Diagnostic::new(Code::NotConsumable, span, message)
                    .label("consumed here")
                    .other(place, "declared here")
                    .help(format!("{COPY}; a parameter `{name}: *[..]` can be consumed"))
            }
            Rule::Shared => {
                let name = self.name(other);
                let message = format!("this may consume the array `{name}`, which a nested function reads");
                Diagnostic::new(Code::NotConsumable, span, message)
                    .label("consumed here")
                    .other(place, "declared here")
                    .help(COPY)
            }
            Rule::Lambda => {
                let message = "a lambda consumes no arrays but those that it makes";
                Diagnostic::new(Code::NotConsumable, span, message)
                    .label("consumed here")
                    .other(place, "this array is not its own")
                    .help(COPY)
            }
            Rule::Row => {
                let message = format!("this row may share memory with the updated array `{}`", self.name(other));
                Diagnostic::new(Code::OwnRow, span, message)
                    .label("shares memory")
                    .other(place, "updated here")
                    .help(COPY)
            }
            Rule::Result => {
                let message = format!("this unique result may be the array `{}`", self.name(other));
                Diagnostic::new(Code::NotUnique, span, message)
                    .label("returned here")
                    .other(place, "declared here")
                    .help(COPY)
            }
            // A use after a consumption.
            _ => {
                let name = self.name(node);
                let mut label = self.consumption(other);
                if place.start >= span.start {
                    let is_same = self.tree.kind[other as usize] == kind::ARG;
                    label += if is_same { ", here or in an earlier iteration" } else { " in an earlier iteration" };
                }
                Diagnostic::new(Code::Consumed, span, format!("the array `{name}` may be used after it was consumed"))
                    .label("used here")
                    .other(place, label)
                    .help(COPY)
            }
        }
    }
}
