//! Orders that follow from several others: `i < m` and `m ≤ n` give `i < n`. After ABCD ([Bodík, Gupta, Sarkar: *ABCD: Eliminating Array
//! Bounds Checks on Demand*, PLDI 2000]), whose inequality graph needs no construction here, since regions already give each branch
//! names of its own.
//!
//! What is asked is replaced by what suffices for it, from the inside outwards: `a ≤ c` suffices for `a / 2 ≤ c`, and for `a < c` it
//! suffices that `b ≤ c`, if a branch around the region found `a < b`. In a loop, what is asked of loop variables must hold before it, and
//! after each iteration that continues the loop, if it held before that one.
//!
//! Two conditions are about the same number only if it is not undef, so what is between the two ends must not be.
//!
//! [Bodík, Gupta, Sarkar: *ABCD: Eliminating Array Bounds Checks on Demand*, PLDI 2000]: https://doi.org/10.1145/349299.349342

use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type};
use smallvec::{SmallVec, smallvec};

use super::{MAX_LEVELS, REPEAT, decisions_before, relations};
use crate::integers::{bounds, next_values};
use crate::invariant::follow_out;
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;
use crate::undef::is_not_undef;

/// How many orders may suffice for one that is asked for.
const MAX_GOALS: usize = 10;

/// The result of a comparison of two integers wherever it is executed, if orders around it imply it together, as [`super::decided`] does
/// for a single one. What bounds of the two numbers imply is not looked for. Cost: linear in the regions around it, of which a bounded
/// number is visited.
pub fn decided(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<bool> {
    let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
    if graph.ty(graph.output(node, 0)) != Type::I1 {
        return None;
    }
    let number = |index| follow_out(graph, graph.input(node, index)).0;
    let order = Order::of(predicate, number(0), number(1))?;
    let goals = [(order, true), (order.opposite(), false)];
    let goals = goals.map(|(order, answer)| Goal { order, answer, is_derived: false });
    let mut search = Search { graph, surroundings, goals: goals.into_iter().collect(), known: Known::default() };
    search.outward(graph.region_of(node), order.is_signed)
}

/// That one number is less than another one, or at most as great.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Order {
    less: Origin,
    greater: Origin,
    is_strict: bool,
    is_signed: bool,
}

impl Order {
    fn of(predicate: IntPredicate, left: Origin, right: Origin) -> Option<Order> {
        let (less, greater, is_strict, is_signed) = match predicate {
            IntPredicate::Ult => (left, right, true, false),
            IntPredicate::Ule => (left, right, false, false),
            IntPredicate::Ugt => (right, left, true, false),
            IntPredicate::Uge => (right, left, false, false),
            IntPredicate::Slt => (left, right, true, true),
            IntPredicate::Sle => (left, right, false, true),
            IntPredicate::Sgt => (right, left, true, true),
            IntPredicate::Sge => (right, left, false, true),
            IntPredicate::Eq | IntPredicate::Ne => return None,
        };
        Some(Order { less, greater, is_strict, is_signed })
    }

    /// What holds where this does not.
    fn opposite(self) -> Order {
        Order { less: self.greater, greater: self.less, is_strict: !self.is_strict, ..self }
    }

    fn predicate(self) -> IntPredicate {
        match (self.is_signed, self.is_strict) {
            (false, true) => IntPredicate::Ult,
            (false, false) => IntPredicate::Ule,
            (true, true) => IntPredicate::Slt,
            (true, false) => IntPredicate::Sle,
        }
    }

    /// The same order of other values.
    fn moved(self, to: impl Fn(Origin) -> Option<Origin>) -> Option<Order> {
        Some(Order { less: to(self.less)?, greater: to(self.greater)?, ..self })
    }
}

/// An order that suffices for an answer.
#[derive(Copy, Clone)]
struct Goal {
    order: Order,
    answer: bool,
    /// Whether bounds of its numbers have not been asked for yet.
    is_derived: bool,
}

/// What branches say.
#[derive(Default)]
struct Known {
    orders: SmallVec<[Order; 8]>,
    /// Values that are not zero.
    nonzero: SmallVec<[Origin; 4]>,
}

/// The search for something that holds and suffices.
struct Search<'g> {
    graph: &'g Graph,
    surroundings: Option<&'g Surroundings>,
    goals: SmallVec<[Goal; MAX_GOALS]>,
    known: Known,
}

