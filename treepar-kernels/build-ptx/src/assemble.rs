//! Assembles PTX with ptxas for its report of registers, spills and memory. The machine code is not kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

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
    /// Bytes of constant tables, without arguments; 0 on newer architectures, which do not report it.
    pub constant_bytes: u32,
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
        let fail = |reason: String| Failure::Ptxas { path: path.display().to_string(), reason };
        let run = |option: &str| match Command::new(&path).arg(option).output() {
            Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Failure::NoPtxas { looked: path.display().to_string() })
            }
            Err(error) => Err(fail(error.to_string())),
        };
        let version = run("--version")?;
        let version = version_in(&version).ok_or_else(|| fail("it prints no version".to_string()))?.to_string();
        let help = run("--help")?;
        let architectures: Vec<&str> =
            ARCHITECTURES.into_iter().filter(|name| help.contains(&format!("'{name}'"))).collect();
        if architectures.is_empty() {
            return Err(fail("it knows none of the architectures".to_string()));
        }
        Ok(Assembler { path, version, architectures })
    }

    /// Assembles a file of PTX, and returns the resources of each entry and of each function that was not inlined.
    ///
    /// The machine code is written to the folder `scratch` and deleted.
    pub fn usage(
        &self,
        unit: &str,
        file: &Path,
        architecture: &str,
        scratch: &Path,
    ) -> Result<BTreeMap<String, Usage>, Failure> {
        let code = scratch.join(format!("{unit}.{architecture}.cubin"));
        let mut command = Command::new(&self.path);
        command.arg("-v").arg(format!("-arch={architecture}")).arg(file).arg("-o").arg(&code);
        let output = command
            .output()
            .map_err(|error| Failure::Ptxas { path: self.path.display().to_string(), reason: error.to_string() })?;
        // It may not exist.
        let _ = std::fs::remove_file(&code);
        let report = [output.stdout, output.stderr].concat();
        let report = String::from_utf8_lossy(&report);
        let (unit, architecture) = (unit.to_string(), architecture.to_string());
        if !output.status.success() {
            return Err(Failure::Assemble { unit, architecture, log: report.trim_end().to_string() });
        }
        parse(&report).map_err(|what| Failure::Report { unit, architecture, what })
    }
}

/// Returns the version in the output of `ptxas --version`.
fn version_in(text: &str) -> Option<&str> {
    let start = text.find(", V")? + 3;
    text[start..].split_whitespace().next()
}

/// Reads the output of `ptxas -v`: the resources of each entry, and of each function that was not inlined.
fn parse(report: &str) -> Result<BTreeMap<String, Usage>, String> {
    let mut all: BTreeMap<String, Usage> = BTreeMap::new();
    let mut constants = 0;
    let mut current: Option<String> = None;
    for line in report.lines() {
        let line = line.trim();
        let line =
            line.strip_prefix("ptxas info").map_or(line, |rest| rest.trim_start().trim_start_matches(':').trim());
        let bytes = |what: &str| number_before(line, what);
        if let Some(name) = line.strip_prefix("Function properties for ") {
            all.entry(name.to_string()).or_default();
            current = Some(name.to_string());
        } else if line.contains("bytes gmem") {
            constants = constant_bytes(line);
        } else if line.contains("bytes spill stores") {
            let usage = at(&mut all, current.as_ref(), line)?;
            usage.stack_bytes = bytes("bytes stack frame").ok_or(line)?;
            usage.spill_store_bytes = bytes("bytes spill stores").ok_or(line)?;
            usage.spill_load_bytes = bytes("bytes spill loads").ok_or(line)?;
        } else if line.starts_with("Used ") {
            let usage = at(&mut all, current.as_ref(), line)?;
            usage.registers = bytes("registers").ok_or(line)?;
            usage.shared_bytes = bytes("bytes smem").unwrap_or(0);
            usage.constant_bytes = constants + constant_bytes(line);
        }
    }
    if all.is_empty() { Err("it names no entry".to_string()) } else { Ok(all) }
}

fn at<'a>(all: &'a mut BTreeMap<String, Usage>, current: Option<&String>, line: &str) -> Result<&'a mut Usage, String> {
    current.and_then(|name| all.get_mut(name)).ok_or_else(|| format!("`{line}` comes before any entry"))
}

/// Returns the bytes of all banks of constants except 0, which holds the arguments, and 4, which holds addresses.
fn constant_bytes(line: &str) -> u32 {
    line.split(',')
        .filter(|part| part.contains("bytes cmem[") && !part.contains("cmem[0]") && !part.contains("cmem[4]"))
        .filter_map(|part| number_before(part, "bytes cmem"))
        .sum()
}

/// Returns the number before some words.
fn number_before(line: &str, words: &str) -> Option<u32> {
    line[..line.find(words)?].split_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Usage, parse, version_in};

    const SM_75: &str = "\
ptxas info    : 304 bytes gmem, 256 bytes cmem[3], 304 bytes cmem[4]
ptxas info    : Compiling entry function 'treepar_spill' for 'sm_75'
ptxas info    : Function properties for treepar_spill
    648 bytes stack frame, 852 bytes spill stores, 856 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 648 bytes cumulative stack size, 372 bytes cmem[0]
ptxas info    : Compile time = 33.130 ms
ptxas info    : Compiling entry function 'treepar_a' for 'sm_75'
ptxas info    : Function properties for treepar_a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 26 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 4.688 ms
ptxas info    : Function properties for _ZN7treepar5heavyEPKfi
    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";

    const SM_100: &str = "\
ptxas info    : 304 bytes gmem
ptxas info    : Compiling entry function 'treepar_a' for 'sm_100'
ptxas info    : Function properties for treepar_a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 25 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 5.706 ms
";

    #[test]
    fn a_report_is_read_entry_by_entry() {
        let all = parse(SM_75).unwrap();
        let spill = Usage {
            registers: 64,
            stack_bytes: 648,
            spill_store_bytes: 852,
            spill_load_bytes: 856,
            shared_bytes: 0,
            constant_bytes: 256,
        };
        assert_eq!(all["treepar_spill"], spill);
        let a = Usage { registers: 26, shared_bytes: 1024, constant_bytes: 264, ..Usage::default() };
        assert_eq!(all["treepar_a"], a);
        let heavy = Usage { stack_bytes: 16, spill_store_bytes: 4, spill_load_bytes: 4, ..Usage::default() };
        assert_eq!(all["_ZN7treepar5heavyEPKfi"], heavy);
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn newer_architectures_report_no_constants() {
        let all = parse(SM_100).unwrap();
        assert_eq!(all["treepar_a"], Usage { registers: 25, shared_bytes: 1024, ..Usage::default() });
    }

    #[test]
    fn a_report_without_entries_is_refused() {
        assert!(parse("").is_err());
        assert!(parse("ptxas info    : Used 25 registers\n").is_err());
        assert!(parse("ptxas info : Function properties for f\n ? bytes stack frame, 0 bytes spill stores\n").is_err());
    }

    #[test]
    fn the_version_is_the_assemblers_own() {
        let said = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\nBuild \
                    cuda_12.9.r12.9/compiler.36037853_0\n";
        assert_eq!(version_in(said), Some("12.9.86"));
        assert_eq!(version_in("something else"), None);
    }
}
