//! Turns the body of a function into a loop.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Origin, Region, Type, User, fold};

use crate::module::inline::allocate;

use super::tail::{Accumulation, TailCalls};

/// Turns the whole body into one loop, in which the calls, at least one, become further iterations. The arguments of its root region are
/// `contexts` addresses of symbols, then the parameters, then the states. The stack `objects`, which the function allocates when it
/// starts, exist once.
pub(super) fn rebuild(graph: &mut Graph, tail: &TailCalls, contexts: usize, objects: &[Node]) {
    let passed: Vec<usize> = passed(graph, tail, contexts);
    let root = graph.root();
    let finals: Vec<User> = graph.results(root).to_vec();
    let objects = made_first(graph, objects);
    let counts = objects.iter().filter_map(|&object| graph.producer(graph.input(object, 0)));
    let outside: FxHashSet<Node> = counts.chain(objects.iter().copied()).collect();
    let nodes: Vec<Node> = graph.nodes(root).filter(|node| !outside.contains(node)).collect();
    let theta = Theta::add(graph, root);
    let body = theta.body(graph);
    for &node in &nodes {
        graph.move_to(node, body);
    }
    let mut router = Router::new();
    let variables = parameters(graph, theta, &mut router, objects.first().copied());
    for &object in &objects {
        carry(graph, theta, &mut router, graph.output(object, 0));
    }
    let total = tail.accumulation.map(|accumulation| {
        let neutral = fold::neutral_const(graph.pool(), accumulation.op, accumulation.ty);
        let start =
            Insert::before(graph, theta.node()).constant(neutral.expect("it has an operand that changes nothing"));
        router.carry(graph, theta, start)
    });

    let mut iteration = Iteration {
        marked: marked(graph, tail, body),
        operations: &tail.operations,
        accumulation: tail.accumulation,
        passed: &passed,
        total: total.map(|variable| variable.pre),
        router,
    };
    let next = iteration.next_of(graph, body);
    let repeat = next.repeat.expect("there is a call that is the next iteration");
    graph.divert(theta.predicate(graph), repeat);
    for (&parameter, value) in passed.iter().zip(next.values) {
        let variable = variables[contexts + parameter].expect("what changes is used");
        graph.divert(variable.post, value.expect("a call passes it"));
    }
    if let (Some(variable), Some(value)) = (total, next.total) {
        graph.divert(variable.post, value);
    }
    // The function's results: states are loop-carried, the value is that of the last iteration.
    for user in finals {
        let last = graph.origin(user);
        let ty = graph.ty(last);
        let state = || variables.iter().flatten().find(|variable| graph.ty(variable.pre) == ty).copied();
        let variable = if ty.is_state() {
            state().expect("a body has both states")
        } else {
            let start = Insert::before(graph, theta.node()).poison(ty);
            theta.add_loop_var(graph, start)
        };
        graph.divert(variable.post, last);
        let value = match (tail.accumulation, total) {
            (Some(Accumulation { op, ty }), Some(total)) if !graph.ty(last).is_state() => {
                Insert::after(graph, theta.node()).add(op, &[total.output, variable.output], ty)
            }
            _ => variable.output,
        };
        graph.divert(user, value);
    }
}

/// Allocates objects again, before everything else.
fn made_first(graph: &mut Graph, objects: &[Node]) -> Vec<Node> {
    let mut made = Vec::with_capacity(objects.len());
    for &old in objects {
        let op = graph.op(old).expect("an allocation is an operation");
        let count = graph.producer(graph.input(old, 0)).expect("its size is a constant");
        let (count_op, count_ty) =
            (graph.op(count).expect("a constant is an operation"), graph.ty(graph.input(old, 0)));
        let count = graph.add_simple(graph.root(), count_op, &[], &[count_ty]);
        let (pointer, state, before) = (graph.output(old, 0), graph.output(old, 1), graph.input(old, 1));
        graph.divert_users(state, before);
        let (address, new) = allocate(graph, op, count, graph.ty(pointer));
        graph.set_source(new, graph.source(old));
        graph.note_same(pointer, address);
        graph.divert_users(pointer, address);
        graph.remove(old);
        made.push(new);
    }
    made
}

