//! Loop passes keep what counted loops compute, poison and wrapping of narrow numbers included.

use std::ops::Range;

use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Module, Op, Origin, Region, Type};
use rvsdg_gen::rng::Rng;
use rvsdg_passes::control::invariant_value_redirection::InvariantValues;
use rvsdg_passes::control::push::PushOut;
use rvsdg_passes::loops::induction_variables::Simplify;
use rvsdg_passes::loops::theta_gamma_inversion::Invert;
use rvsdg_passes::loops::unroll::Unroll;
use rvsdg_passes::scalar::common_node_elimination::CommonNodes;
use rvsdg_passes::scalar::dead_node_elimination::DeadNodes;
use rvsdg_passes::scalar::node_reduction::Reduce;
use rvsdg_passes::{BodyPass, PassCx};

mod common;

use common::{all_do_the_same, body, with_body};

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

/// What is around the body.
const AROUND: &str = "module \"\"\n@f = function i64 (ptr, i8, i8, i64)\n\
    lambda @f [] (v0: ptr, v1: i8, v2: i8, v3: i64, mem0, io0) {\n  yield v3, mem0, io0\n}\nexport @f\n";

/// A function of an address, two narrow numbers and a wide one.
fn generate(seed: u64) -> Module {
    with_body(AROUND, |pool| {
        let narrow = pool.int(8);
        let mut generator = Generator { graph: Graph::new(pool), rng: Rng::new(seed), narrow };
        let root = generator.graph.root();
        let [address, a, b, c, mem, io] = [Type::PTR, narrow, narrow, Type::I64, Type::MEM, Type::IO]
            .map(|ty| generator.graph.add_argument(root, ty));
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
    })
}

/// Runs passes over generated functions: each counter comes to something, and so many runs can be compared.
fn check(passes: &[&dyn BodyPass], counters: &[&'static str], seeds: Range<u64>) {
    let count = seeds.end - seeds.start;
    let (counted, tally) = all_do_the_same(generate, seeds, passes, counters);
    assert!(counted.iter().all(|&counted| counted > 20), "{counted:?}: the generator makes too few");
    assert!(tally.same > count * passes.len() as u64 / 2, "{tally:?}");
}

#[test]
fn loops_do_the_same_with_simple_induction_variables() {
    let passes: &[&dyn BodyPass] = &[
        &Simplify,
        &DeadNodes,
        &Reduce::default(),
        &InvariantValues,
        &CommonNodes,
        &DeadNodes,
        &Simplify,
        &Reduce::default(),
        &DeadNodes,
    ];
    check(passes, &["widened", "variables", "reduced", "comparisons"], 0..1_500);
}

/// What is made wide in one loop may come from a conversion in the loop around it, which is next; then nothing is left.
#[test]
fn simple_induction_variables_stay() {
    for seed in 0..500 {
        let mut module = generate(seed);
        let graph = body(&mut module);
        for pass in [&DeadNodes as &dyn BodyPass, &Simplify, &DeadNodes, &Simplify, &DeadNodes] {
            let _ = pass.run(graph, &PassCx::new());
        }
        assert!(!Simplify.run(graph, &PassCx::new()).is_changed(), "seed {seed}");
    }
}

#[test]
fn loops_do_the_same_when_unrolled() {
    let passes: &[&dyn BodyPass] =
        &[&DeadNodes, &Unroll::default(), &DeadNodes, &Reduce::default(), &CommonNodes, &DeadNodes];
    check(passes, &["full", "partial", "remainders"], 10_000..11_000);
}

#[test]
fn loops_do_the_same_after_all_loop_passes() {
    let passes: &[&dyn BodyPass] = &[
        &Reduce::default(),
        &DeadNodes,
        &Invert,
        &PushOut,
        &DeadNodes,
        &Simplify,
        &DeadNodes,
        &Unroll::default(),
        &Reduce::default(),
        &DeadNodes,
    ];
    check(passes, &["full", "partial", "remainders"], 20_000..20_500);
}
