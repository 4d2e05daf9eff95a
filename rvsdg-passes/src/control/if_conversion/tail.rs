//! Tail merging: an operation at the end of all alternatives of a conditional is executed once after it.
//!
//! ```text
//! v0: i32, mem1 = gamma v1 (v2, v3, mem0) {
//!   case 0 (v4: ptr, v5: ptr, mem2) { v6: i32, mem3 = load v4, mem2   yield v6, mem3 }
//!   case 1 (v7: ptr, v8: ptr, mem4) { v9: i32, mem5 = load v8, mem4   yield v9, mem5 }
//! }
//! ```
//!
//! becomes `v10: ptr, mem1 = gamma v1 (v2, v3, mem0) { … }` and a load of `v10`: the rest is a choice between addresses, which needs no
//! branch. This is correct for a load because one of the two was executed in any case.

use rvsdg_analysis::safety::has_states;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Type, TypeKind, User};
use smallvec::SmallVec;

use crate::pass::{Change, PassCx};

/// The last operations of the alternatives, which define the same output of the γ.
struct Tail {
    /// One for each alternative.
    nodes: Vec<Node>,
    /// The output that is their value.
    value: usize,
    /// For loads, the output that is their memory state.
    state: Option<usize>,
    /// The operands after the γ, except states.
    operands: SmallVec<[Operand; 2]>,
}

/// An operand after the γ.
enum Operand {
    /// The same in all alternatives.
    Same(Outside),
    /// An exit variable: the operand of each alternative.
    Chosen,
}

/// The outer value of a value in an alternative.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Outside {
    /// An input.
    Entry(Origin),
    /// A constant, with inputs for its operands.
    Constant(Const, SmallVec<[Origin; 1]>),
}

impl Outside {
    /// The outer value of `origin`, a value of an alternative's region.
    pub fn of(graph: &Graph, gamma: Gamma, region: Region, origin: Origin) -> Option<Outside> {
        let enters = |origin: Origin| match graph.def(origin) {
            OriginDef::Argument(owner, index) if owner == region => Some(graph.input(gamma.node(), index as usize + 1)),
            OriginDef::Argument(..) | OriginDef::Output(..) => None,
        };
        let Some(node) = graph.producer(origin) else { return enters(origin).map(Outside::Entry) };
        let Some(Op::Const(constant)) = graph.op(node) else { return None };
        let operands: Option<_> = graph.input_origins(node).map(enters).collect();
        operands.map(|operands| Outside::Constant(constant, operands))
    }

    /// Whether an outer value is this one.
    pub fn is(&self, graph: &Graph, origin: Origin) -> bool {
        match self {
            &Outside::Entry(entered) => entered == origin,
            Outside::Constant(constant, operands) => graph.producer(origin).is_some_and(|node| {
                graph.op(node) == Some(Op::Const(*constant)) && graph.input_origins(node).eq(operands.iter().copied())
            }),
        }
    }

    /// The value before the γ.
    pub fn make(&self, graph: &mut Graph, gamma: Gamma) -> Origin {
        match self {
            &Outside::Entry(origin) => origin,
            Outside::Constant(constant, operands) => {
                let ty = graph.pool().constant(*constant).ty();
                Insert::before(graph, gamma.node()).add(Op::Const(*constant), operands, ty)
            }
        }
    }
}

/// Moves operations after a γ, the last ones first.
pub(super) fn sink(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut value = 0;
    while value < graph.outputs(gamma.node()).len() {
        match Tail::find(graph, gamma, value) {
            Some(tail) if cx.rewrite("tail", graph, tail.nodes[0]) => {
                cx.count("tails", 1);
                tail.move_behind(graph, gamma);
                change = Change::Changed;
                // The operation that computes an operand may be in all alternatives too, and so may a load before this one.
                value = 0;
            }
            _ => value += 1,
        }
    }
    change
}

