//! The types of the functions of a generated program.

use refcompiler_programs::Rng;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `int`.
    Int,
    /// `float`.
    Float,
}

/// The types of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result, if it has one.
    pub result: Option<Type>,
}

/// The functions of a program.
pub struct Signatures {
    /// All signatures, by function.
    pub all: Vec<Signature>,
    /// The functions without a result, with an int, and with a float.
    by_result: [Vec<u32>; 3],
}

impl Signatures {
    /// Creates the signatures of a program.
    pub fn new(all: Vec<Signature>) -> Signatures {
        let mut by_result = [Vec::new(), Vec::new(), Vec::new()];
        for (f, signature) in all.iter().enumerate() {
            by_result[result_index(signature.result)].push(f as u32);
        }
        Signatures { all, by_result }
    }

    /// Draws a function with the given result and at most `most` parameters.
    pub fn callee(&self, result: Option<Type>, most: usize, rng: &mut Rng) -> Option<u32> {
        let fitting = &self.by_result[result_index(result)];
        if fitting.is_empty() {
            return None;
        }
        let drawn = [(); 3].map(|()| rng.one_of(fitting));
        drawn.into_iter().find(|&f| self.all[f as usize].parameters.len() <= most)
    }
}

/// Returns the index of a result in [`Signatures::by_result`].
fn result_index(result: Option<Type>) -> usize {
    match result {
        None => 0,
        Some(Type::Int) => 1,
        Some(Type::Float) => 2,
    }
}
