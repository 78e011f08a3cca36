//! Every committed unit parses.

use treepar_executor::Module;
use treepar_kernels::ptx::Archive;

#[test]
fn all_units_parse() {
    let mut entries = 0;
    for folder in ["treepar", "refcompiler", "benches", "papers-repro"] {
        let path = format!("{}/../../{folder}/ptx/units.bin", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).expect(&path);
        let archive = Archive::new(&bytes);
        assert!(archive.is_whole() && !archive.is_empty(), "{path}");
        for key in archive.keys() {
            let text = archive.find(key).expect("a whole archive has the text of each key");
            let module = Module::parse(&text).unwrap_or_else(|error| panic!("{folder}, unit {key:032x}: {error}"));
            entries += module.entries().count();
        }
    }
    assert!(entries > 500, "{entries} entries");
}
