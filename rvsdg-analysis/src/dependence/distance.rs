//! Distances between iterations at which two accesses overlap.

use crate::seeded::{self, Bug};

/// The overlap of accesses `a` and `b` of a loop, by the distance between their iterations: that of `b` less that of `a`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// They never overlap.
    Independent,
    /// They overlap at each of these distances, from the least to the greatest, and at no other.
    Distances(i64, i64),
    /// Nothing is known. They do not overlap if the ranges that all iterations together touch do not.
    Unknown,
}

impl Dependence {
    /// How many iterations may be executed at once, each access for all of them before the next access of the body, where `a` comes
    /// before `b`: at least one.
    ///
    /// An access stays before later accesses of its own iteration and of later iterations. So only an overlapping `b` of an earlier
    /// iteration counts.
    pub fn width(self) -> u64 {
        match self {
            Dependence::Independent => u64::MAX,
            Dependence::Distances(low, high) if low < 0 => high.min(-1).unsigned_abs(),
            Dependence::Distances(..) => u64::MAX,
            Dependence::Unknown => 1,
        }
    }
}

/// The test for accesses from one pointer: the second starts `gap` bytes after the first, and in each iteration they move by `strides`
/// and touch `sizes` bytes, at least one.
pub fn distances(gap: i64, strides: [i64; 2], sizes: [i64; 2]) -> Dependence {
    let gap = i128::from(gap);
    let [stride_a, stride_b] = strides.map(i128::from);
    let [size_a, size_b] = sizes.map(i128::from);
    // They overlap if the address of the second less that of the first is strictly between these.
    let (below, above) = (-size_b, size_a);
    if stride_a != stride_b {
        let divisor = gcd(stride_a.unsigned_abs(), stride_b.unsigned_abs()) as i128;
        // The smallest possible difference that is not below the overlap.
        let least = below + 1 + (gap - below - 1).rem_euclid(divisor);
        return if least < above { Dependence::Unknown } else { Dependence::Independent };
    }
    if stride_a == 0 {
        let overlap = below < gap && gap < above;
        return if overlap { Dependence::Distances(i64::MIN, i64::MAX) } else { Dependence::Independent };
    }
    // With decreasing addresses, distances have the opposite sign.
    let step = stride_a.abs();
    let (low, high) = if stride_a > 0 { (below - gap, above - gap) } else { (gap - above, gap - below) };
    // The smallest and the largest multiple of the step strictly between.
    let (low, high) = (low.div_euclid(step) + 1, -(-high).div_euclid(step) - 1);
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) if low <= high => Dependence::Distances(low, high),
        (Ok(_), Ok(_)) => Dependence::Independent,
        _ => Dependence::Unknown,
    }
}

/// The gaps, between two excluded bounds, at which accesses might be reordered if `width` iterations are executed at once, each access
/// for all of them before the next access of the body: the gap is the distance in bytes from the first access to the second, which comes
/// after it in the body. Both move by `stride`, which is not zero.
pub fn hindering_gaps(stride: i64, sizes: [i64; 2], width: i64) -> (i64, i64) {
    // The first access of an iteration and the second one of an iteration up to `width - 1` before it.
    let furthest = stride * (width - 1);
    (stride.min(furthest) - sizes[1], stride.max(furthest) + sizes[0])
}

/// The greatest common divisor of two numbers, not both zero.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A change of the distance of two accesses.
#[derive(Copy, Clone, Debug)]
pub struct Move {
    /// The number of bytes of one step.
    pub stride: i64,
    /// The maximum number of steps, if known. Not negative.
    pub times: Option<i64>,
}

/// Whether two accesses may touch the same bytes: the second starts `gap` bytes after the first, plus any number of moves, and they touch
/// `sizes` bytes, at least one.
///
/// Decided by the greatest common divisor of the strides, and by how far all moves lead at most.
pub fn meets(gap: i64, moves: &[Move], sizes: [i64; 2]) -> bool {
    let gap = i128::from(gap);
    let (below, above) = (-i128::from(sizes[1]), i128::from(sizes[0]));
    let divisor = moves.iter().fold(0, |divisor, by| gcd(divisor, by.stride.unsigned_abs().into())) as i128;
    if divisor == 0 {
        return below < gap && gap < above;
    }
    // The smallest possible difference that is not below the overlap.
    if below + 1 + (gap - below - 1).rem_euclid(divisor) >= above {
        return false;
    }
    let (mut low, mut high) = (gap, gap);
    for by in moves.iter().filter(|by| by.stride != 0) {
        // Further than all others together.
        let times = by.times.map_or(1 << 96, i128::from);
        let last = i128::from(by.stride).saturating_mul(times);
        (low, high) = (low.saturating_add(last.min(0)), high.saturating_add(last.max(0)));
    }
    low < above && high > below
}

/// How many iterations of an outer loop, at most `most`, an inner loop may execute one after another in each of its iterations, so that
/// two accesses in it stay in order where they touch the same bytes.
///
/// The second starts `gap` bytes after the first. They move by `steps` in each iteration of the outer loop and by `inner_steps` in each
/// of the inner loop, which has `times` iterations more than one if that is known. Pairs that are reordered are an access, and one that
/// is in a later iteration of the outer loop and in an earlier one of the inner loop.
pub fn in_sequence(
    gap: i64,
    steps: [i64; 2],
    inner_steps: [i64; 2],
    times: Option<i64>,
    sizes: [i64; 2],
    most: u64,
) -> u64 {
    if seeded::is_active(Bug::JamSequence) {
        return most;
    }
    // One access is that many iterations of the outer loop later, and at least one of the inner loop earlier, than the other.
    let turns = |gap: i64, [earlier, later]: [usize; 2], apart: i64| {
        let moves = [
            Move { stride: steps[later] - steps[earlier], times: None },
            Move { stride: inner_steps[later] - inner_steps[earlier], times },
            Move { stride: -inner_steps[earlier], times },
        ];
        meets(gap + steps[later] * apart - inner_steps[earlier], &moves, [sizes[earlier], sizes[later]])
    };
    let keeps = |&apart: &i64| !turns(gap, [0, 1], apart) && !turns(-gap, [1, 0], apart);
    (1..).take_while(|&apart| apart < most as i64).take_while(keeps).count() as u64 + 1
}
