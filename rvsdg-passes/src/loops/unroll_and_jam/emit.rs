//! Emits the new nest, and keeps the old one for the remaining iterations.

use rustc_hash::FxHashMap;
use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::dependence::NestAccess;
use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::hints::{Hint, LoopHints, LoopRole};
use rvsdg_core::op::{BinaryFlags, GepFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type, User};

use super::areas::steps_before;
use super::plan::Plan;
use crate::lanes::{build, widen};
use crate::loops::remainder::{After, put_before, renumber};
use crate::loops::vectorize::emit::kept;

/// Inserts the new nest before the old one. `settled` says that initial values of the old one were frozen since the plan was made.
pub(super) fn jam(
    graph: &mut Graph,
    mut plan: Plan,
    settled: bool,
    surroundings: Option<&Surroundings>,
    numbers: &mut Numbering,
) {
    let old = plan.nest.theta;
    if settled {
        plan.evolution = Evolution::of(graph, old);
    }
    let steps = steps_before(graph, &plan);
    let rest = put_before(graph, old, steps, |graph, region| {
        let mut emission =
            Emission { graph, plan: &plan, surroundings, once: FxHashMap::default(), wide: FxHashMap::default() };
        After { values: emission.outer(region), again: None }
    });
    renumber(graph, numbers, old, rest);
}

/// The new nest under construction.
pub(super) struct Emission<'p, 'g> {
    pub(super) graph: &'g mut Graph,
    pub(super) plan: &'p Plan,
    surroundings: Option<&'p Surroundings>,
    /// The values for the first lane, or for all lanes, by value of the old nest; states included.
    pub(super) once: FxHashMap<Origin, Origin>,
    /// The values of all lanes, by part.
    pub(super) wide: FxHashMap<Origin, Vec<Origin>>,
}

impl Emission<'_, '_> {
    /// Makes the outer loop, and returns the variables of the old one after it. The arguments of the region are the old loop's initial
    /// values, then the number of iterations.
    fn outer(&mut self, runs: Region) -> Vec<Origin> {
        let plan = self.plan;
        let old = plan.nest.theta;
        let variables: Vec<LoopVar> = old.loop_vars(self.graph).collect();
        let new = Insert::end(self.graph, runs).theta();
        let hints = self.hints_of(old);
        let unroll = if hints.is_said() { Hint::Never } else { Hint::Unsaid };
        self.graph.set_loop_hints(new.node(), LoopHints { unroll, role: LoopRole::Main, ..hints });
        let body = new.body(self.graph);
        let mut made = Vec::new();
        for variable in &variables {
            let start = self.graph.arguments(runs)[variable.index];
            let one = new.add_loop_var(self.graph, start);
            self.once.insert(variable.pre, one.pre);
            made.push(one);
        }
        self.region(old.body(self.graph), body);
        let block = u64::from(plan.lanes) * plan.parts as u64;
        for (variable, one) in variables.iter().zip(&made) {
            if self.graph.ty(variable.pre).is_state() {
                let state = self.once[&self.graph.origin(variable.post)];
                self.graph.divert(one.post, state);
                continue;
            }
            let step = plan.nest.steps.step(variable.pre).expect("variables of the outer loop have steps");
            if step.is_zero() {
                continue;
            }
            let by = step.mul(step.with(block.into()));
            let promised = kept(plan.evolution.promises(self.graph, variable.pre), step, block);
            let mut at = Insert::end(self.graph, body);
            let next = if at.ty(one.pre) == Type::PTR {
                at.advance(one.pre, by.signed() as i64, GepFlags::NONE)
            } else {
                let by = by.to_const(at.graph().pool());
                let by = at.constant(by);
                at.binary_with(IntBinary::Add, promised, one.pre, by)
            };
            self.graph.divert(one.post, next);
        }
        self.repeat(old, new, runs, variables.len());
        made.iter().map(|one| one.output).collect()
    }

