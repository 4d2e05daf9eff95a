//! std::collections::HashMap, BTreeMap and HashSet: counting words, memoized recursion, grouping.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher without a seed, so that every run does the same.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

type Build = BuildHasherDefault<Fnv>;

fn words(text: &str) -> usize {
    let mut counts: HashMap<&str, usize, Build> = HashMap::default();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut most: Vec<(&str, usize)> = counts.into_iter().collect();
    most.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    most.iter().take(5).map(|(word, count)| word.len() * count).sum()
}

fn collatz(n: u64, known: &mut HashMap<u64, u32, Build>) -> u32 {
    if n == 1 {
        return 0;
    }
    if let Some(&steps) = known.get(&n) {
        return steps;
    }
    let steps = 1 + collatz(if n % 2 == 0 { n / 2 } else { 3 * n + 1 }, known);
    known.insert(n, steps);
    steps
}

fn groups(seed: u32) -> u64 {
    let mut tree: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut seen: HashSet<u32, Build> = HashSet::default();
    let mut random = seed;
    for _ in 0..1_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seen.insert(random >> 20) {
            tree.entry(random >> 26).or_default().push(random >> 8);
        }
    }
    tree.iter().map(|(&key, group)| u64::from(key) * group.iter().map(|&x| u64::from(x)).sum::<u64>()).sum()
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let text: String = (0..1_500u32).map(|i| format!("w{} ", i.wrapping_mul(2_654_435_761) >> 23)).collect();
    let mut sum = 0u64;
    for i in 0..repeat {
        sum = sum.wrapping_mul(31).wrapping_add(words(&text) as u64);
        let mut known = HashMap::default();
        sum += (1..300u64).map(|n| u64::from(collatz(n + u64::from(i % 9), &mut known))).sum::<u64>();
        sum = sum.wrapping_add(groups(i));
    }
    println!("{sum}");
}
