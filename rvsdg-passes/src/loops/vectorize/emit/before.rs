//! Computations before a vector loop: its number of iterations, and whether its accesses are disjoint.

use rustc_hash::FxHashMap;
use rvsdg_analysis::dependence::{Affine, hindering_gaps};
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Type};

use super::super::dependences::{Check, Pair, Range};
use super::super::plan::Plan;
use super::last::counter_bits;
use crate::control::hoisting::Hoisting;
use crate::loops::ranges::apart;
use crate::loops::remainder::Steps;
use crate::loops::trips::{count, linear};

/// Computes the number of iterations, and compares ranges or, for accesses with the same stride, only their distance.
///
/// Every iteration makes all accesses except conditional stores, and the first iteration branches on the counter's start; so nothing here
/// is poison unless the original is undefined, except for conditional stores that are never made. The ranges of those need not be within
/// an object; they are compared only if they do not wrap around.
pub(super) fn steps_before(graph: &mut Graph, plan: &Plan) -> Steps {
    let step = u64::from(plan.lanes) * plan.parts as u64;
    let mut hoisting = Hoisting::default();
    let mut at = Insert::before(graph, plan.theta.node());
    let repeated = match plan.known.and_then(|known| u64::try_from(known - 1).ok()) {
        Some(repeated) => {
            let ty = at.graph().pool().int(plan.repetitions.first.bits());
            at.int(ty, repeated)
        }
        None => {
            let [first, bound] = [&plan.repetitions.first, &plan.repetitions.bound]
                .map(|value| linear(&mut at, &plan.evolution, &mut hoisting, value));
            count(&plan.repetitions, &mut at, first, bound)
        }
    };
    let mut steps = Steps::of(&mut at, repeated, step, plan.least);
    if plan.leaves.is_some() {
        steps.leave_one(&mut at, repeated, step);
    }
    let counted = plan.repetitions.first.bits();
    if let Some(bits) = counter_bits(at.graph(), plan).filter(|&bits| bits < counted) {
        // The iteration numbers fit.
        let ty = at.ty(steps.total);
        let most = at.int(ty, u64::MAX >> (64 - bits));
        let fits = at.compare(IntPredicate::Ule, steps.total, most);
        steps.demand(&mut at, fits);
    }
    if plan.checks.is_empty() {
        return steps;
    }
    let last = at.graph().previous(plan.theta.node());
    let mut disjoint = at.int(Type::I1, 1);
    let repeated = at.cast(CastOp::ZExt, repeated, Type::I64);
    let mut starts: FxHashMap<usize, Origin> = FxHashMap::default();
    let mut ends: FxHashMap<usize, [Origin; 2]> = FxHashMap::default();
    for check in &plan.checks {
        let [a, b] = [check.ranges.0, check.ranges.1];
        let [first_a, first_b] = [a, b].map(|index| {
            *starts.entry(index).or_insert_with(|| {
                let access = &plan.accesses.list()[plan.ranges[index].access];
                let address = access.address.as_ref().expect("what is compared is affine");
                first_address(&mut at, plan, &mut hoisting, address)
            })
        });
        if let Some((low, high)) = hindering(plan, check, step as i64) {
            let [from, to] = [first_a, first_b].map(|first| at.cast(CastOp::PtrToAddr, first, Type::I64));
            let gap = at.binary(IntBinary::Sub, to, from);
            let above = at.binary_int(IntBinary::Sub, gap, (low + 1) as u64);
            let between = at.int(Type::I64, (high - low - 1) as u64);
            let mut apart = at.compare(IntPredicate::Uge, above, between);
            if [a, b].iter().any(|&index| plan.ranges[index].partial) {
                apart = at.freeze(apart);
            }
            disjoint = at.binary(IntBinary::And, disjoint, apart);
            continue;
        }
        let both = [(a, first_a), (b, first_b)].map(|(index, first)| {
            *ends.entry(index).or_insert_with(|| plan.ranges[index].extent.ends(&mut at, first, repeated))
        });
        let mut apart = apart(&mut at, both[0], both[1]);
        for (_, [low, high]) in [a, b].into_iter().zip(both).filter(|&(index, _)| plan.ranges[index].partial) {
            let rises = at.compare(IntPredicate::Ule, low, high);
            apart = at.binary(IntBinary::And, apart, rises);
            apart = at.freeze(apart);
        }
        disjoint = at.binary(IntBinary::And, disjoint, apart);
    }
    // Many loops are executed for a few iterations only.
    if fold::constant(at.graph(), steps.run).is_some() {
        steps.demand(&mut at, disjoint);
    } else {
        steps.demand_then(graph, plan.theta, last, disjoint);
    }
    steps
}

/// The distances from the start of the first range to that of the second, between two excluded bounds, at which accesses that are at most
/// `width` iterations apart might be reordered. `None` if the distance does not suffice: for ranges that move differently, and for
/// accesses that are made together with others.
fn hindering(plan: &Plan, check: &Check, width: i64) -> Option<(i64, i64)> {
    let [x, y] = [check.ranges.0, check.ranges.1].map(|index| &plan.ranges[index]);
    let (list, stride) = (plan.accesses.list(), x.extent.stride);
    if stride == 0 || y.extent.stride != stride {
        return None;
    }
    let offset =
        |range: &Range, access: usize| list[range.access].address.as_ref()?.distance_to(list[access].address.as_ref()?);
    let mut hull: Option<(i64, i64)> = None;
    for &Pair { first: a, second: b, forward, behind } in &check.pairs {
        if [a, b].iter().any(|&access| plan.group_of.contains_key(&list[access].node)) {
            return None;
        }
        // What is loaded again has not changed since.
        let width = width.max(behind / stride.abs() + 1);
        let (low, high) = hindering_gaps(stride, [list[a].size, list[b].size], width);
        let (low, high) = if forward {
            let by = offset(x, a)? - behind - offset(y, b)?;
            (low + by, high + by)
        } else {
            let by = offset(x, b)? - (offset(y, a)? - behind);
            (by - high, by - low)
        };
        hull = Some(hull.map_or((low, high), |(least, greatest)| (low.min(least), high.max(greatest))));
    }
    hull
}

/// The address of an access in the first iteration.
fn first_address(at: &mut Insert<'_>, plan: &Plan, hoisting: &mut Hoisting, address: &Affine) -> Origin {
    let (_, variable) = Theta::loop_var_of_argument(at.graph(), address.base)
        .expect("the base of an address is a variable of the loop");
    let base = at.graph().origin(variable.input);
    let by = linear(at, &plan.evolution, hoisting, &address.offset);
    let byte = at.graph().pool().int(8);
    at.add(Op::Gep { source: byte, flags: GepFlags::NONE }, &[base, by], Type::PTR)
}