    /// What is said of a loop of the old nest, and so of the one that is made of it: not to be vectorized again, if it has vectors.
    fn hints_of(&self, old: Theta) -> LoopHints {
        let hints = self.graph.loop_hints(old.node());
        let has_vectors = self.plan.lanes > 1 && hints.is_said();
        LoopHints { vectorize: if has_vectors { Hint::Never } else { hints.vectorize }, ..hints }
    }

    /// Makes the outer loop continue until it has executed the required number of iterations.
    fn repeat(&mut self, old: Theta, new: Theta, runs: Region, whole: usize) {
        let whole = self.graph.arguments(runs)[whole];
        let ty = self.graph.ty(whole);
        let zero = Insert::before(self.graph, new.node()).int(ty, 0);
        let counter = new.add_loop_var(self.graph, zero);
        let whole = new.add_loop_var(self.graph, whole);
        let decides = self.graph.producer(self.graph.origin(old.predicate(self.graph)));
        let source = decides.and_then(|decides| self.graph.source(decides));
        let block = u64::from(self.plan.lanes) * self.plan.parts as u64;
        let body = new.body(self.graph);
        let mut at = Insert::end(self.graph, body);
        let by = at.int(ty, block);
        let next = at.binary_with(IntBinary::Add, BinaryFlags::NUW, counter.pre, by);
        let more = at.compare(IntPredicate::Ne, next, whole.pre);
        let decision = at.source(source).decide(more, 1);
        self.graph.divert(counter.post, next);
        self.graph.divert(new.predicate(self.graph), decision);
    }

    /// Copies a region whose arguments are known. The call depth is that of the nest, which is bounded.
    fn region(&mut self, old: Region, new: Region) {
        for argument in self.graph.arguments(old).to_vec() {
            self.spread(argument, new);
        }
        for node in self.graph.topological(old) {
            if let Some(gamma) = Gamma::new(self.graph, node) {
                if self.plan.marks.needed.contains(&node) {
                    self.gamma(gamma, new);
                }
            } else if let Some(theta) = Theta::new(self.graph, node) {
                if self.plan.marks.needed.contains(&node) {
                    self.theta(theta, new);
                }
            } else {
                self.simple(node, new);
            }
            for output in self.graph.outputs(node).to_vec() {
                self.spread(output, new);
            }
        }
    }

    /// Spreads a value that is known for the first lane to all lanes, if it is needed there.
    pub(super) fn spread(&mut self, origin: Origin, new: Region) {
        if !self.plan.marks.wide.contains(&origin) || self.wide.contains_key(&origin) {
            return;
        }
        let (Some(step), Some(&value)) = (self.plan.nest.steps.step(origin), self.once.get(&origin)) else { return };
        let (lanes, parts) = (self.plan.lanes, self.plan.parts);
        let ty = self.graph.ty(origin);
        let known = known_constant(self.graph, value);
        let mut at = Insert::end(self.graph, new);
        let first = match known {
            _ if lanes == 1 => value,
            Some(known) => build::splat_const(&mut at, known, lanes),
            None => build::splat(&mut at, value, lanes),
        };
        let mut values = Vec::new();
        for part in 0..parts as u64 {
            let from = part * u64::from(lanes);
            values.push(if step.is_zero() {
                first
            } else if ty == Type::PTR {
                at.advance(value, step.signed() as i64 * from as i64, GepFlags::NONE)
            } else if lanes == 1 {
                let by = step.mul(step.with(from.into())).to_const(at.graph().pool());
                let by = at.constant(by);
                at.binary(IntBinary::Add, first, by)
            } else {
                let by = build::multiples(&mut at, ty, step, from, lanes);
                at.binary(IntBinary::Add, first, by)
            });
        }
        self.wide.insert(origin, values);
    }

