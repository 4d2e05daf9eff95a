//! Loop unswitching: a conditional in a loop with an invariant predicate becomes one with a loop in each alternative.

use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::invariant::Invariants;
use rvsdg_analysis::leads;
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};
use smallvec::SmallVec;

use crate::control::hoisting::Hoisting;
use crate::pass::{Change, PassCx};

/// How many operations unswitching may add for one loop of the body and all loops that result from it. LLVM's bound is 50.
pub const MAX_UNSWITCHED: usize = 64;

/// A loop with more operations is not copied, not even if most of the copy is never executed.
const MAX_LEFT: usize = 512;

/// Unswitches a loop, and the resulting loops.
pub(super) fn unswitch(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut pending = vec![theta];
    let mut budget = MAX_UNSWITCHED;
    while let Some(theta) = pending.pop() {
        let choices = Choice::all(graph, theta);
        let of = |choice: &Choice| choice.size(graph, theta, budget);
        let sizes: SmallVec<[usize; 4]> = choices.iter().map(of).collect();
        let Some(number) = sizes.iter().position(|&size| size <= budget) else {
            if !sizes.is_empty() {
                cx.count("too_large", 1);
            }
            continue;
        };
        let (choice, size) = (&choices[number], sizes[number]);
        if !may_copy(graph, cx.surroundings(), theta.node()) && !seeded::is_active(Bug::IvtConvergent)
            || !cx.rewrite("unswitched", graph, theta.node())
        {
            continue;
        }
        budget -= size;
        cx.count("unswitched", 1);
        cx.count("copied", size as u64);
        pending.extend(choice.split(graph, theta, duplicator));
        change = Change::Changed;
    }
    change
}

/// An invariant predicate of γ in a loop.
struct Choice {
    /// The `match`.
    predicate: Node,
    /// The first γ with it.
    gamma: Gamma,
}

impl Choice {
    /// The invariant predicates of the γs directly in a loop's body, in order.
    fn all(graph: &Graph, theta: Theta) -> Vec<Choice> {
        let invariants = Invariants::of(graph, theta);
        let choice = |node| {
            let gamma = Gamma::new(graph, node)?;
            let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
            let operand = match graph.op(predicate)? {
                Op::Match(_) => graph.input(predicate, 0),
                _ => return None,
            };
            invariants.is_available(graph, operand).then_some(Choice { predicate, gamma })
        };
        let mut found: Vec<Choice> = Vec::new();
        for choice in graph.nodes(theta.body(graph)).filter_map(choice) {
            if found.iter().all(|other| other.predicate != choice.predicate) {
                found.push(choice);
            }
        }
        found
    }

    /// How many operations unswitching adds, or more than the limit: an alternative that is never followed by another iteration, such as one
    /// that throws, adds only what is executed before it and in it.
    fn size(&self, graph: &Graph, theta: Theta, limit: usize) -> usize {
        let regions = self.gamma.regions(graph);
        let leaving = (0..regions.len()).filter(|&position| self.leaves(graph, theta, position)).count();
        let staying = regions.len() - leaving;
        let whole = size_within(graph, theta.node(), MAX_LEFT);
        if whole > MAX_LEFT && leaving > 0 {
            return limit + 1;
        }
        let ahead = graph.nodes(theta.body(graph)).take_while(|&node| node != self.gamma.node());
        let once: usize = ahead.map(|node| size_within(graph, node, limit)).sum();
        staying.saturating_sub(1) * whole + leaving * once
    }

    /// Whether no iteration follows one in which an alternative is chosen: it leaves the loop, or its end is unreachable.
    fn leaves(&self, graph: &Graph, theta: Theta, position: usize) -> bool {
        let predicate = graph.origin(theta.predicate(graph));
        let chosen = leads::chosen(graph, self.gamma, position as u32, predicate);
        let region = self.gamma.regions(graph)[position];
        let io = graph.result_origins(region).find(|&origin| graph.ty(origin) == Type::IO);
        let is_end = |node| graph.op(node) == Some(Op::Unreachable);
        chosen.is_some_and(|chosen| chosen != REPEAT) || io.and_then(|io| graph.producer(io)).is_some_and(is_end)
    }

    /// Makes a γ with a loop in each alternative, and returns the loops.
    fn split(&self, graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator) -> Vec<Theta> {
        let alternatives = self.gamma.regions(graph).len();
        let certain = is_executed_wholly(graph, theta.body(graph));
        let invariants = Invariants::of(graph, theta);
        let operand = graph.input(self.predicate, 0);
        let mut operand = Hoisting::default().hoist(graph, &invariants, operand);
        let op = graph.op(self.predicate).expect("a predicate is simple");
        let (source, ty) = (graph.source(self.predicate), graph.ty(graph.output(self.predicate, 0)));
        let output = graph.output(self.predicate, 0);
        let mut at = Insert::before(graph, theta.node());
        if !certain && !seeded::is_active(Bug::IvtFreeze) {
            operand = at.freeze(operand);
        }
        let predicate = at.source(source).node(op, &[operand], &[ty]);
        let predicate = graph.output(predicate, 0);
        let guard = Insert::before(graph, theta.node()).gamma(predicate, alternatives);
        let inputs: Vec<Origin> = graph.input_origins(theta.node()).collect();
        for &input in &inputs {
            guard.add_entry_var(graph, input);
        }
        let outputs = graph.outputs(theta.node()).len();
        let users: Vec<Vec<_>> =
            (0..outputs).map(|index| graph.users_of(graph.output(theta.node(), index)).collect()).collect();
        let mut loops = vec![theta.node()];
        for alternative in 1..alternatives {
            duplicator.begin();
            let region = guard.regions(graph)[alternative];
            loops.extend(duplicator.copy_nodes(graph, &[theta.node()], region));
            let copy = duplicator.get(output);
            self.decide(graph, copy, alternative);
        }
        graph.move_to(theta.node(), guard.regions(graph)[0]);
        self.decide(graph, output, 0);
        for (alternative, &node) in loops.iter().enumerate() {
            for index in 0..inputs.len() {
                let argument = graph.arguments(guard.regions(graph)[alternative])[index];
                graph.divert(graph.inputs(node)[index], argument);
            }
        }
        for (index, users) in users.into_iter().enumerate() {
            let origins: Vec<Origin> = loops.iter().map(|&node| graph.output(node, index)).collect();
            let output = guard.add_exit_var(graph, &origins).output;
            for user in users {
                graph.divert(user, output);
            }
        }
        loops.into_iter().filter_map(|node| Theta::new(graph, node)).collect()
    }

    /// Replaces each γ that a predicate decides by one of its alternatives.
    fn decide(&self, graph: &mut Graph, predicate: Origin, alternative: usize) {
        let users: Vec<_> = graph.users_of(predicate).collect();
        for user in users {
            let Use::Input(node, 0) = graph.site(user) else { continue };
            let Some(gamma) = Gamma::new(graph, node) else { continue };
            let region = gamma.regions(graph)[alternative];
            for index in 0..graph.arguments(region).len() {
                graph.divert_users(graph.arguments(region)[index], graph.input(node, index + 1));
            }
            let inner: Vec<Node> = graph.nodes(region).collect();
            for inner in inner {
                graph.move_before(inner, node);
            }
            for index in 0..graph.outputs(node).len() {
                graph.divert_users(graph.output(node, index), graph.result(region, index));
            }
            graph.retain_results(region, |_| false);
            graph.remove(node);
        }
        let node = graph.producer(predicate).expect("a predicate is a match");
        if !graph.has_users(predicate) {
            graph.remove(node);
        }
    }
}
