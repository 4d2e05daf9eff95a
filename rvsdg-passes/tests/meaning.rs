//! Passes keep what a body computes: generated bodies full of redundancy return and do the same before and after.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Constant, Graph, NodeKind, Op, Origin, Pool, Region, Type};
use rvsdg_passes::cne::CommonNodes;
use rvsdg_passes::dne::DeadNodes;
use rvsdg_passes::inv::InvariantValues;
use rvsdg_passes::psh::PushOut;
use rvsdg_passes::red::{Reduce, driver};
use rvsdg_passes::{BodyPass, PassCx};

/// A generator of random numbers, by Vigna's SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick(&mut self, values: &[Origin]) -> Origin {
        values[self.below(values.len())]
    }
}

/// Few operations on few values, so that many nodes are congruent.
struct Generator {
    graph: Graph,
    rng: Rng,
}

/// The values and the memory state at a place in a region.
struct Scope {
    region: Region,
    values: Vec<Origin>,
    mem: Origin,
    address: Origin,
}

impl Generator {
    fn simple(&mut self, region: Region, op: Op, inputs: &[Origin], outputs: &[Type]) -> Vec<Origin> {
        let node = self.graph.add_simple(region, op, inputs, outputs);
        self.graph.outputs(node).to_vec()
    }

    fn constant(&mut self, region: Region, value: usize) -> Origin {
        let constant = self.graph.pool().int_const(Type::I32, value as u64);
        self.simple(region, Op::Const(constant), &[], &[Type::I32])[0]
    }

    /// A predicate of `alternatives`, the first for 0, the second for 1, and so on; the last for all else.
    fn predicate(&mut self, region: Region, value: Origin, alternatives: u32) -> Origin {
        let pool = self.graph.pool().clone();
        let cases = (0..alternatives - 1).map(|case| (pool.int_const(Type::I32, case.into()), case)).collect();
        let table = MatchTable { cases, default: alternatives - 1, alternatives };
        self.simple(region, Op::Match(pool.intern_table(table)), &[value], &[pool.ctl(alternatives)])[0]
    }

    fn binary(&mut self, region: Region, op: IntBinary, lhs: Origin, rhs: Origin) -> Origin {
        let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
        self.simple(region, op, &[lhs, rhs], &[Type::I32])[0]
    }

    fn fill(&mut self, scope: &mut Scope, size: usize, depth: usize) {
        for _ in 0..size {
            let structural = if depth == 0 { 0 } else { 3 };
            match self.rng.below(9 + structural) {
                0 => {
                    let value = self.rng.below(3);
                    let origin = self.constant(scope.region, value);
                    scope.values.push(origin);
                }
                1 => {
                    let inputs = [scope.address, scope.mem];
                    let out =
                        self.simple(scope.region, Op::Load(MemAccess::plain(2)), &inputs, &[Type::I32, Type::MEM]);
                    scope.values.push(out[0]);
                    scope.mem = out[1];
                }
                2 => {
                    let inputs = [self.rng.pick(&scope.values), scope.address, scope.mem];
                    scope.mem = self.simple(scope.region, Op::Store(MemAccess::plain(2)), &inputs, &[Type::MEM])[0];
                }
                3..9 => {
                    let op = [IntBinary::Add, IntBinary::Sub, IntBinary::Xor][self.rng.below(3)];
                    let [lhs, rhs] = [(), ()].map(|()| self.rng.pick(&scope.values));
                    let origin = self.binary(scope.region, op, lhs, rhs);
                    scope.values.push(origin);
                }
                9..11 => self.gamma(scope, depth),
                _ => self.theta(scope, depth),
            }
        }
    }

