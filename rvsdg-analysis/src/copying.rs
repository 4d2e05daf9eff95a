//! What may be duplicated, and its size.

use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, NodeKind, Op};

use crate::callee::call_has;
use crate::surroundings::Surroundings;

/// Whether a node and everything in it may be duplicated within a body, so that each copy is executed in some of the cases in which the
/// original was.
///
/// Excluded are operations whose identity matters: indirect branches, whose targets' addresses are taken, assembly that jumps to labels,
/// tokens, operations on funclets; and, by attributes of the call or the called function, calls that are `noduplicate` or return twice,
/// `convergent` calls, which depend on the threads at the same place, and calls that must be directly before the end of the function.
/// Calls with metadata arguments are excluded too: such as name a scope refer to its single execution.
pub fn may_copy(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    may_copy_but_for(
        graph,
        surroundings,
        node,
        &[AttributeKind::Convergent, AttributeKind::NoDuplicate, AttributeKind::ReturnsTwice],
    )
}

/// Whether a loop may be replaced by one copy of its body for each iteration. Each copy must be executed by all threads that executed
/// the loop, so that `convergent` calls have the same threads around them as before; otherwise as [`may_copy`].
pub fn may_unroll(graph: &Graph, surroundings: Option<&Surroundings>, theta: Theta) -> bool {
    may_copy_but_for(graph, surroundings, theta.node(), &[AttributeKind::NoDuplicate, AttributeKind::ReturnsTwice])
}

/// Whether a node and everything in it may be duplicated, provided that there is no call with one of these attributes.
fn may_copy_but_for(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, kinds: &[AttributeKind]) -> bool {
    may_copy_one(graph, surroundings, node, kinds)
        && graph.subregions(node).iter().all(|&region| {
            graph.walk_region(region).all(|item| match item {
                WalkItem::Node(inner) => may_copy_one(graph, surroundings, inner, kinds),
                WalkItem::Enter(_) | WalkItem::Leave(_) => true,
            })
        })
}

