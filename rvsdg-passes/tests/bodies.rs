//! Bodies that are too large or too deep for file tests, and properties of passes that one expected text cannot show.

use std::fmt::Write;
use std::sync::Arc;

use rvsdg_cfg::construct::build;
use rvsdg_cfg::restructure::Options;
use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Motion, Op, Origin, Pool, Region, SourceId, Type};
use rvsdg_gen::cfgs::lasting_objects;
use rvsdg_passes::control::if_conversion::IfConversion;
use rvsdg_passes::control::push::PushOut;
use rvsdg_passes::memory::memory_forwarding::MemoryValues;
use rvsdg_passes::scalar::common_node_elimination::CommonNodes;
use rvsdg_passes::scalar::common_node_elimination::nodes::MAX_ROUNDS;
use rvsdg_passes::scalar::dead_node_elimination::DeadNodes;
use rvsdg_passes::scalar::node_reduction::Reduce;
use rvsdg_passes::{BodyPass, Change, PassCx};

mod common;

use common::keeps_meaning;

const ADD: Op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
const MUL: Op = Op::IntBinary { op: IntBinary::Mul, flags: BinaryFlags::NONE };

fn graph() -> (Graph, [Origin; 2]) {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let parameters = [Type::I32, Type::I32].map(|ty| graph.add_argument(root, ty));
    (graph, parameters)
}

fn binary(graph: &mut Graph, region: Region, op: Op, lhs: Origin, rhs: Origin) -> Origin {
    let node = graph.add_simple(region, op, &[lhs, rhs], &[Type::I32]);
    graph.output(node, 0)
}

fn constant(graph: &mut Graph, region: Region, value: u64) -> Origin {
    let constant = graph.pool().int_const(Type::I32, value);
    let node = graph.add_simple(region, Op::Const(constant), &[], &[Type::I32]);
    graph.output(node, 0)
}

/// A predicate that chooses alternative 1 when the value is 0, else 0.
fn predicate(graph: &mut Graph, region: Region, value: Origin) -> Origin {
    let zero = graph.pool().int_const(Type::I32, 0);
    let table = MatchTable { cases: [(zero, 1)].into(), default: 0, alternatives: 2 };
    let op = Op::Match(graph.pool().intern_table(table));
    let node = graph.add_simple(region, op, &[value], &[Type::CTL2]);
    graph.output(node, 0)
}

fn run(pass: &dyn BodyPass, graph: &mut Graph) -> Change {
    pass.run(graph, &PassCx::new())
}

/// A loop that adds 1 to both of two variables in each of `depth` loops around each other; the outermost results.
fn nested_loops(depth: usize) -> Graph {
    let (mut graph, [n, start]) = graph();
    let mut region = graph.root();
    let mut theta_variables = vec![];
    let (mut n, mut values) = (n, [start, start]);
    for _ in 0..depth {
        let theta = Theta::add(&mut graph, region);
        let variables = [n, values[0], values[1]].map(|origin| theta.add_loop_var(&mut graph, origin));
        region = theta.body(&graph);
        n = variables[0].pre;
        let one = constant(&mut graph, region, 1);
        values = [1, 2].map(|index| binary(&mut graph, region, ADD, variables[index].pre, one));
        theta_variables.push((theta, variables));
    }
    for (theta, variables) in theta_variables.into_iter().rev() {
        let region = theta.body(&graph);
        let predicate = predicate(&mut graph, region, n);
        graph.divert(theta.predicate(&graph), predicate);
        for (variable, value) in variables.into_iter().zip([n, values[0], values[1]]) {
            graph.divert(variable.post, value);
        }
        n = variables[0].output;
        values = [variables[1].output, variables[2].output];
    }
    let root = graph.root();
    let sum = binary(&mut graph, root, MUL, values[0], values[1]);
    graph.add_result(root, sum);
    graph
}

#[test]
fn congruent_variables_of_nested_loops_become_one() {
    let mut graph = nested_loops(5);
    assert_eq!(run(&CommonNodes, &mut graph), Change::Changed);
    assert_eq!(run(&CommonNodes, &mut graph), Change::Unchanged);
    assert_eq!(run(&DeadNodes, &mut graph), Change::Changed);
    assert_eq!(run(&DeadNodes, &mut graph), Change::Unchanged);
    let thetas = graph.all_nodes().filter_map(|node| Theta::new(&graph, node));
    assert!(thetas.into_iter().all(|theta| theta.loop_vars(&graph).len() == 2));
    let result = graph.producer(graph.result(graph.root(), 0)).expect("a node");
    assert_eq!(graph.input(result, 0), graph.input(result, 1));
}

