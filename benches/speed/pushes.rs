//! Vec: pushing, popping, draining, retaining, sorting, deduplicating, binary search, stacks, heaps and rings of structs.

use std::collections::{BinaryHeap, VecDeque};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    priority: u32,
    cost: u16,
    id: u16,
}

fn next(random: &mut u32) -> u32 {
    *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *random >> 8
}

fn jobs(seed: u32) -> u64 {
    let mut random = seed;
    let mut all = Vec::new();
    for id in 0..1_000u16 {
        all.push(Job { priority: next(&mut random) % 300, cost: next(&mut random) as u16 % 50, id });
    }
    all.retain(|job| job.cost > 4);
    all.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.cost.cmp(&b.cost)));
    all.dedup_by_key(|job| job.priority);
    let cheap: Vec<Job> = all.drain(..all.len() / 2).filter(|job| job.cost < 25).collect();
    all.extend(cheap.iter().rev());
    all.sort_unstable();
    let place = all.binary_search_by_key(&150, |job| job.priority).unwrap_or_else(|place| place);
    all.iter().map(|job| u64::from(job.priority) * u64::from(job.cost) + u64::from(job.id)).sum::<u64>() + place as u64
}

fn heap(seed: u32) -> u64 {
    let mut random = seed;
    let mut heap = BinaryHeap::new();
    let mut sum = 0u64;
    for id in 0..600 {
        heap.push(Job { priority: next(&mut random) % 1_000, cost: 1, id });
        if id % 3 == 0 {
            sum = sum * 31 % 1_000_003 + heap.pop().map_or(0, |job| u64::from(job.priority));
        }
    }
    sum + heap.into_sorted_vec().iter().step_by(7).map(|job| u64::from(job.id)).sum::<u64>()
}

fn ring(seed: u32) -> u64 {
    let mut random = seed;
    let mut ring: VecDeque<u32> = VecDeque::with_capacity(32);
    let mut sum = 0;
    for _ in 0..2_000 {
        if ring.len() == 30 {
            sum += u64::from(ring.pop_front().unwrap_or(0));
        }
        ring.push_back(next(&mut random) % 100);
        sum += u64::from(ring[ring.len() / 2]);
    }
    sum + ring.iter().map(|&x| u64::from(x)).sum::<u64>()
}

fn stack(text: &[u8]) -> u64 {
    let mut stack: Vec<u64> = Vec::new();
    for &byte in text {
        match byte {
            b'0'..=b'9' => stack.push(u64::from(byte - b'0')),
            b'+' | b'*' | b'-' => {
                let (b, a) = (stack.pop().unwrap_or(1), stack.pop().unwrap_or(2));
                stack.push(match byte {
                    b'+' => a.wrapping_add(b),
                    b'*' => a.wrapping_mul(b),
                    _ => a.wrapping_sub(b),
                });
            }
            _ => {
                if let Some(&top) = stack.last() {
                    stack.push(top);
                }
            }
        }
    }
    stack.iter().fold(0, |sum, x| sum.wrapping_mul(7).wrapping_add(*x))
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let text: Vec<u8> = (0..2_000u32).map(|i| b"12+3*45-6+d7*8-"[(i * i % 15) as usize]).collect();
    let mut sum = 0u64;
    for i in 0..repeat {
        let mut squares: Vec<u64> = Vec::new();
        for k in 0..500 {
            squares.push(k * k ^ u64::from(i));
        }
        squares.insert(7, 1);
        squares.remove(100);
        squares.swap(3, 200);
        squares.truncate(400);
        squares.reverse();
        sum = sum.wrapping_mul(31).wrapping_add(squares.iter().sum::<u64>());
        sum = sum.wrapping_add(jobs(i) + heap(i) + ring(i)).wrapping_add(stack(&text));
    }
    println!("{sum}");
}
