//! Launches, and arguments of kernels, laid out as C++ does.
//!
//! | in the kernel | bytes |
//! |---|---|
//! | a number, an element | its own |
//! | `Column<T>` | address, 8; rows, 4; 4 of padding |
//! | `Array<T>` | address, 8; rows, 8 |
//! | `Output<R>` | an address a column, 8 each; rows, 8 |
//! | `Tiles<T>` | two arrays |
//! | a device function | its columns and scalars in order, each where its alignment lets it begin; 1 if there is none |

#![expect(unsafe_code, reason = "a kernel is launched with addresses; all are those of columns of the machine at hand")]

use std::sync::PoisonError;

use bytemuck::NoUninit;
use treepar_codegen::{entry, unit_of};
use treepar_kernels::machine::{self, Machine};
use treepar_kernels::{Def, tuning};

use super::{Gpu, GpuVec};
use crate::Result;
use crate::backend::Column;
use crate::device::{ArgVisitor, ColumnFn, Element, Outputs};

/// A kernel: a stage of a template, filled with functions.
pub struct Stage<'a> {
    pub stage: &'static str,
    pub template: &'static str,
    pub functions: &'a [&'static Def],
}

impl<M: Machine> Gpu<M> {
    /// Runs a kernel on `grid` blocks of `block` threads; none where there are no blocks.
    pub(super) fn launch(&self, stage: &Stage<'_>, grid: u64, block: u32, arguments: &Arguments) -> Result<()> {
        if grid == 0 {
            return Ok(());
        }
        let grid = u32::try_from(grid).map_err(|_| machine::Error::Arguments {
            entry: entry(stage.stage, stage.functions),
            what: format!("{grid} blocks, more than any machine runs"),
        })?;
        let function = self.function(stage)?;
        // SAFETY: all addresses among the arguments are addresses of columns of this machine: `Backend` has checked it.
        // Each comes with the number of its rows, and memory is freed in the order of calls. A template accesses no other
        // rows. Device functions must stay within their columns, which is a documented obligation of their author.
        Ok(unsafe { self.machine().launch(&function, grid, block, &arguments.slices()) }?)
    }

    /// Runs a kernel that no device function fills, and that goes over `n` rows as `map` does.
    pub(super) fn launch_rows(&self, stage: &'static str, n: usize, arguments: &Arguments) -> Result<()> {
        let stage = Stage { stage, template: stage, functions: &[] };
        self.launch(&stage, super::map_tiles(n), tuning::THREADS, arguments)
    }

    fn function(&self, stage: &Stage<'_>) -> Result<M::Function> {
        let mut key = [0; 3];
        for (slot, function) in key.iter_mut().zip(stage.functions) {
            *slot = std::ptr::from_ref(*function) as usize;
        }
        let key = (stage.stage, key);
        let lock = || self.0.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = lock().get(&key) {
            return Ok(function.clone());
        }
        let entry = entry(stage.stage, stage.functions);
        let unit = unit_of(self.0.grouping, stage.template, stage.functions)
            .ok_or_else(|| machine::Error::Source(format!("no kernel is registered for `{entry}`")))?;
        // Others may compile meanwhile: the machine sees to it that a unit is compiled once.
        let function = self.machine().function(unit, &entry)?;
        lock().insert(key, function.clone());
        Ok(function)
    }
}

/// Some rows of a column.
#[derive(Clone, Copy)]
pub struct Part {
    pub address: u64,
    pub rows: usize,
}

/// The arguments of a launch, in order.
#[derive(Default)]
pub struct Arguments {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Arguments {
    /// Returns no arguments.
    pub fn new() -> Arguments {
        Arguments::default()
    }

    /// The bytes of each.
    fn slices(&self) -> Vec<&[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.bytes[begin..end]).collect()
    }

    fn end(mut self) -> Arguments {
        self.ends.push(self.bytes.len());
        self
    }

