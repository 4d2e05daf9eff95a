//! Prepares a callee's body for the place of an `invoke`: exceptions that unwound out of the callee now reach the landing pad after it.
//!
//! As in LLVM's inliner (`HandleInlinedLandingPad`), a call that may unwind becomes an `invoke` with the landing pad of the replaced one,
//! landing pads of the callee also catch what that one catches, after what they catch themselves, and `resume` passes its value to it.
//! Each of these leaves all enclosing regions. So a region that contains one is split there:
//!
//! ```text
//! v1: i32, mem1, io1 = call i32 () @f(), mem0, io0
//! v2: i32, mem2, io2 = call i32 (i32) @g(v1), mem1, io1
//! yield v2, mem2, io2
//! ```
//!
//! becomes
//!
//! ```text
//! v1: i32, v3: ptr, v4: ctl(2), mem1, io1 = invoke i32 () @f() unwind [cleanup], mem0, io0
//! v2: i32, v5: ptr, v6: ctl(2), mem2, io2 = gamma v4 (v1, v3, mem1, io1)
//! case 0 (v7: i32, v8: ptr, mem3, io3) {
//!   v9: i32, v10: ptr, v11: ctl(2), mem4, io4 = invoke i32 (i32) @g(v7) unwind [cleanup], mem3, io3
//!   yield v9, v10, v11, mem4, io4
//! }
//! case 1 (v12: i32, v13: ptr, mem5, io5) {
//!   v14 = const i32 poison
//!   v15 = ctl 1 of 2
//!   yield v14, v13, v15, mem5, io5
//! }
//! ```
//!
//! and two additional variables tell the enclosing regions whether it was left: a γ from each alternative, a θ, which does not continue
//! then, from its last iteration. Control flow recovery makes a single jump of it, however deep it was.
//!
//! Regions are split at their last such node first, so that every node moves once per enclosing region that is split. Linear in the
//! callee, except for values that are routed into the split parts.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::call_graph::DirectCalls;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::op::{Call, CallExits, CallInfo, Clause, FastMath, LandingPad, TailKind};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, NodeKind, Op, Origin, Region, Type};

/// The handler of exceptions.
pub(super) struct Handler {
    /// The landing pad of the replaced `invoke`.
    pub pad: LandingPad,
    /// The type of its value.
    pub ty: Type,
    /// The types of the operands of its clauses.
    pub clauses: Vec<Type>,
}

/// The exceptional exit of a region or a body.
#[derive(Copy, Clone)]
pub(super) struct Exit {
    /// The value for the landing pad, if it was taken.
    pub pad: Origin,
    /// 1 if it was taken.
    pub predicate: Origin,
}

/// The body of a callee, whose first arguments are `contexts` context variables, with the operands of the handler's clauses as arguments
/// after its parameters, and its exceptional exit. `may_unwind` is called for each call, with the context variable that it calls, if it
/// is one.
pub(super) fn catch(
    callee: &Graph,
    contexts: usize,
    may_unwind: impl Fn(&CallInfo, Option<u32>) -> bool,
    handler: &Handler,
) -> (Graph, Option<Exit>) {
    let mut graph = callee.renumbered();
    let pool = graph.pool().clone();
    let root = graph.root();
    let called: FxHashMap<Node, u32> = DirectCalls::of(&graph, contexts).calls.into_iter().collect();
    let operands: Vec<Origin> = handler
        .clauses
        .iter()
        .map(|&ty| {
            let states = graph.arguments(root).len() - 2;
            graph.insert_argument(root, states, ty)
        })
        .collect();
    let mut catcher = Catcher {
        graph,
        handler,
        operands,
        routes: Router::default(),
        leaving: FxHashSet::default(),
        exits: FxHashMap::default(),
        left: FxHashMap::default(),
    };
    for node in catcher.graph.all_nodes().collect::<Vec<_>>() {
        let op = catcher.graph.op(node);
        if let Some(Op::Call(call)) = op {
            if may_unwind(pool.call(call), called.get(&node).copied()) {
                catcher.convert(node, pool.call(call));
            }
        } else if let Some(Op::Invoke(call)) = op {
            catcher.extend(node, call);
        } else if op == Some(Op::Resume) {
            catcher.note(node);
        }
    }
    let regions: Vec<Region> = catcher
        .graph
        .walk()
        .filter_map(|item| match item {
            WalkItem::Leave(region) => Some(region),
            WalkItem::Enter(_) | WalkItem::Node(_) => None,
        })
        .filter(|region| catcher.leaving.contains(region))
        .collect();
    for region in regions {
        catcher.region(region);
    }
    let exit = catcher.left.get(&root).copied();
    (catcher.graph, exit)
}

