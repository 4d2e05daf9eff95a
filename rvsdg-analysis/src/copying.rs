//! What may be executed from several places, and how much it is.

use rvsdg_core::graph::WalkItem;
use rvsdg_core::{Graph, Node, NodeKind, Op};

use crate::callee::call_has;
use crate::surroundings::Surroundings;

/// Whether a node and everything in it may stand in several places of a body, each executed where the one was.
///
/// Not what tells places apart: the one branch whose targets' addresses are taken, assembly that jumps to labels,
/// tokens, operations on funclets. Nor what asks for it, at the call or the function called: calls that are `noduplicate` or return twice; nor `convergent` ones, which depend
/// on who else is at the same place; nor calls with which the function ends, which stand right before its end. Calls with
/// metadata arguments are left too: such as name a scope mean the execution of one place.
pub fn may_copy(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    may_copy_one(graph, surroundings, node)
        && graph.subregions(node).iter().all(|&region| {
            graph.walk_region(region).all(|item| match item {
                WalkItem::Node(inner) => may_copy_one(graph, surroundings, inner),
                WalkItem::Enter(_) | WalkItem::Leave(_) => true,
            })
        })
}

fn may_copy_one(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let pool = graph.pool();
    match graph.kind(node) {
        NodeKind::Gamma | NodeKind::Theta => true,
        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
        NodeKind::Simple(op) => match op {
            Op::Call(call) | Op::Invoke(call) => {
                let info = pool.call(call);
                !info.tail.ends_function()
                    && info.metadata.is_empty()
                    && !call_has(graph, surroundings, node, &["convergent", "noduplicate", "returns_twice"])
                    && !graph.outputs(node).iter().any(|&output| is_token(graph, output))
                    && !graph.input_origins(node).any(|origin| is_token(graph, origin))
            }
            Op::CallBr(_) | Op::IndirectBr(_) | Op::Funclet(_) | Op::Ext(_) => false,
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::Gep { .. }
            | Op::Alloca { .. }
            | Op::Load(_)
            | Op::Store(_)
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Fence { .. }
            | Op::Resume
            | Op::VaArg
            | Op::Unreachable => true,
        },
    }
}

fn is_token(graph: &Graph, origin: rvsdg_core::Origin) -> bool {
    *graph.pool().type_kind(graph.ty(origin)) == rvsdg_core::TypeKind::Token
}

/// How many operations a node and everything in it has, constants and predicates not counted; `limit + 1` when there are more
/// than `limit`.
pub fn size_within(graph: &Graph, node: Node, limit: usize) -> usize {
    let mut size = usize::from(counts(graph, node));
    for &region in graph.subregions(node) {
        for item in graph.walk_region(region) {
            if let WalkItem::Node(inner) = item {
                size += usize::from(counts(graph, inner));
                if size > limit {
                    return limit + 1;
                }
            }
        }
    }
    size
}

fn counts(graph: &Graph, node: Node) -> bool {
    !matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)))
}
