//! The worklist.
//!
//! Invariant: no rule applies to a node that is not on the list, as far as its operands and theirs determine. Facts from farther away
//! (known bits) can change without it; so when the list is empty and something was changed, all nodes are put on it again, until that
//! changes nothing. [`is_reduced`] checks it.
//!
//! In a body that was reduced before, only what was edited since, what is around it, and what uses symbols and parameters about which more
//! is known now are put on the list; what a fact from farther away would allow in the rest of it is left.

use std::sync::Arc;

use cranelift_entity::EntitySet;
use rvsdg_analysis::conditions::{self, orders};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::trace::inner_users;
use rvsdg_analysis::{Surroundings, unwinding};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{BinaryFlags, OpCode};
use rvsdg_core::{Const, Epoch, Graph, Node, NodeKind, Op, Origin, Type, Use};

use super::aligned;
use super::control;
use super::cx::Cx;
use super::fields;
use super::idle;
use super::rule::{At, Rules};
use super::rules::constant_in_bytes;
use super::spread;
use crate::invoke;
use crate::pass::{BodyPass, Change, PassCx};

/// How often all nodes are visited before the rest is left as it is. The counter `gave_up` says how many bodies reached it.
const MAX_SWEEPS: u32 = 16;

/// Structural nodes into whose regions more values enter than this are wide: a visit costs as much, and each change inside asks for
/// one.
const WIDE: usize = 256;

/// The stage of [node reduction](super) for one body.
pub struct Reduce {
    /// The rules.
    pub rules: Arc<Rules>,
}

impl Default for Reduce {
    /// With all rules of the table.
    fn default() -> Reduce {
        Reduce { rules: Rules::builtin().clone() }
    }
}

impl BodyPass for Reduce {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut driver = Driver::new(graph, &self.rules);
        let mut sweeps = 0;
        let mut since = cx.last_end().map(|last_end| last_end.epoch);
        let mut learned = cx.last_end().map_or(&[][..], |last_end| &last_end.learned);
        loop {
            let before = driver.applied;
            match since {
                None => driver.fill(graph),
                Some(since) => driver.fill_edited(graph, since, learned),
            }
            since = since.map(|_| graph.next_epoch());
            learned = &[];
            driver.drain(graph, cx);
            sweeps += 1;
            if driver.applied == before {
                break;
            }
            if sweeps == MAX_SWEEPS {
                cx.count("gave_up", 1);
                break;
            }
        }
        cx.count("sweeps", sweeps.into());
        cx.count("rules", driver.applied);
        Change::when(driver.changed)
    }

    fn wants_surroundings(&self) -> bool {
        true
    }

    fn comes_to_an_end(&self) -> bool {
        true
    }
}

/// Whether no rule applies anywhere; the graph is not changed.
pub fn is_reduced(graph: &Graph) -> bool {
    let mut copy = graph.clone();
    let mut driver = Driver::new(&copy, Rules::builtin());
    driver.fill(&copy);
    driver.drain(&mut copy, &PassCx::new());
    driver.applied == 0
}

/// The worklist and statistics.
pub(super) struct Driver<'r> {
    rules: &'r Rules,
    /// Nodes to visit; the last is next.
    pending: Vec<Node>,
    /// Wide nodes to visit once more when no others are pending.
    again: Vec<Node>,
    /// Wide nodes that were visited since all nodes were put on the list.
    entered: EntitySet<Node>,
    listed: EntitySet<Node>,
    applied: u64,
    changed: bool,
}

