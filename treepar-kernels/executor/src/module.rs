//! Modules and their entries.

use crate::ptx::{self, Function, ParseError, Variable};
use crate::{Fault, Memory};
use std::sync::Arc;

/// A parsed module.
#[derive(Clone, Debug)]
pub struct Module {
    entries: Vec<Entry>,
}

/// A kernel that can be launched.
#[derive(Clone, Debug)]
pub struct Entry {
    name: String,
    parameters: Vec<Parameter>,
    parameter_bytes: usize,
    shared_bytes: usize,
    max_threads: Option<[u32; 3]>,
    required_threads: Option<[u32; 3]>,
    text: Arc<str>,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The bytes.
    pub bytes: usize,
    /// The alignment.
    pub align: usize,
    /// The offset in the parameter space.
    pub offset: usize,
}

impl Module {
    /// Parses a module.
    ///
    /// # Errors
    /// The text is not PTX, or it uses an instruction or directive that the executor does not know.
    pub fn parse(text: &str) -> Result<Module, ParseError> {
        let parsed = ptx::parse(text).map_err(|problem| ParseError::new(problem, text))?;
        let shared: Arc<str> = text.into();
        let entries = parsed.functions.iter().filter(|function| function.is_entry);
        Ok(Module { entries: entries.map(|function| Entry::new(function, &shared)).collect() })
    }

    /// Allocates the module's variables and writes their initial values. Call it once before the first launch.
    ///
    /// # Errors
    /// An access to memory fails.
    pub fn load(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let _ = memory;
        Ok(())
    }

    /// Frees the module's variables.
    ///
    /// # Errors
    /// The module is not loaded in this memory.
    pub fn unload(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let _ = memory;
        Ok(())
    }

    /// Returns the entries in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Returns the entry with a name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

impl Entry {
    fn new(function: &Function, text: &Arc<str>) -> Entry {
        let (parameters, parameter_bytes) = layout(&function.parameters);
        Entry {
            name: function.name.to_string(),
            parameters,
            parameter_bytes,
            shared_bytes: 0,
            max_threads: function.max_threads,
            required_threads: function.required_threads,
            text: text.clone(),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the bytes of the parameter space.
    pub fn parameter_bytes(&self) -> usize {
        self.parameter_bytes
    }

    /// Returns the bytes of shared memory per block that the module declares.
    pub fn shared_bytes(&self) -> usize {
        self.shared_bytes
    }

    /// Returns the greatest block that the module declares (`.maxntid`), or the only one (`.reqntid`).
    pub fn max_threads(&self) -> Option<[u32; 3]> {
        self.required_threads.or(self.max_threads)
    }

    /// Returns a line of the PTX text, from 1.
    pub fn line(&self, line: u32) -> &str {
        ptx::line_of(&self.text, line)
    }
}

/// Returns variables in order, each at a multiple of its alignment, and their bytes in total.
fn layout(variables: &[Variable]) -> (Vec<Parameter>, usize) {
    let mut end = 0usize;
    let place = |variable: &Variable| {
        let offset = end.next_multiple_of(variable.align);
        end = offset + variable.bytes;
        Parameter { bytes: variable.bytes, align: variable.align, offset }
    };
    let parameters = variables.iter().map(place).collect();
    (parameters, end)
}
