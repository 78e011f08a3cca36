//! Whole applications: treepar's version for any backend, and the sequential program that one would write instead.
//!
//! ```text
//! markdown  the outline of a document                        text -> headings with parents and ends
//! disk      disk usage, from a list of files                 text -> folders and files with totals
//! cse       common subexpressions                            forest of operators -> the first equal node of each
//! soup      elements of a tag soup that selectors match      text -> tags
//! json      a reader of JSON, and a path query               text -> values with parents; -> numbers
//! parts     lifting and flattening                           forest and marks -> forest of parts
//! input     random inputs of any size
//! rows      medians of paired runs
//! report    tables and records
//! recorded  what the documentation quotes of a record
//! ```
//!
//! Both versions begin with the same bytes on the host. treepar's version ends with columns, and the sequential one with
//! vectors; on the CPU a column is read as a slice.

mod cse;
mod disk;
mod input;
mod json;
mod markdown;
mod parts;
pub mod recorded;
pub mod report;
pub mod rows;
mod soup;

use refcompiler_programs::Rng;
use treepar::{Backend, Result};

use crate::operations::first_difference;

/// The input of an application.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The number of nodes.
    pub nodes: usize,
    /// The text, if the input is one.
    pub text: String,
    /// The depths of a forest in preorder, if the input is one.
    pub depth: Vec<u32>,
    /// The label of each node.
    pub label: Vec<u32>,
    /// A mark per node.
    pub mark: Vec<u8>,
}

/// A result: columns on a backend, by the type of their rows.
pub struct Columns<B: Backend> {
    words: Vec<B::Vec<u32>>,
    longs: Vec<B::Vec<u64>>,
    bytes: Vec<B::Vec<u8>>,
}

impl<B: Backend> Columns<B> {
    /// Copies the columns to the host.
    pub fn download(&self, backend: &B) -> Result<Rows> {
        Ok(Rows {
            words: self.words.iter().map(|column| backend.download(column)).collect::<Result<_>>()?,
            longs: self.longs.iter().map(|column| backend.download(column)).collect::<Result<_>>()?,
            bytes: self.bytes.iter().map(|column| backend.download(column)).collect::<Result<_>>()?,
        })
    }
}

/// A result on the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    words: Vec<Vec<u32>>,
    longs: Vec<Vec<u64>>,
    bytes: Vec<Vec<u8>>,
}

impl Rows {
    /// Describes the first row that differs from `expected`.
    pub fn difference(&self, expected: &Rows) -> Option<String> {
        fn one<T: PartialEq + std::fmt::Debug>(kind: &str, found: &[Vec<T>], expected: &[Vec<T>]) -> Option<String> {
            let pairs = found.iter().zip(expected).enumerate();
            pairs.flat_map(|(k, (a, b))| Some(format!("{kind} {k}, {}", first_difference(a, b)?))).next()
        }
        one("column", &self.words, &expected.words)
            .or_else(|| one("long column", &self.longs, &expected.longs))
            .or_else(|| one("byte column", &self.bytes, &expected.bytes))
            .or_else(|| (self != expected).then(|| "another number of columns".into()))
    }

    /// Returns the number of rows of all columns together.
    pub fn count(&self) -> usize {
        fn of<T>(columns: &[Vec<T>]) -> usize {
            columns.iter().map(Vec::len).sum()
        }
        of(&self.words) + of(&self.longs) + of(&self.bytes)
    }
}

/// An application, in both versions.
pub struct Application<B: Backend> {
    /// The name.
    pub name: &'static str,
    /// The meaning of a node.
    pub node: &'static str,
    /// Draws an input of about this many nodes.
    pub draw: fn(usize, &mut Rng) -> Input,
    /// Returns small inputs at the edges of the definition.
    pub edges: fn() -> Vec<Input>,
    /// treepar's version.
    pub ours: fn(&B, &Input) -> Result<Columns<B>>,
    /// The sequential version.
    pub plain: fn(&Input) -> Rows,
}