impl<'r> Driver<'r> {
    fn new(graph: &Graph, rules: &'r Rules) -> Driver<'r> {
        let nodes = graph.node_bound();
        Driver {
            rules,
            pending: Vec::with_capacity(graph.node_count()),
            again: Vec::new(),
            entered: EntitySet::with_capacity(nodes),
            listed: EntitySet::with_capacity(nodes),
            applied: 0,
            changed: false,
        }
    }

    /// Puts all nodes on the list, which is empty.
    fn fill(&mut self, graph: &Graph) {
        self.fill_with(graph.all_nodes());
    }

    /// Puts the nodes on the list, which is empty, that were edited since an epoch began, and those around them, and users of values
    /// about which something was learned.
    fn fill_edited(&mut self, graph: &Graph, since: Epoch, learned: &[Origin]) {
        inner_users(graph, learned, |node, _| {
            self.push(node);
            let values = graph.outputs(node).iter().filter(|&&output| !graph.ty(output).is_state());
            for user in values.flat_map(|&value| graph.users_of(value)) {
                if let Use::Input(node, _) = graph.site(user) {
                    self.push(node);
                }
            }
        });
        let mut entering = Vec::new();
        for node in graph.all_nodes().filter(|&node| graph.is_edited(node, since)) {
            self.push(node);
            entering.extend(graph.outputs(node).iter().filter(|&&output| !graph.ty(output).is_state()));
            for producer in graph.input_origins(node).filter_map(|origin| graph.producer(origin)) {
                self.push(producer);
            }
            let arguments = graph.subregions(node).iter().flat_map(|&region| graph.arguments(region));
            for &value in graph.outputs(node).iter().chain(arguments) {
                self.push_users(graph, value);
            }
        }
        inner_users(graph, &entering, |node, _| self.push(node));
        self.pending.clear();
        let listed = std::mem::take(&mut self.listed);
        self.fill_with(graph.all_nodes().filter(|&node| listed.contains(node)));
    }

    fn fill_with(&mut self, nodes: impl Iterator<Item = Node>) {
        self.entered.clear();
        self.pending.extend(nodes);
        self.pending.reverse();
        self.listed.extend(self.pending.iter().copied());
    }

    /// Puts a node on the list.
    pub(super) fn push(&mut self, node: Node) {
        if self.listed.insert(node) {
            self.pending.push(node);
        }
    }

    /// Puts the users of a value, and the users of their values, on the list.
    pub(super) fn push_users(&mut self, graph: &Graph, origin: Origin) {
        for user in graph.users_of(origin) {
            match graph.site(user) {
                Use::Input(node, _) => {
                    self.push(node);
                    for &output in graph.outputs(node) {
                        for user in graph.users_of(output) {
                            if let Use::Input(node, _) = graph.site(user) {
                                self.push(node);
                            }
                        }
                    }
                }
                Use::Result(region, _) => self.pending_parent(graph, region),
            }
        }
    }

    fn pending_parent(&mut self, graph: &Graph, region: rvsdg_core::Region) {
        if let Some(parent) = graph.parent(region) {
            self.push(parent);
        }
    }

    /// Whether to apply a rule; called before it is applied, and counts it.
    pub(super) fn applies(&mut self, cx: &PassCx, name: &'static str, graph: &Graph, node: Node) -> bool {
        let allowed = cx.rewrite(name, graph, node);
        self.count(cx, name, allowed)
    }

    /// As [`Driver::applies`], for a rule about one variable of a conditional or loop: those are too frequent for remarks.
    pub(super) fn applies_to_variable(&mut self, cx: &PassCx, name: &'static str, graph: &Graph, node: Node) -> bool {
        let allowed = cx.allows_rewrite(name, graph, node);
        self.count(cx, name, allowed)
    }

    fn count(&mut self, cx: &PassCx, name: &'static str, allowed: bool) -> bool {
        if allowed {
            cx.count(name, 1);
            self.applied += 1;
            self.changed = true;
        }
        allowed
    }

    /// Takes the next node off the list.
    fn next(&mut self) -> Option<Node> {
        while let Some(node) = self.pending.pop() {
            if !self.entered.contains(node) {
                return Some(node);
            }
            self.again.push(node);
        }
        self.again.pop()
    }

    fn drain(&mut self, graph: &mut Graph, cx: &PassCx) {
        while let Some(node) = self.next() {
            self.listed.remove(node);
            if !graph.is_live(node) {
                continue;
            }
            if graph.inputs(node).len() * graph.subregions(node).len() > WIDE {
                self.entered.insert(node);
            }
            match graph.kind(node) {
                NodeKind::Simple(op) => self.simple(graph, node, op, cx),
                NodeKind::Gamma => control::gamma(self, graph, node, cx),
                NodeKind::Theta => control::theta(self, graph, node, cx),
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
            }
        }
    }

    fn simple(&mut self, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) {
        if let Op::Call(_) = op
            && let Some(rule) = idle::rule(graph, cx.surroundings(), node)
            && self.applies(cx, rule, graph, node)
        {
            self.bypass(graph, node, 0);
            return;
        }
        if let Op::Invoke(_) = op
            && unwinding::only_resumes(graph, node)
            && self.applies(cx, "invoke-resumed", graph, node)
        {
            self.call(graph, node);
            return;
        }
        aligned::raise(self, graph, node, op, cx);
        let Some(&output) = graph.outputs(node).first() else { return };
        if !graph.has_users(output) {
            // It would gain nothing; dead nodes are left to dead node elimination.
            return;
        }
        if let Op::Match(table) = op {
            control::predicate(self, graph, node, table, cx);
            return;
        }
        if let Op::Const(constant) = op {
            if !graph.inputs(node).is_empty()
                && let Some(data) = cx.surroundings().and_then(Surroundings::data_layout)
                && let Some((constant, symbol)) = constant_in_bytes(graph.pool(), data, constant)
                && self.applies(cx, "constant-bytes", graph, node)
            {
                let (symbol, ty) = (graph.input(node, symbol as usize), graph.ty(output));
                let address = Insert::before(graph, node).add(Op::Const(constant), &[symbol], ty);
                self.replace(graph, node, address);
            }
            return;
        }
        if matches!(op, Op::CtlConst { .. }) || graph.ty(output).is_state() {
            return;
        }
        self.constant_last(graph, node, op, cx);
        let decided = conditions::decided(graph, cx.surroundings(), node);
        if self.decide(graph, node, decided, cx) {
            return;
        }
        if fields::split(self, graph, node, cx) || spread::into_gamma(self, graph, node, op, cx) {
            return;
        }
        let inputs: smallvec::SmallVec<[Origin; 4]> =
            graph.input_origins(node).filter(|&origin| !graph.ty(origin).is_state()).collect();
        let ty = graph.ty(output);
        if let Some(constant) = folded(graph, op, &inputs, ty) {
            if !self.applies(cx, "fold", graph, node) {
                return;
            }
            let replacement = Cx::new(graph, node, cx.surroundings()).add_constant(constant);
            self.replace(graph, node, replacement);
            return;
        }
        if inputs.is_empty() {
            return;
        }
        let rules = Cx::new(graph, node, cx.surroundings());
        let (a, b) = (rules.input(0), rules.input(inputs.len().min(2) - 1));
        let at = At { node, a, b, flags: flags(op), ty };
        for rule in self.rules.of(op.code()) {
            let mut rules = Cx::new(graph, node, cx.surroundings());
            let replacement = (rule.apply)(&mut rules, at);
            match replacement {
                Some(replacement) if replacement != output && self.applies(cx, rule.name, rules.graph, node) => {
                    rules.created.into_iter().for_each(|node| self.push(node));
                    debug_assert_eq!(graph.ty(replacement), ty, "{} changed the type", rule.name);
                    let replacement = Router::default().route(graph, replacement, graph.region_of(node));
                    self.replace(graph, node, replacement);
                    return;
                }
                _ => rules.undo(),
            }
        }
        let ordered = orders::decided(graph, cx.surroundings(), node);
        let _ = self.decide(graph, node, ordered, cx)
            || spread::into_select(self, graph, node, op, cx)
            || spread::select_into_gamma(self, graph, node, op, cx)
            || spread::logical_into_gamma(self, graph, node, op, cx);
    }

    /// Replaces a comparison whose result is known.
    fn decide(&mut self, graph: &mut Graph, node: Node, truth: Option<bool>, cx: &PassCx) -> bool {
        let Some(truth) = truth.filter(|_| self.applies(cx, "icmp-decided", graph, node)) else { return false };
        let truth = Insert::before(graph, node).int(Type::I1, truth.into());
        self.replace(graph, node, truth);
        true
    }

    /// Makes a call of an invoke.
    fn call(&mut self, graph: &mut Graph, invoke: Node) {
        for index in 0..graph.outputs(invoke).len() {
            self.push_users(graph, graph.output(invoke, index));
        }
        let merged = graph.merges().into_iter().any(|(node, _)| node == invoke);
        let call = invoke::to_call(graph, invoke, merged);
        self.push(call);
    }

    /// Moves a constant operand of a commutative operation to the second position.
    fn constant_last(&mut self, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) {
        let commutes = op.code().info().commutative || seeded::is_active(Bug::RedCommutes) && op.code() == OpCode::Sub;
        if !commutes || graph.inputs(node).len() != 2 {
            return;
        }
        let (a, b) = (graph.input(node, 0), graph.input(node, 1));
        let is_constant =
            |origin| graph.producer(origin).is_some_and(|node| matches!(graph.op(node), Some(Op::Const(_))));
        if is_constant(a) && !is_constant(b) && self.applies(cx, "constant-last", graph, node) {
            let (first, second) = (graph.inputs(node)[0], graph.inputs(node)[1]);
            graph.divert(first, b);
            graph.divert(second, a);
        }
    }

    /// Redirects the users of a node's value, connects its states past it, and removes it.
    pub(super) fn replace(&mut self, graph: &mut Graph, node: Node, replacement: Origin) {
        let value = graph.output(node, 0);
        self.push_users(graph, value);
        graph.divert_users(value, replacement);
        self.bypass(graph, node, 1);
    }

    /// Connects the states of a node, which are all its outputs but the first `values`, past it, and removes it.
    fn bypass(&mut self, graph: &mut Graph, node: Node, values: usize) {
        let outputs = graph.outputs(node).len();
        for index in values..outputs {
            let state = graph.output(node, index);
            debug_assert!(graph.ty(state).is_state(), "all others are values");
            let continued = graph.input(node, graph.inputs(node).len() - (outputs - index));
            graph.divert_users(state, continued);
        }
        self.remove(graph, node);
    }

    /// Removes a node without users, and puts nodes on the list that may now have a single user.
    pub(super) fn remove(&mut self, graph: &mut Graph, node: Node) {
        let inputs: Vec<Origin> = graph.input_origins(node).collect();
        graph.remove(node);
        for input in inputs {
            if let Some(producer) = graph.producer(input) {
                self.push(producer);
            }
            if graph.has_one_user(input) {
                self.push_users(graph, input);
            }
        }
    }
}

/// The constant result of an operation on constants.
fn folded(graph: &Graph, op: Op, inputs: &[Origin], ty: Type) -> Option<Const> {
    let constant = fold::fold(graph, op, inputs, ty)?;
    if seeded::is_active(Bug::RedSignedDivision) && op.code() == OpCode::SDiv {
        let int = |constant| Int::of_const(graph.pool(), constant);
        let [a, b] = [fold::constant(graph, inputs[0])?, fold::constant(graph, inputs[1])?].map(int);
        let (a, b, quotient) = (a?, b?, int(constant)?);
        if a.is_negative() != b.is_negative() && quotient.mul(b) != a {
            return Some(quotient.sub(quotient.with(1)).to_const(graph.pool()));
        }
    }
    Some(constant)
}

/// Flags of an integer operation.
fn flags(op: Op) -> BinaryFlags {
    match op {
        Op::IntBinary { flags, .. } => flags,
        _ => BinaryFlags::NONE,
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::{Pool, text};

    use super::*;
    use crate::pass::LastEnd;

    #[test]
    fn only_what_was_edited_and_what_is_around_it_is_visited() {
        let text = "graph (v0: i32, v1: i32) {
  v2: i32 = const i32 0
  v3: i32 = add v0, v2
  v4: i32 = mul v0, v1
  v5: i32 = const i32 0
  v6: i32 = add v4, v5
  v7: i32 = sub v6, v0
  yield v3, v7
}
";
        let mut graph = text::parse_graph(text, Arc::new(Pool::new())).unwrap();
        let nodes: Vec<Node> = graph.all_nodes().collect();
        let [_, unseen, product, .., difference] = nodes[..] else { panic!("there are six") };
        let epoch = graph.next_epoch();
        let reduce = |graph: &mut Graph| {
            let cx = PassCx::new().with_last_end(LastEnd { epoch, learned: Vec::new() });
            let _ = Reduce::default().run(graph, &cx);
            cx.counter("add-zero")
        };
        assert_eq!(reduce(&mut graph), 0);
        graph.divert(graph.inputs(difference)[1], graph.arguments(graph.root())[1]);
        assert_eq!(reduce(&mut graph), 1);
        assert_eq!(graph.input(difference, 0), graph.output(product, 0));
        assert!(graph.is_live(unseen));
    }

    #[test]
    fn what_uses_values_of_which_more_is_known_is_visited() {
        let text = "graph (v0: i32, v1: i32, v2: ctl(2)) {
  v3 = const i32 0
  v4: i32 = add v1, v3
  v5: i32 = gamma v2 (v0, v1)
  case 0 (v6: i32, v7: i32) {
    v8 = const i32 0
    v9: i32 = add v6, v8
    yield v9
  }
  case 1 (v10: i32, v11: i32) {
    v12 = const i32 1
    v13: i32 = mul v10, v12
    v14 = const i32 0
    v15: i32 = sub v13, v14
    yield v15
  }
  v16: i32, v25: i32 = theta (v17: i32 = v0, v18: i32 = v0) {
    v19 = const i32 0
    v20: i32 = or v17, v19
    v21: i32 = xor v20, v19
    v22 = const i32 8
    v23: i1 = icmp ult v21, v22
    v24: ctl(2) = match i1 v23 [true -> 1, _ -> 0]
    next v17, v21 while v24
  }
  yield v4, v5, v25
}
";
        let mut graph = text::parse_graph(text, Arc::new(Pool::new())).unwrap();
        let learned = vec![graph.arguments(graph.root())[0]];
        let cx = PassCx::new().with_last_end(LastEnd { epoch: graph.next_epoch(), learned });
        let _ = Reduce::default().run(&mut graph, &cx);
        assert_eq!(["add-zero", "mul-one", "sub-zero", "or-zero", "xor-zero"].map(|rule| cx.counter(rule)), [1; 5]);
    }
}
