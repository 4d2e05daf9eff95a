//! The ranges of memory that all iterations of a loop together touch, computed and compared before the loop.

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::op::{GepFlags, IntBinary, IntPredicate};
use rvsdg_core::{Op, Origin, Type};

/// The memory touched by accesses at known distances from each other that move together.
#[derive(Copy, Clone)]
pub(crate) struct Extent {
    /// How far they move in each iteration.
    pub stride: i64,
    /// Where the range of an iteration starts, relative to one of them.
    pub low: i64,
    /// Where it ends.
    pub high: i64,
}

impl Extent {
    /// Where the range of all iterations starts and ends, from the address of the reference access in the first iteration, and how often
    /// the loop is repeated.
    pub(crate) fn ends(&self, at: &mut Insert<'_>, first: Origin, repeated: Origin) -> [Origin; 2] {
        let last = if self.stride == 0 {
            first
        } else {
            let distance = at.binary_int(IntBinary::Mul, repeated, self.stride as u64);
            let byte = at.graph().pool().int(8);
            at.add(Op::Gep { source: byte, flags: GepFlags::NONE }, &[first, distance], Type::PTR)
        };
        let (low, high) =
            if self.stride < 0 && !seeded::is_active(Bug::LvrFalling) { (last, first) } else { (first, last) };
        [(low, self.low), (high, self.high)].map(|(origin, by)| at.advance(origin, by, GepFlags::NONE))
    }
}

/// Whether two ranges, each given by start and end, are disjoint.
pub(crate) fn apart(at: &mut Insert<'_>, [low_a, high_a]: [Origin; 2], [low_b, high_b]: [Origin; 2]) -> Origin {
    let [below, above] = [[high_a, low_b], [high_b, low_a]].map(|[a, b]| at.compare(IntPredicate::Ule, a, b));
    at.binary(IntBinary::Or, below, above)
}
