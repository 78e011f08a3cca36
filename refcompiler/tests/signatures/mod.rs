//! Functions of many signatures in Par and C that call one another, for every target.

#![allow(dead_code, reason = "each test program uses a part")]

pub mod arrays;

use refcompiler_programs::Rng;

/// Returns signatures that use the registers of ints, of floats, of both, and the stack. A float is `true`.
pub fn signatures() -> Vec<Vec<bool>> {
    let mut signatures: Vec<Vec<bool>> = vec![
        vec![],
        vec![false],
        vec![true],
        vec![false; 6],
        vec![false; 7],
        vec![false; 8],
        vec![false; 9],
        vec![true; 8],
        vec![true; 9],
        vec![true; 17],
        [vec![true; 8], vec![false; 4], vec![true; 6], vec![false; 6]].concat(),
        (0..60).map(|k| k % 2 == 0).collect(),
    ];
    let mut rng = Rng::new(7);
    for _ in 0..20 {
        let count = rng.below(25);
        signatures.push((0..count).map(|_| rng.once_in(2)).collect());
    }
    signatures
}

/// Returns functions of a signature in Par and C that call one another. `int run(void)` of C returns 42 if all arguments arrive.
pub fn round_trip(kinds: &[bool]) -> (String, String) {
    let par_type = |k: usize| if kinds[k] { "float" } else { "int" };
    let list = |item: &dyn Fn(usize) -> String| (0..kinds.len()).map(item).collect::<Vec<_>>().join(", ");
    let par_parameters = list(&|k| format!("p{k}: {}", par_type(k)));
    let c_parameters = list(&|k| format!("{} p{k}", par_type(k)));
    let names = list(&|k| format!("p{k}"));
    // A sum that depends on the order of the arguments, and is small enough to be exact in floats.
    let par_sum: String = (0..kinds.len())
        .map(|k| format!(" + {} * {}", if kinds[k] { format!("int(p{k})") } else { format!("p{k}") }, k + 1))
        .collect();
    let c_sum = par_sum.replace("int(", "(int)(");
    // Some ints are negative.
    let values = list(&|k| if kinds[k] { format!("{}.0", k * 3 + 1) } else { format!("{} - 90", k * 7 + 2) });
    let c_values = list(&|k| if kinds[k] { format!("{}.0f", k * 3 + 1) } else { format!("{} - 90", k * 7 + 2) });
    let par = format!(
        "extern fn c_sum[{par_parameters}]: int;
         extern fn c_half[{par_parameters}]: float;
         fn par_sum[{par_parameters}]: int {{ return 0{par_sum}; }}
         fn par_half[{par_parameters}]: float {{ return float(par_sum[{names}]) * 0.5; }}
         fn par_calls_c[]: int {{ return c_sum[{values}] + int(2.0 * c_half[{values}]) - 2 * c_back[{values}]; }}
         extern fn c_back[{par_parameters}]: int;"
    );
    let c = format!(
        "int par_sum({c_parameters}); float par_half({c_parameters}); int par_calls_c(void);
         int c_sum({c_parameters}) {{ return 0{c_sum}; }}
         float c_half({c_parameters}) {{ return (float)c_sum({names}) * 0.5f; }}
         int c_back({c_parameters}) {{ return par_sum({names}); }}
         int run(void) {{
           int expected = c_sum({c_values});
           if (par_sum({c_values}) != expected) return 1;
           if (par_half({c_values}) != (float)expected * 0.5f) return 2;
           if (par_calls_c() != 0) return 3;
           return 42;
         }}"
    );
    (par, c)
}
