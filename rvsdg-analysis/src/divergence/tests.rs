//! Divergence of values in small kernels. Each value is asked for by its name in the text.

use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Op, Origin};

use super::Divergence;
use crate::Surroundings;

/// What is uniform of the operands of `ext "probe"`, in order.
fn uniform(triple: &str, convention: u32, body: &str) -> Vec<bool> {
    let convention = if convention == 0 { String::new() } else { format!(", cc {convention}") };
    let text = format!(
        "module \"test\"
target triple \"{triple}\"

@f = function i32 (i32, ptr addrspace(1), ptr){convention}
@llvm.nvvm.read.ptx.sreg.tid.x = function i32 ()
@llvm.nvvm.read.ptx.sreg.ctaid.x = function i32 ()
@unknown = function i32 (i32)
@llvm.nvvm.abs.i = function i32 (i32)

import @llvm.nvvm.read.ptx.sreg.tid.x
import @llvm.nvvm.read.ptx.sreg.ctaid.x
import @unknown
import @llvm.nvvm.abs.i

lambda @f [@llvm.nvvm.read.ptx.sreg.tid.x, @llvm.nvvm.read.ptx.sreg.ctaid.x, @unknown, @llvm.nvvm.abs.i] (v0: i32, v1: ptr addrspace(1), v2: ptr, mem0, io0) {{
  v3: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
  v4: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.ctaid.x()
{body}}}
export @f
"
    );
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.verify().unwrap_or_else(|violations| panic!("{violations:?}"));
    let all = Surroundings::of_all(&module);
    let (body, surroundings) = all.iter().next().expect("there is one body");
    let graph = module.bodies[*body].graph().expect("it is a graph");
    let divergence = Divergence::of(graph, surroundings).expect("it is such a machine");
    probed(graph).into_iter().map(|origin| divergence.is_uniform(origin)).collect()
}

fn probed(graph: &Graph) -> Vec<Origin> {
    let mut origins = Vec::new();
    for node in graph.all_nodes() {
        if let Some(Op::Ext(ext)) = graph.op(node)
            && &*graph.pool().ext(ext).name == "test.probe"
        {
            origins.push(graph.input(node, 0));
        }
    }
    origins
}

/// A use of a value that changes nothing.
fn probe(result: u32, value: &str) -> String {
    format!("  v{result}: i32 = ext \"test.probe\" (i32) -> (i32) {value}\n")
}

const NVPTX: &str = "nvptx64-nvidia-cuda";
const KERNEL: u32 = 71;

#[test]
fn thread_numbers_differ_and_block_numbers_do_not() {
    let body = format!("{}{}{}  yield v5, mem0, io0\n", probe(5, "v3"), probe(6, "v4"), probe(7, "v0"));
    assert_eq!(uniform(NVPTX, KERNEL, &body), [false, true, true]);
    // Nobody knows who calls what is no kernel.
    assert_eq!(uniform(NVPTX, 0, &body), [false, true, false]);
}

#[test]
fn operations_give_the_same_for_the_same() {
    let body = format!(
        "  v5: i32 = add v0, v4\n  v6: i32 = mul v5, v3\n{}{}  yield v5, mem0, io0\n",
        probe(7, "v5"),
        probe(8, "v6")
    );
    assert_eq!(uniform(NVPTX, KERNEL, &body), [true, false]);
}

#[test]
fn memory_that_threads_share_is_the_same_for_the_same_address() {
    let body = format!(
        "  v5: i32, mem1 = load v1, mem0, align 4\n  v6: ptr addrspace(1) = getelementptr i32, v1, v3\n  \
         v7: i32, mem2 = load v6, mem1, align 4\n  v8: i32, mem3 = load v2, mem2, align 4\n{}{}{}  yield v5, mem3, io0\n",
        probe(9, "v5"),
        probe(10, "v7"),
        probe(11, "v8")
    );
    // Generic addresses may be of memory that each thread has for itself.
    assert_eq!(uniform(NVPTX, KERNEL, &body), [true, false, false]);
}

