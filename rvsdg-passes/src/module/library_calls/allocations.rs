//! Memory that is allocated and filled with zeros right after that is allocated by `calloc`, which need not touch it: LLVM's DSE.
//!
//! ```text
//! v1: ptr, mem1, io1 = call ptr (i64) @malloc(v0), mem0, io0
//! mem2 = call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(v1, zero, v0, false), mem1
//! ```
//!
//! becomes `v1: ptr, mem1, io1 = call ptr (i64, i64) @calloc(one, v0), mem0, io0`.

use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::memory::states;
use rvsdg_analysis::surroundings::{Context, MemoryIntrinsic};
use rvsdg_core::{Node, Op, Use};

use super::{Calls, Mention, Replacement, Rule};

/// The rule for calls of a function.
pub(super) fn rule(name: &str) -> Option<Rule> {
    (name == "malloc").then_some(allocate)
}

fn allocate(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let fill = fill(c, call)?;
    Replacement::new("allocations", [Mention::Function("calloc".into())], move |site| {
        let before = states::before(site.graph, fill).expect("it takes the memory state");
        site.graph.divert_users(site.graph.output(fill, 0), before);
        site.graph.remove(fill);
        let size = site.argument(0);
        let mut at = site.at();
        let one = at.int(at.ty(size), 1);
        Some(site.call(0, &[one, size]))
    })
}

/// The fill with zeros of the whole allocation, before which nothing accesses memory.
fn fill(c: &Calls<'_>, call: Node) -> Option<Node> {
    let graph = c.graph;
    let mut users = graph.users_of(states::after(graph, call)?);
    let (Use::Input(fill, _), None) = (graph.site(users.next()?), users.next()) else { return None };
    let Op::Call(info) = graph.op(fill)? else { return None };
    let callee = c.surroundings.context(argument_of_root(graph, graph.input(fill, 0))?)?;
    let pool = graph.pool();
    if !matches!(callee, Context::Function { memory: Some(MemoryIntrinsic::Set), .. })
        || !pool.call(info).bundles.is_empty()
        || graph.outputs(fill).len() != 1
    {
        return None;
    }
    let is = |index, wanted| c.int(c.argument(fill, index)) == Some(wanted);
    let (size, length) = (c.argument(call, 0), c.argument(fill, 2));
    let is_whole = size == length || c.int(size).is_some_and(|size| is(2, size));
    let starts = c.argument(fill, 0) == graph.output(call, 0);
    (starts && is_whole && is(1, 0) && is(3, 0)).then_some(fill)
}
