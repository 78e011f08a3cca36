//! Programs of the shape that a public comparison of compilers measures.
//!
//! <https://github.com/nordlow/compiler-benchmark> compares the compilers of many languages, Pareas and C among them. Its
//! program is a set of chains of small functions. Each function returns a sum of its parameter, the result of the next
//! function of its chain, and a random constant. `main` adds up the results of all chains.

use std::fmt::Write;

use refcompiler_programs::Rng;

use super::Program;

/// The functions of a chain. The comparison measures 200 chains of 200 functions.
pub const CHAIN: usize = 200;

/// Returns a program of `functions` functions in chains of [`CHAIN`], and `main`. The last chain may be shorter.
///
/// As in the comparison, numbers have the type `int` in Par and `long` in C.
pub fn league(functions: usize, seed: u64) -> Program {
    let (mut program, chains) = chains(functions, seed, "long");
    let (mut par_calls, mut c_calls) = (String::new(), String::new());
    // Writing to a string cannot fail.
    for (chain, first) in chains.iter().enumerate() {
        let _ = writeln!(par_calls, "    total_int = total_int + sum_int_{first}[{chain}];");
        let _ = writeln!(c_calls, "    total_long += sum_long_{first}({chain});");
    }
    let _ =
        write!(program.par, "fn main[]: int {{\n    var total_int: int = 0;\n{par_calls}    return total_int;\n}}\n");
    let _ = write!(program.c, "int main(void) {{\n    long total_long = 0;\n{c_calls}    return total_long;\n}}\n");
    program
}

/// Returns the same program with another `main`, which calls all chains as often as the input says and prints a number. Numbers have the
/// type `int` in both languages.
pub fn repeated_league(functions: usize, seed: u64) -> Program {
    let (mut program, chains) = chains(functions, seed, "int");
    let (mut par_calls, mut c_calls) = (String::new(), String::new());
    // Exclusive or, since sums of all chains can be too large for an int of C.
    for first in &chains {
        let _ = writeln!(par_calls, "        total = total ^ sum_int_{first}[t];");
        let _ = writeln!(c_calls, "        total = total ^ sum_int_{first}(t);");
    }
    let _ = write!(
        program.par,
        "fn main[]: int {{\n    var times = read_int[];\n    var total = 0;\n    for t < times {{\n{par_calls}    }}\n    \
         print_int[total];\n    print_char[10];\n    return 0;\n}}\n"
    );
    let _ = write!(
        program.c,
        "#include <stdio.h>\n\nint main(void) {{\n    int times;\n    if (scanf(\"%d\", &times) != 1) return 1;\n    \
         int total = 0;\n    for (int t = 0; t < times; t++) {{\n{c_calls}    }}\n    printf(\"%d\\n\", total);\n    \
         return 0;\n}}\n"
    );
    program
}

/// Returns the functions of all chains, with a type of C, and the name of the function of each chain that `main` calls, without its prefix.
fn chains(functions: usize, seed: u64, c_type: &str) -> (Program, Vec<String>) {
    let mut rng = Rng::new(seed);
    let (mut program, mut called) = (Program::default(), Vec::new());
    // Writing to a string cannot fail.
    for first in (0..functions).step_by(CHAIN) {
        let chain = first / CHAIN;
        let length = CHAIN.min(functions - first);
        let mut callee = String::new();
        for step in 0..length {
            let constant = rng.below(100_001);
            let suffix = if step + 1 == length { String::new() } else { format!("_s{step}") };
            let (par_call, c_call) = match step {
                0 => (String::new(), String::new()),
                _ => (format!("sum_int_{callee}[x] + "), format!("sum_{c_type}_{callee}(x) + ")),
            };
            callee = format!("c{chain}{suffix}");
            let _ = writeln!(program.par, "fn sum_int_{callee}[x: int]: int {{ return x + {par_call}{constant}; }}");
            let head = format!("{c_type} sum_{c_type}_{callee}({c_type} x)");
            let _ = writeln!(program.c, "{head} {{ return x + {c_call}{constant}; }}");
        }
        program.par.push('\n');
        program.c.push('\n');
        called.push(callee);
    }
    (program, called)
}

#[cfg(test)]
mod tests {
    use refcompiler::frontend::sequential::Extent;

    use super::super::tests::tree;
    use super::*;

    #[test]
    fn programs_have_their_functions_and_no_errors() {
        for functions in [1, 2, CHAIN - 1, CHAIN, CHAIN + 1, 3 * CHAIN] {
            let program = league(functions, 1);
            let chains = functions.div_ceil(CHAIN);
            assert_eq!(program.par.matches("fn ").count(), functions + 1);
            assert_eq!(program.par.lines().count(), program.c.lines().count());
            // All functions but the first of each chain call another, and `main` calls each chain.
            assert_eq!(program.c.matches("(x)").count(), functions - chains);
            assert_eq!(program.c.matches("total_long += ").count(), chains);
            tree(program.par, Extent::Executable);
        }
    }

    #[test]
    fn repeated_programs_have_the_same_functions() {
        let (once, repeated) = (league(500, 1), repeated_league(500, 1));
        let end = once.par.find("fn main").unwrap();
        assert_eq!(repeated.par[..end], once.par[..end]);
        assert_eq!(repeated.par.matches("total = total ^ ").count(), 3);
        assert!(!repeated.c.contains("long"));
        tree(repeated.par, Extent::Executable);
    }

    #[test]
    fn a_seed_determines_the_constants() {
        assert_eq!(league(10, 1).par, league(10, 1).par);
        assert_ne!(league(10, 1).par, league(10, 2).par);
    }
}
