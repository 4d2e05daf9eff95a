//! Whether the cost of every pass grows in proportion to the graph.

use rvsdg_cfg::construct::build;
use rvsdg_cfg::restructure::Options;
use rvsdg_core::{Graph, text};
use rvsdg_gen::cfgs::{Fill, cleanups, fill, lasting_objects, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;
use rvsdg_passes::{BodyPass, Entry, Manager, PassCx, Pipeline, Registry, Stage};

use rvsdg_benches::time;

use crate::modules;

/// The smallest and the largest graph, in nodes.
const NODES: std::ops::Range<usize> = 1_000..1_000_000;

/// A doubling of the graph that costs more is named at the end.
const MOST: f64 = 2.4;

/// A row below this is too short to be told from noise.
const SHORTEST: f64 = 2e-3;

/// How often each time is taken; the least counts.
const RUNS: usize = 3;

/// Nodes and seconds.
type Point = (f64, f64);

/// An input, a pass, and what a doubling costs.
type Fast = (&'static str, &'static str, f64);

/// Prints for each input and pass what a doubling of the graph costs: on average from the smallest to the largest, and the
/// most from 10,000 nodes on, below which a measurement is not worth much. Then names what grows faster than in proportion.
pub fn report() {
    let mut fast = Vec::new();
    println!("\n| input | pass | nodes | time at most | per doubling | worst doubling |");
    println!("|---|---|--:|--:|--:|--:|");
    rows("straight-line instructions", &|n| graph(&straight_line(n)), &mut fast);
    rows("cleanups", &|n| graph(&cleanups(n)), &mut fast);
    rows("objects that live to the end", &|n| graph(&lasting_objects(n)), &mut fast);
    for family in Family::ALL.into_iter().filter(|family| family.is_linear()) {
        rows(family.name(), &|n| graph(&fill(&family.shape(n), Fill::LINEAR, &mut Rng::new(1))), &mut fast);
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started");
    one.install(|| {
        for (input, fewest, make) in modules::ALL {
            module_rows(input, *fewest, make, &mut fast);
        }
    });
    println!();
    for (input, pass, growth) in fast {
        println!("More than {MOST} per doubling: {pass} on {input}, {growth:.2}");
    }
}

/// Every pass with its stages on modules that are made of more and more parts of the same size.
fn module_rows(input: &'static str, fewest: usize, make: &dyn Fn(usize) -> String, fast: &mut Vec<Fast>) {
    let mut points: Vec<Vec<Point>> = vec![Vec::new(); Registry::builtin().passes().len()];
    let mut parts = fewest;
    loop {
        let module = text::parse_module(&make(parts)).expect("the module is valid");
        let nodes: usize = module.bodies.values().filter_map(|body| body.graph()).map(Graph::node_count).sum();
        for (entry, points) in Registry::builtin().passes().iter().zip(&mut points) {
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
    for (entry, points) in Registry::builtin().passes().iter().zip(&points) {
        row(input, entry.name, points, fast);
    }
}

fn graph(cfg: &rvsdg_cfg::cfg::Cfg) -> Graph {
    build(&cfg.verify().expect("generated control flow is valid"), &Options::default())
}

fn rows(input: &'static str, make: &dyn Fn(usize) -> Graph, fast: &mut Vec<Fast>) {
    let passes: Vec<Vec<Box<dyn BodyPass>>> =
        Registry::builtin().passes().iter().map(|entry| body_stages(entry)).collect();
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
    for (entry, points) in Registry::builtin().passes().iter().zip(&points) {
        row(input, entry.name, points, fast);
    }
}

fn body_stages(entry: &Entry) -> Vec<Box<dyn BodyPass>> {
    let stages = entry.stages().into_iter();
    let bodies = stages.filter_map(|stage| match stage {
        Stage::Bodies(pass) => Some(pass),
        Stage::Module(_) | Stage::BottomUp(_) => None,
    });
    bodies.collect()
}

fn row(input: &'static str, pass: &'static str, points: &[Point], fast: &mut Vec<Fast>) {
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
    // Of sizes far from each other, which no single measurement decides.
    let middle = points[points.len() / 2];
    let growth = per_doubling(&middle, last);
    if middle.0 < last.0 && last.1 > SHORTEST && growth > MOST {
        fast.push((input, pass, growth));
    }
}

fn seconds(stages: &[Box<dyn BodyPass>], graph: &Graph) -> f64 {
    let mut graph = graph.clone();
    let run =
        || stages.iter().fold(false, |changed, pass| pass.run(&mut graph, &PassCx::new()).is_changed() || changed);
    time(run).0.as_secs_f64()
}