struct Catcher<'h> {
    graph: Graph,
    handler: &'h Handler,
    /// The operands of the handler's clauses.
    operands: Vec<Origin>,
    routes: Router,
    /// Regions that contain something that unwinds out of the callee.
    leaving: FxHashSet<Region>,
    /// The exceptional exit of each `invoke` that unwinds to the handler.
    exits: FxHashMap<Node, Exit>,
    /// The exceptional exit of each region that was split.
    left: FxHashMap<Region, Exit>,
}

impl Catcher<'_> {
    /// Records that a node unwinds out of the callee.
    fn note(&mut self, node: Node) {
        let mut region = Some(self.graph.region_of(node));
        while let Some(around) = region.filter(|&region| self.leaving.insert(region)) {
            region = self.graph.parent_region(around);
        }
    }

    /// Turns a call into an `invoke` that unwinds to the handler.
    fn convert(&mut self, node: Node, info: &CallInfo) {
        let pool = self.graph.pool().clone();
        let exits = CallExits::Unwind(self.handler.pad.clone());
        let call = CallInfo { exits, tail: TailKind::None, fast: FastMath::NONE, ..info.clone() };
        let invoke = self.replace(node, pool.intern_call(call), &[self.handler.ty, pool.ctl(2)]);
        let values = self.graph.outputs(invoke).len() - info.effects.count();
        let [pad, predicate] = [2, 1].map(|back| self.graph.output(invoke, values - back));
        self.exits.insert(invoke, Exit { pad, predicate });
        self.note(invoke);
    }

    /// Adds the clauses of the handler to those of an `invoke`.
    fn extend(&mut self, node: Node, call: Call) {
        let pool = self.graph.pool().clone();
        let info = pool.call(call);
        let (CallExits::Unwind(pad), outer) = (&info.exits, &self.handler.pad) else { return };
        let adds = !outer.clauses.is_empty() || !pad.cleanup;
        if !adds || catches_all(&self.graph, node, info) {
            return;
        }
        let clauses = pad.clauses.iter().chain(&outer.clauses).copied().collect();
        let exits = CallExits::Unwind(LandingPad {
            cleanup: pad.cleanup || outer.cleanup && !seeded::is_active(Bug::IlnCleanup),
            clauses,
        });
        self.replace(node, pool.intern_call(CallInfo { exits, ..info.clone() }), &[]);
    }

    /// Replaces a call by an `invoke`, with the handler's operands after its values and outputs of types after those of its values.
    fn replace(&mut self, node: Node, call: Call, added: &[Type]) -> Node {
        let region = self.graph.region_of(node);
        let operands = self.operands.clone();
        let operands: Vec<Origin> =
            operands.into_iter().map(|operand| self.routes.route(&mut self.graph, operand, region)).collect();
        let graph = &mut self.graph;
        let states = graph.pool().call(call).effects.count();
        let mut inputs: Vec<Origin> = graph.input_origins(node).collect();
        inputs.splice(inputs.len() - states..inputs.len() - states, operands);
        let old = graph.outputs(node).to_vec();
        let mut types: Vec<Type> = old.iter().map(|&output| graph.ty(output)).collect();
        let values = old.len() - states;
        types.splice(values..values, added.iter().copied());
        let (source, motion) = (graph.source(node), graph.motion(node));
        let invoke = Insert::before(graph, node).source(source).moved(motion).node(Op::Invoke(call), &inputs, &types);
        for (index, output) in old.into_iter().enumerate() {
            let index = if index < values { index } else { index + added.len() };
            let new = graph.output(invoke, index);
            graph.set_origin_source(new, graph.origin_source(output));
            graph.divert_users(output, new);
        }
        graph.remove(node);
        invoke
    }

    /// Splits a region after everything that unwinds out of it; inner regions are split already.
    fn region(&mut self, region: Region) {
        let theta = self.graph.parent(region).and_then(|parent| Theta::new(&self.graph, parent));
        let mut exit = None;
        // The nodes after it, in reverse order.
        let mut behind: Vec<Node> = Vec::new();
        for node in self.graph.nodes(region).collect::<Vec<_>>().into_iter().rev() {
            if self.graph.op(node) == Some(Op::Resume) {
                exit = Some(self.resume(node, &mut behind));
                continue;
            }
            let mut before = Vec::new();
            let Some(own) = self.exit(node, &mut before) else {
                behind.push(node);
                continue;
            };
            let ends = |theta: Theta| {
                let predicate = self.graph.producer(self.graph.origin(theta.predicate(&self.graph)));
                predicate.and_then(|node| self.graph.op(node)) == Some(Op::CtlConst { value: 0, of: 2 })
            };
            if behind.is_empty() && theta.is_none_or(ends) {
                exit = Some(own);
                // Two paths lead on from its end.
                self.graph.set_end_source(region, None);
            } else {
                behind.reverse();
                let (gamma, joined) = self.split(region, own, &behind, exit);
                exit = Some(joined);
                behind = vec![gamma];
            }
            behind.push(node);
            behind.extend(before);
        }
        self.left.extend(exit.map(|exit| (region, exit)));
    }

    /// The exceptional exit of a node that unwinds out of the callee, or contains something that does; nodes are added `before` it.
    fn exit(&mut self, node: Node, before: &mut Vec<Node>) -> Option<Exit> {
        let graph = &mut self.graph;
        let regions = graph.subregions(node).to_vec();
        if regions.iter().all(|region| !self.left.contains_key(region)) {
            return self.exits.get(&node).copied();
        }
        match graph.kind(node) {
            NodeKind::Gamma => {
                let gamma = Gamma::new(graph, node)?;
                let exits: Vec<Exit> = regions
                    .into_iter()
                    .map(|region| match self.left.get(&region) {
                        Some(&exit) => exit,
                        None => Exit {
                            pad: poison(graph, region, self.handler.ty),
                            predicate: Insert::end(graph, region).predicate(0, 2),
                        },
                    })
                    .collect();
                let [pads, predicates]: [Vec<Origin>; 2] =
                    [|exit: &Exit| exit.pad, |exit: &Exit| exit.predicate].map(|of| exits.iter().map(of).collect());
                let pad = gamma.add_exit_var(graph, &pads).output;
                let predicate = gamma.add_exit_var(graph, &predicates).output;
                Some(Exit { pad, predicate })
            }
            NodeKind::Theta => {
                let (theta, inner) = (Theta::new(graph, node)?, *self.left.get(&regions[0])?);
                let around = graph.region_of(node);
                let start = [poison(graph, around, self.handler.ty), Insert::end(graph, around).predicate(0, 2)];
                for origin in start {
                    let producer = graph.producer(origin)?;
                    graph.move_before(producer, node);
                    before.push(producer);
                }
                let [pad, predicate] = start.map(|origin| theta.add_loop_var(graph, origin));
                graph.divert(pad.post, inner.pad);
                graph.divert(predicate.post, inner.predicate);
                Some(Exit { pad: pad.output, predicate: predicate.output })
            }
            NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => None,
        }
    }

    /// Moves everything after a possibly unwinding node into the γ alternative for normal return. Returns the γ and the region's new
    /// exceptional exit.
    fn split(&mut self, region: Region, own: Exit, behind: &[Node], then: Option<Exit>) -> (Node, Exit) {
        let ty = self.handler.ty;
        let graph = &mut self.graph;
        let repeats = graph.parent(region).is_some_and(|parent| graph.kind(parent) == NodeKind::Theta);
        let gamma = Gamma::add(graph, region, own.predicate, 2);
        let &[returned, unwound] = gamma.regions(graph) else { unreachable!("it was made with two") };
        graph.set_end_source(returned, graph.end_source(region));
        graph.set_end_source(region, None);
        for &node in behind {
            graph.move_to(node, returned);
        }
        let mut router = Router::new();
        // Constants are copied instead, because some operands must be constants.
        for &node in behind {
            for index in 0..graph.inputs(node).len() {
                let origin = graph.input(node, index);
                if graph.scope(origin) != returned {
                    let inner = match plain_constant(graph, origin) {
                        Some(known) => Insert::end(graph, returned).constant(known),
                        None => router.route(graph, origin, returned),
                    };
                    graph.divert(graph.inputs(node)[index], inner);
                }
            }
        }
        let mut outputs: FxHashMap<Origin, Origin> = FxHashMap::default();
        for index in 0..graph.results(region).len() {
            let origin = graph.result(region, index);
            let is_behind = graph.scope(origin) == returned;
            if !(is_behind || repeats && index == 0) {
                continue;
            }
            let output = match outputs.get(&origin) {
                Some(&output) => output,
                None => {
                    let inner = if is_behind { origin } else { router.route(graph, origin, returned) };
                    let other = nothing(graph, unwound, graph.ty(origin));
                    let output = gamma.add_exit_var(graph, &[inner, other]).output;
                    outputs.insert(origin, output);
                    output
                }
            };
            graph.divert(graph.results(region)[index], output);
        }
        let then = then.unwrap_or_else(|| Exit {
            pad: poison(graph, returned, ty),
            predicate: Insert::end(graph, returned).predicate(0, 2),
        });
        // A `resume` may pass a value from before the split.
        let pads = [(then.pad, returned), (own.pad, unwound)].map(|(pad, inner)| router.route(graph, pad, inner));
        let predicate = Insert::end(graph, unwound).predicate(1, 2);
        let pad = gamma.add_exit_var(graph, &pads).output;
        let predicate = gamma.add_exit_var(graph, &[then.predicate, predicate]).output;
        (gamma.node(), Exit { pad, predicate })
    }

    /// Removes a `resume` and the nodes after it (`behind`, in reverse order), which are dead; returns the resulting exceptional exit.
    fn resume(&mut self, resume: Node, behind: &mut Vec<Node>) -> Exit {
        let graph = &mut self.graph;
        let region = graph.region_of(resume);
        let inputs: Vec<Origin> = graph.input_origins(resume).collect();
        let dead: FxHashSet<Node> = behind.iter().copied().chain([resume]).collect();
        let mut added = Vec::new();
        for index in 0..graph.results(region).len() {
            let origin = graph.result(region, index);
            let repeats =
                index == 0 && graph.parent(region).is_some_and(|parent| graph.kind(parent) == NodeKind::Theta);
            if !repeats && graph.producer(origin).is_none_or(|producer| !dead.contains(&producer)) {
                continue;
            }
            let ty = graph.ty(origin);
            let other = match inputs[1..].iter().find(|&&state| graph.ty(state) == ty) {
                Some(&state) => state,
                None => nothing(graph, region, ty),
            };
            added.extend(graph.producer(other).filter(|_| !ty.is_state()));
            graph.divert(graph.results(region)[index], other);
        }
        for node in behind.drain(..).chain([resume]) {
            graph.remove(node);
        }
        graph.set_end_source(region, None);
        let predicate = Insert::end(graph, region).predicate(1, 2);
        added.extend(graph.producer(predicate));
        behind.extend(added);
        Exit { pad: inputs[0], predicate }
    }
}