fn may_copy_one(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, kinds: &[AttributeKind]) -> bool {
    let pool = graph.pool();
    if graph.input_origins(node).chain(graph.outputs(node).iter().copied()).any(|origin| is_token(graph, origin)) {
        return false;
    }
    match graph.kind(node) {
        NodeKind::Gamma | NodeKind::Theta => true,
        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
        NodeKind::Simple(op) => match op {
            Op::Call(call) | Op::Invoke(call) => {
                let info = pool.call(call);
                !info.tail.ends_function() && info.metadata.is_empty() && !call_has(graph, surroundings, node, kinds)
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

/// How many operations a node and everything in it has, not counting constants and predicates, and counting operations of dialects by
/// their cost; `limit + 1` if there are more than `limit`.
pub fn size_within(graph: &Graph, node: Node, limit: usize) -> usize {
    let mut size = weight(graph, node);
    for &region in graph.subregions(node) {
        for item in graph.walk_region(region) {
            if let WalkItem::Node(inner) = item {
                size += weight(graph, inner);
                if size > limit {
                    return limit + 1;
                }
            }
        }
    }
    size
}

/// The number of operations that a node itself counts for.
fn weight(graph: &Graph, node: Node) -> usize {
    match graph.op(node) {
        Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)) => 0,
        Some(Op::Ext(ext)) => graph.pool().ext_hooks(ext).map_or(1, |hooks| (hooks.cost)(graph, node) as usize),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::op::ExtHooks;

    use super::*;
    use crate::tests::Example;

    const SYMBOLS: &str = "
@plain = function i32 (i32)
@asks = function i32 (i32), #0
@gives = function token (i32)
@takes = function i32 (token)
@notes = function void (metadata)
@f = function i32 (i32, ptr)
import @plain
import @asks
import @gives
import @takes
import @notes
export @f
attributes #0 = function { noduplicate }
";
    const CONTEXT: &str = "[@plain, @asks, @gives, @takes, @notes] (v0: i32, v1: ptr, mem0, io0)";

    /// Which nodes of a body may be copied.
    fn copied(body: &str) -> Vec<bool> {
        let example = Example::of(&format!("module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{\n{body}\n}}\n"));
        let nodes = example.nodes().into_iter();
        nodes.map(|node| may_copy(example.graph(), example.surroundings(), node)).collect()
    }

    #[test]
    fn what_tells_places_apart_is_not_copied() {
        let found = copied(
            r#"
            v2: i32, mem1, io1 = call i32 (i32) @plain(v0), mem0, io0
            v3: i32, mem2, io2 = call i32 (i32) @asks(v2), mem1, io1
            v4: i32, mem3, io3 = call i32 (i32) @plain(v3) #0, mem2, io2
            v5: token, mem4, io4 = call token (i32) @gives(v4), mem3, io3
            v6: i32, mem5, io5 = call i32 (token) @takes(v5), mem4, io4
            mem6, io6 = call void (metadata) @notes(metadata "!0"), mem5, io5
            v7: i32 = ext "test.probe" (i32) -> (i32) v6
            v8: i32 = add v7, v6
            mem7 = store v8, v1, mem6, align 4
            v9: ctl(1) = indirectbr v1, 3
            v10: i32, mem8, io7 = call musttail i32 (i32) @plain(v8), mem7, io6
            yield v10, mem8, io7"#,
        );
        assert_eq!(found, [true, false, false, false, false, false, false, true, true, false, false]);
    }

    #[test]
    fn a_branch_is_copied_with_all_that_is_in_it() {
        for (first, second, expected) in
            [("v2", "v5", true), ("v3", "v5", false), ("v2", "v6", false), ("v3", "v6", false)]
        {
            let found = copied(&format!(
                "v9: ctl(2) = match i32 v0 [1 -> 1, _ -> 0]
                 v10: i32, mem1, io1 = gamma v9 (@plain, @asks, v0, mem0, io0)
                 case 0 (v2: ptr, v3: ptr, v4: i32, mem2, io2) {{
                   v11: i32, mem3, io3 = call i32 (i32) {first}(v4), mem2, io2
                   v12: i32 = add v11, v4
                   yield v12, mem3, io3
                 }}
                 case 1 (v5: ptr, v6: ptr, v7: i32, mem5, io5) {{
                   v13: i32 = add v7, v7
                   v14: i32, mem6, io6 = call i32 (i32) {second}(v13), mem5, io5
                   yield v14, mem6, io6
                 }}
                 yield v10, mem1, io1"
            ));
            assert_eq!(found[0], expected, "{first} {second}");
        }
    }

    #[test]
    fn a_loop_of_convergent_calls_is_unrolled_but_not_copied() {
        let loops = |callee: &str, attributes: &str| {
            let example = Example::of(&format!(
                "module \"test\"\n{SYMBOLS}attributes #1 = function {{ {attributes} }}\nlambda @f {CONTEXT} {{
                   v2: ptr, v3: ptr, v4: i32, mem1, io1 = theta (v5: ptr = @plain, v6: ptr = @asks, v7: i32 = v0, mem2 = mem0, io2 = io0) {{
                     v8: i32, mem3, io3 = call i32 (i32) {callee}(v7) #1, mem2, io2
                     v9: ctl(2) = match i32 v8 [1 -> 1, _ -> 0]
                     next v5, v6, v8, mem3, io3 while v9
                   }}
                   yield v4, mem1, io1\n}}\n"
            ));
            let (graph, node) = (example.graph(), example.nodes()[0]);
            let theta = Theta::new(graph, node).expect("it is a loop");
            [may_copy(graph, example.surroundings(), node), may_unroll(graph, example.surroundings(), theta)]
        };
        assert_eq!(loops("v5", "nounwind"), [true, true]);
        assert_eq!(loops("v5", "convergent"), [false, true]);
        for attributes in ["noduplicate", "returns_twice", "convergent, noduplicate"] {
            assert_eq!(loops("v5", attributes), [false, false], "{attributes}");
        }
        assert_eq!(loops("v6", "convergent"), [false, false], "declared noduplicate");
    }

    #[test]
    fn sizes_are_operations_up_to_a_limit() {
        let example = Example::of(&format!(
            "module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{
               v9: ctl(2) = match i32 v0 [1 -> 1, _ -> 0]
               v10: i32 = gamma v9 (v0)
               case 0 (v2: i32) {{
                 v3 = const i32 1
                 v4: i32 = add v2, v3
                 v5: i32 = add v4, v3
                 yield v5
               }}
               case 1 (v6: i32) {{
                 v7: i32 = add v6, v6
                 yield v7
               }}
               yield v10, mem0, io0
             }}"
        ));
        let nodes = example.nodes();
        let size = |at: usize, limit| size_within(example.graph(), nodes[at], limit);
        // The γ, and three sums in it.
        assert_eq!([size(0, 9), size(0, 4), size(0, 3), size(0, 2), size(0, 1)], [4, 4, 4, 3, 2]);
        assert_eq!(size(1, 9), 1);
    }

    #[test]
    fn operations_of_dialects_are_as_large_as_they_cost() {
        let body = r#"v2: i32 = ext "test.large" (i32) -> (i32) v0
            v3: i32 = ext "test.small" (i32) -> (i32) v2
            yield v3, mem0, io0"#;
        let example = Example::of(&format!("module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{\n{body}\n}}\n"));
        let hooks = ExtHooks { cost: |_, _| 7, ..ExtHooks::new("test.large") };
        example.graph().pool().set_ext_hooks([hooks].into());
        let sizes: Vec<usize> = example.nodes().into_iter().map(|node| size_within(example.graph(), node, 9)).collect();
        assert_eq!(sizes, [7, 1]);
    }
}