    fn gamma(&mut self, old: Gamma, region: Region) {
        let predicate = self.once[&self.graph.origin(old.predicate(self.graph))];
        let regions = old.regions(self.graph).to_vec();
        let new = Insert::end(self.graph, region).gamma(predicate, regions.len());
        let made = new.regions(self.graph).to_vec();
        for entry in old.entry_vars(self.graph).collect::<Vec<_>>() {
            let input = self.graph.origin(entry.input);
            let arguments: Vec<Origin> =
                (0..regions.len()).map(|index| entry.argument(self.graph, old, index)).collect();
            if let Some(&value) = self.once.get(&input) {
                let routed = new.add_entry_var(self.graph, value);
                for (index, &argument) in arguments.iter().enumerate() {
                    self.once.insert(argument, routed.argument(self.graph, new, index));
                }
            }
            if arguments.iter().any(|argument| self.plan.marks.wide.contains(argument))
                && let Some(values) = self.wide.get(&input).cloned()
            {
                let routed: Vec<_> = values.into_iter().map(|value| new.add_entry_var(self.graph, value)).collect();
                for (index, &argument) in arguments.iter().enumerate() {
                    let values = routed.iter().map(|entry| entry.argument(self.graph, new, index)).collect();
                    self.wide.insert(argument, values);
                }
            }
        }
        for (&from, &to) in regions.iter().zip(&made) {
            self.region(from, to);
        }
        for exit in old.exit_vars(self.graph).collect::<Vec<_>>() {
            let results: Vec<Origin> =
                (0..regions.len()).map(|index| self.graph.origin(exit.result(self.graph, old, index))).collect();
            if self.plan.marks.once.contains(&exit.output) || self.graph.ty(exit.output).is_state() {
                let values: Vec<Origin> = results.iter().map(|result| self.once[result]).collect();
                let output = new.add_exit_var(self.graph, &values).output;
                self.once.insert(exit.output, output);
            } else if self.plan.marks.wide.contains(&exit.output) {
                let mut outputs = Vec::new();
                for part in 0..self.plan.parts {
                    let values: Vec<Origin> = results.iter().map(|result| self.wide[result][part]).collect();
                    outputs.push(new.add_exit_var(self.graph, &values).output);
                }
                self.wide.insert(exit.output, outputs);
            }
        }
    }

