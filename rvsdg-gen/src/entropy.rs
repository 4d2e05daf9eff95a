//! Where generators take their choices from: a seed, or bytes that a fuzzer or a property test made.
//!
//! A generator is a function from choices to an input, so one generator serves seeded tests, proptest and libFuzzer alike. With bytes,
//! every choice takes as few of them as its number of possibilities needs, and every choice after the last byte is 0. Generators order
//! alternatives from the simplest and stop when the bytes end, so shorter and smaller bytes give smaller inputs: shrinking needs no more.

use crate::rng::Rng;

/// A stream of choices.
#[derive(Clone, Debug)]
pub struct Entropy<'a> {
    source: Source<'a>,
}

#[derive(Clone, Debug)]
enum Source<'a> {
    Seed(Rng),
    Bytes(&'a [u8]),
}

impl<'a> Entropy<'a> {
    /// Endless choices that are determined by `seed`.
    pub fn seeded(seed: u64) -> Entropy<'static> {
        Entropy { source: Source::Seed(Rng::new(seed)) }
    }

    /// The choices that `bytes` encode.
    pub fn of_bytes(bytes: &'a [u8]) -> Entropy<'a> {
        Entropy { source: Source::Bytes(bytes) }
    }

    /// Whether all further choices are 0.
    pub fn is_exhausted(&self) -> bool {
        match &self.source {
            Source::Seed(_) => false,
            Source::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// The lowest `count` bits of a number.
    pub fn bits(&mut self, count: u32) -> u64 {
        let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let number = match &mut self.source {
            Source::Seed(rng) => rng.next_u64(),
            Source::Bytes(bytes) => {
                let (taken, rest) = bytes.split_at((count.div_ceil(8) as usize).min(bytes.len()));
                *bytes = rest;
                taken.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
        };
        number & mask
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        match &mut self.source {
            Source::Seed(rng) => rng.below(bound),
            Source::Bytes(_) if bound <= 1 => 0,
            Source::Bytes(_) => {
                let bits = usize::BITS - (bound - 1).leading_zeros();
                // Whole bytes: the size of a choice does not depend on the choices before it.
                (self.bits(bits.next_multiple_of(8)) % bound as u64) as usize
            }
        }
    }

    /// Whether an event happens that happens `times` out of `of`; not once the bytes are used up.
    pub fn chance(&mut self, times: u32, of: u32) -> bool {
        self.below(of as usize) + times as usize >= of as usize && times > 0
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// An index, chosen in proportion to its weight; `None` when all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let total: usize = weights.iter().map(|&weight| weight as usize).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total);
        weights.iter().position(|&weight| match left.checked_sub(weight as usize) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_end_in_zeros() {
        let mut entropy = Entropy::of_bytes(&[5, 1, 2]);
        assert_eq!((entropy.below(4), entropy.below(1), entropy.bits(16)), (1, 0, 0x0201));
        assert!(entropy.is_exhausted());
        assert_eq!((entropy.below(10), entropy.bits(64), entropy.chance(3, 4)), (0, 0, false));
    }

    #[test]
    fn weights_decide() {
        let mut entropy = Entropy::seeded(1);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[entropy.weighted(&[1, 0, 3]).expect("weights are not all 0")] += 1;
        }
        assert!(counts[1] == 0 && counts[0] > 100 && counts[2] > 500, "{counts:?}");
        assert_eq!(entropy.weighted(&[0, 0]), None);
    }
}
