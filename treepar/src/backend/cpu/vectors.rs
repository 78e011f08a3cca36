//! Loops for the machine's vectors.
//!
//! A program for x86-64 runs on every such machine, so its loops have vectors of 128 bits, and no instruction that counts bits. A loop that
//! gains from more is compiled twice, and the machine decides which one runs.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "a function for some machines only is called"))]

/// Evaluates a call of a function that is always inlined, with the machine's vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! widest {
    ($work:expr) => {
        match $crate::backend::cpu::vectors::Wide::of_machine() {
            Some(wide) => wide.run(|| $work),
            None => $work,
        }
    };
}

/// Evaluates a call. Programs for other processors have one kind of vectors.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! widest {
    ($work:expr) => {
        $work
    };
}

pub(super) use widest;

/// The vectors of 256 bits and the operations on bits of x86-64-v3. A value shows that the machine has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Wide(());

#[cfg(target_arch = "x86_64")]
impl Wide {
    /// Returns the vectors if the machine has them.
    #[inline(always)]
    pub fn of_machine() -> Option<Wide> {
        // Each answer is a load and a test: the library stores what the machine has.
        let has_them = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_them.then_some(Wide(()))
    }

    /// Runs a loop that is compiled for them.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: a `Wide` exists only if the machine has all that `compiled` needs.
        unsafe { compiled(work) }
    }
}

/// The only caller of `work`, so that the optimizer inlines it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests {
    use super::super::{drawn::Drawn, positions, smaller};

    #[test]
    fn loops_give_the_same_with_any_vectors() {
        let mut drawn = Drawn::new();
        for n in 0..40 {
            let words: Vec<u64> = (0..n).map(|_| u64::from(drawn.below(u32::MAX)) << drawn.below(33)).collect();
            let (mut narrow, mut wide) = (vec![0; 64 * n], vec![0; 64 * n]);
            assert_eq!(positions::count(&words), widest!(positions::count(&words)));
            let marks = positions::place_words(&mut narrow, &words, 7);
            assert_eq!(marks, widest!(positions::place_words(&mut wide, &words, 7)));
            assert_eq!(narrow[..marks], wide[..marks]);
            let depth = drawn.forest(n, 3);
            assert_eq!(smaller::rises_by_one(&depth), widest!(smaller::rises_by_one(&depth)));
            assert_eq!(smaller::rises_by_one(&wide), widest!(smaller::rises_by_one(&wide)));
        }
    }
}
