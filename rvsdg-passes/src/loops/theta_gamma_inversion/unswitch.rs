//! Loop unswitching: a conditional in a loop with an invariant predicate becomes one with a loop in each alternative.

use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::invariant::Invariants;
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Use};

use crate::control::hoisting::Hoisting;
use crate::pass::{Change, PassCx};

/// How many operations unswitching may add for one loop of the body and all loops that result from it. LLVM's bound is 50.
pub const MAX_UNSWITCHED: usize = 64;

/// Unswitches a loop, and the resulting loops.
pub(super) fn unswitch(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut pending = vec![theta];
    let mut budget = MAX_UNSWITCHED;
    while let Some(theta) = pending.pop() {
        let Some(choice) = Choice::find(graph, theta) else { continue };
        let copies = choice.alternatives - 1;
        let size = size_within(graph, theta.node(), budget) * copies;
        if size > budget {
            cx.count("too_large", 1);
            continue;
        }
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
    alternatives: usize,
}

impl Choice {
    fn find(graph: &Graph, theta: Theta) -> Option<Choice> {
        let invariants = Invariants::of(graph, theta);
        graph.nodes(theta.body(graph)).find_map(|node| {
            let gamma = Gamma::new(graph, node)?;
            let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
            let operand = match graph.op(predicate)? {
                Op::Match(_) => graph.input(predicate, 0),
                _ => return None,
            };
            invariants
                .is_available(graph, operand)
                .then(|| Choice { predicate, alternatives: gamma.regions(graph).len() })
        })
    }

    /// Makes a γ with a loop in each alternative, and returns the loops.
    fn split(&self, graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator) -> Vec<Theta> {
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
        let guard = Insert::before(graph, theta.node()).gamma(predicate, self.alternatives);
        let inputs: Vec<Origin> = graph.input_origins(theta.node()).collect();
        for &input in &inputs {
            guard.add_entry_var(graph, input);
        }
        let outputs = graph.outputs(theta.node()).len();
        let users: Vec<Vec<_>> =
            (0..outputs).map(|index| graph.users_of(graph.output(theta.node(), index)).collect()).collect();
        let mut loops = vec![theta.node()];
        for alternative in 1..self.alternatives {
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
