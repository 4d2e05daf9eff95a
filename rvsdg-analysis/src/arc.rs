//! Integer ranges that may wrap around: the values for which a comparison with a constant holds. LLVM's `ConstantRange`.

use rvsdg_core::fold::Int;
use rvsdg_core::fold::arith::mask;
use rvsdg_core::op::IntPredicate;

/// The maximum width in bits: sizes of ranges are computed in twice that.
const MAX_BITS: u32 = 64;

/// The `size` values of an integer of at most 64 bits from `start` on, continuing at zero after the greatest.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Arc {
    start: Int,
    size: u128,
}

impl Arc {
    /// The first value.
    pub fn start(self) -> Int {
        self.start
    }

    /// The number of values.
    pub fn size(self) -> u128 {
        self.size
    }

    /// The number of all values of the width.
    pub fn all(self) -> u128 {
        mask(self.start.bits()) + 1
    }

    fn new(start: Int, size: u128) -> Arc {
        Arc { start, size }
    }

    /// A single value; `None` for a width over the limit.
    pub fn one(value: Int) -> Option<Arc> {
        (value.bits() <= MAX_BITS).then(|| Arc::new(value, 1))
    }

    /// A single truth value.
    pub fn truth(truth: bool) -> Arc {
        Arc::new(Int::bool(truth), 1)
    }

    /// The values for which a comparison with `k` holds; `None` for a width over the limit.
    pub fn of(predicate: IntPredicate, k: Int) -> Option<Arc> {
        if k.bits() > MAX_BITS {
            return None;
        }
        let (zero, all) = (k.with(0), mask(k.bits()) + 1);
        let least = k.with(1 << (k.bits() - 1));
        let next = k.add(k.with(1));
        let up = |from: Int, to: Int| to.sub(from).unsigned();
        Some(match predicate {
            IntPredicate::Eq => Arc::new(k, 1),
            IntPredicate::Ne => Arc::new(next, all - 1),
            IntPredicate::Ult => Arc::new(zero, k.unsigned()),
            IntPredicate::Ule => Arc::new(zero, k.unsigned() + 1),
            IntPredicate::Uge => Arc::new(k, all - k.unsigned()),
            IntPredicate::Ugt => Arc::new(next, all - k.unsigned() - 1),
            IntPredicate::Slt => Arc::new(least, up(least, k)),
            IntPredicate::Sle => Arc::new(least, up(least, k) + 1),
            IntPredicate::Sge => Arc::new(k, all - up(least, k)),
            IntPredicate::Sgt => Arc::new(next, all - up(least, k) - 1),
        })
    }

    /// The comparison with one value that holds for exactly the values of the range, if it is equality or inequality.
    pub fn equality(self) -> Option<(IntPredicate, Int)> {
        match self.complement() {
            _ if self.size == 1 => Some((IntPredicate::Eq, self.start)),
            Arc { start, size: 1 } => Some((IntPredicate::Ne, start)),
            _ => None,
        }
    }

    /// The values that are in the range after adding `by`, of the same width.
    #[must_use]
    pub fn before_adding(self, by: Int) -> Arc {
        Arc { start: self.start.sub(by), ..self }
    }

    /// All other values.
    pub fn complement(self) -> Arc {
        Arc::new(self.start.with(self.start.unsigned().wrapping_add(self.size)), self.all() - self.size)
    }

    /// The union, if the two overlap or touch on one side only.
    pub fn union(self, other: Arc) -> Option<Arc> {
        let join = |a: Arc, b: Arc| {
            let distance = b.start.sub(a.start).unsigned();
            (distance <= a.size).then(|| Arc::new(a.start, a.size.max(distance + b.size)))
        };
        if self.size == 0 {
            return Some(other);
        }
        if other.size == 0 {
            return Some(self);
        }
        let found = join(self, other).or_else(|| join(other, self))?;
        Some(Arc { size: found.size.min(self.all()), ..found })
    }

    /// The intersection, if it is one range. If it is two, the complements are disjoint.
    pub fn intersection(self, other: Arc) -> Option<Arc> {
        Some(self.complement().union(other.complement())?.complement())
    }

    /// Whether it contains another, nonempty range.
    pub fn contains(self, other: Arc) -> bool {
        other.size > 0 && (self.size == self.all() || other.start.sub(self.start).unsigned() + other.size <= self.size)
    }

    /// Whether a value is in it, if the value is known to be in another one; `None` if that does not decide it.
    pub fn has_values_of(self, known: Arc) -> Option<bool> {
        if self.contains(known) {
            return Some(true);
        }
        self.complement().contains(known).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(arc: Arc, value: u128) -> bool {
        arc.start.with(value).sub(arc.start).unsigned() < arc.size
    }

    #[test]
    fn arcs_hold_what_relations_hold_for() {
        for &p in IntPredicate::ALL {
            for k in 0..8 {
                let k = Int::new(3, k);
                let arc = Arc::of(p, k).unwrap();
                for value in 0..8 {
                    assert_eq!(holds(arc, value), k.with(value).compare(p, k), "{p:?} {k:?} {value}");
                }
            }
        }
    }

    #[test]
    fn equalities_are_those_of_one_value() {
        for code in 0..72 {
            let arc = Arc::new(Int::new(3, code / 9), code % 9);
            let of_relation =
                |(predicate, k): (_, Int)| (0..8).all(|at| holds(arc, at) == k.with(at).compare(predicate, k));
            let count = (0..8).filter(|&at| holds(arc, at)).count();
            assert_eq!(arc.equality().map(of_relation), matches!(count, 1 | 7).then_some(true), "{arc:?}");
        }
    }

    #[test]
    fn there_are_none_of_wide_integers() {
        let wide = Int::new(128, 7);
        assert_eq!(Arc::one(wide), None);
        assert!(IntPredicate::ALL.iter().all(|&predicate| Arc::of(predicate, wide).is_none()));
    }

    #[test]
    fn unions_and_intersections_hold_what_they_should() {
        let is_arc = |holds: &dyn Fn(u128) -> bool| (0..8).filter(|&at| holds(at) && !holds((at + 7) % 8)).count() <= 1;
        for (a, b) in (0..72).flat_map(|a| (0..72).map(move |b| (a, b))) {
            let of = |code: u128| Arc::new(Int::new(3, code / 9), code % 9);
            let (a, b) = (of(a), of(b));
            let (either, both) = (|at| holds(a, at) || holds(b, at), |at| holds(a, at) && holds(b, at));
            assert_eq!(a.union(b).is_some(), is_arc(&either), "{a:?} {b:?}");
            assert_eq!(a.intersection(b).is_some(), is_arc(&both), "{a:?} {b:?}");
            for value in 0..8 {
                assert!(a.union(b).is_none_or(|union| holds(union, value) == either(value)), "{a:?} {b:?} {value}");
                assert!(a.intersection(b).is_none_or(|arc| holds(arc, value) == both(value)), "{a:?} {b:?} {value}");
            }
        }
    }

    #[test]
    fn what_is_known_decides_where_all_values_agree() {
        for (a, b) in (0..72).flat_map(|a| (0..72).map(move |b| (a, b))) {
            let of = |code: u128| Arc::new(Int::new(3, code / 9), code % 9);
            let (asked, known) = (of(a), of(b));
            let mut answers = (0..8).filter(|&at| holds(known, at)).map(|at| holds(asked, at));
            let first = answers.next();
            let agreed = first.filter(|&first| answers.all(|other| other == first));
            assert_eq!(asked.has_values_of(known), agreed, "{asked:?} {known:?}");
        }
    }
}
