//! Variable bundles, copies, walks, and what a module says of its symbols.

#![allow(missing_docs, reason = "tests")]

use std::sync::Arc;

use expect_test::expect;
use rvsdg_core::graph::{Copier, WalkItem};
use rvsdg_core::op::{Funclet, IntBinary, MemAccess, OpCode};
use rvsdg_core::structural::{Gamma, Phi, Theta};
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Origin, Pool, Type, TypeKind, text, verify};

fn graph(source: &str) -> Graph {
    text::parse_graph(source, Arc::new(Pool::new())).unwrap_or_else(|error| panic!("{error}"))
}

fn module(source: &str) -> Module {
    text::parse_module(source).unwrap_or_else(|error| panic!("{error}"))
}

fn find(graph: &Graph, kind: NodeKind) -> Node {
    graph.all_nodes().find(|&node| graph.kind(node) == kind).expect("there is such a node")
}

/// The text of a graph that is still valid.
fn checked(graph: &Graph) -> String {
    assert_eq!(verify::verify_graph(graph), []);
    graph.to_string()
}

const CONDITIONAL: &str = "graph (v0: i1, v1: i32, v2: i64, mem0) {
  v3: ctl(2) = match i1 v0 [true -> 0, _ -> 1]
  v4: i32, v5: i64, mem1 = gamma v3 (v1, v2, mem0)
  case 0 (v6: i32, v7: i64, mem2) {
    v8: i32 = add v6, v6
    yield v8, v7, mem2
  }
  case 1 (v9: i32, v10: i64, mem3) {
    yield v9, v10, mem3
  }
  yield v4, mem1
}
";

