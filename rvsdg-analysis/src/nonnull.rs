//! Addresses that are surely not null.

use rvsdg_core::attribute::Attribute;
use rvsdg_core::op::GepFlags;
use rvsdg_core::{Graph, Op, Origin, Type};

use crate::callee::argument_of_root;
use crate::invariant::follow_out;
use crate::surroundings::Surroundings;

/// So many addresses are followed from one to the one it is computed of.
const MAX_STEPS: usize = 8;

/// Whether an address is not null, unless it is poison: that of an object on the stack, what a parameter or a result is promised to be,
/// and what is in bounds of such. Addresses of other address spaces than the first may be anything.
pub fn is_nonnull(graph: &Graph, surroundings: Option<&Surroundings>, mut origin: Origin) -> bool {
    let pool = graph.pool();
    let own = surroundings.and_then(|surroundings| surroundings.attributes()).map(|list| pool.attributes(list));
    // Whether nothing is at null, so that what is in bounds of an object is not there.
    let is_empty = own.is_some_and(|list| !list.function_has("null_pointer_is_valid"));
    let promised = |list: &[Attribute]| {
        list.iter().any(|attribute| {
            &*attribute.text == "nonnull" || is_empty && attribute.text.starts_with("dereferenceable(")
        })
    };
    for _ in 0..MAX_STEPS {
        origin = follow_out(graph, origin).0;
        if graph.ty(origin) != Type::PTR {
            return false;
        }
        let Some(node) = graph.producer(origin) else {
            let parameter = || {
                let parameter = surroundings?.parameter(argument_of_root(graph, origin)?)?;
                own?.params.get(parameter)
            };
            return parameter().is_some_and(|list| promised(list));
        };
        match graph.op(node) {
            Some(Op::Alloca { .. }) => return true,
            Some(Op::Gep { flags, .. }) if is_empty && flags.contains(GepFlags::INBOUNDS) => {
                origin = graph.input(node, 0);
            }
            Some(Op::Call(call)) => return promised(&pool.attributes(pool.call(call).attributes).result),
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    fn of_result(lines: &str, attributes: &str) -> bool {
        let text = format!(
            "module \"test\"\n@g = function ptr ()\n@f = function ptr (ptr, ptr, ptr, i64), #0\nimport @g\n\
             lambda @f [@g] (v0: ptr, v1: ptr, v2: ptr, v3: i64, mem0, io0) {{\n\
             v4 = const i32 1\nv5: ptr, mem1 = alloca i64, v4, mem0, align 8\n\
             v8: ptr, mem2, io1 = call ptr () @g(), mem1, io0\n{lines}\nyield v9, mem2, io1\n}}\nexport @f\n\
             attributes #0 = {attributes} params ({{ nonnull }}, {{ dereferenceable(8) }}, {{ dereferenceable_or_null(8) }})\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        is_nonnull(graph, example.surroundings(), graph.result(graph.root(), 0))
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
            ("v9: ptr = getelementptr nuw i8, v0, v3", false),
            ("v9: ptr = getelementptr inbounds i8, v8, v3", false),
            ("v9: ptr = inttoptr v3", false),
        ] {
            assert_eq!(of_result(lines, plain), expected, "{lines}");
        }
        // Where an object may be at null, only what says that it is not is not.
        let valid = "function { null_pointer_is_valid }";
        assert!(!of_result("v9: ptr = getelementptr inbounds i8, v5, v3", valid));
    }
}
