//! Inversion (loop rotation): a head-controlled loop becomes a conditional with a tail-controlled loop.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::graph::Duplicator;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, TypeKind, Use};

use super::breaks;
use crate::pass::PassCx;

/// How many operations of a loop may be duplicated: before the loop and at its end, and inside and after the loop. LLVM's bound for
/// rotated loop headers is 16.
pub const MAX_COPIED: usize = 24;

/// Inverts a loop if that is correct, and returns the new one.
pub(super) fn invert(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator, cx: &PassCx) -> Option<Theta> {
    let decided = Decided::find(graph, theta)?;
    let parts = Parts::find(graph, theta, decided)?;
    let mut size = 0;
    for &node in parts.head.iter().chain(&parts.late).chain(&parts.tail) {
        if !may_copy(graph, cx.surroundings(), node) {
            return None;
        }
        size += size_within(graph, node, MAX_COPIED);
        if size > MAX_COPIED {
            cx.count("too_large", 1);
            return None;
        }
    }
    let Some(breaks) = decided.breaks else {
        if !cx.rewrite("inverted", graph, theta.node()) {
            return None;
        }
        cx.count("inverted", 1);
        cx.count("copied", size as u64);
        return Some(parts.rebuild(graph, theta, decided, duplicator));
    };
    // The part before the decision is smaller than the part that it guards: that is worth a second decision in each iteration, and the
    // new loop is not inverted back.
    let before = parts.head.iter().chain(&parts.late);
    let head: usize = before.map(|&node| size_within(graph, node, MAX_COPIED)).sum();
    let repeated = decided.gamma.regions(graph)[decided.repeat];
    let mut decided_about = 0;
    for node in graph.nodes(repeated) {
        decided_about += size_within(graph, node, MAX_COPIED);
        if decided_about > head {
            break;
        }
    }
    if decided_about <= head || !parts.has_one_of_each_state(graph, theta) {
        return None;
    }
    if !cx.rewrite("inverted_with_breaks", graph, theta.node()) {
        return None;
    }
    cx.count("inverted_with_breaks", 1);
    cx.count("copied", size as u64);
    Some(breaks::rebuild(&parts, graph, theta, decided, breaks, duplicator))
}

/// The γ that decides whether a loop continues.
#[derive(Copy, Clone)]
pub(super) struct Decided {
    pub(super) gamma: Gamma,
    /// The `match` that is its predicate.
    pub(super) predicate: Node,
    /// The alternative that continues the loop.
    pub(super) repeat: usize,
    /// The result of that alternative that says whether the loop continues, unless it always does.
    breaks: Option<usize>,
}

impl Decided {
    fn find(graph: &Graph, theta: Theta) -> Option<Decided> {
        let body = theta.body(graph);
        let OriginDef::Output(node, index) = graph.def(graph.origin(theta.predicate(graph))) else { return None };
        let decided = match Gamma::new(graph, node) {
            // The alternatives determine it.
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
                let index = index as usize;
                let (repeat, breaks) = match (decisions.next()?, decisions.next()?, decisions.next()) {
                    (Some(0), Some(1), None) => (1, None),
                    (Some(1), Some(0), None) => (usize::from(seeded::is_active(Bug::IvtSense)), None),
                    (Some(0), None, None) => (1, Some(index)),
                    (None, Some(0), None) => (0, Some(index)),
                    _ => return None,
                };
                let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
                let users = graph.users_of(graph.output(predicate, 0)).count();
                (users == 1).then_some(Decided { gamma, predicate, repeat, breaks })?
            }
            // Both have the same predicate.
            None => {
                let mut users = graph.users_of(graph.output(node, 0));
                let (first, second, None) = (users.next()?, users.next()?, users.next()) else { return None };
                let gamma = [first, second].into_iter().find_map(|user| match graph.site(user) {
                    Use::Input(node, 0) => Gamma::new(graph, node),
                    _ => None,
                })?;
                Decided { gamma, predicate: node, repeat: 1, breaks: None }
            }
        };
        let is_match = matches!(graph.op(decided.predicate), Some(Op::Match(_)));
        let here = [decided.predicate, decided.gamma.node()].iter().all(|&node| graph.region_of(node) == body);
        (is_match && here && decided.gamma.regions(graph).len() == 2).then_some(decided)
    }
}

