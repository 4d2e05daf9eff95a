//! Loop passes keep what counted loops compute, poison and wrapping of narrow numbers included.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Graph, NodeKind, Op, Origin, Pool, Region, Type};
use rvsdg_passes::cne::CommonNodes;
use rvsdg_passes::dne::DeadNodes;
use rvsdg_passes::inv::InvariantValues;
use rvsdg_passes::ivs::Simplify;
use rvsdg_passes::ivt::Invert;
use rvsdg_passes::psh::PushOut;
use rvsdg_passes::red::Reduce;
use rvsdg_passes::red::arith::{self, Int, Outcome};
use rvsdg_passes::url::Unroll;
use rvsdg_passes::{BodyPass, PassCx};

/// How many steps a run may take before it counts as one that does not end.
const FUEL: u32 = 8_000;

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

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// Loops around each other that count in 8 bits and compute in 64.
struct Generator {
    graph: Graph,
    rng: Rng,
    narrow: Type,
}

/// What is known in a region.
#[derive(Clone)]
struct Scope {
    region: Region,
    narrow: Vec<Origin>,
    wide: Vec<Origin>,
    address: Origin,
    mem: Origin,
}

impl Generator {
    fn simple(&mut self, region: Region, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        let node = self.graph.add_simple(region, op, inputs, &[ty]);
        self.graph.output(node, 0)
    }

    fn constant(&mut self, region: Region, value: i64) -> Origin {
        let (narrow, pool) = (self.narrow, self.graph.pool().clone());
        self.simple(region, Op::Const(pool.int_const(narrow, value as u64)), &[], narrow)
    }

    fn binary(&mut self, region: Region, op: IntBinary, flags: BinaryFlags, a: Origin, b: Origin) -> Origin {
        let ty = self.graph.ty(a);
        self.simple(region, Op::IntBinary { op, flags }, &[a, b], ty)
    }

    fn extended(&mut self, region: Region, value: Origin) -> Origin {
        let (op, flags) = match self.rng.below(5) {
            0 => (CastOp::ZExt, CastFlags { nneg: true, ..CastFlags::default() }),
            1 => (CastOp::ZExt, CastFlags::default()),
            _ => (CastOp::SExt, CastFlags::default()),
        };
        self.simple(region, Op::Cast { op, flags }, &[value], Type::I64)
    }

