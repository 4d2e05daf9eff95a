//! Comparisons with what comparisons of two values choose between, such as `a < b ? -1 : a > b`.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::{CastOp, IntBinary, IntPredicate, Op, OpCode};
use rvsdg_core::{Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// How many operations deep the first comparison is looked for, and how deep all are evaluated.
const DEPTH: u32 = 4;

/// Two values, and how they are compared.
struct Pair {
    left: Origin,
    right: Origin,
    /// The relation that holds if the left one is less.
    less: IntPredicate,
    /// The type of the comparison.
    truth: Type,
}

impl Pair {
    /// The values of the first comparison that a choice depends on, other than for equality.
    fn of(c: &Cx<'_>, value: Origin, depth: u32) -> Option<Pair> {
        if let Some((predicate, _, left, right)) = c.icmp(value) {
            let less = match predicate {
                IntPredicate::Eq | IntPredicate::Ne => return None,
                _ if arith::unsigned(predicate) == predicate => IntPredicate::Ult,
                _ => IntPredicate::Slt,
            };
            return Some(Pair { left, right, less, truth: c.ty(value) });
        }
        let (node, op) = c.op(value).filter(|_| depth > 0)?;
        match op {
            Op::Select(_) | Op::Cast { .. } | Op::IntBinary { op: IntBinary::Sub, .. } => {
                (0..c.operands(node)).find_map(|index| Pair::of(c, c.operand(node, index), depth - 1))
            }
            _ => None,
        }
    }

    /// Whether a condition holds if the values are in an order.
    fn holds(&self, c: &Cx<'_>, condition: Origin, order: Ordering) -> Option<bool> {
        let (predicate, _, left, right) = c.icmp(condition)?;
        let order = match (left, right) {
            (left, right) if (left, right) == (self.left, self.right) => order,
            (left, right) if (right, left) == (self.left, self.right) => order.reverse(),
            _ => return None,
        };
        match predicate {
            IntPredicate::Eq => Some(order == Equal),
            IntPredicate::Ne => Some(order != Equal),
            _ if (arith::unsigned(predicate) == predicate) != (self.less == IntPredicate::Ult) => None,
            _ if order == Equal => Some(arith::holds_for_equal(predicate)),
            IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Slt | IntPredicate::Sle => Some(order == Less),
            IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge => Some(order == Greater),
        }
    }

    /// What is chosen if the values are in an order.
    fn chosen(&self, c: &Cx<'_>, value: Origin, order: Ordering, depth: u32) -> Option<Int> {
        if let Some(known) = c.int(value) {
            return Some(known);
        }
        let (node, op) = c.op(value).filter(|_| depth > 0)?;
        let bits = c.bits(c.ty(value))?;
        match op {
            Op::ICmp { .. } => Some(Int::new(bits, self.holds(c, value, order)?.into())),
            Op::Select(_) => {
                let then = self.holds(c, c.operand(node, 0), order)?;
                self.chosen(c, c.operand(node, if then { 1 } else { 2 }), order, depth - 1)
            }
            Op::Cast { op: CastOp::ZExt, .. } => {
                Some(self.chosen(c, c.operand(node, 0), order, depth - 1)?.zext_or_trunc(bits))
            }
            Op::Cast { op: CastOp::SExt, .. } => Some(self.chosen(c, c.operand(node, 0), order, depth - 1)?.sext(bits)),
            Op::IntBinary { op: IntBinary::Sub, .. } => {
                let [left, right] = [0, 1].map(|index| self.chosen(c, c.operand(node, index), order, depth - 1));
                Some(left?.sub(right?))
            }
            _ => None,
        }
    }
}

/// The comparison of two values that holds if they are less, equal or greater as said.
pub(super) fn of_orders(
    c: &mut Cx<'_>,
    n: At,
    (left, right, less): (Origin, Origin, IntPredicate),
    holds: [bool; 3],
) -> Option<Origin> {
    let relation = match holds {
        [true, true, true] => return c.truth(n.ty, true),
        [false, false, false] => return c.truth(n.ty, false),
        [true, false, false] => less,
        [false, true, false] => IntPredicate::Eq,
        [false, false, true] => arith::swapped(less),
        [true, true, false] => arith::inverse(arith::swapped(less)),
        [false, true, true] => arith::inverse(less),
        [true, false, true] => IntPredicate::Ne,
    };
    Some(c.add_icmp(relation, left, right, n.ty))
}

/// The rules.
pub const RULES: &[Rule] = &[rule(
    "icmp-of-order",
    OpCode::ICmp,
    "i8 %x, i8 %y",
    "%a = icmp sgt i8 %x, %y; %b = icmp slt i8 %x, %y; %m = sext i1 %b to i8; %s = select i1 %a, i8 1, i8 %m; %r = icmp eq i8 %s, 0",
    "%r = icmp eq i8 %x, %y",
    |c, n| {
        let (predicate, ..) = c.icmp(c.output(n.node))?;
        let to = c.int(n.b)?;
        // One condition may choose between vectors.
        let pair = Pair::of(c, n.a, DEPTH).filter(|pair| pair.truth == n.ty)?;
        let [below, same, above] =
            [Less, Equal, Greater].map(|order| Some(pair.chosen(c, n.a, order, DEPTH)?.compare(predicate, to)));
        of_orders(c, n, (pair.left, pair.right, pair.less), [below?, same?, above?])
    },
)];
