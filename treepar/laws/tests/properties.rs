//! Properties on all backends: a planted fault is found and named, and generators draw and shrink valid data.

use quickcheck::{Arbitrary, Gen};
use treepar::prelude::*;
use treepar_laws::Plan;
use treepar_laws::arbitrary::{Forest, MarkedForest, NumberedForest};
use treepar_laws::drawn::{Case, Rng};
use treepar_laws::properties::{Property, run};

/// A fault: differences are not associative. One thread computes them in order, as the oracle does.
#[device(monoid(identity = 0, inexact))]
fn less(a: i64, b: i64) -> i64 {
    a.wrapping_sub(b)
}

#[device(reduce(less))]
fn wide(i: usize, x: &[u32]) -> i64 {
    x[i] as i64 + 1
}

struct DifferencesInOrder;

impl Property for DifferencesInOrder {
    const NAME: &'static str = "differences_in_order";
    fn holds<B: Backend>(backend: &B, rng: &mut Rng, n: usize) {
        let x = rng.column(n);
        let expected = x.iter().fold(0, |sum, &x| sum - (i64::from(x) + 1));
        assert_eq!(backend.reduce(wide::of(&backend.upload(&x).unwrap()), less).unwrap(), expected, "the difference");
    }
}

/// A plan with the longest case first.
const PLAN: Plan = Plan { cases: 3, longest: 40_000, seed: Plan::SEED };

#[test]
fn a_planted_fault_is_reported_with_its_backend_and_a_small_case() {
    let failure = run::<DifferencesInOrder>(PLAN, None).unwrap_err();
    let (head, rest) = failure.split_once(" for ").unwrap();
    assert_eq!(head, "property differences_in_order fails on `cpu, 2 threads`");
    // Threads share 8,193 rows and more. The same case fails again.
    let (case, message) = rest.split_once(": ").unwrap();
    let case: Case = case.parse().unwrap();
    assert_eq!(case.n, 8193, "{failure}");
    assert!(message.contains("the difference"), "{failure}");
    assert_eq!(run::<DifferencesInOrder>(PLAN, Some(case)).unwrap_err(), failure);
}

struct SumsAreSums;

impl Property for SumsAreSums {
    const NAME: &'static str = "sums_are_sums";
    fn holds<B: Backend>(backend: &B, rng: &mut Rng, n: usize) {
        let x = rng.column(n);
        let expected = x.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
        assert_eq!(backend.reduce(&backend.upload(&x).unwrap(), Sum).unwrap(), expected);
    }
}

#[test]
fn a_report_names_every_backend_of_the_build() {
    let report = run::<SumsAreSums>(PLAN, None).unwrap();
    let cpus: Vec<&str> =
        report.checked.iter().map(|(name, _)| name.as_str()).filter(|name| name.starts_with("cpu")).collect();
    assert_eq!(cpus, ["cpu, 1 thread", "cpu, 2 threads", "cpu, 3 threads", "cpu, 7 threads"]);
    assert!(report.checked.iter().take(4).all(|(_, cases)| *cases == PLAN.cases));
    let others = report.checked.len() + report.missing.len() - cpus.len();
    let expected = if cfg!(feature = "cuda") { 1 } else { 0 } + if cfg!(feature = "emulate") { 2 } else { 0 };
    assert_eq!(others, expected, "{report:?}");
}

/// Returns whether some depths are a forest's.
fn is_forest(depths: &[u32]) -> bool {
    depths.first().is_none_or(|&first| first == 0) && depths.windows(2).all(|pair| pair[1] <= pair[0] + 1)
}

#[test]
fn drawn_and_shrunk_forests_are_forests() {
    let mut source = Gen::new(60);
    for _ in 0..200 {
        let forest = Forest::arbitrary(&mut source);
        assert!(is_forest(&forest.depths));
        for smaller in forest.shrink() {
            assert!(
                is_forest(&smaller.depths) && smaller.depths.len() < forest.depths.len(),
                "{forest:?}: {smaller:?}"
            );
        }
        let marked = MarkedForest::arbitrary(&mut source);
        for smaller in marked.shrink() {
            assert!(is_forest(&smaller.depths) && smaller.depths.len() == smaller.marks.len());
            assert_ne!(smaller, marked);
        }
        let numbered = NumberedForest::arbitrary(&mut source);
        assert!(numbered.shrink().all(|smaller| is_forest(&smaller.depths)));
    }
}

/// Returns a value from which no smaller one fails.
fn smallest<T: Arbitrary>(mut value: T, fails: impl Fn(&T) -> bool) -> T {
    while let Some(smaller) = value.shrink().find(|smaller| fails(smaller)) {
        value = smaller;
    }
    value
}

#[test]
fn shrinking_finds_the_smallest_forests() {
    let mut source = Gen::new(100);
    let fails = |forest: &MarkedForest| forest.depths.iter().zip(&forest.marks).any(|(&d, &mark)| d >= 2 && mark != 0);
    let mut found = 0;
    for _ in 0..300 {
        let forest = MarkedForest::arbitrary(&mut source);
        if fails(&forest) {
            let small = smallest(forest, fails);
            assert_eq!(small.depths, [0, 1, 2]);
            assert!(small.marks[2] != 0 && small.marks[..2] == [0, 0], "{small:?}");
            found += 1;
        }
    }
    assert!(found > 20, "{found} forests had a marked node of depth two");
}

#[test]
fn proptest_finds_the_smallest_forest_and_keeps_to_the_most_rows() {
    use proptest::arbitrary::{any, any_with};
    use proptest::test_runner::{TestCaseError, TestError, TestRunner};

    let fails = |forest: &MarkedForest| forest.depths.iter().zip(&forest.marks).any(|(&d, &mark)| d >= 2 && mark != 0);
    let failure = TestRunner::deterministic()
        .run(&any::<MarkedForest>(), |forest| if fails(&forest) { Err(TestCaseError::fail("deep")) } else { Ok(()) })
        .unwrap_err();
    let TestError::Fail(_, small) = failure else { panic!("{failure}") };
    assert_eq!(small.depths, [0, 1, 2]);
    assert!(small.marks[2] != 0 && small.marks[..2] == [0, 0], "{small:?}");

    let drawn = any_with::<NumberedForest>(5.into());
    let few = |forest: NumberedForest| {
        let holds =
            is_forest(&forest.depths) && forest.depths.len() <= 5 && forest.numbers.len() == forest.depths.len();
        if holds { Ok(()) } else { Err(TestCaseError::fail("too many rows")) }
    };
    TestRunner::deterministic().run(&drawn, few).unwrap();
}
