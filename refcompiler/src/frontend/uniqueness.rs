//! The errors of the rules of uniqueness, which a pass finds in the tree of a program with arrays.

use std::ops::Range;

use treepar::{Backend, Cpu, Result};

use crate::diagnostics::{Code, Diagnostic};
use crate::ir;
use crate::ir::kinds::Type;
use crate::ir::nodes::Nodes;
use crate::ir::program::{is_uneven, nodes_per_part, ranges, uploaded};
use crate::ir::tree::{Composite, Tree, kind};
use crate::passes::uniqueness::{Breaches, HostBreaches, Input, Rule, breaches, signatures};
use crate::source::Sources;

/// Returns for each code of a type whether its values can share memory: 1 for arrays and for types that contain them.
fn shared(composites: &[Composite]) -> Vec<u8> {
    let mut shared: Vec<u8> = (0..=u8::MAX).map(|code| Type::from_code(code).is_array().into()).collect();
    for (k, composite) in composites.iter().enumerate() {
        let contains = composite.fields.iter().any(|field| shared[field.ty as usize] == 1);
        shared[Type::of_composite(k as u32).code() as usize] = (composite.rank > 0 || contains).into();
    }
    shared
}

/// Returns the breaches of the rules in each part of a program.
fn in_parts<B: Backend>(
    backend: &B,
    parts: &[Nodes<B>],
    composites: &[Composite],
    functions: usize,
) -> Result<Vec<Breaches<B>>> {
    let shared = backend.upload(&shared(composites))?;
    let signatures = signatures(backend, parts, functions)?;
    let of_part =
        |backend: &B, nodes: &Nodes<B>| breaches(backend, &Input { nodes, shared: &shared, signatures: &signatures });
    if is_uneven(parts.iter().map(Nodes::len)) {
        return parts.iter().map(|nodes| of_part(backend, nodes)).collect();
    }
    backend.on_each(parts.iter().collect(), of_part)?.into_iter().collect()
}

/// Returns the breaches of the rules in a tree.
///
/// # Errors
/// As [`breaches`].
pub fn breaches_of<B: Backend>(backend: &B, tree: &Tree) -> Result<HostBreaches> {
    breaches_in_parts(backend, tree, nodes_per_part(backend, tree))
}

/// As [`breaches_of`], in parts of at least `nodes` nodes.
///
/// # Errors
/// As [`breaches`].
pub fn breaches_in_parts<B: Backend>(backend: &B, tree: &Tree, nodes: usize) -> Result<HostBreaches> {
    let ranges = ranges(tree, nodes);
    let parts: Vec<Nodes<B>> =
        ranges.iter().map(|range| uploaded(backend, tree, range.clone())).collect::<Result<_>>()?;
    let mut all = HostBreaches::default();
    for (range, found) in ranges.iter().zip(in_parts(backend, &parts, &tree.composites, tree.functions.len())?) {
        let found = found.download(backend)?;
        let first = range.start as u32;
        all.rule.extend(found.rule);
        all.node.extend(found.node.iter().map(|node| node + first));
        all.other.extend(found.other.iter().map(|node| node + first));
    }
    Ok(all)
}

/// Returns the number of breaches of the rules in a program without structs and tuples.
///
/// # Errors
/// As [`breaches`].
pub fn breaches_in<B: Backend>(backend: &B, program: &ir::program::Program<B>) -> Result<usize> {
    let found = in_parts(backend, &program.parts, &[], program.functions.len())?;
    Ok(found.iter().map(Breaches::len).sum())
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
pub fn unique_on_cpu<W>(
    cpu: &Cpu,
    checked: (Tree, W),
    sources: &Sources,
) -> std::result::Result<(Tree, W), Vec<Diagnostic>> {
    // Without arrays there is nothing to do.
    if !checked.0.arrays {
        return Ok(checked);
    }
    let errors = errors(cpu, &checked.0, sources).unwrap_or_else(|error| {
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
