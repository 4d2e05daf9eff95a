//! Addresses that are never null.

use rvsdg_core::attribute::{Attribute, AttributeKind, has};
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{CastOp, GepFlags, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Pool, Type, TypeKind};

use crate::callee::argument_of_root;
use crate::conditions::{decisions_before, relations};
use crate::invariant::known_constant;
use crate::surroundings::Surroundings;
use crate::trace::holds_on_entry_or_for_sources;

/// Whether an address is not null, unless it is poison: that of an object on the stack, parameters, results and loads that are promised
/// to be non-null, addresses in bounds of such an address or at a distance in bounds of any, selects among them, and those that a branch
/// found not to be null, also one before that does not end otherwise. Only for address space 0; in others, objects may be at null.
pub fn is_nonnull(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    let pool = graph.pool();
    let own = surroundings.and_then(|surroundings| surroundings.attributes()).map(|list| pool.attributes(list));
    // Whether no object is at null, so that an address in bounds of an object is not null.
    let is_empty = own.is_some_and(|list| !list.function_has(AttributeKind::NullPointerIsValid));
    let promised =
        |list: &[Attribute]| has(list, AttributeKind::NonNull) || is_empty && has(list, AttributeKind::Dereferenceable);
    if graph.ty(origin) != Type::PTR {
        return false;
    }
    holds_on_entry_or_for_sources(
        graph,
        origin,
        |argument| is_entered_as_nonnull(graph, argument),
        |origin, pending| {
            let Some(node) = graph.producer(origin) else {
                let parameter = || {
                    let parameter = surroundings?.parameter(argument_of_root(graph, origin)?)?;
                    own?.params.get(parameter)
                };
                return parameter().is_some_and(|list| promised(list));
            };
            match graph.op(node) {
                Some(Op::Alloca { .. }) => true,
                Some(Op::Load(access)) => access.nonnull,
                Some(Op::Const(constant)) => {
                    matches!(pool.constant(constant), Constant::Poison(_)) || is_nonzero(pool, surroundings, constant)
                }
                Some(Op::Gep { flags, .. }) if is_empty && flags.contains(GepFlags::INBOUNDS) => {
                    if !is_at_distance(graph, node) {
                        pending.push(graph.input(node, 0));
                    }
                    true
                }
                Some(Op::Select(_)) => {
                    pending.extend([graph.input(node, 1), graph.input(node, 2)]);
                    true
                }
                Some(Op::Call(call)) => promised(&pool.attributes(pool.call(call).attributes).result),
                _ => false,
            }
        },
    )
}

/// Whether what enters a conditional or a loop as this argument is not null, because the conditional only chooses this alternative then,
/// or an earlier one only ends then.
fn is_entered_as_nonnull(graph: &Graph, argument: Origin) -> bool {
    let OriginDef::Argument(region, index) = graph.def(argument) else { return false };
    let Some(node) = graph.parent(region) else { return false };
    let mut decisions = decisions_before(graph, node);
    let entered = match Gamma::new(graph, node) {
        Some(gamma) => {
            let alternative =
                gamma.regions(graph).iter().position(|&other| other == region).expect("it is one of them");
            decisions.push((graph.origin(gamma.predicate(graph)), alternative as u32));
            graph.input(node, index as usize + 1)
        }
        None => {
            let Some(theta) = Theta::new(graph, node) else { return false };
            graph.origin(theta.loop_var(graph, index as usize).input)
        }
    };
    decisions
        .into_iter()
        .flat_map(|(predicate, alternative)| relations(graph, predicate, alternative))
        .any(|(relation, a, b)| relation == IntPredicate::Ne && a == entered && is_null(graph, b))
}

/// Whether an address is null.
pub fn is_null(graph: &Graph, origin: Origin) -> bool {
    let zero = fold::parts::zero(graph.pool(), graph.ty(origin));
    zero.is_some() && known_constant(graph, origin) == zero
}

