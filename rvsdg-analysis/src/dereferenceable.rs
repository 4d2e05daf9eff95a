//! How much memory is dereferenceable at an address, at any time.

use std::cell::{OnceCell, RefCell};

use rvsdg_core::attribute::Attribute;
use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::{Graph, Node, Op, Origin};

use crate::alignment::is_aligned;
use crate::callee::argument_of_root;
use crate::invariant::known_constant;
use crate::memory::base_and_distance;
use crate::memory_attribute::Memory;
use crate::safety::has_states;
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, Surroundings};

/// The memory that a body may load from at any time.
pub struct Dereferenceable<'s> {
    surroundings: &'s Surroundings,
    layouts: RefCell<Layouts>,
    keeps: OnceCell<bool>,
}

impl<'s> Dereferenceable<'s> {
    /// That of the body that these are the surroundings of; `None` without a data layout.
    pub fn new(surroundings: &'s Surroundings) -> Option<Self> {
        Some(Dereferenceable { surroundings, layouts: surroundings.layouts()?.into(), keeps: OnceCell::new() })
    }

    /// Whether a load may be executed wherever its operands are: it is neither volatile nor atomic, it is aligned, and all its bytes are in
    /// an object of known size, or among those that a parameter is promised to lead to ([LangRef, `dereferenceable`]) in a body that frees
    /// no memory. What it promises itself counts for nothing, since it need not be executed.
    ///
    /// [LangRef, `dereferenceable`]: https://llvm.org/docs/LangRef.html#parameter-attributes
    pub fn allows(&self, graph: &Graph, load: Node) -> bool {
        let Some(Op::Load(access)) = graph.op(load) else { return false };
        let layouts = &mut *self.layouts.borrow_mut();
        let address = graph.input(load, 0);
        let mut is_inside = || {
            let (base, distance) = base_and_distance(graph, layouts, address)?;
            let size = layouts.of(graph.pool(), graph.ty(graph.output(load, 0))).ok()?.store;
            let end = u64::try_from(distance).ok()?.checked_add(size)?;
            let bytes =
                bytes_at(graph, Some(self.surroundings), layouts, base).or_else(|| self.promised(graph, base))?;
            Some(end <= bytes || seeded::is_active(Bug::IfcBeyond))
        };
        access.is_plain()
            && is_inside() == Some(true)
            && is_aligned(graph, Some(self.surroundings), layouts, address, access.align_log2)
    }

    /// How many bytes a parameter is promised to lead to, as long as the body runs.
    fn promised(&self, graph: &Graph, address: Origin) -> Option<u64> {
        let parameter = self.surroundings.parameter(argument_of_root(graph, address)?)?;
        let own = graph.pool().attributes(self.surroundings.attributes()?);
        let bytes = own.params.get(parameter)?.iter().find_map(Attribute::dereferenceable)?;
        let keeps = || graph.all_nodes().all(|node| keeps_objects(graph, self.surroundings, node));
        self.keeps.get_or_init(keeps).then_some(bytes)
    }
}

/// Whether a node neither frees memory nor lets another thread do so meanwhile.
fn keeps_objects(graph: &Graph, surroundings: &Surroundings, node: Node) -> bool {
    let pool = graph.pool();
    match graph.op(node) {
        None | Some(Op::Alloca { .. }) => true,
        Some(_) if !has_states(graph, node) => true,
        Some(Op::Load(access) | Op::Store(access)) => access.is_plain(),
        Some(Op::Call(call) | Op::Invoke(call)) => {
            let info = pool.call(call);
            let own = pool.attributes(info.attributes);
            let context = argument_of_root(graph, graph.input(node, 0)).and_then(|index| surroundings.context(index));
            let declared = match context {
                Some(Context::Function { attributes, .. }) if info.assembly.is_none() => pool.attributes(attributes),
                _ => own,
            };
            let memory = Memory::of(&own.function).and(Memory::of(&declared.function));
            let has = |name| own.function_has(name) || declared.function_has(name);
            let writes = memory.arguments.writes || memory.other.writes;
            info.bundles.is_empty() && (!writes || has("nofree") && has("nosync"))
        }
        _ => false,
    }
}

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
