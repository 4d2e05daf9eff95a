//! Values that are never undef, or never undef or poison.
//!
//! Each use of undef may be a different value, so two computations from it may differ.

use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::{Constant, Graph, Op, Origin};

use crate::callee::argument_of_root;
use crate::surroundings::Surroundings;
use crate::trace::holds_for_sources;

/// Whether a value is neither undef nor poison, because it is a parameter or result that is promised not to be.
pub fn is_noundef(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    let pool = graph.pool();
    match graph.producer(origin) {
        Some(node) => match graph.op(node) {
            Some(Op::Call(call)) => pool.attributes(pool.call(call).attributes).result_has(AttributeKind::NoUndef),
            _ => false,
        },
        None => {
            let parameter = || {
                let surroundings = surroundings?;
                let parameter = surroundings.parameter(argument_of_root(graph, origin)?)?;
                let attributes = pool.attributes(surroundings.attributes()?);
                Some(attributes.param_has(parameter, AttributeKind::NoUndef))
            };
            parameter() == Some(true)
        }
    }
}

/// Whether a value is not undef, not even in part, though possibly poison: none of the values from which it is computed is.
pub fn is_not_undef(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    holds_for_sources(graph, origin, |origin, pending| {
        if is_noundef(graph, surroundings, origin) {
            return true;
        }
        let Some(node) = graph.producer(origin) else { return false };
        match graph.op(node) {
            Some(Op::Freeze) => true,
            Some(Op::Const(constant)) => {
                matches!(graph.pool().constant(constant), Constant::Int { .. } | Constant::Poison(_))
            }
            Some(Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_)) => {
                pending.extend(graph.input_origins(node));
                true
            }
            _ => false,
        }
    })
}

/// Whether a value is neither undef nor poison, whatever it is computed from: a constant, a frozen value, or one of which that is promised.
pub fn is_defined(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    match graph.producer(origin).and_then(|node| graph.op(node)) {
        Some(Op::Freeze) => true,
        Some(Op::Const(constant)) => matches!(
            graph.pool().constant(constant),
            Constant::Int { .. } | Constant::Float { .. } | Constant::Zero(_) | Constant::Data { .. }
        ),
        Some(_) | None => is_noundef(graph, surroundings, origin),
    }
}

