//! Whether a loop is likely to take so much time that doing several iterations at once pays for the code and the branches that this
//! adds where their number is not known.
//!
//! Nothing tells how often a loop is executed; so this goes by where it stands and what it does. A loop in a loop is executed
//! most, one that computes with floating-point numbers or vectors is a kernel, and so is one in a function that calls nothing but what
//! it does not return from.

use rvsdg_analysis::callee::is_assume;
use rvsdg_analysis::dead_ends::DeadEnds;
use rvsdg_analysis::loop_nest::is_in_loop;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Region, TypeKind};

use crate::pass::PassCx;

/// Attributes of functions that are to be small, or are executed seldom.
const SMALL: &[&str] = &["optsize", "minsize", "cold"];

/// What is known of the body that loops are in.
pub(crate) struct Surrounding {
    small: bool,
    calls: bool,
}

impl Surrounding {
    pub(crate) fn of(graph: &Graph, cx: &PassCx) -> Surrounding {
        let attributes = cx.surroundings().and_then(|surroundings| surroundings.attributes());
        let small = attributes.is_some_and(|attributes| {
            let list = graph.pool().attributes(attributes);
            SMALL.iter().any(|name| list.function_has(name))
        });
        let dead_ends = DeadEnds::of(graph);
        let may_matter =
            |node| !is_assume(graph, cx.surroundings(), node) && !dead_ends.has_around(graph, graph.region_of(node));
        Surrounding { small, calls: calls_in(graph, graph.root()).any(may_matter) }
    }

    /// Whether nothing is to be added to this body.
    pub(crate) fn is_small(&self) -> bool {
        self.small
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

/// Whether a node gives a floating-point number or a vector.
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
