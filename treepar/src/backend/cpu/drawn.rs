//! Random inputs for the tests of blocks.

/// A source of random numbers, the same in every run.
pub struct Drawn(u64);

impl Drawn {
    /// Returns the source at its begin.
    pub fn new() -> Drawn {
        Drawn(1)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// Returns the depths of `n` nodes. Each is a child of the node before or, for about half of them, fewer than `falls` levels above
    /// such a child.
    pub fn forest(&mut self, n: usize, falls: u32) -> Vec<u32> {
        let mut depth: Vec<u32> = Vec::new();
        for _ in 0..n {
            let most = depth.last().map_or(0, |last| last + 1);
            depth.push(most - self.below(falls).min(most) * self.below(2));
        }
        depth
    }
}
