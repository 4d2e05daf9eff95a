//! Memory value forwarding keeps what a body does: generated bodies full of accesses that may be of one place return the
//! same and leave the same in memory.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, Effects, Ext, ExtOp, GepFlags, IntBinary, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Constant, Graph, NodeKind, Op, Origin, Pool, Region, Type, TypeKind};
use rvsdg_passes::cne::CommonNodes;
use rvsdg_passes::dne::DeadNodes;
use rvsdg_passes::mvf::MemoryValues;
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

struct Generator {
    graph: Graph,
    rng: Rng,
    float: Type,
    /// Something outside that changes what it can reach.
    touch: Ext,
    /// As that, and from then on it reaches an object.
    publish: Ext,
}

/// What can be used at a place in a region.
#[derive(Clone)]
struct Scope {
    region: Region,
    values: Vec<Origin>,
    pointers: Vec<Origin>,
    /// A number that the loop around counts, from 0 to 2.
    cursor: Option<Origin>,
    mem: Origin,
}

const WORDS: usize = 4;

impl Generator {
    fn new(seed: u64) -> Generator {
        let pool = Arc::new(Pool::new());
        let ext = |name: &str, inputs: &[Type]| {
            pool.intern_ext(ExtOp {
                name: name.into(),
                inputs: inputs.into(),
                outputs: Box::default(),
                effects: Effects::MEM,
                speculatable: false,
                commutative: false,
            })
        };
        let (touch, publish) = (ext("test.touch", &[]), ext("test.publish", &[Type::PTR]));
        let float = pool.intern_type(TypeKind::Float);
        Generator { graph: Graph::new(pool), rng: Rng(seed), float, touch, publish }
    }

    fn simple(&mut self, region: Region, op: Op, inputs: &[Origin], outputs: &[Type]) -> Vec<Origin> {
        let node = self.graph.add_simple(region, op, inputs, outputs);
        self.graph.outputs(node).to_vec()
    }

    fn constant(&mut self, region: Region, value: usize) -> Origin {
        let constant = self.graph.pool().int_const(Type::I32, value as u64);
        self.simple(region, Op::Const(constant), &[], &[Type::I32])[0]
    }

    fn predicate(&mut self, region: Region, value: Origin) -> Origin {
        let pool = self.graph.pool().clone();
        let table = MatchTable { cases: [(pool.int_const(Type::I32, 0), 0)].into(), default: 1, alternatives: 2 };
        self.simple(region, Op::Match(pool.intern_table(table)), &[value], &[Type::CTL2])[0]
    }

    fn binary(&mut self, region: Region, op: IntBinary, lhs: Origin, rhs: Origin) -> Origin {
        let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
        self.simple(region, op, &[lhs, rhs], &[Type::I32])[0]
    }

