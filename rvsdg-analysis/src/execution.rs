//! Loops executed at compile time: their trip counts, the values of their variables at the end, and variables that are one constant in all
//! iterations.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, NodeKind, Op, Origin, OriginDef, Region};
use smallvec::SmallVec;

use crate::invariant::follow_out;
use crate::safety::has_states;
use crate::seeded::{self, Bug};

/// The maximum number of iterations executed of each loop, as in LLVM.
pub const MAX_COMPUTED: u64 = 100;

/// The maximum number of values in the loop on which a result depends.
const MAX_NEEDED: usize = 128;

/// The maximum number of operations executed, in all iterations together.
const MAX_EXECUTED: u32 = 1 << 13;

/// The maximum number of times that fewer variables are assumed to keep their values.
const MAX_ROUNDS: u32 = 8;

/// The maximum depth of conditionals and loops in the loop.
const MAX_DEPTH: u32 = 8;

/// The trip count of a loop whose exit conditions depend on constants only: initial values of variables, and constants in the loop.
/// `while (n) n >>= 1`, for a known `n`, is one without an addition.
///
/// Linear in the number of nodes of the loop's body, plus the operations executed, whose number is bounded.
pub fn computed_iterations(graph: &Graph, theta: Theta) -> Option<u64> {
    let mut slice = Slice::of(graph, theta)?;
    let iterations = Execution::of(graph, &mut slice).repeat(theta, MAX_DEPTH)?;
    Some(iterations - u64::from(seeded::is_active(Bug::UrlComputed)))
}

/// The variables of such a loop, among those that are wanted, whose values after it depend on constants only, and these values, as
/// operations without operands: integers, floating-point numbers, null and predicates.
pub fn final_values(graph: &Graph, theta: Theta, wanted: impl Fn(LoopVar) -> bool) -> Vec<(LoopVar, Op)> {
    let is_changed = |variable: &LoopVar| !variable.is_invariant(graph) && !graph.ty(variable.pre).is_state();
    let mut variables: Vec<LoopVar> =
        theta.loop_vars(graph).filter(|variable| is_changed(variable) && wanted(*variable)).collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let Some(mut slice) = Slice::of(graph, theta) else { return Vec::new() };
    variables.retain(|variable| slice.add(graph, graph.origin(variable.post)));
    if variables.is_empty() {
        return Vec::new();
    }
    let mut execution = Execution::of(graph, &mut slice);
    if execution.repeat(theta, MAX_DEPTH).is_none() {
        return Vec::new();
    }
    let value = |variable: LoopVar| Some((variable, execution.values.get(&graph.origin(variable.post))?.plain(graph)?));
    variables.into_iter().filter_map(value).collect()
}

/// The variables of a loop that have one value in all iterations, a constant with which they enter it, although they are computed anew:
/// `j` and `k` in `j = 1, k = 2; do { j = j * (k - j); k = k * j; }`. With their values, as operations without operands.
///
/// It is assumed of as many variables as possible, and holds by induction if one iteration confirms it for all of them (conditional
/// constant propagation: Wegman and Zadeck, TOPLAS 1991). Linear in the number of variables, plus the operations executed, whose number is
/// bounded.
pub fn steady_values(graph: &Graph, theta: Theta) -> Vec<(LoopVar, Op)> {
    let start = |variable: LoopVar| start(graph, variable)?.plain(graph);
    let is_used = |variable: &LoopVar| graph.has_users(variable.pre) || graph.has_users(variable.output);
    let mut steady: Vec<(LoopVar, Op)> = theta
        .loop_vars(graph)
        .filter(|&variable| !graph.ty(variable.pre).is_state() && may_be_steady(graph, variable))
        .filter_map(|variable| Some((variable, start(variable)?)))
        .collect();
    for _ in 0..MAX_ROUNDS {
        if steady.iter().all(|(variable, _)| variable.is_invariant(graph)) {
            break;
        }
        let assumed = steady.iter().map(|(variable, _)| variable.pre).collect();
        let mut slice = Slice { assumed: Some(assumed), ..Slice::empty(theta) };
        let before = steady.len();
        steady.retain(|(variable, _)| slice.add(graph, graph.origin(variable.post)));
        let mut execution = Execution::of(graph, &mut slice);
        if execution.region(theta.body(graph), MAX_DEPTH).is_none() {
            break;
        }
        steady.retain(|&(variable, op)| {
            execution.get(graph.origin(variable.post)).and_then(|value| value.plain(graph)) == Some(op)
        });
        if steady.len() == before {
            steady.retain(|(variable, _)| !variable.is_invariant(graph) && is_used(variable));
            return steady;
        }
    }
    Vec::new()
}

