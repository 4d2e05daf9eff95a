//! Emits the new loop, and keeps the old one for the remaining iterations.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee;
use rvsdg_analysis::dependence::{Earlier, Reduction, ReductionKind};
use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::memory::states;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, parts};
use rvsdg_core::hints::{Hint, LoopHints, LoopRole};
use rvsdg_core::op::{BinaryFlags, FastMath, FloatPredicate, GepFlags, IntBinary, IntPredicate, MemAccess};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type};

mod before;
mod exit;
mod last;
mod masked;
mod strided;

use super::flatten;
use super::plan::{Plan, Role, Use};
use crate::lanes::{build, widen};
use crate::loops::remainder::{After, put_before, renumber};
use before::steps_before;
use last::Replacing;

/// Inserts the new loop before the old one; if that has conditionals, the plan is about a copy without them. `settled` says that initial
/// values of the old one were frozen since the plan was made.
pub(super) fn vectorize(
    graph: &mut Graph,
    old: Theta,
    mut plan: Plan,
    settled: bool,
    surroundings: Option<&Surroundings>,
    numbers: &mut Numbering,
    spare: &mut Option<Origin>,
) {
    for &(load, align_log2) in &plan.speculated {
        flatten::make_unconditional(graph, load, align_log2);
    }
    for &store in plan.masks.keys() {
        flatten::keep_no_promises(graph, graph.input(store, 1));
    }
    if settled {
        plan.evolution = Evolution::of(graph, plan.theta);
        for index in 0..graph.inputs(old.node()).len() {
            let start = graph.input(plan.theta.node(), index);
            graph.divert(graph.inputs(old.node())[index], start);
        }
    }
    let steps = steps_before(graph, &plan);
    let hints = graph.loop_hints(old.node());
    let rest =
        put_before(graph, old, steps, |graph, region| Emission::of(graph, &plan, surroundings, region, spare).emit());
    if !plan.checks.is_empty() {
        // It executes all iterations where ranges overlap, as copies of what was just written do.
        graph.set_loop_hints(old.node(), LoopHints { role: LoopRole::Overlapping, ..hints });
    }
    renumber(graph, numbers, old, rest);
}

/// The new loop under construction.
struct Emission<'p, 'g> {
    graph: &'g mut Graph,
    plan: &'p Plan,
    surroundings: Option<&'p Surroundings>,
    lanes: u32,
    /// The alternative that contains the loop; its arguments are the old loop's initial values, then the number of iterations.
    runs: Region,
    new: Theta,
    body: Region,
    /// The values for the first lane, or for all lanes, by value of the old loop.
    once: FxHashMap<Origin, Origin>,
    /// The values of all lanes, by part.
    wide: FxHashMap<Origin, Vec<Origin>>,
    /// The variables that hold the lanes of previous iterations, by argument of the old loop.
    before: FxHashMap<Origin, LoopVar>,
    reducing: FxHashSet<Node>,
    /// The operations among them that replace a variable's value under a condition.
    replacing: FxHashMap<Node, Replacing>,
    /// The numbers of the iterations, counted from one, in which lanes got their values, by part.
    since: FxHashMap<Origin, Vec<Origin>>,
    /// The frozen conditions of the replacements, by part.
    settled_conditions: FxHashMap<Node, Vec<Origin>>,
    /// The variables for iteration numbers that belong to a variable of the old loop, by its position.
    numbered: FxHashMap<usize, Vec<LoopVar>>,
    /// The iteration numbers, by their width.
    iterations: FxHashMap<u32, Vec<Origin>>,
    /// The vectors that contain a group of loads, by group and part.
    loaded: FxHashMap<usize, Vec<Vec<Origin>>>,
    memory: Option<Origin>,
    /// The variable that says which lanes left the loop early, a bit for each.
    left: Option<LoopVar>,
    /// Memory of the function that nothing reads.
    spare: &'g mut Option<Origin>,
}

/// A variable of the old loop in the new one.
enum Made {
    One(LoopVar),
    Parts(Vec<LoopVar>),
}

