//! Compilers of other languages for the same expression, if they are installed.

use crate::par::foreign::{Built, Foreign};

/// A program of another language, and the form of the expression.
pub struct Peer {
    /// The name in the record.
    pub name: &'static str,
    /// The program with its compiler.
    pub program: Foreign,
    /// The form, as the programs in Par number them.
    pub form: u32,
    /// The options for each type of elements.
    of_elements: &'static [(&'static str, &'static [&'static str])],
}

const C: &str = include_str!("../../programs/vector-pascal/expression.c");
const FORTRAN: &str = include_str!("../../programs/vector-pascal/expression.f90");
const TYPES_OF_C: &[(&str, &[&str])] = &[
    ("short", &["-DTYPE=int16_t", "-DWIDE=int32_t", "-DFORMAT=\"%d\""]),
    ("float", &["-DTYPE=float", "-DWIDE=float", "-DFORMAT=\"%g\""]),
];
const TYPES_OF_FORTRAN: &[(&str, &[&str])] = &[
    ("short", &["-cpp", "-DKIND_OF=integer(2)", "-DCONVERT(x)=int(x,2)"]),
    ("float", &["-cpp", "-DKIND_OF=real(4)", "-DCONVERT(x)=real(x,4)"]),
];

const fn c(name: &'static str, form: u32, options: &'static [&'static str]) -> Peer {
    let program = Foreign { compiler: "gcc", options, text: C, extension: "c" };
    Peer { name, program, form, of_elements: TYPES_OF_C }
}

/// The compilers. Without `-march=native`, vectors have 16 bytes.
pub const PEERS: [Peer; 6] = [
    c("gcc, scalar, two loops", 0, &["-O2", "-fno-tree-vectorize"]),
    c("gcc, scalar", 1, &["-O2", "-fno-tree-vectorize"]),
    c("gcc -O3, two loops", 0, &["-O3"]),
    c("gcc -O3", 1, &["-O3"]),
    c("gcc -O3 -march=native", 1, &["-O3", "-march=native"]),
    Peer {
        name: "gfortran -O3",
        program: Foreign { compiler: "gfortran", options: &["-O3"], text: FORTRAN, extension: "f90" },
        form: 1,
        of_elements: TYPES_OF_FORTRAN,
    },
];

impl Peer {
    /// Compiles the expression for a type of elements.
    ///
    /// # Errors
    /// As [`Foreign::compiled`].
    pub fn compiled(&self, elements: &str) -> Result<Built, String> {
        let options = self.of_elements.iter().find(|(name, _)| *name == elements);
        self.program.compiled(options.map_or(&[], |(_, options)| options))
    }
}
