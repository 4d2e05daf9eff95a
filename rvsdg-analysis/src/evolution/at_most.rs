//! Upper bounds of trip counts.
//!
//! Whenever a loop continues, relations of two values hold. If one of them counts towards the other, which is invariant, the relation
//! cannot hold for more iterations than the distance between the [bounds](crate::integers) of the two allows.
//!
//! An access of another part of a stack object in every iteration is undefined once it leaves the object ([LangRef, pointer aliasing
//! rules]), so there are no more iterations than parts.
//!
//! [LangRef, pointer aliasing rules]: https://llvm.org/docs/LangRef.html#pointer-aliasing-rules

use rvsdg_core::fold::{self, arith};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::op::{CastOp, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin};

use super::addresses::Address;
use super::{DEPTH, Evolution, Linear, MAX_BITS};
use crate::conditions::{self, REPEAT};
use crate::dereferenceable::bytes_at;
use crate::integers::bounds;
use crate::invariant::follow_out;
use crate::safety::is_executed_wholly;
use crate::seeded::{self, Bug};

/// An interval of integers, both ends included.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Interval {
    least: i128,
    greatest: i128,
}

impl Interval {
    /// All integers of a width.
    fn all(bits: u32, signed: bool) -> Interval {
        if signed {
            Interval { least: -(1 << (bits - 1)), greatest: (1 << (bits - 1)) - 1 }
        } else {
            Interval { least: 0, greatest: (1 << bits) - 1 }
        }
    }

    fn contains(self, other: Interval) -> bool {
        self.least <= other.least && other.greatest <= self.greatest
    }

    fn negated(self) -> Interval {
        Interval { least: -self.greatest, greatest: -self.least }
    }
}

impl Evolution {
    /// An upper bound of the trip count in any defined execution, from bounds of the values that its exit conditions compare, and from the
    /// sizes of stack objects if the data layout is known: at least one.
    pub fn iterations_at_most(&self, graph: &Graph, data: Option<&DataLayout>) -> Option<u128> {
        let by_objects = data.and_then(|data| self.within_objects(graph, &mut Layouts::new(data.clone())));
        self.compared_at_most(graph).into_iter().chain(by_objects).min()
    }

    /// The bound that its exit conditions give.
    fn compared_at_most(&self, graph: &Graph) -> Option<u128> {
        let relations = conditions::relations(graph, graph.origin(self.theta.predicate(graph)), REPEAT);
        let least = relations.into_iter().filter_map(|(predicate, left, right)| {
            let counts = self.repeated_at_most(graph, predicate, left, right);
            counts.or_else(|| self.repeated_at_most(graph, arith::swapped(predicate), right, left))
        });
        Some(least.min()? + 1)
    }

    /// The bound that accesses in every iteration give.
    fn within_objects(&self, graph: &Graph, layouts: &mut Layouts) -> Option<u128> {
        let body = self.theta.body(graph);
        if !is_executed_wholly(graph, body) {
            return None;
        }
        graph.nodes(body).filter_map(|node| self.within_object(graph, layouts, node)).min()
    }

    /// How often an access can move on in its object, and once more.
    fn within_object(&self, graph: &Graph, layouts: &mut Layouts, node: Node) -> Option<u128> {
        let (pointer, ty) = match graph.op(node)? {
            Op::Load(access) if access.is_plain() => (graph.input(node, 0), graph.ty(graph.output(node, 0))),
            Op::Store(access) if access.is_plain() => (graph.input(node, 1), graph.ty(graph.input(node, 0))),
            _ => return None,
        };
        let Address { base, distance } = self.address(graph, layouts, pointer)?;
        let step = distance.step()?.known()?.signed().unsigned_abs();
        let size = layouts.of(graph.pool(), ty).ok()?.store;
        if step == 0 || size == 0 {
            return None;
        }
        // In the object, distances modulo 2^64 are those of numbers.
        let bytes = bytes_at(graph, None, layouts, self.object(graph, base)?)?.checked_sub(size)?;
        Some(u128::from(bytes) / step + 1)
    }

    /// The value outside the loop that a pointer is computed from, without the offsets that are added to it.
    fn object(&self, graph: &Graph, pointer: Origin) -> Option<Origin> {
        let moved = Theta::loop_var_of_argument(graph, pointer).filter(|&(of, _)| of == self.theta);
        let mut at = moved.map_or(pointer, |(_, variable)| graph.origin(variable.input));
        for _ in 0..DEPTH {
            at = follow_out(graph, at).0;
            match graph.producer(at) {
                Some(node) if matches!(graph.op(node), Some(Op::Gep { .. })) => at = graph.input(node, 0),
                _ => return Some(at),
            }
        }
        None
    }