impl<'p, 'g> Emission<'p, 'g> {
    fn of(
        graph: &'g mut Graph,
        plan: &'p Plan,
        surroundings: Option<&'p Surroundings>,
        runs: Region,
        spare: &'g mut Option<Origin>,
    ) -> Self {
        let new = Insert::end(graph, runs).theta();
        let hints = graph.loop_hints(plan.theta.node());
        let vectorize = if hints.is_said() { Hint::Never } else { Hint::Unsaid };
        graph.set_loop_hints(new.node(), LoopHints { vectorize, role: LoopRole::Main, ..hints });
        let body = new.body(graph);
        let replacing = last::replacing(graph, plan);
        let reductions = plan.roles.iter().filter_map(|role| match role {
            Role::Reduction(reduction) => Some(reduction),
            _ => None,
        });
        Emission {
            lanes: plan.lanes,
            reducing: reductions.flat_map(|reduction| reduction.nodes.iter().copied()).collect(),
            replacing,
            since: FxHashMap::default(),
            settled_conditions: FxHashMap::default(),
            numbered: FxHashMap::default(),
            iterations: FxHashMap::default(),
            graph,
            plan,
            surroundings,
            runs,
            new,
            body,
            once: FxHashMap::default(),
            wide: FxHashMap::default(),
            before: FxHashMap::default(),
            loaded: FxHashMap::default(),
            memory: None,
            left: None,
            spare,
        }
    }

    /// Emits the loop.
    fn emit(mut self) -> After {
        let mut variables: Vec<LoopVar> = self.plan.theta.loop_vars(self.graph).collect();
        if let Some((leaves, _)) = self.plan.leaves {
            self.never_left(variables.remove(leaves.index).pre);
        }
        let start = states::start(self.graph, self.plan.theta.body(self.graph));
        let mut made = Vec::new();
        for variable in &variables {
            made.push(self.variable(variable));
            if Some(variable.pre) == start {
                self.memory = self.once.get(&variable.pre).copied();
            }
        }
        let (deciding, rest) = self.plan.order.split_at(self.plan.leaves.map_or(0, |(_, deciding)| deciding));
        self.operations(deciding);
        let (counting, others): (Vec<_>, Vec<_>) = variables
            .iter()
            .zip(&made)
            .zip(&self.plan.roles)
            .partition(|(_, role)| matches!(role, Role::Induction { .. } | Role::Pointer(_)));
        for ((variable, made), role) in counting {
            self.advance(variable, made, role, false);
        }
        self.count(variables.len());
        let exit = self.plan.leaves.map(|(leaves, _)| self.decide(leaves));
        self.operations(rest);
        for ((variable, made), role) in others {
            self.advance(variable, made, role, Some(variable.pre) == start);
        }
        if let Some(exit) = exit.filter(|_| !seeded::is_active(Bug::VecExitIgnored)) {
            self.leave(exit);
        }
        let results = variables.iter().zip(&made).zip(&self.plan.roles);
        let mut values: Vec<Origin> =
            results.map(|((variable, made), role)| self.result(variable, made, role)).collect();
        let again = self.again(&values);
        if let Some(again) = again {
            for (variable, value) in variables.iter().zip(&mut values) {
                if !self.graph.ty(*value).is_state() {
                    let start = self.start(variable);
                    *value = Insert::end(self.graph, self.runs).select(again, start, *value);
                }
            }
        }
        After { values, again }
    }

    /// Emits nodes, each after those that it needs.
    fn operations(&mut self, nodes: &[(Node, Use)]) {
        for &(node, used) in nodes {
            if used.once {
                self.copy(node);
            }
            if used.wide {
                self.widen(node);
            }
        }
    }

    /// Whether the maximum or minimum of floats is a zero: the original loop may have chosen one of the other sign. Loops that need this
    /// check do not store.
    fn again(&mut self, values: &[Origin]) -> Option<Origin> {
        let roles = values.iter().zip(&self.plan.roles);
        let floats: Vec<Origin> = roles
            .filter(|(_, role)| matches!(role, Role::Reduction(Reduction { kind: ReductionKind::FloatChoice(_), .. })))
            .map(|(&value, _)| value)
            .filter(|_| !seeded::is_active(Bug::VecZeros))
            .collect();
        let mut at = Insert::end(self.graph, self.runs);
        let is_zero = |value| {
            let zero = parts::zero(&at.graph().pool().clone(), at.ty(value)).expect("floats have a zero");
            let zero = at.constant(zero);
            at.add(Op::FCmp { predicate: FloatPredicate::Oeq, flags: FastMath::NONE }, &[value, zero], Type::I1)
        };
        let zeros: Vec<Origin> = floats.into_iter().map(is_zero).collect();
        let again = zeros.into_iter().reduce(|a, b| at.binary(IntBinary::Or, a, b));
        // The loaded values may be poison, but the original did not branch on them.
        again.map(|again| at.freeze(again))
    }

