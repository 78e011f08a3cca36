//! The templates' text in CUDA C++.

/// The types and operators that every kernel needs.
pub const TYPES: &str = include_str!("../kernels/types.cuh");

/// The types `i8`, `i16` and `f64`, which few functions use. It comes after the templates, so that their text does not depend on it.
pub const NUMBERS: &str = include_str!("../kernels/numbers.cuh");

/// The methods of numbers that are not in `TYPES`. It comes after `NUMBERS`.
pub const METHODS: &str = include_str!("../kernels/methods.cuh");

/// The loads and stores of words.
pub const WORDS: &str = include_str!("../kernels/words.cuh");

/// The GPU's functions that the templates need. The emulator has its own.
pub const MACHINE: &str = include_str!("../kernels/machine.cuh");

/// The templates. Each file comes after the files that it needs.
pub const TEMPLATES: [&str; 18] = [
    include_str!("../kernels/output.cuh"),
    include_str!("../kernels/block.cuh"),
    include_str!("../kernels/look_back.cuh"),
    include_str!("../kernels/map.cuh"),
    include_str!("../kernels/scan.cuh"),
    include_str!("../kernels/positions.cuh"),
    include_str!("../kernels/reduce.cuh"),
    include_str!("../kernels/segment.cuh"),
    include_str!("../kernels/expand.cuh"),
    include_str!("../kernels/expand_rows.cuh"),
    include_str!("../kernels/scatter.cuh"),
    include_str!("../kernels/accumulate.cuh"),
    include_str!("../kernels/intern.cuh"),
    include_str!("../kernels/smaller.cuh"),
    include_str!("../kernels/sort.cuh"),
    include_str!("../kernels/walk.cuh"),
    include_str!("../kernels/walk_up.cuh"),
    include_str!("../kernels/walk_slots.cuh"),
];
