//! Units: what a machine compiles at once, and how each is known before its text is made.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use treepar_kernels::digest::Digest;
use treepar_kernels::machine::{self, Unit};
use treepar_kernels::{Def, Kernel, kernels};

use crate::{Error, shell, templates, translate};

/// Kernels that are compiled together.
#[derive(Clone, Debug)]
pub struct Kernels {
    name: String,
    key: u128,
    kernels: Vec<&'static Kernel>,
}

impl Kernels {
    /// A unit of some kernels; of none: the kernels that no device function fills.
    fn new(name: String, kernels: Vec<&'static Kernel>) -> Kernels {
        let mut key = Digest::default();
        key.text(generator());
        for kernel in &kernels {
            key.text(kernel.template);
            kernel.functions.iter().for_each(|function| put(&mut key, function));
        }
        Kernels { name, key: key.value(), kernels }
    }

    /// The names of its entries.
    pub fn entries(&self) -> Vec<String> {
        if self.kernels.is_empty() {
            let text = shell::builtin();
            return text.lines().filter_map(entry_of).map(str::to_string).collect();
        }
        self.kernels.iter().flat_map(|kernel| shell::entries(kernel)).collect()
    }

    /// Its kernels.
    pub fn kernels(&self) -> &[&'static Kernel] {
        &self.kernels
    }

    /// The text of its entries and functions, without that of the templates.
    ///
    /// # Errors
    /// The first function that holds what has no translation.
    pub fn body(&self) -> Result<String, Error> {
        if self.kernels.is_empty() {
            return Ok(shell::builtin());
        }
        let functions: Vec<&'static Def> =
            self.kernels.iter().flat_map(|kernel| kernel.functions.iter().copied()).collect();
        Ok(format!("{}\n{}", translate(&functions)?, shell::shells(&self.kernels)?))
    }
}

/// The name of the entry that a line of text declares.
fn entry_of(line: &str) -> Option<&str> {
    line.strip_prefix("TREEPAR_ENTRY(")?.split([',', ')']).next()
}

impl Unit for Kernels {
    fn name(&self) -> &str {
        &self.name
    }
    fn key(&self) -> u128 {
        self.key
    }
    fn source(&self) -> machine::Result<String> {
        let body = self.body().map_err(|error| machine::Error::Source(error.to_string()))?;
        Ok(format!("{}\n{body}", templates()))
    }
}

/// How kernels are put into units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Those of one first function and one monoid: what one call of a program needs.
    Function,
    /// Those of one module, at most [`TOGETHER`]: where compiling the templates costs more than the functions.
    Module,
}

/// Kernels of a unit of [`Grouping::Module`] at most.
pub const TOGETHER: usize = 24;

/// All units of this program, in order of their names; the first is that of the kernels that no device function fills.
pub fn units(grouping: Grouping) -> &'static [Kernels] {
    static BY_FUNCTION: OnceLock<Vec<Kernels>> = OnceLock::new();
    static BY_MODULE: OnceLock<Vec<Kernels>> = OnceLock::new();
    match grouping {
        Grouping::Function => BY_FUNCTION.get_or_init(|| group(function_and_monoid, usize::MAX)),
        Grouping::Module => {
            BY_MODULE.get_or_init(|| group(|kernel| kernel.functions[0].module.replace("::", "__"), TOGETHER))
        }
    }
}

fn function_and_monoid(kernel: &Kernel) -> String {
    let monoid = kernel.functions[1..].iter().find(|function| function.identity.is_some());
    let names: Vec<String> = std::iter::once(&kernel.functions[0]).chain(monoid).map(|def| crate::name(def)).collect();
    names.join("__by__")
}

fn group(name: impl Fn(&Kernel) -> String, most: usize) -> Vec<Kernels> {
    let mut named: BTreeMap<String, Vec<&'static Kernel>> = BTreeMap::new();
    for kernel in kernels() {
        named.entry(name(kernel)).or_default().push(kernel);
    }
    let mut all = vec![Kernels::new("builtin".into(), Vec::new())];
    for (name, kernels) in named {
        let parts = kernels.len().div_ceil(most.min(kernels.len()));
        for (k, part) in kernels.chunks(most.min(kernels.len())).enumerate() {
            let name = if parts == 1 { name.clone() } else { format!("{name}_{}", k + 1) };
            all.push(Kernels::new(name, part.to_vec()));
        }
    }
    all
}

/// The unit that defines an entry: by the template and the functions that fill it, none for what needs none.
pub fn unit_of(grouping: Grouping, template: &str, functions: &[&Def]) -> Option<&'static Kernels> {
    type Index = HashMap<String, usize>;
    static BY_FUNCTION: OnceLock<Index> = OnceLock::new();
    static BY_MODULE: OnceLock<Index> = OnceLock::new();
    let units = units(grouping);
    if functions.is_empty() {
        return units.first();
    }
    let index = match grouping {
        Grouping::Function => &BY_FUNCTION,
        Grouping::Module => &BY_MODULE,
    };
    let index = index.get_or_init(|| {
        let mut index = Index::new();
        for (k, unit) in units.iter().enumerate() {
            index.extend(unit.kernels.iter().map(|kernel| (shell::entry(kernel.template, kernel.functions), k)));
        }
        index
    });
    index.get(&shell::entry(template, functions)).and_then(|&k| units.get(k))
}

/// The digest of the templates and of this generator, comments aside: what texts are made of beside functions.
fn generator() -> &'static str {
    const SOURCES: [&str; 5] = [
        include_str!("emit.rs"),
        include_str!("expression.rs"),
        include_str!("shell.rs"),
        include_str!("types.rs"),
        treepar_kernels::tuning::SOURCE,
    ];
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let mut digest = Digest::default();
        digest.text(templates());
        let lines =
            SOURCES.iter().flat_map(|source| source.lines()).filter(|line| !line.trim_start().starts_with("//"));
        lines.for_each(|line| digest.text(line));
        format!("{:032x}", digest.value())
    })
}

/// Puts in all that the text of a function is made of.
fn put(digest: &mut Digest, function: &Def) {
    digest.text(function.module);
    digest.text(function.name);
    digest.text(function.source);
    for (name, value) in (function.constants)().iter().chain(&(function.types)()) {
        digest.text(name);
        digest.text(&format!("{value:?}"));
    }
    if let Some(identity) = function.identity {
        digest.text(&format!("{:?}", identity()));
    }
    for (path, called) in function.calls {
        digest.text(path);
        put(digest, called);
    }
}
