//! Whether the cost of every pass grows in proportion to the graph.

use std::fmt::Write;

use rvsdg_cfg::construct::construct;
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_core::{Graph, text};
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;
use rvsdg_passes::{BodyPass, Manager, PassCx, Pipeline, Stage, registry};

use rvsdg_benches::time;

/// The smallest and the largest graph, in nodes.
const NODES: std::ops::Range<usize> = 1_000..1_000_000;

/// How often each time is taken; the least counts.
const RUNS: usize = 3;

/// Nodes and seconds.
type Point = (f64, f64);

/// Prints for each input and pass what a doubling of the graph costs: on average from the smallest to the largest, and the
/// most from 10,000 nodes on, below which a measurement is not worth much.
pub fn report() {
    println!("\n| input | pass | nodes | time at most | per doubling | worst doubling |");
    println!("|---|---|--:|--:|--:|--:|");
    rows("straight-line instructions", &|n| graph(&straight_line(n)));
    for family in Family::ALL.into_iter().filter(|family| family.is_linear()) {
        rows(family.name(), &|n| graph(&fill(&family.shape(n), Fill::LINEAR, &mut Rng::new(1))));
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started");
    one.install(|| {
        module_rows("functions that call each other", 64, &calls);
        module_rows("objects copied to each other", 32, &objects);
    });
}

/// Every pass with its stages on modules that are made of more and more parts of the same size.
fn module_rows(input: &str, fewest: usize, make: &dyn Fn(usize) -> String) {
    let mut points: Vec<Vec<Point>> = vec![Vec::new(); registry::PASSES.len()];
    let mut parts = fewest;
    loop {
        let module = text::parse_module(&make(parts)).expect("the module is valid");
        let nodes: usize = module.bodies.values().filter_map(|body| body.graph()).map(Graph::node_count).sum();
        for (entry, points) in registry::PASSES.iter().zip(&mut points) {
            let pipeline = Pipeline::parse(entry.name).expect("it is a pass");
            let seconds = || {
                let mut module = module.clone();
                time(|| Manager::default().run(&mut module, &pipeline).is_ok()).0.as_secs_f64()
            };
            points.push((nodes as f64, (0..RUNS).map(|_| seconds()).fold(f64::INFINITY, f64::min)));
        }
        if nodes * 2 > NODES.end {
            break;
        }
        parts *= 2;
    }
    for (entry, points) in registry::PASSES.iter().zip(&points) {
        row(input, entry.name, points);
    }
}

/// A module of functions that each call the one before, one of another translation unit, and in a loop itself the one before
/// that; every fourth can be called from elsewhere.
fn calls(functions: usize) -> String {
    let mut text = String::from("module \"calls\"\n\n@outside = function i32 (i32)\n");
    for index in 0..functions {
        let linkage = if index % 4 == 3 { "" } else { "internal " };
        writeln!(text, "@f{index} = {linkage}function i32 (i32)").expect("a string takes all");
    }
    text.push_str("\nimport @outside\n");
    for index in 0..functions {
        let [first, second] = [1, 2].map(|back: usize| match index.checked_sub(back) {
            Some(callee) => format!("@f{callee}"),
            None => "@outside".to_owned(),
        });
        let mut context = vec!["@outside"];
        context.extend([&*first, &*second].into_iter().filter(|&callee| callee != "@outside"));
        let context = context.join(", ");
        writeln!(
            text,
            "
lambda @f{index} [{context}] (v0: i32, mem0, io0) {{
  v1 = const i32 1
  v2: i32 = add v0, v1
  v3: i32, mem1, io1 = call i32 (i32) {first}(v2), mem0, io0
  v4: i32, mem2, io2 = call i32 (i32) @outside(v3), mem1, io1
  v5: i32, mem3, io3 = theta (v6: i32 = v4, mem4 = mem2, io4 = io2) {{
    v7: i32, mem5, io5 = call i32 (i32) {second}(v6), mem4, io4
    v8: i1 = icmp slt v7, v6
    v9: ctl(2) = match i1 v8 [true -> 1, _ -> 0]
    next v7, mem5, io5 while v9
  }}
  v10: i32 = xor v5, v2
  yield v10, mem3, io3
}}"
        )
        .expect("a string takes all");
        if index % 4 == 3 {
            writeln!(text, "export @f{index}").expect("a string takes all");
        }
    }
    text
}

/// A function with objects on the stack, each copied from the one before, of which one field is read.
fn objects(count: usize) -> String {
    let mut text = String::from(
        "module \"objects\"
target datalayout \"e-i64:64-S128\"

%S = type { i32, ptr, i64 }

@f = function i32 (ptr)
@llvm.memcpy.p0.p0.i64 = function void (ptr, ptr, i64, i1), #0

import @llvm.memcpy.p0.p0.i64

lambda @f [@llvm.memcpy.p0.p0.i64] (v0: ptr, mem0, io0) {
  v1 = const i32 1
  v2 = const i64 24
  v3 = const i1 false
  v4 = const i32 0
",
    );
    let (mut before, mut sum, mut state) = (0, 4, 0);
    for object in (5..).step_by(3).take(count) {
        let [read, added] = [object + 1, object + 2];
        let [allocated, copied, last] = [state + 1, state + 2, state + 3];
        writeln!(
            text,
            "  v{object}: ptr, mem{allocated} = alloca %S, v1, mem{state}, align 8
  mem{copied} = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v{object}, v{before}, v2, v3), mem{allocated}
  v{read}: i32, mem{last} = load v{object}, mem{copied}, align 8
  v{added}: i32 = add v{sum}, v{read}"
        )
        .expect("a string takes all");
        (before, sum, state) = (object, added, last);
    }
    let attributes = "nocallback, nofree, nounwind, willreturn, memory(argmem: readwrite)";
    writeln!(text, "  yield v{sum}, mem{state}, io0\n}}\nexport @f\n\nattributes #0 = function {{ {attributes} }}")
        .expect("a string takes all");
    text
}

fn graph(cfg: &rvsdg_cfg::cfg::Cfg) -> Graph {
    construct(cfg, &restructure(&cfg.shape(), &Options::default()))
}

fn rows(input: &str, make: &dyn Fn(usize) -> Graph) {
    let passes: Vec<Vec<Box<dyn BodyPass>>> = registry::PASSES.iter().map(|entry| body_stages(entry)).collect();
    let mut points: Vec<Vec<Point>> = vec![Vec::new(); passes.len()];
    let mut size = 16;
    loop {
        let graph = make(size);
        let nodes = graph.node_count();
        if nodes >= NODES.start {
            for (stages, points) in passes.iter().zip(&mut points) {
                let least = (0..RUNS).map(|_| seconds(stages, &graph)).fold(f64::INFINITY, f64::min);
                points.push((nodes as f64, least));
            }
        }
        if nodes * 2 > NODES.end {
            break;
        }
        size *= 2;
    }
    for (entry, points) in registry::PASSES.iter().zip(&points) {
        row(input, entry.name, points);
    }
}

fn body_stages(entry: &registry::Entry) -> Vec<Box<dyn BodyPass>> {
    let stages = (entry.stages)().into_iter();
    let bodies = stages.filter_map(|stage| match stage {
        Stage::Bodies(pass) => Some(pass),
        Stage::Module(_) => None,
    });
    bodies.collect()
}

fn row(input: &str, pass: &str, points: &[Point]) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let per_doubling = |a: &Point, b: &Point| (b.1 / a.1).powf(1.0 / (b.0 / a.0).log2());
    let pairs = points.windows(2).filter(|pair| pair[0].0 >= 10_000.0);
    let worst = pairs.map(|pair| per_doubling(&pair[0], &pair[1])).fold(0.0, f64::max);
    println!(
        "| {input} | {pass} | {:.0} to {:.0} | {:.1} ms | {:.2} | {worst:.2} |",
        first.0,
        last.0,
        last.1 * 1e3,
        per_doubling(first, last)
    );
}

fn seconds(stages: &[Box<dyn BodyPass>], graph: &Graph) -> f64 {
    let mut graph = graph.clone();
    let run =
        || stages.iter().fold(false, |changed, pass| pass.run(&mut graph, &PassCx::new()).is_changed() || changed);
    time(run).0.as_secs_f64()
}
