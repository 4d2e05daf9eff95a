//! Dead nodes and variables within a body.

use cranelift_entity::EntitySet;
use rvsdg_analysis::order::Orders;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region};

use super::passing::Passing;
use crate::pass::{BodyPass, Change, PassCx};

/// The stage of [dead node elimination](super) for one body.
pub struct DeadNodes;

impl BodyPass for DeadNodes {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let passing = Passing::new(graph, |node| is_bypassable(graph, node));
        let alive = mark(graph, &passing);
        let removed = sweep(graph, &alive, &passing, cx);
        cx.count("nodes", removed.nodes);
        cx.count("bypassed_nodes", removed.bypassed);
        cx.count("entry_variables", removed.entry_variables);
        cx.count("exit_variables", removed.exit_variables);
        cx.count("loop_variables", removed.loop_variables);
        Change::when(removed != Removed::default())
    }

    fn keeps_funclets(&self) -> bool {
        true
    }
}

/// What the sweep phase removed.
#[derive(PartialEq, Eq, Default)]
struct Removed {
    nodes: u64,
    /// Of those, nodes whose states were connected past them.
    bypassed: u64,
    entry_variables: u64,
    exit_variables: u64,
    loop_variables: u64,
    /// Whether a dead loop variable was disconnected from its next value, which a limit may leave in place.
    cut_loop_variable: bool,
}

/// Live origins, and the nodes that are needed for more than states that only pass them.
struct Alive {
    origins: EntitySet<Origin>,
    nodes: EntitySet<Node>,
    pending: Vec<Origin>,
}

impl Alive {
    fn mark(&mut self, origin: Origin) {
        if self.origins.insert(origin) {
            self.pending.push(origin);
        }
    }

    fn contains(&self, origin: Origin) -> bool {
        self.origins.contains(origin)
    }
}

/// Whether a simple node with states and unused values can be removed unobservably.
fn is_bypassable(graph: &Graph, node: Node) -> bool {
    match graph.op(node) {
        Some(Op::Load(access)) => !access.is_ordered() || seeded::is_active(Bug::DneVolatile),
        Some(Op::Store(access)) => !access.is_ordered() && seeded::is_active(Bug::DneStore),
        Some(Op::Alloca { .. }) => true,
        Some(op) => op.may_carry_io(),
        None => false,
    }
}

fn mark(graph: &Graph, passing: &Passing) -> Alive {
    let mut alive = Alive {
        origins: EntitySet::with_capacity(graph.origin_bound()),
        nodes: EntitySet::with_capacity(graph.node_bound()),
        pending: Vec::with_capacity(64),
    };
    for origin in graph.result_origins(graph.root()) {
        alive.mark(origin);
    }
    while let Some(origin) = alive.pending.pop() {
        match graph.def(origin) {
            OriginDef::Argument(region, index) => {
                let Some(node) = graph.parent(region) else { continue };
                if let Some(theta) = Theta::new(graph, node) {
                    alive.mark(theta.loop_var(graph, index as usize).output);
                } else {
                    let (_, entry) =
                        Gamma::entry_var_of_argument(graph, origin).expect("a region in a body is of a γ or a θ");
                    alive.mark(graph.origin(entry.input));
                }
            }
            OriginDef::Output(node, index) => {
                if let Some(before) = passing.before(graph, origin) {
                    alive.mark(before);
                    if !alive.nodes.contains(node) {
                        continue;
                    }
                } else if alive.nodes.insert(node) && passing.is_passed(graph, node) {
                    // The node stays, and states that were found to pass it stay with it.
                    for &output in graph.outputs(node) {
                        if graph.ty(output).is_state() && alive.contains(output) {
                            alive.pending.push(output);
                        }
                    }
                }
                mark_inputs(graph, node, index as usize, &mut alive);
            }
        }
    }
    alive
}

