//! Whether a loop whose trip count is unknown is likely to take enough time that partial unrolling pays for the additional code and
//! branches.
//!
//! There is no profile, so this is a heuristic on the position and contents of a loop: a loop inside a loop is executed most, one that
//! computes with floating-point numbers or vectors is a kernel, and so is one in a function whose only calls do not return.

use rvsdg_analysis::callee::is_assume;
use rvsdg_analysis::dead_ends::DeadEnds;
use rvsdg_analysis::loop_nest::is_in_loop;
use rvsdg_core::attribute::{AttributeKind, has_any};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Region, TypeKind};

use crate::pass::PassCx;

/// Attributes of functions that are optimized for size or rarely executed.
const SMALL: &[AttributeKind] = &[AttributeKind::OptSize, AttributeKind::MinSize, AttributeKind::Cold];

/// Whether a body must not grow.
pub(crate) fn is_small(graph: &Graph, cx: &PassCx) -> bool {
    let attributes = cx.surroundings().and_then(|surroundings| surroundings.attributes());
    attributes.is_some_and(|attributes| has_any(&graph.pool().attributes(attributes).function, SMALL))
}

/// Facts about the body that contains the loops.
pub(super) struct Surrounding {
    calls: bool,
}

impl Surrounding {
    pub(super) fn of(graph: &Graph, cx: &PassCx) -> Surrounding {
        let dead_ends = DeadEnds::of(graph);
        let may_matter =
            |node| !is_assume(graph, cx.surroundings(), node) && !dead_ends.has_around(graph, graph.region_of(node));
        Surrounding { calls: calls_in(graph, graph.root()).any(may_matter) }
    }

    /// Whether a loop is likely to take much time.
    pub(super) fn is_hot(&self, graph: &Graph, theta: Theta) -> bool {
        !self.calls
            || is_in_loop(graph, theta.node())
            || graph.nodes(theta.body(graph)).any(|node| calculates(graph, node))
    }
}

/// Whether there are calls with effects in a node's regions.
pub(super) fn calls(graph: &Graph, node: Node) -> bool {
    graph.subregions(node).iter().any(|&region| calls_in(graph, region).next().is_some())
}

/// The calls with effects in a region.
fn calls_in(graph: &Graph, region: Region) -> impl Iterator<Item = Node> {
    let has_effect = |node: Node| match graph.op(node) {
        Some(Op::Call(call) | Op::Invoke(call)) => graph.pool().call(call).effects.count() != 0,
        _ => false,
    };
    graph.walk_region(region).filter_map(move |item| match item {
        WalkItem::Node(node) => has_effect(node).then_some(node),
        WalkItem::Enter(_) | WalkItem::Leave(_) => None,
    })
}

/// Whether a node computes a floating-point number or a vector.
fn calculates(graph: &Graph, node: Node) -> bool {
    graph.outputs(node).iter().any(|&output| {
        matches!(
            graph.pool().type_kind(graph.ty(output)),
            TypeKind::Half
                | TypeKind::BFloat
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::X86Fp80
                | TypeKind::Fp128
                | TypeKind::PpcFp128
                | TypeKind::Vector { .. }
        )
    })
}