    /// The address of a word of one of the objects; often the same one.
    fn address(&mut self, scope: &Scope) -> Origin {
        let base = self.rng.pick(&scope.pointers);
        let index = match (self.rng.below(6), scope.cursor) {
            (0..=2, Some(cursor)) => {
                let one = self.constant(scope.region, 1);
                let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };
                match self.rng.below(2) {
                    0 => cursor,
                    _ => self.simple(scope.region, op, &[cursor, one], &[Type::I32])[0],
                }
            }
            (0, None) => return base,
            // Sums of something unknown and a constant.
            (4, _) => self.sum(scope, WORDS - 1),
            (5, _) => {
                let pool = self.graph.pool().clone();
                let source = pool.intern_type(TypeKind::Array { element: Type::I32, len: WORDS as u64 / 2 });
                let indices = [(); 2].map(|()| self.sum(scope, 2));
                let op = Op::Gep { source, flags: GepFlags::INBOUNDS };
                return self.simple(scope.region, op, &[base, indices[0], indices[1]], &[Type::PTR])[0];
            }
            (1, None) => {
                let mask = self.constant(scope.region, WORDS - 1);
                let value = self.rng.pick(&scope.values);
                self.binary(scope.region, IntBinary::And, value, mask)
            }
            _ => {
                let index = self.rng.below(WORDS);
                self.constant(scope.region, index)
            }
        };
        let flags = [GepFlags::NONE, GepFlags::INBOUNDS][self.rng.below(2)];
        self.simple(scope.region, Op::Gep { source: Type::I32, flags }, &[base, index], &[Type::PTR])[0]
    }

    /// An index below `bound`: the lowest bit of some value, or none, plus a constant.
    fn sum(&mut self, scope: &Scope, bound: usize) -> Origin {
        let one = self.constant(scope.region, 1);
        let value = self.rng.pick(&scope.values);
        let bit = self.binary(scope.region, IntBinary::And, value, one);
        let constant = self.rng.below(bound);
        if constant == bound - 1 && bound == 2 {
            return self.constant(scope.region, 1);
        }
        let constant = self.constant(scope.region, constant);
        let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };
        self.simple(scope.region, op, &[bit, constant], &[Type::I32])[0]
    }

    fn cast(&mut self, region: Region, origin: Origin, ty: Type) -> Origin {
        let op = Op::Cast { op: CastOp::BitCast, flags: CastFlags::default() };
        self.simple(region, op, &[origin], &[ty])[0]
    }

    fn load(&mut self, scope: &mut Scope) {
        let address = self.address(scope);
        let float = self.rng.below(5) == 0;
        let ty = if float { self.float } else { Type::I32 };
        let outputs = self.simple(scope.region, Op::Load(MemAccess::plain(2)), &[address, scope.mem], &[ty, Type::MEM]);
        scope.mem = outputs[1];
        let value = if float { self.cast(scope.region, outputs[0], Type::I32) } else { outputs[0] };
        scope.values.push(value);
    }

    fn store(&mut self, scope: &mut Scope, address: Origin) {
        let mut value = self.rng.pick(&scope.values);
        if self.rng.below(5) == 0 {
            value = self.cast(scope.region, value, self.float);
        }
        let inputs = [value, address, scope.mem];
        scope.mem = self.simple(scope.region, Op::Store(MemAccess::plain(2)), &inputs, &[Type::MEM])[0];
    }

    fn alloca(&mut self, scope: &mut Scope) {
        let pool = self.graph.pool().clone();
        let ty = pool.intern_type(TypeKind::Array { element: Type::I32, len: WORDS as u64 });
        let one = self.constant(scope.region, 1);
        let op = Op::Alloca { ty, align_log2: 2, in_alloca: false, swift_error: false };
        let outputs = self.simple(scope.region, op, &[one, scope.mem], &[Type::PTR, Type::MEM]);
        scope.mem = outputs[1];
        for word in 0..WORDS {
            let index = self.constant(scope.region, word);
            let op = Op::Gep { source: Type::I32, flags: GepFlags::INBOUNDS };
            let address = self.simple(scope.region, op, &[outputs[0], index], &[Type::PTR])[0];
            self.store(scope, address);
        }
        scope.pointers.push(outputs[0]);
    }

    fn fill(&mut self, scope: &mut Scope, size: usize, depth: usize) {
        for _ in 0..size {
            match self.rng.below(if depth == 0 { 12 } else { 15 }) {
                0..4 => self.load(scope),
                4..8 => {
                    let address = self.address(scope);
                    self.store(scope, address);
                }
                8 => {
                    let value = self.rng.below(3);
                    let origin = self.constant(scope.region, value);
                    scope.values.push(origin);
                }
                9 => {
                    let op = [IntBinary::Add, IntBinary::Sub, IntBinary::Xor][self.rng.below(3)];
                    let [lhs, rhs] = [(), ()].map(|()| self.rng.pick(&scope.values));
                    let origin = self.binary(scope.region, op, lhs, rhs);
                    scope.values.push(origin);
                }
                10 => match self.rng.below(6) {
                    0 => scope.mem = self.simple(scope.region, Op::Ext(self.touch), &[scope.mem], &[Type::MEM])[0],
                    1 => {
                        let inputs = [self.rng.pick(&scope.pointers), scope.mem];
                        scope.mem = self.simple(scope.region, Op::Ext(self.publish), &inputs, &[Type::MEM])[0];
                    }
                    _ => self.load(scope),
                },
                11 => self.alloca(scope),
                12 => self.gamma(scope, depth),
                _ => self.theta(scope, depth),
            }
        }
    }

    fn gamma(&mut self, scope: &mut Scope, depth: usize) {
        let value = self.rng.pick(&scope.values);
        let predicate = self.predicate(scope.region, value);
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, 2);
        let mut route = |origins: &[Origin]| -> Vec<_> {
            origins.iter().map(|&origin| gamma.add_entry_var(&mut self.graph, origin)).collect()
        };
        let (values, pointers, mem) = (route(&scope.values), route(&scope.pointers), route(&[scope.mem]));
        let inner = [0, 1].map(|alternative| {
            let arguments = |variables: &[rvsdg_core::structural::EntryVar]| -> Vec<Origin> {
                variables.iter().map(|variable| variable.argument(&self.graph, gamma, alternative)).collect()
            };
            let mut inner = Scope {
                region: gamma.regions(&self.graph)[alternative],
                values: arguments(&values),
                pointers: arguments(&pointers),
                cursor: None,
                mem: arguments(&mem)[0],
            };
            let size = self.rng.below(6);
            self.fill(&mut inner, size, depth - 1);
            inner
        });
        let value = inner.each_ref().map(|scope| self.rng.pick(&scope.values));
        scope.values.push(gamma.add_exit_var(&mut self.graph, &value).output);
        if self.rng.below(3) == 0 {
            let pointer = inner.each_ref().map(|scope| self.rng.pick(&scope.pointers));
            scope.pointers.push(gamma.add_exit_var(&mut self.graph, &pointer).output);
        }
        scope.mem = gamma.add_exit_var(&mut self.graph, &inner.map(|scope| scope.mem)).output;
    }

    fn theta(&mut self, scope: &mut Scope, depth: usize) {
        let times = 1 + self.rng.below(4);
        let count = self.constant(scope.region, times);
        // Up from 0, or down to it.
        let rises = self.rng.below(2) == 0;
        let cursor = self.constant(scope.region, if rises { 0 } else { times - 1 });
        let theta = Theta::add(&mut self.graph, scope.region);
        let mut route = |origins: &[Origin]| -> Vec<_> {
            origins.iter().map(|&origin| theta.add_loop_var(&mut self.graph, origin)).collect()
        };
        let (count, cursor, mem) = (route(&[count])[0], route(&[cursor])[0], route(&[scope.mem])[0]);
        let (values, pointers) = (route(&scope.values), route(&scope.pointers));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: values.iter().map(|variable| variable.pre).collect(),
            pointers: pointers.iter().map(|variable| variable.pre).collect(),
            cursor: (times < WORDS && self.rng.below(2) == 0).then_some(cursor.pre),
            mem: mem.pre,
        };
        let size = self.rng.below(8);
        self.fill(&mut inner, size, depth - 1);
        let one = self.constant(inner.region, 1);
        let next = self.binary(inner.region, IntBinary::Sub, count.pre, one);
        let predicate = self.predicate(inner.region, next);
        self.graph.divert(theta.predicate(&self.graph), predicate);
        self.graph.divert(count.post, next);
        let op = Op::IntBinary { op: if rises { IntBinary::Add } else { IntBinary::Sub }, flags: BinaryFlags::NSW };
        let next = self.simple(inner.region, op, &[cursor.pre, one], &[Type::I32])[0];
        self.graph.divert(cursor.post, next);
        self.graph.divert(mem.post, inner.mem);
        for (variables, origins) in [(&values, &inner.values), (&pointers, &inner.pointers)] {
            for variable in variables {
                if self.rng.below(4) == 0 {
                    let post = self.rng.pick(origins);
                    self.graph.divert(variable.post, post);
                }
            }
        }
        scope.values.extend(values.iter().map(|variable| variable.output));
        scope.mem = mem.output;
    }
}

