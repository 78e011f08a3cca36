//! Compilers of other languages for the same expression, if they are installed.

use crate::par::foreign::{Built, Foreign};
use crate::par::variant::Processor;

/// A program of another language, and the form of the expression.
pub struct Peer {
    /// The name in the record.
    pub name: &'static str,
    /// The program with its compiler.
    pub program: Foreign,
    /// The form, as the programs in Par number them.
    pub form: u32,
    /// The processor that the options need.
    pub cpu: Processor,
    /// The options for each type of elements.
    of_elements: &'static [(&'static str, &'static [&'static str])],
}

const C: &str = include_str!("../../programs/vector-pascal/expression.c");
const FORTRAN: &str = include_str!("../../programs/vector-pascal/expression.f90");
const TYPES_OF_C: &[(&str, &[&str])] = &[
    ("short", &["-DTYPE=int16_t", "-DWIDE=int32_t", "-DFORMAT=\"%d\""]),
    ("float", &["-DTYPE=float", "-DWIDE=float", "-DFORMAT=\"%g\""]),
    ("int", &["-DTYPE=int32_t", "-DWIDE=int32_t", "-DPART(v)=((v)&1023)", "-DFORMAT=\"%d\"", "-fwrapv"]),
];
const TYPES_OF_FORTRAN: &[(&str, &[&str])] = &[
    ("short", &["-cpp", "-DKIND_OF=integer(2)", "-DCONVERT(x)=int(x,2)"]),
    ("float", &["-cpp", "-DKIND_OF=real(4)", "-DCONVERT(x)=real(x,4)"]),
    ("int", &["-cpp", "-DKIND_OF=integer(4)", "-DCONVERT(x)=int(x,4)", "-DPART(v)=iand(v,1023)", "-fwrapv"]),
];

const fn c(name: &'static str, form: u32, options: &'static [&'static str]) -> Peer {
    let program = Foreign { compiler: "gcc", options, text: C, extension: "c" };
    Peer { name, program, form, cpu: Processor::Baseline, of_elements: TYPES_OF_C }
}

const fn fortran(name: &'static str, options: &'static [&'static str]) -> Peer {
    let program = Foreign { compiler: "gfortran", options, text: FORTRAN, extension: "f90" };
    Peer { name, program, form: 1, cpu: Processor::Baseline, of_elements: TYPES_OF_FORTRAN }
}

const fn with_avx2(peer: Peer) -> Peer {
    Peer { cpu: Processor::Avx2, ..peer }
}

/// The compilers. Without `-march=native` and `-mavx2`, vectors have 16 bytes.
pub const PEERS: [Peer; 8] = [
    c("gcc, scalar, two loops", 0, &["-O2", "-fno-tree-vectorize"]),
    c("gcc, scalar", 1, &["-O2", "-fno-tree-vectorize"]),
    c("gcc -O3, two loops", 0, &["-O3"]),
    c("gcc -O3", 1, &["-O3"]),
    with_avx2(c("gcc -O3 -mavx2", 1, &["-O3", "-mavx2"])),
    c("gcc -O3 -march=native", 1, &["-O3", "-march=native"]),
    fortran("gfortran -O3", &["-O3"]),
    with_avx2(fortran("gfortran -O3 -mavx2", &["-O3", "-mavx2"])),
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
