//! The first difference between two compilations of one program: the pass, the column and the row.

use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::columns::{Column, Columns};
use refcompiler::pipeline::{After, Error, Observer, Output, compile};
use treepar::{Backend, Cpu};

use crate::failure::Failure;
use crate::gpu_check::parts::caught;

/// Returns the first difference between the columns of two compilations, and where one of them ends early, as text.
pub fn first_difference<B: Backend>(subject: &B, reference: &Cpu, tree: &Tree, output: Output) -> String {
    told(&columns(subject, tree, output), &columns(reference, tree, output))
}

/// The columns of a compilation, and the error after them, if it failed.
struct Seen {
    columns: Vec<Column>,
    failure: Option<Failure>,
}

fn columns<B: Backend>(backend: &B, tree: &Tree, output: Output) -> Seen {
    let mut keeper = Keeper::default();
    let done = caught(|| Ok(compile(backend, tree, output, &mut keeper).map(drop)?));
    Seen { columns: keeper.0.0, failure: done.err() }
}

/// Describes the difference between two compilations.
fn told(found: &Seen, expected: &Seen) -> String {
    let difference = between(&found.columns, &expected.columns);
    let fails = match (&found.failure, &expected.failure) {
        (Some(why), _) => format!("then it fails: {why}"),
        (None, Some(why)) => format!("then the reference fails: {why}"),
        (None, None) => {
            return difference.unwrap_or_else(|| "no column differs, or not in this run: `download`".into());
        }
    };
    let last = found.columns.len().min(expected.columns.len()).checked_sub(1).map(|last| &found.columns[last]);
    let up_to = || match last {
        Some(Column { pass, name, .. }) => format!("no column differs up to `{name}` of pass `{pass}`"),
        None => "there is no column to compare".into(),
    };
    format!("{}; {fails}", difference.unwrap_or_else(up_to))
}

/// Returns the first column that differs, in the order of passes, among the columns that both have.
fn between(found: &[Column], expected: &[Column]) -> Option<String> {
    found.iter().zip(expected).find_map(|(found, expected)| {
        if found.bytes == expected.bytes {
            return None;
        }
        let difference = crate::operations::first_difference(&rows(found), &rows(expected))?;
        Some(format!("after pass `{}` column `{}` differs: {difference}", found.pass, found.name))
    })
}

/// Splits a column into rows.
fn rows(column: &Column) -> Vec<Row<'_>> {
    column.bytes.chunks_exact(column.row_bytes.max(1)).map(Row).collect()
}

/// The bytes of a row, shown as words if they are words.
#[derive(PartialEq)]
struct Row<'a>(&'a [u8]);

impl std::fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let [byte] = self.0[..] {
            return write!(f, "{byte}");
        }
        let words: Vec<u32> = self.0.as_chunks().0.iter().map(|&bytes: &[u8; 4]| u32::from_ne_bytes(bytes)).collect();
        match words[..] {
            [word] => write!(f, "{word}"),
            _ => write!(f, "{words:?}"),
        }
    }
}

/// Keeps all columns.
#[derive(Default)]
struct Keeper(Columns);

impl<B: Backend> Observer<B> for Keeper {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        Ok(self.0.add(backend, after)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn main[]: int { var a: int = 1; return a + 2; }";

    #[test]
    fn compilations_that_agree_have_no_difference() {
        let tree = crate::gpu_check::programs::tree(TEXT).unwrap();
        let told = first_difference(&Cpu::with_threads(2), &Cpu::with_threads(1), &tree, Output::Object);
        assert!(told.starts_with("no column differs"), "{told}");
    }

    #[test]
    fn the_columns_of_a_compilation_that_fails_are_kept() {
        let text = "extern fn far[]: int; fn main[]: int { return far[]; }";
        let tree = crate::gpu_check::programs::tree(text).unwrap();
        let [linked, executable] =
            [Output::Object, Output::Executable].map(|output| columns(&Cpu::with_threads(1), &tree, output));
        assert_eq!(linked.failure, None);
        assert!(executable.failure.is_some_and(|failure| failure.to_string().contains("`far`")));
        assert_eq!(executable.columns.len(), linked.columns.len());
    }

    /// Returns the CPU's columns, one with a wrong row in the fourth column of `flatten` and a later column empty.
    fn changed() -> (Seen, Seen) {
        let tree = crate::gpu_check::programs::tree(TEXT).unwrap();
        let cpu = Cpu::with_threads(1);
        let [expected, mut found] = [(); 2].map(|()| columns(&cpu, &tree, Output::Object));
        let at = found.columns.iter().position(|column| column.pass == "flatten").unwrap() + 3;
        let Column { bytes, row_bytes, .. } = &mut found.columns[at];
        bytes[2 * *row_bytes..3 * *row_bytes].copy_from_slice(&7u32.to_ne_bytes());
        found.columns[at + 5].bytes.clear();
        (found, expected)
    }

    #[test]
    fn the_first_pass_and_row_that_differ_are_told() {
        let (found, expected) = changed();
        let told = told(&found, &expected);
        assert!(told.starts_with("after pass `flatten` column `data` differs: row 2 is 7 instead of "), "{told}");
    }

    #[test]
    fn a_compilation_that_fails_after_a_wrong_column_is_told_by_both() {
        let (mut found, expected) = changed();
        let at = found.columns.iter().position(|column| column.pass == "allocate").unwrap();
        found.columns.truncate(at);
        found.failure = Some(Failure::Other("offset 7 is beyond the end".into()));
        let text = told(&found, &expected);
        assert!(text.starts_with("after pass `flatten` column `data` differs: row 2 is 7 instead of "), "{text}");
        assert!(text.ends_with("; then it fails: offset 7 is beyond the end"), "{text}");

        found.columns.truncate(5);
        let text = told(&found, &expected);
        assert!(text.starts_with("no column differs up to `ty` of pass `upload`; then it fails: "), "{text}");
        found.columns.clear();
        assert!(told(&found, &expected).starts_with("there is no column to compare; then it fails: "));
    }
}