    /// For how many successive iterations a relation of a counter and an invariant holds at most.
    fn repeated_at_most(
        &self,
        graph: &Graph,
        predicate: IntPredicate,
        counting: Origin,
        bound: Origin,
    ) -> Option<u128> {
        let bits = arith::width(graph.pool(), graph.ty(bound)).filter(|&bits| bits <= MAX_BITS)?;
        let counting = without_truncation(graph, follow_out(graph, counting).0);
        let chain = self.chain(graph, counting)?;
        let step = chain.step()?.known()?.signed();
        let (bound, is_outside) = follow_out(graph, bound);
        let signed = match predicate {
            IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => &[false][..],
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => &[true],
            IntPredicate::Ne => &[true, false],
            IntPredicate::Eq => &[],
        };
        signed.iter().find_map(|&signed| {
            let all = Interval::all(bits, signed);
            let first = self.interval(graph, chain.start(), signed).filter(|&first| all.contains(first))?;
            let bound = match fold::int(graph, bound) {
                Some(value) => {
                    let value = if signed { value.signed() } else { value.unsigned() as i128 };
                    Interval { least: value, greatest: value }
                }
                None if is_outside => between(graph, bound).filter(|&bound| all.contains(bound))?,
                None => return None,
            };
            match predicate {
                IntPredicate::Ne | IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Slt | IntPredicate::Sle
                    if step > 0 =>
                {
                    rising(predicate, first, bound, step, all.greatest)
                }
                IntPredicate::Ne | IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge
                    if step < 0 =>
                {
                    rising(arith::swapped(predicate), first.negated(), bound.negated(), -step, -all.least)
                }
                _ => None,
            }
        })
    }

    /// Bounds of a linear combination when the loop starts, as a signed or unsigned number.
    fn interval(&self, graph: &Graph, value: &Linear, signed: bool) -> Option<Interval> {
        let mut sum = Interval { least: 0, greatest: 0 };
        for &(origin, factor) in value.terms() {
            let (theta, variable) = Theta::loop_var_of_argument(graph, origin)?;
            let start = between(graph, graph.origin(variable.input)).filter(|_| theta == self.theta)?;
            let ends = [start.least, start.greatest].map(|end| end.checked_mul(factor.signed()));
            let [one, other] = [ends[0]?, ends[1]?];
            sum.least = sum.least.checked_add(one.min(other))?;
            sum.greatest = sum.greatest.checked_add(one.max(other))?;
        }
        // Modulo 2^width both are the same; if all sums of one are in the range of the width, they are the values that are computed.
        let all = Interval::all(value.bits(), signed);
        let offset = value.offset();
        [offset.signed(), offset.unsigned() as i128].into_iter().find_map(|offset| {
            let moved = Interval { least: sum.least.checked_add(offset)?, greatest: sum.greatest.checked_add(offset)? };
            all.contains(moved).then_some(moved)
        })
    }
}

/// The operand of a truncation; values in the range of the narrow type are the same.
fn without_truncation(graph: &Graph, origin: Origin) -> Origin {
    match graph.producer(origin).map(|node| (node, graph.op(node))) {
        Some((node, Some(Op::Cast { op: CastOp::Trunc, .. }))) => follow_out(graph, graph.input(node, 0)).0,
        Some(_) | None => origin,
    }
}

/// Unsigned bounds of an integer.
fn between(graph: &Graph, origin: Origin) -> Option<Interval> {
    let bounds = bounds::of(graph, origin).filter(|bounds| bounds.bits <= MAX_BITS)?;
    Some(Interval { least: bounds.least as i128, greatest: bounds.greatest as i128 })
}

