//! Exit conditions and trip counts.

use rvsdg_core::fold::{Int, arith};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::op::{BinaryFlags, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Type};

use super::{Address, Chain, Evolution, Linear, pointers};
use crate::invariant::known_constant;
use crate::seeded::{self, Bug};

/// The relation that continues a loop, with the compared value on its left and an invariant on its right.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Until both are equal. If the step is not 1 or −1, they may never be, unless [`Repetitions::meets`].
    Differs,
    /// While less, with a positive step; or while greater, with a negative step.
    Before {
        /// Whether the comparison is signed.
        signed: bool,
        /// Whether equality continues the loop, too.
        or_equal: bool,
    },
}

/// The exit condition of a loop: it continues while a compared value is in a relation to a bound.
#[derive(Clone, Debug)]
pub struct Repetitions {
    /// The compared value in the body.
    pub compared: Origin,
    /// Its value at the end of the first iteration.
    pub first: Linear,
    /// By how much it changes from each iteration to the next; not zero. Signed.
    pub step: i128,
    /// The relation.
    pub relation: Relation,
    /// The bound.
    pub bound: Linear,
    /// Whether the compared value does not wrap: it moves towards the bound in every iteration, and becomes poison if it never equals the
    /// bound.
    pub meets: bool,
    /// For addresses, the pointer in the body from which `compared` is computed.
    pub base: Option<Origin>,
    /// The known trip count for addresses.
    counted: Option<u64>,
}

impl Repetitions {
    pub(super) fn of(graph: &Graph, evolution: &Evolution, data: Option<&DataLayout>) -> Option<Repetitions> {
        let decision = graph.producer(graph.origin(evolution.theta.predicate(graph)))?;
        let Some(Op::Match(table)) = graph.op(decision) else { return None };
        let pool = graph.pool();
        let table = pool.table(table);
        let operand = graph.input(decision, 0);
        let &[(value, chosen)] = table.cases.as_ref() else { return None };
        if chosen == table.default {
            return None;
        }
        let value = Int::of_const(pool, value)?;
        let comparison = graph.producer(operand).filter(|_| value.bits() == 1).map(|node| (node, graph.op(node)));
        if let Some((node, Some(Op::ICmp { predicate, .. }))) = comparison {
            // The loop continues either if the comparison holds, or if it does not.
            let predicate = if (chosen == 1) == value.is_one() { predicate } else { arith::inverse(predicate) };
            let (a, b) = (graph.input(node, 0), graph.input(node, 1));
            if graph.ty(a) == Type::PTR {
                return Self::of_addresses(graph, evolution, data?, [a, b], predicate);
            }
            let [of_a, of_b] = [evolution.chain(graph, a)?, evolution.chain(graph, b)?];
            return Self::of_integers(graph, evolution, a, predicate, &of_b)
                .or_else(|| Self::of_integers(graph, evolution, b, arith::swapped(predicate), &of_a))
                .or_else(|| Self::of_both(graph, evolution, a, predicate, [of_a, of_b]));
        }
        if chosen == 1 {
            return None;
        }
        let bound = Chain::new(vec![Linear::constant(value)]);
        Self::of_integers(graph, evolution, operand, IntPredicate::Ne, &bound)
    }

    fn of_integers(
        graph: &Graph,
        evolution: &Evolution,
        compared: Origin,
        predicate: IntPredicate,
        bound: &Chain,
    ) -> Option<Repetitions> {
        let chain = evolution.chain(graph, compared)?;
        // An unsigned sum that decreases without wrapping is poison after one step, and so is the condition: trivially, the loop ends.
        let promises = |promise| evolution.promises(graph, compared).contains(promise);
        Self::find(compared, predicate, &chain, bound, promises)
    }