/// A body of two addresses, two numbers and memory that returns a few numbers.
fn generate(seed: u64) -> Graph {
    let mut generator = Generator::new(seed);
    let root = generator.graph.root();
    let [p, q, a, b, mem, io] = [Type::PTR, Type::PTR, Type::I32, Type::I32, Type::MEM, Type::IO]
        .map(|ty| generator.graph.add_argument(root, ty));
    let mut scope = Scope { region: root, values: vec![a, b], pointers: vec![p, q], cursor: None, mem };
    generator.fill(&mut scope, 14, 3);
    let mut result = generator.rng.pick(&scope.values);
    for _ in 0..4 {
        let value = generator.rng.pick(&scope.values);
        result = generator.binary(root, IntBinary::Sub, result, value);
    }
    for origin in [result, scope.mem, io] {
        generator.graph.add_result(root, origin);
    }
    generator.graph
}

/// Evaluates a body. Addresses count words; objects are four words long, from multiples of four.
struct Run<'g> {
    graph: &'g Graph,
    values: FxHashMap<Origin, u32>,
    memory: Vec<u32>,
    /// Objects that are reachable from outside, by their first address.
    public: Vec<u32>,
}

impl Run<'_> {
    fn region(&mut self, region: Region, arguments: &[u32]) -> Vec<u32> {
        let graph = self.graph;
        self.values.extend(graph.arguments(region).iter().copied().zip(arguments.iter().copied()));
        for node in graph.topological(region) {
            let inputs: Vec<u32> = graph.input_origins(node).map(|origin| self.values[&origin]).collect();
            let outputs = match graph.kind(node) {
                NodeKind::Simple(op) => self.simple(op, &inputs),
                NodeKind::Gamma => self.region(graph.subregions(node)[inputs[0] as usize], &inputs[1..]),
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
        vec![match op {
            Op::Const(constant) => match pool.constant(constant) {
                Constant::Int { words: Words::Small(word), .. } => *word as u32,
                Constant::Poison(_) => 0xdead_beef,
                other => panic!("generated bodies have no constant {other:?}"),
            },
            Op::Match(_) => u32::from(inputs[0] != 0),
            Op::IntBinary { op: IntBinary::Add, .. } => inputs[0].wrapping_add(inputs[1]),
            Op::IntBinary { op: IntBinary::Sub, .. } => inputs[0].wrapping_sub(inputs[1]),
            Op::IntBinary { op: IntBinary::Xor, .. } => inputs[0] ^ inputs[1],
            Op::IntBinary { op: IntBinary::And, .. } => inputs[0] & inputs[1],
            Op::Cast { .. } => inputs[0],
            Op::Gep { .. } if inputs.len() == 3 => inputs[0] + inputs[1] * 2 + inputs[2],
            Op::Gep { .. } => inputs[0] + inputs[1],
            Op::Alloca { .. } => {
                let address = self.memory.len() as u32;
                self.memory.resize(self.memory.len() + WORDS, 0xbad);
                return vec![address, 0];
            }
            Op::Load(_) => return vec![self.memory[inputs[0] as usize], 0],
            Op::Store(_) => {
                self.memory[inputs[1] as usize] = inputs[0];
                0
            }
            Op::Ext(ext) => {
                if &*pool.ext(ext).name == "test.publish" {
                    self.public.push(inputs[0] & !(WORDS as u32 - 1));
                }
                // What is there decides about what comes to be there.
                let mut sum = 1u32;
                for &object in &self.public {
                    for word in &mut self.memory[object as usize..][..WORDS] {
                        sum = sum.wrapping_mul(31).wrapping_add(*word);
                        *word = sum % 5;
                    }
                }
                0
            }
            other => panic!("generated bodies have no {other:?}"),
        }]
    }
}

/// What a body returns and leaves in memory, with its pointers to one object, or to two.
fn run(graph: &Graph) -> Vec<(u32, Vec<u32>)> {
    let starts = [(0, 4), (0, 0), (4, 4)];
    let run = |(p, q): (u32, u32)| {
        let memory = (0..8).map(|word| word % 3).collect();
        let mut run = Run { graph, values: FxHashMap::default(), memory, public: vec![0, 4] };
        let returned = run.region(graph.root(), &[p, q, 3, 4, 0, 0]);
        (returned[0], run.memory[..8].to_vec())
    };
    starts.map(run).into()
}

#[track_caller]
fn assert_valid(graph: &Graph, seed: u64) {
    let violations: Vec<String> = verify_graph(graph).iter().map(ToString::to_string).collect();
    assert!(violations.is_empty(), "seed {seed}: {}", violations.join("\n"));
}

#[test]
fn bodies_do_the_same_after_forwarding() {
    let (mut loads, mut stores, mut hoisted, mut around) = (0, 0, 0, 0);
    for seed in 0..2_000 {
        let mut graph = generate(seed);
        assert_valid(&graph, seed);
        let expected = run(&graph);
        for pass in [&MemoryValues as &dyn BodyPass, &DeadNodes, &CommonNodes, &MemoryValues, &DeadNodes] {
            let cx = PassCx::new();
            let before = graph.node_count();
            let change = pass.run(&mut graph, &cx);
            assert_valid(&graph, seed);
            assert_eq!(run(&graph), expected, "seed {seed}");
            assert!(change.is_changed() || graph.node_count() == before, "seed {seed}");
            loads += cx.counter("loads");
            stores += cx.counter("stores");
            hoisted += cx.counter("loads_before_loops");
            around += cx.counter("around_loops");
        }
    }
    assert!(around > 100, "{around} values are carried around loops: the generator makes none");
    for (count, what) in [(loads, "loads"), (stores, "stores"), (hoisted, "loads before loops")] {
        assert!(count > 1_000, "{count} {what}: the generator makes none");
    }
}

#[test]
fn every_number_of_rewrites_leaves_a_body_of_the_same_meaning() {
    for seed in 0..60 {
        let graph = generate(seed);
        let expected = run(&graph);
        for limit in 0..40 {
            let mut graph = graph.clone();
            let _ = MemoryValues.run(&mut graph, &PassCx::with_rewrite_limit(limit));
            assert_valid(&graph, seed);
            assert_eq!(run(&graph), expected, "seed {seed}, {limit} rewrites");
        }
    }
}
