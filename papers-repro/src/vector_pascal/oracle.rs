//! The expression computed plainly, and the tests that compare.

use refcompiler::target::Target;

use super::*;
use crate::claims::published;
use crate::par::compiled::executable;
use crate::par::native::Native;
use crate::par::simulated::run;

/// Returns the sum that the program prints after some repetitions.
fn sum(elements: &str, n: usize, times: i64) -> f64 {
    let value = |i: usize| {
        let i = i as i64;
        let a = if i == 0 { times - 1 } else { (i * 7 + 3) % 1000 };
        a * ((i * 5 + 1) % 900 - (i * 3 + 2) % 800)
    };
    match elements {
        "short" => (0..n).map(|i| i64::from(value(i) as i16)).sum::<i64>() as f64,
        "int" => (0..n).map(|i| value(i) & 1023).sum::<i64>() as f64,
        _ => f64::from((0..n).fold(0.0f32, |sum, i| sum + value(i) as f32)),
    }
}

#[test]
fn all_variants_compute_the_expression() {
    for elements in &ELEMENTS {
        for variant in &Variants::new().vector_pascal {
            let Some(settings) = variant.settings(Target::Riscv32) else { continue };
            let elf = executable(&elements.program, settings).unwrap();
            // Vectors are only in code for x86-64, which not every machine runs.
            let is_native = Target::of_host() == Some(Target::X86_64) && variant.cpu.is_here();
            let native = variant.settings(Target::X86_64).filter(|_| is_native);
            let native =
                native.map(|settings| Native::of_bytes(&executable(&elements.program, settings).unwrap()).unwrap());
            for n in [4, 8, 100, 1024] {
                for times in [1, 3] {
                    let input = format!("{} {n} {times}", variant.form);
                    let expected = sum(elements.name, n, times);
                    let tolerance = if elements.name != "float" { 0.0 } else { 1e-5 * expected.abs() };
                    let outputs =
                        [Some(run(&elf, &input).unwrap().0), native.as_ref().map(|n| n.run(&input).unwrap().output)];
                    for output in outputs.into_iter().flatten() {
                        let found: f64 = output.trim().parse().unwrap();
                        let is_right = (found - expected).abs() <= tolerance;
                        assert!(is_right, "{}, {n}: {found} and not {expected}", variant.name);
                    }
                }
            }
        }
    }
}

#[test]
fn published_values_follow_from_the_tables() {
    let tables = Published::new();
    for (k, power) in POWERS.iter().enumerate() {
        for table in &tables.by_length {
            let id = format!("vp-c{}-{power}", table.table);
            assert_eq!(published(&id), table.ratio[k], "{id}");
            // The printed times are rounded.
            assert!((table.slow_us[k] / table.fast_us[k] / table.ratio[k] - 1.0).abs() < 0.08, "{id}");
        }
    }
    for (table, Ratios { scalar, vector }) in [(4, &tables.table_4), (5, &tables.table_5)] {
        let of = |name| published(&format!("vp-c{table}-{name}"));
        assert_eq!((of("scalar"), of("vector")), (*scalar, *vector));
    }
    let [interpreter, two, one, unrolled, vectors] = &tables.table_6[..] else { panic!("five rows") };
    type Times = fn(&Floats) -> Option<f64>;
    let (crusoe, athlon): (Times, Times) = (|row| row.crusoe_us, |row| row.athlon_us);
    for (id, slow, fast, of) in [
        ("vp-c6-interpreter", interpreter, two, crusoe),
        ("vp-c6-crusoe-through", two, one, crusoe),
        ("vp-c6-crusoe-unrolled", one, unrolled, crusoe),
        ("vp-c6-athlon-through", two, one, athlon),
        ("vp-c6-athlon-unrolled", one, unrolled, athlon),
        ("vp-c6-athlon-vectors", unrolled, vectors, athlon),
    ] {
        let ratio = of(slow).unwrap() / of(fast).unwrap();
        assert!((ratio - published(id)).abs() < 0.01, "{id}: {ratio}");
    }
    let table = |name| tables.by_length.iter().find(|table| table.table == name).unwrap();
    let longer = |times: &[f64; 6]| times[5] / times[0];
    assert!((longer(&table("1").fast_us) - published("vp-longer-vector")).abs() < 0.01);
    assert!((longer(&table("3").slow_us) - published("vp-longer-scalar")).abs() < 0.01);
    assert!((table("3").ratio[0] / table("1").ratio[0] - published("vp-vectors-more")).abs() < 0.01);
}

/// Asserts that each version of a compiler computes the expression.
fn assert_computed_by(compiler: &str) {
    for elements in &ELEMENTS {
        for peer in PEERS.iter().filter(|peer| peer.program.compiler == compiler && peer.cpu.is_here()) {
            let native = match peer.compiled(elements.name).unwrap() {
                Built::Ready { native, version } => {
                    assert!(version.contains(|c: char| c.is_ascii_digit()), "{version}");
                    native
                }
                Built::Missing => panic!("`{compiler}` is not installed"),
                Built::Failed(reason) => panic!("`{compiler}` fails: {reason}"),
            };
            let output = native.run(&format!("{} 1024 3", peer.form)).unwrap().output;
            let expected = sum(elements.name, 1024, 3);
            assert!(
                check(&mut Some(expected), Some(output.clone()), "1024", peer.name).is_ok(),
                "{output} and not {expected}"
            );
        }
    }
}

#[test]
#[ignore = "needs gcc"]
fn gcc_computes_the_expression() {
    assert_computed_by("gcc");
}

#[test]
#[ignore = "needs gfortran"]
fn gfortran_computes_the_expression() {
    assert_computed_by("gfortran");
}
