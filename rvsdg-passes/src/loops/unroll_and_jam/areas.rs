//! Computations before a nest: the number of iterations of the new one, and whether the areas that accesses touch are disjoint.

use rustc_hash::FxHashMap;
use rvsdg_analysis::dependence::NestAccess;
use rvsdg_analysis::evolution::Linear;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate};
use rvsdg_core::{Graph, Op, Origin, Type};

use super::plan::Plan;
use crate::loops::ranges::apart;
use crate::loops::remainder::Steps;
use crate::loops::trips::{count, count_before};

/// Computes the number of iterations, and compares areas.
///
/// The values computed here may be poison where a conditional prevents an access or a loop from being executed; so conditions are frozen.
pub(super) fn steps_before(graph: &mut Graph, plan: &Plan) -> Steps {
    let step = u64::from(plan.lanes) * plan.parts as u64;
    let old = plan.nest.theta;
    let repeated = count_before(graph, old, &plan.repetitions, &plan.evolution);
    let mut at = Insert::before(graph, old.node());
    let mut steps = Steps::of(&mut at, repeated, step, plan.least);
    if plan.checks.is_empty() {
        return steps;
    }
    let mut areas = Areas {
        plan,
        repeated: at.cast(CastOp::ZExt, repeated, Type::I64),
        inner: FxHashMap::default(),
        ends: FxHashMap::default(),
    };
    let mut all = None;
    for [a, b] in &plan.checks {
        let both = [a, b].map(|area| areas.area(&mut at, area));
        let apart = apart(&mut at, both[0], both[1]);
        all = Some(all.map_or(apart, |all| at.binary(IntBinary::And, all, apart)));
    }
    let all = all.map(|all| at.freeze(all));
    if let Some(all) = all {
        steps.demand(&mut at, all);
    }
    steps
}

/// The memory that accesses of a nest touch in all iterations.
struct Areas<'p> {
    plan: &'p Plan,
    /// How often the outer loop is repeated.
    repeated: Origin,
    /// How often each inner loop is repeated.
    inner: FxHashMap<usize, Origin>,
    /// The start and end of the area of each access.
    ends: FxHashMap<usize, [Origin; 2]>,
}

impl Areas<'_> {
    /// The start and end of the area of several accesses.
    fn area(&mut self, at: &mut Insert<'_>, accesses: &[usize]) -> [Origin; 2] {
        let mut whole: Option<[Origin; 2]> = None;
        for &index in accesses {
            let [low, high] = self.access(at, index);
            whole = Some(match whole {
                None => [low, high],
                Some([least, greatest]) => {
                    let lower = at.compare(IntPredicate::Ult, low, least);
                    let higher = at.compare(IntPredicate::Ugt, high, greatest);
                    [at.select(lower, low, least), at.select(higher, high, greatest)]
                }
            });
        }
        whole.expect("an area has an access")
    }

    fn access(&mut self, at: &mut Insert<'_>, index: usize) -> [Origin; 2] {
        if let Some(&ends) = self.ends.get(&index) {
            return ends;
        }
        let access: &NestAccess = &self.plan.nest.accesses[index];
        let by = combination(at, &access.offset);
        let first = advanced(at, access.base, by);
        let mut ends = [first, first];
        let mut moves = vec![(access.step, self.repeated)];
        if let Some(inner) = access.inner.filter(|_| access.inner_step != 0 && !seeded::is_active(Bug::JamInner)) {
            moves.push((access.inner_step, self.inner(at, inner)));
        }
        for (step, repeated) in moves {
            let distance = at.binary_int(IntBinary::Mul, repeated, step as u64);
            let end = usize::from(step > 0);
            ends[end] = advanced(at, ends[end], distance);
        }
        ends[1] = at.advance(ends[1], access.size, GepFlags::NONE);
        self.ends.insert(index, ends);
        ends
    }

    /// How often an inner loop is repeated.
    fn inner(&mut self, at: &mut Insert<'_>, index: usize) -> Origin {
        if let Some(&repeated) = self.inner.get(&index) {
            return repeated;
        }
        let inner = &self.plan.nest.inner[index];
        let repeated = match inner.known.and_then(|known| u64::try_from(known - 1).ok()) {
            Some(known) => at.int(Type::I64, known),
            None => {
                let [first, bound] = [&inner.first, &inner.bound].map(|value| combination(at, value));
                let repeated = count(&inner.repetitions, at, first, bound);
                at.cast(CastOp::ZExt, repeated, Type::I64)
            }
        };
        self.inner.insert(index, repeated);
        repeated
    }
}

/// A linear combination of values.
fn combination(at: &mut Insert<'_>, value: &Linear) -> Origin {
    let ty = at.graph().pool().int(value.bits());
    let mut sum = at.int(ty, value.offset().unsigned() as u64);
    for &(origin, factor) in value.terms() {
        let part = at.binary_int(IntBinary::Mul, origin, factor.unsigned() as u64);
        sum = at.binary(IntBinary::Add, part, sum);
    }
    sum
}

/// An address advanced by a number of bytes.
fn advanced(at: &mut Insert<'_>, address: Origin, by: Origin) -> Origin {
    let byte = at.graph().pool().int(8);
    at.add(Op::Gep { source: byte, flags: GepFlags::NONE }, &[address, by], Type::PTR)
}