#[test]
fn variables_of_a_conditional() {
    let mut graph = graph(CONDITIONAL);
    let gamma = Gamma::new(&graph, find(&graph, NodeKind::Gamma)).expect("it is a conditional");
    let entry = gamma.entry_vars(&graph).nth(1).expect("there are three");
    let exit = gamma.exit_vars(&graph).nth(1).expect("there are three");
    assert_eq!(graph.origin(entry.input), graph.arguments(graph.root())[2]);
    for alternative in 0..2 {
        let argument = entry.argument(&graph, gamma, alternative);
        assert_eq!(Gamma::entry_var_of_argument(&graph, argument), Some((gamma, entry)));
        let result = exit.result(&graph, gamma, alternative);
        assert_eq!(graph.origin(result), argument);
        assert_eq!(Gamma::exit_var_of_result(&graph, result), Some((gamma, exit)));
    }
    assert!(Gamma::entry_var_of_argument(&graph, graph.arguments(graph.root())[0]).is_none());

    gamma.retain_exit_vars(&mut graph, |index| index != 1);
    gamma.retain_entry_vars(&mut graph, |index| index != 1);
    let more = graph.arguments(graph.root())[2];
    let more = gamma.add_entry_var(&mut graph, more);
    assert_eq!(more.index, 2);
    let arguments = [0, 1].map(|alternative| more.argument(&graph, gamma, alternative));
    assert_eq!(gamma.add_exit_var(&mut graph, &arguments).index, 2);
    expect![[r#"
        graph (v0: i1, v1: i32, v2: i64, mem0) {
          v3: ctl(2) = match i1 v0 [true -> 0, _ -> 1]
          v4: i32, mem1, v5: i64 = gamma v3 (v1, mem0, v2)
          case 0 (v6: i32, mem2, v7: i64) {
            v8: i32 = add v6, v6
            yield v8, mem2, v7
          }
          case 1 (v9: i32, mem3, v10: i64) {
            yield v9, mem3, v10
          }
          yield v4, mem1
        }
    "#]]
    .assert_eq(&checked(&graph));
}

#[test]
fn variables_of_a_loop() {
    let mut graph = graph(
        "graph (v0: i32, v1: i64, mem0) {
           v2: i32, v3: i64, mem1 = theta (v4: i32 = v0, v5: i64 = v1, mem2 = mem0) {
             v6: i32 = add v4, v4
             v7: ctl(2) = ctl 0 of 2
             next v6, v5, mem2 while v7
           }
           yield v2, mem1
         }",
    );
    let theta = Theta::new(&graph, find(&graph, NodeKind::Theta)).expect("it is a loop");
    for loop_var in theta.loop_vars(&graph).collect::<Vec<_>>() {
        assert_eq!(Theta::loop_var_of_argument(&graph, loop_var.pre), Some((theta, loop_var)));
        assert_eq!(Theta::loop_var_of_result(&graph, loop_var.post), Some((theta, loop_var)));
        assert_eq!(Theta::loop_var_of_output(&graph, loop_var.output), Some((theta, loop_var)));
    }
    assert_eq!(Theta::loop_var_of_result(&graph, theta.predicate(&graph)), None);
    theta.retain_loop_vars(&mut graph, |index| index != 1);
    let more = graph.arguments(graph.root())[1];
    let more = theta.add_loop_var(&mut graph, more);
    assert_eq!((more.index, graph.origin(more.post)), (2, more.pre));
    expect![[r#"
        graph (v0: i32, v1: i64, mem0) {
          v2: i32, mem1, v3: i64 = theta (v4: i32 = v0, mem2 = mem0, v5: i64 = v1) {
            v6: i32 = add v4, v4
            v7: ctl(2) = ctl 0 of 2
            next v6, mem2, v5 while v7
          }
          yield v2, mem1
        }
    "#]]
    .assert_eq(&checked(&graph));
}

const RECURSION: &str = "module \"\"

@log = function void ()
@trace = function void ()
@even = function void ()
@odd = function void ()
@table = global [2 x ptr] [ptr ?0, ptr ?1]

import @log
import @trace

@even, @odd = phi [@log, @trace] (@even, @odd) {
  v0 = lambda @even [@odd] (mem0, io0) {
    yield mem0, io0
  }

  v1 = lambda @odd [@trace] (mem0, io0) {
    yield mem0, io0
  }
  yield v0, v1
}
delta @table [@odd, @log]
export @odd
";

#[test]
fn variables_of_an_environment() {
    let mut module = module(RECURSION);
    assert!(module.verify().is_ok());
    let omega = &mut module.omega;
    let phi = Phi::new(omega, find(omega, NodeKind::Phi)).expect("it is an environment");
    assert_eq!(
        phi.context_vars(omega).map(|var| var.argument).collect::<Vec<_>>(),
        omega.arguments(phi.region(omega))[..2]
    );
    for fix in phi.fix_vars(omega).collect::<Vec<_>>() {
        assert_eq!(omega.output(phi.node(), fix.index), fix.output);
        assert!(omega.producer(omega.origin(fix.result)).is_some());
    }
    phi.retain_context_vars(omega, |index| index == 1);
    assert!(module.verify().is_ok());
    expect![[r#"
        module ""

        @log = function void ()
        @trace = function void ()
        @even = function void ()
        @odd = function void ()
        @table = global [2 x ptr] [ptr ?0, ptr ?1]

        import @log
        import @trace

        @even, @odd = phi [@trace] (@even, @odd) {
          v0 = lambda @even [@odd] (mem0, io0) {
            yield mem0, io0
          }

          v1 = lambda @odd [@trace] (mem0, io0) {
            yield mem0, io0
          }
          yield v0, v1
        }
        delta @table [@odd, @log]
        export @odd
    "#]]
    .assert_eq(&module.to_string());
}

#[test]
fn symbols_of_origins() {
    let module = module(RECURSION);
    let name = |symbol| &*module.symbols[symbol].name;
    let lambdas = module.lambdas();
    let context: Vec<Vec<&str>> =
        lambdas.iter().map(|&lambda| module.context_symbols(lambda).into_iter().map(name).collect()).collect();
    assert_eq!(context, [["odd"], ["trace"]]);
    let exported: Vec<bool> = lambdas.iter().map(|lambda| module.is_exported(lambda.output(&module.omega))).collect();
    assert_eq!(exported, [false, true]);
    for &symbol in &module.order {
        let defined = module.definition(symbol).is_some();
        assert_eq!(defined, ["even", "odd", "table"].contains(&name(symbol)), "{}", name(symbol));
    }
}

#[test]
fn a_copy_has_the_same_text() {
    let source = graph(CONDITIONAL);
    let mut target = Graph::new(source.pool().clone());
    let root = target.root();
    let mut copier = Copier::new();
    for &argument in source.arguments(source.root()) {
        let copy = target.add_argument(root, source.ty(argument));
        copier.substitute(argument, copy);
    }
    copier.copy_nodes(&source, source.root(), &mut target, root);
    for origin in source.result_origins(source.root()) {
        let copy = copier.get(origin).expect("all nodes were copied");
        target.add_result(root, copy);
    }
    assert_eq!(checked(&target), CONDITIONAL);
    assert_eq!(rvsdg_core::hash::hash_graph(&source), rvsdg_core::hash::hash_graph(&target));
}

#[test]
fn a_walk_is_in_preorder() {
    let graph = graph(CONDITIONAL);
    let steps: Vec<String> = graph
        .walk()
        .map(|item| match item {
            WalkItem::Enter(region) => format!("enter {region}"),
            WalkItem::Node(node) => format!("{node}"),
            WalkItem::Leave(region) => format!("leave {region}"),
        })
        .collect();
    expect!["enter r0, n0, n1, enter r1, n2, leave r1, enter r2, leave r2, leave r0"].assert_eq(&steps.join(", "));
}

/// Where dependences leave a choice, the order of the list decides.
#[test]
fn topological_order_is_stable() {
    let graph = graph(
        "graph (v0: i32) {
           v1: i32 = add v4, v0
           v2: i32 = sub v0, v0
           v3: i32 = mul v1, v2
           v4: i32 = xor v0, v0
           yield v3
         }",
    );
    let order = graph.topological(graph.root()).into_iter().map(|node| text::node_line(&graph, node));
    expect![[r#"
        v2: i32 = sub v0, v0
        v4: i32 = xor v0, v0
        v1: i32 = add v4, v0
        v3: i32 = mul v1, v2"#]]
    .assert_eq(&order.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_summary_is_a_short_line() {
    let small = graph("graph (v0: i32) { v1: i32 = add nsw v0, v0 yield v1 }");
    let node = small.topological(small.root())[0];
    assert_eq!(text::node_summary(&small, node), text::node_line(&small, node));

    let values = |name: &str, count: usize| (0..count).map(|index| format!("{name}{index}")).collect::<Vec<_>>();
    let (outputs, inputs) = (values("v1", 1000), values("v2", 1000));
    let variables: Vec<String> = inputs.iter().map(|input| format!("{input}: i64 = v0")).collect();
    let large = graph(&format!(
        "graph (v0: i64) {{ {} = theta ({}) {{ v3: ctl(2) = ctl 0 of 2 next {} while v3 }} yield v10 }}",
        outputs.iter().map(|output| format!("{output}: i64")).collect::<Vec<_>>().join(", "),
        variables.join(", "),
        inputs.join(", "),
    ));
    let node = large.topological(large.root())[0];
    let summary = text::node_summary(&large, node);
    assert!(summary.contains(" and 997 more = theta (") && summary.ends_with("… (1000 inputs)"), "{summary}");
    assert!(summary.len() < 250, "{summary}");
}

#[test]
fn threads_intern_alike() {
    let pool = Arc::new(Pool::new());
    let work = |pool: &Pool| {
        (1..500u32)
            .map(|bits| (pool.int(bits), pool.ctl(bits), pool.int_const(Type::I64, bits.into())))
            .collect::<Vec<_>>()
    };
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let pool = pool.clone();
            std::thread::spawn(move || work(&pool))
        })
        .collect();
    let expected = work(&pool);
    for thread in threads {
        assert_eq!(thread.join().expect("it does not panic"), expected);
    }
    assert_eq!(pool.type_kind(pool.int(300)), &TypeKind::Int(300));
}

fn argument(graph: &Graph, index: usize) -> Origin {
    graph.arguments(graph.root())[index]
}

/// The nodes that an edit edits, of those in [`CONDITIONAL`]: `match`, γ, `add`.
fn edited(edit: impl FnOnce(&mut Graph, [Node; 3])) -> [bool; 3] {
    let mut graph = graph(CONDITIONAL);
    let gamma = find(&graph, NodeKind::Gamma);
    let simple: Vec<Node> = graph.all_nodes().filter(|&node| graph.op(node).is_some()).collect();
    let nodes = [simple[0], gamma, simple[1]];
    let epoch = graph.next_epoch();
    assert_eq!(nodes.map(|node| graph.is_edited(node, epoch)), [false; 3]);
    edit(&mut graph, nodes);
    nodes.map(|node| graph.is_live(node) && graph.is_edited(node, epoch))
}

#[test]
fn edits_are_known_by_node() {
    assert_eq!(edited(|_, _| ()), [false, false, false]);
    // An operation; an input; a place.
    let change = |graph: &mut Graph, node: Node| {
        let Some(Op::IntBinary { flags, .. }) = graph.op(node) else { panic!("it is the sum") };
        graph.set_op(node, Op::IntBinary { op: IntBinary::Sub, flags });
    };
    assert_eq!(edited(|graph, [.., add]| change(graph, add)), [false, false, true]);
    assert_eq!(edited(|graph, [_, gamma, _]| graph.divert(graph.inputs(gamma)[1], argument(graph, 1))), [false; 3]);
    assert_eq!(
        edited(|graph, [at, _, _]| {
            let _ = graph.add_input(at, argument(graph, 1));
        }),
        [true, false, false]
    );
    assert_eq!(edited(|graph, [at, _, _]| graph.move_to_front(at)), [false; 3]);
    assert_eq!(edited(|graph, [at, gamma, _]| graph.move_before(gamma, at)), [false, true, false]);
    assert_eq!(edited(|graph, [_, gamma, add]| graph.move_before(add, gamma)), [false, false, true]);
    // The user of a value that is diverted, and the producer that loses it; what gains a user is not edited.
    let divert_result = |graph: &mut Graph, [_, gamma, add]: [Node; 3]| {
        let region = graph.subregions(gamma)[0];
        graph.divert(graph.results(region)[0], graph.arguments(region)[0]);
        assert!(!graph.has_users(graph.output(add, 0)));
    };
    assert_eq!(edited(divert_result), [false, true, true]);
    let divert_output = |graph: &mut Graph, [_, gamma, _]: [Node; 3]| {
        graph.divert(graph.results(graph.root())[0], graph.arguments(graph.root())[1]);
        assert!(!graph.has_users(graph.output(gamma, 0)));
    };
    assert_eq!(edited(divert_output), [false, true, false]);
    let divert_predicate = |graph: &mut Graph, [at, gamma, _]: [Node; 3]| {
        let region = graph.root();
        let other = graph.add_simple(region, Op::CtlConst { value: 0, of: 2 }, &[], &[graph.ty(graph.output(at, 0))]);
        graph.divert(graph.inputs(gamma)[0], graph.output(other, 0));
    };
    assert_eq!(edited(divert_predicate), [true, true, false]);
    // Variables are of the γ, and what is removed takes users from the γ whose argument it used.
    let remove = |graph: &mut Graph, nodes: [Node; 3]| {
        divert_result(graph, nodes);
        graph.remove(nodes[2]);
    };
    assert_eq!(edited(remove), [false, true, false]);
    let retain = |graph: &mut Graph, [_, gamma, _]: [Node; 3]| {
        Gamma::new(graph, gamma).expect("it is one").retain_exit_vars(graph, |index| index != 1);
    };
    assert_eq!(edited(retain), [false, true, false]);
    // What is added is edited, before and after ids change.
    let mut graph = graph(CONDITIONAL);
    let gamma = find(&graph, NodeKind::Gamma);
    let (epoch, entering) = (graph.next_epoch(), argument(&graph, 1));
    Gamma::new(&graph, gamma).expect("it is one").add_entry_var(&mut graph, entering);
    assert!(graph.is_edited(gamma, epoch));
    let later = graph.next_epoch();
    assert!(!graph.is_edited(gamma, later));
    let root = graph.root();
    let dead = graph.add_simple(root, Op::Freeze, &[entering], &[Type::I32]);
    graph.remove(dead);
    graph.compact();
    assert!(graph.is_edited(find(&graph, NodeKind::Gamma), epoch));
    assert!(!graph.is_edited(find(&graph, NodeKind::Gamma), later));
}

#[test]
fn a_load_that_promises_less_is_edited() {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let (address, mem) = (graph.add_argument(root, Type::PTR), graph.add_argument(root, Type::MEM));
    let access = MemAccess { nonnull: true, ..MemAccess::plain(3) };
    let load = graph.add_simple(root, Op::Load(access), &[address, mem], &[Type::PTR, Type::MEM]);
    let epoch = graph.next_epoch();
    graph.forget_promises(load);
    assert_eq!(graph.op(load), Some(Op::Load(MemAccess::plain(3))));
    assert!(graph.is_edited(load, epoch));
}

#[test]
fn kinds_of_nodes_that_a_graph_may_have() {
    let mut graph = graph(CONDITIONAL);
    let seen = |graph: &Graph| {
        [
            graph.may_have(OpCode::Match),
            graph.may_have(OpCode::Freeze),
            graph.may_have(OpCode::Sub),
            graph.may_have_loops(),
        ]
    };
    assert_eq!(seen(&graph), [true, false, false, false]);
    let (root, entering) = (graph.root(), argument(&graph, 1));
    let freeze = graph.add_simple(root, Op::Freeze, &[entering], &[Type::I32]);
    let theta = graph.add_node(root, NodeKind::Theta, &[], &[]);
    let sum = graph.all_nodes().find(|&node| graph.op(node).is_some_and(|op| op.code() == OpCode::Add)).expect("a sum");
    let Some(Op::IntBinary { flags, .. }) = graph.op(sum) else { panic!("it is one") };
    graph.set_op(sum, Op::IntBinary { op: IntBinary::Sub, flags });
    assert_eq!(seen(&graph), [true, true, true, true]);
    graph.remove(freeze);
    graph.remove(theta);
    assert_eq!(seen(&graph), [true, true, true, true]);
    graph.compact();
    assert_eq!(seen(&graph), [true, false, true, false]);
}

#[test]
fn each_operation_on_a_funclet_is_known_to_be_there() {
    assert!(!graph(CONDITIONAL).has_funclets());
    for funclet in [
        Funclet::CatchSwitch { number: 0, unwinds: false },
        Funclet::CatchPad(0),
        Funclet::CleanupPad(0),
        Funclet::CatchRet,
        Funclet::CleanupRet { to_caller: true },
    ] {
        let mut graph = graph(CONDITIONAL);
        let root = graph.root();
        graph.add_simple(root, Op::Funclet(funclet), &[], &[]);
        assert!(graph.has_funclets(), "{funclet:?}");
    }
}