    /// A number or an element.
    pub fn value<T: NoUninit>(mut self, value: T) -> Arguments {
        self.bytes.extend_from_slice(bytemuck::bytes_of(&value));
        self.end()
    }

    /// A column that is read.
    pub fn column<T: Element, M: Machine>(self, column: &GpuVec<T, M>) -> Arguments {
        self.part_column(column.part(0, column.len()))
    }

    /// Memory that is read and written.
    pub fn array<T: Element, M: Machine>(self, column: &GpuVec<T, M>) -> Arguments {
        self.rows(column, column.len())
    }

    /// The same, as `rows` rows of another type.
    pub fn rows<T: Element, M: Machine>(self, column: &GpuVec<T, M>, rows: usize) -> Arguments {
        self.part_array(column.part(0, rows))
    }

    /// Some rows of a column, to be read.
    pub fn part_column(mut self, part: Part) -> Arguments {
        self.bytes.extend_from_slice(&column_bytes(part));
        self.end()
    }

    /// Some rows of a column, to be written.
    pub fn part_array(mut self, part: Part) -> Arguments {
        self.add_array(part);
        self.end()
    }

    /// The words and values that tiles publish.
    pub fn tiles(mut self, words: Part, values: Part) -> Arguments {
        self.add_array(words);
        self.add_array(values);
        self.end()
    }

    /// The columns of a template's results, of `n` rows each.
    pub fn output<R: Outputs, M: Machine>(self, out: &R::Vecs<Gpu<M>>, n: usize) -> Arguments {
        let mut columns = Outs(Vec::new());
        R::visit(out, &mut columns);
        self.outs(columns, n)
    }

    fn outs(mut self, columns: Outs, n: usize) -> Arguments {
        for column in columns.0 {
            self.bytes.extend_from_slice(&column.address.to_ne_bytes());
        }
        self.bytes.extend_from_slice(&(n as u64).to_ne_bytes());
        self.end()
    }

    /// A device function with its columns and scalars.
    pub fn function<F: ColumnFn, M: Machine>(self, args: F::Args<'_, Gpu<M>>) -> Arguments {
        let mut fields = Fields::new(self);
        F::visit::<Gpu<M>>(args, &mut fields);
        fields.end()
    }

    fn add_array(&mut self, part: Part) {
        self.bytes.extend_from_slice(&part.address.to_ne_bytes());
        self.bytes.extend_from_slice(&(part.rows as u64).to_ne_bytes());
    }
}

fn column_bytes(part: Part) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&part.address.to_ne_bytes());
    bytes[8..12].copy_from_slice(&(part.rows as u32).to_ne_bytes());
    bytes
}

/// The fields of a struct, as C lays them out, after other arguments.
struct Fields {
    before: Arguments,
    bytes: Vec<u8>,
    align: usize,
}

impl Fields {
    fn new(before: Arguments) -> Fields {
        Fields { before, bytes: Vec::new(), align: 1 }
    }

    fn end(mut self) -> Arguments {
        let size = self.bytes.len().next_multiple_of(self.align).max(1);
        self.bytes.resize(size, 0);
        self.before.bytes.append(&mut self.bytes);
        self.before.end()
    }

    fn field(&mut self, bytes: &[u8], align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        self.bytes.extend_from_slice(bytes);
        self.align = self.align.max(align);
    }
}

impl<M: Machine> ArgVisitor<Gpu<M>> for Fields {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        let part = column.part(0, column.len());
        self.field(&column_bytes(part), 8);
    }
    fn scalar<T: NoUninit>(&mut self, scalar: T) {
        self.field(bytemuck::bytes_of(&scalar), align_of::<T>());
    }
}

/// The columns of results.
struct Outs(Vec<Part>);

impl<M: Machine> ArgVisitor<Gpu<M>> for Outs {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        self.0.push(column.part(0, column.len()));
    }
    fn scalar<T: NoUninit>(&mut self, _: T) {}
}