/// Whether a value is neither undef nor poison: it [is defined](is_defined), or compares values that are.
pub fn is_well_defined(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    holds_for_sources(graph, origin, |origin, pending| {
        let comparison =
            graph.producer(origin).filter(|&node| matches!(graph.op(node), Some(Op::ICmp { same_sign: false, .. })));
        pending.extend(comparison.into_iter().flat_map(|node| graph.input_origins(node)));
        comparison.is_some() || is_defined(graph, surroundings, origin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;
    use crate::trace::MAX_LOOKED_AT;

    /// Whether what is given to each `ext "test.probe"` of a body is surely not undef, and is defined by what is said of it.
    fn probed(body: &str) -> Vec<(bool, bool)> {
        let example = Example::of(&format!(
            "module \"test\"
             @gives = function i32 ()
             @f = function i32 (i32, i32, i1), #0
             import @gives
             export @f
             attributes #0 = function {{ nounwind }} result {{ noundef }} params ({{ zeroext, noundef }}, {{ zeroext }}, {{ noundef }})
             attributes #1 = result {{ noundef }} params ({{}})
             attributes #2 = function {{ nounwind }}
             lambda @f [@gives] (v0: i32, v1: i32, v2: i1, mem0, io0) {{\n{body}\n}}"
        ));
        let (graph, around) = (example.graph(), example.surroundings());
        let probes = graph.all_nodes().filter(|&node| matches!(graph.op(node), Some(Op::Ext(_))));
        probes
            .map(|node| {
                let origin = graph.input(node, 0);
                (is_not_undef(graph, around, origin), is_noundef(graph, around, origin))
            })
            .collect()
    }

    /// What is said of a value after some operations.
    fn straight(operations: &str, value: &str) -> (bool, bool) {
        let body = format!("{operations}\nv90: i32 = ext \"test.probe\" (i32) -> (i32) {value}\nyield v90, mem0, io0");
        probed(&body)[0]
    }

    #[test]
    fn what_is_said_and_what_is_computed_of_it() {
        for (operations, value, expected) in [
            ("", "v0", (true, true)),
            ("", "v1", (false, false)),
            ("v5: i32 = call i32 () @gives() #1", "v5", (true, true)),
            ("v5: i32 = call i32 () @gives() #2", "v5", (false, false)),
            ("v5: i32 = call i32 () @gives()", "v5", (false, false)),
            ("v5: i32 = freeze v1", "v5", (true, false)),
            ("v5 = const i32 7", "v5", (true, false)),
            ("v5 = const i32 undef", "v5", (false, false)),
            ("v5 = const i32 poison", "v5", (true, false)),
            ("v5: i32 = add nsw v0, v0", "v5", (true, false)),
            ("v5: i32 = add v0, v1", "v5", (false, false)),
            ("v5: i32 = add v1, v0", "v5", (false, false)),
            ("v5: i32 = select v2, v0, v1", "v5", (false, false)),
            ("v5: i32 = select v2, v0, v0", "v5", (true, false)),
            ("v4: i1 = icmp eq v0, v1\nv5: i32 = zext v4", "v5", (false, false)),
            ("v4: i1 = icmp eq v0, v0\nv5: i32 = zext v4", "v5", (true, false)),
        ] {
            assert_eq!(straight(operations, value), expected, "{operations} {value}");
        }
    }

    #[test]
    fn what_is_neither_undef_nor_poison() {
        for (operation, expected) in [
            ("freeze v1", true),
            ("icmp slt v0, v0", true),
            ("icmp samesign slt v0, v0", false),
            ("icmp slt v0, v1", false),
            ("icmp slt v1, v0", false),
            ("add nsw v0, v0", false),
            ("const 7", true),
            ("const poison", false),
            ("const undef", false),
        ] {
            let is_condition = operation.starts_with("icmp");
            let ty = if is_condition { "i1" } else { "i32" };
            let line = match operation.strip_prefix("const ") {
                Some(constant) => format!("v5 = const i32 {constant}"),
                None => format!("v5: {ty} = {operation}"),
            };
            let example = Example::of(&format!(
                "module \"test\"
                 @f = function void (i32, i32), #0
                 export @f
                 attributes #0 = function {{}} result {{}} params ({{ noundef }}, {{}})
                 lambda @f [] (v0: i32, v1: i32, mem0, io0) {{
                   {line}
                   v6: {ty} = ext \"test.probe\" ({ty}) -> ({ty}) v5
                   yield mem0, io0
                 }}"
            ));
            let (graph, around) = (example.graph(), example.surroundings());
            let probe = graph.all_nodes().find(|&node| matches!(graph.op(node), Some(Op::Ext(_)))).expect("a probe");
            assert_eq!(is_well_defined(graph, around, graph.input(probe, 0)), expected, "{operation}");
        }
    }

    #[test]
    fn values_are_followed_into_branches_and_out_of_them() {
        for (other, expected) in [("v0", [true, true, true]), ("v1", [true, false, false])] {
            let found = probed(&format!(
                "v3: ctl(2) = match i1 v2 [true -> 1, _ -> 0]
                 v4: i32 = gamma v3 (v0, {other})
                 case 0 (v5: i32, v6: i32) {{
                   v7: i32 = ext \"test.probe\" (i32) -> (i32) v5
                   yield v5
                 }}
                 case 1 (v8: i32, v9: i32) {{
                   v10: i32 = ext \"test.probe\" (i32) -> (i32) v9
                   yield v9
                 }}
                 v11: i32 = ext \"test.probe\" (i32) -> (i32) v4
                 yield v11, mem0, io0"
            ));
            let mut found: Vec<bool> = found.into_iter().map(|(not_undef, _)| not_undef).collect();
            // The probes in alternatives come before or after the one outside.
            found.sort_by_key(|&holds| !holds);
            assert_eq!(found, expected, "{other}");
        }
    }

    #[test]
    fn variables_of_loops_are_not_undef_where_neither_their_start_nor_their_step_is() {
        for (start, step, expected) in
            [("v0", "v0", true), ("v1", "v0", false), ("v0", "v1", false), ("v1", "v1", false)]
        {
            let found = probed(&format!(
                "v3: i32, v4: i32 = theta (v5: i32 = {start}, v6: i32 = {step}) {{
                   v7: i32 = add v5, v6
                   v8: i32 = ext \"test.probe\" (i32) -> (i32) v5
                   v9: ctl(2) = match i32 v7 [1 -> 1, _ -> 0]
                   next v7, v6 while v9
                 }}
                 v10: i32 = ext \"test.probe\" (i32) -> (i32) v3
                 yield v10, mem0, io0"
            ));
            assert_eq!(found, [(expected, false), (expected, false)], "{start} {step}");
        }
    }

    #[test]
    fn what_is_computed_of_many_values_is_not_known() {
        let sums = |count: usize| -> String {
            (0..count).map(|at| format!("v{}: i32 = add v{}, v0\n", at + 4, if at == 0 { 0 } else { at + 3 })).collect()
        };
        let last = |count: usize| format!("v{}", count + 3);
        assert!(straight(&sums(MAX_LOOKED_AT), &last(MAX_LOOKED_AT)).0);
        assert!(!straight(&sums(MAX_LOOKED_AT + 1), &last(MAX_LOOKED_AT + 1)).0);
    }
}
