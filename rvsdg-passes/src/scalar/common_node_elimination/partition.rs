//! Partitions of the variables of one structural node.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Up to this many variables, a linear search of the classes is faster than a hash table.
const SMALL: usize = 12;

/// Splits classes: two elements stay in one class if they were in one and their keys are equal. `classes` holds the class of each
/// element; classes are numbered in order of first appearance. Returns the number of classes.
pub(super) fn refine<K: Copy + Eq + Hash>(classes: &mut [u32], key: impl Fn(usize) -> K) -> u32 {
    let mut next = 0;
    if classes.len() <= SMALL {
        let mut seen: smallvec::SmallVec<[(u32, K); SMALL]> = smallvec::SmallVec::new();
        for (index, class) in classes.iter_mut().enumerate() {
            let found = (*class, key(index));
            *class = match seen.iter().position(|&seen| seen == found) {
                Some(position) => position as u32,
                None => {
                    seen.push(found);
                    seen.len() as u32 - 1
                }
            };
        }
        return seen.len() as u32;
    }
    let mut seen = FxHashMap::with_capacity_and_hasher(classes.len(), Default::default());
    for (index, class) in classes.iter_mut().enumerate() {
        *class = *seen.entry((*class, key(index))).or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_by_key_within_classes() {
        for copies in [1, 10] {
            let keys: Vec<u32> = [7, 7, 8, 7, 8].repeat(copies);
            let mut classes: Vec<u32> = [0, 0, 0, 1, 1].repeat(copies);
            assert_eq!(refine(&mut classes, |index| keys[index]), 4);
            assert_eq!(classes, [0, 0, 1, 2, 3].repeat(copies));
        }
        assert_eq!(refine(&mut [], |_| 0), 0);
    }
}
