//! Units: kernels that a machine compiles at once, and the keys under which they are known.
//!
//! | key | digest of | identifies |
//! |---|---|---|
//! | [`Kernels::ptx_key`] | the [canonical form](Canonical) of the unit's text | PTX in an archive: a rename does not change it |
//! | [`Unit::key`] | that, and the paths of the text | compiled code with its entries' names: caches |
//!
//! Both need the text. It is generated when a key is first asked for, one unit at a time.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use treepar_kernels::digest::Digest;
use treepar_kernels::machine::{self, Unit};
use treepar_kernels::{Def, Kernel, kernels};

use crate::canonical::Canonical;
use crate::{Error, shell, templates, translate};

/// Kernels that are compiled together.
#[derive(Debug)]
pub struct Kernels {
    name: String,
    kernels: Vec<&'static Kernel>,
    generated: OnceLock<Generated>,
}

/// The text of a unit's functions and entries in canonical form, with its keys.
#[derive(Debug)]
struct Generated {
    body: Canonical,
    ptx_key: u128,
    key: u128,
}

impl Kernels {
    /// A unit of some kernels. Without any, the unit of the kernels that take no device function.
    fn new(name: String, kernels: Vec<&'static Kernel>) -> Kernels {
        Kernels { name, kernels, generated: OnceLock::new() }
    }

    /// Returns the names of its entries.
    pub fn entries(&self) -> Vec<String> {
        if self.kernels.is_empty() {
            let text = shell::builtin();
            return text.lines().filter_map(entry_of).map(str::to_string).collect();
        }
        self.kernels.iter().flat_map(|kernel| shell::entries(kernel)).collect()
    }

    /// Returns its kernels.
    pub fn kernels(&self) -> &[&'static Kernel] {
        &self.kernels
    }

    /// Returns the text of its functions and entries, without the templates.
    ///
    /// # Errors
    /// The first function that has no translation.
    pub fn body(&self) -> Result<String, Error> {
        if self.kernels.is_empty() {
            return Ok(shell::builtin());
        }
        let functions: Vec<&'static Def> =
            self.kernels.iter().flat_map(|kernel| kernel.functions.iter().copied()).collect();
        Ok(format!("{}\n{}", translate(&functions)?, shell::shells(&self.kernels)?))
    }

    /// Returns the key of its PTX in an archive.
    pub fn ptx_key(&self) -> u128 {
        self.generated().ptx_key
    }

    /// Returns its functions and entries in canonical form.
    pub fn canonical_body(&self) -> &Canonical {
        &self.generated().body
    }

    /// Returns the text that PTX for an archive is compiled from: templates, functions and entries in canonical form.
    ///
    /// # Errors
    /// The first function that has no translation.
    pub fn canonical_source(&self) -> machine::Result<String> {
        self.source()?;
        Ok(format!("{}{}", canonical_templates().0.text, self.canonical_body().text))
    }

    fn generated(&self) -> &Generated {
        self.generated.get_or_init(|| {
            // A unit that cannot be generated has keys of its own; `source` reports the error.
            let body = Canonical::of(&self.body().unwrap_or_else(|error| format!("{}: {error}", self.name)));
            let mut digest = canonical_templates().1;
            digest.text(&body.text);
            let ptx_key = digest.value();
            body.paths.iter().for_each(|path| digest.text(path));
            Generated { body, ptx_key, key: digest.value() }
        })
    }
}

/// Returns the templates in canonical form, and their digest.
fn canonical_templates() -> &'static (Canonical, Digest) {
    static TEMPLATES: OnceLock<(Canonical, Digest)> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let canonical = Canonical::of(templates());
        let mut digest = Digest::default();
        digest.text(&canonical.text);
        (canonical, digest)
    })
}

/// Returns the name of the entry that a line of text declares.
fn entry_of(line: &str) -> Option<&str> {
    line.strip_prefix("TREEPAR_ENTRY(")?.split([',', ')']).next()
}

impl Unit for Kernels {
    fn name(&self) -> &str {
        &self.name
    }
    fn key(&self) -> u128 {
        self.generated().key
    }
    fn source(&self) -> machine::Result<String> {
        let body = self.body().map_err(|error| machine::Error::Source(error.to_string()))?;
        Ok(format!("{}\n{body}", templates()))
    }
    #[cfg(feature = "cuda")]
    fn precompiled(&self) -> Option<String> {
        treepar_kernels::ptx::find(self.ptx_key()).map(|ptx| self.canonical_body().restore(&ptx))
    }
}

/// A way to group kernels into units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// One unit per first function and monoid: one call of a program needs one unit.
    Function,
    /// One unit per module, of at most [`TOGETHER`] kernels: best where compiling the templates costs the most.
    Module,
}

/// The most kernels in a unit of [`Grouping::Module`].
pub const TOGETHER: usize = 24;

/// Returns all units of this program, ordered by name. The first has the kernels that take no device function.
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

/// Returns the unit that has a template with these functions; without functions, the unit of kernels that take none.
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
