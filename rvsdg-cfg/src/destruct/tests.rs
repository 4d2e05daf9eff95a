//! Destruction of small graphs made by hand. Behaviour on all shapes is tested in `rvsdg-gen`.

mod branches;
mod described;
mod listing;
mod predicates;
mod returns;
mod transfers;
mod values;

use std::sync::Arc;

use expect_test::{Expect, expect};
use rvsdg_core::op::{Effects, ExtOp, MatchTable};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Op, Origin, Pool, Region, SourceId, Type};

use super::{Recovery, destruct};
use listing::listing;

/// A function from `i32`s to an `i32`, with an `io` state.
struct Make {
    graph: Graph,
    pool: Arc<Pool>,
    root: Region,
}

impl Make {
    /// A function; its first arguments have the number given, its last is the state.
    fn new(arguments: usize) -> Make {
        let pool = Arc::new(Pool::new());
        let mut graph = Graph::new(pool.clone());
        let root = graph.root();
        for _ in 0..arguments {
            graph.add_argument(root, Type::I32);
        }
        graph.add_argument(root, Type::IO);
        Make { graph, pool, root }
    }

    fn argument(&self, region: Region, index: usize) -> Origin {
        self.graph.arguments(region)[index]
    }

    fn int(&mut self, region: Region, value: u64) -> Origin {
        let constant = self.pool.int_const(Type::I32, value);
        let node = self.graph.add_simple(region, Op::Const(constant), &[], &[Type::I32]);
        self.graph.output(node, 0)
    }

    fn poison(&mut self, region: Region) -> Origin {
        let constant = self.pool.intern_const(Constant::Poison(Type::I32));
        let node = self.graph.add_simple(region, Op::Const(constant), &[], &[Type::I32]);
        self.graph.output(node, 0)
    }

    fn ctl(&mut self, region: Region, value: u32, of: u32) -> Origin {
        let ty = self.pool.ctl(of);
        let node = self.graph.add_simple(region, Op::CtlConst { value, of }, &[], &[ty]);
        self.graph.output(node, 0)
    }

    /// The alternatives of the first integers, then of all others.
    fn match_(&mut self, region: Region, operand: Origin, choices: &[u32]) -> Origin {
        let (&default, cases) = choices.split_last().unwrap();
        let alternatives = choices.iter().max().unwrap() + 1;
        let cases = cases.iter().enumerate().map(|(case, &to)| (self.pool.int_const(Type::I32, case as u64), to));
        let table = self.pool.intern_table(MatchTable { cases: cases.collect(), default, alternatives });
        let ty = self.pool.ctl(alternatives);
        let node = self.graph.add_simple(region, Op::Match(table), &[operand], &[ty]);
        self.graph.output(node, 0)
    }

    fn ext(&mut self, region: Region, name: &str, inputs: &[Origin], effects: Effects) -> Vec<Origin> {
        let op = Op::Ext(self.pool.intern_ext(ExtOp {
            name: name.into(),
            inputs: vec![Type::I32; inputs.len() - effects.count()].into(),
            outputs: [Type::I32].into(),
            effects,
            speculatable: false,
            commutative: false,
        }));
        let types: Vec<Type> = [Type::I32].into_iter().chain(effects.types()).collect();
        let node = self.graph.add_simple(region, op, inputs, &types);
        self.graph.outputs(node).to_vec()
    }

    /// An operation without effect.
    fn pure(&mut self, region: Region, name: &str, inputs: &[Origin]) -> Origin {
        self.ext(region, name, inputs, Effects::NONE)[0]
    }

    /// An operation with an effect: its value and the state.
    fn call(&mut self, region: Region, name: &str, inputs: &[Origin], io: Origin) -> (Origin, Origin) {
        let inputs: Vec<Origin> = inputs.iter().copied().chain([io]).collect();
        let outputs = self.ext(region, name, &inputs, Effects::IO);
        (outputs[0], outputs[1])
    }

    fn gamma(&mut self, region: Region, predicate: Origin, alternatives: usize) -> (Gamma, Vec<Region>) {
        let gamma = Gamma::add(&mut self.graph, region, predicate, alternatives);
        (gamma, gamma.regions(&self.graph).to_vec())
    }

    fn entry(&mut self, gamma: Gamma, origin: Origin) {
        gamma.add_entry_var(&mut self.graph, origin);
    }

    fn exit(&mut self, gamma: Gamma, origins: &[Origin]) -> Origin {
        gamma.add_exit_var(&mut self.graph, origins).output
    }

    fn theta(&mut self, region: Region, inputs: &[Origin]) -> (Theta, Region, Vec<Origin>) {
        let theta = Theta::add(&mut self.graph, region);
        let pres = inputs.iter().map(|&input| theta.add_loop_var(&mut self.graph, input).pre).collect();
        (theta, theta.body(&self.graph), pres)
    }

    /// Completes a θ; returns the values after it.
    fn repeat(&mut self, theta: Theta, predicate: Origin, posts: &[Origin]) -> Vec<Origin> {
        self.graph.divert(theta.predicate(&self.graph), predicate);
        let vars: Vec<_> = theta.loop_vars(&self.graph).collect();
        vars.iter().zip(posts).for_each(|(var, &post)| self.graph.divert(var.post, post));
        vars.iter().map(|var| var.output).collect()
    }

    fn end_source(&mut self, region: Region, source: u32) {
        self.graph.set_end_source(region, Some(SourceId::from_u32(source)));
    }

    /// Completes the function and checks what becomes of it.
    fn check(self, results: &[Origin], recovery: Recovery, expected: Expect) {
        expected.assert_eq(&self.finish(results, recovery));
    }

    fn finish(mut self, results: &[Origin], recovery: Recovery) -> String {
        results.iter().for_each(|&result| {
            self.graph.add_result(self.root, result);
        });
        listing(&destruct(&self.graph, 0, recovery))
    }
}