/// Whether it is not obvious that a variable changes, or is unknown: counters, and what is loaded or returned.
fn may_be_steady(graph: &Graph, variable: LoopVar) -> bool {
    let post = graph.origin(variable.post);
    let Some(node) = graph.producer(post) else { return true };
    match graph.op(node) {
        Some(Op::IntBinary { op: IntBinary::Add | IntBinary::Sub, .. }) => {
            let is_step = |origin| fold::int(graph, origin).is_some_and(|step| !step.is_zero());
            graph.input(node, 0) != variable.pre || !is_step(graph.input(node, 1))
        }
        Some(op) => op.effects(graph.pool()).count() == 0,
        None => true,
    }
}

/// What a value is in an iteration.
#[derive(Copy, Clone)]
pub enum Value {
    /// A constant without symbols.
    Constant(Const),
    /// A predicate.
    Predicate {
        /// The alternative that it chooses.
        value: u32,
        /// The number of alternatives.
        of: u32,
    },
}

impl Value {
    /// The value that an operation without operands has in all iterations.
    pub fn of(graph: &Graph, origin: Origin) -> Option<Value> {
        match graph.op(graph.producer(origin)?)? {
            Op::CtlConst { value, of } => Some(Value::Predicate { value, of }),
            _ => fold::constant(graph, origin).map(Value::Constant),
        }
    }

    fn constant(self) -> Option<Const> {
        match self {
            Value::Constant(constant) => Some(constant),
            Value::Predicate { .. } => None,
        }
    }

    /// The operation that yields the value, if it is the same wherever it is used: not so undef, nor a vector of which some lane may be.
    fn plain(self, graph: &Graph) -> Option<Op> {
        match self {
            Value::Predicate { value, of } => Some(Op::CtlConst { value, of }),
            Value::Constant(constant) => {
                let is_plain = matches!(
                    graph.pool().constant(constant),
                    Constant::Int { .. } | Constant::Float { .. } | Constant::Zero(_)
                );
                is_plain.then_some(Op::Const(constant))
            }
        }
    }
}

/// What the exit condition of a loop, or values in the loop, depend on. Unless something is assumed, all of it depends on constants only.
struct Slice {
    theta: Theta,
    /// The variables of the loop that are assumed to keep their values, at the start of an iteration. The slice is of one iteration then,
    /// in which other values may be unknown.
    assumed: Option<FxHashSet<Origin>>,
    /// Values of the body and of regions in it.
    values: FxHashSet<Origin>,
    /// The nodes of each region that compute them, in topological order, once it is executed.
    nodes: FxHashMap<Region, Vec<Node>>,
}

impl Slice {
    fn empty(theta: Theta) -> Slice {
        Slice { theta, assumed: None, values: FxHashSet::default(), nodes: FxHashMap::default() }
    }

    /// The slice of the exit condition.
    fn of(graph: &Graph, theta: Theta) -> Option<Slice> {
        let mut slice = Slice::empty(theta);
        slice.add(graph, graph.origin(theta.predicate(graph))).then_some(slice)
    }

    /// Adds what a value depends on, if that is constants only.
    fn add(&mut self, graph: &Graph, origin: Origin) -> bool {
        let Some(values) = self.needed(graph, origin) else { return false };
        self.values.extend(values);
        true
    }

    /// Orders the nodes that compute the values.
    fn order(&mut self, graph: &Graph) {
        enum Step {
            Visit(Node),
            Add(Node),
        }
        let values = &self.values;
        let visit = |origin: Origin| {
            let producer = values.contains(&origin).then(|| graph.producer(origin)).flatten();
            producer.map(Step::Visit)
        };
        let mut seen: FxHashSet<Node> = FxHashSet::default();
        let mut pending: Vec<Step> = values.iter().copied().filter_map(visit).collect();
        while let Some(step) = pending.pop() {
            match step {
                Step::Visit(node) if seen.insert(node) => {
                    pending.push(Step::Add(node));
                    pending.extend(graph.input_origins(node).filter_map(visit));
                }
                Step::Visit(_) => {}
                Step::Add(node) => self.nodes.entry(graph.region_of(node)).or_default().push(node),
            }
        }
    }

