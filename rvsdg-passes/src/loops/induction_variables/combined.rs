//! Two exit tests on one counter become one.
//!
//! ```text
//! v5: i1 = icmp slt v3, v1
//! v6: i1 = icmp slt v4, v2
//! v7: i1 = select v5, v6, false
//! v8: ctl(2) = match i1 v7 [true -> 1, _ -> 0]
//! ```
//!
//! for `v4 = add nsw v3, 1` become a comparison of v3 with the smaller one of v1 and v2 - 1, which is computed before the loop.
//!
//! The first comparison is always evaluated, so the new one compares the same value. The second one is evaluated where the first one
//! holds; where its value wrapped, it is poison then, and the program undefined. Its bound may be poison as long as it is not evaluated:
//! it is frozen unless it is certain to be evaluated in the first iteration.

use rvsdg_analysis::evolution::{Chain, Evolution};
use rvsdg_analysis::integers::bounds;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Type};

use crate::pass::{Change, PassCx};

/// Combines the exit tests of a loop.
pub(super) fn combine(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    try_combine(graph, theta, cx).map_or(Change::Unchanged, |()| Change::Changed)
}

fn try_combine(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Option<()> {
    let conditions = conditions(graph, theta)?;
    if !is_executed_wholly(graph, theta.body(graph)) {
        return None;
    }
    let evolution = Evolution::of(graph, theta);
    let [first, second] = conditions.map(|(condition, holds)| Test::of(graph, &evolution, condition, holds));
    let (first, second) = (first?, second?);
    let distance = first.distance(graph, &evolution, &second)?;
    let [one, other] = [&first, &second].map(|test| test.range(graph));
    let is_certain = first.holds_at_first(graph, theta);
    // A frozen bound may be anything.
    let other = if is_certain { other } else { Range::all(first.bits, first.is_signed()) };
    let other = other.minus(distance, first.bits, first.is_signed())?;
    if !cx.rewrite("combined", graph, theta.node()) {
        return None;
    }
    cx.count("combined", 1);
    let mut at = Insert::before(graph, theta.node());
    let (limit, bound) = (first.before(&mut at), second.before(&mut at));
    let bound = if is_certain { bound } else { at.freeze(bound) };
    let ty = at.ty(bound);
    let distance = at.int(ty, distance as u64);
    let bound = at.binary(IntBinary::Sub, bound, distance);
    let least = if is_certain && other.greatest <= one.least {
        bound
    } else if is_certain && one.greatest <= other.least {
        limit
    } else {
        let less = at.compare(first.strict(), limit, bound);
        at.select(less, limit, bound)
    };
    let inside = match fold::constant(graph, least) {
        Some(constant) => Insert::end(graph, theta.body(graph)).constant(constant),
        None => theta.add_loop_var(graph, least).pre,
    };
    let mut at = Insert::end(graph, theta.body(graph));
    let continues = at.compare(first.predicate, first.compared, inside);
    let predicate = at.decide(continues, 1);
    let result = theta.predicate(graph);
    let decision = graph.producer(graph.origin(result));
    graph.divert(result, predicate);
    decision.into_iter().for_each(|node| graph.remove(node));
    Some(())
}

/// Two conditions, and what each must be, for a loop to continue; the second one may be evaluated only where the first one is so.
fn conditions(graph: &Graph, theta: Theta) -> Option<[(Origin, bool); 2]> {
    let predicate = graph.origin(theta.predicate(graph));
    let decision = graph.producer(predicate).filter(|_| graph.has_one_user(predicate))?;
    let Some(Op::Match(table)) = graph.op(decision) else { return None };
    let table = graph.pool().table(table);
    let condition = graph.input(decision, 0);
    let [yes, no] = [true, false].map(|value| table.alternative(graph.pool(), Int::bool(value)));
    if graph.ty(condition) != Type::I1 || yes == no {
        return None;
    }
    let holds = yes == 1;
    let node = graph.producer(condition)?;
    let of = |index| graph.input(node, index);
    let ends = |index| fold::int(graph, of(index)).is_some_and(|known| known.is_one() != holds);
    match graph.op(node)? {
        Op::Select(_) if ends(2) => Some([(of(0), true), (of(1), holds)]),
        Op::Select(_) if ends(1) => Some([(of(0), false), (of(2), holds)]),
        Op::IntBinary { op: IntBinary::And, .. } if holds => Some([(of(0), true), (of(1), true)]),
        Op::IntBinary { op: IntBinary::Or, .. } if !holds => Some([(of(0), false), (of(1), false)]),
        _ => None,
    }
}

/// What a value is compared with.
#[derive(Copy, Clone)]
enum Bound {
    Known(Int),
    /// A value before the loop.
    Outside(Origin),
}

/// A loop continues while a value that rises is less than a bound, or at most.
struct Test {
    predicate: IntPredicate,
    compared: Origin,
    chain: Chain,
    bound: Bound,
    bits: u32,
}

impl Test {
    /// The test that a comparison is, or its inverse.
    fn of(graph: &Graph, evolution: &Evolution, condition: Origin, holds: bool) -> Option<Test> {
        let node = graph.producer(condition)?;
        let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
        let predicate = if holds { predicate } else { arith::inverse(predicate) };
        let [a, b] = [0, 1].map(|index| graph.input(node, index));
        let with = |predicate, compared, bound| {
            let rises =
                matches!(predicate, IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Ult | IntPredicate::Ule);
            let chain = evolution.chain(graph, compared).filter(|_| rises)?;
            chain.step()?.known().filter(|step| !step.is_zero() && !step.is_negative())?;
            let bits = arith::width(graph.pool(), graph.ty(compared))?;
            let (predicate, bound) = match fold::int(graph, bound) {
                Some(known) => strictly(predicate, known),
                None => (predicate, Bound::Outside(evolution.invariants().outside(bound)?)),
            };
            Some(Test { predicate, compared, chain, bound, bits })
        };
        with(predicate, a, b).or_else(|| with(arith::swapped(predicate), b, a))
    }

    /// The bound before the loop.
    fn before(&self, at: &mut Insert<'_>) -> Origin {
        match self.bound {
            Bound::Known(known) => {
                let constant = known.to_const(at.graph().pool());
                at.constant(constant)
            }
            Bound::Outside(bound) => bound,
        }
    }

    fn is_signed(&self) -> bool {
        matches!(self.predicate, IntPredicate::Slt | IntPredicate::Sle)
    }

    /// The relation without equality.
    fn strict(&self) -> IntPredicate {
        if self.is_signed() { IntPredicate::Slt } else { IntPredicate::Ult }
    }

    /// By how much the value of another test is greater, wherever both are evaluated.
    fn distance(&self, graph: &Graph, evolution: &Evolution, other: &Test) -> Option<i128> {
        if self.predicate != other.predicate || self.bits != other.bits || self.chain.step() != other.chain.step() {
            return None;
        }
        let distance = other.chain.start().minus(self.chain.start()).known()?.signed();
        // A variable and its increment, which is poison if it wraps.
        let promise = if self.is_signed() { BinaryFlags::NSW } else { BinaryFlags::NUW };
        let promised = |test: &Test| evolution.promises(graph, test.compared).contains(promise);
        (distance == 0 || promised(self) && promised(other)).then_some(distance)
    }

    /// The bound's range, if it is not poison.
    fn range(&self, graph: &Graph) -> Range {
        let all = Range::all(self.bits, self.is_signed());
        let range = match self.bound {
            Bound::Known(known) => {
                let number = if self.is_signed() { known.signed() } else { known.unsigned() as i128 };
                Range { least: number, greatest: number }
            }
            Bound::Outside(bound) => {
                let Some(bounds) = bounds::of(graph, bound) else { return all };
                Range { least: bounds.least as i128, greatest: bounds.greatest as i128 }
            }
        };
        if all.contains(range) { range } else { all }
    }

    /// Whether the test holds in the first iteration.
    fn holds_at_first(&self, graph: &Graph, theta: Theta) -> bool {
        let first = || {
            let mut sum = self.chain.start().offset();
            for &(origin, factor) in self.chain.start().terms() {
                let (of, variable) = Theta::loop_var_of_argument(graph, origin)?;
                let start = known_constant(graph, graph.origin(variable.input)).filter(|_| of == theta)?;
                sum = sum.add(Int::of_const(graph.pool(), start)?.mul(factor));
            }
            Some(sum)
        };
        let Bound::Known(bound) = self.bound else { return false };
        first().is_some_and(|first| first.compare(self.predicate, bound))
    }
}

/// A comparison with a number, without equality unless nothing is greater.
fn strictly(predicate: IntPredicate, bound: Int) -> (IntPredicate, Bound) {
    let next = bound.add(bound.with(1));
    match predicate {
        IntPredicate::Sle if !bound.is_max_signed() => (IntPredicate::Slt, Bound::Known(next)),
        IntPredicate::Ule if !bound.is_ones() => (IntPredicate::Ult, Bound::Known(next)),
        _ => (predicate, Bound::Known(bound)),
    }
}

/// An interval of integers, both ends included.
#[derive(Copy, Clone)]
struct Range {
    least: i128,
    greatest: i128,
}

impl Range {
    /// All integers of a width.
    fn all(bits: u32, signed: bool) -> Range {
        if signed {
            Range { least: -(1 << (bits - 1)), greatest: (1 << (bits - 1)) - 1 }
        } else {
            Range { least: 0, greatest: (1 << bits) - 1 }
        }
    }

    fn contains(self, other: Range) -> bool {
        self.least <= other.least && other.greatest <= self.greatest
    }

    /// The differences with an integer, if none of them wraps.
    fn minus(self, distance: i128, bits: u32, signed: bool) -> Option<Range> {
        let moved = Range { least: self.least - distance, greatest: self.greatest - distance };
        Range::all(bits, signed).contains(moved).then_some(moved)
    }
}
