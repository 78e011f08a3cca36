//! Cases drawn for properties: lengths around the edges of blocks, and forests of shapes that are hard.
//!
//! A failure prints its case after quickcheck has made it as short as it can; `TREEPAR_CASE=seed:n` runs that one alone.

#![allow(dead_code, reason = "each test program draws some of these")]

use quickcheck::{Arbitrary, Gen, QuickCheck};

/// Lengths around the edges of vectors and blocks; a block has 8192 rows or more.
const LENGTHS: [usize; 19] =
    [0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 8191, 8192, 8193, 16_384, 16_385, 24_577, 40_000, 100_003];

/// Cases of each law on each backend.
const CASES: u64 = 30;

/// What a law draws its data from.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    /// Rows or nodes.
    pub n: usize,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Case {
        Case { seed: u64::arbitrary(g), n: *g.choose(&LENGTHS).unwrap() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Case>> {
        let seed = self.seed;
        let shorter = [0, self.n / 2, self.n - self.n / 8, self.n.saturating_sub(1)];
        let n = self.n;
        Box::new(shorter.into_iter().filter(move |&m| m < n).map(move |n| Case { seed, n }))
    }
}

/// Checks that a law holds for drawn cases, none of which may be discarded, or for the one that the environment names.
pub fn check(law: fn(Case) -> bool) {
    if let Ok(case) = std::env::var("TREEPAR_CASE") {
        let (seed, n) = case.split_once(':').expect("TREEPAR_CASE=seed:n");
        assert!(law(Case { seed: seed.parse().unwrap(), n: n.parse().unwrap() }));
        return;
    }
    QuickCheck::new().tests(CASES).max_tests(CASES).min_tests_passed(CASES).quickcheck(law);
}

/// Stamps each property on every backend. A backend serves all cases of a property, so that its pool holds old data.
macro_rules! properties {
    ($($name:ident($cpu:ident, $rng:ident, $n:ident) $body:block)*) => {$(
        mod $name {
            use super::*;
            fn law($cpu: &Cpu, $rng: &mut drawn::Rng, $n: usize) $body
            properties!(law: one_thread 1, two_threads 2, four_threads 4, seven_threads 7);
        }
    )*};
    ($law:ident: $($name:ident $threads:literal),*) => {$(
        #[test]
        fn $name() {
            fn holds(case: drawn::Case) -> bool {
                static BACKEND: std::sync::OnceLock<Cpu> = std::sync::OnceLock::new();
                let backend = BACKEND.get_or_init(|| Cpu::with_threads($threads));
                $law(backend, &mut drawn::Rng(case.seed), case.n);
                true
            }
            drawn::check(holds);
        }
    )*};
}
pub(crate) use properties;

/// A linear congruential generator, of which the high bits are used.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit.max(1)
    }

    pub fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len() as u32) as usize]
    }

    /// n numbers below a limit, which is small, large, or of 32 bits.
    pub fn column(&mut self, n: usize) -> Vec<u32> {
        let limit = self.one_of(&[1, 2, 5, 200, 256, 257, 70_000, u32::MAX]);
        (0..n).map(|_| (self.next() ^ self.next() << 1) % limit).collect()
    }

    /// n marks: none, few, half, all.
    pub fn mask(&mut self, n: usize) -> Vec<u8> {
        let (limit, marked) = self.one_of(&[(1, 0), (1000, 1), (50, 1), (2, 1), (4, 3), (1, 1)]);
        (0..n).map(|_| if self.below(limit) < marked { 1 + self.below(255) as u8 } else { 0 }).collect()
    }

    /// Offsets of segments of n rows: some empty, some longer than a block.
    pub fn offsets(&mut self, n: usize) -> Vec<u32> {
        let lengths = self.one_of(&[&[0, 1, 3][..], &[0, 0, 2, 100, 20_000], &[50_000], &[0, 1, 0, 0, 9000]]);
        let (mut offsets, mut at) = (vec![0], 0);
        while at < n as u32 {
            at = (at + self.one_of(lengths).max(self.below(2))).min(n as u32);
            offsets.push(at);
        }
        offsets
    }

    /// The depths of a forest of n nodes.
    pub fn forest(&mut self, n: usize) -> Vec<u32> {
        let m = n as u32;
        match self.below(14) {
            0 => vec![0; n],
            1 => (0..m).collect(),
            2 => (0..m).map(|i| i.min(1)).collect(),
            3 => (0..m).map(|i| i.div_ceil(2)).collect(),
            4 => (0..m).map(|i| i.min(m - i)).collect(),
            5 => {
                let tooth = self.one_of(&[2, 7, 1000, 8192, 20_000]);
                (0..m).map(|i| i % tooth).collect()
            }
            6 => {
                let (children, height) = self.one_of(&[(2, 14), (3, 9), (10, 5), (1000, 2)]);
                full(n, children, height)
            }
            // Up by one, then down by many, ever lower: each fall ends below all rows of some blocks.
            7 => {
                let half = m / 2;
                (0..m).map(|i| if i < half { i } else { half - (i - half) + (i & 1) * (i - half > 1) as u32 }).collect()
            }
            shape => {
                // Where many fall far nobody is deep: every so often is far enough for all lengths of a fall.
                let (every, back) = self.one_of(&[(1, 2), (1, 3), (1, 4), (1, 40), (6, 12), (20, 40), (2000, 4000)]);
                let least = shape % 2;
                let mut depth: Vec<u32> = Vec::new();
                for _ in 0..n {
                    let most = depth.last().map_or(0, |&d| d + 1);
                    let down = if self.below(every) == 0 { self.below(back) } else { 0 };
                    depth.push(most - down.min(most.saturating_sub(least)));
                }
                depth
            }
        }
    }

    /// Keys of no shape, or depths that are not quite depths.
    pub fn keys(&mut self, n: usize) -> Vec<u32> {
        match self.below(5) {
            0 => self.column(n),
            1 => self.forest(n),
            2 => {
                let up = self.one_of(&[1, 1000, u32::MAX - 2 * n as u32]);
                self.forest(n).iter().map(|&d| d + up).collect()
            }
            3 => {
                let every = self.one_of(&[1000, 9000]);
                let jump = self.one_of(&[1, 2, 100_000]);
                self.forest(n).iter().map(|&d| if self.below(every) == 0 { d + jump } else { d }).collect()
            }
            _ => {
                // Rises where a block or a part of one may begin, and nowhere else.
                let every = self.one_of(&[1024, 8192]);
                let rise = self.one_of(&[2, 5]);
                self.forest(n).iter().zip(0..).map(|(&d, i)| d + i / every * rise).collect()
            }
        }
    }
}

/// The first n nodes of complete trees in preorder.
fn full(n: usize, children: usize, height: u32) -> Vec<u32> {
    let mut depth = Vec::new();
    let mut waiting = Vec::new();
    while depth.len() < n {
        let d = waiting.pop().unwrap_or(0);
        depth.push(d);
        if d < height {
            waiting.extend(vec![d + 1; children]);
        }
    }
    depth
}