#[test]
fn twenty_thousand_levels_do_not_overflow_the_stack() {
    let mut graph = nested_loops(20_000);
    let _ = run(&CommonNodes, &mut graph);
    let _ = run(&DeadNodes, &mut graph);
    graph.retain_results(graph.root(), |_| false);
    assert_eq!(run(&DeadNodes, &mut graph), Change::Changed);
    assert_eq!(graph.node_count(), 0);
}

#[test]
fn loops_that_split_each_other_end_with_none_congruent() {
    // In each loop `p` and `q` start equal; in the innermost they do not stay so, which each loop learns from the next.
    let (mut graph, [n, start]) = graph();
    let depth = 40;
    let mut region = graph.root();
    let mut open = vec![];
    let (mut n, mut p, mut q) = (n, start, start);
    for _ in 0..depth {
        let theta = Theta::add(&mut graph, region);
        let variables = [n, p, q].map(|origin| theta.add_loop_var(&mut graph, origin));
        region = theta.body(&graph);
        [n, p, q] = variables.map(|variable| variable.pre);
        open.push((theta, variables));
    }
    let [one, two] = [1, 2].map(|value| constant(&mut graph, region, value));
    p = binary(&mut graph, region, ADD, p, one);
    q = binary(&mut graph, region, ADD, q, two);
    for (theta, variables) in open.into_iter().rev() {
        let region = theta.body(&graph);
        let predicate = predicate(&mut graph, region, n);
        graph.divert(theta.predicate(&graph), predicate);
        for (variable, value) in variables.into_iter().zip([n, p, q]) {
            graph.divert(variable.post, value);
        }
        [n, p, q] = variables.map(|variable| variable.output);
    }
    let root = graph.root();
    let product = binary(&mut graph, root, MUL, p, q);
    graph.add_result(root, product);
    let _ = run(&CommonNodes, &mut graph);
    let product = graph.producer(product).expect("a node");
    assert_ne!(graph.input(product, 0), graph.input(product, 1));
}

#[test]
fn too_many_rounds_end_with_variables_apart() {
    // A shift register whose places all start with one value: each round finds one more place that differs.
    let (mut graph, [n, start]) = graph();
    let root = graph.root();
    let theta = Theta::add(&mut graph, root);
    let variables: Vec<_> = (0..50).map(|_| theta.add_loop_var(&mut graph, start)).collect();
    let count = theta.add_loop_var(&mut graph, n);
    let body = theta.body(&graph);
    let predicate = predicate(&mut graph, body, count.pre);
    graph.divert(theta.predicate(&graph), predicate);
    for pair in variables.windows(2) {
        graph.divert(pair[0].post, pair[1].pre);
    }
    graph.divert(variables[49].post, count.pre);
    let mut sum = n;
    for variable in &variables {
        sum = binary(&mut graph, root, ADD, sum, variable.output);
    }
    graph.add_result(root, sum);
    let cx = PassCx::new();
    assert_eq!(CommonNodes.run(&mut graph, &cx), Change::Unchanged);
    assert_eq!(cx.counter("gave_up"), 1);
    assert_eq!(cx.counter("rounds"), u64::from(MAX_ROUNDS) + 1);
}

#[test]
fn gamma_of_many_variables_that_pass_through_goes() {
    let (mut graph, [a, b]) = graph();
    let root = graph.root();
    let predicate = predicate(&mut graph, root, a);
    let gamma = Gamma::add(&mut graph, root, predicate, 2);
    let mut sum = b;
    for _ in 0..1_000 {
        let entry = gamma.add_entry_var(&mut graph, b);
        let results = [0, 1].map(|alternative| entry.argument(&graph, gamma, alternative));
        let exit = gamma.add_exit_var(&mut graph, &results);
        sum = binary(&mut graph, root, ADD, sum, exit.output);
    }
    graph.add_result(root, sum);
    assert_eq!(run(&CommonNodes, &mut graph), Change::Changed);
    assert_eq!(run(&DeadNodes, &mut graph), Change::Changed);
    assert!(!graph.is_live(gamma.node()));
}

#[test]
fn load_without_use_is_passed_by_its_state() {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let [address, mut mem] = [Type::PTR, Type::MEM].map(|ty| graph.add_argument(root, ty));
    let start = mem;
    for _ in 0..3 {
        let load = Op::Load(MemAccess::plain(2));
        let node = graph.add_simple(root, load, &[address, mem], &[Type::I32, Type::MEM]);
        mem = graph.output(node, 1);
    }
    graph.add_result(root, mem);
    assert_eq!(run(&DeadNodes, &mut graph), Change::Changed);
    assert_eq!((graph.node_count(), graph.result(root, 0)), (0, start));
}

