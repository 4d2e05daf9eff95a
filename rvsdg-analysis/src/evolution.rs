//! Scalar evolution: how integers change in a loop, and trip counts.
//!
//! A value of the body is a *chain of recurrences* {a, +, b, +, c, …} if in iteration k, counted from 0, it is a + b·k + c·k(k−1)/2 + …
//! modulo 2^width (Bachmann, Wang and Zima, "Chains of recurrences", ISSAC 1994). Each of a, b, c is a [`Linear`] combination of loop
//! invariants. So chains are exact even if arithmetic wraps; whether it does is a separate fact, which the flags of a variable's
//! increment may exclude ([`Evolution::promises`]): if the increment violates its flags, the variable is poison from then on.
//!
//! A θ is tail-controlled. [`Evolution::repetitions`] understands exit conditions that compare a chain {a, +, b}, b known, with an
//! invariant, for integers and addresses. Its results hold for every defined execution of the loop; branching on poison is not defined.
//! For loops with several exits, or if the bound is unknown, [`Evolution::iterations_at_most`] may know an upper bound of the trip count.
//! [`Evolution::approaches`] finds the exit conditions that hold until a counter equals a bound, whatever its number of steps.
//! [`Evolution::turn`] tells up to which iteration another comparison keeps its value, and [`step_if_repeated`] how a variable changes in a
//! loop that may be left before it does.
//!
//! Left out: counting with unknown steps; values that are converted between widths (widening of induction variables turns most of them
//! into chains); minima and maxima.

mod addresses;
mod approach;
mod at_most;
mod linear;
mod pointers;
mod repeated;
mod repetitions;
mod turns;

pub use addresses::Address;
pub use approach::Approach;
pub use linear::Linear;
pub use pointers::pointer_iterations;
pub use repeated::{Step, in_body, step_if_repeated};
pub use repetitions::{Relation, Repetitions};
pub use turns::Turn;

use rustc_hash::FxHashMap;
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::layout::DataLayout;
use rvsdg_core::op::{BinaryFlags, IntBinary};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef};

use crate::invariant::{Invariants, known_constant};

/// The maximum depth of operations between a value and variables or constants.
const DEPTH: u32 = 6;
/// The maximum number of steps of a chain: a cube of an induction variable has three.
const MAX_STEPS: usize = 3;
/// The maximum width of integers.
const MAX_BITS: u32 = 64;

/// A chain of recurrences: its start and its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The value in iteration 0, then the steps. Only the first may be zero, or the last is not.
    terms: Vec<Linear>,
}

impl Chain {
    fn new(mut terms: Vec<Linear>) -> Chain {
        while terms.len() > 1 && terms.last().is_some_and(Linear::is_zero) {
            terms.pop();
        }
        Chain { terms }
    }

    /// The chain of an invariant.
    pub fn of(value: Linear) -> Chain {
        Chain { terms: vec![value] }
    }

    /// The value in the first iteration.
    pub fn start(&self) -> &Linear {
        &self.terms[0]
    }

    /// The value in the first iteration, then the steps: what is added to the value, what is added to that, and so on.
    pub fn terms(&self) -> &[Linear] {
        &self.terms
    }

    /// Whether the value does not change.
    pub fn is_invariant(&self) -> bool {
        self.terms.len() == 1
    }

    /// What is added in each iteration, if that is invariant; zero for an invariant chain.
    pub fn step(&self) -> Option<Linear> {
        match self.terms.as_slice() {
            [start] => Some(start.zero()),
            [_, step] => Some(step.clone()),
            _ => None,
        }
    }

    /// The value in iteration `k` of a chain with known terms.
    pub fn at(&self, k: u64) -> Option<Int> {
        let mut sum: Option<Int> = None;
        // Binomial coefficients modulo 2^128, exact for the few steps there are.
        let mut chosen: u128 = 1;
        for (index, term) in self.terms.iter().enumerate() {
            let value = term.known()?;
            let part = value.mul(value.with(chosen));
            sum = Some(sum.map_or(part, |sum| sum.add(part)));
            let index = index as u128;
            chosen = chosen.checked_mul(u128::from(k).wrapping_sub(index).min(u128::from(k)))? / (index + 1);
        }
        sum
    }

