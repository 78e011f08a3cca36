//! The examples, the query and the step of SPADE computed plainly, and the tests that compare.

use refcompiler::target::Target;

use super::*;
use crate::par::compiled::executable;
use crate::par::simulated::run;

/// Returns the result of an example for one x. `main` makes the numbers in `w`.
fn example(number: usize, x: i64, w: &[i64]) -> f64 {
    let v: Vec<f64> = w.iter().map(|&w| w as f64 / 4.0).collect();
    let (n, a) = (v.len() as f64, (x % 3 + 1) as f64);
    let sum = |of: &dyn Fn(f64) -> f64| v.iter().map(|&v| of(v)).sum::<f64>();
    match number {
        1 => (78 * x) as f64,
        2 => (x + if x % 3 == 0 { 1 } else { 2 }) as f64,
        3 => (99 * ((x * x % 1000 * x % 1000 + 7) / 3)) as f64,
        4 => (x + 6) as f64,
        5 => {
            if x % 2 == 1 {
                9.0
            } else {
                3.0
            }
        }
        6 => (0..10).fold(x as i32, |s, c| s.wrapping_mul(3).wrapping_add(1 + 35 + c)) as f64,
        7 => sum(&|v| 2.0 * v),
        8 => x as f64 + if x % 2 == 1 { 1.0 } else { -1.0 },
        9 => v[v.len() - 1] - (v[v.len() - 1] + 1.0),
        10 => sum(&|v| (a + 1.0) * v),
        11 => sum(&|v| v * v) / n - (sum(&|v| v) / n).powi(2),
        12 => a * sum(&|v| v * v).sqrt(),
        13 => w.iter().filter(|&w| w % 4 == 1).map(|w| w * 3 + 1).sum::<i64>() as f64,
        _ => w.iter().filter(|&w| w % 8 == 5).map(|w| w * w % 100).sum::<i64>() as f64,
    }
}

/// Returns the output of a program, which is the same in all variants.
fn printed(program: &Program, variants: &[Variant], input: impl Fn(&Variant) -> String) -> String {
    let mut outputs = variants.iter().filter_map(|variant| {
        let elf = executable(program, variant.settings(Target::Riscv32)?).unwrap();
        Some((run(&elf, &input(variant)).unwrap().0, variant.name.clone()))
    });
    let (first, _) = outputs.next().unwrap();
    for (other, name) in outputs {
        assert_eq!(other, first, "{name}");
    }
    first
}

#[test]
fn both_forms_of_each_example_give_the_same() {
    let w: Vec<i64> = (0..1000).map(|i| i * 7 % 97).collect();
    for number in 1..=TITLES.len() {
        for form in 0..FORMS.len() {
            for times in [1, 3] {
                let text = printed(&PROGRAM, &Variants::new().lms_examples, |_| format!("{number} {form} {times}"));
                let found: f64 = text.trim().parse().unwrap();
                let expected = (0..times).fold(0.0, |result, k| result / 2.0 + example(number, k + 5, &w));
                assert!((found - expected).abs() <= 2e-4 * expected.abs(), "{number}: {found} and not {expected}");
            }
        }
    }
}

/// The numbers that `draw` makes.
fn draw(i: u32, k: u32, n: u32) -> i64 {
    let h = i.wrapping_mul(0x9E37_79B1) ^ k.wrapping_mul(0x85EB_CA6B);
    let h = (h ^ h >> 15).wrapping_mul(0x2C1B_3C6D);
    i64::from((h ^ h >> 12) & 0x7fff_ffff) % i64::from(n)
}

#[test]
fn all_forms_of_the_query_give_the_sums() {
    let rows = 500;
    let mut sums = [[0i32; 6]; 6];
    for i in 0..rows {
        let (quantity, price, discount, tax) =
            (1 + draw(i, 3, 50), 900 + draw(i, 4, 9600), draw(i, 5, 11), draw(i, 6, 9));
        if draw(i, 7, 2557) <= 2467 {
            let discounted = price * (100 - discount);
            let values = [quantity, price, discounted, discounted / 100 * (100 + tax), discount, 1];
            let group = &mut sums[(draw(i, 1, 3) * 2 + draw(i, 2, 2)) as usize];
            group.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(value as i32));
        }
    }
    let text = |group: &[i32; 6]| format!("Sums{group:?}");
    let expected = format!("[{}]\n", sums.each_ref().map(text).join(", "));
    let variants = Variants::new().lms_query;
    assert_eq!(printed(&QUERY_PROGRAM, &variants, |variant| format!("{} {rows} 1", variant.form)), expected);
}

#[test]
fn all_forms_of_the_step_of_spade_give_the_densities() {
    let n: usize = 60;
    let value = |i: u32| {
        let noise = (i.wrapping_mul(0x9E37_79B1) ^ i.wrapping_mul(0x85EB_CA6B) >> 7) >> 22;
        noise as f32 / 256.0 + (i / 4 % 5) as f32 * 3.0
    };
    let sample = |i: usize| [0, 1, 2, 3].map(|k| value((4 * i + k) as u32));
    let distance = |i: usize, j: usize| sample(i).iter().zip(sample(j)).map(|(a, b)| (a - b).abs()).sum::<f32>();
    let mut densities = vec![0; n];
    for i in 0..n {
        if densities[i] == 0 {
            let number = (0..n).filter(|&j| distance(i, j) < 7.0).count();
            (0..n).filter(|&j| distance(i, j) < 3.5).for_each(|j| densities[j] = number);
        }
    }
    let expected = format!("{}\n{:?}\n", densities.iter().sum::<usize>(), &densities[..8]);
    let variants = Variants::new().lms_spade;
    assert_eq!(printed(&SPADE_PROGRAM, &variants, |variant| format!("{} {n} 1", variant.form)), expected);
}