    fn theta(&mut self, old: Theta, region: Region) {
        let plan = self.plan;
        let variables: Vec<LoopVar> = old.loop_vars(self.graph).collect();
        let moved: Vec<&NestAccess> = plan
            .nest
            .accesses
            .iter()
            .filter(|access| plan.moved.contains(&access.node))
            .filter(|access| self.graph.region_of(access.node) == old.body(self.graph) && self.is_used(access.node))
            .collect();
        let memory = variables.iter().find(|variable| self.graph.ty(variable.pre) == Type::MEM).copied();
        // Loads from invariant addresses are hoisted out of the loop.
        for access in moved.iter().filter(|access| !access.writes) {
            let memory = memory.expect("what is loaded is in memory");
            let before = self.graph.origin(memory.input);
            let after = self.load(access.node, self.outer_address(access.node), before, region);
            self.once.insert(before, after);
        }
        let new = Insert::end(self.graph, region).theta();
        self.graph.set_loop_hints(new.node(), self.hints_of(old));
        let body = new.body(self.graph);
        let mut made: Vec<(User, Origin)> = Vec::new();
        let mut single: Vec<(LoopVar, LoopVar)> = Vec::new();
        let mut several: Vec<(LoopVar, Vec<LoopVar>)> = Vec::new();
        for variable in &variables {
            let input = self.graph.origin(variable.input);
            if plan.marks.once.contains(&variable.pre) || self.graph.ty(variable.pre).is_state() {
                let one = new.add_loop_var(self.graph, self.once[&input]);
                self.once.insert(variable.pre, one.pre);
                single.push((*variable, one));
            }
            let is_routed = plan.nest.steps.step(variable.pre).is_none() || variable.is_invariant(self.graph);
            if plan.marks.wide.contains(&variable.pre) && is_routed {
                let inputs = self.wide[&input].clone();
                let all: Vec<LoopVar> = inputs.into_iter().map(|input| new.add_loop_var(self.graph, input)).collect();
                self.wide.insert(variable.pre, all.iter().map(|one| one.pre).collect());
                several.push((*variable, all));
            }
        }
        for access in moved.iter().filter(|access| !access.writes) {
            self.route(self.graph.output(access.node, 0), new);
        }
        // Stores to invariant addresses are sunk out of the loop; until then the location holds no value.
        let mut stored: Vec<(&NestAccess, Vec<LoopVar>)> = Vec::new();
        for access in moved.iter().copied().filter(|access| access.writes) {
            let ty = self.lane_type(self.graph.ty(self.graph.input(access.node, 0)));
            let poison = Insert::before(self.graph, new.node()).poison(ty);
            let all = (0..plan.parts).map(|_| new.add_loop_var(self.graph, poison)).collect();
            stored.push((access, all));
        }
        let is_ordered = |node: &Node| self.graph.region_of(*node) == old.body(self.graph);
        if plan.ordered.iter().any(is_ordered) {
            self.in_sequence(old, body);
        } else {
            self.region(old.body(self.graph), body);
        }
        for (variable, one) in &single {
            made.push((one.post, self.once[&self.graph.origin(variable.post)]));
            self.once.insert(variable.output, one.output);
        }
        for (variable, all) in &several {
            let posts = self.wide[&self.graph.origin(variable.post)].clone();
            made.extend(all.iter().zip(posts).map(|(one, post)| (one.post, post)));
            self.wide.insert(variable.output, all.iter().map(|one| one.output).collect());
        }
        for (access, all) in &stored {
            let values = self.wide[&self.graph.input(access.node, 0)].clone();
            made.extend(all.iter().zip(values).map(|(one, value)| (one.post, value)));
        }
        for (post, value) in made {
            self.graph.divert(post, value);
        }
        let predicate = self.once[&self.graph.origin(old.predicate(self.graph))];
        self.graph.divert(new.predicate(self.graph), predicate);
        for (access, all) in stored {
            let memory = memory.expect("what is stored is in memory").output;
            let values: Vec<Origin> = all.iter().map(|one| one.output).collect();
            let address = self.outer_address(access.node);
            let after = self.store(access.node, address, &values, self.once[&memory], region);
            self.once.insert(memory, after);
        }
    }

    /// The address, outside, of an access that is invariant in its loop.
    fn outer_address(&self, node: Node) -> Origin {
        let is_store = matches!(self.graph.op(node), Some(Op::Store(_)));
        let address = self.graph.input(node, usize::from(is_store));
        let (_, variable) = Theta::loop_var_of_argument(self.graph, address).expect("it is a variable of the loop");
        self.once[&self.graph.origin(variable.input)]
    }

    /// Routes a value from before a loop into it.
    fn route(&mut self, origin: Origin, theta: Theta) {
        if let Some(&value) = self.once.get(&origin) {
            let pre = theta.add_loop_var(self.graph, value).pre;
            self.once.insert(origin, pre);
        }
        if let Some(values) = self.wide.get(&origin).cloned() {
            let values = values.into_iter().map(|value| theta.add_loop_var(self.graph, value).pre).collect();
            self.wide.insert(origin, values);
        }
    }

    /// Whether an access is emitted: loads whose value is unused are not.
    pub(super) fn is_used(&self, node: Node) -> bool {
        let marks = &self.plan.marks;
        let is_used = |value: &Origin| marks.once.contains(value) || marks.wide.contains(value);
        matches!(self.graph.op(node), Some(Op::Store(_))) || self.graph.outputs(node).first().is_some_and(is_used)
    }

