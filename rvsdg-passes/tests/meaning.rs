//! Passes keep what a body computes: generated bodies full of redundancy return and do the same before and after.

use std::ops::Range;

use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Module, Op, Origin, Region, Type};
use rvsdg_gen::rng::Rng;
use rvsdg_passes::control::if_conversion::IfConversion;
use rvsdg_passes::control::invariant_value_redirection::InvariantValues;
use rvsdg_passes::control::pull::PullIn;
use rvsdg_passes::control::push::PushOut;
use rvsdg_passes::loops::theta_gamma_inversion::Invert;
use rvsdg_passes::scalar::common_node_elimination::{CommonConditionals, CommonNodes};
use rvsdg_passes::scalar::dead_node_elimination::DeadNodes;
use rvsdg_passes::scalar::node_reduction::{Reduce, driver};
use rvsdg_passes::{BodyPass, LastEnd, PassCx};

mod common;

use common::{all_do_the_same, all_do_the_same_often, body, with_body};

/// Few operations on few values, so that many nodes are congruent.
struct Generator {
    graph: Graph,
    rng: Rng,
    /// Whether some loops decide first.
    deciding_first: bool,
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
                9 => self.gamma(scope, depth),
                10 if self.rng.below(3) == 0 => self.pure_gamma(scope),
                10 if self.rng.below(4) == 0 => self.guards(scope),
                10 => self.gamma(scope, depth),
                _ if self.deciding_first && self.rng.below(2) == 0 => self.theta_that_decides_first(scope, depth),
                _ => self.theta(scope, depth),
            }
        }
    }

    /// A predicate of two alternatives that one of two predicates or constants decides.
    fn chosen_predicate(&mut self, scope: &Scope) -> Origin {
        let [first, second] = [(), ()].map(|()| self.rng.pick(&scope.values));
        let predicate = self.predicate(scope.region, first, 2);
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, 2);
        let variable = gamma.add_entry_var(&mut self.graph, second);
        let ctl = self.graph.pool().ctl(2);
        let mut results = Vec::new();
        for alternative in 0..2 {
            let region = gamma.regions(&self.graph)[alternative];
            results.push(match self.rng.below(3) {
                0 => self.simple(region, Op::CtlConst { value: 0, of: 2 }, &[], &[ctl])[0],
                1 => self.simple(region, Op::CtlConst { value: 1, of: 2 }, &[], &[ctl])[0],
                _ => {
                    let value = variable.argument(&self.graph, gamma, alternative);
                    self.predicate(region, value, 2)
                }
            });
        }
        gamma.add_exit_var(&mut self.graph, &results).output
    }

    /// A conditional in another, both of which may leave everything as it is.
    fn guards(&mut self, scope: &mut Scope) {
        let [first, second, value] = [(), (), ()].map(|()| self.rng.pick(&scope.values));
        let predicate = self.predicate(scope.region, first, 2);
        let outer = Gamma::add(&mut self.graph, scope.region, predicate, 2);
        let origins = [second, value, scope.address, scope.mem];
        let outer_variables = origins.map(|origin| outer.add_entry_var(&mut self.graph, origin));
        let around = self.rng.below(2);
        let [second, value, address, mem] =
            outer_variables.map(|variable| variable.argument(&self.graph, outer, around));
        let region = outer.regions(&self.graph)[around];
        let predicate = self.predicate(region, second, 2);
        let inner = Gamma::add(&mut self.graph, region, predicate, 2);
        let variables = [value, address, mem].map(|origin| inner.add_entry_var(&mut self.graph, origin));
        let working = self.rng.below(2);
        let arguments = [0, 1].map(|at| variables.map(|variable| variable.argument(&self.graph, inner, at)));
        let [value, address, mem] = arguments[working];
        let region = inner.regions(&self.graph)[working];
        let new = self.binary(region, IntBinary::Add, value, value);
        let stored = self.simple(region, Op::Store(MemAccess::plain(2)), &[new, address, mem], &[Type::MEM])[0];
        let [value, _, mem] = arguments[1 - working];
        let results = if working == 0 { [[new, value], [stored, mem]] } else { [[value, new], [mem, stored]] };
        let outputs = results.map(|results| inner.add_exit_var(&mut self.graph, &results).output);
        let [_, value, _, mem] = outer_variables.map(|variable| variable.argument(&self.graph, outer, 1 - around));
        let mut results = [[outputs[0], value], [outputs[1], mem]];
        if around == 1 {
            results.iter_mut().for_each(|results| results.reverse());
        }
        let [value, mem] = results.map(|results| outer.add_exit_var(&mut self.graph, &results).output);
        scope.values.push(value);
        scope.mem = mem;
    }

    /// A conditional without states.
    fn pure_gamma(&mut self, scope: &mut Scope) {
        let [value, first, second] = [(), (), ()].map(|()| self.rng.pick(&scope.values));
        let predicate = self.predicate(scope.region, value, 2);
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, 2);
        let variables = [first, second].map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let mut results = Vec::new();
        for alternative in 0..2 {
            let [first, second] = variables.map(|variable| variable.argument(&self.graph, gamma, alternative));
            let region = gamma.regions(&self.graph)[alternative];
            let mut value = first;
            for _ in 0..self.rng.below(4) {
                value = self.binary(region, IntBinary::Add, value, second);
            }
            results.push(value);
        }
        scope.values.push(gamma.add_exit_var(&mut self.graph, &results).output);
    }

    fn gamma(&mut self, scope: &mut Scope, depth: usize) {
        let alternatives = 2 + self.rng.below(2);
        let predicate = if alternatives == 2 && self.rng.below(4) == 0 {
            self.chosen_predicate(scope)
        } else {
            let value = self.rng.pick(&scope.values);
            self.predicate(scope.region, value, alternatives as u32)
        };
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

    /// A loop whose body is a γ that decides whether to go on, with something before and behind it.
    fn theta_that_decides_first(&mut self, scope: &mut Scope, depth: usize) {
        let times = self.rng.below(4);
        let count = self.constant(scope.region, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let count = theta.add_loop_var(&mut self.graph, count);
        let inputs: Vec<Origin> = (0..1 + self.rng.below(5)).map(|_| self.rng.pick(&scope.values)).collect();
        let variables: Vec<_> = inputs.into_iter().map(|origin| theta.add_loop_var(&mut self.graph, origin)).collect();
        let [mem, address] = [scope.mem, scope.address].map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let body = theta.body(&self.graph);
        let mut before = Scope {
            region: body,
            values: variables.iter().map(|variable| variable.pre).collect(),
            mem: mem.pre,
            address: address.pre,
        };
        let size = self.rng.below(4);
        self.fill(&mut before, size, 0);
        let predicate = self.predicate(body, count.pre, 2);
        let gamma = Gamma::add(&mut self.graph, body, predicate, 2);
        let entries: Vec<Origin> = (0..1 + self.rng.below(3)).map(|_| self.rng.pick(&before.values)).collect();
        let entries: Vec<_> = entries.into_iter().map(|origin| gamma.add_entry_var(&mut self.graph, origin)).collect();
        let entered = [before.mem, address.pre, count.pre].map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let mut results = [const { Vec::new() }; 2];
        let given = 1 + self.rng.below(3);
        for (alternative, results) in results.iter_mut().enumerate() {
            let [mem, address, count] = entered.map(|variable| variable.argument(&self.graph, gamma, alternative));
            let region = gamma.regions(&self.graph)[alternative];
            let values = entries.iter().map(|variable| variable.argument(&self.graph, gamma, alternative)).collect();
            let mut inner = Scope { region, values, mem, address };
            let size = self.rng.below(5);
            self.fill(&mut inner, size, (depth - 1) * alternative);
            let one = self.constant(region, 1);
            let next = self.binary(region, IntBinary::Sub, count, one);
            let op = Op::CtlConst { value: alternative as u32, of: 2 };
            let decision = self.simple(region, op, &[], &[Type::CTL2])[0];
            results.extend([decision, inner.mem, next]);
            results.extend((0..given).map(|_| self.rng.pick(&inner.values)));
        }
        let exits: Vec<Origin> = (0..results[0].len())
            .map(|index| gamma.add_exit_var(&mut self.graph, &[results[0][index], results[1][index]]).output)
            .collect();
        let mut after = Scope { region: body, mem: exits[1], address: address.pre, values: before.values };
        after.values.extend_from_slice(&exits[3..]);
        let size = self.rng.below(3);
        self.fill(&mut after, size, 0);
        let predicate = if self.rng.below(3) == 0 { predicate } else { exits[0] };
        self.graph.divert(theta.predicate(&self.graph), predicate);
        self.graph.divert(mem.post, after.mem);
        self.graph.divert(count.post, exits[2]);
        for variable in variables {
            let next = self.rng.pick(&after.values);
            self.graph.divert(variable.post, next);
            scope.values.push(variable.output);
        }
        scope.mem = mem.output;
    }
}

/// What is around the body.
const AROUND: &str = "module \"\"\n@f = function i32 (ptr, i32, i32)\n\
    lambda @f [] (v0: ptr, v1: i32, v2: i32, mem0, io0) {\n  yield v1, mem0, io0\n}\nexport @f\n";

/// A function of an address and two numbers that returns what depends on a few numbers.
fn generate(seed: u64) -> Module {
    generate_with(seed, false)
}

fn generate_with(seed: u64, deciding_first: bool) -> Module {
    with_body(AROUND, |pool| {
        let mut generator = Generator { graph: Graph::new(pool), rng: Rng::new(seed), deciding_first };
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
    })
}

const SEEDS: Range<u64> = 0..2_000;

/// Checks that some passes find nothing in what others made of generated bodies.
fn find_nothing(passes: &[&dyn BodyPass], after: &[&dyn BodyPass]) {
    for seed in SEEDS {
        let mut module = generate(seed);
        let graph = body(&mut module);
        for pass in after {
            let _ = pass.run(graph, &PassCx::new());
        }
        for pass in passes {
            assert!(!pass.run(graph, &PassCx::new()).is_changed(), "seed {seed}");
        }
    }
}

#[test]
fn bodies_do_the_same_after_elimination() {
    let passes: &[&dyn BodyPass] = &[&DeadNodes, &CommonNodes, &DeadNodes, &CommonNodes, &DeadNodes];
    all_do_the_same_often(generate, SEEDS, passes, &["loop_variables"], 1_000);
    find_nothing(&[&CommonNodes, &DeadNodes], passes);
}

#[test]
fn bodies_do_the_same_after_reduction() {
    let passes: &[&dyn BodyPass] = &[&Reduce::default(), &DeadNodes, &CommonNodes, &Reduce::default(), &DeadNodes];
    let (counted, _) = all_do_the_same(generate, SEEDS, passes, &["gamma-constant", "theta-once"]);
    assert!(counted.iter().sum::<u64>() > 100, "{counted:?} were decided: the generator makes none");
    for seed in SEEDS {
        let mut module = generate(seed);
        let graph = body(&mut module);
        for pass in passes.iter().chain(&[&Reduce::default() as &dyn BodyPass]) {
            let _ = pass.run(graph, &PassCx::new());
        }
        assert!(driver::is_reduced(graph), "seed {seed}");
    }
}

#[test]
fn what_was_reduced_is_reduced_again_where_it_was_edited() {
    let reduce = Reduce::default();
    let between: &[&dyn BodyPass] = &[&DeadNodes, &CommonNodes, &InvariantValues, &DeadNodes];
    let (mut edited, mut left) = (0, 0);
    for seed in SEEDS {
        let mut module = generate(seed);
        let graph = body(&mut module);
        let _ = reduce.run(graph, &PassCx::new());
        let end = graph.next_epoch();
        for pass in between {
            let _ = pass.run(graph, &PassCx::new());
        }
        edited += u32::from(
            reduce.run(graph, &PassCx::new().with_last_end(LastEnd { epoch: end, learned: Vec::new() })).is_changed(),
        );
        left += u32::from(!driver::is_reduced(graph));
    }
    assert!(edited > 100 && left * 50 < edited, "of {edited} bodies that were reduced again, {left} are not reduced");
}

#[test]
fn bodies_do_the_same_after_redirection() {
    let passes: &[&dyn BodyPass] = &[&InvariantValues, &DeadNodes, &CommonNodes, &InvariantValues];
    let (counted, _) = all_do_the_same(generate, SEEDS, passes, &["loop_variables", "states"]);
    assert!(counted.iter().sum::<u64>() > 1_000, "{counted:?} were redirected: the generator makes none");
    find_nothing(&[&InvariantValues], &[&InvariantValues]);
}

#[test]
fn bodies_do_the_same_after_push_out() {
    let passes: &[&dyn BodyPass] = &[&PushOut, &InvariantValues, &CommonNodes, &DeadNodes, &PushOut, &DeadNodes];
    all_do_the_same_often(generate, SEEDS, passes, &["hoisted", "speculated", "common", "loads"], 100);
}

#[test]
fn bodies_do_the_same_after_if_conversion() {
    let passes: &[&dyn BodyPass] =
        &[&IfConversion, &DeadNodes, &InvariantValues, &CommonNodes, &IfConversion, &DeadNodes];
    let counters = ["converted", "selects", "speculated", "predicates", "nested"];
    all_do_the_same_often(generate, SEEDS, passes, &counters, 100);
}

#[test]
fn bodies_do_the_same_after_pull_in() {
    let passes: &[&dyn BodyPass] = &[&PullIn, &DeadNodes, &PushOut, &CommonNodes, &PullIn, &DeadNodes];
    all_do_the_same_often(generate, SEEDS, passes, &["pulled", "structural", "loads"], 20);
    find_nothing(&[&PullIn], &[&PullIn]);
}

#[test]
fn bodies_do_the_same_after_inversion() {
    let generate = |seed| generate_with(seed, true);
    let passes: &[&dyn BodyPass] =
        &[&InvariantValues, &Invert, &InvariantValues, &Reduce::default(), &DeadNodes, &Invert];
    all_do_the_same_often(generate, SEEDS, passes, &["inverted", "unswitched", "copied"], 100);
    // Alone, as the generator made them; what was inverted does not come up again.
    all_do_the_same_often(generate, 0..500, &[&Invert], &["inverted"], 10);
    for seed in 0..500 {
        let mut module = generate(seed);
        let graph = body(&mut module);
        let _ = Invert.run(graph, &PassCx::new());
        let cx = PassCx::new();
        let _ = Invert.run(graph, &cx);
        assert_eq!(cx.counter("inverted"), 0, "seed {seed}");
    }
}

#[test]
fn bodies_do_the_same_after_fusion() {
    let passes: &[&dyn BodyPass] =
        &[&CommonNodes, &CommonConditionals, &DeadNodes, &InvariantValues, &CommonConditionals];
    all_do_the_same_often(generate, SEEDS, passes, &["conditionals"], 100);
}