/// A conditional with the sum of the parameters in each alternative; in the second, a product of it.
fn sums() -> Graph {
    let (mut graph, [a, b]) = graph();
    let root = graph.root();
    let decision = predicate(&mut graph, root, a);
    let gamma = Gamma::add(&mut graph, root, decision, 2);
    let variables = [a, b].map(|origin| gamma.add_entry_var(&mut graph, origin));
    let results = [0, 1].map(|alternative| {
        let region = gamma.regions(&graph)[alternative];
        let [a, b] = variables.map(|variable| variable.argument(&graph, gamma, alternative));
        let sum = binary(&mut graph, region, ADD, a, b);
        if alternative == 0 { sum } else { binary(&mut graph, region, MUL, sum, b) }
    });
    let output = gamma.add_exit_var(&mut graph, &results).output;
    graph.add_result(root, output);
    graph
}

/// What an instruction promises holds where it stood; export takes that from instructions that were speculated.
#[test]
fn what_leaves_conditionals_is_marked_as_speculated() {
    let passes: [(&dyn BodyPass, Op); 3] = [(&PushOut, ADD), (&IfConversion, ADD), (&IfConversion, MUL)];
    for (pass, op) in passes {
        let mut graph = sums();
        assert_eq!(run(pass, &mut graph), Change::Changed);
        let moved: Vec<_> = graph.nodes(graph.root()).filter(|&node| graph.op(node) == Some(op)).collect();
        assert!(!moved.is_empty());
        assert!(moved.iter().all(|&node| graph.motion(node) == Some(Motion::Speculated)));
    }
}

/// The question of the inner conditional is asked where the outer one's would have been without it.
#[test]
fn what_joined_conditionals_ask_is_marked_as_speculated() {
    let text = include_str!("../../tests/filetests/ifc/guards.rvsdg");
    let (source, _) = text.split_once("; EXPECT").expect("a file test has two modules");
    let mut module = parse_module(source).unwrap_or_else(|error| panic!("{error}"));
    let graph = module.bodies.values_mut().find_map(|body| body.graph_mut()).expect("there is a function");
    assert_eq!(run(&IfConversion, graph), Change::Changed);
    let mut asked = graph.nodes(graph.root()).filter(|&node| matches!(graph.op(node), Some(Op::ICmp { .. })));
    let question = asked.next().expect("the inner question is asked outside");
    assert_eq!((graph.motion(question), asked.next()), (Some(Motion::Speculated), None));
}

/// Conditionals in a row, of which each is decided by the one before or decides the next, in a conditional.
fn chain(length: usize) -> Graph {
    let mut text = String::from(
        "module \"\"\n@f = function void (ptr, i32)\nlambda @f [] (v0: ptr, v1: i32, mem0, io0) {\n\
         v2: ctl(2) = match i32 v1 [9 -> 0, _ -> 1]\nmem1 = gamma v2 (v0, v1, mem0)\n\
         case 0 (v3: ptr, v4: i32, mem2) {\nyield mem2\n}\ncase 1 (v5: ptr, v6: i32, mem10) {\n\
         v17: ctl(2) = match i32 v6 [7 -> 0, _ -> 1]\n",
    );
    for index in 1..=length {
        let [predicate, next] = [index, index + 1].map(|index| 10 * index + 7);
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|name| 10 * (index + 1) + name);
        let [before, first, second, stored, after] = [0, 1, 2, 3, 10].map(|name| 10 * index + name);
        writeln!(
            text,
            "v{next}: ctl(2), mem{after} = gamma v{predicate} (v5, v6, mem{before})\n\
             case 0 (v{a}: ptr, v{b}: i32, mem{first}) {{\n\
             v{c}: ctl(2) = ctl 0 of 2\nyield v{c}, mem{first}\n}}\n\
             case 1 (v{d}: ptr, v{e}: i32, mem{second}) {{\n\
             mem{stored} = store volatile v{e}, v{d}, mem{second}, align 4\n\
             v{f}: ctl(2) = match i32 v{e} [{index} -> 0, _ -> 1]\nyield v{f}, mem{stored}\n}}",
        )
        .expect("writing to a string succeeds");
    }
    writeln!(text, "yield mem{}\n}}\nyield mem1, io0\n}}\nexport @f", 10 * (length + 1))
        .expect("writing to a string succeeds");
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let code = module.bodies.values_mut().find_map(|body| body.graph_mut()).expect("there is a function");
    code.clone()
}

/// How many structural nodes are nested at most.
fn nesting(graph: &Graph) -> usize {
    let around = |node| std::iter::successors(Some(node), |&node| graph.parent(graph.region_of(node))).count();
    graph.all_nodes().filter(|&node| !graph.subregions(node).is_empty()).map(around).max().unwrap_or(0)
}

