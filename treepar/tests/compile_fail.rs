//! What is outside the device subset does not compile, and says at its place what to write instead.

#[test]
fn what_is_outside_the_subset_is_rejected_where_it_stands() {
    let cases = trybuild::TestCases::new();
    for case in ["types", "signatures", "expressions", "statements", "roles"] {
        cases.compile_fail(format!("tests/compile_fail/{case}.rs"));
    }
}