/// The parameters that are used, and for which at least one of the calls passes something other than the parameter itself.
fn passed(graph: &Graph, tail: &TailCalls, contexts: usize) -> Vec<usize> {
    let arguments = &graph.arguments(graph.root())[contexts..];
    let is_used = |&parameter: &usize| graph.has_users(arguments[parameter]);
    let differs = |&parameter: &usize| {
        let argument = |call| argument_of_root(graph, graph.input(call, parameter + 1));
        tail.calls.iter().any(|found| argument(found.call) != Some(contexts + parameter))
    };
    (0..arguments.len() - 2).filter(is_used).filter(differs).collect()
}

/// Adds to a loop around a whole body a variable for each used argument of the root region, and for the states. If objects are allocated
/// before it, the memory state is the one after the last of them.
fn parameters(graph: &mut Graph, theta: Theta, router: &mut Router, last_object: Option<Node>) -> Vec<Option<LoopVar>> {
    let arguments = graph.arguments(graph.root()).to_vec();
    let variable = |argument| {
        let memory = last_object.filter(|_| graph.ty(argument) == Type::MEM);
        let first = memory.map_or(argument, |object| graph.output(object, 1));
        let is_used = graph.has_users(first) || graph.ty(first).is_state();
        is_used.then(|| carry(graph, theta, router, first))
    };
    arguments.into_iter().map(variable).collect()
}

/// Adds to a loop around a whole body a variable for a value from before it.
fn carry(graph: &mut Graph, theta: Theta, router: &mut Router, value: Origin) -> LoopVar {
    let users: Vec<User> = graph.users_of(value).collect();
    let variable = router.carry(graph, theta, value);
    for user in users {
        graph.divert(user, variable.pre);
    }
    graph.note_same(value, variable.pre);
    variable
}

/// For each region, the calls and operations in it, and the γ that contain some, in topological order.
fn marked(graph: &Graph, tail: &TailCalls, body: Region) -> FxHashMap<Region, Vec<Node>> {
    let mut nodes: FxHashSet<Node> = FxHashSet::default();
    let mut regions: FxHashMap<Region, Vec<Node>> = FxHashMap::default();
    for mut node in tail.calls.iter().map(|found| found.call).chain(tail.operations.keys().copied()) {
        while nodes.insert(node) {
            let region = graph.region_of(node);
            regions.entry(region).or_default().push(node);
            if region == body {
                break;
            }
            node = graph.parent(region).expect("a call is in the loop");
        }
    }
    for (&region, marked) in &mut regions {
        if marked.len() > 1 {
            *marked = graph.topological(region).into_iter().filter(|node| nodes.contains(node)).collect();
        }
    }
    regions
}

/// What is known of the next iteration at some point of an iteration. Values may belong to enclosing regions.
#[derive(Clone)]
struct Next {
    /// Whether there is one, as a predicate; `None` if that is not known yet.
    repeat: Option<Origin>,
    /// Its arguments; `None` for those not known.
    values: Vec<Option<Origin>>,
    /// The accumulator, if it changed in this iteration.
    total: Option<Origin>,
}

/// A region being processed.
struct Frame {
    region: Region,
    nodes: Vec<Node>,
    /// The position of the next node.
    at: usize,
    next: Next,
    /// For the γ at that position: what is known at the ends of its first alternatives.
    alternatives: Vec<Next>,
}

struct Iteration<'t> {
    marked: FxHashMap<Region, Vec<Node>>,
    operations: &'t FxHashMap<Node, usize>,
    accumulation: Option<Accumulation>,
    /// The parameters that change.
    passed: &'t [usize],
    /// The accumulator before the iteration.
    total: Option<Origin>,
    router: Router,
}

