//! What is known of a call, from the call itself or from the called function.

use rvsdg_core::attribute::{AttributeKind, AttributeList, has_any};
use rvsdg_core::fold::Intrinsic;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::module::{SymbolData, SymbolKind};
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef};

use crate::allocation::ignores_names;
use crate::surroundings::{Context, Surroundings};
use crate::trace::outward;

/// Whether a call, or its known callee, has one of some function attributes that forbid something.
///
/// As in LLVM (`CallBase::hasFnAttr`), attributes of a declaration hold for every direct call, while for a call through a pointer only
/// its own attributes are known. If it is unclear whether the callee is known, the answer is true. Operations that are not calls have no
/// attributes.
pub fn call_has(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, kinds: &[AttributeKind]) -> bool {
    let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return false };
    let has = |list: &AttributeList| has_any(&list.function, kinds);
    let is_unclear = || {
        let is_function = surroundings.is_some() && graph.pool().call(call).assembly.is_none();
        is_function && matches!(callee(graph, graph.input(node, 0)), Callee::Routed)
    };
    call_promises(graph, surroundings, node, has) || is_unclear()
}

/// Whether the attributes of a call, or of its known callee, permit something. If it is unclear whether the callee is known, only the call's
/// own attributes count.
pub fn call_promises(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    node: Node,
    promises: impl Fn(&AttributeList) -> bool,
) -> bool {
    let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return false };
    let pool = graph.pool();
    let info = pool.call(call);
    let has = |list| promises(pool.attributes(list));
    let declared = || {
        let surroundings = surroundings.filter(|_| info.assembly.is_none())?;
        match surroundings.context(argument_of_root(graph, graph.input(node, 0))?)? {
            Context::Function { attributes, .. } => Some(attributes),
            Context::Variable { .. } | Context::Other => None,
        }
    };
    has(info.attributes) || declared().is_some_and(has)
}

