//! `refc` and its peers, with their command lines.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The task of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Find its errors: the front end by itself. tcc has no such mode and compiles it to an object file.
    Check,
    /// Compile it to an object file.
    Object,
    /// Compile and link it to an executable.
    Build,
}

impl Task {
    /// Returns the name that tables use.
    pub fn name(self) -> &'static str {
        match self {
            Task::Check => "check",
            Task::Object => "object",
            Task::Build => "build",
        }
    }
}

/// The language that a compiler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Par, in files that end in `.par`.
    Par,
    /// C, in files that end in `.c`.
    C,
}

/// A compiler, or `refc` with some options.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The name that tables use.
    pub name: &'static str,
    /// The name of the compiler that differs in one option of the passes after the front end, if there is one.
    pub base: Option<&'static str>,
    /// The executable.
    pub program: PathBuf,
    /// The language that it reads.
    pub language: Language,
    /// The first line that the compiler prints about its version.
    pub version: String,
    options: &'static [&'static str],
    check: &'static [&'static str],
}

/// The name of the compiler with which the others are compared.
pub const OURS: &str = "refc";

/// `refc` with its options: its name, the name of its [base](Compiler::base), the options. Without `x86-64` the target is the one that
/// all machines have had in all records.
const OURS_WITH_OPTIONS: [(&str, Option<&str>, &[&str]); 6] = [
    (OURS, None, &["-w", "--target", "riscv32"]),
    ("refc -j1", None, &["-w", "--target", "riscv32", "-j1"]),
    ("refc x86-64", Some(OURS), &["-w", "--target", "x86-64"]),
    ("refc x86-64 -j1", Some("refc -j1"), &["-w", "--target", "x86-64", "-j1"]),
    ("refc -O1", Some(OURS), &["-w", "--target", "riscv32", "-O1"]),
    ("refc x86-64 -O1", Some("refc x86-64"), &["-w", "--target", "x86-64", "-O1"]),
];

/// Returns `refc` for both targets and the installed ones of tcc, `gcc -O0` and `clang -O0`, and the names of the others.
///
/// # Errors
/// A message if `refc` does not run.
pub fn find(refc: &Path) -> Result<(Vec<Compiler>, Vec<&'static str>), String> {
    let refc = std::fs::canonicalize(refc).map_err(|e| {
        format!("cannot find `{}`: {e}; build it with `cargo build --release --package refcompiler`", refc.display())
    })?;
    let ours = |(name, base, options)| Compiler {
        name,
        base,
        program: refc.clone(),
        language: Language::Par,
        version: String::new(),
        options,
        check: &["--check"],
    };
    let peer = |name, program: &str, options, check| Compiler {
        name,
        base: None,
        program: program.into(),
        language: Language::C,
        version: String::new(),
        options,
        check,
    };
    let peers = [
        // tcc removes its output before it writes, so the output must never be a device such as `/dev/null`.
        peer("tcc", "tcc", &["-w"], &["-c", "-o", "checked.o"]),
        peer("gcc -O0", "gcc", &["-w", "-O0"], &["-fsyntax-only"]),
        peer("clang -O0", "clang", &["-w", "-O0"], &["-fsyntax-only"]),
    ];
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for mut compiler in OURS_WITH_OPTIONS.map(ours).into_iter().chain(peers) {
        match version(&compiler.program, if compiler.name == "tcc" { "-v" } else { "--version" })? {
            Some(version) => {
                compiler.version = version;
                found.push(compiler);
            }
            None => missing.push(compiler.name),
        }
    }
    Ok((found, missing))
}

/// Returns the first line that a program prints about its version, or `None` if it is not installed.
///
/// # Errors
/// A message if it is installed and does not run.
pub fn version(program: &Path, option: &str) -> Result<Option<String>, String> {
    match Command::new(program).arg(option).output() {
        Ok(output) => Ok(Some(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").trim().to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot run `{}`: {error}", program.display())),
    }
}

impl Compiler {
    /// Returns `true` for `refc`, with any options.
    pub fn is_ours(&self) -> bool {
        self.language == Language::Par
    }

    /// Returns whether a task is measured. The front end of a compiler is the one of its base.
    pub fn has(&self, task: Task) -> bool {
        task != Task::Check || self.base.is_none()
    }

    /// Returns the arguments for compiling the files that `stem.list` names to one object each. Only `refc` has them.
    pub fn arguments_of_list(&self, stem: &str) -> Vec<OsString> {
        let options = self.options.iter().chain(&["-c"]).map(OsString::from);
        options.chain([format!("@{stem}.list").into()]).collect()
    }

    /// Returns the arguments for a task on the program `stem.par` or `stem.c`.
    pub fn arguments(&self, task: Task, stem: &str) -> Vec<OsString> {
        let of_task: &[&str] = match task {
            Task::Check => self.check,
            Task::Object => &["-c", "-o", "out.o"],
            Task::Build => &["-o", "out"],
        };
        let extension = if self.is_ours() { "par" } else { "c" };
        let options = self.options.iter().chain(of_task).map(OsString::from);
        options.chain([format!("{stem}.{extension}").into()]).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a compiler that is never run.
    pub fn compiler(name: &'static str, language: Language) -> Compiler {
        let (options, check): (&[&str], &[&str]) = (&["-w"], &["--check"]);
        Compiler { name, base: None, program: name.into(), language, version: format!("{name} 1.0"), options, check }
    }

    /// Returns a compiler that is never run, which is `refc` with another option.
    pub fn with_base(name: &'static str) -> Compiler {
        Compiler { base: Some(OURS), ..compiler(name, Language::Par) }
    }

    /// A base comes before the compilers that are compared with it, and has other options.
    #[test]
    fn bases_are_compilers_with_other_options() {
        for (k, (name, base, options)) in OURS_WITH_OPTIONS.into_iter().enumerate() {
            let earlier = &OURS_WITH_OPTIONS[..k];
            assert!(earlier.iter().all(|&(other, _, of_other)| other != name && of_other != options), "{name}");
            assert!(base.is_none_or(|base| earlier.iter().any(|&(other, ..)| other == base)), "{name}");
        }
    }

    #[test]
    fn arguments_end_in_the_program_of_the_language() {
        let text = |arguments: Vec<OsString>| arguments.join(" ".as_ref()).into_string().unwrap();
        let refc = compiler("refc", Language::Par);
        assert_eq!(text(refc.arguments(Task::Check, "0")), "-w --check 0.par");
        assert_eq!(text(refc.arguments(Task::Object, "0")), "-w -c -o out.o 0.par");
        assert_eq!(text(refc.arguments_of_list("3")), "-w -c @3.list");
        assert_eq!(text(compiler("gcc", Language::C).arguments(Task::Build, "12")), "-w -o out 12.c");
    }

    #[test]
    fn no_compiler_writes_to_a_device() {
        // Any program will do for `refc`: it is only asked for its version.
        let (compilers, _) = find(Path::new(env!("CARGO"))).unwrap();
        for compiler in &compilers {
            for task in [Task::Check, Task::Object, Task::Build] {
                let arguments = compiler.arguments(task, "0");
                assert!(!arguments.iter().any(|a| a.as_encoded_bytes().starts_with(b"/")), "{arguments:?}");
            }
        }
    }

    #[test]
    fn a_missing_compiler_has_no_version_and_a_missing_refc_is_an_error() {
        assert_eq!(version(Path::new("no-such-compiler"), "-v"), Ok(None));
        let error = find(Path::new("no/such/refc")).unwrap_err();
        assert!(error.contains("no/such/refc") && error.contains("cargo build"), "{error}");
    }
}
