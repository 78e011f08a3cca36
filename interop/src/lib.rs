//! A forest of files and folders in a Parquet file, and its largest folders.
//!
//! A file has the columns `depth`, `name` and `bytes`, one row per node in preorder. Row groups end where a tree ends, so each is a forest.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use rayon::prelude::*;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::{Backend, Cpu, arrow, key};

/// A file that cannot be written or read, or that holds no forest.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or created.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// The file is not a Parquet file, or is damaged.
    #[error("{0}")]
    Parquet(#[from] ParquetError),
    /// A column cannot be decoded.
    #[error("{0}")]
    Arrow(#[from] ArrowError),
    /// The columns are not those of a forest.
    #[error("row group {group}: {error}")]
    Forest {
        /// The row group.
        group: usize,
        /// What is wrong with it.
        error: treepar::Error,
    },
    /// A column is missing, or has another type.
    #[error("the file has no column `{name}` of {ty}")]
    Column {
        /// The name of the column.
        name: &'static str,
        /// The type that is expected.
        ty: &'static str,
    },
}

/// Returns how many threads to use: as many as the argument says, or all cores. `None` if it says no number, or 0.
pub fn threads(argument: &[&str]) -> Option<NonZeroUsize> {
    match argument {
        [] => std::thread::available_parallelism().ok(),
        [threads] => threads.parse().ok(),
        _ => None,
    }
}

/// Prints how long a program ran, or what went wrong, or how to call it if nothing ran. Returns its status.
pub fn report<E: std::fmt::Display>(start: Instant, done: Option<Result<(), E>>, usage: &str) -> ExitCode {
    match done {
        None => {
            eprintln!("{usage}");
            ExitCode::from(2)
        }
        Some(Ok(())) => {
            eprintln!("{:.2} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Some(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints folders, one per line.
pub fn print(folders: &[Folder]) {
    folders.iter().for_each(|folder| println!("{:>16} {}", folder.bytes, folder.name));
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of folders around it.
    pub depth: u32,
    /// Its name.
    pub name: String,
    /// The bytes of a file; of a folder, what its own entry takes.
    pub bytes: u64,
}

/// A folder with the bytes of everything in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Folder {
    /// The bytes.
    pub bytes: u64,
    /// The name.
    pub name: String,
}

/// Returns `n` nodes that depend on nothing but `n`: trees of about a thousand nodes.
pub fn nodes(n: usize) -> impl Iterator<Item = Node> {
    let mut state = 1u64;
    let mut depth = 0u32;
    (0..n).map(move |i| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = (state >> 33) as u32;
        let node = Node { depth, name: format!("{:x}", i), bytes: u64::from(drawn % 100_000) };
        // The next node is a new tree, a child, or a sibling of this node or of one around it.
        depth = match drawn % 1000 {
            0 => 0,
            1..=450 => depth + 1,
            _ => depth.saturating_sub(drawn / 1000 % 3).max(1),
        };
        node
    })
}

/// Writes nodes to a file, with at least `rows` nodes in each row group but the last.
///
/// # Errors
/// [`Error::File`] or [`Error::Parquet`] if the file cannot be written. What is written until then is not a Parquet file.
pub fn write(path: &Path, nodes: impl IntoIterator<Item = Node>, rows: usize) -> Result<(), Error> {
    let fields = [("depth", DataType::UInt32), ("name", DataType::Utf8), ("bytes", DataType::UInt64)];
    let schema = Arc::new(Schema::new(fields.map(|(name, ty)| Field::new(name, ty, false)).to_vec()));
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema.clone(), None)?;
    let mut group: Vec<Node> = Vec::new();
    let mut flush = |group: &mut Vec<Node>| -> Result<(), Error> {
        let depth = UInt32Array::from_iter_values(group.iter().map(|node| node.depth));
        let name = StringArray::from_iter_values(group.iter().map(|node| &node.name));
        let bytes = UInt64Array::from_iter_values(group.iter().map(|node| node.bytes));
        writer.write(&RecordBatch::try_new(schema.clone(), vec![Arc::new(depth), Arc::new(name), Arc::new(bytes)])?)?;
        writer.flush()?;
        group.clear();
        Ok(())
    };
    for node in nodes {
        if node.depth == 0 && group.len() >= rows {
            flush(&mut group)?;
        }
        group.push(node);
    }
    flush(&mut group)?;
    writer.close()?;
    Ok(())
}

/// Returns the `k` folders with the most bytes in them, the largest first. Each thread takes row groups of its own.
///
/// # Errors
/// [`Error`] if the file cannot be read, or if a row group is not a forest.
pub fn largest(path: &Path, k: usize) -> Result<Vec<Folder>, Error> {
    let metadata = ArrowReaderMetadata::load(&File::open(path)?, Default::default())?;
    let groups = metadata.metadata().num_row_groups();
    let of_groups = (0..groups).into_par_iter().map(|group| {
        let rows = metadata.metadata().row_group(group).num_rows() as usize;
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(File::open(path)?, metadata.clone());
        let reader = reader.with_row_groups(vec![group]).with_batch_size(rows.max(1)).build()?;
        let mut found = Vec::new();
        for batch in reader {
            found.extend(largest_of(&batch?, group, k)?);
        }
        Ok(found)
    });
    let mut found: Vec<Folder> = of_groups.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
    found.sort_by(|a, b| b.cmp(a));
    found.truncate(k);
    Ok(found)
}

/// Returns one more than the bytes in a folder, and 0 for a file.
#[device(map)]
fn of_folder(i: usize, sums: &[u64], children: &[u32]) -> u64 {
    if children[i] > 0 { sums[i] + 1 } else { 0 }
}

/// Returns the `k` largest folders of one row group.
fn largest_of(batch: &RecordBatch, group: usize, k: usize) -> Result<Vec<Folder>, Error> {
    let missing = |name, ty| Error::Column { name, ty };
    let depth = batch.column_by_name("depth").and_then(|column| column.as_primitive_opt::<UInt32Type>());
    let depth = depth.ok_or(missing("depth", "unsigned integers of 32 bits"))?;
    let bytes = batch.column_by_name("bytes").and_then(|column| column.as_primitive_opt::<UInt64Type>());
    let bytes = bytes.ok_or(missing("bytes", "unsigned integers of 64 bits"))?;
    let name = batch.column_by_name("name").and_then(|column| column.as_string_opt::<i32>());
    let name = name.ok_or(missing("name", "texts"))?;
    // One thread per row group, so the backend has one.
    let cpu = Cpu::with_threads(1);
    let found = || {
        let forest = Depths::new(arrow::column(&cpu, depth)?)?;
        let sums = forest.subtree_sums(&arrow::column(&cpu, bytes)?)?;
        let keys = cpu.map(of_folder::of(&sums, &forest.child_counts()?))?;
        let rows = key::greatest(&keys, k)?;
        let folders = rows.iter().map(|&row| row as usize).filter(|&row| keys[row] > 0);
        Ok(folders.map(|row| (sums[row], row)).collect::<Vec<_>>())
    };
    let found = found().map_err(|error| Error::Forest { group, error })?;
    Ok(found.into_iter().map(|(bytes, row)| Folder { bytes, name: name.value(row).to_string() }).collect())
}