/// The intrinsic that a call without states calls, in the default floating-point environment.
pub fn intrinsic(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Intrinsic> {
    let Op::Call(call) = graph.op(node)? else { return None };
    let info = graph.pool().call(call);
    if !is_plain(info) || info.effects.count() > 0 || graph.outputs(node).len() != 1 {
        return None;
    }
    let Context::Function { intrinsic, .. } = plain_callee(graph, surroundings?, node)? else { return None };
    intrinsic
}

/// What a call computes that only computes, in the default floating-point environment, except that it may set `errno`: of an intrinsic,
/// or of a function of the library that may be assumed to be the one of its name. It may have states.
pub fn computation(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Intrinsic> {
    if let Some(intrinsic) = intrinsic(graph, surroundings, node) {
        return Some(intrinsic);
    }
    let surroundings = surroundings.filter(|around| may_be_library(graph, around, node))?;
    let Context::Function { computes, .. } = plain_callee(graph, surroundings, node)? else { return None };
    computes
}

/// Whether a node is a call that says no more than its arguments, and may be assumed to be of the library's function if the function has
/// its name and type.
pub fn may_be_library(graph: &Graph, surroundings: &Surroundings, node: Node) -> bool {
    let Some(Op::Call(call)) = graph.op(node) else { return false };
    let pool = graph.pool();
    let info = pool.call(call);
    is_plain(info)
        && !info.tail.ends_function()
        && !pool.attributes(info.attributes).function_has(AttributeKind::NoBuiltin)
        && !surroundings.attributes().is_some_and(|own| ignores_names(pool.attributes(own)))
}

/// Whether a call is of a function and says no more than its arguments.
fn is_plain(info: &CallInfo) -> bool {
    info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty()
}

/// The symbol that a call calls, unless the floating-point environment may be another than the default one.
fn plain_callee(graph: &Graph, surroundings: &Surroundings, node: Node) -> Option<Context> {
    let own =
        surroundings.attributes().is_some_and(|own| graph.pool().attributes(own).function_has(AttributeKind::StrictFp));
    if own || call_has(graph, Some(surroundings), node, &[AttributeKind::StrictFp]) {
        return None;
    }
    surroundings.context(argument_of_root(graph, graph.input(node, 0))?)
}

/// Whether a node calls `llvm.assume`.
pub fn is_assume(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let Some(Op::Call(call)) = graph.op(node) else { return false };
    let context = || surroundings?.context(argument_of_root(graph, graph.input(node, 0))?);
    graph.pool().call(call).assembly.is_none() && matches!(context(), Some(Context::Function { assumes: true, .. }))
}

/// Whether the arguments of a call match a function's parameters. Metadata arguments are not operands.
pub fn takes(function: &SymbolData, call: &CallInfo) -> bool {
    call.function_type == function.value_type
        && call.metadata.is_empty()
        && matches!(function.kind, SymbolKind::Function { convention, .. } if convention == call.convention)
}

/// Whether a node is or contains a convergent call, which must not be made dependent on additional conditions.
pub fn is_convergent(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let convergent = |node| call_has(graph, surroundings, node, &[AttributeKind::Convergent]);
    convergent(node)
        || graph.subregions(node).iter().any(|&region| {
            graph.walk_region(region).any(|item| matches!(item, WalkItem::Node(inner) if convergent(inner)))
        })
}

/// The argument of the body's root region that a value of any region equals.
pub fn argument_of_root(graph: &Graph, origin: Origin) -> Option<usize> {
    match callee(graph, origin) {
        Callee::Argument(index) => Some(index),
        Callee::Computed | Callee::Routed => None,
    }
}

/// The callee of a call.
enum Callee {
    /// An argument of the body's root region.
    Argument(usize),
    /// The result of an operation.
    Computed,
    /// A value from several places, which may all be the same.
    Routed,
}

fn callee(graph: &Graph, mut origin: Origin) -> Callee {
    loop {
        let (region, index) = match graph.def(origin) {
            OriginDef::Argument(region, index) => (region, index),
            OriginDef::Output(node, _) if graph.op(node).is_some() => return Callee::Computed,
            OriginDef::Output(..) => return Callee::Routed,
        };
        if graph.parent(region).is_none() {
            return Callee::Argument(index as usize);
        }
        match outward(graph, region, index) {
            Some((outer, _)) => origin = outer,
            None => return Callee::Routed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    const SYMBOLS: &str = "
@plain = function void ()
@asks = function void (), #0
@v = global ptr null
@f = function void (ptr, i1)
import @plain
import @asks
delta @v []
export @f
attributes #0 = function { convergent }
attributes #1 = function { cold, noduplicate }
";

    /// Whether each node of a body, but for those that route, has one of some attributes.
    fn having(body: &str, kinds: &[AttributeKind]) -> Vec<bool> {
        let example = Example::of(&format!(
            "module \"test\"\n{SYMBOLS}lambda @f [@plain, @asks, @v] (v0: ptr, v1: i1, mem0, io0) {{\n{body}\n}}\n"
        ));
        let nodes = example.nodes().into_iter();
        nodes.map(|node| call_has(example.graph(), example.surroundings(), node, kinds)).collect()
    }

    #[test]
    fn attributes_of_calls_and_of_what_they_call() {
        let body = r#"
            mem1, io1 = call void () @plain(), mem0, io0
            mem2, io2 = call void () @plain() #0, mem1, io1
            mem3, io3 = call void () @plain() #1, mem2, io2
            mem4, io4 = call void () @asks(), mem3, io3
            mem5, io5 = call void () v0(), mem4, io4
            mem6, io6 = call void () @v(), mem5, io5
            v2: ptr, mem7 = load v0, mem6, align 8
            mem8, io7 = call void () v2(), mem7, io6
            mem9, io8 = call void (ptr) asm sideeffect "", "r" (@asks), mem8, io7
            yield mem9, io8"#;
        // The last is assembly, which gets the address of a function and does not call it.
        let asks = [false, true, false, true, false, false, false, false, false];
        assert_eq!(having(body, &[AttributeKind::Convergent]), asks);
        assert_eq!(having(body, &[AttributeKind::Convergent, AttributeKind::NoMerge]), asks);
        let either = [false, true, true, true, false, false, false, false, false];
        assert_eq!(having(body, &[AttributeKind::Convergent, AttributeKind::NoDuplicate]), either);
        assert_eq!(having(body, &[AttributeKind::NoMerge]), [false; 9]);
    }

    #[test]
    fn what_is_called_may_come_from_around_or_from_several_places() {
        let body = "
            v2: ctl(2) = match i1 v1 [true -> 1, _ -> 0]
            v3: ptr, mem1, io1 = gamma v2 (@asks, @plain, mem0, io0)
            case 0 (v4: ptr, v5: ptr, mem2, io2) {
              mem3, io3 = call void () v4(), mem2, io2
              yield v4, mem3, io3
            }
            case 1 (v6: ptr, v7: ptr, mem4, io4) {
              mem5, io5 = call void () v7(), mem4, io4
              yield v7, mem5, io5
            }
            mem6, io6 = call void () v3(), mem1, io1
            yield mem6, io6";
        // Of the γ itself nothing is said; what is called after it may be either function.
        assert_eq!(having(body, &[AttributeKind::Convergent]), [false, true, false, true]);
    }

    #[test]
    fn functions_take_what_is_passed_by_their_convention() {
        let example = Example::of(
            r#"module "test"
               @g = function void (i8), cc 8
               @n = function void (metadata)
               @v = global i8 0
               import @g
               import @n
               delta @v []
               @f = function void (i8)
               lambda @f [@g, @n, @v] (v0: i8, mem0, io0) {
                 mem1, io1 = call cc 8 void (i8) @g(v0), mem0, io0
                 mem2, io2 = call void (i8) @g(v0), mem1, io1
                 mem3, io3 = call cc 8 void (i8, i8) @g(v0, v0), mem2, io2
                 mem4, io4 = call void (metadata) @n(metadata "!0"), mem3, io3
                 mem5, io5 = call void (i8) @v(v0), mem4, io4
                 yield mem5, io5
               }
               export @f"#,
        );
        let (graph, module) = (example.graph(), example.module());
        let named = |name| module.symbols.values().find(|data| &*data.name == name).expect("a symbol");
        let callees = ["g", "g", "g", "n", "v"].map(named);
        let found: Vec<bool> = example
            .nodes()
            .into_iter()
            .zip(callees)
            .map(|(node, callee)| {
                let Some(Op::Call(call)) = graph.op(node) else { panic!("all are calls") };
                takes(callee, graph.pool().call(call))
            })
            .collect();
        assert_eq!(found, [true, false, false, false, false]);
    }

    #[test]
    fn without_surroundings_calls_have_what_they_say() {
        let body = "mem1, io1 = call void () @asks(), mem0, io0\nyield mem1, io1";
        let example = Example::of(&format!(
            "module \"test\"\n{SYMBOLS}lambda @f [@asks] (v0: ptr, v1: i1, mem0, io0) {{\n{body}\n}}\n"
        ));
        let (graph, node) = (example.graph(), example.nodes()[0]);
        assert!(!call_has(graph, None, node, &[AttributeKind::Convergent]) && !is_convergent(graph, None, node));
        assert!(is_convergent(graph, example.surroundings(), node));
    }

    #[test]
    fn a_branch_is_convergent_where_a_call_in_it_is() {
        for (first, second, expected) in
            [("v2", "v5", false), ("v3", "v5", true), ("v2", "v6", true), ("v3", "v6", true)]
        {
            let example = Example::of(&format!(
                "module \"test\"\n{SYMBOLS}lambda @f [@plain, @asks] (v0: ptr, v1: i1, mem0, io0) {{
                   v9: ctl(2) = match i1 v1 [true -> 1, _ -> 0]
                   mem1, io1 = gamma v9 (@plain, @asks, mem0, io0)
                   case 0 (v2: ptr, v3: ptr, mem2, io2) {{
                     mem3, io3 = call void () v2(), mem2, io2
                     mem4, io4 = call void () {first}(), mem3, io3
                     yield mem4, io4
                   }}
                   case 1 (v5: ptr, v6: ptr, mem5, io5) {{
                     mem6, io6 = call void () {second}(), mem5, io5
                     yield mem6, io6
                   }}
                   yield mem1, io1
                 }}"
            ));
            let found = is_convergent(example.graph(), example.surroundings(), example.nodes()[0]);
            assert_eq!(found, expected, "{first} {second}");
        }
    }

    #[test]
    fn intrinsics_are_computed_where_nothing_else_is_asked_for() {
        let example = Example::of(
            r#"module "test"
               @llvm.umin.i8 = function i8 (i8, i8)
               @other = function i8 (i8, i8)
               @v = global i8 0
               import @llvm.umin.i8
               import @other
               delta @v []
               @f = function i8 (i8, ptr)
               lambda @f [@llvm.umin.i8, @other, @v] (v0: i8, v1: ptr, mem0, io0) {
                 v2: i8 = call i8 (i8, i8) @llvm.umin.i8(v0, v0)
                 v3: i8 = call i8 (i8, i8) @other(v0, v0)
                 v4: i8 = call i8 (i8, i8) @llvm.umin.i8(v0, v0) ["x"(v0)]
                 v5: i8, mem1 = call i8 (i8, i8) @llvm.umin.i8(v0, v0), mem0
                 v6: i8 = call i8 (i8, i8) v1(v0, v0)
                 v7: i8 = call i8 (i8, i8) @v(v0, v0)
                 v8: i8 = call i8 (ptr) asm "", "=r,r" (@llvm.umin.i8)
                 v9: i8 = call i8 (i8, metadata) @llvm.umin.i8(v0, metadata "!0")
                 yield v9, mem1, io0
               }
               export @f"#,
        );
        let of = |node| intrinsic(example.graph(), example.surroundings(), node).is_some();
        let found: Vec<bool> = example.nodes().into_iter().map(of).collect();
        assert_eq!(found, [true, false, false, false, false, false, false, false]);
        assert_eq!(intrinsic(example.graph(), None, example.nodes()[0]), None);
    }
}