/// Whether the landing pad of an `invoke` catches every exception.
pub(super) fn catches_all(graph: &Graph, invoke: Node, info: &CallInfo) -> bool {
    let CallExits::Unwind(pad) = &info.exits else { return false };
    let operands = graph.inputs(invoke).len() - info.effects.count() - pad.clauses.len();
    pad.clauses.iter().enumerate().any(|(index, &clause)| {
        let constant = plain_constant(graph, graph.input(invoke, operands + index));
        clause == Clause::Catch
            && matches!(constant.map(|constant| graph.pool().constant(constant)), Some(Constant::Zero(_)))
    })
}

/// A result of a region whose end is unreachable: the state it was entered with, otherwise any value.
fn nothing(graph: &mut Graph, region: Region, ty: Type) -> Origin {
    if ty.is_state() {
        let state = graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == ty);
        return state.expect("what produces a state takes it");
    }
    match graph.pool().ctl_alternatives(ty) {
        Some(of) => Insert::end(graph, region).predicate(0, of),
        None => poison(graph, region, ty),
    }
}

/// The constant that an origin is, if it mentions no symbol.
fn plain_constant(graph: &Graph, origin: Origin) -> Option<Const> {
    let node = graph.producer(origin).filter(|&node| graph.inputs(node).is_empty())?;
    match graph.op(node) {
        Some(Op::Const(constant)) => Some(constant),
        _ => None,
    }
}

/// A poison value that is not shared, because its users move.
fn poison(graph: &mut Graph, region: Region, ty: Type) -> Origin {
    let op = Op::Const(graph.pool().poison(ty));
    let node = Insert::end(graph, region).node(op, &[], &[ty]);
    graph.output(node, 0)
}
