//! Comparisons in a loop that give one answer up to some iteration and the other one from there on, or in that iteration alone.

use rvsdg_core::fold::arith;
use rvsdg_core::op::IntPredicate;
use rvsdg_core::{Graph, Node, Op, Type};

use super::{Evolution, Relation, Repetitions};
use crate::seeded::{self, Bug};

/// When a comparison gives another answer.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The answer in the first iterations.
    pub answer: bool,
    /// As if they were repetitions: how many of them there are, without regard to how often the loop is repeated. What is compared in the
    /// first iteration is [`Repetitions::first`].
    pub before: Repetitions,
}

impl Turn {
    /// Whether the answer is another one in one iteration alone.
    pub fn is_once(&self) -> bool {
        self.before.relation == Relation::Differs
    }
}

impl Evolution {
    /// When a comparison of integers of the body gives another answer, in a loop that is repeated a number of times, which may be known.
    pub fn turn(&self, graph: &Graph, node: Node, repetitions: &Repetitions) -> Option<Turn> {
        let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
        let [a, b] = [0, 1].map(|index| graph.input(node, index));
        if graph.ty(graph.output(node, 0)) != Type::I1 || repetitions.base.is_some() {
            return None;
        }
        let iterations = repetitions.known_iterations(graph, self.theta);
        let swapped = arith::swapped(predicate);
        [(a, b, predicate), (b, a, swapped)].into_iter().find_map(|(compared, bound, predicate)| {
            let (chain, bound) = (self.chain(graph, compared)?, self.chain(graph, bound)?);
            let step = chain.step()?.known()?.signed();
            let (answer, relation) = match predicate {
                IntPredicate::Eq => (false, IntPredicate::Ne),
                IntPredicate::Ne => (true, IntPredicate::Ne),
                _ if is_less(predicate) == (step > 0) => (true, predicate),
                _ => (false, arith::inverse(predicate)),
            };
            let promises = |promise| self.promises(graph, compared).contains(promise);
            let before = Repetitions::find(compared, relation, &chain, &bound, promises)?;
            let bits = before.first.bits();
            let holds = match before.relation {
                // Each number is met once at most in so many iterations.
                Relation::Differs => {
                    let fits = || iterations.is_some_and(|known| known <= arith::mask(bits));
                    step.abs() == 1 && (repetitions.first.bits() <= bits || fits())
                }
                Relation::Before { signed, .. } => {
                    before.meets
                        || iterations.is_some_and(|known| self.never_wraps(graph, &before, known, signed))
                        || seeded::is_active(Bug::IssWraps)
                }
            };
            holds.then_some(Turn { answer, before })
        })
    }

    /// Whether what is compared does not wrap in so many iterations from a known start.
    fn never_wraps(&self, graph: &Graph, of: &Repetitions, iterations: u128, signed: bool) -> bool {
        let last = || {
            let first = of.known_first(graph, self.theta)?;
            let bits = first.bits();
            let (first, least, greatest) = if signed {
                (first.signed(), -(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (first.unsigned() as i128, 0, arith::mask(bits) as i128)
            };
            let last = first.checked_add(of.step.checked_mul(i128::try_from(iterations).ok()?)?)?;
            Some((least..=greatest).contains(&last))
        };
        last() == Some(true)
    }
}

fn is_less(predicate: IntPredicate) -> bool {
    matches!(predicate, IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Slt | IntPredicate::Sle)
}
