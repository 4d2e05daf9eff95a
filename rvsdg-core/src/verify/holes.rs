//! What fills the holes of constants.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::Op;
use crate::graph::{Graph, Node, NodeKind, Origin, OriginDef};

/// Whether all inputs of a constant are constants: each is the address of one symbol, or a constant, wherever it is routed.
///
/// `context` is the number of context variables where it is known: then no other argument of the root region will do.
pub(super) fn are_filled(graph: &Graph, node: Node, context: Option<usize>) -> bool {
    graph.input_origins(node).all(|origin| is_constant(graph, origin, context))
}

fn is_constant(graph: &Graph, origin: Origin, context: Option<usize>) -> bool {
    let mut source = None;
    let mut pending: SmallVec<[Origin; 4]> = smallvec![origin];
    let mut seen = FxHashSet::default();
    while let Some(origin) = pending.pop() {
        if !seen.insert(origin) {
            continue;
        }
        let routed = match graph.def(origin) {
            OriginDef::Output(node, index) => match graph.kind(node) {
                NodeKind::Gamma => Routed::of_gamma(graph, node, index),
                NodeKind::Theta => Routed::of_theta(graph, node, index),
                NodeKind::Simple(Op::Const(_)) => Routed::Source,
                NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => Routed::Changes,
            },
            OriginDef::Argument(region, index) => match graph.parent(region) {
                Some(node) if graph.kind(node) == NodeKind::Theta => Routed::of_theta(graph, node, index),
                Some(node) => {
                    Routed::from(graph.inputs(node).get(index as usize + 1).map(|&input| graph.origin(input)))
                }
                None if context.is_none_or(|context| (index as usize) < context) => Routed::Source,
                None => Routed::Changes,
            },
        };
        match routed {
            Routed::Changes => return false,
            Routed::Source => {
                if *source.get_or_insert(origin) != origin {
                    return false;
                }
            }
            Routed::From(origins) => pending.extend(origins),
        }
    }
    true
}

/// The source of a value.
enum Routed {
    /// From here.
    Source,
    /// From these, all of which have to be the same.
    From(SmallVec<[Origin; 4]>),
    /// From different places, or from an operation.
    Changes,
}

impl Routed {
    fn from(origin: Option<Origin>) -> Routed {
        origin.map_or(Routed::Changes, |origin| Routed::From(smallvec![origin]))
    }

    fn of_gamma(graph: &Graph, gamma: Node, index: u32) -> Routed {
        let result = |&region| graph.results(region).get(index as usize).map(|&result| graph.origin(result));
        graph.subregions(gamma).iter().map(result).collect::<Option<_>>().map_or(Routed::Changes, Routed::From)
    }

    /// A variable that does not change has the value of its input.
    fn of_theta(graph: &Graph, theta: Node, index: u32) -> Routed {
        let region = graph.subregions(theta).first().copied();
        let unchanged = region.is_some_and(|region| {
            let post = graph.results(region).get(index as usize + 1).and_then(|&result| graph.try_origin(result));
            post.is_some() && post == graph.arguments(region).get(index as usize).copied()
        });
        let input = graph.inputs(theta).get(index as usize).filter(|_| unchanged);
        Routed::from(input.map(|&input| graph.origin(input)))
    }
}
