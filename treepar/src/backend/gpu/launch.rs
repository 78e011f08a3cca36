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
use crate::backend::Column;
use crate::device::{ArgVisitor, ColumnFn, Element, Outputs};
use crate::{Error, Result};

/// Which kernel: a stage of a template, filled with functions.
pub struct Stage<'a> {
    pub stage: &'static str,
    pub template: &'static str,
    pub functions: &'a [&'static Def],
}

impl<M: Machine> Gpu<M> {
    /// Runs a kernel on `grid` blocks of `block` threads; none where there are no blocks.
    pub(super) fn launch(&self, stage: &Stage<'_>, grid: u64, block: u32, arguments: &Arguments<M>) -> Result<()> {
        if arguments.machines.iter().any(|&machine| !std::ptr::eq(machine, self.machine())) {
            return Err(Error::OtherBackend);
        }
        if grid == 0 {
            return Ok(());
        }
        let grid = u32::try_from(grid).map_err(|_| machine::Error::Arguments {
            entry: entry(stage.stage, stage.functions),
            what: format!("{grid} blocks, more than any machine runs"),
        })?;
        let function = self.function(stage)?;
        // SAFETY: all addresses among the arguments are of columns of this machine, each with as many rows as stand
        // beside it, and what is dropped after this is given back in the order of calls. A template touches no other
        // rows; that its device functions do not either is their author's to see to, as the front page says.
        Ok(unsafe { self.machine().launch(&function, grid, block, &arguments.slices()) }?)
    }

    /// Runs a kernel that no device function fills, and that goes over `n` rows as `map` does.
    pub(super) fn launch_rows(&self, stage: &'static str, n: usize, arguments: &Arguments<M>) -> Result<()> {
        let stage = Stage { stage, template: stage, functions: &[] };
        self.launch(&stage, super::map_tiles(n), tuning::THREADS, arguments)
    }

    fn function(&self, stage: &Stage<'_>) -> Result<M::Function> {
        let mut key = [0; 3];
        for (slot, function) in key.iter_mut().zip(stage.functions) {
            *slot = std::ptr::from_ref(*function) as usize;
        }
        let key = (stage.stage, key);
        let lock = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = lock().get(&key) {
            return Ok(function.clone());
        }
        let entry = entry(stage.stage, stage.functions);
        let unit = unit_of(self.grouping, stage.template, stage.functions)
            .ok_or_else(|| machine::Error::Source(format!("no kernel is registered for `{entry}`")))?;
        // Others may compile meanwhile: the machine sees to it that a unit is compiled once.
        let function = self.machine.function(unit, &entry)?;
        lock().insert(key, function.clone());
        Ok(function)
    }
}

/// Some rows of a column.
pub struct Part<M> {
    pub address: u64,
    pub rows: usize,
    pub machine: *const M,
}

impl<M> Clone for Part<M> {
    fn clone(&self) -> Part<M> {
        *self
    }
}

impl<M> Copy for Part<M> {}

/// The arguments of a launch, in order.
pub struct Arguments<M> {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Those that hold the columns among them.
    machines: Vec<*const M>,
}

impl<M: Machine> Arguments<M> {
    /// None.
    pub fn new() -> Arguments<M> {
        Arguments { bytes: Vec::new(), ends: Vec::new(), machines: Vec::new() }
    }

    /// The bytes of each.
    fn slices(&self) -> Vec<&[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.bytes[begin..end]).collect()
    }

    fn end(mut self) -> Arguments<M> {
        self.ends.push(self.bytes.len());
        self
    }

    /// A number or an element.
    pub fn value<T: NoUninit>(mut self, value: T) -> Arguments<M> {
        self.bytes.extend_from_slice(bytemuck::bytes_of(&value));
        self.end()
    }

    /// A column that is read.
    pub fn column<T: Element>(self, column: &GpuVec<T, M>) -> Arguments<M> {
        self.part_column(column.part(0, column.len()))
    }

    /// Memory that is read and written.
    pub fn array<T: Element>(self, column: &GpuVec<T, M>) -> Arguments<M> {
        self.rows(column, column.len())
    }

    /// The same, as `rows` rows of another type.
    pub fn rows<T: Element>(self, column: &GpuVec<T, M>, rows: usize) -> Arguments<M> {
        self.part_array(column.part(0, rows))
    }

    /// Some rows of a column, to be read.
    pub fn part_column(mut self, part: Part<M>) -> Arguments<M> {
        self.bytes.extend_from_slice(&column_bytes(part));
        self.machines.push(part.machine);
        self.end()
    }

    /// Some rows of a column, to be written.
    pub fn part_array(mut self, part: Part<M>) -> Arguments<M> {
        self.add_array(part);
        self.end()
    }

    /// What tiles say to each other: words, and `rows` values.
    pub fn tiles(mut self, words: &GpuVec<u64, M>, values: &GpuVec<u8, M>, rows: usize) -> Arguments<M> {
        self.add_array(words.part(0, words.len()));
        self.add_array(values.part(0, rows));
        self.end()
    }

    /// The columns of a template's results, of `n` rows each.
    pub fn output<R: Outputs>(mut self, out: &R::Vecs<Gpu<M>>, n: usize) -> Arguments<M> {
        let mut columns = Outs(Vec::new());
        R::visit(out, &mut columns);
        for column in columns.0 {
            self.bytes.extend_from_slice(&column.address.to_ne_bytes());
            self.machines.push(column.machine);
        }
        self.bytes.extend_from_slice(&(n as u64).to_ne_bytes());
        self.end()
    }

    /// A device function with its columns and scalars.
    pub fn function<F: ColumnFn>(mut self, args: F::Args<'_, Gpu<M>>) -> Arguments<M> {
        let mut fields = Fields { bytes: Vec::new(), align: 1, machines: Vec::new() };
        F::visit::<Gpu<M>>(args, &mut fields);
        let size = fields.bytes.len().next_multiple_of(fields.align).max(1);
        fields.bytes.resize(size, 0);
        self.bytes.append(&mut fields.bytes);
        self.machines.append(&mut fields.machines);
        self.end()
    }

    fn add_array(&mut self, part: Part<M>) {
        self.bytes.extend_from_slice(&part.address.to_ne_bytes());
        self.bytes.extend_from_slice(&(part.rows as u64).to_ne_bytes());
        self.machines.push(part.machine);
    }
}

fn column_bytes<M>(part: Part<M>) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&part.address.to_ne_bytes());
    bytes[8..12].copy_from_slice(&(part.rows as u32).to_ne_bytes());
    bytes
}

/// The fields of a struct, as C lays them out.
struct Fields<M> {
    bytes: Vec<u8>,
    align: usize,
    machines: Vec<*const M>,
}

impl<M> Fields<M> {
    fn field(&mut self, bytes: &[u8], align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        self.bytes.extend_from_slice(bytes);
        self.align = self.align.max(align);
    }
}

impl<M: Machine> ArgVisitor<Gpu<M>> for Fields<M> {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        let part = column.part(0, column.len());
        self.field(&column_bytes(part), 8);
        self.machines.push(part.machine);
    }
    fn scalar<T: NoUninit>(&mut self, scalar: T) {
        self.field(bytemuck::bytes_of(&scalar), align_of::<T>());
    }
}

/// The columns of results.
struct Outs<M>(Vec<Part<M>>);

impl<M: Machine> ArgVisitor<Gpu<M>> for Outs<M> {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        self.0.push(column.part(0, column.len()));
    }
    fn scalar<T: NoUninit>(&mut self, _: T) {}
}
