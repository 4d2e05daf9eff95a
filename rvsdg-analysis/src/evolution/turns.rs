//! Comparisons in a loop that have one value up to some iteration and the other one from then on, or in that iteration only.

use rvsdg_core::fold::arith;
use rvsdg_core::op::IntPredicate;
use rvsdg_core::{Graph, Node, Op, Type};

use super::{Evolution, Relation, Repetitions};
use crate::seeded::{self, Bug};

/// The iteration in which a comparison changes its value.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The value in the first iterations.
    pub answer: bool,
    /// The number of these iterations as an exit condition, regardless of the trip count of the loop. The compared value in the first
    /// iteration is [`Repetitions::first`].
    pub before: Repetitions,
}

impl Turn {
    /// Whether the value is different in a single iteration only.
    pub fn is_once(&self) -> bool {
        self.before.relation == Relation::Differs
    }
}

impl Evolution {
    /// The iteration in which a comparison of integers of the body changes its value, in a loop with a trip count that may be known.
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
                // In that many iterations each number occurs at most once.
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

    /// Whether the compared value does not wrap in that many iterations from a known start.
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
