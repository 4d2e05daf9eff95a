//! Variables whose value is replaced under conditions: each lane keeps the value of its last replacement and the number of that
//! iteration; the lane with the greatest number has the final value.

use rustc_hash::FxHashMap;
use rvsdg_analysis::dependence::ReductionKind;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::Int;
use rvsdg_core::op::{FastMath, IntBinary, IntPredicate};
use rvsdg_core::structural::LoopVar;
use rvsdg_core::{Graph, Node, Op, Origin};

use super::super::build;
use super::super::plan::{Plan, Role};
use super::Emission;

/// How a `select` replaces a value.
#[derive(Copy, Clone)]
pub(super) enum Replacing {
    /// By one constant.
    Constant,
    /// By any value, with iteration numbers of this width.
    Any(u32),
}

/// The operations that replace values.
pub(super) fn replacing(graph: &Graph, plan: &Plan) -> FxHashMap<Node, Replacing> {
    let mut all = FxHashMap::default();
    for (variable, role) in plan.theta.loop_vars(graph).zip(&plan.roles) {
        let Role::Reduction(reduction) = role else { continue };
        let how = match reduction.kind {
            ReductionKind::Replacement => Replacing::Constant,
            ReductionKind::Last => Replacing::Any(number_bits(graph, &variable)),
            _ => continue,
        };
        all.extend(reduction.nodes.iter().map(|&node| (node, how)));
    }
    all
}

/// The width of the narrowest iteration numbers that a loop needs.
pub(super) fn counter_bits(graph: &Graph, plan: &Plan) -> Option<u32> {
    let variables = plan.theta.loop_vars(graph).zip(&plan.roles);
    let last = variables.filter(|(_, role)| matches!(role, Role::Reduction(of) if of.kind == ReductionKind::Last));
    last.map(|(variable, _)| number_bits(graph, &variable)).min()
}

/// As wide as the values, so that one comparison can select both, but wide enough for many iterations.
fn number_bits(graph: &Graph, variable: &LoopVar) -> u32 {
    scalar_bits(graph.pool(), graph.ty(variable.pre)).expect("lanes are scalars").max(32)
}

impl Emission<'_, '_> {
    /// Makes the variables for the iteration numbers of a variable: zero if there was no replacement.
    pub(super) fn number(&mut self, variable: &LoopVar) {
        let bits = number_bits(self.graph, variable);
        let none = self.graph.pool().int_const(self.graph.pool().int(bits), 0);
        let lanes = self.lanes;
        let none = build::splat_const(&mut self.outside(), none, lanes);
        let parts: Vec<LoopVar> = (0..self.plan.parts).map(|_| self.new.add_loop_var(self.graph, none)).collect();
        self.since.insert(variable.pre, parts.iter().map(|part| part.pre).collect());
        self.numbered.insert(variable.index, parts);
    }

    /// Freezes the conditions in each lane, which may be poison if a later iteration replaces the result anyway, and records in which
    /// iteration lanes got their values. If the new value is itself the result of replacing the same old value under another
    /// condition, the replacement happens where both conditions hold.
    pub(super) fn replace(&mut self, node: Node, how: Replacing, inputs: &mut [Vec<Origin>]) {
        let [conditions, values, _] = inputs else { return };
        for condition in conditions.iter_mut() {
            *condition = self.inside().freeze(*condition);
        }
        let mut arms = [1, 2].map(|index| self.graph.input(node, index));
        if let Some(inner) = self.graph.producer(arms[0])
            && let Some(others) = self.settled_conditions.get(&inner).cloned()
            && self.graph.input(inner, 2) == arms[1]
        {
            for (condition, other) in conditions.iter_mut().zip(others) {
                *condition = self.inside().binary(IntBinary::And, *condition, other);
            }
            arms[0] = self.graph.input(inner, 1);
            *values = self.lanes_of(arms[0]);
        }
        self.settled_conditions.insert(node, conditions.clone());
        let Replacing::Any(bits) = how else { return };
        let iterations = self.iterations(bits);
        let since = arms.map(|arm| self.since.get(&arm).cloned().unwrap_or_else(|| iterations.clone()));
        let mut numbers = Vec::new();
        for (part, &condition) in conditions.iter().enumerate() {
            let [then, otherwise] = [since[0][part], since[1][part]];
            let ty = self.graph.ty(then);
            numbers.push(self.inside().add(Op::Select(FastMath::NONE), &[condition, then, otherwise], ty));
        }
        self.since.insert(self.graph.output(node, 0), numbers);
    }

    /// The iteration numbers, from one.
    fn iterations(&mut self, bits: u32) -> Vec<Origin> {
        if let Some(known) = self.iterations.get(&bits) {
            return known.clone();
        }
        let (one, lanes) = (Int::new(bits, 1), self.lanes);
        let ty = self.graph.pool().int(bits);
        let first = build::multiples(&mut self.outside(), ty, one, 1, lanes);
        let numbers = self.counted(first, one);
        self.iterations.insert(bits, numbers.clone());
        numbers
    }

    /// The value of a variable after the loop.
    pub(super) fn last(&mut self, variable: &LoopVar, parts: &[LoopVar]) -> Origin {
        let (ty, lanes) = (self.graph.ty(variable.pre), self.lanes);
        let numbers = self.numbered[&variable.index].clone();
        let mut at = Insert::end(self.graph, self.runs);
        let pairs = parts.iter().zip(&numbers).map(|(value, number)| [value.output, number.output]);
        let pair = pairs.reduce(|a, b| later(&mut at, a, b)).expect("there is a part");
        let (mut pair, mut half) = (pair, lanes / 2);
        while half > 0 {
            let upper = pair.map(|vector| build::upper(&mut at, vector, lanes, half));
            pair = later(&mut at, pair, upper);
            half /= 2;
        }
        build::lane(&mut at, pair[0], 0, ty)
    }
}

/// Of two values with iteration numbers, the later one, in each lane.
fn later(at: &mut Insert<'_>, a: [Origin; 2], b: [Origin; 2]) -> [Origin; 2] {
    let relation = if seeded::is_active(Bug::VecLast) { IntPredicate::Ult } else { IntPredicate::Ugt };
    let is_later = build::compared(at, relation, b[1], a[1]);
    [0, 1].map(|index| {
        let ty = at.ty(a[index]);
        at.add(Op::Select(FastMath::NONE), &[is_later, b[index], a[index]], ty)
    })
}
