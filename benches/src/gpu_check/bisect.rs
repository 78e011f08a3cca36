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

use crate::parts::{Trouble, caught};
use crate::programs::trouble;

/// The first difference between the columns of two compilations, in words.
pub fn first_difference<B: Backend>(subject: &B, reference: &Cpu, tree: &Tree, output: Output) -> String {
    let compared = columns(subject, tree, output).and_then(|found| Ok((found, columns(reference, tree, output)?)));
    match compared {
        Ok((found, expected)) => between(&found, &expected).unwrap_or_else(|| {
            "no column differs up to `select`, or not in this run: `link`, `encode`, or `download`".into()
        }),
        Err(Trouble::NoRoom(why) | Trouble::Wrong(why)) => format!("looking for the pass failed: {why}"),
    }
}

fn columns<B: Backend>(backend: &B, tree: &Tree, output: Output) -> Result<Vec<Column>, Trouble> {
    let mut columns = Columns(Vec::new());
    caught(|| compile(backend, tree, output, &mut columns).map_err(trouble))?;
    Ok(columns.0)
}

/// The first column that differs, in the order of passes.
fn between(found: &[Column], expected: &[Column]) -> Option<String> {
    found.iter().zip(expected).find_map(|(found, expected)| {
        let difference = benches::operations::first_difference(&found.rows, &expected.rows)?;
        Some(format!("after pass `{}` column `{}` differs: {difference}", found.pass, found.name))
    })
}

/// A column after a pass, on the host, its rows as bytes.
struct Column {
    pass: &'static str,
    name: &'static str,
    rows: Vec<Row>,
}

/// The bytes of a row, told as words where they are.
#[derive(PartialEq)]
struct Row(Vec<u8>);

impl std::fmt::Debug for Row {
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
        let rows = rows.iter().map(|row| Row(treepar::device::bytemuck::bytes_of(row).to_vec())).collect();
        self.0.push(Column { pass, name, rows });
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
        let tree = crate::programs::tree(TEXT).unwrap();
        let told = first_difference(&Cpu::with_threads(2), &Cpu::with_threads(1), &tree, Output::Object);
        assert!(told.starts_with("no column differs"), "{told}");
    }

    #[test]
    fn the_first_pass_and_row_that_differ_are_told() {
        let tree = crate::programs::tree(TEXT).unwrap();
        let cpu = Cpu::with_threads(1);
        let expected = columns(&cpu, &tree, Output::Object).unwrap();
        let mut found = columns(&cpu, &tree, Output::Object).unwrap();
        let names: Vec<&str> = found.iter().map(|column| column.pass).collect();
        let at = names.iter().position(|&pass| pass == "flatten").unwrap() + 3;
        found[at].rows[2] = Row(7u32.to_ne_bytes().to_vec());
        found[at + 5].rows.clear();
        let told = between(&found, &expected).unwrap();
        assert!(told.starts_with("after pass `flatten` column `data` differs: row 2 is 7 instead of "), "{told}");
    }
}