/// The nodes of a loop's body except the deciding γ.
pub(super) struct Parts {
    /// The dependences of the γ's predicate and states, in topological order.
    pub(super) head: Vec<Node>,
    /// The other dependences of the γ: operations that can be executed after the decision, in topological order.
    late: Vec<Node>,
    /// Those of them that are needed when the loop is left.
    late_left: Vec<Node>,
    /// All other nodes, in topological order.
    tail: Vec<Node>,
    /// The values from before the γ that the γ and nodes after it use, constants excluded.
    pub(super) crossing: Vec<Origin>,
    /// Those of them that are needed when the loop is left.
    leaving: FxHashSet<Origin>,
    in_head: FxHashSet<Node>,
}

impl Parts {
    fn find(graph: &Graph, theta: Theta, decided: Decided) -> Option<Parts> {
        let body = theta.body(graph);
        let gamma = decided.gamma.node();
        let mut in_head = FxHashSet::default();
        let mut late = FxHashSet::default();
        let decides = |(index, origin): (usize, Origin)| (index == 0 || graph.ty(origin).is_state()).then_some(origin);
        depend(graph, graph.input_origins(gamma).enumerate().filter_map(decides), &mut in_head, |_| true);
        // A node that cannot be late is in the head with all its dependences.
        let mut early = Vec::new();
        depend(graph, graph.input_origins(gamma), &mut late, |node| {
            let can_be_late = graph.op(node).is_some_and(|op| op.is_speculatable(graph.pool()));
            if !can_be_late {
                early.push(node);
            }
            can_be_late
        });
        in_head.extend(early.iter().copied());
        depend(graph, early.iter().flat_map(|&node| graph.input_origins(node)), &mut in_head, |_| true);
        let (mut head, mut after, mut tail) = (Vec::new(), Vec::new(), Vec::new());
        for node in graph.topological(body).into_iter().filter(|&node| node != gamma) {
            if in_head.contains(&node) {
                head.push(node);
            } else if late.contains(&node) {
                after.push(node);
            } else {
                tail.push(node);
            }
        }
        let leave = decided.gamma.regions(graph)[1 - decided.repeat];
        let is_left = |&(index, _): &(usize, Origin)| graph.has_users(graph.arguments(leave)[index - 1]);
        let left = graph.input_origins(gamma).enumerate().skip(1).filter(is_left).map(|(_, origin)| origin);
        let left = left.chain(tail.iter().flat_map(|&node| graph.input_origins(node)));
        let mut needed = FxHashSet::default();
        depend(graph, left.chain(graph.result_origins(body).skip(1)), &mut needed, |node| late.contains(&node));
        let late_left = after.iter().copied().filter(|node| needed.contains(node)).collect();
        let mut parts =
            Parts { head, late: after, late_left, tail, crossing: Vec::new(), leaving: FxHashSet::default(), in_head };
        let mut seen = FxHashSet::default();
        for (index, origin) in graph.input_origins(gamma).enumerate().skip(1) {
            let needed = graph.has_users(graph.arguments(leave)[index - 1]);
            parts.cross(graph, origin, needed, &mut seen);
        }
        for index in 0..parts.late.len() {
            for origin in graph.input_origins(parts.late[index]) {
                parts.cross(graph, origin, needed.contains(&parts.late[index]), &mut seen);
            }
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
        // A token passes through the loop unchanged: after it, users take the incoming one.
        let is_token = *graph.pool().type_kind(graph.ty(origin)) == TypeKind::Token;
        if (needed || graph.ty(origin).is_state()) && !is_token {
            self.leaving.insert(origin);
        }
    }

    /// Builds the γ with the new loop, moves and copies the parts, and removes the old loop.
    fn rebuild(&self, graph: &mut Graph, theta: Theta, decided: Decided, duplicator: &mut Duplicator) -> Theta {
        let (outside, body) = (graph.region_of(theta.node()), theta.body(graph));
        let mut entered = self.enter(graph, theta, decided, duplicator);
        for &(origin, after) in &entered.after {
            duplicator.substitute(origin, after);
        }
        // The code for leaving the loop: the other alternative, and the nodes after the γ.
        let placed = self.leave(graph, decided, outside, duplicator);
        entered.placed.extend(placed);
        for &node in &entered.placed {
            graph.move_before(node, theta.node());
        }
        let finals: Vec<Origin> = graph.result_origins(body).skip(1).map(|origin| duplicator.get(origin)).collect();
        let Entered { new, ref variables, .. } = entered;
        let inner = new.body(graph);
        let posts = self.fill(graph, theta, decided, &entered);
        for &node in &self.head {
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
        remove(graph, theta, decided.gamma, &finals);
        new
    }

    /// Copies the nodes before the first decision before the loop, and makes the γ with the new loop, whose body is empty.
    pub(super) fn enter(
        &self,
        graph: &mut Graph,
        theta: Theta,
        decided: Decided,
        duplicator: &mut Duplicator,
    ) -> Entered {
        let (outside, body) = (graph.region_of(theta.node()), theta.body(graph));
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
        graph.set_loop_hints(new.node(), graph.loop_hints(theta.node()));
        let mut variables: FxHashMap<Origin, LoopVar> = FxHashMap::default();
        let mut after = Vec::new();
        for &origin in &self.crossing {
            let entry = guard.add_entry_var(graph, duplicator.get(origin));
            let variable = new.add_loop_var(graph, entry.argument(graph, guard, repeats));
            graph.set_origin_source(variable.pre, graph.origin_source(origin));
            variables.insert(origin, variable);
            if self.leaving.contains(&origin) {
                let mut results = [variable.output; 2];
                results[leaves] = entry.argument(graph, guard, leaves);
                after.push((origin, guard.add_exit_var(graph, &results).output));
            }
        }
        Entered { guard, new, variables, after, placed }
    }

    /// Moves the code for leaving the loop into a region: the other alternative, and a copy of the nodes after the γ.
    pub(super) fn leave(
        &self,
        graph: &mut Graph,
        decided: Decided,
        into: Region,
        duplicator: &mut Duplicator,
    ) -> Vec<Node> {
        let gamma = decided.gamma;
        let left = gamma.regions(graph)[1 - decided.repeat];
        let mut placed = duplicator.copy_nodes(graph, &self.late_left, into);
        placed.extend(empty(graph, gamma, left, into, |origin| duplicator.get(origin)));
        for index in 0..graph.outputs(gamma.node()).len() {
            duplicator.substitute(graph.output(gamma.node(), index), graph.result(left, index));
        }
        placed.extend(duplicator.copy_nodes(graph, &self.tail, into));
        placed
    }

    /// Fills the new loop with the repeating alternative and the nodes after the γ, and returns the old loop's variables at that point.
    pub(super) fn fill(&self, graph: &mut Graph, theta: Theta, decided: Decided, entered: &Entered) -> Vec<Origin> {
        let (gamma, inner, variables) = (decided.gamma, entered.new.body(graph), &entered.variables);
        let repeated = gamma.regions(graph)[decided.repeat];
        let inside = |origin| variables.get(&origin).map_or(origin, |variable| variable.pre);
        for &node in &self.late {
            graph.move_to(node, inner);
        }
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
        for &node in &self.tail {
            graph.move_to(node, inner);
        }
        graph.result_origins(theta.body(graph)).skip(1).collect()
    }

    /// Whether exactly one state of each kind that passes through the loop crosses from before the γ to after it, and no token does.
    fn has_one_of_each_state(&self, graph: &Graph, theta: Theta) -> bool {
        let is_token = |ty| *graph.pool().type_kind(ty) == TypeKind::Token;
        theta.loop_vars(graph).map(|variable| graph.ty(variable.pre)).all(|ty| {
            let crossing = self.crossing.iter().filter(|&&origin| graph.ty(origin) == ty).count();
            let through = theta.loop_vars(graph).filter(|variable| graph.ty(variable.pre) == ty).count();
            !is_token(ty) && (!ty.is_state() || crossing == 1 && through == 1)
        }) && !self.crossing.iter().any(|&origin| is_token(graph.ty(origin)))
    }

    /// Whether a user is an input of a node that the γ depends on.
    pub(super) fn is_of_head(&self, graph: &Graph, user: rvsdg_core::User) -> bool {
        match graph.site(user) {
            Use::Input(node, _) => self.in_head.contains(&node),
            Use::Result(..) => false,
        }
    }
}

/// Adds the dependences of values in their region, through the allowed nodes.
fn depend(
    graph: &Graph,
    origins: impl Iterator<Item = Origin>,
    found: &mut FxHashSet<Node>,
    mut may_be: impl FnMut(Node) -> bool,
) {
    let mut pending: Vec<Node> = origins.filter_map(|origin| graph.producer(origin)).collect();
    while let Some(node) = pending.pop() {
        if !found.contains(&node) && may_be(node) {
            found.insert(node);
            pending.extend(graph.input_origins(node).filter_map(|origin| graph.producer(origin)));
        }
    }
}

/// A loop that is being inverted, still empty.
pub(super) struct Entered {
    /// The γ that tests before the loop.
    pub(super) guard: Gamma,
    /// The new loop, in an alternative of that γ.
    pub(super) new: Theta,
    /// Its variables, by crossing value of the old loop.
    pub(super) variables: FxHashMap<Origin, LoopVar>,
    /// The crossing values when the loop is left, after the γ.
    pub(super) after: Vec<(Origin, Origin)>,
    /// The nodes that were inserted before the old loop.
    pub(super) placed: Vec<Node>,
}

/// Removes the old loop, whose used parts have moved elsewhere, and replaces its outputs.
pub(super) fn remove(graph: &mut Graph, theta: Theta, gamma: Gamma, finals: &[Origin]) {
    // The rest of it still uses what has moved.
    let body = theta.body(graph);
    let regions: Vec<Region> = gamma.regions(graph).iter().copied().chain([body]).collect();
    for region in regions {
        graph.retain_results(region, |_| false);
    }
    graph.remove(gamma.node());
    for (index, &after) in finals.iter().enumerate() {
        graph.divert_users(graph.output(theta.node(), index), after);
    }
    graph.remove(theta.node());
}

/// Moves the nodes of a γ's region to the end of another one; `outer` maps the γ's inputs to values there. The results of the region are
/// then those values.
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

/// Exchanges the two alternatives of a `match`.
pub(super) fn exchange_alternatives(graph: &mut Graph, node: Node) {
    let Some(Op::Match(table)) = graph.op(node) else { unreachable!("a predicate that decides is a match") };
    let pool = graph.pool().clone();
    let table = pool.table(table);
    let cases = table.cases.iter().map(|&(value, chosen)| (value, 1 - chosen)).collect();
    let table = MatchTable { cases, default: 1 - table.default, alternatives: 2 };
    graph.set_op(node, Op::Match(pool.intern_table(table)));
}

/// Whether a node is a constant that can be copied anywhere.
pub(super) fn is_constant(graph: &Graph, node: Node) -> bool {
    matches!(graph.op(node), Some(Op::Const(_))) && graph.inputs(node).is_empty()
}
