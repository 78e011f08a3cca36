//! Units that differ only in names of functions and modules share their PTX, and have separate entries.

use treepar::device::DeviceFn;
use treepar_codegen::{Grouping, unit_of};
use treepar_kernels::machine::Unit as _;

mod one {
    use treepar::device::device;

    #[device(map, scan(treepar::monoid::sum_u32))]
    pub fn doubled(i: usize, x: &[u32]) -> u32 {
        x[i].wrapping_mul(2)
    }

    #[device(map)]
    pub fn tripled(i: usize, x: &[u32]) -> u32 {
        x[i].wrapping_mul(3)
    }
}

mod other {
    pub mod deeper {
        use treepar::device::device;

        /// The same function under another name, formatted in another way.
        #[rustfmt::skip]
        #[device(map, scan(treepar::monoid::sum_u32))]
        pub fn twice(i: usize, x: &[u32]) -> u32 { x[i] // the row
            .wrapping_mul(2) }
    }
}

#[test]
fn a_renamed_function_has_the_same_ptx() {
    let unit = |def| unit_of(Grouping::Function, "map", &[def]).expect("a registered kernel");
    let (one, other) = (unit(one::doubled::DEF), unit(other::deeper::twice::DEF));
    assert_eq!(one.ptx_key(), other.ptx_key());
    assert_eq!(one.canonical_source(), other.canonical_source());
    assert_ne!(one.key(), other.key(), "compiled code has the names of entries");
    assert_ne!(one.ptx_key(), unit(one::tripled::DEF).ptx_key());
}

#[test]
fn templates_have_no_paths_that_could_meet_those_of_a_unit() {
    assert_eq!(treepar_codegen::Canonical::of(treepar_codegen::templates()).paths, Vec::<String>::new());
}