#[test]
fn conditionals_in_a_row_do_not_become_a_nest_of_any_depth() {
    let nestings = [20, 500].map(|length| {
        let mut graph = chain(length);
        assert_eq!(nesting(&graph), 2);
        for _ in 0..4 {
            let _ = run(&IfConversion, &mut graph);
        }
        nesting(&graph)
    });
    assert_eq!(nestings, [20, 64]);
}

/// Each of many objects that live to the end of a function is passed to its cleanup only: construction cuts the nest of conditionals that
/// the cleanups would be, and no pass puts it together again.
#[test]
fn objects_that_live_to_the_end_pass_through_conditionals_in_proportion() {
    let inputs = [100, 200].map(|objects| {
        let cfg = lasting_objects(objects);
        let mut graph = build(&cfg.verify().expect("it is valid"), &Options::default());
        for _ in 0..4 {
            let passes: [&dyn BodyPass; 4] = [&IfConversion, &Reduce::default(), &CommonNodes, &DeadNodes];
            for pass in passes {
                let _ = run(pass, &mut graph);
            }
        }
        graph.all_nodes().map(|node| graph.inputs(node).len()).sum::<usize>()
    });
    assert!(inputs[1] <= inputs[0] * 22 / 10, "{inputs:?}");
}

/// What a load promised concerns every load that its value may come from now, through joins and loops.
#[test]
fn loads_that_a_value_comes_from_are_noted() {
    let text = r#"module ""
@f = function i32 (i1, ptr)
lambda @f [] (v0: i1, v1: ptr, mem0, io0) {
  v2: ctl(2) = match i1 v0 [true -> 1, _ -> 0]
  v3: i32, mem1, io1 = gamma v2 (v1, mem0, io0)
  case 0 (v4: ptr, mem2, io2) {
    v5: i32, mem3 = load v4, mem2, align 4
    yield v5, mem3, io2
  }
  case 1 (v6: ptr, mem4, io3) {
    v7: i32, mem5 = load v6, mem4, align 4
    v8: i32 = mul v7, v7
    yield v8, mem5, io3
  }
  v9: i32, mem6 = load v1, mem1, align 4
  v10: i32 = add v3, v9
  yield v10, mem6, io1
}
"#;
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let graph = module.bodies.values_mut().find_map(|body| body.graph_mut()).expect("there is a function");
    let loads: Vec<_> = graph.all_nodes().filter(|&node| matches!(graph.op(node), Some(Op::Load(_)))).collect();
    for (number, &load) in (0..).zip(&loads) {
        graph.set_source(load, Some(SourceId::from_u32(number)));
    }
    assert_eq!(run(&MemoryValues, graph), Change::Changed);
    let (left, gone): (Vec<_>, Vec<_>) = loads.iter().copied().partition(|&load| graph.is_live(load));
    let source = (0..).zip(&loads).find(|(_, load)| gone.contains(load)).map(|(number, _)| SourceId::from_u32(number));
    let mut merges = graph.merges();
    merges.sort_unstable();
    assert_eq!((left.len(), gone.len()), (2, 1));
    assert_eq!(merges, left.into_iter().filter_map(|load| Some((load, source?))).collect::<Vec<_>>());
}

/// What an object was filled with gets to objects that it is copied to, where nothing else writes it.
#[test]
fn fills_are_copied() {
    let text = r#"module ""
target datalayout "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@llvm.memset.p0.i64 = function void (ptr, i8, i64, i1), #0
@llvm.memcpy.p0.p0.i64 = function void (ptr, ptr, i64, i1), #1
@f = function i32 ()
import @llvm.memset.p0.i64
import @llvm.memcpy.p0.p0.i64
lambda @f [@llvm.memset.p0.i64, @llvm.memcpy.p0.p0.i64] (mem0, io0) {
  v0 = const i32 1
  v1: ptr, mem1 = alloca { i32, i32 }, v0, mem0, align 4
  v2: ptr, mem2 = alloca { i32, i32 }, v0, mem1, align 4
  v3 = const i8 7
  v4 = const i64 8
  v5 = const i1 false
  mem3 = call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(v1, v3, v4, v5), mem2
  mem4 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v2, v1, v4, v5), mem3
  v6 = const i64 4
  v7: ptr = getelementptr inbounds nusw i8, v2, v6
  v8: i32, mem5 = load v7, mem4, align 4
  yield v8, mem5, io0
}
export @f
attributes #0 = function { nounwind, willreturn, memory(argmem: write) } params ({ writeonly, captures(none) })
attributes #1 = function { nounwind, willreturn, memory(argmem: readwrite) } params ({ captures(none) }, { captures(none) })
"#;
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let (tally, report) = keeps_meaning(&module, "sra", None);
    assert!(tally.same > 0, "{tally:?}");
    assert!(report.passes().iter().any(|pass| pass.counters.contains_key("objects")));
}
