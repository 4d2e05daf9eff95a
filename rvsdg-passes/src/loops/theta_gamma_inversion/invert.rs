//! A loop that decides first becomes a conditional with a loop that decides last.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::graph::Duplicator;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, TypeKind, Use};

use crate::pass::PassCx;

/// How many operations of a loop may be executed from two places: before the loop and at its end, and behind the γ and
/// behind the loop. LLVM's bound for the first of loops' headers is 16.
pub const MAX_COPIED: usize = 24;

/// Inverts a loop if that is right, and gives the new one.
pub(super) fn invert(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator, cx: &PassCx) -> Option<Theta> {
    let decided = Decided::find(graph, theta)?;
    let parts = Parts::find(graph, theta, decided)?;
    let mut size = 0;
    for &node in parts.head.iter().chain(&parts.tail) {
        if !may_copy(graph, cx.surroundings(), node) {
            return None;
        }
        size += size_within(graph, node, MAX_COPIED);
        if size > MAX_COPIED {
            cx.count("too_large", 1);
            return None;
        }
    }
    if !cx.rewrite("inverted", graph, theta.node()) {
        return None;
    }
    cx.count("inverted", 1);
    cx.count("copied", size as u64);
    Some(parts.rebuild(graph, theta, decided, duplicator))
}

/// The γ that decides about a loop's repetition.
#[derive(Copy, Clone)]
struct Decided {
    gamma: Gamma,
    /// The `match` that is its predicate.
    predicate: Node,
    /// The alternative that repeats the loop.
    repeat: usize,
}

impl Decided {
    fn find(graph: &Graph, theta: Theta) -> Option<Decided> {
        let body = theta.body(graph);
        let OriginDef::Output(node, index) = graph.def(graph.origin(theta.predicate(graph))) else { return None };
        let decided = match Gamma::new(graph, node) {
            // The alternatives know.
            Some(gamma) => {
                if !graph.has_one_user(graph.output(node, index as usize)) {
                    return None;
                }
                let mut decisions = gamma.regions(graph).iter().map(|&region| {
                    match graph.op(graph.producer(graph.result(region, index as usize))?)? {
                        Op::CtlConst { value, .. } => Some(value),
                        _ => None,
                    }
                });
                let repeat = match (decisions.next()??, decisions.next()??, decisions.next()) {
                    (0, 1, None) => 1,
                    (1, 0, None) => usize::from(seeded::is_active(Bug::IvtSense)),
                    _ => return None,
                };
                let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
                let users = graph.users_of(graph.output(predicate, 0)).count();
                (users == 1).then_some(Decided { gamma, predicate, repeat })?
            }
            // Both have one predicate.
            None => {
                let mut users = graph.users_of(graph.output(node, 0));
                let (first, second, None) = (users.next()?, users.next()?, users.next()) else { return None };
                let gamma = [first, second].into_iter().find_map(|user| match graph.site(user) {
                    Use::Input(node, 0) => Gamma::new(graph, node),
                    _ => None,
                })?;
                Decided { gamma, predicate: node, repeat: 1 }
            }
        };
        let is_match = matches!(graph.op(decided.predicate), Some(Op::Match(_)));
        let here = [decided.predicate, decided.gamma.node()].iter().all(|&node| graph.region_of(node) == body);
        (is_match && here && decided.gamma.regions(graph).len() == 2).then_some(decided)
    }
}

/// The nodes of a loop's body but for the γ that decides.
struct Parts {
    /// What the γ depends on, its predicate included, in topological order.
    head: Vec<Node>,
    /// All else, in topological order.
    tail: Vec<Node>,
    /// What the γ and all behind it use of what is before it, constants left out.
    crossing: Vec<Origin>,
    /// What of that is needed when the loop is left.
    leaving: FxHashSet<Origin>,
    in_head: FxHashSet<Node>,
}

