//! Sinks stores: stores to one address at the end of all alternatives of a conditional become one store after it.
//!
//! ```text
//! mem1 = gamma v0 (v1, mem0) {
//!   case 0 (v2, mem2) { … mem3 = store v4, v2, mem2   yield mem3 }
//!   case 1 (v5, mem4) { … mem5 = store v6, v5, mem4   yield mem5 }
//! ```
//!
//! becomes `v7, mem1 = gamma v0 (mem0) { … }` and `store v7, v1, mem1`; the rest is often a choice between values.
//!
//! An alternative that leaves memory alone may count as one that stores the value of a store directly before the γ, to the same address.
//! The other alternative then may contain nothing but its store and operations that can be speculated.

use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Type};

use super::cost::{MAX_SPECULATED, weight};
use super::tail::Outside;
use crate::pass::{Change, PassCx};

/// The last stores of the alternatives.
struct Stores {
    nodes: Vec<Node>,
    /// The store before the γ for an alternative without one.
    before: Option<Node>,
    /// The value that each alternative stores; for one without a store, the outer value that is already in memory.
    values: Vec<Value>,
    /// The outer address.
    address: Outside,
    /// The γ's output that is the memory state.
    state: usize,
}

#[derive(Copy, Clone)]
enum Value {
    Inside(Origin),
    Outside(Origin),
}

/// Sinks stores out of a γ, the last ones first.
pub(super) fn sink(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    while let Some(stores) = Stores::find(graph, gamma).or_else(|| Stores::find_overwriting(graph, gamma)) {
        if !cx.rewrite("store", graph, stores.nodes[0]) {
            break;
        }
        cx.count("stores", 1);
        stores.move_behind(graph, gamma);
        change = Change::Changed;
    }
    change
}

impl Stores {
    fn find(graph: &Graph, gamma: Gamma) -> Option<Stores> {
        let outputs = graph.outputs(gamma.node());
        let state = outputs.iter().position(|&output| graph.ty(output) == Type::MEM)?;
        // A predicate must be defined directly before its γ.
        if outputs.iter().any(|&output| graph.pool().ctl_alternatives(graph.ty(output)).is_some()) {
            return None;
        }
        let regions = gamma.regions(graph);
        let mut nodes = Vec::with_capacity(regions.len());
        let mut common = None;
        for &region in regions {
            let result = graph.result(region, state);
            let node = graph.producer(result).filter(|_| graph.has_one_user(result))?;
            let op = graph.op(node)?;
            let Op::Store(access) = op else { return None };
            if !access.is_plain() {
                return None;
            }
            let stored = (
                op.untagged(),
                graph.ty(graph.input(node, 0)),
                Outside::of(graph, gamma, region, graph.input(node, 1))?,
            );
            if common.as_ref().is_some_and(|common| *common != stored) && !seeded::is_active(Bug::IfcSinkAddress) {
                return None;
            }
            common = Some(stored);
            nodes.push(node);
        }
        let (.., address) = common?;
        let values = nodes.iter().map(|&node| Value::Inside(graph.input(node, 0))).collect();
        Some(Stores { nodes, before: None, values, address, state })
    }

    /// The store of one alternative that overwrites one before the γ, while the other leaves memory alone.
    fn find_overwriting(graph: &Graph, gamma: Gamma) -> Option<Stores> {
        let outputs = graph.outputs(gamma.node());
        let state = outputs.iter().position(|&output| graph.ty(output) == Type::MEM)?;
        let regions = gamma.regions(graph);
        let position = regions.iter().position(|&region| graph.producer(graph.result(region, state)).is_some())?;
        if regions.len() != 2 || outputs.iter().any(|&output| graph.pool().ctl_alternatives(graph.ty(output)).is_some())
        {
            return None;
        }
        let (region, other) = (regions[position], regions[1 - position]);
        let result = graph.result(region, state);
        let node = graph.producer(result).filter(|_| graph.has_one_user(result))?;
        let Some(op @ Op::Store(access)) = graph.op(node) else { return None };
        let enters = |region, origin| match graph.def(origin) {
            OriginDef::Argument(owner, index) if owner == region => Some(graph.input(gamma.node(), index as usize + 1)),
            OriginDef::Argument(..) | OriginDef::Output(..) => None,
        };
        let before = enters(region, graph.input(node, 2))?;
        if !access.is_plain() || enters(other, graph.result(other, state)) != Some(before) {
            return None;
        }
        let mut weights = 0;
        for inner in graph.nodes(region).filter(|&inner| inner != node) {
            weights += if is_speculatable(graph, inner) { weight(graph, inner) } else { MAX_SPECULATED + 1 };
        }
        if weights > MAX_SPECULATED {
            return None;
        }
        let last = last_store(graph, before)?;
        let address = Outside::of(graph, gamma, region, graph.input(node, 1))?;
        let same = address.is(graph, graph.input(last, 1));
        let stored = graph.input(last, 0);
        if graph.op(last).map(Op::untagged) != Some(op.untagged())
            || !same && !seeded::is_active(Bug::IfcOverwrites)
            || graph.ty(stored) != graph.ty(graph.input(node, 0))
        {
            return None;
        }
        let mut values = vec![Value::Outside(stored); 2];
        values[position] = Value::Inside(graph.input(node, 0));
        Some(Stores { nodes: vec![node], before: Some(last), values, address, state })
    }

    fn move_behind(&self, graph: &mut Graph, gamma: Gamma) {
        let output = graph.output(gamma.node(), self.state);
        let mut values = Vec::with_capacity(self.values.len());
        for (alternative, &value) in self.values.iter().enumerate() {
            values.push(match value {
                Value::Inside(origin) => origin,
                Value::Outside(origin) => {
                    let entry = gamma.add_entry_var(graph, origin).index;
                    graph.arguments(gamma.regions(graph)[alternative])[entry]
                }
            });
        }
        let value = gamma.add_exit_var(graph, &values).output;
        let address = self.address.make(graph, gamma);
        for &node in &self.nodes {
            graph.divert_users(graph.output(node, 0), graph.input(node, 2));
        }
        let node = self.nodes[0];
        // The promises of each alternative's instruction held only for that alternative.
        let others: Vec<Node> = self.nodes[1..].iter().copied().chain(self.before).collect();
        graph.set_moved_with(node, &others);
        for &other in &self.nodes[1..] {
            graph.note_merge(other, node);
            graph.remove(other);
        }
        let [first, second, third] = [0, 1, 2].map(|index| graph.inputs(node)[index]);
        graph.divert(first, value);
        graph.divert(second, address);
        let users: Vec<_> = graph.users_of(output).collect();
        graph.divert(third, output);
        graph.move_after(node, gamma.node());
        let state = graph.output(node, 0);
        for user in users {
            graph.divert(user, state);
        }
    }
}

/// The store that produced a state, looking past loads.
fn last_store(graph: &Graph, mut state: Origin) -> Option<Node> {
    loop {
        let node = graph.producer(state)?;
        match graph.op(node)? {
            Op::Store(_) => return Some(node),
            Op::Load(access) if !access.is_ordered() => state = graph.input(node, 1),
            _ => return None,
        }
    }
}