    fn gamma(&mut self, scope: &mut Scope, depth: usize) {
        let alternatives = 2 + self.rng.below(2);
        let value = self.rng.pick(&scope.values);
        let predicate = self.predicate(scope.region, value, alternatives as u32);
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, alternatives);
        let entries: Vec<Origin> = (0..1 + self.rng.below(4)).map(|_| self.rng.pick(&scope.values)).collect();
        let variables: Vec<_> =
            entries.into_iter().map(|origin| gamma.add_entry_var(&mut self.graph, origin)).collect();
        let [mem, address] = [scope.mem, scope.address].map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let mut scopes: Vec<Scope> = Vec::new();
        for alternative in 0..alternatives {
            let argument = |graph: &Graph, variable: rvsdg_core::structural::EntryVar| {
                variable.argument(graph, gamma, alternative)
            };
            let mut inner = Scope {
                region: gamma.regions(&self.graph)[alternative],
                values: variables.iter().map(|&variable| argument(&self.graph, variable)).collect(),
                mem: argument(&self.graph, mem),
                address: argument(&self.graph, address),
            };
            let size = self.rng.below(6);
            self.fill(&mut inner, size, depth - 1);
            scopes.push(inner);
        }
        for _ in 0..1 + self.rng.below(4) {
            let results: Vec<Origin> = scopes.iter().map(|scope| self.rng.pick(&scope.values)).collect();
            scope.values.push(gamma.add_exit_var(&mut self.graph, &results).output);
        }
        let states: Vec<Origin> = scopes.iter().map(|scope| scope.mem).collect();
        scope.mem = gamma.add_exit_var(&mut self.graph, &states).output;
    }

    fn theta(&mut self, scope: &mut Scope, depth: usize) {
        let times = 1 + self.rng.below(4);
        let count = self.constant(scope.region, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let count = theta.add_loop_var(&mut self.graph, count);
        let inputs: Vec<Origin> = (0..1 + self.rng.below(5)).map(|_| self.rng.pick(&scope.values)).collect();
        let variables: Vec<_> = inputs.into_iter().map(|origin| theta.add_loop_var(&mut self.graph, origin)).collect();
        let [mem, address] = [scope.mem, scope.address].map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: variables.iter().map(|variable| variable.pre).collect(),
            mem: mem.pre,
            address: address.pre,
        };
        let size = self.rng.below(8);
        self.fill(&mut inner, size, depth - 1);
        let one = self.constant(inner.region, 1);
        let next = self.binary(inner.region, IntBinary::Sub, count.pre, one);
        let predicate = self.predicate(inner.region, next, 2);
        self.graph.divert(theta.predicate(&self.graph), predicate);
        self.graph.divert(count.post, next);
        self.graph.divert(mem.post, inner.mem);
        // Often the same operation on each variable, so that they stay congruent when they start so.
        let common = self.rng.pick(&inner.values);
        for variable in variables {
            let next = match self.rng.below(3) {
                0 => self.rng.pick(&inner.values),
                1 => self.binary(inner.region, IntBinary::Add, variable.pre, common),
                _ => self.binary(inner.region, IntBinary::Xor, common, variable.pre),
            };
            self.graph.divert(variable.post, next);
            scope.values.push(variable.output);
        }
        scope.mem = mem.output;
    }
}

/// A body of an address, two numbers and memory that returns a few numbers.
fn generate(seed: u64) -> Graph {
    let mut generator = Generator { graph: Graph::new(Arc::new(Pool::new())), rng: Rng(seed) };
    let root = generator.graph.root();
    let [address, a, b, mem, io] =
        [Type::PTR, Type::I32, Type::I32, Type::MEM, Type::IO].map(|ty| generator.graph.add_argument(root, ty));
    let mut scope = Scope { region: root, values: vec![a, b], mem, address };
    generator.fill(&mut scope, 12, 3);
    let mut result = generator.rng.pick(&scope.values);
    for _ in 0..3 {
        let value = generator.rng.pick(&scope.values);
        result = generator.binary(root, IntBinary::Sub, result, value);
    }
    for origin in [result, scope.mem, io] {
        generator.graph.add_result(root, origin);
    }
    generator.graph
}

/// Evaluates a body: what it returns, and the numbers it stores.
struct Run<'g> {
    graph: &'g Graph,
    values: FxHashMap<Origin, u32>,
    cell: u32,
    stores: Vec<u32>,
}

impl Run<'_> {
    fn region(&mut self, region: Region, arguments: &[u32]) -> Vec<u32> {
        let graph = self.graph;
        self.values.extend(graph.arguments(region).iter().copied().zip(arguments.iter().copied()));
        for node in graph.topological(region) {
            let inputs: Vec<u32> = graph.input_origins(node).map(|origin| self.values[&origin]).collect();
            let outputs = match graph.kind(node) {
                NodeKind::Simple(op) => self.simple(op, &inputs),
                NodeKind::Gamma => {
                    let chosen = graph.subregions(node)[inputs[0] as usize];
                    self.region(chosen, &inputs[1..])
                }
                NodeKind::Theta => {
                    let mut current = inputs;
                    loop {
                        let results = self.region(graph.subregions(node)[0], &current);
                        current = results[1..].to_vec();
                        if results[0] == 0 {
                            break current;
                        }
                    }
                }
                other => panic!("a body has no {other:?}"),
            };
            self.values.extend(graph.outputs(node).iter().copied().zip(outputs));
        }
        graph.result_origins(region).map(|origin| self.values[&origin]).collect()
    }

    fn simple(&mut self, op: Op, inputs: &[u32]) -> Vec<u32> {
        let pool = self.graph.pool();
        let number = |constant| match pool.constant(constant) {
            Constant::Int { words: Words::Small(word), .. } => *word as u32,
            other => panic!("generated bodies have no constant {other:?}"),
        };
        vec![match op {
            Op::Const(constant) => number(constant),
            Op::Match(table) => {
                let table = pool.table(table);
                let case = table.cases.iter().find(|&&(case, _)| number(case) == inputs[0]);
                case.map_or(table.default, |&(_, alternative)| alternative)
            }
            Op::IntBinary { op: IntBinary::Add, .. } => inputs[0].wrapping_add(inputs[1]),
            Op::IntBinary { op: IntBinary::Sub, .. } => inputs[0].wrapping_sub(inputs[1]),
            Op::IntBinary { op: IntBinary::Xor, .. } => inputs[0] ^ inputs[1],
            Op::IntBinary { op: IntBinary::Mul, .. } => inputs[0].wrapping_mul(inputs[1]),
            Op::IntBinary { op: IntBinary::And, .. } => inputs[0] & inputs[1],
            Op::IntBinary { op: IntBinary::Or, .. } => inputs[0] | inputs[1],
            Op::IntBinary { op: IntBinary::Shl, .. } => inputs[0] << inputs[1],
            Op::CtlConst { value, .. } => value,
            Op::Load(_) => return vec![self.cell, 0],
            Op::Store(_) => {
                self.cell = inputs[0];
                self.stores.push(inputs[0]);
                0
            }
            other => panic!("generated bodies have no {other:?}"),
        }]
    }
}

