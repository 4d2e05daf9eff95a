//! Where operations may be speculated or moved to.

use rvsdg_core::constant::Words;
use rvsdg_core::op::IntBinary;
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Region, Type, TypeKind, Use};

use crate::callee::is_convergent;
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;

/// Whether a node takes or produces a state.
pub fn has_states(graph: &Graph, node: Node) -> bool {
    let is_state = |origin: Origin| graph.ty(origin).is_state();
    graph.outputs(node).iter().copied().any(is_state) || graph.input_origins(node).any(is_state)
}

/// Whether a node may be executed speculatively: a simple node without states that is defined, possibly as poison, for all inputs.
/// Predicates may not, because they are executed where they decide. Neither may calls, whose attributes may make them undefined.
pub fn is_speculatable(graph: &Graph, node: Node) -> bool {
    match graph.op(node) {
        None | Some(Op::Call(_) | Op::Match(_) | Op::CtlConst { .. }) => false,
        Some(_) if has_states(graph, node) => false,
        Some(Op::IntBinary {
            op: op @ (IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem),
            ..
        }) => {
            let signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
            is_safe_divisor(graph, graph.input(node, 1), signed)
        }
        Some(op) => op.is_speculatable(graph.pool()),
    }
}

/// Whether a value is a constant divisor that cannot trap.
fn is_safe_divisor(graph: &Graph, origin: Origin, signed: bool) -> bool {
    if seeded::is_active(Bug::PshGuardedDivision) {
        return true;
    }
    let Some(Op::Const(mut constant)) = graph.producer(origin).and_then(|node| graph.op(node)) else { return false };
    let pool = graph.pool();
    if let Constant::Splat { element, .. } = *pool.constant(constant) {
        constant = element;
    }
    let Constant::Int { ty, words } = pool.constant(constant) else { return false };
    let TypeKind::Int(bits) = *pool.type_kind(*ty) else { return false };
    let limbs: &[u64] = Words::as_slice(words);
    let ones = limbs.iter().map(|limb| limb.count_ones()).sum::<u32>();
    ones != 0 && !(signed && ones == bits)
}

/// Whether a node without states that may not be speculated may be moved to a place where it is certain to be executed: it depends only
/// on its inputs.
pub fn is_movable(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let pool = graph.pool();
    match graph.op(node) {
        None | Some(Op::Match(_) | Op::CtlConst { .. } | Op::IndirectBr(_)) => false,
        Some(_) if has_states(graph, node) => false,
        Some(Op::Call(call)) => {
            let info = pool.call(call);
            let is_token = |&output: &Origin| *pool.type_kind(graph.ty(output)) == TypeKind::Token;
            !info.tail.ends_function()
                && info.bundles.is_empty()
                && info.assembly.is_none()
                && !graph.outputs(node).iter().any(is_token)
                && !is_convergent(graph, surroundings, node)
        }
        Some(_) => true,
    }
}

/// Whether everything directly in a region is executed whenever the region is entered: nothing in it ends the program or might not
/// return. Nodes without io state return, and so do divisions.
pub fn is_executed_wholly(graph: &Graph, region: Region) -> bool {
    let io = graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == Type::IO);
    let Some(mut state) = io else { return true };
    loop {
        let Some(user) = graph.users_of(state).next() else { return false };
        let Use::Input(node, _) = graph.site(user) else { return true };
        if !graph.op(node).is_some_and(Op::may_carry_io) {
            return false;
        }
        let Some(next) = graph.outputs(node).iter().copied().find(|&output| graph.ty(output) == Type::IO) else {
            return false;
        };
        state = next;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rvsdg_core::{NodeKind, Pool};

    use super::*;
    use crate::tests::Example;

    #[test]
    fn states_that_go_in_or_come_out() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let [number, mem] = [Type::I32, Type::MEM].map(|ty| graph.add_argument(root, ty));
        for (inputs, outputs, expected) in [
            (&[number][..], &[Type::I32][..], false),
            (&[mem], &[], true),
            (&[number, mem], &[Type::I32], true),
            (&[], &[Type::IO], true),
        ] {
            let node = graph.add_node(root, NodeKind::Gamma, inputs, outputs);
            assert_eq!(has_states(&graph, node), expected, "{inputs:?} {outputs:?}");
        }
    }

    const SYMBOLS: &str = "
