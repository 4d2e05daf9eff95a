//! What kernels are given, and what must come out, computed here.

use crate::kernels::THREADS;

/// An argument: a word, or memory that is filled with words.
pub enum Passed {
    Word(u32),
    Words(Vec<u32>),
}

/// A launch of a kernel.
pub struct Case {
    pub kernel: &'static str,
    pub blocks: u32,
    pub threads: u32,
    pub arguments: Vec<Passed>,
    /// The argument that is memory for results, and what these must be.
    pub output: usize,
    pub expected: Vec<u32>,
}

/// Entries of the hash table, a power of two.
const ENTRIES: u32 = 256;

pub fn cases() -> Vec<Case> {
    vec![saxpy(), sum(), search()]
}

fn saxpy() -> Case {
    // More threads than elements.
    let count = 300;
    let x: Vec<f32> = (0..count).map(|i| i as f32 * 0.25).collect();
    let y: Vec<f32> = (0..count).map(|i| 100.0 - i as f32).collect();
    let expected = x.iter().zip(&y).map(|(x, y)| (1.5 * x + y).to_bits()).collect();
    let bits = |floats: Vec<f32>| Passed::Words(floats.into_iter().map(f32::to_bits).collect());
    let arguments = vec![Passed::Word(count), Passed::Word(1.5f32.to_bits()), bits(x), bits(y)];
    Case { kernel: "saxpy", blocks: 3, threads: 128, arguments, output: 3, expected }
}

fn sum() -> Case {
    let x: Vec<u32> = (0..4 * THREADS).map(|i| i * i % 1009).collect();
    let expected = x.chunks(THREADS as usize).map(|part| part.iter().sum()).collect();
    let arguments = vec![Passed::Words(x), Passed::Words(vec![0; 4])];
    Case { kernel: "sum", blocks: 4, threads: THREADS, arguments, output: 1, expected }
}

fn search() -> Case {
    let mask = ENTRIES - 1;
    let start = |key: u32| key.wrapping_mul(0x9e37) & mask;
    let mut table = vec![0; ENTRIES as usize];
    for key in (1..=3 * ENTRIES / 4).map(|number| 3 * number) {
        let mut at = start(key);
        while table[at as usize] != 0 {
            at = (at + 1) & mask;
        }
        table[at as usize] = key;
    }
    let keys: Vec<u32> = (0..128).map(|i| 1 + 7 * i).collect();
    let place = |&key: &u32| {
        let mut at = start(key);
        while table[at as usize] != key {
            if table[at as usize] == 0 {
                return u32::MAX;
            }
            at = (at + 1) & mask;
        }
        at
    };
    let expected = keys.iter().map(place).collect();
    let places = Passed::Words(vec![0; keys.len()]);
    let arguments = vec![Passed::Words(table), Passed::Word(mask), Passed::Words(keys), places];
    Case { kernel: "search", blocks: 2, threads: 64, arguments, output: 3, expected }
}