    /// The values in the loop that a value depends on, without those of the slice.
    fn needed(&self, graph: &Graph, origin: Origin) -> Option<FxHashSet<Origin>> {
        let mut needed = FxHashSet::default();
        let mut pending = vec![origin];
        while let Some(origin) = pending.pop() {
            if self.values.contains(&origin) || !needed.insert(origin) {
                continue;
            }
            if self.values.len() + needed.len() > MAX_NEEDED {
                return None;
            }
            match graph.def(origin) {
                OriginDef::Argument(region, index) => {
                    let (node, index) = (graph.parent(region)?, index as usize);
                    if let Some(theta) = Theta::new(graph, node) {
                        let variable = theta.loop_var(graph, index);
                        if theta == self.theta && self.assumed.is_some() {
                            continue;
                        }
                        pending.push(graph.origin(variable.post));
                        if theta == self.theta {
                            start(graph, variable)?;
                        } else {
                            pending.push(graph.origin(variable.input));
                        }
                    } else {
                        pending.push(graph.input(node, index + 1));
                    }
                }
                OriginDef::Output(node, index) => match graph.kind(node) {
                    NodeKind::Simple(op) if can_be_executed(op) && !has_states(graph, node) => {
                        pending.extend(graph.input_origins(node));
                    }
                    NodeKind::Gamma => {
                        pending.push(graph.input(node, 0));
                        pending
                            .extend(graph.subregions(node).iter().map(|&region| graph.result(region, index as usize)));
                    }
                    NodeKind::Theta => {
                        let body = graph.subregions(node)[0];
                        pending.extend([graph.result(body, 0), graph.result(body, index as usize + 1)]);
                    }
                    NodeKind::Simple(_) if self.assumed.is_some() => {}
                    _ => return None,
                },
            }
        }
        Some(needed)
    }
}

/// The value with which a variable enters a loop, if that is known.
pub fn start(graph: &Graph, variable: LoopVar) -> Option<Value> {
    Value::of(graph, follow_out(graph, graph.origin(variable.input)).0)
}

/// Whether the result of an operation depends on its operands only, and may be known.
pub fn can_be_executed(op: Op) -> bool {
    // Divisions and decisions are not moved ahead of what decides on them, but may be executed once their operands are known.
    matches!(op, Op::IntBinary { .. } | Op::Match(_) | Op::CtlConst { .. }) || op.code().info().speculatable
}

/// The execution of a slice.
struct Execution<'g> {
    graph: &'g Graph,
    slice: &'g Slice,
    /// The values that are known, in the present iteration.
    values: FxHashMap<Origin, Value>,
    /// How many more operations may be executed.
    left: u32,
}

impl<'g> Execution<'g> {
    /// At the start of the loop.
    fn of(graph: &'g Graph, slice: &'g mut Slice) -> Execution<'g> {
        slice.order(graph);
        let mut execution = Execution { graph, slice, values: FxHashMap::default(), left: MAX_EXECUTED };
        for variable in slice.theta.loop_vars(graph) {
            if slice.assumed.as_ref().is_none_or(|assumed| assumed.contains(&variable.pre)) {
                execution.set(variable.pre, start(graph, variable));
            }
        }
        execution
    }

    /// Sets a value, if it is needed.
    fn set(&mut self, origin: Origin, value: Option<Value>) {
        match value.filter(|_| self.slice.values.contains(&origin)) {
            Some(value) => self.values.insert(origin, value),
            None => self.values.remove(&origin),
        };
    }

    fn get(&self, origin: Origin) -> Option<Value> {
        self.values.get(&origin).copied()
    }

    /// Executes a loop whose variables are set, and counts the iterations. `None` if it is not known when it ends.
    fn repeat(&mut self, theta: Theta, depth: u32) -> Option<u64> {
        let graph = self.graph;
        for iteration in 1..=MAX_COMPUTED {
            self.region(theta.body(graph), depth)?;
            let Value::Predicate { value, .. } = self.get(graph.origin(theta.predicate(graph)))? else { return None };
            if value == 0 {
                return Some(iteration);
            }
            let next: Vec<Option<Value>> =
                theta.loop_vars(graph).map(|variable| self.get(graph.origin(variable.post))).collect();
            for (variable, value) in theta.loop_vars(graph).zip(next) {
                self.set(variable.pre, value);
            }
        }
        None
    }

    /// Whether values may be unknown.
    fn may_be_unknown(&self) -> bool {
        self.slice.assumed.is_some()
    }

    /// Executes a region. `None` if that takes too long, or does not end.
    fn region(&mut self, region: Region, depth: u32) -> Option<()> {
        let (graph, slice) = (self.graph, self.slice);
        for &node in slice.nodes.get(&region).into_iter().flatten() {
            self.left = self.left.checked_sub(1)?;
            match graph.kind(node) {
                NodeKind::Simple(op) => {
                    let value = result(graph, node, op, |origin| self.get(origin));
                    self.set(graph.output(node, 0), value);
                }
                NodeKind::Gamma => self.alternative(Gamma::new(graph, node)?, depth.checked_sub(1)?)?,
                _ => {
                    let theta = Theta::new(graph, node)?;
                    for variable in theta.loop_vars(graph) {
                        self.set(variable.pre, self.get(graph.origin(variable.input)));
                    }
                    let ends = self.repeat(theta, depth.checked_sub(1)?);
                    if ends.is_none() && !self.may_be_unknown() {
                        return None;
                    }
                    for variable in theta.loop_vars(graph) {
                        self.set(variable.output, ends.and_then(|_| self.get(graph.origin(variable.post))));
                    }
                }
            }
        }
        Some(())
    }

    /// Executes the alternative that is chosen. If that is not known, `None`, or where values may be unknown, all alternatives: what they
    /// agree on is known.
    fn alternative(&mut self, gamma: Gamma, depth: u32) -> Option<()> {
        let graph = self.graph;
        let taken = match self.get(graph.origin(gamma.predicate(graph))) {
            Some(Value::Predicate { value, .. }) => value as usize..value as usize + 1,
            _ if self.may_be_unknown() => 0..gamma.regions(graph).len(),
            _ => return None,
        };
        for chosen in taken.clone() {
            for variable in gamma.entry_vars(graph) {
                self.set(variable.argument(graph, gamma, chosen), self.get(graph.origin(variable.input)));
            }
            self.region(gamma.regions(graph)[chosen], depth)?;
            for variable in gamma.exit_vars(graph) {
                let value = self.get(graph.origin(variable.result(graph, gamma, chosen)));
                let agrees = chosen == taken.start || {
                    let plain = |value: Option<Value>| value.and_then(|value| value.plain(graph));
                    plain(value).is_some() && plain(value) == plain(self.get(variable.output))
                };
                self.set(variable.output, value.filter(|_| agrees));
            }
        }
        Some(())
    }
}

