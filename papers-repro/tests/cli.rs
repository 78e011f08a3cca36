//! The program `papers-repro` as its users meet it, on a machine whose driver shows no device.

use std::path::Path;
use std::process::{Command, Output};

/// The driver shows no device to a program that has this variable, even where there is one.
fn papers_repro(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_papers-repro"));
    command.args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().expect("the program runs")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[test]
fn without_a_device_cuda_ends_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for paper in ["key", "pareas", "all"] {
        let output = papers_repro(&[paper, "--backend", "cuda", "--quick", "--out", out.to_str().unwrap()]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        let what = if cfg!(feature = "cuda") { "CUDA driver" } else { "no CUDA backend" };
        assert!(told.starts_with("papers-repro: ") && told.contains(what), "{told}");
        assert!(output.stdout.is_empty() && !out.exists());
    }
}

#[test]
fn without_a_device_all_measures_the_processor() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = papers_repro(&["key", "--backend", "all", "--nodes", "3", "--runs", "1", "--out", out]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("the CPU alone is measured: "), "{told}");
    let record = text(&folder.path().join("key.json"));
    assert!(record.contains("\"nearest ancestor\"") && record.contains("\"gpu\":null"));
    assert!(!record.contains("GPU") && !text(&folder.path().join("report.html")).contains("on the GPU"));
}

#[test]
fn records_of_before_are_reported() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("records");
    for (name, plots) in [("xeon-2-cores", 8), ("xeon-2-cores-50MB", 4)] {
        let folder = tempfile::tempdir().unwrap();
        for file in ["key.json", "pareas.json"] {
            if let Ok(bytes) = std::fs::read(records.join(name).join(file)) {
                std::fs::write(folder.path().join(file), bytes).unwrap();
            }
        }
        let output = papers_repro(&["report", "--out", folder.path().to_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The thesis's title has one.
        let page = text(&folder.path().join("report.html")).replace("Code Generation on the GPU", "");
        assert!(page.contains("on all cores") && !page.contains("on the GPU"));
        let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let names: Vec<String> = names.filter(|name| name.ends_with(".svg")).collect();
        assert_eq!(names.len(), plots, "{names:?}");
        assert!(!names.iter().any(|name| name.contains("gpu")));
    }
}