/// Returns all applications.
pub fn applications<B: Backend>() -> Vec<Application<B>> {
    vec![
        Application {
            name: "markdown outline",
            node: "heading",
            draw: input::markdown,
            edges: markdown::edges,
            ours: markdown::ours,
            plain: markdown::plain,
        },
        Application {
            name: "disk usage",
            node: "folder or file",
            draw: input::files,
            edges: disk::edges,
            ours: disk::ours,
            plain: disk::plain,
        },
        Application {
            name: "common subexpressions",
            node: "operator or operand",
            draw: input::expressions,
            edges: cse::edges,
            ours: cse::ours,
            plain: cse::plain,
        },
        Application {
            name: "tag soup",
            node: "tag",
            draw: input::soup,
            edges: soup::edges,
            ours: soup::ours,
            plain: soup::plain,
        },
        Application {
            name: "json reader",
            node: "value or key",
            draw: input::json,
            edges: json::edges,
            ours: json::ours,
            plain: json::plain,
        },
        Application {
            name: "json path",
            node: "value or key",
            draw: input::json,
            edges: json::edges,
            ours: json::ours_of_path,
            plain: json::plain_of_path,
        },
        Application {
            name: "lifting",
            node: "node",
            draw: input::functions,
            edges: parts::edges,
            ours: parts::lifted,
            plain: parts::plain_lifted,
        },
        Application {
            name: "flattening",
            node: "node",
            draw: input::nested,
            edges: parts::edges,
            ours: parts::flattened,
            plain: parts::plain_flattened,
        },
    ]
}

/// Returns an input that is a text, for tests. Its nodes are not counted.
fn text(text: &str) -> Input {
    Input { nodes: 1, text: text.into(), ..Input::default() }
}

/// Returns the bytes of a name of up to seven, and `last` after them, as a number with the first in its lowest byte.
const fn packed(name: &str, last: u8) -> u64 {
    let (mut number, mut at) = (last as u64, name.len());
    while at > 0 {
        at -= 1;
        number = number << 8 | name.as_bytes()[at] as u64;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use treepar::Cpu;

    /// Compares both versions on one input.
    fn agree<B: Backend>(backend: &B, application: &Application<B>, input: &Input) {
        let expected = (application.plain)(input);
        let found = (application.ours)(backend, input).and_then(|columns| columns.download(backend)).unwrap();
        if let Some(difference) = found.difference(&expected) {
            let text: String = input.text.chars().take(2000).collect();
            panic!("{}: {difference}; of {} nodes; {text}", application.name, input.nodes);
        }
    }

    /// Compares both versions on edge inputs, and on random ones of up to `most` nodes.
    fn all_agree<B: Backend>(backend: &B, most: usize) {
        for application in applications::<B>() {
            for input in (application.edges)() {
                agree(backend, &application, &input);
            }
            let mut rng = Rng::new(7);
            for n in [1, 2, 3, 10, 30, 63, 64, 65, 100, 300, 1000, 3000, 30_000, 100_000] {
                for _ in 0..if n <= most / 100 { 20 } else { usize::from(n <= most) } {
                    agree(backend, &application, &(application.draw)(n, &mut rng));
                }
            }
        }
    }

    #[test]
    fn applications_agree_with_sequential_code_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            all_agree(&Cpu::with_threads(threads), 100_000);
        }
    }

    /// On the stand-in for a GPU's driver, which runs the archive of PTX.
    #[test]
    fn executed_kernels_agree_with_sequential_code() {
        let (gpu, _) = crate::kernel_counts::stand_in().unwrap();
        all_agree(&gpu, 3000);
    }

    #[cfg(feature = "emulate")]
    #[test]
    #[ignore = "needs a C++ compiler"]
    fn emulated_kernels_agree_with_sequential_code() {
        all_agree(&treepar::backend::gpu::Emulated::with_seed(1).expect("a C++ compiler"), 1000);
    }

    #[test]
    fn drawn_inputs_have_about_as_many_nodes_as_asked_for() {
        for application in applications::<Cpu>() {
            for n in [1000, 20_000] {
                let input = (application.draw)(n, &mut Rng::new(3));
                assert!(input.nodes >= n && input.nodes < n + n / 5, "{}: {} of {n}", application.name, input.nodes);
                let found = (application.plain)(&input);
                assert!(found.count() > 0, "{}", application.name);
                // A result with a row per node.
                if ["markdown outline", "disk usage", "common subexpressions", "json reader"]
                    .contains(&application.name)
                {
                    assert_eq!(found.words[0].len(), input.nodes, "{}", application.name);
                }
            }
        }
    }
}