    fn decision(&mut self, region: Region, compared: Origin, bound: Origin) -> Origin {
        let pool = self.graph.pool().clone();
        if self.rng.below(8) == 0 {
            let value = pool.int_const(self.narrow, self.rng.below(40) as u64);
            let table = MatchTable { cases: [(value, 0)].into(), default: 1, alternatives: 2 };
            return self.simple(region, Op::Match(pool.intern_table(table)), &[compared], Type::CTL2);
        }
        let predicate = self.rng.pick(IntPredicate::ALL);
        let inputs = if self.rng.below(4) == 0 { [bound, compared] } else { [compared, bound] };
        let holds = self.simple(region, Op::ICmp { predicate, same_sign: false }, &inputs, Type::I1);
        let repeats = u32::from(self.rng.below(4) != 0);
        let yes = pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(yes, repeats)].into(), default: 1 - repeats, alternatives: 2 };
        self.simple(region, Op::Match(pool.intern_table(table)), &[holds], Type::CTL2)
    }

    fn flags(&mut self) -> BinaryFlags {
        self.rng.pick(&[BinaryFlags::NONE, BinaryFlags::NSW, BinaryFlags::NSW, BinaryFlags::NUW])
    }

    /// Something that uses what there is: a sum, a product, a store.
    fn fill(&mut self, scope: &mut Scope) {
        for _ in 0..2 + self.rng.below(5) {
            let region = scope.region;
            let flags = self.flags();
            let (a, b) = (self.rng.pick(&scope.narrow), self.rng.pick(&scope.narrow));
            match self.rng.below(6) {
                0 => {
                    let op = self.rng.pick(&[IntBinary::Add, IntBinary::Sub, IntBinary::Mul]);
                    let value = self.binary(region, op, flags, a, b);
                    scope.narrow.push(value);
                }
                1 => {
                    let k = self.rng.below(7) as i64 - 3;
                    let k = self.constant(region, k);
                    let value = self.binary(region, IntBinary::Add, flags, a, k);
                    scope.narrow.push(value);
                }
                2 | 3 => {
                    let value = self.extended(region, a);
                    scope.wide.push(value);
                }
                4 => {
                    let op = self.rng.pick(&[IntBinary::Add, IntBinary::Xor, IntBinary::Mul]);
                    let (a, b) = (self.rng.pick(&scope.wide), self.rng.pick(&scope.wide));
                    let value = self.binary(region, op, BinaryFlags::NONE, a, b);
                    scope.wide.push(value);
                }
                _ => {
                    let inputs = [self.rng.pick(&scope.wide), scope.address, scope.mem];
                    let op = Op::Store(MemAccess::plain(3));
                    scope.mem = self.simple(region, op, &inputs, Type::MEM);
                }
            }
        }
    }

    /// A loop that counts, with `depth` loops in it.
    fn count(&mut self, scope: &mut Scope, depth: usize) {
        let start = self.rng.below(12) as i64 - 4;
        let start =
            if self.rng.below(3) == 0 { self.rng.pick(&scope.narrow) } else { self.constant(scope.region, start) };
        let theta = Theta::add(&mut self.graph, scope.region);
        let i = theta.add_loop_var(&mut self.graph, start);
        let sum = self.rng.pick(&scope.wide);
        let sum = theta.add_loop_var(&mut self.graph, sum);
        let [outer, bound] = [(), ()].map(|()| self.rng.pick(&scope.narrow));
        let [outer, bound] = [outer, bound].map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let [address, mem] = [scope.address, scope.mem].map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let body = theta.body(&self.graph);
        let mut inner = Scope {
            region: body,
            narrow: vec![i.pre, i.pre, outer.pre, bound.pre],
            wide: vec![sum.pre],
            address: address.pre,
            mem: mem.pre,
        };
        self.fill(&mut inner);
        if depth > 0 {
            if self.rng.below(3) == 0 {
                self.guarded(&mut inner, depth - 1);
            } else {
                self.count(&mut inner, depth - 1);
            }
            self.fill(&mut inner);
        }
        let step = self.rng.pick(&[1, 1, 1, -1, -1, 2, 3, -2, -5, 7]);
        let step = if self.rng.below(6) == 0 { outer.pre } else { self.constant(body, step) };
        let (op, flags) = (self.rng.pick(&[IntBinary::Add, IntBinary::Add, IntBinary::Sub]), self.flags());
        let next = self.binary(body, op, flags, i.pre, step);
        let limit = self.rng.below(60) as i64 - 10;
        let limit = if self.rng.below(2) == 0 { bound.pre } else { self.constant(body, limit) };
        let compared = if self.rng.below(4) == 0 { i.pre } else { next };
        let decision = self.decision(body, compared, limit);
        self.graph.divert(theta.predicate(&self.graph), decision);
        self.graph.divert(i.post, next);
        let total = self.rng.pick(&inner.wide);
        let total = self.binary(body, IntBinary::Add, BinaryFlags::NONE, total, sum.pre);
        self.graph.divert(sum.post, total);
        self.graph.divert(mem.post, inner.mem);
        scope.mem = mem.output;
        scope.narrow.push(i.output);
        scope.wide.push(sum.output);
    }

    /// A loop behind a condition.
    fn guarded(&mut self, scope: &mut Scope, depth: usize) {
        let (a, b) = (self.rng.pick(&scope.narrow), self.rng.pick(&scope.narrow));
        let decision = self.decision(scope.region, a, b);
        let gamma = Gamma::add(&mut self.graph, scope.region, decision, 2);
        let wide = self.rng.pick(&scope.wide);
        let entered = [a, b, wide, scope.address, scope.mem];
        let entries = entered.map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let mut results = Vec::new();
        for alternative in 0..2 {
            let [a, b, wide, address, mem] = entries.map(|entry| entry.argument(&self.graph, gamma, alternative));
            let region = gamma.regions(&self.graph)[alternative];
            let mut inner = Scope { region, narrow: vec![a, b], wide: vec![wide], address, mem };
            if alternative == 1 {
                self.count(&mut inner, depth);
            }
            results.push((*inner.wide.last().expect("there is one"), inner.mem));
        }
        let wide = gamma.add_exit_var(&mut self.graph, &[results[0].0, results[1].0]).output;
        scope.mem = gamma.add_exit_var(&mut self.graph, &[results[0].1, results[1].1]).output;
        scope.wide.push(wide);
    }
}

/// A body of an address, two narrow numbers, a wide one and memory.
fn generate(seed: u64) -> Graph {
    let graph = Graph::new(Arc::new(Pool::new()));
    let narrow = graph.pool().int(8);
    let mut generator = Generator { graph, rng: Rng(seed), narrow };
    let root = generator.graph.root();
    let [address, a, b, c, mem, io] =
        [Type::PTR, narrow, narrow, Type::I64, Type::MEM, Type::IO].map(|ty| generator.graph.add_argument(root, ty));
    let mut scope = Scope { region: root, narrow: vec![a, b], wide: vec![c], address, mem };
    let depth = generator.rng.below(3);
    generator.count(&mut scope, depth);
    let result = *scope.wide.last().expect("there is one");
    let count = *scope.narrow.last().expect("there is one");
    let count = generator.extended(root, count);
    let result = generator.binary(root, IntBinary::Xor, BinaryFlags::NONE, result, count);
    for origin in [result, scope.mem, io] {
        generator.graph.add_result(root, origin);
    }
    generator.graph
}

