//! Final values: the values of variables after a counted loop, computed before it.
//!
//! From the chain of recurrences of a variable and the trip count, the final value is a polynomial: a chain
//! `{a, b, c, d}` is `a + b·C(n, 1) + c·C(n, 2) + d·C(n, 3)` after `n` steps, modulo two to the power of its width.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::evolution::{Chain, Evolution};
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::arith;
use rvsdg_core::op::{CastOp, IntBinary};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Origin, Type};

use crate::control::hoisting::Hoisting;
use crate::loops::trips::{count_before, linear};
use crate::pass::{Change, PassCx};

/// One third modulo 2^64.
const ONE_THIRD: u64 = 0xaaaa_aaaa_aaaa_aaab;

/// Computes the final values of a loop's variables if that makes the loop superfluous, which is then removed, or if the value is a sum
/// with a constant.
pub(crate) fn compute(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    try_compute(graph, theta, cx).unwrap_or(Change::Unchanged)
}

fn try_compute(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Option<Change> {
    let used: Vec<LoopVar> = theta.loop_vars(graph).filter(|variable| graph.has_users(variable.output)).collect();
    if used.is_empty() {
        return None;
    }
    let evolution = Evolution::of(graph, theta);
    let repetitions = evolution.repetitions(graph, cx.surroundings().and_then(Surroundings::data_layout))?;
    let known = repetitions.known_iterations(graph, theta);
    // After something that may not return, a bound may be poison although nothing undefined was executed.
    if !repetitions.is_exact(known) || !is_executed_wholly(graph, theta.body(graph)) {
        return None;
    }
    let mut chains: Vec<(LoopVar, Chain)> = used
        .iter()
        .filter_map(|&variable| Some((variable, evolution.chain(graph, graph.origin(variable.post))?)))
        .collect();
    let goes = chains.len() == used.len() && !theta.loop_vars(graph).any(|variable| graph.ty(variable.pre).is_state());
    if !goes {
        chains.retain(|(variable, chain)| known.is_some() && chain.step().is_some() && !variable.is_invariant(graph));
    }
    if chains.is_empty() || !cx.rewrite("final_values", graph, theta.node()) {
        return None;
    }
    let repeated = count_before(graph, theta, &repetitions, &evolution);
    let mut finals = Finals { evolution: &evolution, hoisting: Hoisting::default(), repeated };
    for (variable, chain) in &chains {
        let mut at = Insert::before(graph, theta.node());
        let before = evolution.chain(at.graph(), variable.pre).filter(|chain| chain.terms().len() == 2);
        let value = match before {
            Some(chain) => finals.after_all(&mut at, &chain),
            None => finals.after_repetitions(&mut at, chain),
        };
        graph.divert_users(variable.output, value);
    }
    cx.count("final_values", chains.len() as u64);
    if goes {
        graph.remove(theta.node());
        cx.count("loops", 1);
    }
    Some(Change::Changed)
}

/// Computes final values before a loop.
struct Finals<'e> {
    evolution: &'e Evolution,
    hoisting: Hoisting,
    /// How often the loop is repeated.
    repeated: Origin,
}

impl Finals<'_> {
    /// The value of a variable's chain, one step further, after all iterations. If the step is a multiple of another loop's iterations,
    /// this has fewer terms than the value computed by the last iteration.
    fn after_all(&mut self, at: &mut Insert<'_>, chain: &Chain) -> Origin {
        let [start, step] = chain.terms() else { unreachable!("the chain has one step") };
        let [start, step] = [start, step].map(|term| linear(at, self.evolution, &mut self.hoisting, term));
        let ty = at.ty(start);
        let repeated = converted(at, self.repeated, ty);
        let last = u64::from(!seeded::is_active(Bug::IvsLastIteration));
        let iterations = at.binary_int(IntBinary::Add, repeated, last);
        let distance = at.binary(IntBinary::Mul, step, iterations);
        at.binary(IntBinary::Add, start, distance)
    }

    /// The value of the chain of a computed value in the last iteration.
    fn after_repetitions(&mut self, at: &mut Insert<'_>, chain: &Chain) -> Origin {
        let start = linear(at, self.evolution, &mut self.hoisting, chain.start());
        let ty = at.ty(start);
        let mut sum = start;
        let mut chosen = converted(at, self.repeated, ty);
        for (index, step) in chain.terms().iter().enumerate().skip(1) {
            match index {
                1 => {}
                // C(n, 2): one of n and n − 1 is even, and (n >> 1) · ((n − 1) | 1) halves that one.
                2 => {
                    let half = at.binary_int(IntBinary::LShr, self.repeated, 1);
                    let before = at.binary_int(IntBinary::Sub, self.repeated, 1);
                    let odd = at.binary_int(IntBinary::Or, before, 1);
                    let [half, odd] = [half, odd].map(|part| converted(at, part, ty));
                    chosen = at.binary(IntBinary::Mul, half, odd);
                }
                // C(n, 3) = C(n, 2) · (n − 2) / 3, where the division is exact.
                _ => {
                    let repeated = converted(at, self.repeated, ty);
                    let less = at.binary_int(IntBinary::Sub, repeated, 2);
                    chosen = at.binary(IntBinary::Mul, chosen, less);
                    let bits = arith::width(at.graph().pool(), ty).expect("chains are integers");
                    let third = ONE_THIRD & arith::mask(bits) as u64;
                    chosen = at.binary_int(IntBinary::Mul, chosen, third);
                }
            }
            let is_known = step.known().is_some();
            let step = linear(at, self.evolution, &mut self.hoisting, step);
            // If nothing was added, the step may be poison.
            let step = if is_known || seeded::is_active(Bug::IvsStep) { step } else { at.freeze(step) };
            let part = at.binary(IntBinary::Mul, step, chosen);
            sum = at.binary(IntBinary::Add, sum, part);
        }
        sum
    }
}

/// A count converted to another width.
fn converted(at: &mut Insert<'_>, count: Origin, ty: Type) -> Origin {
    let of = at.ty(count);
    let pool = at.graph().pool();
    let widens = arith::width(pool, of) < arith::width(pool, ty);
    at.cast(if widens { CastOp::ZExt } else { CastOp::Trunc }, count, ty)
}
