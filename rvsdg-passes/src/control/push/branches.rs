//! Pushes nodes out of conditionals.

use rustc_hash::FxHashMap;
use rvsdg_analysis::safety::{is_executed_wholly, is_speculatable};
use rvsdg_core::build::Insert;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Type};
use smallvec::SmallVec;

use crate::pass::{Change, PassCx};

/// A value in an alternative, in terms that all alternatives share.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Value {
    /// An entry variable, by its outer origin.
    Outside(Origin),
    /// A constant without symbols.
    Constant(Const),
    /// An output of a computation that several alternatives have, by number and position.
    Computed(u32, u32),
}

/// A computation that several alternatives have.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    inputs: SmallVec<[Value; 4]>,
    outputs: SmallVec<[Type; 2]>,
}

/// Equal nodes, one from each alternative visited so far.
struct Common {
    inputs: SmallVec<[Value; 4]>,
    nodes: SmallVec<[Node; 2]>,
}

/// Moves computations that all alternatives of a γ have before it.
pub(super) fn push_out(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let alternatives = gamma.regions(graph).len();
    let mut common: Vec<Common> = Vec::new();
    let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
    // In every alternative, nothing may precede the load.
    let loads = gamma.regions(graph).iter().all(|&region| is_executed_wholly(graph, region));
    for alternative in 0..alternatives {
        let region = gamma.regions(graph)[alternative];
        let mut values: FxHashMap<Origin, Value> = FxHashMap::default();
        for node in graph.topological(region) {
            let Some(op) = graph.op(node) else { continue };
            if let (Op::Const(constant), []) = (op, graph.inputs(node)) {
                values.insert(graph.output(node, 0), Value::Constant(constant));
                continue;
            }
            if !(is_speculatable(graph, node) || loads && is_plain_load(op)) {
                continue;
            }
            let Some(inputs) = inputs(graph, gamma, node, &values) else { continue };
            let outputs = graph.outputs(node).iter().map(|&output| graph.ty(output)).collect();
            let key = Key { op, inputs, outputs };
            let number = match numbers.get(&key) {
                Some(&number) => number,
                None if alternative == 0 => {
                    let number = common.len() as u32;
                    common.push(Common { inputs: key.inputs.clone(), nodes: SmallVec::new() });
                    numbers.insert(key, number);
                    number
                }
                None => continue,
            };
            let nodes = &mut common[number as usize].nodes;
            if nodes.len() == alternative {
                nodes.push(node);
            } else if nodes.len() < alternative {
                continue;
            }
            for (position, &output) in graph.outputs(node).iter().enumerate() {
                values.entry(output).or_insert(Value::Computed(number, position as u32));
            }
        }
        if common.is_empty() {
            return Change::Unchanged;
        }
    }
    // Each needs only earlier ones, so a prefix can move even if a limit stops the rest.
    for common in &mut common {
        if common.nodes.len() == alternatives && !cx.rewrite("common", graph, common.nodes[0]) {
            common.nodes.clear();
        }
    }
    let shared = common.iter().filter(|common| common.nodes.len() == alternatives).count();
    if shared == 0 {
        return Change::Unchanged;
    }
    cx.count("common", shared as u64);
    move_out(graph, gamma, &common, alternatives);
    Change::Changed
}

fn is_plain_load(op: Op) -> bool {
    matches!(op, Op::Load(access) if access.is_plain())
}

/// The inputs of a node, if all of them are available outside.
fn inputs(graph: &Graph, gamma: Gamma, node: Node, values: &FxHashMap<Origin, Value>) -> Option<SmallVec<[Value; 4]>> {
    let value = |origin| match graph.def(origin) {
        OriginDef::Argument(_, index) => Some(Value::Outside(graph.input(gamma.node(), index as usize + 1))),
        OriginDef::Output(..) => values.get(&origin).copied(),
    };
    graph.input_origins(node).map(value).collect()
}

/// Moves the nodes that all alternatives have.
fn move_out(graph: &mut Graph, gamma: Gamma, common: &[Common], alternatives: usize) {
    let outside = graph.region_of(gamma.node());
    for Common { inputs, nodes } in common.iter().filter(|common| common.nodes.len() == alternatives) {
        let node = nodes[0];
        for &other in &nodes[1..] {
            graph.note_merge(other, node);
        }
        for (position, &value) in inputs.iter().enumerate() {
            let input = graph.inputs(node)[position];
            if graph.ty(graph.origin(input)) == Type::MEM {
                pull_state(graph, gamma, nodes, position);
                continue;
            }
            let origin = match value {
                Value::Outside(origin) => origin,
                Value::Computed(number, output) => graph.output(common[number as usize].nodes[0], output as usize),
                Value::Constant(constant) => Insert::before(graph, gamma.node()).constant(constant),
            };
            graph.divert(input, origin);
        }
        graph.move_before(node, gamma.node());
        // The promises of each alternative's instruction held only for that alternative.
        graph.set_moved_with(node, &nodes[1..]);
    }
    for Common { nodes, .. } in common.iter().filter(|common| common.nodes.len() == alternatives).rev() {
        bring_back(graph, gamma, nodes, outside);
        for &node in &nodes[1..] {
            graph.remove(node);
        }
    }
}

/// Removes loads from the memory state of each alternative, and inserts the first one into it before the γ.
fn pull_state(graph: &mut Graph, gamma: Gamma, nodes: &[Node], position: usize) {
    for &node in nodes {
        let state = *graph.outputs(node).last().expect("a load gives a state");
        graph.divert_users(state, graph.input(node, position));
    }
    let memory = graph.inputs(gamma.node()).iter().copied().find(|&input| graph.ty(graph.origin(input)) == Type::MEM);
    let memory = memory.expect("the state of an alternative enters the γ");
    let state = *graph.outputs(nodes[0]).last().expect("a load gives a state");
    graph.divert(graph.inputs(nodes[0])[position], graph.origin(memory));
    graph.divert(memory, state);
}

/// Routes the values of moved nodes, of which the first is kept, into the alternatives.
fn bring_back(graph: &mut Graph, gamma: Gamma, nodes: &[Node], outside: Region) {
    for position in 0..graph.outputs(nodes[0]).len() {
        let output = graph.output(nodes[0], position);
        if graph.ty(output).is_state() {
            continue;
        }
        let inside: Vec<_> = graph.users_of(output).filter(|&user| graph.user_scope(user) != outside).collect();
        if inside.is_empty() && nodes[1..].iter().all(|&node| !graph.has_users(graph.output(node, position))) {
            continue;
        }
        let variable = gamma.add_entry_var(graph, output);
        for user in inside {
            graph.divert(user, variable.argument(graph, gamma, 0));
        }
        for (alternative, &node) in nodes.iter().enumerate().skip(1) {
            graph.divert_users(graph.output(node, position), variable.argument(graph, gamma, alternative));
        }
    }
}