impl Search<'_> {
    /// The answer by what holds in a region, or in those around it.
    fn outward(&mut self, mut region: Region, is_signed: bool) -> Option<bool> {
        let graph = self.graph;
        for _ in 0..MAX_LEVELS {
            if let Some(answer) = self.found() {
                return Some(answer);
            }
            let parent = graph.parent(region)?;
            self.known = Known::default();
            if let Some(gamma) = Gamma::new(graph, parent) {
                let alternative = gamma.regions(graph).iter().position(|&other| other == region)?;
                self.move_goals(region, false, |index| graph.input(parent, index + 1));
                self.learn((graph.origin(gamma.predicate(graph)), alternative as u32), is_signed);
            } else {
                let theta = Theta::new(graph, parent)?;
                let mut goals = std::mem::take(&mut self.goals);
                goals.retain(|goal| self.is_kept(theta, goal.order));
                self.goals = goals;
                self.move_goals(region, true, |index| graph.origin(theta.loop_var(graph, index).input));
            }
            for decision in decisions_before(graph, parent) {
                self.learn(decision, is_signed);
            }
            if self.goals.is_empty() {
                return None;
            }
            region = graph.region_of(parent);
        }
        None
    }

    /// The goals as orders of values outside of a region, without those that there are none for, and whether those that change are to be
    /// looked at as if they were new.
    fn move_goals(&mut self, region: Region, is_new: bool, input: impl Fn(usize) -> Origin) {
        let graph = self.graph;
        let outer = |origin| match graph.def(origin) {
            OriginDef::Argument(of, index) if of == region => Some(follow_out(graph, input(index as usize)).0),
            _ => is_known_outside(graph, origin, region).then_some(origin),
        };
        let moved = |goal: &Goal| {
            let order = goal.order.moved(outer)?;
            Some(Goal { order, is_derived: goal.is_derived || is_new && order != goal.order, ..*goal })
        };
        self.goals = self.goals.iter().filter_map(moved).collect();
    }

    /// Learns what holds if a predicate chooses an alternative.
    fn learn(&mut self, (predicate, alternative): (Origin, u32), is_signed: bool) {
        let graph = self.graph;
        for (relation, left, right) in relations(graph, predicate, alternative) {
            let (left, right) = (follow_out(graph, left).0, follow_out(graph, right).0);
            match relation {
                IntPredicate::Eq => {
                    self.known.orders.extend([(left, right), (right, left)].map(|(less, greater)| Order {
                        less,
                        greater,
                        is_strict: false,
                        is_signed,
                    }))
                }
                IntPredicate::Ne if fold::int(graph, right).is_some_and(Int::is_zero) => self.known.nonzero.push(left),
                other => {
                    let Some(order) = Order::of(other, left, right).filter(|order| order.is_signed == is_signed) else {
                        continue;
                    };
                    self.known.orders.push(order);
                    for (value, is_greater) in self.at_least(order.greater, is_signed) {
                        if self.is_one_number(order.greater, value) {
                            let is_strict = order.is_strict || is_greater;
                            self.known.orders.push(Order { greater: value, is_strict, ..order });
                        }
                    }
                }
            }
        }
    }

    /// Whether what is known of a number holds for a value that is not less because of how the number is computed, even if both are
    /// undef: the value takes part in it once, or what else does is not undef.
    fn is_one_number(&self, number: Origin, value: Origin) -> bool {
        let Some((values, _)) = self.of_minimum(number) else { return true };
        values.into_iter().all(|other| other == value || is_not_undef(self.graph, self.surroundings, other))
    }

    /// Whether an iteration of a loop that is not the last one keeps an order of its variables.
    fn is_kept(&self, theta: Theta, order: Order) -> bool {
        let Search { graph, surroundings, .. } = *self;
        let body = theta.body(graph);
        let after = order.moved(|origin| match graph.def(origin) {
            OriginDef::Argument(of, index) if of == body => {
                match next_values(graph, theta, theta.loop_var(graph, index as usize)).as_slice() {
                    &[next] => Some(next),
                    _ => None,
                }
            }
            _ => is_known_outside(graph, origin, body).then_some(origin),
        });
        let Some(after) = after else { return false };
        if after == order || seeded::is_active(Bug::RedOrderKept) {
            return true;
        }
        let goals = smallvec![Goal { order: after, answer: true, is_derived: true }];
        let mut search = Search { graph, surroundings, goals, known: Known::default() };
        search.learn((graph.origin(theta.predicate(graph)), REPEAT), order.is_signed);
        search.known.orders.push(order);
        search.found().is_some()
    }

    /// The answer that a goal suffices for which holds, by what is known and how its numbers are computed.
    fn found(&mut self) -> Option<bool> {
        let mut at = 0;
        while let Some(goal) = self.goals.get_mut(at) {
            let is_derived = std::mem::take(&mut goal.is_derived);
            let goal = *goal;
            at += 1;
            if is_derived && self.is_evident(goal.order)
                || self.by_less(goal)
                || self.by_greater(goal)
                || self.by_known(goal)
            {
                return Some(goal.answer);
            }
        }
        None
    }

    /// Whether an order holds for all values that the numbers may have.
    fn is_evident(&self, order: Order) -> bool {
        let bounds = |origin| bounds::of(self.graph, origin);
        !order.is_strict && self.is_same(order.less, order.greater)
            || bounds(order.less)
                .zip(bounds(order.greater))
                .is_some_and(|(less, greater)| bounds::relation(order.predicate(), less, greater) == Some(true))
    }

    /// Whether an order that suffices for a goal, because a number in it takes the place of one that it is less or greater than, holds
    /// already. If not, it is looked at later.
    fn replace(&mut self, goal: Goal, order: Order, between: Origin) -> bool {
        if !order.is_strict && self.is_same(order.less, order.greater) {
            return true;
        }
        let is_new = self.goals.len() < MAX_GOALS
            && !self.goals.iter().any(|other| other.order == order && other.answer == goal.answer);
        let is_one_number =
            || is_not_undef(self.graph, self.surroundings, between) || seeded::is_active(Bug::RedOrderUndef);
        if is_new && is_one_number() {
            self.goals.push(Goal { order, answer: goal.answer, is_derived: true });
        }
        false
    }

    /// What suffices because the number that is to be less is computed as one that is not greater than another one.
    fn by_less(&mut self, goal: Goal) -> bool {
        let Goal { order, .. } = goal;
        self.at_least(order.less, order.is_signed).into_iter().any(|(value, is_greater)| {
            let is_strict = order.is_strict && !is_greater;
            self.replace(goal, Order { less: value, is_strict, ..order }, value)
        })
    }

    /// Values that are not less than a number because of how it is computed, and whether they are greater.
    fn at_least(&self, number: Origin, is_signed: bool) -> SmallVec<[(Origin, bool); 2]> {
        let graph = self.graph;
        let Some((op, flags, [a, b])) = self.binary(number) else {
            let values = self.of_minimum(number).filter(|&(_, signed)| signed == is_signed);
            return values.into_iter().flat_map(|(values, _)| values.map(|value| (value, false))).collect();
        };
        let least = |origin| bounds::of(graph, origin).map_or(0, |bounds| bounds.least);
        let falls = |by: Int| {
            let is_far = if is_signed { flags.contains(BinaryFlags::NSW) } else { least(a) >= by.neg().unsigned() };
            by.is_negative() && (is_far || seeded::is_active(Bug::RedOrderWraps))
        };
        match op {
            IntBinary::Add if fold::int(graph, b).is_some_and(falls) => smallvec![(a, true)],
            _ if is_signed => smallvec![],
            IntBinary::Sub if flags.contains(BinaryFlags::NUW) => smallvec![(a, least(b) > 0)],
            IntBinary::LShr | IntBinary::UDiv => smallvec![(a, false)],
            IntBinary::URem => smallvec![(b, true), (a, false)],
            IntBinary::And => smallvec![(a, false), (b, false)],
            _ => smallvec![],
        }
    }

    /// What suffices because the number that is to be greater is computed as one that is not less than another one.
    fn by_greater(&mut self, goal: Goal) -> bool {
        let (graph, Goal { order, .. }) = (self.graph, goal);
        let Some((op, flags, [a, b])) = self.binary(order.greater) else { return false };
        let by = fold::int(graph, b);
        let mut increased = |value, by_some: bool| {
            let is_strict = order.is_strict && !by_some;
            self.replace(goal, Order { greater: value, is_strict, ..order }, value)
        };
        if order.is_signed {
            let rises = flags.contains(BinaryFlags::NSW) && by.is_some_and(|by| !by.is_negative() && !by.is_zero());
            return op == IntBinary::Add && rises && increased(a, true);
        }
        let is_some = by.is_some_and(|by| !by.is_zero());
        match op {
            IntBinary::Add if flags.contains(BinaryFlags::NUW) => increased(a, is_some) || increased(b, false),
            IntBinary::Or => increased(a, false) || increased(b, false),
            _ => false,
        }
    }

    /// What suffices because of what branches say.
    fn by_known(&mut self, goal: Goal) -> bool {
        let Goal { order, .. } = goal;
        let known = std::mem::take(&mut self.known);
        let mut found = known.orders.iter().any(|&known| {
            let is_strict = order.is_strict && !known.is_strict;
            let by_less = Order { less: known.greater, is_strict, ..order };
            let by_greater = Order { greater: known.less, is_strict, ..order };
            self.is_within(order.less, known.less, order.is_signed) && self.replace(goal, by_less, known.greater)
                || self.is_within(known.greater, order.greater, order.is_signed)
                    && self.replace(goal, by_greater, known.less)
        });
        // Zero is less than a number that is not zero.
        if !order.is_signed && fold::int(self.graph, order.less).is_some_and(Int::is_zero) {
            found |= known.nonzero.iter().any(|&less| {
                self.is_same(less, order.greater) || self.replace(goal, Order { less, is_strict: false, ..order }, less)
            });
        }
        // A number that is not zero is one more than another one without wrapping.
        if let Some((IntBinary::Add, _, [greater, by])) = self.binary(order.greater)
            && !order.is_signed
            && fold::int(self.graph, by).is_some_and(Int::is_one)
            && known.nonzero.iter().any(|&other| self.is_same(other, order.greater))
        {
            found |= self.replace(goal, Order { greater, is_strict: false, ..order }, greater);
        }
        self.known = known;
        found
    }

    /// Whether two numbers are the same, or constants in this order.
    fn is_within(&self, less: Origin, greater: Origin, is_signed: bool) -> bool {
        let constants = fold::int(self.graph, less).zip(fold::int(self.graph, greater));
        let relation = if is_signed { IntPredicate::Sle } else { IntPredicate::Ule };
        self.is_same(less, greater)
            || constants.is_some_and(|(less, greater)| less.bits() == greater.bits() && less.compare(relation, greater))
    }

    /// Whether two numbers are the same wherever both are not poison: one value, equal constants, or what one operation computes of the
    /// same operands.
    fn is_same(&self, a: Origin, b: Origin) -> bool {
        let is_number = || fold::int(self.graph, a).is_some_and(|number| fold::int(self.graph, b) == Some(number));
        let is_computed = || {
            let (Some((op, _, inputs)), Some((other, _, others))) = (self.binary(a), self.binary(b)) else {
                return false;
            };
            op == other && inputs == others
        };
        a == b || is_number() || is_computed()
    }

    /// The operation that computes a number, and its operands.
    fn binary(&self, origin: Origin) -> Option<(IntBinary, BinaryFlags, [Origin; 2])> {
        let node = self.graph.producer(origin)?;
        let Some(Op::IntBinary { op, flags }) = self.graph.op(node) else { return None };
        Some((op, flags, [0, 1].map(|index| follow_out(self.graph, self.graph.input(node, index)).0)))
    }

    /// The values of which a select gives the smaller one, and whether as signed numbers.
    fn of_minimum(&self, origin: Origin) -> Option<([Origin; 2], bool)> {
        let graph = self.graph;
        let node = graph.producer(origin)?;
        let Some(Op::Select(_)) = graph.op(node) else { return None };
        let [condition, chosen, other] = [0, 1, 2].map(|index| graph.input(node, index));
        let compare = graph.producer(condition)?;
        let Some(Op::ICmp { predicate, .. }) = graph.op(compare) else { return None };
        let order = Order::of(predicate, graph.input(compare, 0), graph.input(compare, 1))?;
        let out = |origin| follow_out(graph, origin).0;
        let is_least = self.is_same(out(order.less), out(chosen)) && self.is_same(out(order.greater), out(other));
        is_least.then_some(([chosen, other].map(out), order.is_signed))
    }
}

/// Whether a value of a region, or of one around it, is known outside of the region as well: it is from there, or a constant.
fn is_known_outside(graph: &Graph, origin: Origin, region: Region) -> bool {
    graph.scope(origin) != region || fold::int(graph, origin).is_some()
}

#[cfg(test)]
mod tests;