impl Parts {
    fn find(graph: &Graph, theta: Theta, decided: Decided) -> Option<Parts> {
        let body = theta.body(graph);
        let gamma = decided.gamma.node();
        let mut in_head = FxHashSet::default();
        let mut pending = vec![gamma];
        while let Some(node) = pending.pop() {
            for producer in graph.input_origins(node).filter_map(|origin| graph.producer(origin)) {
                if in_head.insert(producer) {
                    pending.push(producer);
                }
            }
        }
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        for node in graph.topological(body).into_iter().filter(|&node| node != gamma) {
            if in_head.contains(&node) { head.push(node) } else { tail.push(node) }
        }
        let mut parts = Parts { head, tail, crossing: Vec::new(), leaving: FxHashSet::default(), in_head };
        let mut seen = FxHashSet::default();
        let leave = decided.gamma.regions(graph)[1 - decided.repeat];
        for (index, origin) in graph.input_origins(gamma).enumerate().skip(1) {
            let needed = graph.has_users(graph.arguments(leave)[index - 1]);
            parts.cross(graph, origin, needed, &mut seen);
        }
        for index in 0..parts.tail.len() {
            for origin in graph.input_origins(parts.tail[index]) {
                parts.cross(graph, origin, true, &mut seen);
            }
        }
        for origin in graph.result_origins(body).skip(1) {
            parts.cross(graph, origin, true, &mut seen);
        }
        Some(parts)
    }

    fn cross(&mut self, graph: &Graph, origin: Origin, needed: bool, seen: &mut FxHashSet<Origin>) {
        let from_head = match graph.producer(origin) {
            Some(node) => self.in_head.contains(&node) && !is_constant(graph, node),
            None => true,
        };
        if !from_head {
            return;
        }
        if seen.insert(origin) {
            self.crossing.push(origin);
        }
        // A token passes through the loop: behind it, it is what came in.
        let is_token = *graph.pool().type_kind(graph.ty(origin)) == TypeKind::Token;
        if (needed || graph.ty(origin).is_state()) && !is_token {
            self.leaving.insert(origin);
        }
    }