    /// Two values that both change, by known numbers from known numbers on: the loop continues until the first has the value that it has
    /// when the relation does not hold. Neither wraps until then.
    fn of_both(
        graph: &Graph,
        evolution: &Evolution,
        compared: Origin,
        predicate: IntPredicate,
        chains: [Chain; 2],
    ) -> Option<Repetitions> {
        let signed = match predicate {
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => true,
            IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => false,
            IntPredicate::Eq | IntPredicate::Ne => return None,
        };
        if chains.iter().any(Chain::is_invariant) {
            return None;
        }
        let bits = chains[0].start().bits();
        let (least, greatest) =
            if signed { (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1) } else { (0, arith::mask(bits) as i128) };
        let mut values = [(0, 0); 2];
        for (value, chain) in values.iter_mut().zip(&chains) {
            let (start, step) = evolution.known_line(graph, chain)?;
            let start = if signed { start.signed() } else { i128::try_from(start.unsigned()).ok()? };
            *value = (start, step.signed());
        }
        let [(a, step_a), (b, step_b)] = values;
        // The distance that remains, and by how much it decreases.
        let is_less =
            matches!(predicate, IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Ult | IntPredicate::Ule);
        let (distance, step) = if is_less { (b - a, step_a - step_b) } else { (a - b, step_b - step_a) };
        let or_equal =
            matches!(predicate, IntPredicate::Sle | IntPredicate::Sge | IntPredicate::Ule | IntPredicate::Uge);
        let left = distance - i128::from(!or_equal);
        let repeated = if left < 0 { 0 } else { left.checked_div(step.max(0))? + 1 };
        let last = |start: i128, step: i128| start.checked_add(step.checked_mul(repeated)?);
        let lasts = [last(a, step_a)?, last(b, step_b)?];
        if !lasts.iter().all(|last| (least..=greatest).contains(last)) {
            return None;
        }
        Some(Repetitions {
            compared,
            first: chains[0].start().clone(),
            step: step_a,
            relation: Relation::Differs,
            bound: Linear::constant(Int::new(bits, lasts[0] as u128)),
            meets: true,
            base: None,
            counted: None,
        })
    }

    /// Addresses are compared as unsigned integers; those that are all in bounds of one object do not wrap.
    fn of_addresses(
        graph: &Graph,
        evolution: &Evolution,
        data: &DataLayout,
        [a, b]: [Origin; 2],
        predicate: IntPredicate,
    ) -> Option<Repetitions> {
        let mut layouts = Layouts::new(data.clone());
        let [of_a, of_b] = [a, b].map(|pointer| evolution.address(graph, &mut layouts, pointer));
        let (of_a, of_b) = (of_a?, of_b?);
        let absolute = |address: &Address| {
            address.distance.plus(&Chain::of(Linear::of(address.base, address.distance.start().bits())))
        };
        let (chain_a, chain_b) = (absolute(&of_a), absolute(&of_b));
        let promises = |compared| {
            move |promise| promise == BinaryFlags::NUW && pointers::stays_in_bounds(graph, evolution, compared)
        };
        let found =
            Self::find(a, predicate, &chain_a, &chain_b, promises(a)).map(|found| (found, of_a.base)).or_else(|| {
                let found = Self::find(b, arith::swapped(predicate), &chain_b, &chain_a, promises(b))?;
                Some((found, of_b.base))
            });
        let (found, base) = found?;
        let counted = pointers::pointer_iterations(graph, evolution.theta, &mut layouts);
        Some(Repetitions { base: Some(base), counted, ..found })
    }

