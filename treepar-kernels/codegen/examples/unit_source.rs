//! Writes the CUDA C++ of the units of treepar, its laws and the compiler into a folder, a file each.
//!
//! ```console
//! cargo run -p treepar-codegen --example unit_source -- folder
//! nvcc -std=c++17 -ptx -arch=compute_75 folder/builtin.cu
//! ```

use std::path::PathBuf;

use treepar_codegen::{Grouping, units};
use treepar_kernels::machine::Unit;
// Naming a crate links it, and so registers its functions.
use {refcompiler as _, treepar_laws as _};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    std::fs::create_dir_all(&folder)?;
    let grouping = if std::env::args().any(|a| a == "module") { Grouping::Module } else { Grouping::Function };
    for unit in units(grouping) {
        std::fs::write(folder.join(format!("{}.cu", unit.name())), unit.source()?)?;
    }
    Ok(())
}