@plain = function i32 (i32)
@asks = function i32 (i32), #0
@gives = function token (i32)
@notes = function void (i32)
@f = function i32 (i32, ptr, <2 x i32>, i128)
import @plain
import @asks
import @gives
import @notes
export @f
attributes #0 = function { convergent }
";
    const CONTEXT: &str = "[@plain, @asks, @gives, @notes] (v0: i32, v1: ptr, v2: <2 x i32>, v3: i128, mem0, io0)";

    /// What is said of each node of a body.
    fn of_nodes(body: &str, says: impl Fn(&Example, Node) -> bool) -> Vec<bool> {
        let example = Example::of(&format!("module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{\n{body}\n}}\n"));
        example.nodes().into_iter().map(|node| says(&example, node)).collect()
    }

    #[test]
    fn divisions_are_speculated_by_what_divides_all() {
        let minus_one = "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";
        for (divisor, unsigned, signed) in [
            ("i32 0", false, false),
            ("i32 1", true, true),
            ("i32 2", true, true),
            ("i32 2147483647", true, true),
            ("i32 -2", true, true),
            ("i32 -1", true, false),
            ("i32 poison", false, false),
            ("<2 x i32> splat (i32 0)", false, false),
            ("<2 x i32> splat (i32 3)", true, true),
            ("<2 x i32> splat (i32 -1)", true, false),
            ("<2 x i32> <i32 3, i32 0>", false, false),
            ("i128 0", false, false),
            ("i128 0x10000000000000000", true, true),
            (&format!("i128 {minus_one}"), true, false),
        ] {
            let dividend = match divisor.split_once(' ') {
                Some(("i32", _)) => "v0",
                Some(("i128", _)) => "v3",
                _ => "v2",
            };
            let ty = if let Some((vector, _)) = divisor.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                format!("<{vector}>")
            } else {
                divisor.split(' ').next().unwrap_or_default().to_owned()
            };
            let body = format!(
                "v4 = const {divisor}
                 v5: {ty} = udiv {dividend}, v4
                 v6: {ty} = urem {dividend}, v4
                 v7: {ty} = sdiv {dividend}, v4
                 v8: {ty} = srem {dividend}, v4
                 yield v0, mem0, io0"
            );
            let found = of_nodes(&body, |example, node| is_speculatable(example.graph(), node));
            assert_eq!(found, [unsigned, unsigned, signed, signed], "{divisor}");
        }
    }

    #[test]
    fn calls_decisions_and_states_are_not_speculated() {
        let body = r#"
            v4: i32 = add v0, v0
            v5: i32 = call i32 (i32) @plain(v0) #0
            v6: i32 = udiv v0, v4
            v7: i32, mem1 = load v1, mem0, align 4
            v8: i32 = ext "test.probe" (i32) -> (i32) v7
            v9: ctl(1) = indirectbr v1, 3
            v10 = const i32 3
            v11: i32, io1 = udiv v0, v10, io0
            v12: i32 = udiv v0, v10
            yield v8, mem1, io1"#;
        let speculated = of_nodes(body, |example, node| is_speculatable(example.graph(), node));
        assert_eq!(speculated, [true, false, false, false, false, false, false, true]);
        let example = Example::of(&format!(
            "module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{
               v4: ctl(2) = match i32 v0 [1 -> 1, _ -> 0]
               v5: i32 = gamma v4 (v0)
               case 0 (v6: i32) {{ yield v6 }}
               case 1 (v7: i32) {{ yield v7 }}
               yield v5, mem0, io0
             }}"
        ));
        let graph = example.graph();
        for node in graph.all_nodes() {
            assert!(!is_speculatable(graph, node) && !is_movable(graph, example.surroundings(), node));
        }
    }

    #[test]
    fn what_depends_on_its_inputs_alone_is_moved() {
        let found = of_nodes(
            r#"
            v4: i32 = udiv v0, v0
            v5: i32 = call i32 (i32) @plain(v0)
            v6: i32 = call i32 (i32) @asks(v0)
            v7: i32 = call i32 (i32) @plain(v0) ["x"(v0)]
            v8: i32 = call i32 (i32) asm "", "=r,r" (v0)
            v9: token = call token (i32) @gives(v0)
            v10: i32, mem1 = call i32 (i32) @plain(v0), mem0
            v11: ctl(1) = indirectbr v1, 3
            call void (i32) @notes(v0)
            v12: i32 = call musttail i32 (i32) @plain(v0)
            yield v12, mem1, io0"#,
            |example, node| is_movable(example.graph(), example.surroundings(), node),
        );
        assert_eq!(found, [true, true, false, false, false, false, false, false, true, false]);
    }

    #[test]
    fn a_region_is_executed_wholly_where_nothing_may_end_in_it() {
        for (body, expected) in [
            ("yield v0, mem0, io0", true),
            ("v4: i32, io1 = udiv v0, v0, io0\nyield v4, mem0, io1", true),
            ("v4: i32, io1 = udiv v0, v0, io0\nv5: i32, io2 = srem v4, v0, io1\nyield v5, mem0, io2", true),
            ("v4: i32, mem1, io1 = call i32 (i32) @plain(v0), mem0, io0\nyield v4, mem1, io1", false),
            (
                "v4: i32, io1 = udiv v0, v0, io0\nv5: i32, mem1, io2 = call i32 (i32) @plain(v0), mem0, io1\n\
                 yield v5, mem1, io2",
                false,
            ),
            ("v4: i32, mem1 = call i32 (i32) @plain(v0), mem0\nyield v4, mem1, io0", true),
            ("io1 = unreachable io0\nyield v0, mem0, io1", false),
        ] {
            let example = Example::of(&format!("module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{\n{body}\n}}\n"));
            let graph = example.graph();
            assert_eq!(is_executed_wholly(graph, graph.root()), expected, "{body}");
        }
        // Where there is no state of that kind, nothing can end.
        let example = Example::of(&format!(
            "module \"test\"\n{SYMBOLS}lambda @f {CONTEXT} {{
               v4: ctl(2) = match i32 v0 [1 -> 1, _ -> 0]
               v5: i32, io1 = gamma v4 (v0, io0)
               case 0 (v6: i32, io2) {{
                 io3 = unreachable io2
                 yield v6, io3
               }}
               case 1 (v7: i32, io4) {{ yield v7, io4 }}
               v8: i32 = theta (v9: i32 = v5) {{
                 v10: ctl(2) = match i32 v9 [1 -> 1, _ -> 0]
                 next v9 while v10
               }}
               yield v8, mem0, io1
             }}"
        ));
        let graph = example.graph();
        let nodes = example.nodes();
        let wholly: Vec<bool> = nodes
            .iter()
            .flat_map(|&node| graph.subregions(node))
            .map(|&region| is_executed_wholly(graph, region))
            .collect();
        assert_eq!(wholly, [false, true, true]);
    }
}
