//! Tests of the program `papers-repro` without a GPU.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program. The environment variable hides any GPU.
fn papers_repro(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_papers-repro"));
    command.args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().expect("the program runs")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[test]
fn without_a_device_cuda_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for paper in ["key", "pareas", "all"] {
        let output = papers_repro(&[paper, "--backend", "cuda", "--quick", "--out", out.to_str().unwrap()]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let what = if cfg!(feature = "cuda") { "CUDA driver" } else { "no CUDA backend" };
        assert!(errors.starts_with("papers-repro: ") && errors.contains(what), "{errors}");
        assert!(output.stdout.is_empty() && !out.exists());
    }
}

#[test]
fn without_a_device_all_measures_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = papers_repro(&["key", "--backend", "all", "--nodes", "3", "--runs", "1", "--out", out]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("measuring only the CPU: "), "{errors}");
    let record = text(&folder.path().join("key.json"));
    assert!(record.contains("\"accumulating, from depths\"") && record.contains("\"gpu\":null"));
    assert_eq!(record.contains("this build of papers-repro is not optimised"), cfg!(debug_assertions));
    assert!(!record.contains("GPU") && !text(&folder.path().join("report.html")).contains("on the GPU"));
}

#[test]
fn committed_records_can_be_reported() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("records");
    for (name, plots) in [("epyc-2-cores", 17)] {
        let folder = tempfile::tempdir().unwrap();
        for file in ["key.json", "pareas.json", "l0.json", "lms.json", "vector-pascal.json"] {
            if let Ok(bytes) = std::fs::read(records.join(name).join(file)) {
                std::fs::write(folder.path().join(file), bytes).unwrap();
            }
        }
        let output = papers_repro(&["report", "--out", folder.path().to_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The thesis's title mentions a GPU.
        let page = text(&folder.path().join("report.html")).replace("Code Generation on the GPU", "");
        assert!(page.contains("on all cores") && !page.contains("on the GPU"));
        // Nothing is loaded from a network, and all claims are listed whether or not their papers were measured.
        for outside in ["href=\"http", "src=\"http", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for paper in ["Key", "Pareas", "L0", "LMS", "Vector Pascal"] {
            assert!(page.contains(&format!("\">{paper}</a></td></tr>")), "{paper}");
        }
        let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let names: Vec<String> = names.filter(|name| name.ends_with(".svg")).collect();
        assert_eq!(names.len(), plots, "{names:?}");
        assert!(!names.iter().any(|name| name.contains("gpu")));
    }
}

/// A damaged record is named, and the other papers are reported.
#[test]
fn a_damaged_record_does_not_hide_the_others() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("records/epyc-2-cores");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = papers_repro(&["report", "--out", out]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no records in"));
    std::fs::copy(records.join("lms.json"), folder.path().join("lms.json")).unwrap();
    let whole = std::fs::read(records.join("l0.json")).unwrap();
    std::fs::write(folder.path().join("l0.json"), &whole[..1000]).unwrap();
    std::fs::copy(records.join("lms.json"), folder.path().join("key.json")).unwrap();
    let output = papers_repro(&["report", "--out", out]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("l0.json` is not a record") && errors.contains("it is of `lms`"), "{errors}");
    let page = text(&folder.path().join("report.html"));
    assert!(page.contains("id=\"lms\"") && !page.contains("id=\"l0\""));
}

#[test]
fn numbers_below_one_are_refused() {
    for option in ["--runs", "--nodes"] {
        let output = papers_repro(&["lms", option, "0"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("at least 1"));
    }
}

#[test]
fn the_plot_of_applications_is_drawn_from_the_record_that_the_guide_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = text(&root.join("treepar/src/guide.md"));
    let name = guide.split('`').find(|word| word.ends_with("-applications.csv")).expect("a record");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("record.csv");
    std::fs::copy(root.join(name), &copy).unwrap();
    let output = papers_repro(&["applications", copy.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(guide.contains(std::str::from_utf8(&output.stdout).unwrap()));
    let plot = text(&folder.path().join("applications.svg"));
    assert!(plot.contains("prefers-color-scheme: dark") && plot.contains("var(--ink)"));
    let committed = root.join(name).with_file_name("applications.svg");
    let command = format!("papers-repro applications {name}");
    assert!(text(&committed) == plot, "{} is not what `{command}` draws", committed.display());
}

#[test]
fn a_record_of_applications_that_is_damaged_or_missing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.csv");
    let refused = || {
        let output = papers_repro(&["applications", record.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused().contains("cannot read"));
    std::fs::write(&record, "application,nodes\n").unwrap();
    assert!(refused().contains("the record has no column `sequential_ns`"));
    assert!(!folder.path().join("applications.svg").exists());
}
