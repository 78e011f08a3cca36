//! The expression computed plainly, and the tests that compare.

use refcompiler::target::Target;

use super::*;
use crate::par::compiled::executable;
use crate::par::simulated::run;

/// Returns the sum that the program prints after some repetitions.
fn sum(elements: &str, n: usize, times: i64) -> f64 {
    let value = |i: usize| {
        let i = i as i64;
        let a = if i == 0 { times - 1 } else { (i * 7 + 3) % 1000 };
        a * ((i * 5 + 1) % 900 - (i * 3 + 2) % 800)
    };
    if elements == "short" {
        (0..n).map(|i| i64::from(value(i) as i16)).sum::<i64>() as f64
    } else {
        f64::from((0..n).fold(0.0f32, |sum, i| sum + value(i) as f32))
    }
}

#[test]
fn all_variants_compute_the_expression() {
    for elements in &ELEMENTS {
        for variant in &Variants::new().vector_pascal {
            let Some(passes) = variant.optimisations() else { continue };
            let elf = executable(&elements.program, Target::Riscv32, passes).unwrap();
            for n in [4, 8, 100, 1024] {
                for times in [1, 3] {
                    let output = run(&elf, &format!("{} {n} {times}", variant.form)).unwrap().0;
                    let (found, expected) = (output.trim().parse::<f64>().unwrap(), sum(elements.name, n, times));
                    let tolerance = if elements.name == "short" { 0.0 } else { 1e-5 * expected.abs() };
                    assert!((found - expected).abs() <= tolerance, "{}, {n}: {found} and not {expected}", variant.name);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs gcc"]
fn installed_compilers_compute_the_expression() {
    for elements in &ELEMENTS {
        for peer in &PEERS {
            let Some(native) = peer.compiled(elements.name).unwrap() else { continue };
            let output = native.run(&format!("{} 1024 3", peer.form)).unwrap().output;
            let expected = sum(elements.name, 1024, 3);
            assert!(
                check(&mut Some(expected), Some(output.clone()), "1024", peer.name).is_ok(),
                "{output} and not {expected}"
            );
        }
    }
}