    fn lane_type(&self, ty: Type) -> Type {
        if self.plan.lanes == 1 { ty } else { build::vector(self.graph.pool(), ty, self.plan.lanes) }
    }

    /// Emits a simple node: for the first lane, for all lanes, or not at all.
    pub(super) fn simple(&mut self, node: Node, new: Region) {
        let plan = self.plan;
        match self.graph.op(node) {
            Some(Op::Load(_)) => {
                let after = self.graph.output(node, 1);
                let before = self.once[&self.graph.input(node, 1)];
                let memory = if self.is_used(node) && !plan.moved.contains(&node) {
                    let address = self.once[&self.graph.input(node, 0)];
                    self.load_at(node, address, before, new)
                } else {
                    before
                };
                self.once.insert(after, memory);
            }
            Some(Op::Store(_)) => {
                let before = self.once[&self.graph.input(node, 2)];
                let memory = if plan.moved.contains(&node) {
                    before
                } else {
                    let values = self.wide[&self.graph.input(node, 0)].clone();
                    let address = self.once[&self.graph.input(node, 1)];
                    self.store(node, address, &values, before, new)
                };
                let after = self.graph.output(node, 0);
                self.once.insert(after, memory);
            }
            Some(op) => {
                let outputs = self.graph.outputs(node);
                let &[output] = outputs else { return };
                if plan.marks.once.contains(&output) {
                    let inputs: Vec<Origin> = self.graph.input_origins(node).map(|input| self.once[&input]).collect();
                    let value = self.add(node, op, &inputs, self.graph.ty(output), new);
                    self.once.insert(output, value);
                } else if plan.marks.wide.contains(&output) {
                    self.widen(node, op, output, new);
                }
            }
            None => {}
        }
    }

    /// Adds an operation with the source of the one that it represents.
    fn add(&mut self, node: Node, op: Op, inputs: &[Origin], ty: Type, new: Region) -> Origin {
        let source = self.graph.source(node);
        let mut at = Insert::end(self.graph, new).source(source);
        if let Op::Match(_) | Op::CtlConst { .. } = op {
            let copy = at.node(op, inputs, &[ty]);
            return at.graph().output(copy, 0);
        }
        at.add(op, inputs, ty)
    }

    fn widen(&mut self, node: Node, op: Op, output: Origin, new: Region) {
        let values = (0..self.plan.parts).map(|part| self.part(node, op, output, part, new)).collect();
        self.wide.insert(output, values);
    }

    /// One part of an operation.
    pub(super) fn part(&mut self, node: Node, op: Op, output: Origin, part: usize, new: Region) -> Origin {
        let ty = self.lane_type(self.graph.ty(output));
        let which = intrinsic(self.graph, self.surroundings, node);
        let inputs: Vec<Origin> = self.graph.input_origins(node).collect();
        let wide = |input: &Origin| self.wide[input][part];
        match (op, which) {
            (Op::Call(_), _) if self.plan.lanes == 1 => {
                let mut all = vec![self.once[&inputs[0]]];
                all.extend(inputs[1..].iter().map(wide));
                self.add(node, op, &all, ty, new)
            }
            (Op::Call(call), Some(which)) => {
                let all: Vec<Origin> = inputs[1..].iter().map(wide).collect();
                let fast = self.graph.pool().call(call).fast;
                let mut at = Insert::end(self.graph, new);
                widen::intrinsic(&mut at, which, &all, fast).expect("the plan looked at intrinsics")
            }
            _ => {
                let all: Vec<Origin> = inputs.iter().map(wide).collect();
                let mut at = Insert::end(self.graph, new);
                widen::widened(&mut at, op, &all, ty, false)
            }
        }
    }

