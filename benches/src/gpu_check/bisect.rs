//! Where two compilations of one program part: the first pass after which a column differs, and its first row.

use refcompiler::passes::allocate::Allocation;
use refcompiler::passes::flatten::Rows;
use refcompiler::passes::frames::Frame;
use refcompiler::passes::lift::Lifted;
use refcompiler::passes::select::Code;
use refcompiler::passes::variables::Variables;
use refcompiler::pipeline::{Error, Observer, Output, compile};
use refcompiler::tree::Tree;
use treepar::{Backend, Cpu, Element};

use crate::failure::Failure;
use crate::gpu_check::parts::caught;

/// The first difference between the columns of two compilations, in words, and where one of them ends before its end.
pub fn first_difference<B: Backend>(subject: &B, reference: &Cpu, tree: &Tree, output: Output) -> String {
    told(&columns(subject, tree, output), &columns(reference, tree, output))
}

/// The columns of a compilation, and why it ended after them, if it failed.
struct Seen {
    columns: Vec<Column>,
    failure: Option<Failure>,
}

fn columns<B: Backend>(backend: &B, tree: &Tree, output: Output) -> Seen {
    let mut columns = Columns(Vec::new());
    let done = caught(|| Ok(compile(backend, tree, output, &mut columns).map(drop)?));
    Seen { columns: columns.0, failure: done.err() }
}

/// What two compilations come to.
fn told(found: &Seen, expected: &Seen) -> String {
    let difference = between(&found.columns, &expected.columns);
    let fails = match (&found.failure, &expected.failure) {
        (Some(why), _) => format!("then it fails: {why}"),
        (None, Some(why)) => format!("then the reference fails: {why}"),
        (None, None) => {
            return difference.unwrap_or_else(|| {
                "no column differs up to `select`, or not in this run: `link`, `encode`, or `download`".into()
            });
        }
    };
    let last = found.columns.len().min(expected.columns.len()).checked_sub(1).map(|last| &found.columns[last]);
    let up_to = || match last {
        Some(Column { pass, name, .. }) => format!("no column differs up to `{name}` of pass `{pass}`"),
        None => "there is no column to compare".into(),
    };
    format!("{}; {fails}", difference.unwrap_or_else(up_to))
}

/// The first column that differs, in the order of passes, of those that both have.
fn between(found: &[Column], expected: &[Column]) -> Option<String> {
    found.iter().zip(expected).find_map(|(found, expected)| {
        if found.bytes == expected.bytes {
            return None;
        }
        let difference = crate::operations::first_difference(&found.rows(), &expected.rows())?;
        Some(format!("after pass `{}` column `{}` differs: {difference}", found.pass, found.name))
    })
}

/// A column after a pass, on the host.
struct Column {
    pass: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    row_bytes: usize,
}

impl Column {
    fn rows(&self) -> Vec<Row<'_>> {
        self.bytes.chunks_exact(self.row_bytes.max(1)).map(Row).collect()
    }
}

/// The bytes of a row, told as words where they are.
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

/// Keeps all columns that it sees.
struct Columns(Vec<Column>);

impl Columns {
    fn keep<B: Backend, T: Element>(
        &mut self,
        backend: &B,
        pass: &'static str,
        name: &'static str,
        column: &B::Vec<T>,
    ) -> Result<(), Error> {
        let rows = backend.download(column)?;
        let bytes = treepar::device::bytemuck::cast_slice(&rows).to_vec();
        self.0.push(Column { pass, name, bytes, row_bytes: size_of::<T>() });
        Ok(())
    }
}

impl<B: Backend> Observer<B> for Columns {
    fn lifted(&mut self, backend: &B, lifted: &Lifted<B>, variables: &Variables<B>) -> Result<(), Error> {
        let Lifted { nodes, structure, hops } = lifted;
        self.keep(backend, "lift", "depth", &nodes.depth)?;
        self.keep(backend, "lift", "kind", &nodes.kind)?;
        self.keep(backend, "lift", "ty", &nodes.ty)?;
        self.keep(backend, "lift", "data", &nodes.data)?;
        self.keep(backend, "lift", "parent", structure.parent.column())?;
        self.keep(backend, "lift", "end", &structure.end)?;
        self.keep(backend, "lift", "hops", hops)?;
        self.keep(backend, "variables", "data", &variables.data)?;
        self.keep(backend, "variables", "aux", &variables.aux)
    }

    fn flat(&mut self, backend: &B, rows: &Rows<B>) -> Result<(), Error> {
        self.keep(backend, "flatten", "kind", &rows.kind)?;
        self.keep(backend, "flatten", "ty", &rows.ty)?;
        self.keep(backend, "flatten", "role", &rows.role)?;
        self.keep(backend, "flatten", "data", &rows.data)?;
        self.keep(backend, "flatten", "aux", &rows.aux)?;
        self.keep(backend, "flatten", "operand", &rows.operand)?;
        self.keep(backend, "flatten", "target", &rows.target)
    }

    fn allocated(&mut self, backend: &B, _rows: &Rows<B>, allocation: &Allocation<B>) -> Result<(), Error> {
        self.keep(backend, "allocate", "ints", &allocation.ints)?;
        self.keep(backend, "allocate", "floats", &allocation.floats)?;
        self.keep(backend, "allocate", "place", &allocation.place)?;
        self.keep(backend, "allocate", "function", &allocation.function)
    }

    fn selected(&mut self, backend: &B, frames: &B::Vec<Frame>, code: &Code<B>) -> Result<(), Error> {
        self.keep(backend, "frames", "frames", frames)?;
        self.keep(backend, "select", "instructions", &code.instructions)?;
        self.keep(backend, "select", "ids", &code.ids)?;
        self.keep(backend, "select", "starts", &code.starts)
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

    /// What the CPU sees, with a row of the fourth column of `flatten` changed, and the rows of a later one gone.
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

        found.columns.truncate(3);
        let text = told(&found, &expected);
        assert!(text.starts_with("no column differs up to `ty` of pass `lift`; then it fails: "), "{text}");
        found.columns.clear();
        assert!(told(&found, &expected).starts_with("there is no column to compare; then it fails: "));
    }
}