impl Tail {
    fn find(graph: &Graph, gamma: Gamma, value: usize) -> Option<Tail> {
        let output = graph.output(gamma.node(), value);
        if !graph.has_users(output) || graph.ty(output).is_state() {
            return None;
        }
        let regions = gamma.regions(graph);
        // With many alternatives they stay: the operation would have to wait for all paths to join.
        if regions.len() != 2 {
            return None;
        }
        let last = |&region: &Region| {
            let result = graph.result(region, value);
            graph.producer(result).filter(|_| graph.has_one_user(result))
        };
        let nodes: Vec<Node> = regions.iter().map(last).collect::<Option<_>>()?;
        let first = *nodes.first()?;
        let op = graph.op(first)?.untagged();
        if nodes.iter().any(|&node| graph.op(node).map(Op::untagged) != Some(op)) {
            return None;
        }
        let (values, state) = match op {
            Op::Load(access) if access.is_plain() => {
                let state = graph.outputs(gamma.node()).iter().position(|&output| graph.ty(output) == Type::MEM)?;
                let is_last = |(&node, &region): (&Node, &Region)| {
                    let left = graph.output(node, 1);
                    graph.result(region, state) == left && graph.has_one_user(left)
                };
                if !nodes.iter().zip(regions).all(is_last) && !seeded::is_active(Bug::IfcTailMemory) {
                    return None;
                }
                (1, Some(state))
            }
            _ if is_computed(op) && !nodes.iter().any(|&node| has_states(graph, node)) => {
                (graph.inputs(first).len(), None)
            }
            _ => return None,
        };
        let mut operands = SmallVec::new();
        for index in 0..values {
            let outside =
                |(&node, &region): (&Node, &Region)| Outside::of(graph, gamma, region, graph.input(node, index));
            let mut all = nodes.iter().zip(regions).map(outside);
            let one = all.next().flatten();
            match one {
                Some(one) if all.all(|other| other.as_ref() == Some(&one)) => operands.push(Operand::Same(one)),
                // The field of a structure must be known.
                _ if index > 0 && is_into_aggregate(graph, op) => return None,
                _ => operands.push(Operand::Chosen),
            }
            let ty = |node: Node| graph.ty(graph.input(node, index));
            if nodes.iter().any(|&node| ty(node) != ty(first)) {
                return None;
            }
        }
        let chosen = operands.iter().filter(|operand| matches!(operand, Operand::Chosen)).count();
        // Each result of the γ costs a select. A load of one address may read what an alternative has stored there.
        let pays = if state.is_some() { chosen == 1 } else { chosen <= 1 };
        pays.then_some(Tail { nodes, value, state, operands })
    }

    fn move_behind(&self, graph: &mut Graph, gamma: Gamma) {
        let mut operands: SmallVec<[Origin; 2]> = SmallVec::new();
        for (index, operand) in self.operands.iter().enumerate() {
            operands.push(match operand {
                Operand::Same(outside) => outside.make(graph, gamma),
                Operand::Chosen => {
                    let origins: Vec<Origin> = self.nodes.iter().map(|&node| graph.input(node, index)).collect();
                    gamma.add_exit_var(graph, &origins).output
                }
            });
        }
        let node = self.nodes[0];
        let output = graph.output(gamma.node(), self.value);
        let value = graph.output(node, 0);
        graph.divert_users(output, value);
        if let Some(state) = self.state {
            for &node in &self.nodes {
                let (left, before) = (graph.output(node, 1), graph.input(node, 1));
                graph.divert_users(left, before);
            }
            let output = graph.output(gamma.node(), state);
            let users: Vec<User> = graph.users_of(output).collect();
            let (state, left) = (graph.inputs(node)[1], graph.output(node, 1));
            graph.divert(state, output);
            users.into_iter().for_each(|user| graph.divert(user, left));
        }
        gamma.retain_exit_vars(graph, |index| index != self.value);
        for (index, operand) in operands.into_iter().enumerate() {
            let input = graph.inputs(node)[index];
            graph.divert(input, operand);
        }
        // The promises of each alternative's instruction held only for that alternative.
        graph.set_moved_with(node, &self.nodes[1..]);
        for &other in &self.nodes[1..] {
            graph.note_merge(other, node);
            graph.remove(other);
        }
        graph.move_after(node, gamma.node());
    }
}

/// Whether an operation computes an address in an object that may have parts.
fn is_into_aggregate(graph: &Graph, op: Op) -> bool {
    let Op::Gep { source, .. } = op else { return false };
    !matches!(graph.pool().type_kind(source), TypeKind::Int(_) | TypeKind::Ptr(_) | TypeKind::Float | TypeKind::Double)
}

/// Whether an operation computes a value from its operands only.
fn is_computed(op: Op) -> bool {
    matches!(
        op,
        Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Gep { .. }
    )
}