    /// Emits a load for the first lane or for all; returns the memory state after it.
    fn load_at(&mut self, node: Node, address: Origin, before: Origin, new: Region) -> Origin {
        let value = self.graph.output(node, 0);
        if self.plan.nest.steps.step(value).is_some() {
            let (op, ty) = (self.graph.op(node).expect("it is a load"), self.graph.ty(value));
            let source = self.graph.source(node);
            let mut at = Insert::end(self.graph, new).source(source);
            let load = at.node(op, &[address, before], &[ty, Type::MEM]);
            let [loaded, after] = [0, 1].map(|index| self.graph.output(load, index));
            self.once.insert(value, loaded);
            return after;
        }
        self.load_lanes(node, address, before, new)
    }

    /// Emits a load before its loop, and spreads a value that all lanes share.
    fn load(&mut self, node: Node, address: Origin, before: Origin, new: Region) -> Origin {
        let before = self.once[&before];
        let after = self.load_at(node, address, before, new);
        self.spread(self.graph.output(node, 0), new);
        after
    }

    fn load_lanes(&mut self, node: Node, address: Origin, mut memory: Origin, new: Region) -> Origin {
        let (op, value) = (self.graph.op(node).expect("it is a load"), self.graph.output(node, 0));
        let (element, step) = (self.graph.ty(value), self.step_of(node));
        let (lanes, parts) = (self.plan.lanes, self.plan.parts);
        let ty = self.lane_type(element);
        let mut values = Vec::new();
        for part in 0..parts as i64 {
            let first = part * i64::from(lanes);
            let is_whole = lanes == 1 || self.is_consecutive(element, step);
            let mut at = Insert::end(self.graph, new);
            if is_whole {
                let place = at.advance(address, first * step, GepFlags::NONE);
                let load = at.node(op, &[place, memory], &[ty, Type::MEM]);
                values.push(at.graph().output(load, 0));
                memory = at.graph().output(load, 1);
                continue;
            }
            let mut all = at.poison(ty);
            for lane in 0..lanes {
                let mut at = Insert::end(self.graph, new);
                let place = at.advance(address, (first + i64::from(lane)) * step, GepFlags::NONE);
                let load = at.node(op, &[place, memory], &[element, Type::MEM]);
                let [loaded, after] = [0, 1].map(|index| at.graph().output(load, index));
                all = build::with_lane(&mut at, all, loaded, lane);
                memory = after;
            }
            values.push(all);
        }
        self.wide.insert(value, values);
        memory
    }

    /// Emits stores of all lanes; returns the memory state after them.
    fn store(&mut self, node: Node, address: Origin, values: &[Origin], mut memory: Origin, new: Region) -> Origin {
        let (op, element) = (self.graph.op(node).expect("it is a store"), self.graph.ty(self.graph.input(node, 0)));
        let (lanes, step) = (self.plan.lanes, self.step_of(node));
        for (part, &value) in values.iter().enumerate() {
            let first = part as i64 * i64::from(lanes);
            let is_whole = lanes == 1 || self.is_consecutive(element, step);
            let mut at = Insert::end(self.graph, new);
            if is_whole {
                let place = at.advance(address, first * step, GepFlags::NONE);
                let store = at.node(op, &[value, place, memory], &[Type::MEM]);
                memory = at.graph().output(store, 0);
                continue;
            }
            for lane in 0..lanes {
                let place = at.advance(address, (first + i64::from(lane)) * step, GepFlags::NONE);
                let one = build::lane(&mut at, value, lane, element);
                let store = at.node(op, &[one, place, memory], &[Type::MEM]);
                memory = at.graph().output(store, 0);
            }
        }
        memory
    }

    /// The distance by which an access moves from one iteration of the outer loop to the next.
    pub(super) fn step_of(&self, node: Node) -> i64 {
        let access = self.plan.nest.accesses.iter().find(|access| access.node == node);
        access.expect("the accesses of the nest are known").step
    }

    fn is_consecutive(&self, element: Type, step: i64) -> bool {
        let bits = scalar_bits(self.graph.pool(), element).expect("lanes are scalars");
        step == i64::from(bits / 8)
    }
}
