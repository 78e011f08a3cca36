//! The programs: files of the folder `programs`, and the league's.
//!
//! Each exists in Par and in C, with the same algorithm and the same types. It reads how often it repeats its work, and prints a result that
//! depends on all of it.

use crate::program::{Program, repeated_league};

/// The limits of the ratios of times that a program should reach with `refc -O1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The limit of its time divided by the time with `gcc -O1`, if there is one.
    pub gcc: Option<f64>,
    /// The limit of its time divided by the time with tcc.
    pub tcc: f64,
}

/// A program that is run.
pub struct Subject {
    /// The name that tables use.
    pub name: &'static str,
    /// The text in both languages.
    pub program: Program,
    /// The repetitions that a run takes.
    pub repetitions: u32,
    /// The goal, if there is one.
    pub goal: Option<Goal>,
}

/// The goal of loops over numbers.
const LOOPS: Option<Goal> = Some(Goal { gcc: Some(2.0), tcc: 1.0 });

/// The number of functions of the league's program.
const FUNCTIONS: usize = 40_000;

/// Returns a program of the folder `programs`.
macro_rules! subject {
    ($name:literal, $file:literal, $repetitions:literal, $goal:expr) => {
        Subject {
            name: $name,
            program: Program {
                par: include_str!(concat!("../../programs/", $file, ".par")).to_string(),
                c: include_str!(concat!("../../programs/", $file, ".c")).to_string(),
            },
            repetitions: $repetitions,
            goal: $goal,
        }
    };
}

/// Returns all programs. With `quick` they repeat their work twice, and the league's program is small.
pub fn subjects(quick: bool) -> Vec<Subject> {
    let functions = if quick { 400 } else { FUNCTIONS };
    let mut all = vec![
        subject!("gcd", "gcd", 4, LOOPS),
        subject!("sieve", "sieve", 300, LOOPS),
        subject!("matrix product", "matrix_product", 15, LOOPS),
        subject!("flat matrix product", "flat_product", 15, LOOPS),
        subject!("N-body", "n_body", 1_000_000, LOOPS),
        subject!("struct N-body", "n_body_structs", 500_000, LOOPS),
        subject!("Mandelbrot", "mandelbrot", 50, LOOPS),
        subject!("bubble sort", "bubble_sort", 50, None),
        Subject {
            name: "league",
            program: repeated_league(functions, 1),
            repetitions: 150,
            goal: Some(Goal { gcc: None, tcc: 1.0 }),
        },
    ];
    if quick {
        all.iter_mut().for_each(|subject| subject.repetitions = 2);
    }
    all
}
