//! Chains of iterators: map, filter, zip, enumerate, fold, windows, flat_map, take_while, step_by and rev.

fn chains(numbers: &[u32], others: &[u32]) -> u64 {
    let squares: u64 = numbers.iter().map(|&x| u64::from(x)).filter(|x| x % 3 == 0).map(|x| x * x).sum();
    let dot: u64 = numbers.iter().zip(others).map(|(&a, &b)| u64::from(a) * u64::from(b)).sum();
    let weighted: u64 = numbers.iter().enumerate().map(|(i, &x)| i as u64 * u64::from(x)).sum();
    let rises = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64;
    let most = numbers.iter().copied().max().unwrap_or(0);
    let place = others.iter().position(|&x| x == most % 97).unwrap_or(0) as u64;
    let folded = numbers.iter().rev().step_by(3).fold(7u64, |sum, &x| sum.wrapping_mul(31).wrapping_add(u64::from(x)));
    let pairs: u64 = (0..60u64).flat_map(|i| (i..60).map(move |j| i * j)).filter(|p| p % 7 == 1).sum();
    let start: u32 = numbers.iter().skip(10).take_while(|&&x| x < 9_900).map(|x| x & 1).sum();
    let chunks: u64 = numbers.chunks(8).map(|c| u64::from(c.iter().fold(0, |a, b| a ^ b))).sum();
    let chained = numbers.iter().chain(others).filter(|&&x| x % 2 == 0).count() as u64;
    [squares, dot, weighted, rises, place, folded, pairs, u64::from(start), chunks, chained]
        .into_iter()
        .fold(0, |sum, x| sum.rotate_left(7) ^ x)
}

fn primes(limit: usize) -> Vec<usize> {
    let mut composite = vec![false; limit + 1];
    (2..=limit)
        .filter(|&n| {
            if !composite[n] {
                (n * n..=limit).step_by(n).for_each(|multiple| composite[multiple] = true);
            }
            !composite[n]
        })
        .collect()
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut random = 1u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    let mut numbers: Vec<u32> = std::iter::repeat_with(|| next() % 10_000).take(3_000).collect();
    let others: Vec<u32> = std::iter::repeat_with(|| next() % 100).take(3_000).collect();
    let mut sum = 0u64;
    for i in 0..repeat {
        sum = sum.wrapping_mul(7).wrapping_add(chains(&numbers, &others));
        sum = sum.wrapping_add(primes(2_000 + i as usize % 10).iter().sum::<usize>() as u64);
        numbers[i as usize % 3_000] ^= 5;
    }
    println!("{sum}");
}
