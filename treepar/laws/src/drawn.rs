//! Cases drawn for laws: lengths around the edges of blocks, and forests of shapes that are hard.

/// Lengths around the edges of warps, blocks and tiles; on the CPU a block has 8192 rows or more.
const LENGTHS: [usize; 25] = [
    0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 2049, 8191, 8192, 8193, 16_384, 16_385,
    24_577, 40_000, 100_003,
];

/// The generator of a law's data.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The seed of the generator.
    pub seed: u64,
    /// Rows or nodes.
    pub n: usize,
}

impl Case {
    /// Case k of a plan: the first go through the lengths, longest first; later ones are of any length.
    pub fn drawn(seeds: &mut Rng, k: u64, longest: usize) -> Case {
        let seed = u64::from(seeds.next()) << 32 | u64::from(seeds.next());
        let lengths: Vec<usize> = LENGTHS.into_iter().filter(|&n| n <= longest).collect();
        let n = match lengths.len().checked_sub(k as usize + 1) {
            Some(at) => lengths[at],
            None => seeds.one_of(&lengths),
        };
        Case { seed, n }
    }

    /// Shorter cases of the same seed.
    pub fn smaller(&self) -> Vec<Case> {
        let (seed, n) = (self.seed, self.n);
        let lengths = [0, n / 2, n - n / 8, n.saturating_sub(1)];
        lengths.into_iter().filter(|&m| m < n).map(|n| Case { seed, n }).collect()
    }
}

/// A linear congruential generator, of which the high bits are used.
pub struct Rng(pub u64);

impl Rng {
    /// 31 bits.
    #[expect(clippy::should_implement_trait, reason = "a generator has no end")]
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit.max(1)
    }

    /// One of some.
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

    /// The numbers below n, in any order.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as u32 + 1) as usize);
        }
        order
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
