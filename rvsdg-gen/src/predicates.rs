//! Graphs that no construction makes: predicates are used far from their definitions, several times, and in inner regions; they are loop
//! variables and results of regions. Their operations are those of [`crate::cfgs`], so they have [traces](crate::trace).

use std::sync::Arc;

use rvsdg_core::graph::{Copier, WalkItem};
use rvsdg_core::op::{Effects, ExtOp, MatchTable};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Pool, Region, Type};

use crate::cfgs::{CHOOSE, VISIT};
use crate::entropy::Entropy;

struct Maker<'e> {
    graph: Graph,
    entropy: Entropy<'e>,
    /// How many more nodes there may be.
    budget: usize,
}

/// What is available in a region.
#[derive(Clone)]
struct Scope {
    region: Region,
    io: Origin,
    values: Vec<Origin>,
    predicates: Vec<Origin>,
}

impl Maker<'_> {
    fn ext(&self, name: &str, inputs: usize) -> Op {
        Op::Ext(self.graph.pool().intern_ext(ExtOp {
            name: name.into(),
            inputs: vec![Type::I32; inputs].into(),
            outputs: [Type::I32].into(),
            effects: Effects::IO,
            speculatable: false,
            commutative: false,
        }))
    }

    fn pick(&mut self, list: &[Origin]) -> Origin {
        list[self.entropy.below(list.len())]
    }

    fn effect(&mut self, scope: &mut Scope, name: &str, operands: &[Origin]) {
        let op = self.ext(name, operands.len());
        let inputs: Vec<Origin> = operands.iter().copied().chain([scope.io]).collect();
        let node = self.graph.add_simple(scope.region, op, &inputs, &[Type::I32, Type::IO]);
        scope.values.push(self.graph.output(node, 0));
        scope.io = self.graph.output(node, 1);
    }

    fn visit(&mut self, scope: &mut Scope) {
        let operands: Vec<Origin> = (0..1 + self.entropy.below(3)).map(|_| self.pick(&scope.values)).collect();
        self.effect(scope, VISIT, &operands);
    }

    fn choose(&mut self, scope: &mut Scope) {
        self.effect(scope, CHOOSE, &[]);
    }

    fn constant(&mut self, scope: &mut Scope) -> Origin {
        let constant = self.graph.pool().int_const(Type::I32, self.entropy.below(4) as u64);
        let node = self.graph.add_simple(scope.region, Op::Const(constant), &[], &[Type::I32]);
        self.graph.output(node, 0)
    }

    fn match_(&mut self, scope: &mut Scope, alternatives: u32) -> Origin {
        let operand = self.pick(&scope.values);
        let pool = self.graph.pool().clone();
        let mut alternative = || self.entropy.below(alternatives as usize) as u32;
        let table = pool.intern_table(MatchTable {
            cases: (0..3).map(|case| (pool.int_const(Type::I32, case), alternative())).collect(),
            default: alternative(),
            alternatives,
        });
        let node = self.graph.add_simple(scope.region, Op::Match(table), &[operand], &[pool.ctl(alternatives)]);
        self.graph.output(node, 0)
    }

    /// A predicate, old or new, with this many alternatives.
    fn predicate(&mut self, scope: &mut Scope, alternatives: u32) -> Origin {
        let ty = self.graph.pool().ctl(alternatives);
        let known: Vec<Origin> = scope.predicates.iter().copied().filter(|&old| self.graph.ty(old) == ty).collect();
        let predicate = match self.entropy.below(8) {
            0..=3 if !known.is_empty() => return self.pick(&known),
            4 | 5 => {
                let value = self.entropy.below(alternatives as usize) as u32;
                let op = Op::CtlConst { value, of: alternatives };
                let node = self.graph.add_simple(scope.region, op, &[], &[ty]);
                self.graph.output(node, 0)
            }
            6 => self.match_(scope, alternatives),
            _ => {
                self.choose(scope);
                self.match_(scope, alternatives)
            }
        };
        scope.predicates.push(predicate);
        predicate
    }

    fn fill(&mut self, scope: &mut Scope, depth: usize) {
        for _ in 0..self.entropy.below(6) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.entropy.below(10) {
                0 | 1 => self.visit(scope),
                2 => self.choose(scope),
                3 => {
                    let constant = self.constant(scope);
                    scope.values.push(constant);
                }
                4 => {
                    let alternatives = 2 + self.entropy.below(2) as u32;
                    self.predicate(scope, alternatives);
                }
                5..=7 if depth > 0 => self.gamma(scope, depth - 1),
                8 if depth > 0 => self.theta(scope, depth - 1),
                // Nothing: regions of all lengths, those without nodes too.
                5.. => {}
            }
        }
    }

    fn some(&mut self, list: &[Origin], least: usize) -> Vec<Origin> {
        (0..least + self.entropy.below(3)).filter(|_| !list.is_empty()).map(|_| self.pick(list)).collect()
    }

    fn gamma(&mut self, scope: &mut Scope, depth: usize) {
        let alternatives = 2 + self.entropy.below(2) as u32;
        let predicate = self.predicate(scope, alternatives);
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, alternatives as usize);
        gamma.add_entry_var(&mut self.graph, scope.io);
        let (values, predicates) = (self.some(&scope.values, 1), self.some(&scope.predicates, 0));
        values.iter().chain(&predicates).for_each(|&origin| {
            gamma.add_entry_var(&mut self.graph, origin);
        });
        let outputs = (self.entropy.below(3), self.entropy.below(3));
        let types: Vec<u32> = (0..outputs.1).map(|_| 2 + self.entropy.below(2) as u32).collect();
        let mut results: Vec<Vec<Origin>> = vec![];
        for alternative in 0..alternatives as usize {
            let region = gamma.regions(&self.graph)[alternative];
            let arguments = self.graph.arguments(region).to_vec();
            let mut inner = Scope {
                region,
                io: arguments[0],
                values: arguments[1..1 + values.len()].to_vec(),
                predicates: arguments[1 + values.len()..].to_vec(),
            };
            self.fill(&mut inner, depth);
            let mut list: Vec<Origin> = (0..outputs.0).map(|_| self.pick(&inner.values)).collect();
            list.extend(types.iter().map(|&of| self.predicate(&mut inner, of)));
            list.push(inner.io);
            results.push(list);
        }
        for index in 0..outputs.0 + outputs.1 + 1 {
            let origins: Vec<Origin> = results.iter().map(|list| list[index]).collect();
            let output = gamma.add_exit_var(&mut self.graph, &origins).output;
            if index < outputs.0 {
                scope.values.push(output);
            } else if index < outputs.0 + outputs.1 {
                scope.predicates.push(output);
            } else {
                scope.io = output;
            }
        }
    }

    fn theta(&mut self, scope: &mut Scope, depth: usize) {
        let theta = Theta::add(&mut self.graph, scope.region);
        let (values, predicates) = (self.some(&scope.values, 1), self.some(&scope.predicates, 0));
        let all: Vec<Origin> = [scope.io].into_iter().chain(values.iter().copied()).chain(predicates).collect();
        let vars: Vec<_> = all.iter().map(|&origin| theta.add_loop_var(&mut self.graph, origin)).collect();
        let pre = |range: std::ops::Range<usize>| vars[range].iter().map(|var| var.pre).collect::<Vec<_>>();
        let ends = 1 + values.len();
        let mut inner = Scope {
            region: theta.body(&self.graph),
            io: vars[0].pre,
            values: pre(1..ends),
            predicates: pre(ends..vars.len()),
        };
        // Something happens in every iteration, so that every run comes to an end.
        let early = self.entropy.below(2) == 0;
        if early {
            self.visit(&mut inner);
        }
        self.fill(&mut inner, depth);
        if !early {
            self.choose(&mut inner);
        }
        let decision = self.predicate(&mut inner, 2);
        for (index, var) in vars.iter().enumerate().skip(1) {
            let post = match (self.entropy.below(3), index < ends) {
                (0, _) => var.pre,
                (_, true) => self.pick(&inner.values),
                (_, false) => {
                    let of = self.graph.pool().ctl_alternatives(self.graph.ty(var.pre)).unwrap();
                    self.predicate(&mut inner, of)
                }
            };
            self.graph.divert(var.post, post);
        }
        self.graph.divert(vars[0].post, inner.io);
        self.graph.divert(theta.predicate(&self.graph), decision);
        scope.io = vars[0].output;
        scope.values.extend(vars[1..ends].iter().map(|var| var.output));
        scope.predicates.extend(vars[ends..].iter().map(|var| var.output));
    }
}