/// How often a positive step is made at most, starting in `first`, while the value is below something in `bound`, or differs from it. The
/// final value must not be more than `greatest`: larger numbers wrap.
fn rising(predicate: IntPredicate, first: Interval, bound: Interval, step: i128, greatest: i128) -> Option<u128> {
    let distance = u128::try_from(bound.greatest - first.least).ok();
    let step = step.unsigned_abs();
    let (times, last) = match predicate {
        // A value that starts beyond the bound, or steps over it, never equals it.
        IntPredicate::Ne => {
            let meets = step == 1 && first.greatest <= bound.least;
            (distance.filter(|_| meets || seeded::is_active(Bug::UrlPassed))?, bound.greatest)
        }
        IntPredicate::Ult | IntPredicate::Slt => {
            (distance.map_or(0, |distance| distance.div_ceil(step)), bound.greatest - 1 + step as i128)
        }
        IntPredicate::Ule | IntPredicate::Sle => {
            (distance.map_or(0, |distance| distance / step + 1), bound.greatest + step as i128)
        }
        IntPredicate::Eq | IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge => {
            return None;
        }
    };
    (last <= greatest || seeded::is_active(Bug::UrlRange)).then_some(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    /// How often a loop is repeated at most that does this to an object of ten bytes in each iteration: `v8` is a pointer to it, `v9` one
    /// that moves on by two bytes, `v10` a number that counts down.
    fn most(operations: &str, end: &str) -> Option<u128> {
        let example = Example::of(&format!(
            "module \"test\"
             @leave = function void ()
             @f = function void (ptr, i1, i64)
             import @leave
             export @f
             lambda @f [@leave] (v0: ptr, v1: i1, v2: i64, mem0, io0) {{
               v3 = const i32 10
               v4: ptr, mem1 = alloca i8, v3, mem0, align 4
               v5: ptr = getelementptr i8, v4, v2
               v6: ptr, v7: ptr, v20: i64, v21: i1, v40: ptr, v41: ptr, mem9, io9 = theta (v8: ptr = v5, v9: ptr = v5, v10: i64 = v2,
                 v11: i1 = v1, v42: ptr = v0, v43: ptr = @leave, mem2 = mem1, io1 = io0) {{
                 v12 = const i64 -1
                 v13: i64 = add v10, v12
                 v14 = const i64 2
                 v15: ptr = getelementptr i8, v9, v14
                 v16: ptr = getelementptr i8, v8, v10
                 v17: ptr = getelementptr i8, v42, v10
                 {operations}
                 v19: ctl(2) = match i1 v11 [true -> 1, _ -> 0]
                 next v8, v15, v13, v11, v42, v43, {end} while v19
               }}
               yield mem9, io9
             }}"
        ));
        let graph = example.graph();
        let theta = example.nodes().into_iter().find_map(|node| Theta::new(graph, node)).expect("a loop");
        let data = DataLayout::parse("").expect("a layout");
        let evolution = Evolution::of(graph, theta);
        assert_eq!(evolution.iterations_at_most(graph, None), None, "nothing is compared");
        evolution.iterations_at_most(graph, Some(&data))
    }

    #[test]
    fn no_access_leaves_its_object() {
        for (operations, end, expected) in [
            ("v18: i8, mem3 = load v16, mem2, align 1", "mem3, io1", Some(10)),
            ("v18: i32, mem3 = load v16, mem2, align 1", "mem3, io1", Some(7)),
            ("v18: i8, mem3 = load v9, mem2, align 1", "mem3, io1", Some(5)),
            ("v18: i16, mem3 = load v15, mem2, align 1", "mem3, io1", Some(5)),
            ("v18: i32, mem3 = load v9, mem2, align 1", "mem3, io1", Some(4)),
            ("mem3 = store v13, v9, mem2, align 1", "mem3, io1", Some(2)),
            ("mem3 = store v13, v9, mem2, align 1\nmem4 = store v11, v16, mem3, align 1", "mem4, io1", Some(2)),
            ("v18: i128, mem3 = load v16, mem2, align 1", "mem3, io1", None),
            ("v18: i8, mem3 = load v8, mem2, align 1", "mem3, io1", None),
            ("v18: {}, mem3 = load v16, mem2, align 1", "mem3, io1", None),
            ("v18: i8, mem3 = load v17, mem2, align 1", "mem3, io1", None),
            ("v18: i8, mem3 = load v16, mem2, unordered, align 1", "mem3, io1", None),
            ("mem4, io4 = call void () v43(), mem2, io1\nv18: i8, mem3 = load v16, mem4, align 1", "mem3, io4", None),
            (
                "v30: ctl(2) = match i1 v11 [true -> 1, _ -> 0]
                 mem3 = gamma v30 (v16, mem2)
                 case 0 (v31: ptr, mem4) {
                   yield mem4
                 }
                 case 1 (v32: ptr, mem5) {
                   v33: i8, mem6 = load v32, mem5, align 1
                   yield mem6
                 }",
                "mem3, io1",
                None,
            ),
        ] {
            assert_eq!(most(operations, end), expected, "{operations}");
        }
    }
}
