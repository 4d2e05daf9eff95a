//! Variables in whose place other values are put under conditions: each lane keeps the value of its last iteration that did so and
//! the number of that, and the lane with the greatest number has the last value of all.

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
    /// By any value; the width of the numbers of iterations.
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

/// The width of the smallest numbers of iterations that a loop needs.
pub(super) fn counter_bits(graph: &Graph, plan: &Plan) -> Option<u32> {
    let variables = plan.theta.loop_vars(graph).zip(&plan.roles);
    let last = variables.filter(|(_, role)| matches!(role, Role::Reduction(of) if of.kind == ReductionKind::Last));
    last.map(|(variable, _)| number_bits(graph, &variable)).min()
}

/// As wide as the values, so that one comparison chooses between both, but not so narrow that there are soon too many.
fn number_bits(graph: &Graph, variable: &LoopVar) -> u32 {
    scalar_bits(graph.pool(), graph.ty(variable.pre)).expect("lanes are scalars").max(32)
}

impl Emission<'_, '_> {
    /// Makes the variables of the numbers of iterations that belong to a variable: zero before any.
    pub(super) fn number(&mut self, variable: &LoopVar) {
        let bits = number_bits(self.graph, variable);
        let none = self.graph.pool().int_const(self.graph.pool().int(bits), 0);
        let lanes = self.lanes;
        let none = build::splat_const(&mut self.outside(), none, lanes);
        let parts: Vec<LoopVar> = (0..self.plan.parts).map(|_| self.new.add_loop_var(self.graph, none)).collect();
        self.since.insert(variable.pre, parts.iter().map(|part| part.pre).collect());
        self.numbered.insert(variable.index, parts);
    }

    /// Settles what decides in each lane, which may be poison where a later iteration replaces what came of it, and notes since when
    /// lanes have their values.
    /// A value that another condition has put in the place of the one that stays otherwise is put there where both hold.
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

    /// The numbers of iterations, from one.
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

    /// What a variable is after the loop.
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

/// In each lane, of two values with numbers of iterations the one that is later.
fn later(at: &mut Insert<'_>, a: [Origin; 2], b: [Origin; 2]) -> [Origin; 2] {
    let relation = if seeded::is_active(Bug::VecLast) { IntPredicate::Ult } else { IntPredicate::Ugt };
    let is_later = build::compared(at, relation, b[1], a[1]);
    [0, 1].map(|index| {
        let ty = at.ty(a[index]);
        at.add(Op::Select(FastMath::NONE), &[is_later, b[index], a[index]], ty)
    })
}
