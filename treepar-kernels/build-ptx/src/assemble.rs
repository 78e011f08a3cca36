//! Assembles PTX with ptxas for its report of registers, spills and memory. The machine code is not kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, TOOLS};

/// The architectures in the table, if the assembler knows them.
const ARCHITECTURES: [&str; 6] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"];

/// The resources of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: arrays that are indexed at run time, and spills.
    pub stack_bytes: u32,
    /// Bytes of registers written to local memory, counted once per store instruction.
    pub spill_store_bytes: u32,
    /// Bytes read back, counted in the same way.
    pub spill_load_bytes: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
}

/// An assembler.
pub struct Assembler {
    path: PathBuf,
    /// The version of the assembler, such as `12.9.86`.
    pub version: String,
    /// The architectures in the table that it knows.
    pub architectures: Vec<&'static str>,
}

impl Assembler {
    /// Finds the assembler at `path`, else the one in the variable `PTXAS`, else `ptxas` on the path.
    pub fn find(path: Option<&Path>) -> Result<Assembler, Failure> {
        let variable = std::env::var_os("PTXAS").filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = path.map(Path::to_path_buf).or(variable).unwrap_or_else(|| PathBuf::from("ptxas"));
        let run = |option: &str| match Command::new(&path).arg(option).output() {
            Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Err(error) => {
                Err(Failure(format!("the assembler ptxas cannot be run ({}: {error}): {TOOLS}", path.display())))
            }
        };
        let (version, help) = (run("--version")?, run("--help")?);
        let version = version.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
        let architectures = ARCHITECTURES.into_iter().filter(|name| help.contains(&format!("'{name}'"))).collect();
        match version.map(str::to_string) {
            Some(version) => Ok(Assembler { path, version, architectures }),
            None => Err(Failure(format!("{} does not print its version: {TOOLS}", path.display()))),
        }
    }

    /// Assembles a file of PTX, and returns the resources of each entry and of each function that was not inlined.
    pub fn usage(&self, unit: &str, file: &Path, architecture: &str) -> Result<BTreeMap<String, Usage>, Failure> {
        let code = file.with_extension(architecture);
        let mut command = Command::new(&self.path);
        command.arg("-v").arg(format!("-arch={architecture}")).arg(file).arg("-o").arg(&code);
        let output = command.output().map_err(|error| Failure::file(&self.path, &error))?;
        // It may not exist.
        let _ = std::fs::remove_file(&code);
        let report = [output.stdout, output.stderr].concat();
        let report = String::from_utf8_lossy(&report);
        match parse(&report) {
            Ok(usage) if output.status.success() => Ok(usage),
            Ok(_) => Err(Failure(format!("`{unit}` does not assemble for {architecture}:\n{}", report.trim_end()))),
            Err(line) => Err(Failure(format!("ptxas, `{unit}` for {architecture}: cannot read `{line}`"))),
        }
    }
}

/// Reads the output of `ptxas -v`: the resources of each entry, and of each function that was not inlined.
///
/// # Errors
/// The first line that is not understood.
fn parse(report: &str) -> Result<BTreeMap<String, Usage>, &str> {
    let mut all: BTreeMap<String, Usage> = BTreeMap::new();
    let mut unnamed = Usage::default();
    let mut current = &mut unnamed;
    for line in report.lines() {
        let number = |words: &str| line[..line.find(words)?].split_whitespace().next_back()?.parse::<u32>().ok();
        if let Some((_, name)) = line.split_once("Function properties for ") {
            current = all.entry(name.to_string()).or_default();
        } else if line.contains("bytes spill stores") {
            current.stack_bytes = number("bytes stack frame").ok_or(line)?;
            current.spill_store_bytes = number("bytes spill stores").ok_or(line)?;
            current.spill_load_bytes = number("bytes spill loads").ok_or(line)?;
        } else if line.contains(" : Used ") {
            current.registers = number("registers").ok_or(line)?;
            current.shared_bytes = number("bytes smem").unwrap_or(0);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{Usage, parse};

    const REPORT: &str = "\
ptxas info    : 304 bytes gmem, 256 bytes cmem[3], 304 bytes cmem[4]
ptxas info    : Compiling entry function 'treepar_spill' for 'sm_75'
ptxas info    : Function properties for treepar_spill
    648 bytes stack frame, 852 bytes spill stores, 856 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 648 bytes cumulative stack size, 372 bytes cmem[0]
ptxas info    : Compile time = 33.130 ms
ptxas info    : Function properties for treepar_a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 26 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Function properties for _ZN7treepar5heavyEPKfi
    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";

    #[test]
    fn a_report_is_read_entry_by_entry() {
        let all = parse(REPORT).unwrap();
        let spill = Usage {
            registers: 64,
            stack_bytes: 648,
            spill_store_bytes: 852,
            spill_load_bytes: 856,
            ..Usage::default()
        };
        assert_eq!(all["treepar_spill"], spill);
        assert_eq!(all["treepar_a"], Usage { registers: 26, shared_bytes: 1024, ..Usage::default() });
        let called = Usage { stack_bytes: 16, spill_store_bytes: 4, spill_load_bytes: 4, ..Usage::default() };
        assert_eq!(all["_ZN7treepar5heavyEPKfi"], called);
        assert_eq!(all.len(), 3);
        let unknown = "    ? bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";
        assert_eq!(parse(unknown), Err(unknown));
    }
}
