//! Memory value forwarding keeps what a body does: generated bodies full of accesses that may be of one place return the
//! same and leave the same in memory.

use std::sync::Arc;

use rvsdg_core::attribute::AttributeList;
use rvsdg_core::op::{
    BinaryFlags, CallExits, CallInfo, CastFlags, CastOp, Effects, FastMath, GepFlags, IntBinary, MatchTable, MemAccess,
    TailKind,
};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Module, Op, Origin, Pool, Region, Type, TypeKind};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::runs::runs;
use rvsdg_passes::memory::memory_forwarding::MemoryValues;
use rvsdg_passes::scalar::common_node_elimination::CommonNodes;
use rvsdg_passes::scalar::dead_node_elimination::DeadNodes;
use rvsdg_passes::{BodyPass, PassCx};

mod common;

use common::{all_do_the_same_often, body, with_body};

struct Generator {
    graph: Graph,
    rng: Rng,
    float: Type,
}

/// What can be used at a place in a region.
#[derive(Clone)]
struct Scope {
    region: Region,
    values: Vec<Origin>,
    pointers: Vec<Origin>,
    /// A function that changes what is public, and one that makes an object public first.
    functions: [Origin; 2],
    /// A number that the loop around counts, from 0 to 2.
    cursor: Option<Origin>,
    mem: Origin,
}

const WORDS: usize = 4;

impl Generator {
    fn new(pool: Arc<Pool>, seed: u64) -> Generator {
        let float = pool.intern_type(TypeKind::Float);
        Generator { graph: Graph::new(pool), rng: Rng::new(seed), float }
    }

    /// A call of a function that returns nothing.
    fn call(&mut self, scope: &mut Scope, callee: Origin, arguments: &[Origin]) {
        let params = arguments.iter().map(|&argument| self.graph.ty(argument)).collect();
        let function = TypeKind::Function { result: Type::VOID, params, variadic: false };
        let pool = self.graph.pool().clone();
        let info = CallInfo {
            function_type: pool.intern_type(function),
            convention: 0,
            attributes: pool.intern_attributes(AttributeList::default()),
            tail: TailKind::None,
            fast: FastMath::NONE,
            bundles: [].into(),
            metadata: [].into(),
            assembly: None,
            effects: Effects::MEM,
            speculatable: false,
            exits: CallExits::Return,
        };
        let inputs: Vec<Origin> = [&[callee], arguments, &[scope.mem]].concat();
        scope.mem = self.simple(scope.region, Op::Call(pool.intern_call(info)), &inputs, &[Type::MEM])[0];
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
                    0 => self.call(scope, scope.functions[0], &[]),
                    1 => {
                        let pointer = self.rng.pick(&scope.pointers);
                        self.call(scope, scope.functions[1], &[pointer]);
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
        let functions = route(&scope.functions);
        let inner = [0, 1].map(|alternative| {
            let arguments = |variables: &[rvsdg_core::structural::EntryVar]| -> Vec<Origin> {
                variables.iter().map(|variable| variable.argument(&self.graph, gamma, alternative)).collect()
            };
            let mut inner = Scope {
                region: gamma.regions(&self.graph)[alternative],
                values: arguments(&values),
                pointers: arguments(&pointers),
                functions: [arguments(&functions)[0], arguments(&functions)[1]],
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
        let functions = route(&scope.functions);
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: values.iter().map(|variable| variable.pre).collect(),
            pointers: pointers.iter().map(|variable| variable.pre).collect(),
            functions: [functions[0].pre, functions[1].pre],
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

/// A function of two addresses and two numbers that returns what depends on a few numbers, with its callers.
fn generate(seed: u64) -> Module {
    with_body(include_str!("common/around.rvsdg"), |pool| {
        let mut generator = Generator::new(pool, seed);
        let root = generator.graph.root();
        let [touch, publish, p, q] = [Type::PTR; 4].map(|ty| generator.graph.add_argument(root, ty));
        let [a, b, mem, io] =
            [Type::I32, Type::I32, Type::MEM, Type::IO].map(|ty| generator.graph.add_argument(root, ty));
        let functions = [touch, publish];
        let mut scope = Scope { region: root, values: vec![a, b], pointers: vec![p, q], functions, cursor: None, mem };
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
    })
}

#[test]
fn bodies_do_the_same_after_forwarding() {
    let passes: &[&dyn BodyPass] = &[&MemoryValues, &DeadNodes, &CommonNodes, &MemoryValues, &DeadNodes];
    all_do_the_same_often(generate, 0..2_000, passes, &["loads", "stores", "loads_before_loops"], 1_000);
    all_do_the_same_often(generate, 0..2_000, passes, &["around_loops"], 50);
}

#[test]
fn every_number_of_rewrites_leaves_a_body_of_the_same_meaning() {
    for seed in 0..60 {
        let module = generate(seed);
        let before = runs(&module);
        for limit in 0..40 {
            let mut module = module.clone();
            let _ = MemoryValues.run(body(&mut module), &PassCx::with_rewrite_limit(limit));
            if let Err(why) = before.keep(&module) {
                panic!("seed {seed}, {limit} rewrites: {why}\n{module}");
            }
        }
    }
}
