//! Structurization under a model of threads in lockstep: all minimal unstructured acyclic shapes of up to seven blocks, whose
//! every branch parts threads (thesis C1.5.3), and shapes with loops.

use std::collections::BTreeMap;
use std::sync::Arc;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::divergence::Machine;
use rvsdg_cfg::cfg::{Cfg, Inst};
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_cfg::shape::Block;
use rvsdg_core::constant::Words;
use rvsdg_core::{Constant, Graph, Op};
use rvsdg_gen::cfgs::{Fill, VISIT, fill};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::trace::{Event, trace_cfg, trace_path};
use rvsdg_gen::unstructured::smallest;
use rvsdg_gen::warp::lockstep;
use rvsdg_passes::control::structurize::Structurize;
use rvsdg_passes::scalar::dead_node_elimination::DeadNodes;
use rvsdg_passes::{BodyPass, PassCx};

/// So many threads make every way of a small shape likely.
const THREADS: u64 = 64;
const FUEL: usize = 400;

/// What is seen of a control flow graph that a group of threads executes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
struct Seen {
    /// Executions of original blocks beyond what the thread needs that comes to the block most often.
    redundant: usize,
    /// Executed operations.
    operations: usize,
    /// Conditional branches in the code.
    branches: usize,
}

impl Seen {
    fn of(cfg: &Cfg) -> Seen {
        let paths: Vec<_> = (0..THREADS).map(|seed| trace_path(cfg, seed, FUEL).1).collect();
        let mut seen = Seen { branches: branches(cfg), ..Seen::default() };
        let executed = lockstep(&cfg.shape(), &paths);
        // A branch or jump is an operation, too.
        seen.operations = executed.iter().map(|&block| cfg.insts(block).len() + 1).sum();
        let mut needed = BTreeMap::<u64, usize>::new();
        for (name, times) in paths.iter().flat_map(|path| visits(cfg, path)) {
            let needed = needed.entry(name).or_default();
            *needed = times.max(*needed);
        }
        seen.redundant = visits(cfg, &executed).into_iter().map(|(name, times)| times - needed[&name]).sum();
        seen
    }

    fn add(&mut self, other: Seen) {
        self.redundant += other.redundant;
        self.operations += other.operations;
        self.branches += other.branches;
    }
}

/// How often original blocks are executed in these blocks.
fn visits(cfg: &Cfg, blocks: &[Block]) -> BTreeMap<u64, usize> {
    let mut visits = BTreeMap::new();
    for name in blocks.iter().flat_map(|&block| cfg.insts(block)).filter_map(|&inst| visit(cfg, inst)) {
        *visits.entry(name).or_default() += 1;
    }
    visits
}

/// The original block that an operation tells of.
fn visit(cfg: &Cfg, inst: Inst) -> Option<u64> {
    let Op::Ext(ext) = cfg.op(inst) else { return None };
    if &*cfg.pool().ext(ext).name != VISIT {
        return None;
    }
    let (constant, _) = cfg.as_const(cfg.operands(inst)[0])?;
    match *cfg.pool().constant(constant) {
        Constant::Int { words: Words::Small(name), .. } => Some(name),
        _ => None,
    }
}

fn branches(cfg: &Cfg) -> usize {
    cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count()
}

fn graph_of(cfg: &Cfg) -> Graph {
    build(&cfg.verify().expect("generated graphs are valid"), &Options::default())
}

/// The graph as a kernel's, all of whose branches part threads, and how many alternatives were moved.
fn structurized(cfg: &Cfg) -> (Graph, u64) {
    let mut graph = graph_of(cfg);
    let cx = PassCx::new().with_surroundings(Arc::new(Surroundings::on(Machine::Nvptx)));
    for pass in [&Structurize as &dyn BodyPass, &DeadNodes] {
        let _ = pass.run(&mut graph, &cx);
    }
    (graph, cx.counter("alternatives_sunk"))
}

#[test]
fn no_block_of_an_unstructured_shape_is_executed_twice() {
    let [mut original, mut structured, mut by_need] = [Seen::default(); 3];
    let mut count = 0;
    for shape in (4..=7).flat_map(smallest) {
        let cfg = fill(&shape, Fill::LINEAR, &mut Rng::new(count));
        let kept = destruct(&structurized(&cfg).0, 0, Recovery::Predicative);
        for seed in 0..THREADS {
            assert_eq!(trace_cfg(&cfg, seed, FUEL), trace_cfg(&kept, seed, FUEL), "{shape}");
        }
        original.add(Seen::of(&cfg));
        structured.add(Seen::of(&destruct(&graph_of(&cfg), 0, Recovery::Structured)));
        let seen = Seen::of(&kept);
        assert_eq!(seen.redundant, 0, "{shape}");
        by_need.add(seen);
        count += 1;
    }
    println!("{count} shapes\noriginal {original:?}\nstructured {structured:?}\nby need {by_need:?}");
    assert_eq!(count, 704);
    assert!(original.redundant > 0);
    assert!(by_need.branches <= structured.branches && by_need.operations <= structured.operations);
}

/// Values that are needed where an alternative is moved to, and those that are computed there, are the same.
#[test]
fn values_come_to_where_alternatives_are_moved() {
    let mut sunk = 0;
    for (seed, shape) in
        (0..).zip((4..=7).flat_map(smallest)).flat_map(|(seed, shape)| [(seed, shape.clone()), (seed + 704, shape)])
    {
        let cfg = fill(&shape, Fill::RICH, &mut Rng::new(seed));
        let (graph, count) = structurized(&cfg);
        let kept = destruct(&graph, 0, Recovery::Predicative);
        for run in 0..THREADS {
            assert_eq!(trace_cfg(&cfg, run, FUEL), trace_cfg(&kept, run, FUEL), "seed {seed}: {shape}");
        }
        sunk += count;
    }
    println!("{sunk} alternatives are moved");
    assert!(sunk >= 20);
}

#[test]
fn structured_shapes_stay_as_they_are() {
    for seed in 0..500 {
        let shape = rvsdg_gen::shapes::random_structured(seed, 3 + seed as usize % 30, 3);
        let cfg = fill(&shape, Fill::LINEAR, &mut Rng::new(seed));
        let plain = destruct(&graph_of(&cfg), 0, Recovery::Predicative);
        let kept = destruct(&structurized(&cfg).0, 0, Recovery::Predicative);
        assert_eq!(branches(&plain), branches(&kept), "seed {seed}: {shape}");
    }
}

/// With loops nothing is executed more often than without, and everything still does the same.
#[test]
fn loops_are_left_together() {
    let (mut before, mut after) = (Seen::default(), Seen::default());
    for seed in 0..1500 {
        let shape = rvsdg_gen::shapes::random(seed, 4 + seed as usize % 8, 2);
        let cfg = fill(&shape, Fill::LINEAR, &mut Rng::new(seed));
        let kept = destruct(&structurized(&cfg).0, 0, Recovery::Predicative);
        let traces: Vec<_> = (0..THREADS).map(|run| trace_cfg(&cfg, run, FUEL)).collect();
        for (run, trace) in (0..).zip(&traces) {
            assert_eq!(*trace, trace_cfg(&kept, run, FUEL), "seed {seed}");
        }
        if traces.iter().all(|trace| matches!(trace.last(), Some(Event::Return(_)))) {
            before.add(Seen::of(&cfg));
            after.add(Seen::of(&kept));
        }
    }
    println!("before {before:?}\nafter {after:?}");
    assert!(after.redundant < before.redundant);
}
