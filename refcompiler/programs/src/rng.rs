//! Numbers drawn from a seed: the same on every machine.

/// A generator of numbers: splitmix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// 64 bits.
    #[expect(clippy::should_implement_trait, reason = "a generator has no end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to less than n, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high word of a product, which costs less than a remainder.
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// True once in n times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From 0 to less than 1.
    pub fn part(&mut self) -> f64 {
        // As many bits as a float of 64 has.
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number next to x, on average x.
    pub fn round(&mut self, x: f64) -> usize {
        x as usize + usize::from(self.part() < x.fract())
    }

    /// One of some.
    pub fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }

    /// Brings some into any order.
    pub fn shuffle<T>(&mut self, some: &mut [T]) {
        for i in (1..some.len()).rev() {
            some.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_again() {
        let drawn = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| rng.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4));
        assert!((0..10).all(|digit| drawn(3).contains(&digit)) && drawn(3).iter().all(|&x| x < 10));
    }

    #[test]
    fn rounding_keeps_the_mean() {
        let mut rng = Rng::new(1);
        let sum: usize = (0..10_000).map(|_| rng.round(2.25)).sum();
        assert!((22_000..23_000).contains(&sum));
    }

    #[test]
    fn shuffled_is_a_permutation() {
        let mut some: Vec<u32> = (0..100).collect();
        Rng::new(1).shuffle(&mut some);
        assert_ne!(some, (0..100).collect::<Vec<_>>());
        some.sort();
        assert_eq!(some, (0..100).collect::<Vec<_>>());
    }
}
