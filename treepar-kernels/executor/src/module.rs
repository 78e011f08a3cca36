//! Modules and their entries.

use crate::code::Code;
use crate::ptx::{self, Function, ParseError, Problem, Space, Text, Variable};
use crate::{Fault, Memory};
use std::sync::Arc;

/// A parsed module.
#[derive(Clone)]
pub struct Module {
    entries: Vec<Entry>,
    variables: Vec<Global>,
}

/// A variable of a module in global memory.
#[derive(Clone, Debug)]
struct Global {
    bytes: usize,
    /// The initial bytes. `None` if there are none.
    initial: Option<Vec<u8>>,
    /// The offsets of addresses of variables: the variable, and the offset in it.
    addresses: Vec<(usize, usize, i64)>,
}

/// A kernel that can be launched.
#[derive(Clone)]
pub struct Entry {
    name: String,
    parameters: Vec<Parameter>,
    parameter_bytes: usize,
    shared_bytes: usize,
    max_threads: Option<[u32; 3]>,
    required_threads: Option<[u32; 3]>,
    text: Arc<str>,
    code: Arc<Code>,
    /// The addresses of the module's variables, after it is loaded.
    variables: Arc<[u64]>,
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
        let entries = entries.map(|function| Entry::new(&parsed, function, &shared));
        let entries = entries.collect::<Result<_, _>>().map_err(|problem| ParseError::new(problem, text))?;
        let variables = globals(&parsed).map_err(|problem| ParseError::new(problem, text))?;
        Ok(Module { entries, variables })
    }

    /// Allocates the module's variables and writes their initial values. Call it once before the first launch.
    ///
    /// # Errors
    /// An access to memory fails.
    pub fn load(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let addresses: Vec<u64> = self.variables.iter().map(|variable| memory.allocate(variable.bytes)).collect();
        for (variable, &address) in self.variables.iter().zip(&addresses) {
            // Variables without an initial value are zero.
            memory.fill(address, &[0], variable.bytes)?;
            memory.write(address, variable.initial.as_deref().unwrap_or(&[]))?;
            for &(at, other, offset) in &variable.addresses {
                memory.write(address + at as u64, &addresses[other].wrapping_add(offset as u64).to_le_bytes())?;
            }
        }
        let addresses: Arc<[u64]> = addresses.into();
        self.entries.iter_mut().for_each(|entry| entry.variables = addresses.clone());
        Ok(())
    }

    /// Frees the module's variables.
    ///
    /// # Errors
    /// The module is not loaded in this memory.
    pub fn unload(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let addresses = self.entries.first().map(|entry| entry.variables.clone()).unwrap_or_default();
        self.entries.iter_mut().for_each(|entry| entry.variables = Arc::new([]));
        addresses.iter().try_for_each(|&address| memory.free(address))
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
    fn new(module: &Text, function: &Function, text: &Arc<str>) -> Result<Entry, Problem> {
        let code = Code::new(module, function)?;
        let (parameters, parameter_bytes) = layout(&function.parameters);
        Ok(Entry {
            name: function.name.to_string(),
            parameters,
            parameter_bytes,
            shared_bytes: code.shared_bytes,
            max_threads: function.max_threads,
            required_threads: function.required_threads,
            text: text.clone(),
            code: Arc::new(code),
            variables: Arc::new([]),
        })
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

    /// Returns the only block that the module allows (`.reqntid`).
    pub fn required_threads(&self) -> Option<[u32; 3]> {
        self.required_threads
    }

    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    pub(crate) fn variables(&self) -> &[u64] {
        &self.variables
    }

    /// Returns a line of the PTX text, from 1.
    pub fn line(&self, line: u32) -> &str {
        ptx::line_of(&self.text, line)
    }
}

/// Returns the variables of a module. Shared variables belong to blocks, but count, so that indices agree.
fn globals(module: &Text) -> Result<Vec<Global>, Problem> {
    let index = |name: &str| module.variables.iter().position(|variable| variable.name == name);
    let of = |variable: &Variable| {
        let addresses = variable.initial.addresses.iter().map(|&(at, name, offset)| {
            let other = index(name).ok_or_else(|| (variable.line, format!("no variable `{name}` is declared")))?;
            Ok((at, other, offset))
        });
        let bytes = if variable.space == Space::Shared { 0 } else { variable.bytes };
        Ok(Global { bytes, initial: variable.initial.bytes.clone(), addresses: addresses.collect::<Result<_, _>>()? })
    };
    module.variables.iter().map(of).collect()
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

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Module").field("entries", &self.entries).finish()
    }
}
