//! A load that gives its value to another takes over what that one promised: what is said of its value must hold for both.

use rvsdg_core::text::parse_module;
use rvsdg_core::{Node, Op, SourceId};

mod common;

use common::{body, transform};

#[test]
fn loads_that_a_value_comes_from_know_of_the_load_that_it_replaces() {
    let text = "module \"test\"\n@f = function i32 (ptr, ptr, i1)\n\
        lambda @f [] (v0: ptr, v1: ptr, v2: i1, mem0, io0) {\n\
        v3: ctl(2) = match i1 v2 [true -> 1, _ -> 0]\n\
        mem1 = gamma v3 (v0, v1, mem0)\n\
        case 0 (v4: ptr, v5: ptr, mem2) {\n\
        v6: i32, mem3 = load v5, mem2, align 4\nmem4 = store v6, v4, mem3, align 4\nyield mem4\n}\n\
        case 1 (v7: ptr, v8: ptr, mem5) {\n\
        v9 = const i32 7\nmem6 = store v9, v7, mem5, align 4\nyield mem6\n}\n\
        v10: i32, mem7 = load v0, mem1, align 4\nyield v10, mem7, io0\n}\nexport @f\n";
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let graph = body(&mut module);
    let is_load = |graph: &rvsdg_core::Graph, node: Node| matches!(graph.op(node), Some(Op::Load(_)));
    let loads: Vec<Node> = graph.all_nodes().filter(|&node| is_load(graph, node)).collect();
    let replaced = loads.iter().copied().find(|&node| graph.region_of(node) == graph.root()).expect("the last load");
    let source = SourceId::from_u32(1);
    graph.set_source(replaced, Some(source));
    let _ = transform(&mut module, "mvf,dne", None);
    let graph = body(&mut module);
    let left: Vec<Node> = graph.all_nodes().filter(|&node| is_load(graph, node)).collect();
    let [left] = left[..] else { panic!("one load is left: {left:?}") };
    assert_eq!(graph.merges(), [(left, source)]);
}