#[test]
fn unknown_calls_and_atomics_differ() {
    let body = format!(
        "  v5: i32, mem1, io1 = call i32 (i32) @unknown(v0), mem0, io0\n  \
         v6: i32, mem2, io2 = atomicrmw add v1, v0, mem1, io1, seq_cst, align 4\n{}{}  yield v5, mem2, io2\n",
        probe(7, "v5"),
        probe(8, "v6")
    );
    assert_eq!(uniform(NVPTX, KERNEL, &body), [false, false]);
}

#[test]
fn what_an_intrinsic_makes_of_the_same_differs_where_it_reads_memory() {
    let body = format!(
        "  v5: i32 = call i32 (i32) @llvm.nvvm.abs.i(v4)\n  v6: i32, mem1 = call i32 (i32) @llvm.nvvm.abs.i(v4), mem0\n  \
         v7: i32 = call i32 (i32) @llvm.nvvm.abs.i(v3)\n{}{}{}  yield v5, mem1, io0\n",
        probe(8, "v5"),
        probe(9, "v6"),
        probe(10, "v7")
    );
    assert_eq!(uniform(NVPTX, KERNEL, &body), [true, false, false]);
}

#[test]
fn assembly_and_calls_of_what_is_not_known_differ() {
    let body = format!(
        "  v5: i32 = call i32 (i32) asm \"\", \"=r,r\" (v0)\n  v6: i32 = call i32 () v2()\n  \
         v7: i32, mem1 = call i32 () @llvm.nvvm.read.ptx.sreg.ctaid.x(), mem0\n{}{}{}  yield v5, mem1, io0\n",
        probe(8, "v5"),
        probe(9, "v6"),
        probe(10, "v7")
    );
    // What gives all threads the same does so whatever states it has.
    assert_eq!(uniform(NVPTX, KERNEL, &body), [false, false, true]);
}

#[test]
fn a_join_of_three_differs_where_two_do() {
    for (last, expected) in [("v13", true), ("v14", false)] {
        let body = format!(
            "  v5: ctl(3) = match i32 v3 [0 -> 0, 1 -> 1, _ -> 2]\n  v6: i32 = gamma v5 (v0, v4)\n  \
             case 0 (v7: i32, v8: i32) {{\n    yield v7\n  }}\n  \
             case 1 (v9: i32, v10: i32) {{\n    yield v9\n  }}\n  \
             case 2 (v13: i32, v14: i32) {{\n    yield {last}\n  }}\n{}  yield v6, mem0, io0\n",
            probe(15, "v6")
        );
        assert_eq!(uniform(NVPTX, KERNEL, &body), [expected], "{last}");
    }
}

fn joined(predicate: &str, first: &str, second: &str) -> String {
    format!(
        "  v5: ctl(2) = match i32 {predicate} [0 -> 0, _ -> 1]\n  v6: i32 = gamma v5 (v0, v4)\n  \
         case 0 (v7: i32, v8: i32) {{\n    v9 = const i32 1\n    yield {first}\n  }}\n  \
         case 1 (v10: i32, v11: i32) {{\n    v12 = const i32 1\n    v13 = const i32 2\n    yield {second}\n  }}\n{}  yield v6, mem0, io0\n",
        probe(14, "v6")
    )
}

#[test]
fn a_join_differs_where_threads_parted_with_different_values() {
    let of = |predicate, first, second| uniform(NVPTX, KERNEL, &joined(predicate, first, second));
    assert_eq!(of("v3", "v7", "v11"), [false]);
    assert_eq!(of("v4", "v7", "v11"), [true]);
    assert_eq!(of("v3", "v7", "v10"), [true], "the same value on both ways");
    assert_eq!(of("v3", "v9", "v12"), [true], "the same constant on both ways");
    assert_eq!(of("v3", "v9", "v13"), [false]);
}