    /// Builds the γ with the new loop, moves and copies the parts, and removes the old loop.
    fn rebuild(&self, graph: &mut Graph, theta: Theta, decided: Decided, duplicator: &mut Duplicator) -> Theta {
        let (outside, body) = (graph.region_of(theta.node()), theta.body(graph));
        // What comes before the first decision.
        duplicator.begin();
        for variable in theta.loop_vars(graph) {
            duplicator.substitute(variable.pre, graph.origin(variable.input));
        }
        let mut placed = duplicator.copy_nodes(graph, &self.head, outside);
        let predicate = duplicator.get(graph.output(decided.predicate, 0));
        let guard = Gamma::add(graph, outside, predicate, 2);
        placed.push(guard.node());
        let [repeats, leaves] = [decided.repeat, 1 - decided.repeat];
        let new = Theta::add(graph, guard.regions(graph)[repeats]);
        let inner = new.body(graph);
        graph.set_end_source(inner, graph.end_source(body));
        let mut variables: FxHashMap<Origin, LoopVar> = FxHashMap::default();
        for &origin in &self.crossing {
            let entry = guard.add_entry_var(graph, duplicator.get(origin));
            let variable = new.add_loop_var(graph, entry.argument(graph, guard, repeats));
            graph.set_origin_source(variable.pre, graph.origin_source(origin));
            variables.insert(origin, variable);
            if self.leaving.contains(&origin) {
                let mut results = [variable.output; 2];
                results[leaves] = entry.argument(graph, guard, leaves);
                let after = guard.add_exit_var(graph, &results).output;
                duplicator.substitute(origin, after);
            }
        }
        // What comes when the loop is left: the other alternative, and what followed the γ.
        let gamma = decided.gamma;
        let [left, repeated] = [leaves, repeats].map(|alternative| gamma.regions(graph)[alternative]);
        placed.extend(empty(graph, gamma, left, outside, |origin| duplicator.get(origin)));
        for index in 0..graph.outputs(gamma.node()).len() {
            duplicator.substitute(graph.output(gamma.node(), index), graph.result(left, index));
        }
        placed.extend(duplicator.copy_nodes(graph, &self.tail, outside));
        for &node in &placed {
            graph.move_before(node, theta.node());
        }
        let finals: Vec<Origin> = graph.result_origins(body).skip(1).map(|origin| duplicator.get(origin)).collect();
        // The new loop: the alternative that repeats, what followed the γ, and what the next decision depends on.
        let inside = |origin| variables.get(&origin).map_or(origin, |variable| variable.pre);
        empty(graph, gamma, repeated, inner, inside);
        for &origin in &self.crossing {
            let users: Vec<_> = graph.users_of(origin).filter(|&user| !self.is_of_head(graph, user)).collect();
            for user in users {
                graph.divert(user, variables[&origin].pre);
            }
            if let OriginDef::Argument(..) = graph.def(origin) {
                graph.note_same(origin, variables[&origin].pre);
            }
        }
        for index in 0..graph.outputs(gamma.node()).len() {
            let (output, result) = (graph.output(gamma.node(), index), graph.result(repeated, index));
            graph.divert_users(output, result);
        }
        let posts: Vec<Origin> = graph.result_origins(body).skip(1).collect();
        for &node in self.tail.iter().chain(&self.head) {
            graph.move_to(node, inner);
        }
        for (index, &post) in posts.iter().enumerate() {
            graph.divert_users(graph.arguments(body)[index], post);
        }
        for &origin in &self.crossing {
            let next = match graph.def(origin) {
                OriginDef::Argument(_, index) => posts[index as usize],
                OriginDef::Output(..) => origin,
            };
            graph.divert(variables[&origin].post, next);
        }
        if decided.repeat == 0 {
            exchange_alternatives(graph, decided.predicate);
        }
        graph.divert(new.predicate(graph), graph.output(decided.predicate, 0));
        // What is left of the old loop holds on to what has moved.
        for region in [left, repeated, body] {
            graph.retain_results(region, |_| false);
        }
        graph.remove(gamma.node());
        for (index, &after) in finals.iter().enumerate() {
            graph.divert_users(graph.output(theta.node(), index), after);
        }
        graph.remove(theta.node());
        new
    }

    /// Whether a user is an input of what the γ depends on.
    fn is_of_head(&self, graph: &Graph, user: rvsdg_core::User) -> bool {
        match graph.site(user) {
            Use::Input(node, _) => self.in_head.contains(&node),
            Use::Result(..) => false,
        }
    }
}

/// Moves the nodes of a γ's region to the end of another one, where `outer` tells what the γ's inputs are. The results of
/// the region then are what they are there.
fn empty(graph: &mut Graph, gamma: Gamma, region: Region, into: Region, outer: impl Fn(Origin) -> Origin) -> Vec<Node> {
    for index in 0..graph.arguments(region).len() {
        let origin = outer(graph.input(gamma.node(), index + 1));
        graph.divert_users(graph.arguments(region)[index], origin);
    }
    let nodes: Vec<Node> = graph.nodes(region).collect();
    for &node in &nodes {
        graph.move_to(node, into);
    }
    nodes
}

/// Makes a `match` of two alternatives choose the other one.
fn exchange_alternatives(graph: &mut Graph, node: Node) {
    let Some(Op::Match(table)) = graph.op(node) else { unreachable!("a predicate that decides is a match") };
    let pool = graph.pool().clone();
    let table = pool.table(table);
    let cases = table.cases.iter().map(|&(value, chosen)| (value, 1 - chosen)).collect();
    let table = MatchTable { cases, default: 1 - table.default, alternatives: 2 };
    graph.set_op(node, Op::Match(pool.intern_table(table)));
}

/// Whether a node is a constant that can be made anywhere.
fn is_constant(graph: &Graph, node: Node) -> bool {
    matches!(graph.op(node), Some(Op::Const(_))) && graph.inputs(node).is_empty()
}
