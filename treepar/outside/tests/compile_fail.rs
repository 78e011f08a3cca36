//! What is outside the device subset does not compile, and says at its place what to write instead.

#[test]
fn what_is_outside_the_subset_is_rejected_where_it_stands() {
    let cases = trybuild::TestCases::new();
    // The macro's own messages, the same on every rustc. Where the trait solver rejects, its text changes from version to
    // version: see the examples at `treepar::device::In`.
    for case in [
        "attributes",
        "expressions",
        "host",
        "literals",
        "methods",
        "names",
        "patterns",
        "roles",
        "signatures",
        "statements",
        "structs",
        "table_syntax",
        "tables",
        "types",
    ] {
        cases.compile_fail(format!("tests/compile_fail/{case}.rs"));
    }
}