/// Marks what an output of a node depends on.
fn mark_inputs(graph: &Graph, node: Node, index: usize, alive: &mut Alive) {
    match graph.kind(node) {
        NodeKind::Simple(_) => graph.input_origins(node).for_each(|input| alive.mark(input)),
        NodeKind::Gamma => {
            alive.mark(graph.input(node, 0));
            for &region in graph.subregions(node) {
                alive.mark(graph.result(region, index));
            }
        }
        NodeKind::Theta => {
            let theta = Theta::new(graph, node).expect("the kind was looked at");
            let variable = theta.loop_var(graph, index);
            alive.mark(graph.origin(theta.predicate(graph)));
            alive.mark(graph.origin(variable.post));
            alive.mark(graph.origin(variable.input));
        }
        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
            unreachable!("λ, φ and δ nodes are at the ω level only")
        }
    }
}

/// The next step of the sweep phase, a stack.
enum Step {
    /// A region whose dead results have been removed.
    Region(Region),
    /// A node whose dead users have been removed.
    Node(Node),
    /// A structural node whose regions are done.
    Variables(Node),
}

fn sweep(graph: &mut Graph, alive: &Alive, passing: &Passing, cx: &PassCx) -> Removed {
    let mut removed = Removed::default();
    let before = graph.node_count();
    let mut orders = Orders::default();
    let mut steps = vec![Step::Region(graph.root())];
    while let Some(step) = steps.pop() {
        match step {
            Step::Region(region) => {
                let concerns = |node| graph.op(node).is_none() || !alive.nodes.contains(node);
                steps.extend(orders.chosen(graph, region, concerns).iter().copied().map(Step::Node));
            }
            Step::Node(node) if !alive.nodes.contains(node) => {
                if !cx.allows_rewrite("dead-node", graph, node) {
                    // Its operands have a user again.
                    break;
                }
                for output in 0..graph.outputs(node).len() {
                    let origin = graph.output(node, output);
                    if graph.has_users(origin)
                        && let Some(before) = passing.before(graph, origin)
                    {
                        graph.divert_users(origin, before);
                        removed.bypassed += 1;
                    }
                }
                graph.remove(node);
            }
            Step::Node(node) => {
                if let Some(gamma) = Gamma::new(graph, node) {
                    let outputs = graph.outputs(node).len();
                    let kept: Vec<bool> = graph.outputs(node).iter().map(|&output| alive.contains(output)).collect();
                    gamma.retain_exit_vars(graph, |index| kept[index]);
                    removed.exit_variables += (outputs - graph.outputs(node).len()) as u64;
                } else if let Some(theta) = Theta::new(graph, node) {
                    // Dead variables are removed when the loop's body is done; until then they must not keep its nodes alive.
                    for index in 0..graph.inputs(node).len() {
                        let variable = theta.loop_var(graph, index);
                        let unused = seeded::is_active(Bug::DneLoopVariable) && !graph.has_users(variable.output);
                        if !unused && alive.contains(variable.output) {
                            continue;
                        }
                        if variable.is_invariant(graph) {
                            graph.note_replaced(variable.pre, graph.origin(variable.input));
                        } else {
                            removed.cut_loop_variable = true;
                            graph.divert(variable.post, variable.pre);
                        }
                    }
                } else {
                    continue;
                }
                steps.push(Step::Variables(node));
                steps.extend(graph.subregions(node).iter().map(|&region| Step::Region(region)));
            }
            Step::Variables(node) => {
                let inputs = graph.inputs(node).len();
                if let Some(gamma) = Gamma::new(graph, node) {
                    let kept: Vec<bool> = (0..inputs - 1)
                        .map(|index| {
                            let regions = gamma.regions(graph);
                            regions.iter().any(|&region| alive.contains(graph.arguments(region)[index]))
                        })
                        .collect();
                    gamma.retain_entry_vars(graph, |index| kept[index]);
                    removed.entry_variables += (inputs - graph.inputs(node).len()) as u64;
                } else if let Some(theta) = Theta::new(graph, node) {
                    let kept: Vec<bool> =
                        theta.loop_vars(graph).map(|variable| alive.contains(variable.output)).collect();
                    theta.retain_loop_vars(graph, |index| kept[index]);
                    removed.loop_variables += (inputs - graph.inputs(node).len()) as u64;
                }
            }
        }
    }
    removed.nodes = (before - graph.node_count()) as u64;
    removed
}