/// A graph of a function that takes and returns an `i32`, of at most about `budget` operations.
pub fn routed(entropy: Entropy<'_>, budget: usize) -> Graph {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let argument = graph.add_argument(root, Type::I32);
    let mem = graph.add_argument(root, Type::MEM);
    let io = graph.add_argument(root, Type::IO);
    let mut scope = Scope { region: root, io, values: vec![argument], predicates: vec![] };
    let mut maker = Maker { graph, entropy, budget };
    for _ in 0..3 {
        maker.fill(&mut scope, 4);
    }
    let result = maker.pick(&scope.values);
    let Maker { mut graph, .. } = maker;
    graph.add_result(root, result);
    graph.add_result(root, mem);
    graph.add_result(root, scope.io);
    graph
}

/// The same graph with its nodes made in another order.
pub fn shuffled(graph: &Graph, entropy: &mut Entropy<'_>) -> Graph {
    let mut source = graph.clone();
    let regions: Vec<Region> = graph
        .walk()
        .filter_map(|item| match item {
            WalkItem::Enter(region) => Some(region),
            WalkItem::Node(_) | WalkItem::Leave(_) => None,
        })
        .collect();
    for region in regions {
        let mut nodes: Vec<Node> = source.nodes(region).collect();
        for last in (1..nodes.len()).rev() {
            nodes.swap(last, entropy.below(last + 1));
        }
        nodes.into_iter().for_each(|node| source.move_to(node, region));
        source.topological(region).into_iter().for_each(|node| source.move_to(node, region));
    }
    let mut copy = Graph::new(graph.pool().clone());
    let (from, to) = (source.root(), copy.root());
    let mut copier = Copier::new();
    for &argument in source.arguments(from) {
        copier.substitute(argument, copy.add_argument(to, source.ty(argument)));
    }
    copier.copy_nodes(&source, from, &mut copy, to);
    copy.set_end_source(to, source.end_source(from));
    for origin in source.result_origins(from) {
        copy.add_result(to, copier.get(origin).expect("all nodes are copied"));
    }
    copy
}
