//! The output of the examples is in `examples/output`. `TREEPAR_BLESS=1` writes it again.

#![allow(dead_code, reason = "an example's own `main` is not called here")]
#![allow(clippy::duplicate_mod, reason = "each example that lexes names the file that they share")]

use std::path::Path;

/// An example: writes its output.
type Example = fn(&mut dyn std::io::Write) -> Result<(), Box<dyn std::error::Error>>;

#[path = "../examples/ex10_formulas.rs"]
mod ex10_formulas;
#[path = "../examples/ex11_table.rs"]
mod ex11_table;
#[path = "../examples/ex1_function_lifting.rs"]
mod ex1_function_lifting;
#[path = "../examples/ex2_expression_flattening.rs"]
mod ex2_expression_flattening;
#[path = "../examples/ex3_dead_code.rs"]
mod ex3_dead_code;
#[path = "../examples/ex4_scopes.rs"]
mod ex4_scopes;
#[path = "../examples/ex5_json.rs"]
mod ex5_json;
#[path = "../examples/ex6_type_checker.rs"]
mod ex6_type_checker;
#[path = "../examples/ex7_constant_folding.rs"]
mod ex7_constant_folding;
#[path = "../examples/ex8_lisp.rs"]
mod ex8_lisp;
#[path = "../examples/ex9_word_index.rs"]
mod ex9_word_index;

fn check(name: &str, example: Example) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/output").join(name).with_extension("txt");
    let mut found = Vec::new();
    example(&mut found).unwrap();
    let found = String::from_utf8(found).unwrap();
    if std::env::var_os("TREEPAR_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found, expected, "{name} prints something else than {}", path.display());
}

#[test]
fn ex1_function_lifting_prints_its_output() {
    check("ex1_function_lifting", ex1_function_lifting::run);
}

#[test]
fn ex2_expression_flattening_prints_its_output() {
    check("ex2_expression_flattening", ex2_expression_flattening::run);
}

#[test]
fn ex3_dead_code_prints_its_output() {
    check("ex3_dead_code", ex3_dead_code::run);
}

#[test]
fn ex4_scopes_prints_its_output() {
    check("ex4_scopes", ex4_scopes::run);
}

#[test]
fn ex5_json_prints_its_output() {
    check("ex5_json", ex5_json::run);
}

#[test]
fn ex6_type_checker_prints_its_output() {
    check("ex6_type_checker", ex6_type_checker::run);
}

#[test]
fn ex7_constant_folding_prints_its_output() {
    check("ex7_constant_folding", ex7_constant_folding::run);
}

#[test]
fn ex8_lisp_prints_its_output() {
    check("ex8_lisp", ex8_lisp::run);
}

#[test]
fn ex9_word_index_prints_its_output() {
    check("ex9_word_index", ex9_word_index::run);
}

#[test]
fn ex10_formulas_prints_its_output() {
    check("ex10_formulas", ex10_formulas::run);
}

#[test]
fn ex11_table_prints_its_output() {
    check("ex11_table", ex11_table::run);
}
