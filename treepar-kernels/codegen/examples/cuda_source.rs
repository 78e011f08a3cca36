//! Writes the CUDA C++ of every device function of treepar and of the compiler to standard output.
//!
//! ```console
//! cargo run -p treepar-codegen --example cuda_source > functions.cu
//! nvcc -std=c++17 -ptx -arch=compute_75 functions.cu
//! ```

use treepar_kernels::{Def, kernels};

fn main() -> Result<(), treepar_codegen::Error> {
    // Naming a crate links it, and so registers its functions.
    let _ = (treepar::Cpu::with_threads(1).threads(), refcompiler::tree::kind::COUNT);
    let functions: Vec<&'static Def> = kernels().iter().flat_map(|kernel| kernel.functions.iter().copied()).collect();
    print!("{}\n{}", treepar_codegen::TYPES.replace("#pragma once\n", ""), treepar_codegen::translate(&functions)?);
    Ok(())
}
