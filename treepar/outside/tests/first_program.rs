//! A crate of someone else's, which depends on treepar by its path, builds and runs the front page's first program.

use std::path::Path;
use std::process::Command;

use treepar_outside::first_example;

#[test]
fn the_first_program_of_the_front_page_runs_in_a_crate_of_its_own() {
    let treepar = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let program = first_example(&std::fs::read_to_string(treepar.join("src/lib.rs")).unwrap());
    assert!((5..=20).contains(&program.lines().count()), "{program}");

    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.rs"), program).unwrap();
    let manifest = format!(
        "[package]\nname = \"someone\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ntreepar = {{ path = {:?} }}\n",
        treepar.to_str().unwrap()
    );
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    // The versions that this workspace is locked to are available; nothing is fetched.
    std::fs::copy(treepar.join("../Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", folder.path().join("target"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "nodes of each subtree: [6, 1, 3, 1, 1, 1]\n", "{errors}");
}