/// A number, or poison.
type Value = Option<u64>;

/// Why a run has no outcome.
#[derive(Debug, PartialEq)]
enum Stop {
    Undefined,
    Endless,
}

/// Evaluates a body.
struct Run<'g> {
    graph: &'g Graph,
    values: FxHashMap<Origin, Value>,
    stores: Vec<Value>,
    fuel: u32,
}

impl Run<'_> {
    fn region(&mut self, region: Region, arguments: &[Value]) -> Result<Vec<Value>, Stop> {
        let graph = self.graph;
        self.values.extend(graph.arguments(region).iter().copied().zip(arguments.iter().copied()));
        for node in graph.topological(region) {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
            let inputs: Vec<Value> = graph.input_origins(node).map(|origin| self.values[&origin]).collect();
            let outputs = match graph.kind(node) {
                NodeKind::Simple(op) => {
                    let types: Vec<Type> = graph.input_origins(node).map(|origin| graph.ty(origin)).collect();
                    vec![self.simple(op, &inputs, &types, graph.ty(graph.output(node, 0)))?]
                }
                NodeKind::Gamma => {
                    let chosen = inputs[0].ok_or(Stop::Undefined)? as usize;
                    self.region(graph.subregions(node)[chosen], &inputs[1..])?
                }
                NodeKind::Theta => {
                    let mut current = inputs;
                    loop {
                        let results = self.region(graph.subregions(node)[0], &current)?;
                        current = results[1..].to_vec();
                        if results[0].ok_or(Stop::Undefined)? == 0 {
                            break current;
                        }
                    }
                }
                other => panic!("a body has no {other:?}"),
            };
            self.values.extend(graph.outputs(node).iter().copied().zip(outputs));
        }
        Ok(graph.result_origins(region).map(|origin| self.values[&origin]).collect())
    }

    fn simple(&mut self, op: Op, inputs: &[Value], types: &[Type], ty: Type) -> Result<Value, Stop> {
        let pool = self.graph.pool();
        let int = |index: usize| -> Option<Int> {
            let bits = arith::width(pool, types[index]).expect("an integer");
            inputs[index].map(|value: u64| Int::new(bits, value.into()))
        };
        let number = |value: Int| value.unsigned() as u64;
        let outcome = |outcome: Outcome| match outcome {
            Outcome::Value(value) => Ok(Some(number(value))),
            Outcome::Poison => Ok(None),
            Outcome::Undefined => Err(Stop::Undefined),
        };
        match op {
            Op::Const(constant) => Ok(Int::of_const(pool, constant).map(number)),
            Op::CtlConst { value, .. } => Ok(Some(value.into())),
            Op::Match(table) => {
                let Some(value) = int(0) else { return Err(Stop::Undefined) };
                let table = pool.table(table);
                let chosen = table.cases.iter().find(|&&(case, _)| Int::of_const(pool, case) == Some(value));
                Ok(Some(chosen.map_or(table.default, |&(_, chosen)| chosen).into()))
            }
            Op::IntBinary { op: op @ (IntBinary::UDiv | IntBinary::URem), flags } => match int(1) {
                None => Err(Stop::Undefined),
                Some(b) => int(0).map_or(Ok(None), |a| outcome(arith::binary(op, flags, a, b))),
            },
            Op::IntBinary { op, flags } => match (int(0), int(1)) {
                (Some(a), Some(b)) => outcome(arith::binary(op, flags, a, b)),
                _ => Ok(None),
            },
            Op::ICmp { predicate, .. } => Ok(int(0).zip(int(1)).map(|(a, b)| u64::from(a.compare(predicate, b)))),
            Op::Cast { op, flags } => {
                let Some(value) = int(0) else { return Ok(None) };
                let bits = arith::width(pool, ty).expect("an integer");
                outcome(arith::cast(op, flags, value, bits).expect("a conversion of integers"))
            }
            Op::Select(_) => Ok(match inputs[0] {
                None => None,
                Some(0) => inputs[2],
                Some(_) => inputs[1],
            }),
            Op::Freeze => Ok(Some(inputs[0].unwrap_or(0))),
            Op::Store(_) => {
                self.stores.push(inputs[0]);
                Ok(Some(0))
            }
            other => panic!("generated bodies have no {other:?}"),
        }
    }
}