    /// How many iterations are executed at once.
    fn step(&self) -> u64 {
        u64::from(self.lanes) * self.plan.parts as u64
    }

    /// The initial value of a variable of the old loop.
    fn start(&self, variable: &LoopVar) -> Origin {
        self.graph.arguments(self.runs)[variable.index]
    }

    fn outside(&mut self) -> Insert<'_> {
        Insert::before(self.graph, self.new.node())
    }

    fn inside(&mut self) -> Insert<'_> {
        Insert::end(self.graph, self.body)
    }

    fn variable(&mut self, variable: &LoopVar) -> Made {
        let (start, ty, lanes) = (self.start(variable), self.graph.ty(variable.pre), self.lanes);
        let plan = self.plan;
        match &plan.roles[variable.index] {
            Role::State | Role::Unchanged | Role::Pointer(_) => {
                let one = self.new.add_loop_var(self.graph, start);
                self.once.insert(variable.pre, one.pre);
                Made::One(one)
            }
            &Role::Induction { step, wide } => {
                let one = self.new.add_loop_var(self.graph, start);
                self.once.insert(variable.pre, one.pre);
                if wide {
                    self.induction(variable.pre, start, step);
                }
                Made::One(one)
            }
            Role::Reduction(Reduction { kind: ReductionKind::Replacement, .. }) => {
                Made::Parts(self.not_replaced(variable))
            }
            Role::Reduction(reduction) => {
                let pool = self.graph.pool().clone();
                let neutral = build::neutral(&pool, reduction.kind, ty);
                let mut all = Vec::new();
                for part in 0..plan.parts {
                    let mut at = Insert::before(self.graph, self.new.node());
                    let first = match neutral {
                        Some(neutral) => {
                            let neutral = build::splat_const(&mut at, neutral, lanes);
                            let is_first = part == 0 || seeded::is_active(Bug::VecStart);
                            if is_first { build::with_lane(&mut at, neutral, start, 0) } else { neutral }
                        }
                        None => build::splat(&mut at, start, lanes),
                    };
                    all.push(self.new.add_loop_var(self.graph, first));
                }
                self.wide.insert(variable.pre, all.iter().map(|variable| variable.pre).collect());
                if reduction.kind == ReductionKind::Last {
                    self.number(variable);
                }
                Made::Parts(all)
            }
            Role::Leaves => unreachable!("the old loop has no such variable"),
            role @ (Role::Recurrence | Role::Reloaded(_)) => {
                let mut at = Insert::before(self.graph, self.new.node());
                let ty = build::vector(&at.graph().pool().clone(), ty, lanes);
                let poison = at.poison(ty);
                let last = build::with_lane(&mut at, poison, start, lanes - 1);
                let one = self.new.add_loop_var(self.graph, last);
                if let Role::Recurrence = role {
                    self.before.insert(variable.pre, one);
                }
                Made::One(one)
            }
        }
    }

    /// A variable for the lanes of an induction variable.
    fn induction(&mut self, pre: Origin, start: Origin, step: Int) {
        let (ty, lanes) = (self.graph.ty(pre), self.lanes);
        let mut at = self.outside();
        let first = build::splat(&mut at, start, lanes);
        let numbers = build::multiples(&mut at, ty, step, 0, lanes);
        let first = at.binary(IntBinary::Add, first, numbers);
        let values = self.counted(first, step);
        self.wide.insert(pre, values);
    }

    /// A variable to whose lanes a step is added in each iteration, by part.
    fn counted(&mut self, first: Origin, step: Int) -> Vec<Origin> {
        let lanes = self.lanes;
        let variable = self.new.add_loop_var(self.graph, first);
        let pool = self.graph.pool().clone();
        let mut of = Vec::new();
        for part in 0..=self.plan.parts {
            let by = step.mul(step.with(u128::from(part as u64 * u64::from(lanes)))).to_const(&pool);
            let mut at = self.inside();
            let by = build::splat_const(&mut at, by, lanes);
            of.push(at.binary(IntBinary::Add, variable.pre, by));
        }
        let next = of.pop().expect("one more than the parts");
        self.graph.divert(variable.post, next);
        of
    }

    /// Emits a node for the first lane or for all.
    fn copy(&mut self, node: Node) {
        let op = self.graph.op(node).expect("only operations are in the body");
        let mut inputs: Vec<Origin> = Vec::new();
        for input in self.graph.input_origins(node) {
            let is_state = self.graph.ty(input).is_state();
            inputs.push(if is_state { self.memory.expect("what is loaded is in memory") } else { self.once[&input] });
        }
        let outputs: Vec<Origin> = self.graph.outputs(node).to_vec();
        let types: Vec<Type> = outputs.iter().map(|&output| self.graph.ty(output)).collect();
        if let (&[output], &[ty]) = (outputs.as_slice(), types.as_slice()) {
            let value = self.inside().add(op, &inputs, ty);
            self.once.insert(output, value);
            return;
        }
        let copy = self.inside().node(op, &inputs, &types);
        for (&old, &new) in outputs.iter().zip(self.graph.outputs(copy)) {
            if self.graph.ty(new).is_state() {
                self.memory = Some(new);
            } else {
                self.once.insert(old, new);
            }
        }
    }

    /// Emits a node for all lanes, in parts.
    fn widen(&mut self, node: Node) {
        let plan = self.plan;
        let lanes = self.lanes;
        let pool = self.graph.pool().clone();
        match self.graph.op(node).expect("only operations are in the body") {
            Op::Load(access) if plan.strides.contains_key(&node) => {
                let values = self.load_strided(node, access);
                self.wide.insert(self.graph.output(node, 0), values);
            }
            Op::Store(access) if plan.strides.contains_key(&node) => self.store_strided(node, access),
            Op::Store(access) if plan.masks.contains_key(&node) => self.store_some(node, access),
            Op::Load(access) => {
                let output = self.graph.output(node, 0);
                let element = self.graph.ty(output);
                let ty = build::vector(&pool, element, lanes);
                let falls = plan.falling.contains(&node);
                let addresses = self.addresses(self.graph.input(node, 0), element, falls);
                let mut values = Vec::new();
                for address in addresses {
                    let memory = self.memory.expect("what is loaded is in memory");
                    let load = self.inside().node(Op::Load(access), &[address, memory], &[ty, Type::MEM]);
                    self.memory = Some(self.graph.output(load, 1));
                    let value = self.graph.output(load, 0);
                    values.push(if falls { self.turned(value) } else { value });
                }
                self.wide.insert(output, values);
                self.load_again(node, access);
            }
            Op::Store(access) => {
                let value = self.graph.input(node, 0);
                let values = self.lanes_of(value);
                let falls = plan.falling.contains(&node);
                let addresses = self.addresses(self.graph.input(node, 1), self.graph.ty(value), falls);
                for (value, address) in values.into_iter().zip(addresses) {
                    let value = if falls { self.turned(value) } else { value };
                    let memory = self.memory.expect("what is stored is in memory");
                    let store = self.inside().node(Op::Store(access), &[value, address, memory], &[Type::MEM]);
                    self.memory = Some(self.graph.output(store, 0));
                }
            }
            _ if matches!(self.replacing.get(&node), Some(Replacing::Constant)) => {
                let masks = self.replaced(node);
                self.wide.insert(self.graph.output(node, 0), masks);
            }
            op => {
                let output = self.graph.output(node, 0);
                let ty = build::vector(&pool, self.graph.ty(output), lanes);
                let which = callee::intrinsic(self.graph, self.surroundings, node);
                let inputs: Vec<Origin> = self.graph.input_origins(node).skip(usize::from(which.is_some())).collect();
                let mut inputs: Vec<Vec<Origin>> = inputs.into_iter().map(|input| self.lanes_of(input)).collect();
                if let Some(&Replacing::Any(bits)) = self.replacing.get(&node) {
                    self.replace(node, bits, &mut inputs);
                }
                let is_reduction = self.reducing.contains(&node);
                let mut values = Vec::new();
                for part in 0..plan.parts {
                    let inputs: Vec<Origin> = inputs.iter().map(|input| input[part]).collect();
                    let mut at = self.inside();
                    values.push(match (op, which) {
                        (Op::Call(call), Some(which)) => {
                            let fast = pool.call(call).fast;
                            widen::intrinsic(&mut at, which, &inputs, fast).expect("the plan looked at intrinsics")
                        }
                        _ => widen::widened(&mut at, op, &inputs, ty, is_reduction),
                    });
                }
                self.wide.insert(output, values);
            }
        }
    }

    /// Loads what variables hold of earlier iterations, next to the load that loaded it.
    fn load_again(&mut self, load: Node, access: MemAccess) {
        let variables: Vec<LoopVar> = self.plan.theta.loop_vars(self.graph).collect();
        for (variable, role) in variables.into_iter().zip(&self.plan.roles) {
            let &Role::Reloaded(Earlier { load: of, behind }) = role else { continue };
            if of != load {
                continue;
            }
            let element = self.graph.ty(variable.pre);
            let ty = build::vector(&self.graph.pool().clone(), element, self.lanes);
            let size = self.element_bytes(element);
            let access = MemAccess { tag: None, nonnull: false, ..strided::element_wise(access, size) };
            let mut values = Vec::new();
            for address in self.addresses(self.graph.input(load, 0), element, false) {
                let address = self.inside().advance(address, -behind, GepFlags::NONE);
                values.push(self.load(address, access, ty));
            }
            self.wide.insert(variable.pre, values);
        }
    }

    /// The lowest address of each part of an access: for a falling one, that of its last lane.
    fn addresses(&mut self, address: Origin, element: Type, falls: bool) -> Vec<Origin> {
        let first = self.once[&address];
        let bits = rvsdg_analysis::target::scalar_bits(self.graph.pool(), element).expect("lanes are scalars");
        let size = i64::from(bits / 8);
        let bytes = i64::from(self.lanes) * size;
        let start = |part| if falls { size - (part + 1) * bytes } else { part * bytes };
        (0..self.plan.parts as i64)
            .map(|part| Insert::end(self.graph, self.body).advance(first, start(part), GepFlags::NONE))
            .collect()
    }

    /// Converts between iteration order and memory order of the lanes of a falling access.
    fn turned(&mut self, vector: Origin) -> Origin {
        if seeded::is_active(Bug::VecFalling) {
            return vector;
        }
        let lanes = self.lanes;
        build::reversed(&mut self.inside(), vector, lanes)
    }

    /// A value of the old loop in all lanes, by part.
    fn lanes_of(&mut self, origin: Origin) -> Vec<Origin> {
        // Follows variables that become each other, up to one whose lanes are known.
        let (mut at, mut shifts) = (origin, Vec::new());
        while let Some(&variable) = self.before.get(&at).filter(|_| !self.wide.contains_key(&at)) {
            shifts.push((at, variable));
            at = self.post_of(at);
        }
        let mut values = match self.wide.get(&at) {
            Some(values) => values.clone(),
            None => vec![self.spread(at); self.plan.parts],
        };
        let lanes = self.lanes;
        for (argument, variable) in shifts.into_iter().rev() {
            let mut last = variable.pre;
            let mut shifted = Vec::new();
            for &value in &values {
                shifted.push(build::shifted(&mut self.inside(), last, value, lanes));
                last = value;
            }
            self.wide.insert(argument, shifted.clone());
            values = shifted;
        }
        values
    }

    /// The next value of an argument of the old loop.
    fn post_of(&self, argument: Origin) -> Origin {
        let (_, variable) = Theta::loop_var_of_argument(self.graph, argument).expect("it is a variable");
        self.graph.origin(variable.post)
    }

    /// A uniform value, spread to all lanes.
    fn spread(&mut self, origin: Origin) -> Origin {
        let lanes = self.lanes;
        let value = self.once[&origin];
        let known = known_constant(self.graph, value);
        let all = if let Some(known) = known {
            build::splat_const(&mut self.inside(), known, lanes)
        } else if let Some((_, variable)) = Theta::loop_var_of_argument(self.graph, origin) {
            let start = self.start(&variable);
            let all = build::splat(&mut self.outside(), start, lanes);
            self.new.add_loop_var(self.graph, all).pre
        } else {
            build::splat(&mut self.inside(), value, lanes)
        };
        self.wide.insert(origin, vec![all; self.plan.parts]);
        all
    }

    /// Sets the next value of a variable.
    fn advance(&mut self, variable: &LoopVar, made: &Made, role: &Role, is_memory: bool) {
        let post = self.graph.origin(variable.post);
        match (made, role) {
            (Made::One(one), Role::State) => {
                if let Some(memory) = self.memory.filter(|_| is_memory) {
                    self.graph.divert(one.post, memory);
                }
            }
            (Made::One(one), Role::Induction { step, .. }) => {
                let by = step.mul(step.with(self.step().into()));
                let promised = self.plan.evolution.promises(self.graph, variable.pre);
                // Nothing is promised of iterations after an early exit.
                let promised = if self.plan.leaves.is_some() { BinaryFlags::NONE } else { promised };
                let flags = kept(promised, *step, self.step());
                let mut at = self.inside();
                let by = by.to_const(at.graph().pool());
                let by = at.constant(by);
                let next = at.binary_with(IntBinary::Add, flags, one.pre, by);
                self.graph.divert(one.post, next);
            }
            (Made::One(one), Role::Pointer(step)) => {
                let by = step * self.step() as i64;
                let next = self.inside().advance(one.pre, by, GepFlags::NONE);
                self.graph.divert(one.post, next);
            }
            (Made::One(one), Role::Recurrence | Role::Reloaded(_)) => {
                let values = self.lanes_of(post);
                let last = if seeded::is_active(Bug::VecRecurrence) { values.first() } else { values.last() };
                self.graph.divert(one.post, *last.expect("there is a part"));
            }
            (Made::Parts(all), _) => {
                let values = self.lanes_of(post);
                for (variable, value) in all.iter().zip(values) {
                    self.graph.divert(variable.post, value);
                }
                for (index, numbered) in self.numbered.get(&variable.index).into_iter().flatten().enumerate() {
                    self.graph.divert(numbered.post, self.since[&post][index]);
                }
            }
            (Made::One(_), _) => {}
        }
    }

    /// Makes the loop continue until it has executed the required number of iterations. `whole` is the position of that number among what
    /// enters.
    fn count(&mut self, whole: usize) {
        let whole = self.graph.arguments(self.runs)[whole];
        let ty = self.graph.ty(whole);
        let zero = self.outside().int(ty, 0);
        let counter = self.new.add_loop_var(self.graph, zero);
        let whole = self.new.add_loop_var(self.graph, whole);
        let old = self.graph.producer(self.graph.origin(self.plan.theta.predicate(self.graph)));
        let source = old.and_then(|old| self.graph.source(old));
        let step = self.step();
        let mut at = self.inside();
        let by = at.int(ty, step);
        let next = at.binary_with(IntBinary::Add, BinaryFlags::NUW, counter.pre, by);
        let more = at.compare(IntPredicate::Ne, next, whole.pre);
        let decision = at.source(source).decide(more, 1);
        self.graph.divert(counter.post, next);
        self.graph.divert(self.new.predicate(self.graph), decision);
    }

    /// The value of a variable of the old loop after the new one.
    fn result(&mut self, variable: &LoopVar, made: &Made, role: &Role) -> Origin {
        let (ty, lanes) = (self.graph.ty(variable.pre), self.lanes);
        match (made, role) {
            (Made::One(one), Role::Recurrence | Role::Reloaded(_)) => {
                let mut at = Insert::end(self.graph, self.runs);
                build::lane(&mut at, one.output, lanes - 1, ty)
            }
            (Made::Parts(all), Role::Reduction(Reduction { kind: ReductionKind::Last, nodes })) => {
                self.last(variable, nodes, all)
            }
            (Made::Parts(all), Role::Reduction(Reduction { kind: ReductionKind::Replacement, nodes })) => {
                self.replacement(variable, nodes, all)
            }
            (Made::Parts(all), Role::Reduction(reduction)) => {
                let kind = reduction.kind;
                let mut at = Insert::end(self.graph, self.runs);
                let parts = all.iter().map(|variable| variable.output);
                let whole = parts.reduce(|a, b| build::combined(&mut at, kind, a, b));
                build::reduced(&mut at, kind, whole.expect("there is a part"), lanes, ty)
            }
            (Made::One(_), Role::Unchanged) => self.start(variable),
            (Made::One(one), _) => self.unless_left(one.output, role),
            (Made::Parts(_), _) => self.start(variable),
        }
    }
}

/// The flags of a step taken several times at once, if each single step has them.
pub(crate) fn kept(promised: BinaryFlags, step: Int, times: u64) -> BinaryFlags {
    let by = step.mul(step.with(times.into()));
    let mut kept = BinaryFlags::NONE;
    if promised.contains(BinaryFlags::NSW) && step.signed().checked_mul(times.into()) == Some(by.signed()) {
        kept = kept | BinaryFlags::NSW;
    }
    if promised.contains(BinaryFlags::NUW) && step.unsigned().checked_mul(times.into()) == Some(by.unsigned()) {
        kept = kept | BinaryFlags::NUW;
    }
    kept
}