impl Iteration<'_> {
    fn frame(&mut self, region: Region, next: Next) -> Frame {
        let nodes = self.marked.remove(&region).unwrap_or_default();
        Frame { region, nodes, at: 0, next, alternatives: Vec::new() }
    }

    /// Removes the calls and operations, and returns what is known of the next iteration at the end of the region.
    fn next_of(&mut self, graph: &mut Graph, region: Region) -> Next {
        let none = Next { repeat: None, values: vec![None; self.passed.len()], total: None };
        let mut stack = vec![self.frame(region, none)];
        loop {
            let frame = stack.last_mut().expect("the frame of the body is taken last");
            let Some(&node) = frame.nodes.get(frame.at) else {
                let next = stack.pop().expect("there is a last frame").next;
                match stack.last_mut() {
                    Some(outer) => outer.alternatives.push(next),
                    None => return next,
                }
                continue;
            };
            if let Some(gamma) = Gamma::new(graph, node) {
                if let Some(&alternative) = gamma.regions(graph).get(frame.alternatives.len()) {
                    let next = frame.next.clone();
                    let inner = self.frame(alternative, next);
                    stack.push(inner);
                    continue;
                }
                let alternatives = std::mem::take(&mut frame.alternatives);
                frame.next = self.join(graph, gamma, &frame.next, &alternatives);
            } else if let Some(&operand) = self.operations.get(&node) {
                self.accumulate(graph, node, operand, &mut frame.next, frame.region);
            } else {
                self.call(graph, node, &mut frame.next);
            }
            frame.at += 1;
        }
    }

    /// Removes a call: the iteration ends with it.
    fn call(&self, graph: &mut Graph, call: Node, next: &mut Next) {
        next.repeat = Some(Insert::before(graph, call).predicate(1, 2));
        next.values = self.passed.iter().map(|parameter| Some(graph.input(call, parameter + 1))).collect();
        let states: Vec<Origin> = graph.input_origins(call).filter(|&origin| graph.ty(origin).is_state()).collect();
        for output in graph.outputs(call).to_vec() {
            let ty = graph.ty(output);
            let instead = match states.iter().find(|&&state| graph.ty(state) == ty) {
                Some(&state) => state,
                None => Insert::before(graph, call).poison(ty),
            };
            take_users(graph, output, instead);
        }
        graph.remove(call);
    }

    /// Removes an operation, and applies it to the accumulator instead.
    fn accumulate(&mut self, graph: &mut Graph, node: Node, operand: usize, next: &mut Next, region: Region) {
        let Accumulation { op, ty } = self.accumulation.expect("operations accumulate");
        let total = next.total.or(self.total).expect("what is accumulated is carried");
        let total = self.router.route(graph, total, region);
        let (result, other) = (graph.input(node, operand), graph.input(node, 1 - operand));
        next.total = Some(Insert::before(graph, node).add(op, &[total, other], ty));
        take_users(graph, graph.output(node, 0), result);
        graph.remove(node);
    }

    /// What is known after a γ.
    fn join(&mut self, graph: &mut Graph, gamma: Gamma, before: &Next, alternatives: &[Next]) -> Next {
        let mut after = before.clone();
        if alternatives.iter().any(|next| next.repeat != before.repeat) {
            let no = |graph: &mut Graph, region| Insert::end(graph, region).predicate(0, 2);
            after.repeat = Some(self.exit(graph, gamma, alternatives.iter().map(|next| next.repeat), no));
        }
        for index in 0..self.passed.len() {
            let values = || alternatives.iter().map(|next| next.values[index]);
            if values().any(|value| value != before.values[index]) {
                let known = values().flatten().next().expect("one alternative knows another value");
                let ty = graph.ty(known);
                let poison = |graph: &mut Graph, region| Insert::end(graph, region).poison(ty);
                after.values[index] = Some(self.exit(graph, gamma, values(), poison));
            }
        }
        if let Some(total) = self.total
            && alternatives.iter().any(|next| next.total != before.total)
        {
            let totals = alternatives.iter().map(|next| Some(next.total.unwrap_or(total)));
            let none = |_: &mut Graph, _| unreachable!("something is accumulated from the start");
            after.total = Some(self.exit(graph, gamma, totals, none));
        }
        after
    }

    /// A new exit variable of a γ, for values known in each alternative or before the γ; where there is none, what `otherwise` makes.
    fn exit(
        &mut self,
        graph: &mut Graph,
        gamma: Gamma,
        values: impl Iterator<Item = Option<Origin>>,
        otherwise: impl Fn(&mut Graph, Region) -> Origin,
    ) -> Origin {
        let regions = gamma.regions(graph).to_vec();
        let mut results = Vec::with_capacity(regions.len());
        for (value, region) in values.zip(regions) {
            results.push(match value {
                Some(value) => self.router.route(graph, value, region),
                None => otherwise(graph, region),
            });
        }
        gamma.add_exit_var(graph, &results).output
    }
}

/// Redirects all users of a value to another one, which debug information must not treat as equal.
fn take_users(graph: &mut Graph, from: Origin, to: Origin) {
    for user in graph.users_of(from).collect::<Vec<_>>() {
        graph.divert(user, to);
    }
}