type Observed = (Value, Vec<Value>);

fn run(graph: &Graph, parameters: [i64; 3], fuel: u32) -> Result<Observed, Stop> {
    let mut run = Run { graph, values: FxHashMap::default(), stores: Vec::new(), fuel };
    let [a, b, c] = parameters;
    let arguments = [0, u64::from(a as u8), u64::from(b as u8), c as u64, 0, 0].map(Some);
    let results = run.region(graph.root(), &arguments)?;
    Ok((results[0], run.stores))
}

/// Whether a run may become another one: where it gives poison, the other may give anything.
fn refines(before: &Observed, after: &Observed) -> bool {
    let value = |before: Value, after: Value| before.is_none() || before == after;
    value(before.0, after.0)
        && before.1.len() == after.1.len()
        && before.1.iter().zip(&after.1).all(|(&before, &after)| value(before, after))
}

const PARAMETERS: [[i64; 3]; 5] = [[3, 10, 5], [0, 0, -1], [-7, 100, 9], [127, -128, 2], [1, 2, 3]];

/// Runs passes over generated bodies and compares what bodies do before and after each; gives what each counter came to, and
/// in how many runs something could be seen.
fn check(passes: &[&dyn BodyPass], counters: &[&'static str], seeds: std::ops::Range<u64>) -> (Vec<u64>, u32) {
    let mut counted = vec![0; counters.len()];
    let mut defined = 0;
    for seed in seeds {
        let mut graph = generate(seed);
        let before: Vec<_> = PARAMETERS.iter().map(|&parameters| run(&graph, parameters, FUEL)).collect();
        defined += before.iter().filter(|before| before.is_ok()).count() as u32;
        for (number, pass) in passes.iter().enumerate() {
            let cx = PassCx::new();
            let _ = pass.run(&mut graph, &cx);
            let violations: Vec<String> = verify_graph(&graph).iter().map(ToString::to_string).collect();
            assert!(violations.is_empty(), "seed {seed}, pass {number}: {}", violations.join("\n"));
            for (&parameters, before) in PARAMETERS.iter().zip(&before) {
                let Ok(before) = before else { continue };
                let after = run(&graph, parameters, 4 * FUEL);
                let after = after.unwrap_or_else(|stop| panic!("seed {seed}, pass {number}, {parameters:?}: {stop:?}"));
                assert!(refines(before, &after), "seed {seed}, pass {number}, {parameters:?}\n{before:?}\n{after:?}");
            }
            for (counted, counter) in counted.iter_mut().zip(counters) {
                *counted += cx.counter(counter);
            }
        }
    }
    (counted, defined)
}

#[test]
fn loops_do_the_same_with_simple_induction_variables() {
    let passes: &[&dyn BodyPass] =
        &[&Simplify, &DeadNodes, &Reduce, &InvariantValues, &CommonNodes, &DeadNodes, &Simplify, &Reduce, &DeadNodes];
    let (counted, defined) = check(passes, &["widened", "variables", "reduced", "comparisons"], 0..1_500);
    assert!(counted.iter().all(|&counted| counted > 20), "{counted:?}: the generator makes too few");
    assert!(defined > 1_000, "only {defined} runs can be compared");
}

#[test]
fn simple_induction_variables_stay() {
    for seed in 0..500 {
        let mut graph = generate(seed);
        for pass in [&DeadNodes as &dyn BodyPass, &Simplify, &DeadNodes] {
            let _ = pass.run(&mut graph, &PassCx::new());
        }
        assert!(!Simplify.run(&mut graph, &PassCx::new()).is_changed(), "seed {seed}");
    }
}

#[test]
fn loops_do_the_same_when_unrolled() {
    let passes: &[&dyn BodyPass] = &[&DeadNodes, &Unroll, &DeadNodes, &Reduce, &CommonNodes, &DeadNodes];
    let (counted, defined) = check(passes, &["full", "partial", "remainders"], 10_000..11_000);
    assert!(counted.iter().all(|&counted| counted > 20), "{counted:?}: the generator makes too few");
    assert!(defined > 1_000, "only {defined} runs can be compared");
}

#[test]
fn loops_do_the_same_after_all_loop_passes() {
    let passes: &[&dyn BodyPass] =
        &[&Reduce, &DeadNodes, &Invert, &PushOut, &DeadNodes, &Simplify, &DeadNodes, &Unroll, &Reduce, &DeadNodes];
    let (counted, _) = check(passes, &["full", "partial", "remainders"], 20_000..20_500);
    assert!(counted.iter().all(|&counted| counted > 20), "{counted:?}: the generator makes too few");
}