    pub(super) fn find(
        compared: Origin,
        predicate: IntPredicate,
        chain: &Chain,
        bound: &Chain,
        promises: impl Fn(BinaryFlags) -> bool,
    ) -> Option<Repetitions> {
        if !bound.is_invariant() {
            return None;
        }
        let step = chain.step()?.known()?;
        let (first, bound) = (chain.start().clone(), bound.start().clone());
        let (relation, rising) = match predicate {
            IntPredicate::Eq => return None,
            IntPredicate::Ne => (Relation::Differs, !step.is_negative()),
            IntPredicate::Ult => (Relation::Before { signed: false, or_equal: false }, true),
            IntPredicate::Ule => (Relation::Before { signed: false, or_equal: true }, true),
            IntPredicate::Slt => (Relation::Before { signed: true, or_equal: false }, true),
            IntPredicate::Sle => (Relation::Before { signed: true, or_equal: true }, true),
            IntPredicate::Ugt => (Relation::Before { signed: false, or_equal: false }, false),
            IntPredicate::Uge => (Relation::Before { signed: false, or_equal: true }, false),
            IntPredicate::Sgt => (Relation::Before { signed: true, or_equal: false }, false),
            IntPredicate::Sge => (Relation::Before { signed: true, or_equal: true }, false),
        };
        let step = step.signed();
        if step == 0 || step.is_positive() != rising {
            return None;
        }
        let (meets, terminates) = match relation {
            Relation::Differs => (promises(BinaryFlags::NSW) || promises(BinaryFlags::NUW), true),
            Relation::Before { signed, or_equal } => {
                let promised = promises(if signed { BinaryFlags::NSW } else { BinaryFlags::NUW });
                let ends = step.abs() == 1 && !or_equal || stays_in_range(&bound, step, signed, or_equal);
                (promised, promised || ends)
            }
        };
        let meets = meets || seeded::is_active(Bug::IvsMeets);
        terminates.then_some(Repetitions { compared, first, step, relation, bound, meets, base: None, counted: None })
    }

    /// Whether the number of repetitions can be computed before the loop, given the trip count if it is known.
    pub fn is_exact(&self, known: Option<u128>) -> bool {
        known.is_some() || self.relation != Relation::Differs || self.step.abs() == 1 || self.meets
    }

    /// The trip count, if it is known: at least one.
    pub fn known_iterations(&self, graph: &Graph, theta: Theta) -> Option<u128> {
        if self.base.is_some() {
            return self.counted.map(u128::from);
        }
        let (first, bound) = (self.known_first(graph, theta)?, at_start(graph, theta, &self.bound)?);
        let magnitude = self.step.unsigned_abs();
        let repetitions = match self.relation {
            Relation::Differs => {
                let distance = if self.step.is_positive() { bound.sub(first) } else { first.sub(bound) }.unsigned();
                (distance.is_multiple_of(magnitude) || seeded::is_active(Bug::UrlMissed))
                    .then_some(distance / magnitude)?
            }
            Relation::Before { signed, or_equal } => {
                let (low, high) = if self.step.is_positive() { (first, bound) } else { (bound, first) };
                let (holds, distance) = if signed || seeded::is_active(Bug::UrlSigned) {
                    (low.signed() < high.signed(), high.signed().abs_diff(low.signed()))
                } else {
                    (low.unsigned() < high.unsigned(), high.unsigned().wrapping_sub(low.unsigned()))
                };
                match (holds, or_equal) {
                    (true, false) => (distance - 1) / magnitude + 1,
                    (true, true) => distance / magnitude + u128::from(!seeded::is_active(Bug::UrlInclusive)),
                    (false, true) if low == high => 1,
                    (false, _) => 0,
                }
            }
        };
        Some(repetitions + 1)
    }

    /// The compared value at the end of the first iteration, if it is a known integer.
    pub fn known_first(&self, graph: &Graph, theta: Theta) -> Option<Int> {
        at_start(graph, theta, &self.first)
    }
}

/// The value of a linear combination for the initial values of variables, if it is known.
pub(super) fn at_start(graph: &Graph, theta: Theta, value: &Linear) -> Option<Int> {
    let mut sum = value.offset();
    for &(origin, factor) in value.terms() {
        let (of, variable) = Theta::loop_var_of_argument(graph, origin)?;
        let start = known_constant(graph, graph.origin(variable.input)).filter(|_| of == theta)?;
        sum = sum.add(Int::of_const(graph.pool(), start)?.mul(factor));
    }
    Some(sum)
}

/// Whether stepping over a known bound does not wrap.
fn stays_in_range(bound: &Linear, step: i128, signed: bool, or_equal: bool) -> bool {
    let Some(bound) = bound.known() else { return false };
    let bits = bound.bits();
    let (value, least, greatest) = if signed {
        (bound.signed(), -(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (bound.unsigned() as i128, 0, arith::mask(bits) as i128)
    };
    // The last value that continues the loop is at most the bound, or the value before it.
    let last = if or_equal { value } else { value - step.signum() };
    (least..=greatest).contains(&(last + step))
}