#[test]
fn poison_of_some_threads_is_of_no_account_until_it_is_frozen() {
    let body = |first: &str, second: &str| {
        format!(
            "  v5: ctl(2) = match i32 v3 [0 -> 0, _ -> 1]\n  v6: i32, v7: i32 = gamma v5 (v0, v4, v3)\n  \
             case 0 (v8: i32, v9: i32, v10: i32) {{\n    v11 = const i32 poison\n    v12: i32 = add v8, v9\n    \
             yield {first}, v11\n  }}\n  \
             case 1 (v13: i32, v14: i32, v15: i32) {{\n    v16 = const i32 poison\n    v17: i32 = add v13, v14\n    \
             yield {second}, v16\n  }}\n  v18: i32 = mul v6, v0\n  v19: i32 = freeze v18\n  v20: i32 = freeze v7\n\
             {}{}{}  yield v6, mem0, io0\n",
            probe(21, "v18"),
            probe(22, "v19"),
            probe(23, "v20"),
        )
    };
    let of = |first, second| uniform(NVPTX, KERNEL, &body(first, second));
    assert_eq!(of("v11", "v17"), [true, false, false]);
    assert_eq!(of("v12", "v16"), [true, false, false]);
    assert_eq!(of("v12", "v17"), [false, false, false], "computed in two places");
    assert_eq!(of("v11", "v15"), [false, false, false], "divergent itself");
    assert_eq!(of("v8", "v13"), [true, true, false], "the same on both ways");
}

/// Threads that leave the loop early get nothing of the next iteration.
#[test]
fn what_counts_the_iterations_of_a_loop_with_a_divergent_break_is_uniform_in_it() {
    let body = format!(
        "  v5 = const i32 0\n  v6: i32, v22: i32 = theta (v7: i32 = v5, v8: i32 = v3) {{\n    v9: i1 = icmp ult v7, v8\n    \
         v10: ctl(2) = match i1 v9 [true -> 1, _ -> 0]\n    v11: ctl(2), v12: i32 = gamma v10 (v7)\n    \
         case 0 (v13: i32) {{\n      v14: ctl(2) = ctl 0 of 2\n      v15 = const i32 poison\n      yield v14, v15\n    }}\n    \
         case 1 (v16: i32) {{\n      v17: ctl(2) = ctl 1 of 2\n      v18 = const i32 1\n      v19: i32 = add nsw v16, v18\n      \
         yield v17, v19\n    }}\n{}    next v12, v8 while v11\n  }}\n{}  yield v6, mem0, io0\n",
        probe(20, "v7"),
        probe(21, "v6")
    );
    assert_eq!(uniform(NVPTX, KERNEL, &body), [true, false]);
}

fn counted(bound: &str) -> String {
    format!(
        "  v5 = const i32 0\n  v6: i32, v7: i32, v8: i32 = theta (v9: i32 = v5, v10: i32 = {bound}, v11: i32 = v4) {{\n    \
         v12 = const i32 1\n    v13: i32 = add v9, v12\n{}    v14: i1 = icmp ult v13, v10\n    \
         v15: ctl(2) = match i1 v14 [true -> 1, _ -> 0]\n    next v13, v10, v11 while v15\n  }}\n{}{}  yield v6, mem0, io0\n",
        probe(16, "v13"),
        probe(17, "v6"),
        probe(18, "v8")
    )
}

#[test]
fn what_changes_in_a_loop_differs_after_it_where_threads_leave_at_different_times() {
    // In the loop, at its end, and what does not change in it.
    assert_eq!(uniform(NVPTX, KERNEL, &counted("v3")), [true, false, true]);
    assert_eq!(uniform(NVPTX, KERNEL, &counted("v0")), [true, true, true]);
}

#[test]
fn intrinsics_of_another_machine_are_unknown() {
    let body = format!("{}{}  yield v5, mem0, io0\n", probe(5, "v3"), probe(6, "v4"));
    assert_eq!(uniform("amdgcn-amd-amdhsa", 91, &body), [false, false]);
}