/// Whether an address is not that from which it is computed: what is a distance away in bounds is inside an object.
fn is_at_distance(graph: &Graph, node: Node) -> bool {
    let Some(Op::Gep { source, .. }) = graph.op(node) else { return false };
    let has_size = matches!(graph.pool().type_kind(source), TypeKind::Int(_) | TypeKind::Ptr(_));
    let &[_, index] = graph.inputs(node) else { return false };
    let number = known_constant(graph, graph.origin(index));
    has_size && number.and_then(|number| Int::of_const(graph.pool(), number)).is_some_and(|number| !number.is_zero())
}

/// Whether a constant address is an integer with a nonzero bit among the bits of an address.
fn is_nonzero(pool: &Pool, surroundings: Option<&Surroundings>, constant: Const) -> bool {
    let Constant::Expr { op: Op::Cast { op: CastOp::IntToPtr, .. }, operands, .. } = pool.constant(constant) else {
        return false;
    };
    let bits = surroundings.and_then(|surroundings| surroundings.data_layout()).map(|data| data.pointer(0).bits);
    let value = operands.first().and_then(|&operand| Int::of_const(pool, operand));
    bits.zip(value).is_some_and(|(bits, value)| !value.zext_or_trunc(bits).is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    fn of_result(lines: &str, attributes: &str) -> bool {
        let is_last = |io: &&str| {
            let taken = [format!("({io})"), format!("= {io},")];
            [" = ", ", v"].iter().any(|next| lines.contains(&format!("{io}{next}")))
                && !taken.iter().any(|taken| lines.contains(taken))
        };
        let last = ["io6", "io2"].into_iter().find(is_last).unwrap_or("io1");
        let text = format!(
            "module \"test\"\n@g = function ptr ()\n@f = function ptr (ptr, ptr, ptr, i64), #0\nimport @g\n\
             lambda @f [@g] (v0: ptr, v1: ptr, v2: ptr, v3: i64, mem0, io0) {{\n\
             v4 = const i32 1\nv5: ptr, mem1 = alloca i64, v4, mem0, align 8\n\
             v8: ptr, mem2, io1 = call ptr () @g(), mem1, io0\n{lines}\nyield v9, mem2, {last}\n}}\nexport @f\n\
             attributes #0 = {attributes} params ({{ nonnull }}, {{ dereferenceable(8) }}, {{ dereferenceable_or_null(8) }})\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        is_nonnull(graph, example.surroundings(), graph.result(graph.root(), 0))
    }

    /// A conditional that gives one of two addresses.
    fn chosen(then: &str, otherwise: &str) -> String {
        format!(
            "v6: i1 = icmp eq v0, v1\nv7: ctl(2) = match i1 v6 [true -> 1, _ -> 0]\n\
             v9: ptr = gamma v7 ({then}, {otherwise})\n\
             case 0 (v10: ptr, v11: ptr) {{\nyield v10\n}}\ncase 1 (v12: ptr, v13: ptr) {{\nyield v13\n}}"
        )
    }

    /// A conditional that is decided by a comparison of an address, and gives what entered one of its alternatives.
    fn compared(relation: &str, with: &str, taken: [&str; 2]) -> String {
        format!(
            "v20 = const ptr null\nv6: i1 = icmp {relation} v8, {with}\nv7: ctl(2) = match i1 v6 [true -> 1, _ -> 0]\n\
             v9: ptr = gamma v7 (v8, v0)\n\
             case 0 (v10: ptr, v11: ptr) {{\nyield {}\n}}\ncase 1 (v12: ptr, v13: ptr) {{\nyield {}\n}}",
            taken[0], taken[1]
        )
    }

    /// A loop that steps through memory, from an address on.
    fn stepped(from: &str, flags: &str, io: &str) -> String {
        format!(
            "v9: ptr, io6, v15: i64 = theta (v10: ptr = {from}, io5 = {io}, v11: i64 = v3) {{\n\
             v12: ptr = getelementptr {flags}i8, v10, v11\nv13: i1 = icmp eq v12, v10\n\
             v14: ctl(2) = match i1 v13 [true -> 1, _ -> 0]\nnext v12, io5, v11 while v14\n}}"
        )
    }

    /// These lines after a conditional of which only one alternative ends.
    fn required(relation: &str, io: &str, lines: &str) -> String {
        format!(
            "v20 = const ptr null\nv6: i1 = icmp {relation} v2, v20\nv7: ctl(2) = match i1 v6 [true -> 1, _ -> 0]\n\
             io2 = gamma v7 ({io})\ncase 0 (io9) {{\nyield io9\n}}\ncase 1 (io3) {{\nio4 = unreachable io3\nyield io4\n}}\n{lines}"
        )
    }

    #[test]
    fn what_is_not_null() {
        let plain = "function { nounwind }";
        for (lines, expected) in [
            ("v9: ptr = getelementptr i8, v5, v6\nv6 = const i64 0", false),
            ("v9: ptr = getelementptr inbounds i8, v5, v3", true),
            ("v9: ptr = getelementptr inbounds i8, v0, v3", true),
            ("v9: ptr = getelementptr inbounds i8, v1, v3", true),
            ("v9: ptr = getelementptr inbounds i8, v2, v3", false),
            ("v6 = const i64 8\nv9: ptr = getelementptr inbounds i8, v2, v6", true),
            ("v6 = const i64 -1\nv9: ptr = getelementptr inbounds i32, v2, v6", true),
            ("v6 = const i64 0\nv9: ptr = getelementptr inbounds i8, v2, v6", false),
            ("v6 = const i64 8\nv9: ptr = getelementptr nuw i8, v2, v6", false),
            ("v6 = const i64 8\nv9: ptr = getelementptr inbounds {}, v2, v6", false),
            ("v6 = const i64 8\nv9: ptr = getelementptr inbounds [4 x i8], v2, v6, v3", false),
            ("v9: ptr = getelementptr nuw i8, v0, v3", false),
            ("v9: ptr = getelementptr inbounds i8, v8, v3", false),
            ("v9: ptr = inttoptr v3", false),
            ("v9 = const ptr inttoptr (i64 19)", true),
            ("v9 = const ptr poison", true),
            ("v9 = const ptr undef", false),
            ("v9 = const ptr inttoptr (i128 0x10000000000000000)", false),
            ("v6: i1 = icmp eq v0, v1\nv9: ptr = select v6, v0, v5", true),
            ("v6: i1 = icmp eq v0, v1\nv9: ptr = select v6, v0, v8", false),
            ("v6: i1 = icmp eq v0, v1\nv9: ptr = select v6, v2, v0", false),
            (&chosen("v0", "v1"), true),
            (&chosen("v2", "v1"), false),
            (&chosen("v0", "v8"), false),
            (&compared("eq", "v20", ["v10", "v13"]), true),
            (&compared("ne", "v20", ["v11", "v12"]), true),
            (&compared("eq", "v20", ["v11", "v12"]), false),
            (&compared("ne", "v20", ["v10", "v13"]), false),
            (&compared("eq", "v0", ["v10", "v13"]), false),
            (&compared("ule", "v20", ["v10", "v13"]), false),
            (&compared("eq", "v20", ["v10", "v13"]).replace("(v8, v0)", "(v2, v0)"), false),
            (&stepped("v0", "inbounds ", "io1"), true),
            (&stepped("v0", "", "io1"), false),
            (&stepped("v2", "inbounds ", "io1"), false),
            (&required("eq", "io1", &stepped("v2", "inbounds ", "io2")), true),
            (&required("eq", "io1", &stepped("v2", "", "io2")), false),
            (&required("eq", "io6", &stepped("v2", "inbounds ", "io1")), false),
            (&required("eq", "io1", &stepped("v8", "inbounds ", "io2")), false),
            (&required("ne", "io1", &stepped("v2", "inbounds ", "io2")), false),
            (
                &required("eq", "io1", &stepped("v2", "inbounds ", "io2"))
                    .replace("io4 = unreachable io3\nyield io4", "yield io3"),
                false,
            ),
        ] {
            assert_eq!(of_result(lines, plain), expected, "{lines}");
        }
        // Where an object may be at null, only what says that it is not is not.
        let valid = "function { null_pointer_is_valid }";
        assert!(!of_result("v9: ptr = getelementptr inbounds i8, v5, v3", valid));
    }
}
