//! How much memory is dereferenceable at an address, at any time.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::{Graph, Op, Origin};

use crate::callee::argument_of_root;
use crate::invariant::known_constant;
use crate::surroundings::{Context, Surroundings};

/// How many bytes from an address on may be loaded at any time: those of a global variable, which is as large as its type wherever it is
/// defined, or of an object on the stack, whose contents are merely unknown outside its lifetime. `None` for other addresses.
pub fn bytes_at(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    layouts: &mut Layouts,
    address: Origin,
) -> Option<u64> {
    let pool = graph.pool();
    let Some(node) = graph.producer(address) else {
        let argument = argument_of_root(graph, address)?;
        let Context::Variable { ty, .. } = surroundings?.context(argument)? else { return None };
        return Some(layouts.of(pool, ty).ok()?.store);
    };
    let Some(Op::Alloca { ty, .. }) = graph.op(node) else { return None };
    let count = known_constant(graph, graph.input(node, 0)).and_then(|count| Int::of_const(pool, count))?;
    let count = u64::try_from(count.unsigned()).ok()?;
    layouts.of(pool, ty).ok()?.size.checked_mul(count)
}

#[cfg(test)]
mod tests {
    use rvsdg_core::{Origin, Type};

    use super::*;
    use crate::tests::Example;

    /// What is known at each pointer that a body mentions: those of the root's arguments, then those that nodes give.
    fn sizes(symbols: &str, context: &str, body: &str) -> Vec<Option<u64>> {
        let example =
            Example::of(&format!("module \"test\"\n{symbols}\nlambda @f {context} {{\n{body}\n}}\nexport @f\n"));
        let graph = example.graph();
        let mut layouts = example.surroundings().and_then(|known| known.layouts()).expect("there is a layout");
        let nodes = graph.all_nodes().flat_map(|node| graph.outputs(node).to_vec());
        let origins: Vec<Origin> = graph.arguments(graph.root()).iter().copied().chain(nodes).collect();
        let pointers = origins.into_iter().filter(|&origin| graph.ty(origin) == Type::PTR);
        pointers.map(|origin| bytes_at(graph, example.surroundings(), &mut layouts, origin)).collect()
    }

    #[test]
    fn objects_have_the_size_of_their_types() {
        let symbols = "
            @table = global [10 x i32]
            @f = function void (ptr)
            import @table";
        let found = sizes(
            symbols,
            "[@table] (v0: ptr, mem0, io0)",
            "v1 = const i32 3
             v2: ptr, mem1 = alloca i64, v1, mem0, align 8
             v3: ptr = getelementptr i8, v2, v1
             yield mem1, io0",
        );
        assert_eq!(found, [Some(40), None, Some(24), None]);
    }
}