/// The result of an operation, given the operands that are known.
pub fn result(graph: &Graph, node: Node, op: Op, known: impl Fn(Origin) -> Option<Value>) -> Option<Value> {
    let pool = graph.pool();
    let of = |origin| known(origin).and_then(Value::constant);
    match op {
        Op::Const(_) | Op::CtlConst { .. } => Value::of(graph, graph.output(node, 0)),
        Op::Match(table) => {
            let table = pool.table(table);
            let decides = Int::of_const(pool, of(graph.input(node, 0))?)?;
            Some(Value::Predicate { value: table.alternative(pool, decides), of: table.alternatives })
        }
        // Each execution may choose another value for what is undefined.
        Op::Freeze => known(graph.input(node, 0)).filter(|value| value.plain(graph).is_some()),
        op => {
            let inputs: SmallVec<[Option<Const>; 4]> = graph.input_origins(node).map(of).collect();
            fold::fold_known(pool, op, &inputs, graph.ty(graph.output(node, 0))).map(Value::Constant)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::loops_bottom_up;
    use crate::tests::Example;

    fn iterations(start: &str, lines: &str, variables: &str) -> Option<u64> {
        let text = format!(
            "module \"test\"\n@f = function i8 (i8)\n\
             lambda @f [] (v0: i8, mem0, io0) {{\n{start}\n\
             v9: i8, v8: i8 = theta (v10: i8 = v1, v11: i8 = v2) {{\n{lines}\nnext {variables} while v12\n}}\n\
             yield v9, mem0, io0\n}}\nexport @f\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        let theta = *loops_bottom_up(graph).first()?;
        computed_iterations(graph, theta)
    }

    #[test]
    fn what_decides_is_computed() {
        let known = "v1 = const i8 11\nv2 = const i8 1";
        let halve = "v20 = const i8 1\nv21: i8 = lshr v10, v20\nv12: ctl(2) = match i8 v21 [0 -> 0, _ -> 1]";
        assert_eq!(iterations(known, halve, "v21, v11"), Some(4));
        assert_eq!(iterations("v1 = const i8 11\nv2: i8 = add v0, v0", halve, "v21, v11"), Some(4));
        assert_eq!(iterations("v1: i8 = add v0, v0\nv2 = const i8 1", halve, "v21, v11"), None);
        // Two variables, one of which is the other's last value.
        let steps = "v21: i8 = add v10, v11\nv20 = const i8 100\nv22: i1 = icmp ult v21, v20\n\
                     v12: ctl(2) = match i1 v22 [true -> 1, _ -> 0]";
        assert_eq!(iterations(known, steps, "v21, v10"), Some(6));
        assert_eq!(iterations(known, steps, "v21, v11"), Some(89));
        // It never ends, or later than is looked at, or is poison.
        assert_eq!(iterations(known, steps, "v10, v11"), None);
        let slow = "v20 = const i8 1\nv21: i8 = add v10, v20\nv12: ctl(2) = match i8 v21 [-100 -> 0, _ -> 1]";
        assert_eq!(iterations(known, slow, "v21, v11"), None);
        let wraps = "v20 = const i8 60\nv21: i8 = add nsw v10, v20\nv12: ctl(2) = match i8 v21 [3 -> 0, _ -> 1]";
        assert_eq!(iterations(known, wraps, "v21, v11"), None);
    }
}