    fn combine(&self, other: &Chain, by: impl Fn(&Linear, &Linear) -> Linear) -> Chain {
        let zero = self.terms[0].zero();
        let length = self.terms.len().max(other.terms.len());
        let term = |chain: &Chain, index: usize| chain.terms.get(index).cloned().unwrap_or_else(|| zero.clone());
        Chain::new((0..length).map(|index| by(&term(self, index), &term(other, index))).collect())
    }

    /// The sum with another chain of the same width.
    pub fn plus(&self, other: &Chain) -> Chain {
        self.combine(other, Linear::plus)
    }

    /// The product with a known integer of the same width.
    pub fn scaled(&self, by: Int) -> Chain {
        Chain::new(self.terms.iter().map(|term| term.scaled(by)).collect())
    }
}

/// Facts about the variables of a loop.
pub struct Evolution {
    theta: Theta,
    invariants: Invariants,
    /// Variables that change, by argument.
    variables: FxHashMap<Origin, Recurrence>,
    /// The arguments by their increments.
    increments: FxHashMap<Node, Origin>,
}

/// A variable to which something is added in each iteration.
#[derive(Clone)]
struct Recurrence {
    chain: Chain,
    increment: Node,
}

impl Evolution {
    /// Analyzes the variables of a loop.
    pub fn of(graph: &Graph, theta: Theta) -> Evolution {
        let mut evolution = Evolution {
            theta,
            invariants: Invariants::of(graph, theta),
            variables: FxHashMap::default(),
            increments: FxHashMap::default(),
        };
        // A step that changes itself becomes known one round later.
        for _ in 0..MAX_STEPS {
            let before = evolution.variables.len();
            for variable in theta.loop_vars(graph) {
                if !evolution.variables.contains_key(&variable.pre)
                    && let Some(found) = evolution.recurrence(graph, variable.pre, graph.origin(variable.post))
                {
                    evolution.increments.insert(found.increment, variable.pre);
                    evolution.variables.insert(variable.pre, found);
                }
            }
            if evolution.variables.len() == before {
                break;
            }
        }
        evolution
    }

    fn recurrence(&self, graph: &Graph, pre: Origin, post: Origin) -> Option<Recurrence> {
        let bits = arith::width(graph.pool(), graph.ty(pre)).filter(|&bits| bits <= MAX_BITS)?;
        let increment = graph.producer(post)?;
        let Some(Op::IntBinary { op, .. }) = graph.op(increment) else { return None };
        let (a, b) = (graph.input(increment, 0), graph.input(increment, 1));
        let step = match op {
            IntBinary::Add if a == pre => self.chain(graph, b)?,
            IntBinary::Add if b == pre => self.chain(graph, a)?,
            IntBinary::Sub if a == pre => self.chain(graph, b)?.scaled(Int::new(bits, u128::MAX)),
            _ => return None,
        };
        if step.terms.len() > MAX_STEPS {
            return None;
        }
        let mut terms = vec![Linear::of(pre, bits)];
        terms.extend(step.terms);
        Some(Recurrence { chain: Chain::new(terms), increment })
    }

    /// The loop.
    pub fn theta(&self) -> Theta {
        self.theta
    }

    /// The invariants of the loop.
    pub fn invariants(&self) -> &Invariants {
        &self.invariants
    }

    /// The chain of a value of the body. Its linear combinations are in terms of invariants in the body, and of arguments at their value
    /// in the first iteration.
    pub fn chain(&self, graph: &Graph, origin: Origin) -> Option<Chain> {
        self.chain_within(graph, origin, DEPTH)
    }

