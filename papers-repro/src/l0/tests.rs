//! The programs compared with the oracle and the published values.

use super::oracle::{p0, p1, p2, r0, r1, r2};
use super::*;
use crate::claims::published;

/// Runs a program on the simulator, in all variants. All print the same numbers.
fn printed(subject: &Subject, input: &str) -> Vec<f64> {
    let outputs: Vec<String> = Variants::new()
        .l0
        .iter()
        .filter_map(|variant| variant.settings(Target::Riscv32))
        .map(|settings| run(&executable(&subject.program, settings).unwrap(), input).unwrap().0)
        .collect();
    assert!(outputs.iter().all(|output| *output == outputs[0]), "{}: {outputs:?}", subject.name);
    numbers_of(&outputs[0])
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-9), "{found:?} is not {expected:?}");
    }
}

#[test]
fn figure_45_has_the_gains_of_the_claims() {
    for row in Published::new().figure_45 {
        let id = format!("l0-{}", row.case.to_lowercase());
        assert_eq!(published(&id), row.gain, "{id}");
        assert!((row.plain_ms / row.optimised_ms - row.gain).abs() < 0.02, "{id}");
    }
}

#[test]
fn artificial_programs_compute_what_plain_code_computes() {
    let [p0_, p1_, p2_, ..] = &SUBJECTS;
    for days in [1, 2, 365, 1825] {
        assert_close(&printed(p0_, &format!("{days} 1")), &[p0(days)], 1e-4);
    }
    for n in [1, 2, 7, 20] {
        assert_close(&printed(p1_, &format!("{n} 1")), &[p1(n)], 0.0);
        assert_close(&printed(p2_, &format!("{n} 1")), &[p2(n as usize)], 0.0);
    }
}

#[test]
fn r0_computes_the_price() {
    let model = include_str!("../../programs/l0/r0.model");
    for paths in [1, 10, 50] {
        assert_close(&printed(&SUBJECTS[3], &format!("1 {paths} {model}")), &[r0(paths, model)], 2e-4);
    }
    assert_close(&[r0(1000, model)], &[published("l0-r0-value")], 1e-9);
}

#[test]
fn r1_computes_the_values() {
    let parameters = [0.03, 5.0, 0.2, 0.6, 0.5];
    for (strikes, nx, ny, nt) in [(3, 8, 8, 4), (2, 32, 16, 3)] {
        let expected = r1(strikes, nx, ny, nt, parameters);
        let input = format!("1 {strikes} {nx} {ny} {nt} 0.03 5.0 0.2 0.6 0.5");
        assert_close(&printed(&SUBJECTS[4], &input), &expected, 2e-3);
    }
    let all = r1(8, 32, 16, 32, parameters);
    assert_close(&[all[0], all[7]], &["l0-r1-first", "l0-r1-last"].map(published), 1e-9);
}

#[test]
fn r2_computes_the_prices() {
    let quotes = include_str!("../../programs/l0/r2.quotes");
    let parameters = [0.023511, 0.964110, -0.912444, 0.142763, 0.025390];
    assert_close(&r2(parameters, quotes)[..1], &[published("l0-r2-likelihood")], 1e-4);
    assert_close(&printed(&SUBJECTS[5], &(SUBJECTS[5].counted.input)(1)), &r2(parameters, &some_quotes(1)), 1e-3);
}

#[test]
#[ignore = "needs gcc"]
fn programs_in_c_compute_what_plain_code_computes() {
    let printed = |subject: &Subject| {
        let Built::Ready { native, .. } = subject.in_c().unwrap().compiled(&["-Wall", "-Werror"]).unwrap() else {
            panic!("gcc is not installed, or fails")
        };
        numbers_of(&native.run(&(subject.input)(1)).unwrap().output)
    };
    assert_close(&printed(&SUBJECTS[3]), &[published("l0-r0-value")], 1e-5);
    assert_close(&printed(&SUBJECTS[4]), &r1(8, 32, 16, 32, [0.03, 5.0, 0.2, 0.6, 0.5]), 1e-4);
    let parameters = [0.023511, 0.964110, -0.912444, 0.142763, 0.025390];
    assert_close(&printed(&SUBJECTS[5]), &r2(parameters, QUOTES), 1e-3);
}

#[test]
fn a_program_in_c_with_another_result_is_reported() {
    assert!(check_close("R0", &[1.0, 2.0], &[1.0005, 2.0]).is_ok());
    for found in [&[1.0][..], &[1.0, 2.1], &[1.0, f64::NAN]] {
        assert!(check_close("R0", found, &[1.0, 2.0]).unwrap_err().contains("the program in C"));
    }
}

#[test]
fn numbers_are_found_in_literals() {
    assert_eq!(numbers_of("[0.03, -1.5e-05]\n(7, 8)\n"), [0.03, -1.5e-5, 7.0, 8.0]);
}
