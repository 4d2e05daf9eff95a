//! Variables whose value is replaced under conditions. By one constant: each lane tells whether there was a replacement. By other values: each
//! lane keeps the value of its last replacement and the number of that iteration; the lane with the greatest number has the final value. If
//! the values are on a line, that number tells which it is.

use rustc_hash::FxHashMap;
use rvsdg_analysis::dependence::ReductionKind;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, parts};
use rvsdg_core::op::{CastOp, FastMath, IntBinary, IntPredicate};
use rvsdg_core::structural::LoopVar;
use rvsdg_core::{Graph, Node, Op, Origin, Type};

use super::super::plan::{Plan, Role};
use super::Emission;
use crate::lanes::build;

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

    /// Makes the variables that tell whether a constant replaced a variable's value.
    pub(super) fn not_replaced(&mut self, variable: &LoopVar) -> Vec<LoopVar> {
        let (no, lanes) = (self.graph.pool().int_const(Type::I1, 0), self.lanes);
        let none = build::splat_const(&mut self.outside(), no, lanes);
        let parts: Vec<LoopVar> = (0..self.plan.parts).map(|_| self.new.add_loop_var(self.graph, none)).collect();
        self.wide.insert(variable.pre, parts.iter().map(|part| part.pre).collect());
        parts
    }

    /// Whether each lane was replaced by the constant, after a `select` that may keep it or the value that another one selected.
    pub(super) fn replaced(&mut self, node: Node) -> Vec<Origin> {
        let mut conditions = self.lanes_of(self.graph.input(node, 0));
        let arms = self.settle(node, &mut conditions);
        let [then, otherwise] = arms.map(|arm| self.wide.get(&arm).filter(|_| !self.is_constant(arm)).cloned());
        let (mut masks, lanes) = (Vec::new(), self.lanes);
        for (part, condition) in conditions.into_iter().enumerate() {
            let mut at = Insert::end(self.graph, self.body);
            let ty = at.ty(condition);
            masks.push(match (&then, &otherwise) {
                (None, Some(_)) if seeded::is_active(Bug::VecReplacement) => condition,
                (None, Some(before)) => at.binary(IntBinary::Or, condition, before[part]),
                (Some(before), None) => {
                    let yes = at.graph().pool().int_const(Type::I1, 1);
                    let all = build::splat_const(&mut at, yes, lanes);
                    let kept = at.binary(IntBinary::Xor, condition, all);
                    at.binary(IntBinary::Or, kept, before[part])
                }
                (Some(a), Some(b)) => at.add(Op::Select(FastMath::NONE), &[condition, a[part], b[part]], ty),
                (None, None) => unreachable!("one of the values is kept"),
            });
        }
        masks
    }

    /// Whether a value that a `select` chooses is the constant.
    fn is_constant(&self, arm: Origin) -> bool {
        known_constant(self.graph, arm).is_some()
    }

    /// The value after the loop of a variable that a constant may have replaced.
    pub(super) fn replacement(&mut self, variable: &LoopVar, nodes: &[Node], parts: &[LoopVar]) -> Origin {
        let arms = nodes.iter().flat_map(|&node| [1, 2].map(|index| self.graph.input(node, index)));
        let constant = arms.filter_map(|arm| known_constant(self.graph, arm)).next().expect("it is a constant");
        let start = self.start(variable);
        let mask = self.graph.pool().int(self.lanes);
        let mut at = Insert::end(self.graph, self.runs);
        let whole = parts.iter().map(|part| part.output).reduce(|a, b| at.binary(IntBinary::Or, a, b));
        let mask = at.cast(CastOp::BitCast, whole.expect("there is a part"), mask);
        let none = at.int(at.ty(mask), 0);
        let is_replaced = at.compare(IntPredicate::Ne, mask, none);
        let constant = at.constant(constant);
        at.select(is_replaced, constant, start)
    }

    /// Freezes the conditions of a `select` in each lane, which may be poison if a later iteration replaces the result anyway. If the new
    /// value is itself the result of replacing the same old value under another condition, the replacement happens where both hold.
    /// Returns what is selected then.
    fn settle(&mut self, node: Node, conditions: &mut [Origin]) -> [Origin; 2] {
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
        }
        self.settled_conditions.insert(node, conditions.to_vec());
        arms
    }

    /// Records in which iteration lanes got their values.
    pub(super) fn replace(&mut self, node: Node, bits: u32, inputs: &mut [Vec<Origin>]) {
        let [conditions, values, _] = inputs else { return };
        let arms = self.settle(node, conditions);
        *values = self.lanes_of(arms[0]);
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
    pub(super) fn last(&mut self, variable: &LoopVar, nodes: &[Node], parts: &[LoopVar]) -> Origin {
        let (ty, lanes) = (self.graph.ty(variable.pre), self.lanes);
        let numbers = self.numbered[&variable.index].clone();
        let line = self.line(nodes);
        let start = self.start(variable);
        let mut at = Insert::end(self.graph, self.runs);
        if let Some((first, step)) = line {
            let latest = ReductionKind::Choice(IntPredicate::Ugt);
            let number = numbers.iter().map(|number| number.output);
            let number = number.reduce(|a, b| build::combined(&mut at, latest, a, b)).expect("there is a part");
            let numbers = at.ty(number);
            let counts = parts::lane_type(at.graph().pool(), numbers).expect("it has lanes");
            let number = build::reduced(&mut at, latest, number, lanes, counts);
            let none = at.int(counts, 0);
            let is_replaced = at.compare(IntPredicate::Ne, number, none);
            // Iterations count from one.
            let number = at.cast(CastOp::Trunc, number, ty);
            let distance = at.binary_int(IntBinary::Mul, number, step.unsigned() as u64);
            let value = at.binary_int(IntBinary::Add, distance, first.sub(step).unsigned() as u64);
            return at.select(is_replaced, value, start);
        }
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

    /// If all selects replace by one value that changes by a known number from a known number on: that value in the first iteration, and
    /// that number.
    fn line(&self, nodes: &[Node]) -> Option<(Int, Int)> {
        let graph = &*self.graph;
        let is_kept = |arm: Origin| {
            let is_selected = graph.producer(arm).is_some_and(|node| nodes.contains(&node));
            is_selected || self.numbered.keys().any(|&index| self.plan.theta.loop_var(graph, index).pre == arm)
        };
        let arms = nodes.iter().flat_map(|&node| [1, 2].map(|index| graph.input(node, index)));
        let mut values = arms.filter(|&arm| !is_kept(arm));
        let value = values.next()?;
        if values.any(|other| other != value) {
            return None;
        }
        let cut =
            graph.producer(value).filter(|&node| matches!(graph.op(node), Some(Op::Cast { op: CastOp::Trunc, .. })));
        let whole = cut.map_or(value, |node| graph.input(node, 0));
        let bits = scalar_bits(graph.pool(), graph.ty(value)).filter(|&bits| bits <= u64::BITS)?;
        let evolution = &self.plan.evolution;
        let (first, step) = evolution.known_line(graph, &evolution.chain(graph, whole)?)?;
        Some((first.zext_or_trunc(bits), step.zext_or_trunc(bits)))
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