fn run(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let mut run = Run { graph, values: FxHashMap::default(), cell: 5, stores: Vec::new() };
    let returned = run.region(graph.root(), &[0, 3, 4, 0, 0]);
    (returned, run.stores)
}

#[track_caller]
fn assert_valid(graph: &Graph, seed: u64) {
    let violations: Vec<String> = verify_graph(graph).iter().map(ToString::to_string).collect();
    assert!(violations.is_empty(), "seed {seed}: {}", violations.join("\n"));
}

#[test]
fn bodies_do_the_same_after_passes() {
    let mut merged = 0;
    for seed in 0..2_000 {
        let mut graph = generate(seed);
        assert_valid(&graph, seed);
        let expected = run(&graph);
        for pass in [&DeadNodes as &dyn BodyPass, &CommonNodes, &DeadNodes, &CommonNodes, &DeadNodes] {
            let cx = PassCx::new();
            let before = graph.node_count();
            let change = pass.run(&mut graph, &cx);
            assert_valid(&graph, seed);
            assert_eq!(run(&graph), expected, "seed {seed}");
            assert!(change.is_changed() || graph.node_count() == before, "seed {seed}");
            merged += cx.counter("loop_variables");
        }
        // What is left is found by neither pass again.
        let passes = [&CommonNodes as &dyn BodyPass, &DeadNodes];
        assert!(passes.iter().all(|pass| !pass.run(&mut graph, &PassCx::new()).is_changed()), "seed {seed}");
    }
    assert!(merged > 1_000, "{merged} loop variables were dead or congruent: the generator makes none");
}

#[test]
fn bodies_do_the_same_after_reduction() {
    let mut inlined = 0;
    for seed in 0..2_000 {
        let mut graph = generate(seed);
        let expected = run(&graph);
        for pass in [&Reduce as &dyn BodyPass, &DeadNodes, &CommonNodes, &Reduce, &DeadNodes] {
            let cx = PassCx::new();
            let _ = pass.run(&mut graph, &cx);
            assert_valid(&graph, seed);
            assert_eq!(run(&graph), expected, "seed {seed}");
            inlined += cx.counter("gamma-constant") + cx.counter("theta-once");
        }
        let _ = Reduce.run(&mut graph, &PassCx::new());
        assert!(driver::is_reduced(&graph), "seed {seed}");
    }
    assert!(inlined > 100, "{inlined} conditionals and loops were decided: the generator makes none");
}

/// Runs passes over generated bodies, and gives what one of their counters came to.
fn bodies_do_the_same(passes: &[&dyn BodyPass], counters: &[&str]) -> u64 {
    let mut counted = 0;
    for seed in 0..2_000 {
        let mut graph = generate(seed);
        let expected = run(&graph);
        for pass in passes {
            let cx = PassCx::new();
            let _ = pass.run(&mut graph, &cx);
            assert_valid(&graph, seed);
            assert_eq!(run(&graph), expected, "seed {seed}");
            counted += counters.iter().map(|counter| cx.counter(counter)).sum::<u64>();
        }
    }
    counted
}

/// Checks that a pass finds nothing again in what it made of generated bodies.
fn is_idempotent(pass: &dyn BodyPass) {
    for seed in 0..2_000 {
        let mut graph = generate(seed);
        let _ = pass.run(&mut graph, &PassCx::new());
        assert!(!pass.run(&mut graph, &PassCx::new()).is_changed(), "seed {seed}");
    }
}

#[test]
fn bodies_do_the_same_after_redirection() {
    let redirected = bodies_do_the_same(
        &[&InvariantValues, &DeadNodes, &CommonNodes, &InvariantValues],
        &["loop_variables", "states"],
    );
    assert!(redirected > 1_000, "{redirected} values were redirected: the generator makes none");
    is_idempotent(&InvariantValues);
}

#[test]
fn bodies_do_the_same_after_push_out() {
    let passes: &[&dyn BodyPass] = &[&PushOut, &InvariantValues, &CommonNodes, &DeadNodes, &PushOut, &DeadNodes];
    for counter in ["hoisted", "speculated", "common", "loads"] {
        let moved = bodies_do_the_same(passes, &[counter]);
        assert!(moved > 100, "{moved} {counter}: the generator makes none");
    }
}
