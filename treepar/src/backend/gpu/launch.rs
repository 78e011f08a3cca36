//! Arguments of kernels, laid out as C++ does.
//!
//! | in the kernel | bytes |
//! |---|---|
//! | a number, an element | its own |
//! | `Column<T>` | address, 8; rows, 4; 4 of padding |
//! | `Array<T>` | address, 8; rows, 8 |
//! | `Output<R>` | an address a column, 8 each; rows, 8 |
//! | `Tiles<T>` | two arrays |
//! | a device function | its columns and scalars in order, each where its alignment lets it begin; 1 if there is none |

use bytemuck::NoUninit;
use treepar_kernels::machine::Machine;

use super::{Gpu, GpuVec};
use crate::backend::Column;
use crate::device::{ArgVisitor, ColumnFn, Element, Outputs};

/// Address and number of some rows.
pub type Part = (u64, usize);

/// The arguments of a launch, in order.
#[derive(Default)]
pub struct Arguments {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Arguments {
    /// None.
    pub fn new() -> Arguments {
        Arguments::default()
    }

    /// The bytes of each.
    pub fn slices(&self) -> Vec<&[u8]> {
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
        self.part_column((column.address(), column.len()))
    }

    /// Memory that is read and written.
    pub fn array<T: Element, M: Machine>(self, column: &GpuVec<T, M>) -> Arguments {
        self.rows(column, column.len())
    }

    /// The same, as `rows` rows of another type.
    pub fn rows<T: Element, M: Machine>(self, column: &GpuVec<T, M>, rows: usize) -> Arguments {
        self.part_array((column.address(), rows))
    }

    /// Some rows of a column, to be read.
    pub fn part_column(mut self, (address, rows): Part) -> Arguments {
        self.bytes.extend_from_slice(&column_bytes(address, rows));
        self.end()
    }

    /// Some rows of a column, to be written.
    pub fn part_array(mut self, (address, rows): Part) -> Arguments {
        self.bytes.extend_from_slice(&address.to_ne_bytes());
        self.bytes.extend_from_slice(&(rows as u64).to_ne_bytes());
        self.end()
    }

    /// What tiles say to each other: words, and `rows` values.
    pub fn tiles<M: Machine>(mut self, words: &GpuVec<u64, M>, values: &GpuVec<u8, M>, rows: usize) -> Arguments {
        for part in [words.address(), words.len() as u64, values.address(), rows as u64] {
            self.bytes.extend_from_slice(&part.to_ne_bytes());
        }
        self.end()
    }

    /// The columns of a template's results, of `n` rows each.
    pub fn output<R: Outputs, M: Machine>(mut self, out: &R::Vecs<Gpu<M>>, n: usize) -> Arguments {
        let mut addresses = Addresses(Vec::new());
        R::visit(out, &mut addresses);
        self.bytes.extend(addresses.0.iter().flat_map(|address| address.to_ne_bytes()));
        self.bytes.extend_from_slice(&(n as u64).to_ne_bytes());
        self.end()
    }

    /// A device function with its columns and scalars.
    pub fn function<F: ColumnFn, M: Machine>(mut self, args: F::Args<'_, Gpu<M>>) -> Arguments {
        let mut fields = Fields { bytes: Vec::new(), align: 1 };
        F::visit::<Gpu<M>>(args, &mut fields);
        let size = fields.bytes.len().next_multiple_of(fields.align).max(1);
        fields.bytes.resize(size, 0);
        self.bytes.append(&mut fields.bytes);
        self.end()
    }
}

fn column_bytes(address: u64, rows: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&address.to_ne_bytes());
    bytes[8..12].copy_from_slice(&(rows as u32).to_ne_bytes());
    bytes
}

/// The fields of a struct, as C lays them out.
struct Fields {
    bytes: Vec<u8>,
    align: usize,
}

impl Fields {
    fn field(&mut self, bytes: &[u8], align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        self.bytes.extend_from_slice(bytes);
        self.align = self.align.max(align);
    }
}

impl<M: Machine> ArgVisitor<Gpu<M>> for Fields {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        self.field(&column_bytes(column.address(), column.len()), 8);
    }
    fn scalar<T: NoUninit>(&mut self, scalar: T) {
        self.field(bytemuck::bytes_of(&scalar), align_of::<T>());
    }
}

struct Addresses(Vec<u64>);

impl<M: Machine> ArgVisitor<Gpu<M>> for Addresses {
    fn column<T: Element>(&mut self, column: &GpuVec<T, M>) {
        self.0.push(column.address());
    }
    fn scalar<T: NoUninit>(&mut self, _: T) {}
}
