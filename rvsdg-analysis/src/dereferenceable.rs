//! How much memory is dereferenceable at an address, at any time.

use std::cell::{OnceCell, RefCell};

use rvsdg_core::attribute::{Access, Attribute, AttributeKind, AttributeList};
use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::{Graph, Node, Op, Origin};

use crate::alignment::is_aligned;
use crate::callee::{argument_of_root, call_promises};
use crate::invariant::known_constant;
use crate::memory::base_and_distance;
use crate::safety::has_states;
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, Surroundings};

/// Attributes of functions whose accesses a sanitizer reports.
const WATCHED: [AttributeKind; 4] = [
    AttributeKind::SanitizeAddress,
    AttributeKind::SanitizeHwaddress,
    AttributeKind::SanitizeMemtag,
    AttributeKind::SanitizeThread,
];

/// Whether a body may execute loads that the program would not execute: sanitizers of addresses and threads would report those that are
/// outside an object's lifetime, or race with another thread.
pub fn may_speculate_loads(graph: &Graph, surroundings: Option<&Surroundings>) -> bool {
    let own = surroundings.and_then(Surroundings::attributes).map(|own| graph.pool().attributes(own));
    own.is_some_and(|own| !WATCHED.iter().any(|&kind| own.function_has(kind)))
}

/// The memory that a body may load from at any time.
pub struct Dereferenceable<'s> {
    surroundings: &'s Surroundings,
    layouts: RefCell<Layouts>,
    keeps: OnceCell<bool>,
}

impl<'s> Dereferenceable<'s> {
    /// That of the body that these are the surroundings of; `None` without a data layout, or where no load may be speculated.
    pub fn new(graph: &Graph, surroundings: &'s Surroundings) -> Option<Self> {
        may_speculate_loads(graph, Some(surroundings)).then_some(())?;
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
        let bytes = own.param(parameter).iter().find_map(Attribute::dereferenceable)?;
        let keeps = || graph.all_nodes().all(|node| keeps_objects(graph, self.surroundings, node));
        (*self.keeps.get_or_init(keeps)).then_some(bytes)
    }
}

/// Whether a node neither frees memory nor lets another thread do so meanwhile.
fn keeps_objects(graph: &Graph, surroundings: &Surroundings, node: Node) -> bool {
    let promises = |promises: &dyn Fn(&AttributeList) -> bool| call_promises(graph, Some(surroundings), node, promises);
    match graph.op(node) {
        None | Some(Op::Alloca { .. }) => true,
        Some(_) if !has_states(graph, node) => true,
        Some(Op::Load(access) | Op::Store(access)) => access.is_plain(),
        Some(Op::Call(call) | Op::Invoke(call)) => {
            let only_reads =
                |list: &AttributeList| list.memory().is_some_and(|effects| !effects.accesses().any(Access::writes));
            let has = |kind| promises(&|list| list.function_has(kind));
            graph.pool().call(call).bundles.is_empty()
                && (promises(&only_reads) || has(AttributeKind::NoFree) && has(AttributeKind::NoSync))
        }
        Some(_) => false,
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

    /// Whether the load that gives `v9` may be executed at any time, in a body with these operations.
    fn allows(operations: &str) -> bool {
        let example = Example::of(&format!(
            "module \"test\"
             @table = global [4 x i32], align 4
             @frees = function void ()
             @reads = function void (), #1
             @waits = function void (), #2
             @keeps = function void (), #3
             @f = function void (ptr, ptr, i64), #0
             import @table
             import @frees
             import @reads
             import @waits
             import @keeps
             lambda @f [@table, @frees, @reads, @waits, @keeps] (v0: ptr, v1: ptr, v2: i64, mem0, io0) {{
               v3 = const i64 4
               v4 = const i64 8
               v5 = const i64 -4
               {operations}
             }}
             export @f
             attributes #0 = params ({{ align 4, dereferenceable(8) }}, {{ align 4 }}, {{}})
             attributes #1 = function {{ memory(read) }}
             attributes #2 = function {{ nofree }}
             attributes #3 = function {{ nofree, nosync }}"
        ));
        let graph = example.graph();
        let known = Dereferenceable::new(example.graph(), example.surroundings().expect("it is a function"))
            .expect("there is a layout");
        let is_load = |&node: &Node| matches!(graph.op(node), Some(Op::Load(_)));
        known.allows(graph, graph.all_nodes().find(is_load).expect("there is a load"))
    }

    #[test]
    fn loads_that_may_be_executed_at_any_time() {
        let at =
            |address: &str, load: &str| format!("v8: ptr = getelementptr i8, {address}\nv9: {load}\nyield mem1, io0");
        let with = |other: &str| format!("v9: i32, mem1 = load v0, mem0, align 4\n{other}\nyield mem2, io1");
        let unchanged = "mem2, io1 = call void () @keeps(), mem1, io0";
        for (operations, expected) in [
            (at("v0, v3", "i32, mem1 = load v0, mem0, align 4"), true),
            (at("v0, v3", "i64, mem1 = load v0, mem0, align 4"), true),
            (at("v0, v3", "i64, mem1 = load v0, mem0, align 8"), false),
            (at("v0, v3", "i128, mem1 = load v0, mem0, align 4"), false),
            (at("v0, v3", "i32, mem1 = load v1, mem0, align 4"), false),
            (at("v0, v3", "i32, mem1 = load v0, mem0, unordered, align 4"), false),
            (at("v0, v3", "i32, mem1 = load v8, mem0, align 4"), true),
            (at("v0, v4", "i32, mem1 = load v8, mem0, align 4"), false),
            (at("v0, v5", "i32, mem1 = load v8, mem0, align 4"), false),
            (at("v0, v2", "i32, mem1 = load v8, mem0, align 1"), false),
            (at("@table, v4", "i64, mem1 = load v8, mem0, align 4"), true),
            (with(unchanged), true),
            (with("mem2, io1 = call void () @reads(), mem1, io0"), true),
            (with("mem2, io1 = call void () @waits(), mem1, io0"), false),
            (with("mem2, io1 = call void () @frees(), mem1, io0"), false),
            (with("mem2, io1 = call void () v1(), mem1, io0"), false),
            (with("mem2, io1 = store v2, v1, mem1, io0, release, align 8"), false),
            (with(&format!("mem3 = store v2, v1, mem1, align 8\n{}", unchanged.replace("mem1", "mem3"))), true),
            (with("mem2, io1 = call void () @frees(), mem1, io0").replace("load v0", "load @table"), true),
        ] {
            assert_eq!(allows(&operations), expected, "{operations}");
        }
    }
}
