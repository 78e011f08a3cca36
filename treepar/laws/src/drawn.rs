//! Random cases of laws: lengths around the edges of blocks, and forests of difficult shapes.

/// Lengths around the edges of warps, blocks and tiles. On a GPU a tile of a sort has 3,072 or 4,608 rows, and others have at
/// most 4,096. On the CPU a block has 8,192 rows or more.
pub const LENGTHS: [usize; 28] = [
    0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 2049, 3073, 4609, 8191, 8192, 8193, 9217,
    16_384, 16_385, 24_577, 40_000, 100_003,
];

/// A case of a law.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The generator's seed.
    pub seed: u64,
    /// The number of rows or nodes.
    pub n: usize,
}

impl Case {
    /// Draws case k of a plan. The first cases have each length once, the longest first. Later ones have any length.
    pub fn drawn(seeds: &mut Rng, k: u64, longest: usize) -> Case {
        let seed = u64::from(seeds.next()) << 32 | u64::from(seeds.next());
        let lengths: Vec<usize> = LENGTHS.into_iter().filter(|&n| n <= longest).collect();
        let n = match lengths.len().checked_sub(k as usize + 1) {
            Some(at) => lengths[at],
            None => seeds.one_of(&lengths),
        };
        Case { seed, n }
    }

    /// Returns the case that `TREEPAR_CASE` names as `seed:n`.
    pub fn from_environment() -> Option<Case> {
        std::env::var("TREEPAR_CASE").ok()?.parse().ok()
    }

    /// Returns shorter cases of the same seed.
    pub fn smaller(&self) -> Vec<Case> {
        let (seed, n) = (self.seed, self.n);
        let lengths = [0, n / 2, n - n / 8, n.saturating_sub(1)];
        lengths.into_iter().filter(|&m| m < n).map(|n| Case { seed, n }).collect()
    }
}

/// The text `seed:n`, in which failures name cases.
impl std::str::FromStr for Case {
    type Err = String;
    fn from_str(text: &str) -> Result<Case, String> {
        let parts = text.split_once(':').and_then(|(seed, n)| Some((seed.parse().ok()?, n.parse().ok()?)));
        let (seed, n) = parts.ok_or_else(|| format!("`{text}` is not a case, `seed:n`"))?;
        Ok(Case { seed, n })
    }
}

/// A linear congruential generator. Its results are the high bits of its state.
///
/// The first numbers can be given, so that a fuzzer chooses the data of a law.
pub struct Rng {
    state: u64,
    given: std::vec::IntoIter<u32>,
}

impl Rng {
    /// Creates a generator from its seed.
    pub fn new(seed: u64) -> Rng {
        Rng::with_given(seed, Vec::new())
    }

    /// Creates a generator that first returns the given numbers.
    pub fn with_given(seed: u64, given: Vec<u32>) -> Rng {
        Rng { state: seed, given: given.into_iter() }
    }

    /// Returns a number of 31 bits.
    #[expect(clippy::should_implement_trait, reason = "a generator has no end")]
    pub fn next(&mut self) -> u32 {
        if let Some(number) = self.given.next() {
            return number >> 1;
        }
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as u32
    }

    /// Returns a number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit.max(1)
    }

    /// Returns one of the values.
    pub fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len() as u32) as usize]
    }

    /// Returns n numbers below a limit, which is small, large, or of 32 bits.
    pub fn column(&mut self, n: usize) -> Vec<u32> {
        let limit = self.one_of(&[1, 2, 5, 200, 256, 257, 70_000, u32::MAX]);
        (0..n).map(|_| (self.next() ^ self.next() << 1) % limit).collect()
    }

    /// Returns n numbers of every kind: whole numbers, zeros of both signs, infinities, NaN, and numbers below the normal range.
    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        const KINDS: [f32; 10] =
            [0.0, -0.0, 1.0, -3.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-45, f32::MIN_POSITIVE];
        // Of one kind, of some kinds, or of all.
        let first = self.below(KINDS.len() as u32) as usize;
        let kinds = &KINDS[first..][..1 + self.below((KINDS.len() - first) as u32) as usize];
        (0..n).map(|_| self.one_of(kinds)).collect()
    }

    /// Returns n marks, of which none, few, half or all are set.
    pub fn mask(&mut self, n: usize) -> Vec<u8> {
        let (limit, marked) = self.one_of(&[(1, 0), (1000, 1), (50, 1), (2, 1), (4, 3), (1, 1)]);
        (0..n).map(|_| if self.below(limit) < marked { 1 + self.below(255) as u8 } else { 0 }).collect()
    }

    /// Returns the numbers below n in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as u32 + 1) as usize);
        }
        order
    }

    /// Returns offsets of segments of n rows. Some segments are empty, and some are longer than a block.
    pub fn offsets(&mut self, n: usize) -> Vec<u32> {
        let lengths = self.one_of(&[&[0, 1, 3][..], &[0, 0, 2, 100, 20_000], &[50_000], &[0, 1, 0, 0, 9000]]);
        let (mut offsets, mut at) = (vec![0], 0);
        while at < n as u32 {
            at = (at + self.one_of(lengths).max(self.below(2))).min(n as u32);
            offsets.push(at);
        }
        offsets
    }

    /// Returns the depths of a forest of n nodes.
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
            // Up by one, then down by many: each fall ends below all rows of some blocks.
            7 => {
                let half = m / 2;
                (0..m).map(|i| if i < half { i } else { half - (i - half) + (i & 1) * (i - half > 1) as u32 }).collect()
            }
            shape => {
                // Frequent long falls would keep all nodes near the roots, so long falls are rare.
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

    /// Returns arbitrary keys, or depths with some changes.
    pub fn keys(&mut self, n: usize) -> Vec<u32> {
        match self.below(6) {
            // Levels that rise by at most one, with ranks of four bits.
            5 => {
                let up = self.one_of(&[0, 0, 100, 250]);
                self.forest(n).iter().map(|&d| (d + up) << 4 | self.below(16)).collect()
            }
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
                // The keys rise only where a block, or a part of one, may begin.
                let every = self.one_of(&[1024, 8192]);
                let rise = self.one_of(&[2, 5]);
                self.forest(n).iter().zip(0..).map(|(&d, i)| d + i / every * rise).collect()
            }
        }
    }
}

/// Returns the depths of the first n nodes of complete trees in preorder.
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