    /// At most `DEPTH` calls deep.
    fn chain_within(&self, graph: &Graph, origin: Origin, depth: u32) -> Option<Chain> {
        let bits = arith::width(graph.pool(), graph.ty(origin)).filter(|&bits| bits <= MAX_BITS)?;
        if let Some(value) = known_constant(graph, origin) {
            return Some(Chain::new(vec![Linear::constant(Int::of_const(graph.pool(), value)?)]));
        }
        if let Some(recurrence) = self.variables.get(&origin) {
            return Some(recurrence.chain.clone());
        }
        let unchanged =
            || self.invariants.is_available(graph, origin).then(|| Chain::new(vec![Linear::of(origin, bits)]));
        let Some(node) = graph.producer(origin).filter(|_| depth > 0) else { return unchanged() };
        let of = |index: usize| self.chain_within(graph, graph.input(node, index), depth - 1);
        let computed = match graph.op(node) {
            Some(Op::IntBinary { op, .. }) => match op {
                IntBinary::Add => of(0).zip(of(1)).map(|(a, b)| a.plus(&b)),
                IntBinary::Sub => of(0).zip(of(1)).map(|(a, b)| a.combine(&b, Linear::minus)),
                IntBinary::Mul => of(0).zip(of(1)).and_then(|(a, b)| match (known(&a), known(&b)) {
                    (_, Some(by)) => Some(a.scaled(by)),
                    (Some(by), None) => Some(b.scaled(by)),
                    (None, None) => None,
                }),
                IntBinary::Shl => of(0).zip(of(1)).and_then(|(a, b)| {
                    let by = Int::new(bits, 1).shl(known(&b)?)?;
                    Some(a.scaled(by))
                }),
                IntBinary::UDiv
                | IntBinary::SDiv
                | IntBinary::URem
                | IntBinary::SRem
                | IntBinary::LShr
                | IntBinary::AShr
                | IntBinary::And
                | IntBinary::Or
                | IntBinary::Xor => None,
            },
            Some(_) | None => None,
        };
        computed.or_else(unchanged)
    }

    /// The value of a chain in the first iteration and what is added in each, if both are known.
    pub fn known_line(&self, graph: &Graph, chain: &Chain) -> Option<(Int, Int)> {
        Some((repetitions::at_start(graph, self.theta, chain.start())?, chain.step()?.known()?))
    }

    /// The flags of a variable's increment as a sum, if a value is that variable or its increment.
    pub fn promises(&self, graph: &Graph, origin: Origin) -> BinaryFlags {
        let recurrence = self.variables.get(&origin).or_else(|| {
            let argument = self.increments.get(&graph.producer(origin)?)?;
            self.variables.get(argument)
        });
        let Some(Recurrence { chain, increment }) = recurrence else { return BinaryFlags::NONE };
        match graph.op(*increment) {
            Some(Op::IntBinary { op: IntBinary::Add, flags }) => flags,
            // Of a difference, only `nsw` carries over to the sum, except for the number without a negation.
            Some(Op::IntBinary { op: IntBinary::Sub, flags })
                if flags.contains(BinaryFlags::NSW)
                    && chain.step().and_then(|step| step.known()).is_some_and(|step| !step.is_min_signed()) =>
            {
                BinaryFlags::NSW
            }
            Some(_) | None => BinaryFlags::NONE,
        }
    }

    /// The loop variable of an argument of the body, if an invariant is added to it.
    pub fn variable(&self, graph: &Graph, argument: Origin) -> Option<LoopVar> {
        let OriginDef::Argument(_, index) = graph.def(argument) else { return None };
        self.variables.get(&argument).filter(|found| found.chain.step().is_some())?;
        Some(self.theta.loop_var(graph, index as usize))
    }

    /// The exit condition and trip count of the loop, if they can be computed before it. The data layout tells how far addresses move.
    pub fn repetitions(&self, graph: &Graph, data: Option<&DataLayout>) -> Option<Repetitions> {
        Repetitions::of(graph, self, data)
    }
}

/// The value of a known, invariant chain.
fn known(chain: &Chain) -> Option<Int> {
    chain.is_invariant().then(|| chain.start().known()).flatten()
}

#[cfg(test)]
mod tests;
