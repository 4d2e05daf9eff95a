//! Functions that are each called once: their bodies are copied once, however deep the tree of them is.

use std::fmt::Write;

use rvsdg_core::sources::{Extent, Sources};
use rvsdg_core::{Graph, Module, NodeKind, Op, SourceId, text};
use rvsdg_passes::{Manager, Pipeline};

/// Internal functions of which each calls `width` that follow, once, and the last ones nothing; number 0 is called by `@main`.
fn tree(functions: usize, width: usize) -> Module {
    let mut text = String::from("module \"tree\"\n\n");
    for index in 0..functions {
        writeln!(text, "@f{index} = internal function i32 (i32)").unwrap();
    }
    text.push_str("@main = function i32 (i32)\n");
    for index in (0..functions).rev() {
        let callees: Vec<usize> = (1..=width).map(|k| index * width + k).filter(|&callee| callee < functions).collect();
        let names: Vec<String> = callees.iter().map(|callee| format!("@f{callee}")).collect();
        writeln!(text, "\nlambda @f{index} [{}] (v0: i32, mem0, io0) {{", names.join(", ")).unwrap();
        writeln!(text, "  v1: i32 = add v0, v0").unwrap();
        for (count, name) in names.iter().enumerate() {
            let [value, state] = [count + 1, count];
            let [result, next] = [value + 1, state + 1];
            writeln!(
                text,
                "  v{result}: i32, mem{next}, io{next} = call i32 (i32) {name}(v{value}), mem{state}, io{state}"
            )
            .unwrap();
        }
        let last = names.len();
        writeln!(text, "  yield v{}, mem{last}, io{last}\n}}", last + 1).unwrap();
    }
    text.push_str("\nlambda @main [@f0] (v0: i32, mem0, io0) {\n");
    text.push_str("  v1: i32, mem1, io1 = call i32 (i32) @f0(v0), mem0, io0\n  yield v1, mem1, io1\n}\nexport @main\n");
    let mut module = text::parse_module(&text).unwrap();
    number(&mut module);
    module
}

/// Functions of which each is called once, by the one before; number 0 by others, too, and by the last one.
fn ring(functions: usize) -> Module {
    let mut text = String::from("module \"ring\"\n\n@f0 = function i32 (i32)\n");
    for index in 1..functions {
        writeln!(text, "@f{index} = internal function i32 (i32)").unwrap();
    }
    let names: Vec<String> = (0..functions).map(|index| format!("@f{index}")).collect();
    let names = names.join(", ");
    writeln!(text, "\n{names} = phi [] ({names}) {{").unwrap();
    for index in 0..functions {
        let next = (index + 1) % functions;
        writeln!(
            text,
            "v{index} = lambda @f{index} [@f{next}] (v0: i32, mem0, io0) {{\n  v1: i32 = add v0, v0\n  \
             v2: i32, mem1, io1 = call i32 (i32) @f{next}(v1), mem0, io0\n  yield v2, mem1, io1\n}}"
        )
        .unwrap();
    }
    let values: Vec<String> = (0..functions).map(|index| format!("v{index}")).collect();
    writeln!(text, "yield {}\n}}\nexport @f0", values.join(", ")).unwrap();
    let mut module = text::parse_module(&text).unwrap();
    number(&mut module);
    module
}

/// Gives every node a number, as if all had been read.
fn number(module: &mut Module) {
    let mut next = 0;
    for lambda in module.lambdas() {
        let graph = module.bodies[lambda.body()].graph_mut().unwrap();
        let first = next;
        for node in graph.all_nodes().collect::<Vec<_>>() {
            graph.set_source(node, Some(SourceId::from_u32(next)));
            next += 1;
        }
        module.sources.add_body(lambda.body(), Extent { first, count: next - first });
    }
}

fn inline(module: &mut Module) {
    let manager = Manager { verify_each: true, ..Manager::default() };
    manager.run(module, &Pipeline::parse("iln<once>").unwrap()).unwrap();
}

#[test]
fn each_body_is_copied_once() {
    for (functions, width) in [(500, 1), (500, 2), (500, 50)] {
        let mut module = tree(functions, width);
        inline(&mut module);
        let nodes = |graph: &Graph| graph.node_count();
        let all: usize = module.bodies.values().map(|body| nodes(body.graph().unwrap())).sum();
        // An addition of each in `@main`, and what returns nothing in the others.
        assert_eq!(all, 2 * functions, "{functions} functions, {width} calls in each");
        let copies: u32 = module.sources.inlined().iter().map(|site| site.copies.count).sum();
        assert_eq!(copies as usize, functions + functions - 1, "{functions} functions, {width} calls in each");
    }
}

#[test]
fn each_body_of_a_ring_is_copied_once() {
    let mut module = ring(500);
    inline(&mut module);
    let all: usize = module.bodies.values().map(|body| body.graph().unwrap().node_count()).sum();
    // In `@f0` an addition of each and the call of itself; what returns nothing in the others.
    assert_eq!(all, 500 + 1 + 499);
    let copies: u32 = module.sources.inlined().iter().map(|site| site.copies.count).sum();
    assert_eq!(copies, 2 * 499);
}

#[test]
fn copies_have_the_numbers_of_their_originals() {
    let mut module = tree(7, 2);
    inline(&mut module);
    let main = *module
        .lambdas()
        .iter()
        .find(|lambda| &*module.symbols[module.bodies[lambda.body()].symbol].name == "main")
        .unwrap();
    let graph = module.bodies[main.body()].graph().unwrap();
    let mut originals = Vec::new();
    for node in graph.all_nodes() {
        assert!(matches!(graph.kind(node), NodeKind::Simple(Op::IntBinary { .. })));
        let source = graph.source(node).unwrap();
        assert!(module.sources.extents(main.body()).iter().any(|extent| extent.contains(source)));
        originals.push(module.sources.original(source));
    }
    originals.sort_unstable();
    originals.dedup();
    assert_eq!(originals.len(), 7);
}

/// What is copied into a body stands for instructions of its own there: a call that no instruction is read from has no place for
/// what was read, but for what a pass made.
#[test]
fn calls_without_an_original_take_only_bodies_without() {
    for (callee_is_read, call_is_read, expected) in
        [(true, true, 0), (true, false, 1), (false, true, 0), (false, false, 0)]
    {
        let mut module = tree(1, 1);
        let lambdas = module.lambdas();
        for lambda in lambdas {
            let name = module.symbols[module.bodies[lambda.body()].symbol].name.clone();
            let is_read = if &*name == "main" { call_is_read } else { callee_is_read };
            if !is_read {
                let graph = module.bodies[lambda.body()].graph_mut().expect("it has a body");
                for node in graph.all_nodes().collect::<Vec<_>>() {
                    graph.set_source(node, None);
                }
            }
            if &*name != "main" && !is_read {
                module.sources = Sources::default();
            }
        }
        inline(&mut module);
        let calls =
            |graph: &Graph| graph.all_nodes().filter(|&node| matches!(graph.op(node), Some(Op::Call(_)))).count();
        let left: usize = module.bodies.values().map(|body| calls(body.graph().expect("it has a body"))).sum();
        assert_eq!(left, expected, "callee {callee_is_read}, call {call_is_read}");
    }
}
