//! Numbers drawn from a seed: the same on every machine.

/// A linear congruential generator, of which the high bits are used.
pub struct Rng(u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// From 0 to less than n.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }

    /// True once in n times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From 0 to less than 1.
    pub fn part(&mut self) -> f64 {
        f64::from(self.next()) / 4_294_967_296.0
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
        assert!(drawn(3).iter().all(|&x| x < 10));
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
